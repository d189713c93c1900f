"""Stores for the pages: empty, or with a few simulated games under awkward names."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dashboard import store as store_of_pages
from data.layout import match_document
from engine import simulate
from engine.games import game
from engine.options import encode_rules, resolve_options
from ingest.reader.sources import Source
from ingest.store import ratings, saved_searches, tokens
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.tokens import Role
from schemas.simulated import simulate_season
from tests import shared
from tests.dashboard.plain_counts import Counted, build

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.dashboard.api import Client
    from tests.dashboard.browser import Server

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
FAUTES = Path(__file__).parents[2] / "data" / "fautes" / "chouine"

HOSTILE = "<b>Bobby</b> *T* :red[x] $1$ '; DROP TABLE matches;--"
LONG = "Anne-Élisabeth" * 21
NAMES = ["Jean", "Zoé d’Orléans", HOSTILE, LONG]


@cache
def documents() -> list[dict[str, Any]]:
    """Six legal matches among four players, each against the next."""
    record = encode_rules("chouine", resolve_options("chouine", "lavardin", 2))
    return [
        match_document(
            match,
            "lavardin",
            [NAMES[i % 4], NAMES[(i + 1) % 4]],
            id=f"m{i}",
            played_at=f"2026-03-{i + 1:02d}T14:00:00+01:00",
            event={"name": "Championnat *du* <i>monde</i>"},
        )
        for i, match in enumerate(simulate.simulate_matches(game("chouine"), record, 2, 6, seed=3))
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
    ("belote", "classique", 4),
    ("belote", "coinchee", 4),
)
"""Every table besides Chouine at two."""


@cache
def simulated(game: str, rules: str, players: int) -> list[dict[str, Any]]:
    """Two legal matches at a table, known as `coinche-4-0` and `coinche-4-1`."""
    played = simulate_season(game, 2, 5, rules, players)
    name = rules if rules in ("mondoubleau", "coinchee") else game
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
    store_of_pages.close_store()


Stored = Callable[..., Path]


@pytest.fixture
def stored(path: Path, tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """`stored("club", fill)`: the test's store, as `fill` filled one of that name once a run.

    It began empty, or as a copy of `base`.
    """

    def copy(name: str, fill: Callable[[Store], object], base: Path | None = None) -> Path:
        def make(part: Path) -> None:
            if base is not None:
                shutil.copy(base, part)
            with Store(part) as store:
                fill(store)
                ratings.refresh_ratings(store)

        shutil.copy(shared.once(tmp_path_factory, f"{name}.duckdb", make), path)
        return path

    return copy


OWN_MAIN = sys.modules["__main__"]


@pytest.fixture(autouse=True)
def own_main() -> Iterator[None]:
    """The main module a page put its own in the place of: a new process would look for that file.

    The workers of a cluster that a later test begins are such processes.
    """
    yield
    sys.modules["__main__"] = OWN_MAIN


@pytest.fixture(scope="session", autouse=True)
def components() -> Iterator[None]:
    """Pages run with the settings they are served with, and what each run does again is done once.

    What Streamlit's tests do before each run took longer than many a page: they look for components
    in all installed packages, compile the app, and count what it calls. They ask each millisecond
    whether it has ended, too.
    """
    from streamlit import config
    from streamlit.components.v2 import manifest_scanner
    from streamlit.runtime.scriptrunner.script_cache import ScriptCache
    from streamlit.testing.v1 import app_test, local_script_runner

    def wait(runner: Any, timeout: float) -> None:
        runner._script_thread.join(timeout)
        look(runner, timeout)

    look = local_script_runner.require_widgets_deltas
    with pytest.MonkeyPatch.context() as patch:
        scan = manifest_scanner.scan_component_manifests
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(scan))
        patch.setattr(app_test, "ScriptCache", cache(ScriptCache))
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        patch.setattr(config, "_main_script_path", str(APP))
        config.get_config_options(force_reparse=True)
        yield


@pytest.fixture(scope="session")
def counted(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[Counted]:
    """A thousand matches in a store, and their plain count; ten thousand in `make soak`."""
    share = 1.0 if pytestconfig.getoption("--soak") else 0.1
    found = build(Path(tmp_path_factory.mktemp("counted")) / "store.duckdb", share)
    assert len(found.matches) == 10_000 * share
    with found.store:
        yield found


@pytest.fixture
def games(stored: Stored, tmp_path: Path) -> Path:
    """A store with the legal matches, an irregular, a broken and an unreadable log."""
    faults = [FAUTES / "must-follow.json", FAUTES / "wrong-turn.json"]
    unreadable = tmp_path / "no.json"
    unreadable.write_text("{")
    files = tmp_path / "club.jsonl"
    files.write_bytes(lines())

    def fill(store: Store) -> None:
        reports = list(ingest(store, [files, *faults, unreadable]))
        assert sum(report.added for report in reports) == 9

    return stored("games", fill)


@pytest.fixture
def every_game(stored: Stored) -> Path:
    """A store with Chouine at two, and two matches of every other table."""

    def fill(store: Store) -> None:
        files: list[Source] = [("club.jsonl", BytesIO(lines())), ("tables.jsonl", BytesIO(every_table()))]
        reports = list(ingest(store, files))
        assert sum(report.by_status["legal"] for report in reports) == 6 + 2 * len(TABLES)

    return stored("every-game", fill)


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


def every_kind(store: Store) -> None:
    """Every game, a faulty log and one that is none."""
    files: list[Source] = [
        ("club.jsonl", BytesIO(lines())),
        ("tables.jsonl", BytesIO(every_table())),
        FAUTES / "must-follow.json",
        ("no.json", BytesIO(b"{")),
    ]
    list(ingest(store, files))


def one_each(store: Store) -> dict[str, str]:
    """A token of each role."""
    return {str(role): tokens.add_token(store, f"a {role}", role) for role in Role}


@pytest.fixture
def api_tokens(stored: Stored) -> dict[str, str]:
    """A store of every kind of log, and a token of each role."""
    with Store(stored("api", every_kind)) as opened:
        return one_each(opened)


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, "Client"]]:
    """The clients of `api`, for tests that all leave the store as it is."""
    from tests.dashboard.api import clients

    path = tmp_path_factory.mktemp("reading") / "store.duckdb"
    with Store(path) as opened:
        every_kind(opened)
        ratings.refresh_ratings(opened)
        saved_searches.save_search(opened, "won", "won")
        made = one_each(opened)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RETOURNE_STORE", str(path))
        with clients(made) as found:
            yield found
        store_of_pages.close_store()


@pytest.fixture
def api(api_tokens: dict[str, str]) -> Iterator[dict[str, "Client"]]:
    """A program without a token, and one with a token of each role."""
    from tests.dashboard.api import clients

    with clients(api_tokens) as found:
        yield found


@pytest.fixture
def there(api_tokens: dict[str, str]) -> Iterator[str]:
    """The address of a server of this process, which listens and has that store."""
    from tests.dashboard.api import listening

    with listening() as address:
        yield address


Show = Callable[[Path], AbstractContextManager[str]]
_open = ExitStack()
"""The browser of this process, once a test asked for it."""
_stored: dict[str, Any] = {}


@pytest.fixture(scope="module")
def browser() -> "Browser":
    """One Chromium for all browser tests in a row; others do not load what drives it."""
    from tests.dashboard.browser import HURRIED, chromium

    if "browser" not in _stored:
        _stored["browser"] = _open.enter_context(chromium(HURRIED))
    found: Browser = _stored["browser"]
    return found


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Server"]:
    """One server for all tests of this process that ask one from outside."""
    from tests.dashboard.browser import Server

    with closing(Server(tmp_path_factory.mktemp("server") / "log")) as server:
        yield server


@pytest.fixture(scope="session")
def show(server: "Server") -> Show:
    """Has that server show a store: its address while it does."""
    return server.showing


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """After the last browser test in a row no browser is left.

    As long as it is open, an event loop runs in this thread, and no other one may.
    """
    try:
        yield
    finally:
        if nextitem is None or not nextitem.get_closest_marker("browser"):
            _stored.clear()
            _open.close()


Open = Callable[..., AppTest]


@pytest.fixture
def open_page(path: Path) -> Open:
    """`open_page("rencontres", q="jean")`: a page after its first run; nothing may have raised.

    A second mapping has what was typed already, by the keys of widgets.
    """

    def run(
        page: str = "accueil", typed: Mapping[str, str] | None = None, /, **query: str | list[str]
    ) -> AppTest:
        app = AppTest.from_file(APP, default_timeout=60)
        for key, text in (typed or {}).items():
            app.session_state[key] = text
        for key, value in query.items():
            app.query_params[key] = value
        if page != "accueil":
            app._page_hash = calc_hash(page)  # as a link does; `switch_page` knows files alone
        app.run()
        assert not app.exception
        return app

    return run
