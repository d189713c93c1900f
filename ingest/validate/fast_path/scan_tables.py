"""What each game's keys, cards and acts are to the scanner: small tables, made from its schemas."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from engine.actions import DRAW_HIDDEN
from engine.games import game
from engine.jit import inlined
from ingest.validate.fast_path.deal_arrays import VOIDS as VOID_WORDS
from schemas.match_models import deal_model
from schemas.match_setup import Layout, Table
from schemas.notation import acts

Places = NDArray[np.int64]

ACT, CARD, BID, KEY, VOIDS = range(5)  # what a word may be one of, in the byte behind its fifteen
LONGEST = 15

_NAMES = (
    *("deck", "hands", "talon", "bids", "actions", "times"),
    *("points", "winner", "manche", "void", "comments", "told"),
)
(DECK, HANDS, TALON, BIDS, ACTIONS, TIMES, POINTS, WINNER, MANCHE, VOID, COMMENTS, TOLD, SEAT) = (
    range(13)
)
KEYS: Mapping[str, int] = {name: number for number, name in enumerate(_NAMES)}
"""Keys of a deal the scanner knows; a game's deal that has another one is explained."""
NULLABLE = 64  # added to a key whose value may be null, which is as good as no key

PLAYERS, HAND, TALON_SIZE, BIDS_AT, WORDS, FACES, EMPTY = range(7)
"""Columns of the first of `shapes_of`."""


@inlined
def slot(low: Any, high: Any, size: int) -> Any:
    """Where in a table of that size, a power of two, a word is looked for first."""
    mixed = (low ^ (high * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((mixed >> np.uint64(40)) & np.uint64(size - 1))


def word_table(words: Iterable[tuple[str, int, int]]) -> NDArray[np.uint64]:
    """Words by open addressing: two halves with the kind, the number plus 1; not the longest."""
    packed = [(word.encode(), kind, number) for word, kind, number in words]
    packed = [one for one in packed if len(one[0]) <= LONGEST]
    size = 1 << (3 * len(packed) - 1).bit_length()  # a power of two
    table = np.zeros((size, 3), np.uint64)
    for word, kind, number in packed:
        low, high = np.frombuffer(word.ljust(LONGEST, b"\0") + bytes([kind]), np.uint64)
        with np.errstate(over="ignore"):
            place = slot.py_func(low, high, size)
        while table[place, 2]:
            place = (place + 1) % size
        table[place] = low, high, number + 1
    return table


def words_of(laid: Table, layout: Layout) -> NDArray[np.uint64]:
    """The table of everything the deals of a match may say."""
    name = laid.game.name
    model = deal_model(name)
    known = {**KEYS, model.OPENS: SEAT}
    types = {key: get_args(field.annotation) for key, field in model.model_fields.items()}
    own = {key: NULLABLE * (type(None) in types[key]) for key in types if key in known}
    keys = [(key, KEY, known[key] | nullable) for key, nullable in own.items()]
    voids = [(word, VOIDS, number) for number, word in enumerate(VOID_WORDS) if word]
    said = [(word, ACT, act) for word, act in acts(name, laid.faces).items() if act != DRAW_HIDDEN]
    cards = [(card, CARD, number) for card, number in layout.cards.items()]
    bids = [(bid, BID, number) for bid, number in layout.bids.items()]
    return word_table([*keys, *voids, *said, *cards, *bids])


@cache
def drawing(name: str) -> NDArray[np.bool_]:
    """Which acts are draws."""
    known = game(name).acts
    draws = [act < known.ACTS and known.kind_of_act(act) == "draw" for act in range(256)]
    return np.array(draws, np.bool_)


class Laid(NamedTuple):
    """A table of matches, and how their deals are read."""

    table: Table
    layout: Layout
    words: NDArray[np.uint64]
    preset: str
    options: str | None


def shapes_of(name: str, laid: Sequence[Laid]) -> tuple[Places, Places, NDArray[np.uint64]]:
    """Tables of one game for the scanner: a row each, where cards lie, the distinct word tables."""
    this = game(name)
    words = {id(one.words): one.words for one in laid}
    order = [*words]
    shapes = np.zeros((len(laid), 7), np.int64)
    places = np.zeros((len(laid), max(this.players), len(this.blank)), np.int64)
    for k, one in enumerate(laid):
        layout, players, at = one.layout, one.table.players, order.index(id(one.words))
        sizes = players, layout.hand, layout.talon, layout.bids_at
        shapes[k] = *sizes, at, this.row.faces, this.row.empty & 255
        places[k, :players, : layout.places.shape[1]] = layout.places
    return shapes, places, np.stack([*words.values()])
