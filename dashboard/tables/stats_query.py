"""What statistics may be asked for, by `retourne stats` and by programs, and what answers."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Any, ClassVar

import duckdb
import polars as pl

from dashboard.games import with_sections
from dashboard.queries import (
    announcements,
    exclusions,
    fairness,
    ladder,
    player_search,
    players,
    scope,
    simulated_baseline,
)
from dashboard.queries.scope import Scope, scopes
from dashboard.tables import profile
from dashboard.tables.redacted import JOINED, hide_of, sought
from engine.games import title
from ingest.i18n import N_, Translate
from ingest.operations import Forbidden, Missing, Refused, Told, Work
from ingest.reader.did_you_mean import meant
from ingest.store import baseline, pseudonyms
from ingest.store.baseline import Run
from ingest.store.tokens import Role

NOBODY = N_("No player of that name: {name}.")
SEVERAL = N_("Several players have the name {name}.")
NO_FILTER = N_("{option} does not go with {what}: {why}")
NO_LADDER = N_(
    "There is no ladder of that game and rules: it takes legal, finished, dated matches."
)
NOT_SIMULATED = N_(
    "No deals were simulated yet under these rules with these players. Somebody who may add games "
    "can have them simulated."
)
LEFT_OUT = N_("Deals counted: {counted}; left out: {out}. Grey: fewer than 20.")
OTHERS = N_("{table}. In the store too: {others}.")
EVERY = 1_000_000
"""More players than any store has."""

Ask = Callable[..., pl.DataFrame]
"""Asks a query with its arguments: with a cursor of one's own, or `dashboard.store.answer`."""
Found = pl.DataFrame | dict[str, pl.DataFrame]
"""The rows that answer; of one player those of each section."""


class Subject(StrEnum):
    """What is counted: one thing at a time."""

    PLAYERS = "players"
    PLAYER = "player"
    ANNOUNCEMENTS = "announcements"
    MISSED = "missed"
    WINNING = "winning"
    CHANCE = "chance"
    DEALT = "dealt"
    FAIRNESS = "fairness"
    LADDER = "ladder"


OF_ANNOUNCEMENTS = (Subject.ANNOUNCEMENTS, Subject.MISSED, Subject.WINNING, Subject.CHANCE)
OF_RESULTS = (Subject.PLAYERS, Subject.PLAYER, Subject.LADDER)
"""What score sheets tell."""
OF_WINNERS = (Subject.PLAYERS, Subject.WINNING)
"""What counts only deals that somebody won."""


@dataclass(frozen=True)
class Request:
    """One subject and the filters set, by the names they have for programs; None is any."""

    subject: Subject
    by: str | None = None
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
    status: tuple[str, ...] = ()
    sheets: bool = False


def misfit(asked: Request, t: Translate) -> tuple[str, str] | None:
    """A filter that would be passed over in silence, and why; None: each goes with the subject."""
    subject, keys = asked.subject, announcements.MOMENTS
    if asked.sheets and subject not in OF_RESULTS:
        return "sheets", t("of a score sheet no card is known.")
    if subject is Subject.FAIRNESS and asked.status:
        return "status", t("every pack that was dealt is tested, of void and faulty deals too.")
    if subject is Subject.LADDER and {*asked.status} - {"legal"}:
        return "status", t("a ladder rates legal matches alone.")
    if asked.by is not None and subject in (Subject.MISSED, Subject.WINNING):
        return "by", t("it tells --announcements or --chance apart.")
    if subject is Subject.CHANCE and asked.by not in (None, *keys):
        return "by", t("simulated deals have {keys} alone.", keys=", ".join(keys))
    return None


class NotOne(Missing):
    """Nobody is called so, or several are; `near` are those who may be meant."""

    def say(self, t: Translate) -> str:
        return meant(t, super().say(t), self.values["near"])


class Nothing(Missing):
    """There is nothing to count."""

    more: ClassVar = {"nothing": True}


def player_number(cursor: duckdb.DuckDBPyConnection, name: str) -> int:
    """The player of exactly this name or id. NotOne: there is none, or more than one."""
    found = pseudonyms.exactly(cursor, name)
    if len(found) == 1:
        return found[0].number
    text, others = (SEVERAL, found) if found else (NOBODY, pseudonyms.near(cursor, name))
    shared = {one.name for one in others if len(pseudonyms.exactly(cursor, one.name)) > 1}
    near = [f"{one.name} ({one.id})" if one.name in shared else one.name for one in others]
    raise NotOne(text, name=name, near=near[:5])


def scope_of(
    cursor: duckdb.DuckDBPyConnection,
    asked: Request,
    seated: tuple[int, ...] = (),
    opponent: int | None = None,
) -> Scope:
    """The deals to count; of a game and table nobody asked for those of most deals.

    With numbers of players only tables they all sat at are looked at. Nothing: no deal is there.
    """
    found = scopes(cursor, *seated)
    if not found.height and not seated:
        raise Nothing(N_("The store has no deal to count."))
    game, dealt = asked.game, asked.subject is Subject.DEALT
    if game is None and (dealt or asked.subject in OF_ANNOUNCEMENTS):  # the first that has some
        game = next(iter(with_sections("announcements")), None)
    found = _named(found, game=game, players=asked.table, preset=asked.rules)
    if not found.height:
        raise Nothing(N_("The store has no deal of that game and table to count."))
    tables = found.group_by("game", "players", maintain_order=True).agg(pl.col("deals").sum())
    game, players, _ = tables.sort("deals", descending=True, maintain_order=True).row(0)
    own = asked.rules, asked.since, asked.until, asked.event, asked.source, opponent
    which = Scope(game, players, *own, asked.status or Scope.statuses, asked.sheets)
    if dealt or asked.subject is Subject.CHANCE:  # another preset turns up no card
        return simulated_baseline.under(cursor, which)
    if asked.subject is Subject.LADDER:  # it knows tables of any size
        known = _named(ladder.ladders(cursor), game=game, preset=asked.rules)
        if not known.height:
            raise Nothing(NO_LADDER)
        return replace(which, players=asked.table or 0, preset=known["preset"][0])
    return which


