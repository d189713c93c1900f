"""Routes for statistics and for exports of tables and logs."""

import os
import weakref
from contextlib import nullcontext
from dataclasses import asdict, replace
from datetime import date
from enum import StrEnum
from pathlib import Path as File
from typing import IO, Annotated, Any

import polars as pl
from anyio import to_thread
from fastapi import APIRouter, Depends, HTTPException, Path, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from dashboard.api import rate_limits
from dashboard.api.auth import Reader
from dashboard.api.content_negotiation import Texts
from dashboard.api.matches import MatchFilterParam as Which
from dashboard.api.matches import Statuses, Text
from dashboard.api.models import FoundDeals, Rows, response_specs
from dashboard.api.params import WHOLE_NUMBER, Game, Preset, number_of
from dashboard.api.problems import Problem
from dashboard.api.responses import NDJSON_TYPE, limited, retrying, rows_response, stream_file
from dashboard.queries import announcements as announced
from dashboard.queries import head_to_head as duels
from dashboard.queries import player_search
from dashboard.queries.comparison import MAX_COMPARED
from dashboard.queries.matches import MatchFilter
from dashboard.queries.scope import Scope
from dashboard.store import cached_query, open_store
from dashboard.tables import find_result, stats_query
from dashboard.tables.redacted import original_text, redact_frame, redactor_for
from engine.games import game as game_of
from ingest.i18n import N_, Translate
from ingest.store.export import ALL_MATCHES, Format, KeepField, MatchSelection, Table, write_logs, write_table
from ingest.store.ratings import are_ladders_current
from ingest.store.temporary_files import write_unlinked

router = APIRouter(tags=["figures"])
exports = APIRouter(tags=["exports"])
FILTER_NOT_ALLOWED = N_("{name} cannot be used here: {why}")
ONE_ANNOUNCEMENT_A_ROW = N_("each row has one announcement already, of all deals.")
BEING_RATED = N_("The first matches of this ladder are being rated: ask again after Retry-After seconds.")
RATING_RETRY_SECONDS = 1
TWO_SIDES_NEEDED = N_("Name two different sides of one player each, or of two partners each.")

Key = StrEnum("Key", {key: key for key in announced.GROUP_KEYS})  # type: ignore[misc]


COUNT_DESCRIPTION = "How often each is made, is missed, or wins; or is dealt, next to its exact probability."


class AnnouncementCount(StrEnum):
    """The unit in which announcements are counted."""

    ANNOUNCEMENTS = "announcements"
    MISSED = "missed"
    WINNING = "winning"
    DEALT = "dealt"


async def stats_request(
    game: Game | None = None,
    player_count: Annotated[int | None, Query(description="Of each match.", ge=2, le=5), WHOLE_NUMBER] = None,
    preset: Preset | None = None,
    since: date | None = None,
    until: date | None = None,
    event: Text = None,
    opponent: Text = None,
    source: Text = None,
    status: Statuses = None,
    score_sheets: Annotated[bool, Query(description="Count score sheets too.")] = False,
) -> stats_query.StatsRequest:
    """Return the filters of `retourne stats`; by default, the game and table with most deals."""
    fields = {"event": event, "opponent": opponent, "source": source, "game": game, "preset": preset}
    some: Any = {name: value or None for name, value in fields.items()}
    some |= {"player_count": player_count, "since": since, "until": until, "score_sheets": score_sheets}
    return stats_query.StatsRequest(stats_query.Subject.PLAYERS, **some, status=tuple(map(str, status or ())))


StatsRequestParam = Annotated[stats_query.StatsRequest, Depends(stats_request)]


def _scope_or_problem(query: stats_query.StatsRequest, t: Translate, *seated: int) -> Scope:
    """Return the deals to count. Problem: there are none, or a filter does not fit the others."""
    if (found := stats_query.unsupported_filter(query, t)) is not None:
        raise Problem(422, FILTER_NOT_ALLOWED, name=found[0], why=found[1])
    opponent = None if query.opponent is None else number_of(query.opponent)
    own = stats_query.without_hidden_names(query, cached_query(player_search.masked_player_names))
    return stats_query.scope_of(open_store().cursor(), own, seated, opponent)


def _unknown_names(*numbers: int) -> list[Any]:
    return [
        {"player_id": player_id, "name": name}
        for player_id, name in cached_query(player_search.ids_and_names, *numbers)
    ]


def _scoped_rows(frames: stats_query.ResultFrames, which: Scope, **fields: Any) -> Response:
    """Return rows and their scope; masked names are removed from free texts of logs."""
    hide = redactor_for(cached_query(player_search.masked_player_names))
    shown: Any = (
        redact_frame(frames, hide)
        if isinstance(frames, pl.DataFrame)
        else {name: redact_frame(frame, hide) for name, frame in frames.items()}
    )
    scope = asdict(which)
    scope |= {name: original_text(scope[name]) for name in ("event", "source")}
    for day in ("since", "until"):
        scope[day] = scope[day] and scope[day].isoformat()
    if which.opponent is not None:
        [scope["opponent"]] = _unknown_names(which.opponent)
    return rows_response(shown, **fields, scope=scope)


