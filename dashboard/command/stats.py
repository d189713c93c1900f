"""`retourne stats`: what the pages show, in the terminal, from the same queries.

The command line finds it as an entry point of the group `retourne.commands`.
"""

import sys
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import duckdb
import polars as pl
import typer
from rich.table import Table
from rich.text import Text

from dashboard.command import dossier
from dashboard.figures import percent
from dashboard.queries import (
    announcements,
    chance,
    fairness,
    ladder,
    left_out,
    people,
    players,
    profile,
    scope,
)
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope, scopes
from dashboard.tables.profile import reasons
from engine.games import names
from ingest.cli.terminal import (
    DEFAULT_STORE,
    LEGAL,
    Lang,
    Stop,
    StorePath,
    console,
    leave,
    progress,
)
from ingest.finding.finding import STATUSES
from ingest.finding.words import KINDS
from ingest.i18n import N_, Translate, translator
from ingest.store import baseline
from ingest.store import ratings as rating
from ingest.store.store import Store
from ingest.text.signs import plain

EXAMPLES = (
    "retourne stats",
    "retourne stats Lucie --since 2026-01-01",
    "retourne stats --announcements --game chouine --table 2 --format jsonl",
    "retourne stats --announcements --by month",
    "retourne stats --missed --event Lavardin",
    "retourne stats --chance --habit careful",
    "retourne stats --fairness --game coinche",
    "retourne stats --ladder --game coinche",
)
NAME = "stats"

NOTHING = N_("The store has no deal of that game and table to count.")
NOBODY = N_("No player of that name: {name}.")
ONE_THING = N_(
    "Ask for one thing: a player, --announcements, --missed, --winning, --chance, --fairness or "
    "--ladder."
)
NO_FILTER = N_("{option} does not go with {what}: {why}")
LADDER_WHY = N_("a ladder rates legal matches alone.")
FAIRNESS_WHY = N_("every deck that was dealt is tested, of void and faulty deals too.")
CHANCE_WHY = N_("simulated deals have {keys} alone.")
NO_HABIT = N_("No habit of that name: {name}. There are {habits}.")
NO_SHUFFLE = N_("No source has {n} deals of that game and table whose cards are all known.")
NO_LADDER = N_("There is no ladder of that game and rules: it takes legal, finished, dated games.")
LEFT_OUT = N_("Deals counted: {counted}; left out: {out}. Grey: fewer than 20.")


Key = StrEnum("Key", {key.upper(): key for key in announcements.KEYS})  # type: ignore[misc]


class Format(StrEnum):
    """How frames are written."""

    TABLE = "table"
    JSONL = "jsonl"
    CSV = "csv"


GameName = StrEnum("GameName", {name.upper(): name for name in names()})  # type: ignore[misc]
Status = StrEnum("Status", {name.upper(): name for name in STATUSES})  # type: ignore[misc]
Day = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help=N_("First day counted.")),
]
"""Typer has no type for a day alone."""


