"""Parts of the board do not overlap, and texts are legible, at every size."""

import json
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.slow_path import validate
from tests.dashboard.browser import reading
from tests.dashboard.conftest import FAUTES, Show, every_table, lines, simulated
from tests.waiting import comes, still, until

pytestmark = pytest.mark.browser

MUST_RUFF = FAUTES / "must-ruff.json"
SIZES = (
    *((1366, 650), (1280, 900), (1024, 768), (844, 390), (683, 384), (390, 844)),
    *((640, 360), (320, 568)),
)
TABLES = (
    *("m1", "mondoubleau-2-0", "chouine-3-0", "chouine-4-0", "coinche-4-0"),
    *("chouineurs-2-0", "chouineurs-3-0", "chouineurs-4-0", "chouineurs-5-0"),
    *("belote-4-0", "coinchee-4-0"),
)

LONG = ("Marie-Françoise D.", "Jean-Christophe L.", "Éléonore Desœuvres", "Pierre-Emmanuel B.")
"""Names that two of a side have no room for."""

WHOLE = """panel => {
  const shown = [...panel.children]
    .map(one => one.getBoundingClientRect())
    .filter(box => box.width && box.height);
  return shown.length > 3 && shown.every(box =>
    box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight);
}"""
"""Whether every option that is shown lies in the window."""


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path: Path = tmp_path_factory.mktemp("apart") / "store.duckdb"
    match = simulated("coinche", "tournoi-2018", 4)[0]
    called = [one | {"name": name} for one, name in zip(match["players"], LONG, strict=True)]
    long = json.dumps(match | {"id": "coinche-long", "players": called}).encode()
    files = {"club": lines(), "tables": every_table(), "long": long}
    with Store(path) as store:
        list(ingest(store, [(f"{name}.jsonl", BytesIO(text)) for name, text in files.items()]))
        list(ingest(store, [MUST_RUFF]))
    with show(path) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with reading(browser, address, reduced_motion="reduce") as page:
        yield page


def open_at(page: Page, address: str, match: str, ply: int, more: str = "") -> None:
    page.goto(f"{address}/relecture?match={match}&deal=1&ply={ply}{more}")
    at(page, ply)
    expect(page.locator(".place")).to_be_visible()


def at(page: Page, ply: int) -> None:
    expect(page.locator(".place")).to_have_text(re.compile(f"^{ply} /"))


