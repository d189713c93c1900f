"""Announcements and the chouine: CH-15 to CH-22."""

import pytest

from engine.chouine.kernel import BY_CHOUINE, LAST_CARD, OVER
from tests.engine.chouine.positions import PACK, Table, closed, deal, played_down


def holding(hand: str, other: str = "", turned: str = "7s", **more) -> Table:
    """Two players, seat 1 on lead with `hand`; spades are trump."""
    taken = {*hand.split(), *other.split(), turned}
    rest = [card for card in PACK.names if card not in taken]
    second = " ".join([*other.split(), *rest][:5])
    return Table(deal([hand, second], turned), **more)


def three(*hands: str, turned: str = "7s", **more) -> Table:
    return Table(deal(hands, turned), len(hands), **more)


def test_ch_15_leader_or_follower_in_the_open_phase() -> None:
    play = holding("Kh Qh 8d 9d 7c", "Kc Qc 7d 8h 9h")
    play("1 mariage-h", "1 8d", "2 mariage-c", "2 7d")
    assert play.points == [20, 20]


def test_ch_15_in_the_closed_phase_too() -> None:
    play = closed(["Ad 7s Kd Qd 8h", "Ks Qs Td 7d 9h"])
    before = play.points
    play("1 mariage-d", "1 Kd", "2 mariage-s", "2 Td")
    assert play.points == [before[0] + 20, before[1] + 40 + 14]


def test_ch_15_only_on_ones_own_turn_with_a_card_to_play() -> None:
    play = holding("Kh Qh 8d 9d 7c", "Kc Qc 7d 8h 9h")
    assert play.faults("2 mariage-c") == ["announce-turn"]
    assert play.points == [0, 0]


def test_ch_15_every_card_in_hand_the_played_one_included() -> None:
    play = holding("Kh Qh 8d 9d 7c", "Kc Jc 7d 8h 9h")
    assert play.would("1 mariage-h") == []
    play("1 Qh")
    assert play.faults("2 mariage-c") == ["announce-not-held"]
    play("2 8h")
    assert play.would("1 mariage-h") == ["announce-not-held"]  # the queen has gone
    assert play.points[1] == 0


def test_ch_15_the_card_taken_for_the_seven_counts() -> None:
    play = holding("Ks 7s 8d 9d 7c", turned="Qs")
    assert play.would("1 mariage-s") == ["announce-not-held"]
    play("1 sept", "1 mariage-s", "1 8d")
    assert play.points[0] == 40


def test_ch_16_any_card_goes_with_it_at_lavardin() -> None:
    holding("Kh Qh 8d 9d 7c")("1 mariage-h", "1 8d")


def test_ch_16_a_card_of_the_combination_in_the_complete_rules() -> None:
    play = holding("Kh Qh 8d 9d 7c", rules="regles-completes")("1 mariage-h")
    assert play.plays() == {"Kh", "Qh"}
    assert play.faults("1 8d") == ["announce-card"]
    assert play.points[0] == 20  # the announcement was good, the card was not


def test_ch_16_no_card_of_it_may_be_played() -> None:
    """In the closed phase following suit can forbid every card of a combination."""
    last = ["Kd 7s 9d Ah 8h", "Kc Qc Td 7d Ts"]
    free = closed(last)("1 Kd")
    assert free.would("2 mariage-c") == []
    bound = closed(last, rules="regles-completes")("1 Kd")
    assert bound.would("2 mariage-c") == ["announce-card"]


def test_ch_16_two_announcements_need_a_card_of_both() -> None:
    rules = {"preset": "regles-completes"}
    separate = holding("Kh Qh Kd Qd 7c", rules=rules)("1 mariage-h")
    assert separate.would("1 mariage-d") == ["announce-card"]


def test_ch_17_an_announcement_never_shown_counts_nothing() -> None:
    play = holding("Kh Qh 8d 9d 7c")("1 mariage-h~", "1 8d")
    assert play.points[0] == 0


def test_ch_17_nor_does_it_use_up_its_suit() -> None:
    play = holding("Kh Qh 8d 9d 7c")("1 mariage-h~", "1 mariage-h", "1 8d")
    assert play.points[0] == 20


def test_ch_17_its_cards_must_be_held_all_the_same() -> None:
    assert holding("Kh Jh 8d 9d 7c").would("1 mariage-h~") == ["announce-not-held"]


@pytest.mark.parametrize(
    ("word", "hand", "points"),
    [
        ("mariage-h", "Kh Qh 8d 9d 7c", 20),
        ("tierce-h", "Kh Qh Jh 9d 7c", 30),
        ("quarteron-h", "Ah Kh Qh Jh 7c", 40),
        ("mariage-s", "Ks Qs 8d 9d 7c", 40),
        ("tierce-s", "Ks Qs Js 9d 7c", 60),
        ("quarteron-s", "As Ks Qs Js 7c", 80),
        ("quinte", "Ah Th Ad Td Ac", 50),
    ],
)
def test_ch_18_what_two_players_announce(word: str, hand: str, points: int) -> None:
    assert holding(hand)(f"1 {word}").points[0] == points


