"""Monte-Carlo value of a card: samples consistent deals and plays each out.

A game's `sampler` module knows the open cards and plays deals out; the kernel decides which fit.
"""

from hashlib import blake2b
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT, Action, decode_action
from engine.games import Sampler
from engine.hidden.scenarios import DependencyFinder, bits_in, card_positions
from engine.matching import deal_at_random
from engine.replay import Replay

DEFAULT_SAMPLES = 1000
"""Number of deals drawn for an analysis."""
BOT_SAMPLES = 200
"""Number of deals drawn for each decision of the sampling player."""


class NotSampled(NamedTuple):
    """Why no deals are sampled."""

    reason: str
    """`game`, `partial`, `irregular` or `card`."""


class SampledEstimate(NamedTuple):
    """A card's mean over the sampled deals, compared with that of the card played."""

    mean: float
    difference: float
    """The mean of the card played minus this one's."""
    standard_error: float
    """The paired standard error of `difference`: both cards are played in the same deals."""

    @property
    def is_significant(self) -> bool:
        """Whether the difference exceeds SIGNIFICANT_ERRORS standard errors."""
        return self.difference != 0 and abs(self.difference) > SIGNIFICANT_ERRORS * self.standard_error


SIGNIFICANT_ERRORS = 3
"""Number of standard errors beyond which Retourne does not attribute a difference to chance."""


class CardChances(NamedTuple):
    """The estimated results of a playable card."""

    card: int
    won: SampledEstimate
    """Share of deals the seat or its side wins; a deal without a winner is shared equally."""
    margin: SampledEstimate
    """Final points minus those of the other side, or of the best other seat."""


class SampledCards(NamedTuple):
    """The estimated results of all cards that could be played instead of one that was."""

    action: int
    seat: int
    played: int
    """The card that was played."""
    deals: int
    """Number of deals sampled; 1 if only one fits."""
    cards: tuple[CardChances, ...]
    """In the order of their codes, including the card played."""

    @property
    def is_single_deal(self) -> bool:
        """Whether only one deal fits, so that only the play of others is uncertain."""
        return self.deals == 1


class SampledDeals(NamedTuple):
    """Deals before one action that one seat cannot distinguish."""

    states: NDArray[np.void]
    starts: NDArray[np.void]
    """The same deals before their first action."""
    deal_count: int
    """Number of such deals in all, counting hands and orders of the talon."""


def sample_cards(
    replay: Replay, action_index: int, samples: int = DEFAULT_SAMPLES, seed: int = 0
) -> SampledCards | NotSampled:
    """Estimate the results of each card playable at an action, over deals that fit.

    Announcements made before the card in that turn remain. All cards use the same deals.
    """
    sampler = replay.game.sampler
    if sampler is None:
        return NotSampled("game")
    if not 0 <= action_index < len(replay) - 1:
        return NotSampled("card")
    done = decode_action(replay.applied_codes[action_index])
    if replay.game.acts.kind_of_act(done.act) != "play":
        return NotSampled("card")
    if replay.fault_bits[action_index] & replay.game.faults.errors:
        return NotSampled("irregular")
    drawn = sample_deals(replay, action_index, done.seat, samples, seed)
    if isinstance(drawn, NotSampled):
        return drawn
    cards = _playable_cards(replay, action_index, done.seat)
    won, margins = _rollouts(replay, sampler, drawn, done.seat, cards, seed)
    by, own = range(len(cards)), cards.index(done.act)
    compared = ([_compare(each, own, i) for i in by] for each in (won, margins))
    return SampledCards(
        action_index, done.seat, done.act, len(drawn.states), tuple(map(CardChances, cards, *compared))
    )


def choose_action(replay: Replay, samples: int = BOT_SAMPLES, seed: int = 0) -> Action | NotSampled:
    """Return the sampling player's action for the seat to act; NotSampled("card") if it is over.

    The player first makes the announcements it can, then plays the card that wins most often,
    with the better margin if several do.
    """
    sampler, state = replay.game.sampler, replay.last.state
    if sampler is None:
        return NotSampled("game")
    if replay.last.is_over:
        return NotSampled("card")
    at, seat = len(replay) - 1, replay.last.turn
    announced = sampler.choose_call(state, replay.rules, _position_rng(replay, at, seat, seed))
    if announced is not None:
        return decode_action(announced)
    cards = _playable_cards(replay, at, seat)
    if len(cards) == 1:
        return Action(seat, cards[0])
    drawn = sample_deals(replay, at, seat, samples, seed)
    if isinstance(drawn, NotSampled):
        return drawn
    won, margins = np.mean(_rollouts(replay, sampler, drawn, seat, cards, seed), axis=2)
    return Action(seat, cards[max(range(len(cards)), key=lambda i: (won[i], margins[i]))])


