"""Stores for the pages: empty, or with a few simulated games under awkward names."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from data.layout import match_document
from engine import rules, simulate
from ingest.road import ingest
from ingest.store import Store

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
FAUTES = Path(__file__).parents[2] / "data" / "fautes" / "chouine"

HOSTILE = "<b>Bobby</b> *T* :red[x] $1$ '; DROP TABLE matches;--"
LONG = "Anne-Élisabeth" * 21
NAMES = ["Jean", "Zoé d’Orléans", HOSTILE, LONG]


@cache
def documents() -> list[dict[str, Any]]:
    """Six legal matches among four players, each against the next."""
    record = rules.encode("chouine", rules.settings("chouine", "lavardin", 2))
    return [
        match_document(
            match,
            "lavardin",
            [NAMES[i % 4], NAMES[(i + 1) % 4]],
            id=f"m{i}",
            played_at=f"2026-03-{i + 1:02d}T14:00:00+01:00",
            event={"name": "Championnat *du* <i>monde</i>"},
        )
        for i, match in enumerate(simulate.chouine(record, 2, 6, seed=3))
    ]


def lines() -> bytes:
    """The legal matches as a file."""
    return "".join(json.dumps(match) + "\n" for match in documents()).encode()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The store the dashboard will open, closed again at the end."""
    path = tmp_path / "store.duckdb"
    monkeypatch.setenv("RETOURNE_STORE", str(path))
    yield path
    from dashboard import resources

    resources.close()


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
def cursor(games: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same store, for queries."""
    with Store(games, read_only=True) as store:
        yield store.cursor()


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
