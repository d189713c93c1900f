"""Streamlit's own words, which it has in English only, on a French page; in Chromium."""

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
    folder = tmp_path_factory.mktemp("served")
    with Store(folder / "store.duckdb") as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
    with show(folder / "store.duckdb") as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with reading(browser, address) as page:
        yield page


def test_the_menu_s_buttons_have_french_names_as_they_come_and_go(page: Page, address: str) -> None:
    page.goto(address + "/deposer")
    drawn(page)
    page.get_by_test_id("stSidebar").hover()
    page.get_by_role("button", name="Fermer le menu").click()
    expect(page.get_by_role("button", name="Ouvrir le menu")).to_be_visible()
    assert not page.get_by_label("sidebar").count()


@pytest.mark.soak
def test_the_uploader_s_button_is_named_as_it_reads(page: Page, address: str) -> None:
    page.goto(address + "/deposer")
    drawn(page)
    button = page.get_by_role("button", name="Choisir des fichiers")
    expect(button).to_be_visible()
    assert not page.get_by_role("button", name="Upload").count()
    expect(page.get_by_role("link", name="Aller au contenu")).to_have_count(1)
    assert not page.get_by_role("link", name="Skip").count()


@pytest.mark.soak
def test_names_follow_the_language(page: Page, address: str) -> None:
    page.goto(address + "/deposer")
    drawn(page)
    page.get_by_role("radio", name="en").click()
    expect(page.get_by_label("Close the menu")).to_have_count(1)
    assert not page.get_by_label("Fermer le menu").count()
