"""Routes of `/r` and `/oembed`.

Answers are kept ready (`ResponseCache`), and made at desks (`_run_limited`) where they are not. To
play on from a replay takes code that is compiled once for a machine, in half a minute: a process of
its own does that before somebody waits for it (`compile_in_background`), so that this one goes on
answering.
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
from dashboard.api.app import PrefixMount
from dashboard.api.auth import principal_of
from dashboard.api.content_negotiation import response_texts
from dashboard.api.limits import RateLimitMiddleware
from dashboard.api.problems import Problem, problem_response
from dashboard.board.preview_image import draw_preview
from dashboard.store import (
    RETRY_AFTER_SECONDS,
    open_store,
    retry_on_reopen,
    store_if_open,
    unavailable_reason,
)
from dashboard.web.replay import matches, puzzles, variation
from dashboard.web.replay.page import (
    content_security_policy,
    oembed_json,
    position_caption,
    position_page,
)
from dashboard.web.replay.puzzles import PuzzleFilter, next_puzzle
from dashboard.web.static_pages import home_link, retry_page
from dashboard.web.static_pages import html_page as plain_page
from engine.continuation import is_jit_cached as is_compiled
from engine.continuation import warm_up_jit
from engine.games import game, game_names
from ingest.i18n import LANGUAGES, N_, Translate
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.server_hosts import DEFAULT_REQUESTS_PER_SECOND
from ingest.store.tokens import Role

T = TypeVar("T")

VARIATION_KINDS, PUZZLE_KIND, NEXT_PUZZLE_PATH = ("suite", "suite.json"), "trouver", "/r/trouver"
"""Kinds of addresses at which something is played, and where the next question is."""
RETRY_TITLE = N_("In a moment")
STATUS_TITLES = {404: N_("Not here"), 410: N_("Gone"), 429: RETRY_TITLE, 503: RETRY_TITLE}
HTML_TYPE, JSON_TYPE, PNG_TYPE = "text/html; charset=utf-8", "application/json", "image/png"
VARY_HEADER = "Accept-Encoding, Accept-Language, Cookie, Authorization"
EMPTY_POLICY = "default-src 'none'; frame-ancestors 'none'"
"""The policy of what is no page."""
IMMUTABLE_HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Vary": "Accept-Encoding",
    "Content-Security-Policy": EMPTY_POLICY,
}
"""What files say, whose addresses name their content."""
MAX_CACHE_BYTES = 32 << 20
"""Bytes of all answers that are kept."""
MAX_WAITING = 256
"""So many may wait for what is not ready: a browser that is refused does not ask again by itself,
and all who were sent one link may come at once."""
TOO_MANY_REQUESTS = N_("Many replays are asked for: ask again in some seconds.")
RATE_LIMITED = N_("Too much was asked at once: one moment.")
JIT_COMPILING = N_(
    "The others play by compiled code, made now, once for this machine: some 30 seconds."
)
JIT_RETRY_SECONDS = 5
"""Seconds after which it is looked again whether it is."""


class CachedResponse(NamedTuple):
    """What is sent: its body as it travels, compressed but for pictures."""

    type: str
    body: bytes
    tag: str
    is_gzipped: bool
    is_cacheable: bool = True
    """Whether it is kept: what waits for a part of it will be another."""

    @classmethod
    def from_body(
        cls, type: str, body: bytes, is_gzipped: bool = True, is_cacheable: bool = True
    ) -> "CachedResponse":
        """The body as it is; its tag says what is in it."""
        tag = hashlib.sha256(body).hexdigest()[:32]
        return cls(
            type,
            gzip.compress(body, 6, mtime=0) if is_gzipped else body,
            tag,
            is_gzipped,
            is_cacheable,
        )


StoreVersion = tuple[Store, int, int]
CacheKey = tuple[str, ...]
"""What an answer depends on besides its match."""


def current_version(store: Store) -> StoreVersion:
    """The state of a store now; another one after whatever is written."""
    return store, store.file_generation, store.version


class ResponseCache:
    """Answers by what was asked, those asked for last, as long as their match says the same.

    Each has the state of the store it was made in, the digest of what its match says to its
    readers, and what is sent. In another state its match is looked up again, and where it says what
    it said, the answer is that one still. Threads may share it.
    """

    def __init__(self, most: int = MAX_CACHE_BYTES) -> None:
        self._entries: LRUCache[CacheKey, tuple[StoreVersion, str, CachedResponse]]
        self._entries = LRUCache(most, lambda one: len(one[2].body))
        self._lock = threading.Lock()

    def get_if_current(self, key: CacheKey) -> CachedResponse | None:
        """The answer, if the store is as it was; nobody waits for it."""
        opened = store_if_open()
        with self._lock:
            entry = self._entries.get(key)
        return (
            entry[2]
            if entry and opened is not None and entry[0] == current_version(opened)
            else None
        )

    def get_or_make(
        self, key: CacheKey, version: StoreVersion, digest: str, make: Callable[[], CachedResponse]
    ) -> CachedResponse:
        """The answer of a match that says this, `version` a state of the store before it was
        read.
        """
        with self._lock:
            entry = self._entries.get(key)
        ready = entry[2] if entry is not None and entry[1] == digest else make()
        if not ready.is_cacheable:
            return ready
        with self._lock, suppress(ValueError):  # one that is larger than all that is kept
            self._entries[key] = version, digest, ready
        return ready


async def _run_limited(limiter: CapacityLimiter, make: Callable[[], T]) -> T:
    """What is made at a desk of a store that may be replaced meanwhile. Problem: too many wait."""
    if limiter.statistics().tasks_waiting >= MAX_WAITING:
        raise Problem(503, TOO_MANY_REQUESTS).retry_after(2)
    return await run_sync(retry_on_reopen, make, limiter=limiter)


response_cache, variation_cache = ResponseCache(), ResponseCache(MAX_CACHE_BYTES // 4)
_page_limiter, _image_limiter, _variation_limiter, _search_limiter = map(
    CapacityLimiter, (2, 1, 1, 1)
)
"""Desks: where what is not ready is made, so much at a time, on threads of their own. A picture
takes several times as long as a page, which waits for none."""


_compiled_games = set[str]()
"""Games that are compiled, or could not be by that process: then whoever asks compiles them."""


@cache
def compile_in_background() -> None:
    """Have what playing on takes compiled in the background; the first call alone does anything."""

    def compile_all() -> None:
        for own in map(game, game_names()):
            try:
                if not is_compiled(own):
                    # -P: a folder named as a package of ours where the server stands is not taken
                    command = [sys.executable, "-P", "-m", "engine.continuation", own.name]
                    null = subprocess.DEVNULL
                    subprocess.run(command, stdin=null, stdout=null, stderr=null, check=False)
            finally:
                _compiled_games.add(own.name)
            warm_up_jit(own)  # read from where it is kept

    threading.Thread(target=compile_all, daemon=True, name="ready").start()


async def replay_app(scope: Scope, receive: Receive, send: Send) -> None:
    """Whatever is below `/r`, and `/oembed`."""
    request = Request(scope)
    t = response_texts(request, LANGUAGES[0])
    try:
        answer = await _respond(request, t)
    except Problem as refused:
        answer = _error_response(request, refused, t)
    except StoreError as error:
        answer = _error_response(
            request,
            Problem(503, "{said}", said=unavailable_reason(error, t)).retry_after(
                RETRY_AFTER_SECONDS
            ),
            t,
        )
    await answer(scope, receive, send)


async def _respond(request: Request, t: Translate) -> Response:
    if request.method not in ("GET", "HEAD"):
        return problem_response(405, headers={"Allow": "GET, HEAD"})
    path, query = request.scope["path"], request.query_params
    if path.startswith(matches.ASSET_PREFIX):
        file = (await run_sync(matches.assets_by_url)).get(path)
        if file is None:
            raise Problem(404, matches.NOT_FOUND)
        return _send(
            request,
            CachedResponse(file.type, file.body, path, file.type != PNG_TYPE),
            IMMUTABLE_HEADERS,
        )
    base = f"{request.url.scheme}://{request.headers.get('host', '').lower()}"
    if path == "/oembed":
        return Response(
            await _run_limited(_page_limiter, partial(oembed_json, query, base, t)),
            media_type=JSON_TYPE,
        )
    compile_in_background()  # who reads a replay may go on from there
    if path.rstrip("/") == NEXT_PUZZLE_PATH:
        return await _redirect_to_next(request, t)
    where = matches.parse_path(path)
    if where is None:
        raise Problem(404, matches.NOT_FOUND)
    lang, embed = "" if where.kind else matches.language_of(query), "embed" in query
    where = where._replace(base_url=base, embed=embed, lang=lang)
    cache, desk, framed = variation_cache, _variation_limiter, False
    key: CacheKey
    make: Callable[[matches.StoredMatch], CachedResponse]
    if where.kind in VARIATION_KINDS:
        line = variation.VariationRequest.from_query(query)
        key = (path, t.language, line.actions, line.seat, "go" * line.lets_others_play)
        make = partial(_variation_response, url=where, request=line, t=t)
    elif where.kind == PUZZLE_KIND:
        wanted, card = PuzzleFilter.from_query(query), query.get("card", "")[:8]
        key = (path, t.language, card, *wanted)
        make = partial(_puzzle_response, url=where, card=card, puzzle_filter=wanted, t=t)
    else:
        cache, desk = response_cache, _image_limiter if where.kind == "png" else _page_limiter
        key = (path, t.language, base, "embed" * embed, lang)
        make = partial(_position_response, url=where, t=t)
        if embed and not where.kind:
            # what is read by a token or a session is in nobody's frame: a browser would show it
            framed = (await run_sync(access.principal_of_token, None)).has_role(Role.READER)

    def made() -> CachedResponse:
        now = current_version(
            open_store()
        )  # before it is read: what is written meanwhile is read the next time
        found = matches.find_match(where.name)
        return cache.get_or_make(key, now, found.digest, partial(make, found))

    ready = cache.get_if_current(key)
    if ready is None:
        ready = await _run_limited(desk, made)
    # what somebody may read by a token no cache keeps for others
    public = "public" if principal_of(request.scope).token_no is None else "private"
    headers = {
        "Cache-Control": f"{public}, no-cache",
        "Vary": VARY_HEADER,
        "Content-Language": t.language,
        "Content-Security-Policy": content_security_policy(framed)
        if ready.type == HTML_TYPE
        else EMPTY_POLICY,
    }
    return _send(request, ready, headers)


def _variation_response(
    match: matches.StoredMatch,
    url: matches.ReplayUrl,
    request: variation.VariationRequest,
    t: Translate,
) -> CachedResponse:
    """A line of the reader's own: its page, or what comes next as JSON. Problem: as it says."""
    own = matches.game_of_match(match)
    if own.name not in _compiled_games and not is_compiled(own):
        raise Problem(503, JIT_COMPILING).retry_after(JIT_RETRY_SECONDS)
    line = variation.play_variation(match, url.deal, url.ply, request)
    if url.kind == VARIATION_KINDS[0]:
        return CachedResponse.from_body(
            HTML_TYPE, variation.variation_page(match, line, t).encode()
        )
    return CachedResponse.from_body(JSON_TYPE, variation.variation_json(line, t))


