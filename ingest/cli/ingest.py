"""`retourne ingest` and `import`.

A file is stored as a whole or not at all. Imported logs are stored only with `--add`.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from io import BytesIO
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from rich.prompt import Prompt
from rich.text import Text

from engine.games import game_names
from ingest.api import with_edits
from ingest.cli import common as cli
from ingest.cli import params, report_text
from ingest.cli.open_store import LocalStore, StoreOrServerRun
from ingest.cli.players import print_differing_names, print_likely_pairs
from ingest.cli.revalidate import print_outdated_hint
from ingest.cli.terminal_tables import console
from ingest.distributed.cluster import Cluster
from ingest.escaping import escape_line
from ingest.findings.finding import NOTE
from ingest.findings.os_errors import translate_reason
from ingest.findings.spoken_notation import STATUS_COUNT_TEXTS
from ingest.i18n import N_, Translate
from ingest.importers.files_in_archives import LOGS_TOO, NOT_READ, files_in_archive
from ingest.importers.headings import SheetHeadings
from ingest.importers.import_file import MAX_FILE_BYTES, NOTES_SUFFIXES, import_file
from ingest.importers.import_result import ImportResult, unread_messages
from ingest.importers.mapping import (
    ColumnMapping,
    ImportOptions,
    RememberedMapping,
    SheetMapping,
    WorkbookMapping,
)
from ingest.importers.mapping_file import MappingError, parse_mapping
from ingest.importers.sheet_columns import ARE_PLAYERS, DID_YOU_MEAN_COLUMN, NO_HEADING, UNKNOWN
from ingest.importers.sheets import DEALS_OR_MATCHES
from ingest.importers.source_map import SourceMap
from ingest.importers.stored_mappings import confirmed_mappings
from ingest.operations.players import player_duplicates, players_named
from ingest.operations.sheets import remember_sheet, sheet_mappings
from ingest.reader.file_type import SPREADSHEET_SUFFIXES
from ingest.reader.files import open_source, stream_batches
from ingest.reader.sources import Source
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import FileReport
from ingest.store.ingest_files import ingest as store_files
from ingest.store.ingest_summary import rejected_texts, related_sentence, report_as_json, summarize
from ingest.store.known_names import FOUND_BY_NAME, found_names, names_without_id, write_ids
from ingest.store.match_comparison import OnConflict, Relation
from ingest.store.outputs import Kind
from ingest.validate.batch import checked_batches
from schemas.player_key import player_key

if TYPE_CHECKING:
    from ingest.cli.http_client import ServerClient

MAX_FILES_NAMED = 3
"""Number of files that a hint names; for more it refers to the same files."""
COUNT_SHEETS_HINT = N_(
    "Statistics omit score sheets and results unless you ask for them: "
    "retourne stats --with-score-sheets {store!w}"
)
REASONS_HINT = N_("The reasons of each: retourne check {files}")
REASONS_HINT_SAME_FILES = N_("The reasons of each: retourne check, with the same files.")
SCHEDULER_WITH_SERVER = N_("The store {path} is served, and its server checks the files: remove --scheduler.")
TOO_LARGE = N_("{path} has more than {most} MB: no notes and no score sheet are so long.")
CUT_SHORT = N_("{message} Files done: {files} · matches stored: {n} · files skipped: {left}.")
WHICH_TO_KEEP = N_("Keep the stored match, replace it, or store both?")
UNSAID = N_(
    "The server did not confirm {path}: it is stored whole or not at all. Run the command "
    "again: no match is stored twice."
)
UNKNOWN_COLUMN = N_("No such column in a sheet of {game}: {column}. Use one of: {known}.")
NOT_WRITTEN = N_("No log was written. Edit {file} at {place}, then run the command again.")
OPTION_OR_EDIT = N_(
    "No log was written. Edit {file} at {place} or add the option, then run the command again."
)
COLUMN_EXAMPLE = N_("Example: --column '{heading}=points 1', or '{heading}=' to skip it.")
GAME_EXAMPLE = N_("Example: --game {game}")
PLAYERS_EXAMPLE = N_("If they are: {options}")
OPEN_QUESTIONS = N_("open questions: {n}")
LINES_EXAMPLE = N_('Write lines = "deals" or lines = "matches" in a file, and pass it with --mapping.')
MAX_RELATED = 20
"""Matches printed per file that a stored one is, or may be, the same as."""
MAX_LIKELY = 5
"""Pairs of players printed who may be one person."""
MORE_LIKELY = N_("Players who may be one person: {n} more. See: retourne player duplicates")
MAX_QUESTIONS = 50
"""Questions printed per file: more usually have one cause."""


def ingest(
    run: StoreOrServerRun,
    files: params.Files,
    scheduler: params.Scheduler = None,
    format: params.FormatOption = params.Format.TEXT,
    on_conflict: params.OnConflictOption = None,
    quiet: cli.Quiet = False,
    verbose: bool = cli.flag(
        N_("List every file, not only those with findings or with matches that are stored already."), "-v"
    ),
) -> None:
    """Store files and report what became of each."""
    t = run.t
    if quiet and verbose:
        raise cli.CommandError(cli.QUIET_AND_VERBOSE)
    if run.server is not None:
        params.reject_options(scheduler=scheduler)
    found, decided = params.parse_sources(files), on_conflict or OnConflict.KEEP
    wrong, code, set_aside = list[str](), cli.EXIT_OK, list[str]()
    with ExitStack() as until:
        requested = until.enter_context(run.open(create=True))
        if isinstance(requested, LocalStore) and not quiet:
            cli.announce_reader_jit(t)
        with params.reading_progress(t, N_("Storing"), found, quiet) as reading:
            if scheduler is None:
                reports = requested.ingest_files(found, reading, decided)
            elif isinstance(requested, LocalStore):
                cluster = until.enter_context(params.connect_cluster(t, scheduler, quiet))
                reports, set_aside = _ingest_on_cluster(requested.store, cluster, found, reading, decided)
            else:
                raise cli.CommandError(SCHEDULER_WITH_SERVER, path=run.store)
            done = until.enter_context(_counted(t, requested, len(found)))
            for report in reports:
                if on_conflict is None:
                    _ask_about_conflicts(t, requested, report)
                lost, clean = (
                    rejected_texts(report),
                    sum(report.by_status[one] for one in report_text.CLEAN_STATUSES),
                )
                wrong_count = sum(report.by_status.values()) - clean + report.not_added[Relation.CONFLICT]
                of_file = cli.EXIT_FINDINGS if lost or wrong_count else cli.EXIT_OK
                if any(one.code == "cannot-read" for item in lost for one in item.findings):
                    of_file = cli.EXIT_ERROR
                code = max(code, of_file)
                done.count(report)
                wrong += [report.name] if of_file != cli.EXIT_OK else []
                if format is params.Format.JSONL:
                    params.write_json_lines([report_as_json(t, report)])
                elif of_file != cli.EXIT_OK or verbose or len(found) == 1 or done.lists_related(report):
                    lines = report_lines(t, report)
                    if lost or not quiet:  # with --quiet only matches that could not be stored
                        console().print(Text("\n").join(lines[1:] if quiet else lines))
            params.print_set_aside(t, set_aside)
        if format is params.Format.JSONL or quiet:
            cli.exit_with(code)
        if done.unlisted:
            console().print(Text(t("… and {n} more.", n=done.unlisted), style="dim"))
        if done.files > 1:
            done.total.name = t("Files: {n}", n=done.files)
            console().print(counts_line(t, done.total, "{where} · "))
        if done.total.sheets.total():
            console().print(Text(_count_sheets_hint(run), style="dim"))
        if run.server is None:
            print_outdated_hint(t, requested, run.store)
        _print_likely_players(t, requested, done.numbers)
        if wrong and not any(isinstance(one, tuple) for one in found):  # streams are read only once
            again = " ".join(map(quote, wrong))
            hint = (
                t(REASONS_HINT, files=again) if len(wrong) <= MAX_FILES_NAMED else t(REASONS_HINT_SAME_FILES)
            )
            console().print(Text(escape_line(hint), style="dim"))
    cli.exit_with(code)


@dataclass
class _Counted:
    files: int = 0
    total: FileReport = field(default_factory=lambda: FileReport(""))
    numbers: list[int] = field(default_factory=list)
    """The files' numbers in the store."""
    listed: int = 0
    """Files without findings that are listed, since stored matches are, or may be, theirs."""
    unlisted: int = 0
    """Those past MAX_RELATED."""

    def lists_related(self, report: FileReport) -> bool:
        """Count a file that has, or may have, stored matches; return whether it is listed for that."""
        longer = Relation.CONTINUED, Relation.WHOLE
        if all(one.duplicate.relation in longer for one in report.related):
            return False
        is_listed = self.listed < MAX_RELATED
        self.listed += is_listed
        self.unlisted += not is_listed
        return is_listed

    def count(self, report: FileReport) -> None:
        self.files += 1
        self.total.add_counts(report)
        if report.added and report.number >= 0:
            self.numbers.append(report.number)


