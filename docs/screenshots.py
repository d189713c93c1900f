"""Take pictures of the pages: those that documents show in docs/screenshots/, all others in
screenshots/.

Every page of the sidebar at 1280 and 390 pixels, light and dark; words on the command line take
only pictures whose names begin with one of them. Git keeps nothing under screenshots/.
"""

import json
import sys
import tempfile
from io import BytesIO
from itertools import islice, product
from pathlib import Path
from typing import Literal

from PIL import Image, PngImagePlugin
from playwright.sync_api import Browser, Page, ViewportSize

from dashboard.pages import PAGE_NAMES
from data.layout import match_document
from engine import simulate
from engine.games import game
from engine.options import encode_rules, resolve_options
from ingest import check
from ingest.reader.sources import Source
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.simulated import simulate_season
from tests.dashboard.browser import chromium, drawn, serving

ROOT = Path(__file__).parents[1]
FAULTS = ROOT / "data" / "fautes" / "chouine"
FAULTY = FAULTS / "must-follow.json"
SHOWN = Path(__file__).with_name("screenshots")
REST = ROOT / "screenshots"
DOCUMENTS = (ROOT / "README.md", ROOT / "README.fr.md", *sorted((ROOT / "docs").glob("*.md")))
CLUB = ("Jean", "Charles", "Zoé", "Marcel", "Odette", "Lucien", "Suzanne", "Raymond")
MATCHES = 120
MENU_KEY = "menu"
VIEWS = {
    "accueil": "",
    "relecture": "relecture?match=vendome-3&deal=2&ply=20",
    "regles": "regles?rule=CH-9",
    "face_a_face": "face_a_face?first=Jean&second=Charles",
}
"""Pages that have more to show than at their bare address."""
MORE = {
    "relecture-a-trois": "relecture?match=chouine-3-0&deal=1&ply=12",
    "relecture-a-quatre": "relecture?match=chouine-4-0&deal=1&ply=14",
    "relecture-mondoubleau": "relecture?match=mondoubleau-2-0&deal=8&ply=19",
    "relecture-coinche": "relecture?match=coinche-4-0&deal=2&ply=30",
    "relecture-chouineurs": "relecture?match=chouineurs-4-0&deal=1&ply=8",
    "annonces-coinche": "annonces?game=Coinche",
    "annonces-manquees": "annonces?view=missed",
    "annonces-hasard": "annonces?view=chance",
    "joueurs-un": "joueurs?player=jean",
    "joueurs-points": "joueurs?player=jean&view=points",
    "faute": f"verificateur?match={next(iter(check(FAULTY))).match_id}&finding=1",
}
"""Further pictures, wide and light."""
NARROW_TOO = ("relecture", "joueurs-un")
"""Of these those that are taken narrow and dark, too; beginnings of names."""
WHOLE = ("joueurs-",)
"""Those taken from top to bottom, however long; beginnings of names."""
PAGES = {name: VIEWS.get(name, name) for name in PAGE_NAMES} | MORE
"""Each picture's name and the address it is taken at."""
WIDE: ViewportSize = {"width": 1280, "height": 900}
NARROW: ViewportSize = {"width": 390, "height": 844}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
TABLES = (
    ("chouine", "lavardin", 3, 3),
    ("chouine", "lavardin", 4, 3),
    ("chouine", "mondoubleau", 2, 2),
    ("coinche", "tournoi-2018", 4, 16),
    ("chouineurs", "blam", 4, 12),
)
"""The other games of the club: game, rules, players and how many matches."""


