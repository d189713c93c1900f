"""`Replay` of Chouine: states, legal actions and stepping through a deal."""

from itertools import pairwise

import pytest

from engine.chouine.kernel import OVER
from engine.games import game
from engine.options import encode_rules, resolve_options
from engine.replay import Replay
from tests.engine.chouine.positions import PACK, WORDS, deal, deck_of, played_down

RULES = encode_rules("chouine", resolve_options("chouine", "lavardin", 2))
DEALT, ACTIONS = played_down(["As 7s Kd 9d 8h", "Ks Qs Td 7d 9h"])
END = ["1 As", "2 Qs", "1 7s", "2 Ks", "2 Td", "1 Kd", "2 7d", "1 9d", "1 8h", "2 9h"]


def replay(words: list[str], dealt: str = DEALT) -> Replay:
    codes = [WORDS[word] for word in words]
    return Replay(game("chouine"), RULES, 2, 1, deck_of(dealt), codes)


def test_one_state_more_than_actions() -> None:
    whole = replay(ACTIONS + END)
    assert len(whole) == len(ACTIONS) + len(END) + 1
    assert whole[0].action is None
    assert whole[0].seat is None
    assert whole[1].action is not None
    assert whole[1].seat == 0


def test_states_are_distinct_and_going_back_is_one_less() -> None:
    whole = replay(ACTIONS)
    hands = [int(ply.state["hand"][0]) for ply in whole]
    assert hands[0] != hands[1]
    assert [ply.index for ply in whole] == list(range(len(whole)))
    assert int(whole[whole[5].index - 1].state["hand"][0]) == hands[4]


def test_index_slice_and_iteration_agree() -> None:
    whole = replay(ACTIONS)
    assert [ply.index for ply in whole[3:6]] == [3, 4, 5]
    assert whole[-1] is whole.last
    assert list(whole)[7] is whole[7]
    assert whole[::-1][0] is whole.last
    with pytest.raises(IndexError):
        whole[len(whole)]


def test_at_trick_is_the_first_state_with_so_many() -> None:
    whole = replay(ACTIONS + END)
    assert whole.at_trick(0) is whole[0]
    assert whole.at_trick(1).index == 2
    assert whole.at_trick(1).trick == 1
    assert whole.at_trick(16) is whole.last
    with pytest.raises(IndexError, match="16 tricks, not 17"):
        whole.at_trick(17)


def test_legal_actions_of_every_state_hold_what_was_done() -> None:
    whole = replay(ACTIONS + END)
    for before, after in pairwise(whole):
        assert after.action in before.legal
    assert whole.last.legal == ()
    assert whole.last.is_over


def test_running_points_only_grow_and_end_in_the_total() -> None:
    whole = replay(ACTIONS + END)
    points = [[int(seat) for seat in ply.points] for ply in whole]
    for before, after in pairwise(points):
        assert all(a <= b for a, b in zip(before, after, strict=True))
    assert sum(points[-1]) == 130


def test_a_noted_fault_is_kept_and_play_goes_on() -> None:
    words = [*ACTIONS, "1 Kd", "2 9h", "1 As", "2 Qs"]
    bad = replay(words)
    at = len(ACTIONS) + 1
    assert [(i, fault.code) for i, fault in bad.faults] == [(at, "must-follow")]
    assert bad.stop is None
    assert len(bad) == len(words) + 1
    assert [fault.code for fault in bad[at + 1].faults] == ["must-follow"]


def test_what_cannot_have_happened_stops_the_replay_before_it() -> None:
    words = [*ACTIONS, "1 Ah", "2 Qs"]
    bad = replay(words)
    assert bad.stop is not None
    assert bad.stop.action_index == len(ACTIONS)
    assert [fault.code for fault in bad.stop.faults] == ["card-not-held"]
    assert len(bad) == len(ACTIONS) + 1
    assert [(i, fault.code) for i, fault in bad.faults] == [(len(ACTIONS), "card-not-held")]


def test_a_warning_does_not_stop_the_replay() -> None:
    words = [word for word in ACTIONS if word != "1 au-sept"]
    warned = replay(words)
    assert [fault.code for _, fault in warned.faults] == ["au-sept-missing"]
    assert len(warned) == len(words) + 1


def test_an_action_after_the_end_stops_there() -> None:
    dealt = deal(["As Ts Ks Qs Js", "7d 8d 9d 7c 8c"], "9s")
    bad = replay(["1 chouine-s", "1 Js", "2 7d"], dealt)
    assert bad.stop is not None
    assert bad.stop.faults[0].code == "after-end"
    assert bad.last.state["over"] == OVER


def test_every_fault_of_one_action_is_reported() -> None:
    """Nobody had recorded the draws, nor does the seat hold the card."""
    explicit = Replay(
        game("chouine"),
        RULES,
        2,
        1,
        deck_of(deal(["Kh Qh 7s 9c 8d", "Ah Th Jc 9d 7c"], "Js")),
        [WORDS[word] for word in ("1 9c", "2 7c", "1 Ah")],
        True,
    )
    assert explicit.stop is not None
    assert [fault.code for fault in explicit.stop.faults] == ["card-not-held", "draw-missing"]


def test_an_empty_deal_is_one_state() -> None:
    assert len(replay([])) == 1
    assert PACK.names_in(replay([])[0].state["hand"][0])
