"""The HTML file of `retourne page`: checks logs and replays them, without a network.

`check_page` embeds the package for JavaScript (`js/`), the kernels and tables of all games, the board's own
scripts, the pictures and the texts in both languages. The page's policy blocks all requests.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import Any

from dashboard import games
from dashboard.board import FILE_SCRIPTS, board_script, board_texts, read_file
from dashboard.board.html_file import STATIC_URL, html_file, picture_data
from dashboard.board.variation_texts import variation_texts
from dashboard.games.base import SUIT_NAMES, pack_faces
from dashboard.pages import PRODUCT_NAME
from dashboard.text.labels import STATUS_LABELS
from engine.games import game, game_names
from ingest.findings.codes import CodeEntry, advice_for, code_entries
from ingest.findings.rulebook import find_rule, without_markdown
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import LANGUAGES, N_, Translate, translator

PAGE_TEXTS = {
    "title": N_("Check a log"),
    "about": N_("Drop a log here: this page checks it and replays it. Nothing leaves this computer."),
    "choose": N_("Choose a file"),
    "paste": N_("Or paste a log:"),
    "check": N_("Check"),
    "verdict": N_("Verdict"),
    "match": N_("Match {n}"),
    "count": N_("Matches: {n}. Choose one to see it."),
    "more": N_("The page reads the first {n} matches of a file."),
    "too-large": N_("The page reads files up to {n} MB; the command retourne check reads larger ones."),
    "clean": N_("Nothing in it is against the rules."),
    "found": N_("In the log: {what}"),
    "legal": N_("Legal: {what}"),
    "hand": N_("Hand: {what}"),
    "follows": N_("May follow from finding {n}."),
    "deal": N_("Deal {n}"),
    "action": N_("action {n}"),
    "player": N_("Player {n}"),
    "starts": N_("{who} acts first"),
    "acts": N_("{who}: {action}"),
    "takes": N_("{who} wins the trick"),
    "wins": N_("{who} wins the deal"),
    "stops": N_("Impossible: the replay stops here"),
    "comment": N_("Comment:"),
    "comments": N_("{who} comments:"),
    "no-board": N_("No deal of this match can be replayed."),
    "tricks": N_("Tricks"),
    "trump": N_("Trump"),
    "server": N_("{reason} The page cannot check such a match; the command retourne check can."),
}
"""Texts of the page and of its board; a script fills in the braces."""
REASON_TEXTS = {
    "hidden-cards": N_("Some cards were not written down."),
    "score-sheet": N_("A deal is known only from a score sheet."),
    "start": N_("The log begins in the middle of a match."),
    "result-only": N_("The log has a result and no deals."),
    "not-loaded": N_("Its cards are those of several games."),
}
"""Why only Retourne itself can check a log, by the words of `js/`."""
SIMPLE_FIELDS = {"who", "found", "legal", "hand"}
"""Values of a finding's sentence that the page knows."""


def check_page(package: Path) -> str:
    """Return the page; `package` is the folder that `js.build` writes."""
    pictures, known = _Pictures(), {name: game_parts(name, package) for name in game_names()}
    acts = {name: parts["table"]["acts"] for name, parts in known.items()}
    texts = {language: _texts(acts, translator(language, "dashboard")) for language in LANGUAGES}
    data = pictures.replace_in({"games": known, "texts": texts}) | {"pictures": pictures.by_key}
    run = script_with_rules(package, board_script(*FILE_SCRIPTS, "check-page"))
    style = read_file("variation.css") + read_file("check-page.css")
    body = read_file("check-page.html").replace("<!-- board -->", read_file("board.html"), 1)
    return html_file(LANGUAGES[0], PRODUCT_NAME, body, data, run, style, wasm=True)


def script_with_rules(package: Path, script: str) -> str:
    """Return the package's module with a script behind it, whose names have a scope of their own."""
    return f"{(package / 'retourne.mjs').read_text(encoding='utf-8')}\n{{\n{script}\n}}\n"


def game_parts(name: str, package: Path) -> dict[str, Any]:
    """Return what a game needs in any language: its kernel, its table, its cards."""
    view = games.game_view(name)
    return {
        "wasm": base64.b64encode((package / f"{name}.wasm").read_bytes()).decode(),
        "table": json.loads((package / f"{name}.json").read_bytes()),
        "back": view.card_back(),
        "corner": view.CORNER_WIDTH,
        "recall": view.RECALLED_TRICK,
    }


