"""Commands for tokens, sessions, webhooks and masked names."""

import sys
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from rich.text import Text

from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.open_store import StoreOrServerRun
from ingest.cli.terminal_tables import console, print_table
from ingest.escaping import escape_line
from ingest.i18n import N_
from ingest.operations import Operation, access, matches
from ingest.store.tokens import ROLES, Role, last_day_before

PLAYER_METAVAR, PLAYER_HELP = N_("PLAYER…"), N_("A player’s id, or pseudonym.")
TOKEN_CREATED = N_("A token for {name}, {role}. Copy it now; it will not be shown again.")
SIGN_IN_HINT = N_("People sign in by a link: the dashboard’s address, then /in# and the token.")
SIGN_IN_LINK = N_("People sign in by this link, which is as secret as the token: {link}")
PRIVATE = N_("The store is private: reading needs a token too.")
PUBLIC = N_("The store is public: everybody reads, only writing needs a token.")
TOKEN_HEADINGS = (N_("Name"), N_("Role"), N_("Made on"), N_("Last day"), N_("State"))
SESSION_HEADINGS = (N_("Session"), N_("Token"), N_("Role"), N_("Signed in at"), N_("Last used at"))
TOKEN_VALID, TOKEN_EXPIRED, TOKEN_REVOKED = N_("works"), N_("expired"), N_("revoked")
Access = StrEnum("Access", {"PUBLIC": "public", "PRIVATE": "private"})
WEBHOOK_ADDED = N_("Webhook added: {url}. Copy the signing secret now; it will not be shown again:")


