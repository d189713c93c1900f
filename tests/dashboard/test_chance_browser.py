"""The win chance of a card on the board: on request, with its error, for whom it may be shown."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from ingest import sample
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.browser import reading
from tests.dashboard.conftest import Show

pytestmark = pytest.mark.browser

DATA = Path(__file__).parents[2] / "data"
LOG = DATA / "exemple-lavardin.json"


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path: Path = tmp_path_factory.mktemp("chance") / "store.duckdb"
    with Store(path) as store:
        list(ingest(store, [LOG, DATA / "match-chouineurs.json"]))
    with show(path) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with reading(browser, address, reduced_motion="reduce") as page:
        yield page


def test_a_card_is_compared_in_the_words_of_the_command(page: Page, address: str) -> None:
    output = sample(str(LOG), 0, 4)
    page.goto(f"{address}/r/exemple-lavardin/1/5?lang=en")
    ask = page.get_by_role("button", name="Probabilities (C)")
    ask.click()
    result = page.locator(".chance")
    expect(result.locator("p")).to_contain_text(
        "From Jean’s view: of 1,000 possible deals, played to the end by a simple", timeout=120_000
    )
    cards = [card for card in output.sampled.cards if card.card != output.sampled.played]  # type: ignore[union-attr]
    lines: Counter[str] = Counter()  # cards with the same words share a line
    for card in cards:
        less = abs(100 * card.won.difference)
        won = f"won {less:.{1 if less < 10 else 0}f} ±"
        lines[won if card.won.is_significant else "no difference that 1,000 deals could show"] += 1
    for shown, (line, count) in zip(result.locator("li").all(), lines.items(), strict=True):
        expect(shown.locator("span")).to_contain_text(line)
        assert shown.locator("b").inner_text().count(",") == count - 1
    expect(ask).to_be_hidden()
    assert not Axe().run(page).response["violations"]
    page.keyboard.press("ArrowRight")
    expect(ask).to_be_visible()
    expect(result.locator("li")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(result.locator("li")).to_have_count(len(lines))


@pytest.mark.parametrize(("width", "height"), [(1366, 650), (1280, 900), (390, 844)])
@pytest.mark.soak
def test_one_key_asks_and_all_of_the_answer_is_in_sight(
    page: Page, address: str, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{address}/relecture?match=exemple-lavardin&deal=1&ply=5&lang=en")
    ask = page.get_by_role("button", name="Probabilities (C)")
    expect(ask).to_be_visible()
    page.locator("[data-act=next]").focus()
    page.keyboard.press("c")
    result = page.locator(".chance")
    expect(result.locator("li").first).to_be_visible(timeout=120_000)
    for one in (*result.locator("li").all(), result.get_by_role("button")):
        expect(one).to_be_in_viewport(ratio=0.99)
    result.get_by_role("button").click()
    expect(result).to_be_hidden()
    expect(ask).to_be_visible()


def test_one_player_reads_of_own_cards_alone(page: Page, address: str) -> None:
    actions = json.loads(LOG.read_text("utf-8"))["deals"][0]["actions"]
    seat = int(actions[4].partition(" ")[0])
    for viewer in (1, 2):
        page.goto(f"{address}/r/exemple-lavardin/1/5?lang=en&view={viewer}")
        expect(page.locator(".place")).to_contain_text("5 /")
        ask = page.get_by_role("button", name="Probabilities (C)")
        expect(ask).to_be_visible(visible=viewer == seat)


@pytest.mark.soak
def test_what_lays_no_card_and_what_is_not_sampled_have_no_button(page: Page, address: str) -> None:
    page.goto(f"{address}/r/exemple-lavardin/1/0?lang=en")
    expect(page.locator(".place")).to_contain_text("0 /")
    expect(page.locator("[data-act=odds]")).to_be_hidden()
    page.goto(f"{address}/r/match-chouineurs/1/5?lang=en")
    expect(page.locator(".place")).to_contain_text("5 /")
    expect(page.locator("[data-act=odds]")).to_be_hidden()
