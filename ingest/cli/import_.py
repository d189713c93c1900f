"""`retourne import`: logs of what people write, which can be looked at before they are added."""

from collections.abc import Sequence
from io import BytesIO

from rich.text import Text

from engine.games import names
from ingest.api import mended
from ingest.cli import params
from ingest.cli import terminal as cli
from ingest.cli.ingest import added, report_lines
from ingest.cli.open_store import ServedRun
from ingest.cli.report_text import Tally, Where, block, summary, wrapped
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
NOT_A_COLUMN = N_("There is no column {column} in a sheet of {game}. There are: {known}.")
SAY_WHICH = N_("Say it as in --column '{heading}=points 1', or '{heading}=' to leave it out.")
MORE = N_("… and {n} more.")
MOST_QUESTIONS = 50
"""Told of one file: of more, most come of something else."""


def import_(
    run: ServedRun,
    files: list[str] | None = cli.argument(
        N_("Notes (.txt), sheets (.csv, .xlsx, .ods), or - for standard input."),
        N_("FILES…"),
        None,
        show_default=False,
    ),
    game: params.GameName | None = cli.option(N_("The game of files that name none."), None, "-g"),
    column: list[str] | None = cli.option(
        N_("What a column of a sheet is that is headed otherwise; may be repeated."),
        N_("HEADING=COLUMN"),
    ),
    template: params.GameName | None = cli.option(
        N_("Write a score sheet to fill in; .xlsx where --output says so.")
    ),
    output: params.Output = None,
    add: bool = cli.flag(N_("Add the logs to the store.")),
) -> None:
    """Make logs, and say what is asked and what a check says."""
    t = run.t
    params.check_output(output)
    if template is not None:
        if files or add or column:
            raise cli.Stop(ALONE)
        from ingest.entry.headings import csv_template, xlsx_template

        as_workbook = output is not None and output.suffix.lower() == ".xlsx"
        with params.written(output) as file:
            file.write((xlsx_template if as_workbook else csv_template)(str(template), t))
        cli.leave(cli.LEGAL)
    if not files:
        raise cli.Stop(NOTHING)
    how = _how(None if game is None else str(game), column or ())
    found = [(params.name_of(one), _bytes(one)) for one in params.sources(files)]
    entered = {name: read(name, data, how) for name, data in found}
    code = max(_tell(t, name, one) for name, one in entered.items())
    made = {name: one.lines for name, one in entered.items() if one.logs}
    if add:
        sent: list[Source] = [(name, BytesIO(made[name])) for name in made]
        with run.asked(new=True) as asked:
            for report in added(asked, sent):
                cli.console(stderr=True).print(Text("\n").join(report_lines(t, report)))
    if not add or output is not None:
        with params.written(output, kept=True) as file:
            file.writelines(made.values())
    cli.leave(code)


def _how(game: str | None, words: Sequence[str]) -> How:
    """What the line says beside the files. Stop: a column that no sheet of the game has."""
    columns: dict[str, str] = {}
    for word in words:
        heading, equals, said = word.rpartition("=")
        if not equals or not heading:
            raise cli.Stop(N_("--column wants HEADING=COLUMN, not {word}."), word=word)
        columns[heading] = said
    for said in filter(None, columns.values()):
        known = [Headings(one) for one in ([game] if game else names())]
        if not any(one.field(said) for one in known):
            told = ", ".join(dict.fromkeys(one.key for one in known[0].fields))
            raise cli.Stop(NOT_A_COLUMN, column=said, game=game or names()[0], known=told)
    return How(game, columns)


def _bytes(source: Source) -> bytes:
    """All of a file. Stop: it is too large."""
    if not isinstance(source, tuple):
        with opened(source) as file:
            data = file.read(MOST + 1)
    else:
        data = source[1].read(MOST + 1)
    if len(data) > MOST:
        raise cli.Stop(TOO_LARGE, path=params.name_of(source), most=MOST >> 20)
    return data


def _tell(t: Translate, name: str, entered: Entered) -> int:
    """Say on standard error what is asked, and what a check says of the logs; the exit code."""
    out = cli.console(stderr=True)
    if entered.refused is not None:
        cli.complain(t, "{what}: {message}", what=name, message=entered.refused.say(t))
        return cli.FOUND
    for one in entered.remarks:
        cli.remark(t("{what}: {message}", what=name, message=one.say(t)))
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
        return cli.FOUND
    tally = Tally()
    for checked in checked_batches(stream_batches(f"{name}.jsonl", BytesIO(entered.lines))):
        for report, _, explained in mended(checked).told():
            tally.add(report)
            if any(finding.severity != NOTE for finding in report.findings):
                where = _where(name, entered.origins[report.line - 1])
                out.print(Text("\n").join(block(t, report, explained, where=where)))
    out.print(summary(t, tally.statuses, tally.warnings))
    return cli.LEGAL if tally.clean and not entered.questions else cli.FOUND


def _where(name: str, origin: Origin) -> Where:
    """Where what is found stands in the file that was imported: it is all that anybody can open."""
    return lambda finding: f"{name}:{origin.of(finding)}"
