"""Typing a score sheet: a row per deal, checked while it is typed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import polars as pl
import pyarrow as pa
import streamlit as st

from dashboard import games
from dashboard.draft_match import deal_model
from dashboard.queries import player_search
from dashboard.text.labels import STATUS_LABELS, opponents_text
from dashboard.text.numbers import escape_markdown
from dashboard.views.entry import sheet_draft
from dashboard.views.entry.sheet_draft import SheetDraft, cell_text, keep_cells, keep_input
from dashboard.views.upload import show_upload_result, store_uploads, visitor_zone
from dashboard.views.upload_files import ImportedLogs
from dashboard.widgets import filters
from dashboard.widgets.current_store import cached_query, open_store
from dashboard.widgets.link_table import download_button
from engine.games import game
from engine.options import game_presets
from ingest.findings.finding import NOTE
from ingest.i18n import N_, Translate
from ingest.importers.cells import Cell, CellSheet
from ingest.importers.headings import DEALER, LEADER, MANCHE, MATCH_KEYS, NUMBER, SheetField, sheet_fields
from ingest.importers.import_result import Question
from ingest.importers.mapping import ImportOptions
from ingest.importers.sheets import read_sheets
from ingest.store.known_names import use_known_ids
from ingest.validate.slow_path import ValidationResult, validate
from schemas.games import schemas_of

OPENER_QUESTIONS = {"dealer": N_("Who deals first?"), "leader": N_("Who leads first?")}
"""The question of who begins, by the key of a deal that records it."""
DEFAULT_LINES, MAX_TABLES = 8, 10
"""Empty lines of a new sheet, and tables of a round."""
TABLE_KEY = "table"
OPENER_FIELDS = (DEALER, LEADER)
AUTO_NUMBERED_KEYS = (NUMBER.key, MANCHE.key)
"""Columns that the engine fills in."""
NARROW_KEYS = (TABLE_KEY, "points", *(one.key for one in OPENER_FIELDS))
"""Columns for a word or a number."""
SheetLine = Mapping[str, Any]
"""A typed line: the key of a column → its cell."""


@dataclass
class SheetResult:
    """The result of reading the lines."""

    logs: list[dict[str, Any]] = field(default_factory=list)
    explained: list[ValidationResult] = field(default_factory=list)
    questions: list[tuple[int, str, Question]] = field(default_factory=list)
    """Line from 0, key of the column, and question."""


def sheet_columns(chosen: str, count: int, has_tables: bool) -> list[SheetField]:
    """Return the columns for each deal; with `has_tables`, also the table and its players."""
    this = game(chosen)
    found = list[SheetField]()
    for one in sheet_fields(chosen):
        key, place = one.column.key, one.seat_index
        of_match = has_tables and key in (TABLE_KEY, "players")
        wanted = of_match if key in MATCH_KEYS else key not in AUTO_NUMBERED_KEYS
        seats = this.side_count(count) if key == "points" else count
        if wanted and (place is None or place < seats):
            found.append(one)
    # as on paper, the points stand next to the dealer, so that a phone shows both
    first = {TABLE_KEY: 0, "players": 1, **{one.key: 2 for one in OPENER_FIELDS}, "points": 3}
    return sorted(found, key=lambda one: first.get(one.column.key, len(first)))


def read_lines(chosen: str, head: SheetLine, lines: Sequence[SheetLine], opener: str = "") -> SheetResult:
    """Read the matches in some lines as a spreadsheet; `head` applies to each line.

    `opener` deals, or leads, first at a table that does not record who does; empty if it is unknown.
    """
    typed = [(at, one) for at, one in enumerate(lines) if any(cell_text(cell) for cell in one.values())]
    opens = next(one.key for one in sheet_fields(chosen) if one.column in OPENER_FIELDS)
    keys = list(dict.fromkeys([*head, opens, *(key for _, one in typed for key in one)]))
    if not opener and not any(cell_text(one.get(opens)) for _, one in typed):
        keys.remove(opens)
    rows: list[list[Cell]] = [list(keys)]
    begun: set[tuple[str, ...]] = set()
    for _, one in typed:
        cells = {**head, **{key: cell_text(cell) for key, cell in one.items()}}
        match = tuple(cells.get(key, "") for key in keys if key.split(" ")[0] in MATCH_KEYS)
        if match not in begun and not cells.get(opens):
            cells[opens] = opener
        begun.add(match)
        rows.append([cells.get(key, "") for key in keys])
    found = read_sheets([CellSheet("", rows)], ImportOptions(chosen, zone=visitor_zone()))
    requested = [
        (typed[max(0, min(one.line - 2, len(typed) - 1))][0], keys[one.column - 1], one)
        for one in found.questions
        if typed
    ]
    if requested and all(key == opens for _, key, _ in requested):
        # the dealer after an impossible line is unknown: report the faults of that line
        return SheetResult(
            [], read_lines(chosen, head, lines[: requested[0][0]], opener).explained, requested
        )
    requested = [one for one in requested if one[1] != opens]
    return SheetResult(found.logs, [validate(orjson.dumps(log)) for log in found.logs], requested)


def known_players() -> dict[str, dict[str, str]]:
    """Return the players of the store by label, without those that pages may not link to."""
    frame = cached_query(player_search.frequent_players)
    numbers = frame["player_no"].to_list()
    ids = cached_query(player_search.linkable_ids, *numbers)
    names = dict(cached_query(player_search.ids_and_names, *numbers))
    some = {label: ids.get(number) for number, label in frame.select("player_no", "label").rows()}
    return {label: {"id": id, "name": names[id]} for label, id in some.items() if id is not None}


def player_inputs(count: int, key: str, t: Translate) -> list[str]:
    """Return the name typed for each seat, empty for none; the store's players are offered."""
    with st.container(horizontal=True, key=f"{key}-players"):  # `typed-input.js` keeps names in these
        typed = [
            st.selectbox(
                t("Seat {n}", n=seat),
                list(known_players()),
                index=None,
                accept_new_options=True,
                placeholder=t("a name"),
                key=f"{key}-player-{seat}",
                on_change=keep_input,
                width=240,
            )
            for seat in range(1, count + 1)
        ]
    return [str(one or "").strip() for one in typed]


