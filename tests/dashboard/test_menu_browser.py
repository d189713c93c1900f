"""The menu of a phone's pages: out of the way, and out of the keyboard's, until it is opened."""

from collections.abc import Iterator
from io import BytesIO

import pytest
from playwright.sync_api import Browser, Page, expect

from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.browser import drawn, reading
from tests.dashboard.conftest import Show, lines

pytestmark = pytest.mark.browser
UPRIGHT, LYING = {"width": 390, "height": 844}, {"width": 844, "height": 390}
IN_MENU = "!!document.activeElement.closest('[data-testid=stSidebar]')"


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    with Store(folder / "store.duckdb") as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
    with show(folder / "store.duckdb") as address:
        yield address


@pytest.fixture(params=[UPRIGHT, LYING], ids=["upright", "lying"])
def page(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Page]:
    with reading(browser, address, viewport=request.param, has_touch=True) as page:
        page.goto(f"{address}/classement")
        drawn(page)
        expect(page.locator("[data-testid=stSidebar][data-collapsed=true]")).to_have_count(1)
        yield page


def tab_into_menu(page: Page, count: int = 10) -> list[bool]:
    """Whether each of the first stops of the Tab key is in the menu."""
    stops = []
    for _ in range(count):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(IN_MENU))
    return stops


def test_the_keyboard_reaches_the_menu_until_a_page_is_chosen_and_it_closes(page: Page) -> None:
    assert tab_into_menu(page) == [False] * 10
    page.get_by_role("button", name="Ouvrir le menu").tap()
    link = page.get_by_test_id("stSidebar").get_by_role("link", name="Joueurs")
    expect(link).to_be_visible()
    # from the button that opened it once around the page, whose first stops are the menu's
    assert any(tab_into_menu(page, 60))
    link.tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Joueurs")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    box = page.get_by_role("heading", level=1).bounding_box()
    assert box is not None
    # what lies where the heading begins is the heading
    tag = page.evaluate("([x, y]) => document.elementFromPoint(x, y).tagName", [box["x"] + 4, box["y"] + 20])
    assert tag in ("H1", "SPAN")
    assert tab_into_menu(page) == [False] * 10
