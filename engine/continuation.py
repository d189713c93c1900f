"""A deal played on from where it stands: what each card leads to, and one turn of a player.

Where the end of a deal is solved (`engine.solver`) a turn is exact. Before that it is one of the
sampling player (`engine.sampling`), or of one of the game's own (`bots`); both are seeded by what
was played, so that they play the same each time.
"""

import sys
import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.actions import Action, action
from engine.games import Game
from engine.games import game as registered
from engine.options import encode, settings
from engine.replay import Replay
from engine.sampling import Unsampled, decide
from engine.solver import judged

EXACT, SAMPLED, HABIT = "exact", "sampled", "careful"
"""Who plays: where the end is solved, where deals are sampled, and elsewhere."""
GIVES_UP = ("resign", "claim", "won", "fault")
"""Kinds of acts by which a deal is not played on."""
MOST_SAID = 4
"""So much may be said before a card of the same turn."""
ATTEMPTS = 50


class Way(NamedTuple):
    """A card that may be laid, with what is best said before it."""

    codes: tuple[int, ...]
    """The last one lays the card."""
    margin: int
    """What side 1 makes more than side 2 by the deal's end, all playing their best from there."""
    winner: int
    """1 or -1 for side 1 or 2, 0 for nobody."""

    @property
    def card(self) -> int:
        return action(self.codes[-1]).act


class Turn(NamedTuple):
    """What somebody does in one turn, and who chose it."""

    codes: tuple[int, ...]
    player: str
    """`EXACT`, `SAMPLED` or `HABIT`."""


def can_go_on(replay: Replay | None) -> bool:
    """Whether a deal can be played on at all: every card is known."""
    return replay is not None and type(replay) is Replay and not replay.unread


def ways(replay: Replay) -> list[Way]:
    """Every card that may be laid now, each with the best that can come of it.

    None at all where the end is not solved from here, or the deal is over.
    """
    now = judged(replay)
    if now is None or replay.last.over:
        return []
    best: dict[int, Way] = {}
    better = sign(replay.game, replay.last.turn)
    for way in _ways(replay, (), replay.last.turn):
        if (way.margin - best.setdefault(way.card, way).margin) * better > 0:
            best[way.card] = way
    return [best[card] for card in sorted(best)]


def _ways(replay: Replay, said: tuple[int, ...], seat: int) -> Iterator[Way]:
    """Cards after what was said already, then those after something more."""
    acts = replay.game.acts
    mine = [one for one in replay.last.legal if one.seat == seat]
    for one in mine:
        if acts.kind_of_act(one.act) == "play":
            if (found := judged(_then(replay, one))) is not None:
                yield Way((*said, one.code), int(found.margins[0]), int(found.winners[0]))
    if len(said) == MOST_SAID:
        return
    # the announcements by which somebody makes points now, the most first
    side, total = _side(replay.game, seat), replay.game.kernel.total
    announced = [one for one in mine if acts.kind_of_act(one.act) == "announce"]
    made = total(replay.last.state, side)
    gains = {one: int(total(_then(replay, one).last.state, side) - made) for one in announced}
    for one in sorted((one for one in gains if gains[one] > 0), key=lambda one: -gains[one]):
        yield from _ways(_then(replay, one), (*said, one.code), seat)


def turn(replay: Replay) -> Turn:
    """What whoever acts next does, by a player that knows all cards where that is exact."""
    drawn = [one for one in replay.last.legal if replay.game.acts.kind_of_act(one.act) == "draw"]
    if drawn:  # a log that tells its draws: the talon lies as it lies
        return Turn((drawn[0].code,), EXACT)
    if found := ways(replay):
        better = sign(replay.game, replay.last.turn)
        best = min(found, key=lambda way: (-way.margin * better, -len(way.codes), way.card))
        return Turn(best.codes, EXACT)
    state = replay.last.state
    calls = "bidding" in (state.dtype.names or ()) and bool(state["bidding"])
    errors = replay.found[: len(replay) - 1] & replay.game.faults.errors
    if not calls and not np.any(errors) and judged(replay) is None:
        if codes := _by_samples(replay):
            return Turn(codes, SAMPLED)
    return Turn(_by_habit(replay), HABIT)


def _by_samples(replay: Replay) -> tuple[int, ...]:
    """One turn of the sampling player; nothing where there is none, or no deal that fits."""
    codes, kind = list[int](), replay.game.acts.kind_of_act
    while len(codes) <= MOST_SAID:
        one, turn = decide(replay), replay.last.turn
        if isinstance(one, Unsampled):
            return ()
        codes.append(one.code)
        replay = _then(replay, one)
        if kind(one.act) == "play" or replay.last.over or replay.last.turn != turn:
            break
    return tuple(codes)


def _by_habit(replay: Replay) -> tuple[int, ...]:
    """One turn of the careful: what they say, and their card or call."""
    game, state = replay.game, replay.last.state
    bots, kind = game.bots, game.acts.kind_of_act
    habit = bots.HABITS.index(HABIT) if HABIT in bots.HABITS else len(bots.HABITS) - 1
    seed = zlib.crc32(replay.done.tobytes())
    codes = np.zeros(2 * bots.LONGEST, np.uint16)
    for attempt in range(ATTEMPTS):
        rng = np.random.default_rng([seed, attempt])
        count = bots.play_on(state.copy(), replay.rules, habit, rng, codes)
        first, at = list[Action](), replay  # up to a card, or to the end of a turn
        for one in map(action, codes[:count]):
            if first and one.seat != first[0].seat:
                break
            turn = at.last.turn
            first.append(one)
            at = _then(at, one)
            if kind(one.act) == "play" or at.last.turn != turn:
                break
        if first and not any(kind(one.act) in GIVES_UP for one in first):
            return tuple(one.code for one in first)
    return tuple(one.code for one in first)


def _then(replay: Replay, done: Action) -> Replay:
    return replay.otherwise(len(replay) - 1, [done.code])


def _side(game: Game, seat: int) -> int:
    return seat % 2 if game.partners else seat


def sign(game: Game, seat: int) -> int:
    """1 where a seat is of side 1, -1 of side 2: what a margin counts for it."""
    return 1 - 2 * _side(game, seat)


def ready(game: Game) -> bool:
    """Whether what a turn takes lies compiled, as far as its cache tells."""
    return all(part is None or part.ready() for part in (game.sampler, game.solver))


def prepare(game: Game) -> None:
    """Have what a turn takes compiled: the game's players, its sampler and its solver."""
    if game.sampler is None or game.solver is None:
        return
    players = game.players[0]
    rules = encode(game.name, settings(game.name, None, players))
    replay = Replay(game, rules, players, 0, game.blank, ())
    while not replay.last.over:
        done = _by_habit(replay) if len(replay) < UNDER_WAY else turn(replay).codes
        replay = replay.otherwise(len(replay) - 1, done)


UNDER_WAY = 8
"""Actions after which whoever has not given up lays cards."""


if (
    __name__ == "__main__"
):  # `python -m engine.continuation GAME`: another process goes on meanwhile
    for one in sys.argv[1:]:
        prepare(registered(one))