def player_cells(typed: Sequence[str]) -> dict[str, str]:
    """Return the cells of players by column; a player of the store has the id there, too."""
    offered = known_players()
    some = [(one, offered.get(one)) for one in typed]
    named = [f"{who['name']} (id: {who['id']})" if who else one for one, who in some]
    return {f"players {seat}": one for seat, one in enumerate(named, 1)}


def game_input(key: str, t: Translate, width: Any = "stretch") -> str:
    """Return the game chosen from a list of titles."""
    known = games.game_titles()
    called, key = known.__getitem__, f"{key}-game"
    return st.selectbox(t("Game"), list(known), format_func=called, key=key, width=width)


def rules_input(chosen: str, key: str, t: Translate, width: Any = "stretch") -> str:
    """Return the preset chosen from a list of labels."""
    known = {one: games.preset_label(one, t) for one in game_presets(chosen)}
    key = f"{key}-rules-{chosen}"
    return st.selectbox(t("Rules"), list(known), format_func=known.__getitem__, key=key, width=width)


def show_sheet_entry(show_drafts: Callable[[SheetDraft, str], None], t: Translate) -> None:
    """Show the sheet: its match, its lines, the results, and the button that adds it.

    `show_drafts` shows the sheets that the browser keeps, and has it keep this one, by its title.
    """
    draft = sheet_draft.open_draft()
    if upload := st.session_state.get("sheet-added"):
        show_upload_result(upload, t, "check-typed")
    above = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = game_input("sheet", t, filters.FILTER_PIXELS)
        several = st.toggle(t("Enter a round (several tables)"), key="sheet-round")
    with st.container(horizontal=True):
        head = {
            "rules": rules_input(chosen, "sheet", t),
            "name": st.text_input(t("Event"), key="sheet-event", on_change=keep_input),
            "round": st.text_input(t("Round"), key="sheet-number", on_change=keep_input) if several else "",
            "played_at": cell_text(
                st.date_input(t("Played on"), None, key="sheet-day", format=filters.date_input_format(t))
            ),
            **schemas_of(chosen).MATCH_DEFAULTS,
        }
        count, *more = counts = game(chosen).players
        if more:
            count = st.selectbox(t("How many players"), counts, key=f"sheet-count-{chosen}")
    players: list[str] = []
    if not several:  # players of the store with their id
        typed = [one or t("Seat {n}", n=seat) for seat, one in enumerate(player_inputs(count, "sheet", t), 1)]
        head |= player_cells(typed)
        players = [*typed]
    opener = f"sheet-first-{count}"
    opens = deal_model(chosen).OPENS
    needed = 1 if opens == LEADER.key else None  # a sheet may leave out who deals
    # set at each run: otherwise the input shows the name that its seat had before
    st.session_state[opener] = st.session_state.get(opener) or needed
    first = st.selectbox(
        t(OPENER_QUESTIONS[opens]),
        list(range(1, count + 1)),
        format_func=lambda seat: players[seat - 1] if players else t("Seat {n}", n=seat),
        placeholder=t("not noted"),
        key=opener,
    )
    lines = _show_editor(draft, chosen, count, several, players, t)
    sheet_draft.read_fields(draft)
    known = known_players()
    names = [known[one]["name"] if one in known else one for one in players]
    with above:
        show_drafts(draft, head["name"] or opponents_text(names, chosen) or games.game_titles()[chosen])
    result = read_lines(chosen, {key: one for key, one in head.items() if one}, lines, cell_text(first))
    # messages stand below the sheet: above they would move it under the mouse
    fields = {one.key: one for one in sheet_fields(chosen)}
    requested = []
    for at, key, one in result.questions:  # by its line and column
        column = _column_label(fields[key], chosen, players, t) if key in fields else key
        place = f"{t('line {n}', n=at + 1)}, {escape_markdown(column)}"
        message = t("{place}: {problem}", place=place, problem=escape_markdown(one.message(t)))
        requested.append(f"- {message}")
    if requested:
        st.warning("\n".join(requested), icon=":material/help:")
    for log in result.explained:
        _show_standing(log, t)
    for log in [] if several else result.explained:
        rows = [
            {
                t("Deal"): at + 1,
                t("Manche"): log.deal_positions[at][0],
                t("Points"): " – ".join(map(str, deal.points or [])),
                t("Score"): " – ".join(map(str, log.scores[at])),
            }
            for at, deal in enumerate(log.known_match.deals)
        ]
        st.dataframe(pl.DataFrame(rows), hide_index=True, height="content", alt=t("Score sheet"))
    with st.container(horizontal=True):
        if result.logs and not result.questions:
            show_finish(result.logs, t)
        if any(cell_text(cell) for line in lines for cell in line.values()):
            label, icon = t("Throw this sheet away"), ":material/delete:"
            st.button(label, icon=icon, key="sheet-anew", on_click=sheet_draft.begin_anew, args=(False,))


