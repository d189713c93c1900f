"""`retourne stats`: what the pages show, in the terminal, from the same queries.

The command line finds it as an entry point of the group `retourne.commands`. For programs figures
are lines, for people tables that break no word. Not by Rich, which narrows the widest columns
first, numbers too, until no cell is whole: here a name gives way to a number, an interval to a
name, and what has no room is named.
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

from dashboard.queries.announcements import KEYS
from dashboard.queries.fairness import ENOUGH
from dashboard.queries.intervals import FEW
from dashboard.tables import announcements as announced
from dashboard.tables import stats_query
from dashboard.tables.players import LADDER, players_columns
from dashboard.tables.profile import SECTIONS, few, heading
from dashboard.tables.stats_query import Found, Request, Subject
from dashboard.text.columns import Column, table_rows, with_sheets
from engine.games import names
from ingest.cli import common as cli
from ingest.cli import shell_completion
from ingest.cli.open_store import Opened, ServedRun
from ingest.cli.params import At, GameName, check_preset, check_read, moment
from ingest.findings.finding import STATUSES
from ingest.i18n import N_, Translate
from ingest.operations import Tell, Work
from ingest.reader.escaping import cell, json_lines, lines, plain
from ingest.store.baseline import habits

if TYPE_CHECKING:
    from ingest.cli.http_client import Server

TOO_FEW_DEALS = N_("No source has {n} deals of that game and table whose cards are all known.")
ONE_THING = N_(
    "Ask for one thing: a player, --announcements, --missed, --winning, --chance, --fairness or "
    "--ladder."
)
SUBJECTS, FILTERS = N_("What is counted, one of these:"), N_("Which deals are counted:")
DAY, AS_DAY = N_("YYYY-MM-DD"), ["%Y-%m-%d"]
"""Typer has no type for a day alone."""
Key = StrEnum("Key", {key.upper(): key for key in KEYS})  # type: ignore[misc]
Status = StrEnum("Status", {name.upper(): name for name in STATUSES})  # type: ignore[misc]
Format = StrEnum("Format", {"TABLE": "table", "JSONL": "jsonl", "CSV": "csv"})
DAYS = ("month", "day")
MOMENTS = ("last", "played_at", "until")
"""Columns of dates, which JSON has as text."""
LEFT_OUT = N_("No room for: {columns}. A wider terminal has them, and --format csv.")
BETWEEN = 2
"""Columns of space between two columns."""
LEAST = 12
"""What is left of a long name."""
LONGEST = 12
"""Rows people are shown of a section that grows with time: the last ones."""
NUMBER = re.compile(r"[-−+]?[\d\s.,]+%?|–")
"""A cell that stands to the right, below the others' digits."""
LAST = N_("The last {n} of {all}.")


