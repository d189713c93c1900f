"""Matches of the store: the list as Parties filters it, one of them, deleted and brought back."""

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
from dashboard.api.auth import Contributor, Reader, acting, refuse
from dashboard.api.content_negotiation import Texts
from dashboard.api.params import WHOLE, Game, Kind, Rules
from dashboard.api.problems import Problem
from dashboard.api.responses import JSON, answered, in_turn, steadily
from dashboard.board.offline import STATIC, with_pictures
from dashboard.board.states import deal_states, hollow
from dashboard.queries import endgame_losses, matches, player_search
from dashboard.queries.matches import KEYS, Filter, Place
from dashboard.store import Newest, answer, explained, store
from dashboard.tables.redacted import JOINED, hide_of, readable, sought
from engine.games import names
from engine.sampling import Chances, Unsampled
from ingest.api import check_text
from ingest.findings.finding import STATUSES
from ingest.i18n import N_
from ingest.reader import files
from ingest.store import trash, worker_pool
from ingest.store.audit import deletions_of, files_of
from ingest.store.raw_texts import called
from ingest.store.tokens import Role
from ingest.store.tombstones import is_gone
from ingest.validate.solver_report import SampledCard

router = APIRouter(tags=["matches"])
SEVERAL = N_("Several matches have this id: ask by one of the store’s, in ids.")
SAME = 100
"""Matches of one id that are told."""
NO_ACTION = N_("This deal has no such action: its actions are 1 to {count}.")
NOT_DELETED = N_("No such match lies in the trash.")
KNOWN = N_("This match is in the store already.")
# by the last thing a match is sorted by, which no name is in: an event may have one
Sort = StrEnum("Sort", {name: name for name in matches.KEYS if name != "event"})  # type: ignore[misc]
Status = StrEnum("Status", {name: name for name in STATUSES})  # type: ignore[misc]

BIGGEST = (1 << 63) - 1
Text = Annotated[str | None, Query(max_length=200)]
People = Annotated[
    list[str] | None, Query(description="Who sat at the table: ids, or names.", max_length=8)
]
Statuses = Annotated[list[Status] | None, Query(description="Any of these verdicts.")]
BY_ID = "The store’s id, its first digits (8 at least), or the log’s own id."
Id = Annotated[str, Path(description=BY_ID, max_length=200)]
Number = Annotated[int, Path(description="From 1.", ge=1, le=1_000_000), WHOLE]
StoreId = Annotated[
    str, Path(description="The store’s id, or its first digits (8 at least).", max_length=200)
]


def chosen(
    q: Annotated[str, Query(description="Player, event or id.", max_length=200)] = "",
    game: Game | None = None,
    rules: Rules | None = None,
    status: Statuses = None,
    player: People = None,
    event: Text = None,
    log_id: Annotated[
        str | None, Query(description="The id a log gives itself, as it is.", max_length=1000)
    ] = None,
    file_no: Annotated[
        int | None,
        Query(description="The number of a file, as webhooks are told it.", ge=0, le=BIGGEST),
        WHOLE,
    ] = None,
    since: date | None = None,
    until: date | None = None,
    kind: Annotated[Kind | None, Query(description="An announcement somebody made.")] = None,
    turned: Annotated[
        bool, Query(description="Only with a deal in whose end the winner turned.")
    ] = False,
) -> Filter:
    """The filters of Parties, which has them in its address by the same names; empty is any."""
    hide = hide_of(answer(player_search.hidden))
    return Filter(
        words=q,
        hide=hide,
        statuses=tuple(map(str, status or ())),
        preset=rules or None,
        game=game or None,
        players=tuple(map(params.number_of, player or ())),
        event=sought(event or None, hide, JOINED["event"]),
        log_id=sought(log_id or None, hide, JOINED["log_id"]),
        files=None if file_no is None else (file_no,),
        since=since,
        until=until,
        kind=kind or None,
        turned=turned,
    )


Chosen = Annotated[Filter, Depends(steadily(chosen))]


