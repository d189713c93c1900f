"""The numba internals that `engine.compat` uses have not changed."""

from pathlib import Path

import pytest
from numba import config

from engine import compat
from engine.jit import compiled


def repeated(number: int) -> int:
    return 2 * number


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def test_numba_asks_our_locator_what_a_function_is_made_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = {compat.ENGINE_FOLDER: "engine", compat.outermost_package(Path(__file__)): "own"}
    monkeypatch.setattr(compat, "_source_hash", states.__getitem__)
    for _ in range(2):
        function = compiled(repeated)
        assert function(4) == 8
    assert sum(function.stats.cache_hits.values()) == 1
    assert Path(function.stats.cache_path).is_relative_to(folder)
    states[compat.ENGINE_FOLDER] = "changed"
    anew = compiled(repeated)
    assert anew(4) == 8
    assert sum(anew.stats.cache_misses.values()) == 1


def test_numba_saves_what_it_compiles_by_the_function_we_put_there(folder: Path) -> None:
    function = compiled(repeated)
    assert function(4) == 8
    (lock,) = folder.rglob("saving.lock")
    assert lock.parent == Path(function.stats.cache_path)
    assert [one.name.split("-")[0] for one in folder.rglob("*.nbi")] == ["test_compat.repeated"]


def test_a_game_among_tests_is_compiled_anew_when_it_changes_and_not_when_they_do(tmp_path: Path) -> None:
    game, tests = tmp_path / "project" / "tests" / "game", tmp_path / "project" / "tests"
    game.mkdir(parents=True)
    for folder in (game, tests, tests.parent):
        (folder / "__init__.py").touch()
    assert compat.outermost_package(game / "kernel.py") == tests.parent
    (tests / "conftest.py").touch()
    assert compat.outermost_package(game / "kernel.py") == game