@pytest.mark.parametrize(
    ("word", "hand"),
    [
        ("mariage-h", "Kh Qd 8d 9d 7c"),
        ("tierce-h", "Kh Qh Th 9d 7c"),
        ("quarteron-h", "Th Kh Qh Jh 7c"),
        ("chouine-h", "Ah Kh Qh Jh 9h"),
        ("quinte", "Ah Th Ad Td Kc"),
    ],
)
def test_ch_18_and_what_is_missing_a_card(word: str, hand: str) -> None:
    assert holding(hand).would(f"1 {word}") == ["announce-not-held"]


@pytest.mark.parametrize(
    ("rules", "points"),
    [("lavardin", 50), ("regles-completes", 100), ({"preset": "lavardin", "quinte": 70}, 70)],
)
def test_ch_18_worth_of_a_quinte(rules: object, points: int) -> None:
    assert holding("Ah Th Ad Td Ac", rules=rules)("1 quinte").points[0] == points


def test_ch_18_a_quinte_in_trumps_is_not_doubled() -> None:
    assert holding("As Ts Ad Td Ac")("1 quinte").points[0] == 50


def test_ch_18_two_players_have_no_trente() -> None:
    play = holding("Ah Th Ad Td Ac")
    assert play.faults("1 trente") == ["announce-kind"]
    assert play.points[0] == 0


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize(
    ("word", "hand", "points"),
    [
        ("mariage-h", "Kh Qh 8d", 20),
        ("mariage-s", "Ks Qs 8d", 40),
        ("trente", "Ah Td Ac", 30),
        ("trente", "As Ts Ac", 30),  # not doubled
    ],
)
def test_ch_19_what_three_and_four_announce(players: int, word: str, hand: str, points: int) -> None:
    others = ["9h 9d 9c", "8h 7d 8c", "7h Jd 7c"][: players - 1]
    assert three(hand, *others)(f"1 {word}").points[0] == points


@pytest.mark.parametrize("word", ["tierce-h", "quarteron-h", "quinte"])
def test_ch_19_and_nothing_else(word: str) -> None:
    play = three("Kh Qh Jh", "9h 9d 9c", "8h 7d 8c")
    assert play.faults(f"1 {word}") == ["announce-kind-3-4"]
    assert play.points[0] == 0


def test_ch_19_two_brisques_make_no_trente() -> None:
    assert three("Ah Td Kc", "9h 9d 9c", "8h 7d 8c").would("1 trente") == ["announce-not-held"]


def test_ch_19_king_queen_jack_are_the_chouine() -> None:
    play = three("Ks Qs Js", "9h 9d 9c", "8h 7d 8c")("1 chouine-s")
    assert play["outcome"] == BY_CHOUINE
    assert play.winner == 1


@pytest.mark.parametrize(("one_per_suit", "faults"), [(True, ["announce-again"]), (False, [])])
def test_ch_20_one_announcement_a_suit(one_per_suit: bool, faults: list[str]) -> None:
    rules = {"preset": "lavardin", "one_per_suit": one_per_suit}
    play = holding("Kh Qh Jh 9d 7c", rules=rules)("1 mariage-h")
    assert play.faults("1 tierce-h") == faults
    assert play.points[0] == (50 if one_per_suit is False else 20)


@pytest.mark.parametrize("one_per_suit", [True, False])
def test_ch_20_never_the_same_one_twice(one_per_suit: bool) -> None:
    rules = {"preset": "lavardin", "one_per_suit": one_per_suit}
    play = holding("Kh Qh 8d 9d 7c", rules=rules)("1 mariage-h")
    assert play.would("1 mariage-h") == ["announce-again"]


def test_ch_20_another_suit_and_another_player_may() -> None:
    play = holding("Kh Qh Kd Qd 7c", "Kc Qc 8d 9d 8h")
    play("1 mariage-h", "1 mariage-d", "1 7c", "2 mariage-c", "2 8d")
    assert play.points == [40, 20]


def test_ch_20_one_quinte_a_partie() -> None:
    play = holding("Ah Th Ad Td Ac")("1 quinte")
    assert play.would("1 quinte") == ["announce-again"]


def test_ch_20_a_chouine_too_is_an_announcement_of_its_suit() -> None:
    play = holding("Ah Th Kh Qh Jh")("1 mariage-h")
    assert play.would("1 chouine-h") == ["announce-again"]


