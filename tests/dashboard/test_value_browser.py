"""Endgame values on the board in Chromium: loss, refutation, and who may see them."""

import json
import re
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from dashboard.board.offline_replay import offline_page
from dashboard.board.solver_thread import deal_value
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.slow_path import validate
from ingest.validate.solver_report import solved_deals
from tests.dashboard.browser import reading
from tests.dashboard.conftest import Show, documents, every_table, lines, simulated

pytestmark = pytest.mark.browser

FRENCH = translator("fr", "dashboard")
MATCHES = {"m0": documents()[0], "coinche-4-0": simulated("coinche", "tournoi-2018", 4)[0]}


class Lost(NamedTuple):
    """A card that lost points, as the board has it."""

    match: str
    deal: int
    reported: dict[str, Any]
    line: dict[str, Any]

    @property
    def ply(self) -> int:
        return int(self.line["at"])

    @property
    def wording(self) -> str:
        return str(self.reported["plays"][self.ply]["text"])


def first_lost(match: str) -> Lost:
    log = validate(json.dumps(MATCHES[match]).encode())
    deals = tuple(solved_deals(log, "", 1))
    for deal in range(len(deals)):
        result = deal_value(log, deal, FRENCH, deals)
        assert result is not None
        if result["lines"]:
            return Lost(match, deal + 1, result, result["lines"][0])
    raise AssertionError("nothing was lost")


class Place(str):
    """The address of a server, and the ids of its matches by their logs'."""

    ids: dict[str, str]

    def replay(self, lost: Lost, ply: int, more: str = "") -> str:
        return f"{self}/relecture?match={lost.match}&deal={lost.deal}&ply={ply}{more}"

    def shared(self, lost: Lost, ply: int, more: str = "") -> str:
        return f"{self}/r/{self.ids[lost.match]}/{lost.deal}/{ply}{more}"


