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
UNKNOWN_FINGERPRINT = N_("The store has no mapping for sheets of type {fingerprint}.")


def sheet_mappings(work: OperationContext) -> OperationResult:
    """List what sheets are taken for, by their fingerprint, latest first."""
    return {
        "sheets": [
            {
                "fingerprint": one.fingerprint,
                "sheet": one.sheet,
                "confirmed_at": one.confirmed_at.isoformat(),
                "mapping": orjson.loads(one.mapping),
            }
            for one in mappings.stored_mappings(work.store.cursor())
        ]
    }


def remember_sheet(
    work: OperationContext, fingerprint: str, sheet: str, mapping: dict[str, Any]
) -> OperationResult:
    """Remember what sheets of a fingerprint are taken for; the next such sheet is read the same way."""
    try:
        found = SheetMapping.model_validate(mapping)
    except ValidationError as error:
        raise OperationRefused(NO_MAPPING, problem=str(error.errors()[0]["msg"])) from None
    remember_confirmed(work.store, {fingerprint: (sheet, found.lasting)})
    return {"fingerprint": fingerprint}


def forget_sheet(work: OperationContext, fingerprint: str) -> OperationResult:
    """Forget what sheets of a fingerprint are taken for."""
    try:
        mappings.forget_mapping(work.store, fingerprint)
    except KeyError:
        raise NotFound(UNKNOWN_FINGERPRINT, fingerprint=fingerprint) from None
    return {"fingerprint": fingerprint}
