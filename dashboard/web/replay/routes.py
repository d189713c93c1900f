"""`/r` and `/oembed` as the server mounts them: everything below is answered here alone."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import orjson
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from dashboard import access
from dashboard.api.app import Below
from dashboard.api.problems import Problem, problem
from dashboard.api.who import asking
from dashboard.board.picture import picture
from dashboard.store import steady, store
from dashboard.web.plain import home
from dashboard.web.plain import page as plain_page
from dashboard.web.replay.assets import BELOW, KEPT, at_address, drawable
from dashboard.web.replay.kept import Asked, Kept, Ready, stamp
from dashboard.web.replay.language import chosen, language
from dashboard.web.replay.matches import deal, find
from dashboard.web.replay.oembed import oembed
from dashboard.web.replay.page import Place, in_words, page, policy
from dashboard.web.replay.places import NOTHING, Where, read
from ingest.i18n import N_, Translate, translator
from ingest.store.errors import StoreError
from ingest.store.tokens import Role

T = TypeVar("T")

TITLES = {404: N_("Not here"), 410: N_("Gone"), 405: N_("Not here")}
HTML, JSON, PNG = "text/html; charset=utf-8", "application/json", "image/png"
VARY = "Accept-Encoding, Accept-Language, Cookie, Authorization"
NONE = "default-src 'none'; frame-ancestors 'none'"
"""The policy of what is no page."""
WAITING = 64
"""So many may wait for what is not ready."""
BUSY = N_("Many replays are asked for: ask again in some seconds.")


async def replays(scope: Scope, receive: Receive, send: Send) -> None:
    """Whatever is below `/r`, and `/oembed`."""
    request = Request(scope)
    t = translator(language(request), "dashboard")
    try:
        answer = await _answer(request, t)
    except Problem as refused:
        answer = _refused(request, refused, t)
    except StoreError as error:
        answer = problem(503, error.say(t), {"Retry-After": "5"})
    await answer(scope, receive, send)


async def _answer(request: Request, t: Translate) -> Response:
    if request.method not in ("GET", "HEAD"):
        return problem(405, headers={"Allow": "GET, HEAD"})
    path = request.scope["path"]
    if path.startswith(BELOW):
        return await _asset(request, path)
    base = f"{request.url.scheme}://{request.headers.get('host', '').lower()}"
    embed = "embed" in request.query_params
    if path == "/oembed":
        query = request.query_params
        told = await _pages.made(lambda: steady(lambda: oembed(query, base, t)))
        return Response(told, media_type=JSON)
    where = read(path)
    if where is None:
        raise Problem(404, NOTHING)
    lang = "" if where.kind else chosen(request.query_params)
    asked = (path, t.language, base, "embed" * embed, lang)
    at = Place(where.deal, where.ply, base, embed, lang)
    ready = kept.now(asked)
    if ready is None:
        desk = _pictures if where.kind == "png" else _pages
        ready = await desk.made(lambda: steady(lambda: _ready(asked, where, at, t)))
    headers = {"Content-Language": t.language} | await _policy(where, embed)
    # what somebody may read by a token no cache keeps for others
    whose = "public" if asking(request).token_no is None else "private"
    return _sent(request, ready, headers | {"Cache-Control": f"{whose}, no-cache", "Vary": VARY})


async def _asset(request: Request, path: str) -> Response:
    found = (await run_sync(at_address)).get(path)
    if found is None:
        raise Problem(404, NOTHING)
    ready = Ready(found.type, found.zipped, path, found.type != PNG)
    return _sent(request, ready, _OF_ASSETS)


_OF_ASSETS = {
    "Cache-Control": KEPT,
    "Vary": "Accept-Encoding",
    "Content-Security-Policy": NONE,
}


class Desk:
    """Where what is not ready is made, so much at a time, on threads of their own."""

    def __init__(self, at_once: int) -> None:
        self._limit = CapacityLimiter(at_once)
        self._waiting = 0

    async def made(self, make: Callable[[], T]) -> T:
        """What it makes. Problem: too many wait."""
        if self._waiting >= WAITING:
            raise Problem(503, BUSY).after(2)
        self._waiting += 1
        try:
            return await run_sync(make, limiter=self._limit)
        finally:
            self._waiting -= 1


kept = Kept()
_pages, _pictures = Desk(2), Desk(1)
"""A picture takes several times as long as a page, which waits for none."""


def _ready(asked: Asked, where: Where, at: Place, t: Translate) -> Ready:
    """What an address answers. Problem: there is nothing to answer."""
    now = stamp(
        store()
    )  # before the store is read: what is written meanwhile is read the next time
    found = find(where.name)

    def make() -> Ready:
        states = deal(found, where.deal, t)
        shown = orjson.loads(states)
        whole = not (shown["value"] and shown["value"]["waiting"])
        if where.kind == "json":
            return Ready.of(JSON, states, whole=whole)
        where.within(shown)
        if not where.kind:
            return Ready.of(HTML, page(found, at, shown, t).encode(), whole=whole)
        told = in_words(found, at, shown, t)
        return Ready.of(PNG, picture(drawable(shown), at.ply, told.title, told.about), zipped=False)

    return kept.get(asked, now, found.digest, make)


async def _policy(where: Where, embed: bool) -> dict[str, str]:
    """What is read by a token or a session is in nobody's frame: a browser would show it there."""
    if where.kind:
        return {"Content-Security-Policy": NONE}
    framed = embed and (await run_sync(access.bearer_of, None)).may(Role.READER)
    return {"Content-Security-Policy": policy(framed)}


def _sent(request: Request, ready: Ready, headers: Mapping[str, str]) -> Response:
    """The answer as whoever asks can read it; nothing but that where they have it already."""
    zipped = ready.zipped and "gzip" in request.headers.get("accept-encoding", "")
    told = {**headers, "ETag": f'"{ready.tag}{"-gz" * zipped}"'}
    if _has(request.headers.get("if-none-match", ""), told["ETag"]):
        return Response(None, 304, told)
    if zipped:
        return Response(ready.body, 200, told | {"Content-Encoding": "gzip"}, ready.type)
    return Response(ready.plain, 200, told, ready.type)


def _has(tags: str, tag: str) -> bool:
    """Whether an If-None-Match names a tag, however a proxy has weakened it."""
    named = (one.strip().removeprefix("W/") for one in tags.split(","))
    return any(one in (tag, "*") for one in named)


def _refused(request: Request, refused: Problem, t: Translate) -> Response:
    """A page for a browser, a problem for a program."""
    said = t(refused.text, **refused.values)
    if request.scope["path"] == "/oembed" or not is_read(request.headers.get("accept", "")):
        return problem(refused.status, said, refused.headers, **refused.more)
    title = t(TITLES.get(refused.status, TITLES[404]))
    answer = plain_page(t, refused.status, title, said, more=home(t))
    answer.headers.update(refused.headers)
    return answer


def is_read(accept: str) -> bool:
    """Whether somebody reads the answer in a browser."""
    return "text/html" in accept


def routes() -> list[BaseRoute]:
    """What comes before every page."""
    return [Below("/r", replays), Below("/oembed", replays)]
