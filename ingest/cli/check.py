"""`retourne check`: reports findings of logs, also under other rules; --apply-edits writes corrected logs.

`--apply-edits` writes the logs with their edits applied, `--diff` the edits as a patch.
"""

import difflib
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from itertools import accumulate, chain, groupby
from pathlib import Path
from typing import Any

from rich.text import Text

from ingest.api import with_edits
from ingest.autofix.text_edit import apply_all_edits
from ingest.cli import common as cli
from ingest.cli import params, report_text, shell_completion
from ingest.cli.report_text import (
    DEFAULT_MAX_FINDINGS,
    STATUS_STYLES,
    Tally,
    finding_line,
    match_report_lines,
    report_heading,
    wrap_indented,
)
from ingest.cli.sarif import SarifLog
from ingest.cli.terminal_tables import console
from ingest.escaping import escape_line
from ingest.findings.edit_texts import describe_edit
from ingest.findings.finding import Finding
from ingest.i18n import N_, Translate
from ingest.reader.files import Batch, ReadError, is_named_as_lines
from ingest.reader.files import MatchText as Log
from ingest.reader.sources import source_batches
from ingest.validate.batch import MAX_SLOW_PATH_BYTES, checked_batches
from ingest.validate.report import MatchReport, report_of_result, report_of_trouble
from ingest.validate.slow_path import ValidationResult
from ingest.validate.what_if import describe_change, games_with, what_if

APPLY_EDITS_ALONE = N_("--apply-edits cannot be combined with --diff, --format, --preset or --set.")
DIFF_ALONE = N_("--diff cannot be combined with --format, --preset or --set.")
CheckFormat = StrEnum("CheckFormat", {"TEXT": "text", "JSONL": "jsonl", "SARIF": "sarif"})
MORE_MATCHES = N_("… and {n} more matches with findings; --matches 0 shows all.")
UNCHANGED_MATCHES = N_("These rules change nothing in the other matches: {n}.")
FINDINGS_LEFT = N_("{where}: findings left, to be decided by hand: {n}")
MAX_MATCHES_SHOWN = 1000
"""Matches with findings shown in text, unless `--matches` is given."""
CONTEXT_LINES = 3
"""Unchanged lines around each change."""
NO_NEWLINE_AT_END = b"\\ No newline at end of file\n"
_HUNK_HEADER = re.compile(rb"@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@")
_PatchPart = tuple[list[bytes], list[bytes], int]
"""Lines of a file before and after the edits, and the number of lines before them."""
CheckedReport = tuple[MatchReport, Log | None, ValidationResult | None, dict[str, Any] | None]
"""A report, its log, its validation result, and the object that a server sent for it."""


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
    verbose: bool = cli.flag(N_("List every match, including clean ones."), "-v"),
    preset: str | None = cli.option(
        N_("Check under this preset and list the changes."),
        N_("PRESET"),
        complete=shell_completion.complete_presets,
    ),
    setting: params.Settings = None,
    limit: int = cli.option(
        N_("Findings shown per match in text output; 0 shows all."), "N", default=DEFAULT_MAX_FINDINGS, min=0
    ),
    matches: int = cli.option(
        N_("Matches with findings shown in text output; 0 shows all."), "N", default=MAX_MATCHES_SHOWN, min=0
    ),
    apply_edits: bool = cli.flag(N_("Write the logs with their edits done.")),
    diff: bool = cli.flag(N_("Write the edits as a patch of the files.")),
    server: params.ServerUrl = None,
    token: params.Token = None,
) -> None:
    """Check files and report their findings."""
    t = run.t
    if server is not None:
        params.reject_options(preset=preset, set=setting, diff=diff, apply_edits=apply_edits)
        if format is CheckFormat.SARIF:
            raise cli.CommandError(cli.NOT_WITH_SERVER, option="--format sarif")
    if quiet and verbose:
        raise cli.CommandError(cli.QUIET_AND_VERBOSE)
    has_other_output = preset is not None or setting or format is not CheckFormat.TEXT
    if (apply_edits or diff) and (has_other_output or (apply_edits and diff)):
        raise cli.CommandError(APPLY_EDITS_ALONE if apply_edits else DIFF_ALONE)
    options = params.parse_rule_options(preset, setting or ())
    found = params.parse_sources(files)
    tally = Tally()
    if (
        sum(params.source_sizes(found).values()) > MAX_SLOW_PATH_BYTES and not quiet
    ):  # smaller inputs usually take the slow path
        cli.announce_reader_jit(t)
    with params.reading_progress(t, N_("Checking"), found, quiet) as reading:
        if server is not None:
            from ingest.cli.http_client import ServerClient  # imports HTTP only if needed

            with ServerClient(server, token, t) as there:
                items = ((one, None, None, sent) for one, sent in there.check_files(found, reading))
                _write_reports(items, format, t, tally, (limit, matches), verbose)
        else:
            heard = ((one, partial(reading, params.source_name(one))) for one in found)
            batches = chain.from_iterable(source_batches([one], on_progress) for one, on_progress in heard)
            if apply_edits or diff:
                (_write_edited_logs if apply_edits else _write_patch)(t, batches, tally)
            elif preset is not None or options:
                if format is CheckFormat.SARIF:
                    raise cli.CommandError(N_("--format sarif cannot be combined with --preset or --set."))
                _write_what_if(t, batches, preset, options, tally, format is CheckFormat.JSONL)
            else:
                _write_reports(_check_batches(batches), format, t, tally, (limit, matches), verbose)
    if format is CheckFormat.TEXT and not quiet:
        params.print_sheets_skipped(t, files)
        out = console(stderr=apply_edits or diff)
        for line in wrap_indented(report_text.summary_line(t, tally.statuses, tally.warnings), "", out.width):
            out.print(line)
    cli.exit_with(cli.EXIT_ERROR if tally.unread else cli.EXIT_OK if tally.is_clean else cli.EXIT_FINDINGS)


