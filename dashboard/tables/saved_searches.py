"""Lists, saves, removes and restores searches under a name, without names of masked players."""

from typing import NamedTuple

import duckdb
import polars as pl

from dashboard.games.find_word import BadSearch
from dashboard.queries import find, player_search
from dashboard.queries.find.language import terms
from dashboard.tables import find_result
from dashboard.tables.redacted import SINGLE_WORD_COLUMNS, redactor_for
from ingest.i18n import N_
from ingest.operations import NotFound, OperationContext, OperationResult
from ingest.redact.anonymize_log import LogRedactor
from ingest.store import saved_searches as stored
from ingest.store.saved_searches import NO_SEARCH, SavedSearch
from ingest.store.tokens import Role

NAMES_MASKED = N_("Saved search {number} names a player who is masked now, and finds nothing.")


class ListedSearch(NamedTuple):
    """A saved search as everybody may see it."""

    number: int
    name: str
    search: str | None
    """None: it names a masked player."""
    saved_at: str
    removed_at: str | None = None


def list_searches(cursor: duckdb.DuckDBPyConnection, removed: bool = False) -> list[ListedSearch]:
    """Return the saved searches by number; `removed`: instead those that can be restored."""
    redactor = redactor_for(player_search.masked_player_names(cursor))
    return [_listed(one, redactor) for one in stored.saved_searches(cursor, removed)]


def searches_table(cursor: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return the saved searches as a table."""
    fields = {"number": pl.Int64, "name": pl.String, "search": pl.String, "saved_at": pl.String}
    return pl.DataFrame([one[: len(fields)] for one in list_searches(cursor)], fields, orient="row")


def read_saved_search(cursor: duckdb.DuckDBPyConnection, number: int) -> ListedSearch:
    """Return a saved search to run. NotFound: there is none; BadSearch: it names a masked player."""
    for one in list_searches(cursor):
        if one.number == number:
            if one.search is None:
                raise BadSearch(NAMES_MASKED, number=number)
            return one
    raise NotFound(NO_SEARCH, number=number)


def own_numbers(work: OperationContext) -> set[int]:
    """Return the searches that the caller may remove or restore: their own, for an admin all."""
    cursor = work.store.cursor()
    every = (*stored.saved_searches(cursor), *stored.saved_searches(cursor, removed=True))
    return {one.number for one in every if _is_own(work, one) or work.may(Role.ADMIN)}


def save_search(work: OperationContext, name: str, search: str) -> OperationResult:
    """Save a search under a name: everybody who may read finds it by its number."""
    find_result.check_search(work.store.cursor(), search)
    return {"number": stored.save_search(work.store, name, search.strip(), work.token_no).number}


def remove_search(work: OperationContext, number: int) -> OperationResult:
    """Remove a saved search; contributors their own."""
    _require_right(work, number, removed=False)
    stored.remove_search(work.store, number)
    return {"number": number}


def restore_search(work: OperationContext, number: int) -> OperationResult:
    """Restore a removed search; contributors their own."""
    _require_right(work, number, removed=True)
    stored.restore_search(work.store, number)
    return {"number": number}


def _require_right(work: OperationContext, number: int, removed: bool) -> None:
    for one in stored.saved_searches(work.store.cursor(), removed):
        if one.number == number:
            work.require_owner_or_admin(_is_own(work, one))
            return
    raise NotFound(NO_SEARCH, number=number)


def _is_own(work: OperationContext, one: SavedSearch) -> bool:
    return one.token_no is not None and one.token_no == work.token_no


def _listed(one: SavedSearch, redactor: LogRedactor | None) -> ListedSearch:
    if redactor is None:
        return ListedSearch(one.number, one.name, one.text, one.saved_at, one.removed_at)
    text = None if _names_masked(one.text, redactor) else one.text
    return ListedSearch(one.number, redactor(one.name), text, one.saved_at, one.removed_at)


def _names_masked(text: str, redactor: LogRedactor) -> bool:
    """Return whether a search names a masked player, or an event or a source with such a name."""
    try:
        search = find.read_search(text)
    except BadSearch:  # saved by another version
        return redactor(text) != text
    named = (*find.PLAYER_WORDS, *find.TEXT_WORDS)
    return any(
        redactor(value, SINGLE_WORD_COLUMNS.get(name, False)) != value
        for term in terms(search.node)
        if (name := find.words()[term.word].names[0]) in named
        for value in term.values
    )
