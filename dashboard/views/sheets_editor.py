"""Shows a file's sheets as they are: above each column its role to choose, in each cell a text to edit."""

from importlib.resources import files
from itertools import islice
from typing import Any

import streamlit as st

from dashboard.games import game_titles, preset_label
from dashboard.views.imported_file import ImportedFile
from engine.games import game
from ingest.findings.finding import NOTE
from ingest.i18n import N_, Translate, translator
from ingest.importers.cells import column_name, is_number
from ingest.importers.headings import SheetField, SheetHeadings
from ingest.importers.import_result import FoundColumn
from ingest.importers.mapping import LEFT_OUT, SheetMapping
from ingest.importers.rules_text import rules_to_choose
from ingest.importers.spreadsheet_worker import MAX_COLUMNS

MAX_ROWS_SHOWN = 300
"""Rows of a sheet that the grid has."""
OPEN_ROLE = "?"
MAX_LIKELY = 5
SIDES = 2  # of most sheets; other seats are less likely
MAX_CELLS_SEEN = 20
NUMBER_ROLES = ("points", "result", "number", "made", "table", "round", "manche")
TEXT_ROLES = ("players", "winner", "played_at", "remark", "declarer", "contract", "dealer", "loser", "result")
"""Keys of columns that numbers or texts may be, the most likely first."""
NOT_READ = N_("not read: Retourne skips it")
LINES_TEXTS = {"deals": N_("a deal"), "totals": N_("a deal, with running totals"), "matches": N_("a match")}
FILES = files("dashboard.views")
_mount = st.components.v2.component(
    "retourne.sheets",
    html='<div class="sheets"><div class="tabs" role="tablist"></div><div class="choices"></div>'
    '<div class="frame" tabindex="0"></div><p class="more"></p></div>',
    css=FILES.joinpath("sheets_editor.css").read_text(encoding="utf-8"),
    js=FILES.joinpath("sheets_editor.js").read_text(encoding="utf-8"),
)


def edit_sheets(item: ImportedFile, t: Translate) -> bool:
    """Show the sheets of a file; return whether one was changed, and the file read again."""
    done = _mount(key=f"{item.key}-grid", data=grid_data(item, t), on_changes_change=lambda: None)
    return item.apply([dict(one) for one in done.get("changes") or ()])


def grid_data(item: ImportedFile, t: Translate) -> dict[str, Any]:
    """Return what the grid shows: texts, and for each sheet its cells, columns and problems."""
    return {
        "texts": {
            "game": t("Game"),
            "rules": t("Rules"),
            "lines": t("Each line is"),
            "skip": t("Leave this sheet out"),
            "skipped": t("skipped"),
            "choose": t("choose…"),
            "column": t("Column"),
            "cell": t("Cell"),
            "sheet": t("Sheet"),
            "likely": t("not certain"),
            "others": t("other columns…"),
        },
        "sheets": [_sheet_data(item, one, t) for one in item.sheet_names],
    }


def _sheet_data(item: ImportedFile, name: str, t: Translate) -> dict[str, Any]:
    taken, rows = item.taken_of(name), item.texts_of(name).rows
    more = len(rows) - MAX_ROWS_SHOWN
    roles = [(one.key, role_label(one, t)) for one in SheetHeadings(taken.game).fields] if taken.game else []
    chosen = item.chosen.get(name) or SheetMapping()
    return {
        "name": name,
        "skip": bool(taken.skip),
        "game": taken.game or "",
        "games": [*game_titles().items()],
        "rules": taken.rules or "",
        "presets": _presets(item, taken, t),
        "lines": taken.lines or "",
        "kinds": [(key, t(text)) for key, text in LINES_TEXTS.items()],
        "roles": [(OPEN_ROLE, t("choose…")), (LEFT_OUT, t(NOT_READ)), *roles] if roles else [],
        "columns": [
            _column_data(item, name, column_name(at)) for at in range(max(map(len, rows), default=0))
        ],
        "rows": rows[:MAX_ROWS_SHOWN],
        "more": t("Further lines, which are read too: {n}.", n=more) if more > 0 else "",
        "problems": problems_by_cell(item, name, t),
        "edited": [*chosen.cells],
    }


def _presets(item: ImportedFile, taken: SheetMapping, t: Translate) -> list[tuple[str, str]]:
    """Return the rules to choose from, where they are a question or were one."""
    has_question = any(question.about == "rules" for question in item.entered.questions)
    shown = rules_to_choose(taken.game) if taken.game and (has_question or taken.rules) else ()
    return [(rules, rules_label(taken.game or "", rules, t)) for rules in shown]


def rules_label(name: str, rules: str, t: Translate) -> str:
    """Return the label of a preset, with those of its options."""
    preset, *on = rules.split(" + ")
    known = {option.name: option.doc for option in game(name).options.OPTIONS}
    return " – ".join((preset_label(preset, t), *(translator(t.language)(known[one]) for one in on)))


def _column_data(item: ImportedFile, sheet: str, letter: str) -> dict[str, Any]:
    found = next(iter(item.columns_of(sheet, letter)), None)
    if found is None:
        return {"letter": letter, "role": None, "certainty": ""}
    role = found.field.key if found.field else LEFT_OUT if found.left_out else OPEN_ROLE
    near = likely_roles(item, sheet, found)
    return {"letter": letter, "role": role, "certainty": found.certainty, "near": near}


def likely_roles(item: ImportedFile, sheet: str, column: FoundColumn) -> list[str]:
    """Return the roles that a column may have by its heading and its cells, the most likely first."""
    game_name = item.taken_of(sheet).game
    if game_name is None:
        return []
    headings = SheetHeadings(game_name)
    first = column.cell.rstrip("0123456789")
    row = int(column.cell.removeprefix(first))
    at = next(at for at in range(MAX_COLUMNS) if column_name(at) == first)
    below = (cells[at] for cells in item.texts_of(sheet).rows[row:] if len(cells) > at and cells[at])
    texts = [*islice(below, MAX_CELLS_SEEN)]
    taken = {one.field.key for one in item.entered.columns if one.field and one.sheet == column.sheet}
    kinds = NUMBER_ROLES if texts and all(map(is_number, texts)) else TEXT_ROLES
    usual = [one for kind in kinds for one in headings.fields if one.column.key == kind]
    usual.sort(key=lambda one: (one.seat_index or 0) >= SIDES)
    near = [one.key for one in headings.suggestions(column.heading)]
    return [*dict.fromkeys(key for key in (*near, *(one.key for one in usual)) if key not in taken)][
        :MAX_LIKELY
    ]


def role_label(field: SheetField, t: Translate) -> str:
    """Return a role as a choice: the heading, and for one that no seat has, its explanation."""
    result = translator(t.language)
    heading = field.heading(result)
    return f"{heading} – {result(field.column.help)}" if field.seat_index is None else heading


def problems_by_cell(item: ImportedFile, sheet: str, t: Translate) -> dict[str, str]:
    """Return address → the questions and findings about a sheet's cell; a line has its number."""
    several = len(item.entered.sheets) > 1
    found = dict[str, list[str]]()
    for question in item.entered.questions:
        if question.sheet == (sheet if several else ""):
            found.setdefault(question.where, []).append(question.message(t))
    for report in item.reports:
        origin = item.entered.origins[report.line - 1]
        for one in report.findings:
            where, of_sheet = origin.cell_of(one)
            if one.severity != NOTE and of_sheet == (sheet if several else ""):
                found.setdefault(where, []).append(one.message(t))
    return {where: " ".join(messages) for where, messages in found.items()}
