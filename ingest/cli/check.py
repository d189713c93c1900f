"""`retourne check`: what is wrong in files of logs, and by which rule; and under other rules."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

from rich.text import Text

from ingest.api import mended
from ingest.cli import complete, params
from ingest.cli import terminal as cli
from ingest.cli.report_text import (
    MOST_FINDINGS,
    STYLE,
    Tally,
    block,
    finding_line,
    head,
    sheet_lines,
    summary,
    wrapped,
)
from ingest.cli.sarif import SarifLog
from ingest.i18n import N_, Translate
from ingest.judge.batch import SHORT, checked_batches
from ingest.judge.explain import Explained
from ingest.judge.otherwise import games_of, otherwise, speak_change
from ingest.judge.report import MatchReport, trouble_report
from ingest.text.files import Batch
from ingest.text.files import Text as Log
from ingest.text.signs import plain
from ingest.text.sources import source_batches

ALONE = N_("--fix-preview goes without --diff, --format, --rules and --set.")
DIFF_ALONE = N_("--diff goes without --format, --rules and --set.")

CheckFormat = StrEnum("CheckFormat", {"TEXT": "text", "JSONL": "jsonl", "SARIF": "sarif"})


class Told(NamedTuple):
    """A report, what it is about, and the object a server sent of it."""

    report: MatchReport
    log: Log | None = None
    explained: Explained | None = None
    sent: dict[str, Any] | None = None


def check(
    run: cli.Run,
    files: params.Files,
    format: CheckFormat = cli.option(
        N_(
            "text for people; jsonl: one JSON object per match; sarif: one report "
            "for GitHub, GitLab or an editor."
        ),
        default=CheckFormat.TEXT,
    ),
    quiet: cli.Quiet = False,
    verbose: bool = cli.flag(N_("Tell every match, clean ones too."), "-v"),
    rules: str | None = cli.option(
        N_("Check under this preset, and say what changes."),
        N_("PRESET"),
        complete=complete.presets,
    ),
    setting: params.Settings = None,
    limit: int = cli.option(
        N_("Findings shown per match in text output; 0 shows all."),
        "N",
        default=MOST_FINDINGS,
        min=0,
    ),
    fix_preview: bool = cli.flag(N_("Write the logs with their edits done.")),
    diff: bool = cli.flag(N_("Write the edits as a patch of the files.")),
    server: params.ServerUrl = None,
    token: params.Token = None,
) -> None:
    """Say what is wrong in some files."""
    t = run.t
    if server is not None:
        params.refuse(rules=rules, set=setting, diff=diff, fix_preview=fix_preview)
        if format is CheckFormat.SARIF:
            raise cli.Stop(params.NOT_WITH, option="--format sarif")
    cli.one_of(quiet, verbose)
    otherwise_told = rules is not None or setting or format is not CheckFormat.TEXT
    if (fix_preview or diff) and (otherwise_told or (fix_preview and diff)):
        raise cli.Stop(ALONE if fix_preview else DIFF_ALONE)
    options = params.rules_asked(rules, setting or ())
    found = params.sources(files)
    tally = Tally()
    if sum(params.sizes(found).values()) > SHORT and not quiet:  # less is explained, as a rule
        cli.compiling_reader(t)
    with params.reading(t, N_("Checking"), found, quiet) as reading:
        if server is not None:
            from ingest.cli import http_client  # HTTP is loaded where it is asked for

            with http_client.Server(server, token, t) as there:
                asked = http_client.check(there, found, reading)
                told = (Told(report, sent=sent) for report, sent in asked)
                _write(told, format, t, tally, limit, verbose)
        else:
            batches = (
                batch
                for one in found
                for batch in source_batches([one], partial(reading, params.name_of(one)))
            )
            if fix_preview or diff:  # what few ask for is loaded when it is
                from ingest.cli.fix_preview import write_edited, write_patch

                (write_edited if fix_preview else write_patch)(t, batches, tally)
            elif rules is not None or options:
                if format is CheckFormat.SARIF:
                    raise cli.Stop(N_("--format sarif goes without --rules and --set."))
                _write_otherwise(t, batches, rules, options, tally, format is CheckFormat.JSONL)
            else:
                _write(_reports(batches), format, t, tally, limit, verbose)
    if format is CheckFormat.TEXT and not quiet:
        out = cli.console(stderr=fix_preview or diff)
        for line in wrapped(summary(t, tally.statuses, tally.warnings), "", out.width):
            out.print(line)
    cli.leave(cli.CANNOT if tally.unread else cli.LEGAL if tally.clean else cli.FOUND)


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
    out, sarif = cli.console(), None
    if format is CheckFormat.SARIF:
        sarif = SarifLog(t, sys.stdout.write)
    for report, log, explained, sent in reports:
        tally.add(report)
        if sarif is not None:
            sarif.add(report, log)
        elif format is CheckFormat.JSONL:
            params.write([report.as_dict(t) if sent is None else sent])
        else:
            if report.findings or verbose:
                out.print(Text("\n").join(block(t, report, explained, log, most)))
            if report.sheet:
                out.print(Text("\n").join(sheet_lines(t, report.sheet, most)))
    if sarif is not None:
        sarif.close(done=not tally.unread)


ALIKE = N_("These rules change nothing in the other matches: {n}.")
SAME = N_("These rules change nothing.")
PASSED = N_("Matches whose game does not have these rules: {n}.")


def _write_otherwise(
    t: Translate,
    batches: Iterable[Batch],
    preset: str | None,
    options: dict[str, Any],
    tally: Tally,
    as_objects: bool,
) -> None:
    """Check every match under its own rules and under the others, and say what differs.

    As text the matches that stay as they are only counted.
    """

    def tell(report: MatchReport, changes: list[Text], new: Iterable[Any]) -> None:
        lines = [head(t, report), *changes, *(finding_line(t, one) for one in new)]
        cli.console().print(Text("\n").join(lines))

    told = alike = passed = 0
    having = games_of(preset, options)
    for batch in batches:
        for trouble in batch.troubles:
            tally.add(report := trouble_report(trouble))
            if as_objects:
                params.write([report.as_dict(t) | {"changes": []}])
            else:
                tell(report, [], report.findings)
        for log in batch.texts:
            told += 1
            before, after, changes = otherwise(log, preset, options)
            if other := before.match is not None and before.match.game not in having:
                after, changes = before, []  # what another game calls its rules is none of it
            own = after.match.id if after.match else None
            known_by = (after.match_id, after.status, after.findings)
            tally.add(report := MatchReport(batch.file, log.line, own, *known_by))
            if as_objects:
                params.write([report.as_dict(t) | {"changes": [asdict(one) for one in changes]}])
                continue
            new = [one for one in after.findings if one not in before.findings]
            if changes or new:
                lines = []
                for one in changes:
                    style = STYLE[one.after] if one.what == "status" else ""
                    said = plain(speak_change(t, one, before, after))
                    lines.append(Text("  " + said, style=style))
                tell(report, lines, new)
            elif other:
                passed += 1
            else:
                alike += 1
    for text, count in ((PASSED, passed), (SAME if alike == told else ALIKE, alike)):
        if count and not as_objects:
            cli.console().print(Text(t(text, n=count), style="dim"))
