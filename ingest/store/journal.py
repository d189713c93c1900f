"""The journal beside a store, `.wal`, with what is not in the file yet, and whether it is whole.

DuckDB passes over a journal that is none, and over the rest of one that breaks off, and is silent.
"""

from collections.abc import Iterator
from pathlib import Path

_MAGIC = b"\x64\x00\x62\x65\x00"
"""How a journal begins: field 100, the type of its first entry, 98 (its version), field 101."""
_END = 0xFFFF
_HEAD = 16
"""Bytes before an entry: its length and its checksum."""


def beside(store: str | Path) -> Path:
    """Where a store's journal lies while there is one."""
    return Path(f"{store}.wal")


def is_empty(store: str | Path) -> bool:
    """Whether all of a store is in its file."""
    try:
        return beside(store).stat().st_size == 0
    except OSError:
        return True


def is_none(journal: bytes) -> bool:
    """Whether what lies there is no journal at all; one that had hardly begun may be one."""
    begun = journal[: len(_MAGIC)]
    return begun != _MAGIC[: len(begun)]


def is_cut(journal: bytes) -> bool:
    """Whether it ends within an entry: it was cut off, or what wrote it was stopped there.

    DuckDB itself looks whether what is in the entries is whole.
    """
    place = 0
    for end in ends(journal):
        place = end
    return place != len(journal)


def ends(journal: bytes) -> Iterator[int]:
    """Where its head ends, and then each entry; the last one may be past what is there."""
    place = _first(journal)
    while place is not None:
        yield place
        if len(journal) - place < _HEAD:
            return
        place += _HEAD + int.from_bytes(journal[place : place + 8], "little")


def _first(journal: bytes) -> int | None:
    """Where the first entry begins; None: the journal ends before."""
    place = 0

    def number() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = journal[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    try:
        while (field := journal[place] | journal[place + 1] << 8) != _END:
            place += 2
            # 102, the name of the database, is a list of numbers; the others are a number each
            for _ in range(number() if field == 102 else 1):
                number()
    except IndexError:
        return None
    return place + 2
