"""Score sheets typed in: what the lines come to, and the page they are typed on."""

import json
from datetime import date
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from dashboard.board.header import match_sheet as sheet_on_paper
from dashboard.board.states import deal_states, unreplayable_state
from dashboard.pages import SECTIONS
from dashboard.store import open_store
from dashboard.views.entry import sheet_draft
from dashboard.views.entry.score_sheet import read_lines, sheet_columns
from dashboard.views.entry.sheet_draft import DRAFT_KEY, SheetDraft
from dashboard.widgets.browser import count_visit
from engine.games import game, game_names
from ingest.i18n import translator
from ingest.store import ratings
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.slow_path import validate
from tests.dashboard.conftest import Open, Stored
from tests.dashboard.tables import tables_of
from tests.ingest.test_players import add_tables

DATA = Path(__file__).parents[2] / "data" / "feuilles"

PAIR = {"players 1": "Lucie", "players 2": "Marcel"}
FOUR = {f"players {seat}": who for seat, who in enumerate("ABCD", 1)}


def code_entries(reported: Any) -> list[list[str]]:
    return [[one.code for one in log.findings] for log in reported.explained]


def test_lines_are_the_deals_of_one_match_and_the_engine_says_who_deals() -> None:
    lines = [
        {"points 1": "57", "points 2": "73"},
        {},
        {"winner": "Lucie", "end": "Marcel abandonne"},
        {"points 1": "87", "points 2": "103", "announcements 1": "mariage pique"},
    ]
    result = read_lines("chouine", PAIR, lines, "2")
    [log] = result.logs
    assert [deal["dealer"] for deal in log["deals"]] == [2, 1, 2]
    assert log["deals"][1]["score_line"] == {"end": "2 resign"}
    assert result.explained[0].scores == [[0, 1], [1, 1], [1, 1]]
    assert code_entries(result) == [["points-impossible"]]  # 87 and 103 need two announcements


def test_a_line_no_deal_can_make_is_reported_with_its_deal() -> None:
    result = read_lines("chouine", PAIR, [{"points 1": "57", "points 2": "74"}], "1")
    assert [(one.code, one.deal_index) for one in result.explained[0].findings] == [("points-impossible", 0)]


def test_what_is_wrong_is_reported_though_nobody_knows_who_deals_after_it() -> None:
    lines = [{"points 1": "57", "points 2": second} for second in ("73", "74", "73")]
    result = read_lines("chouine", PAIR, lines, "1")
    assert [(line, key) for line, key, _ in result.questions] == [(2, "dealer")]
    assert code_entries(result) == [["points-impossible"]]
    assert not result.logs  # nothing is added before that is answered


def test_what_cannot_be_read_is_asked_with_its_line_and_column() -> None:
    lines = [{}, {"points 1": "57", "points 2": "seventy"}, {"winner": "Zoé"}]
    result = read_lines("chouine", PAIR, lines, "1")
    assert [(line, key) for line, key, _ in result.questions] == [(1, "points 2"), (2, "winner")]
    assert not result.logs


def test_ten_tables_of_a_round_are_ten_matches() -> None:
    lines = [
        {"table": str(table), **{f"players {seat}": f"T{table}S{seat}" for seat in range(1, 5)}}
        | {"points 1": "180", "points 2": "70", "contract": "90 ♥", "declarer": f"T{table}S1"}
        for table in range(1, 11)
    ]
    result = read_lines("coinche", {"name": "Tournoi", "round": "2"}, lines, "1")
    assert len(result.logs) == 10
    assert [log["event"]["table"] for log in result.logs] == [str(one) for one in range(1, 11)]
    assert code_entries(result) == [["score-sheet"]] * 10


