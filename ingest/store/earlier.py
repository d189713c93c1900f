"""The logs of a store file that an earlier development version made, to be put into one of today's.

That version's last schema had the texts as they lie today. Names of players who are masked there
stay hidden, and what is in its trash stays behind.
"""

from collections.abc import Iterator
from io import BufferedReader, RawIOBase
from typing import IO, Any

import duckdb

from ingest.store.errors import FAILED, NOTHING, StoreError
from ingest.store.export import one_line
from ingest.store.texts import masked, read
from ingest.text.files import named_lines
from ingest.text.names import People, renamed
from schemas.store import EarlierStore, NewerStore, connect, pending


def logs(path: str) -> list[tuple[str, IO[bytes]]]:
    """Each file that such a store has logs of, by its name; none: it is no such store.

    StoreError: it is one, and cannot be read.
    """
    try:
        ask = connect(path, read_only=True)
    except duckdb.Error:
        return []  # whoever reads it as a log is told what it is
    try:
        pending(ask)
    except EarlierStore:
        return _files(path, ask)
    except (NewerStore, duckdb.Error):
        pass
    ask.close()
    return []


def _files(path: str, ask: duckdb.DuckDBPyConnection) -> list[tuple[str, IO[bytes]]]:
    try:
        people = People(masked(ask).values())
        files = ask.execute(
            "SELECT name, list(match_no) FROM (FROM matches SEMI JOIN raw USING (match_no))"
            " JOIN files USING (file_no) GROUP BY file_no, name ORDER BY file_no"
        ).fetchall()
        ask.execute("SELECT packed FROM raw LIMIT 0")
    except duckdb.Error as error:  # a schema of long before
        reason = str(error).splitlines()[0]
        raise StoreError(FAILED, path=path, reason=reason, left=NOTHING) from error
    return [
        (
            name if named_lines(name) else f"{name}.jsonl",
            BufferedReader(_Stream(_lines(ask, numbers, people))),
        )
        for name, numbers in files
    ]


def _lines(ask: duckdb.DuckDBPyConnection, numbers: list[int], people: People) -> Iterator[bytes]:
    for _, text in read(ask.cursor(), numbers):
        told = renamed(text, people)
        yield (one_line(told) or told) + b"\n"


class _Stream(RawIOBase):
    """Lines as a file that is read once."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines, self._left = lines, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._left = self._left or next(self._lines, b"")
        some, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(some)] = some
        return len(some)
