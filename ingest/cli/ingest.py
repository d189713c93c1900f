"""`retourne ingest` and `import`: files into the store, and what people write made into logs.

A file is stored whole or not at all. What people wrote can be looked at before it is added.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from io import BytesIO
from shlex import quote
from typing import TYPE_CHECKING

from rich.text import Text

from engine.games import names
from ingest.api import mended
from ingest.cli import common as cli
from ingest.cli import params
from ingest.cli.open_store import Opened, ServedRun
from ingest.cli.report_text import CLEAN, STYLE, Tally, Where, block, summary, wrapped
from ingest.cli.revalidate import old_hint
from ingest.distributed.cluster import Cluster
from ingest.findings.finding import NOTE
from ingest.findings.spoken_notation import COUNTED
from ingest.i18n import N_, Translate
from ingest.importers.headings import Headings
from ingest.importers.import_file import MOST, read
from ingest.importers.import_result import Entered, Origin
from ingest.importers.sheets import NEAR, NO_HEADING, UNKNOWN, How
from ingest.reader.escaping import plain
from ingest.reader.files import opened, stream_batches
from ingest.reader.sources import Source
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import FileReport
from ingest.store.ingest_files import ingest as store_files
from ingest.store.ingest_summary import as_object, outcome, unstored
from ingest.store.outputs import Kind
from ingest.validate.batch import checked_batches

if TYPE_CHECKING:
    from ingest.cli.http_client import Server

NAMED = 3
"""Files that a hint names; of more it says that they are the same."""
REASONS = N_("The reasons of each: retourne check {files}")
SAME_FILES = N_("The reasons of each: retourne check, with the same files.")
NOT_SERVED = N_(
    "The store {path} is served, and its server checks files itself: leave out --scheduler."
)
TOO_LARGE = N_("{path} has more than {most} MB: no notes and no score sheet are so long.")
NOTHING = N_("Name a file, or a game with --template.")
CUT_SHORT = N_("{said} Files done: {files} · matches stored: {n} · files left out: {left}.")
UNSAID = N_(
    "Whether {path} is stored the server did not say: it is stored whole or not at all. Give the "
    "command again: no match is stored twice."
)
ALONE = N_("--template goes without files and without --add and --column.")
NOT_A_COLUMN = N_("There is no column {column} in a sheet of {game}. There are: {known}.")
SAY_WHICH = N_("Say it as in --column '{heading}=points 1', or '{heading}=' to leave it out.")
MORE = N_("… and {n} more.")
MOST_QUESTIONS = 50
"""Told of one file: of more, most come of something else."""


def ingest(
    run: ServedRun,
    files: params.Files,
    scheduler: params.Scheduler = None,
    format: params.AsFormat = params.Format.TEXT,
    quiet: cli.Quiet = False,
    verbose: bool = cli.flag(N_("Tell every file, not only those with findings."), "-v"),
) -> None:
    """Store files and say what became of each."""
    t = run.t
    if quiet and verbose:
        raise cli.Stop(cli.NOT_BOTH)
    if run.server is not None:
        params.refuse(scheduler=scheduler)
    found = params.sources(files)
    wrong, code, set_aside = list[str](), cli.LEGAL, list[str]()
    with ExitStack() as until:
        asked = until.enter_context(run.asked(new=True))
        if isinstance(asked, Opened) and not quiet:
            cli.compiling_reader(t)
        with params.reading(t, N_("Storing"), found, quiet) as reading:
            if scheduler is None:
                reports = asked.add(found, reading)
            elif isinstance(asked, Opened):
                cluster = until.enter_context(params.cluster_of(t, scheduler, quiet))
                reports, set_aside = _spread(asked.store, cluster, found, reading)
            else:
                raise cli.Stop(NOT_SERVED, path=run.store)
            done = until.enter_context(_counted(t, asked, len(found)))
            for report in reports:
                lost, clean = unstored(report), sum(report.by_status[one] for one in CLEAN)
                of_file = cli.FOUND if lost or sum(report.by_status.values()) > clean else cli.LEGAL
                if any(one.code == "cannot-read" for told in lost for one in told.findings):
                    of_file = cli.CANNOT
                code = max(code, of_file)
                done.count(report)
                wrong += [report.name] if of_file != cli.LEGAL else []
                if format is params.Format.JSONL:
                    params.write([as_object(t, report)])
                elif of_file != cli.LEGAL or verbose or len(found) == 1:
                    lines = report_lines(t, report)
                    if lost or not quiet:  # quietly, only what in it could not be stored
                        cli.console().print(Text("\n").join(lines[1:] if quiet else lines))
            params.tell_set_aside(t, set_aside)
        if format is params.Format.JSONL or quiet:
            cli.leave(code)
        if done.files > 1:
            done.total.name = t("Files: {n}", n=done.files)
            cli.console().print(counts_line(t, done.total, "{where} · "))
        if run.server is None:
            old_hint(t, asked, run.store)
        if wrong and not any(isinstance(one, tuple) for one in found):  # streams are read once
            again = " ".join(map(quote, wrong))
            hint = t(REASONS, files=again) if len(wrong) <= NAMED else t(SAME_FILES)
            cli.console().print(Text(plain(hint), style="dim"))
    cli.leave(code)


@dataclass
class _Counted:
    """Files that are done, and their matches."""

    files: int = 0
    total: FileReport = field(default_factory=lambda: FileReport(""))

    def count(self, report: FileReport) -> None:
        """One more."""
        self.files += 1
        self.total.count(report)


@contextmanager
def _counted(t: Translate, asked: "Opened | Server", count: int) -> Iterator[_Counted]:
    """What is counted within of so many files; when it is cut short, what ends it says that too."""
    done = _Counted()
    try:
        yield done
    except (KeyboardInterrupt, cli.Stop, StoreError) as stop:
        unsaid = None if isinstance(asked, Opened) else asked.unanswered
        if not done.files and unsaid is None:
            raise
        told = t(N_("Interrupted.")) if isinstance(stop, KeyboardInterrupt) else stop.say(t)
        left = count - done.files - (unsaid is not None)
        told = t(CUT_SHORT, said=told, files=done.files, n=done.total.added, left=left)
        if unsaid is not None:
            told = f"{told} {t(UNSAID, path=plain(unsaid))}"
        if isinstance(stop, KeyboardInterrupt):
            raise KeyboardInterrupt(told) from None
        raise cli.Stop("{said}", said=told) from None


def _spread(
    store: Store, cluster: Cluster, found: Sequence[Source], reading: Callable[[str, int], None]
) -> tuple[Iterator[FileReport], list[str]]:
    """The reports of files that a cluster checks, and what it sets aside until then."""
    if store.in_a_file:
        from ingest.distributed.check_files import Spread  # as little is loaded as is needed

        spread = Spread(cluster, found)
        return store_files(store, found, reading, checked=spread.checked), spread.set_aside
    from ingest.distributed.ingest_files import Writing
    from ingest.store.lake.store import LakeStore

    assert isinstance(store, LakeStore)
    writing = Writing(cluster, store, found)
    return writing.reports(reading), writing.set_aside


def report_lines(t: Translate, report: FileReport) -> list[Text]:
    """A file's counts, and what in it was no match and could not be stored."""
    return [counts_line(t, report), *(one for told in unstored(report) for one in block(t, told))]


