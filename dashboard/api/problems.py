"""Error responses as problem details, `application/problem+json` (RFC 9457)."""

import logging
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

from dashboard.api.content_negotiation import response_texts
from dashboard.store import RETRY_AFTER_SECONDS, translate_duckdb_errors, unavailable_reason
from ingest.i18n import N_, Translate
from ingest.operations import OperationRefused
from ingest.store.errors import CatalogUnavailable, StoreError

API_PATH = "/api/v1"
"""Path prefix of the API."""
PROBLEM_TYPE = "application/problem+json"
INTERNAL_ERROR = N_("Something went wrong here. The administrator finds the details in the server’s log.")
NOT_FOUND = N_("Nothing at this address: {page} lists all addresses.")
METHOD_NOT_ALLOWED = N_("This address only accepts {methods}.")
_DATE_EXPECTED = N_("Must be a day, such as 2026-03-01.")
_NOT_ONE_OF = N_("It is none of those known: {known}.")
VALIDATION_TEXTS = {
    "missing": N_("This parameter is required."),
    "int_parsing": N_("Must be an integer."),
    "bool_parsing": N_("Must be true or false."),
    "greater_than_equal": N_("It is {ge} at least."),
    "less_than_equal": N_("It is {le} at most."),
    "string_too_long": N_("{max_length} characters at most."),
    "too_long": N_("At most {max_length} of these are taken."),
    "enum": _NOT_ONE_OF,
    "other-word": _NOT_ONE_OF,
    **dict.fromkeys(
        ("date_parsing", "date_from_datetime_parsing", "date_from_datetime_inexact"), _DATE_EXPECTED
    ),
}
"""Pydantic error type → text that describes the expected value."""


class Problem(Exception):
    """An error response: a text of the catalogue, with its values and members for programs."""

    def __init__(self, status: int, text: str, /, **values: Any) -> None:
        super().__init__(text)
        self.status, self.text, self.values = status, text, values
        self.headers = dict[str, str]()
        self.members = dict[str, Any]()

    def with_members(self, **more: Any) -> "Problem":
        self.members |= more
        return self

    def retry_after(self, seconds: int) -> "Problem":
        self.headers["Retry-After"] = str(seconds)
        return self


def problem_response(
    status: int, detail: str = "", headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """Return a problem response: `title` is the status in words, as `type` is about:blank."""
    fields = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    fields |= {"detail": detail} if detail else {}
    return Response(orjson.dumps(fields | more), status, headers, PROBLEM_TYPE)


def install_handlers(app: FastAPI) -> None:
    """Make an app answer every error with a problem."""
    for kind in (Problem, StoreError, Exception):
        app.add_exception_handler(kind, lambda request, error: error_response(error, response_texts(request)))
    app.add_exception_handler(duckdb.Error, _on_duckdb_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_validation_error)


def _problem_for(error: Exception, t: Translate) -> Problem:
    """Convert an exception to a problem; details of internal errors are only in the log."""
    if isinstance(error, StoreError):
        status = error.status if isinstance(error, OperationRefused) else 503
        result = Problem(status, "{message}", message=unavailable_reason(error, t))
        result.members |= error.more if isinstance(error, OperationRefused) else {}
        return result.retry_after(RETRY_AFTER_SECONDS) if isinstance(error, CatalogUnavailable) else result
    return error if isinstance(error, Problem) else Problem(500, INTERNAL_ERROR)


def error_response(error: Exception, t: Translate) -> Response:
    """Return the response to an exception; with Retry-After if the store is not available."""
    why = _problem_for(error, t)
    return problem_response(why.status, t(why.text, **why.values), why.headers, **why.members)


def problem_json(error: Exception, t: Translate) -> dict[str, Any]:
    """Return the problem of an exception raised after the response began, as JSON."""
    why = _problem_for(error, t)
    status, result = why.status, t(why.text, **why.values)
    if not isinstance(error, Problem | StoreError):
        logging.getLogger("retourne.server").error("fault", exc_info=error)
    return {"status": status, "title": HTTPStatus(status).phrase, "detail": result} | why.members


def _on_duckdb_error(request: Request, error: Exception) -> Response:
    """Answer a DuckDB error: as `translate_duckdb_errors` translates it, else as a server fault."""
    try:
        with translate_duckdb_errors():
            raise error
    except StoreError as error:
        return error_response(error, response_texts(request))


def _on_http_error(request: Request, error: Exception) -> Response:
    """Answer unknown paths (404) and methods (405)."""
    assert isinstance(error, HTTPException)
    t, message = response_texts(request), ""
    if error.status_code == HTTPStatus.NOT_FOUND:
        message = t(NOT_FOUND, page=f"{API_PATH}/")
    elif error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        # Starlette's Allow header names the methods of the first matching route only
        taken = {
            method
            for route in request.app.state.operations
            if route.matches(request.scope)[0] is not Match.NONE
            for method in route.methods
        }
        methods = ", ".join(sorted(taken | ({"HEAD"} if "GET" in taken else set())))
        return problem_response(error.status_code, t(METHOD_NOT_ALLOWED, methods=methods), {"Allow": methods})
    return problem_response(error.status_code, message, error.headers)


def _on_validation_error(request: Request, error: Exception) -> Response:
    """Answer invalid input with the expected values, each with its location."""
    assert isinstance(error, RequestValidationError)
    t, errors = response_texts(request), []
    for one in error.errors():
        values, text = dict(one.get("ctx", {})), VALIDATION_TEXTS.get(one["type"])
        if one["type"] == "enum":
            values["known"] = ", ".join(re.findall("'([^']*)'", str(values["expected"])))
        message = str(one["msg"]) if text is None else t(text, **values)
        errors.append({"where": ".".join(map(str, one["loc"])), "detail": message})
    return problem_response(
        422, t("The request has errors. Correct each parameter listed under errors."), errors=errors
    )
