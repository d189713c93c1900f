"""One rule option of a game: the words a log may set it to, and the number a kernel sees."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class UnknownRule(ValueError):
    """A preset, an option or an option's value that no rule of the game names."""

    def __init__(self, message: str, known: tuple[str, ...], what: str, found: object) -> None:
        super().__init__(message)
        self.known, self.what, self.found = known, what, found


class Option(NamedTuple):
    """One rule option: `values` are the words it may take, or None for a count from `low`."""

    name: str
    rule: str
    values: tuple[str | bool, ...] | None
    doc: str
    low: int = 0
    high: int = 10_000

    def encode(self, value: object) -> int:
        """The small integer the kernel sees. UnknownRule: a value the option does not take."""
        if self.values is None:
            if isinstance(value, int) and not isinstance(value, bool):
                if self.low <= value <= self.high:
                    return value
            known: tuple[str, ...] = (f"{self.low}–{self.high}",)
        else:
            for code, allowed in enumerate(self.values):
                if value == allowed and type(value) is type(allowed):
                    return code
            known = tuple(str(allowed).lower() for allowed in self.values)
        raise UnknownRule(f"{self.name}: {value!r}", known, self.name, value)


SWITCH = (False, True)
"""The values of an option that is on or off."""

Equipment = tuple[tuple[str, str, tuple[int, ...]], ...]
NOTHING_BROUGHT: Equipment = ()
"""A match brings nothing besides options: the pack is always the same."""


def at_every_table(preset: Mapping[str, Any], players: int) -> dict[str, Any]:
    """A preset's values, the same however many play."""
    return dict(preset)
