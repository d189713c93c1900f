"""Looks up a sheet's mapping in the store by its fingerprint, and stores it when the user confirms it."""

from collections.abc import Mapping
from contextlib import suppress

import duckdb
from pydantic import ValidationError

from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import RememberedMapping, SheetMapping, WorkbookMapping
from ingest.store.factory import Store
from ingest.store.sheet_mappings import remember_mappings, stored_mappings


def remembered_mappings(cursor: duckdb.DuckDBPyConnection) -> dict[str, RememberedMapping]:
    """Return fingerprint → what a store remembers of such sheets."""
    found = {}
    for one in stored_mappings(cursor):
        with suppress(ValidationError):  # of another version
            mapping = SheetMapping.model_validate_json(one.mapping)
            found[one.fingerprint] = RememberedMapping(one.confirmed_at.date(), mapping)
    return found


def confirmed_mappings(
    name: str, found: ImportResult, chosen: WorkbookMapping
) -> dict[str, tuple[str, SheetMapping]]:
    """Return fingerprint → sheet and mapping of the sheets of a file about which something was chosen.

    `name` is the file's, for a sheet without one.
    """
    sheets = (one for one in found.mapping.sheets if one.fingerprint and _is_chosen(one, chosen))
    return {one.fingerprint: (one.sheet or name, one.lasting) for one in sheets}


def remember_confirmed(store: Store, confirmed: Mapping[str, tuple[str, SheetMapping]]) -> None:
    """Remember confirmed mappings. StoreError: the store cannot be written."""
    remember_mappings(store, {key: (sheet, one.model_dump_json()) for key, (sheet, one) in confirmed.items()})


def _is_chosen(taken: SheetMapping, chosen: WorkbookMapping) -> bool:
    """Return whether a choice about a sheet lasts: about its columns, its game or its lines."""
    one = chosen.of_sheet(taken.sheet, taken.fingerprint)
    return one is not None and one.lasting.model_copy(update={"fingerprint": ""}) != SheetMapping()
