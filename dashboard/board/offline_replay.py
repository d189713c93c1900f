"""A match's replay as one HTML file that needs no network.

`python -m dashboard.board.offline_replay --lang fr` reads a log and writes its page. The log's data is
embedded as JSON, which browsers do not run, and the page's policy blocks all requests.
"""

import argparse
import base64
import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from html import escape
from importlib.resources import files
from typing import Any

import orjson

from dashboard.board import board_script, board_style, board_texts, read_file
from dashboard.board.header import board_header
from dashboard.board.solver_thread import deal_value
from dashboard.board.states import deal_states
from dashboard.text.labels import opponents_text
from ingest.i18n import LANGUAGES, Translate, translator
from ingest.redact.anonymize_log import COMMENTS_KEY
from ingest.validate.slow_path import ValidationResult, validate
from ingest.validate.solver_report import solved_deals

DASHBOARD_FILES = files("dashboard")
STATIC_URL = "./app/static/"
"""Address of the dashboard's pictures; the page embeds them instead."""


def with_image_urls(states: Mapping[str, Any], url_of: Callable[[str], str]) -> dict[str, Any]:
    """Return a deal's states with picture addresses replaced by `url_of`."""
    faces = {
        card: {key: text if key == "label" else url_of(text) for key, text in face.items()}
        for card, face in states["faces"].items()
    }
    return {**states, "faces": faces, "back": url_of(states["back"])}


def offline_page(log: ValidationResult, t: Translate) -> str:
    """Return the whole match as a page. ValueError: the log has no deal that can be replayed."""
    deals, pictures = _replayable_deals(log, t)
    if not deals:
        raise ValueError("no deal to replay")
    data = {"deals": deals, "pictures": pictures, "texts": board_texts(t)}
    data["head"] = board_header(log, t, [deal["deal"] - 1 for deal in deals])
    title = opponents_text([player.display_name for player in log.known_match.players], log.known_match.game)
    look, run = theme_css() + board_style() + read_file("offline.css"), board_script("offline")
    # escape `<`, so that no text of a log can close the script element
    message = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    policy = (
        "default-src 'none'; img-src data: blob:; "
        f"style-src '{csp_hash(look)}'; script-src '{csp_hash(run)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="{t.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{look}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<main>{read_file("board.html")}</main>
<script type="application/json" id="match">{message}</script>
<script type="module">{run}</script>
</body>
</html>
"""


def _replayable_deals(log: ValidationResult, t: Translate) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the deals that can be replayed, and the pictures they need."""
    match, found, pictures = log.match, list[dict[str, Any]](), dict[str, str]()
    if match is None:
        return found, pictures
    solved = tuple(solved_deals(log, "", 1))
    for number in range(len(match.deals)):
        if (shown := deal_states(log, number, t)) is None:
            continue
        used = visible_cards(shown)
        shown["faces"] = {card: face for card, face in shown["faces"].items() if card in used}
        faces = shown["faces"].values()
        sources = {face[key] for face in faces for key in face if key != "label"}
        for source in sources | {shown["back"]}:
            if source.startswith(STATIC_URL) and source not in pictures:
                svg = DASHBOARD_FILES.joinpath("static", source.removeprefix(STATIC_URL)).read_bytes()
                pictures[source] = "data:image/svg+xml;base64," + base64.b64encode(svg).decode()
        found.append({"deal": number + 1, **shown, "value": deal_value(log, number, t, solved)})
    return found, pictures


def visible_cards(states: dict[str, Any]) -> set[str]:
    """Return all cards that are visible at some point of a deal."""
    plies = states["plies"]
    cards = {card for ply in plies for seat in ply["seats"] for card in seat["hand"]}
    cards |= {card for ply in plies for card in ply["table"] if card}
    return cards | {pile["card"] for ply in plies for pile in ply["piles"] if pile["card"]}


def mask_names(text: bytes, t: Translate) -> bytes:
    """Number the players of a log and remove the free texts that could name them."""
    match = orjson.loads(text)
    match["players"] = [
        {"id": f"player-{number}", "name": t("Player {n}", n=number)}
        for number in range(1, len(match["players"]) + 1)
    ]
    for deal in match["deals"]:
        deal.pop(COMMENTS_KEY, None)
    remaining = {key: value for key, value in match.items() if not key.startswith("_")}
    return orjson.dumps({key: value for key, value in remaining.items() if key not in NAMING_KEYS})


NAMING_KEYS = ("id", "event", "source")


def csp_hash(text: str) -> str:
    """Return the Content-Security-Policy source of an inline style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


COLOURS = {
    "light": {"blue": "#1c62b8", "orange": "#b35c00", "green": "#1b7a3d", "violet": "#6b46c1"}
    | {"red": "#b3372f", "red-background": "#fbe9e7", "orange-background": "#fdf1e0"}
    | {"blue-background": "#e6eefa"},
    "dark": {"blue": "#7ab0f5", "orange": "#f0a95a", "green": "#5fc98a", "violet": "#b79be0"}
    | {"red": "#ec8a80", "red-background": "#3b2220", "orange-background": "#3a2c18"}
    | {"blue-background": "#1c2b40"},
}
"""Colours that Streamlit derives itself."""


def theme_css() -> str:
    """Return the dashboard's colours as CSS variables, for light and dark mode."""
    config = DASHBOARD_FILES.joinpath(".streamlit", "config.toml").read_text("utf-8")
    theme = tomllib.loads(config)["theme"]
    keys = "primaryColor", "backgroundColor", "secondaryBackgroundColor", "textColor", "borderColor"
    names = {key: re.sub("[A-Z]", lambda sign: f"-{sign[0].lower()}", key) for key in keys}
    rules = {}
    for mode, signs in COLOURS.items():
        own = [f"--st-{name}: {theme[mode][key]}" for key, name in names.items()]
        own += [f"--st-{name}-color: {value}" for name, value in signs.items()]
        own += [f"--st-{name}-text-color: {signs[name]}" for name in ("red", "blue", "green")]
        rules[mode] = "; ".join(own)
    radius = f"--st-base-radius: {theme['baseRadius']}; --st-font: system-ui, sans-serif"
    return (
        f":root {{ color-scheme: light dark; {radius}; {rules['light']} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {rules['dark']} }} }}\n"
    )


def main() -> None:
    """Read a log from standard input, and write its page to standard output."""
    parser = argparse.ArgumentParser(prog="python -m dashboard.board.offline_replay", description=__doc__)
    parser.add_argument("--lang", choices=LANGUAGES, default="fr")
    parser.add_argument("--mask-names", action="store_true")
    args = parser.parse_args()
    t = translator(args.lang, "dashboard")
    text = sys.stdin.buffer.read()
    log = validate(text)
    if args.mask_names and log.match is not None:
        log = validate(mask_names(text, t))
    try:
        sys.stdout.buffer.write(offline_page(log, t).encode())
    except ValueError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
