"""Parses addresses below `/r` and finds the match, deal and file that they name.

Matches and deals are cached by a digest of a match's public text, without masked names: they stay valid
while other matches are added, and old names are never shown.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from starlette.datastructures import QueryParams

from dashboard import draft_editor
from dashboard.api.json_encoding import without_infinities
from dashboard.api.params import DELETED, NO_BOARD, NO_DEAL, absent
from dashboard.api.problems import Problem
from dashboard.base_path import browser_path
from dashboard.board import board_script, board_style, board_texts, read_file
from dashboard.board.header import board_header, player_page
from dashboard.board.html_file import STATIC_URL
from dashboard.board.offline_replay import visible_cards, with_image_urls
from dashboard.board.solver_thread import deal_value, solve_match
from dashboard.board.states import deal_states, unreplayable_state
from dashboard.board.theme import DASHBOARD_FILES, theme_css
from dashboard.store import LruCache, open_store
from dashboard.web.replay import rules_files
from engine.games import game_names
from ingest.escaping import to_escaped_json
from ingest.findings.spoken_notation import RESULT_ONLY_TEXT, describe_result
from ingest.i18n import LANGUAGES, N_, Translate
from ingest.validate.slow_path import ValidationResult, validate

NOT_FOUND = N_("Nothing at this address.")
NO_POSITION = N_("This deal has no such position: its positions are 0 to {count}.")
MAX_ID_CHARS = 200
"""Characters of an id to look up."""

ASSET_PREFIX = "/r/-/"
"""Prefix of scripts, styles and cards; each address contains a hash of the content, so that clients
may cache it for ever."""
ASSET_TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "wasm": "application/wasm",
    "json": "application/json",
}
_REPLAY_PATH = re.compile(
    r"/r/(?P<name>[^/]+?)(?:/(?P<deal>[0-9]{1,6})(?:/(?P<ply>[0-9]{1,6})(?P<png>\.png)?"
    r"(?P<more>/(?:suite(?:\.json)?|trouver|chercher))?|(?P<json>\.json))?)?/?",
    re.ASCII | re.DOTALL,
)

_validated_cache: LruCache[ValidationResult] = LruCache(32)
_deal_cache: LruCache[bytes] = LruCache(256)


# addresses


def language_of(query: QueryParams) -> str:
    """Return the language of `?lang=`, empty if it names none."""
    requested = query.get("lang", "")
    return requested if requested in LANGUAGES else ""


class ReplayUrl(NamedTuple):
    """A match as the address names it, and a position of it (by default the first)."""

    name: str
    deal: int
    """Number from 1."""
    ply: int
    kind: str
    """`png`, `json`, empty for a page; `suite`, its `suite.json`, `trouver`, `chercher`."""
    base_url: str = ""
    """Scheme and host, for absolute addresses."""
    embed: bool = False
    lang: str = ""
    """`?lang=`, empty if the address has none."""

    def check_position(self, states: Mapping[str, Any]) -> None:
        """Check that the deal has this position. Problem: it does not."""
        last = len(states["plies"]) - 1
        if self.ply > last:
            raise Problem(404, NO_POSITION, count=last)

    def url_for(self, match: str) -> str:
        """Return the absolute address of this position, with the match's id."""
        return f"{self.base_url}/r/{match}/{self.deal}/{self.ply}"


def parse_path(path: str) -> ReplayUrl | None:
    """Parse a path below `/r`; None if it is not a replay's."""
    found = _REPLAY_PATH.fullmatch(path)
    if found is None or (found["png"] and found["more"]):
        return None
    kind = "png" if found["png"] else "json" if found["json"] else (found["more"] or "/")[1:]
    return ReplayUrl(found["name"], int(found["deal"] or 1), int(found["ply"] or 0), kind)


# matches


class StoredMatch(NamedTuple):
    """A match as the store has it now."""

    id: str
    text: bytes
    digest: str
    """Digest of the text as readers see it."""


def find_match(name: str) -> StoredMatch:
    """Return a match by its id, first digits, or log's id. Problem: unknown, deleted or purged."""
    opened = open_store()
    number = opened.find_match(name) if len(name) <= MAX_ID_CHARS else None
    if number is None:
        raise absent(name)
    row = opened.cursor().execute("SELECT match_id FROM matches WHERE match_no = ?", [number]).fetchone()
    try:
        text = opened.read_match_text(number)
    except KeyError:
        row = None
    if row is None:  # deleted between the two queries
        raise Problem(410, DELETED)
    return StoredMatch(row[0], text, hashlib.sha256(text).hexdigest())


def validated_match(match: StoredMatch) -> ValidationResult:
    """Return the match replayed. Problem: it has no deal that the board can show."""
    log = _validated_cache.get(match.digest, lambda: validate(match.text))
    if log.match is None or not log.match.deals or log.match.game not in game_names():
        raise Problem(404, NO_BOARD)
    return log


class ResultOnly(Problem):
    """Raised for a match without deals; a browser gets a page with its result."""