def resize(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    until(page, f"() => innerWidth === {width} && innerHeight === {height}")
    still(page)  # where the sidebar is closed for want of room it has gone then


SEPARATE = """board => {
  const kinds = {
    plate: ".plate", facts: ".facts", note: ".note", bid: ".bid", side: ".side", calls: ".auction",
    name: "figcaption", lines: ".lines", hand: ".hand .card", trick: ".trick-card .card",
    pile: ".pile .card",
  };
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  const boxes = Object.entries(kinds).flatMap(([kind, selector]) =>
    [...board.querySelectorAll(selector)]
      .filter((one) => seen(one) && one.getBoundingClientRect().width > 1)
      .map((one) => ({ kind, one, box: one.getBoundingClientRect() })));
  const wrong = [];
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    const cards = a.kind === b.kind && ["hand", "trick", "pile"].includes(a.kind);
    if (cards || a.one.contains(b.one) || b.one.contains(a.one)) return;
    const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    const both = `${a.kind} ${a.one.textContent} lies on ${b.kind} ${b.one.textContent}`;
    if (across > 2 && down > 3) wrong.push(both);
  }));
  for (const bid of board.querySelectorAll(".bid")) {
    const [own, foot] = [bid, bid.parentElement].map((one) => one.getBoundingClientRect());
    const beside = own.left < foot.left - 1 || own.right > foot.right + 1;
    const below = own.top < foot.top - 1 || own.bottom > foot.bottom + 1;
    if (beside || below) wrong.push(`${bid.textContent} is cut`);
  }
  for (const call of board.querySelectorAll(".auction td")) {
    if (seen(call) && call.scrollWidth > call.clientWidth) wrong.push(`${call.textContent} is cut`);
  }
  return wrong;
}"""
"""What of a board lies on something else, or is cut. Cards lie on cards of the same place."""


def lies(page: Page) -> list[str]:
    """The same of the board of a page, once it lies as it will: cards move when a window does."""
    still(page)
    found: list[str] = page.locator(".board").evaluate(SEPARATE)
    return found


@pytest.mark.parametrize("at_page", ["/relecture?match={}&deal=1&ply=0", "/r/{}?embed"])
@pytest.mark.soak
def test_long_names_of_a_side_lie_on_no_hand(page: Page, address: str, at_page: str) -> None:
    page.goto(address + at_page.format("coinche-long"))
    for width, height in ((1366, 650), (900, 640), (1280, 900), (390, 844)):
        resize(page, width, height)
        for ply in (0, 12):
            page.locator("[type=range]").fill(str(ply))
            at(page, ply)
            found = lies(page)
            assert found == [], f"{width} × {height}, state {ply}"
    assert page.locator(".side .name").first.get_attribute("title") == f"{LONG[0]} + {LONG[2]}"


@pytest.mark.parametrize("match", TABLES)
@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.sample("390-844-chouineurs-5-0")
def test_nothing_lies_on_anything_else(page: Page, address: str, match: str, width: int, height: int) -> None:
    open_at(page, address, match, 0)
    end = int(page.locator("[type=range]").get_attribute("max") or "")
    resize(page, width, height)
    for ply in (0, 4, end // 2 + 1, end):
        page.locator("[type=range]").fill(str(ply))
        at(page, ply)
        assert lies(page) == [], f"state {ply}"


def is_whole(one: Locator) -> bool:
    """Whether all of a text is in its box, and the box in the window."""
    return bool(
        one.evaluate(
            "one => { const { left, right, top, bottom } = one.getBoundingClientRect();"
            " return one.scrollWidth <= one.clientWidth + 1 && left >= 0 && top >= 0"
            " && right <= innerWidth && bottom <= innerHeight }"
        )
    )


@pytest.mark.parametrize(("width", "height"), [(1366, 650), (1024, 768), (844, 390), (390, 844)])
@pytest.mark.soak
def test_which_match_and_deal_it_is_can_be_read(page: Page, address: str, width: int, height: int) -> None:
    resize(page, width, height)
    open_at(page, address, "chouine-3-0", 0)
    for player in page.locator(".match .player").all():
        assert player.evaluate(
            "one => one.getBoundingClientRect().right <= one.closest('.names').getBoundingClientRect().right"
        )
    deal = page.locator(".of")
    if deal.is_visible():
        expect(deal).to_have_text(re.compile(r"^(Donne )?1/\d+$"))
        assert is_whole(deal)
    else:
        assert is_whole(page.locator("[name=deal]"))
    open_at(page, address, validate(MUST_RUFF.read_bytes()).match_id, 0)
    expect(page.locator(".state")).to_have_text("irrégulière")
    assert is_whole(page.locator(".state"))


@pytest.mark.soak
def test_who_led_is_shown_at_the_plate(page: Page, address: str) -> None:
    open_at(page, address, "chouineurs-4-0", 1)
    names = page.locator(".seat .name").all_inner_texts()
    assert sorted(page.locator(".trick-card figcaption").all_text_contents()) == sorted(names)
    led = page.locator(".tag.lead:not(.away)")
    expect(led).to_have_attribute("title", "entame")
    first = page.locator(".seat", has=led).locator(".tag", has_text="ouvre")
    expect(first).to_have_count(1)  # who leads the first trick opened, and goes on being said so
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".tag", has_text="ouvre")).to_have_count(1)


