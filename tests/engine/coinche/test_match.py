"""Across deals: who deals, the race, stopping the game, the sheet: CO-14 to CO-16."""

from engine.coinche.match import parse_start, possible_winners, score, skip_unknown_deal
from engine.match import UNKNOWN_START, winner_in_log
from tests.engine.coinche.table import PASS_OUT, SPADES, Race, Table, auction, played


def spades() -> Table:
    """`SPADES` played out, dealt by seat 4: 210 to 40 on a bid of 90."""
    return Table(SPADES)(*auction("90s"), *played())


def stopped(bid: str, tricks: int, who: int, *words: str) -> Table:
    """`SPADES` until someone says that it is won."""
    return Table(SPADES)(*auction(bid, *words), *played(tricks=tricks), f"{who} won")


def test_co14_first_to_2000():
    race = Race(1780, 1950)
    race.add(spades())
    assert race.marks == [1990, 1990]
    assert race.winner == 0
    race = Race(1790, 1950)
    race.add(spades())
    assert race.marks == [2000, 1990]
    assert race.winner == 1


def test_co14_both_reach_it_the_bidding_side_wins():
    race = Race(1900, 1960)
    race.add(spades())
    assert race.marks == [2110, 2000]
    assert race.winner == 1
    race = Race(1800, 1999)
    table = Table(SPADES)("1 pass", "2 bid 60s", "3 pass", "4 pass", "1 pass", *played())
    race.add(table)
    assert race.marks == [2020, 1999]
    assert race.winner == 1


def test_co14_both_reach_it_and_the_second_side_had_bid():
    turned = [f"{int(word[0]) % 4 + 1}{word[1:]}" for word in [*auction("90s"), *played()]]
    table = Table((SPADES[3], *SPADES[:3]), dealer=1)(*turned)
    race = Race(1960, 1800, dealer=1)
    race.add(table)
    assert race.marks == [2000, 2010]
    assert race.winner == 2


def test_co14_the_defenders_win_when_they_alone_reach_it():
    race = Race(0, 1960)
    race.add(spades())
    assert race.winner == 2


def test_co14_the_target_is_an_option():
    table = Table(SPADES, {"preset": "tournoi-2018", "target": 1000})(*auction("90s"), *played())
    race = Race(800, 900)
    race.add(table)
    assert race.winner == 1


def test_co14_nothing_counts_after_the_end():
    race = Race(1900, 0)
    race.add(spades())
    assert race.add(spades()) == ["deal-after-match"]
    assert race.marks == [2110, 40]
    later = stopped("60s", 8, 1)
    race.declared(later, 180, 20)
    assert later["stop_good"] == -1


# nous avons gagné


def test_co15_declarers_stop_when_contract_and_points_reach_it():
    table = stopped("60s", 4, 3)
    assert table.marks == [60 + 70, 0]
    race = Race(1870, 1990)
    race.add(table)
    assert table["stop_good"] == 1
    assert race.marks == [2000, 1990]
    assert race.winner == 1


def test_co15_a_contract_not_reached_yet_brings_the_declarers_nothing():
    table = stopped("70s", 4, 1)
    assert table.marks == [0, 0]
    race = Race(1990, 1000)
    race.add(table)
    assert table["stop_good"] == 0
    assert race.marks == [1990, 1000]
    assert race.winner == 2


def test_co15_defenders_stop_with_their_points_so_far():
    table = stopped("130s", 8, 4)
    assert table.marks == [0, 20]
    race = Race(1900, 1980)
    race.add(table)
    assert race.winner == 2
    assert race.marks == [1900, 2000]


def test_co15_the_others_keep_their_points_so_far():
    race = Race(1850, 1000)
    race.add(stopped("60s", 8, 1))
    assert race.marks == [2030, 1020]
    assert race.winner == 1


def test_co15_both_have_reached_it_the_side_that_stops_wins():
    race = Race(1900, 1980)
    race.add(stopped("60s", 8, 2))
    assert race.marks == [2080, 2000]
    assert race.winner == 2


