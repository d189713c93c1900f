"""What opens in Chromium while no server answers: a shared replay, the drafts of this browser."""

import json
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ingest.store import drafts
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.browser import started
from tests.dashboard.conftest import lines
from tests.dashboard.typing import TABLES, head_of, match_of
from tests.js.package import made
from tests.waiting import until

pytestmark = pytest.mark.browser

STORED = "async () => (await (await caches.open('retourne-pages')).keys()).length >= {}"
RULES_STORED = """async () => {
    const files = (await (await caches.open("retourne-files")).keys()).map(({ url }) => url);
    return ["/retourne.", ".wasm", ".json"].every((part) => files.some((url) => url.includes(part)));
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="fr-FR", viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(60_000)
    yield page
    context.close()


def test_a_shared_replay_and_a_draft_open_without_the_server(
    page: Page, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESTS_JS_DIST", str(made(tmp_path_factory)))
    path = tmp_path / "store.duckdb"
    with Store(path) as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
        match = store.cursor().execute("SELECT match_id FROM matches WHERE log_id = 'm0'").fetchall()[0][0]
        secret = drafts.create_draft(store, head_of(match_of(*TABLES[0])))
    with started("tests.dashboard.serve", path, tmp_path / "log") as (_, address):
        errors = list[str]()
        page.on("pageerror", lambda error: errors.append(str(error)))
        # the rules in the page have a verdict of their own
        page.goto(f"{address}/r/{match}/1/2")
        expect(page.locator(".about")).to_contain_text("vérifiée dans ce navigateur : régulière")
        until(page, STORED.format(1))
        until(page, RULES_STORED)
        page.goto(f"{address}/entry?draft={secret}&lang=fr")
        expect(page.locator(".who")).not_to_have_text("…")
        page.goto(f"{address}/entry")
        until(page, STORED.format(3))
        page.context.set_offline(True)
        # the rules make a deal that nobody has looked at
        page.goto(f"{address}/r/{match}/2/3")
        expect(page.locator(".place")).to_have_text(re.compile("^3 / "))
        page.keyboard.press(">")
        expect(page).to_have_url(re.compile(r"/3/0$"))
        expect(page.locator(".place")).to_have_text(re.compile("^0 / "))
        # the draft opens at the address of the page with Streamlit, and takes steps
        page.goto(f"{address}/saisir?draft={secret}&lang=fr")
        page.locator(".tile").first.click()
        expect(page.locator(".messages")).to_contain_text("Pas de connexion. Actions en attente : 1.")
        page.goto(f"{address}/entry")
        page.get_by_role("link", name="Reprendre").click()
        expect(page.locator(".talk .pending")).to_have_count(1)
        # they are sent when the server answers again
        page.context.set_offline(False)
        expect(page.locator(".talk .pending")).to_have_count(0)
        sent = page.request.post(
            f"{address}/entry", data=json.dumps({"draft": secret, "device": "b"}), headers={"Origin": address}
        )
        assert len(sent.json()["steps"]) == 1
        assert errors == []