@pytest.fixture(scope="module")
def place(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    path: Path = tmp_path_factory.mktemp("value") / "store.duckdb"
    with Store(path) as store:
        files = {"club": lines(), "tables": every_table()}
        list(ingest(store, [(f"{name}.jsonl", BytesIO(text)) for name, text in files.items()]))
        rows = store.cursor().execute("SELECT log_id, match_id FROM matches").fetchall()
    with show(path) as address:
        found = Place(address)
        found.ids = dict(rows)
        yield found


@pytest.fixture
def page(browser: Browser, place: Place) -> Iterator[Page]:
    with reading(browser, place, reduced_motion="reduce") as page:
        yield page


def at(page: Page, ply: int) -> None:
    expect(page.locator(".place")).to_have_text(re.compile(f"^{ply} /"))


def everything(page: Page) -> str:
    """All the board has in the document."""
    return unescape(page.locator(".board").evaluate("board => board.outerHTML"))


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.sample("True-m0")
def test_what_held_a_card_that_lost_is_stepped_through(
    page: Page, place: Place, match: str, shared: bool
) -> None:
    lost = first_lost(match)
    page.goto((place.shared if shared else place.replay)(lost, lost.ply - 1))
    at(page, lost.ply - 1)
    expect(page.locator(".worth")).to_be_visible()
    page.keyboard.press("ArrowRight")
    at(page, lost.ply)
    expect(page.locator(".cost p")).to_have_text(lost.wording)
    points = lost.reported["plays"][lost.ply]["lost"]
    expect(page.locator(".trick-card > .lost").last).to_have_text(f"−{points}")
    current = page.locator(".course [aria-current] .lost")
    expect(current).to_have_text(f"perdus\N{NO-BREAK SPACE}: {points}")
    played = page.locator(".event").inner_text()
    page.locator("[data-act=held]").click()
    start, steps = lost.line["from"], lost.line["plies"]
    for step, ply in enumerate(steps, 1):
        at(page, start + step)
        expect(page.locator(".event")).to_contain_text("Pas joué")
        shown = page.locator(".event").inner_text().replace("\N{NO-BREAK SPACE}", " ")
        assert ply["text"].replace("\N{NO-BREAK SPACE}", " ") in shown
        expect(page).to_have_url(re.compile(rf"line={step}(&|$)"))
        page.keyboard.press("ArrowRight")  # at its end it stays in this deal
    at(page, start + len(steps))
    page.keyboard.press("ArrowLeft")
    at(page, start + len(steps) - 1)
    page.keyboard.press("Escape")
    at(page, lost.ply)
    assert page.locator(".event").inner_text() == played
    expect(page).not_to_have_url(re.compile("line="))


@pytest.mark.soak
def test_no_cursor_strikes_the_words_before_the_line_of_value(page: Page, place: Place) -> None:
    page.goto(place.shared(first_lost("m0"), 0))
    expect(page.locator(".worth p")).to_contain_text("Meilleur jeu calculé à partir de")
    cursor = page.locator(".worth .cursor")
    expect(cursor).to_have_css("display", "none")
    page.keyboard.press("End")
    expect(cursor).to_have_css("display", "inline")


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.soak
def test_a_line_has_an_address(page: Page, place: Place, shared: bool) -> None:
    lost = first_lost("coinche-4-0")
    more = "?line=2" if shared else "&line=2"
    page.goto((place.shared if shared else place.replay)(lost, lost.line["from"], more))
    at(page, lost.line["from"] + 2)
    expect(page.locator(".event")).to_contain_text("Pas joué")
    page.reload()
    at(page, lost.line["from"] + 2)
    expect(page.locator("[data-act=leave]")).to_be_visible()
    page.locator("[data-act=leave]").click()
    at(page, lost.ply)


@pytest.mark.soak
def test_going_back_before_the_line_is_what_was_played(page: Page, place: Place) -> None:
    lost = first_lost("m0")
    page.goto(place.replay(lost, lost.ply))
    at(page, lost.ply)
    expect(page.locator("[data-act=held]")).to_be_visible()
    page.keyboard.press("b")
    at(page, lost.line["from"] + 1)
    page.keyboard.press("Home")
    at(page, 0)
    expect(page.locator("[data-act=leave]")).to_be_hidden()
    page.keyboard.press("End")
    played = len(MATCHES["m0"]["deals"][lost.deal - 1]["actions"])
    at(page, played)


@pytest.mark.soak
def test_one_player_s_view_has_nothing_of_it_in_the_page(page: Page, place: Place) -> None:
    lost = first_lost("coinche-4-0")
    for address in (place.replay, place.shared):
        page.goto(address(lost, lost.ply))
        expect(page.locator(".worth")).to_be_visible()
        assert lost.wording in everything(page)
        page.keyboard.press("v")
        expect(page.locator(".worth")).to_be_hidden()
        for known in (lost.wording, "perdus\N{NO-BREAK SPACE}:", "✓", "meilleur jeu", "le gagnant"):
            assert known not in everything(page).partition("<dialog")[0], known
        page.keyboard.press("b")
        at(page, lost.ply)
        page.locator("[name=viewer]").select_option("-1")
        expect(page.locator(".cost p")).to_have_text(lost.wording)
        page.keyboard.press("h")  # hands face down: the same
        expect(page.locator(".worth")).to_be_hidden()
        assert lost.wording not in everything(page)


@pytest.mark.soak
def test_the_turning_point_is_a_jump(page: Page, place: Place) -> None:
    log = validate(json.dumps(MATCHES["coinche-4-0"]).encode())
    deals = tuple(solved_deals(log, "", 1))
    items = (deal_value(log, deal, FRENCH, deals) for deal in range(len(deals)))
    found = [(at, one["turning"]) for at, one in enumerate(items) if one and one["turning"]]
    deal, turning = found[0]
    page.goto(f"{place}/relecture?match=coinche-4-0&deal={deal + 1}&ply=0")
    expect(page.locator(".worth .turned")).to_be_attached()
    page.keyboard.press("w")
    at(page, turning)
    page.keyboard.press("Home")
    page.locator(".turning").click()
    at(page, turning)
    label = page.locator(".worth svg[role=img]").get_attribute("aria-label")
    assert f"action {turning}" in (label or "")


@pytest.mark.soak
def test_the_dearest_cards_of_the_match_lead_to_them(page: Page, place: Place) -> None:
    lost = first_lost("coinche-4-0")
    page.goto(place.shared(lost, 0))
    for one, costly in enumerate(lost.reported["worst"]):
        button = page.locator(".worst").nth(one)
        expect(button).to_contain_text(costly["text"])
        button.click()
        at(page, costly["ply"])
        expect(page).to_have_url(re.compile(f"/{costly['deal']}/{costly['ply']}$"))
        expect(page.locator(".cost p")).to_contain_text(costly["lost"])


@pytest.mark.soak
def test_hiding_what_comes_next_still_shows_what_was_reached(page: Page, place: Place) -> None:
    lost = first_lost("m0")
    page.goto(place.replay(lost, lost.line["from"]))
    expect(page.locator(".worth")).to_be_visible()
    page.locator("[data-act=options]").click()
    page.locator("[name=spoiler]").click()
    assert "perdus" not in page.locator(".course").inner_text()
    expect(page.locator(".worst")).to_have_count(0)
    page.locator("[data-act=next]").click()
    while "perdus" not in page.locator(".cost").inner_text():
        page.locator("[data-act=next]").click()
    at(page, lost.ply)


@pytest.mark.soak
def test_a_deal_that_is_not_solved_says_why(page: Page, place: Place) -> None:
    page.goto(f"{place}/relecture?match=chouine-3-0&deal=1&ply=0")
    expect(page.locator(".reason")).to_contain_text("à deux")
    expect(page.locator(".worth")).to_be_hidden()
    page.locator(".values summary").click()
    expect(page.locator(".values details p")).to_contain_text("meilleur jeu")


@pytest.mark.soak
def test_a_file_alone_has_it_too(page: Page, place: Place, tmp_path: Path) -> None:
    lost = first_lost("m0")
    file = tmp_path / "match.html"
    text = offline_page(validate(json.dumps(MATCHES["m0"]).encode()), FRENCH)
    file.write_text(text, encoding="utf-8")
    other = page.context.new_page()
    try:
        other.goto(file.as_uri())
        other.locator("[name=deal]").select_option(index=lost.deal - 1)
        other.locator("[type=range]").fill(str(lost.ply))
        expect(other.locator(".cost p")).to_have_text(lost.wording)
        other.keyboard.press("b")
        expect(other.locator(".event")).to_contain_text("Pas joué")
    finally:
        other.close()


def faults(page: Page) -> list[tuple[str, list[str]]]:
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    serious = [one for one in found if one["impact"] in ("moderate", "serious", "critical")]
    return [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in serious]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.sample("light")
def test_who_hears_or_tabs_finds_no_fault(browser: Browser, place: Place, scheme: str) -> None:
    lost = first_lost("coinche-4-0")
    with reading(browser, place, color_scheme=scheme, reduced_motion="reduce") as page:
        page.goto(place.shared(lost, lost.ply))
        at(page, lost.ply)
        expect(page.locator("[data-act=held]")).to_be_visible()
        assert faults(page) == []
        page.locator("[data-act=held]").focus()
        page.keyboard.press("Enter")
        expect(page.locator("[data-act=leave]")).to_be_focused()
        assert faults(page) == []
        page.keyboard.press("Enter")
        expect(page.locator("[data-act=held]")).to_be_focused()