@contextmanager
def _counted(t: Translate, store: "LocalStore | ServerClient", count: int) -> Iterator[_Counted]:
    """Count the files finished within; if interrupted, add the counts to the error's message."""
    done = _Counted()
    try:
        yield done
    except (KeyboardInterrupt, cli.CommandError, StoreError) as stop:
        unsaid = None if isinstance(store, LocalStore) else store.unanswered
        if not done.files and unsaid is None:
            raise
        text = t(N_("Interrupted.")) if isinstance(stop, KeyboardInterrupt) else stop.message(t)
        left = count - done.files - (unsaid is not None)
        text = t(CUT_SHORT, message=text, files=done.files, n=done.total.added, left=left)
        if unsaid is not None:
            text = f"{text} {t(UNSAID, path=escape_line(unsaid))}"
        if isinstance(stop, KeyboardInterrupt):
            raise KeyboardInterrupt(text) from None
        raise cli.CommandError("{message}", message=text) from None


def _ingest_on_cluster(
    store: Store,
    cluster: Cluster,
    sources: Sequence[Source],
    progress: Callable[[str, int], None],
    on_conflict: OnConflict,
) -> tuple[Iterator[FileReport], list[str]]:
    """Return the reports of files that a cluster checks, and a list of the parts it sets aside."""
    if store.is_single_file:
        from ingest.distributed.check_files import DistributedReader  # imported only if needed

        spread = DistributedReader(cluster, sources)
        reports = store_files(
            store, sources, progress, check_source=spread.read_checked, on_conflict=on_conflict
        )
        return reports, spread.set_aside
    from ingest.distributed.ingest_files import DistributedIngest
    from ingest.store.lake.store import LakeStore

    assert isinstance(store, LakeStore)
    writing = DistributedIngest(cluster, store, sources, on_conflict=on_conflict)
    return writing.reports(progress), writing.set_aside


