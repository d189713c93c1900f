"""Continues a deal from any state: the value of each card, and best play to the end.

If the end of a deal is solved (`engine.solver`), a turn is exact. Before that the sampling player
(`engine.sampling`) or a bot of the game (`bots`) chooses it; both are seeded by the actions so far,
so that they always play the same.
"""

import sys
import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.actions import Action, decode_action
from engine.games import Game
from engine.games import game as registered
from engine.options import encode_rules, resolve_options
from engine.replay import Replay
from engine.sampling import NotSampled, choose_action
from engine.solver import solve_final_state

EXACT, SAMPLED, HABIT = "exact", "sampled", "careful"
"""Which player chose a turn: the solver, the sampling player or a bot with that habit."""
GIVING_UP_KINDS = ("resign", "claim", "won", "fault")
"""Kinds of acts that cut a deal short."""
MAX_ANNOUNCEMENTS = 4
"""Maximum number of announcements considered before a card in one turn."""
MAX_ATTEMPTS = 50


class CardOption(NamedTuple):
    """A playable card with the best announcements before it."""

    codes: tuple[int, ...]
    """The actions of the turn; the last one plays the card."""
    margin: int
    """Final points of side 1 minus those of side 2, with best play after the card."""
    winner: int
    """1 or -1 for side 1 or 2, 0 for none."""

    @property
    def card(self) -> int:
        return decode_action(self.codes[-1]).act


class ChosenTurn(NamedTuple):
    """The actions of one turn, and which player chose them."""

    codes: tuple[int, ...]
    chosen_by: str
    """`EXACT`, `SAMPLED` or `HABIT`."""


def can_continue(replay: Replay | None) -> bool:
    """Return whether a deal can be continued, which needs all cards to be known."""
    return replay is not None and type(replay) is Replay and not replay.is_too_ambiguous


def card_options(replay: Replay) -> list[CardOption]:
    """Return all cards that may be played now, each with its best result.

    Empty if the end is not solved from here, or the deal is over.
    """
    now = solve_final_state(replay)
    if now is None or replay.last.is_over:
        return []
    best: dict[int, CardOption] = {}
    better, free = side_sign(replay.game, replay.last.turn), _free_announcements(replay.game)

    def value(way: CardOption) -> tuple[int, int]:
        return way.margin * better, sum(decode_action(code).act in free for code in way.codes)

    for way in _card_options(replay, (), replay.last.turn):
        if value(way) > value(best.setdefault(way.card, way)):
            best[way.card] = way
    return [best[card] for card in sorted(best)]


def _card_options(replay: Replay, done_before: tuple[int, ...], seat: int) -> Iterator[CardOption]:
    """Yield the cards playable now, then those after a further announcement."""
    acts = replay.game.acts
    mine = [one for one in replay.last.legal if one.seat == seat]
    for one in mine:
        if acts.kind_of_act(one.act) == "play":
            if (found := solve_final_state(_after_action(replay, one))) is not None:
                yield CardOption((*done_before, one.code), int(found.final_margins[0]), int(found.winners[0]))
    if len(done_before) == MAX_ANNOUNCEMENTS:
        return
    # only announcements that score now, most points first, and free ones
    free = _free_announcements(replay.game)
    side, total = _side_of(replay.game, seat), replay.game.kernel.total
    announced = [one for one in mine if acts.kind_of_act(one.act) == "announce"]
    made = total(replay.last.state, side)
    gains = {one: int(total(_after_action(replay, one).last.state, side) - made) for one in announced}
    counting = (one for one in gains if gains[one] > 0 or one.act in free)
    for one in sorted(counting, key=lambda one: -gains[one]):
        yield from _card_options(_after_action(replay, one), (*done_before, one.code), seat)


def _free_announcements(game: Game) -> frozenset[int]:
    return frozenset() if game.solver is None else game.solver.free_announcements


