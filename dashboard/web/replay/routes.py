"""Routes of `/r` and `/oembed`.

Responses come from a cache (`ResponseCache`) or are made under a limiter (`_run_limited`). Playing
on needs code that is compiled once per machine, in half a minute: a separate process does that
before a reader needs it (`compile_in_background`), so that this one keeps answering.
"""

import gzip
import hashlib
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from functools import cache, partial
from typing import NamedTuple, TypeVar
from urllib.parse import quote, urlencode

import orjson
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from dashboard import authentication
from dashboard.api.app import PrefixMount
from dashboard.api.auth import principal_of
from dashboard.api.content_negotiation import names_etag, response_texts
from dashboard.api.problems import Problem, problem_response
from dashboard.api.rate_limits import (
    TOO_MANY_AT_ONCE,
    RateLimitMiddleware,
    client_key,
    client_limiter,
    picture_slots,
)
from dashboard.base_path import browser_path
from dashboard.board.preview_image import draw_preview
from dashboard.board.solver_thread import loaded_code
from dashboard.queries.find.same_position import position_search
from dashboard.store import (
    RETRY_AFTER_SECONDS,
    open_store,
    retry_on_reopen,
    store_if_open,
    unavailable_reason,
)
from dashboard.web.html_pages import home_link, retry_page
from dashboard.web.html_pages import html_page as plain_page
from dashboard.web.replay import puzzles, replay_urls, variation
from dashboard.web.replay.puzzles import PuzzleFilter, next_puzzle
from dashboard.web.replay.replay_page import (
    content_security_policy,
    oembed_json,
    position_caption,
    position_page,
)
from dashboard.web.replay.replay_urls import ReplayUrl, StoredMatch
from dashboard.web.static_assets import CACHE_FOREVER
from engine.continuation import is_jit_cached as is_compiled
from engine.continuation import warm_up_jit
from engine.games import game, game_names
from ingest.i18n import LANGUAGES, N_, Translate
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.server_hosts import DEFAULT_REQUESTS_PER_SECOND
from ingest.store.tokens import Role
from js.build import made_package

T = TypeVar("T")

VARIATION_KINDS, PUZZLE_KIND, NEXT_PUZZLE_PATH = ("suite", "suite.json"), "trouver", "/r/trouver"
"""Path kinds of variations and puzzles, and the path of the next puzzle."""
SEARCH_KIND = "chercher"
"""The path kind that leads to the search for deals like a position."""
NO_CARD_PLAYED = N_("No card of this deal is known to have been played from a whole hand.")
RETRY_TITLE = N_("In a moment")
STATUS_TITLES = {
    200: N_("Result only"),
    404: N_("Not here"),
    410: N_("Gone"),
    429: RETRY_TITLE,
    503: RETRY_TITLE,
}
HTML_TYPE, JSON_TYPE, PNG_TYPE = "text/html; charset=utf-8", "application/json", "image/png"
VARY_HEADER = "Accept-Encoding, Accept-Language, Cookie, Authorization"
EMPTY_POLICY = "default-src 'none'; frame-ancestors 'none'"
"""Content-Security-Policy of responses that are not pages."""
IMMUTABLE_HEADERS = {
    "Cache-Control": CACHE_FOREVER,
    "Vary": "Accept-Encoding",
    "Content-Security-Policy": EMPTY_POLICY,
}
"""Headers of assets, whose addresses contain a hash of the content."""
MAX_CACHE_BYTES = 32 << 20
"""Bytes of all cached responses."""
MAX_WAITING = 256
"""Requests that may wait for a response: browsers do not retry, and all readers of a
shared link may come at once."""
JIT_COMPILING = N_("Compiling the other players (first run on this machine only, about 30 seconds)…")
JIT_RETRY_SECONDS = 5
"""Seconds after which a page checks again whether the code is compiled."""


class CachedResponse(NamedTuple):
    """A response to send: the body is gzipped except for pictures."""

    type: str
    body: bytes
    tag: str
    is_gzipped: bool
    is_cacheable: bool = True
    """False for a response that lacks a part which is still being computed."""

    @classmethod
    def from_body(
        cls, type: str, body: bytes, is_gzipped: bool = True, is_cacheable: bool = True
    ) -> "CachedResponse":
        """Return a response with this body and its hash as the entity tag."""
        tag = hashlib.sha256(body).hexdigest()[:32]
        return cls(
            type, gzip.compress(body, 6, mtime=0) if is_gzipped else body, tag, is_gzipped, is_cacheable
        )


