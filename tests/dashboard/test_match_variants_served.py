"""However often matches come to a server, by its API or its watched folder, each counts once."""

import json
from pathlib import Path

import pytest

from dashboard import store as store_of_pages
from dashboard.server.watch_folder import WatchFolder
from ingest.i18n import translator
from ingest.store.factory import Store
from tests.dashboard.api import clients
from tests.dashboard.conftest import one_each
from tests.ingest.test_match_variants import contents, played, shuffled

pytestmark = pytest.mark.slow


def test_files_sent_to_the_api_have_each_match_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs, path = played(9), tmp_path / "often.duckdb"
    expected = contents(tmp_path / "once.duckdb", [logs])
    with Store(path) as store:
        tokens = one_each(store)
    monkeypatch.setenv("RETOURNE_STORE", str(path))
    with clients(tokens) as api:
        for some in shuffled(logs, 5):
            body = "\n".join(map(json.dumps, some)).encode()
            assert api["contributor"].post("/logs", body).is_success
    store_of_pages.close_store()
    assert contents(path, []) == expected


def test_files_put_into_a_watched_folder_have_each_match_once(tmp_path: Path) -> None:
    logs, path, folder = played(9), tmp_path / "often.duckdb", tmp_path / "inbox"
    expected = contents(tmp_path / "once.duckdb", [logs])
    folder.mkdir()
    for number, some in enumerate(shuffled(logs, 6)):
        (folder / f"{number}.jsonl").write_text("\n".join(map(json.dumps, some)), encoding="utf-8")
    with Store(path, is_shared=True) as store:
        inbox = WatchFolder(folder, lambda: store, translator("en", "dashboard"))
        inbox.take_all()
        inbox.take_all()  # what has not changed between is taken
    assert not [*folder.glob("*.jsonl")]
    assert contents(path, []) == expected
