"""`retourne import`: logs of what people write, which can be looked at before they are added."""

from io import BytesIO
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from engine.games import names
from ingest.api import mended
from ingest.cli.games import GameName
from ingest.cli.ingest import report_lines
from ingest.cli.opening import open_store
from ingest.cli.output import Output, check_output, written
from ingest.cli.say import MOST_FINDINGS, Tally, block, summary, wrapped
from ingest.cli.sources import name_of, sources
from ingest.cli.terminal import (
    DEFAULT_STORE,
    FOUND,
    LEGAL,
    Lang,
    Stop,
    StorePath,
    console,
    leave,
)
from ingest.entry.reading import MOST, Entered, read
from ingest.i18n import N_, Translate
from ingest.judge.batch import checked_batches
from ingest.store.add import ingest
from ingest.text.files import stream_batches
from ingest.text.signs import plain
from ingest.text.sources import Source

EXAMPLES = (
    "retourne import soiree.txt --output soiree.jsonl",
    "retourne import soiree.txt | retourne check -",
    f"retourne import soiree.txt --game {names()[0]} --add --store club.duckdb",
)
TOO_LARGE = N_("{path} has more than {most} MB: no notes are so long.")
QUIET = ("legal", "unproven")
"""Verdicts of a match in which nothing wrong was found."""


def import_(
    ctx: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES…",
            help=N_("Notes (.txt), or - for standard input."),
            show_default=False,
        ),
    ],
    game: Annotated[
        GameName | None, typer.Option("--game", "-g", help=N_("The game of notes that name none."))
    ] = None,
    output: Output = None,
    add: Annotated[bool, typer.Option("--add", help=N_("Add the logs to the store."))] = False,
    store: StorePath = DEFAULT_STORE,
    lang: Lang = None,
) -> None:
    """Make logs, and say what is asked and what a check says."""
    t: Translate = ctx.obj
    check_output(output)
    found = [(name_of(one), _bytes(one)) for one in sources(files)]
    entered = {name: read(data, None if game is None else str(game)) for name, data in found}
    code = max(_tell(t, name, one) for name, one in entered.items())
    made = {name: one.lines for name, one in entered.items() if one.logs}
    if add:
        with open_store(store) as opened:
            for report in ingest(opened, [(name, BytesIO(made[name])) for name in made]):
                console(stderr=True).print(Text("\n").join(report_lines(t, report)))
    if not add or output is not None:
        with written(output) as file:
            file.writelines(made.values())
    leave(code)


def _bytes(source: Source) -> bytes:
    """All of a file. Stop: it is too large."""
    if isinstance(source, Path):
        with source.open("rb") as file:
            data = file.read(MOST + 1)
    else:
        data = source[1].read(MOST + 1)
    if len(data) > MOST:
        raise Stop(TOO_LARGE, path=name_of(source), most=MOST >> 20)
    return data


def _tell(t: Translate, name: str, entered: Entered) -> int:
    """Say on standard error what is asked, and what a check says of the logs; the exit code."""
    out = console(stderr=True)
    for question in entered.questions:
        line = Text(plain(f"{name}:{question.where}"), style="bold")
        told = line.append(" ").append(plain(question.say(t)), style="not bold")
        for piece in wrapped(told, "", out.width):
            out.print(piece)
    if not entered.logs:
        return FOUND
    tally = Tally()
    for checked in checked_batches(stream_batches(f"{name}.jsonl", BytesIO(entered.lines))):
        for report, log, explained in mended(checked).told():
            tally.add(report)
            if report.findings:
                told = Text("\n").join(block(t, report, explained, log, MOST_FINDINGS))
                out.print(told)
    out.print(summary(t, tally.statuses, tally.warnings))
    return LEGAL if {*+tally.statuses} <= {*QUIET} else FOUND
