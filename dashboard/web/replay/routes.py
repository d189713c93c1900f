"""`/r` and `/oembed` as the server mounts them: everything below is answered here alone.

Answers are kept ready (`Kept`), and made at desks (`_made`) where they are not. To play on from a
replay takes code that is compiled once for a machine, in half a minute: a process of its own does
that before somebody waits for it (`compiling`), so that this one goes on answering.
"""

import gzip
import hashlib
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

import orjson
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from dashboard import access
from dashboard.api.app import Below
from dashboard.api.auth import asking
from dashboard.api.content_negotiation import texts
from dashboard.api.limits import Limited
from dashboard.api.problems import Problem, problem
from dashboard.board.preview_image import picture
from dashboard.store import AGAIN, at_hand, steady, store, why_not
from dashboard.web.replay import matches, puzzles, variation
from dashboard.web.replay.page import in_words, oembed, page, policy
from dashboard.web.replay.puzzles import Wanted, following
from dashboard.web.static_pages import home, later
from dashboard.web.static_pages import page as plain_page
from engine.continuation import prepare
from engine.continuation import ready as is_compiled
from engine.games import game, names
from ingest.i18n import LANGUAGES, N_, Translate
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.server_hosts import RATE
from ingest.store.tokens import Role

T = TypeVar("T")

LINES, QUESTION, QUESTIONS = ("suite", "suite.json"), "trouver", "/r/trouver"
"""Kinds of addresses at which something is played, and where the next question is."""
LATER = N_("In a moment")
TITLES = {404: N_("Not here"), 410: N_("Gone"), 429: LATER, 503: LATER}
HTML, JSON, PNG = "text/html; charset=utf-8", "application/json", "image/png"
VARY = "Accept-Encoding, Accept-Language, Cookie, Authorization"
NONE = "default-src 'none'; frame-ancestors 'none'"
"""The policy of what is no page."""
FOR_GOOD = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Vary": "Accept-Encoding",
    "Content-Security-Policy": NONE,
}
"""What files say, whose addresses name their content."""
MOST = 32 << 20
"""Bytes of all answers that are kept."""
WAITING = 256
"""So many may wait for what is not ready: a browser that is refused does not ask again by itself,
and all who were sent one link may come at once."""
BUSY = N_("Many replays are asked for: ask again in some seconds.")
TOO_OFTEN = N_("Too much was asked at once: one moment.")
COMPILING = N_(
    "The others play by compiled code, made now, once for this machine: some 30 seconds."
)
COMPILED_IN = 5
"""Seconds after which it is looked again whether it is."""


class Ready(NamedTuple):
    """What is sent: its body as it travels, compressed but for pictures."""

    type: str
    body: bytes
    tag: str
    zipped: bool
    whole: bool = True
    """Whether it is kept: what waits for a part of it will be another."""

    @classmethod
    def of(cls, type: str, body: bytes, zipped: bool = True, whole: bool = True) -> "Ready":
        """The body as it is; its tag says what is in it."""
        tag = hashlib.sha256(body).hexdigest()[:32]
        return cls(type, gzip.compress(body, 6, mtime=0) if zipped else body, tag, zipped, whole)


Stamp = tuple[Store, int, int]
Asked = tuple[str, ...]
"""What an answer depends on besides its match."""


def stamp(opened: Store) -> Stamp:
    """The state of a store now; another one after whatever is written."""
    return opened, opened.opened, opened.commits


class Kept:
    """Answers by what was asked, those asked for last, as long as their match says the same.

    Each has the state of the store it was made in, the digest of what its match says to its
    readers, and what is sent. In another state its match is looked up again, and where it says what
    it said, the answer is that one still. Threads may share it.
    """

    def __init__(self, most: int = MOST) -> None:
        self._entries: LRUCache[Asked, tuple[Stamp, str, Ready]]
        self._entries = LRUCache(most, lambda one: len(one[2].body))
        self._lock = threading.Lock()

    def now(self, asked: Asked) -> Ready | None:
        """The answer, if the store is as it was; nobody waits for it."""
        opened = at_hand()
        with self._lock:
            entry = self._entries.get(asked)
        return entry[2] if entry and opened is not None and entry[0] == stamp(opened) else None

    def get(self, asked: Asked, at: Stamp, said: str, make: Callable[[], Ready]) -> Ready:
        """The answer of a match that says this, `at` a state of the store before it was read."""
        with self._lock:
            entry = self._entries.get(asked)
        ready = entry[2] if entry is not None and entry[1] == said else make()
        if not ready.whole:
            return ready
        with self._lock, suppress(ValueError):  # one that is larger than all that is kept
            self._entries[asked] = at, said, ready
        return ready


