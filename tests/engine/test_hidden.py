"""Deals with unknown cards against every deal they may be: what is certain, what is not, and no guess.

A few cards are taken off the sheet, so few that every way to put them back can be played.
"""

from functools import cache
from itertools import pairwise, permutations, product
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import ACT_MASK, DRAW_HIDDEN, SEAT_SHIFT, Action
from engine.cards import HIDDEN_CARD
from engine.chouine import actions as chouine
from engine.hidden import HiddenDeal
from engine.hidden.solve import public_bytes
from engine.matching import complete_matching, possible_places, restricted_matching
from engine.replay import Replay
from engine.simulate import SimulatedDeal
from schemas.match_setup import MatchSetup
from schemas.simulated import simulate_matches, simulated_setup

pytestmark = pytest.mark.slow

TABLES = (
    *(("chouine", "lavardin", players) for players in (2, 3, 4)),
    *(("chouine", "mondoubleau", players) for players in (2, 3, 4)),
    *(("chouine", "regles-completes", players) for players in (2, 3, 4)),
    ("coinche", "tournoi-2018", 4),
    ("belote", "classique", 4),
    ("chouineurs", "blam", 3),
)


QUEEN, KING = 4, 5
"""The places of ranks in a suit of 32 cards, where the 10 stands above the king."""


@cache
def table(name: str, preset: str, players: int) -> MatchSetup:
    return simulated_setup(name, preset, players)


@cache
def deals(name: str, preset: str, players: int, seed: int) -> tuple[SimulatedDeal, ...]:
    return tuple(next(simulate_matches(table(name, preset, players), 1, seed)).deals)


class Sheet(NamedTuple):
    """A deal as somebody wrote it down."""

    arranged: MatchSetup
    dealer: int
    deck: list[int]
    codes: list[int]
    explicit: bool = False

    def without(self, places: list[int]) -> "Sheet":
        deck = [HIDDEN_CARD if place in places else card for place, card in enumerate(self.deck)]
        return self._replace(deck=deck)

    def replay(self) -> Replay:
        played = self.arranged
        return Replay(
            *(played.game, played.rules, played.players, self.dealer, self.deck, self.codes), self.explicit
        )

    def solved(self) -> HiddenDeal:
        played = self.arranged
        return HiddenDeal(
            *(played.game, played.rules, played.players, self.dealer, self.deck, self.codes), self.explicit
        )


def altered(sheet: Sheet, how: int, rng: Random) -> Sheet:
    """The sheet as it is, two plays of a seat swapped, an act left out or put in, or cut short."""
    codes = list(sheet.codes)
    this = sheet.arranged.game
    if how == 1:
        seat = rng.randrange(sheet.arranged.players)
        own = [
            at
            for at, code in enumerate(codes)
            if code >> SEAT_SHIFT == seat and this.acts.kind_of_act(code & ACT_MASK) == "play"
        ]
        if len(own) > 1:
            one, other = rng.sample(own, 2)
            codes[one], codes[other] = codes[other], codes[one]
    elif how == 2:
        del codes[rng.randrange(len(codes))]
    elif how == 3:
        act = rng.randrange(sheet.arranged.players) << SEAT_SHIFT | rng.randrange(this.acts.ACT_COUNT)
        codes.insert(rng.randrange(len(codes) + 1), act)
    elif how == 4:
        codes = codes[: rng.randrange(len(codes))]
    return sheet._replace(codes=codes)


def with_draws(sheet: Sheet, rng: Random) -> Sheet:
    """A deal of Chouine with its draws recorded, some of them without their card."""
    codes: list[int] = []
    replay = sheet.replay()
    for before, now in pairwise(replay):
        assert now.action is not None
        codes.append(now.action.code)
        leader, players = int(now.state["leader"]), sheet.arranged.players
        place = int(before.state["drawn"])
        for k in range(int(now.state["drawn"]) - place):
            seat = (leader + k) % players
            card = int(before.state["talon"][place + k])
            result = rng.choice((chouine.FIRST_DRAW + card, chouine.FIRST_DRAW + card, DRAW_HIDDEN))
            codes.append(seat << SEAT_SHIFT | result)
    return sheet._replace(codes=codes, explicit=True)


