"""The language an answer speaks: by `?lang=` or Accept-Language, and English where neither says."""

from typing import Annotated

from fastapi import Depends, Query, Request
from starlette.requests import HTTPConnection

from dashboard.api.accept import liked
from ingest.i18n import LANGUAGES, Translate, translator


def language(request: HTTPConnection) -> str:
    """The language of an answer."""
    asked = request.query_params.get("lang") or request.headers.get("accept-language", "")
    return liked(asked, tuple(LANGUAGES), tags=True) or "en"


def texts(request: HTTPConnection) -> Translate:
    """The texts of an answer."""
    return translator(language(request), "dashboard")


async def _declared(
    request: Request,
    lang: Annotated[
        str | None, Query(description="`fr` or `en`; else by Accept-Language.", max_length=35)
    ] = None,
) -> Translate:
    return texts(request)


Texts = Annotated[Translate, Depends(_declared)]
