"""Signing in by a link, in Chromium: the token is in no address, and pages know who it is."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from dashboard.authentication import SESSION_COOKIE
from ingest.store import tokens
from ingest.store.factory import Store
from ingest.store.tokens import Role
from tests.dashboard.browser import drawn, reading
from tests.dashboard.conftest import Show

pytestmark = pytest.mark.browser


def test_a_link_signs_in_and_a_button_out(browser: Browser, show: Show, tmp_path: Path) -> None:
    path = tmp_path / "club.duckdb"
    with Store(path) as store:
        secret = tokens.add_token(store, "Zoé", Role.ADMIN)
        tokens.set_access(store, True)
    with show(path) as address, reading(browser, address) as page:
        requested = list[str]()
        page.on("request", lambda request: requested.append(request.url))
        page.goto(f"{address}/in#{secret}")
        page.wait_for_url(f"{address}/")
        drawn(page)
        expect(page.get_by_text("Zoé, administrateur")).to_be_visible()
        assert page.evaluate("document.cookie").find("retourne=") == -1
        [cookie] = [one for one in page.context.cookies() if one["name"] == SESSION_COOKIE]
        hours = (cookie["expires"] - page.evaluate("Date.now()") / 1000) / 3600
        assert 11.9 < hours <= 12.01
        page.get_by_role("link", name="Accès").click()
        expect(page.get_by_role("heading", name="Jetons")).to_be_visible()
        page.get_by_role("button", name="Se déconnecter").click()
        expect(page.get_by_text("Pour lire ces pages, il faut un jeton.")).to_be_visible()
        page.get_by_role("main").get_by_role("link", name="Se connecter").click()
        page.wait_for_url(f"{address}/in")
        page.get_by_label("Jeton").fill(secret)
        page.get_by_role("button", name="Se connecter").click()
        page.wait_for_url(f"{address}/")
        drawn(page)
        page.go_back()
        assert secret not in page.url
        assert not [url for url in requested if secret in url.partition("#")[0]]
