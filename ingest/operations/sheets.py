"""Operations on the mappings of sheets that a store remembers: list, remember, forget."""

from typing import Any

import orjson
from pydantic import ValidationError

from ingest.i18n import N_
from ingest.importers.mapping import SheetMapping
from ingest.importers.stored_mappings import remember_confirmed
from ingest.operations import NotFound, OperationContext, OperationRefused, OperationResult
from ingest.store import sheet_mappings as mappings

NO_MAPPING = N_("This is not a mapping of a sheet: {problem}")
UNKNOWN_LOOK = N_("The store has no mapping for sheets of type {look}.")


def sheet_mappings(work: OperationContext) -> OperationResult:
    """List what sheets are taken for, by their look, latest first."""
    return {
        "sheets": [
            {
                "look": one.look,
                "sheet": one.sheet,
                "confirmed_at": one.confirmed_at.isoformat(),
                "mapping": orjson.loads(one.mapping),
            }
            for one in mappings.stored_mappings(work.store.cursor())
        ]
    }


def remember_sheet(work: OperationContext, look: str, sheet: str, mapping: dict[str, Any]) -> OperationResult:
    """Remember what sheets of a look are taken for; the next such sheet is read the same way."""
    try:
        found = SheetMapping.model_validate(mapping)
    except ValidationError as error:
        raise OperationRefused(NO_MAPPING, problem=str(error.errors()[0]["msg"])) from None
    remember_confirmed(work.store, {look: (sheet, found.lasting)})
    return {"look": look}


def forget_sheet(work: OperationContext, look: str) -> OperationResult:
    """Forget what sheets of a look are taken for."""
    try:
        mappings.forget_mapping(work.store, look)
    except KeyError:
        raise NotFound(UNKNOWN_LOOK, look=look) from None
    return {"look": look}