def stats(
    run: ServedRun,
    player: str | None = cli.argument(
        N_("A player’s name or id."), N_("PLAYER"), None, shell_completion.players
    ),
    announcements: bool = cli.flag(N_("How often each announcement comes."), panel=SUBJECTS),
    key: Key | None = cli.option(N_("Tell announcements apart by this."), N_("KEY"), "--by"),
    missed: bool = cli.flag(N_("Announcements held and never announced."), panel=SUBJECTS),
    winning: bool = cli.flag(N_("Deals won with each announcement and without."), panel=SUBJECTS),
    chance: bool = cli.flag(
        N_("Announcements beside chance, and beside simulated players."), panel=SUBJECTS
    ),
    habit: str | None = cli.option(
        N_("One habit of simulated players alone; all if absent."),
        N_("HABIT"),
        complete=lambda ctx, incomplete: shell_completion.offered(
            habits(str(ctx.params.get("game") or names()[0])), incomplete
        ),
    ),
    fairness: bool = cli.flag(N_("Whether each source’s shuffle is fair."), panel=SUBJECTS),
    ladder: bool = cli.flag(N_("The ladder: players by rating."), panel=SUBJECTS),
    format: Format = cli.option(
        N_("table for people; jsonl and csv for programs."), default=Format.TABLE
    ),
    game: GameName | None = cli.option(N_("Count this game."), "GAME", "-g", panel=FILTERS),
    table: int | None = cli.option(N_("Players at the table."), "N", panel=FILTERS, min=2, max=5),
    rules: str | None = cli.option(
        N_("Count these rules alone."), "PRESET", complete=shell_completion.presets, panel=FILTERS
    ),
    since: datetime | None = cli.option(
        N_("First day counted."), DAY, formats=AS_DAY, panel=FILTERS
    ),
    until: datetime | None = cli.option(
        N_("Last day counted."), DAY, formats=AS_DAY, panel=FILTERS
    ),
    event: str | None = cli.option(
        N_("This event alone."), "NAME", complete=shell_completion.events, panel=FILTERS
    ),
    opponent: str | None = cli.option(
        N_("Against this player alone."),
        N_("PLAYER"),
        complete=shell_completion.players,
        panel=FILTERS,
    ),
    source: str | None = cli.option(
        N_("Logs of this source alone."), "NAME", complete=shell_completion.sources, panel=FILTERS
    ),
    status: list[Status] | None = cli.option(
        N_("Count deals of this verdict; legal ones if absent."), "VERDICT", panel=FILTERS
    ),
    sheets: bool = cli.flag(
        N_("Count what score sheets tell, too."), "--with-sheets", panel=FILTERS
    ),
    at: At = None,
) -> None:
    """Print figures of the store."""
    t, chance = run.t, chance or habit is not None
    subjects = {
        Subject.PLAYER: player is not None,
        Subject.ANNOUNCEMENTS: announcements
        or (key is not None and not (chance or missed or winning)),
        **{Subject.MISSED: missed, Subject.WINNING: winning, Subject.CHANCE: chance},
        **{Subject.FAIRNESS: fairness, Subject.LADDER: ladder},
    }
    chosen = [subject for subject, wanted in subjects.items() if wanted]
    if len(chosen) > 1:
        raise cli.Stop(ONE_THING)
    subject = chosen[0] if chosen else Subject.PLAYERS
    about = key and str(key), habit, player, game and str(game), table, rules
    days, verdicts = (since and since.date(), until and until.date()), tuple(map(str, status or ()))
    asked = Request(subject, *about, *days, event, opponent, source, verdicts, sheets)
    if (unfit := stats_query.misfit(asked, t)) is not None:
        options = {"sheets": "--with-sheets", "status": "--status", "by": f"--by {key}"}
        raise cli.Stop(
            stats_query.NO_FILTER, option=options[unfit[0]], what=f"--{subject}", why=unfit[1]
        )
    check_read(at, run.server, chance=chance)
    check_preset(rules)
    then = moment(at)
    with (
        _nothing_told(t),
        run.asked(then is not None or not chance, at=then) as there,
        cli.bar(t) as tell,
    ):
        if isinstance(there, Opened):
            found, of_game, said = _count(there.work(tell), asked, t)
        else:
            told = _ask_server(there, asked, tell)
            if format is Format.JSONL and (rows := told["rows"]):
                whole = b"\n".join(map(orjson.dumps, rows)) + b"\n"
                sys.stdout.write(json_lines(whole.decode()))
                return
            found, said = _frames(told["rows"], asked), told.get("rests_on")
            of_game = told["game"] if "game" in told else told["scope"]["game"]
    _write(found, asked, of_game, format, t, said)


@contextmanager
def _nothing_told(t: Translate) -> Iterator[None]:
    """Where there is nothing to count, that is said, and the command ends well."""
    try:
        yield
    except stats_query.Nothing as nothing:
        cli.remark(nothing.say(t))
    except cli.Stop as stop:
        told = getattr(stop, "told", {})  # by a server
        if not stats_query.Nothing.more.items() <= told.items():
            raise
        cli.remark(told["detail"])
    else:
        return
    cli.leave(cli.LEGAL)


def _count(work: Work, asked: Request, t: Translate) -> tuple[Found, str, str | None]:
    """What was asked for, of which game, and what it rests on."""
    cursor = work.store.cursor()
    number, opponent = (
        None if name is None else stats_query.player_number(cursor, name)
        for name in (asked.player, asked.opponent)
    )
    which = stats_query.scope_of(cursor, asked, () if number is None else (number,), opponent)
    if asked.subject is Subject.CHANCE:
        found: Found = stats_query.simulated(work, asked, which)
    else:
        found = stats_query.counted(
            lambda query, *of, **named: query(cursor, *of, **named), asked, which, number
        )
    return found, which.game, stats_query.rests_on(cursor, asked, which, t)


