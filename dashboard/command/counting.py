"""What `retourne stats` was asked for, and the frame that answers it: the pages' own queries."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

import duckdb
import polars as pl

from dashboard.games import with_sections
from dashboard.queries import announcements, chance, fairness, ladder, left_out, players, scope
from dashboard.queries.scope import Scope, scopes
from dashboard.tables.profile import reasons_line
from engine.games import title
from ingest.cli.terminal import Stop
from ingest.i18n import N_, Translate
from ingest.operations import Refused, Told, Work
from ingest.store import baseline, pseudonyms
from ingest.store.baseline import Run
from ingest.text.did_you_mean import meant

NOTHING = N_("The store has no deal of that game and table to count.")
EMPTY = N_("The store has no deal to count.")
NO_DAY = N_("A day is written 2026-06-30: {found} is none.")
NOBODY = N_("No player of that name: {name}.")
SEVERAL = N_("Several players have the name {name}.")
NO_FILTER = N_("{option} does not go with {what}: {why}")
LADDER_WHY = N_("a ladder rates legal matches alone.")
BY_WHY = N_("it tells --announcements or --chance apart.")
SHEETS_WHY = N_("of a score sheet no card is known.")
FAIRNESS_WHY = N_("every pack that was dealt is tested, of void and faulty deals too.")
CHANCE_WHY = N_("simulated deals have {keys} alone.")
NO_HABIT = N_("No such habit: {name}. Known: {habits}.")
TOO_FEW_DEALS = N_("No source has {n} deals of that game and table whose cards are all known.")
SIMULATING = N_("Simulating deals…")
NO_LADDER = N_(
    "There is no ladder of that game and rules: it takes legal, finished, dated matches."
)
LEFT_OUT = N_("Deals counted: {counted}; left out: {out}. Grey: fewer than 20.")
OTHERS = N_("{table}. In the store too: {others}.")
TABLE_OF = N_("{game} at {n}")
MOST = 5
"""So many players of one name are told apart."""
EVERY = 1_000_000
"""More players than any store has."""


class Subject(StrEnum):
    """What is counted: one thing at a time."""

    PLAYERS = "players"
    PLAYER = "player"
    ANNOUNCEMENTS = "announcements"
    MISSED = "missed"
    WINNING = "winning"
    CHANCE = "chance"
    FAIRNESS = "fairness"
    LADDER = "ladder"


OF_ANNOUNCEMENTS = (Subject.ANNOUNCEMENTS, Subject.MISSED, Subject.WINNING, Subject.CHANCE)
OF_RESULTS = (Subject.PLAYERS, Subject.PLAYER, Subject.LADDER)
"""What score sheets tell."""


@dataclass(frozen=True)
class Request:
    """One subject and the filters set; None is any."""

    subject: Subject
    key: str | None = None
    """What announcements are told apart by."""
    habit: str | None = None
    player: str | None = None
    game: str | None = None
    table: int | None = None
    rules: str | None = None
    since: date | None = None
    until: date | None = None
    event: str | None = None
    opponent: str | None = None
    source: str | None = None
    statuses: tuple[str, ...] = ()
    sheets: bool = False

    @property
    def played(self) -> str | None:
        """The game asked for; of announcements, the first that has some."""
        if self.game is None and self.subject in OF_ANNOUNCEMENTS:
            return next(iter(with_sections("announcements")), None)
        return self.game


def misfit(asked: Request) -> tuple[str, str] | None:
    """A filter that would be passed over in silence, and why; None: each goes with the subject."""
    if asked.sheets and asked.subject not in OF_RESULTS:
        return "sheets", SHEETS_WHY
    if asked.subject is Subject.FAIRNESS and asked.statuses:
        return "status", FAIRNESS_WHY
    if asked.subject is Subject.LADDER and {*asked.statuses} - {"legal"}:
        return "status", LADDER_WHY
    return None


def refuse_filters(asked: Request, t: Translate) -> None:
    """Stop where a filter is set that would be passed over in silence."""
    if (found := misfit(asked)) is not None:
        option, why = {"sheets": "--with-sheets", "status": "--status"}[found[0]], t(found[1])
        raise Stop(t(NO_FILTER, option=option, what=f"--{asked.subject}", why=why))
    if asked.subject is Subject.CHANCE and asked.key not in (None, *announcements.MOMENTS):
        why = t(CHANCE_WHY, keys=", ".join(announcements.MOMENTS))
        raise Stop(t(NO_FILTER, option=f"--by {asked.key}", what="--chance", why=why))


def player_number(ask: duckdb.DuckDBPyConnection, name: str, t: Translate) -> int:
    """The player of exactly this name or id. Stop: there is none, or more than one."""
    found = pseudonyms.exactly(ask, name)
    if len(found) == 1:
        return found[0].number
    text, others = (SEVERAL, found) if found else (NOBODY, pseudonyms.near(ask, name))
    shared = {one.name for one in others if len(pseudonyms.exactly(ask, one.name)) > 1}
    near = [f"{one.name} ({one.id})" if one.name in shared else one.name for one in others]
    raise Stop("{sentence}", sentence=meant(t, t(text, name=name), near[:MOST]))


def scope_of(
    ask: duckdb.DuckDBPyConnection, asked: Request, seated: tuple[int, ...], t: Translate
) -> Scope:
    """The deals to count; of a game and table nobody asked for those of most deals.

    With numbers of players only tables they all sat at are looked at. Stop: no deal is there.
    """
    which = _most_played(ask, asked, seated, t)
    if asked.subject is Subject.LADDER:  # it knows tables of any size
        which = replace(which, players=asked.table or 0)
    return replace(
        which,
        since=asked.since,
        until=asked.until,
        event=asked.event,
        source=asked.source,
        opponent=None if asked.opponent is None else player_number(ask, asked.opponent, t),
        statuses=asked.statuses or Scope.statuses,
        sheets=asked.sheets,
    )


def _most_played(
    ask: duckdb.DuckDBPyConnection, asked: Request, seated: tuple[int, ...], t: Translate
) -> Scope:
    found = scopes(ask, *seated)
    if not found.height and not seated:
        raise Stop(t(EMPTY))
    for column, value in (
        ("game", asked.played),
        ("players", asked.table),
        ("preset", asked.rules),
    ):
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
    return Scope(most["game"], most["players"], asked.rules)


def narrowed(found: dict[str, pl.DataFrame], asked: Request) -> dict[str, pl.DataFrame]:
    """A player's sections; the one that tells tables apart has those alone that were asked for.

    A page always counts one game and size of table, and shows the others there beside it.
    """
    wanted = {"game": asked.game, "players": asked.table, "preset": asked.rules}
    named = {column: one for column, one in wanted.items() if one is not None}
    if "tables" not in found or not named:
        return found
    return {**found, "tables": found["tables"].filter(**named)}


def _chance(work: Work, asked: Request, which: Scope) -> pl.DataFrame:
    """Announcements beside chance and beside simulated players, of whom each habit plays once."""
    store, habits = work.store, baseline.habits(which.game)
    if asked.habit is not None and asked.habit not in habits:
        raise Stop(work.t(NO_HABIT, name=asked.habit, habits=", ".join(habits)))
    chosen = habits if asked.habit is None else (asked.habit,)
    table = (which.game, str(which.preset), which.players)
    runs = [Run(*table, habit, baseline.DEALS) for habit in chosen]
    events = dict[str, str]()
    total = len(runs) * baseline.DEALS
    for place, run in enumerate(runs):
        hear = partial(_further, work, place * baseline.DEALS, total)
        events[str(run.habit)] = baseline.simulate(store, run, hear)
    return chance.whole(store.cursor(), which, events, asked.key)


def _further(work: Work, before: int, total: int, done: int) -> None:
    work.tell({"label": SIMULATING, "done": before + done, "total": total})


def _fairness(work: Work, asked: Request, which: Scope) -> pl.DataFrame:
    """The tests of each source's shuffle."""
    frame = fairness.tests(work.store.cursor(), which)
    if not frame.height:
        raise Stop(work.t(TOO_FEW_DEALS, n=fairness.ENOUGH))
    return frame


