"""What `retourne check` writes of each checked batch: text, objects, or SARIF."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from typing import Any

from rich.text import Text

from ingest.cli import sheet
from ingest.cli.sarif import SarifLog
from ingest.cli.say import Tally, block
from ingest.cli.terminal import console
from ingest.i18n import Translate
from ingest.judge.batch import Checked
from ingest.judge.report import MatchReport
from ingest.text.signs import as_json

Tell = Callable[[Checked], None]


class CheckFormat(StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSONL = "jsonl"
    SARIF = "sarif"


def teller(
    format: CheckFormat, t: Translate, tally: Tally, most: int, all_of_them: bool = False
) -> AbstractContextManager[Tell]:
    """What to call with each batch; `most` findings of a match are told as text, 0 for all.

    `all_of_them`: clean matches are told as text too, as they are in the other formats.
    """
    if format is CheckFormat.TEXT:
        return _text(t, tally, most, all_of_them)
    return _objects(t, tally) if format is CheckFormat.JSONL else _sarif(t, tally)


@contextmanager
def _text(t: Translate, tally: Tally, most: int, all_of_them: bool) -> Iterator[Tell]:
    """A block a match that is not clean; of the others a line, if they are wanted."""
    out = console()

    def tell(checked: Checked) -> None:
        for report, log, explained in checked.told():
            tally.add(report)
            if report.findings or all_of_them:
                out.print(Text("\n").join(block(t, report, explained, log, most)))
            if report.sheet:
                out.print(Text("\n").join(sheet.lines(t, report.sheet, most)))

    yield tell


@contextmanager
def _objects(t: Translate, tally: Tally) -> Iterator[Tell]:
    """An object a match, clean ones too."""

    def tell(checked: Checked) -> None:
        for report in checked.reports():
            tally.add(report)
            sys.stdout.write(as_json(report.as_dict(t)) + "\n")
        sys.stdout.flush()

    yield tell


def tell_remote(
    told: Iterable[tuple[MatchReport, dict[str, Any] | None]],
    format: CheckFormat,
    t: Translate,
    tally: Tally,
    most: int,
    verbose: bool,
) -> None:
    """Reports that a server made, as text or as the objects it sent."""
    out = console()
    for report, one in told:
        tally.add(report)
        if format is CheckFormat.JSONL:
            sys.stdout.write(as_json(report.as_dict(t) if one is None else one) + "\n")
            sys.stdout.flush()
        elif report.findings or verbose:
            out.print(Text("\n").join(block(t, report, None, None, most)))


@contextmanager
def _sarif(t: Translate, tally: Tally) -> Iterator[Tell]:
    """One log of the run; it stays open, and so no log, where the run does not come to its end."""
    written = SarifLog(t, sys.stdout.write)

    def tell(checked: Checked) -> None:
        for report, log, _ in checked.told():
            tally.add(report)
            written.add(report, log)

    yield tell
    written.close(done=not tally.unread)
