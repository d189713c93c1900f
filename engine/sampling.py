"""What a card was worth to who could not see all: deals that fit, played on by a simple player.

A game's `sampler` module says what lies open and plays on; what fits is asked of the kernel.
"""

from hashlib import blake2b
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT, Action, action
from engine.games import Sampler
from engine.hidden.scenarios import Asker, bits, layout
from engine.matching import spread
from engine.replay import Replay

SAMPLES = 1000
"""Deals that are drawn for a reader."""
PLAYED = 200
"""Deals that are drawn for each card of the sampling player."""


class Unsampled(NamedTuple):
    """Why nothing is sampled."""

    reason: str
    """`game`, `partial`, `irregular` or `card`."""


class Compared(NamedTuple):
    """One number of a card, over the deals sampled, and what it differs from the card laid."""

    mean: float
    less: float
    """The mean of the card laid minus this one, deal by deal."""
    error: float
    """The standard error of `less`, in pairs: the same deals were played on with both cards."""

    @property
    def shown(self) -> bool:
        """Whether the difference is past three standard errors, so that it may be spoken of."""
        return self.less != 0 and abs(self.less) > FAR * self.error


FAR = 3
"""Standard errors past which a difference is no chance of the deals drawn."""


class Chance(NamedTuple):
    """What came of a card that could be laid."""

    card: int
    won: Compared
    """The share of deals won by the seat, or its side; of one nobody wins each has a like share."""
    margin: Compared
    """Points at the end minus those of the other, or of the best of the others."""


class Chances(NamedTuple):
    """What came of every card that could be laid in place of one that was."""

    action: int
    seat: int
    played: int
    """The card that was laid."""
    deals: int
    """How many were sampled; 1 where only one fits."""
    cards: tuple[Chance, ...]
    """In the order of their codes, the card laid among them."""

    @property
    def only(self) -> bool:
        """Whether a single deal fits, so that nothing is left to chance but how others play."""
        return self.deals == 1


class Drawn(NamedTuple):
    """Deals as they stand at one moment, all the same to one seat."""

    states: NDArray[np.void]
    starts: NDArray[np.void]
    """The same when they were dealt."""
    ways: int
    """How many such deals there are: who holds what, and in which order the talon lies."""


def chances(replay: Replay, at: int, samples: int = SAMPLES, seed: int = 0) -> Chances | Unsampled:
    """What comes of each card that could be laid with an action, over deals that fit.

    What was said in that turn before the card stands. All cards are tried with the same deals.
    """
    sampler = replay.game.sampler
    if sampler is None:
        return Unsampled("game")
    if not 0 <= at < len(replay) - 1:
        return Unsampled("card")
    done = action(replay.done[at])
    if replay.game.acts.kind_of_act(done.act) != "play":
        return Unsampled("card")
    if replay.found[at] & replay.game.faults.errors:
        return Unsampled("irregular")
    drawn = deals(replay, at, done.seat, samples, seed)
    if isinstance(drawn, Unsampled):
        return drawn
    cards = _cards(replay, at, done.seat)
    won, margins = _played(replay, sampler, drawn, done.seat, cards, seed)
    by, own = range(len(cards)), cards.index(done.act)
    compared = ([_compared(each, own, i) for i in by] for each in (won, margins))
    return Chances(at, done.seat, done.act, len(drawn.states), tuple(map(Chance, cards, *compared)))


def decide(replay: Replay, samples: int = PLAYED, seed: int = 0) -> Action | Unsampled:
    """What the sampling player does where a deal stands: an act of whose turn it is.

    It says what there is to say, then lays the card that won most often, of cards that won as often
    the one that brought most. Of a deal that is over: `card`.
    """
    sampler, state = replay.game.sampler, replay.last.state
    if sampler is None:
        return Unsampled("game")
    if replay.last.over:
        return Unsampled("card")
    at, seat = len(replay) - 1, replay.last.turn
    said = sampler.says(state, replay.rules, _rng(replay, at, seat, seed))
    if said is not None:
        return action(said)
    cards = _cards(replay, at, seat)
    if len(cards) == 1:
        return Action(seat, cards[0])
    drawn = deals(replay, at, seat, samples, seed)
    if isinstance(drawn, Unsampled):
        return drawn
    won, margins = np.mean(_played(replay, sampler, drawn, seat, cards, seed), axis=2)
    return Action(seat, cards[max(range(len(cards)), key=lambda i: (won[i], margins[i]))])


def deals(replay: Replay, at: int, seat: int, count: int, seed: int = 0) -> Drawn | Unsampled:
    """Deals that fit what a seat has seen before an action, drawn with equal chances.

    It has seen its own cards, what was laid and what lay open; of announcements the cards. What
    somebody laid or announced is believed to be within the rules: who might not have laid it with
    some card does not hold that card. Bids, and what was not announced, say nothing.

    A card that is hidden may be wherever another hidden one is, but for those refusals: so what is
    equally likely is who holds which of them now and in which order the talon lies. (Which earlier
    place each came from leaves as many ways open for one hand as for another.) Each deal is played
    up to the action by the kernel; one that it refuses is left out.
    """
    if replay.game.sampler is None:
        return Unsampled("game")
    if replay.unread or type(replay) is not Replay:
        return Unsampled("partial")
    if at >= len(replay) or np.any(replay.found[:at] & replay.game.faults.errors):
        return Unsampled("irregular")
    return _Seen(replay, at, seat).drawn(count, _rng(replay, at, seat, seed))


