"""The board fills its window at every size; deals are steps of the browser's history."""

import json
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.board.states import deal_states
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.validate.slow_path import validate
from schemas.simulated import simulate_season
from tests.dashboard.browser import drawn, reading
from tests.dashboard.conftest import Show, documents, every_table, lines, simulated

pytestmark = pytest.mark.browser

SECOND = next(iter(simulate_season("chouine", 1, 5, "regles-completes", 2))) | {"id": "second-text"}
"""A match by the second text of the rules."""
TIMED = documents()[0] | {
    "id": "timed",
    "deals": [
        deal | {"times": [float(at + 1) for at, _ in enumerate(deal["actions"])]}
        for deal in documents()[0]["deals"]
    ],
}
"""A match with a fourth pace: as it was played."""
SIZES = ((1366, 650), (1280, 720), (1024, 768), (390, 844), (844, 390), (683, 384))
"""The last is what 200 % leaves of 1366 × 768."""
TABLES: dict[str, dict[str, Any]] = {
    "m1": documents()[1],
    "second-text": SECOND,
    "chouine-3-0": simulated("chouine", "lavardin", 3)[0],
    "chouine-4-0": simulated("chouine", "lavardin", 4)[0],
    "mondoubleau-2-0": simulated("chouine", "mondoubleau", 2)[0],
    "coinche-4-0": simulated("coinche", "tournoi-2018", 4)[0],
    "chouineurs-2-0": simulated("chouineurs", "blam", 2)[0],
    "chouineurs-5-0": simulated("chouineurs", "blam", 5)[0],
}


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path: Path = tmp_path_factory.mktemp("window") / "store.duckdb"
    own = {name: json.dumps(match).encode() for name, match in (("2", SECOND), ("timed", TIMED))}
    files = {"club": lines(), "tables": every_table(), **own}
    with Store(path) as store:
        list(
            ingest(
                store,
                [(f"{name}.jsonl", BytesIO(text)) for name, text in files.items()],
                on_conflict=OnConflict.BOTH,
            )
        )
    with show(path) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with reading(browser, address) as page:
        yield page


def open_at(page: Page, address: str, match: str, ply: int, deal: int = 1, more: str = "") -> None:
    page.goto(f"{address}/relecture?match={match}&deal={deal}&ply={ply}{more}")
    at(page, ply)
    expect(page.locator(".place")).to_be_visible()


def at(page: Page, ply: int) -> None:
    expect(page.locator(".place")).to_have_text(re.compile(f"^{ply} /"))


def query(page: Page) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


# all of it in sight

ARRIVED = """async board => {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  const moving = board.getAnimations({ subtree: true });
  await Promise.all(moving.map((one) => one.finished.catch(() => null)));
}"""
"""Resolved when what was laid lies where it belongs, however slow the machine is."""

SIGHT = """board => {
  const root = board.getRootNode();
  const within = (box) =>
    box.left >= 0 && box.top >= 0 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1;
  const ground = getComputedStyle(board.querySelector(".ground"));
  const corner = Number(ground.getPropertyValue("--corner"));
  const wrong = [], counted = { hand: 0, trick: 0, talon: 0 };
  for (const card of board.querySelectorAll("[data-zone]")) {
    const { zone, card: name } = card.dataset;
    counted[zone] += 1;
    const box = card.getBoundingClientRect();
    const face = card.querySelector("img").getBoundingClientRect();
    if (!within(box)) wrong.push(`${zone} ${name} is out of the window`);
    if (zone === "talon") continue;
    if (box.width < 14) wrong.push(`${zone} ${name} is ${box.width} px wide`);
    // where rank and suit are, and how far to the right they reach
    for (const [x, y] of [[.07, .08], [.1, .22], [.95 * corner, .1]]) {
      const hit = root.elementFromPoint(face.left + x * face.width, face.top + y * face.height);
      if (hit?.closest("[data-zone]") !== card) wrong.push(`${zone} ${name} is covered`);
    }
  }
  const parts = [".bar button", ".place", "[type=range]", ".points", ".side", ".facts", ".event"];
  for (const part of parts) {
    for (const one of board.querySelectorAll(part)) {
      if (!within(one.getBoundingClientRect())) wrong.push(`${part} is out of the window`);
    }
  }
  return { counted, wrong, scrolled: document.querySelector("[data-testid=stMain]").scrollTop };
}"""
"""What of a board is not in sight."""


