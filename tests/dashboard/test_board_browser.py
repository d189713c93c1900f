"""The board in Chromium: what the reader can do, what may be seen, what can be taken away."""

import base64
import json
import re
import struct
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.chouine import kernel
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.validate.slow_path import validate
from tests.dashboard.browser import Watch, reading
from tests.dashboard.conftest import FAUTES, HOSTILE, Show, documents, every_table, lines, simulated
from tests.waiting import comes

pytestmark = pytest.mark.browser

TIMED = "timed"
"""A match of which the times are known."""


def timed() -> bytes:
    match = json.loads(json.dumps(documents()[0]))
    match["id"] = TIMED
    for deal in match["deals"]:
        deal["times"] = [round(0.1 * (at + 1), 1) for at in range(len(deal["actions"]))]
    return json.dumps(match).encode()


COMMENTED = "commented"
LOUD = "<b>Bobby</b> **bold** <img src=x onerror=document.title='run'> " + "so long a story " * 30
COMMENTS = [
    {"after": 3, "text": LOUD, "by": "<i>Zozo</i>"},
    {"after": 3, "text": "All of it\nat one place.", "by": ""},
    {"after": 5, "text": "I should have kept it.", "by": documents()[0]["players"][0]["id"]},
]


def commented() -> bytes:
    match = json.loads(json.dumps(documents()[0]))
    match["id"] = COMMENTED
    match["deals"][0]["comments"] = COMMENTS
    return json.dumps(match).encode()


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose store has every table, a match with a fault, with times, with comments."""
    folder = tmp_path_factory.mktemp("board")
    with Store(folder / "store.duckdb") as store:
        files = {"club": lines(), "tables": every_table(), TIMED: timed(), COMMENTED: commented()}
        list(
            ingest(
                store,
                [(f"{name}.jsonl", BytesIO(text)) for name, text in files.items()],
                on_conflict=OnConflict.BOTH,
            )
        )
        list(ingest(store, [FAUTES / "must-follow.json"]))
    with show(folder / "store.duckdb") as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    clipboard = ["clipboard-read", "clipboard-write"]
    with reading(browser, address, has_touch=True, permissions=clipboard) as page:
        yield page


def open_at(page: Page, address: str, match: str, ply: int, **query: str) -> None:
    more = "".join(f"&{key}={value}" for key, value in query.items())
    page.goto(f"{address}/relecture?match={match}&deal=1&ply={ply}{more}")
    # a server that has just begun loads the engine for its first reader
    expect(page.locator(".place")).to_have_text(re.compile(f"^{ply} /"))
    expect(page.locator(".place")).to_be_visible()  # its keys are heard then


def at(page: Page, ply: int) -> None:
    expect(page.locator(".place")).to_have_text(re.compile(f"^{ply} /"))


def query(page: Page) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def option(page: Page, name: str) -> None:
    """Tick or untick one of the options."""
    if page.locator(".options").is_hidden():
        page.locator("[data-act=options]").click()
    page.locator(f"[name={name}]").click()


def everything(page: Page) -> str:
    """All the board has in the document: texts, names of cards, titles."""
    return page.locator(".board").evaluate("board => board.outerHTML")


def explained(match: dict[str, Any]) -> Any:
    return validate(json.dumps(match).encode())


@pytest.mark.soak
def test_every_script_of_a_board_is_asked_for_with_its_page(page: Page, address: str) -> None:
    requested: set[str] = set()
    page.on("request", lambda request: requested.add(request.url.rpartition("/")[2]))
    open_at(page, address, "m1", 0)
    result = page.request.get(f"{address}/relecture").text()
    scripts = {name for name in requested if name.endswith(".js")}
    assert {name for name in scripts if name.startswith("BidiComponent.")}
    assert [name for name in sorted(scripts) if name not in result] == []


# stepping


@pytest.mark.soak
def test_a_key_held_down_loses_no_step(page: Page, address: str) -> None:
    open_at(page, address, "m1", 0)
    for _ in range(15):
        page.keyboard.down("ArrowRight")  # down again without up: what a held key sends
    page.keyboard.up("ArrowRight")
    at(page, 15)


def test_keys_are_not_taken_from_a_field(page: Page, address: str) -> None:
    open_at(page, address, "m1", 5)
    page.locator("[name=viewer]").focus()
    page.keyboard.press("h")
    page.get_by_role("combobox", name="Donne").focus()
    page.keyboard.type("l [ ")
    page.keyboard.press("Home")
    assert page.locator("[name=hands]").is_checked() is False
    assert page.locator("[name=legal]").is_checked() is False
    at(page, 5)
    expect(page.locator(".playing")).to_have_count(0)


def test_space_plays_by_itself_and_a_step_ends_it(page: Page, address: str) -> None:
    open_at(page, address, TIMED, 3)
    page.locator("[name=speed]").select_option("played")  # 0.1 s an action, 0.25 at least
    page.keyboard.press(" ")
    expect(page.locator(".playing")).to_be_visible()
    expect(page.locator(".place")).to_have_text(re.compile(r"^([6-9]|\d\d) /"))
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".playing")).to_have_count(0)
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    before = page.locator(".place").inner_text()
    page.keyboard.press(" ")
    expect(page.locator(".place")).not_to_have_text(before)
    expect(page.locator(".playing")).to_have_count(0)  # nothing follows the end


@pytest.mark.soak
def test_each_pace_is_offered_and_kept(page: Page, address: str) -> None:
    open_at(page, address, "m1", 3)
    speed = page.locator("[name=speed]")
    assert speed.locator("option").all_inner_texts() == ["lent", "normal", "rapide"]
    speed.select_option("fast")
    page.reload()
    at(page, 3)
    assert speed.input_value() == "fast"
    page.locator("[data-act=play]").click()
    expect(page.locator(".place")).to_have_text(re.compile(r"^([5-9]|\d\d) /"))


@pytest.mark.soak
def test_a_stroke_of_the_finger_is_a_step(page: Page, address: str) -> None:
    open_at(page, address, "m1", 10)
    touch = page.context.new_cdp_session(page)
    felt = page.locator(".middle").bounding_box()
    assert felt is not None

    def stroke(across: int, down: int) -> None:
        x, y = felt["x"] + felt["width"] / 2, felt["y"] + felt["height"] / 2
        here, there = {"x": x, "y": y}, {"x": x + across, "y": y + down}
        for kind, fingers in (("Start", [here]), ("Move", [there]), ("End", [])):
            sent = {"type": f"touch{kind}", "touchPoints": fingers}
            touch.send("Input.dispatchTouchEvent", sent)

    stroke(-120, 5)
    at(page, 11)
    stroke(120, -5)
    at(page, 10)
    stroke(-50, 90)  # that was meant to scroll
    at(page, 10)


def test_events_curve_and_cards_lead_to_their_turn(page: Page, address: str) -> None:
    open_at(page, address, "m1", 0)
    page.locator(".course summary").click()
    page.locator(".event-at").nth(12).click()
    at(page, 12)
    expect(page.locator(".event-at[aria-current]")).to_have_text(re.compile("^12"))

    box = page.locator(".chart").bounding_box()
    assert box is not None
    last = int(page.locator(".place").inner_text().split(" / ")[1])
    page.mouse.click(box["x"] + box["width"] * 20 / last, box["y"] + 8)
    at(page, 20)
    mark = page.locator(".chart [data-ply]").first
    ply = mark.get_attribute("data-ply")
    mark.locator("path").click()
    at(page, int(ply or -1))

    replay = explained(documents()[1]).replays[0]
    played = [ply for ply in replay if ply.action is not None and ply.action.act < 32]
    card = replay.game.pack.names[played[0].action.act]
    page.keyboard.press("Home")
    page.locator(f".hand [data-card='{card}']").click()
    at(page, played[0].index)
    page.locator(f".table [data-card='{card}']").click()  # dealt: it was there from the beginning
    at(page, 0)


# the address


def test_the_address_keeps_ply_view_and_language(page: Page, address: str) -> None:
    open_at(page, address, "m1", 7)
    page.keyboard.press("ArrowRight")
    page.locator("[name=viewer]").select_option("1")
    page.wait_for_url(re.compile("view=2"))
    requested = query(page)
    assert (requested["deal"], requested["ply"], requested["lang"]) == ("1", "8", "fr")
    page.reload()
    at(page, 8)
    assert page.locator("[name=viewer]").input_value() == "1"
    page.keyboard.press("v")
    page.wait_for_url(lambda url: "view=" not in url)
    page.keyboard.press("h")
    page.wait_for_url(re.compile("view=h12"))
    page.reload()
    at(page, 8)
    assert page.locator(".hand [data-card]").count() == 0


@pytest.mark.parametrize("view", ["9", "h19", "x", "-1", "<b>", "2'", "1e1", "h"])
@pytest.mark.soak
def test_a_view_nobody_has_shows_everything(page: Page, address: str, view: str) -> None:
    open_at(page, address, "m1", 0, view=view)
    assert page.locator("[name=viewer]").input_value() == "-1"
    expect(page.locator(".hand [data-card]")).to_have_count(10)


@pytest.mark.soak
def test_back_leads_to_the_page_before_whatever_was_stepped(page: Page, address: str) -> None:
    page.goto(f"{address}/joueurs")
    expect(page.get_by_role("heading", name="Joueurs")).to_be_visible()
    open_at(page, address, "m1", 4)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("ply=9"))
    page.go_back()
    expect(page.get_by_role("heading", name="Joueurs")).to_be_visible()


@pytest.mark.soak
def test_the_link_is_copied(page: Page, address: str) -> None:
    open_at(page, address, "m1", 6)
    page.keyboard.press("ArrowRight")
    page.locator("[data-act=options]").click()
    page.get_by_role("button", name="Copier le lien").click()
    expect(page.locator(".done")).to_have_text("Lien copié.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(rf"{address}/r/\w+/1/7", copied)  # which anyone opens


# who sees what


def hidden_cards(replay: Any, ply: Any, viewer: int) -> set[str]:
    """By the engine: what lies in other hands and in the talon, and nobody was shown."""
    pack, state = replay.game.pack, ply.state
    others = 0
    for seat in range(replay.players):
        if seat != viewer:
            others |= int(state["hand"][seat])
    hidden = set(pack.names_in(others))
    if replay.game.name == "chouine":
        talon = state["talon"][int(state["drawn"]) : int(state["talon_size"])]
        hidden |= {pack.names[int(card)] for card in talon if card >= 0}
        if int(state["retourne"]) >= 0 and len(talon):
            hidden.discard(pack.names[int(talon[-1])])
    return hidden


def labels(page: Page) -> set[str]:
    return set(page.locator(".board img").evaluate_all("all => all.map(one => one.alt)"))


@pytest.mark.parametrize(
    ("match", "document"),
    [("m1", documents()[1]), ("coinche-4-0", simulated("coinche", "tournoi-2018", 4)[0])],
)
@pytest.mark.sample("coinche-4-0-document1")
def test_one_players_view_has_no_hidden_card_in_the_page(
    page: Page, address: str, match: str, document: dict[str, Any]
) -> None:
    replay = explained(document).replays[0]
    open_at(page, address, match, 0, view="1")
    page.locator(".won summary").click()
    page.locator(".course summary").click()
    option(page, "legal")
    shown = 0
    for ply in list(replay)[::4]:
        page.locator("[type=range]").fill(str(ply.index))
        at(page, ply.index)
        hidden = hidden_cards(replay, ply, 0)
        seen = {card for before in replay[: ply.index + 1] for card in announced(replay, before)}
        html = everything(page)
        for card in hidden - seen:
            assert f"/{card}.svg" not in html
            assert f'"{card}"' not in html
        shown += len(hidden & seen)
        own = set(replay.game.pack.names_in(int(ply.state["hand"][0])))
        cards = page.locator(".own .hand [data-card]")
        assert set(cards.evaluate_all("all => all.map(one => one.dataset.card)")) == own
        # where a known card would lie in a sorted hand tells of those beside it
        for hand in page.locator(".others .hand").all():
            kinds = hand.locator(".card").evaluate_all("all => all.map(one => one.localName)")
            assert kinds == sorted(kinds)  # buttons are face up, spans face down
        listed = page.locator(".event-at").count()
        assert listed == ply.index + 1  # what comes is not told either
    if match == "m1":
        assert shown > 0  # an announcement was shown, and its cards stay open


def announced(replay: Any, ply: Any) -> set[str]:
    """Cards an action lays open: those announced, the one that lies face up in the talon."""
    if replay.game.name != "chouine":
        return set()
    found, before = 0, replay[max(0, ply.index - 1)]
    for seat in range(replay.players):
        fresh = int(ply.state["shown"][seat]) & ~int(before.state["shown"][seat])
        for combination in range(18):
            if fresh >> combination & 1:
                cards = int(kernel.combination_cards(before.state, seat, combination))
                found |= cards & int(before.state["hand"][seat])
    face_up = int(ply.state["talon"][int(ply.state["talon_size"]) - 1])
    return {*replay.game.pack.names_in(found), replay.game.pack.names[face_up]}


@pytest.mark.soak
def test_one_player_turns_up_own_tricks_and_the_others_last(page: Page, address: str) -> None:
    log = explained(documents()[1])
    replay = log.replays[0]
    trick_winners = [
        int(trick_winner) for trick_winner in replay.last.state["trick_winners"] if trick_winner >= 0
    ]
    open_at(page, address, "m1", len(replay) - 1, view="1")
    page.locator(".won summary").click()
    rows = page.locator(".taken")
    expect(rows.nth(0).locator(".trick")).to_have_count(trick_winners.count(0))
    expect(rows.nth(1).locator(".trick")).to_have_count(min(1, trick_winners.count(1)))
    page.locator("[name=viewer]").select_option("-1")
    expect(rows.nth(1).locator(".trick")).to_have_count(trick_winners.count(1))


@pytest.mark.soak
def test_a_hand_is_hidden_for_itself(page: Page, address: str) -> None:
    open_at(page, address, "m1", 0)
    page.get_by_role("button", name="Cacher la main").first.click()
    expect(page.locator(".others .hand [data-card]")).to_have_count(0)
    expect(page.locator(".own .hand [data-card]")).to_have_count(5)
    page.keyboard.press("ArrowRight")
    at(page, 1)
    expect(page.locator(".others .hand [data-card]")).to_have_count(0)


def test_legal_cards_are_those_of_the_kernel(page: Page, address: str) -> None:
    replay = explained(documents()[1]).replays[0]
    closed = [ply for ply in replay if not ply.is_over and 0 < len(ply.legal) < 6][-6:]
    open_at(page, address, "m1", closed[0].index)
    page.keyboard.press("l")
    for ply in closed:
        page.locator("[type=range]").fill(str(ply.index))
        at(page, ply.index)
        lit = page.locator(".hand .legal").evaluate_all("all => all.map(one => one.dataset.card)")
        names = replay.game.pack.names
        assert sorted(lit) == sorted({names[act] for _, act in ply.legal if act < 32})


def test_nothing_is_shown_before_it_is_reached(page: Page, address: str) -> None:
    open_at(page, address, "m1", 4)
    deals = page.get_by_role("combobox", name="Donne")
    assert re.search(r"\d+ – \d+", deals.input_value())
    option(page, "spoiler")
    expect(deals).to_have_value("Donne 1")
    expect(page.locator(".place")).to_have_text("4 / …")
    page.locator(".course summary").click()
    expect(page.locator(".event-at")).to_have_count(5)
    page.keyboard.press("End")  # as far as one was
    at(page, 4)
    page.keyboard.press("ArrowRight")
    at(page, 5)
    expect(page.locator(".event-at")).to_have_count(6)
    marks = page.locator(".chart [data-ply]").evaluate_all("all => all.map(one => +one.dataset.ply)")
    assert all(ply <= 5 for ply in marks)
    page.keyboard.press("Home")
    expect(page.locator(".event-at")).to_have_count(6)
    page.wait_for_url(re.compile("ply=0"))
    page.reload()  # remembered, and the server knows at once
    expect(deals).to_have_value("Donne 1")
    expect(page.locator(".place")).to_have_text("0 / …")
    option(page, "spoiler")
    expect(deals).to_have_value(re.compile(r"\d+ – \d+"))


@pytest.mark.soak
def test_a_finding_is_no_news_before_it_happens(page: Page, address: str) -> None:
    page.goto(f"{address}/rencontres?q=")
    page.evaluate("localStorage.setItem('retourne.board', JSON.stringify({spoiler: true}))")
    log = validate((FAUTES / "must-follow.json").read_bytes())
    [error] = [finding for finding in log.findings if finding.severity == "error"]
    ply = (error.action_index or 0) + 1
    open_at(page, address, log.match_id, ply - 1)
    expect(page.locator(".findings button")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".findings button")).to_have_count(1)
    expect(page.locator(".found")).to_contain_text("CH-8")


# what somebody says


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.sample("390")
def test_a_comment_is_shown_as_text_at_its_ply(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    open_at(page, address, COMMENTED, 2)
    comments = page.locator(".comments li")
    expect(comments).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(comments).to_have_count(2)
    assert comments.locator("p").first.text_content() == LOUD
    assert comments.locator("b").all_text_contents() == ["<i>Zozo</i> commente\xa0:", "Commentaire\xa0:"]
    assert comments.locator("p").last.inner_text() == "All of it\nat one place."
    assert page.locator(".board").locator("i, b:text-is('Bobby'), img[src=x]").count() == 0
    assert page.title() != "run"
    assert page.locator(".comments").get_attribute("aria-live") == "polite"
    assert page.locator(".comments").get_attribute("tabindex") == "0"  # a long one is scrolled
    for box in (page.locator("html"), page.locator(".comments")):
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    page.keyboard.press("ArrowRight")
    expect(comments).to_have_count(0)


@pytest.mark.soak
def test_comments_are_in_the_list_and_on_the_timeline(page: Page, address: str) -> None:
    open_at(page, address, COMMENTED, 0)
    page.locator(".course summary").click()
    expect(page.locator(".event-at").nth(3)).to_contain_text(LOUD.strip())
    mark = page.locator(".chart [data-ply]").filter(has=page.locator(".mark.comment"))
    expect(mark).to_have_count(2)
    mark.last.locator("path").click(position={"x": 2, "y": 8})
    at(page, 5)
    name = documents()[0]["players"][0]["name"]
    expect(page.locator(".comments")).to_have_text(f"{name} commente\xa0:I should have kept it.")


@pytest.mark.soak
def test_a_comment_is_no_news_before_its_ply(page: Page, address: str) -> None:
    open_at(page, address, COMMENTED, 2)
    option(page, "spoiler")
    page.locator(".course summary").click()
    expect(page.locator(".event-at")).to_have_count(3)
    assert "Bobby" not in everything(page)
    assert page.locator(".mark.comment").count() == page.locator(".signs .comment").count()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".comments")).to_contain_text("Bobby")
    expect(page.locator(".chart .mark.comment")).to_have_count(1)


@pytest.mark.soak
def test_one_player_reads_what_that_player_announced(page: Page, address: str) -> None:
    open_at(page, address, COMMENTED, 5, view="1")
    expect(page.locator(".comments")).to_contain_text("I should have kept it.")
    page.locator(".course summary").click()
    expect(page.locator(".event-at").nth(3)).to_contain_text("À lire mains découvertes.")
    assert "Bobby" not in everything(page)
    page.keyboard.press("v")
    expect(page.locator(".comments")).to_contain_text("À lire mains découvertes.")
    assert "kept it" not in everything(page)
    page.locator("[name=viewer]").select_option("-1")
    expect(page.locator(".event-at").nth(3)).to_contain_text("Bobby")


@pytest.mark.soak
def test_each_suit_has_its_colour_if_one_likes(page: Page, address: str) -> None:
    open_at(page, address, "coinche-4-0", 0)
    option(page, "four")
    diamonds = page.locator(".hand [data-card$=d] img")
    assert diamonds.count() > 0
    assert "/fr/four/" in (diamonds.first.get_attribute("src") or "")
    decoded = "all => Promise.all(all.map(one => one.decode())).then(() => all.length)"
    assert page.locator(".hand img").evaluate_all(decoded) == 36
    page.reload()
    expect(page.locator(".hand [data-card$=c] img").first).to_have_attribute("src", re.compile("/four/"))


# for those who hear it


def test_a_step_is_announced_and_everything_has_a_name(page: Page, address: str) -> None:
    open_at(page, address, "m2", 0)
    live = page.locator(".event")
    assert live.get_attribute("aria-live") == "polite"
    result = live.inner_text()
    page.keyboard.press("ArrowRight")
    expect(live).not_to_have_text(result)
    unnamed = page.locator(".board button:visible").evaluate_all(
        "all => all.filter(one => !(one.getAttribute('aria-label') || one.innerText.trim()"
        " || one.querySelector('img')?.alt)).length"
    )
    assert unnamed == 0
    assert all(labels(page))
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_be_visible()
    page.keyboard.press("ArrowRight")
    at(page, 1)
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()


@pytest.mark.soak
def test_reduced_motion_moves_nothing(browser: Browser, address: str) -> None:
    with reading(browser, address, reduced_motion="reduce") as page:
        open_at(page, address, "m1", 5)
        page.keyboard.press("ArrowRight")
        moving = page.locator(".board").evaluate(
            "board => [...board.querySelectorAll('*')].flatMap(one => one.getAnimations()).length"
        )
        assert moving == 0


# to take away


def test_the_board_is_saved_as_a_picture(page: Page, address: str, tmp_path: Path) -> None:
    open_at(page, address, "m1", 9)
    page.locator("[data-act=options]").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Enregistrer en image").click()
    picture = tmp_path / "board.png"
    download.value.save_as(picture)
    data = picture.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    felt = page.locator(".felt").bounding_box()
    assert felt is not None
    assert abs(width - 2 * (felt["width"] + 32)) <= 2
    assert height > 2 * felt["height"]
    assert len(data) > 50_000  # cards and texts, not a plain sheet
    assert download.value.suggested_filename.endswith("-9.png")


@pytest.mark.soak
def test_a_picture_from_a_phone_is_whole_to_its_right_edge_and_to_the_end_of_a_comment(
    page: Page, address: str, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    open_at(page, address, COMMENTED, 3)
    page.locator("[data-act=options]").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Enregistrer en image").click()
    picture = tmp_path / "board.png"
    download.value.save_as(picture)
    comments, felt = page.locator(".comments"), page.locator(".felt").bounding_box()
    assert felt is not None
    inks = page.evaluate(INKS, base64.b64encode(picture.read_bytes()).decode())
    # beyond the last column with ink lies the margin and nothing else
    left, right = inks.index(True), inks[::-1].index(True)
    assert abs(left - right) <= 4
    assert abs(left - 32) <= 4
    whole = comments.evaluate("box => box.scrollHeight")
    assert whole > comments.evaluate("box => box.clientHeight")
    height = struct.unpack(">II", picture.read_bytes()[16:24])[1]
    assert height > 2 * (felt["height"] + whole)


INKS = """async (data) => {
  const image = new Image();
  image.src = "data:image/png;base64," + data;
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: image.width, height: image.height });
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
  const inks = new Array(image.width).fill(false);
  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at] + pixels[at + 1] + pixels[at + 2] !== pixels[0] + pixels[1] + pixels[2]) {
      inks[(at / 4) % image.width] = true;
    }
  }
  return inks;
}"""
"""For each column of a picture, whether anything in it is not as its first corner."""


def download(page: Page, name: str, to: Path) -> Path:
    if page.get_by_role("button", name=name).is_hidden():
        page.get_by_role("button", name="Télécharger").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    download.value.save_as(to)
    return to


def named(watch: Watch, word: str) -> bool:
    """Whether an error of a page has a word."""
    return any(word in error for error in watch.errors)


def without_names(page: Page, to: Path) -> Path:
    """The replay in one file, once the server has made the button anew."""
    page.get_by_text("Masquer les noms").click()
    page.wait_for_selector(".st-key-share-html-masked")
    return download(page, "La relecture en un fichier (HTML)", to)


@pytest.mark.soak
def test_the_log_is_downloaded_as_it_came(page: Page, address: str, tmp_path: Path) -> None:
    open_at(page, address, TIMED, 0)
    assert download(page, "Le relevé (JSON)", tmp_path / "log.json").read_bytes() == timed()


@pytest.mark.soak
def test_the_replay_in_one_file_has_comments_and_none_with_masked_names(
    page: Page, address: str, browser: Browser, tmp_path: Path
) -> None:
    open_at(page, address, COMMENTED, 0)
    whole = download(page, "La relecture en un fichier (HTML)", tmp_path / "whole.html")
    nameless = without_names(page, tmp_path / "masked.html")
    assert not re.search("Bobby|kept it|Zozo", nameless.read_text())
    context = browser.new_context(offline=True, locale="fr-FR")
    alone = context.new_page()
    alone.goto(whole.as_uri())
    for _ in range(3):
        alone.keyboard.press("ArrowRight")
    at(alone, 3)
    assert alone.locator(".comments p").first.text_content() == LOUD
    assert alone.locator("img[src=x]").count() == 0
    context.close()


def test_the_replay_in_one_file_opens_without_a_network(
    page: Page, address: str, browser: Browser, tmp_path: Path
) -> None:
    open_at(page, address, "m2", 0)  # the hostile name against the long one
    whole = download(page, "La relecture en un fichier (HTML)", tmp_path / "whole.html")
    nameless = without_names(page, tmp_path / "masked.html")
    assert "Bobby" in whole.read_text()
    assert not re.search("Bobby|Anne-Élisabeth|monde", nameless.read_text())

    context = browser.new_context(offline=True, locale="fr-FR")
    for file, name in ((whole, HOSTILE[:20]), (nameless, "Joueur 1")):
        alone = context.new_page()
        watch = Watch(alone, file.as_uri())
        alone.goto(file.as_uri())
        expect(alone.locator(".place")).to_have_text(re.compile("^0 /"))
        expect(alone.locator(".own .name")).to_contain_text(name)
        for _ in range(15):
            alone.keyboard.press("ArrowRight")
        at(alone, 15)
        decoded = "all => Promise.all(all.map(one => one.decode())).then(() => all.length)"
        assert alone.locator(".board img").evaluate_all(decoded) >= 10
        alone.locator("#deals").select_option(index=1)
        at(alone, 0)
        assert alone.locator("b:has-text('Bobby')").count() == 0  # a name is only a name
        refused = alone.evaluate("fetch('https://example.org').then(() => 'sent', () => 'refused')")
        assert refused == "refused"
        comes(partial(named, watch, "example.org"), "the refusal", alone)
        items = [error for error in watch.errors if "example.org" not in error]
        assert items == watch.strangers == []
        alone.close()
    context.close()
