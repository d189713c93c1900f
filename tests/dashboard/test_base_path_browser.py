"""The dashboard below a path of its proxy, in Chromium: pages, links, pictures, downloads, signing in."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.pages import PAGE_NAMES
from engine.continuation import warm_up_jit
from engine.games import game
from ingest.store import tokens
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.tokens import Role
from tests.dashboard.browser import drawn, reading, started
from tests.dashboard.conftest import lines

pytestmark = pytest.mark.browser
BASE = "/club/cartes"


@pytest.fixture(scope="module")
def secret_and_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    folder = tmp_path_factory.mktemp("below")
    warm_up_jit(game("chouine"))  # so that a first run refuses no link to play on
    with Store(folder / "store.duckdb") as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
        secret = tokens.add_token(store, "Zoé", Role.ADMIN)
    more = ("--base-path", BASE)
    with started("dashboard", folder / "store.duckdb", folder / "log", more=more) as (_, address):
        yield secret, address


@pytest.fixture(scope="module")
def server(secret_and_server: tuple[str, str]) -> str:
    """The address of the server, which is not below the path."""
    return secret_and_server[1]


@pytest.fixture
def page(browser: Browser, secret_and_server: tuple[str, str]) -> Iterator[Page]:
    """An admin's page, which may ask nothing that is not below the path."""
    secret, server = secret_and_server
    with reading(browser, server + BASE) as page:
        page.goto(f"{server}{BASE}/in#{secret}")
        page.wait_for_url(f"{server}{BASE}/")
        yield page


def links_of(page: Page) -> set[str]:
    """The absolute addresses of the page's links and pictures, without their fragments."""
    script = "all => all.map(one => one.href || one.currentSrc || one.src).filter(Boolean)"
    found = page.locator("a[href], img[src], link[href]").evaluate_all(script)
    return {urldefrag(one)[0] for one in found if one.startswith("http")}


def assert_links_lead_on(page: Page, server: str, seen: set[str]) -> None:
    """Every link is below the path and is answered; `seen` are those requested before."""
    found = {one for one in links_of(page) if one.startswith(server)}
    assert [one for one in found if not one.startswith(f"{server}{BASE}/")] == []
    for one in sorted(found - seen):
        answer = page.request.get(one, headers={"Accept": "text/html,*/*"})
        assert answer.status == 200, one
        assert answer.url.startswith(f"{server}{BASE}/"), answer.url
    seen |= found


@pytest.mark.soak
@pytest.mark.parametrize("name", PAGE_NAMES)
def test_every_link_of_every_page_leads_below_the_path(page: Page, server: str, name: str) -> None:
    """What `test_pages.py` reads of the pages without a browser, which resolves their links."""
    page.goto(f"{server}{BASE}/{'' if name == 'accueil' else name}")
    drawn(page)
    assert_links_lead_on(page, server, set())


def test_links_of_home_and_of_a_shared_replay_lead_below_the_path(page: Page, server: str) -> None:
    seen = set[str]()
    page.goto(f"{server}{BASE}/")
    drawn(page)
    assert_links_lead_on(page, server, seen)
    page.goto(f"{server}{BASE}/relecture?match=m2")
    drawn(page)
    page.locator("[data-act=share]").click()
    expect(page.get_by_role("link", name="Une image de la table")).to_be_visible()
    assert_links_lead_on(page, server, seen)
    [shared] = [one for one in seen if re.fullmatch(r".*/r/[0-9a-f]{32}", one)]
    expect(page.get_by_text(shared, exact=True)).to_be_visible()
    for path in ("", "/1/3", "/1/3/suite"):
        page.goto(shared + path)
        expect(page.locator(".event")).not_to_be_empty()
        assert page.locator(".hand img").first.evaluate("one => one.naturalWidth") > 0
        assert_links_lead_on(page, server, seen)
    assert {one.removeprefix(server) for one in seen} >= {f"{BASE}/r/trouver?lang=fr", f"{BASE}/rencontres"}


def test_the_board_writes_its_position_below_the_path(page: Page, server: str) -> None:
    answer = page.request.get(f"{server}{BASE}/oembed?format=json&url={server}{BASE}/r/m2/1/3")
    address = re.findall(r'src="([^"?]+)', answer.json()["html"])[0]
    page.goto(address)
    expect(page.locator(".event")).not_to_be_empty()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(address.removesuffix("/3") + "/4")


def test_an_export_is_downloaded_below_the_path(page: Page, server: str) -> None:
    page.goto(f"{server}{BASE}/donnees?q=zoe")
    drawn(page)
    page.get_by_role("button", name="Préparer le fichier").click()
    link = page.get_by_role("link", name="Télécharger")
    expect(link).to_be_visible()
    with page.expect_download() as result:
        link.click()
    assert result.value.url.startswith(f"{server}{BASE}/exports/")
    assert Path(result.value.path()).read_bytes().startswith(b"{")


@contextmanager
def requesting(server: str, prefix: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server + prefix, headers={"Accept": "text/html"}) as client:
        yield client


@pytest.mark.parametrize("prefix", [BASE, ""], ids=["the proxy passes it on", "the proxy removes it"])
def test_addresses_are_the_browser_s_whatever_the_proxy_does(
    secret_and_server: tuple[str, str], prefix: str
) -> None:
    secret, server = secret_and_server
    with requesting(server, prefix) as client:
        text = client.get("/r/m2/1/3").text
        found = re.findall(r'(?:href|src)="([^"]+)"', text)
        outside = [one for one in found if not urljoin(server, one).startswith(f"{server}{BASE}/")]
        assert outside == []
        assert f'property="og:image" content="{server}{BASE}/r/' in text
        embedded = client.get("/oembed", params={"url": f"{server}{BASE}/r/m2", "format": "json"}).json()
        assert embedded["thumbnail_url"].startswith(f"{server}{BASE}/r/")
        page = client.get("/in").text
        assert f'action="{BASE}/in"' in page
        origin = {"Origin": server}
        signed = client.post("/in", data={"token": secret}, headers=origin)
        assert (signed.status_code, signed.headers["Location"]) == (303, f"{BASE}/")
        assert f"; Path={BASE}/;" in signed.headers["Set-Cookie"]
        assert client.get("/api/v1/openapi.json").json()["servers"] == [{"url": f"{BASE}/api/v1"}]
        script = re.findall(r'src="\./(static/[^"]+\.js)"', client.get("/").text)[0]
        sent = client.get(f"/{script}", headers={"Accept-Encoding": "gzip"})
        assert (sent.status_code, sent.headers["Content-Encoding"]) == (200, "gzip")


def test_the_path_without_its_slash_leads_to_the_first_page(server: str) -> None:
    answer = httpx.get(f"{server}{BASE}?lang=en")
    assert (answer.status_code, answer.headers["Location"]) == (307, f"{BASE}/?lang=en")


def test_a_replay_to_send_says_when_its_files_are_not_found(browser: Browser, server: str) -> None:
    """As below a path that the server does not know."""
    context = browser.new_context(locale="fr-FR", service_workers="block")
    page = context.new_page()
    page.goto(f"{server}/r/m1")
    notice = page.get_by_text("relance avec --base-path")
    expect(page.locator(".plate").first).to_be_visible()
    expect(notice).to_be_hidden()
    page.route("**/r/-/**", lambda route: route.fulfill(status=404))
    page.goto(f"{server}/r/m1")
    expect(notice).to_be_visible()
    context.close()
