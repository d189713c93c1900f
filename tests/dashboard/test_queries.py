"""Queries against a small store, compared with what the documents say."""

import json
import math
from datetime import date
from io import BytesIO

import polars as pl
import pytest

from dashboard.figures import announcement_charts as announcement_figures
from dashboard.figures import announcement_charts as contract_figures
from dashboard.figures import percent_text
from dashboard.figures import player_charts as player_figures
from dashboard.queries import (
    announcements,
    contracts,
    exclusions,
    matches,
    player_search,
    players,
    results,
    scope,
)
from dashboard.queries.intervals import wilson_interval
from dashboard.queries.scope import Scope, available_scopes
from dashboard.tables.announcement_tables import FREQUENCY_COLUMNS
from dashboard.views import profile as profile_view
from engine.chouine.actions import combination_kind
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.slow_path import validate
from tests.dashboard.conftest import HOSTILE, LONG, NAMES, documents, lines, simulated

FRENCH = translator("fr", "dashboard")


def test_wilson_is_the_textbook_interval():
    low, high = wilson_interval(8, 10)
    assert low == pytest.approx(0.4902, abs=5e-4)
    assert high == pytest.approx(0.9433, abs=5e-4)
    assert wilson_interval(0, 0) == (0, 1)
    assert wilson_interval(0, 20)[0] == 0
    assert wilson_interval(20, 20)[1] == 1


def test_matches_come_last_played_first(cursor):
    frame = matches.match_page(cursor)
    played = frame["played_at"].drop_nulls().to_list()
    assert played == sorted(played, reverse=True)
    assert frame.height == matches.count_matches(cursor) == 9
    assert frame.row(0, named=True)["names"] == [NAMES[1], NAMES[2]]


def test_a_frequency_and_its_interval_have_two_digits():
    row = {"share": 0.0123, "low": 0.01, "high": 0.0155, "n": 1000}
    cells = {column.label: column.cell for column in FREQUENCY_COLUMNS}
    assert cells["Frequency"](row, FRENCH) == "1,23\u202f%"
    assert cells["95% interval"](row, FRENCH) == "1,00\u202f% – 1,55\u202f%"


def test_matches_added_last_come_first(cursor):
    numbers = matches.match_page(cursor, sort="added")["match_no"].to_list()
    assert numbers == sorted(numbers, reverse=True)
    assert len({*numbers}) == 9


def test_pages_of_matches_do_not_overlap(cursor):
    pages = [matches.match_page(cursor, limit=4, offset=offset)["match_no"].to_list() for offset in (0, 4, 8)]
    assert [len(page) for page in pages] == [4, 4, 1]
    assert len({number for page in pages for number in page}) == 9


@pytest.mark.parametrize(
    ("words", "found"),
    [("ZOE", 4), ("zoé d’o", 4), ("m3", 1), ("championnat", 6), ("'; DROP TABLE", 3), ("%", 0), ("  ", 9)],
)
def test_words_find_names_events_and_ids_without_accents(cursor, words, found):
    assert matches.count_matches(cursor, matches.MatchFilter(words)) == found
    assert matches.match_page(cursor, matches.MatchFilter(words)).height == found


def test_statuses_and_rules_filter(cursor):
    assert matches.count_matches(cursor, matches.MatchFilter(statuses=("irregular", "broken"))) == 2
    assert matches.count_matches(cursor, matches.MatchFilter(statuses=("no such",))) == 0
    assert matches.count_matches(cursor, matches.MatchFilter(preset="lavardin", statuses=("legal",))) == 6
    assert matches.count_matches(cursor, matches.MatchFilter(files=(0,))) == 6
    assert matches.used_presets(cursor) == ["lavardin"]


def test_totals_count_every_match_once(cursor):
    totals = matches.store_totals(cursor)
    statuses = ("legal", "irregular", "incomplete", "broken", "unreadable")
    assert sum(totals.get(status, 0) for status in statuses) == totals["matches"] == 9
    assert totals["files"] == 4


