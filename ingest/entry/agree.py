"""What several logs say of one thing: the value they agree on, or a difference with its sides."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ingest.finding.finding import Finding
from ingest.text.json import pointer

PLACE = re.compile(r"/deals/(\d+)(?:/actions/(\d+))?")


class Source(NamedTuple):
    """Where a log was read."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Side:
    """What one log says, and where in it; `path` is a JSON pointer."""

    source: Source
    path: str
    value: Any

    def at(self, part: str | int) -> "Side":
        """What it says further down."""
        return Side(self.source, self.path + pointer(part), self.value[part])

    def says(self, value: Any) -> "Side":
        """The same place, read otherwise."""
        return Side(self.source, self.path, value)


Sides = Sequence[Side]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that the logs of a match tell in two ways."""

    sides: tuple[Side, ...]
    together: Finding | None = None
    """What cannot be once all is put together, where no two of them tell the same thing."""

    @property
    def path(self) -> str:
        """Where: a JSON pointer into the first of the logs, or into all put together."""
        return self.sides[0].path if self.together is None else self.together.path

    @property
    def deal(self) -> int | None:
        """From 0; None where it is about the whole match."""
        place = PLACE.match(self.path)
        return int(place[1]) if place else None

    @property
    def action(self) -> int | None:
        """From 0, in the first of the logs; None where it is about no action."""
        place = PLACE.match(self.path)
        return int(place[2]) if place and place[2] else None


class Differences:
    """What was found to differ so far; each method gives the value to go on with."""

    def __init__(self) -> None:
        self.all: list[Difference] = []

    def differ(self, sides: Sides) -> None:
        """Tell that these do."""
        self.all.append(Difference(tuple(sides)))

    def value(self, sides: Sides) -> Any:
        """The one value there is; the first of several, None of none."""
        if any(side.value != sides[0].value for side in sides):
            self.differ(sides)
        return sides[0].value if sides else None

    def tree(self, sides: Sides) -> Any:
        """The same of objects key by key: what one of them leaves out the other tells."""
        if not sides or not all(isinstance(side.value, dict) for side in sides):
            return self.value(sides)
        keys = dict.fromkeys(key for side in sides for key in side.value)
        return {key: self.tree(of(sides, key)) for key in keys}

    def items(self, sides: Sides, *, longer: bool) -> list[Any]:
        """The same of lists item by item; `longer`: one may go on where another ends."""
        lengths = {len(side.value) for side in sides}
        if len(lengths) > 1 and not longer:
            self.differ(sides)
            return []
        return [
            self.tree([side.at(i) for side in sides if i < len(side.value)])
            for i in range(max(lengths))
        ]


def of(sides: Sides, key: str) -> list[Side]:
    """What those say of a key that say something of it."""
    return [side.at(key) for side in sides if side.value.get(key) is not None]