def check_has_deals(match: StoredMatch, t: Translate) -> None:
    """Raise ResultOnly, which names the result, if only that of a match is known."""
    log = _validated_cache.get(match.digest, lambda: validate(match.text))
    if log.is_result_only and log.match is not None and log.match.game in game_names():
        text = " · ".join([*describe_result(t, log.match, log.winner), t(RESULT_ONLY_TEXT)])
        raise ResultOnly(404, "{message}", message=text)


def deal_json(match: StoredMatch, number: int, t: Translate) -> bytes:
    """Return a deal, from 1, as JSON for the board. Problem: unknown deal."""
    log = validated_match(match)
    count = len(log.known_match.deals)
    if not 1 <= number <= count:
        raise Problem(404, NO_DEAL, count=count)

    def body() -> bytes:
        shown = deal_states(log, number - 1, t) or unreplayable_state(log, number - 1, t)
        drawn = with_card_images(shown) | {"value": deal_value(log, number - 1, t)}
        return to_escaped_json(without_infinities({**drawn, "deal": number, "ply": 0})).encode()

    # keyed by whether the match is solved: its values are missing before
    return _deal_cache.get((match.digest, number, t.language, solve_match(log) is not None), body)


def board_context(match: StoredMatch, t: Translate, with_player_links: bool) -> dict[str, Any]:
    """Return the board's data other than states. `with_player_links`: names link to players' pages."""
    log = validated_match(match)
    called, at = log.known_match.game, browser_path(f"/r/{match.id}")
    return {
        "where": {"match": match.id, "path": at, "lang": t.language},
        "share": at,
        "root": browser_path("/"),
        "head": board_header(
            log,
            t,
            page_of=lambda one: browser_path(f"/{player_page(called, one)}") if with_player_links else None,
        ),
        "texts": board_texts(t),
    }


# files


class Asset(NamedTuple):
    """A file to send."""

    path: str
    type: str
    body: bytes
    """The content, gzipped except for PNG."""

    @property
    def url_path(self) -> str:
        """The address in browsers."""
        return browser_path(self.path)


@cache
def assets_by_name() -> Mapping[str, Asset]:
    """Return the board's script and styles, other pages' files, pictures and the rules, by name."""
    pictures = DASHBOARD_FILES.joinpath("static")
    contents = {
        "board.js": board_script("log-states", "store-offline", "page").encode(),
        "variation-page.js": board_script("variation-panel", "variation-page").encode(),
        "puzzle-page.js": board_script("puzzle-page").encode(),
        "board.css": (
            theme_css() + board_style() + read_file("replay-page.css") + read_file("variation.css")
        ).encode(),
        "entry-page.js": draft_editor.editor_script("entry-page").encode(),
        "drafts-page.js": draft_editor.drafts_page_script().encode(),
        "entry.css": draft_editor.pages_style().encode(),
        "no-script.css": read_file("no-script.css").encode(),
        "icon.png": pictures.joinpath("icon.png").read_bytes(),
    }
    for folder in ("cards", "cards/fr", "cards/en", "cards/fr/four", "cards/en/four"):
        for file in pictures.joinpath(folder).iterdir():
            if file.name.endswith(".svg"):
                contents[f"{folder}/{file.name}"] = file.read_bytes()
    found = {name: _asset(name, content) for name, content in contents.items()}
    paths = {name: one.path for name, one in found.items()}
    return found | {name: _asset(name, content) for name, content in rules_files.rules_files(paths)}


def _asset(name: str, content: bytes) -> Asset:
    stem, _, suffix = name.rpartition(".")
    at = f"{ASSET_PREFIX}{stem}.{hashlib.sha256(content).hexdigest()[:16]}.{suffix}"
    body = content if suffix == "png" else gzip.compress(content, mtime=0)
    return Asset(at, ASSET_TYPES[suffix], body)


def rules_of(match: StoredMatch, t: Translate) -> rules_files.RulesUrls | None:
    """Return what a page loads to check a match; None where the package for JavaScript is not built."""
    found, called = assets_by_name(), validated_match(match).known_match.game
    if rules_files.MODULE_NAME not in found:
        return None
    return rules_files.RulesUrls(
        module=found[rules_files.MODULE_NAME].url_path,
        kernel=found[rules_files.kernel_name(called)].url_path,
        game=found[rules_files.game_name(called, t.language)].url_path,
    )


@cache
def assets_by_url() -> Mapping[str, Asset]:
    """Return the same assets by the path that is requested."""
    return {one.path: one for one in assets_by_name().values()}


def with_card_images(states: dict[str, Any]) -> dict[str, Any]:
    """Return a deal's states with the visible cards and the addresses of their pictures."""
    used = visible_cards(states)
    known = {f"{STATIC_URL}{name}": asset.url_path for name, asset in assets_by_name().items()}
    faces = {card: face for card, face in states["faces"].items() if card in used}
    return with_image_urls({**states, "faces": faces}, lambda at: known.get(at, at))


def with_dashboard_images(states: Mapping[str, Any]) -> dict[str, Any]:
    """Return states with picture addresses as the dashboard's own board uses them."""
    known = {asset.url_path: f"{STATIC_URL}{name}" for name, asset in assets_by_name().items()}
    return with_image_urls(states, lambda at: known.get(at, at))