def _count_for_all(query: stats_query.StatsRequest, t: Translate, **more: Any) -> Response:
    """Return statistics of all players, with their basis where it is known."""
    which = _scope_or_problem(query, t)
    result = stats_query.scope_note(open_store().cursor(), query, which, t)
    fields = more if result is None else {"scope_note": result, **more}
    return _scoped_rows(stats_query.run_stats_query(cached_query, query, which), which, **fields)


@router.get("/players", responses=response_specs(Rows, 401, 404))
@limited(rate_limits.stats_limiter)
def players(who: Reader, query: StatsRequestParam, t: Texts) -> Response:
    """List the players, those with the most matches first."""
    return _count_for_all(query, t)


@router.get("/players/{id}", responses=response_specs(Rows, 401, 404, 410))
@limited(rate_limits.stats_limiter)
def player(
    who: Reader,
    id: Annotated[str, Path(description="An id, or a name.", max_length=200)],
    query: StatsRequestParam,
    t: Texts,
) -> Response:
    """Return one player's statistics; each row begins with its `section`."""
    number = number_of(id)
    own = replace(query, subject=stats_query.Subject.PLAYER)
    which = _scope_or_problem(own, t, number)
    return _scoped_rows(
        stats_query.run_stats_query(cached_query, own, which, number), which, player=_unknown_names(number)[0]
    )


@router.get("/announcements", responses=response_specs(Rows, 401, 404))
@limited(rate_limits.stats_limiter)
def announcements(
    who: Reader,
    query: StatsRequestParam,
    t: Texts,
    count: Annotated[
        AnnouncementCount, Query(description=COUNT_DESCRIPTION)
    ] = AnnouncementCount.ANNOUNCEMENTS,
    by: Annotated[Key | None, Query(description="Split announcements by this.")] = None,
) -> Response:
    """Count how often each announcement is made, with n and the interval of its share."""
    if by is not None and count is not AnnouncementCount.ANNOUNCEMENTS:
        raise Problem(422, FILTER_NOT_ALLOWED, name="by", why=t(ONE_ANNOUNCEMENT_A_ROW))
    return _count_for_all(replace(query, subject=stats_query.Subject(count), by=by and str(by)), t)


@router.get("/fairness", responses=response_specs(Rows, 401, 404))
@limited(rate_limits.stats_limiter)
def fairness(who: Reader, query: StatsRequestParam, t: Texts) -> Response:
    """Test the fairness of each source’s shuffle, of those with enough deals to decide."""
    return _count_for_all(replace(query, subject=stats_query.Subject.FAIRNESS), t)


@router.get("/ladder", responses=response_specs(Rows, 401, 404))
@limited(rate_limits.stats_limiter)
def standings(who: Reader, query: StatsRequestParam, t: Texts) -> Response:
    """Return the ladder of a game and its rules, best first; of all table sizes by default.

    `is_current` is false while matches that were just added, replaced or deleted are being rated. If the
    ladder has no other match yet, the answer is a 503 with Retry-After.
    """
    is_current = are_ladders_current(open_store())
    try:
        return _count_for_all(replace(query, subject=stats_query.Subject.LADDER), t, is_current=is_current)
    except stats_query.Nothing:
        if is_current:
            raise
        raise Problem(503, BEING_RATED).retry_after(RATING_RETRY_SECONDS) from None


@router.get("/head-to-head", responses=response_specs(Rows, 401, 404, 410))
@limited(rate_limits.stats_limiter)
def head_to_head(
    who: Reader,
    first: Annotated[list[str], Query(description="An id or a name; of partners two.", max_length=2)],
    second: Annotated[list[str], Query(description="The other side.", max_length=2)],
    query: StatsRequestParam,
    t: Texts,
) -> Response:
    """Compare two sides: score, margins, series and announcements, each row with its `section`."""
    sides = tuple(map(number_of, first)), tuple(map(number_of, second))
    together = len({*sides[0], *sides[1]})
    if not 1 <= len(first) == len(second) <= 2 or together != len(first) + len(second):
        raise Problem(422, TWO_SIDES_NEEDED)
    which = _scope_or_problem(query, t, *sides[0], *sides[1])
    if len(sides[0]) > 1 and not game_of(which.game).partners:
        raise Problem(422, TWO_SIDES_NEEDED)
    cursor = open_store().cursor()
    series = duels.series_counts(cursor, which, *sides)
    if not any(series.values()):
        raise Problem(404, N_("These two players have not met (with these filters)."))
    found = {
        "score": duels.score_table(cursor, which, *sides),
        "margins": duels.margins(cursor, which, *sides),
        "streaks": duels.streaks(duels.opposed_matches(cursor, which, *sides)),
        "widest": duels.widest_margins(cursor, which, *sides),
        "announcements": duels.announcement_counts(cursor, which, *sides),
    }
    fields = {"first": _unknown_names(*sides[0]), "second": _unknown_names(*sides[1]), "series": series}
    return _scoped_rows(found, which, **fields)


