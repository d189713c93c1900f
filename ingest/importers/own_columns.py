"""Columns that a user chose for a sheet, and the fingerprint that recognises such a sheet again."""

import hashlib
import re
from collections.abc import Callable, Iterable, Set

import orjson

from ingest.importers import written_dates
from ingest.importers.cells import column_name
from ingest.importers.headings import SheetField, normalized
from ingest.importers.mapping import ColumnMapping

_DATE_PARTS = re.compile(r"\d+")


def fingerprint_of(sheet_name: str, headings: Iterable[str]) -> str:
    """Return the fingerprint of a sheet's name and headings; dates and numbers of the name do not count."""
    name = normalized(_DATE_PARTS.sub(" ", sheet_name))
    words = [one for one in name.split() if not written_dates.is_date_word(one)]
    return hashlib.sha256(orjson.dumps([" ".join(words), *map(normalized, headings)])).hexdigest()[:32]


class OwnColumns:
    """The columns of a sheet as a user has them."""

    def __init__(
        self, columns: Iterable[ColumnMapping], find: Callable[[str], SheetField | None], texts: Set[str]
    ) -> None:
        """`find`: the column of a heading or key; `texts`: normalized texts of the sheet's cells."""
        self._by_heading: dict[str, dict[str, SheetField | None]] = {}
        self._by_letter: dict[str, SheetField | None] = {}
        for one in columns:
            if one.role is None:
                continue
            field, heading = find(one.role) if one.role else None, normalized(one.heading)
            if heading:
                self._by_heading.setdefault(heading, {})[one.column] = field
            if letter := one.column if not heading else "" if heading in texts else heading.upper():
                self._by_letter[letter] = field

    def holds(self, heading: str, column: int | None) -> bool:
        """Return whether the user has given a column a role, or has left it out."""
        letter = "" if column is None else column_name(column)
        return normalized(heading) in self._by_heading or letter in self._by_letter

    def field(self, heading: str, column: int | None) -> SheetField | None:
        """Return the column that the user has; None: it is skipped, or the user has none."""
        letter = "" if column is None else column_name(column)
        by_letter = self._by_heading.get(normalized(heading), {})
        for key in (letter, ""):
            if key in by_letter:
                return by_letter[key]
        return next(iter(by_letter.values()), None) if by_letter else self._by_letter.get(letter)
