"""The language of a replay: by `?lang=`, else by Accept-Language; French for others."""

from starlette.datastructures import QueryParams
from starlette.requests import Request

from dashboard.api.accept import liked
from ingest.i18n import LANGUAGES


def language(request: Request) -> str:
    """`fr` or `en`."""
    asked = chosen(request.query_params)
    return asked or accepted(request.headers.get("accept-language", ""))


def chosen(query: QueryParams) -> str:
    """The language an address chooses, which may be none."""
    asked = query.get("lang", "")
    return asked if asked in LANGUAGES else ""


def accepted(header: str) -> str:
    """Of our languages the one that a header of RFC 9110 likes best."""
    return liked(header, tuple(LANGUAGES), tags=True) or LANGUAGES[0]
