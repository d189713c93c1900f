"""Every store that a test makes is a lake: `pytest --lake FILES`, on object storage: `--lake-s3`.

Where a test names a file for a store, the file has the address of a lake instead, so whoever copies
or removes the file has, or has not, the lake. What is about files alone is left out by name.
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
NUMBERS = "expects numbers in the order in which players came; a lake has them in that of their ids"
PURGE = "purges, after which a file is another one: tests/ingest/test_lake_purge.py is of lakes"
LEFT_OUT = {
    "test_drafts.py::test_no_secret_lies_in_the_store": BYTES,
    "test_drafts.py::test_a_player_who_is_purged_is_in_no_draft": PURGE,
    "test_pseudonyms.py::test_a_masked_player_stays_so_through_delete_and_undo": NUMBERS,
    "test_pseudonyms.py::test_a_name_of_nobody_brings_ids_to_mind_but_no_masked_one": PURGE,
}
"""A test, or a file of tests → why it is not asked of a lake."""
ALL = (
    "tests/ingest/test_trash.py",
    "tests/ingest/test_drafts.py",
    "tests/ingest/test_pseudonyms.py",
)
"""What `make soak` asks of a lake."""


class InALake(LakeStore):
    """The lake whose address stands in a file."""

    def _open(self) -> None:
        path = Path(self.address)
        if not path.exists():
            place = _place[-1] if _place else ""
            path.write_text(_server[-1].lake(f"{place}{path.with_suffix('.lake').resolve()}"))
        self.address = path.read_text()
        super()._open()
        self.address, self.path = path, str(path)


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
