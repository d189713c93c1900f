"""What a deal brings: the claim, every trick, the contract and its marks: CO-9 to CO-13."""

import pytest

from engine.coinche.kernel import BY_CLAIM, PLAYED_OUT, RESIGNED, round_score
from tests.engine.coinche.table import RICHER, SPADES, SWEEP, Table, auction, played

DIAMONDS = ("", "6d 7d 8d 9d Td Jd Qd Kd Ad", "", "")


@pytest.mark.parametrize(
    ("bid", "marks", "winner"),
    [("60s", [180, 40], 1), ("120s", [240, 40], 1), ("130s", [0, 290], 2), ("match-s", [0, 410], 2)],
)
def test_co12_made_brings_contract_and_points_failed_160_more_to_the_others(bid, marks, winner):
    table = Table(SPADES)(*auction(bid), *played())
    assert table["outcome"] == PLAYED_OUT
    assert table.points == [121, 36]
    assert table.marks == marks
    assert table.winner == winner


def test_co11_points_reach_the_contract_before_they_are_rounded():
    table = Table(SPADES)(*auction("130s"), *played(RICHER))
    assert table.points == [128, 29]
    assert table["made"] == 0
    assert table.marks == [0, 290]


def test_co11_just_the_points_of_the_contract_make_it():
    swaps = {
        1: ("1 9s", "2 Ts", "3 6h", "4 Tc"),
        6: ("1 Ad", "2 9d", "3 Td", "4 Kd"),
        7: ("1 6c", "2 Ac", "3 9c", "4 Jc"),
        8: ("2 Kc", "3 Jd", "4 Qd", "1 7c"),
    }
    table = Table(SPADES)(*auction("130s"), *played(swaps))
    assert table.points == [130, 27]
    assert table.marks == [130 + 130, 30]


def test_co12_rounding_to_ten_five_upwards():
    table = Table(SPADES)(*auction("120s"), *played(RICHER))
    assert table.marks == [120 + 130, 30]
    tens = {0: 0, 4: 0, 5: 10, 14: 10, 15: 20, 152: 150, 155: 160, 157: 160, 250: 250}
    assert {points: round_score(points) for points in tens} == tens


def test_co12_the_defenders_bid_so_the_declarers_defend():
    table = Table(SPADES)("1 pass", "2 bid 60s", "3 pass", "4 pass", "1 pass", *played())
    assert table.marks == [60 + 160, 0]
    assert table.winner == 1


@pytest.mark.parametrize(
    ("words", "score", "made", "failed"),
    [
        (["2 coinche"], "contract", [2 * 120 + 160, 0], [0, 2 * 130 + 160]),
        (["2 coinche", "3 surcoinche"], "contract", [4 * 120 + 160, 0], [0, 4 * 130 + 160]),
        (["2 coinche"], "sum", [2 * (120 + 160), 0], [0, 2 * (130 + 160)]),
        (["2 coinche", "3 surcoinche"], "sum", [4 * (120 + 160), 0], [0, 4 * (130 + 160)]),
    ],
)
def test_co13_coinched_only_the_winning_side_scores(words, score, made, failed):
    rules = {"preset": "tournoi-2018", "coinche_score": score}
    assert Table(SPADES, rules)(*auction("120s", *words), *played()).marks == made
    assert Table(SPADES, rules)(*auction("130s", *words), *played()).marks == failed


# every trick

TOGETHER = ["1 6h", "2 7h", "3 Ah", "4 Jh", "3 6s", "4 9c", "1 7s", "2 8h"]


def test_co10_one_player_alone_takes_every_trick():
    table = Table(DIAMONDS)("1 pass", "2 bid generale-d", "1 claim")
    assert table["claim_good"] == 0
    table = Table(DIAMONDS, dealer=1)("2 bid generale-d", "2 claim")
    assert table.points == [0, 500]
    assert table.marks == [0, 1000]


@pytest.mark.parametrize(("bid", "value"), [("150", 150), ("match-", 250)])
def test_co10_500_counts_for_any_contract(bid, value):
    table = Table(DIAMONDS, dealer=1)(f"2 bid {bid}d", "3 pass", "4 pass", "1 pass", "2 claim")
    assert table.marks == [0, value + 500]


def test_co10_a_side_takes_every_trick_between_two():
    table = Table(SWEEP)(*auction("match-s"), *TOGETHER, "1 claim")
    assert table["claim_good"] == 1
    assert table["taken"].tolist() == [8, 0, 1, 0]
    assert table.points == [250, 0]
    assert table.marks == [500, 0]


def test_co11_a_generale_taken_by_two_fails():
    table = Table(SWEEP)("1 bid generale-s", *TOGETHER, "1 claim")
    assert table["made"] == 0
    assert table.marks == [0, 660]


