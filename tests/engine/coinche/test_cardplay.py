"""The cards: their points and strength, who leads, what may be played: CO-2, CO-6 to CO-8."""

import itertools

import pytest

from engine.coinche.kernel import beats, card_points
from tests.engine.coinche.table import PACK, SPADES, Table, auction, played

ORDER = {"trump": "J9AKQT876", "plain": "AKQJT9876"}


@pytest.mark.parametrize(("suit", "kind"), [(0, "trump"), (2, "plain")])
def test_co2_strength(suit, kind):
    cards = [PACK.code_entries[rank + "shdc"[suit]] for rank in ORDER[kind]]
    for strong, weak in itertools.combinations(cards, 2):
        assert beats(strong, weak, 0)
        assert not beats(weak, strong, 0)


def test_co2_the_lowest_trump_beats_an_ace_and_another_plain_suit_beats_nothing():
    assert beats(PACK.code_entries["6s"], PACK.code_entries["Ah"], 0)
    assert not beats(PACK.code_entries["Ac"], PACK.code_entries["6h"], 0)


def test_co2_the_pack_has_152_points_and_the_last_trick_5():
    for trump in range(4):
        assert sum(card_points(card, trump) for card in range(36)) == 152
    of = {card: int(card_points(PACK.code_entries[card], 0)) for card in PACK.names}
    assert [of[rank + "s"] for rank in ORDER["trump"]] == [20, 14, 11, 4, 3, 10, 0, 0, 0]
    assert [of[rank + "h"] for rank in ORDER["plain"]] == [11, 4, 3, 2, 10, 0, 0, 0, 0]


def test_co2_a_whole_deal_gives_157_points():
    table = Table(SPADES)(*auction("90s"), *played())
    assert table["cards"].tolist() == [121, 31]
    assert table.points == [121, 36]
    assert sum(table.points) == 157


def test_co6_the_player_after_the_dealer_leads_after_any_bid():
    table = Table(dealer=1)("2 pass", "3 pass", "4 bid 60s", "1 pass", "2 pass", "3 pass")
    assert table.turn == 2


def test_co6_the_winner_of_a_trick_leads_the_next():
    table = Table(SPADES)(*auction("90s"), *played(tricks=8))
    assert table.turn == 2
    assert table["trick_winners"].tolist()[:8] == [0] * 7 + [1]
    assert table["leads"].tolist()[:8] == [0] * 8
    assert table.faults("1 7c") == ["wrong-turn"]
    assert table.faults("2 Ac") == ["card-not-held"]


def test_co7_trump_led_any_trump_will_do_without_beating():
    table = Table(("9s 6h 7h 8h 9h Th Qh Kh Jh", "6s Ts Js Ah 6c 7c 8c 9c Tc", "", ""))
    table(*auction("60s"), "1 9s")
    assert table.plays() == {"6s", "Ts", "Js"}
    assert table.would("2 Ah") == ["must-follow-trump"]


def test_co7_the_jack_alone_is_never_forced():
    table = Table(("9s 6h 7h 8h 9h Th Qh Kh Jh", "Js Ah 6c 7c 8c 9c Tc Jc Qc", "", ""))
    table(*auction("60s"), "1 9s")
    assert table.plays() == table.hand(2)


def test_co7_the_jack_beside_another_trump_frees_nobody():
    table = Table(("9s 6h 7h 8h 9h Th Qh Kh Jh", "Js 6s 6c 7c 8c 9c Tc Jc Qc", "", ""))
    table(*auction("60s"), "1 9s")
    assert table.plays() == {"Js", "6s"}


def test_co7_without_trumps_anything():
    table = Table(("9s 6h 7h 8h 9h Th Qh Kh Jh", "Ah 6d 6c 7c 8c 9c Tc Jc Qc", "", ""))
    table(*auction("60s"), "1 9s")
    assert len(table.plays()) == 9


PLAIN = (
    "6h 7h Ts 6d 7d 8d 9d Td Jd",
    "8h 9h 9s 6c 7c 8c 9c Tc Jc",
    "Th Jh Js Qs 8s Qc Kc Ac Kd",
    "Ah Kh Qh As Ks 7s 6s Qd Ad",
)


def test_co8_follow_or_ruff_at_will():
    table = Table(PLAIN)(*auction("60s"), "1 6h")
    assert table.plays() == {"8h", "9h", "9s"}
    assert table.would("2 6c") == ["must-follow-or-ruff"]


def test_co8_a_ruff_goes_above_every_trump_in_the_trick():
    table = Table(PLAIN)(*auction("60s"), "1 6h", "2 9s")
    assert table.plays() == {"Th", "Jh", "Js"}
    assert table.would("3 Qs") == ["under-ruff"]
    table("3 Th")
    assert table.plays() == {"Ah", "Kh", "Qh"}
    assert table.faults("4 As") == ["under-ruff"]
    assert table["trick_winners"][0] == 1


def test_co8_without_the_suit_any_plain_card_or_a_ruff():
    hands = (
        "6h 7h 8h 6d 8d 9d Td Jd Qd",
        "9h Th 9s Kd Ad 8c 9c Tc Jc",
        "Qs Js 8s 6c 7d 7c Qc Kc Ac",
        "Ah Kh Qh Jh As Ks 7s 6s Ts",
    )
    table = Table(hands)(*auction("60s"), "1 6h")
    table("2 9h")
    assert table.plays() == set(hands[2].split())
    table = Table(hands)(*auction("60s"), "1 6h", "2 9s")
    assert table.plays() == {"Js", "6c", "7d", "7c", "Qc", "Kc", "Ac"}
    assert table.would("3 8s") == ["under-ruff"]


ALL_TRUMPS = (
    "7h 8h 9h Th Jh Qh Kh Ah 6d",
    "Js 6c 7c 8c 9c Tc Jc Qc Kc",
    "6h 6s 7s 8s 9s Ts Qs Ks As",
    "7d 8d 9d Td Jd Qd Kd Ad Ac",
)


def test_co8_a_hand_of_trumps_alone_may_ruff_below():
    table = Table(ALL_TRUMPS)(*auction("60s"))
    table("1 7h", "2 6c", "3 6h", "4 7d", "1 8h", "2 Js")
    assert table.plays() == table.hand(3)
    table("3 6s", "4 8d")
    assert table["trick_winners"][1] == 1


def test_co8_a_plain_card_in_hand_forbids_it():
    table = Table(ALL_TRUMPS)(*auction("60s"), "1 7h", "2 Js")
    assert table.plays() == {"6h"}
    assert table.would("3 9s") == ["under-ruff"]


def test_a_card_against_the_rules_is_noted_and_played():
    table = Table(PLAIN)(*auction("60s"), "1 6h")
    assert table.faults("2 6c") == ["must-follow-or-ruff"]
    assert "6c" not in table.hand(2)
    assert table.turn == 3


def test_a_card_that_is_elsewhere_cannot_be_played():
    table = Table(PLAIN)(*auction("60s"))
    before = table.state.copy()
    assert table.faults("1 Ah") == ["card-not-held"]
    assert table.faults("2 8h") == ["wrong-turn"]
    assert table.state == before