def _ladder(work: Work, asked: Request, which: Scope) -> pl.DataFrame:
    """The ladder of the game's most played rules, or of those asked for."""
    ask = work.store.cursor()
    return ladder.standings(ask, of_ladder(ask, which, work.t), limit=EVERY)


def of_ladder(ask: duckdb.DuckDBPyConnection, which: Scope, t: Translate) -> Scope:
    """The same under the rules of a ladder: the most played one. Stop: there is none."""
    found = ladder.ladders(ask).filter(pl.col("game") == which.game)
    if which.preset is not None:
        found = found.filter(pl.col("preset") == which.preset)
    if not found.height:
        raise Stop(t(NO_LADDER))
    return replace(which, preset=found["preset"][0])


Count = Callable[[Work, Request, Scope], pl.DataFrame]


def _of(query: Callable[..., pl.DataFrame], **more: Any) -> Count:
    """What one of the pages' queries answers."""
    return lambda work, asked, which: query(work.store.cursor(), which, **more)


def _frequencies(work: Work, asked: Request, which: Scope) -> pl.DataFrame:
    """How often each announcement comes, told apart by a key or not."""
    if asked.key is None:
        return announcements.frequencies(work.store.cursor(), which)
    return announcements.by(work.store.cursor(), which, asked.key)