def _texts(acts: Mapping[str, Mapping[str, int]], t: Translate) -> dict[str, Any]:
    """Return all texts of the page in one language; `acts` are the words of each game's actions."""
    return rule_texts(t) | {
        "board": board_texts(t),
        "reasons": {reason: t(text) for reason, text in REASON_TEXTS.items()},
        "games": {name: game_texts(name, own, t) for name, own in acts.items()},
        "codes": finding_texts(t),
    }


def rule_texts(t: Translate) -> dict[str, Any]:
    """Return the texts that the states and lines of any game need in a browser."""
    return {
        "page": {key: t(text) for key, text in PAGE_TEXTS.items()},
        "statuses": {status: t(text) for status, text in STATUS_LABELS.items()},
        "suits": {suit: t(text) for suit, text in SUIT_NAMES.items()},
        "line": variation_texts(t),
    }


def game_texts(name: str, acts: Mapping[str, int], t: Translate) -> dict[str, Any]:
    """Return the texts of a game; `acts` are the words of its actions, as its table has them."""
    view, parts = games.game_view(name), games.game_view(name).own_deck_parts(t)
    spoken = dict(_described(name, acts, parts["colours"] if parts else (), t))
    buttons = {word: view.button_text(word, t) for word in acts if "{}" not in word}
    return {
        "title": view.TITLE,
        "presets": {preset: t(text) for preset, text in view.RULES.items()},
        "opener": t(view.OPENER_TEXT),
        "sides": view.side_names(t),
        "words": spoken,
        "buttons": {word: text for word, text in buttons.items() if text != spoken[word]},
        "rare": [word for word in spoken if view.is_rare(word, True)],
        "rareOut": [word for word in spoken if view.is_rare(word, False)],
        "auction": view.auction_parts(acts, t),
        "piles": view.pile_parts(t),
        "faces": {} if parts else pack_faces(game(name).pack.names, t),
        "own": parts,
    }


def _described(
    name: str, words: Iterable[str], colours: Iterable[str], t: Translate
) -> Iterator[tuple[str, str]]:
    """Yield each word with its description; the number of an own face is `#` and `{n}`."""
    for word in words:
        if "{}" not in word:
            yield word, describe_word(t, word, name)
            continue
        for colour in colours:
            spoken = describe_word(t, word.replace("{}", f"{colour}7"), name)
            yield word.replace("{}", f"{colour}#"), re.sub(r"\b7\b", "{n}", spoken)


def finding_texts(t: Translate, *names: str) -> dict[str, dict[str, str]]:
    """Return the texts of each code, after its game and a colon; `names` are the only games wanted."""
    entries = [one for one in code_entries() if not names or not one.game or one.game in names]
    return dict(_code_texts(entries, t))


def _code_texts(entries: Iterable[CodeEntry], t: Translate) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each code with its rule's title and a sentence the page can fill."""
    for entry in entries:
        info = entry.info
        fields = {field for _, field, _, _ in Formatter().parse(info.sentence) if field}
        simple = fields <= SIMPLE_FIELDS and not info.sentences_when
        yield (
            f"{entry.game}:{entry.code}",
            {
                "title": without_markdown(find_rule(entry.rule, t).title),
                "sentence": t(info.sentence) if simple else "",
                "kind": info.value_kind.name,
                "advice": advice_for(t, entry.code, "" if entry.rule == "format" else entry.game),
            },
        )


class _Pictures:
    """Pictures as data URIs, each once, with the key that other data has for it."""

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}

    @property
    def by_key(self) -> dict[str, str]:
        return {key: picture for picture, key in self.keys.items()}

    def replace_in(self, value: Any) -> Any:
        """Return a value with each address of a picture replaced by its key."""
        if isinstance(value, Mapping):
            return {key: self.replace_in(one) for key, one in value.items()}
        if not (isinstance(value, str) and value.startswith(STATIC_URL)):
            return value
        return self.keys.setdefault(picture_data(value), f"picture {len(self.keys)}")
