"""`/r/{id}` in Chromium: steps and their addresses, Back, a frame on another site, nothing else."""

import json
import re
import threading
from collections.abc import Iterator
from functools import partial
from html import escape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.browser import Watch, reading
from tests.dashboard.conftest import Show, documents, every_table, lines, simulated
from tests.waiting import comes, still, until

pytestmark = pytest.mark.browser

FIRST = documents()[0]
WHOLE = ((1366, 650), (1280, 900), (390, 844), (844, 390))


class Place(str):
    """The address of a server, and the ids of its matches by their logs'."""

    ids: dict[str, str]

    def of(self, log_id: str, more: str = "") -> str:
        return f"{self}/r/{self.ids[log_id]}{more}"


def long_names() -> dict[str, Any]:
    """A match of four with names that leave no place beside them."""
    match = simulated("coinche", "tournoi-2018", 4)[0]
    called = "Marie-Antoinette de la Rochefoucauld-Montmorency"
    players = [one | {"name": called[seat:]} for seat, one in enumerate(match["players"])]
    return match | {"id": "long", "players": players}


@pytest.fixture(scope="module")
def place(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    path: Path = tmp_path_factory.mktemp("replay") / "store.duckdb"
    with Store(path) as store:
        files = {"club": lines(), "tables": every_table(), "long": json.dumps(long_names()).encode()}
        list(ingest(store, [(f"{name}.jsonl", BytesIO(text)) for name, text in files.items()]))
        rows = store.cursor().execute("SELECT log_id, match_id FROM matches").fetchall()
    with show(path) as address:
        found = Place(address)
        found.ids = dict(rows)
        yield found


@pytest.fixture
def page(browser: Browser, place: Place) -> Iterator[Page]:
    with reading(browser, place, reduced_motion="reduce") as page:
        yield page


def at(page: Page, deal: int, ply: int) -> None:
    """Wait until the board and the address are at a position."""
    expect(page.locator(".place")).to_have_text(re.compile(f"^{ply} /"))
    expect(page).to_have_url(re.compile(rf"/r/\w+/{deal}/{ply}(\?.*)?$"))


def test_keys_step_and_the_address_goes_along(page: Page, place: Place) -> None:
    page.goto(place.of("m0"))
    at(page, 1, 0)
    for key in ("ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    at(page, 1, 3)
    page.keyboard.press("ArrowLeft")
    at(page, 1, 2)
    text = page.locator(".event").inner_text()
    page.reload()
    at(page, 1, 2)
    assert page.locator(".event").inner_text() == text
    page.keyboard.press("v")
    expect(page).to_have_url(re.compile(r"/1/2\?view=1$"))
    page.reload()
    expect(page.locator("[name=viewer]")).to_have_value("0")


def test_deals_change_without_a_new_page_and_back_is_the_way_back(page: Page, place: Place) -> None:
    page.goto(place.of("m0", "/1/4"))
    at(page, 1, 4)
    page.evaluate("window.same = true")
    page.keyboard.press(">")
    at(page, 2, 0)
    page.keyboard.press("ArrowRight")
    at(page, 2, 1)
    page.get_by_role("button", name="Donne suivante").first.click()
    at(page, 3, 0)
    page.go_back()
    at(page, 2, 1)
    page.go_back()
    at(page, 1, 4)
    page.go_forward()
    at(page, 2, 1)
    assert page.evaluate("window.same")
    deals = page.locator("[name=deal]")
    deals.select_option(index=len(FIRST["deals"]) - 1)
    at(page, len(FIRST["deals"]), 0)


@pytest.mark.soak
def test_the_page_is_called_after_the_deal_that_is_shown(page: Page, place: Place) -> None:
    page.goto(place.of("m0", "/1/4?lang=fr"))
    at(page, 1, 4)
    first = page.title()
    assert " · Donne 1 · " in first

    def is_of(deal: int, ply: int) -> None:
        at(page, deal, ply)
        title = first.replace("Donne 1", f"Donne {deal}")
        expect(page).to_have_title(title)
        expect(page.locator("h1")).to_have_text(title.rpartition(" · ")[0])
        for selector, key in (("link[rel=canonical]", "href"), ("[property='og:url']", "content")):
            here = page.locator(selector).get_attribute(key)
            assert here == place.of("m0", f"/{deal}/{ply}")
        fields = {
            name: page.locator(f"[property='{name}'], [name='{name}']").get_attribute("content")
            for name in ("og:image", "og:description", "description", "og:image:alt")
        }
        whole = page.request.get(place.of("m0", f"/{deal}/{ply}?lang=fr")).text()
        for name, content in fields.items():  # as a visitor of that address gets it
            assert f'"{name}" content="{escape(str(content))}"' in whole, name

    page.keyboard.press(">")
    is_of(2, 0)
    page.keyboard.press("ArrowRight")
    is_of(2, 1)
    page.go_back()
    is_of(1, 4)
    page.reload()
    is_of(1, 4)


@pytest.mark.soak
def test_players_lead_to_their_page_and_the_line_below_to_the_whole_one(page: Page, place: Place) -> None:
    page.goto(place.of("m0", "/1/4"))
    at(page, 1, 4)
    page.keyboard.press("ArrowRight")
    at(page, 1, 5)
    whole = page.get_by_role("link", name="Page complète")
    assert whole.is_visible()
    whole.focus()
    assert str(whole.get_attribute("href")).startswith(f"/relecture?match={place.ids['m0']}&deal=1&ply=5")
    other = page.get_by_role("link", name="English")
    other.click()
    at(page, 1, 5)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.locator("a.player").first.click()
    expect(page).to_have_url(re.compile(r"/joueurs\?player="))
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")


@pytest.mark.parametrize("match", ["m1", "coinche-4-0", "chouineurs-5-0"])
@pytest.mark.soak
def test_all_of_it_is_in_the_window(page: Page, place: Place, match: str) -> None:
    for width, height in WHOLE:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(place.of(match, "/1/3"))
        at(page, 1, 3)
        until(page, f"() => innerWidth === {width} && innerHeight === {height}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for part in (".top", ".felt", ".steps .bar", ".seats.own .card", ".onward"):
            box = page.locator(part).first.bounding_box()
            assert box is not None
            assert box["x"] >= 0, part
            assert box["y"] >= 0, part
            assert box["x"] + box["width"] <= width + 1, part
            assert box["y"] + box["height"] <= height + 1, (part, width)
        steps = page.locator(".steps").bounding_box()
        away = page.locator(".onward").bounding_box()
        assert steps is not None
        assert away is not None
        assert steps["y"] + steps["height"] <= away["y"] + 1


@pytest.mark.parametrize("more", ["", "?embed"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.sample("dark-")
def test_axe_finds_nothing_serious(page: Page, place: Place, scheme: Any, more: str) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(place.of("coinche-4-0", f"/1/12{more}"))
    at(page, 1, 12)
    still(page)
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    serious = [one for one in found if one["impact"] in ("moderate", "serious", "critical")]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in serious] == []


@pytest.mark.soak
def test_what_was_fetched_once_is_not_fetched_again(browser: Browser, place: Place) -> None:
    context = browser.new_context(locale="fr-FR")
    page = context.new_page()
    page.goto(place.of("m0", "/1/0"))
    at(page, 1, 0)
    page.goto(place.of("m0", "/1/1"))
    at(page, 1, 1)
    cached = page.evaluate(
        "() => performance.getEntriesByType('resource').filter(one => one.name.includes('/r/-/'))"
        ".map(one => one.transferSize)"
    )
    assert len(cached) > 5
    assert set(cached) == {0}
    context.close()


def test_without_a_script_there_are_a_picture_a_list_and_a_way_on(browser: Browser, place: Place) -> None:
    context = browser.new_context(locale="fr-FR", java_script_enabled=False)
    page = context.new_page()
    watch = Watch(page, place)
    page.goto(place.of("m0", "/1/2"))
    assert not page.locator(".frame").is_visible()
    size = page.locator(".position img").bounding_box()
    assert size is not None
    assert size["width"] > 600
    assert page.locator(".position li").count() > 4
    page.get_by_role("link", name="Avancer").click()
    expect(page).to_have_url(re.compile("/1/3"))
    assert (watch.errors, watch.strangers) == ([], [])
    context.close()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def club(tmp_path: Path) -> Iterator[str]:
    """A club's own site, at an origin of its own, with what is in its folder."""
    (tmp_path / "favicon.ico").touch()  # some browsers ask for one when they are first started
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_club_s_own_site_shows_it_in_a_frame(
    browser: Browser, place: Place, club: str, tmp_path: Path
) -> None:
    source = place.of("m0", "/1/2?embed")
    (tmp_path / "in.html").write_text(f'<iframe src="{source}" width="900" height="640"></iframe>')
    (tmp_path / "no.html").write_text(f'<iframe src="{place.of("m0", "/1/2")}"></iframe>')
    context = browser.new_context(locale="fr-FR")
    page = context.new_page()
    watch = Watch(page, place)
    page.goto(f"{club}/in.html")
    frame = page.frame_locator("iframe")
    expect(frame.locator(".place")).to_have_text(re.compile("^2 /"))
    frame.locator("[data-act=next]").click()
    expect(frame.locator(".place")).to_have_text(re.compile("^3 /"))
    frame.locator("[data-act=next-deal]").click()
    expect(frame.locator(".place")).to_have_text(re.compile("^0 /"))
    assert frame.locator("a.player").count() == 0
    link = frame.get_by_role("link")
    assert link.count() == 1
    with context.expect_page() as opened:
        link.click()
    opened.value.wait_for_selector(".place")
    assert re.search(r"/r/\w+/2/0\?lang=fr", opened.value.url)
    assert opened.value.evaluate("window.opener") is None
    ours = (str(place), club)
    assert [one for one in watch.strangers if not one.startswith(ours)] == []
    # without ?embed nobody's frame shows it
    mistakes = list[str]()
    page.on("console", lambda message: mistakes.append(message.text))
    page.goto(f"{club}/no.html")
    expect(page.frame_locator("iframe").locator(".board")).to_have_count(0)
    comes(lambda: any("frame-ancestors" in one for one in mistakes), "the refusal", page)
    assert [error for error in watch.errors if "frame-ancestors" not in error] == []
    context.close()


@pytest.mark.soak
def test_copying_a_link_on_the_page_of_replays_copies_this_address(browser: Browser, place: Place) -> None:
    with reading(
        browser, place, permissions=["clipboard-read", "clipboard-write"], reduced_motion="reduce"
    ) as page:
        for at_first in (f"{place}/relecture?match=m0&deal=2&ply=3", place.of("m0", "/2/3?embed")):
            page.goto(at_first)
            expect(page.locator(".place")).to_have_text(re.compile("^3 /"))
            page.keyboard.press("ArrowRight")
            expect(page.locator(".place")).to_have_text(re.compile("^4 /"))
            page.locator("[data-act=options]").click()
            page.locator("[data-act=copy]").click()
            expect(page.locator(".done")).to_have_text("Lien copié.")
            copied = page.evaluate("navigator.clipboard.readText()")
            assert copied == place.of("m0", "/2/4")


@pytest.mark.soak
def test_the_picture_of_the_board_is_as_it_is_on_the_page(page: Page, place: Place) -> None:
    """The style comes in a file of its own there, and the picture may load nothing."""
    page.goto(place.of("m0", "/1/2"))
    at(page, 1, 2)
    page.locator("[data-act=options]").click()
    with page.expect_download() as download:
        page.locator("[data-act=image]").click()
    saved = Path(download.value.path()).read_bytes()
    assert saved.startswith(b"\x89PNG")
    assert len(saved) > 30_000


@pytest.mark.soak
def test_a_deal_that_does_not_come_is_opened_as_a_page(browser: Browser, place: Place) -> None:
    """Where the match was deleted meanwhile, that page says so."""
    context = browser.new_context(locale="fr-FR", service_workers="block")
    page = context.new_page()
    page.route("**/2.json*", lambda route: route.abort())  # before it opens: in force at the key
    page.goto(place.of("m0", "/1/2"))
    at(page, 1, 2)
    page.evaluate("window.same = true")
    page.keyboard.press(">")
    at(page, 2, 0)
    assert page.evaluate("window.same") is None
    context.close()


OVER = """() => {
    const shown = (selector) => [...document.querySelectorAll(selector)]
        .map((one) => one.getBoundingClientRect()).filter((one) => one.width && one.height);
    return shown(".plate").some((plate) => shown(".facts").some((facts) =>
        plate.left < facts.right - 1 && facts.left < plate.right - 1
        && plate.top < facts.bottom - 1 && facts.top < plate.bottom - 1));
}"""


@pytest.mark.soak
def test_on_a_telephone_held_across_no_long_name_lies_on_the_facts(page: Page, place: Place) -> None:
    for width, height in ((740, 360), (844, 390), (932, 430)):
        page.set_viewport_size({"width": width, "height": height})
        for ply in (0, 5, 9):
            page.goto(place.of("long", f"/1/{ply}"))
            at(page, 1, ply)
            assert page.evaluate(OVER) is False, (width, height, ply)
