"""What a manche scores, who leads the next, which bids are gone, who wins (CR-2, CR-7 to CR-9)."""

import re

import numpy as np
import pytest

from engine.chouineurs import match as flow
from engine.chouineurs.bid_regret import UNKNOWN_BIDS, remaining_bids_of_deals
from engine.chouineurs.deck import PUBLISHED_BID_CARDS, BidCards, bid_problems
from engine.chouineurs.faults import MATCH_FAULTS
from engine.chouineurs.kernel import NOBODY, NULL, PLAYED_OUT, State, score_bid, total
from engine.games import NOT_DECLARED
from engine.match import NO_DEALS_BEFORE, UNKNOWN_START
from engine.options import UnknownRule, resolve_options
from tests.engine.chouineurs.table import Table, rules

# seat 2 takes every trick and seat 1 chouines every time
ONE_SIDED = ("b3 b4 b5", "b27 b28 b29")


def one_sided(*bids, **options):
    table = Table(*ONE_SIDED, bids=bids, **options)
    table("1 b3", "2 b27", "1 point", "2 b28", "1 b4", "1 point", "2 b29", "1 b5", "1 point")
    return table


def test_s1_three_tricks_on_2_3_4_give_nine():
    assert one_sided("0-1", "2-3-4").points[1] == 9


def test_s1_three_tricks_on_a_card_that_stops_at_two_and_two_reserve_cards_give_two():
    table = Table("b11 b12 b4", "y9 y10 k40", bids=["0-1", "0-1-2"])
    table("1 b11", "2 y9", "2 point", "2 y10", "1 b12", "2 point", "2 k40", "1 b4", "1 point")
    assert table["won"].tolist()[:2] == [0, 3]
    assert table.points == [9, 2]


@pytest.mark.parametrize(
    ("bid", "points"),
    [
        ("0-1", [8, 3, None, None, None, None, None, None]),
        ("0-1-2", [2, 8, 5, None, None, None, None, None]),
        ("1-2-3", [None, 4, 8, 4, None, None, None, None]),
        ("2-3-4", [None, None, 3, 9, 4, None, None, None]),
        ("3-4+", [None, None, None, 5, 10, 10, 10, 10]),
    ],
)
def test_cr2_the_five_bid_cards(bid, points):
    own = rules()
    for tricks, worth in enumerate(points):
        state = np.zeros(1, State)[0]
        state["bid"][0] = BidCards().code_entries[bid]
        state["won"][0] = tricks
        score_bid(state, own, 0, tricks)
        assert (int(state["made"][0]), int(total(state, 0))) == (worth is not None, worth or 0)


def test_cr2_a_match_may_have_its_own_bid_cards():
    own = BidCards({**PUBLISHED_BID_CARDS, "2-3-4": {"2": 1, "3": 20}})
    assert one_sided("0-1", "2-3-4", cards=own).points[1] == 20
    nothing = one_sided("0-1", "2-3-4", cards=BidCards({**PUBLISHED_BID_CARDS, "2-3-4": {"3": 0}}))
    assert (nothing.points[1], nothing["made"][1]) == (0, 1)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"5": {"5": 1}}, ""),
        ({"2-3-4": {}}, "/2-3-4"),
        ({"2-3-4": {"two": 1}}, "/2-3-4/two"),
        ({"2-3-4": {"2": -1}}, "/2-3-4/2"),
        ({"2-3-4": {"3": 1, "2+": 1}}, "/2-3-4/2+"),
    ],
)
def test_cr2_bid_cards_that_cannot_be_read(change, path):
    assert [problem.path for problem in bid_problems({**PUBLISHED_BID_CARDS, **change})] == [path]
    with pytest.raises(ValueError, match=f"^{re.escape(path)}: "):
        BidCards({**PUBLISHED_BID_CARDS, **change})


def test_cr7_a_point_for_every_reserve_card_besides_the_bid():
    table = one_sided("0-1", "2-3-4")
    assert table.points == [8 + 3, 9]
    assert table["made"].tolist()[:2] == [1, 1]
    assert table["winner"] == 0


def test_cr7_no_match_no_points_and_the_card_comes_back():
    table = one_sided("1-2-3", "0-1")
    assert table.points == [3, 0]
    assert table["made"].tolist()[:2] == [0, 0]


# a match, manche by manche


