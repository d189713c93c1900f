"""The page that checks logs, as one file in Chromium without a network."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from dashboard.board.check_page import check_page
from dashboard.board.offline_replay import offline_page
from engine.games import game_names
from ingest.i18n import translator
from ingest.validate.slow_path import validate
from tests.dashboard.conftest import FAUTES
from tests.js.package import made

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
MOST_BYTES = 1_500_000
MATCHES = {
    "chouine": "match-lavardin.json",
    "coinche": "match-coinche.json",
    "chouineurs": "match-chouineurs.json",
    "belote": "match-belote.json",
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "retourne.html"
    path.write_text(check_page(made(tmp_path_factory)), encoding="utf-8")
    return path


@pytest.fixture
def page(browser: "Browser", file: Path) -> Iterator["Page"]:
    with opened(browser, file) as page:
        yield page


@contextmanager
def opened(browser: "Browser", file: Path) -> Iterator["Page"]:
    """The page, open; any request besides it, and what it reports as wrong, fail the test."""
    with browser.new_context(locale="en-GB", offline=True) as context:
        page, wrong = context.new_page(), list[str]()
        page.on("request", lambda one: wrong.append(one.url) if one.url.startswith("http") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.goto(file.as_uri())
        yield page
        assert wrong == []


def put(page: "Page", *logs: bytes) -> None:
    page.set_input_files(
        "[type=file]", {"name": "log.jsonl", "mimeType": "application/json", "buffer": b"\n".join(logs)}
    )


def one_line(path: Path) -> bytes:
    return json.dumps(json.loads(path.read_bytes())).encode()


def test_is_one_small_file(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert len(text.encode()) <= MOST_BYTES
    assert set(re.findall(r'(?:src|href)="([^"]*)"', text.partition('id="page">')[0])) == {"data:,"}
    assert "connect-src" not in text.partition("<style>")[0]  # none, by default
    assert "default-src 'none'" in text


def test_a_fault_is_named_with_what_was_legal_and_leads_to_its_place(page: "Page") -> None:
    put(page, (FAUTES / "must-follow.json").read_bytes())
    expect(page.locator(".verdict")).to_have_text("Verdict: irregular")
    item = page.locator(".errors li")
    expect(item).to_contain_text("must-follow")
    expect(item).to_contain_text("Marcel plays 9♥ but must follow suit. Legal: 7♦, 10♦.")
    item.get_by_role("button", name="Deal 1, action 25").click()
    expect(page.locator(".event")).to_contain_text("Marcel: 9♥")
    page.locator("[data-act=previous]").click()
    expect(page.locator(".event")).to_contain_text("Lucie: K♦")
    expect(page.locator(".seat.turn .name")).to_have_text("Marcel")


@pytest.mark.parametrize("name", game_names())
@pytest.mark.sample("belote")
def test_a_match_of_each_game_is_replayed_to_its_end(page: "Page", name: str) -> None:
    log: dict[str, Any] = json.loads((DATA / MATCHES[name]).read_bytes())
    put(page, json.dumps(log).encode())
    expect(page.locator(".verdict")).to_have_text("Verdict: legal – Nothing in it is against the rules.")
    page.locator("[data-act=last]").click()
    count = len(log["deals"][0]["actions"])
    expect(page.locator(".place").last).to_have_text(f"{count} / {count}")
    expect(page.locator(".hand img").first.or_(page.locator(".ground .cards img").first)).to_be_visible()
    broken = "(all) => all.filter((one) => one.complete && !one.naturalWidth).length"
    assert page.locator(".ground img").evaluate_all(broken) == 0


def test_a_pasted_log_is_read_and_the_language_can_be_changed(page: "Page") -> None:
    page.locator("[name=log]").fill((FAUTES / "must-follow.json").read_text(encoding="utf-8"))
    page.get_by_role("button", name="Check").click()
    page.locator("[data-act=last]").click()
    page.get_by_role("button", name="français").click()
    expect(page.locator(".verdict")).to_have_text("Verdict\u00a0: irrégulière")
    expect(page.locator(".errors li")).to_contain_text("Cartes jouables\u00a0: 7♦, 10♦.")
    expect(page.locator(".event")).to_contain_text("Marcel\u00a0: 9♥")
    expect(page.locator("html")).to_have_attribute("lang", "fr")


def play_on(page: "Page") -> None:
    """Play two cards from the first lead, take one back, and go back to the deal as it was played."""
    page.locator("[data-act=next-trick]").click()
    page.locator(".board").press("e")
    expect(page.locator(".own-line .acts [data-number]").first).to_be_visible()
    before = page.locator(".place").last.text_content() or ""
    start = int(before.split(" / ")[0])
    page.locator(".seats .hand .card.legal").first.click()
    page.keyboard.press("1")
    expect(page.locator(".place").last).to_have_text(f"{start + 2} / {start + 2}")
    page.keyboard.press("u")
    expect(page.locator(".place").last).to_have_text(f"{start + 1} / {start + 1}")
    page.get_by_role("button", name="The deal as played").click()
    expect(page.locator(".place").last).to_have_text(re.compile(f"^{start} / "))
    page.get_by_role("button", name="Back to your line").click()
    expect(page.locator(".place").last).to_have_text(f"{start + 1} / {start + 1}")


def test_a_deal_is_played_on_by_the_rules_in_the_page(page: "Page") -> None:
    put(page, (DATA / "match-lavardin.json").read_bytes())
    play_on(page)
    page.get_by_role("button", name="français").click()
    expect(page.locator(".own-line")).to_have_count(0)
    expect(page.locator(".place").last).to_have_text(re.compile("^[0-9]+ / "))


def test_a_replay_in_one_file_checks_its_match_and_is_played_on(
    browser: "Browser", tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text, file = (DATA / "match-lavardin.json").read_bytes(), tmp_path / "replay.html"
    replay = offline_page(validate(text), translator("en", "dashboard"), text, made(tmp_path_factory))
    file.write_text(replay, encoding="utf-8")
    with opened(browser, file) as page:
        expect(page.locator(".about")).to_contain_text("checked in this browser: legal")
        play_on(page)


def test_who_hears_or_tabs_finds_no_fault(browser: "Browser", file: Path) -> None:
    with browser.new_context(color_scheme="light", bypass_csp=True) as context:  # for the checks' own script
        page = context.new_page()
        page.goto(file.as_uri())
        states: list[tuple[str, Any]] = [("", "light"), ("must-follow.json", "light"), ("", "dark")]
        for log, scheme in states:
            page.emulate_media(color_scheme=scheme)
            if log:
                put(page, (FAUTES / log).read_bytes())
                expect(page.locator(".errors li")).to_have_count(1)
            found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
            assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_several_matches_are_listed_and_what_only_the_server_checks_says_why(page: "Page") -> None:
    logs = [DATA / "match-coinche.json", FAUTES / "must-follow.json", DATA / "feuille-partielle.json"]
    put(page, *map(one_line, logs))
    names = page.locator(".several button")
    expect(names).to_have_text(["Match 1 · legal", "Match 2 · irregular", "Match 3 · –"])
    names.nth(1).click()
    expect(page.locator(".verdict")).to_have_text("Verdict: irregular")
    names.nth(2).click()
    expect(page.locator(".verdict")).to_contain_text("the command retourne check can.")
    expect(page.locator(".replayed")).to_be_hidden()
    names.nth(0).click()
    expect(page.locator(".replayed")).to_be_visible()


def test_what_is_no_log_is_unreadable(page: "Page") -> None:
    for text in (b"", b"{", b"[1]", b"\xff\xfe", b'{"format": "retourne/1", "game": "go"}'):
        put(page, (FAUTES / "must-follow.json").read_bytes())
        expect(page.locator(".verdict")).to_have_text("Verdict: irregular")
        put(page, text)
        expect(page.locator(".verdict")).to_have_text("Verdict: unreadable")
        expect(page.locator(".errors li")).to_have_count(1)
        expect(page.locator(".replayed")).to_be_hidden()


def test_names_and_comments_are_never_markup(page: "Page") -> None:
    log = json.loads((DATA / "match-coinche.json").read_bytes())
    markup = "<img src=x onerror=alert(1)></script>"
    log["players"][0]["name"] = markup
    log["deals"][0]["comments"] = [{"by": markup, "after": 0, "text": markup}]
    put(page, json.dumps(log).encode())
    expect(page.locator(".report h2")).to_contain_text(markup)
    expect(page.locator(".comments .comment")).to_contain_text(markup)
    assert page.locator("img[src=x]").count() == 0