async def _made(desk: CapacityLimiter, make: Callable[[], T]) -> T:
    """What is made at a desk of a store that may be replaced meanwhile. Problem: too many wait."""
    if desk.statistics().tasks_waiting >= WAITING:
        raise Problem(503, BUSY).after(2)
    return await run_sync(steady, make, limiter=desk)


kept, kept_lines = Kept(), Kept(MOST // 4)
_pages, _pictures, _lines, _searches = map(CapacityLimiter, (2, 1, 1, 1))
"""Desks: where what is not ready is made, so much at a time, on threads of their own. A picture
takes several times as long as a page, which waits for none."""


_compiled = set[str]()
"""Games that are compiled, or could not be by that process: then whoever asks compiles them."""


@cache
def compiling() -> None:
    """Have what playing on takes compiled in the background; the first call alone does anything."""

    def compile_all() -> None:
        for own in map(game, names()):
            try:
                if not is_compiled(own):
                    # -P: a folder named as a package of ours where the server stands is not taken
                    command = [sys.executable, "-P", "-m", "engine.continuation", own.name]
                    null = subprocess.DEVNULL
                    subprocess.run(command, stdin=null, stdout=null, stderr=null, check=False)
            finally:
                _compiled.add(own.name)
            prepare(own)  # read from where it is kept

    threading.Thread(target=compile_all, daemon=True, name="ready").start()


async def replays(scope: Scope, receive: Receive, send: Send) -> None:
    """Whatever is below `/r`, and `/oembed`."""
    request = Request(scope)
    t = texts(request, LANGUAGES[0])
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
    path, query = request.scope["path"], request.query_params
    if path.startswith(matches.FILES):
        file = (await run_sync(matches.at_address)).get(path)
        if file is None:
            raise Problem(404, matches.NOTHING)
        return _sent(request, Ready(file.type, file.body, path, file.type != PNG), FOR_GOOD)
    base = f"{request.url.scheme}://{request.headers.get('host', '').lower()}"
    if path == "/oembed":
        return Response(await _made(_pages, partial(oembed, query, base, t)), media_type=JSON)
    compiling()  # who reads a replay may go on from there
    if path.rstrip("/") == QUESTIONS:
        return await _next(request, t)
    where = matches.read(path)
    if where is None:
        raise Problem(404, matches.NOTHING)
    lang, embed = "" if where.kind else matches.chosen(query), "embed" in query
    where = where._replace(base=base, embed=embed, lang=lang)
    cache, desk, framed = kept_lines, _lines, False
    key: Asked
    make: Callable[[matches.Found], Ready]
    if where.kind in LINES:
        line = variation.Asked.of(query)
        key = (path, t.language, line.actions, line.seat, "go" * line.on)
        make = partial(_line, where=where, asked=line, t=t)
    elif where.kind == QUESTION:
        wanted, card = Wanted.of(query), query.get("card", "")[:8]
        key = (path, t.language, card, *wanted)
        make = partial(_question, where=where, card=card, wanted=wanted, t=t)
    else:
        cache, desk = kept, _pictures if where.kind == "png" else _pages
        key = (path, t.language, base, "embed" * embed, lang)
        make = partial(_position, where=where, t=t)
        if embed and not where.kind:
            # what is read by a token or a session is in nobody's frame: a browser would show it
            framed = (await run_sync(access.bearer_of, None)).may(Role.READER)

    def made() -> Ready:
        now = stamp(store())  # before it is read: what is written meanwhile is read the next time
        found = matches.find(where.name)
        return cache.get(key, now, found.digest, partial(make, found))

    ready = cache.now(key)
    if ready is None:
        ready = await _made(desk, made)
    # what somebody may read by a token no cache keeps for others
    public = "public" if asking(request.scope).token_no is None else "private"
    headers = {
        "Cache-Control": f"{public}, no-cache",
        "Vary": VARY,
        "Content-Language": t.language,
        "Content-Security-Policy": policy(framed) if ready.type == HTML else NONE,
    }
    return _sent(request, ready, headers)


def _line(
    found: matches.Found, where: matches.Where, asked: variation.Asked, t: Translate
) -> Ready:
    """A line of the reader's own: its page, or what comes next as JSON. Problem: as it says."""
    own = matches.game_of(found)
    if own.name not in _compiled and not is_compiled(own):
        raise Problem(503, COMPILING).after(COMPILED_IN)
    line = variation.line(found, where.deal, where.ply, asked)
    if where.kind == LINES[0]:
        return Ready.of(HTML, variation.page(found, line, t).encode())
    return Ready.of(JSON, variation.answer(line, t))


def _question(
    found: matches.Found, where: matches.Where, card: str, wanted: Wanted, t: Translate
) -> Ready:
    """A question, or its answer where a card is chosen. Problem: as it says."""
    asked = puzzles.question(found, where.deal, where.ply)
    return Ready.of(HTML, puzzles.page(found, asked, card, wanted, t).encode())


def _position(found: matches.Found, where: matches.Where, t: Translate) -> Ready:
    """A position as a page or a picture, or its deal as JSON. Problem: there is none."""
    states = matches.deal(found, where.deal, t)
    shown = orjson.loads(states)
    whole = not (shown["value"] and shown["value"]["waiting"])
    if where.kind == "json":
        return Ready.of(JSON, states, whole=whole)
    where.within(shown)
    if not where.kind:
        return Ready.of(HTML, page(found, where, shown, t).encode(), whole=whole)
    told = in_words(found, where, shown, t)
    drawn = picture(matches.drawable(shown), where.ply, told.title, told.about)
    return Ready.of(PNG, drawn, zipped=False)


async def _next(request: Request, t: Translate) -> Response:
    """To the next question, or that there is none."""
    wanted = Wanted.of(request.query_params)
    found = await _made(_searches, partial(following, wanted))
    if not found.found:
        return puzzles.none(found, wanted, t)
    lang = matches.chosen(request.query_params)
    query = urlencode(wanted.filters | ({"lang": lang} if lang else {}))
    at = f"/r/{found.match}/{found.deal}/{found.ply}/{QUESTION}"
    told = {"Location": f"{at}?{query}" if query else at, "Cache-Control": "no-store"}
    return Response(None, 303, told)


def _sent(request: Request, ready: Ready, headers: Mapping[str, str]) -> Response:
    """The answer as whoever asks can read it; nothing but that where they have it already."""
    zipped = ready.zipped and "gzip" in request.headers.get("accept-encoding", "")
    told = {**headers, "ETag": f'"{ready.tag}{"-gz" * zipped}"'}
    # however a proxy has weakened a tag
    have = request.headers.get("if-none-match", "").split(",")
    if {one.strip().removeprefix("W/") for one in have} & {told["ETag"], "*"}:
        return Response(None, 304, told)
    if zipped:
        return Response(ready.body, 200, told | {"Content-Encoding": "gzip"}, ready.type)
    body = gzip.decompress(ready.body) if ready.zipped else ready.body
    return Response(body, 200, told, ready.type)


def _refused(request: Request, refused: Problem, t: Translate) -> Response:
    """A page for a browser, a problem for a program."""
    said, status = t(refused.text, **refused.values), refused.status
    by_browser = "text/html" in request.headers.get("accept", "")
    if request.scope["path"] == "/oembed" or not by_browser:
        return problem(status, said, refused.headers, **refused.more)
    title, wait = t(TITLES.get(status, TITLES[404])), refused.headers.get("Retry-After")
    args, more = (t, status, title, said), home(t)
    answer = later(*args, wait, more) if wait else plain_page(*args, more=more)
    answer.headers.update(refused.headers)
    return answer


def routes(rate: float = RATE) -> list[BaseRoute]:
    """What comes before every page; a client may have so many lines a second played on, 0: any."""

    def too_often(scope: Scope, wait: int) -> Response:
        request = Request(scope)
        return _refused(request, Problem(429, TOO_OFTEN).after(wait), texts(request, LANGUAGES[0]))

    limited = Limited(replays, rate, too_often) if rate else replays

    async def below(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        where = matches.read(path)
        # something is played or looked for to answer it
        kind = QUESTION if path.rstrip("/") == QUESTIONS else where.kind if where else ""
        await (limited if kind in (*LINES, QUESTION) else replays)(scope, receive, send)

    return [Below("/r", below), Below("/oembed", replays)]