def _print_likely_players(t: Translate, store: "LocalStore | ServerClient", numbers: list[int]) -> None:
    """Print which players new with some files may be others who were there before."""
    if not numbers:
        return
    found = store.run_operation(player_duplicates, files=numbers)
    print_differing_names(t, found["named"][:MAX_LIKELY], console(stderr=True))
    pairs = found["pairs"]
    print_likely_pairs(t, pairs[:MAX_LIKELY], console(stderr=True))
    if len(pairs) > MAX_LIKELY:
        cli.print_notice(t(MORE_LIKELY, n=len(pairs) - MAX_LIKELY))


def _ask_about_conflicts(t: Translate, requested: "LocalStore | ServerClient", report: FileReport) -> None:
    """Ask for each conflict of a file, in a terminal, and store what is to be."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    for place, one in enumerate(report.related):
        if one.text is None or one.duplicate.relation is not Relation.CONFLICT:
            continue
        console().print(Text(escape_line(f"{report.name}:{one.line}: {related_sentence(t, one)}")))
        answers = [str(choice) for choice in OnConflict]
        answer = OnConflict(Prompt.ask(t(WHICH_TO_KEEP), choices=answers, default=str(OnConflict.KEEP)))
        if answer is OnConflict.KEEP:
            continue
        source: Source = (report.name, BytesIO(one.text))
        for again in requested.ingest_files([source], lambda name, done: None, answer):
            report.related[place] = replace(one, duplicate=replace(one.duplicate, decision=answer))
            report.not_added[Relation.CONFLICT] -= 1
            report.duplicates -= again.added
            report.repeated -= one.duplicate.came_in_run
            report.added += again.added
            report.by_status.update(again.by_status)
            report.sheets.update(again.sheets)
            report.replaced += again.replaced


def report_lines(t: Translate, report: FileReport) -> list[Text]:
    """Return a file's counts, and how its matches relate to stored ones or why they are not stored."""
    more = len(report.related) - MAX_RELATED
    return [
        counts_line(t, report),
        *(
            Text(escape_line(f"  {report.name}:{one.line}: {related_sentence(t, one)}"))
            for one in report.related[:MAX_RELATED]
        ),
        *([Text("  " + t("… and {n} more.", n=more), style="dim")] if more > 0 else []),
        *(one for item in rejected_texts(report) for one in report_text.match_report_lines(t, item)),
    ]


