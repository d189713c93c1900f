"""Ways through a player's figures in Chromium, by pointer and by key."""

import re
from collections.abc import Iterator
from io import BytesIO
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.widgets.chart import PLOTLY_FILE
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.browser import drawn, reading
from tests.dashboard.conftest import HOSTILE, Show, lines

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose store has six matches among four players."""
    folder = tmp_path_factory.mktemp("served")
    with Store(folder / "store.duckdb") as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
    with show(folder / "store.duckdb") as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with reading(browser, address, viewport={"width": 1280, "height": 1400}) as page:
        yield page


def test_from_the_list_to_a_player_to_a_deal_and_back(page: Page, address: str) -> None:
    page.goto(f"{address}/joueurs")
    page.get_by_role("link", name="Jean", exact=True).first.click()
    page.wait_for_url(re.compile("player=jean"))
    expect(page.get_by_role("heading", name="Par place et donne")).to_be_visible()
    results = page.locator(".linked", has_text="Toutes les donnes")
    results.locator("tbody button").first.focus()  # what a pointer opens, a key opens too
    page.keyboard.press("Enter")
    found = page.get_by_text("Donnes trouvées").first
    expect(found).to_be_visible()
    page.locator(".linked a", has_text="Relecture").first.click()
    page.wait_for_url(re.compile(r"relecture\?match=\w+&deal=\d+"))
    page.go_back()
    page.wait_for_url(re.compile("player=jean"))
    page.go_back()
    expect(page.get_by_role("heading", name="Joueurs")).to_be_visible()


@pytest.mark.soak
def test_a_name_leads_from_a_list_of_one_game_to_the_player_at_that_game(page: Page, address: str) -> None:
    """The list's filters have the names the player's page has: the way there keeps its own."""
    page.goto(f"{address}/rencontres?game=Chouine&player=Jean&lang=en")
    page.get_by_role("link", name="Jean", exact=True).first.click()
    page.wait_for_url(re.compile(r"joueurs\?player=jean&game=Chouine&lang=en"))
    expect(page.get_by_role("heading", name="Jean", exact=True)).to_be_visible()
    page.go_back()
    page.wait_for_url(re.compile(r"rencontres\?game=Chouine&player=Jean&lang=en"))


def test_a_page_loads_plotly_when_a_chart_is_in_sight(page: Page, address: str) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"{address}/joueurs")
    drawn(page)
    assert not [one for one in requested if "lotly" in one]
    page.goto(f"{address}/joueurs?player=jean&view=points")
    page.locator(".plot svg.main-svg").first.wait_for(state="attached")
    assert [one.rpartition("/")[2] for one in requested if "lotly" in one] == [PLOTLY_FILE.name]


def test_a_click_on_a_bar_lists_its_deals(page: Page, address: str) -> None:
    page.goto(f"{address}/joueurs?player=jean&view=points")
    bars = page.locator(".plot .barlayer .point path")
    bars.first.wait_for(state="attached")  # one of no deals has no height
    drawn(page)
    boxes = [box for bar in bars.all() if (box := bar.bounding_box()) is not None]
    tall = max(boxes, key=lambda box: box["height"])
    page.mouse.click(tall["x"] + tall["width"] / 2, tall["y"] + tall["height"] / 2)
    expect(page.get_by_text("Donnes trouvées")).to_be_visible()


@pytest.mark.soak
def test_all_players_are_back_with_one_click(page: Page, address: str) -> None:
    page.goto(f"{address}/joueurs?player=jean&view=luck")
    expect(page.get_by_text("Cet écart ne mesure pas le talent")).to_be_visible()
    page.get_by_role("button", name="Tous les joueurs").click()
    expect(page.get_by_role("textbox", name="Nom")).to_be_visible()
    assert "player=" not in page.url


@pytest.mark.soak
def test_a_view_is_part_of_the_address(page: Page, address: str) -> None:
    page.goto(f"{address}/joueurs?player=jean")
    page.get_by_role("radio", name="Records et rencontres").click()
    page.wait_for_url(re.compile("view="))
    page.reload()
    expect(page.get_by_role("heading", name="Records", exact=True)).to_be_visible()


@pytest.mark.soak
def test_a_hostile_name_is_text_on_its_own_page(page: Page, address: str) -> None:
    page.goto(f"{address}/joueurs?player={quote(HOSTILE.lower())}&view=results")
    expect(page.get_by_text(HOSTILE, exact=True)).to_be_visible()
    assert page.locator("b", has_text="Bobby").count() == 0


@pytest.mark.soak
def test_the_list_behind_a_figure_is_opened_and_put_away_by_keys(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/joueurs?player=jean")
    matches = page.locator(".st-key-figures button", has_text="Rencontres")
    expect(matches).to_be_visible()
    matches.focus()
    page.keyboard.press("Enter")
    found = page.get_by_text("Rencontres trouvées")
    expect(found).to_be_visible()
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    page.keyboard.press("Enter")
    expect(found).to_be_hidden()


@pytest.mark.parametrize(
    "query", ["", *(f"?player=jean&view={one}" for one in ("endgames", "points", "results"))]
)
@pytest.mark.soak
def test_columns_a_telephone_has_no_room_for_come_on_a_tap(
    browser: Browser, address: str, query: str
) -> None:
    with reading(browser, address, viewport={"width": 390, "height": 844}) as page:
        page.goto(f"{address}/joueurs{query}")
        drawn(page)  # or the last table may be another a moment later
        table = page.locator(".linked").last
        expect(table.locator("tbody tr").first).to_be_visible()
        more = table.get_by_role("button", name="Toutes les colonnes")
        heads = table.locator("thead th")
        first = heads.filter(visible=True).count()
        assert table.locator(".frame").evaluate("one => one.scrollWidth <= one.clientWidth")
        assert more.is_visible() == (first < heads.count())
        assert query or first > 2  # a list of players shows how they play
        if more.is_visible():
            more.click()
            expect(heads.filter(visible=True)).to_have_count(heads.count())
            more.click()
            expect(heads.filter(visible=True)).to_have_count(first)
