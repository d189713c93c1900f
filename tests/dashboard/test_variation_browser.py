"""Variations and puzzles played in Chromium."""

import json
import re
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from engine.solver import solve_deal
from engine.solver_results import EndgameReport
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.slow_path import validate
from tests.dashboard.browser import reading
from tests.dashboard.conftest import Show, documents, every_table, lines
from tests.waiting import comes, until

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path: Path = tmp_path_factory.mktemp("own-line") / "store.duckdb"
    with Store(path) as store:
        files = {"club": lines(), "tables": every_table()}
        list(ingest(store, [(f"{name}.jsonl", BytesIO(text)) for name, text in files.items()]))
    with show(path) as address:
        # the server compiles what plays against the reader, once a machine, and answers 503 meanwhile
        for game in ("m0/1/0", "coinche-4-0/1/0"):
            comes(partial(is_ready, f"{address}/r/{game}/suite"), f"the code of {game}")
        yield address


def is_ready(url: str) -> bool:
    """Whether a page is answered, neither *being compiled* nor *too often*."""
    return httpx.get(url, follow_redirects=True).status_code == 200


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with reading(browser, address, reduced_motion="reduce") as page:
        yield page


@pytest.fixture(scope="module")
def closed() -> int:
    """Where the closed phase of the first deal of the first match begins."""
    replay = validate(json.dumps(documents()[0]).encode()).replays[0]
    assert replay is not None
    solved = solve_deal(replay)
    assert isinstance(solved, EndgameReport)
    return solved.first_action


def line_of(page: Page) -> list[str]:
    """What the address says was done."""
    return [one for one in parse_qs(urlsplit(page.url).query).get("actions", [""])[0].split(",") if one]


def moved(page: Page, before: str) -> None:
    until(page, f"() => location.href !== {before!r} && document.querySelector('.acts')")
    expect(page.locator(".by")).not_to_have_text("Un instant…")


def over(page: Page) -> bool:
    return "La donne est finie" in (page.locator(".by").text_content() or "")


@pytest.mark.soak
def test_a_closed_phase_is_played_to_its_end_with_the_mouse(page: Page, address: str, closed: int) -> None:
    page.goto(f"{address}/r/m0/1/{closed}/suite")
    expect(page.locator(".acts button").first).to_be_visible()
    # the hand across lies face down, as at the table
    across = page.locator(".others .hand .card img")
    assert {one.get_attribute("alt") for one in across.all()} >= {"carte cachée"}
    page.get_by_label("Mains découvertes").check()
    assert "carte cachée" not in {one.get_attribute("alt") for one in across.all()}
    page.get_by_label("Mains découvertes").uncheck()
    played = 0
    while not over(page):
        before = page.url
        page.locator(".seats.own .hand .card.legal").first.click()
        moved(page, before)
        played += 1
        assert len(line_of(page)) >= played
        assert played <= 5
    assert played >= 4
    expect(page.locator(".own-line .both tr")).to_have_count(4)
    expect(page.locator(".own-line .both")).to_contain_text("Meilleur jeu de tous")
    # both lines are one click away
    page.get_by_role("button", name="La donne telle que jouée").click()
    expect(page.locator(".place")).to_have_text(re.compile(f"^{closed} /"))
    page.get_by_role("button", name="Revenir à votre suite").click()
    expect(page.locator(".by")).to_contain_text("La donne est finie")
    # the way back takes a card back
    whole = line_of(page)
    before = page.url
    page.go_back()
    moved(page, before)
    expect(page.locator(".seats.own .hand .card.legal").first).to_be_visible()
    assert len(line_of(page)) < len(whole)
    assert whole[: len(line_of(page))] == line_of(page)


@pytest.mark.soak
def test_after_each_card_there_is_something_to_do_again_where_things_move(
    browser: Browser, address: str, closed: int
) -> None:
    with reading(browser, address, reduced_motion="no-preference") as page:
        page.goto(f"{address}/r/m0/1/{closed}/suite")
        for _ in range(2):
            expect(page.locator(".acts > [data-word]").first).to_be_visible()
            before = page.url
            page.keyboard.press("1")
            moved(page, before)
            # the others answer one by one, and then it is the reader's turn
            expect(page.locator(".acts [data-act='undo']")).to_be_visible()
        expect(page.locator(".acts > [data-word]").first).to_be_visible()


def test_it_is_played_with_keys_too_and_a_link_shares_it(page: Page, address: str, closed: int) -> None:
    page.goto(f"{address}/r/m0/1/{closed}")
    expect(page.locator(".place")).to_have_text(re.compile(f"^{closed} /"))
    page.keyboard.press("e")
    page.wait_for_url(re.compile(f"/{closed}/suite"))
    expect(page.locator(".acts [data-number='1']")).to_be_visible()
    while not over(page):
        before = page.url
        page.keyboard.press("1")
        moved(page, before)
    whole, at = line_of(page), page.url
    before = page.url
    page.keyboard.press("u")
    moved(page, before)
    assert len(line_of(page)) < len(whole)
    page.goto(at)
    expect(page.locator(".by")).to_contain_text("La donne est finie")
    assert line_of(page) == whole
    # from an earlier position of it another line begins
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Jouer la suite d’ici").click()
    until(page, f"() => location.href !== {at!r}")
    expect(page.locator(".acts [data-number='1']")).to_be_visible()


