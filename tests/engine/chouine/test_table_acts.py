"""Draws recorded in the log, irregularities, resignations: CH-7, CH-26, CH-27."""

import pytest

from engine.chouine.kernel import NULL, OVER, PENALTY, REPLAYED, RESIGNED, RUNNING
from tests.engine.chouine.positions import Table, closed, deal

HANDS = ["Kh Qh 7s 9c 8d", "Ah Th Jc 9d 7c"]
THREE = ["Kh Qh 7d", "9d 8d 9h", "7c 8c 9c"]


def table(**more) -> Table:
    return Table(deal(HANDS, "Js 8s 9s"), **more)


def drawn_once(players: int = 2) -> Table:
    """One trick played and drawn for; seat 1 took it."""
    if players == 2:
        return table()("1 Qh", "2 7c")
    return Table(deal(THREE, "Js 8s 9s Ts"), 3)("1 Kh", "2 8d", "3 7c")


def test_ch_7_recorded_draws_are_the_talons_in_order() -> None:
    play = table(explicit=True)("1 Qh", "2 7c")
    assert play.hand(1) == {"Kh", "7s", "9c", "8d"}  # nothing yet
    play("1 draw 8s", "2 draw 9s", "1 Kh")


def test_ch_7_a_draw_recorded_wrong_leaves_the_card_the_talon_gives() -> None:
    play = table(explicit=True)("1 Qh", "2 7c")
    assert play.faults("1 draw Ts") == ["draw-card"]
    assert "8s" in play.hand(1)
    assert "Ts" not in play.hand(1)


def test_ch_7_the_winner_draws_first_when_draws_are_recorded() -> None:
    play = table(explicit=True)("1 Qh", "2 7c")
    assert play.faults("2 draw 8s") == ["draw-turn"]
    assert "8s" in play.hand(2)
    play("1 draw 9s", "1 Kh")


def test_ch_7_every_draw_is_recorded_before_play_goes_on() -> None:
    play = table(explicit=True)("1 Qh", "2 7c", "1 draw 8s")
    assert play.faults("1 Kh") == ["draw-missing"]
    assert "9s" in play.hand(2)  # drawn all the same


def test_ch_7_nothing_to_draw_before_a_trick_nor_twice() -> None:
    play = table(explicit=True)
    assert play.would("1 draw 8s") == ["draw-unexpected"]
    play("1 Qh", "2 7c", "1 draw 8s")
    assert play.would("1 draw 9s") == ["draw-unexpected"]


def test_ch_7_a_log_that_leaves_draws_out_has_no_place_for_one() -> None:
    assert drawn_once().would("1 draw 8s") == ["draw-unexpected"]


@pytest.mark.parametrize("what", ["draw", "peek", "double"])
def test_ch_27_the_wronged_player_may_have_play_go_on(what: str) -> None:
    play = drawn_once()(f"1 fault {what}", "2 accept")
    assert play["outcome"] == RUNNING
    play("1 Kh")


@pytest.mark.parametrize("what", ["draw", "peek", "double"])
def test_ch_27_or_has_the_partie_replayed(what: str) -> None:
    play = drawn_once()(f"1 fault {what}", "2 replay")
    assert play["outcome"] == REPLAYED
    assert play.winner == 0
    assert play["over"] == OVER


def test_ch_27_a_second_one_gives_the_partie_to_the_wronged_player() -> None:
    play = drawn_once()("1 fault draw", "2 accept", "1 fault peek")
    assert play["outcome"] == PENALTY
    assert play.winner == 2
    assert play["over"] == OVER


def test_ch_27_each_player_has_a_first_one() -> None:
    play = drawn_once()("1 fault draw", "2 accept", "2 fault peek", "1 accept")
    assert play["outcome"] == RUNNING


@pytest.mark.parametrize("word", ["2 accept", "3 accept", "2 replay"])
def test_ch_27_at_three_the_second_waits_for_the_wronged_players_word(word: str) -> None:
    play = drawn_once(3)("1 fault draw", "2 accept", "1 fault peek")
    assert play["outcome"] == RUNNING
    play(word)
    assert play["outcome"] == PENALTY
    assert play.winner == int(word[0])


def test_ch_27_only_just_after_a_draw() -> None:
    assert table().would("1 fault draw") == ["irregularity-misplaced"]
    play = drawn_once()
    assert play.would("2 fault draw") == []
    assert play("1 Kh").would("2 fault draw") == ["irregularity-misplaced"]


def test_ch_27_up_to_the_last_draw() -> None:
    play = closed(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])
    assert play.would("2 fault draw") == []
    play("1 As", "2 Qs")
    assert play.would("2 fault draw") == ["irregularity-misplaced"]


def test_ch_27_it_is_decided_before_play_goes_on() -> None:
    play = drawn_once()("1 fault draw")
    assert play.would("1 fault peek") == ["irregularity-misplaced"]
    assert play.faults("1 Kh") == ["decision-missing"]
    assert play.would("2 accept") == ["decision-misplaced"]  # playing on was the answer


def test_ch_27_by_another_player_than_who_did_it() -> None:
    assert drawn_once().would("2 accept") == ["decision-misplaced"]
    play = drawn_once()("1 fault draw")
    assert play.would("1 accept") == ["decision-misplaced"]
    assert play.would("2 accept") == []


def test_resigning_gives_the_partie_to_the_other() -> None:
    play = table()("2 resign")  # out of turn too
    assert play["outcome"] == RESIGNED
    assert play.winner == 1
    assert play["over"] == OVER


def test_resigning_at_three_gives_it_to_the_highest_of_the_others() -> None:
    play = drawn_once(3)("1 resign")
    assert play["winner"] == NULL  # the others have nothing each
    play = Table(deal(["7h 8h 7d", "Ah 8d 9h", "7c 8c 9c"], "Js"), 3)
    play("1 7h", "2 Ah", "3 7c", "3 resign")
    assert play.winner == 2
