"""A score sheet typed in: a line a deal as on paper, checked as it is typed; or a whole round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import polars as pl
import pyarrow as pa
import streamlit as st

from dashboard import games
from dashboard.draft import deal_of
from dashboard.queries import player_search
from dashboard.text.labels import STATUSES, against
from dashboard.text.numbers import markdown
from dashboard.views.upload import Made, add_files, came_to, visitor_zone
from dashboard.widgets import filters
from dashboard.widgets.current_store import answer, store
from dashboard.widgets.link_table import download
from engine.games import game
from engine.options import presets
from ingest.findings.finding import NOTE
from ingest.i18n import N_, Translate
from ingest.importers.headings import DEALER, LEADER, MANCHE, MATCH_KEYS, NUMBER, Field, fields
from ingest.importers.import_result import Question
from ingest.importers.sheets import Cell, How, Sheet, read_sheets
from ingest.validate.slow_path import Explained, explain
from schemas.games import of as schemas_of

FIRST = {"dealer": N_("Who deals first?"), "leader": N_("Who leads first?")}
"""What is asked of who begins, by the key of a deal that says it."""
LINES, TABLES = 8, 10
"""Empty lines a sheet begins with, and tables a round does."""
TABLE = "table"
OPENS = (DEALER, LEADER)
COUNTED = (NUMBER.key, MANCHE.key)
"""What the engine counts, and nobody has to type."""
SMALL = (TABLE, "points", *(one.key for one in OPENS))
"""Columns of a word or a number."""
Line = Mapping[str, Any]
"""What was typed: the key of a column → what stands there."""


@dataclass
class Told:
    """What the lines come to."""

    logs: list[dict[str, Any]] = field(default_factory=list)
    explained: list[Explained] = field(default_factory=list)
    questions: list[tuple[int, str, Question]] = field(default_factory=list)
    """The line from 0 and the key of the column each is about."""


def columns(chosen: str, count: int, several: bool) -> list[Field]:
    """What is typed of each deal; of `several` tables, which one and who sits there as well."""
    this = game(chosen)
    found = list[Field]()
    for one in fields(chosen):
        key, place = one.column.key, one.place
        of_match = several and key in (TABLE, "players")
        wanted = of_match if key in MATCH_KEYS else key not in COUNTED
        seats = this.sides(count) if key == "points" else count
        if wanted and (place is None or place < seats):
            found.append(one)
    # as on paper: the points stand next to who dealt, so that a telephone shows both
    first = {TABLE: 0, "players": 1, **{one.key: 2 for one in OPENS}, "points": 3}
    return sorted(found, key=lambda one: first.get(one.column.key, len(first)))


def read(chosen: str, head: Line, lines: Sequence[Line], opener: str = "") -> Told:
    """The matches some lines tell, as a spreadsheet of them is read; `head` stands in each.

    `opener` deals, or leads, first at a table that does not say who does.
    """
    typed = [(at, one) for at, one in enumerate(lines) if any(_text(cell) for cell in one.values())]
    opens = next(one.key for one in fields(chosen) if one.column in OPENS)
    keys = list(dict.fromkeys([*head, opens, *(key for _, one in typed for key in one)]))
    rows: list[list[Cell]] = [list(keys)]
    begun: set[tuple[str, ...]] = set()
    for _, one in typed:
        cells = {**head, **{key: _text(cell) for key, cell in one.items()}}
        match = tuple(cells.get(key, "") for key in keys if key.split(" ")[0] in MATCH_KEYS)
        if match not in begun and not cells.get(opens):
            cells[opens] = opener
        begun.add(match)
        rows.append([cells.get(key, "") for key in keys])
    found = read_sheets([Sheet("", rows)], How(chosen, zone=visitor_zone()))
    asked = [
        (typed[max(0, min(one.line - 2, len(typed) - 1))][0], keys[one.column - 1], one)
        for one in found.questions
        if typed
    ]
    if asked and all(key == opens for _, key, _ in asked):
        # nobody knows who deals after a line that no deal can make: what is wrong there is told
        return Told([], read(chosen, head, lines[: asked[0][0]], opener).explained, asked)
    asked = [one for one in asked if one[1] != opens]
    return Told(found.logs, [explain(orjson.dumps(log)) for log in found.logs], asked)


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def known() -> dict[str, dict[str, str]]:
    """The players of the store by what they are called, but for those nobody is led to."""
    frame = answer(player_search.offered)
    numbers = frame["player_no"].to_list()
    ids = answer(player_search.led_to, *numbers)
    names = dict(answer(player_search.named, *numbers))
    some = {label: ids.get(number) for number, label in frame.select("player_no", "label").rows()}
    return {label: {"id": id, "name": names[id]} for label, id in some.items() if id is not None}


def seat_boxes(count: int, key: str, t: Translate) -> list[str]:
    """A field a seat: the players of the store are offered, others are typed; empty for nobody."""
    with st.container(horizontal=True):
        typed = [
            st.selectbox(
                t("Seat {n}", n=seat),
                list(known()),
                index=None,
                accept_new_options=True,
                placeholder=t("a name"),
                key=f"{key}-player-{seat}",
                width=240,
            )
            for seat in range(1, count + 1)
        ]
    return [str(one or "").strip() for one in typed]


def game_box(key: str, t: Translate, width: Any = "stretch") -> str:
    """The games, by their titles."""
    known = games.titles()
    called, key = known.__getitem__, f"{key}-game"
    return st.selectbox(t("Game"), list(known), format_func=called, key=key, width=width)


def rules_box(chosen: str, key: str, t: Translate) -> str:
    """The presets of a game, by their names."""
    known = {one: games.rules_named(one, t) for one in presets(chosen)}
    key = f"{key}-rules-{chosen}"
    return st.selectbox(t("Rules"), list(known), format_func=known.__getitem__, key=key)


def show(t: Translate) -> None:
    """The sheet: what it is of, its lines, what they come to, and the way into the store."""
    if upload := st.session_state.get("sheet-added"):
        came_to(upload, t, "check-typed")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = game_box("sheet", t, filters.WIDTH)
        several = st.toggle(t("A round of several tables"), key="sheet-round")
    with st.container(horizontal=True):
        head = {
            "rules": rules_box(chosen, "sheet", t),
            "name": st.text_input(t("Event"), key="sheet-event"),
            "round": st.text_input(t("Round"), key="sheet-number") if several else "",
            "played_at": _text(st.date_input(t("Played on"), None, key="sheet-day")),
            **schemas_of(chosen).SHEET,
        }
        count, *more = counts = game(chosen).players
        if more:
            count = st.selectbox(t("How many players"), counts, key=f"sheet-count-{chosen}")
    players: list[str] = []
    if not several:  # those of the store with their id
        offered = known()
        for seat, typed in enumerate(seat_boxes(count, "sheet", t), 1):
            who = offered.get(typed)
            label = f"{who['name']} ({who['id']})" if who else typed
            players.append(label or t("Seat {n}", n=seat))
    head |= {f"players {seat}": who for seat, who in enumerate(players, 1)}
    first = st.selectbox(
        t(FIRST[deal_of(chosen).OPENS]),
        list(range(1, count + 1)),
        format_func=lambda seat: players[seat - 1] if players else t("Seat {n}", n=seat),
        key=f"sheet-first-{count}",
    )
    above = st.container()  # what a line lacks is told where the eye is, not below the sheet
    lines = _editor(chosen, count, several, players, t)
    told = read(chosen, {key: one for key, one in head.items() if one}, lines, str(first))
    with above:
        asked = []
        for at, key, one in told.questions:  # by its line and column
            place = f"{t('line {n}', n=at + 1)}, {markdown(key)}"
            said = t("{place}: {problem}", place=place, problem=markdown(one.say(t)))
            asked.append(f"- {said}")
        if asked:
            st.warning("\n".join(asked), icon=":material/help:")
        for log in told.explained:
            _stands(log, t)
    for log in [] if several else told.explained:
        assert log.match is not None
        rows = [
            {
                t("Deal"): at + 1,
                t("Manche"): log.numbers[at][0],
                t("Points"): " – ".join(map(str, deal.points or [])),
                t("Score"): " – ".join(map(str, log.scores[at])),
            }
            for at, deal in enumerate(log.match.deals)
        ]
        st.dataframe(pl.DataFrame(rows), hide_index=True, height="content", alt=t("Score sheet"))
    if told.logs and not told.questions:
        _ready(told.logs, t)


def _editor(
    chosen: str, count: int, several: bool, players: Sequence[str], t: Translate
) -> list[dict[str, Any]]:
    wanted, size = columns(chosen, count, several), TABLES if several else LINES
    numbers = [str(at + 1) for at in range(size)]
    blank = {one.key: numbers if one.key == TABLE else [""] * size for one in wanted}

    def label(one: Field) -> str:
        """A heading; where there is one a seat or a side, with who that is."""
        if one.place is None or not players:
            return one.heading(t)
        points = one.column.key == "points"
        sides = game(chosen).sides(len(players)) if points else len(players)
        who = " + ".join(name.partition(" (")[0] for name in players[one.place :: sides])
        return who if points else f"{t(one.column.heading)} {who}"

    def configured(one: Field) -> Any:
        width: Any = "small" if one.column.key in SMALL else None
        return st.column_config.TextColumn(label(one), help=t(one.column.about), width=width)

    edited = st.data_editor(
        pa.table(blank),
        column_config={one.key: configured(one) for one in wanted},
        num_rows="dynamic",
        hide_index=True,
        key=f"sheet-lines-{chosen}-{count}-{several}",
    )
    rows: list[dict[str, Any]] = edited.to_pylist()
    # a table that nobody sits at is a line that was not filled in
    return [
        one if any(_text(cell) for key, cell in one.items() if key != TABLE) else {} for one in rows
    ]


def _stands(log: Explained, t: Translate) -> None:
    """Where a match stands after its lines, who goes on, and every line that no deal can make."""
    assert log.match is not None
    assert log.flow is not None
    this, who = game(log.match.game), [player.called for player in log.match.players]
    goes_on = ""  # who deals next, or leads, or who has won
    if log.flow["over"]:
        winner = int(log.flow["winner"])
        won = " + ".join(who[winner :: this.sides(len(who))])
        goes_on = t("{who} wins the match", who=won) if winner >= 0 else ""
    elif seats := [who[seat - 1] for seat in this.match.leaders(log.flow)]:
        goes_on = t("Next to deal or lead: {who}", who=", ".join(seats))
    table = _text((log.match.event or {}).get(TABLE))
    score = " – ".join(map(str, log.scores[-1] if log.scores else []))
    parts = [table, against(who, log.match.game), score, goes_on, t(STATUSES[log.status])]
    st.markdown(markdown(" · ".join(filter(None, parts))))
    wrong = [one for one in log.findings if one.severity != NOTE]
    if wrong:
        said = [f"- {markdown(one.place(t))} {markdown(one.message(t))}" for one in wrong]
        st.error("\n".join(said), icon=":material/rule:")


def _ready(logs: Sequence[Mapping[str, Any]], t: Translate) -> None:
    """Into the store, or away as a file."""
    lines = b"".join(orjson.dumps(log) + b"\n" for log in logs)
    with st.container(horizontal=True):
        if st.button(t("Add to the store"), type="primary", key="sheet-add"):
            upload = add_files(store(), [Made("feuille.jsonl", lines)], t)
            if upload is not None:
                st.session_state["sheet-added"] = upload
                st.rerun()
        download(t("The log (JSON)"), lines, "feuille.jsonl", "sheet-log", None)
