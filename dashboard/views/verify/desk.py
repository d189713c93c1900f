"""What one session is checking: the matches of a text or file, what was changed, what was found."""

import hashlib
import json
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain
from typing import IO, Any, NamedTuple

from ingest.judge.batch import Checked, check_batch
from ingest.judge.explain import Explained, explain
from ingest.judge.otherwise import other_rules
from ingest.mend.search import mend
from ingest.text.files import Progress, Text, Trouble, stream_batches

MATCHES_KEPT = 500
"""Matches kept of each kind, with findings and without; the rest is counted."""
BYTES_KEPT = 64 << 20
"""Bytes of text kept of a file."""

NO_JSON = ("not-json", "not-utf8")


class Log(NamedTuple):
    """One match's text and what a batch said of it; `status` is empty when none has said yet."""

    file: str
    text: Text
    id: str | None = None
    status: str = ""
    findings: int = 0


@dataclass(slots=True)
class Survey:
    """What a file holds."""

    name: str
    matches: int = 0
    clean: int = 0
    faulty: list[Log] = field(default_factory=list)
    sound: list[Log] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    json: bool = False
    """Whether any of it is JSON."""
    room: int = BYTES_KEPT

    @property
    def logs(self) -> list[Log]:
        """The matches one can look at, those with findings first."""
        return self.faulty + self.sound

    @property
    def left_out(self) -> int:
        return self.matches - len(self.faulty) - len(self.sound)

    def take(self, checked: Checked) -> None:
        """Count a batch, and keep what there is room for."""
        self.troubles += checked.troubles[: MATCHES_KEPT - len(self.troubles)]
        self.matches += len(checked.texts)
        for place, (text, own) in enumerate(zip(checked.texts, checked.log_ids(), strict=True)):
            explained = checked.explained.get(place)
            findings = explained.findings if explained else []
            self.clean += not findings
            self.json |= not findings or findings[0].code not in NO_JSON
            kept = self.faulty if findings else self.sound
            if len(kept) >= MATCHES_KEPT or len(text.text) > self.room:
                continue
            self.room -= len(text.text)
            status = explained.status if explained else "legal"
            kept.append(Log(checked.file, text, own, status, len(findings)))


def survey(name: str, file: IO[bytes], progress: Progress = lambda count: None) -> Survey:
    """Everything in a file. One match alone is kept unchecked: whoever shows it explains it."""
    read = stream_batches(name, file, progress)
    first = next(read, None)
    second = next(read, None)
    found = Survey(name)
    begun = [batch for batch in (first, second) if batch is not None]
    if len(begun) == 1 and len(begun[0].texts) == 1 and not begun[0].troubles:
        found.matches = 1
        found.faulty = [Log(begun[0].file, begun[0].texts[0])]
        return found
    for batch in chain(begun, read):
        found.take(check_batch(batch))
    return found


def survey_text(text: bytes) -> Survey:
    """The same of text that was pasted: one match alone, or what is no JSON, is left as it is."""
    whole = text.removeprefix(b"\xef\xbb\xbf")
    found = survey(".json", BytesIO(text))
    found.name = ""
    alone = len(found.logs) == 1 and found.logs[0].text.text.strip() == whole.strip()
    if alone or (found.matches > 1 and not found.json):
        return Survey("", 1, 0, [Log("", Text(1, whole))])
    return found


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
