"""However often matches come to a server, by a page, its API or its watched folder, each counts once."""

from pathlib import Path
from urllib.parse import quote

import pytest

from dashboard import store as store_of_pages
from dashboard.server.watch_folder import WatchFolder
from ingest.i18n import translator
from ingest.store.factory import Store
from tests.dashboard.api import clients
from tests.dashboard.conftest import Open, one_each
from tests.ingest.test_match_variants import as_lines, contents, counted_once, played, shuffled

pytestmark = pytest.mark.slow


def test_files_and_matches_sent_to_the_api_have_each_match_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "often.duckdb"
    with Store(path) as store:
        tokens = one_each(store)
    monkeypatch.setenv("RETOURNE_STORE", str(path))
    with clients(tokens) as api:
        *files, last = shuffled(played(4), 5)
        for some in files:
            assert api["contributor"].post("/logs", as_lines(some)).is_success
        for log in (one for one in last if "result" in one):  # a beginning would replace the whole
            place = f"/sources/{quote(log['source']['name'])}/matches/{quote(log['id'])}"
            assert api["contributor"].ask("PUT", place, json=log).status_code in (200, 201, 409)
    store_of_pages.close_store()
    assert contents(path, []) == counted_once(4)


@pytest.mark.parametrize("count", [8, 300])
@pytest.mark.sample("8")
def test_files_uploaded_on_the_page_have_each_match_once(path: Path, open_page: Open, count: int) -> None:
    app = open_page("deposer")
    for number, some in enumerate(shuffled(played(count), 10)):
        app.file_uploader[0].upload(f"{number}.jsonl", as_lines(some))
    app.button[0].click().run()
    assert not app.exception
    store_of_pages.close_store()
    assert contents(path, []) == counted_once(count)


def test_files_put_into_a_watched_folder_have_each_match_once(tmp_path: Path) -> None:
    path, folder = tmp_path / "often.duckdb", tmp_path / "inbox"
    folder.mkdir()
    for number, some in enumerate(shuffled(played(8), 6)):
        (folder / f"{number}.jsonl").write_bytes(as_lines(some))
    with Store(path, is_shared=True) as store:
        inbox = WatchFolder(folder, lambda: store, translator("en", "dashboard"))
        inbox.take_all()
        inbox.take_all()  # what has not changed between is taken
    assert not [*folder.glob("*.jsonl")]
    assert contents(path, []) == counted_once(8)
