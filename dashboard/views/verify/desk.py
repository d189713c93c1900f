"""What one session is checking: the text, where it came from, what was changed, what was found."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from dashboard.views.verify.survey import Log, Survey
from ingest.judge.explain import Explained, explain
from ingest.judge.otherwise import other_rules
from ingest.mend.search import mend

EDITABLE = 250_000
"""Bytes of the longest text the box shows."""
UNDONE = 20
"""Changes that can be undone."""
EXPLANATIONS_KEPT = 4
"""Explanations kept: one under other rules is held against one under the log's own."""

Rules = tuple[str | None, tuple[tuple[str, Any], ...]]
"""A preset or none, and options: what is chosen besides the log's own rules."""
OWN: Rules = (None, ())


@dataclass
class Desk:
    """One session's work on one match."""

    log: Log | None = None
    opened: Survey | None = None
    """The file the log is one of, where it holds more than this one match."""
    linked: str = ""
    """The stored match the address names."""
    past: list[bytes] = field(default_factory=list)
    """The texts before each change."""
    notes: str = ""
    """Notes somebody wrote in the box: what is asked of them is shown, or the log they make."""
    fresh: bool = True
    """Whether the box still has to be told its text."""
    openings: int = 0
    examples: int = 0
    _known: dict[tuple[str, str], Explained] = field(default_factory=dict)

    @property
    def text(self) -> bytes:
        return b"" if self.log is None else self.log.text.text

    @property
    def boxed(self) -> str | None:
        """What the box holds; None when it cannot hold the text."""
        if self.log is None:
            return self.notes
        if len(self.text) > EDITABLE:
            return None
        try:
            return self.text.decode()
        except UnicodeDecodeError:
            return None

    @property
    def digest(self) -> str:
        """The text's own name."""
        return hashlib.sha256(self.text).hexdigest()[:12]

    def open(self, found: Survey | None, linked: str = "") -> None:
        """Begin with what was pasted, dropped or linked to; None: with nothing."""
        self.openings += 1
        alone = found is None or (found.matches == 1 and not found.troubles)
        self.opened = None if alone else found
        self.linked, self.notes = linked, ""
        self.look_at(next(iter(found.logs), None) if found else None)

    def look_at(self, log: Log | None) -> None:
        """Look at one match."""
        self.log, self.past, self.fresh = log, [], True

    def edit(self, text: bytes) -> None:
        """Another text in place of this one; the stored match is another one then."""
        assert self.log is not None
        self.past = [*self.past[1 - UNDONE :], self.text]
        self._put(text)

    def undo(self) -> None:
        """The text before the last change."""
        if self.past:
            self._put(self.past.pop())

    def _put(self, text: bytes) -> None:
        assert self.log is not None
        self.log = self.log._replace(text=self.log.text._replace(text=text))
        self.linked, self.fresh = "", True

    def key(self, rules: Rules) -> tuple[str, str]:
        """What an explanation, and all that is shown of it, goes by."""
        return self.digest, json.dumps(rules)

    def explained(self, rules: Rules = OWN) -> Explained:
        """The log explained under some rules; worked out once."""
        key = self.key(rules)
        if key not in self._known:
            while len(self._known) >= EXPLANATIONS_KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[key] = _explain(self.text, rules)
        return self._known[key]


def _explain(text: bytes, rules: Rules) -> Explained:
    preset, options = rules
    if rules == OWN:
        found = explain(text)
    else:
        found = explain(text, lambda own: other_rules(own, preset, dict(options)))
    mend(found)
    return found
