"""`/r` and `/oembed` as the server mounts them: everything below is answered here alone."""

from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import urlencode

import orjson
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from dashboard import access
from dashboard.api.app import Below
from dashboard.api.limits import Limited
from dashboard.api.problems import Problem, problem
from dashboard.api.who import asking
from dashboard.board.picture import picture
from dashboard.store import AGAIN, steady, store, why_not
from dashboard.web.plain import home, later
from dashboard.web.plain import page as plain_page
from dashboard.web.replay import own_line, questions, ready
from dashboard.web.replay.assets import BELOW, KEPT, at_address, drawable
from dashboard.web.replay.kept import MOST, Asked, Kept, Ready, stamp
from dashboard.web.replay.matches import Found, deal, find, game_of
from dashboard.web.replay.page import Place, in_words, oembed, page, policy
from dashboard.web.replay.places import NOTHING, Where, chosen, language, read
from dashboard.web.replay.questions import Wanted, following
from ingest.i18n import N_, Translate, translator
from ingest.store.errors import StoreError
from ingest.store.served import RATE
from ingest.store.tokens import Role

T = TypeVar("T")
Make = Callable[[Found], Ready]
"""What makes an answer of a match."""

LINES, QUESTION, QUESTIONS = ("suite", "suite.json"), "trouver", "/r/trouver"
"""Kinds of addresses at which something is played, and where the next question is."""
LATER = N_("In a moment")
TITLES = {404: N_("Not here"), 410: N_("Gone"), 429: LATER, 503: LATER}
HTML, JSON, PNG = "text/html; charset=utf-8", "application/json", "image/png"
VARY = "Accept-Encoding, Accept-Language, Cookie, Authorization"
NONE = "default-src 'none'; frame-ancestors 'none'"
"""The policy of what is no page."""
WAITING = 256
"""So many may wait for what is not ready: a browser that is refused does not ask again by itself,
and all who were sent one link may come at once."""
BUSY = N_("Many replays are asked for: ask again in some seconds.")
TOO_OFTEN = N_("Too much was asked at once: one moment.")


async def replays(scope: Scope, receive: Receive, send: Send) -> None:
    """Whatever is below `/r`, and `/oembed`."""
    request = Request(scope)
    t = translator(language(request), "dashboard")
    try:
        answer = await _answer(request, t)
    except Problem as refused:
        answer = _refused(request, refused, t)
    except StoreError as error:
        answer = _refused(request, Problem(503, "{said}", said=why_not(error, t)).after(AGAIN), t)
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
    ready.begin()  # who reads a replay may go on from there
    if path.rstrip("/") == QUESTIONS:
        return await _next(request, t)
    where = read(path)
    if where is None:
        raise Problem(404, NOTHING)
    if where.kind in LINES:
        return await _own(request, where, t)
    if where.kind == QUESTION:
        return await _question(request, where, t)
    lang = "" if where.kind else chosen(request.query_params)
    asked = (path, t.language, base, "embed" * embed, lang)
    at = Place(where.deal, where.ply, base, embed, lang)
    desk = _pictures if where.kind == "png" else _pages
    answer = await _made(kept, desk, asked, where.name, lambda found: _ready(found, where, at, t))
    return _sent(request, answer, _told(request, t, await _policy(where, embed)))


async def _made(cache: Kept, desk: "Desk", key: Asked, name: str, make: Make) -> Ready:
    """What is made of a match: as it is kept, else made at a desk. Problem: there is nothing."""
    ready = cache.now(key)
    if ready is not None:
        return ready

    def made() -> Ready:
        now = stamp(store())  # before it is read: what is written meanwhile is read the next time
        found = find(name)
        return cache.get(key, now, found.digest, lambda: make(found))

    return await desk.made(lambda: steady(made))