def test_co10_every_trick_played_out_counts_250():
    table = Table(SWEEP)(*auction("60s"), *TOGETHER)
    while not table.over:
        table(f"{table.turn} {sorted(table.plays())[-1]}")
    assert table["outcome"] == PLAYED_OUT
    assert table.points == [250, 0]
    assert table.marks == [310, 0]
    assert table["cards"].tolist() == [152, 0]


# the claim


def test_co9_a_good_claim_takes_the_rest_and_the_last_trick():
    table = Table(SPADES)(*auction("90s"), *played(tricks=8))
    assert table.turn == 2
    table("2 claim")
    assert table["outcome"] == BY_CLAIM
    assert table["claim_good"] == 1
    assert table.points == [121, 36]
    assert table.marks == [210, 40]


def test_co9_a_card_that_can_be_beaten_gives_the_rest_away():
    table = Table(SPADES)(*auction("90s"), *played(tricks=4), "1 claim")
    assert table["claim_good"] == 0
    assert table.points == [69, 157 - 69]
    assert table.marks == [0, 250]


def test_co9_one_low_card_under_a_master_spoils_the_claim():
    hands = ("Js 9s As Ks Qs Ts 8s Ah 7h", "7s 8h", "6s", "6h")
    table = Table(hands)(*auction("60s"), "1 Js", "2 7s", "3 6s")
    table(f"4 {min(table.plays())}", "1 claim")
    assert table["claim_good"] == 0


def test_co9_a_bad_claim_leaves_a_contract_that_is_made():
    table = Table(SPADES)(*auction("60s"), *played(tricks=4), "1 claim")
    assert table.marks == [60 + 70, 90]


def test_co9_a_trump_elsewhere_spoils_the_claim_even_the_partners():
    hands = (
        "Js 9s As Ks Qs Ts 8s 7s Ah",
        "7h 8h 9h Th 6d 7d 8d 9d Td",
        "6s 6h Jd Qd Kd Ad 6c 7c 8c",
        "Jh Qh Kh 9c Tc Jc Qc Kc Ac",
    )
    bad = Table(hands)(*auction("60s"), "1 claim")
    assert bad["claim_good"] == 0
    assert bad.points == [0, 250]  # nobody took them alone
    good = Table(hands)(*auction("60s"), "1 Js", "2 7h", "3 6s", "4 9c", "1 claim")
    assert good["claim_good"] == 1
    assert good.points == [500, 0]


def test_co9_low_cards_are_masters_when_the_suit_is_nowhere_else():
    table = Table(DIAMONDS, dealer=1)("2 bid 60h", "3 pass", "4 pass", "1 pass", "2 claim")
    assert table["claim_good"] == 0  # trumps are elsewhere
    table = Table(DIAMONDS, dealer=1)("2 bid 60d", "3 pass", "4 pass", "1 pass", "2 claim")
    assert table["claim_good"] == 1


def test_co9_only_the_player_on_lead_claims():
    table = Table(SPADES)("1 bid 90s")
    assert table.faults("1 claim") == ["claim-misplaced"]
    table("2 pass", "3 pass", "4 pass")
    assert table.would("2 claim") == ["claim-misplaced"]
    table("1 Js")
    assert table.faults("1 claim") == ["claim-misplaced"]
    assert table.faults("2 claim") == ["claim-misplaced"]
    assert not table.over


def test_co9_after_a_bad_claim_a_match_or_a_generale_counts_as_made():
    for bid, marks in (("match-d", [0, 250 + 250]), ("generale-d", [0, 500 + 500])):
        words = ["1 pass", f"2 bid {bid}"]
        if bid == "match-d":
            words += ["3 pass", "4 pass", "1 pass"]
        assert Table(DIAMONDS)(*words, "1 claim").marks == marks


def test_co9_a_bad_claim_fails_ones_own_match():
    assert Table(SPADES)(*auction("match-s"), "1 claim").marks == [0, 410]
    assert Table(SPADES)("1 bid generale-s", "1 claim").marks == [0, 660]


# giving up


def test_resigning_declarers_fail_even_with_the_points():
    table = Table(SPADES)(*auction("60s"), *played(tricks=4), "3 resign")
    assert table["outcome"] == RESIGNED
    assert table.marks == [0, 220]


def test_resigning_defenders_leave_the_remaining_tricks():
    table = Table(SPADES)(*auction("130s"), *played(tricks=8), "4 resign")
    assert table.points == [121 + 10 + 5, 21]
    assert table.marks == [130 + 140, 20]


def test_resigning_before_a_bid_gives_160():
    table = Table()("2 resign")
    assert table.marks == [160, 0]
    assert table.winner == 1


def test_resigning_in_the_middle_of_a_trick_gives_its_cards_too():
    table = Table(SPADES)(*auction("60s"), "1 Js", "2 resign")
    assert table.points == [250, 0]
    assert table["cards"].tolist() == [152, 0]