def stats(
    ctx: typer.Context,
    player: Annotated[
        str | None, typer.Argument(metavar="PLAYER", help=N_("A player’s name or id."))
    ] = None,
    store: StorePath = DEFAULT_STORE,
    announced: Annotated[
        bool, typer.Option("--announcements", help=N_("How often each announcement comes."))
    ] = False,
    key: Annotated[
        Key | None, typer.Option("--by", help=N_("Tell announcements apart by this."))
    ] = None,
    missed: Annotated[
        bool, typer.Option("--missed", help=N_("Announcements held and never made."))
    ] = False,
    winning: Annotated[
        bool, typer.Option("--winning", help=N_("Deals won with each announcement and without."))
    ] = False,
    by_lot: Annotated[
        bool, typer.Option("--chance", help=N_("Announcements beside those of simulated deals."))
    ] = False,
    habit: Annotated[
        str | None, typer.Option("--habit", help=N_("How simulated players play; mixed if absent."))
    ] = None,
    shuffled: Annotated[
        bool, typer.Option("--fairness", help=N_("Whether each source’s shuffle is fair."))
    ] = False,
    ranked: Annotated[bool, typer.Option("--ladder", help=N_("Who plays best."))] = False,
    format: Annotated[
        Format, typer.Option("--format", help=N_("table for people; jsonl and csv for programs."))
    ] = Format.TABLE,
    game: Annotated[
        GameName | None, typer.Option("--game", "-g", help=N_("Count this game."))
    ] = None,
    table: Annotated[
        int | None, typer.Option("--table", min=2, max=5, help=N_("Players at the table."))
    ] = None,
    rules: Annotated[
        str | None, typer.Option("--rules", metavar="PRESET", help=N_("Count these rules alone."))
    ] = None,
    since: Day = None,
    until: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help=N_("Last day counted.")),
    ] = None,
    event: Annotated[str | None, typer.Option("--event", help=N_("This event alone."))] = None,
    opponent: Annotated[
        str | None, typer.Option("--opponent", help=N_("Against this player alone."))
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", help=N_("Logs of this source alone."))
    ] = None,
    status: Annotated[
        list[Status] | None,
        typer.Option("--status", help=N_("Count deals of this verdict; legal ones if absent.")),
    ] = None,
    lang: Lang = None,
) -> None:
    """Print figures of the store."""
    t = translator(ctx.obj.language, "dashboard")
    by_lot = by_lot or habit is not None
    announced = announced or (key is not None and not by_lot)
    if sum((player is not None, announced, missed, winning, by_lot, shuffled, ranked)) > 1:
        raise Stop(t(ONE_THING))
    if ranked:
        _refuse("--ladder", t(LADDER_WHY), {"--status": {*map(str, status or ())} - {"legal"}}, t)
    if shuffled:
        _refuse("--fairness", t(FAIRNESS_WHY), {"--status": status}, t)
    if by_lot and key is not None and str(key) not in announcements.MOMENTS:
        why = t(CHANCE_WHY, keys=", ".join(announcements.MOMENTS))
        _refuse("--chance", why, {f"--by {key}": key}, t)
    of_chouine = announced or missed or winning or by_lot
    name = "chouine" if game is None and of_chouine else game and str(game)
    # rating and simulating write; where there is no store they make none
    with Store(store, read_only=not ((ranked or by_lot) and store.exists())) as opened:
        ask = opened.cursor()
        who = None if player is None else _player(ask, player, t)
        which = _scope(ask, t, name, table, rules, *([] if who is None else [who]))
        chosen = Scope(
            which.game,
            (table or 0) if ranked else which.players,
            which.preset,
            since and since.date(),
            until and until.date(),
            event,
            source,
            None if opponent is None else _player(ask, opponent, t),
            tuple(map(str, status)) if status else Scope.statuses,
        )
        if who is not None:
            _dossier(ask, chosen, who, format, t)
            leave(LEGAL)
        if by_lot:
            chosen = chance.under(ask, chosen)
            frame = _chance(opened, chosen, habit, None if key is None else str(key), t)
        elif shuffled:
            frame = _shuffles(ask, chosen, t)
        elif missed or winning:
            frame = (announcements.missed if missed else announcements.winning)(ask, chosen)
        elif announced and key is not None:
            frame = announcements.by(ask, chosen, str(key))
        else:
            frame = _frame(opened, chosen, t, announced, ranked)
        if format is Format.TABLE and announced:
            frame = frame.drop("points" if key is None else DETAILS)
        if format is Format.TABLE and missed:
            frame = frame.rename({"points": "worth"})
        _write(frame, format, t)
        if format is Format.TABLE and not (ranked or shuffled):
            won = winning or not of_chouine
            _left_out(ask, chosen, won, t)
    leave(LEGAL)


def _refuse(what: str, why: str, told: dict[str, Any], t: Translate) -> None:
    """Stop where a filter is set that would be passed over in silence."""
    for option, value in told.items():
        if value:
            raise Stop(t(NO_FILTER, option=option, what=what, why=why))