async def _own(request: Request, where: Where, t: Translate) -> Response:
    """A line of the reader's own: its page, or what comes next as JSON."""
    asked = own_line.Asked.of(request.query_params)
    key = (request.scope["path"], t.language, asked.actions, asked.seat, "go" * asked.on)
    as_page = where.kind == LINES[0]

    def make(found: Found) -> Ready:
        ready.ask(game_of(found))
        told = own_line.line(found, where.deal, where.ply, asked)
        if as_page:
            return Ready.of(HTML, own_line.page(found, told, t).encode())
        return Ready.of(JSON, own_line.answer(told, t))

    answer = await _made(kept_lines, _lines, key, where.name, make)
    return _sent(request, answer, _told(request, t, policy(False) if as_page else NONE))


async def _question(request: Request, where: Where, t: Translate) -> Response:
    """A question, or its answer where a card is chosen."""
    wanted, card = Wanted.of(request.query_params), request.query_params.get("card", "")[:8]
    key = (request.scope["path"], t.language, card, *wanted)

    def make(found: Found) -> Ready:
        asked = questions.question(found, where.deal, where.ply)
        return Ready.of(HTML, questions.page(found, asked, card, wanted, t).encode())

    answer = await _made(kept_lines, _lines, key, where.name, make)
    return _sent(request, answer, _told(request, t, policy(False)))


async def _next(request: Request, t: Translate) -> Response:
    """To the next question, or that there is none."""
    wanted = Wanted.of(request.query_params)
    found = await _searches.made(lambda: steady(lambda: following(wanted)))
    if not found.found:
        return questions.none(found, wanted, t)
    lang = chosen(request.query_params)
    query = urlencode(wanted.filters | ({"lang": lang} if lang else {}))
    at = f"/r/{found.match}/{found.deal}/{found.ply}/{QUESTION}"
    told = {"Location": f"{at}?{query}" if query else at, "Cache-Control": "no-store"}
    return Response(None, 303, told)


def _told(request: Request, t: Translate, policy: str) -> dict[str, str]:
    """What every answer says; what somebody may read by a token no cache keeps for others."""
    public = asking(request).token_no is None
    return {
        "Cache-Control": f"{'public' if public else 'private'}, no-cache",
        "Vary": VARY,
        "Content-Language": t.language,
        "Content-Security-Policy": policy,
    }


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


kept, kept_lines = Kept(), Kept(MOST // 4)
_pages, _pictures, _lines, _searches = Desk(2), Desk(1), Desk(1), Desk(1)
"""A picture takes several times as long as a page, which waits for none."""


def _ready(found: Found, where: Where, at: Place, t: Translate) -> Ready:
    """What an address answers. Problem: there is nothing to answer."""
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


async def _policy(where: Where, embed: bool) -> str:
    """What is read by a token or a session is in nobody's frame: a browser would show it there."""
    if where.kind:
        return NONE
    return policy(embed and (await run_sync(access.bearer_of, None)).may(Role.READER))


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
    wait = refused.headers.get("Retry-After")
    if wait is None:
        answer = plain_page(t, refused.status, title, said, more=home(t))
    else:
        answer = later(t, refused.status, title, said, wait, home(t))
    answer.headers.update(refused.headers)
    return answer


def _too_often(scope: Scope, wait: int) -> Response:
    """The same for who asks more often than a client may."""
    request = Request(scope)
    refused = Problem(429, TOO_OFTEN).after(wait)
    return _refused(request, refused, translator(language(request), "dashboard"))


def is_read(accept: str) -> bool:
    """Whether somebody reads the answer in a browser."""
    return "text/html" in accept


def routes(rate: float = RATE) -> list[BaseRoute]:
    """What comes before every page; a client may have so many lines a second played on, 0: any."""
    limited = Limited(replays, rate, _too_often) if rate else replays

    async def below(scope: Scope, receive: Receive, send: Send) -> None:
        await (limited if is_played(scope["path"]) else replays)(scope, receive, send)

    return [Below("/r", below), Below("/oembed", replays)]


def is_played(path: str) -> bool:
    """Whether something is played or looked for to answer a path."""
    where = read(path)
    if path.rstrip("/") == QUESTIONS:
        return True
    return where is not None and where.kind in (*LINES, QUESTION)