def test_players_have_their_parties_wins_and_points(cursor):
    frame = players.players_table(cursor)
    for name in NAMES:
        parties, wins, points = 0, 0, 0
        for match in documents():
            for seat, player in enumerate(match["players"], 1):
                if player.get("name", player["id"]) != name:
                    continue
                for deal in match["deals"]:
                    if deal.get("winner"):
                        parties += 1
                        wins += deal["winner"] == seat
                        points += deal["points"][seat - 1]
        [row] = [row for row in frame.iter_rows(named=True) if row["name"] == name]
        assert (row["decided_deals"], row["wins"]) == (parties, wins)
        assert row["points"] == pytest.approx(points / parties)
        assert row["low"] < row["share"] < row["high"]


def test_a_players_points_are_one_for_each_partie(cursor):
    row = players.players_table(cursor, words="jean").row(0, named=True)
    frame = results.points_distribution(cursor, Scope(), row["player_no"])
    assert frame["n"].sum() == row["decided_deals"]
    assert frame["wins"].sum() == row["wins"]
    [average] = results.average_measures(cursor, Scope(), row["player_no"]).rows(named=True)[:1]
    assert average["mean"] == pytest.approx(row["points"])
    assert players.count_players(cursor, words="nobody") == 0


def test_frequencies_agree_with_the_replays(cursor):
    frame = announcements.announcement_frequencies(cursor, Scope())
    expected: dict[tuple[str, bool], int] = {}
    hands = 0
    for line in lines().splitlines():
        for replay in validate(line).replays:
            assert replay is not None
            state = replay.last.state
            for seat in range(2):
                hands += 1
                counted = int(state["counted"][seat])
                keys = {
                    (combination_kind(bit), bit < 16 and bit & 3 == int(state["trump"]))
                    for bit in range(18)
                    if counted >> bit & 1
                }
                for key in keys:
                    expected[key] = expected.get(key, 0) + 1
    found = {
        (row["kind"], row["trump"]): row["counted"] for row in frame.iter_rows(named=True) if row["counted"]
    }
    assert found == expected
    assert set(frame["n"]) == {hands}


def test_the_four_facts_of_an_announcement_are_nested(cursor):
    frame = announcements.announcement_frequencies(cursor, Scope())
    assert (frame["announced"] >= frame["shown"]).all()
    assert (frame["shown"] >= frame["counted"]).all()
    assert frame["held"].sum() > frame["announced"].sum()


def test_deals_that_are_not_legal_are_left_out_and_counted(cursor):
    counted, out = scope.count_deals(cursor, Scope())
    assert counted == sum(len(match["deals"]) for match in documents())
    assert out == 2  # the two faulty logs have one deal each
    assert announcements.announcement_frequencies(cursor, Scope(player_count=4)).height == 0


def test_one_players_frequencies_have_that_players_hands(cursor):
    row = players.players_table(cursor, words="jean").row(0, named=True)
    frame = announcements.announcement_frequencies(cursor, Scope(), player_no=row["player_no"])
    assert set(frame["n"]) >= {row["decided_deals"]} or min(frame["n"]) >= row["decided_deals"]
    assert max(frame["n"]) < sum(2 * len(match["deals"]) for match in documents())


@pytest.mark.slow
def test_figures_show_every_row_with_its_interval(cursor):
    frame = announcements.announcement_frequencies(cursor, Scope())
    figure = announcement_figures.frequency_figure(frame, FRENCH)
    assert sum(len(trace.x) for trace in figure.data) == frame.height
    assert all(min(trace.error_y.arrayminus) >= -1e-9 for trace in figure.data if len(trace.x))
    table = players.players_table(cursor)
    wins = player_figures.wins_figure(table, FRENCH)
    assert len(wins.data[0].x) == table.height
    assert max(wins.data[0].x) == pytest.approx(max(100 * table["share"]))
    spread = results.points_distribution(cursor, Scope(), 0)
    figure = player_figures.points_figure(spread, FRENCH)
    assert sum(sum(trace.y) for trace in figure.data) == spread["n"].sum()


