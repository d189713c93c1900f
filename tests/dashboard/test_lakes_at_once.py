"""Dashboards and APIs on one lake: what one program writes, another that is open shows at once."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from dashboard.access import who
from dashboard.queries import matches
from dashboard.store import answer, close, store
from ingest.store import tokens, trash
from ingest.store.add import ingest
from ingest.store.store import Store
from ingest.store.tokens import Role
from tests.dashboard import api
from tests.ingest import postgres
from tests.ingest.logs import documents, texts
from tests.ingest.test_lake import writer

T = TypeVar("T")


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    with postgres.running() as running:
        yield running


@pytest.fixture
def lake(server: postgres.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A lake with four matches, which the dashboard of this process has open."""
    address = server.lake(tmp_path / "lake")
    with Store(address) as opened:
        list(ingest(opened, [file(tmp_path, 0)]))
    monkeypatch.setenv("RETOURNE_STORE", address)
    yield address
    close()


def file(folder: Path, number: int) -> Path:
    """A file of four matches that no other one has."""
    found = folder / f"{number}.jsonl"
    found.write_bytes(b"".join(one + b"\n" for one in texts(20)[4 * number :][:4]))
    return found


def comes(ask: Callable[[], T], wanted: T) -> bool:
    """Whether something is said soon: others' snapshots are asked for some times a second."""
    until = time.monotonic() + 10
    while ask() != wanted:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_a_dashboard_shows_what_another_program_adds_and_deletes(lake: str, tmp_path: Path) -> None:
    def shown() -> int:
        return answer(matches.count)

    with api.clients({}) as clients:
        asked = clients["nobody"]

        def listed() -> int:
            return len(asked.get("/matches").json()["matches"])

        def played() -> int:
            return sum(row["matches"] for row in asked.get("/players").json()["rows"])

        assert (shown(), listed(), played()) == (4, 4, 8)
        process = writer(lake, file(tmp_path, 1))
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said.decode()
        assert comes(shown, 8)
        assert comes(listed, 8)
        assert comes(played, 16)
        with Store(lake) as other:
            number = other.find(documents()[0]["id"])
            assert number is not None
            trash.delete(other, [number])
        assert comes(shown, 7)
        assert comes(played, 14)


def test_files_that_come_in_another_order_than_their_numbers_are_seen(
    lake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(lake) as one, Store(lake) as other:
        first, second = one.file_number(), other.file_number()
        assert first < second
        for opened, number in ((other, second), (one, first)):
            before = answer(matches.count)
            monkeypatch.setattr(opened, "file_number", partial(int, number))
            list(ingest(opened, [file(tmp_path, number)]))
            assert comes(lambda: answer(matches.count), before + 4)


def test_a_token_that_another_program_revokes_lets_nobody_in(lake: str) -> None:
    secret = tokens.add(store(), "Lucie", Role.CONTRIBUTOR)
    assert who(secret, None).role is Role.CONTRIBUTOR
    with Store(lake) as other:
        tokens.revoke(other, 1)
    assert comes(lambda: who(secret, None).token_no, None)