class Sheet:
    """A match counted from made-up manches: `sheet(leader, points, made)`."""

    def __init__(self, players=3, manches=4):
        self.match = np.ones(flow.Match.itemsize, np.uint8).view(flow.Match)[0]  # opened anew
        self.rules = rules({"manches": manches})
        self.players = players
        flow.open_match(self.match, self.rules, players, -1, -1, -1)

    def state(self, leader, points, bids=None, made=None, outcome=PLAYED_OUT):
        state = np.zeros(1, State)[0]
        state["players"] = self.players
        state["dealer"] = leader - 1
        state["outcome"] = outcome
        state["scored"][: self.players] = points
        state["bid"][: self.players] = bids or [0] * self.players
        state["made"][: self.players] = made or [0] * self.players
        best = max(points)
        state["winner"] = points.index(best) if points.count(best) == 1 else NULL
        return state

    def __call__(self, leader, points, void=False, reported=None, winner=NOT_DECLARED, **rest):
        """Count a manche; the codes of what is wrong with it."""
        state = self.state(leader, points, **rest)
        found = flow.open_deal(self.match, leader - 1)
        array = np.array((reported or []) + [0] * 8)
        found |= flow.check_declared(
            self.match, state, void, array, len(reported or []), winner, NOT_DECLARED
        )
        flow.close_deal(self.match, self.rules, state, void)
        return [fault.code for fault in MATCH_FAULTS.in_mask(int(found))]

    def result(self, score, winner):
        found = flow.check_result(self.match, np.array(score), len(score), winner, True)
        return [fault.code for fault in MATCH_FAULTS.in_mask(int(found))]


def test_cr7_a_bid_card_that_was_met_is_gone_for_its_player():
    sheet = Sheet()
    assert sheet(1, [9, 0, 3], bids=[3, 3, 0], made=[1, 0, 1]) == []
    assert flow.spent_bids(sheet.match, 0) == [3]
    assert sheet(1, [9, 0, 0], bids=[0, 3, 1]) == []
    assert sheet(1, [0, 9, 0], bids=[3, 3, 2]) == ["bid-already-used"]
    last = Sheet()
    last(1, [9, 0, 3], bids=[4, 3, 0], made=[1, 0, 0])
    assert flow.spent_bids(last.match, 0) == [4]


def test_cr8_the_first_leader_is_the_one_the_log_names():
    assert Sheet()(3, [0, 1, 2]) == []


def test_cr8_the_highest_total_leads():
    sheet = Sheet()
    sheet(3, [0, 9, 2])
    assert flow.next_openers(sheet.match) == [2]
    assert sheet(1, [4, 0, 0]) == ["wrong-leader"]
    assert sheet(2, [9, 0, 0]) == []  # 13 against 9
    assert flow.next_openers(sheet.match) == [1]


def test_cr8_of_a_tie_the_log_names_one_and_a_void_manche_keeps_it():
    sheet = Sheet()
    sheet(3, [9, 9, 2])
    assert flow.next_openers(sheet.match) == [1, 2]
    assert sheet(2, [0, 0, 0], void=True, bids=[4, 4, 4], made=[1, 1, 1]) == []
    assert flow.next_openers(sheet.match) == [2]
    assert flow.score(sheet.match) == [9, 9, 2]
    assert flow.spent_bids(sheet.match, 0) == []
    assert sheet(3, [0, 0, 0], void=True) == ["wrong-leader"]
    assert flow.next_openers(sheet.match) == [2]


def test_cr9_the_highest_total_after_four_manches_wins():
    sheet = Sheet()
    for points in ([9, 0, 0], [9, 0, 0], [9, 1, 2]):
        sheet(1, points)
        assert not sheet.match["over"]
    sheet(1, [0, 8, 8])
    assert sheet.match["over"]
    assert sheet.result([27, 9, 10], 1) == []
    assert sheet.result([27, 9, 10], 2) == ["result-differs"]
    assert sheet.result([27, 9, 11], 1) == ["score-differs"]
    assert sheet.result([27, 9], 1) == ["score-differs"]


def test_cr9_a_tie_goes_to_the_most_points_in_the_last_manche():
    sheet = Sheet()
    for points in ([9, 3, 0], [0, 0, 0], [0, 0, 0], [0, 6, 9]):
        sheet(sheet.match["dealer"] + 1 or 1, points)
    assert flow.score(sheet.match) == [9, 9, 9]
    assert sheet.match["winner"] + 1 == 3


def test_cr9_still_tied_nobody_wins():
    sheet = Sheet()
    for points in ([9, 9, 0], [0, 0, 0], [0, 0, 0], [3, 3, 9]):
        sheet((flow.next_openers(sheet.match) or [1])[0], points)
    assert sheet.match["over"]
    assert sheet.match["winner"] == NOBODY
    assert sheet.result([12, 12, 9], 0) == []
    assert sheet.result([12, 12, 9], 1) == ["result-differs"]


