"""Content negotiation: language and media type of a response (RFC 9110)."""

import re
from typing import Annotated

from fastapi import Depends, Query, Request
from starlette.requests import HTTPConnection

from ingest.i18n import LANGUAGES, Translate, translator

MAX_HEADER_CHARS = 500
"""Characters of a header that are read."""
_QUALITY = re.compile(r"(?:^|;)\s*q\s*=\s*([^;]*)")


def parse_weights(header: str) -> dict[str, float]:
    """Parse a header such as `fr;q=0.8, en` into weights by name; a malformed weight is 0."""
    found = dict[str, float]()
    for part in filter(str.strip, header[:MAX_HEADER_CHARS].lower().split(",")):
        name, _, parameters = part.partition(";")
        result = _QUALITY.search(parameters)
        try:
            weight = float(result[1]) if result else 1.0
        except ValueError:
            weight = 0.0
        found[name.strip()] = weight if 0 <= weight <= 1 else 0.0
    return found


def preferred(header: str, available: tuple[str, ...], is_language: bool = False) -> str | None:
    """Return the available name the client prefers, None: none; `is_language`: `fr-CA` is `fr`."""
    found = dict[str, float]()
    for name, weight in parse_weights(header).items():
        named = name.replace("_", "-").partition("-")[0] if is_language else name
        if named in available and weight > found.get(named, 0.0):
            found[named] = weight
    return max(found, key=lambda name: found[name]) if found else None


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