@router.get("/matches", responses=models.answers(models.Matches, 401, 404))
@steadily
def listed(
    who: Reader,
    which: Chosen,
    sort: Sort = Sort("played"),  # noqa: B008
    limit: Annotated[int, Query(ge=1, le=500), WHOLE] = 50,
    cursor: Annotated[
        str | None, Query(description="`next` of the page before.", max_length=400)
    ] = None,
) -> Response:
    """Matches, a page at a time; no page repeats or omits one while others are added."""
    after = _read(cursor, sort) if cursor else None
    found = answer(matches.page, which, limit + 1, sort=str(sort), after=after)
    shown = found.head(limit)
    following = None
    if found.height > limit:
        place = answer(matches.place, int(shown["match_no"][-1]), str(sort))
        if place is not None:
            following = urlsafe_b64encode(orjson.dumps([sort, *place])).decode().rstrip("=")
    shown = readable(shown, hide_of(answer(player_search.hidden)))
    return answered({"matches": list(map(_row, shown.iter_rows(named=True))), "next": following})


def _read(cursor: str, sort: str) -> Place:
    """The place a cursor stands for. Problem: it is none of this order."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        order, *values = orjson.loads(urlsafe_b64decode(padded))
        if order != sort or len(values) != len(KEYS[sort]):
            raise ValueError
        return tuple(_value(value, key.kind) for value, key in zip(values, KEYS[sort], strict=True))
    except (ValueError, TypeError, UnicodeError, OverflowError):
        raise Problem(422, N_("This cursor is none that was given for this order.")) from None


def _value(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "TIMESTAMPTZ":
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError
        return moment
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > BIGGEST:
        raise ValueError
    return value


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of `queries.matches.page` as it is answered."""
    columns = {"id": "match_id", "rules": "preset"}
    told = {
        name: row[columns.get(name, name)]
        for name in models.Match.model_fields
        if name != "players"
    }
    told["played_at"] = row["played_at"] and row["played_at"].isoformat()
    seats = [row[name] or [] for name in ("names", "ids", "score", "manches_won")]
    told["players"] = [
        {"seat": seat, "name": name, "id": id, "score": points, "manches": won}
        for seat, (name, id, points, won) in enumerate(zip(*seats, strict=True), 1)
    ]
    return told


def number_of(id: str) -> int:
    """The number of a match. Problem: there is none, or several, or it was deleted or purged."""
    found = called(store().cursor(), id, SAME)
    if not found:
        raise params.absent(id)
    if len(found) > 1:
        raise Problem(409, SEVERAL).telling(ids=[known for _, known in found])
    return found[0][0]


@router.get("/matches/{id}", responses=models.answers(models.OneMatch, 401, 404, 409, 410))
@steadily
def one(who: Reader, id: Id) -> Response:
    """One match, with its deals."""
    number = number_of(id)
    [(_, known)] = store().cursor().execute(_FILE, [number]).fetchall()
    found = readable(
        answer(matches.page, Filter(ids=(known,)), 1), hide_of(answer(player_search.hidden))
    )
    worth = _values(number)
    deals = [
        row | {"values": worth.get(row["number"])}
        for row in answer(matches.deals, number).iter_rows(named=True)
    ]
    return answered(_row(found.row(0, named=True)) | {"per_deal": deals})


def _values(number: int) -> dict[int, dict[str, Any]]:
    """What the end of each deal of a match was worth, by the deal's number from 1.

    Actions are counted from 1, as the addresses of actions are.
    """

    def from_one(told: dict[str, Any], *names: str) -> dict[str, Any]:
        return told | {name: None if told[name] is None else told[name] + 1 for name in names}

    found = {}
    for row in answer(endgame_losses.of_deals, number).iter_rows(named=True):
        told = from_one(row, "begins", "turning")
        told["seats"] = told["seats"] and [from_one(one, "dearest") for one in told["seats"]]
        found[told.pop("number")] = told
    return found


BYTES = "application/octet-stream"
LOG = {JSON: {"schema": {}}, BYTES: {"schema": {"type": "string", "format": "binary"}}}


@router.get(
    "/matches/{id}/log",
    response_class=Response,
    responses=models.answers({200: {"content": LOG}}, 401, 404, 409, 410),
)
@steadily
def log(who: Reader, id: Id) -> Response:
    """The log exactly as it came, but for the names of masked players."""
    # a command finds a match by an id with a hidden name in it, as it does where it has the store
    number = store().find(id, hidden=True) if who.here else None
    text = store().text(number_of(id) if number is None else number)
    name = {"Content-Disposition": 'attachment; filename="match.json"'}
    try:
        orjson.loads(text)
    except ValueError:  # whatever it is, no browser shows it
        return Response(text, headers=name, media_type=BYTES)
    return Response(text, headers=name, media_type=JSON)