def mask(
    run: StoreOrServerRun,
    players: list[str] = cli.argument(
        PLAYER_HELP, PLAYER_METAVAR, complete=shell_completion.complete_unmasked_players
    ),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """Show players under their pseudonyms."""
    _run_on_players(run, matches.mask, players, format)


def unmask(
    run: StoreOrServerRun,
    players: list[str] = cli.argument(
        PLAYER_HELP, PLAYER_METAVAR, complete=shell_completion.complete_pseudonyms
    ),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """Show players by name."""
    _run_on_players(run, matches.unmask, players, format)


def _run_on_players(
    run: StoreOrServerRun, operation: Operation, player_ids: list[str], format: params.Format
) -> None:
    """Run an operation on players, and print what each is shown as now."""
    shown = run.run_operation(operation, players=player_ids)["players"]
    if format is params.Format.JSONL:
        return params.write_json_lines(shown)
    for one in shown:
        console().print(" → ".join(map(escape_line, one.values())))


def whois(
    run: StoreOrServerRun,
    pseudonym: str = cli.argument(
        N_("As a page or an export shows it."), N_("PSEUDONYM"), complete=shell_completion.complete_pseudonyms
    ),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """Print the id behind a pseudonym."""
    found = run.run_operation(matches.whois, pseudonym=pseudonym)
    if format is params.Format.JSONL:
        return params.write_json_lines([found])
    console().print(escape_line(found["player_id"]))


def token_add(
    run: StoreOrServerRun,
    name: str = cli.argument(N_("The person or program the token is for."), N_("NAME")),
    role: Role = cli.option(
        N_("reader: reads. contributor: adds matches too, and undoes their own uploads. admin: everything."),
        default=...,
    ),
    expires: str | None = cli.option(
        N_("The last day on which it works, such as 2027-06-30 (default: no limit)."), N_("DAY")
    ),
) -> None:
    """Create a token; standard output gets the token and nothing else."""
    made = run.run_operation(access.add_token, name=name, role=role, expires=expires)
    result, t = console(stderr=True), run.t
    result.print(t(TOKEN_CREATED, name=escape_line(name), role=t(ROLES[role])))
    result.print(t(SIGN_IN_HINT) if made["link"] is None else t(SIGN_IN_LINK, link=made["link"]))
    sys.stdout.write(made["token"] + "\n")


def token_list(run: StoreOrServerRun, format: params.FormatOption = params.Format.TEXT) -> None:
    """List the tokens, one per line."""
    known, t = run.run_operation(access.tokens), run.t
    if format is params.Format.JSONL:
        return params.write_json_lines(known["tokens"])
    rows = []
    for one in known["tokens"]:
        state = TOKEN_VALID if one["is_valid"] else TOKEN_REVOKED if one["revoked"] else TOKEN_EXPIRED
        made = f"{datetime.fromisoformat(one['made_at']).astimezone():%Y-%m-%d}"
        expires = one["expires_at"] and last_day_before(datetime.fromisoformat(one["expires_at"]))
        role = t(ROLES[Role(one["role"])])
        rows.append((escape_line(one["name"]), role, made, str(expires or "–"), t(state)))
    _print_rows(run, TOKEN_HEADINGS, rows)
    result = console(stderr=True)
    if not rows:
        result.print(t("No token was made yet."))
    result.print(t(PRIVATE if known["private"] else PUBLIC))


def _print_rows(run: StoreOrServerRun, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table for people; for programs, standard output has rows only."""
    out, heads = console(), [run.t(one) for one in headings]
    if rows and out.is_read:
        print_table(out, heads, rows)
    elif rows:
        console(stderr=True).print(Text("\t".join(heads), style="bold"))
        sys.stdout.writelines("\t".join(row) + "\n" for row in rows)
    sys.stdout.flush()


def token_revoke(
    run: StoreOrServerRun,
    name: str = cli.argument(
        N_("As `token list` has it."), N_("NAME"), complete=shell_completion.complete_tokens
    ),
) -> None:
    """Revoke a token."""
    run.run_operation(access.revoke_token, name=name)
    run.print(N_("Revoked: {name}. Its sessions have ended."), name=name)


def session_list(run: StoreOrServerRun, format: params.FormatOption = params.Format.TEXT) -> None:
    """List the browsers that are signed in, one per line."""
    known, t = run.run_operation(access.sessions)["sessions"], run.t
    if format is params.Format.JSONL:
        return params.write_json_lines(known)
    rows = [
        (
            one["id"],
            escape_line(one["token"]),
            t(ROLES[Role(one["role"])]),
            *map(_minute, (one["opened_at"], one["used_at"])),
        )
        for one in known
    ]
    _print_rows(run, SESSION_HEADINGS, rows)
    if not rows:
        console(stderr=True).print(t("No browser is signed in."))


def session_end(
    run: StoreOrServerRun,
    id: str = cli.argument(
        N_("As `session list` has it."), "ID", complete=shell_completion.complete_sessions
    ),
) -> None:
    """Sign out a browser."""
    done = run.run_operation(access.end_session, id=id)
    run.print(N_("Signed out: a browser of {name}."), name=done["token"])


def _minute(moment: str) -> str:
    return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}"


def token_access(
    run: StoreOrServerRun,
    state: Access = cli.argument(
        N_("public: everybody may read; private: only with a token."), "public|private", show_default=False
    ),
) -> None:
    """Require a token for reading, or make the store public."""
    run.run_operation(access.set_access, private=state is Access.PRIVATE)
    run.print(PRIVATE if state is Access.PRIVATE else PUBLIC)


def webhook_add(
    run: StoreOrServerRun,
    url: str = cli.argument(N_("The address of the program."), "URL"),
    allow_private: bool = cli.flag(N_("Allow an address of this computer, or of its network.")),
    search: int | None = cli.option(N_("Only new deals that this saved search finds."), "N"),
) -> None:
    """Add a webhook; standard output gets its secret and nothing else."""
    made = run.run_operation(access.add_webhook, url=url, allow_private=allow_private, search=search)
    console(stderr=True).print(run.t(WEBHOOK_ADDED, url=escape_line(url)))
    sys.stdout.write(made["secret"] + "\n")


def webhook_list(run: StoreOrServerRun, format: params.FormatOption = params.Format.TEXT) -> None:
    """List the webhooks, one per line: number, URL, and the saved search of one."""
    known = run.run_operation(access.webhooks)["webhooks"]
    if format is params.Format.JSONL:
        return params.write_json_lines(known)
    for one in known:
        search = "" if one["search"] is None else f"\t{one['search']}"
        sys.stdout.write(f"{one['number']}\t{escape_line(one['url'])}{search}\n")


def webhook_remove(
    run: StoreOrServerRun, number: int = cli.argument(N_("As `webhook list` has it."), "NUMBER")
) -> None:
    """Remove a webhook."""
    run.run_operation(access.remove_webhook, number=number)
    run.print(N_("Webhook removed: {number}"), number=number)
