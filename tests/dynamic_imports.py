"""Imports that no `import` statement makes, and the contracts of `pyproject.toml` that hold them.

import-linter reads statements. A module that is imported by its name would slip through, so every
one is listed here; the contracts below add them to what was read before they look. That nothing is
missing from the list, and nothing on it is stale, is reported by `tests/test_dynamic_imports.py`.
"""

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.layers import LayersContract

import ingest
from dashboard.pages import PAGE_FUNCTIONS
from engine.games import game_modules, game_names
from ingest.cli.commands import COMMANDS

ROOT = Path(__file__).parents[1]


class ByName(NamedTuple):
    """What one module imports by name."""

    imports: Callable[[], Iterable[str]]
    why: str
    held: bool = True
    """Whether the contracts hold these imports as they hold statements."""


def games_on(floor: str) -> Callable[[], Iterable[str]]:
    """The modules of all registered games on a floor."""
    return lambda: [getattr(game_modules(name), floor) for name in game_names()]


def _registered() -> Iterable[str]:
    """Every module of every registered game."""
    return [module for name in game_names() for module in game_modules(name)[:4]]


def _plugged() -> Iterable[str]:
    """The commands this project's own packages plug in."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return list(project["entry-points"]["retourne.commands"].values())


def _commands() -> Iterable[str]:
    """The modules of the command line's own commands."""
    return [command.module for command in COMMANDS.values()]


def _views() -> Iterable[str]:
    """The modules that show the dashboard's pages."""
    return [f"dashboard.views.{one.rpartition('.')[0]}" for one in PAGE_FUNCTIONS.values()]


BY_NAME = {
    "dashboard.app": ByName(_views, "What shows a page is imported once somebody opens it."),
    "dashboard.games": ByName(games_on("dashboard"), "What this floor asks of each game."),
    "engine.games": ByName(
        _registered,
        "It names modules of higher floors as text, the one naming that may go up: each floor asks "
        "for its own part alone, and whoever asks is listed here and held.",
        held=False,
    ),
    "schemas.games": ByName(games_on("schemas"), "What this floor asks of each game."),
    "ingest": ByName(lambda: list(ingest.LAZY_EXPORTS), "The public names load what they need."),
    "ingest.cli.app": ByName(
        lambda: ["typer.rich_utils", *_commands()],
        "The headings of typer's help, and the command that a line names.",
    ),
    "ingest.cli.commands": ByName(
        _plugged, "It asks for whatever is installed and names nobody: who plugs in knows it.", held=False
    ),
    "ingest.games": ByName(games_on("ingest"), "What this floor asks of each game."),
}


def add_names(graph: ImportGraph) -> None:
    """Put the imports by name beside those that statements make."""
    for importer, by_name in BY_NAME.items():
        for imported in by_name.imports() if by_name.held else ():
            if {importer, imported} <= graph.modules:  # modules of other projects are not read
                graph.add_import(
                    importer=importer,
                    imported=imported,
                    line_number=1,
                    line_contents="by name: tests/dynamic_imports.py",
                )


class Layers(LayersContract):
    """Rooms import one way, by name too: `named_layers`."""

    type_name = "named_layers"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        add_names(graph)
        return super().check(graph, verbose)


class Acyclic(AcyclicSiblingsContract):
    """No two parts of a package need each other, by name too: `named_acyclic`."""

    type_name = "named_acyclic"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        add_names(graph)
        return super().check(graph, verbose)

    def render_broken_contract(self, check: ContractCheck) -> None:
        for package, imports in sorted(check.metadata["cycle_breakers_by_package"].items()):
            output.print_error(f"{package} has a circle, which goes without one of these:")
            for importer, imported in sorted(imports):
                output.print_error(f"- {importer} → {imported}", bold=False)


class OnlyIn(Contract):
    """Another project's package is imported in some modules alone: `only_in`."""

    type_name = "only_in"

    package = fields.StringField()
    modules = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        package = str(self.package)
        importers = graph.find_modules_that_directly_import(package) if package in graph.modules else set()
        found: set[str] = set()
        for expression in self.modules:  # type: ignore[attr-defined]
            found |= graph.find_matching_modules(expression)
        strangers = sorted(importers - found)
        return ContractCheck(kept=not strangers, metadata={"strangers": strangers})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for module in check.metadata["strangers"]:
            output.print_error(f"{module} imports {self.package}.")
