"""The pages in Chromium: many files and a zip, the way back, downloads, keys, and axe-core."""

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from dashboard.pages import PAGE_NAMES
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.player_key import search_key
from schemas.simulated import simulate_season
from tests.dashboard.browser import drawn, reading
from tests.dashboard.conftest import FAUTES, HOSTILE, Show, documents, every_table, lines
from tests.waiting import still, until

pytestmark = pytest.mark.browser

ADDRESSES = {
    "accueil": "",
    "relecture": "relecture?match=m1&deal=1&ply=9",
    "regles": "regles?rule=CH-9",
    "face_a_face": "face_a_face?first=Jean&second=Zo%C3%A9%20d%E2%80%99Orl%C3%A9ans",
}
"""Where a page has more to show than at its bare address."""


def enough_to_test() -> bytes:
    """Decks enough for the tests of shuffles to be made, and their table drawn."""
    many = simulate_season("chouine", 30, 7, "lavardin", 2)
    names = {"players": [{"name": "Une"}, {"name": "Deux"}]}
    lines = (json.dumps(one | names | {"id": f"many-{i}"}) for i, one in enumerate(many))
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose store has games of every kind, and hostile names."""
    folder = tmp_path_factory.mktemp("served")
    with Store(folder / "store.duckdb") as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
        list(ingest(store, [("tables.jsonl", BytesIO(every_table()))]))
        list(ingest(store, [("many.jsonl", BytesIO(enough_to_test()))]))
        list(ingest(store, [FAUTES / "must-follow.json"]))
    with show(folder / "store.duckdb") as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with reading(browser, address) as page:
        yield page


def opened(page: Page, address: str) -> None:
    """A page once Streamlit has drawn all of it."""
    page.goto(address)
    drawn(page)


@pytest.mark.soak
def test_ten_files_and_a_zip_are_added_together(page: Page, address: str, tmp_path: Path) -> None:
    one = documents()[0]
    files = []
    for number in range(10):
        file = tmp_path / f"match-{number}.json"
        file.write_text(json.dumps(one | {"id": f"ten-{number}"}))
        files.append(str(file))
    packed = tmp_path / "club.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.json", json.dumps(one | {"id": "zipped-a"}))
        archive.writestr("b.json", json.dumps(one | {"id": "zipped-b"}))
    opened(page, f"{address}/deposer")
    page.locator("input[type=file]").set_input_files([*files, str(packed)])
    expect(page.get_by_text("match-9.json", exact=True)).to_be_visible()
    # while a file is on its way Streamlit paints a wheel; words over its name would stay
    painted = "one => getComputedStyle(one, '::after').content !== 'none'"
    chips = "[...document.querySelectorAll('[data-testid=stFileChips] *')]"
    until(page, f"{chips}.length > 0 && !{chips}.some({painted})")
    page.get_by_role("button", name="Envoyer les fichiers").click()
    added = page.locator("[data-testid=stMetric]").filter(has_text="Ajoutées")
    expect(added).to_contain_text("12")
    page.get_by_role("button", name="Annuler ce dépôt").click()
    expect(page.get_by_text("Dépôt annulé.")).to_be_visible()
    page.get_by_role("button", name="Remettre ces rencontres").click()
    expect(page.get_by_role("link", name="Revoir la première rencontre")).to_be_visible()


def test_the_way_back_leads_through_the_filters(page: Page, address: str) -> None:
    opened(page, f"{address}/rencontres")
    found = page.get_by_text("Rencontres trouvées").first
    expect(found).to_be_visible()
    every = found.inner_text()
    page.get_by_label("Rechercher").fill("zoe")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=zoe**")
    expect(found).not_to_have_text(every)
    narrowed = found.inner_text()
    page.reload()
    expect(found).to_have_text(narrowed)
    page.get_by_role("link", name="Règles", exact=True).click()
    expect(page.get_by_role("heading", name="Règles", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Rencontres", exact=True)).to_be_visible()
    expect(found).to_have_text(narrowed)


@pytest.mark.soak
def test_another_list_begins_on_its_first_page(page: Page, address: str) -> None:
    """And Streamlit has nothing to say of it to who serves, as `address` looks in the end."""
    opened(page, f"{address}/rencontres?page=2")
    page.get_by_label("Rechercher").fill("e")  # still more than a page
    page.keyboard.press("Enter")
    page.wait_for_url("**q=e**")
    expect(page.locator("[data-testid=stPagination]")).to_be_visible()
    expect(page).not_to_have_url(re.compile("page=2"))


@pytest.mark.soak
def test_that_is_me_is_kept_by_the_browser_until_it_is_taken_back(page: Page, address: str) -> None:
    mine = page.get_by_role("heading", name="Mes rencontres")
    opened(page, f"{address}/?q=jean")
    page.get_by_role("button", name="C’est moi").first.click()
    expect(page.get_by_role("button", name="C’est moi")).to_have_count(0)
    opened(page, address)
    expect(mine).to_be_visible()
    page.get_by_role("button", name="Ce n’est pas moi").click()
    expect(mine).to_have_count(0)
    opened(page, address)
    expect(mine).to_have_count(0)
    assert page.title() == "Accueil · Retourne"


FILTERED = {
    "rencontres": "q=zoe",
    "joueurs": "name=zoe",
    "face_a_face": "first=Jean&second=Zo%C3%A9%20d%E2%80%99Orl%C3%A9ans",
    "annonces": "since=2026-01-01&game=Coinche",
    "classement": "name=zoe",
    "regles": "words=monter",
    "donnees": "q=zoe",
}
"""Pages at an address that is not their bare one."""


@pytest.mark.parametrize("name", FILTERED)
@pytest.mark.soak
def test_back_finds_a_page_with_its_filters(page: Page, address: str, name: str) -> None:
    other = "Vérificateur"
    opened(page, address)
    opened(page, f"{address}/{name}?{FILTERED[name]}")
    result = page.locator("h2, [data-testid=stMarkdown], [data-testid=stCaptionContainer]")
    expect(result.first).to_be_visible()
    before, filtered = result.all_inner_texts(), page.url
    assert urlsplit(filtered).query
    page.get_by_role("link", name=other, exact=True).click()
    expect(page.get_by_role("heading", name=other, exact=True)).to_be_visible()
    expect(page).to_have_url(f"{address}/verificateur")
    page.go_back()
    expect(page).to_have_url(filtered)
    expect(result).to_have_text(before, use_inner_text=True)
    page.go_back()
    expect(page).to_have_url(f"{address}/")


@pytest.mark.soak
def test_back_from_a_replay_opened_in_the_list_keeps_its_filters(page: Page, address: str) -> None:
    opened(page, f"{address}/rencontres?q=zoe")
    found = page.get_by_text("Rencontres trouvées").first
    narrowed = found.inner_text()
    page.locator(".linked a", has_text="Relecture").first.click()
    page.wait_for_url("**/relecture?match=**")
    expect(page.locator(".place")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(f"{address}/rencontres?q=zoe")
    expect(found).to_have_text(narrowed)


def test_a_replay_is_opened_from_the_list_by_the_keyboard(page: Page, address: str) -> None:
    opened(page, f"{address}/rencontres?q=zoe")
    page.locator(".linked a", has_text="Relecture").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/relecture?match=**")
    expect(page.locator(".place")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(f"{address}/rencontres?q=zoe")
    expect(page.get_by_text("Rencontres trouvées").first).to_be_visible()


@pytest.mark.soak
def test_a_faulty_match_of_the_list_opens_its_check(page: Page, address: str) -> None:
    opened(page, f"{address}/rencontres?status=irr%C3%A9guli%C3%A8re")
    page.locator(".linked a", has_text="irrégulière").first.click()
    page.wait_for_url("**/verificateur?match=**")
    expect(page.get_by_role("radio").first).to_be_attached()
    expect(page.get_by_text("CH-8").first).to_be_visible()
    page.go_back()
    page.wait_for_url("**/rencontres?status=**")


@pytest.mark.soak
def test_a_link_in_french_opens_the_same_list_for_an_english_reader(browser: Browser, address: str) -> None:
    with reading(browser, address, locale="en-GB") as page:
        opened(page, f"{address}/rencontres?status=irr%C3%A9guli%C3%A8re")
        expect(page.get_by_text("Matches found: 1")).to_be_visible()


def test_an_export_is_downloaded_from_a_file(page: Page, address: str) -> None:
    opened(page, f"{address}/donnees?q=zoe")
    page.get_by_role("button", name="Préparer le fichier").click()
    link = page.get_by_role("link", name="Télécharger")
    expect(link).to_be_visible()
    with page.expect_download() as result:
        link.click()
    text = Path(result.value.path()).read_text(encoding="utf-8")
    assert result.value.suggested_filename == "retourne-logs.jsonl"
    played = [json.loads(line)["players"] for line in text.splitlines()]
    assert played
    texts = (lines(), every_table(), enough_to_test())
    logs = [json.loads(line) for some in texts for line in some.splitlines()]
    seated = [player for log in logs for player in log["players"]]
    zoes = {player.get("id") for player in seated if "zoe" in search_key(player.get("name", ""))}
    assert [one for one in played if zoes.isdisjoint(player.get("id") for player in one)] == []


@pytest.mark.soak
def test_a_table_is_not_offered_as_a_csv_that_nobody_guards(page: Page, address: str) -> None:
    opened(page, f"{address}/regles")
    table = page.locator("[data-testid=stDataFrame]").first
    table.hover()
    expect(page.locator('[aria-label^="Rechercher"]').first).to_be_visible()
    offered = page.locator('[aria-label^="Download as CSV"]').first
    expect(offered).to_be_attached()
    expect(offered).to_be_hidden()


def test_deleting_asks_first_and_is_undone(page: Page, address: str) -> None:
    opened(page, f"{address}/donnees?status=irregular")
    page.get_by_role("button", name="Supprimer ces rencontres").click()
    page.get_by_role("dialog").get_by_role("button", name="Supprimer", exact=True).click()
    expect(page.get_by_text("Aucune rencontre trouvée")).to_be_visible()
    page.get_by_role("button", name="Remettre ces rencontres").first.click()
    expect(page.get_by_text("Rencontres choisies : 1", exact=True)).to_be_visible()


def test_every_page_is_reached_by_the_keyboard_alone(page: Page, address: str) -> None:
    opened(page, address)
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        link = page.evaluate("document.activeElement.getAttribute('href') || ''")
        if link:  # and it is seen which one it is
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline == "solid", link
        reached.add(link.rstrip("/").rsplit("/", 1)[-1].split("?")[0])
    assert set(PAGE_NAMES) - {"accueil"} <= reached


@pytest.mark.soak
def test_a_page_asks_the_server_where_it_lies_and_nowhere_else(page: Page, address: str) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"{address}/rencontres?status=legal")
    page.locator("[data-testid=stApp] h1").first.wait_for()
    service = {place for place in requested if "/_stcore/" in place}
    assert {f"{address}/_stcore/health", f"{address}/_stcore/host-config"} <= service
    assert all(place.startswith(f"{address}/_stcore/") for place in service)


def test_a_screen_reader_gets_the_language_of_the_page(page: Page, address: str) -> None:
    opened(page, f"{address}/classement")
    html = page.locator("html")
    expect(html).to_have_attribute("lang", "fr")
    page.get_by_role("radio", name="en", exact=True).click()
    expect(html).to_have_attribute("lang", "en")


@pytest.mark.soak
def test_a_rule_is_opened_by_its_address(page: Page, address: str) -> None:
    opened(page, f"{address}/regles?rule=CO-9")
    expect(page.get_by_text("CO-9 · Abattre son jeu.").first).to_be_visible()
    opened(page, f"{address}/regles#ch-22")
    expect(page.get_by_role("heading", name="CH-22 · La chouine")).to_be_visible()


@pytest.mark.soak
def test_a_hostile_name_is_text_wherever_it_stands(page: Page, address: str) -> None:
    opened(page, f"{address}/face_a_face")
    page.get_by_label("Premier joueur").click()
    page.keyboard.type("Bobby")
    expect(page.get_by_role("option", name=HOSTILE)).to_be_visible()
    assert page.locator("b", has_text="Bobby").count() == 0


SETTLED = """() => {
  const seen = (selector) => [...document.querySelectorAll(selector)].filter(
    (one) => one.checkVisibility());
  const ends = (one) => Number.isFinite(one.effect.getComputedTiming().endTime);
  return seen("[data-testid=stDataFrame]").every((one) => one.querySelector("canvas [role=row]"))
    && seen("*").map((one) => one.shadowRoot?.querySelector(".plot")).every(
      (one) => !one || one.querySelector("svg.main-svg") || one.getBoundingClientRect().top > innerHeight)
    && !document.getAnimations().some((one) => one.playState === "running" && ends(one));
}"""
"""Tables and figures draw themselves a moment after the page, and some things fade in."""


def serious(page: Page) -> list[Any]:
    """What axe-core finds that keeps somebody out."""
    for board in page.locator("section.board").all():
        expect(board.locator(".event")).not_to_be_empty()
    still(page)
    until(page, SETTLED)
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        (one["id"], *[(node["html"][:120], node["failureSummary"]) for node in one["nodes"][:3]])
        for one in found
        if one["impact"] in ("moderate", "serious", "critical")
    ]


Scheme = Literal["light", "dark"]
PAPER = "[data-testid=stApp]"


@pytest.fixture(scope="module")
def in_both(browser: Browser, address: str) -> Callable[[str], dict[Scheme, list[Any]]]:
    """What axe-core finds on a page in the light and, once the reader's system is dark, then."""

    @cache
    def look(name: str) -> dict[Scheme, list[Any]]:
        with reading(browser, address, color_scheme="light") as page:
            opened(page, f"{address}/{ADDRESSES.get(name, name)}")
            light = serious(page)
            page.emulate_media(color_scheme="dark")
            expect(page.locator(PAPER)).not_to_have_css("background-color", "rgb(255, 255, 255)")
            drawn(page)
            return {"light": light, "dark": serious(page)}

    return look


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGE_NAMES)
@pytest.mark.sample("relecture-light")
def test_axe_finds_nothing_serious(
    in_both: Callable[[str], dict[Scheme, list[Any]]], name: str, scheme: Scheme
) -> None:
    assert in_both(name)[scheme] == []


def try_an_example(page: Page) -> None:
    page.get_by_role("button", name="Try an example").click()
    page.locator("section.board").wait_for()


STATES: dict[str, Callable[[Page], None]] = {
    "joueurs?player=jean&view=points": lambda page: None,
    "annonces?view=missed": lambda page: None,
    "verificateur": try_an_example,
    "rencontres": lambda page: page.get_by_role("button", name="Filters").click(),
    "donnees": lambda page: page.get_by_role("button", name="Delete these matches").click(),
    "relecture?match=coinche-4-0&deal=1&ply=9": lambda page: page.keyboard.press("?"),
}
"""States beyond the bare pages, and how they are reached."""


@pytest.mark.parametrize("path", STATES)
@pytest.mark.soak
def test_axe_finds_nothing_serious_on_an_english_telephone(browser: Browser, address: str, path: str) -> None:
    narrow = {"width": 390, "height": 844}
    with reading(browser, address, locale="en-GB", color_scheme="dark", viewport=narrow) as page:
        opened(page, f"{address}/{path}")
        STATES[path](page)
        drawn(page)
        found = serious(page)
    assert found == []