def states_of(match: dict[str, Any]) -> dict[str, Any]:
    result = deal_states(validate(json.dumps(match).encode()), 0, translator("fr", "dashboard"))
    assert result is not None
    return result


@pytest.mark.parametrize("match", TABLES)
@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.sample("1366-650-coinche-4-0")
def test_everything_is_in_the_window_at_every_size(
    page: Page, address: str, match: str, width: int, height: int
) -> None:
    plies = states_of(TABLES[match])["plies"]
    # the beginning, where hands are longest; the first trick that is half laid; the end
    middle = next(at for at, ply in enumerate(plies) if ply["table_of"] == "now" and None in ply["table"])
    page.set_viewport_size({"width": width, "height": height})
    open_at(page, address, match, 0)
    for ply in (0, middle, len(plies) - 1):
        page.locator("[type=range]").fill(str(ply))
        at(page, ply)
        page.locator(".board").evaluate(ARRIVED)
        found = page.locator(".board").evaluate(SIGHT)
        state = plies[ply]
        assert found["wrong"] == [], f"state {ply}"
        assert found["scrolled"] == 0
        assert found["counted"] == {
            "hand": sum(len(seat["hand"]) for seat in state["seats"]),
            "trick": sum(card is not None for card in state["table"]),
            "talon": len(state["piles"]),
        }, f"state {ply}"


@pytest.mark.soak
def test_moves_stand_beside_the_board_where_there_is_room(page: Page, address: str) -> None:
    open_at(page, address, "m1", 30)
    page.set_viewport_size({"width": 1366, "height": 650})
    lit = page.locator(".event-at[aria-current]")
    expect(lit).to_be_in_viewport()
    expect(lit).to_have_text(re.compile("^30"))
    page.locator(".event-at").nth(29).click()
    at(page, 29)
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".course")).not_to_have_attribute("open", "")
    page.locator(".course summary").click()
    expect(lit).to_have_text(re.compile("^29"))


@pytest.mark.soak
def test_the_line_above_names_players_game_rules_and_event(page: Page, address: str) -> None:
    open_at(page, address, "coinche-4-0", 0)
    above = page.locator(".match")
    expect(above).to_contain_text("Coinche · Tournoi 2018 · ")
    players = above.locator("a")
    expect(players).to_have_count(4)
    box = page.locator(".top").bounding_box()
    assert box is not None
    assert box["height"] < 45  # one line
    # where the sidebar is closed Streamlit writes whose pages these are over that line
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_visible()
    painted = "one => getComputedStyle(one, '::after').content.includes('Retourne')"
    assert not page.evaluate(f"() => [...document.querySelectorAll('header *')].some({painted})")
    page.set_viewport_size({"width": 1280, "height": 900})
    name = players.first.inner_text()
    players.first.click()
    page.wait_for_url(re.compile(r"/joueurs\?player="))
    expect(page.get_by_text(name).first).to_be_visible()
    drawn(page)  # what the page itself writes into its address stands there before the way back
    page.go_back()
    at(page, 0)


