"""A draft's steps as the page sends them, many together, and how the match stands then.

Each request says from where on its steps are new, so that one that is sent again changes nothing.
"""

from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dashboard.draft import Written, standing
from dashboard.store import Newest, steady, store
from dashboard.web.auth_middleware import ENTRY
from dashboard.web.static_pages import small_body
from ingest.i18n import choose, translator
from ingest.store import drafts
from ingest.store.drafts import Draft, Elsewhere, TooLong
from ingest.store.errors import StoreError

MOST = 1 << 20
"""Bytes of a request: more than anybody types."""
OPEN = 64
"""Drafts whose match stays in memory; another one is said anew from its first step."""

Count = Annotated[int, Field(ge=0, lt=1 << 31)]
_open: Newest[Written] = Newest(OPEN)


class Steps(BaseModel):
    """What a page of ours sends; what is none of ours is no such thing."""

    model_config = ConfigDict(strict=True)

    draft: str
    device: str
    base: Count | None = None
    """From where on `more` is new; None: what there is is asked for."""
    more: list[str] = []
    version: Count | None = None
    board: Any = False
    lang: Any = ""


def written(secret: str, draft: Draft) -> Written:
    """The match of a draft, not yet at its last step."""
    return _open.get(secret, lambda: Written(draft.head))


async def answer(request: Request) -> Response:
    """Take steps, and say how the match stands."""
    body = await small_body(request, MOST)
    if body is None:
        return PlainTextResponse("413", 413)
    try:
        said = await run_in_threadpool(_answer, Steps.model_validate_json(body))
    except (ValidationError, UnicodeError):
        return PlainTextResponse("400", 400)
    except KeyError:
        return PlainTextResponse("404", 404)
    except TooLong:
        return PlainTextResponse("413", 413)
    except Elsewhere as other:
        now = {"steps": list(other.draft.steps), "version": other.draft.version}
        return Response(orjson.dumps(now), 409, media_type="application/json")
    except StoreError:
        return PlainTextResponse("503", 503)
    return Response(orjson.dumps(said), 200, media_type="application/json")


def _answer(asked: Steps) -> dict[str, Any]:
    """How the match stands after these steps. KeyError: there is no such draft."""
    secret, base = asked.draft, asked.base
    if base is None:
        draft = steady(lambda: drafts.read(store(), secret))
    else:
        version, device = asked.version or 0, asked.device[:64]
        draft = drafts.write(store(), secret, base, asked.more, version, device)
    if draft is None:
        raise KeyError(secret)
    match = written(secret, draft)
    t = translator(choose(asked.lang if isinstance(asked.lang, str) else ""), "dashboard")
    with match.lock:
        match.take(draft.steps)
        told = standing(match, t, asked.board is True)
    steps = {"steps": list(draft.steps)} if base is None else {}
    return {**told, **steps, "version": draft.version}


ROUTES = [Route(ENTRY, answer, methods=["POST"])]