def _ask_server(server: "Server", asked: Request, tell: Tell) -> dict[str, Any]:
    """What a server answers. Stop: it does not have it."""
    query = {name: one for name, one in asdict(asked).items() if one not in (None, (), False)}
    subject, player = query.pop("subject"), query.pop("player", "")
    query |= {name: query[name].isoformat() for name in ("since", "until") if name in query}
    if asked.subject is Subject.CHANCE:
        return server.do(stats_query.beside_chance, tell, **query)
    query |= {"sheets": "true"} if asked.sheets else {}
    paths = {"player": f"/players/{quote(player, safe='')}"}
    if asked.subject in stats_query.OF_ANNOUNCEMENTS:
        paths[subject], query["of"] = "/announcements", str(subject)
    told: dict[str, Any] = server.get(paths.get(subject, f"/{subject}"), **query)
    return told


def _frames(rows: list[dict[str, Any]], asked: Request) -> Found:
    """Rows as the frames they were, dates being dates again."""

    def frame(some: list[dict[str, Any]]) -> pl.DataFrame:
        lines = "\n".join(map(json.dumps, some)).encode()
        made = pl.read_ndjson(lines, infer_schema_length=None) if some else pl.DataFrame()
        texts = {name for name, kind in made.schema.items() if kind == pl.String}
        return made.with_columns(
            *(pl.col(name).str.to_date() for name in DAYS if name in texts),
            *(pl.col(name).str.to_datetime(time_zone="UTC") for name in MOMENTS if name in texts),
        )

    if asked.subject is not Subject.PLAYER:
        return frame(rows)
    sections: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        sections.setdefault(row.pop("section"), []).append(row)
    return {name: frame(some) for name, some in sections.items()}


def _write(
    found: Found, asked: Request, game: str, format: Format, t: Translate, said: str | None
) -> None:
    """The rows that answer, and for people what they rest on. Stop: there is nothing to test."""
    if isinstance(found, pl.DataFrame):
        empty = found.is_empty()
    else:  # of a player: no row of any section rests on anything
        every = found.values()
        empty = not any(one["n"].sum() if "n" in one.columns else one.height for one in every)
    if asked.subject is Subject.FAIRNESS and empty:
        raise cli.Stop(TOO_FEW_DEALS, n=ENOUGH)
    if format is Format.JSONL:
        whole = "".join(one.write_ndjson() for one in stats_query.sectioned(found))
        sys.stdout.write(json_lines(whole))
    elif format is Format.CSV:
        _write_csv(found)
    elif empty:
        cli.remark(t("Nothing of the kind is in the deals these filters leave."))
    else:
        _print(found, asked, game, t)
    if format is Format.TABLE and said is not None:
        cli.console(stderr=True).print(Text(said, style="dim"))


class Shown(NamedTuple):
    """A column of a table, and how it gives way where there is too little room."""

    label: str
    cells: Sequence[str]
    right: bool = False
    shrinks: bool = False
    """A text of a log, which may be longer than any screen is wide: it ends in … instead."""
    bound: bool = False
    """The end of an interval: it goes first."""

    def width(self, least: bool = False) -> int:
        """What it takes whole, or at least; the label is broken between words."""
        own = max(map(cell_len, self.cells), default=0)
        own = min(own, LEAST) if least and self.shrinks else own
        return max(own, *map(cell_len, self.label.split(" ")))


def _show(out: cli.Screen, columns: Sequence[Shown], grey: Sequence[bool], t: Translate) -> None:
    """Print rows; where there is no room for all columns, fewer, and which ones are missing."""
    kept, over, widths = columns, 0, list[int]()
    if out.is_read:  # without bounds if need be, then without the last ones

        def wider(least: bool) -> int:
            return sum(one.width(least) + BETWEEN for one in kept) - BETWEEN - out.width

        if wider(least=True) > 0:
            kept = [one for one in columns if not one.bound]
        while len(kept) > 1 and wider(least=True) > 0:
            kept = kept[:-1]
        over = max(wider(least=False), 0)
    for column in kept:
        less = min(over, column.width() - column.width(least=True))
        widths.append(column.width() - less)
        over -= less

    def line(cells: Iterable[str], style: str) -> Text:
        padded = []
        for column, width, said in zip(kept, widths, cells, strict=True):
            padded.append(text := Text(said))
            text.truncate(width, overflow="ellipsis")
            text.align("right" if column.right else "left", width)
        joined = Text(" " * BETWEEN, style=style).join(padded)
        joined.rstrip()
        return joined

    both = zip(kept, widths, strict=True)
    labels = [wrap(one.label, width, break_on_hyphens=False)[::-1] for one, width in both]
    for titles in [*zip_longest(*labels, fillvalue="")][::-1]:
        out.print(line(titles, "bold"))
    for cells, dim in zip(zip(*(column.cells for column in kept), strict=True), grey, strict=True):
        out.print(line(cells, "dim" if dim else ""))
    missing = [one for one in columns if not any(one is other for other in kept)]
    told = [one.label for one in missing if not one.bound]
    told += [t("intervals")] if len(told) < len(missing) else []
    if told:
        out.print(Text(t(LEFT_OUT, columns=", ".join(told)), style="dim"))