@pytest.mark.parametrize(("width", "height"), [(1024, 390), (844, 390), (390, 844)])
@pytest.mark.soak
def test_the_menu_is_closed_where_there_is_no_room_and_opens(
    page: Page, address: str, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    open_at(page, address, "m1", 0)
    button = page.get_by_test_id("stExpandSidebarButton")
    home = page.get_by_role("link", name="Accueil")
    expect(button).to_be_visible()
    expect(home).not_to_be_in_viewport()
    assert page.locator(".top").evaluate(FREE) == []  # nor does the button lie on what is ours
    button.click()
    expect(home).to_be_in_viewport()


FREE = """box => [...box.querySelectorAll("button, select, [type=range], .place")].filter((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  if (!one.checkVisibility() || !width) return false;
  const hit = box.getRootNode().elementFromPoint(left + width / 2, top + height / 2);
  const ends = left >= 0 && left + width <= innerWidth && top >= 0 && top + height <= innerHeight;
  return !ends || !(hit && (one === hit || one.contains(hit) || hit.contains(one)));
}).map((one) => one.dataset.act ?? one.name ?? one.className)"""
"""What of a box cannot be pressed or read: out of the window, or something lies on it."""


@pytest.mark.parametrize(("width", "height"), [(320, 568), (280, 653), (360, 640), (653, 280)])
@pytest.mark.sample("320-568")
def test_on_a_small_telephone_every_control_is_reached(
    page: Page, address: str, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    open_at(page, address, TIMED["id"], 5)
    for part in (".top", ".steps"):
        assert page.locator(part).evaluate(FREE) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= innerWidth")
    page.locator("[data-act=options]").click()
    page.locator("[data-act=help]:visible").click()
    expect(page.locator("dialog")).to_be_visible()


# deals


def test_a_deal_is_a_step_of_the_history_and_back_runs_nothing(page: Page, address: str) -> None:
    open_at(page, address, "m1", 7)
    deals = page.get_by_role("combobox", name="Donne")
    page.keyboard.press(">")
    expect(deals).to_have_value(re.compile("^Donne 2"))
    at(page, 0)
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("deal=2.*ply=1"))
    page.get_by_role("button", name="Donne suivante").click()
    expect(deals).to_have_value(re.compile("^Donne 3"))
    page.keyboard.press("ArrowRight")  # after a button the keys are the board's
    at(page, 1)
    runs: list[object] = []
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.webSocketFrameSent", lambda sent: runs.append(sent))
    page.go_back()
    expect(deals).to_have_value(re.compile("^Donne 2"))
    at(page, 1)
    page.go_back()
    expect(deals).to_have_value(re.compile("^Donne 1"))
    at(page, 7)
    page.go_forward()
    expect(deals).to_have_value(re.compile("^Donne 2"))
    session.detach()
    assert runs == []


@pytest.mark.soak
def test_forward_at_the_end_leads_on_to_the_next_deal(page: Page, address: str) -> None:
    open_at(page, address, "m1", 0)
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("deal=2"))
    at(page, 0)
    page.keyboard.press("<")
    page.wait_for_url(re.compile("deal=1"))
    at(page, 0)


@pytest.mark.soak
def test_back_from_the_beginning_leads_to_the_end_of_the_deal_before(page: Page, address: str) -> None:
    open_at(page, address, "m1", 0, deal=2)
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("deal=1"))
    at(page, len(states_of(TABLES["m1"])["plies"]) - 1)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")  # nothing is before the first
    at(page, 0)
    expect(page.get_by_role("button", name="Reculer (←)")).to_have_attribute("aria-disabled", "true")


