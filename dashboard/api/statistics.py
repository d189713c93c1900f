"""Statistics, which are the rows of `retourne stats`, and tables and logs of the store as files."""

from dataclasses import asdict, replace
from datetime import date
from enum import StrEnum
from pathlib import Path as File
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import polars as pl
from anyio import to_thread
from fastapi import APIRouter, Depends, HTTPException, Path, Query
from starlette.responses import Response, StreamingResponse

from dashboard.api import limits
from dashboard.api.auth import Reader
from dashboard.api.content_negotiation import Texts
from dashboard.api.matches import Chosen as Which
from dashboard.api.matches import Statuses, Text
from dashboard.api.models import Rows, answers
from dashboard.api.params import WHOLE, Game, Rules, number_of
from dashboard.api.problems import Problem
from dashboard.api.responses import LINES, in_turn, rows, sent, steadily
from dashboard.queries import announcements as announced
from dashboard.queries import head_to_head as duels
from dashboard.queries import player_search
from dashboard.queries.matches import Filter
from dashboard.queries.scope import Scope
from dashboard.store import answer, store
from dashboard.tables import stats_query
from dashboard.tables.redacted import JOINED, hide_of, readable, sought
from dashboard.tables.redacted import asked as asked_for
from engine.games import game as game_of
from ingest.i18n import N_, Translate
from ingest.store.export import EVERYTHING, Chosen, Format, Kept, Table, write_logs, write_table

router = APIRouter(tags=["figures"])
exports = APIRouter(tags=["exports"])
FILTER = N_("{name} does not go with this: {why}")
BY = N_("each row has one announcement already, of all deals.")
TWO = N_("Name two different sides of one player each, or of two partners each.")

Key = StrEnum("Key", {key: key for key in announced.KEYS})  # type: ignore[misc]


COUNTED = (
    "How often each comes, is held and never said, or wins; or is dealt, beside its exact "
    "probability."
)


class Of(StrEnum):
    """What is counted of announcements."""

    ANNOUNCEMENTS = "announcements"
    MISSED = "missed"
    WINNING = "winning"
    DEALT = "dealt"


async def filtered(
    game: Game | None = None,
    table: Annotated[
        int | None, Query(description="Players at the table.", ge=2, le=5), WHOLE
    ] = None,
    rules: Rules | None = None,
    since: date | None = None,
    until: date | None = None,
    event: Text = None,
    opponent: Text = None,
    source: Text = None,
    status: Statuses = None,
    sheets: Annotated[bool, Query(description="Count what score sheets tell, too.")] = False,
) -> stats_query.Request:
    """The filters of `retourne stats`; of a game and table nobody asks for those of most deals."""
    told = {"event": event, "opponent": opponent, "source": source, "game": game, "rules": rules}
    some: Any = {name: value or None for name, value in told.items()}
    some |= {"table": table, "since": since, "until": until, "sheets": sheets}
    return stats_query.Request(
        stats_query.Subject.PLAYERS, **some, status=tuple(map(str, status or ()))
    )


Asked = Annotated[stats_query.Request, Depends(filtered)]


def _scope(asked: stats_query.Request, t: Translate, *seated: int) -> Scope:
    """The deals to count. Problem: there are none, or a filter does not go with what is asked."""
    if (found := stats_query.misfit(asked, t)) is not None:
        raise Problem(422, FILTER, name=found[0], why=found[1])
    opponent = None if asked.opponent is None else number_of(asked.opponent)
    hide = hide_of(answer(player_search.hidden))
    event, source = (
        sought(text, hide, JOINED[name])
        for name, text in (("event", asked.event), ("source", asked.source))
    )
    return stats_query.scope_of(
        store().cursor(), replace(asked, event=event, source=source), seated, opponent
    )


def _named(*numbers: int) -> list[Any]:
    return [{"id": id, "name": name} for id, name in answer(player_search.named, *numbers)]


def _rows(found: stats_query.Found, which: Scope, **told: Any) -> Response:
    """Rows, with no masked name in what logs say in words of their own, and their scope."""
    hide = hide_of(answer(player_search.hidden))
    shown: Any = (
        readable(found, hide)
        if isinstance(found, pl.DataFrame)
        else {name: readable(frame, hide) for name, frame in found.items()}
    )
    scope = asdict(which)
    scope["table"], scope["rules"] = scope.pop("players"), scope.pop("preset")
    scope |= {name: asked_for(scope[name]) for name in ("event", "source")}
    for day in ("since", "until"):
        scope[day] = scope[day] and scope[day].isoformat()
    if which.opponent is not None:
        [scope["opponent"]] = _named(which.opponent)
    return rows(shown, **told, scope=scope)


def _counted(asked: stats_query.Request, t: Translate) -> Response:
    """What is asked for of all players, and where that is said, what it rests on."""
    which = _scope(asked, t)
    said = stats_query.rests_on(store().cursor(), asked, which, t)
    told = {} if said is None else {"rests_on": said}
    return _rows(stats_query.counted(answer, asked, which), which, **told)


@router.get("/players", responses=answers(Rows, 401, 404))
@in_turn(limits.counting)
def players(who: Reader, asked: Asked, t: Texts) -> Response:
    """Players, who played most first."""
    return _counted(asked, t)


