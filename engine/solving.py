"""What play was worth, exactly: the end of a deal, solved from where all is known.

A game's `solver` module reckons; what comes of it is the same in every game.
"""

from collections.abc import Sequence

import numpy as np

from engine.acts import action
from engine.replay import Replay
from engine.solved import REASONS, Choice, Chosen, Judged, Play, Solved, Unsolved


def solve(replay: Replay) -> Solved | Unsolved:
    """What each card of a deal's end was worth, or why that is not said.

    A card's loss is counted from the beginning of its player's turn, so announcements that were
    made badly or not at all with it are in it: losses add up to what best play would have changed.
    """
    game, rules = replay.game, replay.rules
    if game.solver is None:
        return Unsolved("game")
    if (refused := game.solver.refused(rules, replay.players)) is not None:
        return refused
    if replay.unread or type(replay) is not Replay:
        return Unsolved("partial")
    if replay.stop is not None:
        return Unsolved("stopped", at=replay.stop.at)
    start = game.solver.begins(replay.states)
    if start is None:
        return Unsolved("never")
    if len(wrong := np.flatnonzero(replay.found[start:] & game.faults.errors)):
        return Unsolved("irregular", at=start + int(wrong[0]))
    judged = game.solver.judge(replay.states[start:], rules)
    if isinstance(judged, Unsolved):
        return judged
    turned = np.flatnonzero(judged.winners[1:] != judged.winners[:-1])
    return Solved(
        start,
        int(judged.margins[0]) - judged.made,
        judged.made,
        tuple(_plays(replay, start, judged)),
        start + int(turned[-1]) if len(turned) else None,
    )


def chosen(replay: Replay, left: Sequence[int]) -> Chosen | Unsolved:
    """What was chosen before play, against what was left: a mask a seat (`Game.chosen`)."""
    game = replay.game
    if game.chosen is None:
        return Unsolved("game")
    if replay.unread or type(replay) is not Replay:
        return Unsolved("partial")
    if replay.stop is not None:
        return Unsolved("stopped", at=replay.stop.at)
    faults = np.bitwise_or.reduce(replay.found, initial=0)
    state, masks = replay.states[-1:], np.full((1, max(game.players)), -1)
    masks[0, : len(left)] = left
    if why := game.chosen.refused(state, np.array([faults]), np.array([False]), masks)[0]:
        wrong = np.flatnonzero(replay.found & game.faults.errors)
        return Unsolved(REASONS[why], at=int(wrong[0]) if len(wrong) else None)
    found = game.chosen.points(replay.states, replay.rules, replay.done)
    own, choices = game.chosen.cards(state)[0], list[Choice]()
    for seat, mask in enumerate(left):
        points = {card: int(one) for card, one in enumerate(found[seat]) if mask >> card & 1}
        most, mine = max(points.values()), int(own[seat])
        best = tuple(card for card, one in points.items() if one == most)
        choices.append(Choice(seat, mine, int(found[seat][mine]), most, best))
    return Chosen(tuple(choices))


def _plays(replay: Replay, start: int, judged: Judged) -> list[Play]:
    """The cards laid from an action on, each with what its turn lost."""
    game = replay.game
    found, turn = [], start
    for at in range(start, len(replay) - 1):
        done = replay[at + 1].action
        assert done is not None
        kind = game.acts.kind_of_act(done.act)
        if kind == "play":
            side = done.seat % 2 if game.partners else done.seat
            before, after = judged.margins[turn - start], judged.margins[at + 1 - start]
            lost = int(before - after) * (1 - 2 * side)
            best = tuple(game.pack.members(int(judged.best[turn - start])))
            found.append(Play(at, done.seat, lost, best))
        if kind != "announce":
            turn = at + 1
    return found


def judged(replay: Replay) -> Judged | None:
    """The last state with best play from there on; None: it is not solved."""
    solver = replay.game.solver
    if solver is None or replay.unread or type(replay) is not Replay:
        return None
    if solver.refused(replay.rules, replay.players) or solver.begins(replay.states) is None:
        return None
    found = _judged(replay, replay.last.state)
    return None if isinstance(found, Unsolved) else found


def line(replay: Replay, at: int) -> tuple[int, Replay]:
    """Where the turn of an action begins, and the deal with best play of all from there on.

    Of cards that are as good the first of the pack is laid, and what counts is announced as soon as
    that loses nothing. ValueError: from there it is not solved.
    """
    kind, start = replay.game.acts.kind_of_act, at
    while (done := replay[start].action) is not None and kind(done.act) == "announce":
        start -= 1
    if judged(replay.otherwise(start, ())) is None:
        raise ValueError("not solved")
    state, codes = replay.states[start].copy(), list[int]()
    while (code := _best(replay, state)) is not None:
        replay.game.kernel.step(state, replay.rules, code)
        codes.append(code)
    return start, replay.otherwise(start, codes)


def _best(replay: Replay, state: np.void) -> int | None:
    """An action of best play for who has the turn; None: nothing more is played."""
    game, turn = replay.game, int(state["turn"])
    judged = _judged(replay, state)
    if isinstance(judged, Unsolved) or not judged.best[0]:
        return None
    codes = np.zeros(2048, np.uint16)
    count = game.kernel.legal(state, replay.rules, codes)
    cards = []
    for code in map(int, codes[:count]):
        seat, act = action(code)
        kind = game.acts.kind_of_act(act)
        if seat == turn and kind == "announce":
            after = state.copy()
            game.kernel.step(after, replay.rules, code)
            then = _judged(replay, after)
            counts = game.kernel.total(after, turn) > game.kernel.total(state, turn)
            if counts and isinstance(then, Judged) and then.margins[0] == judged.margins[0]:
                return code
        elif seat == turn and kind == "play" and judged.best[0] >> act & 1:
            cards.append(code)
    return cards[0]


def _judged(replay: Replay, state: np.void) -> Judged | Unsolved:
    assert replay.game.solver is not None
    return replay.game.solver.judge(np.array([state]), replay.rules)
