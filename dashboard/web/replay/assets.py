"""Scripts, style and cards of a replay's page, each at an address that names its content.

Whoever has one keeps it for good: what changes has another address.
"""

import gzip
import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from dashboard.board import script, style, text_of
from dashboard.board.offline import DASHBOARD, STATIC, theme, with_pictures

BELOW = "/r/-/"
KEPT = "public, max-age=31536000, immutable"
TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
}


class Asset(NamedTuple):
    """A file as it is sent."""

    address: str
    type: str
    plain: bytes
    zipped: bytes


def _asset(name: str, content: bytes) -> Asset:
    stem, _, suffix = name.rpartition(".")
    digest = hashlib.sha256(content).hexdigest()[:16]
    zipped = content if suffix == "png" else gzip.compress(content, mtime=0)
    return Asset(f"{BELOW}{stem}.{digest}.{suffix}", TYPES[suffix], content, zipped)


@cache
def assets() -> Mapping[str, Asset]:
    """By name: the board's script and style, what stands there without a script, and pictures."""
    texts = {
        "board.js": script("page"),
        "own-line.js": script("own-line"),
        "question.js": script("question"),
        "board.css": theme() + style() + text_of("alone.css") + text_of("own.css"),
        "no-script.css": text_of("no-script.css"),
    }
    found = {name: _asset(name, text.encode()) for name, text in texts.items()}
    found["icon.png"] = _asset("icon.png", DASHBOARD.joinpath("static", "icon.png").read_bytes())
    cards = DASHBOARD.joinpath("static", "cards")
    for folder in ("", "fr/", "en/", "fr/four/", "en/four/"):
        for file in cards.joinpath(folder).iterdir():
            if file.name.endswith(".svg"):
                name = f"cards/{folder}{file.name}"
                found[name] = _asset(name, file.read_bytes())
    return found


@cache
def at_address() -> Mapping[str, Asset]:
    """The same by address."""
    return {one.address: one for one in assets().values()}


def pictured(shown: Mapping[str, Any], used: set[str]) -> dict[str, Any]:
    """A deal's states with the cards that are used, and their pictures at these addresses."""
    known = {f"{STATIC}{name}": asset.address for name, asset in assets().items()}
    faces = {card: face for card, face in shown["faces"].items() if card in used}
    return with_pictures({**shown, "faces": faces}, lambda at: known.get(at, at))


def drawable(shown: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the pictures where the dashboard's own board finds them."""
    known = {asset.address: f"{STATIC}{name}" for name, asset in assets().items()}
    return with_pictures(shown, lambda at: known.get(at, at))
