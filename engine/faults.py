"""Every fault (rule violation) the engine finds: stable code, rule id, severity.

A kernel returns faults as a bit set, so that one action can have several and all are
told. The bit is private to a running engine; logs, stores and programs know the code.

`NOTED`       the play was against the rules but can have happened: it is applied, play goes on
`IMPOSSIBLE`  it cannot have happened: the deal stops there
`WARNING`     not against the rules
`NOTE`        nothing was found wrong, but not all could be checked
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

NOTED, IMPOSSIBLE, WARNING, NOTE = "noted", "impossible", "warning", "note"


class Fault(NamedTuple):
    """One entry of the table; `bit` is its place in the set a kernel returns."""

    bit: int
    code: str
    rule: str
    gravity: str

    @property
    def severity(self) -> str:
        """`error`, `warning` or `note`."""
        return self.gravity if self.gravity in (WARNING, NOTE) else "error"


class DealProblem(NamedTuple):
    """What stands in the way of a deal: a match fault's code, where, what, what would do.

    `path` is a JSON pointer into what was read.
    """

    code: str
    path: str
    found: Any
    allowed: tuple[str, ...] = ()


class FaultTable:
    """One game's table of faults, and the masks its kernel needs."""

    def __init__(self, *rows: tuple[str, str, str]) -> None:
        self.rows = tuple(Fault(1 << i, *row) for i, row in enumerate(rows))
        self.by_code = {fault.code: fault for fault in self.rows}
        self.impossible = self._mask(IMPOSSIBLE)
        self.errors = self.impossible | self._mask(NOTED)

    def _mask(self, gravity: str) -> int:
        return sum(fault.bit for fault in self.rows if fault.gravity == gravity)

    def bit(self, code: str) -> int:
        return self.by_code[code].bit

    def in_mask(self, mask: int) -> Iterator[Fault]:
        """The faults in a set a kernel returned, gravest first."""
        order = (IMPOSSIBLE, NOTED, WARNING)
        found = [fault for fault in self.rows if int(mask) & fault.bit]
        return iter(sorted(found, key=lambda fault: order.index(fault.gravity)))