def test_a_sheet_without_dealers_need_not_name_the_first() -> None:
    line = {**FOUR, "points 1": "180", "points 2": "70", "contract": "90 ♥", "declarer": FOUR["players 1"]}
    result = read_lines("coinche", {}, [line, line])
    [log] = result.logs
    assert (result.questions, [deal.get("dealer") for deal in log["deals"]]) == ([], [None, None])
    result = read_lines("coinche", {}, [line, {**line, "dealer": FOUR["players 2"]}])
    assert [(at, key) for at, key, _ in result.questions] == [(0, "dealer")]


@pytest.mark.page
def test_who_deals_first_is_open_until_it_is_chosen(path: Path, open_page: Open) -> None:
    Store(path).close()
    app = open_page("saisir", {"sheet-game": "coinche"}, mode="sheet", lang="en")
    assert app.selectbox(key="sheet-first-4").value is None
    app = open_page("saisir", {"sheet-game": "chouineurs"}, mode="sheet", lang="en")
    assert app.selectbox(key="sheet-first-2").value == 1


def test_several_deals_of_one_table_are_one_match() -> None:
    line = {"table": "3", **FOUR, "points 1": "0", "points 2": "0", "end": ""}
    result = read_lines("coinche", {}, [line, line], "4")
    [log] = result.logs
    assert [deal["dealer"] for deal in log["deals"]] == [4, 1]  # CO-4: all passed, twice


@pytest.mark.parametrize("name", game_names())
def test_a_sheet_has_a_column_for_each_seat_or_side_there_is(name: str) -> None:
    for count in game(name).players:
        keys = [one.key for one in sheet_columns(name, count, has_tables=True)]
        assert sum(key.startswith("players ") for key in keys) == count
        assert sum(key.startswith("points ") for key in keys) == game(name).side_count(count)
        alone = [one.key for one in sheet_columns(name, count, has_tables=False)]
        assert not any(key.startswith(("players ", "table")) for key in alone)


def shown(app: AppTest) -> str:
    return " ".join(str(one.value) for kind in (app.markdown, app.warning, app.caption) for one in kind)


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_page_has_a_sheet_beside_the_cards(path: Path, open_page: Open, language: str) -> None:
    Store(path).close()
    app = open_page("saisir", mode="sheet", lang=language)
    assert {"sheet-game", "sheet-day"} <= {
        one.key for kind in (app.selectbox, app.date_input) for one in kind
    }
    app.toggle(key="sheet-round").set_value(True).run()
    assert not app.exception
    app.selectbox(key="sheet-game").set_value("coinche").run()
    assert not app.exception


# figures


def sheets(count: int, **more: Any) -> bytes:
    """Matches of one partie each on paper, on one day after the other."""
    rules = {"preset": "lavardin", "parties": 1, "manches": 1}
    players = [{"id": "lucie", "name": "Lucie"}, {"id": "marcel", "name": "Marcel"}]
    matches = [
        {
            **{"format": "retourne/1", "game": "chouine", "rules": rules, "id": f"s{day}"},
            **{"played_at": f"2026-01-{day:02d}T14:00:00Z", "players": players},
            "deals": [{"dealer": 1, "points": [57, 73], "winner": 2}],
        }
        | more
        for day in range(1, count + 1)
    ]
    return "\n".join(map(json.dumps, matches)).encode()


def test_a_store_of_sheets_alone_counts_them_from_the_beginning(path: Path, open_page: Open) -> None:
    with Store(path) as store:
        list(ingest(store, [("sheets.jsonl", BytesIO(sheets(3)))]))
        ratings.refresh_ratings(store)
    for page, query in (("joueurs", {}), ("classement", {}), ("face_a_face", {})):
        if page == "face_a_face":
            query = {"first": "Lucie", "second": "Marcel"}
        app = open_page(page, lang="en", **query)
        (toggle,) = [one for one in app.toggle if one.key and one.key.startswith("score_sheets-")]
        assert toggle.value is True, page
    app = open_page("joueurs", lang="en", player="marcel")
    assert any("3" in str(one.value) for one in app.metric)