def choose_turn(replay: Replay) -> ChosenTurn:
    """Return the next turn: exact where solved, else of the sampling player or a bot."""
    drawn = [one for one in replay.last.legal if replay.game.acts.kind_of_act(one.act) == "draw"]
    if drawn:  # the log records draws, and the talon leaves no choice
        return ChosenTurn((drawn[0].code,), EXACT)
    if found := card_options(replay):
        better = side_sign(replay.game, replay.last.turn)
        best = min(found, key=lambda way: (-way.margin * better, -len(way.codes), way.card))
        return ChosenTurn(best.codes, EXACT)
    state = replay.last.state
    calls = "bidding" in (state.dtype.names or ()) and bool(state["bidding"])
    errors = replay.fault_bits[: len(replay) - 1] & replay.game.faults.errors
    if not calls and not np.any(errors) and solve_final_state(replay) is None:
        if codes := _sampled_turn(replay):
            return ChosenTurn(codes, SAMPLED)
    return ChosenTurn(habit_turn(replay), HABIT)


def _sampled_turn(replay: Replay) -> tuple[int, ...]:
    """Return a turn of the sampling player; empty if the game has no sampler or no deal fits."""
    codes, kind = list[int](), replay.game.acts.kind_of_act
    while len(codes) <= MAX_ANNOUNCEMENTS:
        one, turn = choose_action(replay), replay.last.turn
        if isinstance(one, NotSampled):
            return ()
        codes.append(one.code)
        replay = _after_action(replay, one)
        if kind(one.act) == "play" or replay.last.is_over or replay.last.turn != turn:
            break
    return tuple(codes)


def habit_turn(replay: Replay) -> tuple[int, ...]:
    """Return a turn of the careful bot: announcements, then a card or a call."""
    game, state = replay.game, replay.last.state
    bots, kind = game.bots, game.acts.kind_of_act
    habit = bots.HABITS.index(HABIT) if HABIT in bots.HABITS else len(bots.HABITS) - 1
    seed = zlib.crc32(replay.applied_codes.tobytes())
    codes = np.zeros(2 * bots.MAX_ACTIONS, np.uint16)
    for attempt in range(MAX_ATTEMPTS):
        rng = np.random.default_rng([seed, attempt])
        count = bots.finish_deal(state.copy(), replay.rules, habit, rng, codes)
        first, at = list[Action](), replay  # up to a card, or to the end of a turn
        for one in map(decode_action, codes[:count]):
            if first and one.seat != first[0].seat:
                break
            turn = at.last.turn
            first.append(one)
            at = _after_action(at, one)
            if kind(one.act) == "play" or at.last.turn != turn:
                break
        if first and not any(kind(one.act) in GIVING_UP_KINDS for one in first):
            return tuple(one.code for one in first)
    return tuple(one.code for one in first)


def _after_action(replay: Replay, done: Action) -> Replay:
    return replay.branch(len(replay) - 1, [done.code])


def _side_of(game: Game, seat: int) -> int:
    return seat % 2 if game.partners else seat


def side_sign(game: Game, seat: int) -> int:
    """Return the factor that turns a margin into the seat's view: 1 for side 1, -1 for side 2."""
    return 1 - 2 * _side_of(game, seat)


def is_jit_cached(game: Game) -> bool:
    """Return whether the compiled code that choosing a turn needs is cached."""
    return all(part is None or part.is_jit_cached() for part in (game.sampler, game.solver))


def warm_up_jit(game: Game) -> None:
    """Compile what choosing a turn needs: the game's bots, its sampler and its solver."""
    if game.sampler is None or game.solver is None:
        return
    players = game.players[0]
    rules = encode_rules(game.name, resolve_options(game.name, None, players))
    replay = Replay(game, rules, players, 0, game.example_deck, ())
    while not replay.last.is_over:
        done = habit_turn(replay) if len(replay) < WARM_UP_ACTIONS else choose_turn(replay).codes
        replay = replay.branch(len(replay) - 1, done)


WARM_UP_ACTIONS = 8
"""Number of actions to play by habit first, enough to get past an auction."""


if __name__ == "__main__":  # `python -m engine.continuation GAME` compiles in a process of its own
    for one in sys.argv[1:]:
        warm_up_jit(registered(one))
