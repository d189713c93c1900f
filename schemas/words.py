"""The words of a log and the engine's small integers: the one table between them.

Chouineurs names faces, and its deck is the match's own: there every function also takes
the `names` of an `engine.chouineurs.deck.Deck`. Without them only the words that name no
face are known.
"""

from functools import lru_cache

from engine.acts import SEAT_SHIFT, UNKNOWN
from engine.cards import SUITS, UNTOLD
from engine.chouine import acts as chouine
from engine.chouineurs import acts as chouineurs
from engine.coinche import acts as coinche
from engine.games import game


def _chouine() -> dict[str, int]:
    names = game("chouine").pack.names
    words = {name: chouine.PLAY + card for card, name in enumerate(names)}
    for combination in range(chouine.COMBINATIONS):
        word = chouine.kind_of(combination)
        if (suit := chouine.suit_of(combination)) >= 0:
            word += "-" + SUITS[suit]
        words[word] = chouine.ANNOUNCE + combination
        words[word + "~"] = chouine.UNSHOWN + combination
    words["sept"] = chouine.SEPT
    words["au-sept"] = chouine.AU_SEPT
    for i, irregularity in enumerate(chouine.IRREGULARITIES):
        words["fault " + irregularity] = chouine.FAULT + i
    words |= {"accept": chouine.ACCEPT, "replay": chouine.REPLAY, "resign": chouine.RESIGN}
    words |= {"draw " + name: chouine.DRAW + card for card, name in enumerate(names)}
    return words | {"draw " + UNTOLD: chouine.DRAW_HIDDEN}


def _coinche() -> dict[str, int]:
    words = {name: coinche.PLAY + card for card, name in enumerate(game("coinche").pack.names)}
    for level, bid in enumerate(coinche.LEVELS):
        dash = "" if bid.isdigit() else "-"
        for i, suit in enumerate(SUITS):
            words[f"bid {bid}{dash}{suit}"] = coinche.BID + 4 * level + i
    return words | {
        "pass": coinche.PASS,
        "coinche": coinche.COINCHE,
        "surcoinche": coinche.SURCOINCHE,
        "claim": coinche.CLAIM,
        "won": coinche.WON,
        "resign": coinche.RESIGN,
    }


def _chouineurs(faces: tuple[str, ...]) -> dict[str, int]:
    words = {name: chouineurs.PLAY + face for face, name in enumerate(faces)}
    words |= {f"turn {name}": chouineurs.TURN + face for face, name in enumerate(faces)}
    return words | {"point": chouineurs.POINT, "resign": chouineurs.RESIGN}


_TABLES = {"chouine": _chouine, "coinche": _coinche}


@lru_cache(maxsize=64)  # decks are without number
def acts(name: str, faces: tuple[str, ...] = ()) -> dict[str, int]:
    """A game's words → acts, such as `Kd`, `mariage-d~`, `draw 9s` or `turn b3`."""
    return _chouineurs(faces) if name == "chouineurs" else _TABLES[name]()


SEATS = 9
"""Seats an action may name: more than any table has, so that a kernel can say there is none."""


@lru_cache(maxsize=64)
def codes(name: str, faces: tuple[str, ...] = ()) -> dict[str, int]:
    """A game's whole actions → codes, the seat included: `1 Kd`."""
    return {
        f"{seat + 1} {word}": seat << SEAT_SHIFT | act
        for seat in range(SEATS)
        for word, act in acts(name, faces).items()
    }


@lru_cache(maxsize=64)
def _words(name: str, faces: tuple[str, ...]) -> dict[int, str]:
    return {code: word for word, code in codes(name, faces).items()}


def encode(name: str, word: str, faces: tuple[str, ...] = ()) -> int:
    """The code of an action as written; the act UNKNOWN when no such action exists."""
    return codes(name, faces).get(word, UNKNOWN)


def decode(name: str, code: int, faces: tuple[str, ...] = ()) -> str:
    """An action as a log writes it. KeyError: no action has this code."""
    return _words(name, faces)[int(code)]


def act_word(name: str, act: int, faces: tuple[str, ...] = ()) -> str:
    """The word without the seat."""
    return decode(name, act & 255 | 0, faces).split(" ", 1)[1]
