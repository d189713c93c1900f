"""A match: dealer, points that wait, the end: BE-2, BE-20, BE-22, BE-24."""

from engine.belote.match import parse_start, possible_winners
from engine.games import game
from schemas.games.belote import BeloteMatch
from tests.engine.belote.table import Race, Table, scored

CLASSIQUE = "classique"


def taken(cards, der=2, **options):
    return scored("take s", cards, der, rules=CLASSIQUE, **options)


def litige():
    return taken((81, 71))


def test_be2_the_deal_passes_on_whatever_became_of_it():
    race = Race()
    assert race.add(Table()("1 pass", "2 pass", "3 pass", "4 pass")) == []
    assert (race.dealer, race.score) == (1, [0, 0])
    assert race.add(scored("bid 80s", (90, 62), 1)) == ["wrong-dealer"]


def test_be24_a_maldonne_is_dealt_again_by_the_same_dealer():
    race = Race()
    race.add(scored("bid 80s", (90, 62), 1), void=True)
    assert (race.dealer, race.score) == (4, [0, 0])


def test_be3_a_log_tells_neither_the_cut_nor_who_lost_it():
    assert not game("belote").has_cut
    assert "cuts" not in BeloteMatch.model_fields


# litige (BE-20)


def test_be20_what_waits_goes_to_the_winner_of_the_next_contract():
    race = Race(rules=CLASSIQUE)
    race.add(litige())
    assert (race.score, race.waiting) == ([0, 81], 81)
    made = taken((100, 52))
    race.add(made)
    assert made.marks == [100 + 81, 62]
    assert (race.score, race.waiting) == ([181, 143], 0)


def test_be20_or_to_the_defence_if_the_contract_fails():
    race = Race(rules=CLASSIQUE, waiting=81)
    failed = taken((60, 92))
    race.add(failed)
    assert (failed.marks, race.waiting) == ([0, 162 + 81], 0)


def test_be20_litige_after_litige_adds_up():
    race = Race(rules=CLASSIQUE)
    race.add(litige())
    race.add(taken((71, 81), belotes=(1, 0)))
    assert (race.score, race.waiting) == ([20, 172], 81 + 71)
    race.add(taken((60, 92)))
    assert (race.score, race.waiting) == ([20, 172 + 162 + 152], 0)


def test_be20_a_deal_all_passed_leaves_it_waiting():
    race = Race(rules=CLASSIQUE, waiting=81)
    race.add(Table(rules=CLASSIQUE, pack="7s")(*[f"{seat} pass" for seat in (1, 2, 3, 4) * 2]))
    assert race.waiting == 81


def test_be20_the_sheet_has_what_waited_in_the_deal_that_wins_it():
    race = Race(rules=CLASSIQUE, waiting=81)
    table = taken((100, 52))
    assert race.declared(table, 181, 62, winner=1) == []
    assert Race(rules=CLASSIQUE, waiting=81).declared(taken((100, 52)), 100, 62) == ["points-differ"]
    race.add(table)
    assert race.score == [181, 62]


# the end (BE-22)


def test_be22_the_first_to_the_target_wins():
    race = Race(850, 940, rules=CLASSIQUE)
    race.add(taken((100, 52)))
    assert (race.score, race.winner) == ([950, 1002], 2)
    assert race.add(taken((100, 52))) == ["deal-after-match"]


def test_be22_of_two_past_it_the_higher_wins_and_equal_ones_play_on():
    race = Race(950, 950, rules=CLASSIQUE)
    race.add(taken((100, 52)))
    assert (race.score, race.winner) == ([1050, 1012], 1)
    race = Race(950, 988, rules=CLASSIQUE)
    race.add(taken((100, 52)))
    assert (race.score, race.winner) == ([1050, 1050], 0)


def test_be22_equal_scores_play_on_even_if_one_team_came_there_by_its_belote():
    race = Race(1980, 1670)
    race.add(scored("bid 170s", (60, 92), 2, belotes=(1, 0)))
    assert (race.score, race.winner) == ([2000, 2000], 0)
    race.add(scored("bid 80s", (100, 52), 1))
    assert (race.score, race.winner) == ([2190, 2050], 1)


def test_be22_a_belote_alone_in_a_deal_that_was_lost_does_not_win():
    race = Race(990, 400, rules=CLASSIQUE)
    race.add(taken((60, 92), belotes=(1, 0)))
    assert (race.score, race.winner) == ([1010, 562], 0)
    # and after one more deal the score is what counts
    race.add(taken((100, 52)))
    assert race.winner == 1


