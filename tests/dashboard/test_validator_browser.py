"""The page Check in Chromium: paste, drop, keys, the board, an edit, lasting links."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from dashboard.views.validator.check_session import example_log
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.slow_path import validate
from tests.dashboard.browser import reading
from tests.dashboard.conftest import FAUTES, Show, lines
from tests.waiting import still, until

pytestmark = pytest.mark.browser


MUST_FOLLOW = (FAUTES / "must-follow.json").read_bytes()
POINTS = (FAUTES / "points-differ.json").read_bytes()


@pytest.fixture(scope="module")
def address(show: Show, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    with Store(folder / "store.duckdb") as store:
        named = MUST_FOLLOW.replace(b'"game"', b'"id": "fautive", "game"', 1)
        list(ingest(store, [("fautes.json", BytesIO(named))]))
    with show(folder / "store.duckdb") as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    clipboard = ["clipboard-read", "clipboard-write"]
    with reading(browser, address, permissions=clipboard) as page:
        yield page


def findings(page: Page) -> Locator:
    """The list of findings."""
    return page.get_by_role("radiogroup", name=re.compile("Anomalies|Findings"))


def paste(page: Page, text: bytes) -> None:
    page.get_by_label("Le relevé").fill(text.decode())
    page.get_by_role("button", name="Vérifier", exact=True).click()


def test_paste_a_log_and_see_the_board_where_it_went_wrong(page: Page, address: str) -> None:
    page.goto(f"{address}/verificateur")
    paste(page, MUST_FOLLOW)
    expect(findings(page).get_by_role("radio")).to_have_count(1)
    expect(page.get_by_text("Quand il n’y a plus rien à piocher")).to_be_visible()
    expect(page.locator(".place")).to_have_text("24 / 25")
    expect(page.locator(".hand .card.legal")).to_have_count(2)
    drawn = page.locator(".finding-hand img")
    expect(drawn).to_have_count(5)
    until(
        page,
        """() => [...document.querySelectorAll(".finding-hand img")].every(
            (one) => one.complete && one.naturalWidth > 0)""",
    )
    assert "match=" not in page.url


def test_notes_stand_next_to_the_board_of_what_they_became(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1366, "height": 650})
    page.goto(f"{address}/verificateur")
    deal = "Gérard donne. On retourne le dix de carreau.\nOdile joue l'as de pique."
    note = f"Chouine, Odile contre Gérard\n\n{deal}"
    paste(page, note.encode())
    expect(page.locator(".st-key-shown .place")).to_be_visible()
    still(page)
    text, board = page.get_by_label("Les notes").bounding_box(), page.locator(".st-key-shown").bounding_box()
    place = page.locator(".st-key-shown .place").bounding_box()
    assert text is not None
    assert board is not None
    assert place is not None
    assert text["x"] + text["width"] <= board["x"]
    assert max(text["y"], board["y"]) < 150
    assert place["y"] + place["height"] <= 650  # below the board


@pytest.mark.parametrize("size", [(1366, 650), (1024, 768), (683, 384), (390, 844)])
@pytest.mark.soak
def test_verdict_and_board_come_into_view_by_themselves(
    page: Page, address: str, size: tuple[int, int]
) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{address}/verificateur")
    page.get_by_role("button", name="Essayer un exemple").click()
    expect(page.get_by_text("Irrégulière", exact=True)).to_be_in_viewport(ratio=1)
    other = width > 640
    expect(page.locator(".felt")).to_be_in_viewport(ratio=0.99 if other else 0.3)
    if other:
        expect(page.locator("[data-act=play]")).to_be_in_viewport(ratio=1)
        result, shown = (page.locator(f".st-key-{one}").bounding_box() for one in ("summary", "shown"))
        assert result is not None
        assert shown is not None
        assert result["x"] + result["width"] <= shown["x"]
    if height == 650:
        first = findings(page).get_by_text("CH-23").first
        expect(first).to_be_in_viewport(ratio=1)


@pytest.mark.soak
def test_choose_a_finding_by_click_and_by_keys(page: Page, address: str) -> None:
    page.goto(f"{address}/verificateur")
    page.get_by_role("button", name="Essayer un exemple").click()
    expect(findings(page).get_by_role("radio")).to_have_count(5)
    met = [finding.action_index for finding in validate(example_log(0)).findings]
    expect(page.locator(".place")).to_have_text("34 / 34")
    findings(page).get_by_text("CH-10").click()
    expect(page.get_by_role("heading", name=re.compile("^2"))).to_be_visible()
    expect(page.locator(".place")).to_have_text(f"{met[1]} / 34")
    expect(page.locator(".hand .card.legal")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(findings(page).get_by_role("radio").nth(3)).to_be_checked()
    expect(page.get_by_role("heading", name=re.compile("^4"))).to_be_visible()
    expect(page.locator(".place")).to_have_text(re.compile(rf"^{met[3]} / "))


def test_mend_a_log_and_undo(page: Page, address: str) -> None:
    page.goto(f"{address}/verificateur")
    paste(page, POINTS)
    box = page.get_by_label("Le relevé")
    before = box.input_value()
    page.get_by_role("button", name="Appliquer").click()
    expect(page.get_by_text("Régulière", exact=True)).to_be_visible()
    expect(box).not_to_have_value(before)
    with page.expect_download() as download:
        page.get_by_role("button", name="Télécharger le relevé corrigé").click()
    assert download.value.path().read_text() == box.input_value()
    page.get_by_role("button", name="Annuler").click()
    expect(page.get_by_role("button", name="Appliquer")).to_be_visible()
    expect(box).to_have_value(before)


@pytest.mark.soak
def test_drop_a_file_of_many_and_choose(page: Page, address: str, tmp_path: Path) -> None:
    club = tmp_path / "club.jsonl"
    club.write_bytes(lines() + MUST_FOLLOW.replace(b"\n", b" ") + b"\n" + POINTS.replace(b"\n", b""))
    page.goto(f"{address}/verificateur")
    page.locator("input[type=file]").set_input_files(str(club))
    expect(page.get_by_text("sans anomalie : 6")).to_be_visible()
    expect(findings(page)).to_contain_text("CH-8")
    # the check has come into view, and the list of matches is above it; a list that opens while
    # the page still scrolls closes again
    expect(page.locator(".place")).to_be_visible()
    still(page)
    choice = page.get_by_role("combobox").first
    choice.scroll_into_view_if_needed()
    still(page)
    choice.click()
    page.get_by_role("option", name=re.compile("ligne 8")).click()  # the board has options too
    expect(findings(page)).to_contain_text("CH-23")


def test_a_link_to_a_stored_finding_holds(page: Page, address: str) -> None:
    page.goto(f"{address}/verificateur?match=fautive&finding=1")
    expect(findings(page)).to_contain_text("CH-8")
    expect(page.locator(".place")).to_have_text("24 / 25")
    link = page.get_by_text(re.compile(r"/relecture\?match=\w+&deal=1&ply=25"))
    link.hover()
    page.get_by_role("button", name=re.compile("copier", re.IGNORECASE)).first.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{address}/relecture?match=")
    page.goto(copied)
    expect(page.locator(".found")).to_contain_text("CH-8")
    page.go_back()
    expect(findings(page)).to_contain_text("CH-8")
    # another text is not that match any more
    paste(page, POINTS)
    expect(findings(page)).to_contain_text("CH-23")
    expect(page).not_to_have_url(re.compile("match="))


@pytest.mark.soak
def test_add_to_the_store_and_find_it_there(page: Page, address: str) -> None:
    page.goto(f"{address}/verificateur")
    paste(page, POINTS)
    page.get_by_role("button", name="Ajouter à la base").click()
    expect(page.get_by_text("Cette rencontre est dans la base.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"match=\w{32}"))
    page.reload()
    expect(findings(page)).to_contain_text("CH-23")


@pytest.mark.soak
def test_a_narrow_screen_needs_no_sideways_scrolling(browser: Browser, address: str) -> None:
    narrow = {"width": 390, "height": 844}
    with reading(browser, address, locale="en-GB", viewport=narrow) as page:
        page.goto(f"{address}/verificateur")
        page.get_by_role("button", name="Try an example").click()
        expect(findings(page).get_by_role("radio")).to_have_count(5)
        findings(page).get_by_text("CH-10").click()
        expect(page.locator(".finding-hand")).to_be_visible()
        main = "document.querySelector('[data-testid=stMain]')"
        assert page.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")
