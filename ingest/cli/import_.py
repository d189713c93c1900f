"""`retourne import`: logs of what people write, which can be looked at before they are added."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from engine.games import names
from ingest.api import mended
from ingest.cli.ingest import added, report_lines
from ingest.cli.open_store import store_at
from ingest.cli.params import (
    GameName,
    Output,
    ServerUrl,
    Token,
    check_output,
    name_of,
    sources,
    written,
)
from ingest.cli.report_text import Tally, Where, block, summary, wrapped
from ingest.cli.terminal import (
    DEFAULT_STORE,
    FOUND,
    LEGAL,
    Lang,
    Stop,
    StorePath,
    complain,
    console,
    leave,
    remark,
)
from ingest.entry.headings import Headings
from ingest.entry.question import Entered, Origin
from ingest.entry.reading import MOST, read
from ingest.entry.sheets import NEAR, NO_HEADING, UNKNOWN, How
from ingest.finding.finding import NOTE
from ingest.i18n import N_, Translate
from ingest.judge.batch import checked_batches
from ingest.text.files import opened, stream_batches
from ingest.text.signs import plain
from ingest.text.sources import Source

TOO_LARGE = N_("{path} has more than {most} MB: no notes and no score sheet are so long.")
NOTHING = N_("Name a file, or a game with --template.")
ALONE = N_("--template goes without files and without --add and --column.")
NO_COLUMN = N_("--column wants HEADING=COLUMN, not {word}.")
NOT_A_COLUMN = N_("There is no column {column} in a sheet of {game}. There are: {known}.")
SAY_WHICH = N_("Say it as in --column '{heading}=points 1', or '{heading}=' to leave it out.")
MORE = N_("… and {n} more.")
MOST_QUESTIONS = 50
"""Told of one file: of more, most come of something else."""
QUIET = ("legal", "unproven")
"""Verdicts of a match in which nothing wrong was found."""


def import_(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar=N_("FILES…"),
            help=N_("Notes (.txt), sheets (.csv, .xlsx, .ods), or - for standard input."),
            show_default=False,
        ),
    ] = None,
    game: Annotated[
        GameName | None, typer.Option("--game", "-g", help=N_("The game of files that name none."))
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar=N_("HEADING=COLUMN"),
            help=N_("What a column of a sheet is that is headed otherwise; may be repeated."),
        ),
    ] = None,
    template: Annotated[
        GameName | None,
        typer.Option(
            "--template", help=N_("Write a score sheet to fill in; .xlsx where --output says so.")
        ),
    ] = None,
    output: Output = None,
    add: Annotated[bool, typer.Option("--add", help=N_("Add the logs to the store."))] = False,
    store: StorePath = DEFAULT_STORE,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Make logs, and say what is asked and what a check says."""
    t: Translate = ctx.obj
    check_output(output)
    if template is not None:
        if files or add or column:
            raise Stop(ALONE)
        _template(str(template), output, t)
        leave(LEGAL)
    if not files:
        raise Stop(NOTHING)
    how = _how(None if game is None else str(game), column or ())
    found = [(name_of(one), _bytes(one)) for one in sources(files)]
    entered = {name: read(name, data, how) for name, data in found}
    code = max(_tell(t, name, one) for name, one in entered.items())
    made = {name: one.lines for name, one in entered.items() if one.logs}
    if add:
        sent: list[Source] = [(name, BytesIO(made[name])) for name in made]
        with store_at(store, server, token, t, new=True) as asked:
            for report in added(asked, sent):
                console(stderr=True).print(Text("\n").join(report_lines(t, report)))
    if not add or output is not None:
        with written(output, kept=True) as file:
            file.writelines(made.values())
    leave(code)


def _template(game: str, output: Path | None, t: Translate) -> None:
    """Write the template of a game, as a workbook where the file's name says so."""
    from ingest.entry.headings import csv_template, xlsx_template

    as_workbook = output is not None and output.suffix.lower() == ".xlsx"
    with written(output) as file:
        file.write(xlsx_template(game, t) if as_workbook else csv_template(game, t))


def _how(game: str | None, words: Sequence[str]) -> How:
    """What the line says beside the files. Stop: a column that no sheet of the game has."""
    columns: dict[str, str] = {}
    for word in words:
        heading, equals, said = word.rpartition("=")
        if not equals or not heading:
            raise Stop(NO_COLUMN, word=word)
        columns[heading] = said
    for said in filter(None, columns.values()):
        known = [Headings(one) for one in ([game] if game else names())]
        if not any(one.field(said) for one in known):
            told = ", ".join(dict.fromkeys(one.key for one in known[0].fields))
            raise Stop(NOT_A_COLUMN, column=said, game=game or names()[0], known=told)
    return How(game, columns)


def _bytes(source: Source) -> bytes:
    """All of a file. Stop: it is too large."""
    if not isinstance(source, tuple):
        with opened(source) as file:
            data = file.read(MOST + 1)
    else:
        data = source[1].read(MOST + 1)
    if len(data) > MOST:
        raise Stop(TOO_LARGE, path=name_of(source), most=MOST >> 20)
    return data


def _tell(t: Translate, name: str, entered: Entered) -> int:
    """Say on standard error what is asked, and what a check says of the logs; the exit code."""
    out = console(stderr=True)
    if entered.refused is not None:
        complain(t, "{what}: {message}", what=name, message=entered.refused.say(t))
        return FOUND
    for one in entered.remarks:
        remark(t("{what}: {message}", what=name, message=one.say(t)))
    for question in entered.questions[:MOST_QUESTIONS]:
        line = Text(plain(f"{name}:{question.where}"), style="bold")
        told = line.append(" ").append(plain(question.say(t)), style="not bold")
        for piece in wrapped(told, "", out.width):
            out.print(piece)
    if more := len(entered.questions[MOST_QUESTIONS:]):
        out.print(Text(t(MORE, n=more), style="dim"))
    if unknown := [one for one in entered.questions if one.text in (UNKNOWN, NEAR, NO_HEADING)]:
        out.print(Text(plain(t(SAY_WHICH, heading=unknown[0].read)), style="dim"))
    if not entered.logs:
        return FOUND
    tally = Tally()
    for checked in checked_batches(stream_batches(f"{name}.jsonl", BytesIO(entered.lines))):
        for report, _, explained in mended(checked).told():
            tally.add(report)
            if any(finding.severity != NOTE for finding in report.findings):
                where = _where(name, entered.origins[report.line - 1])
                out.print(Text("\n").join(block(t, report, explained, where=where)))
    out.print(summary(t, tally.statuses, tally.warnings))
    quiet = {*+tally.statuses} <= {*QUIET} and not entered.questions
    return LEGAL if quiet else FOUND


def _where(name: str, origin: Origin) -> Where:
    """Where what is found stands in the file that was imported: it is all that anybody can open."""
    return lambda finding: f"{name}:{origin.of(finding)}"