def _named(found: pl.DataFrame, **wanted: str | int | None) -> pl.DataFrame:
    """The rows that have what is wanted; None is any."""
    for column, value in wanted.items():
        found = found if value is None else found.filter(pl.col(column) == value)
    return found


def counted(ask: Ask, asked: Request, which: Scope, player: int | None = None) -> Found:
    """What answers; each is a query of the pages."""
    match asked.subject:
        case Subject.PLAYERS:
            return ask(players.table, which, limit=EVERY)
        case Subject.PLAYER:
            found: Any = ask(profile.sections, which, player)
            # a page counts one game and size of table, and shows the others there beside it
            named = {"game": asked.game, "players": asked.table, "preset": asked.rules}
            own = {"tables": _named(found["tables"], **named)} if "tables" in found else {}
            return {**found, **own}
        case Subject.ANNOUNCEMENTS:
            return ask(announcements.by, which, asked.by)
        case Subject.LADDER:
            return ask(ladder.standings, which, limit=EVERY)
    queries: dict[Subject, Any] = {
        Subject.FAIRNESS: fairness.tests,
        Subject.MISSED: announcements.missed,
        Subject.WINNING: announcements.winning,
        Subject.DEALT: simulated_baseline.dealt,
    }
    return ask(queries[asked.subject], which)


def sectioned(found: Found) -> list[pl.DataFrame]:
    """The frames of what answers; of several each row says its `section` first."""
    if isinstance(found, pl.DataFrame):
        return [found]
    return [frame.select(pl.lit(name).alias("section"), pl.all()) for name, frame in found.items()]


def simulated(work: Work, asked: Request, which: Scope) -> pl.DataFrame:
    """Announcements beside chance and beside simulated players, of whom each habit plays once."""
    habits = baseline.habits(which.game)
    if asked.habit is not None and asked.habit not in habits:
        known = ", ".join(habits)
        raise Refused(N_("No such habit: {name}. Known: {habits}."), name=asked.habit, habits=known)
    events = dict[str, str]()
    chosen = habits if asked.habit is None else (asked.habit,)
    runs = {
        habit: Run(which.game, str(which.preset), which.players, habit, baseline.DEALS)
        for habit in chosen
    }
    if not work.may(Role.CONTRIBUTOR) and not all(
        baseline.find(work.store, run) for run in runs.values()
    ):
        raise Forbidden(NOT_SIMULATED)
    for place, (habit, run) in enumerate(runs.items()):

        def hear(done: int, before: int = place * baseline.DEALS) -> None:
            total = len(chosen) * baseline.DEALS
            work.tell({"label": N_("Simulating deals…"), "done": before + done, "total": total})

        events[habit] = baseline.simulate(work.store, run, hear)
    return simulated_baseline.whole(work.store.cursor(), which, events, asked.by)


def beside_chance(
    work: Work,
    by: str | None = None,
    habit: str | None = None,
    game: str | None = None,
    table: int | None = None,
    rules: str | None = None,
    since: date | None = None,
    until: date | None = None,
    event: str | None = None,
    opponent: str | None = None,
    source: str | None = None,
    status: list[str] | None = None,
) -> Told:
    """Announcements beside chance and beside simulated players, as `retourne stats --chance`."""
    about, days = (by, habit, None, game, table, rules), (since, until)
    asked = Request(Subject.CHANCE, *about, *days, event, None, source, tuple(status or ()))
    if (found := misfit(asked, work.t)) is not None:
        raise Refused(NO_FILTER, option=f"--by {by}", what="--chance", why=found[1])
    cursor = work.store.cursor()
    hide = hide_of(player_search.hidden(cursor))
    event, source = (
        sought(text, hide, JOINED[name]) for name, text in (("event", event), ("source", source))
    )
    asked = replace(asked, event=event, source=source)
    against = None if opponent is None else player_number(cursor, opponent)
    which = scope_of(cursor, asked, opponent=against)
    rows = simulated(work, asked, which).write_ndjson().splitlines()
    said = rests_on(cursor, asked, which, work.t)
    return {"rows": [json.loads(row) for row in rows], "game": which.game, "rests_on": said}


def rests_on(
    cursor: duckdb.DuckDBPyConnection, asked: Request, which: Scope, t: Translate
) -> str | None:
    """Of which game and size of table rows are, what else the store has, on how many deals they
    rest, and why others are left out; None: of the subject that is not said.
    """
    if asked.subject not in (Subject.PLAYERS, *OF_ANNOUNCEMENTS):
        return None
    here = (which.game, which.players)
    every = scopes(cursor).select("game", "players").unique(maintain_order=True).rows()
    table, *others = (
        t(N_("{game} at {n}"), game=title(game), n=n)
        for game, n in (here, *(one for one in every if one != here))
    )
    of = t(OTHERS, table=table, others=", ".join(others)) if others else f"{table}."
    deals, _ = scope.deals(cursor, which)
    out = exclusions.reasons(cursor, which, decided=asked.subject in OF_WINNERS)
    null = out.filter(pl.col("reason").is_in(["null", "unknown"]))["deals"].sum()
    return f"{of} {t(LEFT_OUT, counted=str(deals - null), out=profile.reasons_line(out, t))}"