def _check_batches(batches: Iterable[Batch]) -> Iterator[CheckedReport]:
    """Yield the report of each match checked here, with its log and validation result."""
    for checked in checked_batches(batches):
        for report, log, explained in with_edits(checked).reports_with_results():
            yield report, log, explained, None
        sys.stdout.flush()  # so that a reader of the pipe gets each batch when it is done


def _write_reports(
    reports: Iterable[CheckedReport],
    format: CheckFormat,
    t: Translate,
    tally: Tally,
    limits: tuple[int, int],
    verbose: bool,
) -> None:
    """Write each report as it comes; in text at most `limits` findings per match and matches, 0 for all.

    `verbose`: write clean matches in text too; the other formats always include them. If the run is
    interrupted, the SARIF log is not closed, hence invalid.
    """
    out, shown, left = console(), 0, 0
    max_findings, max_matches = limits
    sarif = SarifLog(t, sys.stdout.write) if format is CheckFormat.SARIF else None
    for report, log, explained, sent in reports:
        tally.add(report)
        if sarif is not None:
            sarif.add(report, log)
        elif format is CheckFormat.JSONL:
            params.write_json_lines([report.as_dict(t) if sent is None else sent])
        elif report.findings and max_matches and shown == max_matches:
            left += 1
        else:
            shown += bool(report.findings)
            if report.findings or verbose:
                out.print(Text("\n").join(match_report_lines(t, report, explained, log, max_findings)))
            if report.sheet:
                out.print(Text("\n").join(report_text.sheet_lines(t, report.sheet, max_findings)))
    if left:
        out.print(Text(t(MORE_MATCHES, n=left), style="dim"))
    if sarif is not None:
        sarif.close(done=not tally.unread)