def test_cr1_a_manche_after_the_fourth_is_reported_and_counts_nothing():
    sheet = Sheet(2)
    for _ in range(4):
        sheet(1, [9, 0])
    assert sheet(1, [0, 9]) == ["deal-after-match"]
    assert flow.score(sheet.match) == [36, 0]


def test_cr7_what_the_sheet_says_of_a_manche_is_checked():
    sheet = Sheet()
    assert sheet(1, [9, 0, 2], reported=[9, 0, 2], winner=1) == []
    assert sheet(1, [9, 0, 2], reported=[9, 0, 3], winner=2) == ["points-differ", "winner-differs"]
    assert sheet(1, [2, 2, 0], reported=[2, 2], winner=0) == ["points-differ"]
    assert sheet(1, [2, 1, 0], winner=0) == ["winner-differs"]


def test_a_manche_without_an_end_leaves_the_rest_uncounted():
    sheet = Sheet()
    sheet(1, [9, 0, 0], bids=[3, 3, 3], made=[1, 0, 0])
    sheet(1, [0, 0, 0], outcome=0)
    assert sheet.match["unknown"]
    assert sheet(3, [0, 0, 9], bids=[3, 0, 0]) == ["bid-already-used"]
    assert sheet(2, [0, 0, 9]) == []
    assert not sheet.match["over"]
    assert sheet.result([50, 0, 0], 1) == []


def test_part_of_a_match_has_no_computed_winner_and_a_score_no_lower_than_seen():
    sheet = Sheet()
    sheet(1, [9, 0, 0])
    assert sheet.result([30, 9, 9], 1) == []
    assert sheet.result([30, 9, 9], 2) == ["result-contradicts"]
    assert sheet.result([8, 9, 9], 2) == ["score-differs"]


def test_cr1_options_of_the_only_preset():
    assert resolve_options("chouineurs", None, 5) == {"manches": 4, "tricks": 7}
    with pytest.raises(UnknownRule):
        resolve_options("chouineurs", {"manches": 6}, 2)  # five bid cards do not last for six


def test_cr7_a_match_recorded_from_its_middle_shows_no_bids_that_are_left():
    states, of_first = np.zeros(1, State), np.zeros(1, np.int64)
    states["players"] = 3
    cuts = np.array([[NOBODY, NOBODY, NOBODY, 1, 0, 4, 2]])  # one manche before, and what it brought
    found = remaining_bids_of_deals(states, np.array([rules()]), of_first, cuts, np.arange(2), of_first)
    assert found[0, :3].tolist() == [UNKNOWN_BIDS] * 3


def test_cr8_where_a_log_begins_sets_totals_and_leaders():
    sheet = Sheet(5)
    assert (sheet.match["score"].tolist(), sheet.match["bids_unknown"]) == ([0] * 5, 0)
    for dealer, openers in ((0, [1]), (1, [2]), (-1, [])):
        flow.open_match(sheet.match, sheet.rules, 3, dealer, -1, -1)
        assert flow.next_openers(sheet.match) == openers
    flow.open_match(sheet.match, sheet.rules, 3, 0, -1, -1)
    flow.resume_from(sheet.match, np.array([NO_DEALS_BEFORE, 0, 0, 0]))
    assert (sheet.match["manche"], flow.next_openers(sheet.match)) == (0, [1])
    flow.resume_from(sheet.match, np.array([2, 7, 9, 9]))
    assert (sheet.match["bids_unknown"], flow.next_openers(sheet.match)) == (1, [2, 3])
    flow.open_match(sheet.match, sheet.rules, 3, 0, -1, -1)
    flow.resume_from(sheet.match, np.array([0, 0, 0, 0]))
    assert (sheet.match["bids_unknown"], flow.next_openers(sheet.match)) == (0, [1])
    flow.resume_from(sheet.match, np.array([UNKNOWN_START, 0, 0, 0]))
    assert (sheet.match["unknown"], flow.next_openers(sheet.match)) == (1, [])
    assert flow.parse_start({"manche": 1, "score": [0, 0, 0]}, 3, sheet.rules) == ([0, 0, 0, 0], [])
    assert flow.parse_start({"manche": 1, "score": [1, 0, 0]}, 3, sheet.rules)[0] == [UNKNOWN_START]


def test_cr9_a_tie_below_the_best_total_leaves_a_winner():
    sheet = Sheet(manches=1)
    sheet(1, [5, 5, 9])
    assert sheet.match["winner"] == 2
    assert Sheet().result([1, 9, 3], 3) == ["result-contradicts"]