def _left_out(ask: duckdb.DuckDBPyConnection, which: Scope, won: bool, t: Translate) -> None:
    """On how many deals a table rests, and why others are left out; `won`: somebody must have."""
    counted, _ = scope.deals(ask, which)
    out = left_out.reasons(ask, which, decided=won)
    null = out.filter(pl.col("reason").is_in(["null", "unknown"]))["deals"].sum()
    said = t(LEFT_OUT, counted=str(counted - null), out=reasons(out, t))
    console(stderr=True).print(Text(said, style="dim"))


def _scope(
    ask: duckdb.DuckDBPyConnection,
    t: Translate,
    game: str | None,
    table: int | None,
    rules: str | None,
    *seated: int,
) -> Scope:
    """The game and table asked for, or those of most deals; `seated` sat at them."""
    found = scopes(ask, *seated)
    for column, value in (("game", game), ("players", table), ("preset", rules)):
        if value is not None:
            found = found.filter(pl.col(column) == value)
    if not found.height:
        raise Stop(t(NOTHING))
    most = (
        found.group_by("game", "players", maintain_order=True)
        .agg(pl.col("deals").sum())
        .sort("deals", descending=True, maintain_order=True)
        .row(0, named=True)
    )
    return Scope(most["game"], most["players"], rules)


def _player(ask: duckdb.DuckDBPyConnection, name: str, t: Translate) -> int:
    found = people.find(ask, name)
    if found is None:
        raise Stop(t(NOBODY, name=name))
    return found


def _dossier(
    ask: duckdb.DuckDBPyConnection, which: Scope, player: int, format: Format, t: Translate
) -> None:
    """Everything there is of one player, section by section."""
    found = profile.sections(ask, which, player)
    if format is Format.TABLE:
        dossier.show(found, which.game, t, console(), _table)
    else:
        sys.stdout.write(dossier.rows(found) if format is Format.CSV else dossier.objects(found))


def _frame(store: Store, which: Scope, t: Translate, announced: bool, ranked: bool) -> pl.DataFrame:
    """What was asked for, as its query answers."""
    ask = store.cursor()
    if ranked:
        return _ladder(store, which, t)
    if announced:
        return announcements.frequencies(ask, which)
    return players.table(ask, which, limit=1_000_000)


def _chance(
    store: Store, which: Scope, habit: str | None, key: str | None, t: Translate
) -> pl.DataFrame:
    """Announcements beside those of a run of simulated deals, made where there is none yet."""
    habits = baseline.habits("chouine")
    if habit is not None and habit not in habits:
        raise Stop(t(NO_HABIT, name=habit, habits=", ".join(habits)))
    ask = store.cursor()
    with progress(t, N_("Simulating deals…"), baseline.DEALS) as advance:
        run = baseline.simulate(
            store, which.game, str(which.preset), which.players, habit, progress=advance
        )
    return chance.against(ask, which, run, key)


def _shuffles(ask: duckdb.DuckDBPyConnection, which: Scope, t: Translate) -> pl.DataFrame:
    """The tests of each source's shuffle."""
    frame = fairness.tests(ask, which)
    if not frame.height:
        raise Stop(t(NO_SHUFFLE, n=fairness.ENOUGH))
    return frame


def _ladder(store: Store, which: Scope, t: Translate) -> pl.DataFrame:
    """The ladder of the game's most played rules, or of those asked for; rated first."""
    with progress(t, N_("Rating matches…"), 0) as advance:
        rating.refresh(store, lambda done, total: advance(done))
    ask = store.cursor()
    found = ladder.ladders(ask).filter(pl.col("game") == which.game)
    if which.preset is not None:
        found = found.filter(pl.col("preset") == which.preset)
    if not found.height:
        raise Stop(t(NO_LADDER))
    return ladder.standings(ask, replace(which, preset=found["preset"][0]), limit=1_000_000)


def _write(frame: pl.DataFrame, format: Format, t: Translate) -> None:
    """A frame as lines for programs, or as a table for people."""
    if format is Format.CSV:
        sys.stdout.write(frame.write_csv())
    elif format is Format.JSONL:
        sys.stdout.write(frame.write_ndjson())
    else:
        console().print(_table(frame, t))