def counts_line(t: Translate, report: FileReport, where: str = N_("{where}: ")) -> Text:
    """`club.jsonl: added: 11 · already there: 0 · kept, not counted: 1 (irregular: 1)`."""
    line = Text(t(where, where=plain(report.name)), style="bold")
    found = outcome([report])
    parts = [found.added, found.known, *(one for one in found[2:] if one.n)]
    for place, part in enumerate(parts):
        line.append(" · " if place else "", style="not bold")
        line.append(t("{what}: {n}", what=t(part.label), n=part.n), style="not bold")
        told = [Text(t(COUNTED[one], n=n), style=STYLE[one]) for one, n in part.verdicts.items()]
        told += [Text(t(text, n=n)) for text, n in part.besides.items()]
        if told:
            line.append(" (", style="not bold").append(Text(", ").join(told)).append(")")
    return line


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
    force: params.Force = False,
    add: bool = cli.flag(N_("Add the logs to the store.")),
) -> None:
    """Make logs, and say what is asked and what a check says."""
    t = run.t
    as_workbook = output is not None and output.suffix.lower() == ".xlsx"
    sheet = Kind.WORKBOOK if as_workbook else Kind.TEXT
    place = params.place(output, Kind.JSON if template is None else sheet, force, run.store)
    if template is not None:
        if files or add or column:
            raise cli.Stop(ALONE)
        from ingest.importers.headings import csv_template, xlsx_template

        with params.written(place) as file:
            file.write((xlsx_template if as_workbook else csv_template)(str(template), t))
        cli.leave(cli.LEGAL)
    if not files:
        raise cli.Stop(NOTHING)
    how = _how(None if game is None else str(game), column or ())
    entered = dict[str, Entered]()
    for source in params.sources(files):
        with nullcontext(source[1]) if isinstance(source, tuple) else opened(source) as file:
            data = file.read(MOST + 1)
        name = params.name_of(source)
        if len(data) > MOST:
            raise cli.Stop(TOO_LARGE, path=name, most=MOST >> 20)
        entered[name] = read(name, data, how)
    code = max(_tell(t, name, one) for name, one in entered.items())
    made = {name: one.lines for name, one in entered.items() if one.logs}
    if add:
        sent: list[Source] = [(name, BytesIO(made[name])) for name in made]
        with run.asked(new=True) as asked, _counted(t, asked, len(sent)) as done:
            for report in asked.add(sent, lambda name, done: None):
                done.count(report)
                cli.console(stderr=True).print(Text("\n").join(report_lines(t, report)))
    if not add or output is not None:
        with params.written(place, kept=True) as file:
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