def sample_deals(
    replay: Replay, action_index: int, seat: int, count: int, seed: int = 0
) -> SampledDeals | NotSampled:
    """Draw deals that fit what a seat has seen before an action, all with the same probability.

    A seat has seen its own cards, played and open cards, and those of announcements. Retourne
    assumes that the others followed the rules: a seat does not hold a card that would have made one
    of its plays illegal. Bids and missing announcements carry no information.

    Otherwise hidden cards are interchangeable, so all distributions of them over the hands and
    orders of the talon are equally likely. (The number of ways the cards may have come there is the
    same for each.) The kernel replays each deal up to the action and drops those with faults.
    """
    if replay.game.sampler is None:
        return NotSampled("game")
    if replay.is_too_ambiguous or type(replay) is not Replay:
        return NotSampled("partial")
    if action_index >= len(replay) or np.any(replay.fault_bits[:action_index] & replay.game.faults.errors):
        return NotSampled("irregular")
    return _SeatView(replay, action_index, seat).sample(
        count, _position_rng(replay, action_index, seat, seed)
    )


class _SeatView:
    """The cards one seat has seen before an action of a deal."""

    def __init__(self, replay: Replay, at: int, seat: int) -> None:
        assert replay.game.sampler is not None
        self.replay, self.game, self.at = replay, replay.game, at
        self.state = replay.states[at]
        self.others = [one for one in range(replay.players) if one != seat]
        lies = card_positions(self.game, self.game.example_deck)
        dependencies = DependencyFinder(self.game, replay.rules, replay.players, lies)
        known = replay.game.sampler.open_cards(self.state)
        for k, code in enumerate(replay.applied_codes[:at].tolist()):
            who, kind = code >> SEAT_SHIFT, self.game.acts.kind_of_act(code & ACT_MASK)
            if who != seat and kind not in ("play", "draw", "bid"):
                # cards an announcement names are known if the seat held them at that time
                state = replay.states[k]
                named = sum(1 << card for card in dependencies.needs_of(state, code).needed_cards)
                known |= named & int(state["hand"][who])
        self.hidden_hands = [int(self.state["hand"][one]) & ~known for one in self.others]
        talon: list[int] = []  # the undrawn cards, in drawing order
        if "talon" in (self.state.dtype.names or ()):
            left = self.state["talon"][int(self.state["drawn"]) : int(self.state["talon_size"])]
            talon = [int(card) for card in left]
        if "stock" in (self.state.dtype.names or ()):  # the cards not dealt yet, in their order
            dealt = int(np.bitwise_or.reduce(replay.states["hand"][: at + 1], axis=None))
            talon = [card for card in self.state["stock"].tolist() if card >= 0 and not dealt >> card & 1]
        self.talon = [card for card in talon if not known >> card & 1]
        self.unseen_cards = [card for hand in self.hidden_hands for card in bits_in(hand)] + self.talon
        self.cards = sorted(self.unseen_cards)

    def sample(self, count: int, rng: np.random.Generator) -> SampledDeals | NotSampled:
        """Draw `count` deals; a single one if no other fits."""
        replay, kernel, kind = self.replay, self.game.kernel, self.game.acts.kind_of_act
        each = np.array(self.cards, np.int64)
        may, faults = np.zeros(len(each), np.int64), np.zeros(len(each) + 1, np.int64)
        for hand, seat in enumerate(self.others):
            # exclude cards with which the seat would have broken a rule since its last draw
            hands = replay.states["hand"][: self.at + 1, seat]
            grown = np.flatnonzero(hands[1:] & ~hands[:-1])
            never = np.zeros(len(each), np.bool_)
            for k in range(int(grown[-1]) + 1 if len(grown) else 0, self.at):
                code = int(replay.applied_codes[k])
                if code >> SEAT_SHIFT == seat and kind(code & ACT_MASK) == "play":
                    own = np.int64(1 << (code & ACT_MASK))
                    led = np.append(np.int64(1) << each | own, own)
                    kernel.probe(replay.states[k], replay.rules, code, led, np.zeros_like(led), faults)
                    # a fault of the card played alone says nothing about the other cards
                    never |= faults[:-1] & ~faults[-1] & self.game.faults.errors != 0
            may |= np.where(never, 0, 1 << hand)
        sizes = [hand.bit_count() for hand in self.hidden_hands]
        if self.talon:
            may |= 1 << len(sizes)
            sizes.append(len(self.talon))
        found = np.zeros((count, len(self.cards)), np.int64)
        ways = int(deal_at_random(may, np.array(sizes, np.int64), rng, found)) * factorial(len(self.talon))
        if ways == 1:
            found = found[:1]
        # start each deal with the hidden cards exchanged for one another
        lies = np.tile(np.arange(self.game.deck_format.card_count), (len(found), 1))
        if self.unseen_cards:
            lies[:, self.unseen_cards] = each[found]
        start = replay.states[0]
        starts = np.repeat(np.array([start]), len(found))
        for seat in range(replay.players):
            dealt = list(bits_in(int(start["hand"][seat])))
            starts["hand"][:, seat] = (np.int64(1) << lies[:, dealt]).sum(axis=1)
        if "talon" in (start.dtype.names or ()):
            size = int(start["talon_size"])
            starts["talon"][:, :size] = lies[:, start["talon"][:size]]
            starts["explicit"] = 0
        if "stock" in (start.dtype.names or ()):
            starts["stock"] = np.where(start["stock"] < 0, -1, lies[:, start["stock"]])
        # replay each deal up to the action: its actions must follow the rules there too
        done = replay.applied_codes[: self.at]
        # the kernel draws by itself, so recorded draws are omitted
        recorded = np.array([one for one in done if kind(one & ACT_MASK) != "draw"], np.uint16)
        states, counted = starts.copy(), np.zeros((len(starts), 4), np.int64)
        nothing = np.tile(np.array([0, 0, -1, -1, 0, 0]), (len(starts), 1))
        kernel.replay_variants(states, counted, replay.rules, recorded, nothing, 0)
        fits: NDArray[np.bool_] = counted[:, 0] == 0
        if not fits.any():
            return NotSampled("irregular")
        return SampledDeals(states[fits], starts[fits], ways)


