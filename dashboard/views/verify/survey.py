"""The matches of a text or a file, those with findings first, in bounded memory."""

from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain
from typing import IO, NamedTuple

from ingest.judge.batch import Checked, check_batch
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