@pytest.mark.slow
def test_figures_never_mix_games_or_tables(every_cursor):
    found = available_scopes(every_cursor)
    assert set(found["game"]) == {"chouine", "coinche", "chouineurs", "belote"}
    assert found["deals"].to_list() == sorted(found["deals"], reverse=True)
    counted = 0
    for row in found.iter_rows(named=True):
        which = Scope(row["game"], row["player_count"], row["preset"])
        deals, out = scope.count_deals(every_cursor, which)
        assert (deals, out) == (row["deals"], 0)
        table = players.players_table(every_cursor, which)
        assert players.count_players(every_cursor, which) == table.height
        won = deals - exclusions.exclusion_counts(every_cursor, which, decided=True)["deals"].sum()
        seats = row["player_count"] // 2 if row["game"] in {"belote", "coinche"} else 1
        assert table["wins"].sum() == won * seats
        assert table["decided_deals"].sum() == won * row["player_count"]
        counted += deals
    every = every_cursor.execute("SELECT count(*) FROM deals WHERE void IS NULL").fetchone()
    assert every == (counted,)


@pytest.mark.slow
def test_contracts_agree_with_the_replays(every_cursor):
    expected: dict[int, list[int]] = {}
    for match in simulated("coinche", "tournoi-2018", 4):
        for replay in validate(json.dumps(match).encode()).replays:
            assert replay is not None
            state = replay.last.state
            if (level := int(state["contract"])) >= 0:
                row = expected.setdefault(level, [0, 0, 0, 0])
                row[0] += 1
                row[1] += int(state["coinched"]) > 0
                row[2] += int(state["made"]) >= 0
                row[3] += int(state["made"]) == 1
    which = Scope("coinche", 4)
    frame = contracts.contracts(every_cursor, which)
    columns = ("level", "taken", "contracts_coinched", "decided", "made")
    assert {row[0]: list(row[1:]) for row in frame.select(columns).iter_rows()} == expected
    deals, _ = scope.count_deals(every_cursor, which)
    assert set(frame["n"]) == {deals}
    figure = contract_figures.contracts_figure(frame, FRENCH)
    assert len(figure.data[0].x) == frame.filter(frame["decided"] > 0).height
    table = players.players_table(every_cursor, which)
    for player in table.iter_rows(named=True):
        own = results.bid_contracts(every_cursor, which, player["player_no"])
        assert own.filter(by="level")["taken"].sum() >= player["contracts"] >= player["contracts_made"]


def test_the_store_is_summed_up_game_by_game(every_cursor):
    frame = matches.count_by_game(every_cursor)
    matches_by_game = {"chouine": 12, "belote": 4, "coinche": 2, "chouineurs": 8}
    assert dict(frame.select("game", "matches").iter_rows()) == matches_by_game
    assert frame["matches"].to_list() == frame["legal"].to_list()
    assert frame["matches"].sum() == matches.count_matches(every_cursor)
    for game in frame["game"]:
        row = frame.filter(frame["game"] == game).row(0, named=True)
        assert matches.count_matches(every_cursor, matches.MatchFilter(game=game)) == row["matches"]
    assert matches.used_presets(every_cursor, "chouine") == ["lavardin", "mondoubleau"]
    assert matches.used_presets(every_cursor, "coinche") == ["tournoi-2018"]


def test_unreadable_logs_are_a_row_without_a_game(cursor):
    frame = matches.count_by_game(cursor)
    assert frame.filter(frame["game"].is_null())["matches"].to_list() == [1]


def test_names_in_a_figure_are_no_markup(cursor):
    figure = player_figures.wins_figure(players.players_table(cursor), FRENCH)
    names = list(figure.layout.yaxis.ticktext)
    assert not any("<b>" in name for name in names)
    assert any("&lt;b&gt;Bobby" in name for name in names)
    assert max(map(len, names)) < len(LONG)
    assert any(HOSTILE[3:8] in data[0] for data in figure.data[0].customdata)


def test_per_cent_in_each_language():
    assert percent_text(0.1234, FRENCH) == "12,3\N{NARROW NO-BREAK SPACE}%"
    assert percent_text(0.1234, translator("en", "dashboard")) == "12.3%"
    assert math.isclose(float(percent_text(0.5, translator("en")).rstrip("%")), 50)


# the scope of statistics


def counted(cursor, **narrower):
    """How many deals such a scope counts."""
    return scope.count_deals(cursor, Scope(**narrower))[0]


