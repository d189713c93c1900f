"""Writes the frequent words of logs as single bytes, so that zstd makes texts a quarter smaller.

A card and the quotes and seat before it take zstd about 20 bits, the two bytes for them 9.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jit import compiled

_CARDS = [rank + suit for suit in "shdc" for rank in "6789TJQKA"]
_WORDS = [
    *_CARDS,
    *(f"{card} " for card in _CARDS),
    *(f'","{seat} ' for seat in range(1, 5)),
    *(f'", "{seat} ' for seat in range(1, 5)),
    *("pass", "bid ", "take ", "contre", "tierce-", "cinquante-", "cent-", "carre-", "turn ", "point"),
    *('"],"points":[', '],"winner":', '},{"dealer":', ',"deck":"', ',"hands":["'),
    *('","actions":["', '"],"actions":["', '"],"talon":"'),
]
"""Stores have them by their place: add words at the end, at most 127."""
_CARD_COUNT = len(_CARDS)
_FIRST_CODE = 0x80
_ESCAPE = 0xFF  # before a byte that is not ASCII; before all, in a text with codes
_SEAT_CODE = _FIRST_CODE + 2 * _CARD_COUNT
_SPACE, _QUOTE, _COMMA, _FIRST_SEAT = b' ",1'
_SAMPLE_BYTES = 1 << 12
"""If these become no shorter than half, the text stays as it is: it has few of the words."""


def _tree() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the words without cards as a tree: the next node by node and byte, a node's code or 0."""
    after, codes = [[0] * 256], [0]
    for code, word in enumerate(_WORDS[2 * _CARD_COUNT :], _FIRST_CODE + 2 * _CARD_COUNT):
        node = 0
        for byte in word.encode():
            if not after[node][byte]:
                after[node][byte] = len(after)
                after.append([0] * 256)
                codes.append(0)
            node = after[node][byte]
        codes[node] = code
    return np.array(after, np.uint8), np.array(codes, np.uint8)


def _card_codes() -> NDArray[np.uint8]:
    """Return the code of each card by its two bytes, 0 of others."""
    found = np.zeros((256, 256), np.uint8)
    for code, card in enumerate(_CARDS, _FIRST_CODE):
        found[tuple(card.encode())] = code
    return found


_AFTER, _NODE_CODES = _tree()
_CARD_CODES = _card_codes()
_LETTERS = np.frombuffer("".join(_WORDS).encode(), np.uint8)
_ENDS = np.zeros(256, np.int64)
"""The end of each code's word in `_LETTERS`, which is the beginning of the next."""
_ENDS[_FIRST_CODE : _FIRST_CODE + len(_WORDS)] = np.cumsum([len(word) for word in _WORDS])


@compiled
def _encode(text: Any, cards: Any, after: Any, codes: Any, out: Any) -> Any:
    """Write the longest words of a text, which ends with zeros, as codes; return the bytes that took."""
    count, place = 0, 0
    while place < len(text) - 5:
        byte = text[place]
        code = cards[byte, text[place + 1]]
        if code:
            place += 2
            if text[place] == _SPACE:
                code += _CARD_COUNT
                place += 1
            out[count] = code
            count += 1
            # most cards are played: another seat follows
            if text[place] == _QUOTE and text[place + 1] == _COMMA and text[place + 2] == _QUOTE:
                seat = text[place + 3] - _FIRST_SEAT
                if 0 <= seat < 4 and text[place + 4] == _SPACE:
                    out[count] = _SEAT_CODE + seat
                    count += 1
                    place += 5
            continue
        node, at, end = after[0, byte], place, place + 1
        while node:
            at += 1
            if codes[node]:
                code, end = codes[node], at
            node = after[node, text[at]]
        if byte >= _FIRST_CODE:
            out[count] = _ESCAPE
            count += 1
        out[count] = code if code else byte
        count += 1
        place = end
    return count


@compiled
def _decode(encoded: Any, letters: Any, ends: Any, out: Any) -> Any:
    """Write a text with its words as far as there is room, and return its whole size."""
    size, place = 0, 0
    while place < len(encoded):
        byte = encoded[place]
        if byte == _ESCAPE and place + 1 < len(encoded):
            place += 1
        if byte < _FIRST_CODE or byte == _ESCAPE:
            if size < len(out):
                out[size] = encoded[place]
            size += 1
        else:
            first, length = ends[byte - 1], ends[byte] - ends[byte - 1]
            if size + length <= len(out):
                for at in range(length):
                    out[size + at] = letters[first + at]
            size += length
        place += 1
    return size


def encode_words(text: bytes) -> bytes:
    """Return a text with codes for words, or as it is if that is hardly longer."""
    out = np.empty(2 * len(text), np.uint8)

    def encoded(part: bytes) -> bytes:
        count = _encode(np.frombuffer(part + bytes(5), np.uint8), _CARD_CODES, _AFTER, _NODE_CODES, out)
        return bytes([_ESCAPE]) + out[:count].tobytes()

    sample = text[:_SAMPLE_BYTES]
    if text[:1] != bytes([_ESCAPE]) and 2 * len(encoded(sample)) > len(sample):
        return text
    return encoded(text)


def decode_words(stored: bytes) -> bytes:
    """Return the text of which `encode_words` made this."""
    if stored[:1] != bytes([_ESCAPE]):
        return stored
    encoded = np.frombuffer(stored, np.uint8)[1:]
    out = np.empty(4 * len(encoded), np.uint8)
    size = _decode(encoded, _LETTERS, _ENDS, out)
    if size > len(out):
        out = np.empty(size, np.uint8)
        _decode(encoded, _LETTERS, _ENDS, out)
    return out[:size].tobytes()