def test_a_sheet_is_marked_as_one_where_matches_are_listed(path: Path, open_page: Open) -> None:
    with Store(path) as store:
        list(ingest(store, [("sheets.jsonl", BytesIO(sheets(1)))]))
    (row,) = tables_of(open_page("rencontres", lang="en"))[0].to_dict("records")
    assert row["Verdict"] == "score sheet"


def test_the_replay_of_a_line_shows_what_is_recorded_and_no_card() -> None:
    log = validate((DATA / "coinche.json").read_bytes())
    t = translator("en", "dashboard")
    assert deal_states(log, 1, t) is None
    result = unreplayable_state(log, 1, t)
    (ply,) = result["plies"]
    assert ply["text"] == "A line of a score sheet: the cards of this deal were not recorded."
    assert ply["also"] == ["Points 660 – 0", "Gaston bids match ♦ coinched"]
    assert not any(seat["hand"] for seat in ply["seats"])
    paper = sheet_on_paper(log, t)
    assert paper["columns"] == ["Deal", "Lucie + Odile", "Gaston + Marcel", "Announcements"]
    assert paper["rows"][1][1:] == ["660", "0", "Gaston bids match ♦ coinched"]


def test_points_by_seat_stand_at_the_seats() -> None:
    log = validate((DATA / "chouine.json").read_bytes())
    (ply,) = unreplayable_state(log, 0, translator("fr", "dashboard"))["plies"]
    assert [seat["points"] for seat in ply["seats"]] == [195, 105]


# the sheet that the browser keeps


def test_a_draft_of_a_sheet_is_typed_on_with_its_inputs_and_lines(path: Path, open_page: Open) -> None:
    Store(path).close()
    app = open_page("saisir", mode="sheet", lang="en")
    app.session_state["sheet-resumed"] = {
        "id": "a1",
        "fields": {"sheet-game": "coinche", "sheet-player-1": "Lucie", "sheet-day": "2026-04-12"},
        "lines": [{"points 1": "160"}],
    }
    app.run()
    assert not app.exception
    assert app.selectbox(key="sheet-game").value == "coinche"
    assert app.selectbox(key="sheet-player-1").value == "Lucie"
    assert app.date_input(key="sheet-day").value == date(2026, 4, 12)
    draft = app.session_state[DRAFT_KEY]
    assert draft.content("")["lines"] == [{"points 1": "160"}]


def test_lines_begin_again_as_typed_though_the_next_page_did_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    session, pages = dict[str, Any](), {one.name: one for some in SECTIONS.values() for one in some}
    monkeypatch.setattr(streamlit, "session_state", session)
    draft = SheetDraft()
    count_visit(pages["saisir"])
    key = draft.editor_key(("points 1",))
    session[key] = {}  # Streamlit keeps it until a run of another page has ended
    draft.set_lines([{"points 1": "57"}])
    count_visit(pages["saisir"])
    assert draft.editor_key(("points 1",)) == key
    for name in ("rencontres", "saisir"):
        count_visit(pages[name])
    assert draft.editor_key(("points 1",)) != key
    assert draft.first_lines == [{"points 1": "57"}]


@pytest.mark.parametrize(
    "found",
    [
        None,
        {"fields": {"sheet-game": "bridge", "sheet-day": "demain"}},
        {"fields": {"sheet-rules-chouine": 3, "sheet-first-2": 9, "sheet-first-": 1}},
        {"id": 3, "lines": [3, {"points 1": 7}], "fields": [1]},
    ],
)
def test_a_draft_that_cannot_be_is_an_empty_one(path: Path, open_page: Open, found: Any) -> None:
    Store(path).close()
    app = open_page("saisir", mode="sheet", lang="en")
    app.session_state["sheet-resumed"] = found
    app.run()
    assert not app.exception
    assert app.selectbox(key="sheet-game").value == "chouine"


