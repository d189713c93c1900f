"""Routes for stored matches: list in pages (pagination), detail, log, delete, undelete."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from functools import partial
from hashlib import blake2b
from typing import Annotated, Any

import orjson
from anyio import CapacityLimiter
from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from dashboard.api import check_worker, models, params
from dashboard.api.auth import Contributor, Reader, acting_as_principal, check_role
from dashboard.api.content_negotiation import Texts
from dashboard.api.params import WHOLE_NUMBER, Game, Kind, Preset
from dashboard.api.problems import Problem
from dashboard.api.responses import JSON_TYPE, json_response, limited, retrying
from dashboard.board.html_file import STATIC_URL
from dashboard.board.offline_replay import with_image_urls
from dashboard.board.states import deal_states, unreplayable_state
from dashboard.queries import endgame_losses, matches, player_search
from dashboard.queries.matches import SORT_KEYS, MatchFilter, SortPosition
from dashboard.store import LruCache, cached_query, open_store, validated_match
from dashboard.tables.redacted import SINGLE_WORD_COLUMNS, redact_frame, redactor_for, searchable_text
from engine.games import game_names
from engine.sampling import NotSampled, SampledCards
from ingest.api import check_text
from ingest.findings.finding import STATUSES
from ingest.i18n import N_
from ingest.reader import files
from ingest.store import trash, worker_pool
from ingest.store.audit import deletions_by_token, file_numbers_by_token
from ingest.store.raw_texts import find_matches
from ingest.store.tokens import Role
from ingest.store.tombstones import is_purged
from ingest.validate.solver_report import SampledCard

router = APIRouter(tags=["matches"])
AMBIGUOUS_ID = N_(
    "Several matches have this log id. Use one of those in ids, such as: GET /api/v1/matches/{id}"
)
MAX_SAME_ID = 100
"""Matches of one id that an error lists."""
NO_ACTION = N_("This deal has no such action: its actions are 1 to {count}.")
NOT_IN_TRASH = N_("The trash has no such match.")
MATCH_ALREADY_STORED = N_("This match is in the store already.")
# not by event: a cursor holds the sort value, and an event may contain a player's name
Sort = StrEnum("Sort", {name: name for name in matches.SORT_KEYS if name != "event"})  # type: ignore[misc]
Status = StrEnum("Status", {name: name for name in STATUSES})  # type: ignore[misc]

MAX_INT64 = (1 << 63) - 1
Text = Annotated[str | None, Query(max_length=200)]
People = Annotated[list[str] | None, Query(description="Who sat at the table: ids, or names.", max_length=8)]
Statuses = Annotated[list[Status] | None, Query(description="Any of these verdicts.")]
ID_DESCRIPTION = "The store’s id, its first digits (8 at least), or the log’s own id."
Id = Annotated[str, Path(description=ID_DESCRIPTION, max_length=200)]
Number = Annotated[int, Path(description="From 1.", ge=1, le=1_000_000), WHOLE_NUMBER]
StoreId = Annotated[
    str, Path(description="The store’s id, or its first digits (8 at least).", max_length=200)
]


def match_filter(
    q: Annotated[str, Query(description="Player, event or id.", max_length=200)] = "",
    game: Game | None = None,
    preset: Preset | None = None,
    status: Statuses = None,
    player: People = None,
    event: Text = None,
    log_id: Annotated[
        str | None, Query(description="The id a log gives itself, as it is.", max_length=1000)
    ] = None,
    file_no: Annotated[
        int | None,
        Query(description="The number of a file, as webhooks are told it.", ge=0, le=MAX_INT64),
        WHOLE_NUMBER,
    ] = None,
    since: date | None = None,
    until: date | None = None,
    kind: Annotated[Kind | None, Query(description="An announcement somebody made.")] = None,
    has_turning_point: Annotated[
        bool, Query(description="Only matches with a deal in whose endgame the winner turned.")
    ] = False,
) -> MatchFilter:
    """Return the filters of the page *Matches*, which uses the same parameter names; empty: any."""
    hide = redactor_for(cached_query(player_search.masked_player_names))
    return MatchFilter(
        words=q,
        redactor=hide,
        statuses=tuple(map(str, status or ())),
        preset=preset or None,
        game=game or None,
        players=tuple(map(params.number_of, player or ())),
        event=searchable_text(event or None, hide, SINGLE_WORD_COLUMNS["event"]),
        log_id=searchable_text(log_id or None, hide, SINGLE_WORD_COLUMNS["log_id"]),
        files=None if file_no is None else (file_no,),
        since=since,
        until=until,
        kind=kind or None,
        has_turning_point=has_turning_point,
    )


MatchFilterParam = Annotated[MatchFilter, Depends(retrying(match_filter))]


@router.get("/matches", responses=models.response_specs(models.Matches, 401, 404))
@retrying
def listed(
    who: Reader,
    which: MatchFilterParam,
    sort: Sort = Sort("played"),  # noqa: B008
    limit: Annotated[int, Query(ge=1, le=500), WHOLE_NUMBER] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the page before.", max_length=400)] = None,
) -> Response:
    """List matches page by page; no page repeats or omits one while others are added."""
    after = _parse_cursor(cursor, sort) if cursor else None
    found = cached_query(matches.match_page, which, limit + 1, sort=str(sort), after=after)
    shown = found.head(limit)
    following = None
    if found.height > limit:
        place = cached_query(matches.sort_position, int(shown["match_no"][-1]), str(sort))
        if place is not None:
            following = urlsafe_b64encode(orjson.dumps([sort, *place])).decode().rstrip("=")
    shown = redact_frame(shown, redactor_for(cached_query(player_search.masked_player_names)))
    return json_response({"matches": list(map(_match_json, shown.iter_rows(named=True))), "next": following})


def _parse_cursor(cursor: str, sort: str) -> SortPosition:
    """Parse a cursor into a position. Problem: it does not belong to this order."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        order, *values = orjson.loads(urlsafe_b64decode(padded))
        if order != sort or len(values) != len(SORT_KEYS[sort]):
            raise ValueError
        return tuple(
            _cursor_value(value, key.sql_type) for value, key in zip(values, SORT_KEYS[sort], strict=True)
        )
    except (ValueError, TypeError, UnicodeError, OverflowError):
        raise Problem(422, N_("This cursor is none that was given for this order.")) from None


