"""Every import by name is on the list the contracts hold (`tests/dynamic_imports.py`), and no other
is.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grimp import ImportGraph
from importlinter.configuration import configure

from engine.games import register, unregister
from tests.dynamic_imports import BY_NAME, ROOT, Acyclic, ByName, Layers, OnlyIn

PACKAGES = ("engine", "schemas", "ingest", "dashboard")
CALLS = {"import_module", "__import__", "entry_points", "module_of"}
"""What imports by name; `module_of` is that of `engine.games`."""


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def called(tree: ast.AST) -> Iterator[str]:
    """The names of the functions a module calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.func.id
            elif isinstance(node.func, ast.Attribute):
                yield node.func.attr


def importing_by_name() -> set[str]:
    """The modules of the four packages that import another one by its name."""
    found = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            if CALLS & set(called(ast.parse(path.read_text(encoding="utf-8")))):
                found.add(module_name(path))
    return found


@pytest.mark.slow
def test_every_module_that_imports_by_name_is_listed_and_no_other() -> None:
    assert importing_by_name() == set(BY_NAME)


def test_a_module_on_the_list_says_why() -> None:
    for by_name in BY_NAME.values():
        assert by_name.why.endswith(".")
        assert by_name.imports()


def test_the_games_on_the_list_are_those_registered() -> None:
    requested = BY_NAME["ingest.games"].imports
    assert "ingest.games.chouine" in requested()
    register("fourth", engine="a", schemas="b", ingest="c", dashboard="d")
    try:
        assert "c" in requested()
    finally:
        unregister("fourth")
    assert "c" not in requested()


def graph_of(*modules: str) -> ImportGraph:
    graph = ImportGraph()
    for module in modules:
        graph.add_module(module)
    return graph


ROOMS: dict[str, Any] = {"containers": ["house"], "layers": ["attic", "cellar"]}


def test_an_import_by_name_is_held_like_a_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of("house", "house.attic", "house.cellar")
    rooms = Layers("rooms", {"root_packages": ["house"]}, ROOMS)
    assert rooms.check(graph, False).kept
    up = ByName(lambda: ["house.attic"], "It should not.")
    monkeypatch.setitem(BY_NAME, "house.cellar", up)
    assert not rooms.check(graph, False).kept


def test_an_import_by_name_makes_a_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    configure()  # as the command does: this kind of contract takes its time
    graph = graph_of("house", "house.attic", "house.cellar")
    graph.add_import(importer="house.attic", imported="house.cellar")
    circles = Acyclic("circles", {"root_packages": ["house"]}, {"ancestors": ["house"]})
    assert circles.check(graph, False).kept
    up = ByName(lambda: ["house.attic"], "It should not.")
    monkeypatch.setitem(BY_NAME, "house.cellar", up)
    assert not circles.check(graph, False).kept


def test_a_package_is_kept_in_its_rooms() -> None:
    graph = graph_of("house", "house.attic", "house.cellar", "lamp")
    graph.add_import(importer="house.attic", imported="lamp")
    options = {"package": "lamp", "modules": ["house.attic"]}
    only = OnlyIn("lamps", {"root_packages": ["house"]}, options)
    assert only.check(graph, False).kept
    graph.add_import(importer="house.cellar", imported="lamp")
    assert only.check(graph, False).metadata == {"strangers": ["house.cellar"]}