def test_co15_a_wrong_stop_loses_and_scores_nothing_the_others_keep_theirs():
    table = stopped("60s", 8, 2)
    assert table.marks == [180, 20]
    race = Race(100, 1970)
    race.add(table)
    assert table.marks == [180, 0]
    assert table.winner == 1
    assert race.marks == [280, 1970]
    assert race.winner == 1
    own = stopped("60s", 8, 1)
    Race(100, 1970).add(own)
    assert (own.marks, own.winner) == ([0, 20], 2)


def test_co15_coinched_and_undecided_brings_nothing():
    table = stopped("130s", 7, 2, "2 coinche")
    assert table.marks == [0, 0]
    assert table["made"] == -1


def test_co15_coinched_and_reached_or_out_of_reach_is_decided():
    assert stopped("120s", 7, 1, "2 coinche").marks == [2 * 120 + 160, 0]
    # the eighth trick gives the defenders 21: at most 136 are left for the declarers
    assert stopped("140s", 8, 2, "2 coinche").marks == [0, 2 * 140 + 160]
    assert stopped("130s", 8, 2, "2 coinche").marks == [0, 0]


def test_co15_a_coinched_match_is_lost_with_its_first_trick():
    assert stopped("match-s", 7, 2, "2 coinche").marks == [0, 0]
    assert stopped("match-s", 8, 2, "2 coinche").marks == [0, 2 * 250 + 160]


def test_co15_uncoinched_the_defenders_count_points_even_when_the_contract_must_fail():
    assert stopped("150s", 8, 2).marks == [0, 20]


def test_co15_a_trick_on_the_table_is_not_counted_yet():
    table = Table(SPADES)(*auction("60s"), *played(tricks=3), "1 Ks", "2 8h", "3 6d", "4 won")
    assert table["cards"].tolist() == [62, 0]
    assert table.marks == [60 + 60, 0]


def test_co15_before_any_card_there_is_nothing_to_count():
    table = Table(SPADES)("1 bid 60s", "2 won")
    race = Race(1999, 1999)
    race.add(table)
    assert race.winner == 1


def test_co15_after_a_deal_without_a_result_a_stop_is_not_judged():
    race = Race()
    race.add(Table(SPADES)(*auction("90s"), *played(tricks=2)))
    table = stopped("60s", 8, 1)
    assert race.declared(table, 180, 20, winner=1) == []
    race.add(table)
    assert table["stop_good"] == -1
    assert race.winner == 0


def test_co15_in_a_log_of_one_deal_a_stop_that_falls_short_is_left_open():
    race = Race()
    table = stopped("60s", 8, 2)  # both sides' marks before this deal are not told
    assert race.declared(table, 180, 20, winner=2) == []
    race.add(table)
    assert table["stop_good"] == -1
    assert race.winner == 0
    assert race.marks == [180, 0]  # what side 2 scored hangs on the answer
    assert race.result(1900, 2010, winner=2) == []
    assert race.result(2180, 1970, winner=1) == []
    assert race.result(170, 2010, winner=2) == ["score-differs"]
    other = Race()
    other.add(stopped("60s", 8, 1))
    assert other.marks == [0, 20]


def test_co15_after_a_first_deal_that_counted_a_stop_that_falls_short_is_wrong():
    race = Race()
    race.add(Table()(*PASS_OUT))
    table = stopped("60s", 8, 2)
    race.match["dealer"] = 3
    race.add(table)
    assert table["stop_good"] == 0
    assert (race.winner, race.marks) == (1, [180, 0])


def test_co15_nothing_follows_a_stop_even_one_left_open():
    race = Race()
    race.add(stopped("60s", 8, 2))
    assert race.add(spades()) == ["deal-after-match"]
    assert race.marks == [180, 0]


# dealers


def test_co16_the_deal_passes_on_even_after_four_passes():
    race = Race()
    assert race.add(Table()(*PASS_OUT)) == []
    assert race.dealer == 1
    assert race.add(spades()) == ["wrong-dealer"]
    assert race.dealer == 1
    assert race.match["partie"] == 2


