"""Every fault (rule violation) the engine finds: stable code, rule id, severity.

A kernel returns faults as a bit set, so that it can report several for one action. The bits are
private to a running engine; logs, stores and programs use the codes.

`ERROR`       against the rules, but possible: the action is applied and play goes on
`IMPOSSIBLE`  cannot have happened: the replay stops there
`WARNING`     not against the rules
`NOTE`        no fault was found, but not everything could be checked
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

ERROR, IMPOSSIBLE, WARNING, NOTE = "error", "impossible", "warning", "note"


class Fault(NamedTuple):
    """One entry of the table; `bit` is its bit in the set a kernel returns."""

    bit: int
    code: str
    rule: str
    severity: str
    """ERROR, WARNING or NOTE."""
    is_impossible: bool
    """Whether the replay stops there; such a fault is an ERROR."""


class DealProblem(NamedTuple):
    """Why a deal cannot be read: a match fault's code, the value found, and allowed values.

    `path` is a JSON pointer into the document.
    """

    code: str
    path: str
    found: Any
    allowed: tuple[str, ...] = ()


class FaultTable:
    """One game's table of faults, with the masks its kernel needs.

    `unless_before`: a fault of an act, and the faults of which its player must have had none before.
    """

    def __init__(
        self, *rows: tuple[str, str, str], unless_before: Mapping[str, Sequence[str]] = MappingProxyType({})
    ) -> None:
        self.rows = tuple(
            Fault(1 << i, code, rule, ERROR if severity == IMPOSSIBLE else severity, severity == IMPOSSIBLE)
            for i, (code, rule, severity) in enumerate(rows)
        )
        self.by_code = {fault.code: fault for fault in self.rows}
        self.impossible = sum(fault.bit for fault in self.rows if fault.is_impossible)
        self.errors = sum(fault.bit for fault in self.rows if fault.severity == ERROR)
        self.unless_before = {self.bit(one): sum(map(self.bit, own)) for one, own in unless_before.items()}

    def bit(self, code: str) -> int:
        return self.by_code[code].bit

    def in_mask(self, mask: int) -> Iterator[Fault]:
        """Iterate over the faults in a set from a kernel, gravest first."""
        found = [fault for fault in self.rows if int(mask) & fault.bit]
        return iter(sorted(found, key=lambda fault: (not fault.is_impossible, fault.severity != ERROR)))