class Figure(NamedTuple):
    """What `stats` can show."""

    counted: Count
    """Its frame, as a query answers. Stop: it cannot be counted."""
    path: str | None = None
    """Where a server answers it; None: it does not."""
    of_winners: bool = False
    """It counts only deals somebody won."""
    rests: bool = True
    """A table of it says on how many deals it rests."""
    writes: bool = False
    """To the store: it simulates."""


FIGURES: Mapping[Subject, Figure] = {
    Subject.PLAYERS: Figure(_of(players.table, limit=EVERY), "/players", of_winners=True),
    Subject.PLAYER: Figure(_of(players.table), "/players/{player}"),  # shown section by section
    Subject.ANNOUNCEMENTS: Figure(_frequencies, "/announcements"),
    Subject.MISSED: Figure(_of(announcements.missed), "/announcements"),
    Subject.WINNING: Figure(_of(announcements.winning), "/announcements", of_winners=True),
    Subject.CHANCE: Figure(_chance, writes=True),
    Subject.FAIRNESS: Figure(_fairness, "/fairness", rests=False),
    Subject.LADDER: Figure(_ladder, "/ladder", rests=False),
}


def beside_chance(
    work: Work,
    by: str | None = None,
    habit: str | None = None,
    game: str | None = None,
    table: int | None = None,
    rules: str | None = None,
    since: str | None = None,
    until: str | None = None,
    event: str | None = None,
    opponent: str | None = None,
    source: str | None = None,
    status: list[str] | None = None,
) -> Told:
    """Announcements beside chance and beside simulated players, as `retourne stats --chance`."""
    asked = Request(
        Subject.CHANCE,
        key=by,
        habit=habit,
        game=game,
        table=table,
        rules=rules,
        since=_day(since),
        until=_day(until),
        event=event,
        opponent=opponent,
        source=source,
        statuses=tuple(status or ()),
    )
    try:
        refuse_filters(asked, work.t)
        which = chance_scope(work, asked)
        frame = _chance(work, asked, which)
    except Stop as stop:
        raise Refused("{sentence}", sentence=stop.say(work.t)) from None
    rows = [json.loads(line) for line in frame.write_ndjson().splitlines()]
    told = rests_on(work.store.cursor(), asked, which, work.t)
    return {"rows": rows, "game": which.game, "rests_on": told}


def _day(text: str | None) -> date | None:
    """Refused: it is no day."""
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise Refused(NO_DAY, found=text) from None


def chance_scope(work: Work, asked: Request) -> Scope:
    """The deals to count beside chance: by one preset, since another one turns up no card."""
    ask = work.store.cursor()
    return chance.under(ask, scope_of(ask, asked, (), work.t))


def rests_on(ask: duckdb.DuckDBPyConnection, asked: Request, which: Scope, t: Translate) -> str:
    """On how many deals a table rests, and why others are left out."""
    deals, _ = scope.deals(ask, which)
    out = left_out.reasons(ask, which, decided=FIGURES[asked.subject].of_winners)
    null = out.filter(pl.col("reason").is_in(["null", "unknown"]))["deals"].sum()
    told = t(LEFT_OUT, counted=str(deals - null), out=reasons_line(out, t))
    return f"{tables(ask, which, t)} {told}"


def tables(ask: duckdb.DuckDBPyConnection, which: Scope, t: Translate) -> str:
    """Of which game and size of table the figures are, and what else the store has."""
    every = scopes(ask).select("game", "players").unique(maintain_order=True).rows()
    here = (which.game, which.players)
    own, *others = [
        t(TABLE_OF, game=title(game), n=n) for game, n in (here, *(o for o in every if o != here))
    ]
    return t(OTHERS, table=own, others=", ".join(others)) if others else f"{own}."
