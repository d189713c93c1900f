"""Reads a mapping that a user wrote or had written; docs/score-sheets.md."""

import tomllib
from typing import Any

import orjson
from pydantic import ValidationError

from engine.games import game_names
from ingest.i18n import N_
from ingest.importers import tokenizer
from ingest.importers.headings import SheetHeadings
from ingest.importers.mapping import ColumnMapping, SheetMapping, WorkbookMapping

NO_SYNTAX = N_("{file} is not a mapping: {problem}")
UNKNOWN_KEY = N_("{file}: a mapping has no key “{key}”. There are: {known}.")
WRONG_VALUE = N_("{file}: {key} cannot be {value}.")
UNKNOWN_GAME = N_("{file}: {key} is “{value}”, which is not a game. Use one of: {known}.")
UNKNOWN_ROLE = N_("{file}: {key} is “{value}”, which is not a column. Use one of: {known}.")


class MappingError(Exception):
    """Raised for a mapping that cannot be read; `text` is a catalogue text, `values` its values."""

    def __init__(self, text: str, **values: Any) -> None:
        super().__init__(text)
        self.text, self.values = text, values


def parse_mapping(data: bytes, file: str) -> WorkbookMapping:
    """Read a mapping from JSON or, in a file that ends in .toml, TOML. MappingError: it is none."""
    try:
        found = tomllib.loads(data.decode()) if file.lower().endswith(".toml") else orjson.loads(data)
    except ValueError as error:  # the libraries' errors name line and column
        raise MappingError(NO_SYNTAX, file=file, problem=str(error)) from error
    try:
        mapping = WorkbookMapping.model_validate(found)
    except ValidationError as error:
        raise _first_problem(error, file) from error
    return WorkbookMapping(
        sheets=tuple(_with_known_words(one, number, file) for number, one in enumerate(mapping.sheets, 1))
    )


def _first_problem(error: ValidationError, file: str) -> MappingError:
    problem = error.errors()[0]
    place = [one + 1 if isinstance(one, int) else one for one in problem["loc"]]
    key = ".".join(map(str, place)) or "sheets"
    if problem["type"] == "extra_forbidden":
        known = {1: WorkbookMapping.model_fields, 3: SheetMapping.model_fields}
        fields = known.get(len(place), ColumnMapping.model_fields)
        return MappingError(UNKNOWN_KEY, file=file, key=key, known=", ".join(fields))
    value = orjson.dumps(problem["input"], default=str).decode()
    return MappingError(WRONG_VALUE, file=file, key=key, value=value[:80])


def _with_known_words(sheet: SheetMapping, number: int, file: str) -> SheetMapping:
    """Return a mapping with a known game and the keys of columns. MappingError: one is unknown."""
    game = None if sheet.game is None else tokenizer.find_game(sheet.game)
    if sheet.game is not None and game is None:
        known = ", ".join(game_names())
        raise MappingError(
            UNKNOWN_GAME, file=file, key=f"sheets.{number}.game", value=sheet.game, known=known
        )
    headings = [SheetHeadings(one) for one in ([game] if game else game_names())]
    columns = []
    for place, one in enumerate(sheet.columns, 1):
        fields = [field for known in headings if one.role and (field := known.find(one.role))]
        if one.role and not fields:
            key = f"sheets.{number}.columns.{place}.role"
            every = ", ".join(dict.fromkeys(field.key for known in headings for field in known.fields))
            raise MappingError(UNKNOWN_ROLE, file=file, key=key, value=one.role, known=every)
        columns.append(one.model_copy(update={"role": fields[0].key if fields else one.role}))
    return sheet.model_copy(update={"game": game, "columns": tuple(columns)})