@router.get("/matches/{id}/findings", responses=models.answers(models.Findings, 401, 404, 409, 410))
@steadily
def findings(who: Reader, id: Id, t: Texts) -> Response:
    """What is wrong with a match, each with the edit that fixes it where one does."""
    number = number_of(id)
    told = check_text(store().text(number)).as_dict(t)
    [(_, known)] = store().cursor().execute(_FILE, [number]).fetchall()
    return answered({"id": known, **{name: told[name] for name in ("status", "findings", "sheet")}})


@router.get("/matches/{id}/deals/{n}", responses=models.answers(models.Board, 401, 404, 409, 410))
@steadily
def deal(who: Reader, id: Id, n: Number, t: Texts) -> Response:
    """A deal, state by state, as the replay board is told it."""
    number = number_of(id)
    found = explained(number)
    if found.match is None or not found.match.deals or found.match.game not in names():
        raise Problem(404, params.NO_BOARD)
    count = len(found.match.deals)
    if n > count:
        raise Problem(404, params.NO_DEAL, count=count)

    def whole(address: str) -> str:
        """A picture's path from the top: the board's begins at a page, and a program is on none."""
        return f"/{address.removeprefix('./')}" if address.startswith(STATIC) else address

    shown = deal_states(found, n - 1, t) or hollow(found, n - 1, t)
    return answered(with_pictures(shown, whole) | {"values": _values(number).get(n)})


CARDS: Newest[Chances | Unsampled] = Newest(4096)
"""What is known of cards, by the log, the deal and the action."""
SAMPLING = CapacityLimiter(2)
"""So many cards are sampled at a time; who asks for more waits."""


@router.get(
    "/matches/{id}/deals/{n}/chance/{action}",
    responses=models.answers(models.Sampled, 401, 404, 409, 410),
)
@in_turn(SAMPLING)
def chance(who: Reader, id: Id, n: Number, action: Number, t: Texts) -> Response:
    """What a card was worth, over deals that fit what its player could see."""
    number = number_of(id)
    found = explained(number)
    deals = found.match.deals if found.match is not None and found.table is not None else []
    if n > len(deals):
        raise Problem(404, params.NO_DEAL, count=len(deals))
    if action > len(deals[n - 1].actions):
        raise Problem(404, NO_ACTION, count=len(deals[n - 1].actions))
    text = store().text(number)
    key = blake2b(text, digest_size=16).digest(), n, action
    card = partial(check_worker.sampled, n - 1, action - 1)
    chances = CARDS.get(
        key, lambda: worker_pool.done(card, files.Batch("", [files.Text(1, text)], []))
    )
    assert found.table is not None
    told = SampledCard("", 1, None, n - 1, action - 1, chances, found.table.game).as_dict(t)
    return answered({name: told[name] for name in models.Sampled.model_fields} | {"action": action})


@router.delete("/matches/{id}", responses=models.answers(models.Deleted, 401, 403, 404, 409, 410))
def delete(who: Contributor, id: Id) -> Response:
    """Take a match out of every list and figure; its text is kept until the trash is emptied.

    Contributors take back what they added.
    """
    number = number_of(id)
    ask = store().cursor()
    [(file_no, known)] = ask.execute(_FILE, [number]).fetchall()
    refuse(who, Role.CONTRIBUTOR if file_no in files_of(ask, who.token_no) else Role.ADMIN)
    with acting(who):
        deletion = trash.delete(store(), [number])
    if deletion is None:  # another was faster
        raise Problem(410, params.DELETED)
    return answered({"id": known, "deletion": deletion})


_FILE = "SELECT file_no, match_id FROM matches WHERE match_no = ?"


@router.post(
    "/matches/{id}/restore", responses=models.answers(models.Restored, 401, 403, 404, 409, 410)
)
def restore(who: Contributor, id: StoreId) -> Response:
    """Bring a deleted match back, by the store’s id.

    Contributors bring back what they deleted themselves.
    """
    ask = store().cursor()
    found = trash.find(ask, id)
    if found is None:
        number_or_none = store().find(id)
        if number_or_none is not None:
            raise Problem(409, KNOWN)
        raise Problem(410, params.MATCH_GONE) if is_gone(store(), id) else Problem(404, NOT_DELETED)
    own = found.deletion in deletions_of(ask, who.token_no)
    refuse(who, Role.CONTRIBUTOR if own else Role.ADMIN)
    with acting(who):
        try:
            came, _ = trash.undelete(store(), found.deletion, found.match_no)
        except KeyError:  # another was faster
            raise Problem(404, NOT_DELETED) from None
    if not came:
        raise Problem(409, KNOWN)
    return answered({"id": found.match_id})
