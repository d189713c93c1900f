"""Stores for the pages: empty, or with a few simulated games under awkward names."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from data.layout import match_document
from engine import simulate
from engine.games import game
from engine.options import encode, settings
from ingest.judge.batch import Source
from ingest.store.add import ingest
from ingest.store.store import Store
from schemas.simulated import season
from tests.dashboard.counted import Counted, build

if TYPE_CHECKING:
    from playwright.sync_api import Browser

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
FAUTES = Path(__file__).parents[2] / "data" / "fautes" / "chouine"

HOSTILE = "<b>Bobby</b> *T* :red[x] $1$ '; DROP TABLE matches;--"
LONG = "Anne-Élisabeth" * 21
NAMES = ["Jean", "Zoé d’Orléans", HOSTILE, LONG]


@cache
def documents() -> list[dict[str, Any]]:
    """Six legal matches among four players, each against the next."""
    record = encode("chouine", settings("chouine", "lavardin", 2))
    return [
        match_document(
            match,
            "lavardin",
            [NAMES[i % 4], NAMES[(i + 1) % 4]],
            id=f"m{i}",
            played_at=f"2026-03-{i + 1:02d}T14:00:00+01:00",
            event={"name": "Championnat *du* <i>monde</i>"},
        )
        for i, match in enumerate(simulate.matches(game("chouine"), record, 2, 6, seed=3))
    ]


def lines() -> bytes:
    """The legal matches as a file."""
    return "".join(json.dumps(match) + "\n" for match in documents()).encode()


TABLES = (
    ("chouine", "lavardin", 3),
    ("chouine", "lavardin", 4),
    ("chouine", "mondoubleau", 2),
    ("coinche", "tournoi-2018", 4),
    *(("chouineurs", "blam", players) for players in (2, 3, 4, 5)),
)
"""Every table besides Chouine at two."""


@cache
def simulated(game: str, rules: str, players: int) -> list[dict[str, Any]]:
    """Two legal matches at a table, known as `coinche-4-0` and `coinche-4-1`."""
    played = season(game, 2, 5, rules, players)
    name = "mondoubleau" if rules == "mondoubleau" else game
    return [match | {"id": f"{name}-{players}-{i}"} for i, match in enumerate(played)]


def every_table() -> bytes:
    """The matches of all these tables as a file."""
    every = (match for table in TABLES for match in simulated(*table))
    return "".join(json.dumps(match) + "\n" for match in every).encode()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The store the dashboard will open, closed again at the end."""
    path = tmp_path / "store.duckdb"
    monkeypatch.setenv("RETOURNE_STORE", str(path))
    yield path
    from dashboard.widgets import store as resources

    resources.close()


@pytest.fixture(scope="session")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counted]:
    """Ten thousand matches in a store, and their plain count."""
    found = build(Path(tmp_path_factory.mktemp("counted")) / "store.duckdb")
    assert len(found.matches) == 10_000
    with found.store:
        yield found


@pytest.fixture
def games(path: Path, tmp_path: Path) -> Path:
    """A store with the legal matches, an irregular, a broken and an unreadable log."""
    faults = [FAUTES / "must-follow.json", FAUTES / "wrong-turn.json"]
    unreadable = tmp_path / "no.json"
    unreadable.write_text("{")
    files = tmp_path / "club.jsonl"
    files.write_bytes(lines())
    with Store(path) as store:
        reports = list(ingest(store, [files, *faults, unreadable]))
    assert sum(report.added for report in reports) == 9
    return path


@pytest.fixture
def every_game(path: Path) -> Path:
    """A store with Chouine at two, and two matches of every other table."""
    with Store(path) as store:
        files: list[Source] = [
            ("club.jsonl", BytesIO(lines())),
            ("tables.jsonl", BytesIO(every_table())),
        ]
        reports = list(ingest(store, files))
    assert sum(report.by_status["legal"] for report in reports) == 6 + 2 * len(TABLES)
    return path


@pytest.fixture
def every_cursor(every_game: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same store, for queries."""
    with Store(every_game, read_only=True) as store:
        yield store.cursor()


@pytest.fixture
def cursor(games: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same store, for queries."""
    with Store(games, read_only=True) as store:
        yield store.cursor()


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A Chromium of the module's own; tests that need none do not load what drives it."""
    from tests.dashboard.browser import chromium

    with chromium() as browser:
        yield browser


Open = Callable[..., AppTest]


@pytest.fixture
def open_page(path: Path) -> Open:
    """`open_page("parties", q="jean")`: a page after its first run; nothing may have raised."""

    def run(page: str = "accueil", /, **query: str) -> AppTest:
        app = AppTest.from_file(APP, default_timeout=60)
        for key, value in query.items():
            app.query_params[key] = value
        app.run()
        if page != "accueil":
            app.switch_page(f"app_pages/{page}.py").run()
        assert not app.exception
        return app

    return run
