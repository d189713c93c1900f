"""Streamlit's own words, which it has in English only, on a French page; in Chromium."""

from collections.abc import Iterator
from io import BytesIO

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.widgets.streamlit_texts import OTHER_NAMES, PATTERNS, STREAMLIT_TEXTS
from ingest.i18n import translator
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


def test_the_menu_s_buttons_come_and_go_named_in_the_language_of_the_page(page: Page, address: str) -> None:
    page.goto(address + "/deposer")
    drawn(page)
    page.get_by_test_id("stSidebar").hover()
    page.get_by_role("button", name="Fermer le menu").click()
    page.get_by_role("button", name="Ouvrir le menu").click()
    assert not page.get_by_label("sidebar").count()
    page.get_by_role("radio", name="en").click()
    expect(page.get_by_label("Close the menu")).to_have_count(1)
    assert not page.get_by_label("Fermer le menu").count()


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
def test_sizes_and_parts_of_a_date_are_french(page: Page, address: str) -> None:
    page.goto(address + "/deposer")
    expect(page.get_by_test_id("stFileUploaderDropzoneInstructions")).to_have_text("2 Go par fichier")
    page.goto(address + "/saisir")
    expect(page.get_by_label("jour, Jouée le")).to_be_attached()
    expect(page.get_by_label("année, Jouée le")).to_be_attached()


OWN = {*STREAMLIT_TEXTS, *OTHER_NAMES}
SHOWN = """() => [...document.querySelectorAll('[aria-label], [placeholder], [title]')].flatMap(
  (one) => ['aria-label', 'placeholder', 'title'].map((name) => one.getAttribute(name)))"""


def english_of(page: Page) -> set[str]:
    """Streamlit's texts that a French page has, but for those that are French as well."""
    french = translator("fr", "dashboard")
    starts = [text.partition("{x}")[0] for text in PATTERNS]
    shown = {one for one in page.evaluate(SHOWN) if one}
    begun = {one for one in shown for start in starts if start and one.startswith(start)}
    return begun | {one for one in shown & OWN if french(one) != one}


@pytest.mark.parametrize("path", ["joueurs?player=jean", "acces"])
def test_a_french_page_has_no_english_name(page: Page, address: str, path: str) -> None:
    page.goto(f"{address}/{path}")
    drawn(page)
    expect(page.locator("[aria-label='Fermer le menu']")).to_be_attached()
    assert english_of(page) == set()


def test_hints_of_fields_and_names_of_buttons_are_french(page: Page, address: str) -> None:
    page.goto(f"{address}/regles")
    drawn(page)
    page.get_by_placeholder("Un mot, ou une règle comme CH-9").fill("pli")
    expect(page.get_by_text("Entrée pour appliquer")).to_be_visible()
    assert english_of(page) == set()
    page.goto(f"{address}/relecture?match=m2")
    drawn(page)
    page.locator("[data-act=share]").click()
    page.get_by_text("/r/").first.hover()
    expect(page.get_by_role("button", name="Copier").first).to_be_attached()
    assert english_of(page) == set()
