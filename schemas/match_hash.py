"""Hashes what was played in a match: one play has one id, however its log is written.

docs/format.md describes the hashed bytes, so that other programs can compute an id.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import orjson
from cachetools import LRUCache, cached
from numpy.typing import NDArray

from engine.actions import ACT_MASK, DRAW_HIDDEN, UNKNOWN_ACT
from engine.cards import HIDDEN_CARD
from engine.games import game
from engine.jit import compiled
from schemas.deal_decoder import DecodedDeal, opening_seat
from schemas.games import schemas_of
from schemas.match_setup import MatchSetup, RowLayout
from schemas.player_key import player_key

DEALT, NOT_DEALT = b"\1", b"\0"
"""The first byte of a deal: its cards follow, or the values of `_UNDEALT_KEYS` as JSON."""
_UNDEALT_KEYS = ("points", "score_line", "void", "winner")
_CARD_ACTS = ("play", "draw")
"""Kinds of acts that name a card."""
PLAYERS, HAND_SIZE, TALON_SIZE, BIDS_AT = range(4)
"""Columns of a row of `shapes`."""


class PlayedMatch(NamedTuple):
    """The play of a match, as it is hashed."""

    setup: bytes
    """The game, and where each match has its own, the deck and bid cards."""
    players: bytes
    deals: list[tuple[bytes, bytes]]
    """The cards and the acts of each deal."""

    def match_id(self) -> str:
        """Return 32 hexadecimal digits that identify the match."""
        return play_id(self.setup, self.players, b"".join(cards + acts for cards, acts in self.deals))

    def begins_with(self, other: "PlayedMatch") -> bool:
        """Whether the deals begin with all of another match's: its last one may break off."""
        count = len(other.deals)
        if not 0 < count <= len(self.deals) or self.deals[: count - 1] != other.deals[:-1]:
            return False
        (cards, acts), (other_cards, other_acts) = self.deals[count - 1], other.deals[-1]
        return cards == other_cards and acts[2:].startswith(other_acts[2:])

    def goes_on_with(self, other: "PlayedMatch") -> bool:
        """Whether it is the same match as another, of the same players, and has more of it."""
        same = (self.setup, self.players) == (other.setup, other.players)
        return same and self.deals != other.deals and self.begins_with(other)

    def has_part(self, other: "PlayedMatch") -> bool:
        """Whether all deals of another match follow each other in this one: its last one may break off."""
        rests = (self._replace(deals=self.deals[k:]) for k in range(len(self.deals) - len(other.deals) + 1))
        return any(rest.begins_with(other) for rest in rests)

    def is_turned(self, other: "PlayedMatch") -> bool:
        """Whether it has the acts of another match of as many players, with seats numbered from another."""
        seats = len(orjson.loads(self.players))

        def turned(acts: bytes, turn: int) -> bytes:  # after their number, the high byte of each has its seat
            own = enumerate(acts[2:])
            return acts[:2] + bytes(one if k % 2 else (one + 2 * turn) % (2 * seats) for k, one in own)

        acts = [some for _, some in self.deals]
        return any(
            [turned(some, turn) for some in acts] == [some for _, some in other.deals]
            for turn in range(1, seats)
        )

    def may_be_view_of(self, other: "PlayedMatch") -> bool:
        """Whether both have the same acts, and one or both do not know all cards."""
        partly = (
            cards[:1] == DEALT and HIDDEN_CARD in cards[2 : 2 + cards[1]]
            for cards, _ in self.deals + other.deals
        )
        draws = draw_acts(orjson.loads(self.setup)[0])

        def acts(deals: list[tuple[bytes, bytes]]) -> list[list[bytes]]:
            pairs = ((some[k : k + 2] for k in range(2, len(some), 2)) for _, some in deals)
            return [[one for one in some if not draws[one[1]]] for some in pairs]

        return (self.setup, self.players) == (other.setup, other.players) and (
            acts(self.deals) == acts(other.deals) and any(partly)
        )

    def start_id(self) -> int | None:
        """Return the number that matches with the same first deal share; None: no card is known."""
        first = next((cards for cards, _ in self.deals if cards[:1] == DEALT), b"")
        return start_id(self.setup, first) if has_known_cards(first) else None