def _column_label(one: SheetField, chosen: str, players: Sequence[str], t: Translate) -> str:
    """Return the heading of a column; for a column per seat or side, with the players' names."""
    if one.seat_index is None or not players:
        return one.heading(t)
    points = one.column.key == "points"
    sides = game(chosen).side_count(len(players)) if points else len(players)
    who = " + ".join(name.partition(" (")[0] for name in players[one.seat_index :: sides])
    return who if points else f"{t(one.column.heading)} {who}"


def _show_editor(
    draft: SheetDraft, chosen: str, count: int, has_tables: bool, players: Sequence[str], t: Translate
) -> list[dict[str, Any]]:
    wanted, size = (sheet_columns(chosen, count, has_tables), MAX_TABLES if has_tables else DEFAULT_LINES)
    key = draft.editor_key([one.key for one in wanted])
    begun = draft.first_lines
    size = max(size, len(begun))
    blank = {one.key: [""] * size for one in wanted}
    if has_tables:
        blank[TABLE_KEY] = [str(at + 1) for at in range(size)]
    for column, cells in blank.items():
        cells[: len(begun)] = [line.get(column) or own for line, own in zip(begun, cells, strict=False)]

    def configured(one: SheetField) -> Any:
        width: Any = "small" if one.column.key in NARROW_KEYS else None
        label = _column_label(one, chosen, players, t)
        return st.column_config.TextColumn(label, help=t(one.column.help), width=width)

    edited = st.data_editor(
        pa.table(blank),
        column_config={one.key: configured(one) for one in wanted},
        num_rows="dynamic",
        hide_index=True,
        key=key,
        on_change=keep_cells,
        args=(draft, key, blank),
    )
    rows: list[dict[str, Any]] = edited.to_pylist()
    draft.set_lines([{key: cell_text(cell) for key, cell in one.items()} for one in rows])
    # a line with nothing but a table was not filled in
    return [
        one if any(cell_text(cell) for key, cell in one.items() if key != TABLE_KEY) else {} for one in rows
    ]


def _show_standing(log: ValidationResult, t: Translate) -> None:
    """Show a match's standing, who deals or leads next, and every line with a fault."""
    assert log.match_record is not None
    this, who = game(log.known_match.game), [player.display_name for player in log.known_match.players]
    goes_on = ""  # who deals or leads next, or has won
    if log.match_record["over"]:
        winner = int(log.match_record["winner"])
        won = " + ".join(who[winner :: this.side_count(len(who))])
        goes_on = t("{who} wins the match", who=won) if winner >= 0 else ""
    elif seats := [who[seat - 1] for seat in this.match.next_openers(log.match_record)]:
        goes_on = t("Next to deal or lead: {who}", who=", ".join(seats))
    table = cell_text((log.known_match.event or {}).get(TABLE_KEY))
    score = " – ".join(map(str, log.scores[-1] if log.scores else []))
    parts = [table, opponents_text(who, log.known_match.game), score, goes_on, t(STATUS_LABELS[log.status])]
    st.markdown(escape_markdown(" · ".join(filter(None, parts))))
    wrong = [one for one in log.findings if one.severity != NOTE]
    if wrong:
        items = [f"- {escape_markdown(one.place(t))} {escape_markdown(one.message(t))}" for one in wrong]
        st.error("\n".join(items), icon=":material/rule:")


def show_finish(logs: Sequence[dict[str, Any]], t: Translate) -> None:
    """Show the buttons that add typed logs to the store, and that download them."""
    use_known_ids(open_store().cursor(), logs)
    lines = b"".join(orjson.dumps(log) + b"\n" for log in logs)
    if st.button(t("Add to the store"), type="primary", key="sheet-add"):
        upload = store_uploads(open_store(), [ImportedLogs("feuille.jsonl", lines)], t)
        if upload is not None:
            st.session_state["sheet-added"] = upload
            sheet_draft.begin_anew(added=True)
            st.rerun()
    download_button(t("The log (JSON)"), lines, "feuille.jsonl", "sheet-log", None)
