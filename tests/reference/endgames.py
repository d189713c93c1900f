"""A reference endgame solver: plays on in every way, with sets and words.

Slow on purpose, and without the engine: what may be done is asked of the reading of the rules
beside this module.
"""

from collections.abc import Iterator
from copy import copy
from typing import Any

from tests.reference import belote, chouine, coinche
from tests.reference.statistics import _held

Partie = chouine.Partie
OpenDeal = belote.Deal | coinche.Deal


def another(play: Partie) -> Partie:
    """The same moment, to be played on by itself."""
    new = copy(play)
    new.hands = [set(hand) for hand in play.hands]
    new.counted = [set(own) for own in play.counted]
    new.table, new.cards, new.bonus = list(play.table), list(play.cards), list(play.bonus)
    return new


class Closed:
    """The closed phase of one deal at two: what is still to come with best play of both."""

    def __init__(self) -> None:
        self.known: dict[Any, int] = {}

    def margin(self, play: Partie) -> int:
        """What seat 1 will still make more than seat 2."""
        if play.over:
            return 0
        bound = None if play.bound is None else frozenset(play.bound)
        values = (play.turn, play.trump, bound, play.wording, *play.table)
        held = (frozenset(hand) for hand in play.hands)
        key = (*values, *held, *(frozenset(own) for own in play.counted))
        if key not in self.known:
            pick = max if play.turn == 0 else min
            self.known[key] = pick(self.ways(play))
        return self.known[key]

    def ways(self, play: Partie) -> Iterator[int]:
        """What comes of each turn there is: announcements that count, then a card."""
        seat = play.turn
        for kind, suit in [*_held(play.hands[seat], 2)]:
            after = another(play)
            if after.do(f"{seat + 1} {f'{kind}-{suit}' if suit else kind}"):
                yield self.gained(play, after)
        for card in list(play.hands[seat]):
            after = another(play)
            if after.do(f"{seat + 1} {card}"):
                yield self.gained(play, after)

    def gained(self, before: Partie, after: Partie) -> int:
        """What it made, and what is to come after it."""
        return made(after) - made(before) + self.margin(after)


def made(play: Partie) -> int:
    """What seat 1 has made more than seat 2."""
    first, second = (cards + bonus for cards, bonus in zip(play.cards, play.bonus, strict=True))
    return first - second


def at_once(play: Partie) -> bool:
    """Whether somebody may still announce a chouine: not in a suit that has counted (CH-20)."""
    for seat, hand in enumerate(play.hands):
        for kind, suit in [*_held(hand, 2)]:
            after = another(play)
            after.turn = seat
            if kind == "chouine" and after.do(f"{seat + 1} chouine-{suit}"):
                return True
    return False


def lost(document: dict[str, Any], sheet: dict[str, Any], options: dict[str, Any]) -> tuple[int, int] | None:
    """What each seat lost in the closed phase of a deal at two, turn by turn.

    None: it never began, or a chouine could be announced in it, which wins whatever the points.
    """
    play = chouine.deal(document, sheet, options)
    assert play is not None
    found, every, turn = [0, 0], Closed(), None
    for number, action in enumerate(sheet["actions"]):
        begun = play.closed() and not play.waiting and not play.over
        if begun and turn is None and play.table:
            raise AssertionError("the talon ends between two tricks")
        if begun and turn is None:
            if at_once(play):
                return None
            turn = another(play)
        assert play.do(action), (number, action)
        if turn is not None and action[2:] in chouine.PACK:
            sign = 1 - 2 * turn.turn
            found[turn.turn] += sign * (every.margin(turn) - every.gained(turn, play))
            turn = another(play)
    return None if turn is None else (found[0], found[1])


def dealt_on(play: OpenDeal) -> OpenDeal:
    """The same moment of a deal of four, to be played on by itself and without a word."""
    new = copy(play)
    new.hands = [set(hand) for hand in play.hands]
    new.table, new.trick_winners = list(play.table), list(play.trick_winners)
    if isinstance(new, belote.Deal):
        new.word, new.piles = "", [list(pile) for pile in new.piles]
    else:
        new.cards = list(new.cards)
    return new


class Open:
    """The last tricks of one deal of four, all cards seen: what is still to come of points."""

    def __init__(self) -> None:
        self.known: dict[Any, tuple[int, int]] = {}

    def margin(self, play: OpenDeal, least: int = -1000, most: int = 1000) -> int:
        """What side 1 will still make more than side 2; below `least` or above `most` a bound."""
        if play.ended:
            return 0
        swept = frozenset(play.trick_winners) if len({one % 2 for one in play.trick_winners}) == 1 else None
        held = (frozenset(hand) for hand in play.hands)
        key = (play.turn, swept, *play.table, *held)
        low, high = self.known.get(key, (-1000, 1000))
        if low == high or low >= most:
            return low
        if high <= least:
            return high
        found = self.best(play, max(low, least), min(high, most))
        bounds = (low if found <= max(low, least) else found, high if found >= min(high, most) else found)
        self.known[key] = bounds
        return found

    def best(self, play: OpenDeal, least: int, most: int) -> int:
        """The best of what comes of each card, as far as it lies between the two."""
        ours = play.turn % 2 == 0
        found = -1000 if ours else 1000
        for after in self.ways(play):
            made = points(after) - points(play)
            if ours:
                found = max(found, made + self.margin(after, max(least, found) - made, most - made))
            else:
                found = min(found, made + self.margin(after, least - made, min(most, found) - made))
            if found >= most if ours else found <= least:
                break
        return found

    def ways(self, play: OpenDeal) -> Iterator[OpenDeal]:
        """What comes of each card that may be laid, the strongest first."""
        for card in sorted(play.allowed(play.turn), key=play.rank, reverse=True):
            after = dealt_on(play)
            assert after.do(f"{play.turn + 1} {card}")
            yield after

    def gained(self, before: OpenDeal, after: OpenDeal) -> int:
        """What a card made, and what is to come after it."""
        return points(after) - points(before) + self.margin(after)


def points(play: OpenDeal) -> int:
    """What side 1 has made more than side 2: once all is played, with the last trick and sweeps."""
    if isinstance(play, belote.Deal):
        values = play.values()
        piles = (sum(values[card[1]].get(card[0], 0) for card in pile) for pile in play.piles)
        first, second = play.card_points() if play.ended else piles
        return first - second
    first, second = play.cards
    if not play.ended:
        return first - second
    won = 1 - 2 * (play.trick_winners[-1] % 2)
    if len({one % 2 for one in play.trick_winners}) == 1:
        return won * (500 if len(set(play.trick_winners)) == 1 else 250)
    return first - second + 5 * won


def lost_openly(
    document: dict[str, Any], sheet: dict[str, Any], options: dict[str, Any]
) -> tuple[int, int, int, int] | None:
    """What each seat lost in the last five tricks of a deal of four, card by card.

    None: it never got there.
    """
    of = belote if document["game"] == "belote" else coinche
    play = of.deal(document, sheet, options)
    assert play is not None
    found, every = [0, 0, 0, 0], Open()
    begun = False
    for number, action in enumerate(sheet["actions"]):
        begun = begun or len(play.trick_winners) >= len(of.PACK) // 4 - 5
        before = dealt_on(play)
        assert play.do(action), (number, action)
        if begun and action[2:] in of.PACK:
            seat = before.turn
            sign = 1 - 2 * (seat % 2)
            found[seat] += sign * (every.margin(before) - every.gained(before, play))
    return (found[0], found[1], found[2], found[3]) if begun else None