def play_id(setup: bytes, players: bytes, deals: bytes | memoryview) -> str:
    """Return 32 hexadecimal digits that identify what was played."""
    found = hashlib.sha256(setup)
    found.update(players)
    found.update(deals)
    return found.hexdigest()[:32]


def start_id(setup: bytes, cards: bytes | memoryview) -> int:
    """Return the number that matches with the same first deal share."""
    found = hashlib.sha256(setup)
    found.update(cards)
    return int.from_bytes(found.digest()[:8], "big")


def has_known_cards(cards: bytes | memoryview) -> bool:
    """Whether the first part of a deal has a recorded card."""
    return cards[:1] == DEALT and bytes(cards[2 : 2 + cards[1]]).strip(bytes([HIDDEN_CARD])) != b""


@lru_cache(maxsize=1 << 14)  # the same players meet often
def players_bytes(ids: tuple[str, ...]) -> bytes:
    """Return the players as they are hashed, in seat order: of ids that read alike, each exactly."""
    keys = [player_key(one) for one in ids]
    if len(set(keys)) < len(keys):
        keys = [key if keys.count(key) == 1 else f"={one}" for key, one in zip(keys, ids, strict=True)]
    return orjson.dumps(keys) + b"\n"


@lru_cache(maxsize=256)
def setup_bytes(name: str, faces: tuple[str, ...], bids: tuple[str, ...]) -> bytes:
    """Return a game with the match's own cards as it is hashed."""
    return orjson.dumps([name, *([faces, bids] if faces else [])]) + b"\n"


def setup_of(setup: MatchSetup) -> bytes:
    """Return `setup_bytes` of a setup."""
    return setup_bytes(setup.game.name, setup.faces, setup.bid_cards.names if setup.bid_cards else ())


