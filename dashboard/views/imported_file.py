"""One file being imported: the choices a contributor made about it, and how it is read with them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from itertools import count
from typing import Any

from orjson import dumps

from dashboard.widgets.current_store import open_store
from engine.games import game_names
from ingest.api import check
from ingest.importers.headings import SheetHeadings
from ingest.importers.import_file import import_file
from ingest.importers.import_result import FoundColumn, ImportResult, SheetTexts
from ingest.importers.mapping import LEFT_OUT, ColumnMapping, ImportOptions, SheetMapping, WorkbookMapping
from ingest.importers.rules_text import rules_to_choose
from ingest.importers.stored_mappings import confirmed_mappings, remember_confirmed
from ingest.store.known_names import use_known_ids
from ingest.validate.report import MatchReport

MAX_MATCHES_CHECKED = 100
"""Matches per file that are checked before adding; adding checks all."""
MAX_CELL_CHARS = 400
OF_ALL_SHEETS = ("year", "names", "repeats")
"""Kinds of answers that hold for all sheets of a file."""
_import_numbers = count()


@dataclass
class ImportedFile:
    """One imported file, the contributor's choices about it, and its result."""

    name: str
    data: bytes
    options: ImportOptions
    entered: ImportResult = field(default_factory=ImportResult)
    reports: list[MatchReport] = field(default_factory=list)
    chosen: dict[str, SheetMapping] = field(default_factory=dict)
    """Sheet → what the contributor has chosen about it."""
    key: str = field(default_factory=lambda: f"import-{next(_import_numbers)}")
    """Prefix of the keys of its widgets."""
    known_ids: dict[str, str] = field(default_factory=dict)
    """Names of the file → ids of the players of the store who have them."""
    applied: set[str] = field(default_factory=set)
    """Ids of the grid's changes that were made."""
    added: set[bytes] = field(default_factory=set)
    """Logs that are in the store already, as JSON, while other lines wait for an answer."""

    def read(self) -> None:
        sheets = tuple(self.chosen.values())
        self.options = self.options._replace(mapping=WorkbookMapping(sheets=sheets))
        self.entered = import_file(self.name, self.data, self.options)
        self.known_ids = use_known_ids(open_store().cursor(), self.entered.logs)
        some = ImportResult(self.entered.logs[:MAX_MATCHES_CHECKED])
        self.reports = [*check((self.name, BytesIO(some.lines)))] if some.logs else []

    @property
    def new(self) -> ImportResult:
        """The logs that were not added yet."""
        return ImportResult([log for log in self.entered.logs if dumps(log) not in self.added])

    def note_added(self) -> bool:
        """Record that its logs are in the store; return whether other lines wait for an answer."""
        self.added.update(map(dumps, self.entered.logs))
        return bool(self.entered.questions)

    def set_notes(self, notes: str) -> None:
        """Replace the text of notes, and read it again."""
        self.data = notes.encode()
        self.read()

    def set_game(self, game: str) -> None:
        """Set the game of all sheets that name none, and read the file again."""
        for name in self.sheet_names:
            taken = self.taken_of(name)
            if taken.game is None and not taken.skip:
                before = self.chosen.get(name) or SheetMapping(sheet=name)
                self.chosen[name] = before.model_copy(update={"game": game})
        self.read()

    def remember(self) -> None:
        """Remember what was chosen about its sheets, for the next ones of their fingerprint."""
        chosen = confirmed_mappings(self.name, self.entered, self.options.mapping)
        remember_confirmed(open_store(), chosen)

    def forget(self, fingerprint: str) -> None:
        """Read the file without what was remembered of a fingerprint."""
        remembered = {key: one for key, one in self.options.remembered.items() if key != fingerprint}
        self.options = self.options._replace(remembered=remembered)
        self.read()

    def apply(self, changes: Iterable[Mapping[str, Any]]) -> bool:
        """Make those of the grid's changes that were not made yet; return whether there were any."""
        new = [one for one in changes if one.get("id") not in self.applied]
        for one in new:
            self.applied.add(str(one.get("id")))
            self.change(one)
        return bool(new)

    def answer(self, change: Mapping[str, Any]) -> None:
        """Make the change of an answer that was clicked: a year or a name is that of all sheets."""
        self.applied.add(f"answer-{len(self.applied)}")
        every = self.sheet_names if change["kind"] in OF_ALL_SHEETS else [change["sheet"]]
        for name in every:
            before = self.chosen.get(name) or SheetMapping(sheet=name)
            value = change["value"]
            match change["kind"]:
                case "year":
                    first, _, season = value.partition("-")
                    update: dict[str, Any] = {"year": int(first), "season": bool(season)}
                case "names":
                    update = {"names": {**before.names, **value}}
                case "repeats":
                    update = {"repeats": value}
                case _:
                    continue
            self.chosen[name] = before.model_copy(update=update)
        if change["kind"] == "columns":
            for column, role in change["value"].items():
                self.change({"kind": "column", "sheet": change["sheet"], "column": column, "value": role})
        elif change["kind"] in OF_ALL_SHEETS:
            self.read()
        elif change["kind"] == "game":
            self.set_game(change["value"])
        else:
            self.change(change)

    def change(self, what: Mapping[str, Any]) -> None:
        """Make one change of the grid, and read the file again; what no grid sends does nothing."""
        name, value = what.get("sheet"), what.get("value")
        if name not in self.sheet_names:
            return
        before = self.chosen.get(name) or SheetMapping(sheet=name)
        update: dict[str, Any] = {}
        match what.get("kind"):
            case "column" if isinstance(column := what.get("column"), str):
                update = self._with_role(before, column, value)
            case "cell" if isinstance(value, str) and isinstance(where := what.get("cell"), str):
                update = {"cells": {**before.cells, where: value[:MAX_CELL_CHARS]}}
            case "game" if value in game_names():
                update = {"game": value, "rules": None, "columns": ()}
            case "rules" if value in rules_to_choose(self.taken_of(name).game):
                update = {"rules": value}
            case "lines" if value in ("deals", "totals", "matches"):
                update = {"lines": value}
            case "skip" if isinstance(value, bool):
                update = {"skip": value}
        if update:
            self.chosen[name] = before.model_copy(update=update)
            self.read()

    def _with_role(self, before: SheetMapping, column: str, role: Any) -> dict[str, Any]:
        taken = self.taken_of(before.sheet)
        known = SheetHeadings(taken.game).fields if taken.game else []
        if role != LEFT_OUT and role not in [one.key for one in known]:
            return {}
        headings = dict.fromkeys(one.heading for one in self.columns_of(before.sheet, column))
        others = [one for one in before.columns if one.column != column]
        own = [ColumnMapping(heading=one, column=column, role=role) for one in headings]
        return {"columns": (*others, *own)}

    @property
    def sheet_names(self) -> list[str]:
        return [one.name for one in self.entered.sheets]

    def texts_of(self, sheet: str) -> SheetTexts:
        """Return the cells of a sheet."""
        return next(one for one in self.entered.sheets if one.name == sheet)

    def taken_of(self, sheet: str) -> SheetMapping:
        """Return what a sheet was taken for."""
        return next((one for one in self.entered.mapping.sheets if one.sheet == sheet), SheetMapping())

    def columns_of(self, sheet: str, letter: str) -> list[FoundColumn]:
        """Return the columns found at a letter: one for each table there."""
        several = len(self.entered.sheets) > 1
        return [
            one
            for one in self.entered.columns
            if one.sheet == (sheet if several else "") and one.cell.rstrip("0123456789") == letter
        ]
