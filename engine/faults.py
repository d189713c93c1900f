"""Every fault (rule violation) the engine finds: stable code, rule id, severity.

A kernel returns faults as a bit set, so that it can report several for one action. The bits are
private to a running engine; logs, stores and programs use the codes.

`NOTED`       against the rules, but possible: the action is applied and play goes on
`IMPOSSIBLE`  cannot have happened: the replay stops there
`WARNING`     not against the rules
`NOTE`        no fault was found, but not everything could be checked
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

NOTED, IMPOSSIBLE, WARNING, NOTE = "noted", "impossible", "warning", "note"


class Fault(NamedTuple):
    """One entry of the table; `bit` is its bit in the set a kernel returns."""

    bit: int
    code: str
    rule: str
    gravity: str

    @property
    def severity(self) -> str:
        """`error`, `warning` or `note`."""
        return self.gravity if self.gravity in (WARNING, NOTE) else "error"


class DealProblem(NamedTuple):
    """Why a deal cannot be read: a match fault's code, the value found, and allowed values.

    `path` is a JSON pointer into the document.
    """

    code: str
    path: str
    found: Any
    allowed: tuple[str, ...] = ()


class FaultTable:
    """One game's table of faults, with the masks its kernel needs."""

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
        """Iterate over the faults in a set from a kernel, gravest first."""
        order = (IMPOSSIBLE, NOTED, WARNING)
        found = [fault for fault in self.rows if int(mask) & fault.bit]
        return iter(sorted(found, key=lambda fault: order.index(fault.gravity)))