StoreVersion = tuple[Store, int, int]
CacheKey = tuple[str, ...]
"""Everything except the match that a response depends on."""


def current_version(store: Store) -> StoreVersion:
    """Return the store's version, which differs after every write."""
    return store, store.file_generation, store.version


class ResponseCache:
    """A thread-safe cache of the last used responses, valid as long as their match is the same.

    Each entry has the store's version when it was made, the digest of its match's public text, and
    the response. When the version differs, the match is read again; if its digest is the same, the
    entry is still valid.
    """

    def __init__(self, most: int = MAX_CACHE_BYTES) -> None:
        self._entries: LRUCache[CacheKey, tuple[StoreVersion, str, CachedResponse]]
        self._entries = LRUCache(most, lambda one: len(one[2].body))
        self._lock = threading.Lock()

    def get_if_current(self, key: CacheKey) -> CachedResponse | None:
        """Return the response if the store has not changed; never waits."""
        opened = store_if_open()
        with self._lock:
            entry = self._entries.get(key)
        return entry[2] if entry and opened is not None and entry[0] == current_version(opened) else None

    def get_or_make(
        self, key: CacheKey, version: StoreVersion, digest: str, make: Callable[[], CachedResponse]
    ) -> CachedResponse:
        """Return the response for a match digest, else make it.

        `version`: the store's, before the match was read.
        """
        with self._lock:
            entry = self._entries.get(key)
        ready = entry[2] if entry is not None and entry[1] == digest else make()
        if not ready.is_cacheable:
            return ready
        with self._lock, suppress(ValueError):  # larger than the whole cache
            self._entries[key] = version, digest, ready
        return ready


async def _run_limited(scope: Scope, limiter: CapacityLimiter, make: Callable[[], T]) -> T:
    """Run `make` in a thread under a limiter; retry on a replaced store. Problem: queue full.

    A visitor's run one at a time, so that no other waits behind all of them.
    """
    own = client_limiter(scope, limiter, 1)
    if any(one.statistics().tasks_waiting >= MAX_WAITING for one in (own, limiter)):
        raise Problem(503, N_("Too many replays at once: try again in a few seconds.")).retry_after(2)
    async with own:
        return await run_sync(retry_on_reopen, make, limiter=limiter)


