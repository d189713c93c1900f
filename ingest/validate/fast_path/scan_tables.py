"""Hash tables of each game's keys, cards and acts for the scanner."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from engine.actions import DRAW_HIDDEN
from engine.games import game
from engine.jit import inlined
from ingest.validate.fast_path.deal_arrays import VOID_WORDS
from schemas.match_models import deal_model
from schemas.match_setup import MatchSetup, RowLayout
from schemas.notation import act_codes

IntArray = NDArray[np.int64]

ACT_WORD, CARD_WORD, BID_WORD, KEY_WORD, VOID_WORD = range(
    5
)  # kinds of words, stored in the byte after a word's 15
MAX_WORD_BYTES = 15

_KEY_NAMES = (
    *("deck", "hands", "talon", "bids", "actions", "times"),
    *("points", "winner", "manche", "void", "comments", "score_line"),
)
(DECK, HANDS, TALON, BIDS, ACTIONS, TIMES, POINTS, WINNER, MANCHE, VOID, COMMENTS, SCORE_LINE, SEAT) = range(
    13
)
KEY_NUMBERS: Mapping[str, int] = {name: number for number, name in enumerate(_KEY_NAMES)}
"""Keys the scanner knows; a deal with any other key goes to the slow path."""
NULLABLE_FLAG = 64  # added to the number of a key whose value may be null, i.e. absent

PLAYERS, HAND_SIZE, TALON_SIZE, BIDS_AT, WORD_TABLE, FACES_PER_CARD, NO_CARD = range(7)
"""Columns of the first array that `scanner_shapes` returns."""


@inlined
def hash_slot(low: Any, high: Any, size: int) -> Any:
    """Return a word's first slot in a hash table of `size` slots, a power of two."""
    mixed = (low ^ (high * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((mixed >> np.uint64(40)) & np.uint64(size - 1))


def build_word_table(words: Iterable[tuple[str, int, int]]) -> NDArray[np.uint64]:
    """Build an open-addressing table of rows (low half, high half and kind, number + 1)."""
    packed = [(word.encode(), kind, number) for word, kind, number in words]
    packed = [one for one in packed if len(one[0]) <= MAX_WORD_BYTES]
    size = 1 << (3 * len(packed) - 1).bit_length()
    table = np.zeros((size, 3), np.uint64)
    for word, kind, number in packed:
        low, high = np.frombuffer(word.ljust(MAX_WORD_BYTES, b"\0") + bytes([kind]), np.uint64)
        with np.errstate(over="ignore"):
            place = hash_slot.py_func(low, high, size)
        while table[place, 2]:
            place = (place + 1) % size
        table[place] = low, high, number + 1
    return table


def setup_word_table(setup: MatchSetup, layout: RowLayout) -> NDArray[np.uint64]:
    """Build the table of all words that deals of a match may contain."""
    name = setup.game.name
    model = deal_model(name)
    known = {**KEY_NUMBERS, model.OPENS: SEAT}
    types = {key: get_args(field.annotation) for key, field in model.model_fields.items()}
    own = {key: NULLABLE_FLAG * (type(None) in types[key]) for key in types if key in known}
    keys = [(key, KEY_WORD, known[key] | nullable) for key, nullable in own.items()]
    voids = [(word, VOID_WORD, number) for number, word in enumerate(VOID_WORDS) if word]
    items = [
        (word, ACT_WORD, act) for word, act in act_codes(name, setup.faces).items() if act != DRAW_HIDDEN
    ]
    cards = [(card, CARD_WORD, number) for card, number in layout.cards.items()]
    bids = [(bid, BID_WORD, number) for bid, number in layout.bid_codes.items()]
    return build_word_table([*keys, *voids, *items, *cards, *bids])


class DecodingSetup(NamedTuple):
    """The setup that some matches share, and the tables to decode their deals."""

    setup: MatchSetup
    layout: RowLayout
    words: NDArray[np.uint64]
    preset: str
    options: str | None


def scanner_shapes(
    name: str, setups: Sequence[DecodingSetup]
) -> tuple[IntArray, IntArray, NDArray[np.uint64]]:
    """Return the scanner's shapes and row places, one per setup, and the distinct word tables."""
    this = game(name)
    words = {id(one.words): one.words for one in setups}
    order = [*words]
    shapes = np.zeros((len(setups), 7), np.int64)
    places = np.zeros((len(setups), max(this.players), len(this.example_deck)), np.int64)
    for k, one in enumerate(setups):
        layout, players, at = one.layout, one.setup.players, order.index(id(one.words))
        sizes = players, layout.hand_size, layout.talon_size, layout.bids_offset
        shapes[k] = *sizes, at, this.deck_format.faces_per_card, this.deck_format.no_card & 255
        places[k, :players, : layout.row_places.shape[1]] = layout.row_places
    return shapes, places, np.stack([*words.values()])