def counts_line(t: Translate, report: FileReport, where: str = N_("{where}: ")) -> Text:
    """`club.jsonl: added: 11 · already there: 0 · added with findings: 1 (irregular: 1)`."""
    line = Text(t(where, where=escape_line(report.name)), style="bold")
    found = summarize([report])
    parts = [found.added, found.already_stored, *(one for one in found[2:] if one.n)]
    for place, part in enumerate(parts):
        line.append(" · " if place else "", style="not bold")
        line.append(t("{what}: {n}", what=t(part.label), n=part.n), style="not bold")
        items = [
            Text(t(STATUS_COUNT_TEXTS[one], n=n), style=report_text.STATUS_STYLES[one])
            for one, n in part.verdicts.items()
        ]
        items += [Text(t(text, n=n)) for text, n in part.details.items()]
        if items:
            line.append(" (", style="not bold").append(Text(", ").join(items)).append(")")
    return line


def import_(
    run: StoreOrServerRun,
    files: list[str] | None = cli.argument(
        N_("Notes (.txt), sheets (.csv, .xlsx, .ods), folders, or - for standard input."),
        N_("FILES…"),
        None,
        show_default=False,
    ),
    game: params.GameName | None = cli.option(N_("The game, if a file does not name it."), None, "-g"),
    column: list[str] | None = cli.option(
        N_("Map a custom column heading; repeatable."), N_("HEADING=COLUMN")
    ),
    mapping: Path | None = cli.option(
        N_("Read the sheets by this mapping file (.json or .toml); --write-mapping writes one."), N_("FILE")
    ),
    write_mapping: Path | None = cli.option(
        N_("Write to this file, as JSON, how Retourne read each sheet."), N_("FILE"), "--write-mapping"
    ),
    sheet: list[str] | None = cli.option(
        N_("Read only this sheet of a workbook; repeatable."), N_("NAME"), "--sheet"
    ),
    skip_sheet: list[str] | None = cli.option(
        N_("Skip this sheet of a workbook; repeatable."), N_("NAME"), "--skip-sheet"
    ),
    template: params.GameName | None = cli.option(
        N_("Write a score sheet to fill in (.xlsx if --output ends in it).")
    ),
    as_new: bool = cli.flag(
        N_("Read the sheet as a new one, whatever Retourne remembers of similar sheets."), "--as-new"
    ),
    output: params.Output = None,
    force: params.Force = False,
    add: bool = cli.flag(N_("Add the logs to the store.")),
    on_conflict: params.OnConflictOption = None,
) -> None:
    """Make logs; print the questions that remain and the findings of a check."""
    t = run.t
    as_workbook = output is not None and output.suffix.lower() == ".xlsx"
    template_kind = Kind.WORKBOOK if as_workbook else Kind.TEXT
    place = params.place(output, Kind.JSON if template is None else template_kind, force, run.store)
    if template is not None:
        if files or add or column:
            raise cli.CommandError(N_("--template cannot be combined with files, --add or --column."))
        from ingest.importers.headings import csv_template, xlsx_template

        with params.open_output(place) as file:
            file.write((xlsx_template if as_workbook else csv_template)(str(template), t))
        cli.exit_with(cli.EXIT_OK)
    if not files:
        raise cli.CommandError(N_("Name a file, or a game with --template."))
    how = _import_options(None if game is None else str(game), column or ())._replace(
        mapping=_read_mapping(mapping), only_sheets=sheet or (), skipped_sheets=skip_sheet or ()
    )
    mapping_place = params.place(write_mapping, Kind.JSON, force, run.store)
    with ExitStack() as until:
        requested = until.enter_context(run.open(create=True)) if add else None
        if requested is not None and not as_new:
            how = how._replace(remembered=_remembered(requested))
        entered, code = dict[str, ImportResult](), cli.EXIT_OK
        sources = params.parse_sources(files, (*NOTES_SUFFIXES, *SPREADSHEET_SUFFIXES))
        if write_mapping is not None and len(sources) > 1:
            raise cli.CommandError(N_("--write-mapping needs exactly one file."))
        for source in sources:
            name = params.source_name(source)
            try:
                with nullcontext(source[1]) if isinstance(source, tuple) else open_source(source) as file:
                    data = file.read(MAX_FILE_BYTES + 1)
            except OSError as error:
                if len(sources) == 1:
                    raise
                code = cli.EXIT_ERROR
                cli.print_error(t, "{path}: {reason}.", path=name, reason=translate_reason(t, error))
                continue
            if len(data) > MAX_FILE_BYTES:
                raise cli.CommandError(TOO_LARGE, path=name, most=MAX_FILE_BYTES >> 20)
            packed = files_in_archive(name, BytesIO(data))
            papers = [(name, data)]
            if packed is not None:
                papers = [(f"{name}/{own}", paper) for own, paper in packed.papers]
                for own in packed.others:
                    cli.print_notice(t(NOT_READ, path=f"{name}/{own}"))
                if packed.has_logs:
                    cli.print_notice(t(LOGS_TOO, path=name))
            entered |= {own: import_file(own, paper, how) for own, paper in papers}
        if requested is not None:
            _use_known_ids(t, requested, [log for one in entered.values() for log in one.logs])
        several = len(entered) > 1
        code = max(code, *(_print_import_result(t, name, one, several) for name, one in entered.items()))
        if write_mapping is not None:
            with params.open_output(mapping_place) as text:
                text.writelines(one.mapping.text.encode() for one in entered.values())
        made = {name: one.lines for name, one in entered.items() if one.logs}
        if requested is not None:
            code = max(code, _add_imported(run, requested, made, on_conflict))
            _remember(requested, {name: one for name, one in entered.items() if one.logs}, how)
    if not add or output is not None:
        with params.open_output(place, is_binary=True) as written:
            written.writelines(made.values())
    cli.exit_with(code)


