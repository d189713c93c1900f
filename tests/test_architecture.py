"""The architecture: no game is named outside its own files, and every game has its modules.

`FLOORS` are the folders that are held to it. Samples are of some game, and say so: logs, decks and
presets under `data/`, the table of what is measured, the pictures of `docs/screenshots.py`, the
seasons of the demo's club.
"""

import ast
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

import dashboard.games
import ingest.games
from engine.games import Game, GameModules, game, game_modules, game_names, game_title
from schemas.games import GameSchemas, belote, chouine, chouineurs, coinche

ROOT = Path(__file__).parents[1]
FLOORS = ("engine", "schemas", "ingest", "dashboard", "benchmarks")
"""Folders in which no game may be named: Python, SQL, JavaScript, terms, style sheets and pages."""
OWN = ("engine/{}/*", "schemas/games/{}.py", "ingest/games/{}.py", "dashboard/games/{}.*")
"""Files of one game alone."""
REGISTER = "engine/games.py"
"""The one place that lists them."""
SAMPLES = {"benchmarks/__init__.py"}
"""Files that are samples from one end to the other."""
TABLES = {"dashboard/cli/demo.py": "SEASONS"}
"""Tables of samples in files that name no other game."""
SUFFIXES = (".py", ".sql", ".js", ".css", ".html", ".toml")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""A word within an identifier or a text: of `CHOUINE_DEAL` and `ChouineDeal` it is `chouine`."""

SCHEMAS: list[GameSchemas] = [belote, chouine, coinche, chouineurs]
"""Modules as the Protocol of their floor, which mypy holds them to."""


def files(folder: str) -> list[Path]:
    """The files of a floor that belong to no single game."""
    own = {path for pattern in OWN for name in game_names() for path in ROOT.glob(pattern.format(name))}
    found = (path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES)
    exempt = own | {ROOT / one for one in (REGISTER, *SAMPLES)}
    return sorted(path for path in found if path not in exempt)


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of all that a file says; of Python not what only a reader sees.

    Comments and docstrings may give a game as an example; names, numbers and texts may not.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), 1)
        return
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    prose = set()
    samples = TABLES.get(str(path.relative_to(ROOT))) if path.is_relative_to(ROOT) else None
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign) and samples in [ast.unparse(one) for one in node.targets]:
            prose |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        for one in node.body if isinstance(node, documented) else ():
            # a text that stands alone is a docstring, of an attribute too
            if isinstance(one, ast.Expr) and isinstance(getattr(one.value, "value", None), str):
                prose |= set(range(one.lineno, (one.end_lineno or one.lineno) + 1))
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type != tokenize.COMMENT and token.start[0] not in prose:
            yield token.start[0], token.string


def named(path: Path) -> set[tuple[int, str]]:
    """(line, game) wherever a file names one."""
    return {
        (line, word.lower())
        for line, text in texts_of(path)
        for word in WORD.findall(text)
        if word.lower() in game_names()
    }


@pytest.mark.slow
@pytest.mark.parametrize("folder", FLOORS)
def test_no_game_is_named_outside_its_own_files(folder: str) -> None:
    found = {str(path.relative_to(ROOT)): sorted(named(path)) for path in files(folder)}
    assert {path: places for path, places in found.items() if places} == {}


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("import engine.chouine\n", 1),
        ("CHOUINE_POINTS = 1\n", 1),
        ("class ChouineDeal: ...\n", 1),
        ("rows = {'chouine': 1}\n", 1),
        ("query = '''\nSELECT 1\nWHERE game = 'coinche'\n'''\n", 1),
        ("def f():\n    '''Of Chouine.'''\n    return 1  # chouine\n", 0),
        ("coinched = 1  # a word of its own\n", 0),
    ],
)
def test_names_are_found_in_code_and_not_in_prose(tmp_path: Path, text: str, places: int) -> None:
    path = tmp_path / "example.py"
    path.write_text(text, encoding="utf-8")
    assert len(named(path)) == places


@pytest.mark.parametrize("name", game_names())
def test_a_game_s_tables_are_whole(name: str) -> None:
    this: Game = game(name)
    assert this.name == name
    assert len(this.example_deck) >= this.deck_format.place_count
    assert set(this.acts.REQUIRED_KINDS) <= set(this.faults.by_code)
    assert (this.dealing_rules is None) == (len(this.pack) == 0)
    fields = set(this.kernel.State.names or ())
    assert {"hand", "table", "last", "trick_winners", "leads", "turn", "trick", "winner"} <= fields


@pytest.mark.parametrize("name", game_names())
def test_what_is_known_of_a_game_before_its_modules_is_what_they_say(name: str) -> None:
    this = game(name)
    assert game_modules(name).brings_deck == (not len(this.pack))
    assert game_modules(name).brings_deck == (ingest.games.game_support(name).DECK_CHECKER is not None)
    assert game_title(name) == dashboard.games.game_view(name).TITLE
    assert this.announcement_kinds == tuple(ingest.games.game_support(name).ANNOUNCEMENT_NAMES)


@pytest.mark.parametrize("path", TABLES)
def test_a_table_of_samples_is_one_that_names_games(path: str) -> None:
    table = TABLES[path]
    assert table in (ROOT / path).read_text(encoding="utf-8")
    assert not named(ROOT / path)


def imported(code: str) -> set[str]:
    """The modules of a new process in which some code ran."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"],
        capture_output=True,
        check=True,
        cwd=ROOT,
        text=True,
    )
    return set(done.stdout.split())


def test_asking_for_the_names_of_games_loads_none_of_them() -> None:
    found = imported("from engine.games import game_names; game_names()")
    assert not found & {"numpy", "numba", *(f"engine.{name}" for name in game_names())}


@pytest.mark.slow
@pytest.mark.parametrize("floor", GameModules._fields[:4])
def test_one_game_does_not_import_the_others(floor: str) -> None:
    first, *others = game_names()
    found = imported(f"from engine.games import module_of; module_of('{first}', '{floor}')")
    assert f"engine.{first}" in found
    assert not found & {f"engine.{name}" for name in others}