response_cache, variation_cache = ResponseCache(), ResponseCache(MAX_CACHE_BYTES // 4)
_page_limiter, _image_limiter, _variation_limiter, _search_limiter = map(CapacityLimiter, (2, 1, 1, 1))
"""Limit the making of responses. Pictures, which take several times as long as pages, have a
limiter of their own."""


_compiled_games = set[str]()
"""Games compiled by that process, or that it failed to compile: requests then compile them."""


@cache
def compile_in_background() -> None:
    """Compile the code for playing on in the background; only the first call has an effect."""

    def compile_all() -> None:
        for own in map(game, game_names()):
            try:
                if not is_compiled(own):
                    # -P: ignore packages in the current folder that have the same names as ours
                    command = [sys.executable, "-P", "-m", "engine.continuation", own.name]
                    null = subprocess.DEVNULL
                    subprocess.run(command, stdin=null, stdout=null, stderr=null, check=False)
            finally:
                _compiled_games.add(own.name)
            warm_up_jit(own)  # loads the compiled code from the disk cache
            loaded_code.add(f"continuation of {own.name}")

    threading.Thread(target=compile_all, daemon=True, name="ready").start()


async def replay_app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer requests below `/r`, and `/oembed`."""
    request = Request(scope)
    t = response_texts(request, LANGUAGES[0])
    try:
        answer = await _respond(request, t)
    except Problem as error:
        answer = _error_response(request, error, t)
    except StoreError as error:
        answer = _error_response(
            request,
            Problem(503, "{message}", message=unavailable_reason(error, t)).retry_after(RETRY_AFTER_SECONDS),
            t,
        )
    await answer(scope, receive, send)


async def _respond(request: Request, t: Translate) -> Response:
    if request.method not in ("GET", "HEAD"):
        return problem_response(405, headers={"Allow": "GET, HEAD"})
    path, query = request.scope["path"], request.query_params
    if path.startswith(replay_urls.ASSET_PREFIX):
        file = (await run_sync(replay_urls.assets_by_url)).get(path)
        if file is None:
            raise Problem(404, replay_urls.NOT_FOUND)
        return await _send(
            request, CachedResponse(file.type, file.body, path, file.type != PNG_TYPE), IMMUTABLE_HEADERS
        )
    base = f"{request.url.scheme}://{request.headers.get('host', '').lower()}{browser_path('')}"
    if path == "/oembed":
        return Response(
            await _run_limited(request.scope, _page_limiter, partial(oembed_json, query, base, t)),
            media_type=JSON_TYPE,
        )
    compile_in_background()  # the reader may play on from the replay
    if path.rstrip("/") == NEXT_PUZZLE_PATH:
        return await _redirect_to_next(request, t)
    where = replay_urls.parse_path(path)
    if where is None:
        raise Problem(404, replay_urls.NOT_FOUND)
    if where.kind == SEARCH_KIND:
        return await _redirect_to_search(request, where, t)
    lang, embed = "" if where.kind else replay_urls.language_of(query), "embed" in query
    where = where._replace(base_url=base, embed=embed, lang=lang)
    cache, desk, framed = variation_cache, _variation_limiter, False
    key: CacheKey
    make: Callable[[StoredMatch], CachedResponse]
    if where.kind in VARIATION_KINDS:
        line = variation.VariationRequest.from_query(query)
        key = (path, t.language, line.actions, line.seat, "go" * line.others_play)
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
            # else another site's frame would show what only a signed-in reader may see
            framed = (await run_sync(authentication.principal_of_token, None)).has_role(Role.READER)

    def made() -> CachedResponse:
        now = current_version(
            open_store()
        )  # before the match is read, so that a later write makes the entry outdated
        found = replay_urls.find_match(where.name)
        return cache.get_or_make(key, now, found.digest, partial(make, found))

    ready = cache.get_if_current(key)
    if ready is None:
        is_picture = desk is _image_limiter
        with picture_slots.holding(client_key(request.scope)) if is_picture else nullcontext():
            ready = await _run_limited(request.scope, desk, made)
    has_rules = made_package() is not None
    # what needs a token is not for shared caches
    public = "public" if principal_of(request.scope).token_no is None else "private"
    headers = {
        "Cache-Control": f"{public}, no-cache",
        "Vary": VARY_HEADER,
        "Content-Language": t.language,
        "Content-Security-Policy": content_security_policy(framed, not (embed or where.kind) and has_rules)
        if ready.type == HTML_TYPE
        else EMPTY_POLICY,
    }
    return await _send(request, ready, headers)


def _variation_response(
    match: StoredMatch, url: ReplayUrl, request: variation.VariationRequest, t: Translate
) -> CachedResponse:
    """Return the page of a variation, or its state as JSON. Problem: as `play_variation`."""
    own = game(replay_urls.validated_match(match).known_match.game)
    if own.name not in _compiled_games and not is_compiled(own):
        raise Problem(503, JIT_COMPILING).retry_after(JIT_RETRY_SECONDS)
    line = variation.play_variation(match, url.deal, url.ply, request)
    if url.kind == VARIATION_KINDS[0]:
        return CachedResponse.from_body(HTML_TYPE, variation.variation_page(match, line, t).encode())
    return CachedResponse.from_body(JSON_TYPE, variation.variation_json(line, t))


def _puzzle_response(
    match: StoredMatch, url: ReplayUrl, card: str, puzzle_filter: PuzzleFilter, t: Translate
) -> CachedResponse:
    """Return a puzzle, or its answer if `card` is given. Problem: as `find_puzzle`."""
    requested = puzzles.find_puzzle(match, url.deal, url.ply)
    return CachedResponse.from_body(
        HTML_TYPE, puzzles.puzzle_page(match, requested, card, puzzle_filter, t).encode()
    )


def _position_response(match: StoredMatch, url: ReplayUrl, t: Translate) -> CachedResponse:
    """Return a position as page or picture, or its deal as JSON. Problem: there is none."""
    replay_urls.check_has_deals(match, t)
    states = replay_urls.deal_json(match, url.deal, t)
    shown = orjson.loads(states)
    whole = not (shown["value"] and shown["value"]["waiting"])
    if url.kind == "json":
        return CachedResponse.from_body(JSON_TYPE, states, is_cacheable=whole)
    url.check_position(shown)
    if not url.kind:
        return CachedResponse.from_body(
            HTML_TYPE, position_page(match, url, shown, t).encode(), is_cacheable=whole
        )
    result = position_caption(match, url, shown, t)
    drawn = draw_preview(replay_urls.with_dashboard_images(shown), url.ply, result.title, result.about)
    return CachedResponse.from_body(PNG_TYPE, drawn, is_gzipped=False)


async def _redirect_to_next(request: Request, t: Translate) -> Response:
    wanted = PuzzleFilter.from_query(request.query_params)
    found = await _run_limited(request.scope, _search_limiter, partial(next_puzzle, wanted))
    if not found.is_found:
        return puzzles.no_puzzle_page(found, wanted, t)
    lang = replay_urls.language_of(request.query_params)
    query = urlencode(wanted.filters | ({"lang": lang} if lang else {}))
    at = browser_path(f"/r/{found.match}/{found.deal}/{found.ply}/{PUZZLE_KIND}")
    return Response(None, 303, {"Location": f"{at}?{query}" if query else at, "Cache-Control": "no-store"})


async def _redirect_to_search(request: Request, url: ReplayUrl, t: Translate) -> Response:
    """Lead to the page Find deals, with the search for deals like a position. Problem: it has no card."""

    def search() -> str:
        match = replay_urls.find_match(url.name)
        replays = replay_urls.validated_match(match).replays
        replay = replays[url.deal - 1] if 1 <= url.deal <= len(replays) else None
        if replay is None or url.ply >= len(replay):
            raise Problem(404, replay_urls.NOT_FOUND)
        found = position_search(replay, url.ply, t.language)
        if found is None:
            raise Problem(404, NO_CARD_PLAYED)
        return found

    lang = replay_urls.language_of(request.query_params)
    wanted = {"q": await _run_limited(request.scope, _page_limiter, search)} | (
        {"lang": lang} if lang else {}
    )
    at = f"{browser_path('/chercher')}?{urlencode(wanted, quote_via=quote)}"
    return Response(None, 303, {"Location": at, "Cache-Control": "no-store"})


async def _send(request: Request, cached: CachedResponse, headers: Mapping[str, str]) -> Response:
    """Send a response, unzipped if the client needs it; 304 if the client already has it."""
    zipped = cached.is_gzipped and "gzip" in request.headers.get("accept-encoding", "")
    fields = {**headers, "ETag": f'"{cached.tag}{"-gz" * zipped}"'}
    if names_etag(request.headers.get("if-none-match", ""), fields["ETag"]):
        return Response(None, 304, fields)
    if zipped:
        return Response(cached.body, 200, fields | {"Content-Encoding": "gzip"}, cached.type)
    body = await run_sync(gzip.decompress, cached.body) if cached.is_gzipped else cached.body
    return Response(body, 200, fields, cached.type)


def _error_response(request: Request, refused: Problem, t: Translate) -> Response:
    result, status = t(refused.text, **refused.values), refused.status
    by_browser = "text/html" in request.headers.get("accept", "")
    if request.scope["path"] == "/oembed" or not by_browser:
        return problem_response(status, result, refused.headers, **refused.members)
    if isinstance(refused, replay_urls.ResultOnly):
        status = 200
    title, wait = (t(STATUS_TITLES.get(status, STATUS_TITLES[404])), refused.headers.get("Retry-After"))
    args, more = (t, status, title, result), home_link(t)
    answer = retry_page(*args, wait, more) if wait else plain_page(*args, markup=more)
    answer.headers.update(refused.headers)
    return answer


def replay_routes(rate: float = DEFAULT_REQUESTS_PER_SECOND) -> list[BaseRoute]:
    """Return the replay routes, to put before pages.

    `rate`: pages and pictures, and as many lines, of a client a second; 0: any.
    """

    def too_often(scope: Scope, wait: int) -> Response:
        request = Request(scope)
        return _error_response(
            request, Problem(429, TOO_MANY_AT_ONCE).retry_after(wait), response_texts(request, LANGUAGES[0])
        )

    # a reader who plays on may still open pages
    pages, lines = (
        RateLimitMiddleware(replay_app, rate, too_often) if rate else replay_app for _ in range(2)
    )

    async def below(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        where = replay_urls.parse_path(path)
        kind = PUZZLE_KIND if path.rstrip("/") == NEXT_PUZZLE_PATH else where.kind if where else ""
        is_line, is_asset = kind in (*VARIATION_KINDS, PUZZLE_KIND), path.startswith(replay_urls.ASSET_PREFIX)
        await (lines if is_line else replay_app if is_asset else pages)(scope, receive, send)

    return [PrefixMount("/r", below), PrefixMount("/oembed", pages)]
