"""A few simulated matches as files of every kind."""

import gzip
import io
import json
import zipfile
from copy import deepcopy
from functools import cache
from typing import Any

import zstandard

from ingest.redact.anonymize_log import MaskedPlayer, MaskedPlayers
from schemas.simulated import simulate_season

MOST = 60


@cache
def _season() -> tuple[dict[str, Any], ...]:
    return tuple(simulate_season("chouine", MOST, 11))


def documents(count: int = 6) -> tuple[dict[str, Any], ...]:
    """The first legal matches of a season of Chouine, at most MOST; each caller has its own."""
    return deepcopy(_season()[:count])


def another_match() -> dict[str, Any]:
    """A match of the same players that `documents` does not have."""
    return deepcopy(next(iter(simulate_season("chouine", 1, 12))))


@cache
def texts(count: int = 6) -> tuple[bytes, ...]:
    """The same, each as one line without its end."""
    return tuple(json.dumps(document, ensure_ascii=False).encode() for document in documents(count))


def lines(count: int = 6) -> bytes:
    """The same as `.jsonl`."""
    return b"".join(text + b"\n" for text in texts(count))


def array(count: int = 6) -> bytes:
    """The same as a `.json` array over many lines."""
    return json.dumps(documents(count), indent=1).encode()


def zipped(**members: bytes) -> bytes:
    """A zip; `a__jsonl` is the member `a.jsonl`."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "."), data)
    return packed.getvalue()


FORMS = {
    "club.jsonl": lines,
    "club.json": array,
    "club.jsonl.gz": lambda: gzip.compress(lines()),
    "club.json.gz": lambda: gzip.compress(array()),
    "club.jsonl.zst": lambda: zstandard.compress(lines()),
    "club.zip": lambda: zipped(a__jsonl=lines(3), b__json=json.dumps(documents()[3:]).encode()),
    "packed.zip": lambda: zipped(club__jsonl__gz=gzip.compress(lines())),
}
"""A file's name → its bytes; all hold the same six matches."""


def hidden(*players: tuple[str, ...]) -> MaskedPlayers:
    """People by id, pseudonym and other names."""
    return MaskedPlayers(
        MaskedPlayer(one, result, frozenset((one, *names))) for one, result, *names in players
    )