def _write_what_if(
    t: Translate,
    batches: Iterable[Batch],
    preset: str | None,
    options: dict[str, Any],
    tally: Tally,
    as_objects: bool,
) -> None:
    """Check every match under its own rules and under others, and report what differs."""

    def report_one(report: MatchReport, changes: list[Text], new: Iterable[Any]) -> None:
        lines = [report_heading(t, report), *changes, *(finding_line(t, one) for one in new)]
        console().print(Text("\n").join(lines))

    total = alike = passed = 0
    having = games_with(preset, options)
    for batch in batches:
        for trouble in batch.troubles:
            tally.add(report := report_of_trouble(trouble))
            if as_objects:
                params.write_json_lines([report.as_dict(t) | {"changes": []}])
            else:
                report_one(report, [], report.findings)
        for log in batch.texts:
            total += 1
            before, after, changes = what_if(log, preset, options)
            if other := before.match is not None and before.match.game not in having:
                after, changes = before, []  # the rules are those of another game
            own = after.match.id if after.match else None
            known_by = (after.match_id, after.status, after.findings)
            tally.add(report := MatchReport(batch.file, log.line, own, *known_by))
            if as_objects:
                params.write_json_lines([report.as_dict(t) | {"changes": [asdict(one) for one in changes]}])
                continue
            known: dict[tuple[str, str], list[Finding]] = {}  # compared with few: a match may have 1,000
            for finding in before.findings:
                known.setdefault((finding.code, finding.path), []).append(finding)
            new = [one for one in after.findings if one not in known.get((one.code, one.path), ())]
            if changes or new:
                lines = []
                for one in changes:
                    style = STATUS_STYLES[one.after] if one.field == "status" else ""
                    message = escape_line(describe_change(t, one, before, after))
                    lines.append(Text("  " + message, style=style))
                report_one(report, lines, new)
            elif other:
                passed += 1
            else:
                alike += 1
    for text, count in (
        (N_("Matches whose game does not have these rules: {n}."), passed),
        (N_("These rules change nothing.") if alike == total else UNCHANGED_MATCHES, alike),
    ):
        if count and not as_objects:
            console().print(Text(t(text, n=count), style="dim"))


def _write_edited_logs(t: Translate, batches: Iterable[Batch], tally: Tally) -> None:
    """Write each match with its edits applied, in its layout: one per line, or as an array.

    Standard error gets each edit and the number of findings that remain. The tally counts the logs
    as they were before the edits.
    """
    for batch in batches:
        edited = []
        for log in batch.texts:
            made = apply_all_edits(log.text)
            tally.add(report_of_result(batch.file, log, made.before))
            where = f"{batch.file}:{log.line}"
            for one in made.fixed:
                line = log.line if one.line is None else log.line + one.line - 1
                at, edit = one.place(t) or one.path, describe_edit(t, one)
                _print_to_stderr(Text(escape_line(f"{batch.file}:{line}  {at}  → {edit}"), style="green"))
            if left := len(made.after.findings):
                _print_to_stderr(Text(escape_line(t(FINDINGS_LEFT, where=where, n=left)), style="dim"))
            edited.append(made.text)
        for trouble in batch.troubles:
            _print_unread(t, trouble, tally)
        if is_named_as_lines(batch.file):  # one a line: JSON strings contain no line break
            edited = [b" ".join(map(bytes.strip, text.split(b"\n"))) for text in edited]
        if len(edited) > 1 and any(b"\n" in text for text in edited):
            sys.stdout.buffer.write(b"[" + b",\n".join(edited) + b"]\n")
        else:
            sys.stdout.buffer.writelines(text.rstrip(b"\r\n") + b"\n" for text in edited)
    sys.stdout.buffer.flush()


def _print_unread(t: Translate, trouble: ReadError, tally: Tally) -> None:
    """Report on standard error what cannot be read, and add it to the tally."""
    tally.add(report := report_of_trouble(trouble))
    for finding in report.findings:
        _print_to_stderr(Text(escape_line(f"{trouble.file}:{trouble.line}  {finding.message(t)}")))


def _print_to_stderr(line: Text) -> None:
    console(stderr=True).print(line)