def _puzzle_response(
    match: matches.StoredMatch,
    url: matches.ReplayUrl,
    card: str,
    puzzle_filter: PuzzleFilter,
    t: Translate,
) -> CachedResponse:
    """A question, or its answer where a card is chosen. Problem: as it says."""
    asked = puzzles.find_puzzle(match, url.deal, url.ply)
    return CachedResponse.from_body(
        HTML_TYPE, puzzles.puzzle_page(match, asked, card, puzzle_filter, t).encode()
    )


def _position_response(
    match: matches.StoredMatch, url: matches.ReplayUrl, t: Translate
) -> CachedResponse:
    """A position as a page or a picture, or its deal as JSON. Problem: there is none."""
    states = matches.deal_json(match, url.deal, t)
    shown = orjson.loads(states)
    whole = not (shown["value"] and shown["value"]["waiting"])
    if url.kind == "json":
        return CachedResponse.from_body(JSON_TYPE, states, is_cacheable=whole)
    url.check_position(shown)
    if not url.kind:
        return CachedResponse.from_body(
            HTML_TYPE, position_page(match, url, shown, t).encode(), is_cacheable=whole
        )
    told = position_caption(match, url, shown, t)
    drawn = draw_preview(matches.with_dashboard_images(shown), url.ply, told.title, told.about)
    return CachedResponse.from_body(PNG_TYPE, drawn, is_gzipped=False)


