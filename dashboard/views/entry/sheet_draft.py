"""The score sheet being typed: it survives another page, a reload and the end of the server.

The browser keeps each sheet, as it does the drafts of cards; `js/draft-list.js` writes and lists them.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import streamlit as st

from dashboard.widgets.browser import VISIT_KEY
from engine.games import game, game_names
from engine.options import game_presets

MAX_LINES, MAX_TEXT_CHARS = 200, 400
"""Lines of a sheet that the browser keeps, and characters of a cell."""
DRAFT_KEY = "sheet-typed"
Lines = list[dict[str, str]]
"""The typed cells of each line, by the key of a column."""


@dataclass
class SheetDraft:
    """A sheet that is being typed: its lines, and the values of the inputs above them."""

    id: str = field(default_factory=lambda: secrets.token_hex(8))
    fields: dict[str, Any] = field(default_factory=dict)
    lines: Lines = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    """Ids of sheets that the browser need not keep any more."""
    columns: tuple[str, ...] = ()
    """Columns of the editor."""
    first_lines: Lines = field(default_factory=list)
    """The lines that the editor begins with; what is typed later is the editor's own."""
    generation: int = 0
    """Number of the editor: a new one begins with `first_lines`."""
    visit: int = 0
    """The visit of the page at which the editor was shown last."""

    def editor_key(self, columns: Sequence[str]) -> str:
        """Return the key of the editor; it begins again if its columns change or its page was left."""
        key, visit = f"sheet-lines-{self.id}-{self.generation}", st.session_state.get(VISIT_KEY, 0)
        if (self.columns, self.visit) != (tuple(columns), visit) or key not in st.session_state:
            self.columns, self.visit, self.first_lines = tuple(columns), visit, self.lines
            self.generation += 1
        return f"sheet-lines-{self.id}-{self.generation}"

    def set_lines(self, typed: Lines) -> None:
        """Take the lines of the editor; cells of columns that it does not have stay."""
        if len(typed) == len(self.lines):
            typed = [{**before, **now} for before, now in zip(self.lines, typed, strict=True)]
        self.lines = typed

    def content(self, title: str) -> dict[str, Any]:
        """Return what the browser keeps."""
        filled = [{key: cell for key, cell in line.items() if cell} for line in self.lines[:MAX_LINES]]
        while filled and filled[-1].keys() <= {"table"}:  # a table's number alone is no line
            filled.pop()
        players = [one for key, one in self.fields.items() if key.startswith("sheet-player-") and one]
        lines = filled or ([{}] if players else [])
        return {"id": self.id, "title": title, "lines": lines, "fields": self.fields}


def open_draft() -> SheetDraft:
    """Return the sheet of this session, with its inputs set where another page has dropped them.

    A click can end a run at each access to Streamlit's state: a resumed sheet stays until its inputs are set.
    """
    draft: SheetDraft = st.session_state.setdefault(DRAFT_KEY, SheetDraft())
    if (resumed := st.session_state.get("sheet-resumed")) is not None:
        draft = st.session_state[DRAFT_KEY] = _resumed(resumed)
        _empty_inputs()
    for key, value in draft.fields.items():
        if (resumed or key not in st.session_state) and _is_possible(draft.fields, key, value):
            st.session_state[key] = date.fromisoformat(value) if value and key == "sheet-day" else value
    if resumed is not None:
        del st.session_state["sheet-resumed"]
    return draft


def begin_anew(added: bool) -> None:
    """Begin an empty sheet; the one before is forgotten. After it was `added` its inputs stay."""
    before: SheetDraft = st.session_state[DRAFT_KEY]
    fields = before.fields if added else {}
    st.session_state[DRAFT_KEY] = SheetDraft(fields=fields, added=[*before.added, before.id])
    if not added:
        _empty_inputs()


def _empty_inputs() -> None:
    """Empty what was typed above the lines; game and rules stay as they were chosen."""
    for key in [str(one) for one in st.session_state if _is_input(str(one))]:
        kind = key.split("-")[1]
        if kind in ("event", "number", "day", "player", "score"):
            st.session_state[key] = "" if kind in ("event", "number", "score") else None
        elif kind == "first":
            st.session_state[key] = 1


def read_fields(draft: SheetDraft) -> None:
    """Take the values of the inputs that are shown."""
    draft.fields = _shown_inputs()


def keep_input() -> None:
    """Take an input as it changes, also where the reader goes to another page before this one runs again."""
    draft: SheetDraft | None = st.session_state.get(DRAFT_KEY)
    if draft is not None:
        draft.fields = {**draft.fields, **_shown_inputs()}


def _shown_inputs() -> dict[str, Any]:
    values = {str(key): value for key, value in st.session_state.items() if _is_input(str(key))}
    return {key: value.isoformat() if isinstance(value, date) else value for key, value in values.items()}


def keep_cells(draft: SheetDraft, key: str, begun: Mapping[str, Sequence[str]]) -> None:
    """Take cells as they change; `begun` has the cells that the editor began with, by column."""
    edits = st.session_state[key]
    lines = [dict(zip(begun, cells, strict=True)) for cells in zip(*begun.values(), strict=True)]
    for at, cells in edits["edited_rows"].items():
        lines[int(at)] |= cells
    lines = [line for at, line in enumerate(lines) if at not in edits["deleted_rows"]]
    lines += ({**dict.fromkeys(begun, ""), **cells} for cells in edits["added_rows"])
    draft.set_lines([{one: cell_text(cell) for one, cell in line.items()} for line in lines])


def cell_text(cell: Any) -> str:
    """Return a cell of the editor as text, empty for none."""
    return "" if cell is None else str(cell).strip()


_INPUTS = ("game", "round", "rules", "event", "number", "day", "count", "player", "score", "first")


def _is_input(key: str) -> bool:
    return key.startswith("sheet-") and key.split("-")[1] in _INPUTS


def _resumed(found: Any) -> SheetDraft:
    """Return the sheet of a browser, as far as it can be one."""
    found = found if isinstance(found, Mapping) else {}
    fields, lines, id = found.get("fields"), found.get("lines"), found.get("id")
    draft = SheetDraft(id) if isinstance(id, str) and id.isalnum() else SheetDraft()
    if isinstance(fields, Mapping):
        draft.fields = {str(key): value for key, value in fields.items() if _is_input(str(key))}
    if isinstance(lines, Sequence) and not isinstance(lines, str):
        draft.lines = [
            {str(key): str(cell)[:MAX_TEXT_CHARS] for key, cell in line.items()}
            for line in lines[:MAX_LINES]
            if isinstance(line, Mapping)
        ]
    return draft


def _is_possible(fields: Mapping[str, Any], key: str, value: Any) -> bool:
    """Return whether an input can have a value: the game or the rules may be no more."""
    kind, chosen = key.split("-")[1], fields.get("sheet-game")
    if kind == "game":
        return value in game_names()
    if kind == "round":
        return isinstance(value, bool)
    if kind == "day":
        with suppress(TypeError, ValueError):
            return value is None or bool(date.fromisoformat(value))
        return False
    if kind in ("rules", "count", "first"):
        if chosen not in game_names():
            return False
        if kind == "rules":
            return value in game_presets(chosen)
        last = key.rpartition("-")[2]  # for who begins, how many seats there are
        seats = range(1, int(last) + 1) if last.isdigit() else ()
        return value in (game(chosen).players if kind == "count" else (*seats, None))
    return value is None or isinstance(value, str)
