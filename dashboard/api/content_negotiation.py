"""The language an answer speaks, and what else a client likes to be answered with (RFC 9110)."""

import re
from typing import Annotated

from fastapi import Depends, Query, Request
from starlette.requests import HTTPConnection

from ingest.i18n import LANGUAGES, Translate, translator

LONGEST = 500
"""Signs of a header that are read."""
_WEIGHT = re.compile(r"(?:^|;)\s*q\s*=\s*([^;]*)")


def weights(header: str) -> dict[str, float]:
    """What a header such as `fr;q=0.8, en` names, with its weight; what is badly said has 0."""
    found = dict[str, float]()
    for part in filter(str.strip, header[:LONGEST].lower().split(",")):
        name, _, parameters = part.partition(";")
        said = _WEIGHT.search(parameters)
        try:
            weight = float(said[1]) if said else 1.0
        except ValueError:
            weight = 0.0
        found[name.strip()] = weight if 0 <= weight <= 1 else 0.0
    return found


def liked(header: str, ours: tuple[str, ...], tags: bool = False) -> str | None:
    """What of ours is liked best; None: nothing. `tags`: `fr-CA` is `fr`, as languages are."""
    found = dict[str, float]()
    for name, weight in weights(header).items():
        named = name.replace("_", "-").partition("-")[0] if tags else name
        if named in ours and weight > found.get(named, 0.0):
            found[named] = weight
    return max(found, key=lambda name: found[name]) if found else None


def takes(header: str, coding: str) -> bool:
    """Whether an Accept-Encoding takes a coding: by its name, or else by `*`."""
    said = weights(header)
    return said.get(coding, said.get("*", 0.0)) > 0


def language(request: HTTPConnection, otherwise: str = "en") -> str:
    """The language of an answer: by `?lang=`, by Accept-Language, or else another."""
    asked = request.query_params.get("lang", ""), request.headers.get("accept-language", "")
    return next(filter(None, (liked(one, LANGUAGES, tags=True) for one in asked)), otherwise)


def texts(request: HTTPConnection, otherwise: str = "en") -> Translate:
    """The texts of an answer."""
    return translator(language(request, otherwise), "dashboard")


async def _declared(
    request: Request,
    lang: Annotated[
        str | None, Query(description="`fr` or `en`; else by Accept-Language.", max_length=35)
    ] = None,
) -> Translate:
    return texts(request)


Texts = Annotated[Translate, Depends(_declared)]