@router.get("/compare", responses=response_specs(Rows, 401, 404, 410))
@limited(rate_limits.stats_limiter)
def compare(
    who: Reader,
    player: Annotated[list[str], Query(description="An id or a name; two to four.", max_length=MAX_COMPARED)],
    query: StatsRequestParam,
    t: Texts,
) -> Response:
    """Compare two to four players, a row per figure and player, under the same rules."""
    numbers = tuple(map(number_of, player))
    if not 2 <= len(set(numbers)) == len(numbers):
        raise Problem(422, stats_query.TWO_TO_FOUR, most=MAX_COMPARED)
    own = replace(query, subject=stats_query.Subject.COMPARE)
    which = _scope_or_problem(own, t, numbers[0])
    found = stats_query.run_stats_query(cached_query, own, which, compared=numbers)
    return _scoped_rows(found, which, players=_unknown_names(*numbers))


@router.get("/find", responses=response_specs(FoundDeals, 401))
@limited(rate_limits.stats_limiter)
def found_deals(
    who: Reader,
    q: Annotated[str, Query(description="A search, such as `player:Lucie won>=50`.", max_length=1000)],
    limit: Annotated[int, Query(ge=1, le=find_result.MAX_DEALS), WHOLE_NUMBER] = 10,
    offset: Annotated[int, Query(ge=0, le=10_000_000), WHOLE_NUMBER] = 0,
    seconds: Annotated[
        int,
        Query(ge=1, le=find_result.MAX_SECONDS, description="How long words about plays are counted."),
        WHOLE_NUMBER,
    ] = 1,
) -> Response:
    """Find deals, as `retourne find`: the `count` of all, and rows of some, last played first."""
    found = find_result.run_search(open_store().cursor(), q, limit, offset, seconds=seconds)
    played = None if found.played is None else found.played.to_dicts()
    return rows_response(
        found.deals, count=found.total, is_counted=found.is_counted, read=found.read, played=played
    )


@router.get("/find/months", responses=response_specs(Rows, 401))
@limited(rate_limits.stats_limiter)
def found_months(
    who: Reader,
    q: Annotated[str, Query(description="A search, such as `player:Lucie won>=50`.", max_length=1000)],
) -> Response:
    """Count by month the deals that a search finds and all deals, with the share and its interval."""
    return rows_response(find_result.search_by_month(open_store().cursor(), q))


EXPORT_TYPES = {
    Format.PARQUET: "application/vnd.apache.parquet",
    Format.CSV: "text/csv; charset=utf-8",
    Format.JSONL: NDJSON_TYPE,
    Format.ENGLISH_CSV: "text/csv; charset=utf-8",
    Format.FRENCH_CSV: "text/csv; charset=utf-8",
}
LOGS_FILE = "logs.jsonl"
EXPORT_FILES = [LOGS_FILE, *(f"{table}.{kind}" for table in Table for kind in Format)]
BINARY_CONTENT = {"schema": {"type": "string", "format": "binary"}}
EXPORT_CONTENT = {kind.partition(";")[0]: BINARY_CONTENT for kind in EXPORT_TYPES.values()}


@exports.get(
    "/exports/{file}",
    response_class=Response,
    responses=response_specs({200: {"content": EXPORT_CONTENT}}, 401, 404),
)
async def export(
    who: Reader,
    request: Request,
    file: Annotated[str, Path(json_schema_extra={"enum": EXPORT_FILES})],
    which: Which,
    anonymous: Annotated[
        bool, Query(description="Pseudonyms for all players, and no words of the logs’ own.")
    ] = False,
    keep_fields: Annotated[
        list[KeepField], Query(description="With `anonymous`: words of the logs to keep.", max_length=9)
    ] = [],  # noqa: B006
) -> Response:
    """Export a table, or the logs one per line, of the matches that Parties’ filters select."""
    if file not in EXPORT_FILES:
        raise HTTPException(404)
    release = rate_limits.export_slots.take(rate_limits.client_key(request.scope))
    try:
        made = await to_thread.run_sync(
            _write_export, file, which, anonymous, keep_fields, limiter=rate_limits.export_limiter
        )
    except BaseException:
        release()
        raise
    weakref.finalize(made, release)  # however the answer ends
    kind = Format(file.partition(".")[2])
    named = {
        "Content-Disposition": f'attachment; filename="retourne-{file}"',
        "Content-Length": str(os.fstat(made.fileno()).st_size),
    }
    return StreamingResponse(stream_file(made, nullcontext()), headers=named, media_type=EXPORT_TYPES[kind])


@retrying
def _write_export(file: str, which: MatchFilter, anonymous: bool, keep_fields: list[KeepField]) -> IO[bytes]:
    """Write an export; return it as an open file without a name."""
    chosen = ALL_MATCHES if which == MatchFilter() else MatchSelection(*which.where(open_store().cursor()))
    table, _, kind = file.partition(".")

    def write(path: File) -> None:
        if file == LOGS_FILE:
            with path.open("wb") as written:
                write_logs(open_store(), written, chosen, anonymous, keep_fields)
        else:
            write_table(open_store(), Table(table), Format(kind), path, chosen, anonymous, keep_fields)

    return write_unlinked(write)[0]