@router.get("/players/{id}", responses=answers(Rows, 401, 404, 410))
@in_turn(limits.counting)
def player(
    who: Reader,
    id: Annotated[str, Path(description="An id, or a name.", max_length=200)],
    asked: Asked,
    t: Texts,
) -> Response:
    """One player, section by section: each row says its `section` first."""
    number = number_of(id)
    own = replace(asked, subject=stats_query.Subject.PLAYER)
    which = _scope(own, t, number)
    return _rows(stats_query.counted(answer, own, which, number), which, player=_named(number)[0])


@router.get("/announcements", responses=answers(Rows, 401, 404))
@in_turn(limits.counting)
def announcements(
    who: Reader,
    asked: Asked,
    t: Texts,
    of: Annotated[Of, Query(description=COUNTED)] = Of.ANNOUNCEMENTS,
    by: Annotated[Key | None, Query(description="Tell announcements apart by this.")] = None,
) -> Response:
    """How often each announcement comes, with n and the interval of its share."""
    if by is not None and of is not Of.ANNOUNCEMENTS:
        raise Problem(422, FILTER, name="by", why=t(BY))
    return _counted(replace(asked, subject=stats_query.Subject(of), by=by and str(by)), t)


@router.get("/fairness", responses=answers(Rows, 401, 404))
@in_turn(limits.counting)
def fairness(who: Reader, asked: Asked, t: Texts) -> Response:
    """Whether each source’s shuffle is fair, of those with enough deals to tell."""
    return _counted(replace(asked, subject=stats_query.Subject.FAIRNESS), t)


@router.get("/ladder", responses=answers(Rows, 401, 404))
@in_turn(limits.counting)
def standings(who: Reader, asked: Asked, t: Texts) -> Response:
    """The ladder of a game and its rules, best first; of any size of table if none is asked for."""
    return _counted(replace(asked, subject=stats_query.Subject.LADDER), t)


@router.get("/head-to-head", responses=answers(Rows, 401, 404, 410))
@in_turn(limits.counting)
def head_to_head(
    who: Reader,
    one: Annotated[list[str], Query(description="An id or a name; of partners two.", max_length=2)],
    other: Annotated[list[str], Query(description="The other side.", max_length=2)],
    asked: Asked,
    t: Texts,
) -> Response:
    """Two sides against each other: score, margins, series, announcements, a `section` each."""
    sides = tuple(map(number_of, one)), tuple(map(number_of, other))
    together = len({*sides[0], *sides[1]})
    if not 1 <= len(one) == len(other) <= 2 or together != len(one) + len(other):
        raise Problem(422, TWO)
    which = _scope(asked, t, *sides[0], *sides[1])
    if len(sides[0]) > 1 and not game_of(which.game).partners:
        raise Problem(422, TWO)
    ask = store().cursor()
    series = duels.series(ask, which, *sides)
    if not any(series.values()):
        raise Problem(404, N_("These two never met in such a match."))
    found = {
        "score": duels.score(ask, which, *sides),
        "margins": duels.margins(ask, which, *sides),
        "streaks": duels.streaks(duels.matches(ask, which, *sides)),
        "widest": duels.widest(ask, which, *sides),
        "announcements": duels.announcements(ask, which, *sides),
    }
    told = {"one": _named(*sides[0]), "other": _named(*sides[1]), "series": series}
    return _rows(found, which, **told)


KINDS = {
    Format.PARQUET: "application/vnd.apache.parquet",
    Format.CSV: "text/csv; charset=utf-8",
    Format.JSONL: LINES,
}
LOGS = "logs.jsonl"
NAMES = [LOGS, *(f"{table}.{kind}" for table in Table for kind in Format)]
BYTES = {"schema": {"type": "string", "format": "binary"}}
CONTENT = {kind.partition(";")[0]: BYTES for kind in KINDS.values()}


@exports.get(
    "/exports/{file}",
    response_class=Response,
    responses=answers({200: {"content": CONTENT}}, 401, 404),
)
async def export(
    who: Reader,
    file: Annotated[str, Path(json_schema_extra={"enum": NAMES})],
    which: Which,
    anonymous: Annotated[
        bool, Query(description="Pseudonyms for all players, and no words of the logs’ own.")
    ] = False,
    keep: Annotated[
        list[Kept], Query(description="With `anonymous`: words of the logs to keep.", max_length=9)
    ] = [],  # noqa: B006
) -> Response:
    """A table, or the logs one a line, of the matches that Parties’ filters choose."""
    if file not in NAMES:
        raise HTTPException(404)
    made = await to_thread.run_sync(_made, file, which, anonymous, keep, limiter=limits.work)
    kind = Format(file.rpartition(".")[2])
    named = {
        "Content-Disposition": f'attachment; filename="retourne-{file}"',
        "Content-Length": str(made[0].stat().st_size),
    }
    blocks = sent(made[0].open("rb"), made[1])
    return StreamingResponse(blocks, headers=named, media_type=KINDS[kind])


@steadily
def _made(
    file: str, which: Filter, anonymous: bool, keep: list[Kept]
) -> tuple[File, "TemporaryDirectory[str]"]:
    """Where a file was written, and the folder to remove it with."""
    folder = TemporaryDirectory(prefix="retourne-export-")
    path = File(folder.name) / file
    chosen = EVERYTHING if which == Filter() else Chosen(*which.chosen(store().cursor()))
    table, _, kind = file.rpartition(".")
    try:
        if file == LOGS:
            with path.open("wb") as written:
                write_logs(store(), written, chosen, anonymous, keep)
        else:
            write_table(store(), Table(table), Format(kind), path, chosen, anonymous, keep)
    except BaseException:
        folder.cleanup()
        raise
    return path, folder