def test_lines_stay_when_the_columns_of_the_sheet_change() -> None:
    draft = SheetDraft()
    draft.set_lines([{"points 1": "57", "announcements 1": "tierce"}, {}])
    draft.set_lines([{"points 1": "58"}, {}])
    assert draft.lines == [{"points 1": "58", "announcements 1": "tierce"}, {}]


def typed_result(open_page: Open, *score: str) -> AppTest:
    """The page of a result of two players of the store, with a score typed."""
    app = open_page("saisir", {"sheet-game": "chouine"}, mode="result")
    for seat in (1, 2):
        box = app.selectbox(key=f"sheet-player-{seat}")
        box.set_value(box.options[seat - 1]).run()
    for side, one in enumerate(score, 1):
        app.text_input(key=f"sheet-score-{side}").set_value(one).run()
    assert not app.exception
    return app


def test_a_result_is_typed_and_counts_as_one(open_page: Open, games: Path) -> None:
    app = typed_result(open_page, "2", "1")
    app.button(key="sheet-add").click().run()
    assert not app.exception
    assert [one.label for one in app.metric if one.value == "1"] == ["Ajoutées"]


@pytest.mark.parametrize(("player_id", "name"), [("e2", "Élodie"), ("e2", "Élodie (D)"), ("e(2)", "Élodie")])
def test_a_result_is_of_the_player_chosen_from_the_list(
    stored: Stored, open_page: Open, player_id: str, name: str
) -> None:
    def fill(store: Store) -> None:
        add_tables(store, [("elodie", name), ("jean", "Jean")], [(player_id, name), ("jean", "Jean")])

    stored(f"two-{player_id}-{name}", fill)
    app = open_page("saisir", {"sheet-game": "chouine"}, mode="result")
    for seat, chosen in enumerate((f"{name} ({player_id})", "Jean"), 1):
        app.selectbox(key=f"sheet-player-{seat}").set_value(chosen).run()
    for side in (1, 2):
        app.text_input(key=f"sheet-score-{side}").set_value(str(3 - side)).run()
    app.button(key="sheet-add").click().run()
    assert not app.exception
    seats = "SELECT player_id FROM seats JOIN players USING (player_no) ORDER BY match_no DESC, seat LIMIT 2"
    assert open_store().cursor().execute(seats).fetchall() == [(player_id,), ("jean",)]
    assert open_store().cursor().execute("SELECT count(*) FROM players").fetchall() == [(3,)]


@pytest.mark.parametrize("score", [["2"], ["2", "un"]])
def test_a_result_without_both_scores_is_not_added(open_page: Open, games: Path, score: list[str]) -> None:
    app = typed_result(open_page, *score)
    assert not [one for one in app.button if one.key == "sheet-add"]


class Interrupted(dict[str, Any]):
    """Streamlit's state, where a click ends the run as its `writes` are used up."""

    writes = 99

    def __setitem__(self, key: str, value: Any) -> None:
        if not self.writes:
            raise InterruptedError
        self.writes -= 1
        super().__setitem__(key, value)


def test_a_click_while_a_sheet_is_resumed_loses_no_input(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {"sheet-game": "chouine", "sheet-event": "Tournoi", "sheet-player-1": "Lucie"}
    resumed = {"id": "a1", "fields": fields, "lines": [{"points 1": "57"}]}
    for writes in range(6):  # the draft, two inputs emptied, three set
        state = Interrupted({DRAFT_KEY: SheetDraft(), "sheet-event": "", "sheet-player-1": "Jean"})
        state |= {"sheet-resumed": resumed}
        monkeypatch.setattr(sheet_draft, "st", SimpleNamespace(session_state=state))
        state.writes = writes
        with pytest.raises(InterruptedError):
            sheet_draft.open_draft()
        state.writes = 99
        draft = sheet_draft.open_draft()
        sheet_draft.read_fields(draft)
        assert (draft.fields, draft.lines) == (fields, [{"points 1": "57"}])
        assert "sheet-resumed" not in state
