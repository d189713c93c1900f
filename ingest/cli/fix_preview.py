"""`retourne check --fix-preview` and `--diff`: logs with their edits, or the edits as a patch."""

import difflib
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import accumulate, groupby
from pathlib import Path

from rich.text import Text

from ingest.cli.report_text import Tally
from ingest.cli.terminal import console
from ingest.finding.edits import speak_edit
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained
from ingest.judge.report import MatchReport, trouble_report
from ingest.mend.text_edit import preview
from ingest.text.files import Batch, Trouble, named_lines
from ingest.text.files import Text as Log
from ingest.text.signs import plain

LEFT = N_("{where}: findings left, to be decided by hand: {n}")


def write_edited(t: Translate, batches: Iterable[Batch], tally: Tally) -> None:
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
            for one in made.done:
                line = log.line if one.line is None else log.line + one.line - 1
                at, edit = one.place(t) or one.path, speak_edit(t, one)
                _say(Text(plain(f"{batch.file}:{line}  {at}  → {edit}"), style="green"))
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


def _say(line: Text) -> None:
    console(stderr=True).print(line)


CONTEXT = 3
"""Lines of the file beside a change."""
NO_END = b"\\ No newline at end of file\n"
_HUNK = re.compile(rb"@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@")

_Part = tuple[list[bytes], list[bytes], int]
"""Lines of a file as they are and as they read then, and how many come before them."""


def write_patch(t: Translate, batches: Iterable[Batch], tally: Tally) -> None:
    """Write the patch to standard output; the tally is that of the logs as they are."""
    for file, same in groupby(batches, key=lambda batch: batch.file):
        edited = []
        for batch in same:
            for log in batch.texts:
                made = preview(log.text)
                tally.add(report_of(file, log, made.before))
                if made.text != log.text:
                    edited.append((log, made.text))
            for trouble in batch.troubles:
                unread(t, trouble, tally)
        sys.stdout.buffer.writelines(patch(file, edited))
    sys.stdout.buffer.flush()


def patch(file: str, edited: list[tuple[Log, bytes]]) -> Iterator[bytes]:
    """The unified patch of one file, whose logs read otherwise after their edits.

    Lines are those of the file; of one that is packed, or came as a stream, those of each log.
    """
    if not edited:
        return
    # as `patch` and `git apply` read it: quoted where a sign would end it
    name = file.encode(errors="surrogateescape")
    if any(sign in name for sign in b'\t\n\r"\\'):
        for sign, written in ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\t", b"\\t"), (b"\n", b"\\n")):
            name = name.replace(sign, written)
        name = b'"' + name.replace(b"\r", b"\\r") + b'"'
    elif b" " in name:
        name += b"\t"
    data = None  # of a stream, or of what is packed in another file
    with suppress(OSError, ValueError):
        data = Path(file).read_bytes()
    yield b"--- " + name + b"\n+++ " + name + b"\n"
    moved = 0  # how many lines the parts so far have added
    for before, after, start in _parts(data, edited):
        for line in difflib.diff_bytes(difflib.unified_diff, before, after, n=CONTEXT):
            if hunk := _HUNK.match(line):
                old, size, new, grown = hunk.groups()
                here, there = int(old) + start, int(new) + start + moved
                yield b"@@ -%d%b +%d%b @@\n" % (here, size, there, grown)
            elif not line.startswith((b"--- \n", b"+++ \n")):
                yield line if line.endswith(b"\n") else line + b"\n" + NO_END
        moved += len(after) - len(before)


def _parts(data: bytes | None, edited: list[tuple[Log, bytes]]) -> Iterator[_Part]:
    """What of a file is changed, with its lines beside; of no file the logs by themselves."""
    spans = [] if data is None else [*_spans(data, edited)]
    if data is None or len(spans) < len(edited):
        for log, after in edited:
            yield _split(log.text), _split(after), log.line - 1
        return
    lines = _split(data)
    ends = [0, *accumulate(map(len, lines))]
    while spans:
        first = max(bisect_right(ends, spans[0][0]) - 1 - CONTEXT, 0)
        last, some = first, []
        while spans and bisect_right(ends, spans[0][0]) - 1 - CONTEXT <= max(last, first):
            some.append(spans.pop(0))
            last = min(bisect_left(ends, some[-1][1]) + CONTEXT, len(lines))
        text = data[ends[first] : ends[last]]
        for start, end, after in reversed(some):
            text = text[: start - ends[first]] + after + text[end - ends[first] :]
        yield lines[first:last], _split(text), first


def _spans(data: bytes, edited: list[tuple[Log, bytes]]) -> Iterator[tuple[int, int, bytes]]:
    """(first byte, the one past the last, what comes there) of each log that stands there."""
    ends = [0, *accumulate(map(len, data.split(b"\n")))]
    past = 0  # where the log before ended: two on a line may read alike
    for log, after in edited:
        begin = ends[log.line - 1] + log.line - 1 if log.line < len(ends) else past
        start = data.find(log.text, max(begin, past))
        if start >= 0 and not data.count(b"\n", begin, start):
            past = start + len(log.text)
            yield start, past, after


def _split(text: bytes) -> list[bytes]:
    """Lines as `diff` takes them: a line feed alone ends one."""
    return [line for line in re.split(rb"(?<=\n)", text) if line]
