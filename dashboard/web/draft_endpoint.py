"""Receives the steps of a draft and answers with its state.

Each request gives the index of its first new step, so that a repeated request changes nothing.
"""

from functools import partial
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dashboard.api.uploads import read_small_body
from dashboard.draft_match import DraftMatch, draft_view
from dashboard.store import LruCache, open_store, retry_on_reopen
from dashboard.web.auth_middleware import DRAFT_PATH
from ingest.i18n import choose_language, translator
from ingest.store import drafts
from ingest.store.drafts import DraftConflict, DraftTooLong
from ingest.store.errors import StoreError

MAX_BODY_BYTES = 1 << 20
"""Bytes of a request: more than a match needs."""
MAX_OPEN_DRAFTS = 64
"""Drafts that stay in memory; others are replayed from their first step."""

StepIndex = Annotated[int, Field(ge=0, lt=1 << 31)]
_open_drafts: LruCache[DraftMatch] = LruCache(MAX_OPEN_DRAFTS)


class StepsRequest(BaseModel):
    """A request of the entry page; other JSON is refused."""

    model_config = ConfigDict(strict=True)

    draft: str
    device: str
    base: StepIndex | None = None
    """Index of the first step of `more`; None: the request only reads."""
    more: list[str] = []
    version: StepIndex | None = None
    board: Any = False
    lang: Any = ""


async def handle_steps(request: Request) -> Response:
    """Apply steps and return the state of the match."""
    body = await read_small_body(request, MAX_BODY_BYTES)
    if body is None:
        return PlainTextResponse("413", 413)
    try:
        result = await run_in_threadpool(_apply_steps, StepsRequest.model_validate_json(body))
    except (ValidationError, UnicodeError):
        return PlainTextResponse("400", 400)
    except KeyError:
        return PlainTextResponse("404", 404)
    except DraftTooLong:
        return PlainTextResponse("413", 413)
    except DraftConflict as other:
        now = {"steps": list(other.draft.steps), "version": other.draft.version}
        return Response(orjson.dumps(now), 409, media_type="application/json")
    except StoreError:
        return PlainTextResponse("503", 503)
    return Response(orjson.dumps(result), 200, media_type="application/json")


def _apply_steps(request: StepsRequest) -> dict[str, Any]:
    """Apply steps and return the state of the match. KeyError: unknown draft."""
    secret, base = request.draft, request.base
    if base is None:
        draft = retry_on_reopen(lambda: drafts.read_draft(open_store(), secret))
    else:
        version, device = request.version or 0, request.device[:64]
        draft = drafts.write_steps(open_store(), secret, base, request.more, version, device)
    if draft is None:
        raise KeyError(secret)
    match = _open_drafts.get(secret, partial(DraftMatch, draft.head))  # maybe without its last steps
    t = translator(choose_language(request.lang if isinstance(request.lang, str) else ""), "dashboard")
    with match.lock:
        match.apply_steps(draft.steps)
        result = draft_view(match, t, request.board is True)
    steps = {"steps": list(draft.steps)} if base is None else {}
    return {**result, **steps, "version": draft.version}


ROUTES = [Route(DRAFT_PATH, handle_steps, methods=["POST"])]
