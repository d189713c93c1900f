"""Commands that other packages bring, each a module named in the group `retourne.commands`.

The module has a function of the command's name and EXAMPLES. The package it lies in has HELPS, the
help by the command's name, so that a list of the commands need not import them. Texts are in the
catalogue of the outermost package.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import NamedTuple

from ingest.cli.commands import Command

GROUP = "retourne.commands"


class Plugin(NamedTuple):
    """A command and the package whose catalogue says its texts."""

    name: str
    package: str
    command: Command


@cache
def plugins() -> tuple[Plugin, ...]:
    """Every command the installed packages bring, by name; none of their modules is imported."""
    found = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        helps = import_module(point.module.rpartition(".")[0]).HELPS
        command = Command(point.module, helps[point.name])
        found.append(Plugin(point.name, point.module.partition(".")[0], command))
    return tuple(found)
