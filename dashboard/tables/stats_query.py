"""Parses a request for statistics and runs it, for `retourne stats` and the API."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Any, ClassVar

import duckdb
import polars as pl

from dashboard.games import games_with_sections
from dashboard.queries import (
    announcements,
    comparison,
    exclusions,
    fairness,
    ladder,
    player_search,
    players,
    scope,
    simulated_baseline,
)
from dashboard.queries.scope import Scope, available_scopes
from dashboard.tables import profile
from dashboard.tables.redacted import SINGLE_WORD_COLUMNS, redactor_for, searchable_text
from engine.games import game_title
from ingest.i18n import N_, Translate
from ingest.operations import Forbidden, NotFound, OperationContext, OperationRefused, OperationResult
from ingest.reader.did_you_mean import with_suggestions
from ingest.redact.anonymize_log import MaskedPlayer
from ingest.store import baseline, pseudonyms
from ingest.store.baseline import SimulationRun
from ingest.store.tokens import Role

NO_SUCH_PLAYER = N_("No player of that name: {name}.")
AMBIGUOUS_PLAYER = N_("Several players have the name {name}.")
FILTER_NOT_ALLOWED = N_("{option} cannot be combined with {what}: {why}")
NO_LADDER = N_("No ladder for that game and rules: it needs legal, finished, dated matches.")
NOT_SIMULATED = N_(
    "No deals were simulated yet for these rules and this number of players. Contributors can "
    "start the simulation."
)
COUNTED_AND_EXCLUDED = N_("Deals counted: {counted}; excluded: {out}.")
TWO_TO_FOUR = N_("Name two to {most} different players to compare.")
OTHER_TABLES_TOO = N_("{table}. Also: {others}.")
NO_SUCH_DEALS = N_("The store has no deals of that game and number of players to count.")
NO_ANNOUNCEMENTS = N_("The store has no deals of a game with announcements to count.")
NO_LIMIT = 1_000_000
"""More players than any store has."""

RunQuery = Callable[..., pl.DataFrame]
"""Runs a query with its arguments, on a cursor or through `dashboard.store.cached_query`."""
ResultFrames = pl.DataFrame | dict[str, pl.DataFrame]
"""The rows of the result; for one player, the rows of each section."""


class Subject(StrEnum):
    """The subject of a request: one at a time."""

    PLAYERS = "players"
    PLAYER = "player"
    COMPARE = "compare"
    ANNOUNCEMENTS = "announcements"
    MISSED = "missed"
    WINNING = "winning"
    BASELINE = "baseline"
    DEALT = "dealt"
    FAIRNESS = "fairness"
    LADDER = "ladder"


ANNOUNCEMENT_SUBJECTS = (Subject.ANNOUNCEMENTS, Subject.MISSED, Subject.WINNING, Subject.BASELINE)
RESULT_SUBJECTS = (Subject.PLAYERS, Subject.PLAYER, Subject.LADDER)
"""Subjects that score sheets have data for."""
WINNER_SUBJECTS = (Subject.PLAYERS, Subject.WINNING)
"""Subjects that count only deals with a winner."""


@dataclass(frozen=True)
class StatsRequest:
    """One subject and its filters, named as in the API; None matches any."""

    subject: Subject
    by: str | None = None
    """The key that groups announcements."""
    habit: str | None = None
    player: str | None = None
    game: str | None = None
    player_count: int | None = None
    preset: str | None = None
    since: date | None = None
    until: date | None = None
    event: str | None = None
    opponent: str | None = None
    source: str | None = None
    status: tuple[str, ...] = ()
    score_sheets: bool = False
    compare: tuple[str, ...] = ()
    """The players to compare."""


def unsupported_filter(request: StatsRequest, t: Translate) -> tuple[str, str] | None:
    """Return a filter the subject would ignore, and why; None: all apply."""
    subject, keys = request.subject, announcements.MOMENT_COLUMNS
    if request.score_sheets and subject not in RESULT_SUBJECTS:
        return "score_sheets", t("a score sheet has no cards.")
    if subject is Subject.FAIRNESS and request.status:
        return "status", t("every pack that was dealt is tested, of void and faulty deals too.")
    if subject is Subject.LADDER and {*request.status} - {"legal"}:
        return "status", t("a ladder only rates legal matches.")
    if request.by is not None and subject in (Subject.MISSED, Subject.WINNING):
        return "by", t("it splits --announcements or --baseline.")
    if subject is Subject.BASELINE and request.by not in (None, *keys):
        return "by", t("simulated deals only have {keys}.", keys=", ".join(keys))
    return None


def without_hidden_names(request: StatsRequest, masked: list[MaskedPlayer]) -> StatsRequest:
    """Return the request with its texts as `searchable_text`, so that no masked name finds a deal."""
    hide = redactor_for(masked)
    texts = {"event": request.event, "source": request.source}
    own: Any = {name: searchable_text(text, hide, SINGLE_WORD_COLUMNS[name]) for name, text in texts.items()}
    return replace(request, **own)


class NotOne(NotFound):
    """No player has this name, or several do; `near` lists similar names."""

    def message(self, t: Translate) -> str:
        return with_suggestions(t, super().message(t), self.values["near"])


class Nothing(NotFound):
    """No deals can be counted."""

    more: ClassVar = {"nothing": True}


def player_number(cursor: duckdb.DuckDBPyConnection, name: str) -> int:
    """Return the player with exactly this name or id. NotOne: there is none, or several."""
    found = pseudonyms.find_exact(cursor, name)
    if len(found) == 1:
        return found[0].number
    text, others = (
        (AMBIGUOUS_PLAYER, found) if found else (NO_SUCH_PLAYER, pseudonyms.find_similar(cursor, name))
    )
    shared = {one.name for one in others if len(pseudonyms.find_exact(cursor, one.name)) > 1}
    near = [f"{one.name} ({one.id})" if one.name in shared else one.name for one in others]
    raise NotOne(text, name=name, near=near[:5])


def scope_of(
    cursor: duckdb.DuckDBPyConnection,
    request: StatsRequest,
    seated: tuple[int, ...] = (),
    opponent: int | None = None,
) -> Scope:
    """Return the scope of a request; game and table default to those with most deals.

    `seated` restricts to tables where all these players sat. None: no deals were found.
    """
    found = available_scopes(cursor, *seated)
    if not found.height and not seated:
        raise Nothing(N_("No deals to count."))
    game, dealt = request.game, request.subject is Subject.DEALT
    is_open = game is None and (dealt or request.subject in ANNOUNCEMENT_SUBJECTS)
    if is_open:  # the first game with announcements
        game = next(iter(games_with_sections("announcements")), None)
    found = _filter_rows(found, game=game, player_count=request.player_count, preset=request.preset)
    if not found.height:
        raise Nothing(NO_ANNOUNCEMENTS if is_open else NO_SUCH_DEALS)
    tables = found.group_by("game", "player_count", maintain_order=True).agg(pl.col("deals").sum())
    game, players, _ = tables.sort("deals", descending=True, maintain_order=True).row(0)
    own = request.preset, request.since, request.until, request.event, request.source, opponent
    which = Scope(game, players, *own, request.status or Scope.statuses, request.score_sheets)
    if dealt or request.subject is Subject.BASELINE:  # presets differ in the card turned up
        return simulated_baseline.with_one_preset(cursor, which)
    if request.subject is Subject.LADDER:  # a ladder includes tables of any size
        known = _filter_rows(ladder.list_ladders(cursor), game=game, preset=request.preset)
        if not known.height:
            raise Nothing(NO_LADDER)
        return replace(which, player_count=request.player_count or 0, preset=known["preset"][0])
    return which


def _filter_rows(found: pl.DataFrame, **wanted: str | int | None) -> pl.DataFrame:
    """Return the rows that have these values; None matches any."""
    for column, value in wanted.items():
        found = found if value is None else found.filter(pl.col(column) == value)
    return found


def compared_numbers(cursor: duckdb.DuckDBPyConnection, names: Sequence[str]) -> tuple[int, ...]:
    """Return the players to compare. OperationRefused: not two to four different ones."""
    numbers = tuple(player_number(cursor, name) for name in names)
    if not 2 <= len(set(numbers)) == len(numbers) <= comparison.MAX_COMPARED:
        raise OperationRefused(TWO_TO_FOUR, most=comparison.MAX_COMPARED)
    return numbers


def run_stats_query(
    run_query: RunQuery,
    request: StatsRequest,
    scope: Scope,
    player: int | None = None,
    compared: tuple[int, ...] = (),
) -> ResultFrames:
    """Return the result of a request; each subject is a query of the pages."""
    match request.subject:
        case Subject.PLAYERS:
            return run_query(players.players_table, scope, limit=NO_LIMIT)
        case Subject.PLAYER:
            found: Any = run_query(profile.player_sections, scope, player)
            # a page counts one game and table size, and lists the player's other tables next to it
            named = {"game": request.game, "player_count": request.player_count, "preset": request.preset}
            own = {"tables": _filter_rows(found["tables"], **named)} if "tables" in found else {}
            return {**found, **own}
        case Subject.COMPARE:
            return run_query(comparison.compare_players, scope, compared)
        case Subject.ANNOUNCEMENTS:
            return run_query(announcements.frequencies_by, scope, request.by)
        case Subject.LADDER:
            return run_query(ladder.ladder_standings, scope, limit=NO_LIMIT)
    queries: dict[Subject, Any] = {
        Subject.FAIRNESS: fairness.fairness_tests,
        Subject.MISSED: announcements.missed_announcements,
        Subject.WINNING: announcements.wins_with_announcements,
        Subject.DEALT: simulated_baseline.dealt_announcements,
    }
    return run_query(queries[request.subject], scope)


def frames_with_section(found: ResultFrames) -> list[pl.DataFrame]:
    """Return the frames of a result; if several, each row starts with its `section`."""
    if isinstance(found, pl.DataFrame):
        return [found]
    return [frame.select(pl.lit(name).alias("section"), pl.all()) for name, frame in found.items()]


def compare_with_simulated(work: OperationContext, request: StatsRequest, which: Scope) -> pl.DataFrame:
    """Compare announcements with chance and with simulated players, one run per habit."""
    habits = baseline.bot_habits(which.game)
    if request.habit is not None and request.habit not in habits:
        known = ", ".join(habits)
        raise OperationRefused(
            N_("Unknown habit: {name}. Use one of: {habits}."), name=request.habit, habits=known
        )
    events = dict[str, str]()
    chosen = habits if request.habit is None else (request.habit,)
    runs = {
        habit: SimulationRun(which.game, str(which.preset), which.player_count, habit, baseline.DEFAULT_DEALS)
        for habit in chosen
    }
    if not work.may(Role.CONTRIBUTOR) and not all(
        baseline.find_baseline(work.store, run) for run in runs.values()
    ):
        raise Forbidden(NOT_SIMULATED)
    for place, (habit, run) in enumerate(runs.items()):

        def on_progress(done: int, before: int = place * baseline.DEFAULT_DEALS) -> None:
            total = len(chosen) * baseline.DEFAULT_DEALS
            work.report_progress({"label": N_("Simulating deals…"), "done": before + done, "total": total})

        events[habit] = baseline.simulate_baseline(work.store, run, on_progress)
    return simulated_baseline.chance_table(work.store.cursor(), which, events, request.by)


def simulate_baseline(
    work: OperationContext,
    by: str | None = None,
    habit: str | None = None,
    game: str | None = None,
    player_count: int | None = None,
    preset: str | None = None,
    since: date | None = None,
    until: date | None = None,
    event: str | None = None,
    opponent: str | None = None,
    source: str | None = None,
    status: list[str] | None = None,
) -> OperationResult:
    """Compare announcements with chance and simulated players, as `retourne stats --baseline`."""
    about, days = (by, habit, None, game, player_count, preset), (since, until)
    requested = StatsRequest(Subject.BASELINE, *about, *days, event, None, source, tuple(status or ()))
    if (found := unsupported_filter(requested, work.t)) is not None:
        raise OperationRefused(FILTER_NOT_ALLOWED, option=f"--by {by}", what="--baseline", why=found[1])
    cursor = work.store.cursor()
    requested = without_hidden_names(requested, player_search.masked_player_names(cursor))
    against = None if opponent is None else player_number(cursor, opponent)
    which = scope_of(cursor, requested, opponent=against)
    rows = compare_with_simulated(work, requested, which).write_ndjson().splitlines()
    result = scope_note(cursor, requested, which, work.t)
    return {"rows": [json.loads(row) for row in rows], "game": which.game, "scope_note": result}


def scope_note(
    cursor: duckdb.DuckDBPyConnection, request: StatsRequest, which: Scope, t: Translate
) -> str | None:
    """Return a note on the rows' game and table size, others in the store, and excluded deals.

    None: the subject has no such note.
    """
    if request.subject not in (Subject.PLAYERS, *ANNOUNCEMENT_SUBJECTS):
        return None
    here = (which.game, which.player_count)
    every = available_scopes(cursor).select("game", "player_count").unique(maintain_order=True).rows()
    table, *others = (
        t(N_("{game} with {n} players"), game=game_title(game), n=n)
        for game, n in (here, *(one for one in every if one != here))
    )
    of = t(OTHER_TABLES_TOO, table=table, others=", ".join(others)) if others else f"{table}."
    deals, _ = scope.count_deals(cursor, which)
    out = exclusions.exclusion_counts(cursor, which, decided=request.subject in WINNER_SUBJECTS)
    null = out.filter(pl.col("reason").is_in(["null", "unknown"]))["deals"].sum()
    excluded = profile.exclusions_text(out, t)
    return f"{of} {t(COUNTED_AND_EXCLUDED, counted=str(deals - null), out=excluded)}"