def test_co16_after_a_misdeal_the_same_player_deals_again():
    race = Race()
    assert race.add(Table(), void=True) == []
    assert race.dealer == 4
    assert race.match["partie"] == 0
    assert race.add(spades()) == []
    assert race.dealer == 1


def test_co16_any_dealer_may_begin_and_any_may_follow_a_deal_without_a_result():
    race = Race(dealer=0)
    assert race.add(Table(dealer=3)) == []
    assert race.match["unknown"]
    assert race.add(Table(dealer=3)) == []


def test_a_deal_that_cannot_be_dealt_leaves_the_score_open():
    race = Race(1900, 0)
    skip_unknown_deal(race.match)
    race.add(spades())
    assert race.winner == 0


# the sheet


def test_declared_marks_and_winner_of_a_deal():
    race = Race()
    table = spades()
    assert race.declared(table, 210, 40, winner=1) == []
    assert race.declared(table) == []
    assert race.declared(table, 210, 30) == ["points-differ"]
    assert race.declared(table, 210, 40, 0, 0) == ["points-differ"]
    assert race.declared(table, winner=2) == ["winner-differs"]
    assert race.declared(table, winner=0) == ["winner-differs"]
    assert race.declared(Table()(*PASS_OUT), 0, 0, winner=0) == []
    assert winner_in_log(table.state) == 1
    assert winner_in_log(Table()(*PASS_OUT).state) == 0
    assert winner_in_log(Table().state) is None


def test_declared_marks_of_a_wrong_stop_are_none():
    race = Race(100, 1970)
    table = stopped("60s", 8, 2)
    assert race.declared(table, 180, 20) == ["points-differ"]
    assert race.declared(table, 180, 0, winner=1) == []
    race.add(table)
    assert race.marks == [280, 1970]


def test_declared_result():
    race = Race(1790, 1950)
    assert race.result(1790, 1950) == []
    assert race.result(1900, 1950, winner=2) == []  # recorded in part: the end is not in the log
    assert race.result(1780, 1950) == ["score-differs"]
    race.add(spades())
    assert score(race.match) == [2000, 1990]
    assert race.result(2000, 1990, winner=1) == []
    assert race.result(2000, 1990, winner=2) == ["result-differs"]
    assert race.result(2000, 1990, winner=0) == ["result-differs"]
    assert race.result(2010, 1990) == ["score-differs"]
    assert race.result(2000, 1990, 0, 0) == ["score-differs"]


def test_a_game_of_three_deals():
    rules = {"preset": "tournoi-2018", "target": 500}
    race = Race()
    deals = (
        Table(SPADES, rules)(*auction("130s"), *played()),
        Table(rules=rules, dealer=1)("2 pass", "3 pass", "4 pass", "1 pass"),
        Table(SPADES, rules, dealer=2)("3 bid 60s", "4 coinche", "3 surcoinche", "4 resign"),
        Table(SPADES, rules, dealer=3)("4 bid 60s", "1 pass", "2 pass", "3 pass", "2 resign"),
    )
    scores = []
    for table in deals:
        assert race.winner == 0
        assert race.declared(table, *table.marks) == []
        assert race.add(table) == []
        scores.append(race.marks)
    assert scores == [[0, 290], [0, 290], [400, 290], [620, 290]]
    assert race.winner == 1


def test_co14_a_score_at_the_target_just_wins():
    race, rules = Race(), Table().rules
    assert race.result(1990, 2000, winner=1) == ["result-contradicts"]
    assert race.result(2000, 1990, winner=2) == ["result-contradicts"]
    assert race.result(2000, 2010, winner=1) == []
    assert possible_winners([2000, 1990], 4, rules) == {0}
    assert possible_winners([1990, 1990], 4, rules) == {0, 1}
    assert parse_start({"score": [1999, 0]}, 4, rules) == ([0, 1999, 0], [])
    assert parse_start({"score": [2000, 0]}, 4, rules)[0] == [UNKNOWN_START]