def test_be22_the_same_belote_in_a_deal_that_was_won_does():
    race = Race(890, 400, rules=CLASSIQUE)
    race.add(taken((92, 60), belotes=(1, 0)))
    assert (race.score, race.winner) == ([1002, 470], 1)


def test_be22_points_besides_belotes_win_in_a_lost_deal():
    race = Race(400, 990, rules=CLASSIQUE)
    race.add(taken((100, 52), belotes=(0, 0)))
    assert (race.score, race.winner) == ([500, 1052], 2)


def test_be22_a_number_of_deals():
    rules = {"preset": CLASSIQUE, "deals": 2}
    race = Race(rules=rules)
    race.add(taken((100, 52)))
    race.add(Table(rules=CLASSIQUE, pack="7s")(*[f"{seat} pass" for seat in (1, 2, 3, 4) * 2]))
    assert race.winner == 0
    race.add(taken((90, 62)))
    assert (race.score, race.winner) == ([190, 134], 1)
    level = Race(rules=rules)
    level.add(taken((100, 52)))
    level.match["score"] = [0, 28]
    level.add(taken((90, 62)))
    assert (level.score, level.winner) == ([90, 100], 2)


def test_be22_who_may_have_won_with_a_score():
    rules = Race(rules=CLASSIQUE).rules
    assert possible_winners([1010, 700], 4, rules) == {0}
    assert possible_winners([1010, 1005], 4, rules) == {0, 1}  # 990 and a belote
    assert possible_winners([1005, 1019], 4, rules) == {0, 1}
    assert possible_winners([1005, 1020], 4, rules) == {1}
    assert possible_winners([1010, 1010], 4, rules) == frozenset()
    assert possible_winners([500, 400], 4, rules) == frozenset()
    rules["deals"] = 12
    assert possible_winners([500, 400], 4, rules) == {0}


def test_be22_no_match_ends_with_more_than_its_last_deal_brings():
    # 1200 each, as much waiting from litiges, then a capot with the belote
    rules = Race(rules=CLASSIQUE).rules
    assert possible_winners([3872, 1200], 4, rules) == {0}
    assert possible_winners([3873, 1200], 4, rules) == possible_winners([1200, 5000], 4, rules) == frozenset()
    # 2010, the last 20 by a belote, then a capot surcontré with the belote: 4 × (250 + 250 + 20)
    rules = Race(rules="contree").rules
    assert possible_winners([4090, 1200], 4, rules) == {0}
    assert possible_winners([5000, 1200], 4, rules) == frozenset()
    assert possible_winners([5000, 1200], 4, Race(rules="coinchee").rules) == {0}
    assert possible_winners([5000, 1200], 4, Race(rules={"preset": "contree", "litige": "next"}).rules) == {0}


def test_be21_no_match_ends_with_a_score_that_was_not_rounded():
    rules = Race(rules="contree").rules
    assert possible_winners([2005, 1200], 4, rules) == frozenset()
    assert possible_winners([2010, 1200], 4, rules) == {0}
    rules["sans_tout"] = True  # four belotes bring 80
    assert possible_winners([2070, 2010], 4, rules) == {0, 1}
    assert possible_winners([2080, 2010], 4, rules) == {0}


def test_be20_a_log_may_begin_with_points_that_wait():
    rules = Race(rules=CLASSIQUE).rules
    assert parse_start({"score": [500, 620], "litige": 81}, 4, rules) == ([0, 500, 620, 81], [])
    assert parse_start({"score": [500, 620]}, 4, rules) == ([0, 500, 620, 0], [])
    assert [one.path for one in parse_start({"score": [500, 620], "litige": -1}, 4, rules)[1]] == ["/litige"]


def test_be21_a_log_begins_with_a_score_that_the_rules_round():
    rules = Race(rules="contree").rules
    wrong = parse_start({"score": [505, 620], "litige": 81}, 4, rules)[1]
    assert [(one.path, one.found) for one in wrong] == [("/litige", 81)]
    assert [one.path for one in parse_start({"score": [505, 621]}, 4, rules)[1]] == ["/score/0", "/score/1"]


def test_be22_a_declared_winner_with_less_needs_the_target():
    race = Race(300, 200)
    assert race.result(700, 900, winner=1) == ["result-contradicts"]
    assert race.result(700, 900, winner=2) == []
    assert race.result(100, 900) == ["score-differs"]
