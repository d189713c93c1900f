"""Commands that other packages bring, each a module named in the group `retourne.commands`.

The module has a function of the command's name, HELP and EXAMPLES in its own package's catalogue.
"""

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from typing import NamedTuple

GROUP = "retourne.commands"


class Plugin(NamedTuple):
    """A command and the package whose catalogue says its texts."""

    name: str
    package: str
    row: tuple[Callable[..., None], str, tuple[str, ...]]


@cache
def plugins() -> tuple[Plugin, ...]:
    """Every command the installed packages bring, by name."""
    found = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        module = point.load()
        row = (getattr(module, point.name), module.HELP, module.EXAMPLES)
        found.append(Plugin(point.name, point.module.partition(".")[0], row))
    return tuple(found)
