"""A draft's steps as the page sends them, many together, and how the match stands then.

Each request says from where on its steps are new, so that one that is sent again changes nothing.
"""

from typing import Any

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dashboard.entry.draft_session import Written
from dashboard.entry.draft_state import standing
from dashboard.store import Newest, steady, store
from dashboard.web.gate import ENTRY
from dashboard.web.pages import small_body
from ingest.i18n import choose, translator
from ingest.store import drafts
from ingest.store.drafts import Draft, Elsewhere, TooLong
from ingest.store.errors import StoreError

MOST = 1 << 20
"""Bytes of a request: more than anybody types."""
OPEN = 64
"""Drafts whose match stays in memory; another one is said anew from its first step."""

_open: Newest[Written] = Newest(OPEN)


class Bad(ValueError):
    """A request that no page of ours makes."""


def written(secret: str, draft: Draft) -> Written:
    """The match of a draft, not yet at its last step."""
    return _open.get(secret, lambda: Written(draft.head))


async def answer(request: Request) -> Response:
    """Take steps, and say how the match stands."""
    body = await small_body(request, MOST)
    if body is None:
        return PlainTextResponse("413", 413)
    try:
        asked = _read(body)
        said = await run_in_threadpool(_answer, **asked)
    except (Bad, UnicodeError):
        return PlainTextResponse("400", 400)
    except KeyError:
        return PlainTextResponse("404", 404)
    except TooLong:
        return PlainTextResponse("413", 413)
    except Elsewhere as other:
        now = {"steps": list(other.draft.steps), "version": other.draft.version}
        return _json(now, 409)
    except StoreError:
        return PlainTextResponse("503", 503)
    return _json(said, 200)


def _json(said: dict[str, Any], status: int) -> Response:
    return Response(orjson.dumps(said), status, media_type="application/json")


def _read(body: bytes) -> dict[str, Any]:
    """What a request says. Bad: it is none of ours."""
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Bad from None
    if not isinstance(told, dict):
        raise Bad
    base, more, version = told.get("base"), told.get("more", []), told.get("version", 0)
    texts = [told.get("draft"), told.get("device"), *(more if isinstance(more, list) else [None])]
    counts = [number for number in (base, version) if number is not None]
    if not all(isinstance(one, str) for one in texts):
        raise Bad
    if not all(type(one) is int and 0 <= one < 1 << 31 for one in counts):  # True is none
        raise Bad
    return {
        "secret": told["draft"],
        "device": told["device"][:64],
        "base": base,
        "more": more,
        "version": version or 0,
        "board": told.get("board") is True,
        "language": told.get("lang") if isinstance(told.get("lang"), str) else "",
    }


def _answer(
    secret: str,
    device: str,
    base: int | None,
    more: list[str],
    version: int,
    board: bool,
    language: str,
) -> dict[str, Any]:
    """How the match stands after these steps. KeyError: there is no such draft."""
    if base is None:
        draft = steady(lambda: drafts.read(store(), secret))
    else:
        draft = drafts.write(store(), secret, base, more, version, device)
    if draft is None:
        raise KeyError(secret)
    match = written(secret, draft)
    t = translator(choose(language), "dashboard")
    with match.lock:
        match.take(draft.steps)
        told = standing(match, t, board)
    steps = {"steps": list(draft.steps)} if base is None else {}
    return {**told, **steps, "version": draft.version}


ROUTES = [Route(ENTRY, answer, methods=["POST"])]
