"""Content negotiation: language and encoding of a response, and ETags (RFC 9110)."""

from typing import Annotated

from fastapi import Depends, Query, Request
from starlette.requests import HTTPConnection

from dashboard.text.accept_headers import parse_weights, preferred
from ingest.i18n import LANGUAGES, Translate, translator


def names_etag(header: str, etag: str) -> bool:
    """Return whether If-Match or If-None-Match has an ETag, which a proxy may have weakened, or `*`."""
    return not {one.strip().removeprefix("W/") for one in header.split(",")}.isdisjoint({etag, "*"})


def accepts_encoding(header: str, coding: str) -> bool:
    """Return whether an Accept-Encoding header allows a coding, by its name or else by `*`."""
    result = parse_weights(header)
    return result.get(coding, result.get("*", 0.0)) > 0


def response_language(request: HTTPConnection, default: str = "en") -> str:
    """Return the language of a response: `?lang=`, else Accept-Language, else `default`."""
    requested = request.query_params.get("lang", ""), request.headers.get("accept-language", "")
    return next(filter(None, (preferred(one, LANGUAGES, is_language=True) for one in requested)), default)


def response_texts(request: HTTPConnection, default: str = "en") -> Translate:
    """Return the translator for a response."""
    return translator(response_language(request, default), "dashboard")


async def _texts_dependency(
    request: Request,
    lang: Annotated[
        str | None, Query(description="`fr` or `en`; else by Accept-Language.", max_length=35)
    ] = None,
) -> Translate:
    return response_texts(request)


Texts = Annotated[Translate, Depends(_texts_dependency)]
