"""Path and query parameters shared by several routes."""

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from fastapi import Request
from pydantic import BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from dashboard.api.content_negotiation import Texts
from dashboard.api.problems import Problem
from dashboard.queries import player_search
from dashboard.store import cached_query, open_store
from dashboard.tables.stats_query import player_number
from engine.games import game_names
from engine.options import game_presets
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import N_
from ingest.store import trash
from ingest.store.tombstones import is_purged

LANGUAGE_PARAMETER = "lang"
"""Parameter of every operation: the language of its answer."""
UNKNOWN_WORD = "other-word"
"""Pydantic error type of a word that is not in a list."""
_DIGITS = re.compile(r"-?[0-9]{1,19}", re.ASCII)
AMBIGUOUS_PLAYER = N_("Several players have this name. Use an id: {players}")
PLAYER_PURGED = N_("This player was deleted permanently.")
MATCH_REMOVED = N_("This match is no longer here: it was deleted permanently, or rewritten without a name.")
DELETED = N_("This match was deleted.")
NO_DEAL = N_("This match has no such deal: its deals are 1 to {count}.")
NO_BOARD = N_("The board cannot show any deal of this log.")
UNKNOWN_PARAMETER = N_("No such parameter here: {unknown}. There is {known}.")
NO_PARAMETERS = N_("Unknown parameter: {unknown}. This address only has lang.")


class OneOf:
    """Annotation for a text that is one of some words; an empty text means any."""

    def __init__(self, words: Callable[[], Iterable[str]]) -> None:
        self._words = words

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check_word, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "enum": list(self._words())}

    def _check_word(self, word: str) -> str:
        known = list(self._words())
        if word and word not in known:
            raise PydanticCustomError(UNKNOWN_WORD, "one of: {known}", {"known": ", ".join(known)})
        return word


Game = Annotated[str, OneOf(game_names)]
Preset = Annotated[
    str, OneOf(lambda: dict.fromkeys(preset for name in game_names() for preset in game_presets(name)))
]
Kind = Annotated[str, OneOf(announcement_kinds)]


def _only_digits(value: Any) -> Any:
    """Reject numbers that are not plain digits: pydantic also accepts `1.0` or ` 1`."""
    if isinstance(value, str) and not _DIGITS.fullmatch(value):
        raise PydanticCustomError("int_parsing", "a whole number")
    return value


WHOLE_NUMBER = BeforeValidator(_only_digits)
"""Annotation for whole numbers, to put after their bounds."""


async def reject_unknown_parameters(request: Request, t: Texts) -> None:
    """Check that the operation has all parameters of the request. Problem: one is unknown."""
    known, of = [LANGUAGE_PARAMETER], [request.scope["route"].dependant]
    for one in of:  # including those of its dependencies, which FastAPI nests
        known += [parameter.alias for parameter in one.query_params]
        of += one.dependencies
    if unknown := [name for name in dict.fromkeys(request.query_params) if name not in known]:
        others = ", ".join(dict.fromkeys(name for name in known if name != LANGUAGE_PARAMETER))
        fields = {"unknown": ", ".join(unknown)[:200], "known": others}
        raise Problem(422, UNKNOWN_PARAMETER if others else NO_PARAMETERS, **fields).with_members(
            known=sorted({*known})
        )


def number_of(name: str) -> int:
    """Return the number of a player. Problem: none has this name or id, or several do."""
    found = cached_query(player_search.find_exact, name)
    if not found:
        if is_purged(open_store(), name):
            raise Problem(410, PLAYER_PURGED)
        return player_number(open_store().cursor(), name)
    if len(found) > 1:
        raise Problem(422, AMBIGUOUS_PLAYER, players=", ".join(label for _, label in found))
    return found[0][0]


def absent(match: str) -> Problem:
    """Return the problem of an id that is not in the store: purged, deleted, or never added."""
    if is_purged(open_store(), match):
        return Problem(410, MATCH_REMOVED)
    if trash.find_deleted(open_store().cursor(), match) is not None:
        return Problem(410, DELETED)
    return Problem(404, N_("No such match in the store. GET /api/v1/matches lists the ids."))
