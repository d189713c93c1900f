"""Receives the steps of a draft and answers with its state.

Each request says from where on its steps are new, so that one that is sent again changes nothing.
"""

from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dashboard.draft import DraftMatch, draft_view
from dashboard.store import LruCache, open_store, retry_on_reopen
from dashboard.web.auth_middleware import DRAFT_PATH
from dashboard.web.static_pages import read_small_body
from ingest.i18n import choose_language, translator
from ingest.store import drafts
from ingest.store.drafts import Draft, DraftConflict, DraftTooLong
from ingest.store.errors import StoreError

MAX_BODY_BYTES = 1 << 20
"""Bytes of a request: more than anybody types."""
MAX_OPEN_DRAFTS = 64
"""Drafts whose match stays in memory; another one is said anew from its first step."""

StepIndex = Annotated[int, Field(ge=0, lt=1 << 31)]
_open_drafts: LruCache[DraftMatch] = LruCache(MAX_OPEN_DRAFTS)


class StepsRequest(BaseModel):
    """What a page of ours sends; what is none of ours is no such thing."""

    model_config = ConfigDict(strict=True)

    draft: str
    device: str
    base: StepIndex | None = None
    """From where on `more` is new; None: what there is is asked for."""
    more: list[str] = []
    version: StepIndex | None = None
    board: Any = False
    lang: Any = ""


def draft_match(secret: str, draft: Draft) -> DraftMatch:
    """The match of a draft, not yet at its last step."""
    return _open_drafts.get(secret, lambda: DraftMatch(draft.head))


async def handle_steps(request: Request) -> Response:
    """Take steps, and say how the match stands."""
    body = await read_small_body(request, MAX_BODY_BYTES)
    if body is None:
        return PlainTextResponse("413", 413)
    try:
        said = await run_in_threadpool(_apply_steps, StepsRequest.model_validate_json(body))
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
    return Response(orjson.dumps(said), 200, media_type="application/json")


def _apply_steps(request: StepsRequest) -> dict[str, Any]:
    """How the match stands after these steps. KeyError: there is no such draft."""
    secret, base = request.draft, request.base
    if base is None:
        draft = retry_on_reopen(lambda: drafts.read_draft(open_store(), secret))
    else:
        version, device = request.version or 0, request.device[:64]
        draft = drafts.write_steps(open_store(), secret, base, request.more, version, device)
    if draft is None:
        raise KeyError(secret)
    match = draft_match(secret, draft)
    t = translator(
        choose_language(request.lang if isinstance(request.lang, str) else ""), "dashboard"
    )
    with match.lock:
        match.apply_steps(draft.steps)
        told = draft_view(match, t, request.board is True)
    steps = {"steps": list(draft.steps)} if base is None else {}
    return {**told, **steps, "version": draft.version}


ROUTES = [Route(DRAFT_PATH, handle_steps, methods=["POST"])]
