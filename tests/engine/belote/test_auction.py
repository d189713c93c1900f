"""Dealing and the auction: BE-4 to BE-8."""

import pytest

from engine.belote.kernel import PASSED, receiver
from tests.engine.belote.table import Table, auction

FIRST_20 = " ".join(
    [*("7s 8s 9s", "7h 8h 9h", "7d 8d 9d", "7c 8c 9c"), *("Js Qs", "Jh Qh", "Jd Qd", "Jc Qc")]
)
TAKING_PACK = FIRST_20 + " Kh Ks Ts As Kd Td Ad Th Ah Kc Tc Ac"
"""Three and two for each seat from 1 on, the king of hearts turned up, then the rest."""


def with_options(preset, **options):
    return {"preset": preset, **options}


@pytest.mark.parametrize(
    ("preset", "dealing", "sizes"),
    [
        ("classique", "3-2", [3, 3, 3, 3, 2, 2, 2, 2]),
        ("classique", "2-3", [2, 2, 2, 2, 3, 3, 3, 3]),
        ("contree", "3-2-3", [3] * 4 + [2] * 4 + [3] * 4),
        ("contree", "3-3-2", [3] * 8 + [2] * 4),
        ("contree", "2-3-3", [2] * 4 + [3] * 8),
    ],
)
def test_be4_packets(preset, dealing, sizes):
    rules = Table(rules=with_options(preset, dealing=dealing), pack="7s").rules
    packets = [seat for i, size in enumerate(sizes) for seat in [(i + 3) % 4] * size]
    assert [receiver(rules, 4, 2, place) for place in range(len(packets))] == packets


def test_be4_the_cards_lie_where_the_packets_put_them():
    table = Table(pack=FIRST_20)
    assert table.hand(1) == {"7s", "8s", "9s", "Js", "Qs", "Ks", "Ts", "As"}
    assert table.hand(2) >= {"7h", "8h", "9h", "Jh", "Qh"}


def test_be4_the_declarer_has_the_card_turned_up_and_two_the_others_three():
    table = Table(rules="classique", pack=TAKING_PACK)
    assert [len(table.hand(seat)) for seat in range(1, 5)] == [5, 5, 5, 5]
    table("1 pass", "2 take h")
    assert table.hand(1) == {"7s", "8s", "9s", "Js", "Qs", "Ks", "Ts", "As"}
    assert table.hand(2) == {"7h", "8h", "9h", "Jh", "Qh", "Kh", "Kd", "Td"}
    assert table.hand(3) == {"7d", "8d", "9d", "Jd", "Qd", "Ad", "Th", "Ah"}
    assert table.hand(4) == {"7c", "8c", "9c", "Jc", "Qc", "Kc", "Tc", "Ac"}


# classique (BE-5)


def test_be5_the_first_round_takes_the_suit_turned_up():
    table = Table(rules="classique", pack=TAKING_PACK)
    assert {word for word in table.words() if "take" in word} == {"1 take h"}
    assert table.would("1 take s") == ["take-suit"]
    table("1 pass", "2 pass", "3 take h")
    assert (table["declarer"], table["trump"], table["bidding"], table.turn) == (2, 1, 0, 1)


def test_be5_the_second_round_takes_another_suit():
    passes = [f"{seat} pass" for seat in (1, 2, 3, 4)]
    table = Table(rules="classique", pack=TAKING_PACK)(*passes)
    assert {word for word in table.words() if "take" in word} == {"1 take s", "1 take d", "1 take c"}
    assert table.would("1 take h") == ["take-suit"]
    assert Table(rules=with_options("classique", second_round_any=True), pack=TAKING_PACK)(
        *passes, "1 take h"
    )


def test_be5_eight_passes_end_the_deal():
    table = Table(rules="classique", pack=TAKING_PACK)
    table(*[f"{seat} pass" for seat in (1, 2, 3, 4, 1, 2, 3, 4)])
    assert (table["outcome"], table.marks, table.winner) == (PASSED, [0, 0], -1)


def test_be5_a_wrong_suit_stands():
    table = Table(rules="classique", pack=TAKING_PACK)
    assert table.faults("1 take s") == ["take-suit"]
    assert table["trump"] == 0
    assert table("1 7s").turn == 2


def test_be5_points_are_not_bid_where_the_suit_is_taken_nor_taken_where_they_are_bid():
    assert Table(rules="classique", pack=TAKING_PACK).would("1 bid 80h") == ["wrong-auction"]
    assert Table(rules="classique", pack=TAKING_PACK).would("1 contre") == ["wrong-auction"]
    assert Table().would("1 take h") == ["wrong-auction"]


# contrée and coinchée (BE-6)


