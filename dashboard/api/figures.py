"""Figures: the rows of `retourne stats`, which are the pages' own queries."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import date
from enum import StrEnum
from typing import Annotated, Any

import polars as pl
from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from dashboard.api.answers import in_turn, rows
from dashboard.api.language import Texts
from dashboard.api.matches import Statuses, Text
from dashboard.api.models import Rows, answers
from dashboard.api.people import number_of
from dashboard.api.problems import Problem
from dashboard.api.who import Reader
from dashboard.api.words import WHOLE, Game, Rules
from dashboard.command.counting import (
    EVERY,
    Request,
    Subject,
    misfit,
    narrowed,
    of_ladder,
    rests_on,
    scope_of,
)
from dashboard.queries import announcements as announced
from dashboard.queries import chance, duels, ladder, people
from dashboard.queries import fairness as tests
from dashboard.queries import players as queries
from dashboard.queries.scope import Scope
from dashboard.store import answer, store
from dashboard.tables import profile
from dashboard.tables.readable import JOINED, hide_of, readable, sought
from dashboard.tables.readable import asked as asked_for
from engine.games import game as game_of
from ingest.cli.terminal import Stop
from ingest.i18n import N_, Translate

router = APIRouter(tags=["figures"])
FILTER = N_("{name} does not go with this: {why}")
BY = N_("each row has one announcement already, of all deals.")
TWO = N_("Name two different sides of one player each, or of two partners each.")
NEVER = N_("These two never met in such a match.")

Key = StrEnum("Key", {key: key for key in announced.KEYS})  # type: ignore[misc]


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
) -> Request:
    """The filters of `retourne stats`; of a game and table nobody asks for those of most deals."""
    return Request(
        Subject.PLAYERS,
        game=game or None,
        table=table,
        rules=rules or None,
        since=since,
        until=until,
        event=event or None,
        opponent=opponent or None,
        source=source or None,
        statuses=tuple(map(str, status or ())),
        sheets=sheets,
    )


Asked = Annotated[Request, Depends(filtered)]


def _scope(asked: Request, t: Translate, *seated: int) -> Scope:
    """The deals to count. Problem: there are none, or a filter does not go with what is asked."""
    if (found := misfit(asked)) is not None:
        raise Problem(422, FILTER, name=found[0], why=t(found[1]))
    if asked.opponent is not None:
        number_of(asked.opponent)
    hide = hide_of(answer(people.hidden))
    asked = replace(
        asked,
        event=sought(asked.event, hide, JOINED["event"]),
        source=sought(asked.source, hide, JOINED["source"]),
    )
    try:
        which = scope_of(store().cursor(), asked, seated, t)
        return of_ladder(store().cursor(), which, t) if asked.subject is Subject.LADDER else which
    except Stop as stop:
        raise _nothing(stop, t) from None


def _nothing(stop: Stop, t: Translate) -> Problem:
    return Problem(404, "{sentence}", sentence=stop.say(t))


def _said(which: Scope) -> dict[str, Any]:
    """A scope as an answer tells it."""
    told = asdict(which)
    for name in ("since", "until"):
        told[name] = told[name] and told[name].isoformat()
    for name in ("event", "source"):
        told[name] = asked_for(told[name])
    told["table"] = told.pop("players")
    told["rules"] = told.pop("preset")
    [opponent] = [which.opponent] if which.opponent is None else _named(which.opponent)
    return told | {"opponent": opponent}


def _named(*numbers: int) -> list[Any]:
    return [{"id": id, "name": name} for id, name in answer(people.named, *numbers)]


def _rows(found: Any, which: Scope, **told: Any) -> Response:
    """Rows, with no masked name in what logs say in words of their own."""
    hide = hide_of(answer(people.hidden))
    if isinstance(found, pl.DataFrame):
        shown: Any = readable(found, hide)
    else:
        shown = {name: readable(frame, hide) for name, frame in found.items()}
    return rows(shown, **told, scope=_said(which))


@router.get("/players", responses=answers(Rows, 401, 404))
@in_turn
def players(who: Reader, asked: Asked, t: Texts) -> Response:
    """Players, who played most first."""
    which = _scope(asked, t)
    return _rows(answer(queries.table, which, limit=EVERY), which, rests_on=_rest(asked, which, t))


@router.get("/players/{id}", responses=answers(Rows, 401, 404, 410))
@in_turn
def player(
    who: Reader,
    id: Annotated[str, Path(description="An id, or a name.", max_length=200)],
    asked: Asked,
    t: Texts,
) -> Response:
    """One player, section by section: each row says its `section` first."""
    number = number_of(id)
    which = _scope(replace(asked, subject=Subject.PLAYER, player=id), t, number)
    found = narrowed(answer(profile.sections, which, number), asked)
    return _rows(found, which, player=_named(number)[0])


@router.get("/announcements", responses=answers(Rows, 401, 404))
@in_turn
def announcements(
    who: Reader,
    asked: Asked,
    t: Texts,
    of: Annotated[
        Of,
        Query(
            description="How often each comes, is held and never said, or wins; or is dealt, "
            "beside its exact probability."
        ),
    ] = Of.ANNOUNCEMENTS,
    by: Annotated[Key | None, Query(description="Tell announcements apart by this.")] = None,
) -> Response:
    """How often each announcement comes, with n and the interval of its share."""
    if by is not None and of is not Of.ANNOUNCEMENTS:
        raise Problem(422, FILTER, name="by", why=t(BY))
    subject = Subject.CHANCE if of is Of.DEALT else Subject(of)
    which = _scope(replace(asked, subject=subject), t)
    if of is Of.DEALT:  # by one preset: another one turns up no card
        which = answer(chance.under, which)
        return _rows(answer(chance.dealt, which), which)
    if by is not None:
        found = answer(announced.by, which, str(by))
    elif of is Of.ANNOUNCEMENTS:
        found = answer(announced.frequencies, which)
    else:
        found = answer(announced.missed if of is Of.MISSED else announced.winning, which)
    return _rows(found, which, rests_on=_rest(replace(asked, subject=subject), which, t))


def _rest(asked: Request, which: Scope, t: Translate) -> str:
    """What rows rest on, for people."""
    return rests_on(store().cursor(), asked, which, t)


@router.get("/fairness", responses=answers(Rows, 401, 404))
@in_turn
def fairness(who: Reader, asked: Asked, t: Texts) -> Response:
    """Whether each source’s shuffle is fair, of those with enough deals to tell."""
    which = _scope(replace(asked, subject=Subject.FAIRNESS), t)
    return _rows(answer(tests.tests, which), which)


@router.get("/ladder", responses=answers(Rows, 401, 404))
@in_turn
def standings(who: Reader, asked: Asked, t: Texts) -> Response:
    """The ladder of a game and its rules, best first; of any size of table if none is asked for."""
    wanted = replace(asked, subject=Subject.LADDER)
    which = _scope(wanted, t)
    return _rows(answer(ladder.standings, which, limit=EVERY), which)


@router.get("/head-to-head", responses=answers(Rows, 401, 404, 410))
@in_turn
def head_to_head(
    who: Reader,
    one: Annotated[list[str], Query(description="An id or a name; of partners two.", max_length=2)],
    other: Annotated[list[str], Query(description="The other side.", max_length=2)],
    asked: Asked,
    t: Texts,
) -> Response:
    """Two sides against each other: score, margins, series, announcements, a `section` each."""
    sides = _sides(one, other)
    which = _scope(asked, t, *sides[0], *sides[1])
    if len(sides[0]) > 1 and not game_of(which.game).partners:
        raise Problem(422, TWO)
    ask = store().cursor()
    series = duels.series(ask, which, *sides)
    if not any(series.values()):
        raise Problem(404, NEVER)
    found = {
        "score": duels.score(ask, which, *sides),
        "margins": duels.margins(ask, which, *sides),
        "streaks": duels.streaks(duels.matches(ask, which, *sides)),
        "widest": duels.widest(ask, which, *sides),
        "announcements": duels.announcements(ask, which, *sides),
    }
    told = {"one": _named(*sides[0]), "other": _named(*sides[1]), "series": series}
    return _rows(found, which, **told)


def _sides(one: Sequence[str], other: Sequence[str]) -> tuple[duels.Side, duels.Side]:
    """The numbers of both sides. Problem: they are no two sides of a table."""
    sides = tuple(map(number_of, one)), tuple(map(number_of, other))
    everybody = {*sides[0], *sides[1]}
    if not 1 <= len(one) == len(other) <= 2 or len(everybody) != len(one) + len(other):
        raise Problem(422, TWO)
    return sides
