"""The package for JavaScript in a worker of Chromium, from files as they are: pages use it elsewhere."""

import json
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from tests.dashboard.conftest import FAUTES
from tests.js.agreement import difference
from tests.js.package import made

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

LOG = (FAUTES / "must-follow.json").read_bytes()
IN_WORKER = """(log) => new Promise((resolve) => {
  const worker = new Worker('/worker.mjs', {type: 'module'});
  worker.onmessage = ({data}) => resolve(data);
  worker.postMessage(log);
})"""
WORKER = """import { check } from './retourne.mjs';
onmessage = async ({ data }) => postMessage(await check(data));
"""
PAGE = "<!doctype html><meta charset=utf-8><title>Retourne</title>"


class Quiet(SimpleHTTPRequestHandler):
    """Serves the files of a folder, and says nothing of it."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript"}

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def page(browser: "Browser", tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Iterator["Page"]:
    for file in made(tmp_path_factory).iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "worker.mjs").write_text(WORKER)
    (tmp_path / "index.html").write_text(PAGE)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with browser.new_page() as page:
            page.goto(f"http://127.0.0.1:{server.server_port}/")
            yield page
        server.shutdown()


def test_a_log_is_checked_in_a_worker(page: "Page") -> None:
    report = page.evaluate(IN_WORKER, LOG.decode())
    assert difference(LOG, json.loads(json.dumps(report))) == ""