def _playable_cards(replay: Replay, at: int, seat: int) -> list[int]:
    """Return the cards a seat may play now."""
    kind = replay.game.acts.kind_of_act
    return [one.act for one in replay[at].legal if one.seat == seat and kind(one.act) == "play"]


def _rollouts(
    replay: Replay, sampler: Sampler, drawn: SampledDeals, seat: int, cards: list[int], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (share won, margin), each by card and deal."""
    codes = np.array([seat << SEAT_SHIFT | card for card in cards], np.int64)
    won, margins = np.zeros((2, len(cards), len(drawn.states)))
    rng = np.random.default_rng(seed)
    sampler.rollout(drawn.states, replay.rules, seat, codes, rng, won, margins)
    return won, margins


def _compare(found: NDArray[np.float64], own: int, other: int) -> SampledEstimate:
    less = found[own] - found[other]
    error = less.std(ddof=1) / len(less) ** 0.5 if len(less) > 1 else 0.0
    return SampledEstimate(float(found[other].mean()), float(less.mean()), float(error))


def _position_rng(replay: Replay, at: int, seat: int, seed: int) -> np.random.Generator:
    """Return a generator seeded by the position as a seat sees it, without hidden cards."""
    game, states = replay.game, replay.states[: at + 1]
    kind = game.acts.kind_of_act
    codes = [code for code in replay.applied_codes[:at].tolist() if kind(code & ACT_MASK) != "draw"]
    recorded = (game.name, replay.players, int(states[0]["dealer"]), seat, seed, codes)
    stirred = blake2b(repr(recorded).encode(), digest_size=16)
    stirred.update(replay.rules.tobytes() + states["hand"][:, seat].tobytes())
    return np.random.default_rng(int.from_bytes(stirred.digest()))
