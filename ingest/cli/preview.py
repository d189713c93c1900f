"""`retourne check --fix-preview`: the edited logs to standard output, the edits beside them."""

import sys
from collections.abc import Iterable

from rich.text import Text

from ingest.cli.say import Tally
from ingest.cli.terminal import console
from ingest.finding.edits import speak_edit
from ingest.finding.finding import Finding
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained
from ingest.judge.report import MatchReport, trouble_report
from ingest.mend.preview import preview
from ingest.text.files import Batch, Trouble, named_lines
from ingest.text.files import Text as Log
from ingest.text.signs import plain

LEFT = N_("{where}: findings left, to be decided by hand: {n}")


def tell(t: Translate, batches: Iterable[Batch], tally: Tally) -> None:
    """Write each match with its edits done, as it was laid out, a match a line or an array.

    Standard error hears each edit, and how much is left. The tally is that of the logs as they
    are, as without the preview.
    """
    for batch in batches:
        edited = []
        for log in batch.texts:
            made = preview(log.text)
            tally.add(report_of(batch.file, log, made.before))
            where = f"{batch.file}:{log.line}"
            for finding in made.done:
                _say(_line(t, batch.file, log, finding))
            if left := len(made.after.findings):
                _say(Text(plain(t(LEFT, where=where, n=left)), style="dim"))
            edited.append(made.text)
        for trouble in batch.troubles:
            unread(t, trouble, tally)
        if edited:
            sys.stdout.buffer.write(together(edited, named_lines(batch.file)))
    sys.stdout.buffer.flush()


def unread(t: Translate, trouble: Trouble, tally: Tally) -> None:
    """Tell on standard error what could not be read, which no edit mends."""
    report = trouble_report(trouble)
    tally.add(report)
    for finding in report.findings:
        _say(Text(plain(f"{trouble.file}:{trouble.line}  {finding.message(t)}")))


def together(texts: list[bytes], lines: bool = False) -> bytes:
    """Matches one a line, or as a JSON array where one of several has line breaks of its own.

    With `lines` a match over many lines is put on one: no text of JSON has a break within.
    """
    if lines:
        texts = [b" ".join(map(bytes.strip, text.split(b"\n"))) for text in texts]
    if len(texts) > 1 and any(b"\n" in text for text in texts):
        return b"[" + b",\n".join(texts) + b"]\n"
    return b"".join(text.rstrip(b"\r\n") + b"\n" for text in texts)


def report_of(file: str, log: Log, explained: Explained) -> MatchReport:
    """The report of a log that was previewed."""
    log_id = explained.match.id if explained.match else None
    known_by = (explained.match_id, explained.status, explained.findings)
    return MatchReport(file, log.line, log_id, *known_by)


def _line(t: Translate, file: str, log: Log, finding: Finding) -> Text:
    line = log.line if finding.line is None else log.line + finding.line - 1
    place = finding.place(t) or finding.path
    said = f"{file}:{line}  {place}  → {speak_edit(t, finding)}"
    return Text(plain(said), style="green")


def _say(line: Text) -> None:
    console(stderr=True).print(line)
