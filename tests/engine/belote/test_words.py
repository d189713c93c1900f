"""Words that go with a card: belote and rebelote (BE-15), announcements (BE-16)."""

import pytest

from engine.belote.kernel import announcement_points, belote_points
from tests.engine.belote.table import Table, auction

PAIR = (
    "Kh Qh Jh 7s 7d 8d 9d Td",
    "7h 8s Js Qs Ks As Jd Qd",
    "8h 9s Kd Ad 7c 8c 9c Tc",
    "9h Th Ah Ts Jc Qc Kc Ac",
)
"""Seat 1 has the belote of hearts."""


def belotes(table):
    return [int(belote_points(table.state, side)) for side in range(2)]


def with_pair(*words, hands=PAIR, bid="80h", rules="contree"):
    return Table(hands, rules)(*auction(bid), *words)


FIRST = ("2 7h", "3 8h", "4 9h")  # seat 4 takes
SECOND = ("4 Ts", "1 7s", "2 8s", "3 9s")  # and leads a spade, which it keeps


def test_be15_belote_and_rebelote_are_20():
    table = with_pair("1 belote", "1 Kh", *FIRST)
    assert belotes(table) == [0, 0]
    table(*SECOND)
    table.state["turn"] = table.state["leader"] = 0
    table("1 rebelote", "1 Qh")
    assert belotes(table) == [20, 0]


def test_be15_one_word_only_counts_nothing():
    table = with_pair("1 Kh", *FIRST, *SECOND)
    assert table.would("4 belote") == ["belote-not-held"]
    table.state["turn"] = table.state["leader"] = 0
    assert table.faults("1 rebelote") == ["rebelote-first"]
    assert table.faults("1 belote") == ["belote-not-held"]
    table("1 Qh")
    assert belotes(table) == [0, 0]


def test_be15_rebelote_first():
    table = with_pair()
    assert table.faults("1 rebelote") == ["rebelote-first"]
    table("1 Kh")
    assert belotes(table) == [0, 0]


def test_be15_belote_goes_with_king_or_queen_of_trump():
    table = with_pair("1 belote")
    assert table.plays() == {"Kh", "Qh"}
    assert table.would("1 belote") == ["belote-again"]
    assert table.faults("1 Jh") == ["belote-card"]
    assert table["pairs_begun"].tolist() == [0, 0, 0, 0]


def test_be15_belote_without_the_pair():
    table = with_pair(hands=("Kh Ah", "Qh", "", ""))
    assert table.would("1 belote") == ["belote-not-held"]
    assert with_pair(hands=("Ks Qs", "", "", "")).would("1 belote") == ["belote-not-held"]
    assert with_pair().would("2 belote") == ["belote-turn"]
    assert Table(PAIR)("1 bid 80h").would("2 belote") == ["belote-turn"]


