"""`retourne stats`: prints statistics from the queries the pages use.

The command line finds it as an entry point of the group `retourne.commands`. Programs get lines,
readers get tables. Rich's tables are not used: they shrink the widest columns first, numbers
included. Here names are shortened first, then intervals are dropped, then the last columns; a note
lists the dropped columns.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import orjson
import polars as pl
from rich.cells import cell_len
from rich.text import Text

from dashboard.queries.announcements import GROUP_KEYS
from dashboard.queries.fairness import MIN_DEALS
from dashboard.queries.intervals import MIN_SAMPLE
from dashboard.tables import announcement_tables as announced
from dashboard.tables import stats_query
from dashboard.tables.peer_tables import COMPARISON_COLUMNS
from dashboard.tables.player_tables import LADDER_COLUMNS, players_columns
from dashboard.tables.profile import SECTIONS, rows_with_few, section_heading
from dashboard.tables.stats_query import ResultFrames, StatsRequest, Subject
from dashboard.text.columns import Column, rows_as_text, with_sheets_column
from engine.games import game_names
from ingest.cli import common as cli
from ingest.cli import shell_completion
from ingest.cli.open_store import LocalStore, StoreOrServerRun
from ingest.cli.params import AsOfOption, GameName, check_as_of, check_preset, parse_time
from ingest.cli.terminal_tables import TerminalConsole, console
from ingest.escaping import escape_csv_cell, escape_json_lines, escape_line, escape_lines
from ingest.findings.finding import STATUSES
from ingest.i18n import N_, Translate
from ingest.operations import OperationContext, ProgressCallback
from ingest.store.baseline import bot_habits

if TYPE_CHECKING:
    from ingest.cli.http_client import ServerClient

TOO_FEW_DEALS = N_("No source has {n} deals of that game and table whose cards are all known.")
ONE_SUBJECT = N_(
    "Choose one: a player, --compare, --announcements, --missed, --winning, --baseline, --fairness "
    "or --ladder."
)
SUBJECTS_PANEL, FILTERS_PANEL = N_("Choose what to count:"), N_("Which deals are counted:")
DATE_METAVAR, DATE_FORMATS = N_("YYYY-MM-DD"), ["%Y-%m-%d"]
"""Typer has no type for a date without a time."""
Key = StrEnum("Key", {key.upper(): key for key in GROUP_KEYS})  # type: ignore[misc]
Status = StrEnum("Status", {name.upper(): name for name in STATUSES})  # type: ignore[misc]
Format = StrEnum(
    "Format",
    {"TABLE": "table", "JSONL": "jsonl", "CSV": "csv", "ENGLISH_CSV": "en.csv", "FRENCH_CSV": "fr.csv"},
)
DATE_COLUMNS = ("month", "day", "period", "last", "played_on", "until")
"""Columns of dates, which JSON represents as text."""
COLUMNS_LEFT_OUT = N_("No room for: {columns}. A wider terminal has them, and --format csv.")
COLUMN_GAP_CELLS = 2
"""Spaces between two columns."""
MIN_TEXT_CELLS = 12
"""Minimum width of a column of names."""
MAX_SECTION_ROWS = 12
"""Rows shown of a section that grows with time: the latest."""
NUMBER_TEXT = re.compile(r"[-−+]?[\d\s.,]+%?|–")
"""Matches cells that are aligned right."""


def stats(
    run: StoreOrServerRun,
    player: str | None = cli.argument(
        N_("A player’s name or id."), N_("PLAYER"), None, shell_completion.complete_players
    ),
    compare: list[str] | None = cli.option(
        N_("Compare this player with others; give it twice or more."),
        N_("PLAYER"),
        complete=shell_completion.complete_players,
        panel=SUBJECTS_PANEL,
    ),
    announcements: bool = cli.flag(N_("How often each announcement comes."), panel=SUBJECTS_PANEL),
    key: Key | None = cli.option(N_("Split announcements by this."), N_("KEY"), "--by"),
    missed: bool = cli.flag(N_("Announcements held and never announced."), panel=SUBJECTS_PANEL),
    winning: bool = cli.flag(N_("Deals won with each announcement and without."), panel=SUBJECTS_PANEL),
    baseline: bool = cli.flag(
        N_("Announcements compared with chance and with simulated players."), panel=SUBJECTS_PANEL
    ),
    habit: str | None = cli.option(
        N_("Only this habit of simulated players (default: all)."),
        N_("HABIT"),
        complete=lambda ctx, incomplete: shell_completion.filter_completions(
            bot_habits(str(ctx.params.get("game") or game_names()[0])), incomplete
        ),
    ),
    fairness: bool = cli.flag(N_("Whether each source’s shuffle is fair."), panel=SUBJECTS_PANEL),
    ladder: bool = cli.flag(N_("The ladder: players by rating."), panel=SUBJECTS_PANEL),
    format: Format = cli.option(
        N_("table for people; jsonl and csv for programs; fr.csv and en.csv for spreadsheet programs."),
        default=Format.TABLE,
    ),
    game: GameName | None = cli.option(N_("Count this game."), "GAME", "-g", panel=FILTERS_PANEL),
    player_count: int | None = cli.option(
        N_("Players at the table."), "N", panel=FILTERS_PANEL, min=2, max=5
    ),
    preset: str | None = cli.option(
        N_("Count only these rules."),
        "PRESET",
        complete=shell_completion.complete_presets,
        panel=FILTERS_PANEL,
    ),
    since: datetime | None = cli.option(
        N_("First day counted."), DATE_METAVAR, formats=DATE_FORMATS, panel=FILTERS_PANEL
    ),
    until: datetime | None = cli.option(
        N_("Last day counted."), DATE_METAVAR, formats=DATE_FORMATS, panel=FILTERS_PANEL
    ),
    event: str | None = cli.option(
        N_("Only this event."), "NAME", complete=shell_completion.complete_events, panel=FILTERS_PANEL
    ),
    opponent: str | None = cli.option(
        N_("Only against this player."),
        N_("PLAYER"),
        complete=shell_completion.complete_players,
        panel=FILTERS_PANEL,
    ),
    source: str | None = cli.option(
        N_("Only logs of this source."),
        "NAME",
        complete=shell_completion.complete_sources,
        panel=FILTERS_PANEL,
    ),
    status: list[Status] | None = cli.option(
        N_("Count deals of this verdict (default: legal)."), "VERDICT", panel=FILTERS_PANEL
    ),
    score_sheets: bool = cli.flag(N_("Count score sheets too."), "--with-score-sheets", panel=FILTERS_PANEL),
    at: AsOfOption = None,
) -> None:
    """Print statistics of a store."""
    t, baseline = run.t, baseline or habit is not None
    subjects = {
        **{Subject.PLAYER: player is not None, Subject.COMPARE: bool(compare)},
        Subject.ANNOUNCEMENTS: announcements or (key is not None and not (baseline or missed or winning)),
        **{Subject.MISSED: missed, Subject.WINNING: winning, Subject.BASELINE: baseline},
        **{Subject.FAIRNESS: fairness, Subject.LADDER: ladder},
    }
    chosen = [subject for subject, wanted in subjects.items() if wanted]
    if len(chosen) > 1:
        raise cli.CommandError(ONE_SUBJECT)
    subject = chosen[0] if chosen else Subject.PLAYERS
    about = key and str(key), habit, player, game and str(game), player_count, preset
    days, verdicts = (since and since.date(), until and until.date()), tuple(map(str, status or ()))
    compared, filters = tuple(compare or ()), (*about, *days, event, opponent, source)
    requested = StatsRequest(subject, *filters, verdicts, score_sheets, compared)
    if (unfit := stats_query.unsupported_filter(requested, t)) is not None:
        options = {"score_sheets": "--with-score-sheets", "status": "--status", "by": f"--by {key}"}
        raise cli.CommandError(
            stats_query.FILTER_NOT_ALLOWED, option=options[unfit[0]], what=f"--{subject}", why=unfit[1]
        )
    check_as_of(at, run.server, baseline=baseline)
    check_preset(preset)
    then = parse_time(at)
    with (
        _report_nothing(t),
        run.open(then is not None or not baseline, as_of=then) as there,
        cli.operation_progress_bar(t) as progress,
    ):
        if isinstance(there, LocalStore):
            found, of_game, output = _count_in_store(there.operation_context(progress), requested, t)
        else:
            result = _query_server(there, requested, progress)
            if format is Format.JSONL and (rows := result["rows"]):
                whole = b"\n".join(map(orjson.dumps, rows)) + b"\n"
                sys.stdout.write(escape_json_lines(whole.decode()))
                return
            found, output = _frames_from_rows(result["rows"], requested), result.get("scope_note")
            of_game = result["game"] if "game" in result else result["scope"]["game"]
    _write_result(found, requested, of_game, format, t, output)


@contextmanager
def _report_nothing(t: Translate) -> Iterator[None]:
    """If there is nothing to count, print a notice and exit with success."""
    try:
        yield
    except stats_query.Nothing as nothing:
        cli.print_notice(nothing.message(t))
    except cli.CommandError as stop:
        result = getattr(stop, "problem", {})  # a server's answer
        if not stats_query.Nothing.more.items() <= result.items():
            raise
        cli.print_notice(result["detail"])
    else:
        return
    cli.exit_with(cli.EXIT_OK)


def _count_in_store(
    work: OperationContext, request: StatsRequest, t: Translate
) -> tuple[ResultFrames, str, str | None]:
    """Return the requested figures, their game, and a note on the deals they count."""
    cursor = work.store.cursor()
    number, opponent = (
        None if name is None else stats_query.player_number(cursor, name)
        for name in (request.player, request.opponent)
    )
    compared = stats_query.compared_numbers(cursor, request.compare) if request.compare else ()
    seated = compared[:1] if number is None else (number,)
    which = stats_query.scope_of(cursor, request, seated, opponent)
    if request.subject is Subject.BASELINE:
        found: ResultFrames = stats_query.compare_with_simulated(work, request, which)
    else:
        found = stats_query.run_stats_query(
            lambda query, *of, **named: query(cursor, *of, **named), request, which, number, compared
        )
    return found, which.game, stats_query.scope_note(cursor, request, which, t)


def _query_server(
    server: "ServerClient", request: StatsRequest, progress: ProgressCallback
) -> dict[str, Any]:
    """Return the figures of a server. CommandError: it does not have them."""
    query = {name: one for name, one in asdict(request).items() if one not in (None, (), False)}
    subject, player = query.pop("subject"), query.pop("player", "")
    query |= {"player": query.pop("compare")} if "compare" in query else {}
    query |= {name: query[name].isoformat() for name in ("since", "until") if name in query}
    if request.subject is Subject.BASELINE:
        return server.run_operation(stats_query.simulate_baseline, progress, **query)
    query |= {"score_sheets": "true"} if request.score_sheets else {}
    paths = {"player": f"/players/{quote(player, safe='')}"}
    if request.subject in stats_query.ANNOUNCEMENT_SUBJECTS:
        paths[subject], query["count"] = "/announcements", str(subject)
    fields: dict[str, Any] = server.get_json(paths.get(subject, f"/{subject}"), **query)
    return fields


def _frames_from_rows(rows: list[dict[str, Any]], request: StatsRequest) -> ResultFrames:
    """Return JSON rows as data frames, with dates parsed."""

    def frame(some: list[dict[str, Any]]) -> pl.DataFrame:
        lines = "\n".join(map(json.dumps, some)).encode()
        made = pl.read_ndjson(lines, infer_schema_length=None) if some else pl.DataFrame()
        texts = {name for name, kind in made.schema.items() if kind == pl.String}
        return made.with_columns(*(pl.col(name).str.to_date() for name in DATE_COLUMNS if name in texts))

    if request.subject is not Subject.PLAYER:
        return frame(rows)
    sections: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        sections.setdefault(row.pop("section"), []).append(row)
    return {name: frame(some) for name, some in sections.items()}


def _write_result(
    frames: ResultFrames, request: StatsRequest, game: str, format: Format, t: Translate, note: str | None
) -> None:
    """Write the figures, and a note for readers. CommandError: too few deals for a test."""
    if isinstance(frames, pl.DataFrame):
        empty = frames.is_empty()
    else:  # a player's sections are empty if no row counts a deal
        every = frames.values()
        empty = not any(one["n"].sum() if "n" in one.columns else one.height for one in every)
    if request.subject is Subject.FAIRNESS and empty:
        raise cli.CommandError(TOO_FEW_DEALS, n=MIN_DEALS)
    if format is Format.JSONL:
        whole = "".join(one.write_ndjson() for one in stats_query.frames_with_section(frames))
        sys.stdout.write(escape_json_lines(whole))
    elif format.endswith(Format.CSV):
        _write_csv(frames, format)
    elif empty:
        cli.print_notice(t("None of these deals is counted."))
    else:
        _print_sections(frames, request, game, t)
    if format is Format.TABLE and note is not None:
        console(stderr=True).print(Text(note, style="dim"))


class TextColumn(NamedTuple):
    """A column of a table, with rules for narrow terminals."""

    label: str
    cells: Sequence[str]
    align_right: bool = False
    can_shrink: bool = False
    """May be shortened with an ellipsis: a text of a log, of any length."""
    keep_whole: bool = False
    """Never shortened but dropped first: a bound of an interval."""

    def needed_width(self, minimal: bool = False) -> int:
        """Return the full width, or with `minimal` the least; labels are wrapped at spaces."""
        own = max(map(cell_len, self.cells), default=0)
        own = min(own, MIN_TEXT_CELLS) if minimal and self.can_shrink else own
        return max(own, *map(cell_len, self.label.split(" ")))


def print_fitting_columns(
    out: TerminalConsole, columns: Sequence[TextColumn], is_grey: Sequence[bool], t: Translate
) -> None:
    """Print rows; if the terminal is too narrow, drop columns and name them below."""
    remaining, over, widths = columns, 0, list[int]()
    if out.is_read:  # drop interval bounds first, then columns from the right

        def wider(least: bool) -> int:
            return (
                sum(one.needed_width(least) + COLUMN_GAP_CELLS for one in remaining)
                - COLUMN_GAP_CELLS
                - out.width
            )

        if wider(least=True) > 0:
            remaining = [one for one in columns if not one.keep_whole]
        while len(remaining) > 1 and wider(least=True) > 0:
            remaining = remaining[:-1]
        over = max(wider(least=False), 0)
    for column in remaining:
        less = min(over, column.needed_width() - column.needed_width(minimal=True))
        widths.append(column.needed_width() - less)
        over -= less

    def line(cells: Iterable[str], style: str) -> Text:
        padded = []
        for column, width, result in zip(remaining, widths, cells, strict=True):
            padded.append(text := Text(result))
            text.truncate(width, overflow="ellipsis")
            text.align("right" if column.align_right else "left", width)
        joined = Text(" " * COLUMN_GAP_CELLS, style=style).join(padded)
        joined.rstrip()
        return joined

    both = zip(remaining, widths, strict=True)
    labels = [wrap(one.label, width, break_on_hyphens=False)[::-1] for one, width in both]
    for titles in [*zip_longest(*labels, fillvalue="")][::-1]:
        out.print(line(titles, "bold"))
    for cells, dim in zip(zip(*(column.cells for column in remaining), strict=True), is_grey, strict=True):
        out.print(line(cells, "dim" if dim else ""))
    missing = [one for one in columns if not any(one is other for other in remaining)]
    items = [one.label for one in missing if not one.keep_whole]
    items += [t("intervals")] if len(items) < len(missing) else []
    if items:
        out.print(Text(t(COLUMNS_LEFT_OUT, columns=", ".join(items)), style="dim"))


def _drop_columns(columns: Sequence[Column], *about: str) -> list[Column]:
    return [one for one in columns if one.definition not in about]


COLUMNS: Mapping[Subject, Callable[[str, str | None], Sequence[Column]]] = {
    # rank and form are computed only for the players on a page
    Subject.PLAYERS: lambda game, key: _drop_columns(players_columns(game), "rank", "form"),
    Subject.COMPARE: lambda game, key: COMPARISON_COLUMNS,
    Subject.ANNOUNCEMENTS: lambda game, key: announced.keyed_columns(announced.FREQUENCY_COLUMNS, key),
    Subject.MISSED: lambda game, key: announced.MISSED_COLUMNS,
    Subject.WINNING: lambda game, key: announced.WINNING_COLUMNS,
    Subject.FAIRNESS: lambda game, key: announced.SHUFFLE_COLUMNS,
    Subject.LADDER: lambda game, key: _drop_columns(LADDER_COLUMNS, "form"),
}
"""Columns of a subject for a game and a key, as on its page."""
SECTION_SUBJECTS = {"player": Subject.PLAYERS, "announcements": Subject.ANNOUNCEMENTS}
"""Sections of a player with the columns of another subject."""


def _print_sections(frames: ResultFrames, request: StatsRequest, game: str, t: Translate) -> None:
    """Print each section of a player, or each fact compared with chance, under a heading."""
    out = console()
    if not isinstance(frames, pl.DataFrame):
        for name, frame in frames.items():
            section = SECTIONS[name]
            out.print(Text(section_heading(name, game, t), style="bold"))
            last = frame.tail(MAX_SECTION_ROWS) if section.accumulates else frame
            grey = rows_with_few(name, last) if section.columns else _rows_with_few(last)
            columns = section.columns or COLUMNS[SECTION_SUBJECTS[name]](game, None)
            print_frame(out, columns, last, grey, game, t)
            if last.height < frame.height:
                out.print(Text(t("The last {n} of {all}.", n=last.height, all=frame.height), style="dim"))
            out.print()
    elif request.subject is Subject.BASELINE:
        held = announced.keyed_columns(announced.HABIT_COLUMNS, request.by)
        for (fact,), rows in frames.partition_by("fact", as_dict=True).items():
            out.print(Text(t(announced.CHANCE_LABELS[str(fact)]), style="bold"))
            columns = announced.DEALT_COLUMNS if fact == "dealt" else held
            print_frame(out, columns, rows, _rows_with_few(rows), game, t)
            out.print()
    else:
        print_frame(out, COLUMNS[request.subject](game, request.by), frames, _rows_with_few(frames), game, t)
    if out.is_terminal:
        out.print(Text(t("Grey: fewer than {n} cases.", n=MIN_SAMPLE), style="dim"))


def _rows_with_few(frame: pl.DataFrame) -> list[bool]:
    return (frame["decided_deals" if "decided_deals" in frame.columns else "n"] < MIN_SAMPLE).to_list()


def print_frame(
    out: TerminalConsole,
    columns: Sequence[Column],
    frame: pl.DataFrame,
    is_grey: Sequence[bool],
    game: str,
    t: Translate,
) -> None:
    """Print a frame with the columns of its page; the first text column may be shortened."""
    columns = with_sheets_column(columns, frame)
    rows = rows_as_text(columns, frame, t, {"game": game})
    shown = list[TextColumn]()
    for column in columns:
        label = t(column.label)
        cells = [escape_line(str(row[label])) for row in rows]
        right = all(map(NUMBER_TEXT.fullmatch, cells))
        first = not right and all(one.align_right for one in shown)
        bound = (column.definition or "").startswith("interval")
        shown.append(TextColumn(label, cells, right, can_shrink=first, keep_whole=bound))
    print_fitting_columns(out, shown, is_grey, t)


def _write_csv(found: ResultFrames, format: Format) -> None:
    """Write all sections as one CSV table; formulas and control characters are escaped.

    For spreadsheet programs it begins with the mark of UTF-8, and is in French as they are.
    """
    frames = stats_query.frames_with_section(found)
    if not isinstance(found, pl.DataFrame):
        texts = pl.col(pl.List(pl.String)).list.join(" – "), pl.col(pl.Datetime).cast(pl.String)
        frames = [frame.with_columns(texts) for frame in frames]
    whole = pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()
    guarded = whole.with_columns(
        pl.Series(one.name, [None if text is None else escape_csv_cell(text) for text in one], pl.String)
        for one in whole
        if one.dtype == pl.String
    )
    french = format is Format.FRENCH_CSV
    text = guarded.write_csv(
        include_bom=format is not Format.CSV, separator=";" if french else ",", decimal_comma=french
    )
    sys.stdout.write(escape_lines(text) if sys.stdout.isatty() else text)
