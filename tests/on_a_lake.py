"""Every store that a test makes is a lake: `pytest --lake FILES`, on object storage: `--lake-s3`.

Where a test names a file for a store, the file has the address of a lake instead, so whoever
renames or removes the file has, or has not, the lake, and whoever copies it has another with the
same in it. What is about files alone is left out by name.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from ingest.store.address import is_lake
from ingest.store.embedded import Embedded
from ingest.store.lake.store import LakeStore
from ingest.store.store import Store
from tests.ingest import postgres
from tests.ingest.storage import served

BEGIN = b"ducklake:"

BYTES = "looks into the bytes of the store"
LEFT_OUT = {
    "test_drafts.py::test_no_secret_lies_in_the_store": BYTES,
}
"""A test, or a file of tests → why it is not asked of a lake."""
ROAD, COUNTED = "tests/ingest/test_road.py", "tests/dashboard/test_statistics_counted.py"
SMOKE = (
    f"{ROAD}::test_every_text_comes_back_byte_for_byte",
    f"{ROAD}::test_the_same_game_twice_in_one_file_is_stored_once",
    f"{ROAD}::test_nothing_is_dropped_whatever_its_status",
)
"""What `make test` asks of a lake."""
ALL = (
    "tests/ingest/test_trash.py",
    "tests/ingest/test_drafts.py",
    "tests/ingest/test_pseudonyms.py",
    *SMOKE,
    f"{ROAD}::test_a_legal_match_is_stored_with_all_its_rows",
    f"{ROAD}::test_every_kind_of_file_is_stored_alike",
    f"{ROAD}::test_an_array_gives_each_text_back_as_it_stood_there",
    f"{ROAD}::test_the_same_file_twice_adds_nothing_and_says_so",
    f"{ROAD}::test_the_same_game_written_otherwise_is_a_duplicate",
    f"{ROAD}::test_another_game_of_the_same_players_is_no_duplicate",
    f"{COUNTED}::test_the_table_of_players",
    f"{COUNTED}::test_results_by_rules_seat_and_dealer",
    f"{COUNTED}::test_deals_left_out",
)
"""What `make soak` asks of a lake."""


class InALake(LakeStore):
    """The lake whose address stands in a file."""

    def _open(self) -> None:
        path = Path(self.address)
        if not path.exists():
            place = _place[-1] if _place else ""
            _note(path, _server[-1].lake(f"{place}{path.with_suffix('.lake').resolve()}"))
        address, inode = path.read_text().splitlines()
        if int(inode) != path.stat().st_ino and not _place:
            # a copy of a file is a store of its own
            address = _server[-1].copied(address, path.with_suffix(".lake").resolve())
            _note(path, address)
        self.address = address
        super()._open()
        self.address, self.path = path, str(path)


def _note(path: Path, address: str) -> None:
    """Have the address of a lake stand in a file, and which file that is."""
    path.write_text("")
    path.write_text(f"{address}\n{path.stat().st_ino}\n")


_server: list[postgres.Server] = []
_place: list[str] = []


def kind(address: str | Path) -> type[Store]:
    """What a store at this place is."""
    path = Path(address)
    if is_lake(address):
        return LakeStore
    if path.is_file():
        with path.open("rb") as file:
            return InALake if file.read(len(BEGIN)) == BEGIN else Embedded
    # a folder, or a place where there can be none
    return InALake if not path.exists() and path.parent.is_dir() else Embedded


@contextmanager
def instead(on_s3: bool = False) -> Iterator[None]:
    """While this lasts, stores are lakes, whose files lie beside them or on object storage."""
    before = Store.kind
    with postgres.running() as server, ExitStack() as until:
        _server.append(server)
        if on_s3:
            folder = until.enter_context(tempfile.TemporaryDirectory(prefix="lakes"))
            os.environ |= until.enter_context(served(Path(folder))).environ
            until.callback(_place.pop)
            _place.append("s3://club")
        Store.kind = staticmethod(kind)
        try:
            yield
        finally:
            Store.kind = before
            _server.pop()


UNCLOSED = "ignore:connection .* was deleted while still open:ResourceWarning"
"""A test may leave a store open at its end, as it may one in a file."""


def left_out(item: pytest.Item) -> bool:
    """Whether a test is about files."""
    file, _, name = item.nodeid.partition("::")
    return file in LEFT_OUT or f"{Path(file).name}::{name.partition('[')[0]}" in LEFT_OUT
