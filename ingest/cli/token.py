"""`retourne token`: who may do what on the pages, by tokens; and whether everybody may read them.

Whoever may write the store's file needs none.
"""

import sys
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.text import Text

from ingest.cli import complete
from ingest.cli.console import show
from ingest.cli.open_store import store_at
from ingest.cli.params import AsFormat, Format, ServerUrl, Token, write
from ingest.cli.terminal import DEFAULT_STORE, Lang, StorePath, console
from ingest.i18n import N_, Translate
from ingest.operations import access
from ingest.store.tokens import Role
from ingest.text.signs import plain

MADE = N_("A token for {name}, {role}. It is said this once: keep it.")
LINK = N_("People sign in by a link: the dashboard’s address, then /in# and the token.")
THIS_LINK = N_("People sign in by this link, which is as secret as the token: {link}")
NONE = N_("No token was made yet.")
REVOKED = N_("Revoked: {name}. Whoever was signed in by it is not any more.")
CLOSED = N_("Reading is closed: nobody reads without a token.")
OPEN = N_("Reading is open: everybody reads, only writing needs a token.")
HEADINGS = (
    N_("Name"),
    N_("Role"),
    N_("Made on"),
    N_("Last day"),
    N_("State"),
)
ROLES = {
    Role.READER: N_("reader"),
    Role.CONTRIBUTOR: N_("contributor"),
    Role.STEWARD: N_("steward"),
}
WORKS, OVER, GONE = N_("works"), N_("expired"), N_("revoked")


class Reading(StrEnum):
    """Whether one needs a token to read."""

    OPEN = "open"
    CLOSED = "closed"


def add(
    ctx: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar=N_("NAME"), help=N_("Whom or what the token is for."))
    ],
    role: Annotated[
        Role,
        typer.Option(
            "--role",
            help=N_(
                "reader: reads. contributor: adds games too, and undoes their own "
                "uploads. steward: everything."
            ),
        ),
    ],
    expires: Annotated[
        str | None,
        typer.Option(
            "--expires",
            metavar=N_("DAY"),
            help=N_("The last day on which it works, 2027-06-30; for ever if absent."),
        ),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Make a token; it stands alone on the last line."""
    t: Translate = ctx.obj
    with store_at(store, server, token, t) as asked:
        made = asked.do(access.add_token, name=name, role=role, expires=expires)
    said = console(stderr=True)
    said.print(Text(t(MADE, name=plain(name), role=t(ROLES[role]))))
    said.print(Text(t(LINK) if made["link"] is None else t(THIS_LINK, link=made["link"])))
    sys.stdout.write(made["token"] + "\n")


def list(
    ctx: typer.Context,
    store: StorePath = DEFAULT_STORE,
    format: AsFormat = Format.TEXT,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Say which tokens there are, a line each."""
    t: Translate = ctx.obj
    with store_at(store, server, token, t) as asked:
        known = asked.do(access.tokens)
    if format is Format.JSONL:
        return write(known["tokens"])
    said, out = console(stderr=True), console()
    heads = [t(one) for one in HEADINGS]
    rows = [_row(t, one) for one in known["tokens"]]
    if rows and out.is_read:
        show(out, heads, rows)
    elif rows:
        # not among the rows, which programs read
        said.print(Text("\t".join(heads), style="bold"))
        sys.stdout.writelines("\t".join(row) + "\n" for row in rows)
    sys.stdout.flush()
    if not rows:
        said.print(Text(t(NONE)))
    said.print(Text(t(CLOSED if known["closed"] else OPEN)))


def _row(t: Translate, one: dict[str, Any]) -> tuple[str, ...]:
    """A token as people read it."""
    state = WORKS if one["works"] else GONE if one["revoked"] else OVER
    made = f"{datetime.fromisoformat(one['made_at']).astimezone():%Y-%m-%d}"
    role = t(ROLES[Role(one["role"])])
    return plain(one["name"]), role, made, one["last_day"] or "–", t(state)


def revoke(
    ctx: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar=N_("NAME"), autocompletion=complete.tokens, help=N_("As `token list` has it.")
        ),
    ],
    store: StorePath = DEFAULT_STORE,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Let nobody in by a token any more."""
    t: Translate = ctx.obj
    with store_at(store, server, token, t) as asked:
        asked.do(access.revoke_token, name=name)
    console().print(Text(t(REVOKED, name=plain(name))))


def reading(
    ctx: typer.Context,
    state: Annotated[
        Reading,
        typer.Argument(
            metavar="open|closed", show_default=False, help=N_("Whether everybody may read.")
        ),
    ],
    store: StorePath = DEFAULT_STORE,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Close the pages to whoever has no token, or open them."""
    t: Translate = ctx.obj
    with store_at(store, server, token, t) as asked:
        asked.do(access.close_reading, closed=state is Reading.CLOSED)
    console().print(Text(t(CLOSED if state is Reading.CLOSED else OPEN)))
