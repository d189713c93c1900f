"""What stands in an address: words the server knows today, whole numbers as they are written."""

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from fastapi import Request
from pydantic import BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from dashboard.api.language import Texts
from dashboard.api.problems import Problem
from engine.games import names
from engine.options import presets
from ingest.finding.words import KINDS
from ingest.i18n import N_

LANG = "lang"
"""What every operation has: the language of its answer."""
OTHER = "other-word"
"""The kind of error of a word that is none of those known."""
_DIGITS = re.compile(r"-?[0-9]{1,19}", re.ASCII)
UNKNOWN = N_("No such parameter here: {unknown}. There is {known}.")
NONE = N_("No such parameter here: {unknown}. There is none but lang.")


class Word:
    """An annotation of a text: one of some words, or nothing, which is any."""

    def __init__(self, words: Callable[[], Iterable[str]]) -> None:
        self._words = words

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "enum": list(self._words())}

    def _checked(self, word: str) -> str:
        known = list(self._words())
        if word and word not in known:
            raise PydanticCustomError(OTHER, "one of: {known}", {"known": ", ".join(known)})
        return word


def _presets() -> list[str]:
    """Every preset of every game, once."""
    return list(dict.fromkeys(preset for name in names() for preset in presets(name)))


Game = Annotated[str, Word(names)]
Rules = Annotated[str, Word(_presets)]
Kind = Annotated[str, Word(lambda: KINDS)]


def _written(value: Any) -> Any:
    """A number as it is written: what pydantic takes for one besides, `1.0` or ` 1`, is none."""
    if isinstance(value, str) and not _DIGITS.fullmatch(value):
        raise PydanticCustomError("int_parsing", "a whole number")
    return value


WHOLE = BeforeValidator(_written)
"""An annotation of a number, after its bounds."""


async def declared(request: Request, t: Texts) -> None:
    """Problem: an address has a parameter that its operation has not, which would be no filter."""
    known = [LANG, *(one.alias for one in _parameters(request.scope["route"].dependant))]
    if unknown := [name for name in dict.fromkeys(request.query_params) if name not in known]:
        others = ", ".join(dict.fromkeys(name for name in known if name != LANG))
        told = {"unknown": ", ".join(unknown)[:200], "known": others}
        raise Problem(422, UNKNOWN if others else NONE, **told).telling(known=sorted({*known}))


def _parameters(dependant: Any) -> list[Any]:
    """Those of an operation and of all it depends on, which FastAPI has as a tree."""
    found = list(dependant.query_params)
    for one in dependant.dependencies:
        found += _parameters(one)
    return found
