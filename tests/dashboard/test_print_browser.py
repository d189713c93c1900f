"""Pages on paper: the headings of a list on each sheet, black on white, without menu and fields."""

import re
from collections.abc import Iterator
from io import BytesIO

import pytest
from playwright.sync_api import Browser, Page, expect

from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.browser import drawn, reading
from tests.dashboard.conftest import Show, lines
from tests.dashboard.pdf_text import page_texts

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
    with reading(browser, address, color_scheme="dark") as page:
        yield page


@pytest.mark.parametrize(
    ("path", "headings", "row"),
    [
        ("rencontres", "JouéeleJoueursScore", r"\d\d/03/2026"),
        ("joueurs?player=jean", "CasPartIntervalle", "Non donneur|Adversaire passé"),
    ],
    ids=["rencontres", "joueurs"],
)
@pytest.mark.sample("joueurs")
def test_each_sheet_has_the_headings_of_its_table(
    page: Page, address: str, path: str, headings: str, row: str
) -> None:
    page.goto(f"{address}/{path}")
    drawn(page)
    # the sections of a profile come one after another: that of the row, too
    expect(page.locator("td", has_text=re.compile(row)).first).to_be_attached()
    sheets = page_texts(page.pdf(width="210mm", height="70mm"))
    with_rows = [sheet for sheet in sheets if re.search(row.replace(" ", ""), sheet)]
    assert len(with_rows) > 1
    assert [sheet for sheet in with_rows if headings not in sheet] == []
    assert not any("Vérificateur" in sheet for sheet in sheets)


def test_a_chart_of_a_dark_page_prints_with_all_of_its_axes(page: Page, address: str) -> None:
    page.goto(f"{address}/annonces")
    drawn(page)
    chart = page.locator(".plot").first
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".ytitle")).to_have_text("Mains, en %")
    ticks = chart.locator(".xtick text").all_text_contents()
    assert len(ticks) > 1
    [sheet] = [one for one in page_texts(page.pdf(format="A4")) if "Mains,en%" in one]
    assert [one for one in ticks if re.sub(r"\s", "", one) not in sheet] == []


def test_a_dark_page_is_black_on_white_on_paper(page: Page, address: str) -> None:
    page.goto(f"{address}/classement")
    drawn(page)
    page.emulate_media(media="print")
    try:
        heading = page.get_by_role("heading", level=1)
        expect(heading).to_have_css("color", "rgb(0, 0, 0)")
        expect(heading).to_have_css("color-scheme", "light")
        expect(page.locator("body")).to_have_css("background-color", "rgba(0, 0, 0, 0)")
        expect(page.get_by_test_id("stSidebar")).to_be_hidden()
        expect(page.get_by_placeholder("Nom", exact=True)).to_be_hidden()
    finally:
        page.emulate_media(media="screen")