def _write_patch(t: Translate, batches: Iterable[Batch], tally: Tally) -> None:
    """Write the patch to standard output; the tally counts the logs before the edits."""
    for file, same in groupby(batches, key=lambda batch: batch.file):
        edited = []
        for batch in same:
            for log in batch.texts:
                made = apply_all_edits(log.text)
                tally.add(report_of_result(file, log, made.before))
                if made.text != log.text:
                    edited.append((log, made.text))
            for trouble in batch.troubles:
                _print_unread(t, trouble, tally)
        sys.stdout.buffer.writelines(unified_patch(file, edited))
    sys.stdout.buffer.flush()


def unified_patch(file: str, edited: list[tuple[Log, bytes]]) -> Iterator[bytes]:
    """Yield the unified patch of one file, from its edited logs.

    Line numbers refer to the file; for an archive or a stream, to each log.
    """
    if not edited:
        return
    # `patch` and `git apply` want names with special characters quoted
    name = file.encode(errors="surrogateescape")
    if any(sign in name for sign in b'\t\n\r"\\'):
        for sign, written in ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\t", b"\\t"), (b"\n", b"\\n")):
            name = name.replace(sign, written)
        name = b'"' + name.replace(b"\r", b"\\r") + b'"'
    elif b" " in name:
        name += b"\t"
    data = None  # a stream, or a file within an archive
    with suppress(OSError, ValueError):
        data = Path(file).read_bytes()
    yield b"--- " + name + b"\n+++ " + name + b"\n"
    moved = 0  # lines that the parts so far have added
    for before, after, start in _patch_parts(data, edited):
        for line in difflib.diff_bytes(difflib.unified_diff, before, after, n=CONTEXT_LINES):
            if hunk := _HUNK_HEADER.match(line):
                old, size, new, grown = hunk.groups()
                here, there = int(old) + start, int(new) + start + moved
                yield b"@@ -%d%b +%d%b @@\n" % (here, size, there, grown)
            elif not line.startswith((b"--- \n", b"+++ \n")):
                yield line if line.endswith(b"\n") else line + b"\n" + NO_NEWLINE_AT_END
        moved += len(after) - len(before)


def _patch_parts(data: bytes | None, edited: list[tuple[Log, bytes]]) -> Iterator[_PatchPart]:
    """Yield the changed parts of a file with their context; without `data`, each log on its own."""
    # (first byte, end, new text) of each log found in the file
    spans = list[tuple[int, int, bytes]]()
    if data is not None:
        breaks = [0, *accumulate(map(len, data.split(b"\n")))]
        past = 0  # end of the previous log: two logs on a line may be equal
        for log, after in edited:
            begin = breaks[log.line - 1] + log.line - 1 if log.line < len(breaks) else past
            start = data.find(log.text, max(begin, past))
            if start >= 0 and not data.count(b"\n", begin, start):
                past = start + len(log.text)
                spans.append((start, past, after))
    if data is None or len(spans) < len(edited):
        for log, after in edited:
            yield _split_lines(log.text), _split_lines(after), log.line - 1
        return
    lines = _split_lines(data)
    ends = [0, *accumulate(map(len, lines))]
    while spans:
        first = max(bisect_right(ends, spans[0][0]) - 1 - CONTEXT_LINES, 0)
        last, some = first, []
        while spans and bisect_right(ends, spans[0][0]) - 1 - CONTEXT_LINES <= max(last, first):
            some.append(spans.pop(0))
            last = min(bisect_left(ends, some[-1][1]) + CONTEXT_LINES, len(lines))
        text = data[ends[first] : ends[last]]
        for start, end, after in reversed(some):
            text = text[: start - ends[first]] + after + text[end - ends[first] :]
        yield lines[first:last], _split_lines(text), first


def _split_lines(text: bytes) -> list[bytes]:
    """Split into lines as `diff` does: only a line feed ends one."""
    return [line for line in re.split(rb"(?<=\n)", text) if line]
