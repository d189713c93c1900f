"""Deals that fit what a seat has seen: all of them equally often, and nothing else is looked at."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, islice, permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import options, simulate
from engine.actions import ACT_MASK, SEAT_SHIFT, Action
from engine.cards import HIDDEN_CARD
from engine.games import game, game_names
from engine.hidden import HiddenDeal
from engine.hidden.scenarios import bits_in
from engine.matching import deal_at_random
from engine.replay import Replay
from engine.sampling import NotSampled, SampledCards, SampledDeals, choose_action, sample_cards, sample_deals
from engine.solver import solve_deal
from engine.solver_results import NotSolved

TABLES = (("chouine", 2), ("chouine", 3), ("chouine", 4), ("coinche", 4))


@cache
def replays(name: str, players: int, seed: int = 1, preset: str | None = None) -> list[Replay]:
    """Deals as simulated players played them."""
    of = game(name)
    rules = options.encode_rules(name, options.resolve_options(name, preset, players))
    found = (
        Replay(of, rules, players, deal.dealer, deal.deck, deal.codes)
        for match in simulate.simulate_matches(of, rules, players, 6, seed)
        for deal in match.deals
    )
    return list(islice(found, 24))


def plays(replay: Replay) -> list[int]:
    """The actions with which a card was laid."""
    kind = replay.game.acts.kind_of_act
    return [at for at, code in enumerate(replay.applied_codes.tolist()) if kind(code & ACT_MASK) == "play"]


def mover(replay: Replay, at: int) -> int:
    return int(replay.applied_codes[at]) >> SEAT_SHIFT


def drawn(replay: Replay, at: int, seat: int, count: int, seed: int = 0) -> SampledDeals:
    found = sample_deals(replay, at, seat, count, seed)
    assert isinstance(found, SampledDeals)
    return found


def moment(state: np.void, seat: int) -> tuple[int, ...]:
    """Who holds what, and how what is left of the talon lies."""
    hands = [int(hand) for one, hand in enumerate(state["hand"]) if one != seat]
    if "talon" in (state.dtype.names or ()):
        hands += state["talon"][int(state["drawn"]) : int(state["talon_size"])].tolist()
    return tuple(hands)


# every way, equally often


def test_every_way_to_fill_hands_is_drawn_as_often_as_any_other() -> None:
    """Cards 0 and 1 may not be in the first hand, card 4 only there: 12 ways are left of 60."""
    may = np.array([0b110, 0b110, 0b111, 0b111, 0b001, 0b111])
    sizes = np.array([2, 2, 2])
    found = np.zeros((12_000, 6), np.int64)
    ways = deal_at_random(may, sizes, np.random.default_rng(1), found)
    seen = Counter(tuple(frozenset(row[i : i + 2]) for i in (0, 2, 4)) for row in found.tolist())
    assert len(seen) == ways == sum(_fits(may, way) for way in _thirds())
    assert all(_fits(may, way) for way in seen)
    assert alike(list(seen.values()), ways)


def _thirds() -> Iterator[tuple[frozenset[int], ...]]:
    """Six cards in three hands of two."""
    for one in combinations(range(6), 2):
        for two in combinations(sorted({*range(6)} - {*one}), 2):
            yield frozenset(one), frozenset(two), frozenset(range(6)) - {*one, *two}


def _fits(may: NDArray[np.int64], way: tuple[frozenset[int], ...]) -> bool:
    return all(may[card] >> hand & 1 for hand, cards in enumerate(way) for card in cards)


def alike(seen: list[int], ways: int) -> bool:
    """Pearson's test: whether counts of so many things, as likely as each other, look like it.

    Its sum is within four of its own standard deviations, which is by chance once in 10,000.
    """
    most = sum(seen) / ways
    sum_ = sum((one - most) ** 2 / most for one in seen) + (ways - len(seen)) * most
    return abs(sum_ - (ways - 1)) < 4 * (2 * (ways - 1)) ** 0.5


def every_moment(replay: Replay, at: int, seat: int, known: int = 0) -> set[tuple[int, ...]]:
    """What a seat may be facing, by brute force: put hidden cards every way, and play it again.

    `known`: cards that lie open or were announced, wherever they are.
    """
    state, start = replay.states[at], replay.states[0]
    others = [one for one in range(replay.players) if one != seat]
    hands = [list(bits_in(int(state["hand"][one]) & ~known)) for one in others]
    talon: list[int] = []
    if "talon" in (state.dtype.names or ()):
        left = state["talon"][int(state["drawn"]) : int(state["talon_size"])].tolist()
        talon = [card for card in left if not known >> card & 1]
    places = [card for hand in hands for card in hand] + talon
    found = set()
    for order in _orders(tuple(places), [len(hand) for hand in hands]):
        lies = dict(zip(places, order, strict=True))
        first = start.copy()
        for one in range(replay.players):
            cards = (lies.get(card, card) for card in bits_in(int(start["hand"][one])))
            first["hand"][one] = sum(1 << card for card in cards)
        if "talon" in (start.dtype.names or ()):
            size = int(start["talon_size"])
            first["talon"][:size] = [lies.get(card, card) for card in start["talon"][:size]]
        states = np.zeros(at + 1, replay.game.kernel.State)
        faults = np.zeros(at, np.int64)
        states[0] = first
        result = replay.game.kernel.trace(states, faults, replay.rules, replay.applied_codes[:at])
        if result == at and not np.any(faults & replay.game.faults.errors):
            found.add(moment(states[at], seat))
    return found


def _orders(cards: tuple[int, ...], sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """The cards in hands of these sizes, whose order does not matter, then in every order."""
    if not sizes:
        yield from permutations(cards)
        return
    for hand in combinations(cards, sizes[0]):
        rest = tuple(card for card in cards if card not in hand)
        yield from (hand + more for more in _orders(rest, sizes[1:]))


def few(replay: Replay) -> int | None:
    """The first card laid where so little is hidden that every way can be tried; None: nowhere."""
    for at in plays(replay):
        found = sample_deals(replay, at, mover(replay, at), 1)
        last = replay[at].state["hand"][mover(replay, at)] if replay.players > 3 else 0
        if isinstance(found, SampledDeals) and int(last).bit_count() < 4 and 20 < found.deal_count <= 600:
            return at
    return None


def opened(replay: Replay, at: int) -> int:
    """What lies open, and what others announced."""
    assert replay.game.sampler is not None
    found = replay.game.sampler.open_cards(replay.states[at])
    for k, code in enumerate(replay.applied_codes[:at].tolist()):
        if replay.game.acts.kind_of_act(code & ACT_MASK) == "announce":
            combination = (code - 32 & ACT_MASK) % 18
            if combination > 15:
                found |= int(replay.states[k]["hand"][code >> SEAT_SHIFT])
            else:
                cards = (0x30, 0x38, 0xB8, 0xF8) if replay.players == 2 else (0x30, 0, 0, 0x38)
                found |= cards[combination >> 2] << 8 * (combination & 3)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_what_is_drawn_is_every_deal_that_fits_equally_often(name: str, players: int) -> None:
    looked_at = 0
    for replay in replays(name, players):
        if (at := few(replay)) is None:
            continue
        seat = mover(replay, at)
        known = opened(replay, at) & ~int(replay[at].state["hand"][seat])
        every = every_moment(replay, at, seat, known)
        found = drawn(replay, at, seat, 20 * len(every))
        assert found.deal_count == len(every)
        seen = Counter(moment(state, seat) for state in found.states)
        assert {*seen} <= every
        assert alike(list(seen.values()), found.deal_count)
        looked_at += 1
        if looked_at == 3:
            break
    assert looked_at == 3


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_what_deals_have_in_common_is_what_is_certain_of_a_deal_recorded_by_that_seat(
    name: str, players: int
) -> None:
    """`engine.hidden` solves the log as the seat could have written it."""
    replay, at = next((one, at) for one in replays(name, players) if (at := few(one)) is not None)
    seat = mover(replay, at)
    start = replay.states[0]
    seen = int(np.bitwise_or.reduce(replay.states["hand"][: at + 1, seat]))
    assert replay.game.sampler is not None
    seen |= replay.game.sampler.open_cards(start)
    items = [card if seen >> card & 1 else HIDDEN_CARD for card in deck_of(replay, start)]
    dealt = (replay.game, replay.rules, players, int(start["dealer"]))
    solved = HiddenDeal(*dealt, items, replay.applied_codes[:at].tolist())
    hands = drawn(replay, at, seat, 600).states["hand"]
    for other in range(players):
        if other != seat:
            assert solved.known_hand(at, other) == int(np.bitwise_and.reduce(hands[:, other]))
    assert (hands[:, seat] == replay.states["hand"][at, seat]).all()


def deck_of(replay: Replay, start: np.void) -> list[int]:
    """The order dealt of another start, by the order of one that is known."""
    kernel, players = replay.game.dealing_rules, replay.players
    assert kernel is not None
    size = kernel.hand_size(players) * players
    hands = [list(bits_in(int(hand))) for hand in start["hand"]]
    dealer = int(start["dealer"])
    deck = [hands[kernel.receiver(replay.rules, players, dealer, place)].pop() for place in range(size)]
    if "talon" in (start.dtype.names or ()):
        left = int(start["talon_size"])
        rest = [0] * left
        for turn in range(left):
            rest[kernel.talon_place(replay.rules, left, turn)] = int(start["talon"][turn])
        deck += rest
    return deck


# what was seen, and nothing else


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_all_that_was_done_is_within_the_rules_in_every_deal_drawn(name: str, players: int) -> None:
    for replay in replays(name, players)[:6]:
        if np.any(replay.fault_bits & replay.game.faults.errors):
            continue
        for at in plays(replay)[::5]:
            seat = mover(replay, at)
            found = drawn(replay, at, seat, 20)
            for start, end in zip(found.starts, found.states, strict=True):
                states = np.zeros(at + 1, replay.game.kernel.State)
                faults = np.zeros(at, np.int64)
                states[0] = start
                done = replay.applied_codes[:at]
                assert replay.game.kernel.trace(states, faults, replay.rules, done) == at
                assert not np.any(faults & replay.game.faults.errors)
                assert states[at] == end
                assert np.array_equal(states["hand"][:, seat], replay.states["hand"][: at + 1, seat])


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_answer_does_not_depend_on_cards_the_seat_never_saw(name: str, players: int) -> None:
    """A deal drawn is shown as that of the log is: to the seat they are the same."""
    replay = replays(name, players)[1]
    at = plays(replay)[len(plays(replay)) // 3]
    seat = mover(replay, at)
    result = sample_cards(replay, at, 50)
    for start in drawn(replay, at, seat, 3, seed=8).starts:
        other = Replay(
            replay.game, replay.rules, players, int(start["dealer"]), deck_of(replay, start),
            replay.applied_codes[: at + 1],
        )  # fmt: skip
        assert int(other.states[at]["hand"][(seat + 1) % players]) != 0
        assert sample_cards(other, at, 50) == result


def test_the_same_seed_gives_the_same_answer_and_another_draws_other_deals() -> None:
    replay = replays("chouine", 2)[0]
    at = plays(replay)[4]
    assert sample_cards(replay, at, 100) == sample_cards(replay, at, 100)
    assert sample_cards(replay, at, 100, seed=1) != sample_cards(replay, at, 100)


# what comes of it


@pytest.mark.slow
def test_where_one_deal_fits_the_value_is_that_of_best_play() -> None:
    """In the closed phase at two both hands are known: what a card brings less is what it lost."""
    compared = 0
    for replay in replays("chouine", 2):
        solved = solve_deal(replay)
        if isinstance(solved, NotSolved):
            continue
        for play in solved.plays:
            result = sample_cards(replay, play.action)
            assert isinstance(result, SampledCards)
            assert result.is_single_deal
            most = max(card.margin.mean for card in result.cards)
            [own] = [card for card in result.cards if card.card == result.played]
            assert own.margin.standard_error == 0
            assert most - own.margin.mean <= play.lost
            if len(play.best_cards) and result.played in play.best_cards and play.lost == 0:
                best = {card.card for card in result.cards if card.margin.mean == most}
                assert best == {*play.best_cards} & {card.card for card in result.cards}
            compared += 1
    assert compared > 100


def test_a_difference_is_shown_past_three_standard_errors_alone() -> None:
    replay = replays("chouine", 2)[0]
    result = sample_cards(replay, plays(replay)[3], 300)
    assert isinstance(result, SampledCards)
    for card in result.cards:
        assert card.won.is_significant == (abs(card.won.difference) > 3 * card.won.standard_error)
        assert (card.card != result.played) or (card.won.difference, card.won.standard_error) == (0, 0)
    assert 0 <= min(card.won.mean for card in result.cards) <= 1


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_sampling_player_plays_a_deal_to_its_end_by_the_rules(name: str, players: int) -> None:
    of = game(name)
    replay = replays(name, players)[2]
    deck, codes = deck_of(replay, replay.states[0]), list[int]()
    dealt = (of, replay.rules, players, int(replay.states[0]["dealer"]), deck)
    while not (now := Replay(*dealt, codes)).last.is_over:
        done = choose_action(now, samples=5)
        assert isinstance(done, Action)
        assert done in now.last.legal
        codes.append(done.code)
    assert choose_action(now) == NotSampled("card")


def test_draws_that_a_log_tells_are_drawn_again_with_other_cards() -> None:
    """The one who plays on where draws are recorded draws as well; so does who samples."""
    replay = replays("chouine", 2)[0]
    deck, codes = deck_of(replay, replay.states[0]), list[int]()
    dealt = (replay.game, replay.rules, 2, int(replay.states[0]["dealer"]), deck)
    while not (now := Replay(*dealt, codes, explicit=True)).last.is_over:
        done = choose_action(now, samples=3)
        assert isinstance(done, Action)
        codes.append(done.code)
    kinds = [replay.game.acts.kind_of_act(code & ACT_MASK) for code in codes]
    assert kinds.count("draw") == 22 or now.last.trick < 11
    at = plays(now)[4]
    assert len(drawn(now, at, mover(now, at), 10).states) == 10


def test_it_says_why_nothing_is_sampled() -> None:
    replay = replays("chouine", 2)[0]
    assert sample_cards(replay, len(replay)) == NotSampled("card")
    [other] = [name for name in game_names() if game(name).sampler is None]
    assert other == "chouineurs"