def fillings(sheet: Sheet) -> list[list[int]]:
    """Every deck a sheet may stand for."""
    holes = [place for place, card in enumerate(sheet.deck) if card == HIDDEN_CARD]
    chouineurs = sheet.arranged.deck is not None
    sides = 2 if chouineurs else 1
    cards = 44 if chouineurs else len(sheet.deck)
    bids = sheet.arranged.game.deck_format.place_count if chouineurs else len(sheet.deck)
    items = {card // sides for card in sheet.deck[:bids] if card < cards * sides}
    missing = [card for card in range(cards) if card not in items]
    found = []
    for chosen in permutations(missing, len(holes)):
        for faces in product(range(sides), repeat=len(holes)):
            deck = list(sheet.deck)
            for place, card, face in zip(holes, chosen, faces, strict=True):
                deck[place] = sides * card + face
            found.append(deck)
    return found


def drawn_as_dealt(sheet: Sheet, deck: list[int]) -> list[int]:
    """The acts in one world: a draw whose card nobody recorded is that of the talon."""
    codes = list(sheet.codes)
    for at, code in enumerate(codes):
        if code & ACT_MASK == DRAW_HIDDEN and sheet.arranged.game.name == "chouine":
            state = sheet._replace(deck=deck, codes=codes[:at]).replay().last.state
            place = min(int(state["drawn"]), int(state["talon_size"]) - 1)
            codes[at] = code & ~ACT_MASK | chouine.FIRST_DRAW + int(state["talon"][place])
    return codes


def cases(sheet: Sheet) -> tuple[list[Replay], int]:
    """(every world of a sheet, how many acts can have happened): all decks, played."""
    left = [sheet._replace(deck=deck, codes=drawn_as_dealt(sheet, deck)).replay() for deck in fillings(sheet)]
    kind = sheet.arranged.game.acts.kind_of_act
    for at, code in enumerate(sheet.codes):
        possible_ = [replay for replay in left if len(replay) - 1 > at]
        if not possible_:
            return left, at
        left = possible_
        if kind(code & ACT_MASK) == "draw":
            agreed = [r for r in left if not any(f.code == "draw-card" for f in r[at + 1].faults)]
            left = agreed or left
    return left, len(sheet.codes)


def up(state: np.void, seat: int, sides: int) -> set[tuple[int, int]]:
    """The cards of a hand, each with the face up."""
    hand = int(state["hand"][seat])
    side = int(state["side"]) if sides == 2 else 0
    return {(card, side >> card & 1) for card in range(44) if hand >> card & 1}


def grown(sheet: Sheet) -> HiddenDeal:
    """A sheet solved action by action, each time from what was known before."""
    solved = sheet._replace(codes=[]).solved()
    for code in sheet.codes:
        solved = solved.with_action(code)
    return solved


def may_follow(sheet: Sheet, every: list[Replay], end: int) -> set[Action]:
    """The acts that are legal next in some world, a draw also without its card."""
    acts = sheet.arranged.game.acts
    legal = {act for case in every for act in case[end].legal}
    draws = [one for one in legal if acts.kind_of_act(one.act) == "draw"]
    return legal | {Action(one.seat, DRAW_HIDDEN) for one in draws}


def assert_exact(sheet: Sheet) -> None:
    """What is reported of a sheet is what is so in all, in some and in none of its worlds."""
    every, end = cases(sheet)
    for solved in (sheet.solved(), grown(sheet)):
        assert_so(sheet, solved, every, end)


def assert_so(sheet: Sheet, solved: HiddenDeal, every: list[Replay], end: int) -> None:
    assert solved.possible_count == end
    assert set(solved.possible_actions(end)) == may_follow(sheet, every, end)
    for at in range(end):
        wanted = {sum(fault.bit for fault in case[at + 1].faults) for case in every}
        assert solved.possible_faults(at) == wanted, at
    for at in range(end + 1):
        for seat in range(sheet.arranged.players):
            sides = solved.positions.faces_per_card
            hands = [up(case[at].state, seat, sides) for case in every]
            held = {card for card, _ in set.intersection(*hands)}
            assert solved.known_hand(at, seat) == sum(1 << card for card in held), (at, seat)
    assert {public_bytes(state) for state in solved.final_states} == {
        public_bytes(case[end].state) for case in every
    }


@pytest.mark.parametrize(("name", "preset", "players"), TABLES)
@settings(max_examples=5, deadline=None)
@given(
    seed=st.integers(0, 5),
    number=st.integers(0, 5),
    how=st.integers(0, 4),
    rng=st.randoms(use_true_random=False),
)
def test_what_is_certain_is_so_in_every_world_and_nothing_else_is(
    name: str, preset: str, players: int, seed: int, number: int, how: int, rng: Random
) -> None:
    chosen = deals(name, preset, players, seed)
    deal = chosen[number % len(chosen)]
    sheet = Sheet(table(name, preset, players), deal.dealer, deal.deck.tolist(), deal.codes.tolist())
    two_faced = name == "chouineurs"
    places = range(sheet.arranged.game.deck_format.place_count) if two_faced else range(len(sheet.deck))
    items = [place for place in places if sheet.deck[place] != 255]
    hidden = rng.sample(items, 1 if two_faced else rng.randint(1, 4))
    assert_exact(altered(sheet, how, rng).without(hidden))


@pytest.mark.parametrize("players", [2, 3])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 5), how=st.integers(0, 4), rng=st.randoms(use_true_random=False))
def test_a_recorded_draw_says_what_lay_on_the_talon(players: int, seed: int, how: int, rng: Random) -> None:
    deal = deals("chouine", "lavardin", players, seed)[0]
    played = table("chouine", "lavardin", players)
    sheet = Sheet(played, deal.dealer, deal.deck.tolist(), deal.codes.tolist())
    result = with_draws(sheet, rng)
    assert_exact(altered(result, how, rng).without(rng.sample(range(32), rng.randint(1, 4))))