def _use_known_ids(
    t: Translate, requested: "LocalStore | ServerClient", logs: Sequence[dict[str, Any]]
) -> None:
    """Give the players of imported logs whom the store has by name their ids there, and print whom."""
    if names := sorted(names_without_id(logs)):
        found = requested.run_operation(players_named, names=names)["players"]
        if used := write_ids(logs, {player_key(one["name"]): one["player_id"] for one in found}):
            cli.print_notice(t(FOUND_BY_NAME, names=found_names(used)))


def _add_imported(
    run: StoreOrServerRun,
    requested: "LocalStore | ServerClient",
    made: Mapping[str, bytes],
    on_conflict: OnConflict | None,
) -> int:
    """Add imported logs to the store, and print what became of them; return the exit code."""
    t, code, sent = run.t, cli.EXIT_OK, [(name, BytesIO(lines)) for name, lines in made.items()]
    with _counted(t, requested, len(sent)) as done:
        for report in requested.ingest_files(sent, lambda name, done: None, on_conflict or OnConflict.KEEP):
            if report.not_added[Relation.CONFLICT]:
                code = cli.EXIT_FINDINGS
            done.count(report)
            console(stderr=True).print(Text("\n").join(report_lines(t, report)))
    if done.total.sheets.total():
        console(stderr=True).print(Text(_count_sheets_hint(run), style="dim"))
    return code


def _count_sheets_hint(run: StoreOrServerRun) -> str:
    """Return the command that counts score sheets and results."""
    return escape_line(run.t(COUNT_SHEETS_HINT, store=run.server or run.store))


def _remembered(requested: "LocalStore | ServerClient") -> dict[str, RememberedMapping]:
    """Return fingerprint → what the store remembers of such sheets."""
    return {
        one["fingerprint"]: RememberedMapping(
            datetime.fromisoformat(one["confirmed_at"]).date(), SheetMapping.model_validate(one["mapping"])
        )
        for one in requested.run_operation(sheet_mappings)["sheets"]
    }


def _remember(
    requested: "LocalStore | ServerClient", entered: Mapping[str, ImportResult], how: ImportOptions
) -> None:
    """Have the store remember the choices of the options about the sheets that were read."""
    columns = tuple(ColumnMapping(heading=key, role=role) for key, role in how.columns.items())
    chosen = how.mapping if how.mapping.sheets else WorkbookMapping(sheets=(SheetMapping(columns=columns),))
    for name, one in entered.items():
        for fingerprint, (sheet, mapping) in confirmed_mappings(name, one, chosen).items():
            fields = mapping.model_dump()
            requested.run_operation(remember_sheet, fingerprint=fingerprint, sheet=sheet, mapping=fields)