LABELS = {
    "rank": N_("Rank"),
    "name": N_("Name"),
    "kind": N_("Announcement"),
    "trump": N_("Trump"),
    "fact": N_("Fact"),
    "trick": N_("Trick"),
    "phase": N_("Phase"),
    "lead": N_("By the leader"),
    "player": N_("Player"),
    "event": N_("Event"),
    "month": N_("Month"),
    "source": N_("Source"),
    "test": N_("Test"),
    "matches": N_("Matches"),
    "parties": N_("Deals"),
    "wins": N_("Won"),
    "held": N_("Held"),
    "announced": N_("Announced"),
    "shown": N_("Shown"),
    "counted": N_("Counted"),
    "k": "k",
    "n": "n",
    "statistic": N_("Statistic"),
    "p": "p",
    "corrected": N_("p by Holm"),
    "fair": N_("No alarm"),
    "missed": N_("Missed"),
    "lost": N_("Partie lost"),
    "turned": N_("Would have won"),
    "other_n": N_("Hands without"),
    "share": N_("Share"),
    "other": N_("Won without"),
    "chance": N_("By chance"),
    "difference": N_("Difference"),
    "low": N_("from"),
    "high": N_("to"),
    "worth": N_("Points"),
    "points": N_("Average points"),
    "points_low": N_("from"),
    "points_high": N_("to"),
    "value": "μ − 3σ",
    "mu": "μ",
    "sigma": "σ",
    "provisional": N_("provisional"),
    "last": N_("Played last on"),
}
"""What people are shown, in this order; programs get every column."""
SHARES = ("share", "other", "chance", "difference", "low", "high")
WORDS = {
    **KINDS,
    "held": N_("Held"),
    "announced": N_("Announced"),
    "shown": N_("Shown"),
    "counted": N_("Counted"),
    "open": N_("open"),
    "closed": N_("closed"),
    "cards": N_("cards"),
    "points": N_("points"),
    "repeats": N_("repeats"),
}
TOLD = ("kind", "fact", "phase", "test")
"""Columns whose values are among WORDS."""
TEXTS = ("name", "player", "event", "source")
"""Columns of texts of a log, which may be longer than any screen is wide."""
SHORT = ("kind", "fact", "month")
DETAILS = ("shown", "points")
"""Columns people are spared where announcements are told apart."""


def _table(frame: pl.DataFrame, t: Translate) -> Table:
    table = Table(box=None, pad_edge=False)
    shown = [name for name in LABELS if name in frame.columns]
    for name in shown:
        numeric = frame.schema[name].is_numeric()
        table.add_column(
            t(LABELS[name]),
            justify="right" if numeric else "left",
            overflow="ellipsis" if name in TEXTS else "fold",
            no_wrap=name in TEXTS + SHORT,
            min_width=12 if name in TEXTS else None,
        )
    for row, grey in zip(frame.select(shown).iter_rows(), _few(frame), strict=True):
        cells = zip(shown, row, strict=True)
        texts = (Text(_cell(name, value, t)) for name, value in cells)
        table.add_row(*texts, style="dim" if grey else None)
    return table


def _few(frame: pl.DataFrame) -> list[bool]:
    """Which rows rest on fewer than FEW."""
    n = next((name for name in ("parties", "n") if name in frame.columns), None)
    return [False] * frame.height if n is None else (frame[n] < FEW).to_list()


def _cell(name: str, value: Any, t: Translate) -> str:
    """A value as a person reads it; names are told plainly, whatever signs are in them."""
    if value is None:
        return "–"
    if name in SHARES:
        return percent(value, t)
    if isinstance(value, bool):
        return t(N_("yes")) if value else t(N_("no"))
    if isinstance(value, float):
        text = f"{value:.3g}" if abs(value) < 1 else f"{value:.1f}"
        return text.replace(".", ",") if t.language == "fr" else text
    if name == "month":
        return f"{value:%m/%Y}" if t.language == "fr" else f"{value:%Y-%m}"
    if isinstance(value, datetime):
        return f"{value:%d/%m/%Y}" if t.language == "fr" else f"{value:%Y-%m-%d}"
    if name in TOLD:
        return t(WORDS[value])
    return plain(str(value))
