"""`retourne check`: what is wrong in files of logs, and by which rule."""

import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

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
    write,
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
from ingest.judge.batch import SHORT, checked_batches
from ingest.judge.explain import Explained
from ingest.judge.report import MatchReport
from ingest.text.files import Batch
from ingest.text.files import Text as Log
from ingest.text.sources import Source, source_batches

ALONE = N_("--fix-preview goes without --diff, --format, --rules and --set.")
DIFF_ALONE = N_("--diff goes without --format, --rules and --set.")
OWN_RULES = N_("--format sarif goes without --rules and --set.")


class CheckFormat(StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSONL = "jsonl"
    SARIF = "sarif"


class Told(NamedTuple):
    """A report, what it is about, and the object a server sent of it."""

    report: MatchReport
    log: Log | None = None
    explained: Explained | None = None
    sent: dict[str, Any] | None = None


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
            from ingest.cli import http_client  # HTTP is loaded where it is asked for

            with http_client.Server(server, token, t) as there:
                asked = http_client.check(there, found, reading)
                told = (Told(report, sent=sent) for report, sent in asked)
                _write(told, format, t, tally, limit, verbose)
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
            _write(_reports(_batches(found, reading)), format, t, tally, limit, verbose)
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


def _reports(batches: Iterable[Batch]) -> Iterator[Told]:
    """The reports of what is checked here, each with its text and what it was explained with."""
    for checked in checked_batches(batches):
        for report, log, explained in mended(checked).told():
            yield Told(report, log, explained)
        sys.stdout.flush()  # whoever reads along has a batch when it is done


def _write(
    reports: Iterable[Told],
    format: CheckFormat,
    t: Translate,
    tally: Tally,
    most: int,
    verbose: bool,
) -> None:
    """Write each report as it comes; `most` findings of a match are told as text, 0 for all.

    `verbose`: clean matches are told as text too, as they are in the other formats. A SARIF log of
    a run that does not come to its end stays open, and so is none.
    """
    out, sarif = console(), None
    if format is CheckFormat.SARIF:
        sarif = SarifLog(t, sys.stdout.write)
    for report, log, explained, sent in reports:
        tally.add(report)
        if sarif is not None:
            sarif.add(report, log)
        elif format is CheckFormat.JSONL:
            write([report.as_dict(t) if sent is None else sent])
        else:
            if report.findings or verbose:
                out.print(Text("\n").join(block(t, report, explained, log, most)))
            if report.sheet:
                out.print(Text("\n").join(sheet_lines(t, report.sheet, most)))
    if sarif is not None:
        sarif.close(done=not tally.unread)