def _without(columns: Sequence[Column], *about: str) -> list[Column]:
    return [one for one in columns if one.about not in about]


COLUMNS: Mapping[Subject, Callable[[str, str | None], Sequence[Column]]] = {
    # who has which rank and form is looked up for the players of a page alone
    Subject.PLAYERS: lambda game, key: _without(players_columns(game), "rank", "form"),
    Subject.ANNOUNCEMENTS: lambda game, key: announced.by_key(announced.FREQUENCIES, key),
    Subject.MISSED: lambda game, key: announced.MISSED,
    Subject.WINNING: lambda game, key: announced.WINNING,
    Subject.FAIRNESS: lambda game, key: announced.SHUFFLES,
    Subject.LADDER: lambda game, key: _without(LADDER, "form"),
}
"""What people are shown of a subject at one game, as its page shows it."""
AS_OF_ALL = {"player": Subject.PLAYERS, "announcements": Subject.ANNOUNCEMENTS}
"""A player's sections that are shown as those of all players are."""


def _print(found: Found, asked: Request, game: str, t: Translate) -> None:
    """Each section of a player and each fact beside chance under its heading, all else alone."""
    out = cli.console()
    if not isinstance(found, pl.DataFrame):
        for name, frame in found.items():
            section = SECTIONS[name]
            out.print(Text(heading(name, game, t), style="bold"))
            last = frame.tail(LONGEST) if section.grows else frame
            grey = few(name, last) if section.columns else _few(last)
            columns = section.columns or COLUMNS[AS_OF_ALL[name]](game, None)
            show_frame(out, columns, last, grey, game, t)
            if last.height < frame.height:
                out.print(Text(t(LAST, n=last.height, all=frame.height), style="dim"))
            out.print()
        out.print(Text(t("Grey: fewer than {n}.", n=FEW), style="dim"))
    elif asked.subject is Subject.CHANCE:
        held = announced.by_key(announced.HELD, asked.by)
        for (fact,), rows in found.partition_by("fact", as_dict=True).items():
            out.print(Text(t(announced.BESIDE[str(fact)]), style="bold"))
            columns = announced.DEALT if fact == "dealt" else held
            show_frame(out, columns, rows, _few(rows), game, t)
            out.print()
    else:
        show_frame(out, COLUMNS[asked.subject](game, asked.by), found, _few(found), game, t)


def _few(frame: pl.DataFrame) -> list[bool]:
    return (frame["parties" if "parties" in frame.columns else "n"] < FEW).to_list()


def show_frame(
    out: cli.Screen,
    columns: Sequence[Column],
    frame: pl.DataFrame,
    grey: Sequence[bool],
    game: str,
    t: Translate,
) -> None:
    """The rows of a frame under the columns of its page; the first text of a row may be cut."""
    columns = with_sheets(columns, frame)
    rows = table_rows(columns, frame, t, {"game": game})
    shown = list[Shown]()
    for column in columns:
        label = t(column.label)
        cells = [plain(str(row[label])) for row in rows]
        right = all(map(NUMBER.fullmatch, cells))
        first = not right and all(one.right for one in shown)
        bound = (column.about or "").startswith("interval")
        shown.append(Shown(label, cells, right, shrinks=first, bound=bound))
    _show(out, shown, grey, t)


def _write_csv(found: Found) -> None:
    """CSV without formulas, with every column of any section; no text steers a terminal."""
    frames = stats_query.sectioned(found)
    if not isinstance(found, pl.DataFrame):
        texts = pl.col(pl.List(pl.String)).list.join(" – "), pl.col(pl.Datetime).cast(pl.String)
        frames = [frame.with_columns(texts) for frame in frames]
    whole = pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()
    guarded = whole.with_columns(
        pl.Series(one.name, [None if text is None else cell(text) for text in one], pl.String)
        for one in whole
        if one.dtype == pl.String
    )
    text = guarded.write_csv()
    sys.stdout.write(lines(text) if sys.stdout.isatty() else text)