@pytest.mark.soak
def test_bids_and_whose_seat_is_played_are_chosen(page: Page, address: str) -> None:
    page.goto(f"{address}/r/coinche-4-0/1/0/suite")
    bids = page.locator(".acts > .chip[data-word*='bid']")
    expect(bids.first).to_be_visible()
    assert bids.count() == 48
    before = page.url
    page.locator(".acts > .chip[data-word$='pass']").click()
    moved(page, before)
    assert line_of(page)[0].endswith(".pass")
    before = page.url
    page.get_by_label("Vous jouez").select_option("0")
    moved(page, before)
    assert parse_qs(urlsplit(page.url).query)["seat"] == ["0"]
    expect(page.get_by_label("Mains découvertes")).to_be_hidden()


SIZES = ((1366, 650), (1280, 900), (390, 844), (844, 390), (320, 568))


@pytest.mark.parametrize("path", ["/r/coinche-4-0/1/0/suite", "/r/m0/1/24/suite", "question"])
@pytest.mark.soak
def test_nothing_is_wider_than_the_window_at_any_size(page: Page, address: str, path: str) -> None:
    page.goto(f"{address}/r/trouver" if path == "question" else address + path)
    expect(page.locator(".acts .chip").first).to_be_visible()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        until(page, f"() => innerWidth === {width}")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{width} × {height}: {wide}"
        page.locator(".acts .chip").first.scroll_into_view_if_needed()
        box = page.locator(".acts .chip").first.bounding_box()
        assert box is not None
        assert box["height"] >= 36  # a thumb finds it
        felt = page.locator(".felt").bounding_box()
        assert felt is not None
        assert felt["height"] >= 100


@pytest.mark.parametrize("width", [1366, 390])
@pytest.mark.soak
def test_a_long_table_wraps_and_nothing_lies_over_its_rows(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 650})
    page.goto(f"{address}/r/trouver")
    page.locator(".acts [data-card-of]").first.click()
    page.wait_for_url(re.compile(r"[?&]card="))
    # as where much is announced before a card, or somebody has a long name
    page.evaluate(
        """() => document.querySelectorAll('.both :is(td, th[scope=row])').forEach((one, i) => {
            one.textContent = (i % 2 ? 'tierce de roi '.repeat(20) : 'n'.repeat(200)); })"""
    )
    result = page.evaluate(
        """() => { const table = document.querySelector('.both');
            return [document.documentElement.scrollWidth, table.getBoundingClientRect().right
                - table.parentElement.getBoundingClientRect().right]; }"""
    )
    assert result[0] <= width
    assert result[1] <= 0.5
    page.locator(".both tr").last.scroll_into_view_if_needed()
    row, line = page.locator(".both tr").last.bounding_box(), page.locator(".onward").bounding_box()
    assert row is not None
    assert line is not None
    assert row["y"] + row["height"] <= line["y"] + 0.5


@pytest.mark.soak
def test_on_a_telephone_names_stand_above_hands_and_an_answer_comes_into_view(
    page: Page, address: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/r/trouver")
    plate = page.locator(".seats.own .plate").bounding_box()
    hand = page.locator(".seats.own .hand").bounding_box()
    assert plate is not None
    assert hand is not None
    assert plate["y"] + plate["height"] <= hand["y"] + 1
    cut = "[...document.querySelectorAll('.facts dt')].filter((e) => e.scrollWidth > e.clientWidth)"
    assert page.evaluate(f"{cut}.map((one) => one.textContent)") == []
    page.locator(".acts [data-card-of]").first.click()
    page.wait_for_url(re.compile(r"[?&]card="))
    expect(page.locator(".both tr").last).to_be_in_viewport(ratio=1)
    expect(page.locator(".question .by")).to_be_in_viewport(ratio=1)


@pytest.mark.soak
def test_keys_that_do_nothing_on_a_page_are_not_in_its_list(page: Page, address: str, closed: int) -> None:
    listed = {}
    for path in (f"m0/1/{closed}", f"m0/1/{closed}/suite", "trouver"):
        page.goto(f"{address}/r/{path}")
        expect(page.locator(".place")).to_have_text(re.compile("/"))
        listed[path] = {*page.locator("dialog .keys kbd").all_text_contents()}
    replay, own, question = listed.values()
    assert {"W", "B", "E", "H"} <= replay
    assert "H" in own & question
    assert not {"W", "B", "E"} & (own | question)


def test_a_question_is_answered_by_touching_a_card(page: Page, address: str) -> None:
    page.goto(f"{address}/r/trouver")
    expect(page.locator("h1")).to_contain_text("À vous de jouer pour")
    question = page.url
    count = page.locator(".acts [data-card-of]").count()
    assert page.locator(".seats.own .hand .card.legal").count() == count
    items = []
    for number in range(1, count + 1):
        page.goto(question)
        if number == 1:
            page.locator(".seats.own .hand .card.legal").first.click()
        else:
            page.keyboard.press(str(number))
        page.wait_for_url(re.compile(r"[?&]card="))
        items.append("right" in (page.locator(".own-line .by").get_attribute("class") or ""))
        expect(page.locator(".own-line .both tr")).to_have_count(count + 1)
    assert set(items) == {True, False}
    # the first answer alone counts
    expect(page.locator(".score")).to_have_text(f"Justes\u00a0: {int(items[0])} sur 1")
    # the line that holds is stepped through, and that of the deal
    ply = int((page.locator(".place").text_content() or "").split("/")[0])
    page.keyboard.press("ArrowRight")
    expect(page.locator(".place")).to_have_text(re.compile(f"^{ply + 1} /"))
    page.get_by_role("button", name="La donne telle que jouée").click()
    expect(page.locator(".place")).to_have_text(re.compile(f"^{ply} /"))
    page.keyboard.press("1")
    page.wait_for_url(re.compile(r"/trouver(?!\?.*card=)"))
    assert page.url.split("?")[0] != question.split("?")[0]
    expect(page.locator(".score")).to_have_text(f"Justes\u00a0: {int(items[0])} sur 1")