def test_ch_20_a_faulty_announcement_uses_nothing_up() -> None:
    play = holding("Kh Jh 8d 9d 7c", "9h 8c 9c Jd Jc")
    assert play.faults("1 mariage-h") == ["announce-not-held"]
    assert play["counted"][0] == 0


@pytest.mark.parametrize(("one_per_play", "faults"), [(True, ["announce-one-per-play"]), (False, [])])
def test_ch_21_several_with_one_card(one_per_play: bool, faults: list[str]) -> None:
    rules = {"preset": "lavardin", "one_per_play": one_per_play}
    play = holding("Kh Qh Kd Qd 7c", rules=rules)("1 mariage-h")
    assert play.faults("1 mariage-d") == faults
    assert play.points[0] == (20 if one_per_play else 40)


def test_ch_21_the_next_card_may_bring_another() -> None:
    rules = {"preset": "lavardin", "one_per_play": True}
    play = holding("Kh Qh Kd Qd Ac", "8d 9d 9c 8h 8c", rules=rules)
    play("1 mariage-h", "1 Ac", "2 9c", "1 mariage-d", "1 Kd")
    assert play.points[0] == 40 + 11


def test_ch_22_a_trump_chouine_ends_the_partie_at_once() -> None:
    play = holding("As Ts Ks Qs Js")("1 chouine-s")
    assert play.winner == 1
    assert play["over"] == LAST_CARD  # its card may still be laid down, or left out
    assert play["leads"][0] == 0  # and its player led, all the same
    assert play.would("2 8h") == ["after-end"]
    assert play.would("1 resign") == ["after-end"]
    play("1 As")
    assert play["over"] == OVER


def test_ch_22_a_followers_plain_chouine_ends_it_at_once() -> None:
    play = holding("8d 9d 7c 8c 9c", "Ah Th Kh Qh Jh")("1 8d", "2 chouine-h")
    assert play.winner == 2
    assert play["over"] == LAST_CARD


def test_ch_22_a_leaders_plain_chouine_wins_when_nobody_answers() -> None:
    play = holding("Ah Th Kh Qh Jh", "8d 9d 7c 8c 9c")("1 chouine-h")
    assert play["outcome"] == BY_CHOUINE
    assert play.winner == 1
    play("1 Jh")
    assert not play["over"]  # seat 2 has yet to play
    assert play.would("2 resign") == ["after-end"]
    play("2 8d")
    assert play["over"] == OVER
    assert play.winner == 1


def test_ch_22_a_trump_chouine_answers_a_leaders_plain_one() -> None:
    play = holding("Ah Th Kh Qh Jh", "As Ts Ks Qs Js")("1 chouine-h", "1 Jh", "2 chouine-s")
    assert play.winner == 2
    assert play["over"] == LAST_CARD


def test_ch_22_but_not_once_it_has_played_its_card() -> None:
    play = holding("Ah Th Kh Qh Jh", "As Ts Ks Qs Js")("1 chouine-h", "1 Jh", "2 Js")
    assert play["over"] == OVER
    assert play.winner == 1


def test_ch_22_of_two_plain_chouines_the_first_announced_wins() -> None:
    play = holding("Ah Th Kh Qh Jh", "Ad Td Kd Qd Jd")
    play("1 chouine-h", "1 Jh", "2 chouine-d", "2 Jd")
    assert play["over"] == OVER
    assert play.winner == 1


def test_ch_22_at_three_the_last_to_play_may_still_answer() -> None:
    play = three("Kh Qh Jh", "Kd Qd Jd", "Ks Qs Js")
    play("1 chouine-h", "1 Jh", "2 chouine-d", "2 Jd")
    assert play.winner == 1
    play("3 chouine-s")
    assert play.winner == 3
    assert play["over"] == LAST_CARD


def test_ch_22_an_unshown_chouine_wins_nothing() -> None:
    play = holding("As Ts Ks Qs Js")("1 chouine-s~", "1 As")
    assert not play["over"]


def test_ch_22_the_points_are_those_counted_so_far() -> None:
    dealt = deal(["Ah Th Kh Qh 9h", "Td 9d Kc Qc 9c"], "8s Jh")
    play = Table(dealt)("1 9h", "2 mariage-c", "2 Td", "1 chouine-h", "1 Ah")
    assert play.winner == 1
    assert play.points == [10, 20]  # no more than was won and announced, and no last trick


def test_ch_22_in_the_closed_phase_too() -> None:
    last = ["Ad Td Kd Qd Jd", "7s 8s 9s Js 7h"]
    dealt, actions = played_down(last)
    play = Table(dealt)(*actions)("1 chouine-d", "1 Ad")
    assert play["outcome"] == BY_CHOUINE
    play("2 7s")
    assert play["over"] == OVER
    assert play.winner == 1
