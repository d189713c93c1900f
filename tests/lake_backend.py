"""Runs tests with lakes instead of store files: `pytest --lake FILES`, on object storage `--lake-s3`.

Where a test names a file for a store, the file has the address of a lake instead, so a test that
renames or removes the file has, or has not, the lake, and a test that copies it has another with the
same in it. What is about files alone is left out by name.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from ingest.store.factory import Store
from ingest.store.lake.store import LakeStore
from ingest.store.store_url import is_lake_url
from tests import shared
from tests.ingest import postgres
from tests.ingest.object_storage import served

BEGIN = b"ducklake:"

ROAD, STORE = "tests/ingest/test_ingest_pipeline.py", "tests/ingest/test_store.py"
VERIFY, REVALIDATE = "tests/ingest/test_verify.py", "tests/ingest/test_revalidate.py"
BYTES, NO_STORE = "looks into the bytes of the store", "is of a file that is no store"
LEFT_OUT = {
    "tests/ingest/test_drafts.py": {"test_no_secret_lies_in_the_store": BYTES},
    ROAD: {
        "test_a_disk_that_fills_up_leaves_what_was_stored_before": "is of a file of over 3 MB, and"
        " each table of a lake has its own"
    },
    STORE: {
        "test_a_file_of_another_kind_is_left_as_it_is": NO_STORE,
        "test_a_log_is_never_taken_for_a_store": NO_STORE,
        "test_a_database_of_something_else_is_left_as_it_is": NO_STORE,
        "test_a_folder_is_no_store": NO_STORE,
        "test_a_folder_that_is_not_there_is_reported": NO_STORE,
        "test_a_read_only_file_is_reported": "is of the rights of the file",
        "test_a_read_only_disk_is_reported": "is of the disk of the file",
        "test_a_disk_that_is_nearly_full_takes_what_the_journal_can_hold": "is of the journal",
        "test_a_store_held_by_another_process_names_it": "is of the lock of the file",
        "test_a_store_cut_off_is_reported_as_damaged_whatever_is_asked_of_it": BYTES,
        "test_only_what_adds_a_file_nobody_reads_has_little_memory": "is of rows held"
        " until the commit: those of a lake are in files by then",
    },
    "tests/ingest/test_compressed_blocks.py": {
        "test_many_texts_are_read_in_the_memory_of_a_few_blocks": "opens the file itself"
    },
    VERIFY: {"test_a_store_that_cannot_be_read_ends_with_2": BYTES},
    REVALIDATE: {
        "test_refreshed_rows_are_those_of_a_fresh_store_and_lie_in_the_same_order": "is of the"
        " order in which rows lie: those of a lake have none"
    },
}
"""What is not asked of a lake: file → test → why."""
SMOKE = (
    f"{ROAD}::test_every_text_comes_back_byte_for_byte",
    f"{ROAD}::test_the_same_game_twice_in_one_file_is_stored_once",
    f"{ROAD}::test_nothing_is_dropped_whatever_its_status",
)
"""What `make test` asks of a lake."""
ON_S3 = ("tests/ingest/test_trash.py", "tests/ingest/test_drafts.py", "tests/ingest/test_pseudonyms.py", ROAD)
"""What `make soak` asks of a lake on object storage."""
ALL = (
    *ON_S3,
    STORE,
    VERIFY,
    REVALIDATE,
    "tests/ingest/test_compressed_blocks.py",
    "tests/ingest/test_sessions.py",
    "tests/dashboard/test_roles.py::test_people_see_and_end_the_sessions_of_their_token_and_an_admin_all",
    "tests/ingest/test_name_redaction.py",
    "tests/ingest/test_cards_received.py",
    "tests/ingest/test_ladder.py",
    "tests/ingest/test_endgame_losses.py",
    "tests/dashboard/test_statistics_counted.py",
    "tests/dashboard/test_player_stats.py",
    "tests/dashboard/test_announcement_stats.py",
    "tests/dashboard/test_head_to_head.py",
    "tests/dashboard/test_fairness.py",
    "tests/dashboard/test_queries.py",
    "tests/dashboard/test_texts.py",
    "tests/dashboard/test_endgame_losses.py",
    "tests/dashboard/test_dealt_probabilities.py",
    "tests/dashboard/test_edge_cases.py",
)
"""What it asks of a lake in a folder: every test of the road, of the store and of statistics."""


class InALake(LakeStore):
    """The lake whose address stands in a file, which it is called by."""

    def _open(self) -> None:
        file = Path(self.address)
        there = file.exists() or not self.read_only
        self.address = address(file) if there else _server[-1].lake(_data(file))
        try:
            super()._open()
        finally:
            self.address = file

    @property
    def path(self) -> str:
        return str(self.__dict__["file"])

    @path.setter
    def path(self, text: str) -> None:
        self.__dict__.setdefault("file", text)


def _data(path: Path) -> str:
    """Where the files of a lake lie whose address stands in this one."""
    return f"{_place[-1] if _place else ''}{path.with_suffix('.lake').resolve()}"


def address(path: Path) -> str:
    """The address of the lake that a file stands for, which is made where there is none."""
    if not path.exists():
        _note(path, _server[-1].empty_lake(_data(path)))
    found, inode = path.read_text().splitlines()
    if int(inode) != path.stat().st_ino and not _place:
        # a copy of a file is a store of its own
        found = _server[-1].copied(found, _data(path))
        _note(path, found)
    return found


def _note(path: Path, address: str) -> None:
    """Have the address of a lake stand in a file, and which file that is."""
    for removed in [one for one in _noted if not one.parent.exists()]:  # with the test that made it
        _server[-1].drop(_noted.pop(removed))
    path.write_text("")
    path.write_text(f"{address}\n{path.stat().st_ino}\n")
    _noted[path] = address


_server: list[postgres.Server] = []
_place: list[str] = []
_noted: dict[Path, str] = {}


def kind(address: str | Path) -> type[Store]:
    """What a store at this place is."""
    path = Path(address)
    if is_lake_url(address):
        return LakeStore
    if path.is_file():
        with path.open("rb") as file:
            return InALake if file.read(len(BEGIN)) == BEGIN else Store
    # a folder, or a place where there can be none
    return InALake if not path.exists() and path.parent.is_dir() else Store


@contextmanager
def instead(on_s3: bool = False) -> Iterator[None]:
    """While this lasts, stores are lakes, whose files lie beside them or on object storage."""
    before = Store.class_for
    with postgres.running() as server, ExitStack() as until:
        _server.append(server)
        if on_s3:
            folder = until.enter_context(tempfile.TemporaryDirectory(prefix="lakes"))
            os.environ |= until.enter_context(served(Path(folder))).environ
            until.callback(_place.pop)
            _place.append("s3://club")
        Store.class_for = staticmethod(kind)
        shared.address = address
        try:
            yield
        finally:
            Store.class_for, shared.address = before, str
            _server.pop()
            _noted.clear()


UNCLOSED = "ignore:.*[cC]onnection .* was deleted while still open:ResourceWarning"
"""A test may leave a store open at its end, as it may one in a file."""


def left_out(item: pytest.Item) -> bool:
    """Whether a test is about files."""
    file, _, name = item.nodeid.partition("::")
    return name.partition("[")[0] in LEFT_OUT.get(file, ())
