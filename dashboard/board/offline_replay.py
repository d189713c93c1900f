"""A match's replay as one HTML file that needs no network.

`python -m dashboard.board.offline_replay --lang fr` reads a log and writes its page.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import orjson

from dashboard.board import FILE_SCRIPTS, board_script, board_texts, read_file
from dashboard.board.check_page import game_parts, game_texts, rule_texts, script_with_rules
from dashboard.board.header import board_header
from dashboard.board.html_file import STATIC_URL, html_file, picture_data
from dashboard.board.solver_thread import deal_value
from dashboard.board.states import deal_states
from dashboard.text.labels import opponents_text
from ingest.i18n import LANGUAGES, N_, Translate, translator
from ingest.redact.anonymize_log import COMMENTS_KEY
from ingest.validate.slow_path import ValidationResult, validate
from ingest.validate.solver_report import solved_deals
from js.build import made_package

CHECKED_HERE = N_("checked in this browser: {status}")


def with_image_urls(states: Mapping[str, Any], url_of: Callable[[str], str]) -> dict[str, Any]:
    """Return a deal's states with picture addresses replaced by `url_of`."""
    faces = {
        card: {key: text if key == "label" else url_of(text) for key, text in face.items()}
        for card, face in states["faces"].items()
    }
    return {**states, "faces": faces, "back": url_of(states["back"])}


def offline_page(log: ValidationResult, t: Translate, text: bytes = b"", package: Path | None = None) -> str:
    """Return the whole match as a page. ValueError: the log has no deal that can be replayed.

    With the log's `text` and the `package` for JavaScript the page also has the rules: it checks the match
    in the reader's browser, and the reader may play on from any position.
    """
    deals, pictures = _replayable_deals(log, t)
    if not deals:
        raise ValueError("no deal to replay")
    data = {"deals": deals, "pictures": pictures, "texts": board_texts(t)}
    data["head"] = board_header(log, t, [deal["deal"] - 1 for deal in deals])
    title = opponents_text([player.display_name for player in log.known_match.players], log.known_match.game)
    body = f"<h1>{escape(title)}</h1>\n<main>{read_file('board.html')}</main>"
    run = board_script(*FILE_SCRIPTS, "offline")
    if package is not None and text:
        data["rules"] = rules = _rules(text, log.known_match.game, package, t)
        faces = rules["texts"]["game"]["faces"].values()
        addresses = {face[key] for face in faces for key in face if key != "label"}
        pictures |= {one: picture_data(one) for one in addresses if one.startswith(STATIC_URL)}
        run = script_with_rules(package, run)
    return html_file(t.language, title, body, data, run, read_file("variation.css"), wasm="rules" in data)


def _rules(text: bytes, name: str, package: Path, t: Translate) -> dict[str, Any]:
    """Return what the page needs to check a log and to play on: the game, its texts, the log."""
    parts = game_parts(name, package)
    texts = rule_texts(t) | {"game": game_texts(name, parts["table"]["acts"], t), "codes": {}}
    texts["checked"] = t(CHECKED_HERE)
    return {"log": orjson.loads(text), "parts": parts, "texts": texts}


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
                pictures[source] = picture_data(source)
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
        text = mask_names(text, t)
        log = validate(text)
    try:
        sys.stdout.buffer.write(offline_page(log, t, text, made_package()).encode())
    except ValueError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
