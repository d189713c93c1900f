"""One walk through the dashboard in Chromium: upload, replay by keys, come back by the address."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.browser import reading
from tests.dashboard.conftest import FAUTES, Show, every_table, lines
from tests.waiting import still, until

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose store has every match but the first, and every other table."""
    folder = tmp_path_factory.mktemp("served")
    known = b"".join(lines().splitlines(keepends=True)[1:])
    with Store(folder / "store.duckdb") as store:
        list(ingest(store, [("known.jsonl", BytesIO(known))]))
        list(ingest(store, [("tables.jsonl", BytesIO(every_table()))]))
    with show(folder / "store.duckdb") as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with reading(browser, address) as page:
        yield page


def place(page: Page) -> str:
    return page.locator(".place").inner_text()


def query(page: Page) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def upload(page: Page, address: str, *files: Path) -> None:
    page.goto(f"{address}/deposer")
    page.locator("input[type=file]").set_input_files([str(file) for file in files])
    for file in files:
        expect(page.get_by_text(file.name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Envoyer les fichiers").click()
    expect(page.get_by_text("Refusées")).to_be_visible()


def test_upload_replay_by_keys_and_come_back(page: Page, address: str, tmp_path: Path) -> None:
    club = tmp_path / "club.jsonl"
    club.write_bytes(lines())
    upload(page, address, club)
    page.get_by_role("link", name="Revoir la première rencontre").click()
    event = page.locator(".event")
    expect(event).to_contain_text("donne, ")
    expect(page.locator(".place")).to_have_text(re.compile(r"^0 / \d+$"))
    last = int(place(page).split(" / ")[1])

    for _ in range(15):  # faster than any server would answer
        page.keyboard.press("ArrowRight")
    expect(page.locator(".place")).to_have_text(f"15 / {last}")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".place")).to_have_text(f"14 / {last}")
    page.keyboard.press("]")
    after = int(place(page).split(" / ")[0])
    assert after > 14
    page.keyboard.press("[")
    assert int(place(page).split(" / ")[0]) < after
    page.keyboard.press("End")
    expect(event).to_contain_text("gagne la partie")
    page.keyboard.press("Home")
    expect(page.locator(".place")).to_have_text(f"0 / {last}")

    page.get_by_role("button", name="Avancer (→)").click()
    page.locator("input[type=range]").fill("12")
    expect(page.locator(".place")).to_have_text(f"12 / {last}")
    expect(event).not_to_be_empty()
    result = event.inner_text()
    page.wait_for_url(re.compile(r"[?&]ply=12\b"))
    assert query(page)["deal"] == "1"
    assert query(page)["lang"] == "fr"

    page.reload()
    expect(page.locator(".place")).to_have_text(f"12 / {last}")
    expect(event).to_have_text(result)

    until(
        page,
        """() => [...document.querySelectorAll(".seat img")].every(
            (one) => one.complete && one.naturalWidth > 0)""",
    )
    page.get_by_role("button", name="Cacher la main").first.click()
    expect(page.locator(".others img[alt='carte cachée']").first).to_be_visible()
    expect(page.locator(".own img[alt='carte cachée']")).to_have_count(0)


def test_language_changes_without_losing_the_place(page: Page, address: str) -> None:
    page.goto(f"{address}/relecture?match=m1&deal=2&ply=9&lang=fr")
    expect(page.locator(".place")).to_have_text(re.compile("^9 /"))
    page.keyboard.press("ArrowRight")
    page.get_by_text("en", exact=True).click()
    expect(page.get_by_role("heading", name="Replay")).to_be_visible()
    expect(page.locator(".event")).to_contain_text(re.compile("plays|announces|exchanges"))
    expect(page.locator(".place")).to_have_text(re.compile("^10 /"))
    page.wait_for_url(re.compile("lang=en"))
    assert (query(page)["deal"], query(page)["ply"]) == ("2", "10")


@pytest.mark.soak
def test_another_deal_begins_at_its_beginning(page: Page, address: str) -> None:
    page.goto(f"{address}/relecture?match=m1&deal=2&ply=9")
    expect(page.locator(".place")).to_have_text(re.compile("^9 /"))
    page.get_by_role("combobox", name="Donne").select_option(index=2)
    expect(page.locator(".place")).to_have_text(re.compile("^0 /"))
    page.wait_for_url(re.compile("deal=3"))
    assert query(page)["ply"] == "0"
    # keys typed into a field are text, not steps
    page.get_by_role("combobox", name="Donne").focus()
    page.keyboard.press("ArrowRight")
    assert place(page).startswith("0 /")


@pytest.mark.soak
def test_a_fault_is_met_where_it_happens(page: Page, address: str) -> None:
    upload(page, address, FAUTES / "must-follow.json")
    page.get_by_role("link", name="Revoir la première rencontre").click()
    finding = page.locator(".findings button").first
    expect(finding).to_contain_text("CH-8")
    finding.click()
    expect(page.locator(".found")).to_contain_text("CH-8")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".found")).not_to_contain_text("CH-8")


