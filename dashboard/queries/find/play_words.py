"""The words of a search about one card that was played: `trick:12 led:brisque`."""

import operator
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from dashboard.games import game_view
from dashboard.games.find_play import Bools, Plays, PlayTest, PlayWord
from dashboard.games.find_word import BadSearch, FindTerm, chosen, compare, require_equal
from dashboard.queries.find.hands import TRUMP, rank_and_suit, suits
from engine.games import game_names
from ingest.i18n import N_

TRUMP_NAMES = (TRUMP, "trump", "atout")
COMPARISONS: Mapping[str, Callable[[NDArray[np.int64], int], Bools]] = {
    **{":": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
}
NOT_PLAYABLE = N_(
    "“{value}” at character {place} after {word}: write cards like As or 7t, suits like h, t for trump, or"
    " {known}."
)
YES_NO: Mapping[str, bool] = {"yes": True, "oui": True, "no": False, "non": False}


def _any_of(some: list[Bools]) -> Bools:
    return np.asarray(np.logical_or.reduce(some))


def _trick(term: FindTerm) -> PlayTest:
    _, numbers = compare("", term, "trick:12")
    compared = COMPARISONS[term.operator]
    return lambda plays: _any_of([compared(plays.field("trick") + 1, one) for one in numbers])


def _led(term: FindTerm) -> PlayTest:
    among = _among(term, "led:As") if term.operator else None

    def test(plays: Plays) -> Bools:
        first = plays.field("on_table") == 0
        return np.asarray(first & among(plays)) if among else first

    return test


def _took(term: FindTerm) -> PlayTest:
    wanted = [True]
    if term.operator:
        require_equal(term, "took:no")
        wanted = chosen(term, YES_NO)
    return lambda plays: np.asarray((plays.winner >= 0) & np.isin(plays.winner == plays.seat, wanted))


def _holding(term: FindTerm) -> PlayTest:
    require_equal(term, "holding:7t")
    cards = [rank_and_suit(value, term) for value in term.values]

    def test(plays: Plays) -> Bools:
        hand = plays.hand()
        found = np.ones(len(hand), np.bool_)
        for rank, suit in cards:
            code = _code(plays, rank, suit)
            found &= (code >= 0) & (hand >> np.maximum(code, 0) & 1 > 0)
        return found

    return test


def _played(term: FindTerm) -> PlayTest:
    return _among(term, "played:Jt")


def _among(term: FindTerm, example: str) -> PlayTest:
    """Return whether the card is one of a term's: cards, suits and a game's names of cards."""
    require_equal(term, example)
    of_games = {name: game_view(name).FIND_CARDS for name in game_names()}
    named = {word for some in of_games.values() for word in some}
    tests = [_one_of(value.casefold(), named, term) for value in term.values]

    def test(plays: Plays) -> Bools:
        if not len(plays.game.pack):
            return np.zeros(len(plays.card), np.bool_)
        return _any_of([one(plays) for one in tests])

    return test


def _one_of(value: str, named: set[str], term: FindTerm) -> PlayTest:
    if value in named:
        return lambda plays: (
            np.int64(game_view(plays.game.name).FIND_CARDS.get(value, 0)) >> plays.card & 1 > 0
        )
    if value in TRUMP_NAMES or value in suits():
        suit = suits().get(value)
        return lambda plays: (
            plays.card // len(plays.game.pack.ranks) == (plays.field("trump") if suit is None else suit)
        )
    try:
        rank, letter = rank_and_suit(value, term)
    except BadSearch:
        raise BadSearch(
            NOT_PLAYABLE,
            value=value,
            place=term.place_of(value),
            word=term.word,
            known=", ".join(sorted(named)),
        ) from None
    return lambda plays: plays.card == _code(plays, rank, letter)


def _code(plays: Plays, rank: str, suit: str) -> NDArray[np.int64]:
    """Return a card's number at each play, -1 where the pack does not have it or nothing is trump."""
    ranks = plays.game.pack.ranks
    if rank not in ranks:
        return np.full(len(plays.card), -1)
    if suit != TRUMP:
        return np.full(len(plays.card), suits()[suit] * len(ranks) + ranks.index(rank))
    trump = plays.field("trump")
    is_suit = (trump >= 0) & (trump < len(plays.game.pack) // len(ranks))
    return np.where(is_suit, trump * len(ranks) + ranks.index(rank), -1)


PLAY_WORDS = (
    PlayWord(
        ("trick", "pli"), N_("a card played in a trick, the first is 1"), ("trick:1", "trick>=7"), _trick
    ),
    PlayWord(("led", "entame"), N_("a card that led its trick"), ("led", "led:A♠", "led:t"), _led),
    PlayWord(
        ("played", "joue"), N_("a play of one of the given cards"), ("played:Jt", "played:A♥,10♥"), _played
    ),
    PlayWord(
        ("took", "ramasse"),
        N_("a card of a trick that its player took; took:no: did not take"),
        ("took", "took:no"),
        _took,
    ),
    PlayWord(
        ("holding", "en-main"),
        N_("a card played by a player who held all the given cards, it included"),
        ("holding:7t",),
        _holding,
    ),
)