@pytest.mark.soak
def test_keys_pressed_while_a_deal_is_on_its_way_are_done_in_order(page: Page, address: str) -> None:
    open_at(page, address, "m1", 0)
    end = len(states_of(TABLES["m1"])["plies"]) - 1
    for _ in range(end + 1 + 5):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("deal=2&ply=5"))
    at(page, 5)
    for key in (">", ">", "ArrowRight", "<", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    page.wait_for_url(re.compile("deal=3&ply=2"))
    at(page, 2)


@pytest.mark.soak
def test_after_a_choice_the_keys_are_the_boards(page: Page, address: str) -> None:
    open_at(page, address, "m1", 3)
    for name, value in (("viewer", "1"), ("speed", "fast")):
        page.locator(f"[name={name}]").select_option(value)
        before = int(page.locator(".place").inner_text().split(" /")[0])
        page.keyboard.press("ArrowRight")
        at(page, before + 1)
    page.locator("[data-act=next]").click()
    page.keyboard.press(" ")  # plays, and does not press the button again
    expect(page.locator(".playing")).to_be_visible()


# the table


@pytest.mark.soak
def test_the_table_is_turned_and_who_i_am_sits_below(page: Page, address: str) -> None:
    open_at(page, address, "chouine-3-0", 0)
    names = page.locator(".seat .name")
    below = page.locator(".own .name")
    first = below.inner_text()
    page.keyboard.press("t")
    expect(below).not_to_have_text(first)
    second = below.inner_text()
    page.locator("[data-act=options]").click()
    page.get_by_label("C’est moi").check()
    open_at(page, address, "chouine-3-0", 0)
    expect(below).to_have_text(second)
    assert names.count() == 3
    page.locator("[data-act=options]").click()
    page.get_by_label("C’est moi").uncheck()
    open_at(page, address, "chouine-3-0", 0)
    expect(below).to_have_text(first)


@pytest.mark.soak
def test_z_shows_the_board_alone(page: Page, address: str) -> None:
    open_at(page, address, "m1", 0)
    menu = page.get_by_role("link", name="Accueil")
    covered = "link => { const { x, y } = link.getBoundingClientRect();" + (
        "return !link.contains(document.elementFromPoint(x + 4, y + 4)) }"
    )
    assert not menu.evaluate(covered)
    page.keyboard.press("z")
    assert menu.evaluate(covered)
    page.keyboard.press("z")
    assert not menu.evaluate(covered)


@pytest.mark.soak
def test_an_announcement_lies_on_the_table_with_its_cards(page: Page, address: str) -> None:
    plies = states_of(documents()[1])["plies"]
    ply, seat, note = next(
        (at, seat, note)
        for at, state in enumerate(plies)
        for seat, own in enumerate(state["seats"])
        for note in own["notes"]
        if note["fresh"]
    )
    assert len(note["cards"]) >= 2
    assert set(note["cards"]) <= set(plies[ply - 1]["seats"][seat]["hand"])
    open_at(page, address, "m1", ply)
    lying = page.locator(f".place-{seat} .note")
    expect(lying.locator("img")).to_have_count(len(note["cards"]))
    expect(page.locator(".hand .shown")).to_have_count(len(note["cards"]))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".hand .shown")).to_have_count(0)
    expect(lying.locator("img")).to_have_count(len(note["cards"]))


# from a list, onto paper


@pytest.mark.soak
def test_a_list_leads_on_to_the_next_match(page: Page, address: str) -> None:
    page.goto(f"{address}/rencontres?q=m&lang=fr")
    page.locator(".linked a", has_text="Relecture").nth(1).click()
    at(page, 0)
    before = page.get_by_role("link", name="Rencontre précédente de la liste")
    after = page.get_by_role("link", name="Rencontre suivante de la liste")
    first, third = (str(link.get_attribute("href")) for link in (before, after))
    after.click()
    expect(after).not_to_have_attribute("href", third)
    at(page, 0)
    page.go_back()
    expect(after).to_have_attribute("href", third)
    before.click()
    page.wait_for_url(re.compile(first.split("&")[0].rpartition("=")[2]))
    expect(after).not_to_have_attribute("href", third)
    # the first of the list has none before it
    expect(page.locator("[data-near=before]")).not_to_have_attribute("href", re.compile("."))


@pytest.mark.soak
def test_paper_has_players_deals_points_and_announcements(page: Page, address: str) -> None:
    open_at(page, address, "m1", 0)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    sheet = page.locator(".sheet")
    expect(sheet.locator("h2").first).to_contain_text("Zoé d’Orléans – ")
    rows = sheet.locator("tr")
    expect(rows).to_have_count(1 + len(documents()[1]["deals"]))
    expect(rows.nth(1)).to_contain_text("mariage")
    first, second = documents()[1]["deals"][0]["points"]
    expect(rows.nth(1)).to_contain_text(f"{first}{second}")
    expect(page.locator(".felt")).to_be_hidden()
    page.emulate_media(media="screen")