@pytest.mark.soak
def test_a_narrow_screen_needs_no_sideways_scrolling(browser: Browser, address: str) -> None:
    narrow = {"width": 390, "height": 844}
    with reading(browser, address, locale="en-GB", viewport=narrow, color_scheme="dark") as page:
        page.goto(f"{address}/relecture?match=m2&ply=20")
        expect(page.locator(".event")).not_to_be_empty()
        for name in (".board", ".bar", ".seat", ".middle", ".hand"):
            for box in page.locator(name).all():
                found = box.bounding_box()
                assert found is not None
                assert found["x"] >= 0
                assert found["x"] + found["width"] <= 390, name
        last = page.locator(".hand img").last.bounding_box()
        assert last is not None
        assert last["x"] + last["width"] <= 390
        for button in page.locator(".bar button").all():
            found = button.bounding_box()
            assert found is not None
            assert min(found["width"], found["height"]) >= 36  # wide enough for a thumb


GAMES = ("chouine-3", "chouine-4", "mondoubleau-2", "coinche-4", "chouineurs-2", "chouineurs-5")


@pytest.mark.parametrize("match", GAMES)
@pytest.mark.soak
def test_every_game_steps_from_beginning_to_end(page: Page, address: str, match: str) -> None:
    page.goto(f"{address}/relecture?match={match}-0&deal=1")
    expect(page.locator(".place")).to_have_text(re.compile(r"^0 / \d+$"))
    last = int(place(page).split(" / ")[1])
    items = set()
    for ply in range(1, last + 1):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".place")).to_have_text(f"{ply} / {last}")
        items.add(page.locator(".event").inner_text())
        assert page.locator(".board img").evaluate_all("all => all.every(one => one.alt)")
    assert len(items) > last / 2
    pictures = "all => Promise.all(all.map(one => one.decode())).then(() => all.length)"
    assert page.locator(".board img").evaluate_all(pictures) >= int(match[-1])
    page.keyboard.press("Home")
    assert page.locator(".hand img").evaluate_all(pictures) >= 3 * int(match[-1])


Box = dict[str, float]
PARTS = (".seat", ".hand img", ".trick-card img", ".side", ".auction table", ".bid", ".tag")


@pytest.fixture(scope="module")
def boxes_of(browser: Browser, address: str) -> Callable[[str], dict[int, dict[str, list[Box]]]]:
    """The boxes of a board and of its parts on a screen of each width."""

    @cache
    def look(match: str) -> dict[int, dict[str, list[Box]]]:
        with reading(browser, address) as page:
            page.goto(f"{address}/relecture?match={match}-0&deal=1&ply=6")
            expect(page.locator(".event")).not_to_be_empty()
            return {width: boxes(page, width) for width in (1280, 390)}

    def boxes(page: Page, width: int) -> dict[str, list[Box]]:
        page.set_viewport_size({"width": width, "height": 900})
        until(page, f"() => innerWidth === {width}")
        still(page)
        of_all = "all => all.map(one => one.getBoundingClientRect().toJSON())"
        names = (".board", *PARTS)
        return {name: page.locator(f"{name}:visible").evaluate_all(of_all) for name in names}

    return look


@pytest.mark.parametrize("match", GAMES)
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.soak
def test_every_board_fits_its_screen(
    boxes_of: Callable[[str], dict[int, dict[str, list[Box]]]], match: str, width: int
) -> None:
    found = boxes_of(match)[width]
    [board] = found[".board"]
    assert board["x"] >= 0
    assert board["x"] + board["width"] <= width
    assert board["width"] > width / 2
    for name in PARTS:
        for box in found[name]:
            assert box["x"] >= board["x"], name
            assert box["x"] + box["width"] <= board["x"] + board["width"] + 1, name


@pytest.mark.soak
def test_partners_face_each_other_on_a_wide_screen(page: Page, address: str) -> None:
    page.goto(f"{address}/relecture?match=coinche-4-0&deal=1&ply=12")
    expect(page.locator(".event")).not_to_be_empty()
    boxes = [page.locator(f".seat.place-{seat}").bounding_box() for seat in range(4)]
    south, east, north, west = (box for box in boxes if box is not None)
    assert north["y"] < west["y"] == east["y"] < south["y"]
    assert west["x"] < south["x"] == north["x"] < east["x"]


@pytest.mark.soak
def test_a_row_of_the_list_opens_its_replay(page: Page, address: str) -> None:
    page.goto(f"{address}/rencontres?q=m4&lang=en")
    page.locator(".linked a", has_text="Replay").first.click()
    expect(page.locator(".event")).to_contain_text("deals, ")
    assert query(page)["lang"] == "en"
