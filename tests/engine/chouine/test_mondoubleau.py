"""Chouine without a retourne, where an announcement makes trump: CH-28 and CH-29."""

import pytest

from engine.chouine.kernel import LAST_CARD
from tests.engine.chouine.positions import PACK, Table, closed, deal

HANDS = ["Kh Qh 7s 9c 8d", "Kd Qd Jc 9d 7c"]


def table(hands=HANDS, **options) -> Table:
    return Table(deal(hands), len(hands), rules={"preset": "mondoubleau", **options})


@pytest.mark.parametrize("players", [2, 3, 4])
def test_ch_28_nothing_is_turned_up_and_there_is_no_trump(players: int) -> None:
    play = Table(list(range(32)), players, rules="mondoubleau")
    assert play["retourne"] == -1
    assert play["trump"] == -1
    size = 5 if players == 2 else 3
    assert play["talon"][0] == size * players  # the card not turned up is the first drawn


def test_ch_28_no_exchange_and_nothing_to_say() -> None:
    play = table()
    assert play.faults("1 sept") == ["sept-no-retourne"]
    assert play.would("1 au-sept") == ["au-sept-misplaced"]


def test_ch_28_no_ruffing_before_there_is_trump() -> None:
    play = table()("1 9c", "2 9d")
    assert play.turn == 1  # a card of another suit takes nothing
    bound = closed(["Ad 7s Kd 9d 8h", "Ks Qs Jc 7c 9c"], rules="mondoubleau", turn_up=False, trump="x")(
        "1 Kd"
    )
    assert bound.plays() == bound.hand(2)  # none of the suit, no trump: any card


@pytest.mark.parametrize(
    ("word", "hand"),
    [("mariage-h", "Kh Qh 7s 9c 8d"), ("tierce-h", "Kh Qh Jh 9c 8d"), ("quarteron-h", "Ah Kh Qh Jh 8d")],
)
def test_ch_28_who_leads_makes_trump_by_announcing(word: str, hand: str) -> None:
    play = table([hand, HANDS[1]])(f"1 {word}")
    assert PACK.names[play["trump"] * 8][1] == "h"
    play("1 8d", "2 Kd")
    assert play.turn == 2


@pytest.mark.parametrize("players", [3, 4])
def test_ch_28_at_three_and_four_a_mariage_makes_trump(players: int) -> None:
    others = ["9h 9d 9c", "8h 7d 8c", "7h Jd 7c"][: players - 1]
    play = table(["Kh Qh 8d", *others])("1 mariage-h")
    assert PACK.names[play["trump"] * 8][1] == "h"


def test_ch_28_a_quinte_makes_no_trump() -> None:
    play = table(["Ah Th Ad Td Ac", "Kd Qd Jc 9d 7c"])("1 quinte")
    assert play["trump"] == -1


def test_ch_28_an_unshown_announcement_makes_no_trump() -> None:
    play = table()("1 mariage-h~", "1 Kh")
    assert play["trump"] == -1


def test_ch_28_trump_once_made_stays() -> None:
    play = table(["Kh Qh Kc Qc 8d", HANDS[1]])("1 mariage-h", "1 mariage-c")
    assert PACK.names[play["trump"] * 8][1] == "h"
    assert play.points[0] == 40 + 20


def test_ch_28_the_talon_is_drawn_to_its_end() -> None:
    play = closed(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"], rules="mondoubleau", turn_up=False, trump="x")
    assert play["drawn"] == play["talon_size"] == 22


@pytest.mark.parametrize(("trump_maker", "points"), [("trump", 40), ("plain", 20)])
def test_ch_29_worth_of_the_announcement_that_makes_trump(trump_maker: str, points: int) -> None:
    assert table(trump_maker=trump_maker)("1 mariage-h").points[0] == points


@pytest.mark.parametrize("trump_maker", ["trump", "plain"])
def test_ch_29_a_later_one_in_trump_is_doubled_for_any_leader(trump_maker: str) -> None:
    play = table(["Kh Qh 7s 9c 8d", "Kd Qd Jh 9d 7c"], trump_maker=trump_maker, one_per_suit=False)
    play("1 mariage-h", "1 8d", "2 9d")
    assert play.turn == 2
    assert play.points[0] == (40 if trump_maker == "trump" else 20)


def test_ch_29_without_the_lead_it_is_plain_and_makes_nothing() -> None:
    play = table()("1 7s", "2 mariage-d")
    assert play["trump"] == -1
    assert play.points[1] == 20
    play("2 7c")


def test_ch_29_plain_points_stay_plain_when_that_suit_becomes_trump() -> None:
    hands = ["7d 8d 7s 9c 8c", "Kh Qh Jh Ad 7c"]
    play = Table(deal(hands), rules={"preset": "mondoubleau", "one_per_suit": False})
    play("1 7d", "2 mariage-h", "2 Ad", "2 tierce-h")
    assert PACK.names[play["trump"] * 8][1] == "h"
    assert play.points[1] == 20 + 11 + 60


def test_ch_22_before_trump_is_made_no_chouine_can_be_beaten() -> None:
    play = table(["Ah Th Kh Qh Jh", "As Ts Ks Qs Js"])("1 chouine-h")
    assert play["over"] == LAST_CARD
    assert play.winner == 1
