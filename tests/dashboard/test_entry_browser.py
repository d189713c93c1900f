"""Entering a match in Chromium: by taps on a phone, by keys, offline, on two devices."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from dashboard.draft_match import DraftMatch
from dashboard.games import game_view
from ingest.i18n import translator
from ingest.store import drafts
from ingest.store.factory import Store
from tests.dashboard.browser import drawn, reading, started
from tests.dashboard.conftest import HOSTILE, Show
from tests.dashboard.test_pages_browser import serious
from tests.dashboard.typing import TABLES, head_of, match_of, steps_of
from tests.waiting import until

pytestmark = pytest.mark.browser
FRENCH = translator("fr", "dashboard")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
GAMES = [table[0] for table in TABLES]


class Club(NamedTuple):
    """A store on show."""

    address: str
    path: Path
    secrets: dict[str, list[str]]

    def desk(self, page: Page, game: str) -> str:
        """A draft nobody has begun yet, opened on a page; its secret."""
        secret = self.secrets[game].pop()
        self.open(page, secret)
        return secret

    def open(self, page: Page, secret: str) -> None:
        page.goto(f"{self.address}/saisir?draft={secret}&lang=fr")
        expect(page.locator(".acts [data-do=help]")).to_be_visible()


@pytest.fixture(scope="module")
def club(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    path = tmp_path_factory.mktemp("entry") / "store.duckdb"
    secrets: dict[str, list[str]] = {}
    with Store(path) as store:
        for table in TABLES:
            head = head_of(match_of(*table))
            secrets[table[0]] = [drafts.create_draft(store, head) for _ in range(8)]
        head = head_of(match_of(*TABLES[0]))
        head["players"] = [{"id": "x", "name": HOSTILE}, {"id": "y", "name": "<img src=x>"}]
        secrets["hostile"] = [drafts.create_draft(store, head)]
    with show(path) as address:
        yield Club(address, path, secrets)


@pytest.fixture
def laptop(browser: Browser, club: Club) -> Iterator[Page]:
    with reading(browser, club.address) as page:
        yield page


@pytest.fixture
def outside(browser: Browser) -> Iterator[Page]:
    """A page whose requests may fail, which its browser writes to the console."""
    context = browser.new_context(locale="fr-FR", viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(60_000)
    yield page
    context.close()


@pytest.fixture
def phone(browser: Browser, club: Club) -> Iterator[Page]:
    with reading(browser, club.address, **PHONE) as page:
        yield page


def table_of(game: str) -> tuple[dict[str, Any], list[str]]:
    match = match_of(*next(one for one in TABLES if one[0] == game))
    return match, steps_of(match)


def typed_as(match: dict[str, Any]) -> dict[str, str]:
    """Each word with the keys the page shows for it."""
    table, shown = DraftMatch(head_of(match)).table, dict[str, str]()
    for typed, word in game_view(match["game"]).key_bindings(table, FRENCH).items():
        shown.setdefault(word, typed)
    return shown


def keys_of(match: dict[str, Any], steps: list[str]) -> list[str]:
    """What is typed for each step."""
    known = typed_as(match)
    names = list(getattr(DraftMatch(head_of(match)).table.bid_cards, "names", ()))
    found = []
    for step in steps:
        if step.startswith(":bid "):
            found.append(str(names.index(step.split(" ")[2]) + 1))
        else:
            keys = known[step]
            begun = any(other != keys and other.startswith(keys) for other in known.values())
            found.append(keys + " " * begun)
    return found


def tap(page: Page, step: str) -> None:
    """One tap: a card of the grid, once it means that, or a button once it is there."""
    verb, _, named = step.partition(" ")
    if verb == "turn":
        return page.locator(f".tile[data-card='{named}'][data-record='{step}']").click()
    card = page.locator(f".tile[data-card='{step}']")
    (card if card.count() else page.locator(f".act[data-record='{step}']")).first.click()


def settled(page: Page, steps: int) -> None:
    """Wait until the server has answered to so many steps of a draft."""
    until(page, f"() => {_STEPS} === {steps}")
    expect(page.locator(".talk .pending")).to_have_count(0)


_STEPS = (
    "JSON.parse(Object.entries(localStorage).find(([key]) =>"
    " key.endsWith(new URLSearchParams(location.search).get('draft')))?.[1] ?? '{\"steps\":[]}')"
    ".steps.length"
)


def stored(club: Club, page: Page, secret: str) -> list[str]:
    """The steps the server has, as another device gets them."""
    answer = page.request.post(
        f"{club.address}/entry",
        data={"draft": secret, "device": "other", "base": None},
        headers={"origin": club.address},
    )
    return list(answer.json()["steps"])


def over(page: Page) -> None:
    expect(page.locator(".messages .of-over")).to_be_visible()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.sample("chouineurs")
def test_a_deal_is_tapped_on_a_telephone_and_goes_on_by_keys(phone: Page, club: Club, game: str) -> None:
    match, steps = table_of(game)
    secret = club.desk(phone, game)
    half = len(steps) // 2
    for step in steps[:half]:
        tap(phone, step)
    tap(phone, steps[half])
    phone.locator("[data-do=undo]").click()
    settled(phone, half)
    club.open(phone, secret)
    settled(phone, half)
    phone.keyboard.type("".join(keys_of(match, steps[half:-2])))
    settled(phone, len(steps) - 2)
    for step in steps[-2:]:
        tap(phone, step)
    over(phone)
    assert stored(club, phone, secret) == steps
    at = [box["y"] + box["height"] for box in map(box_of, phone.locator(".tile").all())]
    assert max(at) <= 844
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def box_of(one: Any) -> dict[str, float]:
    found: dict[str, float] = one.bounding_box()
    return found


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.sample("chouine")
def test_a_whole_deal_is_typed_without_a_pointer(laptop: Page, club: Club, game: str) -> None:
    match, steps = table_of(game)
    secret = club.desk(laptop, game)
    typed = keys_of(match, steps)
    half = len(steps) // 2
    laptop.keyboard.type("".join(typed[: half + 1]).rstrip() + " ")
    laptop.keyboard.press("Backspace")
    settled(laptop, half)
    club.open(laptop, secret)
    settled(laptop, half)
    laptop.keyboard.type("".join(typed[half:]).rstrip() + " ")
    over(laptop)
    assert stored(club, laptop, secret) == [_numbered(match, one) for one in steps]
    expect(laptop.locator(".view .board .place")).to_have_text(re.compile(r"^(\d+) / \1$"))


def _numbered(match: dict[str, Any], step: str) -> str:
    """A bid is typed by its number."""
    [typed] = keys_of(match, [step]) if step.startswith(":bid ") else [step]
    return typed


@pytest.mark.soak
def test_twenty_keys_a_second_are_all_taken_in_order(outside: Page, club: Club) -> None:
    """Ten seconds of them: a deal, all of it taken back, and typed again without a connection."""
    match, steps = table_of("chouine")
    secret = club.desk(outside, "chouine")
    keys = list("".join(keys_of(match, steps[:-1])))
    pressed = [*keys, *["Backspace"] * (len(steps) - 1), *keys]
    assert len(pressed) > 180
    for at, key in enumerate(pressed):
        if at == 150:
            outside.context.set_offline(True)
        outside.keyboard.press(key, delay=50)
    expect(outside.locator(".messages .of-warning")).to_contain_text("Pas de connexion")
    expect(outside.locator(".talk .pending")).not_to_have_count(0)
    outside.context.set_offline(False)
    settled(outside, len(steps) - 1)
    assert stored(club, outside, secret) == steps[:-1]


@pytest.mark.soak
def test_keys_typed_while_the_server_is_dead_are_all_there_when_it_is_back(
    outside: Page, tmp_path: Path
) -> None:
    """Long enough that Streamlit gives its server up, and opens a dialog over the page."""
    match, steps = table_of("chouine")
    keys = keys_of(match, steps[:-1])
    path, log = tmp_path / "store.duckdb", tmp_path / "log"
    with Store(path) as store:
        secret = drafts.create_draft(store, head_of(match))
    with started("dashboard", path, log) as (server, address):
        club = Club(address, path, {})
        club.open(outside, secret)
        outside.evaluate(_DIALOGS)
        outside.keyboard.type("".join(keys[:5]))
        settled(outside, 5)
        server.kill()
        server.wait()
        for key in "".join(keys[5:15]):
            outside.keyboard.press(key, delay=400)
        expect(outside.locator(".messages .of-warning")).to_contain_text("Pas de connexion")
        assert outside.evaluate("window.dialogs") > 0
        assert not outside.locator("[data-testid=stDialog]").is_visible()
    with started("dashboard", path, log, int(address.rpartition(":")[2])):
        outside.keyboard.type("".join(keys[15:]))
        settled(outside, len(keys))
        assert stored(club, outside, secret) == steps[:-1]


_DIALOGS = """() => {
    window.dialogs = 0;
    new MutationObserver((seen) => {
        for (const { addedNodes } of seen)
            for (const one of addedNodes) window.dialogs += one.dataset?.testid === "stDialog";
    }).observe(document.body, { childList: true });
}"""


def test_what_is_against_the_rules_waits_until_somebody_insists(laptop: Page, club: Club) -> None:
    secret = club.desk(laptop, "coinche")
    laptop.keyboard.type("90h80h")
    expect(laptop.locator(".messages .of-error")).to_be_visible()
    laptop.keyboard.press("!")
    expect(laptop.locator(".talk .wrong")).to_have_count(1)
    assert stored(club, laptop, secret) == ["bid 90h", "bid 80h!"]


@pytest.mark.soak
def test_two_devices_lose_nothing_to_each_other(outside: Page, browser: Browser, club: Club) -> None:
    secret = club.desk(outside, "coinche")
    outside.keyboard.type("p")
    settled(outside, 1)
    with reading(browser, club.address, **PHONE) as phone:
        club.open(phone, secret)
        tap(phone, "bid 90h")
        settled(phone, 2)
        outside.keyboard.type("p")
        result = outside.locator(".messages .of-warning")
        expect(result).to_contain_text("Un autre appareil")
        assert stored(club, phone, secret) == ["pass", "bid 90h"]
        outside.locator("[data-do=theirs]").click()
        settled(outside, 2)
        outside.keyboard.type("p")
        settled(outside, 3)
        assert stored(club, phone, secret) == ["pass", "bid 90h", "pass"]


def test_a_browser_finds_its_drafts_again_without_an_address(laptop: Page, club: Club) -> None:
    secret = club.desk(laptop, "coinche")
    laptop.keyboard.type("pp")
    settled(laptop, 2)
    laptop.goto(f"{club.address}/saisir?lang=fr")
    draft = laptop.locator("li", has=laptop.locator(f"a[href*='{secret}']"))
    expect(draft).to_contain_text("Donne 1")
    expect(draft).to_contain_text("Gaston + Paulette")
    draft.get_by_role("link").click()
    expect(laptop.locator(".talk li")).to_have_count(2)
    laptop.goto(f"{club.address}/saisir?lang=fr")
    draft.get_by_role("button").click()
    expect(draft).to_have_count(0)
    assert laptop.evaluate("Object.keys(localStorage).join()").find(secret) < 0


@pytest.mark.soak
def test_words_beside_cards_stay_in_sight_on_a_telephone(phone: Page, club: Club) -> None:
    _, steps = table_of("chouineurs")
    club.desk(phone, "chouineurs")
    requested = steps.index(next(one for one in steps if not one.startswith(":")))
    expect(phone.locator(".grid")).to_have_attribute("inert", "")
    for step in steps[: steps.index("turn b5")]:
        tap(phone, step)
    expect(phone.locator(".tile[data-record='turn b5']")).to_be_in_viewport()
    for item in ("[data-record=point]", "[data-do=undo]", "[data-do=finish]"):
        expect(phone.locator(f".sayable {item}")).to_be_in_viewport(ratio=1)
    assert phone.locator(".words .act").count() < 6
    assert requested > 0


@pytest.mark.soak
def test_bids_stand_in_a_column_a_suit_on_a_telephone(phone: Page, club: Club) -> None:
    club.desk(phone, "coinche")
    tap(phone, "bid 90h")
    settled(phone, 1)
    for suit in "shdc":
        is_known = phone.locator(f".suits .act.{suit}:visible").all()
        assert len(is_known) > 5
        assert len({round(box_of(one)["x"]) for one in is_known}) == 1
    first = phone.locator(".words > .act:visible").all()
    assert [one.get_attribute("data-record") for one in first][:2] == ["pass", "coinche"]


@pytest.mark.soak
def test_a_link_no_other_device_can_open_says_so(laptop: Page, club: Club) -> None:
    club.desk(laptop, "chouine")
    laptop.locator("[data-do=share]").click()
    expect(laptop.locator(".share")).to_contain_text("--host 0.0.0.0")
    expect(laptop.locator(".share img")).to_have_count(0)


@pytest.mark.soak
def test_a_name_is_never_markup(laptop: Page, club: Club) -> None:
    club.desk(laptop, "hostile")
    expect(laptop.locator(".acts")).to_be_visible()
    laptop.keyboard.type("8h9h")
    expect(laptop.locator(".who")).to_contain_text("<img src=x>")
    expect(laptop.locator(".talk")).to_contain_text("<b>Bobby</b>")
    assert laptop.locator(".entry img[src=x]").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.soak
def test_axe_finds_nothing_serious_at_the_desk(browser: Browser, club: Club, game: str, scheme: Any) -> None:
    match, steps = table_of(game)
    with reading(browser, club.address, color_scheme=scheme) as page:
        club.desk(page, game)
        page.keyboard.type("".join(keys_of(match, steps[:9])) + " ")
        settled(page, 9)
        page.keyboard.press("?")
        assert serious(page) == []


_STORES_57 = """() => Object.values(localStorage).filter((text) => text.startsWith("{")).some((text) =>
    JSON.parse(text).lines?.some((line) => Object.values(line).includes("57")))"""


def test_a_sheet_being_typed_is_there_again_though_its_page_is_left_at_once(laptop: Page, club: Club) -> None:
    def cell() -> Locator:  # the points of the first seat in the first line
        return laptop.get_by_test_id("glide-cell-2-0")

    laptop.goto(f"{club.address}/saisir?mode=sheet&lang=fr")
    name = laptop.locator(".st-key-sheet-player-1 input")
    name.fill("Lucie")
    name.press("Tab")
    canvas = laptop.locator("canvas").first
    expect(canvas.locator("th", has_text="Lucie").first).to_be_attached()
    drawn(laptop)  # a run still under way would close the cell again
    box = box_of(canvas)
    laptop.mouse.click(box["x"] + 150, box["y"] + 52)
    expect(cell()).to_have_attribute("aria-selected", "true")
    laptop.keyboard.type("5")
    laptop.locator("#portal textarea, #portal input").fill("57")
    laptop.get_by_test_id("stSidebar").get_by_role("link", name="Rencontres").click()
    expect(laptop.get_by_role("heading", name="Rencontres", level=1)).to_be_visible()  # it has come
    laptop.go_back()
    expect(cell()).to_have_text("57")
    until(laptop, _STORES_57)
    laptop.reload()
    expect(cell()).to_have_text("")
    laptop.get_by_role("button", name="Reprendre (Lucie").click()
    expect(cell()).to_have_text("57")
    expect(name).to_have_value("Lucie")
    laptop.get_by_role("button", name="Jeter cette feuille").click()
    expect(cell()).to_have_text("")
    laptop.reload()
    expect(cell()).to_be_attached()
    expect(laptop.get_by_role("button", name="Reprendre (Lucie")).to_have_count(0)
