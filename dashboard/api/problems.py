"""What is answered where something is wrong: RFC 9457, `application/problem+json`."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import duckdb
import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from dashboard.api.language import texts
from dashboard.store import AGAIN, answering, why_not
from ingest.cli import fault
from ingest.i18n import N_, Translate
from ingest.operations import Refused
from ingest.store.errors import Away, StoreError

BELOW = "/api/v1"
"""Where the API is."""
MEDIA = "application/problem+json"
INVALID = N_("What is asked for is not understood: see errors.")
WENT_WRONG = N_("Something went wrong here. Whoever serves this store finds it in its log.")


NOTHING = N_("There is nothing at this address: {page} has what there is.")
METHODS = N_("This address takes {methods} alone.")


_DAY = N_("A day is asked for, as in 2026-03-01.")
_OTHER = N_("It is none of those known: {known}.")
WANTED = {
    "missing": N_("This is asked for."),
    "int_parsing": N_("A whole number is asked for."),
    "bool_parsing": N_("true or false is asked for."),
    "greater_than_equal": N_("It is {ge} at least."),
    "less_than_equal": N_("It is {le} at most."),
    "string_too_long": N_("It has {max_length} signs at most."),
    "too_long": N_("At most {max_length} of these are taken."),
    "enum": _OTHER,
    "other-word": _OTHER,
    **dict.fromkeys(
        ("date_parsing", "date_from_datetime_parsing", "date_from_datetime_inexact"), _DAY
    ),
}
"""What is asked for instead of what was sent, by pydantic's name of what is wrong with it."""


class Problem(Exception):
    """Why a request is not done: a text of the catalogue, and what programs read beside it."""

    def __init__(self, status: int, text: str, /, **values: Any) -> None:
        super().__init__(text)
        self.status, self.text, self.values = status, text, values
        self.headers = dict[str, str]()
        self.more = dict[str, Any]()

    def telling(self, **more: Any) -> "Problem":
        """The same with further members."""
        self.more |= more
        return self

    def after(self, seconds: int) -> "Problem":
        """The same, to be tried again after a while."""
        self.headers["Retry-After"] = str(seconds)
        return self


def problem(
    status: int, detail: str = "", headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """A problem as it is sent: its type is none of its own, so `title` is the status in words."""
    told = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    told |= {"detail": detail} if detail else {}
    return Response(orjson.dumps(told | more), status, headers, MEDIA)


def told(app: FastAPI) -> None:
    """Have an app answer by problems alone."""
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(StoreError, _store)
    app.add_exception_handler(duckdb.Error, _asked)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _failed)


def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    said = texts(request)(error.text, **error.values)
    return problem(error.status, said, error.headers, **error.more)


def _store(request: Request, error: Exception) -> Response:
    assert isinstance(error, StoreError)
    if isinstance(error, Refused):
        return problem(error.status, error.say(texts(request)))
    return unavailable(error, texts(request))


def problem_of(error: Exception, t: Translate) -> dict[str, Any]:
    """The same of what went wrong after an answer has begun."""
    status, said = 500, t(WENT_WRONG)
    if isinstance(error, Problem):
        status, said = error.status, t(error.text, **error.values)
    elif isinstance(error, StoreError):
        status = error.status if isinstance(error, Refused) else 503
        said = why_not(error, t)
    else:
        fault.tell(error)
    return {"status": status, "title": HTTPStatus(status).phrase, "detail": said}


def unavailable(error: StoreError, t: Translate) -> Response:
    """Why the store cannot be asked; of one that is away, when it is to be asked again."""
    again = {"Retry-After": str(AGAIN)} if isinstance(error, Away) else None
    return problem(503, why_not(error, t), again)


def _asked(request: Request, error: Exception) -> Response:
    """What DuckDB refuses: what `answering` tells, and all else is a fault like any other."""
    try:
        with answering():
            raise error
    except StoreError as told:
        return _store(request, told)


def _http(request: Request, error: Exception) -> Response:
    """What the router refuses: no such address, no such method."""
    assert isinstance(error, HTTPException)
    t, said = texts(request), ""
    if error.status_code == HTTPStatus.NOT_FOUND:
        said = t(NOTHING, page=f"{BELOW}/")
    elif error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        methods = ", ".join(_methods(request))
        return problem(error.status_code, t(METHODS, methods=methods), {"Allow": methods})
    return problem(error.status_code, said, error.headers)


def _methods(request: Request) -> list[str]:
    """What an address takes: the router knows it of the first of its operations alone."""
    taken = {
        method
        for route in request.app.state.operations
        if route.matches(request.scope)[0] is not Match.NONE
        for method in route.methods
    }
    return sorted(taken | ({"HEAD"} if "GET" in taken else set()))


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    t = texts(request)
    errors = [
        {"where": ".".join(map(str, one["loc"])), "detail": _wanted(one, t)}
        for one in error.errors()
    ]
    return problem(422, t(INVALID), errors=errors)


def _wanted(error: Mapping[str, Any], t: Translate) -> str:
    """What is asked for instead of what was sent."""
    values = dict(error.get("ctx", {}))
    if error["type"] == "enum":
        values["known"] = ", ".join(re.findall("'([^']*)'", str(values["expected"])))
    text = WANTED.get(error["type"])
    return str(error["msg"]) if text is None else t(text, **values)


def _failed(request: Request, error: Exception) -> Response:
    """The server's log has the traceback, and nobody else."""
    return problem(500, texts(request)(WENT_WRONG))
