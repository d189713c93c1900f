"""`retourne token`: who may do what on the pages, by tokens; and whether everybody may read them.

Whoever may write the store's file needs none.
"""

import sys
from datetime import date
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from ingest.cli import complete
from ingest.cli.caller import caller
from ingest.cli.console import show
from ingest.cli.opening import is_served, there
from ingest.cli.params import AsFormat, Format, write
from ingest.cli.terminal import DEFAULT_STORE, Lang, Stop, StorePath, console
from ingest.i18n import N_, Translate
from ingest.store import tokens
from ingest.store.store import Store
from ingest.store.tokens import Role
from ingest.text.signs import plain

MADE = N_("A token for {name}, {role}. It is said this once: keep it.")
LINK = N_("People sign in by a link: the dashboard’s address, then /in# and the token.")
THIS_LINK = N_("People sign in by this link, which is as secret as the token: {link}")
NO_DAY = N_("--expires needs a day written as year, month and day, 2027-06-30: {found} is none.")
NONE = N_("No token was made yet.")
NO_TOKEN = N_("The store has no token of that name: {name}. See: retourne token list")
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
    lang: Lang = None,
) -> None:
    """Make a token; it stands alone on the last line."""
    t: Translate = ctx.obj
    with there(store) as opened:
        secret = tokens.add(opened, name, role, None if expires is None else _day(expires))
    said = console(stderr=True)
    said.print(Text(t(MADE, name=plain(name), role=t(ROLES[role]))))
    other = caller.get()
    if other is not None and is_served(store):
        said.print(Text(t(THIS_LINK, link=f"{other.address}/in#{secret}")))
    else:
        said.print(Text(t(LINK)))
    sys.stdout.write(secret + "\n")


def list(
    ctx: typer.Context,
    store: StorePath = DEFAULT_STORE,
    format: AsFormat = Format.TEXT,
    lang: Lang = None,
) -> None:
    """Say which tokens there are, a line each."""
    t: Translate = ctx.obj
    with there(store) as opened:
        known = tokens.grants(opened)
    if format is Format.JSONL:
        return write(map(_object, known.tokens))
    said, out = console(stderr=True), console()
    heads = [t(one) for one in HEADINGS]
    rows = [_row(t, one) for one in known.tokens]
    if rows and out.is_read:
        show(out, heads, rows)
    elif rows:
        # not among the rows, which programs read
        said.print(Text("\t".join(heads), style="bold"))
        sys.stdout.writelines("\t".join(row) + "\n" for row in rows)
    sys.stdout.flush()
    if not known.tokens:
        said.print(Text(t(NONE)))
    said.print(Text(t(CLOSED if known.closed else OPEN)))


def _row(t: Translate, one: tokens.Token) -> tuple[str, ...]:
    """A token as people read it."""
    state = WORKS if one.works else GONE if one.revoked_at else OVER
    last = f"{one.last_day:%Y-%m-%d}" if one.last_day else "–"
    made = f"{one.made_at.astimezone():%Y-%m-%d}"
    return plain(one.name), t(ROLES[one.role]), made, last, t(state)


def _object(one: tokens.Token) -> dict[str, object]:
    """A token as `--format jsonl` writes it."""
    return {
        "name": one.name,
        "role": str(one.role),
        "made_at": one.made_at.isoformat(),
        "last_day": one.last_day and one.last_day.isoformat(),
        "works": one.works,
        "revoked": one.revoked_at is not None,
    }


def revoke(
    ctx: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar=N_("NAME"), autocompletion=complete.tokens, help=N_("As `token list` has it.")
        ),
    ],
    store: StorePath = DEFAULT_STORE,
    lang: Lang = None,
) -> None:
    """Let nobody in by a token any more."""
    t: Translate = ctx.obj
    with there(store) as opened:
        tokens.revoke(opened, _number(opened, name))
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
    lang: Lang = None,
) -> None:
    """Close the pages to whoever has no token, or open them."""
    t: Translate = ctx.obj
    with there(store) as opened:
        tokens.close_reading(opened, state is Reading.CLOSED)
    console().print(Text(t(CLOSED if state is Reading.CLOSED else OPEN)))


def _number(store: Store, name: str) -> int:
    """The number of the token of a name that was not revoked, the last one made."""
    for one in reversed(tokens.grants(store).tokens):
        if tokens.is_called(one, name) and one.revoked_at is None:
            return one.number
    raise Stop(NO_TOKEN, name=name)


def _day(text: str) -> date:
    """Stop: it is no day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Stop(NO_DAY, found=text) from None