@pytest.mark.parametrize(
    ("language", "reported"),
    [("fr", {"0 point", "1 point", "2 points"}), ("en", {"0 points", "1 point", "2 points"})],
)
@pytest.mark.soak
def test_one_point_is_no_points(page: Page, address: str, language: str, reported: set[str]) -> None:
    open_at(page, address, "chouineurs-2-0", 0, f"&lang={language}")
    found = set()
    for ply in range(12):
        page.locator("[type=range]").fill(str(ply))
        at(page, ply)
        texts = page.locator(".plate .points").all_text_contents()
        found |= {text.replace("\xa0", " ") for text in texts}
    assert reported <= found


@pytest.mark.soak
def test_no_line_ends_within_a_score(page: Page, address: str) -> None:
    open_at(page, address, "m1", 0)
    result = page.locator(".event-at").all_text_contents()
    assert any("\xa0points" in text for text in result)
    assert any("\xa0–\xa0" in text for text in result)
    assert [text for text in result if re.search(r"\d (points?\b|– \d)", text)] == []


@pytest.mark.soak
def test_a_sentence_is_not_cut_through_its_letters(page: Page, address: str) -> None:
    for width, height in ((390, 844), (320, 568), (844, 390), (1366, 650)):
        resize(page, width, height)
        open_at(page, address, "m1", 0)
        page.keyboard.press("End")
        counted = page.locator(".event").evaluate(
            "one => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).lineHeight)"
        )
        assert counted == pytest.approx(round(counted), abs=0.02), (width, height)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (320, 568), (844, 390)])
@pytest.mark.sample("390-844")
def test_options_lie_over_the_board_and_escape_closes_them(
    page: Page, address: str, width: int, height: int
) -> None:
    resize(page, width, height)
    open_at(page, address, "m1", 0)
    page.locator("[data-act=options]").click()
    # one question a time: which of them are shown changes while the page finds its width
    panel = page.locator(".options")
    expect(panel).to_be_visible()
    comes(lambda: panel.evaluate(WHOLE), "all of the options", page)
    page.keyboard.press("Escape")
    expect(page.locator(".options")).to_be_hidden()
    expect(page.locator("[data-act=options]")).to_be_focused()
    page.keyboard.press("ArrowRight")
    at(page, 1)


@pytest.mark.soak
def test_cards_use_the_width_there_is(page: Page, address: str) -> None:
    open_at(page, address, "coinche-4-0", 0)
    resize(page, 1920, 1000)
    page.keyboard.press("z")
    shown = page.locator(".own .hand .card:not(:last-child)").evaluate_all(
        "all => Math.min(...all.map(one => one.getBoundingClientRect().width))"
    )
    assert shown > 60
    resize(page, 1366, 650)
    page.locator("[type=range]").fill("14")  # a whole trick lies there
    at(page, 14)
    top, below = (page.locator(f".trick-card.place-{place} .card").bounding_box() for place in (2, 0))
    assert top is not None
    assert below is not None
    assert below["y"] > top["y"] + 0.5 * top["height"]


@pytest.mark.soak
def test_at_five_times_the_size_cards_and_controls_are_scrolled_to(page: Page, address: str) -> None:
    resize(page, 273, 130)
    open_at(page, address, "coinche-4-0", 12)
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth") <= 273
    card = page.locator(".own .hand .card").first
    card.scroll_into_view_if_needed()
    expect(card).to_be_in_viewport(ratio=0.9)
    page.locator("[data-act=next]").click()
    at(page, 13)


def test_the_card_played_against_the_rules_is_marked(page: Page, address: str) -> None:
    log = validate(MUST_RUFF.read_bytes())
    page.goto(f"{address}/verificateur?match={log.match_id}&finding=1")
    at(page, log.findings[0].action_index or 0)
    word = str(log.findings[0].found).partition(" ")[2]
    expect(page.locator(".hand .tried")).to_have_attribute("data-card", word)
    assert page.locator(".hand .barred").count() > 0
    for width, height in ((844, 390), (683, 384)):
        resize(page, width, height)
        comes(lambda: lies(page) == [], "a board whose parts lie apart", page)
