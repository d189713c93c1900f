"""What may be played on a trick, and who takes it: BE-9 to BE-14, BE-23."""

import pytest

from tests.engine.belote.table import Table, auction

CONTREE = "contree"
CLASSIQUE = "classique"
FREE = {"preset": CONTREE, "undertrump": True, "undertrump_partner": True}
"""The two options of `classique`, in an auction that needs no taking."""


def dealt(hands, *cards, rules=CONTREE, bid="80h"):
    return Table(hands, rules)(*auction(bid), *cards)


def test_be9_suit_is_followed():
    table = dealt(("Ks", "As 7s Jh", "", ""), "1 Ks")
    assert table.plays() == {"As", "7s"}
    assert table.would("2 Jh") == ["must-follow"]
    # no duty to beat in a plain suit
    assert table.would("2 7s") == []


def test_be10_trump_led_is_beaten_if_it_can_be():
    table = dealt(("Ah Jh", "9h Kh 7h As", "", ""), "1 Ah")
    assert table.plays() == {"9h"}
    assert table.would("2 Kh") == ["must-beat"]
    assert table.would("2 As") == ["must-follow"]
    table = dealt(("Jh", "9h Kh 7h As 7d 8d 9d Td", "", ""), "1 Jh")
    assert table.plays() == {"9h", "Kh", "7h"}


def test_be10_the_highest_trump_there_is_beaten():
    table = dealt(("Th", "9h", "Ah Jh 7h", ""), "1 Th", "2 9h")
    assert table.plays() == {"Jh"}


def test_be10_without_trump_any_card():
    table = dealt(("Jh", "As 7s 8s 9s Ts Js Qs Ks", "", ""), "1 Jh")
    assert len(table.plays()) == 8


RUFF = ("As", "7h Jh 7d 8d 9d Td Jd Qd", "8s", "")
"""Seat 2 has no spade, with two trumps."""


def test_be11_a_plain_suit_an_opponent_holds_is_ruffed():
    table = dealt(RUFF, "1 As")
    assert table.plays() == {"7h", "Jh"}
    assert table.would("2 7d") == ["must-ruff"]


def test_be11_above_every_trump_there():
    hands = ("7s", "9h Td Jd Qd Kd Ad 7d 8d", "Jh Kh 7c 8c 9c Tc Jc Qc", "8s")
    table = dealt(hands, "1 7s", "2 9h")
    assert table.plays() == {"Jh"}
    assert table.would("3 Kh") == ["must-ruff-higher"]
    assert table.would("3 7c") == ["must-ruff"]


UNDER = ("7s", "Jh 7d 8d 9d Td Jd Qd Kd", "8s", "9h 7h 7c 8c 9c Tc Jc Qc")
"""Seat 2 ruffs with the jack; seat 4 of the same team has lower trumps only."""
UNDER_OPPONENT = ("7s", "Jh 7d 8d 9d Td Jd Qd Kd", "9h 7h 7c 8c 9c Tc Jc Qc", "8s")
"""The same, and the lower trumps are an opponent's."""


def test_be12_classique_a_lower_trump_is_owed():
    table = dealt(UNDER_OPPONENT, "1 7s", "2 Jh", rules=FREE)
    assert table.plays() == {"9h", "7h"}
    assert table.would("3 7c") == ["must-undertrump"]


def test_be12_contree_any_card_if_no_trump_is_high_enough():
    table = dealt(UNDER_OPPONENT, "1 7s", "2 Jh")
    assert len(table.plays()) == 8


def test_be13_partner_holds_the_trick_with_a_plain_card():
    hands = ("As", "8s", "7h Jh 7d 8d 9d Td Jd Qd", "")
    assert len(dealt(hands, "1 As", "2 8s").plays()) == 8


def test_be13_partner_holds_it_with_a_ruff():
    classique = dealt(UNDER, "1 7s", "2 Jh", "3 8s", rules=FREE)
    assert len(classique.plays()) == 8
    contree = dealt(UNDER, "1 7s", "2 Jh", "3 8s")
    assert contree.plays() == {"7c", "8c", "9c", "Tc", "Jc", "Qc"}
    assert contree.would("4 9h") == ["under-ruff"]


def test_be13_a_higher_trump_than_partners_is_free():
    hands = ("7s", "7h 7d 8d 9d Td Jd Qd Kd", "8s", "9h Jh 7c 8c 9c Tc Jc Qc")
    assert len(dealt(hands, "1 7s", "2 7h", "3 8s").plays()) == 8


def test_be13_a_lower_trump_from_a_hand_of_trumps():
    hands = ("7s", "Jh 7d 8d 9d Td Jd Qd Kd", "8s", "7h 8h 9h Th Qh Kh Ah 7c")
    table = Table(hands)(*auction("80h"), "1 7s", "2 Jh", "3 8s")
    assert table.plays() == {"7c"}
    table.state["hand"][3] ^= 1 << 24  # the seven of clubs
    assert len(table.plays()) == 7


def test_be13_the_presets_have_the_options_of_their_books():
    for preset, expected in ((CLASSIQUE, 1), (CONTREE, 0), ("coinchee", 0)):
        table = Table(rules=preset, pack="7s")
        assert (table.rules["undertrump"], table.rules["undertrump_partner"]) == (expected, expected)


@pytest.mark.parametrize(
    ("cards", "trick_winner"),
    [
        (("1 Ks", "2 As", "3 Ts", "4 7s"), 2),
        (("1 Js", "2 9s", "3 Ts", "4 Qs"), 3),  # ten above king and queen
        (("1 Ah", "2 9h", "3 Jh", "4 7h"), 3),
        (("1 Kh", "2 Ah", "3 9h", "4 7h"), 3),
        (("1 As", "2 7h", "3 Ks", "4 8h"), 4),  # a higher ruff
    ],
)
def test_be14_the_highest_trump_takes_else_the_highest_of_the_suit(cards, trick_winner):
    hands = [f"{card[2:]}" for card in cards]
    assert dealt(hands, *cards)["trick_winners"][0] == trick_winner - 1


# sans atout and tout atout (BE-23)

STRAINS = {"preset": CONTREE, "sans_tout": True}


def test_be23_sans_atout_has_no_ruff_and_no_belote():
    hands = ("Ks", "7h Jh 7d 8d 9d Td Jd Qd", "", "Kh Qh")
    table = dealt(hands, "1 Ks", rules=STRAINS, bid="80sa")
    assert len(table.plays()) == 8
    assert dealt(hands, rules=STRAINS, bid="80sa")["pairs_held"].tolist() == [0, 0, 0, 0]


def test_be23_tout_atout_is_beaten_in_each_suit_and_has_no_ruff():
    hands = ("Ks", "9s As 7s", "7h Jh 7d 8d 9d Td Jd Qd", "")
    table = dealt(hands, "1 Ks", rules=STRAINS, bid="80ta")
    assert table.plays() == {"9s", "As"}
    assert table.would("2 7s") == ["must-beat"]
    assert len(table("2 9s").plays()) == 8
