"""Commands that propose which matches may be one, and take the answers."""

from ingest.cli import common as cli
from ingest.cli import params
from ingest.cli.open_store import StoreOrServerRun
from ingest.cli.terminal_tables import console
from ingest.escaping import escape_line
from ingest.i18n import N_
from ingest.operations import OperationResult
from ingest.operations import match_duplicates as operations
from ingest.store.ingest_summary import LIKELY_TEXTS
from ingest.store.match_comparison import Relation

MATCH_ID = N_("A match’s id or hash.")
MAY_BE_ONE_MATCH = N_("{other} may be {match}: {day}, {players}.")
NO_LIKELY_MATCHES = N_("No two matches look like one.")
UNDO_MATCH_HINT = N_("Undo: retourne match undo {n}")


def match_duplicates(run: StoreOrServerRun, format: params.FormatOption = params.Format.TEXT) -> None:
    """Propose which matches may be one."""
    pairs, out = run.run_operation(operations.match_duplicates)["pairs"], console()
    if format is params.Format.JSONL:
        return params.write_json_lines(pairs)
    if not pairs:
        out.print(run.t(NO_LIKELY_MATCHES))
    for one in pairs:
        ids = one["match_id"][:8], one["other_match_id"][:8]
        values = {"day": one["played_on"], "players": ", ".join(one["players"])}
        out.print(escape_line(run.t(MAY_BE_ONE_MATCH, match=ids[0], other=ids[1], **values)))
        out.print(escape_line(f"  {run.t(LIKELY_TEXTS[Relation(one['relation'])])}"))
        out.print(f"  retourne match same {' '.join(ids)}", style="dim")


def match_same(
    run: StoreOrServerRun,
    match: str = cli.argument(MATCH_ID, N_("MATCH")),
    other: str = cli.argument(N_("The same match in another log, by its id or hash."), N_("OTHER")),
) -> None:
    """Make another match an earlier version of a match."""
    _print_change(run, run.run_operation(operations.match_same, match=match, other=other))


def match_different(
    run: StoreOrServerRun,
    match: str = cli.argument(MATCH_ID, N_("MATCH")),
    other: str = cli.argument(MATCH_ID, N_("OTHER")),
) -> None:
    """Remember that two matches are two."""
    _print_change(run, run.run_operation(operations.match_different, match=match, other=other))


def match_undo(
    run: StoreOrServerRun,
    change: int | None = cli.argument(N_("The answer’s number (default: the last one)."), "N", None),
    list_: bool = cli.flag(N_("List the answers that can be undone."), "--list"),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """Undo an answer about matches."""
    if not list_:
        for match_id in run.run_operation(operations.match_undo, change=change)["matches"]:
            console().print(match_id)
        return
    known = run.run_operation(operations.match_changes)["changes"]
    if format is params.Format.JSONL:
        return params.write_json_lines(known)
    for one in known:
        ids = "\t".join(one["matches"])
        console().print(f"{one['change']}\t{one['changed_at'][:16]}\t{one['answer']}\t{ids}")


def _print_change(run: StoreOrServerRun, done: OperationResult) -> None:
    """Print the match that remains, and how to undo it."""
    console().print(done["match_id"])
    console(stderr=True).print(run.t(UNDO_MATCH_HINT, n=done["change"]))