def fill(store: Path) -> None:
    """A season of a club that does not exist, and two logs with something wrong in them."""
    record = encode_rules("chouine", resolve_options("chouine", "lavardin", 2))
    text = "\n".join(
        json.dumps(
            match_document(
                match,
                "lavardin",
                [CLUB[number % 8], CLUB[(number + 1 + number // 8 % 7) % 8]],
                id=f"vendome-{number}",
                played_at=f"2026-{number % 9 + 1:02d}-{number % 28 + 1:02d}T14:00:00+01:00",
                event={"name": "Tournoi de Vendôme", "round": str(number // 8 + 1)},
            )
        )
        for number, match in enumerate(
            simulate.simulate_matches(game("chouine"), record, 2, MATCHES, seed=2026)
        )
    )
    others = "\n".join(
        json.dumps(match | {"id": f"{rules if rules == 'mondoubleau' else game}-{players}-{number}"})
        for game, rules, players, count in TABLES
        for number, match in enumerate(simulate_season(game, count, 7, rules, players))
    )
    with Store(store) as opened:
        sources: list[Source] = [
            FAULTY,
            FAULTS / "wrong-turn.json",
            ("saison-2026.jsonl", BytesIO(text.encode())),
            ("autres-jeux.jsonl", BytesIO(others.encode())),
        ]
        list(ingest(opened, sources))


def settle(page: Page) -> None:
    """Wait until Streamlit has drawn everything."""
    drawn(page)
    page.wait_for_timeout(1200)  # tables and figures draw themselves on a canvas a moment later


def keep(picture: bytes, name: str, menu: list[str]) -> None:
    """Write a picture where it belongs, the smaller for a palette of 256 colours if it is shown.

    Of a picture that documents show, `MENU_KEY` has the words of the menu in it.
    """
    shown = any(f"screenshots/{name}" in text.read_text(encoding="utf-8") for text in DOCUMENTS)
    path = (SHOWN if shown else REST) / name
    path.parent.mkdir(exist_ok=True)
    if not shown:
        path.write_bytes(picture)
        return
    words = PngImagePlugin.PngInfo()
    words.add_itxt(MENU_KEY, ", ".join(menu))
    with Image.open(BytesIO(picture)) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True, pnginfo=words)


def shoot(browser: Browser, address: str, only: tuple[str, ...]) -> None:
    """One picture for each page, width and theme."""
    # other logs for each picture: the same ones again would be duplicates
    logs = (log for log in sorted(FAULTS.glob("[ac]*.json")) if "expected" not in log.name)
    for page_name, size, scheme in product(PAGES, (WIDE, NARROW), SCHEMES):
        narrow = page_name.startswith(NARROW_TOO)
        usual = [(WIDE, "light"), *([(NARROW, "dark")] if narrow else [])]
        if not (page_name in PAGE_NAMES or (size, scheme) in usual) or not page_name.startswith(only):
            continue
        context = browser.new_context(viewport=size, color_scheme=scheme, locale="fr-FR")
        page = context.new_page()
        page.goto(f"{address}/{PAGES[page_name]}")
        settle(page)
        if page_name == "verificateur":
            page.get_by_role("button", name="Essayer un exemple").click()
            page.get_by_text("CH-10").first.click()
            page.locator(".finding-hand").wait_for()
            settle(page)
        if page_name == "annonces-hasard":
            page.get_by_role("button", name="Simuler").click()
            page.get_by_text("donnes simulées").first.wait_for()
            settle(page)
        if page_name == "deposer":
            page.locator("input[type=file]").set_input_files([str(log) for log in islice(logs, 3)])
            page.get_by_role("button", name="Envoyer les fichiers").click()
            page.get_by_text("Refusées").wait_for()
            settle(page)
        if page_name.startswith(WHOLE):
            tall = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
            page.set_viewport_size(size | {"height": max(size["height"], tall)})
            page.wait_for_timeout(600)
        # Streamlit has two of each
        words = page.locator("[data-testid=stSidebar] [data-testid=stPageLink] p").all_inner_texts()
        menu = [*dict.fromkeys(words)]
        keep(page.screenshot(), f"{page_name}-{size['width']}-{scheme}.png", menu)
        context.close()


def main() -> None:
    """Fill a store, serve it, take the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "club.duckdb"
        fill(store)
        with serving(store, Path(folder) / "server.log") as address, chromium() as browser:
            shoot(browser, address, tuple(sys.argv[1:]) or ("",))


if __name__ == "__main__":
    main()
