"""Download files are removed when the store changes or the user may not fetch them."""

import tempfile
from collections import deque
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from dashboard import authentication, downloads
from dashboard import store as opened
from dashboard.store import open_store
from ingest.store import backup, purge, trash
from ingest.store.pseudonyms import mask_player, unmask_player
from ingest.store.server_hosts import ServerHosts
from ingest.store.tokens import Role, add_token, revoke_token, set_access
from tests.dashboard.api import listening
from tests.waiting import PATIENCE

MASKED = 1


@pytest.fixture
def ready(games: Path) -> downloads.Download:
    mask_player(open_store(), MASKED)
    return downloads.make_download("a.csv", lambda path: path.write_text("a"), None)


def restore() -> None:
    copy = open_store().path + ".copy"
    backup.backup(open_store(), Path(copy))
    with opened.replacing_store() as taken, taken.replacing_file():
        taken.close()
        Path(copy).replace(taken.path)


CHANGES: dict[str, Callable[[], object]] = {
    "mask": lambda: mask_player(open_store(), 0),
    "unmask": lambda: unmask_player(open_store(), MASKED),
    "delete": lambda: trash.delete_matches(open_store(), [0]),
    "purge": lambda: opened.replace_store(lambda taken: purge.purge_player(taken, 0)),
    "restore": restore,
    "private": lambda: set_access(open_store(), True),
    "a token": lambda: add_token(open_store(), "zoe", Role.ADMIN),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_the_store_removes_what_was_made_of_it(
    change: str, ready: downloads.Download, monkeypatch: pytest.MonkeyPatch
) -> None:
    if change == "private":
        monkeypatch.setattr(authentication, "hosts", ServerHosts("0.0.0.0"))
    if change == "a token":  # from then on a visitor without one is no admin
        ready = downloads.make_download("b.duckdb", lambda path: path.write_text("b"), None, role=Role.ADMIN)
    assert downloads.is_download_of(f"/{ready.address}", None)
    CHANGES[change]()
    assert ready.file.closed
    assert not downloads.is_download_of(f"/{ready.address}", None)


def test_a_token_that_is_revoked_takes_its_files_with_it(ready: downloads.Download) -> None:
    add_token(open_store(), "zoe", Role.ADMIN)
    theirs = ready._replace(token_no=1)
    downloads._downloads[theirs.token] = theirs
    assert downloads.is_download_of(f"/{theirs.address}", 1)
    revoke_token(open_store(), 1)
    assert theirs.file.closed


def test_a_file_that_was_written_while_the_store_changed_is_written_again(games: Path) -> None:
    written = list[str]()

    def write(path: Path) -> int:
        name = open_store().cursor().execute("SELECT name FROM players WHERE player_no = 0").fetchall()
        written.append(str(name))
        if len(written) == 1:
            mask_player(open_store(), 0)
        return path.write_text(written[-1])

    ready = downloads.make_download("a.csv", write, None)
    first, second = written
    assert first != second == ready.file.read().decode()


def test_a_file_has_no_name_and_a_backup_one_while_it_is_written(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    seen = list[int]()

    def write(path: Path) -> int:
        seen.append(len(list((tmp_path / "temporary").iterdir())))
        return path.write_text("zoe")

    for needs_name in (False, True):
        made = downloads.make_download("a.csv", write, None, needs_name=needs_name)
        assert made.file.read() == b"zoe"
        assert list((tmp_path / "temporary").iterdir()) == []
    assert seen == [0, 1]


def test_a_file_that_goes_while_it_is_sent_is_broken_off_and_is_no_fault_of_the_server(
    games: Path, caplog: pytest.LogCaptureFixture
) -> None:
    size = 1 << 26  # more than the system holds between two programs

    def write(path: Path) -> int:
        with path.open("wb") as file:
            return file.truncate(size)

    ready = downloads.make_download("a.csv", write, None)
    with listening() as at, httpx.stream("GET", f"{at}/{ready.address}", timeout=PATIENCE) as answer:
        blocks = answer.iter_raw()
        next(blocks)
        mask_player(open_store(), MASKED)
        with pytest.raises(httpx.RemoteProtocolError):
            deque(blocks, 0)
    assert int(answer.headers["content-length"]) == size
    assert [one.getMessage() for one in caplog.records if one.exc_info] == []


def test_a_file_that_could_not_be_written_leaves_nothing(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = {*tmp_path.iterdir()}

    def write(path: Path) -> int:
        path.write_text("zoe")
        raise OSError("no space")

    for needs_name in (False, True):
        with pytest.raises(OSError, match="no space"):
            downloads.make_download("a.csv", write, None, needs_name=needs_name)
    assert {*tmp_path.iterdir()} == before
