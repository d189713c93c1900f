"""Two players or two pairs face to face, against counts made by hand in the logs that ship."""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.figures import player_charts as figures
from dashboard.queries import head_to_head, player_deals, player_search
from dashboard.queries.intervals import newcombe_interval, wilson_interval
from dashboard.queries.scope import Scope
from ingest.i18n import translator
from ingest.store import ratings
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from tests.dashboard.conftest import Open, Stored
from tests.dashboard.tables import open_row, tables_of

DATA = Path(__file__).parents[2] / "data"
TWO, FOUR, COINCHE = Scope(preset="lavardin"), Scope(player_count=4), Scope("coinche", 4)
FRENCH = translator("fr", "dashboard")


def sheet(name: str, **other: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return document | other


def won_by(winner: int, day: int) -> dict[str, Any]:
    """A match in March that Lucie (1) or Marcel (2) won: one partie of the sheet is a match.

    The second party of `match-lavardin` went to Lucie by 112 to 38; with the players changed over
    it is Marcel's, by as much.
    """
    first = sheet("match-lavardin")
    players = first["players"] if winner == 1 else first["players"][::-1]
    return {key: first[key] for key in ("format", "game")} | {
        "rules": {"preset": "lavardin", "parties": 1, "manches": 1},
        "id": f"day-{day}",
        "played_at": f"2026-03-{day:02d}T14:00:00+01:00",
        "players": players,
        "deals": [first["deals"][1]],
    }


def fill(path: Path, *matches: dict[str, Any]) -> None:
    with Store(path) as store:
        add(store, *matches)
        ratings.refresh_ratings(store)


def add(store: Store, *matches: dict[str, Any]) -> None:
    text = "\n".join(json.dumps(one) for one in matches).encode()
    [report] = list(ingest(store, [("matches.jsonl", BytesIO(text))], on_conflict=OnConflict.BOTH))
    assert report.by_status["legal"] == len(matches)


@pytest.fixture
def cursor(path: Path, stored: Stored) -> Iterator[duckdb.DuckDBPyConnection]:
    """The long match of two, one at four and one of Coinche."""
    matches = sheet("match-lavardin"), sheet("match-a-quatre"), sheet("match-coinche")
    stored("duels", lambda store: add(store, *matches))
    with Store(path, read_only=True) as store:
        yield store.cursor()


def side(cursor: duckdb.DuckDBPyConnection, *ids: str) -> tuple[int, ...]:
    found = [player_search.player_by_id(cursor, one) for one in ids]
    return tuple(one[0] for one in found if one is not None)


def test_matches_and_deals_are_those_of_the_sheet(cursor):
    lucie, marcel = side(cursor, "lucie"), side(cursor, "marcel")
    # one match, of its 13 parties Lucie won 10 and Marcel 2
    frame = head_to_head.score_table(cursor, TWO, lucie, marcel)
    assert frame.select("figure", "k", "second_k", "n").rows() == [("matches", 1, 0, 1), ("deals", 10, 2, 12)]
    assert (frame["low"][1], frame["high"][1]) == wilson_interval(10, 12)
    turned = head_to_head.score_table(cursor, TWO, marcel, lucie)
    assert turned["k"].to_list() == [0, 2]


def test_the_margin_is_the_mean_of_the_differences(cursor):
    lucie, marcel = side(cursor, "lucie"), side(cursor, "marcel")
    [one] = head_to_head.margins(cursor, TWO, lucie, marcel).rows(named=True)
    # 1275 points of Lucie in the twelve parties somebody won, 715 of Marcel
    assert one["margin"] == pytest.approx((1275 - 715) / 12)
    assert one["margin_low"] < one["margin"] < one["margin_high"]
    frame = head_to_head.widest_margins(cursor, TWO, lucie, marcel)
    # 147 to 43 in the twelfth; 81 to 99 in the eleventh
    assert frame.select("side", "margin", "deal_number").rows() == [("first", 104, 12), ("second", 18, 11)]


def test_who_leads_which_announcement_has_newcombes_interval(cursor):
    lucie, marcel = side(cursor, "lucie"), side(cursor, "marcel")
    frame = head_to_head.announcement_counts(cursor, TWO, lucie, marcel)
    # plain mariages: Lucie in parties 2, 4, 6, 11 and 13, Marcel in 4 and 5; the one of party 8 in
    # trump. All 13 hands count, those of the null partie too
    first = frame.row(0, named=True)
    assert (first["kind"], first["trump"], first["k"], first["second_k"]) == ("mariage", False, 5, 2)
    assert set(frame["n"]) == {13}
    assert (first["low"], first["high"]) == newcombe_interval(5, 13, 2, 13)
    assert first["leads"] is None  # zero lies between


def test_the_deals_behind_a_row(cursor):
    lucie, marcel = side(cursor, "lucie"), side(cursor, "marcel")
    # nobody won party 3; Marcel won 10 and 11
    frame = player_deals.list_hands(cursor, head_to_head.hands_behind(TWO, lucie, marcel))
    assert frame["deal_number"].to_list() == [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 2, 1]
    assert frame.filter(player="Marcel").select("deal_number", "points").rows() == [(11, 99), (10, 70)]
    assert set(frame["won"]) == {True}
    assert player_deals.list_hands(cursor, head_to_head.hands_behind(TWO, marcel, lucie)).equals(frame)
    # plain mariages in the order of play: two in party 4, one each side
    hands = head_to_head.hands_behind(TWO, lucie, marcel, ("mariage", False))
    result = player_deals.list_hands(cursor, hands)
    assert result.select("deal_number", "player").rows() == [
        (13, "Lucie"),
        (11, "Lucie"),
        (6, "Lucie"),
        (5, "Marcel"),
        (4, "Lucie"),
        (4, "Marcel"),
        (2, "Lucie"),
    ]
    assert player_deals.list_hands(cursor, hands, 2, 1).equals(result[1:3])


def test_the_deals_behind_a_row_are_as_many_as_it_counts(cursor):
    tables = [
        (TWO, side(cursor, "lucie"), side(cursor, "marcel")),
        (FOUR, side(cursor, "lucie"), side(cursor, "marcel")),
        (COINCHE, side(cursor, "lucie", "odile"), side(cursor, "gaston", "marcel")),
    ]
    for request in tables:
        assert (
            player_deals.count_hands(cursor, head_to_head.hands_behind(*request))
            == head_to_head.score_table(cursor, *request)["n"][1]
        )
        for row in head_to_head.announcement_counts(cursor, *request).iter_rows(named=True):
            values = (row["kind"], row["trump"])
            hands = head_to_head.hands_behind(*request, values)
            assert player_deals.count_hands(cursor, hands) == row["k"] + row["second_k"]


def test_at_four_alone_a_third_may_win(cursor):
    # the match went to Odile; of the eight parties Lucie won 2 and Marcel 2, of fewer points each
    lucie, marcel = side(cursor, "lucie"), side(cursor, "marcel")
    series = head_to_head.series_counts(cursor, FOUR, lucie, marcel)
    assert series == {
        "first": 0,
        "second": 0,
        "third": 1,
        "nobody": 0,
        "unfinished": 0,
        "partners": 0,
        "left_out": 0,
    }
    assert head_to_head.score_table(cursor, FOUR, lucie, marcel)["k"].to_list() == [0, 2]


def test_two_pairs_meet_when_all_four_sit_as_named(cursor):
    ours, theirs = side(cursor, "lucie", "odile"), side(cursor, "gaston", "marcel")
    assert head_to_head.series_counts(cursor, COINCHE, ours, theirs)["first"] == 1
    assert head_to_head.score_table(cursor, COINCHE, ours, theirs)["k"].to_list() == [1, 6]
    # 2030 marks to 830, of ten deals that somebody won
    [one] = head_to_head.margins(cursor, COINCHE, ours, theirs).rows(named=True)
    assert one["margin"] == pytest.approx((2030 - 830) / 10)
    crossed = side(cursor, "lucie", "gaston"), side(cursor, "odile", "marcel")
    assert not any(head_to_head.series_counts(cursor, COINCHE, *crossed).values())
    assert (
        head_to_head.series_counts(cursor, COINCHE, side(cursor, "lucie"), side(cursor, "odile"))["partners"]
        == 1
    )


def test_streaks_are_counted_in_the_order_of_play(path: Path):
    # Lucie, Marcel, Marcel, Lucie, Lucie, Lucie; added in another order
    days = {1: 1, 2: 2, 3: 2, 4: 1, 5: 1, 6: 1}
    fill(path, *(won_by(days[day], day) for day in (4, 2, 6, 1, 3, 5)))
    with Store(path, read_only=True) as store:
        cursor = store.cursor()
        lucie, marcel = side(cursor, "lucie"), side(cursor, "marcel")
        found = head_to_head.opposed_matches(cursor, TWO, lucie, marcel)
        frame = head_to_head.streaks(found)
        ids = dict(cursor.execute("SELECT log_id, match_id FROM matches").fetchall())
    assert found["won"].to_list() == ["first", "second", "second", "first", "first", "first"]
    assert [
        (row["side"], row["now"], row["length"], row["played_on"].day, row["until"].day)
        for row in frame.iter_rows(named=True)
    ] == [("first", False, 3, 4, 6), ("second", False, 2, 2, 3), ("first", True, 3, 4, 6)]
    assert frame["match_id"].to_list() == [ids["day-4"], ids["day-2"], ids["day-4"]]
    figure = figures.lead_figure(found, FRENCH)
    assert list(figure.data[0].y) == [0, 1, 0, -1, 0, 1, 2]


@pytest.mark.slow
def test_an_unfinished_match_ends_no_series(path: Path):
    stopped = won_by(1, 2)
    stopped["rules"] = {"preset": "lavardin", "parties": 3, "manches": 1}
    fill(path, won_by(1, 1), stopped, won_by(1, 3))
    with Store(path, read_only=True) as store:
        cursor = store.cursor()
        found = head_to_head.opposed_matches(cursor, TWO, side(cursor, "lucie"), side(cursor, "marcel"))
        series = head_to_head.series_counts(cursor, TWO, side(cursor, "lucie"), side(cursor, "marcel"))
    assert found["won"].to_list() == ["first", "unfinished", "first"]
    assert series["unfinished"] == 1
    assert head_to_head.streaks(found)["length"].to_list() == [2, 2]


# the page


def test_the_page_has_both_sides_with_n_and_interval(path: Path, open_page: Open):
    fill(path, sheet("match-lavardin"), sheet("match-a-quatre"), sheet("match-coinche"))
    app = open_page("face_a_face", first="lucie", second="marcel", game="Chouine", lang="en", details="true")
    shown = tables_of(app)[0]
    assert shown["n"].tolist() == [1, 12]
    margin = next(one for one in app.metric if one.label.startswith("Average margin"))
    assert margin.value == ":gray[46.7]"  # twelve deals are few
    assert margin.delta.startswith("n = 12 · ")
    assert "opponent" not in [one.key for one in app.selectbox]
    links = [one.proto for one in app.get("page_link")]
    assert {"Lucie", "Marcel"} <= {link.label for link in links}
    assert any("player=lucie" in link.query_string for link in links)


def choose(app: AppTest, table: str, row: int) -> AppTest:
    return open_row(app, table, row)


def test_a_row_that_is_chosen_lists_its_deals(path: Path, open_page: Open):
    fill(path, sheet("match-lavardin"))
    query = {"first": "Lucie", "second": "Marcel", "lang": "en"}
    app = choose(open_page("face_a_face", **query), "duel-score", 1)
    assert "Deals found: 12" in [one.value for one in app.caption]
    [listed] = [one for one in tables_of(app) if "Deal" in one]
    assert listed["Deal"].to_list() == [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 2, 1]
    assert set(listed["open"]) == {"Replay"}
    app = choose(open_page("face_a_face", **query), "duel-leads", 0)
    assert "Deals found: 7" in [one.value for one in app.caption]
    [listed] = [one for one in tables_of(app) if "Deal" in one]
    assert listed["Player"].to_list().count("Lucie") == 5


def test_the_row_of_matches_lists_those_either_won(path: Path, open_page: Open):
    stopped = won_by(1, 9)
    stopped["rules"] = {"preset": "lavardin", "parties": 3, "manches": 1}
    fill(path, won_by(1, 1), won_by(2, 2), stopped)
    for lang, result in (("en", "Matches found: 2"), ("fr", "Rencontres trouvées\N{NO-BREAK SPACE}: 2")):
        app = open_page("face_a_face", first="Lucie", second="Marcel", lang=lang)
        app = choose(app, "duel-score", 0)
        assert result in [one.value for one in app.caption]
        [won, every] = [one for one in tables_of(app) if len(one.columns) == 5]
        assert (len(won), len(every)) == (2, 3)


def test_pairs_are_chosen_where_there_are_partners(path: Path, open_page: Open):
    fill(path, sheet("match-coinche"))
    query = {"first": "lucie", "second": "gaston", "first_partner": "odile", "second_partner": "marcel"}
    app = open_page("face_a_face", **query, lang="en")
    figures = {one.label.replace("\\", ""): one.value for one in app.metric}
    assert figures["Won by Lucie + Odile"] == "1"
    fields = [app.selectbox(key=key).value for key in query]
    assert fields == ["Lucie", "Gaston", "Odile", "Marcel"]  # their names, where the address has ids
    query["first_partner"] = "marcel"
    assert "have not met" in open_page("face_a_face", **query, lang="en").info[0].value


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_partners_alone_are_reported_as_such(path: Path, open_page: Open, lang: str):
    fill(path, sheet("match-coinche"))
    app = open_page("face_a_face", first="lucie", second="odile", lang=lang)
    assert [one.value for one in app.metric][-1] == "1"
    assert not tables_of(app)


@pytest.mark.parametrize(
    "query",
    [
        {"page": "999"},
        {"page": "x", "game": "bridge"},
        {"first_partner": "'; --", "since": "yesterday"},
        {"status": "broken"},
        {"event": "<b>"},
    ],
)
@pytest.mark.sample("query1", "query2")
def test_an_address_that_means_nothing_is_no_traceback(path: Path, open_page: Open, query):
    fill(path, *(won_by(1 + day % 2, day) for day in range(1, 29)), sheet("match-coinche"))
    app = open_page("face_a_face", first="lucie", second="marcel", **query)
    assert app.metric or app.info