def test_be6_a_bid_is_above_the_last_one_and_capot_above_all():
    table = Table()("1 bid 100h")
    assert table.would("2 bid 100s") == ["bid-too-low"]
    table("2 bid 110s", "3 bid capot-d")
    assert table.would("4 bid 180s") == ["bid-too-low"]
    assert table.would("4 bid capot-s") == ["bid-too-low"]


def test_be6_capot_is_bid_at_any_time():
    assert Table()("1 bid capot-c")["trump"] == 3


@pytest.mark.parametrize(("rules", "highest"), [("contree", 180), ("coinchee", 480)])
def test_be6_the_highest_number(rules, highest):
    assert Table(rules=rules).would(f"1 bid {highest}h") == []
    if highest < 480:
        assert Table(rules=rules).would(f"1 bid {highest + 10}h") == ["bid-too-high"]
    assert Table(rules=with_options(rules, highest=120)).would("1 bid 130h") == ["bid-too-high"]
    assert Table(rules=with_options(rules, highest=120)).would("1 bid capot-h") == []


def test_be6_who_passed_may_bid_again_and_three_passes_end_it():
    table = Table()("1 pass", "2 bid 80s", "3 pass", "4 pass", "1 bid 90h", "2 pass", "3 pass")
    assert table["bidding"] == 1
    table("4 pass")
    assert (table["bidding"], table["declarer"], table.turn) == (0, 0, 1)


def test_be6_four_passes_end_the_deal():
    table = Table()("1 pass", "2 pass", "3 pass", "4 pass")
    assert (table["outcome"], table.marks, table.winner) == (PASSED, [0, 0], -1)
    assert table.would("1 pass") == ["after-end"]


def test_be6_a_card_needs_a_contract_and_the_auction_an_end():
    assert Table()("1 bid 80s").would("2 7h") == ["card-in-auction"]
    assert Table()(*auction("80s")).would("1 bid 90s") == ["auction-over"]
    assert Table()(*auction("80s")).would("1 pass") == ["auction-over"]
    assert Table()("1 bid 80s").would("3 pass") == ["wrong-turn"]


# contre (BE-7)


def test_be7_an_opponent_says_contre_at_their_turn():
    table = Table()
    assert table.would("1 contre") == ["contre-no-bid"]
    table("1 bid 80s")
    assert table.would("4 contre") == ["contre-turn"]
    table("2 pass")
    assert table.would("3 contre") == ["contre-side"]
    table("3 pass", "4 contre")
    assert (table["coinched"], table["coincher"], table["bidding"], table.turn) == (1, 3, 1, 1)


def test_be7_a_contre_freezes_the_contract_and_three_passes_end_it():
    table = Table()("1 bid 80s", "2 contre")
    assert table.faults("3 bid 90s") == ["bid-after-contre"]
    assert (table["contract"], table.turn) == (1, 3)
    assert table.would("3 contre") == ["contre-side", "contre-again"]
    table("3 pass", "4 pass", "1 pass")
    assert table["bidding"] == 0


def test_be7_a_surcontre_is_the_bidding_teams_and_ends_the_auction():
    table = Table()("1 bid 80s")
    assert table.would("2 surcontre") == ["surcontre-no-contre"]
    table("2 contre")
    assert table.would("4 surcontre") == ["contre-turn", "surcontre-side"]
    table("3 pass")
    assert table.would("4 surcontre") == ["surcontre-side"]
    table("4 pass", "1 surcontre")
    assert (table["bidding"], table["coinched"], table["surcoincher"], table.turn) == (0, 2, 0, 1)


def test_be7_a_contre_out_of_turn_counts_where_the_option_says_so():
    table = Table()("1 bid 80s")
    assert table.faults("4 contre") == ["contre-turn"]
    assert table["coinched"] == 0
    table = Table(rules=with_options("contree", contre_any_time=True))("1 bid 80s", "4 contre")
    assert (table["coinched"], table.turn) == (1, 1)
    table("3 surcontre")
    assert table["bidding"] == 0


def test_be7_a_contre_of_a_capot():
    table = Table()("1 bid capot-s", "2 contre", "3 pass", "4 pass", "1 pass")
    assert (table["coinched"], table["bidding"]) == (1, 0)


def test_be8_the_dealers_next_leads_or_the_declarer_where_the_option_says_so():
    words = ("1 pass", "2 bid 80s", "3 pass", "4 pass", "1 pass")
    assert Table()(*words).turn == 1
    assert Table(rules=with_options("contree", declarer_leads=True))(*words).turn == 2


def test_be23_sans_atout_needs_the_option():
    assert Table().would("1 bid 80sa") == ["bid-strain"]
    rules = with_options("contree", sans_tout=True)
    assert Table(rules=rules).would("1 bid capot-ta") == []
    table = Table(rules=with_options("classique", sans_tout=True), pack=TAKING_PACK)("1 take sa")
    assert (table["strain"], table["trump"]) == (4, -1)
