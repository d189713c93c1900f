"""`retourne check`: what is wrong in files of logs, and by which rule."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.text import Text

from ingest.api import mended
from ingest.cli import complete, otherwise
from ingest.cli.otherwise import rules_asked
from ingest.cli.params import (
    NOT_WITH,
    Files,
    ServerUrl,
    Settings,
    Token,
    name_of,
    refuse,
    sizes,
    sources,
)
from ingest.cli.report_text import MOST_FINDINGS, Tally, block, sheet_lines, summary, wrapped
from ingest.cli.sarif import SarifLog
from ingest.cli.terminal import (
    CANNOT,
    FOUND,
    LEGAL,
    Lang,
    Quiet,
    Reading,
    Stop,
    compiling_reader,
    console,
    leave,
    one_of,
    progress,
)
from ingest.i18n import N_, Translate
from ingest.judge.batch import SHORT, Checked, checked_batches
from ingest.judge.report import MatchReport
from ingest.text.files import Batch
from ingest.text.signs import as_json
from ingest.text.sources import Source, source_batches

ALONE = N_("--fix-preview goes without --diff, --format, --rules and --set.")
DIFF_ALONE = N_("--diff goes without --format, --rules and --set.")
Tell = Callable[[Checked], None]

OWN_RULES = N_("--format sarif goes without --rules and --set.")


class CheckFormat(StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSONL = "jsonl"
    SARIF = "sarif"


def check(
    ctx: typer.Context,
    files: Files,
    format: Annotated[
        CheckFormat,
        typer.Option(
            "--format",
            help=N_(
                "text for people; jsonl: one JSON object per match; sarif: one report "
                "for GitHub, GitLab or an editor."
            ),
        ),
    ] = CheckFormat.TEXT,
    quiet: Quiet = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help=N_("Tell every match, clean ones too."))
    ] = False,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar=N_("PRESET"),
            autocompletion=complete.presets,
            help=N_("Check under this preset, and say what changes."),
        ),
    ] = None,
    setting: Settings = None,
    limit: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help=N_("Findings shown per match in text output; 0 shows all.")
        ),
    ] = MOST_FINDINGS,
    fix_preview: Annotated[
        bool, typer.Option("--fix-preview", help=N_("Write the logs with their edits done."))
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help=N_("Write the edits as a patch of the files."))
    ] = False,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Say what is wrong in some files."""
    t: Translate = ctx.obj
    if server is not None:
        refuse(rules=rules, set=setting, diff=diff, fix_preview=fix_preview)
        if format is CheckFormat.SARIF:
            raise Stop(NOT_WITH, option="--format sarif")
    one_of(quiet, verbose)
    otherwise_told = rules is not None or setting or format is not CheckFormat.TEXT
    if (fix_preview or diff) and (otherwise_told or (fix_preview and diff)):
        raise Stop(ALONE if fix_preview else DIFF_ALONE)
    options = rules_asked(rules, setting or ())
    found = sources(files)
    tally = Tally()
    size = sizes(found)
    if sum(size.values()) > SHORT and not quiet:  # less is explained, as a rule
        compiling_reader(t)
    with progress(t, N_("Checking"), sum(size.values()), octets=True, quiet=quiet) as advance:
        reading = Reading(size, advance)
        if server is not None:
            from ingest.cli import remote_logs  # HTTP is loaded where it is asked for

            asked = remote_logs.check(server, token, found, reading, t)
            tell_remote(asked, format, t, tally, limit, verbose)
        elif fix_preview:
            from ingest.cli.fix_preview import write_edited  # what few ask for is loaded when it is

            write_edited(t, _batches(found, reading), tally)
        elif diff:
            from ingest.cli.fix_preview import write_patch

            write_patch(t, _batches(found, reading), tally)
        elif rules is not None or options:
            if format is CheckFormat.SARIF:
                raise Stop(OWN_RULES)
            otherwise.tell(
                t, _batches(found, reading), rules, options, tally, format is CheckFormat.JSONL
            )
        else:
            with teller(format, t, tally, limit, verbose) as tell:
                for checked in checked_batches(_batches(found, reading)):
                    tell(mended(checked))
    if format is CheckFormat.TEXT and not quiet:
        out = console(stderr=fix_preview or diff)
        for line in wrapped(summary(t, tally.statuses, tally.warnings), "", out.width):
            out.print(line)
    leave(CANNOT if tally.unread else LEGAL if tally.clean else FOUND)


def _batches(found: list[Source], reading: Reading) -> Iterator[Batch]:
    for source in found:
        name = name_of(source)

        def read(count: int, name: str = name) -> None:
            reading(name, count)

        yield from source_batches([source], read)


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
                out.print(Text("\n").join(sheet_lines(t, report.sheet, most)))

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
