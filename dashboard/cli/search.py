"""`retourne search`: saves searches inside the games, lists, removes and restores them."""

import sys
from typing import Any

from dashboard.tables import saved_searches
from ingest.cli import common as cli
from ingest.cli import params
from ingest.cli.open_store import LocalStore, StoreOrServerRun
from ingest.escaping import escape_line
from ingest.i18n import N_

SEARCH_NUMBER = N_("As `search list` has it.")


def search_add(
    run: StoreOrServerRun,
    name: str = cli.argument(N_("A name for the search."), N_("NAME")),
    search: str = cli.argument(N_("The search, as `retourne find` takes it."), N_("SEARCH")),
) -> None:
    """Save a search; standard output gets its number and nothing else."""
    made = run.run_operation(saved_searches.save_search, name=name, search=search)
    sys.stdout.write(f"{made['number']}\n")


def search_list(run: StoreOrServerRun, format: params.FormatOption = params.Format.TEXT) -> None:
    """List the saved searches, one per line: number, name and search."""
    rows = read_searches(run)
    if format is params.Format.JSONL:
        return params.write_json_lines(rows)
    for one in rows:
        shown = map(escape_line, (one["name"], one["search"] or "–"))
        sys.stdout.write("\t".join((str(one["number"]), *shown)) + "\n")


def read_searches(run: StoreOrServerRun) -> list[dict[str, Any]]:
    """Return the saved searches of the store, here or on a server."""
    with run.open(read_only=True) as there:
        if isinstance(there, LocalStore):
            cursor = there.operation_context(lambda update: None).store.cursor()
            return saved_searches.searches_table(cursor).to_dicts()
        return list(there.get_json("/searches")["rows"])


def search_remove(run: StoreOrServerRun, number: int = cli.argument(SEARCH_NUMBER, "NUMBER")) -> None:
    """Remove a saved search."""
    run.run_operation(saved_searches.remove_search, number=number)
    run.print(N_("Search removed: {number}. To restore it: retourne search restore {number}"), number=number)


def search_restore(run: StoreOrServerRun, number: int = cli.argument(SEARCH_NUMBER, "NUMBER")) -> None:
    """Restore a removed search."""
    run.run_operation(saved_searches.restore_search, number=number)
    run.print(N_("Search restored: {number}"), number=number)
