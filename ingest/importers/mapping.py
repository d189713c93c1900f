"""How each sheet and column of a workbook is read: as Retourne finds it or the user has it, and options."""

from collections.abc import Collection, Mapping
from datetime import date, tzinfo
from typing import Literal, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict

LEFT_OUT = ""
"""The role of a column that is skipped."""
Certainty = Literal["certain", "likely", "unclear"]

Repeats = Literal["same", "different"]
Lines = Literal["deals", "totals", "matches"]
"""The kind of a line; `totals`: a deal, with running totals."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ColumnMapping(_Part):
    """How one column is read."""

    heading: str = ""  # the column's letter if it has no heading
    column: str = ""  # its letter; needed where two columns have one heading
    role: str | None = None
    """The key of a column, such as `points 1`; LEFT_OUT; None: open, with a question."""
    certainty: Certainty = "certain"


class SheetMapping(_Part):
    """How one sheet is read, with the answers to its questions."""

    sheet: str = ""  # its name; empty: any sheet
    fingerprint: str = ""  # of its name and headings
    skip: bool | None = None  # None: Retourne decides
    game: str | None = None
    rules: str | None = None  # a preset, where the lines name none
    lines: Lines | None = None
    repeats: Repeats | None = None
    """Whether two lines with the same match in turned order, or on two sheets, are one match."""
    year: int | None = None  # of dates without one
    season: bool = False  # whether the dates before August are of the year after it
    players: tuple[str, ...] = ()
    """Players or pairs in seat order, where the lines do not name them."""
    names: dict[str, str] = {}
    """Short name in a cell → the name in full."""
    cells: dict[str, str] = {}
    """Address → what the cell is read as, such as a bid card that became a date."""
    columns: tuple[ColumnMapping, ...] = ()

    def over(self, before: "SheetMapping") -> "SheetMapping":
        """Return this mapping, its open answers filled in from an earlier one of the same sheet."""
        headings = {one.heading for one in self.columns}
        is_other_game = self.game not in (None, before.game)
        others = () if is_other_game else tuple(one for one in before.columns if one.heading not in headings)
        update = {
            "skip": before.skip if self.skip is None else self.skip,
            "game": self.game or before.game,
            "rules": self.rules or (None if is_other_game else before.rules),
            "lines": self.lines or before.lines,
            "columns": (*others, *self.columns),
        }
        return self.model_copy(update=update)

    @property
    def lasting(self) -> "SheetMapping":
        """The part that also fits the next sheet of this fingerprint: no players, no year, no cells."""
        columns = tuple(
            one.model_copy(update={"certainty": "certain"}) for one in self.columns if one.role is not None
        )
        own = SheetMapping(fingerprint=self.fingerprint, skip=self.skip, game=self.game, rules=self.rules)
        return own.model_copy(update={"lines": self.lines, "columns": columns})


class RememberedMapping(NamedTuple):
    """A mapping the store remembers for sheets of one fingerprint."""

    confirmed_on: date
    mapping: SheetMapping


class WorkbookMapping(_Part):
    """How each sheet of a file is read."""

    sheets: tuple[SheetMapping, ...] = ()

    def of_sheet(self, name: str, fingerprint: str) -> SheetMapping | None:
        """Return the mapping of a sheet: by its name, else by its fingerprint, else that of any sheet."""
        return next(
            (
                one
                for fits in (
                    lambda one: one.sheet and one.sheet == name,
                    lambda one: one.fingerprint and one.fingerprint == fingerprint,
                    lambda one: not one.sheet and not one.fingerprint,
                )
                for one in self.sheets
                if fits(one)
            ),
            None,
        )

    @property
    def text(self) -> str:
        """The mapping as JSON for people, without what is as usual."""
        found = self.model_dump(exclude_defaults=True)
        return orjson.dumps(found, option=orjson.OPT_INDENT_2).decode() + "\n"


class ImportOptions(NamedTuple):
    """Options of the user for an import."""

    game: str | None = None
    columns: Mapping[str, str] = {}
    """Heading → key or heading of its column; empty: ignore the column."""
    zone: tzinfo | None = None  # of dates; None: the machine's
    mapping: WorkbookMapping = WorkbookMapping()
    """The user's choices of how each sheet is read."""
    remembered: Mapping[str, RememberedMapping] = {}
    """Look → what a store remembers of such sheets, where the user has chosen nothing else."""
    only_sheets: Collection[str] = ()  # names; empty: all
    skipped_sheets: Collection[str] = ()
    finds_rules: bool = True  # by what the lines can be, where they name none
