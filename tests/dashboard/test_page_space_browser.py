"""Room on a page, and its calm: filters take one line, and nothing moves the board or the pad."""

import json
from collections.abc import Iterator
from io import BytesIO

import pytest
from playwright.sync_api import Browser, Page, expect

from ingest.store import drafts
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.simulated import simulate_season
from tests.dashboard.browser import drawn, reading
from tests.dashboard.conftest import FAUTES, Show, every_table, lines, simulated
from tests.dashboard.typing import head_of
from tests.waiting import still

pytestmark = pytest.mark.browser

LOW = {"width": 1366, "height": 650}
SIZES = ((1366, 650), (390, 844))
FILTERS = """[...document.querySelectorAll(
  `[data-testid=stMain] :is(.st-key-q, .st-key-name, .st-key-game, .st-key-rules, .st-key-status,
  .st-key-file, [class*="st-key-preset-"], [class*="st-key-player_count-"], [class*="st-key-score_sheets-"]),
  [data-testid=stPopoverButton]`
)].map(one => one.getBoundingClientRect()).filter(box => box.width > 0)"""
PLACES = """all => all.map(one => {
  const { x, y, width, height } = one.getBoundingClientRect();
  return [x, y, width, height].map(Math.round);
})"""


SHIFTS = """window.shift = 0; new PerformanceObserver((list) => {
  for (const one of list.getEntries()) window.shift += one.value;
}).observe({ type: "layout-shift", buffered: true });"""


@pytest.fixture(scope="module")
def drafted() -> dict[str, str]:
    """The secret of a draft, by game."""
    return {}


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory, drafted: dict[str, str]) -> Iterator[str]:
    path = tmp_path_factory.mktemp("space") / "store.duckdb"
    season = "\n".join(map(json.dumps, simulate_season("chouine", 60, 7, "lavardin", 2))).encode()
    with Store(path) as store:
        for name, text in (("club", lines()), ("tables", every_table()), ("season", season)):
            list(ingest(store, [(f"{name}.jsonl", BytesIO(text))]))
        faulty = json.loads((FAUTES / "must-follow.json").read_bytes()) | {"id": "faulty"}
        list(ingest(store, [("faulty.json", BytesIO(json.dumps(faulty).encode()))]))
        head = head_of(simulated("chouine", "lavardin", 2)[0])
        drafted["chouine"] = drafts.create_draft(store, head)
    with show(path) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with reading(browser, address, viewport=LOW) as page:
        yield page


@pytest.mark.parametrize("name", ["joueurs", "annonces", "donnees", "rencontres", "melange"])
@pytest.mark.parametrize("width", [1366, 1280])
@pytest.mark.sample("1280-donnees")
def test_the_filters_of_a_page_are_one_line_of_40_pixels(
    page: Page, address: str, name: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{address}/{name}")
    drawn(page)
    boxes = page.evaluate(FILTERS)
    assert len(boxes) >= 4
    assert max(box["bottom"] for box in boxes) - min(box["top"] for box in boxes) <= 41
    assert max(box["right"] for box in boxes) <= width


@pytest.mark.parametrize("name", ["joueurs", "classement", "rencontres"])
@pytest.mark.sample("joueurs")
def test_a_page_opens_in_one_frame_and_has_ten_rows_in_sight(page: Page, address: str, name: str) -> None:
    page.add_init_script(SHIFTS)
    page.goto(f"{address}/{name}")
    drawn(page)
    assert page.evaluate("document.documentElement.className") == ""
    assert page.evaluate("window.shift") < 0.1
    expect(page.locator("tbody tr").nth(10)).to_be_attached()
    ends = page.locator("tbody tr").evaluate_all("all => all.map(one => one.getBoundingClientRect().bottom)")
    assert sum(end <= LOW["height"] for end in ends) >= 10


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("match", ["m1", "coinche-4-0"])
@pytest.mark.sample("coinche-4-0-390-844", "m1-1366-650")
def test_eyes_and_options_move_nothing_on_the_board(
    page: Page, address: str, match: str, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.add_init_script(SHIFTS)
    page.goto(f"{address}/relecture?match={match}&deal=1&ply=6")
    drawn(page)
    assert page.evaluate("window.shift") < 0.1
    expect(page.locator(".place").first).to_contain_text("6 /")
    still(page)
    around = ".felt, .top, .steps, .steps button, [data-act=options], [type=range]"
    parts = f"{around}, .seat, .plate"
    before, board = (page.locator(one).evaluate_all(PLACES) for one in (parts, around))
    assert len(before) > len(board) + 2
    for viewer in page.locator("select[name=viewer] option").all():  # another one sits below
        page.locator("select[name=viewer]").select_option(viewer.get_attribute("value"))
        assert page.locator(around).evaluate_all(PLACES) == board
    page.locator("select[name=viewer]").select_option(index=0)
    for number in range(page.locator(".eye").count()):
        for _ in range(2):  # closed, and open again
            page.locator(".eye").nth(number).click()
            assert page.locator(parts).evaluate_all(PLACES) == before
    page.locator("[data-act=options]").click()
    for option in ("legal", "hands", "spoiler"):
        page.locator(f".options [name={option}]").click()
        assert page.locator(parts).evaluate_all(PLACES) == before


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.sample("1366-650")
def test_a_finding_moves_nothing_of_the_board(page: Page, address: str, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{address}/relecture?match=faulty&deal=1&ply=0")
    drawn(page)
    expect(page.locator(".place").first).to_contain_text("0 /")
    still(page)
    around = ".felt, .top, .steps"
    before = page.locator(around).evaluate_all(PLACES)
    assert len(before) == 3
    page.locator("[type=range]").fill("25")
    expect(page.locator(".found li")).to_be_visible()
    assert page.locator(around).evaluate_all(PLACES) == before


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.sample("390-844")
def test_a_warning_moves_no_card_of_the_pad(
    page: Page, address: str, drafted: dict[str, str], width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{address}/saisir?draft={drafted['chouine']}&lang=fr")
    expect(page.locator(".acts [data-do=help]")).to_be_visible()
    still(page)
    before = page.locator(".tile").evaluate_all(PLACES)
    assert len(before) >= 32
    page.keyboard.type("mh")  # there is no card yet to go with it
    expect(page.locator(".messages")).not_to_be_empty()
    assert page.locator(".tile").evaluate_all(PLACES) == before
    page.keyboard.type("9h")
    expect(page.locator(".talk li")).to_have_count(1)
    assert page.locator(".tile").evaluate_all(PLACES) == before


def test_a_tooltip_goes_when_its_element_is_left(page: Page, address: str) -> None:
    page.goto(f"{address}/donnees")
    drawn(page)
    page.locator("[data-testid=stTooltipIcon]").first.hover()
    expect(page.get_by_test_id("stTooltipContent")).to_be_visible()
    page.get_by_role("heading", level=1).hover()
    expect(page.get_by_test_id("stTooltipContent")).to_have_count(0)