async def _redirect_to_next(request: Request, t: Translate) -> Response:
    """To the next question, or that there is none."""
    wanted = PuzzleFilter.from_query(request.query_params)
    found = await _run_limited(_search_limiter, partial(next_puzzle, wanted))
    if not found.is_found:
        return puzzles.no_puzzle_page(found, wanted, t)
    lang = matches.language_of(request.query_params)
    query = urlencode(wanted.filters | ({"lang": lang} if lang else {}))
    at = f"/r/{found.match}/{found.deal}/{found.ply}/{PUZZLE_KIND}"
    told = {"Location": f"{at}?{query}" if query else at, "Cache-Control": "no-store"}
    return Response(None, 303, told)


def _send(request: Request, cached: CachedResponse, headers: Mapping[str, str]) -> Response:
    """The answer as whoever asks can read it; nothing but that where they have it already."""
    zipped = cached.is_gzipped and "gzip" in request.headers.get("accept-encoding", "")
    told = {**headers, "ETag": f'"{cached.tag}{"-gz" * zipped}"'}
    # however a proxy has weakened a tag
    have = request.headers.get("if-none-match", "").split(",")
    if {one.strip().removeprefix("W/") for one in have} & {told["ETag"], "*"}:
        return Response(None, 304, told)
    if zipped:
        return Response(cached.body, 200, told | {"Content-Encoding": "gzip"}, cached.type)
    body = gzip.decompress(cached.body) if cached.is_gzipped else cached.body
    return Response(body, 200, told, cached.type)


