"""`retourne check`: what is wrong in files of logs, and by which rule."""

from collections.abc import Iterator
from typing import Annotated

import typer

from ingest.api import mended
from ingest.cli import complete, otherwise
from ingest.cli.formats import CheckFormat, tell_remote, teller
from ingest.cli.otherwise import rules_asked
from ingest.cli.params import NOT_WITH, Files, ServerUrl, Token, name_of, refuse, sizes, sources
from ingest.cli.say import MOST_FINDINGS, Tally, summary, wrapped
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
from ingest.text.files import Batch
from ingest.text.sources import Source, source_batches

ALONE = N_("--fix-preview goes without --diff, --format, --rules and --set.")
DIFF_ALONE = N_("--diff goes without --format, --rules and --set.")
OWN_RULES = N_("--format sarif goes without --rules and --set.")
EXAMPLES = (
    "retourne check club.jsonl",
    "retourne check club.jsonl --fix-preview > fixed.jsonl",
    "retourne check club.jsonl --diff > club.patch",
    "retourne check saison/ --lang fr",
    "zcat club.jsonl.gz | retourne check - --format jsonl",
    "retourne check club.jsonl --set quinte=100",
    "retourne check club.jsonl --server https://club.example",
)


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
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar=N_("OPTION=VALUE"),
            help=N_("Check with one option changed; may be repeated."),
        ),
    ] = None,
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
            from ingest.cli import preview  # what few ask for is loaded when it is

            preview.tell(t, _batches(found, reading), tally)
        elif diff:
            from ingest.cli import diff as patches

            patches.tell(t, _batches(found, reading), tally)
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