def _cursor_value(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "TIMESTAMPTZ":
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError
        return moment
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > MAX_INT64:
        raise ValueError
    return value


def _match_json(row: Mapping[str, Any]) -> dict[str, Any]:
    columns = {"deal_count": "deals"}
    fields = {name: row[columns.get(name, name)] for name in models.Match.model_fields if name != "players"}
    fields |= {name: row[name] and row[name].isoformat() for name in ("played_at", "played_on")}
    seats = [row[name] or [] for name in ("names", "ids", "score", "manches_won")]
    fields["players"] = [
        {"seat": seat, "name": name, "player_id": player_id, "score": points, "manches": won}
        for seat, (name, player_id, points, won) in enumerate(zip(*seats, strict=True), 1)
    ]
    return fields


def match_number(id: str) -> int:
    """Return the number of a match. Problem: the id is unknown, ambiguous, deleted or purged."""
    found = find_matches(open_store().cursor(), id, MAX_SAME_ID)
    if not found:
        raise params.absent(id)
    if len(found) > 1:
        raise Problem(409, AMBIGUOUS_ID, id=found[0][1]).with_members(ids=[known for _, known in found])
    return found[0][0]


@router.get("/matches/{id}", responses=models.response_specs(models.MatchDetail, 401, 404, 409, 410))
@retrying
def one(who: Reader, id: Id) -> Response:
    """Return one match, with its deals."""
    number = match_number(id)
    [(_, known)] = open_store().cursor().execute(_FILE_OF_MATCH, [number]).fetchall()
    found = redact_frame(
        cached_query(matches.match_page, MatchFilter(ids=(known,)), 1),
        redactor_for(cached_query(player_search.masked_player_names)),
    )
    worth = _endgame_values(number)
    deals = [
        row | {"values": worth.get(row["deal_number"] - 1)}
        for row in cached_query(matches.match_deals, number).iter_rows(named=True)
    ]
    return json_response(_match_json(found.row(0, named=True)) | {"deals": deals})


def _endgame_values(number: int) -> dict[int, dict[str, Any]]:
    """Return what the end of each deal of a match was worth, by the deal's index."""
    rows = cached_query(endgame_losses.endgame_values_of, number).iter_rows(named=True)
    return {row.pop("deal_index"): row for row in rows}


BINARY_TYPE = "application/octet-stream"
LOG_CONTENT = {JSON_TYPE: {"schema": {}}, BINARY_TYPE: {"schema": {"type": "string", "format": "binary"}}}


@router.get(
    "/matches/{id}/log",
    response_class=Response,
    responses=models.response_specs({200: {"content": LOG_CONTENT}}, 401, 404, 409, 410),
)
@retrying
def log(who: Reader, id: Id) -> Response:
    """Return the log exactly as it was added, except for the names of masked players."""
    # a local command may find a match by an id that contains a masked name, as it can in the file
    number = open_store().find_match(id, include_masked=True) if who.is_local else None
    text = open_store().read_match_text(match_number(id) if number is None else number)
    name = {"Content-Disposition": 'attachment; filename="match.json"'}
    try:
        orjson.loads(text)
    except ValueError:  # not JSON: no browser may display it
        return Response(text, headers=name, media_type=BINARY_TYPE)
    return Response(text, headers=name, media_type=JSON_TYPE)


@router.get("/matches/{id}/findings", responses=models.response_specs(models.Findings, 401, 404, 409, 410))
@retrying
def findings(who: Reader, id: Id, t: Texts) -> Response:
    """List the findings of a match, each with the edit that corrects it if there is one."""
    number = match_number(id)
    result = check_text(open_store().read_match_text(number)).as_dict(t)
    [(_, known)] = open_store().cursor().execute(_FILE_OF_MATCH, [number]).fetchall()
    return json_response(
        {"match_id": known, **{name: result[name] for name in ("status", "findings", "sheet")}}
    )


@router.get(
    "/matches/{id}/deals/{deal_number}",
    responses=models.response_specs(models.BoardStates, 401, 404, 409, 410),
)
@retrying
def deal(who: Reader, id: Id, deal_number: Number, t: Texts) -> Response:
    """Return a deal state by state, as the replay board receives it."""
    number = match_number(id)
    found = validated_match(number)
    if found.match is None or not found.match.deals or found.match.game not in game_names():
        raise Problem(404, params.NO_BOARD)
    count = len(found.match.deals)
    if deal_number > count:
        raise Problem(404, params.NO_DEAL, count=count)

    def whole(address: str) -> str:
        """Return an absolute picture path: the board's are relative to a page."""
        return f"/{address.removeprefix('./')}" if address.startswith(STATIC_URL) else address

    shown = deal_states(found, deal_number - 1, t) or unreplayable_state(found, deal_number - 1, t)
    values = _endgame_values(number).get(deal_number - 1)
    return json_response(with_image_urls(shown, whole) | {"values": values})


_chance_cache: LruCache[SampledCards | NotSampled] = LruCache(4096)
"""Results by log, deal and action."""
sampling_limiter = CapacityLimiter(2)
"""Limits how many cards are sampled at a time; further requests wait."""


@router.get(
    "/matches/{id}/deals/{deal_number}/sample/{action_number}",
    responses=models.response_specs(models.Sampled, 401, 404, 409, 410),
)
@limited(sampling_limiter)
def chance(who: Reader, id: Id, deal_number: Number, action_number: Number, t: Texts) -> Response:
    """Estimate what a card was worth, over deals that fit what its player could see."""
    number = match_number(id)
    found = validated_match(number)
    deals = found.match.deals if found.match is not None and found.setup is not None else []
    if deal_number > len(deals):
        raise Problem(404, params.NO_DEAL, count=len(deals))
    if action_number > len(deals[deal_number - 1].actions):
        raise Problem(404, NO_ACTION, count=len(deals[deal_number - 1].actions))
    text = open_store().read_match_text(number)
    key = blake2b(text, digest_size=16).digest(), deal_number, action_number
    card = partial(check_worker.sample_card_of, deal_number - 1, action_number - 1)
    chances = _chance_cache.get(
        key, lambda: worker_pool.run_on_batch(card, files.Batch("", [files.MatchText(1, text)], []))
    )
    sampled = SampledCard("", 1, None, deal_number - 1, action_number - 1, chances, found.known_setup.game)
    result = sampled.as_dict(t) | {"action_number": action_number}
    return json_response({name: result[name] for name in models.Sampled.model_fields})


@router.delete("/matches/{id}", responses=models.response_specs(models.Deleted, 401, 403, 404, 409, 410))
def delete(who: Contributor, id: Id) -> Response:
    """Move a match to the trash, out of lists and statistics; emptying the trash deletes it.

    Contributors may delete the matches they added.
    """
    number = match_number(id)
    cursor = open_store().cursor()
    [(file_no, known)] = cursor.execute(_FILE_OF_MATCH, [number]).fetchall()
    check_role(
        who, Role.CONTRIBUTOR if file_no in file_numbers_by_token(cursor, who.token_no) else Role.ADMIN
    )
    with acting_as_principal(who):
        deletion = trash.delete_matches(open_store(), [number])
    if deletion is None:  # another request deleted it first
        raise Problem(410, params.DELETED)
    return json_response({"match_id": known, "deletion": deletion})


_FILE_OF_MATCH = "SELECT file_no, match_id FROM matches WHERE match_no = ?"


@router.post(
    "/matches/{id}/undelete", responses=models.response_specs(models.Undeleted, 401, 403, 404, 409, 410)
)
def undelete(who: Contributor, id: StoreId) -> Response:
    """Undelete a match, by the store’s id.

    Contributors may undelete the matches they deleted themselves.
    """
    cursor = open_store().cursor()
    found = trash.find_deleted(cursor, id)
    if found is None:
        number_or_none = open_store().find_match(id)
        if number_or_none is not None:
            raise Problem(409, MATCH_ALREADY_STORED)
        raise (
            Problem(410, params.MATCH_REMOVED) if is_purged(open_store(), id) else Problem(404, NOT_IN_TRASH)
        )
    own = found.deletion in deletions_by_token(cursor, who.token_no)
    check_role(who, Role.CONTRIBUTOR if own else Role.ADMIN)
    with acting_as_principal(who):
        try:
            came, _ = trash.undelete_matches(open_store(), found.deletion, found.match_no)
        except KeyError:  # another request restored it first
            raise Problem(404, NOT_IN_TRASH) from None
    if not came:
        raise Problem(409, MATCH_ALREADY_STORED)
    return json_response({"match_id": found.match_id})