def _error_response(request: Request, refused: Problem, t: Translate) -> Response:
    """A page for a browser, a problem for a program."""
    said, status = t(refused.text, **refused.values), refused.status
    by_browser = "text/html" in request.headers.get("accept", "")
    if request.scope["path"] == "/oembed" or not by_browser:
        return problem_response(status, said, refused.headers, **refused.members)
    title, wait = (
        t(STATUS_TITLES.get(status, STATUS_TITLES[404])),
        refused.headers.get("Retry-After"),
    )
    args, more = (t, status, title, said), home_link(t)
    answer = retry_page(*args, wait, more) if wait else plain_page(*args, markup=more)
    answer.headers.update(refused.headers)
    return answer


def replay_routes(rate: float = DEFAULT_REQUESTS_PER_SECOND) -> list[BaseRoute]:
    """What comes before every page; a client may have so many lines a second played on, 0: any."""

    def too_often(scope: Scope, wait: int) -> Response:
        request = Request(scope)
        return _error_response(
            request,
            Problem(429, RATE_LIMITED).retry_after(wait),
            response_texts(request, LANGUAGES[0]),
        )

    limited = RateLimitMiddleware(replay_app, rate, too_often) if rate else replay_app

    async def below(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        where = matches.parse_path(path)
        # something is played or looked for to answer it
        kind = PUZZLE_KIND if path.rstrip("/") == NEXT_PUZZLE_PATH else where.kind if where else ""
        await (limited if kind in (*VARIATION_KINDS, PUZZLE_KIND) else replay_app)(
            scope, receive, send
        )

    return [PrefixMount("/r", below), PrefixMount("/oembed", replay_app)]