def test_a_scope_counts_from_and_to_a_day_the_last_one_included(cursor):
    lengths = [len(match["deals"]) for match in documents()]  # played on 1 … 6 March 2026
    day = {one: date(2026, 3, one) for one in range(1, 8)}
    assert counted(cursor, since=day[2]) == sum(lengths[1:])
    assert counted(cursor, since=day[2], until=day[4]) == sum(lengths[1:4])
    assert counted(cursor, since=day[7]) == 0


def test_a_scope_keeps_to_an_event_and_a_source(cursor):
    [event] = scope.used_names(cursor, "event", Scope())
    assert counted(cursor, event=event) == sum(len(match["deals"]) for match in documents())
    assert counted(cursor, event="'; DROP TABLE matches;--") == 0
    assert counted(cursor, source="nobody") == 0


def test_a_scope_counts_other_statuses_when_asked(cursor):
    every = counted(cursor, statuses=("legal", "broken"))
    assert every > counted(cursor)
    assert counted(cursor, statuses=()) == 0


def test_an_opponent_sits_on_another_side(every_cursor):
    coinche = simulated("coinche", "tournoi-2018", 4)
    ids = [player["id"] for player in coinche[0]["players"]]
    numbers = {one: player_search.find_player(every_cursor, one) for one in ids}
    table = players.players_table(every_cursor, Scope("coinche", 4, opponent=numbers[ids[0]]))
    against = {
        one["id"]
        for match in coinche
        for place, one in enumerate(match["players"])
        for other, them in enumerate(match["players"])
        if them["id"] == ids[0] and (place - other) % 2
    }
    assert set(table["player_id"]) == against


def test_a_player_is_found_by_id_label_name_and_part_of_it(cursor):
    offered = dict(player_search.frequent_players(cursor).select("label", "player_no").iter_rows())
    assert set(NAMES) <= set(offered)
    assert player_search.find_player(cursor, "zoe") == offered["Zoé d’Orléans"]
    assert player_search.find_player(cursor, HOSTILE) == offered[HOSTILE]
    assert player_search.find_player(cursor, "nobody at all") is None
    assert player_search.find_player(cursor, " ") is None


@pytest.mark.slow
def test_players_of_one_name_are_distinguished_by_their_ids(path):
    first, second = documents()[:2]
    pair = [
        match | {"players": [{"id": f"jean-{i}", "name": "Jean"}, match["players"][1]]}
        for i, match in enumerate((first, second))
    ]
    text = "\n".join(json.dumps(match) for match in pair).encode()
    with Store(path) as store:
        list(ingest(store, [("jean.jsonl", BytesIO(text))]))
        labels = player_search.frequent_players(store.cursor())["label"]
        assert {"Jean (jean-0)", "Jean (jean-1)"} <= set(labels)
        numbers = [player_search.find_player(store.cursor(), f"Jean (jean-{i})") for i in (0, 1)]
    assert len(set(numbers)) == 2


def test_a_chart_of_contracts_names_the_bids_of_its_game() -> None:
    rows = {"level": [0, 1, 42], "share": [0.5] * 3, "low": [0.4] * 3, "high": [0.6] * 3}
    frame = pl.DataFrame(rows | {"decided": [30] * 3, "made": [15] * 3})
    for game, labels in (("belote", ["pris", "80", "capot"]), ("coinche", ["60", "70"])):
        shown = frame.head(len(labels))
        assert list(contract_figures.contracts_figure(shown, FRENCH, game).data[0].x) == labels


@pytest.mark.slow
def test_the_chart_of_a_player_s_contracts_is_of_the_player_s_game(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    monkeypatch.setattr(profile_view, "show_clickable_chart", lambda *shown: None)
    monkeypatch.setattr(profile_view, "_show_table", lambda *shown: None)
    monkeypatch.setattr(contract_figures, "contracts_figure", lambda frame, t, game: drawn.append(game))
    frame = pl.DataFrame({"by": ["level"], "level": [0], "decided": [3]})
    profile_view._show_contracts("contracts", frame, Scope("belote", 4), 1, FRENCH)
    assert drawn == ["belote"]
