"""The page that finds deals in Chromium: typed, opened by keyboard, and back."""

import re
from collections.abc import Iterator
from io import BytesIO

import pytest
from playwright.sync_api import Browser, Page, expect

from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.browser import drawn, reading
from tests.dashboard.conftest import Show, lines

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("find") / "store.duckdb"
    with Store(path) as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
    with show(path) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with reading(browser, address) as page:
        yield page


def test_a_search_is_typed_and_a_deal_opened_at_the_play(page: Page, address: str) -> None:
    page.goto(f"{address}/chercher?lang=en")
    drawn(page)
    line = page.get_by_role("textbox", name="Search")
    line.fill("trick:3 led:t")
    line.press("Enter")
    first = page.locator(".found a").first
    expect(first).to_be_visible()
    expect(page).to_have_url(re.compile("q=trick"))
    picture = first.locator("img")
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("image => image.naturalWidth") == 1200
    ply = re.search("ply=([0-9]+)", first.get_attribute("href") or "")
    assert ply is not None
    first.focus()
    first.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Replay")
    expect(page).to_have_url(re.compile(f"relecture.*ply={ply[1]}"))
    page.go_back()
    expect(page.get_by_role("textbox", name="Search")).to_have_value("trick:3 led:t")
    first.click()
    page.locator("[data-act=options]").click()
    page.locator("[data-act=search]").click()
    expect(page).to_have_url(re.compile("chercher.*position"))
    expect(page.locator(".linked").first).to_contain_text("100.0%")


def test_a_phone_shows_the_widgets_under_one_button(browser: Browser, address: str) -> None:
    with reading(browser, address, viewport={"width": 390, "height": 844}) as page:
        page.goto(f"{address}/chercher?lang=en&q=won")
        drawn(page)
        expect(page.locator(".found a")).to_have_count(10)
        page.get_by_role("button", name="Add words").click()
        expect(page.get_by_role("combobox", name="Announced")).to_be_visible()
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390
