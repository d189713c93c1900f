"""Saves searches inside the games under a name, removes them and restores them."""

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from unicodedata import category

import duckdb

from ingest.i18n import N_
from ingest.redact.free_text import text_redactor
from ingest.store import audit
from ingest.store.errors import StoreError
from ingest.store.factory import Store

SETTING_PREFIX = "search "
"""Prefix of the setting's name; the search's number follows."""
MAX_SEARCHES = 500
"""Saved searches of a store, removed ones that can be restored among them."""
MAX_NAME = 100
NAME_NOT_ONE_LINE = N_("The name of a search is one line of at most {most} characters.")
NO_SEARCH = N_("No saved search {number}. See: retourne search list")
TOO_MANY_SEARCHES = N_("The store has {most} saved searches, and no more: remove some first.")


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A search that has a name. Both may name a player who is masked since."""

    number: int
    """From 1; its addresses have it, and no name."""
    name: str
    text: str
    saved_at: str
    """ISO 8601, in UTC."""
    token_no: int | None = None
    """The token with which it was saved, if any."""
    removed_at: str | None = None


def saved_searches(cursor: duckdb.DuckDBPyConnection, removed: bool = False) -> list[SavedSearch]:
    """Return the saved searches by number; `removed`: instead those that can be restored."""
    return [one for one in _every_search(cursor) if (one.removed_at is not None) is removed]


def save_search(store: Store, name: str, text: str, token_no: int | None = None) -> SavedSearch:
    """Save a search under a name. StoreError: the name is not one line, or there are too many."""
    name = name.strip()
    if not 0 < len(name) <= MAX_NAME or any(category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in name):
        raise StoreError(NAME_NOT_ONE_LINE, most=MAX_NAME)
    with store.transaction():
        cursor = store.connection
        known = _every_search(cursor)
        number = max((one.number for one in known), default=0) + 1
        if len(known) >= MAX_SEARCHES:
            removed = [one for one in known if one.removed_at is not None and one.number < number - 1]
            if not removed:
                raise StoreError(TOO_MANY_SEARCHES, most=MAX_SEARCHES)
            _delete(cursor, min(removed, key=lambda one: str(one.removed_at)).number)
        made = SavedSearch(number, name, text, _now(), token_no)
        _write(cursor, made)
        audit.log_action(cursor, "search", number)
    return made


def remove_search(store: Store, number: int) -> None:
    """Remove a saved search, which can be restored. KeyError: there is none with that number."""
    _set_removed(store, number, True)


def restore_search(store: Store, number: int) -> None:
    """Restore a removed search. KeyError: there is none with that number."""
    _set_removed(store, number, False)


def delete_with_names(cursor: duckdb.DuckDBPyConnection, names: Collection[str]) -> None:
    """Delete the searches that have one of some names; call within `transaction`."""
    for setting in settings_with_names(cursor, names):
        cursor.execute("DELETE FROM settings WHERE name = ?", [setting])


def settings_with_names(cursor: duckdb.DuckDBPyConnection, names: Collection[str]) -> list[str]:
    """Return the settings of the searches that have one of some names, or a part of one."""
    redactor = text_redactor(names, parts=True)
    return [
        f"{SETTING_PREFIX}{one.number}"
        for one in _every_search(cursor)
        if redactor.has_name(one.name) or redactor.has_name(one.text)
    ]


def _set_removed(store: Store, number: int, is_removed: bool) -> None:
    with store.transaction():
        cursor = store.connection
        for one in saved_searches(cursor, removed=not is_removed):
            if one.number == number:
                _write(cursor, replace(one, removed_at=_now() if is_removed else None))
                audit.log_action(cursor, "remove-search" if is_removed else "restore-search", number)
                return
        raise KeyError(number)


def _every_search(cursor: duckdb.DuckDBPyConnection) -> list[SavedSearch]:
    rows = cursor.execute(
        "SELECT value FROM settings WHERE starts_with(name, ?)", [SETTING_PREFIX]
    ).fetchall()
    return sorted((SavedSearch(**json.loads(value)) for (value,) in rows), key=lambda one: one.number)


def _write(cursor: duckdb.DuckDBPyConnection, search: SavedSearch) -> None:
    """Store a search in place of its previous state."""
    _delete(cursor, search.number)
    values = [f"{SETTING_PREFIX}{search.number}", json.dumps(asdict(search))]
    cursor.execute("INSERT INTO settings VALUES (?, ?)", values)


def _delete(cursor: duckdb.DuckDBPyConnection, number: int) -> None:
    cursor.execute("DELETE FROM settings WHERE name = ?", [f"{SETTING_PREFIX}{number}"])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