class _Seen:
    """What one seat has seen of a deal before an action."""

    def __init__(self, replay: Replay, at: int, seat: int) -> None:
        assert replay.game.sampler is not None
        self.replay, self.game, self.at = replay, replay.game, at
        self.state = replay.states[at]
        self.others = [one for one in range(replay.players) if one != seat]
        lies = layout(self.game, self.game.blank)
        asker = Asker(self.game, replay.rules, replay.players, lies)
        known = replay.game.sampler.lies_open(self.state)
        for k, code in enumerate(replay.done[:at].tolist()):
            who, kind = code >> SEAT_SHIFT, self.game.acts.kind_of_act(code & ACT_MASK)
            if who != seat and kind not in ("play", "draw", "bid"):
                # of the cards held when something was said, those that it names
                state = replay.states[k]
                named = sum(1 << card for card in asker.needs(state, code).pool)
                known |= named & int(state["hand"][who])
        self.hidden = [int(self.state["hand"][one]) & ~known for one in self.others]
        talon: list[int] = []  # what is left of it, in the order in which it is drawn
        if "talon" in (self.state.dtype.names or ()):
            left = self.state["talon"][int(self.state["drawn"]) : int(self.state["talon_size"])]
            talon = [int(card) for card in left]
        self.talon = [card for card in talon if not known >> card & 1]
        self.places = [card for hand in self.hidden for card in bits(hand)] + self.talon
        self.cards = sorted(self.places)

    def drawn(self, count: int, rng: np.random.Generator) -> Drawn | Unsampled:
        """So many deals; a single one where no other fits."""
        replay, kernel, kind = self.replay, self.game.kernel, self.game.acts.kind_of_act
        each = np.array(self.cards, np.int64)
        may, faults = np.zeros((2, len(each)), np.int64)
        for hand, seat in enumerate(self.others):
            # a hidden card is not held by who, with it, broke a rule since a card last came to it
            hands = replay.states["hand"][: self.at + 1, seat]
            grown = np.flatnonzero(hands[1:] & ~hands[:-1])
            never = np.zeros(len(each), np.bool_)
            for k in range(int(grown[-1]) + 1 if len(grown) else 0, self.at):
                code = int(replay.done[k])
                if code >> SEAT_SHIFT == seat and kind(code & ACT_MASK) == "play":
                    asked = np.int64(1) << each | np.int64(1 << (code & ACT_MASK))
                    sides = np.zeros_like(asked)
                    kernel.probe(replay.states[k], replay.rules, code, asked, sides, faults)
                    never |= faults & self.game.faults.errors != 0
            may |= np.where(never, 0, 1 << hand)
        sizes = [hand.bit_count() for hand in self.hidden]
        if self.talon:
            may |= 1 << len(sizes)
            sizes.append(len(self.talon))
        found = np.zeros((count, len(self.cards)), np.int64)
        ways = int(spread(may, np.array(sizes, np.int64), rng, found)) * factorial(len(self.talon))
        if ways == 1:
            found = found[:1]
        # the start of each deal: where one hidden card was lies another
        lies = np.tile(np.arange(self.game.row.cards), (len(found), 1))
        if self.places:
            lies[:, self.places] = each[found]
        start = replay.states[0]
        starts = np.repeat(np.array([start]), len(found))
        for seat in range(replay.players):
            dealt = list(bits(int(start["hand"][seat])))
            starts["hand"][:, seat] = (np.int64(1) << lies[:, dealt]).sum(axis=1)
        if "talon" in (start.dtype.names or ()):
            size = int(start["talon_size"])
            starts["talon"][:, :size] = lies[:, start["talon"][:size]]
            starts["explicit"] = 0
        # each played on to the action: all of it has to be within the rules there too
        done = replay.done[: self.at]
        # a draw comes by itself, with whatever card is next
        told = np.array([one for one in done if kind(one & ACT_MASK) != "draw"], np.uint16)
        states, counted = starts.copy(), np.zeros((len(starts), 4), np.int64)
        nothing = np.tile(np.array([0, 0, -1, -1, 0, 0]), (len(starts), 1))
        kernel.attempts(states, counted, replay.rules, told, nothing, 0)
        fits: NDArray[np.bool_] = counted[:, 0] == 0
        if not fits.any():
            return Unsampled("irregular")
        return Drawn(states[fits], starts[fits], ways)


def _cards(replay: Replay, at: int, seat: int) -> list[int]:
    """The cards a seat may lay now."""
    kind = replay.game.acts.kind_of_act
    return [one.act for one in replay[at].legal if one.seat == seat and kind(one.act) == "play"]


def _played(
    replay: Replay, sampler: Sampler, drawn: Drawn, seat: int, cards: list[int], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(share won, margin) by card and deal."""
    codes = np.array([seat << SEAT_SHIFT | card for card in cards], np.int64)
    won, margins = np.zeros((2, len(cards), len(drawn.states)))
    rng = np.random.default_rng(seed)
    sampler.play_on(drawn.states, replay.rules, seat, codes, rng, won, margins)
    return won, margins


def _compared(found: NDArray[np.float64], own: int, other: int) -> Compared:
    less = found[own] - found[other]
    error = less.std(ddof=1) / len(less) ** 0.5 if len(less) > 1 else 0.0
    return Compared(float(found[other].mean()), float(less.mean()), float(error))


def _rng(replay: Replay, at: int, seat: int, seed: int) -> np.random.Generator:
    """The same numbers for the same position as that seat sees it, whatever lies hidden."""
    game, states = replay.game, replay.states[: at + 1]
    kind = game.acts.kind_of_act
    codes = [code for code in replay.done[:at].tolist() if kind(code & ACT_MASK) != "draw"]
    told = (game.name, replay.players, int(states[0]["dealer"]), seat, seed, codes)
    stirred = blake2b(repr(told).encode(), digest_size=16)
    stirred.update(replay.rules.tobytes() + states["hand"][:, seat].tobytes())
    return np.random.default_rng(int.from_bytes(stirred.digest()))
