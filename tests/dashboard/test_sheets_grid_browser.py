"""The grid of a sheet in Chromium: a wrong cell put right, a column chosen, and that remembered."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from ingest.store.factory import Store
from tests.dashboard.conftest import Show

pytestmark = pytest.mark.browser
HEAD = "Chouine\nDate;Joueur 1;Joueur 2;Manches 1;Manches 2;Chez\n"
FIRST = f"{HEAD}12/04/2026;Lucienne;René;3;1;Simone\n12/04/2026;Paul;Gérard;2;trois;Simone\n"
NEXT = f"{HEAD}19/04/2026;Paul;René;3;0;Raoul\n"


def drop(page: Page, name: str, text: str) -> None:
    """Upload a sheet; the page then shows it."""
    file: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text(name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Envoyer les fichiers").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Page]:
    """A French reader's page; not `reading`: a log's download may go while Streamlit still asks for it."""
    with closing(browser.new_context(locale="fr-FR", viewport={"width": 1280, "height": 900})) as context:
        page = context.new_page()
        page.set_default_timeout(60_000)
        yield page


@pytest.fixture
def page(reader: Page, show: Show, tmp_path: Path) -> Iterator[Page]:
    """The upload page of an empty store."""
    Store(tmp_path / "store.duckdb").close()
    with show(tmp_path / "store.duckdb") as address:
        reader.goto(f"{address}/deposer?lang=fr")
        yield reader
        reader.goto("about:blank")


def choose_other(page: Page, role: str) -> None:
    """Choose for column F what is not among its likely roles."""
    column = page.get_by_label("Colonne F")
    column.select_option(label="autres colonnes…")
    column.select_option(role)


def test_of_quick_changes_none_is_lost(page: Page) -> None:
    text = f"{HEAD}12/04/2026;Lucienne;René;un;deux;Simone\n12/04/2026;Paul;Gérard;2;trois;Simone\n"
    drop(page, "avril.csv", text)
    expect(page.locator("td.wrong")).to_have_text(["un", "deux", "trois"])
    for where, before, typed in (("D3", "un", "1"), ("E3", "deux", "3"), ("E4", "trois", "0")):
        page.locator("td", has_text=re.compile(f"^{before}$")).click()
        cell = page.get_by_label(f"Cellule {where}")
        cell.fill(typed)
        cell.press("Enter")
    choose_other(page, "place")
    expect(page.locator("td.edited")).to_have_text(["1", "3", "0"])
    expect(page.locator("td.left")).to_have_count(0)
    expect(page.get_by_role("button", name="Ajouter : 2")).to_be_visible()


def test_a_cell_being_typed_stays_open_when_an_earlier_change_is_read(page: Page) -> None:
    drop(page, "avril.csv", FIRST.replace("Lucienne;René;3", "Lucienne;René;un"))
    page.locator("td", has_text=re.compile("^un$")).click()
    cell = page.get_by_label("Cellule D3")
    cell.fill("3")
    cell.press("Enter")
    page.locator("td", has_text=re.compile("^trois$")).click()
    other = page.get_by_label("Cellule E4")
    other.fill("0")
    expect(page.locator("td.edited")).to_have_text("3")  # the page has read the file again
    expect(other).to_have_value("0")
    other.press("Enter")
    expect(page.locator("td.edited")).to_have_text(["3", "0"])


def test_a_sheet_is_put_right_in_the_grid_and_the_next_of_its_look_is_read_alike(page: Page) -> None:
    drop(page, "avril.csv", FIRST)
    wrong = page.locator("td.wrong")
    expect(wrong).to_have_text("trois")
    wrong.click()
    cell = page.get_by_label("Cellule E4")
    cell.fill("3")
    cell.press("Enter")
    expect(page.locator("td.edited")).to_have_text("3")
    expect(wrong).to_have_count(0)
    choose_other(page, "place")
    expect(page.locator("td.left")).to_have_count(0)  # the file was read again with it
    page.get_by_role("button", name="Ajouter : 2").click()
    added = page.locator("[data-testid=stMetric]").filter(has_text="Ajoutées")
    expect(added).to_contain_text("résultats seuls : 2")

    drop(page, "avril.csv", NEXT)
    expect(page.get_by_role("button", name="Oublier")).to_be_visible()
    expect(page.get_by_label("Colonne F")).to_have_value("place")
    page.get_by_role("button", name="Ajouter : 1").click()
    expect(added).to_contain_text("résultats seuls : 1")
    page.get_by_role("button", name="Annuler ce dépôt").click()
    expect(page.get_by_text("Dépôt annulé.")).to_be_visible()
