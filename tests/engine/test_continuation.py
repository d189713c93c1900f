"""Continuing a deal from any state: exact where the endgame is solved, and always legal."""

from pathlib import Path

import pytest

from engine import continuation
from engine.actions import decode_action
from engine.games import game, game_names
from engine.replay import Replay
from engine.sampling import NotSampled
from engine.solver import best_line, solve_deal, solve_final_state
from ingest.validate.slow_path import validate

DATA = Path(__file__).parents[2] / "data"
LOGS = ("match-lavardin", "match-mondoubleau", "match-coinche", "match-belote", "match-belote-coinchee")
"""Logs of deals whose ends are solved."""


def replays(name: str) -> list[Replay]:
    log = validate(DATA.joinpath(f"{name}.json").read_bytes())
    return [replay for replay in log.replays if replay is not None]


def solved_at(replay: Replay) -> int | None:
    """The action with which what is solved begins."""
    return getattr(solve_deal(replay), "first_action", None)


@pytest.mark.parametrize("name", LOGS)
def test_best_play_of_all_ends_with_the_margin_that_was_reckoned(name: str) -> None:
    found = 0
    for replay in replays(name)[:5]:
        solved = solved_at(replay)
        for at in range(len(replay) if solved is None else solved, len(replay) - 1):
            start, end = best_line(replay.branch(at, ()), at)
            now, after = solve_final_state(replay.branch(start, ())), solve_final_state(end)
            assert now is not None
            assert after is not None
            assert end.last.is_over
            assert not [fault for where, fault in end.faults if where >= start]
            assert after.final_margins[0] == now.final_margins[0]
            found += 1
    assert found > 20


@pytest.mark.parametrize("name", LOGS)
def test_a_card_is_best_where_the_solver_says_so(name: str) -> None:
    for replay in replays(name)[:5]:
        start = solved_at(replay)
        for at in range(len(replay) if start is None else start, len(replay) - 1):
            before = replay.branch(at, ())
            now, ways = solve_final_state(before), continuation.card_options(before)
            assert now is not None
            cards = {one.act for one in before.last.legal if before.game.acts.kind_of_act(one.act) == "play"}
            assert {way.card for way in ways} == cards
            best = {way.card for way in ways if way.margin == now.final_margins[0]}
            assert best == set(before.game.pack.codes_in(int(now.best_cards[0])))
            for way in ways:  # and each comes to what is reported of it
                after = solve_final_state(before.branch(at, way.codes))
                assert after is not None
                assert (after.final_margins[0], after.winners[0]) == (way.margin, way.winner)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*LOGS, "match-a-quatre", "match-chouineurs"])
def test_a_turn_is_legal_seeded_and_of_one_player(name: str) -> None:
    replay = max(replays(name), key=len)
    start, players = solved_at(replay), set()
    for at in range(len(replay) - 1):
        before = replay.branch(at, ())
        turn = continuation.choose_turn(before)
        assert turn == continuation.choose_turn(before)
        players.add(turn.chosen_by)
        after = before.branch(at, turn.codes)
        assert len(after) == at + len(turn.codes) + 1
        assert len({decode_action(code).seat for code in turn.codes}) == 1
        kinds = [before.game.acts.kind_of_act(decode_action(code).act) for code in turn.codes]
        assert not set(kinds) & set(continuation.GIVING_UP_KINDS)
        assert (turn.chosen_by == "exact") is (start is not None and at >= start)

    assert players == PLAYERS[name]


def test_where_no_deal_fits_what_was_seen_the_habit_plays_and_that_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = max(replays("match-lavardin"), key=len).branch(4, ())
    assert continuation.choose_turn(before).chosen_by == continuation.SAMPLED
    monkeypatch.setattr(continuation, "choose_action", lambda _: NotSampled("irregular"))
    assert continuation.choose_turn(before).chosen_by == continuation.HABIT


PLAYERS = {
    "match-lavardin": {"sampled", "exact"},
    "match-mondoubleau": {"sampled", "exact"},
    "match-coinche": {"careful", "sampled", "exact"},  # calls are those of the careful
    "match-belote": {"careful", "sampled", "exact"},
    "match-belote-coinchee": {"careful", "sampled", "exact"},
    "match-a-quatre": {"sampled"},
    "match-chouineurs": {"careful"},
}
"""Who plays the deals of a log."""


@pytest.mark.parametrize("name", game_names())
def test_what_a_turn_takes_is_compiled_beforehand(name: str) -> None:
    continuation.warm_up_jit(game(name))
    solver = game(name).solver
    assert solver is None or solver.is_jit_cached()


def test_a_deal_with_unknown_cards_is_not_played_on() -> None:
    [replay, *_] = replays("feuille-partielle")
    assert not continuation.can_continue(replay)
    assert not continuation.can_continue(None)
    assert continuation.card_options(replay) == []
    with pytest.raises(ValueError, match="not solved"):
        best_line(replays("match-lavardin")[0], 0)