def ruffed_if_trump(seed: int, ruffed: bool) -> Sheet | None:
    """Mondoubleau at two: the leader announces a mariage which only some worlds have (CH-28).

    Where it makes the trump, the second card of the deal takes the trick, and its player draws
    first (CH-7); in the others the leader does. No draw is recorded, so all draw at the third card,
    which says by whose it is which worlds there are.
    """
    deal = deals("chouine", "mondoubleau", 2, seed)[0]
    deck, codes = deal.deck.tolist(), deal.codes.tolist()
    lead, reply = codes[:2]
    if reply & ACT_MASK >= chouine.ANNOUNCE or lead & ACT_MASK >= chouine.ANNOUNCE:
        return None
    suit = (reply & ACT_MASK) >> 3
    if suit == (lead & ACT_MASK) >> 3:
        return None
    couple = [deck.index(8 * suit + rank) for rank in (QUEEN, KING)]
    held = [place for place in range(10) if (deal.dealer + 1 + place) % 2 == lead >> SEAT_SHIFT]
    free = [place for place in held if deck[place] != lead & ACT_MASK and place not in couple]
    hidden = {*couple, *free[:2]}
    if deck.index(reply & ACT_MASK) in hidden:
        return None
    trick_winner = (reply if ruffed else lead) & ~ACT_MASK
    own = [deck[at] for at in range(10) if (at in held) == (not ruffed) and at not in hidden]
    third = next(trick_winner | card for card in own if card not in (lead & ACT_MASK, reply & ACT_MASK))
    first = lead & ~ACT_MASK | chouine.ANNOUNCE + suit
    played, result = table("chouine", "mondoubleau", 2), [first, lead, reply, third]
    return Sheet(played, deal.dealer, deck, result, explicit=True).without(list(hidden))


@pytest.mark.parametrize("ruffed", [False, True])
def test_who_draws_first_hangs_on_a_trump_that_only_some_worlds_have(ruffed: bool) -> None:
    sheets = [sheet for seed in range(20) if (sheet := ruffed_if_trump(seed, ruffed))]
    assert len(sheets) > 3
    for sheet in sheets:
        assert_exact(sheet)


@given(size=st.integers(1, 6), rng=st.randoms(use_true_random=False))
def test_a_place_is_possible_when_some_matching_has_it(size: int, rng: Random) -> None:
    may = [rng.randrange(1, 1 << size) for _ in range(size)]
    whole = [
        order
        for order in permutations(range(size))
        if all(may[card] >> place & 1 for card, place in enumerate(order))
    ]
    at = [-1] * size
    assert complete_matching(list(may), at) == bool(whole)
    if whole:
        assert tuple(at) in whole
        wanted = [sum({1 << order[card] for order in whole}) for card in range(size)]
        assert possible_places(may, at) == wanted
        limits = {0: rng.randrange(1 << size)}
        found = restricted_matching(may, at, limits)
        remaining = [order for order in whole if limits[0] >> order[0] & 1]
        assert (found is not None) == bool(remaining)
        assert found is None or tuple(found) in remaining


def plays_alone(sheet: Sheet) -> Sheet:
    return sheet.without(list(range(len(sheet.deck))))


@pytest.mark.parametrize(("name", "preset", "players"), TABLES[:-1])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sample(*(f"0-{name}-{preset}-{players}" for name, preset, players in TABLES[:-1]))
def test_a_legal_deal_recorded_by_its_acts_alone_is_never_faulty(
    name: str, preset: str, players: int, seed: int
) -> None:
    played = table(name, preset, players)
    for deal in deals(name, preset, players, seed)[:2]:
        sheet = Sheet(played, deal.dealer, deal.deck.tolist(), deal.codes.tolist())
        solved = plays_alone(sheet).solved()
        assert solved.possible_count == len(sheet.codes)
        assert all(0 in solved.possible_faults(at) for at in range(solved.possible_count))


def test_a_coinche_deal_played_to_its_end_shows_every_hand() -> None:
    played = table("coinche", "tournoi-2018", 4)
    deal = next(one for one in deals("coinche", "tournoi-2018", 4, 1) if len(one.codes) > 40)
    sheet = Sheet(played, deal.dealer, deal.deck.tolist(), deal.codes.tolist())
    solved = plays_alone(sheet).solved()
    dealt = sheet.replay()[0].state["hand"]
    assert [solved.known_hand(0, seat) for seat in range(4)] == dealt.tolist()


def test_more_ways_than_can_be_tried_leave_the_rest_unchecked() -> None:
    played = table("chouine", "lavardin", 2)
    deal = deals("chouine", "lavardin", 2, 0)[0]
    codes: list[int] = []
    for at, code in enumerate(deal.codes.tolist()):
        codes += [code & ~ACT_MASK | chouine.ANNOUNCE + at // 2 % 4, code]
    solved = plays_alone(Sheet(played, deal.dealer, deal.deck.tolist(), codes)).solved()
    assert solved.overflow_action is not None
    assert solved.possible_count == solved.overflow_action < len(codes)
    assert solved.stop_faults == ()
    assert all(solved.possible_faults(at) for at in range(solved.possible_count))