def test_be15_tout_atout_has_up_to_four():
    rules = {"preset": "contree", "sans_tout": True}
    table = with_pair(hands=("Kh Qh Ks Qs Kd Qd Kc Qc", "", "", ""), bid="80ta", rules=rules)
    assert table["pairs_held"].tolist() == [15, 0, 0, 0]
    for _ in range(4):
        for word, rank in (("belote", "K"), ("rebelote", "Q")):
            suit = "shdc"[table["trick"] // 2]
            table.state["turn"] = table.state["leader"] = 0
            table(f"1 {word}", f"1 {rank}{suit}")
            table.state["trick"] += 1
            table.state["on_table"] = 0
            table.state["table"] = -1
    assert belotes(table) == [80, 0]


# announcements (BE-16)

COINCHEE = "coinchee"


def announced(hands, *words, rules=COINCHEE, bid="80h"):
    table = Table(hands, rules)(*auction(bid), *words)
    return table, [int(announcement_points(table.state, side)) for side in range(2)]


@pytest.mark.parametrize(
    ("hand", "words", "points"),
    [
        ("7s 8s 9s", ["tierce-9s"], 20),
        ("Ts Js Qs Ks", ["cinquante-Ks"], 50),
        ("Ts Js Qs Ks As", ["cent-As"], 100),
        ("Js Jh Jd Jc", ["carre-J"], 200),
        ("9s 9h 9d 9c", ["carre-9"], 150),
        ("As Ah Ad Ac", ["carre-A"], 100),
        ("Ts Th Td Tc", ["carre-T"], 100),
        ("Ks Kh Kd Kc", ["carre-K"], 100),
        ("Qs Qh Qd Qc", ["carre-Q"], 100),
        ("7s 8s 9s Td Jd Qd", ["tierce-9s", "tierce-Qd"], 40),
        ("7s 8s 9s Ts Js Qs Ks As", ["cent-As", "tierce-9s"], 120),
        ("Js Jh Jd Jc 9s Ts 8s", ["carre-J", "tierce-Ts"], 220),
    ],
)
def test_be16_what_announcements_are_worth(hand, words, points):
    table, found = announced((hand, "", "", ""), *(f"1 {word}" for word in words))
    assert found == [points, 0]
    assert [one for one in table["announcements"][0] if one >= 0] != []


def test_be16_a_card_counts_in_one_announcement():
    table, _ = announced(("Js Jh Jd Jc 9s Ts", "", "", ""), "1 carre-J")
    assert table.would("1 tierce-Js") == ["announce-cards-again"]
    assert table.would("1 carre-J") == ["announce-cards-again"]


@pytest.mark.parametrize(
    ("first", "second", "points"),
    [
        (("Js Jh Jd Jc", "carre-J"), ("9s 9h 9d 9c", "carre-9"), [200, 0]),
        (("9s 9h 9d 9c", "carre-9"), ("As Ah Ad Ac", "carre-A"), [150, 0]),
        (("Ts Th Td Tc", "carre-T"), ("As Ah Ad Ac", "carre-A"), [0, 100]),
        (("Qs Qh Qd Qc", "carre-Q"), ("7s 8s 9s Ts Js", "cent-Js"), [100, 0]),
        (("7s 8s 9s Ts Js", "cent-Js"), ("Jd Qd Kd Ad", "cinquante-Ad"), [100, 0]),
        (("7s 8s 9s Ts", "cinquante-Ts"), ("Qd Kd Ad", "tierce-Ad"), [50, 0]),
        (("7s 8s 9s", "tierce-9s"), ("Td Jd Qd", "tierce-Qd"), [0, 20]),
        (("7s 8s 9s", "tierce-9s"), ("7h 8h 9h", "tierce-9h"), [0, 20]),  # trump
        (("7s 8s 9s", "tierce-9s"), ("7d 8d 9d", "tierce-9d"), [0, 0]),
    ],
)
def test_be16_the_better_one_counts(first, second, points):
    hands = (f"{first[0]} Kc", second[0], "", "")
    if first[1].startswith("carre"):
        hands = (first[0], second[0], "", "")
    table, _ = announced(hands, f"1 {first[1]}")
    table.state["turn"] = 1
    table(f"2 {second[1]}")
    assert [int(announcement_points(table.state, side)) for side in range(2)] == points


def test_be16_the_team_of_the_best_counts_all_its_own():
    table, _ = announced(("7s 8s 9s", "Td Jd Qd Kd", "7c 8c 9c", "Th Jh Qh"), "1 tierce-9s")
    for words in ("2 cinquante-Kd", "3 tierce-9c", "4 tierce-Qh"):
        table.state["turn"] = int(words[0]) - 1
        table(words)
    assert [int(announcement_points(table.state, side)) for side in range(2)] == [0, 70]


def test_be16_of_equals_the_first_counts_where_the_option_says_so():
    rules = {"preset": COINCHEE, "equal_first": True}
    table, _ = announced(("7s 8s 9s", "7d 8d 9d", "", ""), "1 tierce-9s", rules=rules)
    table.state["turn"] = 1
    table("2 tierce-9d")
    assert [int(announcement_points(table.state, side)) for side in range(2)] == [20, 0]


def test_be16_what_cannot_be_shown_goes_to_the_others():
    table, _ = announced(("7s 8s", "9s", "", ""))
    assert table.faults("1 tierce-9s") == ["announcement-not-held"]
    assert [int(announcement_points(table.state, side)) for side in range(2)] == [0, 20]


def test_be16_announcements_are_made_before_ones_first_card():
    table, _ = announced(("7s 8s 9s As", "Td Jd Qd Ts", "", ""))
    assert table.would("2 tierce-Qd") == ["announce-time"]
    table("1 As", "2 tierce-Qd", "2 Ts")
    assert Table(rules=COINCHEE)("1 bid 80h").would("2 tierce-Qd") == ["announce-time"]
    table.state["trick"], table.state["turn"] = 1, 1
    assert table.would("2 tierce-Qd") == ["announce-time"]


def test_be16_contree_has_none():
    table, _ = announced(("7s 8s 9s", "", "", ""), rules="contree")
    assert table.faults("1 tierce-9s") == ["announce-rules"]