def _import_options(game: str | None, words: Sequence[str]) -> ImportOptions:
    """Return the import options. CommandError: no sheet of the game has such a column."""
    columns: dict[str, str] = {}
    for word in words:
        heading, equals, item = word.rpartition("=")
        if not equals or not heading:
            raise cli.CommandError(N_("--column wants HEADING=COLUMN, not {word}."), word=word)
        columns[heading] = item
    for item in filter(None, columns.values()):
        known = [SheetHeadings(one) for one in ([game] if game else game_names())]
        if not any(one.find(item) for one in known):
            text = ", ".join(dict.fromkeys(one.key for one in known[0].fields))
            raise cli.CommandError(UNKNOWN_COLUMN, column=item, game=game or game_names()[0], known=text)
    return ImportOptions(game, columns)


def _read_mapping(path: Path | None) -> WorkbookMapping:
    """Read a mapping file. CommandError: it is none, or there is none."""
    if path is None:
        return WorkbookMapping()
    try:
        return parse_mapping(path.read_bytes(), str(path))
    except MappingError as error:
        raise cli.CommandError(error.text, **error.values) from None


def _print_import_result(t: Translate, name: str, entered: ImportResult, several: bool) -> int:
    """Print questions and findings of imported logs on standard error; return the exit code.

    `several`: the counts name the file, one of several.
    """
    out = console(stderr=True)
    if entered.error is not None:
        cli.print_error(t, "{what}: {message}", what=name, message=entered.error.message(t))
        return cli.EXIT_FINDINGS
    for message in [one.message(t) for one in entered.recalled] + [one.message(t) for one in entered.notices]:
        cli.print_notice(t("{what}: {message}", what=name, message=message))
    for message in unread_messages(entered.unread if entered.logs else (), t)[:MAX_QUESTIONS]:
        cli.print_notice(t("{what}: {message}", what=name, message=message))
    for question in entered.questions[:MAX_QUESTIONS]:
        line = Text(escape_line(f"{name}:{question.place(t)}"), style="bold")
        result = line.append(" ").append(escape_line(question.message(t)), style="not bold")
        for piece in report_text.wrap_indented(result, "", out.width):
            out.print(piece)
    if more := len(entered.questions[MAX_QUESTIONS:]):
        out.print(Text(t("… and {n} more.", n=more), style="dim"))
    if unknown := [
        one for one in entered.questions if one.text in (UNKNOWN, DID_YOU_MEAN_COLUMN, NO_HEADING)
    ]:
        out.print(Text(escape_line(t(COLUMN_EXAMPLE, heading=unknown[0].read)), style="dim"))
    if any(one.about == "game" for one in entered.questions):
        out.print(Text(t(GAME_EXAMPLE, game=game_names()[0]), style="dim"))
    if any(one.text == DEALS_OR_MATCHES for one in entered.questions):
        out.print(Text(t(LINES_EXAMPLE), style="dim"))
    people = next((one.read for one in entered.questions if one.text == ARE_PLAYERS), "")
    if people:
        pairs = (f"{one}=points {n}" for n, one in enumerate(people.split(", "), 1))
        options = " ".join(f"--column {quote(pair)}" for pair in pairs)
        out.print(Text(escape_line(t(PLAYERS_EXAMPLE, options=options)), style="dim"))
    if not entered.logs:
        if entered.questions:
            place, sentence = entered.questions[0].place(t), NOT_WRITTEN
            if unknown or people:
                sentence = OPTION_OR_EDIT
            cli.print_notice(t(sentence, file=name, place=place))
        return cli.EXIT_FINDINGS
    tally = report_text.Tally()
    for checked in checked_batches(stream_batches(f"{name}.jsonl", BytesIO(entered.lines))):
        for report, _, explained in with_edits(checked).reports_with_results():
            tally.add(report)
            if any(finding.severity != NOTE for finding in report.findings):
                where = _imported_place(t, name, entered.origins[report.line - 1])
                out.print(
                    Text("\n").join(report_text.match_report_lines(t, report, explained, place_of=where))
                )
    line = Text(t("{where}: ", where=escape_line(name)) if several else "", style="bold")
    line.append_text(report_text.summary_line(t, tally.statuses, tally.warnings))
    if n := len(entered.questions):
        line.append(" · ", style="not bold").append(t(OPEN_QUESTIONS, n=n), style="yellow")
    out.print(line)
    return cli.EXIT_OK if tally.is_clean and not entered.questions else cli.EXIT_FINDINGS


def _imported_place(t: Translate, name: str, origin: SourceMap) -> report_text.PlaceOf:
    """Return a function that finds a finding's place in the imported file."""
    return lambda finding: f"{name}:{origin.source_of(t, finding)}"