def layout_arrays(setups: Sequence[tuple[MatchSetup, RowLayout]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return `shapes` and `places` of `write_plays`, a row for each setup."""
    this = setups[0][0].game
    shapes = np.zeros((len(setups), 4), np.int64)
    places = np.zeros((len(setups), max(this.players), len(this.example_deck)), np.int64)
    for k, (setup, layout) in enumerate(setups):
        shapes[k] = setup.players, layout.hand_size, layout.talon_size, layout.bids_offset
        places[k, : setup.players, : layout.row_places.shape[1]] = layout.row_places
    return shapes, places


@lru_cache(maxsize=16)
def draw_acts(name: str) -> NDArray[np.bool_]:
    """Return a mask over act codes: which acts are draws."""
    known = game(name).acts
    draws = [act < known.ACT_COUNT and known.kind_of_act(act) == "draw" for act in range(ACT_MASK + 1)]
    if known.FIRST_DRAW >= 0:
        draws[DRAW_HIDDEN] = True
    return np.array(draws, np.bool_)


@compiled
def write_plays(
    decks: NDArray[np.uint8],
    dealers: NDArray[np.int64],
    setup_rows: NDArray[np.int64],
    shapes: NDArray[np.int64],
    places: NDArray[np.int64],
    codes: NDArray[np.uint16],
    offsets: NDArray[np.int64],
    is_draw: NDArray[np.bool_],
    out: NDArray[np.uint8],
    ends: NDArray[np.int64],
) -> None:
    """Write every deal into `out`; `ends[d]`: where its cards end, and where its acts do.

    Each hand is sorted; the talon begins with its lowest card, since the rules decide the place of the
    card turned up; draws are skipped if all cards are known.
    """
    at = 0
    for d in range(len(dealers)):
        shape, place = shapes[setup_rows[d]], places[setup_rows[d], dealers[d]]
        size, dealt = shape[HAND_SIZE], shape[HAND_SIZE] * shape[PLAYERS]
        bids = shape[PLAYERS] if shape[BIDS_AT] >= 0 else 0
        out[at] = 1
        out[at + 1] = dealt + shape[TALON_SIZE]
        at += 2
        hidden = False
        for k in range(dealt):
            card = decks[d, place[k]]
            hidden |= card == HIDDEN_CARD
            to = at + k
            first = at + k - k % size
            while to > first and out[to - 1] > card:
                out[to] = out[to - 1]
                to -= 1
            out[to] = card
        at += dealt
        lowest = 0
        for k in range(shape[TALON_SIZE]):
            card = decks[d, place[dealt + k]]
            hidden |= card == HIDDEN_CARD
            if card < decks[d, place[dealt + lowest]]:
                lowest = k
        for k in range(shape[TALON_SIZE]):
            out[at + k] = decks[d, place[dealt + (lowest + k) % shape[TALON_SIZE]]]
        at += shape[TALON_SIZE]
        for k in range(bids):
            out[at + k] = decks[d, shape[BIDS_AT] + k]
        at += bids
        ends[d, 0] = at
        at += 2
        for k in range(offsets[d], offsets[d + 1]):
            code = codes[k]
            if hidden or not is_draw[code & ACT_MASK]:
                out[at] = code >> 8
                out[at + 1] = code & 255
                at += 2
        acts = (at - ends[d, 0] - 2) >> 1
        out[ends[d, 0]] = acts >> 8
        out[ends[d, 0] + 1] = acts & 255
        ends[d, 1] = at


def written_plays(
    name: str,
    decks: NDArray[np.uint8],
    dealers: NDArray[np.int64],
    setup_rows: NDArray[np.int64],
    layouts: tuple[NDArray[np.int64], NDArray[np.int64]],
    codes: NDArray[np.uint16],
    offsets: NDArray[np.int64],
) -> tuple[bytes, NDArray[np.int64]]:
    """Return the bytes of deals, and where the cards and the acts of each end."""
    out = np.empty(len(dealers) * (decks.shape[1] + 4) + 2 * int(offsets[-1] - offsets[0]), np.uint8)
    ends = np.zeros((len(dealers), 2), np.int64)
    write_plays(decks, dealers, setup_rows, *layouts, codes, offsets, draw_acts(name), out, ends)
    return out[: ends[-1, 1] if len(ends) else 0].tobytes(), ends


@cached(LRUCache(64), lambda setup: (setup.game.name, setup.players, setup.rules.tobytes()), Lock())
def _own_layout(setup: MatchSetup) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return layout_arrays([(setup, schemas_of(setup.game.name).row_layout(setup))])


def played_match(match: Any, setup: MatchSetup, decoded: Sequence[DecodedDeal]) -> PlayedMatch | None:
    """Return what was played in a decoded match; None if that is not known.

    It is not where a deal cannot be read, or no card is recorded.
    """
    name, deals = setup.game.name, list[tuple[bytes, bytes]]()
    rows, codes, offsets, dealers, shown = list[Any](), list[int](), [0], list[int](), False
    kind_of = setup.game.acts.kind_of_act
    if setup.problems:
        return None
    for deal, one in zip(match.deals, decoded, strict=True):
        if one.deck is None and (one.codes or one.problems or deal.actions):
            return None
        if one.deck is not None:
            row, acts = np.array(one.deck, np.uint8), one.recorded_codes or one.codes
            row[list(one.hidden)] = HIDDEN_CARD
            if any(code & ACT_MASK == UNKNOWN_ACT for code in acts):
                return None
            known = (code & ACT_MASK for code in acts if code & ACT_MASK != DRAW_HIDDEN)
            shown = shown or any(kind_of(act) in _CARD_ACTS for act in known)
            rows.append(row)
            dealers.append(opening_seat(deal)[0] - 1)
            codes += acts
            offsets.append(len(codes))
    if not rows:
        return None
    layouts = _own_layout(setup)
    arrays = np.stack(rows), np.array(dealers, np.int64), np.zeros(len(rows), np.int64)
    text, ends = written_plays(name, *arrays, layouts, np.array(codes, np.uint16), np.array(offsets))
    begin, dealt = 0, iter(ends.tolist())
    for deal, one in zip(match.deals, decoded, strict=True):
        if one.deck is not None:
            cards, end = next(dealt)
            deals.append((text[begin:cards], text[cards:end]))
            begin = end
        else:
            deals.append((_undealt_bytes(deal), b""))
    found = PlayedMatch(setup_of(setup), players_bytes(tuple(one.id for one in match.players)), deals)
    return found if shown or any(has_known_cards(cards) for cards, _ in deals) else None


def _undealt_bytes(deal: Any) -> bytes:
    """Return a deal without cards as it is hashed: its result, and why it is void."""
    values = deal.model_dump(include={*_UNDEALT_KEYS}, exclude_none=True, exclude_unset=True)
    text = orjson.dumps(values, option=orjson.OPT_SORT_KEYS)
    return NOT_DEALT + len(text).to_bytes(4, "big") + text
