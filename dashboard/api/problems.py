"""What is answered where something is wrong: RFC 9457, `application/problem+json`."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboard.api.language import texts
from ingest.i18n import N_
from ingest.store.errors import StoreError

BELOW = "/api/v1"
"""Where the API is."""
MEDIA = "application/problem+json"
INVALID = N_("What is asked for is not understood: see errors.")
WENT_WRONG = N_("Something went wrong here. Whoever serves this store finds it in its log.")


NOTHING = N_("There is nothing at this address: {page} has what there is.")
METHODS = N_("This address takes {methods} alone.")


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
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _failed)


def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    said = texts(request)(error.text, **error.values)
    return problem(error.status, said, error.headers, **error.more)


def _store(request: Request, error: Exception) -> Response:
    assert isinstance(error, StoreError)
    return problem(503, error.say(texts(request)))


def _http(request: Request, error: Exception) -> Response:
    """What the router refuses: no such address, no such method."""
    assert isinstance(error, HTTPException)
    t, said = texts(request), ""
    if error.status_code == HTTPStatus.NOT_FOUND:
        said = t(NOTHING, page=f"{BELOW}/")
    elif error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        said = t(METHODS, methods=(error.headers or {}).get("Allow", ""))
    return problem(error.status_code, said, error.headers)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = [
        {"where": ".".join(map(str, one["loc"])), "detail": one["msg"]} for one in error.errors()
    ]
    return problem(422, texts(request)(INVALID), errors=errors)


def _failed(request: Request, error: Exception) -> Response:
    """The server's log has the traceback, and nobody else."""
    return problem(500, texts(request)(WENT_WRONG))
