"""One player's figures, each against a value counted by hand in the logs that ship.

The numbers in comments are those a reader finds in `data/match-*.json`.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from dashboard.figures import player_charts as figures
from dashboard.queries import contracts, fairness, luck, player_deals, player_search, results
from dashboard.queries.exclusions import undecided_deals
from dashboard.queries.intervals import wilson_interval
from dashboard.queries.scope import Scope, available_scopes
from dashboard.tables import profile
from dashboard.tables.profile import SECTIONS, rows_with_few
from dashboard.tables.profile import section_rows as reported
from dashboard.text.numbers import short_name
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.store.pseudonyms import mask_player
from tests.dashboard.conftest import Open, Stored
from tests.dashboard.tables import open_row, tables_of

DATA = Path(__file__).parents[2] / "data"
FILES = ("lavardin", "mondoubleau", "a-trois", "a-quatre", "coinche", "chouineurs")
CHOUINE, COINCHE, CHOUINEURS = Scope(preset="lavardin"), Scope("coinche", 4), Scope("chouineurs", 3)
PLAIN, FRENCH = translator("en", "dashboard"), translator("fr", "dashboard")


@pytest.fixture
def shipped(stored: Stored) -> Path:
    """A store with a match of each table that ships; Lucie sits in every one."""

    def fill(store: Store) -> None:
        reports = list(ingest(store, [DATA / f"match-{name}.json" for name in FILES]))
        assert sum(report.by_status["legal"] for report in reports) == len(FILES)

    return stored("shipped", fill)


@pytest.fixture
def cursor(shipped: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with Store(shipped, read_only=True) as store:
        yield store.cursor()


@pytest.fixture
def lucie(cursor: duckdb.DuckDBPyConnection) -> int:
    found = player_search.player_by_id(cursor, "lucie")
    assert found is not None
    assert found[1] == "Lucie"
    return found[0]


def row(frame: pl.DataFrame, **wanted: object) -> dict[str, Any]:
    """The one row of a frame with these values."""
    [found] = [
        one
        for one in frame.iter_rows(named=True)
        if all(one[name] == value for name, value in wanted.items())
    ]
    return found


# match-lavardin: Lucie has seat 1 and won all of 13 parties but the 3rd, null at 65, and the
# 10th (60 to 70) and 11th (81 to 99), which Marcel won


@pytest.mark.slow
def test_results_are_those_of_the_sheet(cursor, lucie):
    frame = results.win_results(cursor, CHOUINE, lucie)
    everything = row(frame, by="all")
    assert (everything["matches"], everything["n"], everything["wins"]) == (1, 12, 10)
    # 87 + 112 + 121 + 131 + 94 + 121 + 99 + 83 + 60 + 81 + 147 + 139 = 1275
    assert everything["points"] == 1275 / 12
    assert (everything["low"], everything["high"]) == wilson_interval(10, 12)
    # of parties 1, 4, 6, 8, 10 and 12 Lucie was the dealer; of the others but the null one Marcel
    dealt, other = row(frame, by="dealer", value="true"), row(frame, by="dealer", value="false")
    assert (dealt["n"], dealt["wins"]) == (6, 5)
    assert dealt["points"] == pytest.approx((87 + 121 + 94 + 99 + 60 + 147) / 6)
    assert (other["n"], other["wins"]) == (6, 5)
    assert row(frame, by="seat", value="1")["n"] == row(frame, by="preset", value="lavardin")["n"]


def test_a_mean_has_the_normal_interval(cursor, lucie):
    frame = results.win_results(cursor, CHOUINE, lucie)
    seen = [87, 112, 121, 131, 94, 121, 99, 83, 60, 81, 147, 139]
    spread = 1.96 * float(np.std(seen, ddof=1)) / math.sqrt(12)
    everything = row(frame, by="all")
    assert everything["points_low"] == pytest.approx(1275 / 12 - spread)
    assert everything["points_high"] == pytest.approx(1275 / 12 + spread)


def test_left_out_deals_are_named_by_their_reason(cursor, lucie):
    assert undecided_deals(cursor, CHOUINE, lucie).rows() == [("null", 1)]
    # the first deal of the coinche was passed by all, the fourth was a maldonne
    assert sorted(undecided_deals(cursor, COINCHE, lucie).rows()) == [("null", 1), ("void", 1)]


def test_every_table_has_a_row_and_what_all_alike_would_win(cursor, lucie):
    frame = results.results_by_table(cursor, CHOUINE, lucie)
    counted = {(r["game"], r["player_count"], r["preset"]): r for r in frame.iter_rows(named=True)}
    assert {key: (one["n"], one["wins"]) for key, one in counted.items()} == {
        ("chouine", 2, "lavardin"): (12, 10),
        ("chouine", 2, "mondoubleau"): (4, 1),  # Lucie has seat 2 and won the first
        ("chouine", 3, "lavardin"): (5, 0),
        ("chouine", 4, "lavardin"): (8, 2),  # the 1st and the 7th
        ("coinche", 4, "tournoi-2018"): (10, 6),  # 2, 3, 5, 6, 7 and 12 of twelve
        ("chouineurs", 3, "blam"): (3, 0),  # the first manche was drawn
    }
    assert counted["chouine", 4, "lavardin"]["fair"] == 1 / 4
    assert counted["coinche", 4, "tournoi-2018"]["fair"] == 1 / 2


def test_ch_30_sous_la_table_is_given_in_a_manche_won_and_taken_in_one_lost(cursor, lucie):
    # the first manche ended 5 to 0, the second 5 to 2: two manches won, one of them under
    frame = results.match_results(cursor, CHOUINE, lucie)
    assert frame.select("figure", "k", "n").rows() == [
        ("match", 1, 1),
        ("manche", 2, 2),
        ("shutouts_given", 1, 2),
        ("shutouts_taken", 0, 0),
    ]
    marcel = player_search.player_by_id(cursor, "marcel")
    assert marcel is not None
    frame = results.match_results(cursor, CHOUINE, marcel[0])
    assert frame.select("figure", "k", "n").rows() == [
        ("match", 0, 1),
        ("manche", 0, 2),
        ("shutouts_given", 0, 0),
        ("shutouts_taken", 1, 2),
    ]
    assert frame["share"].to_list() == [0, 0, None, 0.5]


def test_coinche_counts_matches_alone(cursor, lucie):
    frame = results.match_results(cursor, COINCHE, lucie)
    assert frame.select("figure", "k", "n").rows() == [("match", 1, 1)]
    assert results.matches_behind(cursor, COINCHE, lucie, "match")["won"].to_list() == [True]


def test_the_matches_behind_matches_and_manches(cursor, lucie):
    # one match at two: Lucie won both manches, Marcel was under the table in the first
    marcel = player_search.player_by_id(cursor, "marcel")
    assert marcel is not None
    values = ("won", "manches", "lost", "given", "taken")
    for what in ("match", "manche", "shutouts_given"):
        frame = results.matches_behind(cursor, CHOUINE, lucie, what)
        assert frame.select(values).rows() == [(True, 2, 0, 1, 0)]
    assert not results.matches_behind(cursor, CHOUINE, lucie, "shutouts_taken").height
    assert not results.matches_behind(cursor, CHOUINE, marcel[0], "shutouts_given").height
    frame = results.matches_behind(cursor, CHOUINE, marcel[0], "shutouts_taken")
    assert frame.select(values).rows() == [(False, 0, 2, 0, 1)]
    # at three Odile won the only manche
    frame = results.matches_behind(cursor, Scope(player_count=3), lucie, "manche")
    assert frame.select(values).rows() == [(False, 0, 1, 0, 0)]
    with pytest.raises(KeyError):
        results.matches_behind(cursor, CHOUINE, lucie, "won")


def test_averages_say_how_the_deals_spread(cursor, lucie):
    frame = results.average_measures(cursor, CHOUINE, lucie)
    assert frame["measure"].to_list() == ["points", "card_points", "bonus", "brisques", "tricks"]
    one = row(frame, measure="points")
    # sorted: 60 81 83 87 94 99 112 121 121 131 139 147
    assert (one["least"], one["quarter"], one["median"]) == (60, 83, 99)
    assert (one["three_quarters"], one["most"], one["n"]) == (121, 147, 12)
    means = dict(frame.select("measure", "mean").iter_rows())
    # a mariage of 20 in parties 2, 4, 6, 11 and 13, of trump in 5; a tierce of 30 in 9, of trump
    # in 12; a quarteron of 40 in 7 and a quinte of 50 in 13
    assert means["bonus"] == pytest.approx((5 * 20 + 40 + 30 + 60 + 40 + 50) / 12)
    # what is no card and no announcement is ten for each last trick
    der = row(results.deal_events(cursor, CHOUINE, lucie), figure="der")["k"]
    assert 12 * (means["card_points"] + means["bonus"]) + 10 * der == pytest.approx(1275)


def test_points_are_spread_over_bars_of_ten(cursor, lucie):
    frame = results.points_distribution(cursor, CHOUINE, lucie)
    assert frame.select("least", "most", "n", "wins").rows() == [
        (60, 69, 1, 0),  # 60, lost
        (80, 89, 3, 2),  # 81 lost, 83 and 87 won
        (90, 99, 2, 2),
        (110, 119, 1, 1),
        (120, 129, 2, 2),
        (130, 139, 2, 2),
        (140, 149, 1, 1),
    ]


def test_the_7_is_exchanged_by_this_trick_or_before(cursor, lucie):
    # in the 8th party before the first card but one (trick 1), in the 5th after three cards
    # (trick 2), in the first after thirteen (trick 7); the exchange of the null one is left out
    frame = results.deal_events(cursor, CHOUINE, lucie)
    rows = frame.select("figure", "trick", "k", "n").rows()
    assert rows[1:] == [("exchanged", None, 3, 12), ("sept", 1, 1, 3), ("sept", 2, 2, 3), ("sept", 7, 3, 3)]


def test_the_trend_rolls_over_the_last_deals_of_each_day(cursor, lucie):
    both = Scope()  # lavardin on 16 March, then mondoubleau on 18 March: lost but the first
    frame = results.win_trend(cursor, both, lucie)
    assert frame.select("day", "n", "wins").rows() == [
        (date(2026, 3, 16), 12, 10),
        (date(2026, 3, 18), 16, 11),
    ]
    frame = results.win_trend(cursor, both, lucie, rolled=3)
    assert frame.select("n", "wins", "points").rows() == [
        (3, 2, (81 + 147 + 139) / 3),  # the 11th lost, the 12th and the 13th won
        (3, 0, pytest.approx((64 + 65 + 84) / 3)),
    ]


def test_records_lead_to_their_deal(cursor, lucie):
    frame = results.player_records(cursor, CHOUINE, lucie)
    assert frame.select("record", "value", "deal_number").rows() == [
        ("points", 147, 12),
        ("margin", 147 - 43, 12),
        ("deals", 8, 1),  # the null one between is no loss
        ("matches", 1, 1),
    ]
    assert set(frame["match_id"]) == set(
        cursor.execute("SELECT match_id FROM matches WHERE log_id = 'match-lavardin'").fetchone()
    )
    assert frame["names"].to_list() == [["Lucie", "Marcel"]] * 4


@pytest.mark.slow
def test_a_record_set_twice_is_the_first_and_a_series_goes_on_in_the_next_match(path: Path):
    first = json.loads((DATA / "match-lavardin.json").read_text(encoding="utf-8"))
    again = first | {"id": "again", "played_at": "2026-03-17T14:00:00+01:00"}
    with Store(path) as store:
        # the later one is added first
        for document in (again, first):
            list(
                ingest(
                    store, [("one.json", BytesIO(json.dumps(document).encode()))], on_conflict=OnConflict.BOTH
                )
            )
        cursor = store.cursor()
        lucie = player_search.player_by_id(cursor, "lucie")
        assert lucie is not None
        frame = results.player_records(cursor, CHOUINE, lucie[0])
        [match_id] = cursor.execute(
            "SELECT match_id FROM matches WHERE log_id = 'match-lavardin'"
        ).fetchall()[0]
    assert frame.select("record", "value", "deal_number").rows() == [
        ("points", 147, 12),
        ("margin", 104, 12),
        ("deals", 10, 12),  # the 12th and 13th of the first match, then eight of the second
        ("matches", 2, 1),
    ]
    assert set(frame["match_id"]) == {match_id}
    assert [one.day for one in frame["until"][2:]] == [17, 17]


def test_who_never_won_has_no_series_and_no_margin(cursor, lucie):
    assert results.player_records(cursor, Scope(player_count=3), lucie)["record"].to_list() == ["points"]


# match-coinche: Lucie and Odile against Gaston and Marcel


def test_contracts_are_counted_by_height_suit_and_both(cursor, lucie):
    # hers: 90 of spades in the third deal, coinched and surcoinched; 60 of diamonds in the sixth.
    frame = results.bid_contracts(cursor, COINCHE, lucie)
    columns = ("by", "level", "suit", "taken", "contracts_coinched", "made", "failed", "decided")
    assert frame.select(columns).rows() == [
        ("all", None, None, 2, 1, 2, 0, 2),
        ("level", 0, None, 1, 0, 1, 0, 1),  # 60
        ("level", 3, None, 1, 1, 1, 0, 1),  # 90
        ("suit", None, 0, 1, 1, 1, 0, 1),  # spades
        ("suit", None, 2, 1, 0, 1, 0, 1),  # diamonds
        ("coinched", None, None, 1, 0, 1, 0, 1),
        ("coinched", None, None, 1, 1, 1, 0, 1),
        ("both", 0, 2, 1, 0, 1, 0, 1),
        ("both", 3, 0, 1, 1, 1, 0, 1),
    ]
    assert set(frame["n"]) == {11}  # a deal all passed was sat at, a maldonne was not


def test_partners_have_the_results_of_the_pair(cursor, lucie):
    [pair] = results.results_by_partner(cursor, COINCHE, lucie).rows(named=True)
    assert (pair["name"], pair["n"], pair["wins"]) == ("Odile", 10, 6)
    # 660 + 520 + 250 + 140 + 160 + 70 + 70 + 60 + 60 + 40
    assert pair["points"] == 2030 / 10


def test_an_opponent_is_no_partner(cursor, lucie):
    for other, together in (("odile", 10), ("gaston", 0)):
        found = player_search.player_by_id(cursor, other)
        assert found is not None
        assert player_deals.count_deals(cursor, COINCHE, lucie, {"partner": found[0]}) == together


# match-chouineurs: Lucie bid 3-4+, 1-2-3, 3-4+ and 2-3-4 for 2, 4, 2 and 9 points


def test_bid_cards_are_kept_or_not(cursor, lucie):
    frame = results.chosen_bid_cards(cursor, CHOUINEURS, lucie)
    assert frame.select("bid", "n", "bids_met", "points", "reserve").rows() == [
        (2, 1, 1, 4, 0),
        (3, 1, 1, 9, 0),
        (4, 2, 0, 2, 2),  # both manches only the two cards of the reserve
    ]
    names = [line["Bid card"] for line in reported("bid-cards", frame, "chouineurs", PLAIN)]
    assert names == ["1-2-3", "2-3-4", "3-4+"]


def test_chouiner_brought_four_of_seventeen_points(cursor, lucie):
    [one] = results.reserve_share(cursor, CHOUINEURS, lucie).rows(named=True)
    assert (one["n"], one["reserve"], one["points"], one["share"]) == (4, 4, 17, 4 / 17)


# luck


def test_luck_is_counted_against_the_mean_and_the_variance_of_the_pack(cursor, lucie):
    document = json.loads((DATA / "match-lavardin.json").read_text(encoding="utf-8"))
    worth = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
    received = 0
    for deal in document["deals"]:
        # all 32 cards are played, so a player's are those played; where the 7 was changed for the
        # retourne, each came to hand in the other's place
        mine = [word.split()[1] for word in deal["actions"] if word.startswith("1 ")]
        retourne = deal["talon"].split()[-1]
        came = {retourne: f"7{retourne[1]}", f"7{retourne[1]}": retourne}
        exchanged = any(word.endswith(" sept") for word in deal["actions"])
        cards = [came.get(card, card) if exchanged else card for card in mine if len(card) == 2]
        assert len(cards) == 16
        received += sum(worth.get(card[0], 0) for card in cards)
    [one] = luck.card_luck(cursor, CHOUINE, lucie).rows(named=True)
    assert (one["n"], one["received_cards"], one["received"]) == (13, 13 * 16, received)
    # 120 points on 32 cards: 3.75 a card. Squares: 4 (121 + 100 + 16 + 9 + 4) / 32 = 31.25, so
    # σ² = 31.25 - 14.0625 = 17.1875; a deal of 16 cards out of 32 varies by 16 σ² 16/31
    deviation = math.sqrt(13 * 16 * 17.1875 * 16 / 31)
    assert one["expected"] == 13 * 60
    assert one["difference"] == received - 780
    assert one["deviation"] == pytest.approx(deviation)
    assert one["sigmas"] == pytest.approx((received - 780) / deviation)
    assert one["low"] == pytest.approx(one["difference"] - 1.96 * deviation)
    assert one["per_deal_high"] == pytest.approx((one["difference"] + 1.96 * deviation) / 13)


def test_the_luck_of_two_at_one_table_cancels(cursor, lucie):
    marcel = player_search.player_by_id(cursor, "marcel")
    assert marcel is not None
    both = [luck.card_luck(cursor, CHOUINE, one)["difference"][0] for one in (lucie, marcel[0])]
    assert sum(both) == pytest.approx(0)


def test_the_spread_of_fair_deals_is_the_one_shuffling_gives():
    # the formula, held against hands drawn by lot from each pack
    random = np.random.default_rng(1)
    for game, cards in (("chouine", 16), ("coinche", 9)):
        pack = fairness.card_points(game)
        hands = random.permuted(np.tile(pack, (20_000, 1)), axis=1)[:, :cards].sum(axis=1)
        size = len(pack)
        variance = cards * pack.var() * (size - cards) / (size - 1)
        assert hands.mean() == pytest.approx(cards * pack.mean(), rel=0.01)
        assert hands.var() == pytest.approx(variance, rel=0.05)


def test_chouineurs_has_no_luck_with_points(cursor, lucie):
    assert luck.card_luck(cursor, CHOUINEURS, lucie).height == 0


# all of them together


def test_the_deals_behind_a_figure_are_as_many_as_it_counts(cursor, lucie):
    for what, narrow, n in (
        (CHOUINE, {"dealer": True}, 6),
        (CHOUINE, {"least": 80, "most": 89}, 3),
        (CHOUINE, {"sept": 2}, 2),
        (CHOUINE, {"exchanged": True}, 3),
        (CHOUINE, {"seat": "2"}, 0),
        (Scope(), {"preset": "mondoubleau"}, 4),
        (COINCHE, {"taken": True}, 2),
        (COINCHE, {"taken": True, "level": 3, "suit": 0}, 1),
        (COINCHE, {"taken": True, "coinched": True}, 1),
        (CHOUINEURS, {"bid": 4}, 1),  # of two, the manche that had a winner
    ):
        assert player_deals.count_deals(cursor, what, lucie, narrow) == n, narrow
        frame = player_deals.list_deals(cursor, what, lucie, narrow)
        assert frame.height == n
        assert all("Lucie" in names for names in frame["names"])
    assert player_deals.count_deals(cursor, CHOUINEURS, lucie, {"bid": 4}, decided=False) == 2


@pytest.mark.slow
def test_sections_are_those_of_the_game_and_worded_in_both_languages(cursor, lucie):
    for scope in (CHOUINE, COINCHE, CHOUINEURS):
        found = profile.player_sections(cursor, scope, lucie)
        assert ("announcements" in found) == (scope.game == "chouine")
        assert ("partners" in found) == (scope.game == "coinche")
        assert ("bid-cards" in found) == (scope.game == "chouineurs")
        for name, frame in found.items():
            assert name in SECTIONS
            if SECTIONS[name].columns:
                for t in (PLAIN, FRENCH):
                    assert len(reported(name, frame, scope.game, t)) == frame.height
                assert len(rows_with_few(name, frame)) == frame.height


def test_a_player_of_another_scope_has_no_sections(cursor, lucie):
    empty = profile.player_sections(cursor, Scope(event="nobody's"), lucie)
    assert set(empty) <= {"manches"}
    assert set(empty["manches"]["n"]) == {0}


def test_tables_of_a_player_are_those_the_player_sat_at(cursor, lucie):
    marcel = player_search.player_by_id(cursor, "marcel")
    assert marcel is not None
    assert available_scopes(cursor, lucie).height == 6
    assert set(available_scopes(cursor, lucie, marcel[0])["player_count"]) == {2, 4}
    assert player_search.player_by_id(cursor, "' OR 1=1 --") is None


def test_figures_draw_every_deal(cursor, lucie):
    bars = figures.points_figure(results.points_distribution(cursor, CHOUINE, lucie), FRENCH)
    assert sum(sum(trace.y) for trace in bars.data) == 12
    line = figures.trend_figure(results.win_trend(cursor, CHOUINE, lucie), FRENCH, 0.5)
    assert list(line.data[-1].y) == [pytest.approx(100 * 10 / 12)]
    [one] = luck.card_luck(cursor, CHOUINE, lucie).rows(named=True)
    bell = figures.luck_figure(one, FRENCH)
    assert bell.data[1].x[0] == pytest.approx(one["difference"] / 13)


def test_the_deals_behind_a_contract_are_the_declarers(cursor):
    # 80 was bid by Gaston in deals 8, 9 and 10 and made each time; level 3, 90, by Lucie in
    # deal 3, by Marcel in 5 (failed) and in 12, which the end of the match left open
    assert [
        player_deals.list_hands(cursor, contracts.hands_at_level(COINCHE, level))
        .select("deal_number", "player")
        .rows()
        for level in (2, 3)
    ] == [[(10, "Gaston"), (9, "Gaston"), (8, "Gaston")], [(12, "Marcel"), (5, "Marcel"), (3, "Lucie")]]
    frame = contracts.contracts(cursor, COINCHE)
    for level, taken in frame.select("level", "taken").rows():
        assert player_deals.count_hands(cursor, contracts.hands_at_level(COINCHE, level)) == taken
    hands = contracts.hands_at_level(COINCHE, 3)
    assert player_deals.list_hands(cursor, hands, 1, 1)["deal_number"].to_list() == [5]
    assert player_deals.list_hands(cursor, hands)["won"].to_list()[1] is False  # Marcel failed in 5
    abroad = replace(COINCHE, event="elsewhere")
    assert not player_deals.count_hands(cursor, contracts.hands_at_level(abroad, 3))


# the page


VIEWS = {"chouine": "announcements", "coinche": "contracts", "chouineurs": "bids"}


@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.parametrize("view", ["results", "points", "luck", "records", "own"])
@pytest.mark.sample("results-fr", "points-en", "luck-fr", "records-en", "own-fr")
def test_every_view_of_a_player_at_every_game(shipped, open_page: Open, view: str, lang: str):
    for game, own in VIEWS.items():
        shown = own if view == "own" else view
        app = open_page("joueurs", player="lucie", game=game.capitalize(), view=shown, lang=lang)
        assert app.title[0].value == "Lucie"
        assert tables_of(app)


def test_a_player_s_figures_say_n_and_interval_and_are_grey_when_few(shipped, open_page: Open):
    app = open_page("joueurs", player="lucie", lang="en")
    won = next(one for one in app.metric if one.label == "Won")
    assert won.value.startswith(":gray[")  # 16 deals are fewer than 20
    assert won.delta.startswith("n = 16 · ")
    assert "regles?term=share" in won.help
    assert any("without a winner 1" in one.value for one in app.caption)


def test_luck_says_what_it_does_not_mean(shipped, open_page: Open):
    result = open_page("joueurs", player="lucie", view="luck", lang="en").info[0].value
    assert "Not a measure of skill" in result
    assert "one in twenty is outside by chance" in result


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_a_row_of_matches_and_manches_lists_its_matches(shipped, open_page: Open, lang: str):
    heads = ["Manches", "Sous la table, given", "Sous la table, taken"]
    for game, row, columns in (("Chouine", 2, heads), ("Coinche", 0, [])):
        app = open_page("joueurs", player="lucie", game=game, lang=lang)
        open_row(app, "sheet-manches", row)
        found = FRENCH if lang == "fr" else PLAIN
        assert found("Matches found: {n}", n="1") in [one.value for one in app.caption]
        [listed, _] = [one for one in tables_of(app) if "open" in one]
        basic = ["Played on", "Players", "Score", "Result"]
        assert list(listed) == ["open", *(found(head) for head in basic + columns)]
        assert listed["open"].to_list() == [found("Replay")]
        if columns:
            assert listed.iloc[0, 3:].to_list() == ["2 – 0 (10 – 2)", found("W"), "2 – 0", 1, 0]


@pytest.mark.parametrize("player", ["nobody", "'; --", "0", "<b>", "LUCIE"])
def test_an_unknown_id_is_reported_above_all_players(shipped, open_page: Open, player: str):
    app = open_page("joueurs", player=player)
    assert "identifiant" in app.warning[0].value
    assert tables_of(app)


@pytest.mark.parametrize(
    "query",
    [
        {"view": "'; --"},
        {"game": "bridge", "player_count-chouine": "17", "since": "tomorrow"},
        {"view": "contracts", "game": "Chouine"},
        {"status": "broken"},
        {"event": "nobody's"},
        {"opponent": "lucie"},
    ],
)
def test_an_address_that_means_nothing_is_no_traceback(shipped, open_page: Open, query):
    app = open_page("joueurs", player="lucie", **query)
    assert app.metric or app.info


def test_a_masked_player_is_at_the_pseudonym_alone(shipped, open_page: Open):
    with Store(shipped) as store:
        found = player_search.player_by_id(store.cursor(), "lucie")
        assert found is not None
        result = mask_player(store, found[0])
    app = open_page("joueurs", player="lucie")
    assert app.warning
    assert "Lucie" not in tables_of(app)[0]["Nom"].tolist()
    app = open_page("joueurs", player=result, view="records")
    assert app.title[0].value == result
    shown = "".join(table.to_string() for table in tables_of(app))
    assert result in shown
    assert "Lucie" not in shown


def test_all_players_are_one_button_away(shipped, open_page: Open):
    app = open_page("joueurs", player="lucie")
    app.button(key="all-players").click().run()
    assert not app.exception
    assert "Marcel" in tables_of(app)[0]["Nom"].tolist()


def test_a_player_with_one_deal_has_every_view(path: Path, open_page: Open):
    with Store(path) as store:
        list(ingest(store, [DATA / "exemple-lavardin.json"]))
    for view in ("results", "points", "announcements", "luck", "records"):
        app = open_page("joueurs", player="charles", view=view)
        assert tables_of(app)


def test_hostile_names_have_pages_of_their_own(path: Path, open_page: Open):
    document = json.loads((DATA / "match-coinche.json").read_text(encoding="utf-8"))
    names = ["<b>A</b> :red[x] *y*", "'; DROP TABLE players;--", "é" * 300, "{value} %s"]
    for player, name in zip(document["players"], names, strict=True):
        player |= {"id": f"{name}&player=x", "name": name}
    with Store(path) as store:
        list(
            ingest(
                store, [("names.json", BytesIO(json.dumps(document).encode()))], on_conflict=OnConflict.BOTH
            )
        )
    for player in document["players"]:
        app = open_page("joueurs", player=player["id"], view="contracts")
        assert app.title[0].value.replace("\\", "") == short_name(player["name"])
        partner = tables_of(app)[-1]["Partenaire"].tolist()
        at = names.index(player["name"])
        assert partner == [names[(at + 2) % 4]]
