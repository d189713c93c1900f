"""Cards, the deal, the two phases of play, tricks and points: CH-1 to CH-14, CH-23, CH-24."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.chouine.kernel import CARD_POINTS, NULL, PLAYED_OUT
from engine.games import game
from engine.options import encode_rules, resolve_options
from engine.replay import Replay
from tests.engine.chouine.positions import PACK, WORDS, Table, closed, deal, played_down

HANDS = ["Kh Qh 7s 9c 8d", "Ah Th Jc 9d 7c"]
"""Lucie in seat 1, who leads, and Marcel in seat 2, who deals; the jack of spades is turned up."""


def table(**more) -> Table:
    return Table(deal(HANDS, "Js"), **more)


def test_ch_1_four_suits_of_eight_ranks_make_120_points() -> None:
    assert len(PACK) == 32
    spades = [name for name in PACK.names if name[1] == "s"]
    assert spades == ["7s", "8s", "9s", "Js", "Qs", "Ks", "Ts", "As"]  # weakest first
    assert [int(CARD_POINTS[PACK.code_entries[name]]) for name in spades] == [0, 0, 0, 2, 3, 4, 10, 11]
    assert CARD_POINTS.sum() == 120


@pytest.mark.parametrize(("players", "each", "turned"), [(2, 5, 11), (3, 3, 10), (4, 3, 13)])
@pytest.mark.parametrize("dealer", [1, 2])
def test_ch_3_cards_go_round_one_by_one_from_the_dealers_next(
    players: int, each: int, turned: int, dealer: int
) -> None:
    deck = list(np.random.default_rng(players).permutation(32))
    dealt = Table(deck, players, dealer=dealer)
    for k in range(players):
        seat = (dealer + k) % players + 1
        assert dealt.hand(seat) == {PACK.names[deck[k + i * players]] for i in range(each)}
    assert dealt["retourne"] == deck[turned - 1]


def test_ch_4_the_suit_turned_up_is_trump_and_that_card_is_drawn_last() -> None:
    dealt, actions = played_down(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])
    start = Table(dealt)
    retourne = PACK.names[start["retourne"]]
    assert retourne == "Ks"
    assert PACK.names[start["trump"] * 8][1] == "s"
    start(*actions[:-1])
    assert retourne not in start.hand(1) | start.hand(2)
    start(actions[-1])
    assert retourne in start.hand(2)


def test_ch_5_the_dealers_next_leads_then_who_takes() -> None:
    play = table()
    assert play.turn == 1
    assert play.would("2 Ah") == ["wrong-turn"]
    play("1 Kh", "2 Ah")
    assert play.turn == 2
    assert play.would("1 Qh") == ["wrong-turn"]


def test_ch_5_play_goes_in_seat_order() -> None:
    play = Table(deal(["7h 8h 9h", "7d 8d 9d", "7c 8c 9c", "Jh Jd Jc"], "As", 2), 4, dealer=2)
    for seat, card in ((3, "7c"), (4, "Jc"), (1, "7h"), (2, "7d")):
        assert play.turn == seat
        play(f"{seat} {card}")
    assert play.turn == 4


def test_ch_6_any_card_while_the_talon_lasts() -> None:
    play = table()
    assert play.plays() == set(HANDS[0].split())
    play("1 Kh")
    assert play.plays() == set(HANDS[1].split())  # hearts in hand, and no duty to follow


def test_ch_6_open_until_the_last_draw() -> None:
    dealt, actions = played_down(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])
    play = Table(dealt)(*actions[:-1])  # the reply to the eleventh trick
    assert play.plays() == play.hand(2)


def test_ch_7_the_winner_draws_first() -> None:
    play = Table(deal(HANDS, "Js 8s 9s"))("1 Kh", "2 Ah")
    assert "8s" in play.hand(2)
    assert "9s" in play.hand(1)


@pytest.mark.parametrize(
    ("players", "hand", "draws", "tricks"), [(2, 5, 11, 16), (3, 3, 7, 10), (4, 3, 5, 8)]
)
def test_ch_7_draws_and_tricks(players: int, hand: int, draws: int, tricks: int) -> None:
    play = Table(list(np.random.default_rng(7).permutation(32)), players)
    while not play["over"]:
        moves = [a for a in play.legal() if a.act < 32]
        play.faults(f"{moves[0].seat + 1} {PACK.names[moves[0].act]}")
        whole = play["on_table"] == 0 and not play["over"]
        if whole and play["trick"] < draws:
            assert [len(play.hand(seat + 1)) for seat in range(players)] == [hand] * players
    assert play["trick"] == tricks
    assert play["drawn"] == draws * players


def test_ch_7_three_players_never_draw_the_last_two() -> None:
    play = closed(["As 9s Kd", "Td 7d 9h", "Ah Th 7h"])
    left = {PACK.names[card] for card in play["talon"][play["drawn"] : play["talon_size"]]}
    assert len(left) == 2
    assert PACK.names[play["retourne"]] in left
    play("1 As", "2 9h", "3 7h", "1 Kd", "2 Td", "3 Ah", "2 7d", "3 Th", "1 9s")
    assert play["over"]
    # two cards count for nobody
    worth = sum(int(CARD_POINTS[PACK.code_entries[card]]) for card in left)
    assert sum(play.points) == 120 + 10 - worth


def test_ch_8_talon_empty_follow_suit() -> None:
    play = closed(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])
    assert play.plays() == {"As", "7s", "Kd", "9d", "8h"}  # the leader is free
    play("1 Kd")
    assert play.plays() == {"Td", "7d"}
    assert play.would("2 9h") == ["must-follow"]


def test_ch_9_trump_led_must_be_beaten() -> None:
    play = closed(["Js 7s Kd 9d 8h", "Ks 8s Td 7d 9h"])("1 Js")
    assert play.plays() == {"Ks"}
    assert play.would("2 8s") == ["must-beat"]


def test_ch_9_a_trump_that_cannot_be_beaten_is_followed_with_any() -> None:
    play = closed(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])("1 As")
    assert play.plays() == {"Ks", "Qs"}
    assert play.would("2 Td") == ["must-follow"]


def test_ch_9_plain_led_nobody_has_to_beat() -> None:
    play = closed(["As 7s 9d Kd 8h", "Ks Qs Td 7d 9h"])("1 9d")
    assert play.plays() == {"Td", "7d"}


def test_ch_9_at_three_the_highest_trump_on_the_table_is_to_beat() -> None:
    play = closed(["9s 8h 9h", "Qs 8s Kc", "Ks Js 7c"])("1 9s", "2 Qs")
    assert play.plays() == {"Ks"}
    assert play.would("3 Js") == ["must-beat"]


def test_ch_9_at_three_who_cannot_beat_it_plays_any_trump() -> None:
    play = closed(["9s 8h 9h", "Ks 8s Kc", "Qs Js 7c"])("1 9s", "2 Ks")
    assert play.plays() == {"Qs", "Js"}


def test_ch_10_without_the_suit_one_ruffs() -> None:
    play = closed(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9c"])("1 8h")
    assert play.plays() == {"Ks", "Qs"}
    assert play.would("2 9c") == ["must-ruff"]


def test_ch_10_without_suit_or_trump_any_card() -> None:
    play = closed(["Kd 9d 8h", "Td 7d 9c", "8s 8c 9h"])("1 8h", "2 9c", "3 9h")
    play("3 8c")  # nobody has a club left to follow with
    assert play.turn == 1
    assert play.plays() == {"Kd", "9d"}


@pytest.mark.parametrize("trump", ["s", "c"])
@pytest.mark.parametrize(("overruff", "cards"), [(False, {"Q", "7"}), (True, {"Q"})])
def test_ch_11_a_ruff_over_a_ruff(overruff: bool, cards: set[str], trump: str) -> None:
    rules, other = {"preset": "lavardin", "overruff": overruff}, {"s": "c", "c": "s"}[trump]
    hands = ["Kd 9d 8h", f"J{trump} 9h 8{other}", f"Q{trump} 7{trump} T{other}"]
    play = closed(hands, trump, rules)("1 Kd", f"2 J{trump}")
    assert play.plays() == {rank + trump for rank in cards}
    assert play.would(f"3 7{trump}") == (["must-overruff"] if overruff else [])


def test_ch_11_who_cannot_overruff_still_ruffs() -> None:
    rules = {"preset": "lavardin", "overruff": True}
    play = closed(["Kd 9d 8h", "Qs 9h 8c", "Js 7s Tc"], rules=rules)("1 Kd", "2 Qs")
    assert play.plays() == {"Js", "7s"}
    assert play.would("3 Tc") == ["must-ruff"]


@pytest.mark.parametrize(
    ("led", "reply", "trick_winner"),
    [
        ("Kh", "Ah", 2),  # the higher card of the suit
        ("Kh", "7h", 1),
        ("7h", "Ad", 1),  # a plain card of another suit takes nothing
        ("Ah", "7s", 2),  # the lowest trump takes the ace
        ("9s", "7s", 1),
    ],
)
def test_ch_12_who_takes_the_trick(led: str, reply: str, trick_winner: int) -> None:
    used = {led, reply, "Js"}
    rest = [card for card in PACK.names if card not in used]
    hands = [" ".join([led, *rest[:4]]), " ".join([reply, *rest[4:8]])]
    play = Table(deal(hands, "Js"))(f"1 {led}", f"2 {reply}")
    assert play.turn == trick_winner
    assert play.pile(trick_winner) == {led, reply}


def test_ch_13_the_leader_takes_the_retourne_and_may_play_it() -> None:
    play = table()("1 sept")
    assert play.hand(1) == {"Kh", "Qh", "Js", "9c", "8d"}
    assert PACK.names[play["talon"][play["talon_size"] - 1]] == "7s"
    play("1 Js")


def test_ch_13_who_replies_may_exchange_too() -> None:
    play = Table(deal(["Kh Qh 8s 9c 8d", "Ah Th 7s 9d 7c"], "Js"))("1 Kh", "2 sept", "2 Js")
    assert play.pile(2) == {"Kh", "Js"}


def test_ch_13_only_on_ones_own_turn() -> None:
    play = Table(deal(["Kh Qh 8s 9c 8d", "Ah Th 7s 9d 7c"], "Js"))
    assert play.faults("2 sept") == ["sept-turn"]
    assert "Js" in play.hand(2)  # it was done, and play goes on


def test_ch_13_the_seven_must_be_in_hand() -> None:
    play = table()("1 Kh")
    assert play.faults("2 sept") == ["sept-not-held"]


def test_ch_13_once_a_partie() -> None:
    play = table()("1 sept")
    assert play.faults("1 sept") == ["sept-again"]


def test_ch_13_never_when_the_seven_is_turned_up() -> None:
    play = Table(deal(["Kh Qh 8s 9c 8d", "Ah Th Jc 9d 7c"], "7s"))
    assert play.faults("1 sept") == ["sept-is-retourne"]


def test_ch_13_never_compulsory() -> None:
    assert table().would("1 Kh") == []


def test_ch_13_up_to_the_last_trick_of_the_talon_and_no_later() -> None:
    dealt, actions = played_down(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])
    at = actions.index("1 au-sept")
    play = Table(dealt)(*actions[:at])
    assert play["talon_size"] - play["drawn"] == 2
    assert play.would("1 sept") == []
    play(*actions[at:])
    assert play.would("1 sept") == ["sept-late"]


def test_ch_13_at_three_the_retourne_stays_in_the_talon_to_the_end() -> None:
    play = closed(["Qs 9s Kd", "Td 7d 9h", "7s Th 7h"])("1 Kd", "2 Td")
    assert play["drawn"] == play["drawable"]
    retourne = PACK.names[play["retourne"]]
    play("3 sept")
    assert retourne in play.hand(3)


@pytest.mark.parametrize(("au_sept", "faults"), [("warn", ["au-sept-missing"]), ("ignore", [])])
def test_ch_14_two_cards_left_and_no_exchange(au_sept: str, faults: list[str]) -> None:
    dealt, actions = played_down(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])
    at = actions.index("1 au-sept")
    play = Table(dealt, rules={"preset": "lavardin", "au_sept": au_sept})(*actions[:at])
    assert play.would(actions[at + 1]) == faults
    play("1 au-sept")
    assert play.would(actions[at + 1]) == []


def test_ch_14_it_is_the_leader_who_says_it_and_only_then() -> None:
    dealt, actions = played_down(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])
    at = actions.index("1 au-sept")
    play = Table(dealt)
    assert play.would("1 au-sept") == ["au-sept-misplaced"]
    play(*actions[:at])
    assert play.would("2 au-sept") == ["au-sept-misplaced"]
    play("1 au-sept")
    assert play.would("1 au-sept") == ["au-sept-misplaced"]  # once is enough


def test_ch_14_nothing_to_say_after_an_exchange() -> None:
    dealt, actions = played_down(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])
    at = actions.index("1 au-sept")
    play = Table(dealt)(*actions[:at])("1 sept")
    assert play.would(actions[at + 1]) == []
    assert play.would("1 au-sept") == ["au-sept-misplaced"]


def test_ch_14_no_reminder_when_the_seven_itself_is_turned_up() -> None:
    dealt, actions = played_down(["As Js Kd 9d 8h", "7s Qs Td 7d 9h"])
    assert "1 au-sept" not in actions  # there is nothing to exchange
    Table(dealt)(*actions)


def test_ch_14_at_three_it_is_reported_once_for_the_two_that_stay() -> None:
    dealt, actions = played_down(["As 7s Kd", "Td 7d 9h", "Ah Th 7h"])
    assert actions[-1] == "1 au-sept"
    play = Table(dealt, 3)(*actions[:-1])
    assert play.would("1 As") == ["au-sept-missing"]
    assert play.faults("1 As") == ["au-sept-missing"]
    play("2 9h", "3 7h", "1 Kd")  # not asked again


def test_ch_14_at_four_two_cards_are_never_left() -> None:
    last = ["As 9s Kd", "Td 7d 9h", "Ah Th 7h", "8s 7s 8h"]
    dealt, actions = played_down(last)
    play = Table(dealt, 4)(*actions)
    assert play.would("1 As") == []


def test_ch_23_last_trick_is_worth_ten_and_the_highest_total_wins() -> None:
    play = closed(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])
    before = play.points
    play("1 As", "2 Qs", "1 7s", "2 Ks", "2 Td", "1 Kd", "2 7d", "1 9d", "1 8h", "2 9h")
    assert play["over"]
    assert play["outcome"] == PLAYED_OUT
    won_later = {1: 11 + 3, 2: (4 + 0) + (10 + 4)}  # As Qs · Ks 7s, Td Kd
    assert play.points == [before[0] + won_later[1], before[1] + won_later[2] + 10]
    assert sum(play.points) == 130
    assert play.winner == 1


def test_ch_23_nothing_follows_the_end() -> None:
    play = Table(deal(["As Ts Ks Qs Js", "7d 8d 9d 7c 8c"], "9s"))("1 chouine-s", "1 Js")
    for word in ("2 7d", "1 resign", "2 accept", "1 sept", "1 draw 7h", "1 fault draw"):
        assert play.would(word) == ["after-end"]


def test_ch_23_the_rules_worked_example() -> None:
    path = Path(__file__).parents[3] / "data" / "exemple-lavardin.json"
    match = json.loads(path.read_text(encoding="utf-8"))
    players = {player["name"]: seat for seat, player in enumerate(match["players"])}
    written = match["deals"][0]
    play = Table(
        deal(written["hands"], _turned_first(written["talon"]), written["dealer"]), dealer=written["dealer"]
    )(*written["actions"])
    ranks = {name: sorted(card[0] for card in play.pile(seat + 1)) for name, seat in players.items()}
    assert ranks["Jean"] == sorted("78999JJQQKTAAA")
    assert ranks["Charles"] == sorted("7778889JJQQKKKTTTA")
    jean, charles = players["Jean"], players["Charles"]
    assert [int(play["cards"][seat]) for seat in (jean, charles)] == [57, 63]
    assert [int(play["bonus"][seat]) for seat in (jean, charles)] == [20, 40]
    assert play["der"] == jean
    assert [play.points[jean], play.points[charles]] == [87, 103]
    assert play.winner == charles + 1


def _turned_first(talon: str) -> str:
    cards = talon.split()
    return " ".join([cards[-1], *cards[:-1]])


def test_ch_24_equal_totals_make_a_null_partie() -> None:
    """A null partie of the shipped match, replayed by the same dealer."""
    path = Path(__file__).parents[3] / "data" / "match-lavardin.json"
    deals = json.loads(path.read_text(encoding="utf-8"))["deals"]
    at = next(i for i, written in enumerate(deals) if written["winner"] == 0)
    written = deals[at]
    play = Table(
        deal(written["hands"], _turned_first(written["talon"]), written["dealer"]), dealer=written["dealer"]
    )(*written["actions"])
    assert play.points[0] == play.points[1]
    assert play["winner"] == NULL
    assert deals[at + 1]["dealer"] == written["dealer"]


def test_the_same_actions_give_the_same_states_through_a_replay() -> None:
    dealt, actions = played_down(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])
    play = Table(dealt)
    deck = [PACK.code_entries[card] for card in dealt.split()]
    deck += [card for card in range(32) if card not in deck]
    rules = encode_rules("chouine", resolve_options("chouine", "lavardin", 2))
    replay = Replay(game("chouine"), rules, 2, 1, deck, [WORDS[word] for word in actions])
    for word, ply in zip(actions, replay[1:], strict=True):
        play(word)
        assert str(ply.state) == str(play.state)  # field by field: padding is never compared
