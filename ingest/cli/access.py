"""Commands for tokens, webhooks, and names (`token`, `webhook`, `mask`, `whois`)."""

import sys
from datetime import datetime
from enum import StrEnum

from rich.text import Text

from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.open_store import ServedRun
from ingest.i18n import N_
from ingest.operations import Operation, access, matches
from ingest.reader.escaping import plain
from ingest.store.tokens import ROLES, Role

PLAYER, ABOUT = N_("PLAYER…"), N_("A player’s id, or pseudonym.")
MADE = N_("A token for {name}, {role}. It is said this once: keep it.")
LINK = N_("People sign in by a link: the dashboard’s address, then /in# and the token.")
THIS_LINK = N_("People sign in by this link, which is as secret as the token: {link}")
NONE = N_("No token was made yet.")
PRIVATE = N_("The store is private: reading needs a token too.")
PUBLIC = N_("The store is public: everybody reads, only writing needs a token.")
HEADINGS = (N_("Name"), N_("Role"), N_("Made on"), N_("Last day"), N_("State"))
WORKS, OVER, GONE = N_("works"), N_("expired"), N_("revoked")
Access = StrEnum("Access", {"PUBLIC": "public", "PRIVATE": "private"})
TOLD = N_("Told of new matches from now on: {url}. What they are signed with is said this once:")


def mask(
    run: ServedRun,
    players: list[str] = cli.argument(ABOUT, PLAYER, complete=shell_completion.maskable),
    format: params.AsFormat = params.Format.TEXT,
) -> None:
    """Show players under their pseudonyms."""
    _show_players(run, matches.mask, players, format)


def unmask(
    run: ServedRun,
    players: list[str] = cli.argument(ABOUT, PLAYER, complete=shell_completion.pseudonyms),
    format: params.AsFormat = params.Format.TEXT,
) -> None:
    """Show players by name."""
    _show_players(run, matches.unmask, players, format)


def _show_players(
    run: ServedRun, operation: Operation, chosen: list[str], format: params.Format
) -> None:
    """As what each player is shown now."""
    shown = run.do(operation, players=chosen)["players"]
    if format is params.Format.JSONL:
        return params.write(shown)
    for one in shown:
        cli.console().print(" → ".join(map(plain, one.values())))


def whois(
    run: ServedRun,
    pseudonym: str = cli.argument(
        N_("As a page or an export shows it."),
        N_("PSEUDONYM"),
        complete=shell_completion.pseudonyms,
    ),
    format: params.AsFormat = params.Format.TEXT,
) -> None:
    """The id behind a pseudonym."""
    found = run.do(matches.whois, pseudonym=pseudonym)
    if format is params.Format.JSONL:
        return params.write([found])
    cli.console().print(plain(found["player"]))


def token_add(
    run: ServedRun,
    name: str = cli.argument(N_("Whom or what the token is for."), N_("NAME")),
    role: Role = cli.option(
        N_(
            "reader: reads. contributor: adds games too, and undoes their own "
            "uploads. admin: everything."
        ),
        default=...,
    ),
    expires: str | None = cli.option(
        N_("The last day on which it works, 2027-06-30; for ever if absent."), N_("DAY")
    ),
) -> None:
    """Make a token; it stands alone on the last line."""
    made = run.do(access.add_token, name=name, role=role, expires=expires)
    said, t = cli.console(stderr=True), run.t
    said.print(t(MADE, name=plain(name), role=t(ROLES[role])))
    said.print(t(LINK) if made["link"] is None else t(THIS_LINK, link=made["link"]))
    sys.stdout.write(made["token"] + "\n")


def token_list(run: ServedRun, format: params.AsFormat = params.Format.TEXT) -> None:
    """Say which tokens there are, a line each."""
    known, t = run.do(access.tokens), run.t
    if format is params.Format.JSONL:
        return params.write(known["tokens"])
    rows = []
    for one in known["tokens"]:
        state = WORKS if one["works"] else GONE if one["revoked"] else OVER
        made = f"{datetime.fromisoformat(one['made_at']).astimezone():%Y-%m-%d}"
        role = t(ROLES[Role(one["role"])])
        rows.append((plain(one["name"]), role, made, one["last_day"] or "–", t(state)))
    said, out, heads = cli.console(stderr=True), cli.console(), [t(one) for one in HEADINGS]
    if rows and out.is_read:
        cli.show(out, heads, rows)
    elif rows:
        # not among the rows, which programs read
        said.print(Text("\t".join(heads), style="bold"))
        sys.stdout.writelines("\t".join(row) + "\n" for row in rows)
    sys.stdout.flush()
    if not rows:
        said.print(t(NONE))
    said.print(t(PRIVATE if known["private"] else PUBLIC))


def token_revoke(
    run: ServedRun,
    name: str = cli.argument(
        N_("As `token list` has it."), N_("NAME"), complete=shell_completion.tokens
    ),
) -> None:
    """Let nobody in by a token any more."""
    run.do(access.revoke_token, name=name)
    run.say(N_("Revoked: {name}. Whoever was signed in by it is not any more."), name=name)


def token_access(
    run: ServedRun,
    state: Access = cli.argument(
        N_("public: everybody may read; private: only with a token."),
        "public|private",
        show_default=False,
    ),
) -> None:
    """Let readers in only with a token, or let everybody read."""
    run.do(access.set_access, private=state is Access.PRIVATE)
    run.say(PRIVATE if state is Access.PRIVATE else PUBLIC)


def webhook_add(
    run: ServedRun,
    url: str = cli.argument(N_("Where a program listens."), "URL"),
    allow_private: bool = cli.flag(N_("Allow an address of this computer, or of its network.")),
) -> None:
    """Have a program told; the secret stands alone on the last line."""
    made = run.do(access.add_webhook, url=url, allow_private=allow_private)
    cli.console(stderr=True).print(run.t(TOLD, url=plain(url)))
    sys.stdout.write(made["secret"] + "\n")


def webhook_list(run: ServedRun, format: params.AsFormat = params.Format.TEXT) -> None:
    """Say who is told, a line each: number and address."""
    known = run.do(access.webhooks)["webhooks"]
    if format is params.Format.JSONL:
        return params.write(known)
    for one in known:
        sys.stdout.write(f"{one['number']}\t{plain(one['url'])}\n")


def webhook_remove(
    run: ServedRun, number: int = cli.argument(N_("As `webhook list` has it."), "NUMBER")
) -> None:
    """Tell a program no more."""
    run.do(access.remove_webhook, number=number)
    run.say(N_("Told no more: {number}"), number=number)
