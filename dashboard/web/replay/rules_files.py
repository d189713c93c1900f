"""Files by which a replay page has the rules: the package for JavaScript, kernels, texts of each game."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from dashboard.board.check_page import finding_texts, game_parts, game_texts, rule_texts
from dashboard.board.html_file import STATIC_URL
from dashboard.board.offline_replay import CHECKED_HERE
from engine.games import game_names
from ingest.i18n import LANGUAGES, translator
from js.build import made_package

MODULE_NAME = "retourne.js"


class RulesUrls(NamedTuple):
    """Addresses from which a page loads the rules."""

    module: str
    kernel: str
    game: str


def kernel_name(game: str) -> str:
    """Return the name of a game's kernel among the files."""
    return f"{game}.wasm"


def game_name(game: str, language: str) -> str:
    """Return the name of a game's table and texts among the files."""
    return f"{game}.{language}.json"


def rules_files(pictures: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield each file by name; none where the package for JavaScript is not built.

    `pictures` are the paths of pictures by their names; they replace the dashboard's own addresses.
    """
    if (package := made_package()) is None:
        return
    yield MODULE_NAME, (package / "retourne.mjs").read_bytes()
    for name in game_names():
        yield kernel_name(name), (package / f"{name}.wasm").read_bytes()
        for language in LANGUAGES:
            data = _game_data(name, language, package)
            yield game_name(name, language), orjson.dumps(_with_pictures(data, pictures))


def _game_data(name: str, language: str, package: Path) -> dict[str, Any]:
    """Return the table of a game, and its texts in a language."""
    t, parts = translator(language, "dashboard"), game_parts(name, package)
    del parts["wasm"]
    texts = rule_texts(t) | {"game": game_texts(name, parts["table"]["acts"], t)}
    texts |= {"codes": finding_texts(t, name), "checked": t(CHECKED_HERE)}
    return {"parts": parts, "texts": texts}


def _with_pictures(value: Any, pictures: Mapping[str, str]) -> Any:
    """Return a value with each address of a picture replaced by its path."""
    if isinstance(value, Mapping):
        return {key: _with_pictures(one, pictures) for key, one in value.items()}
    if isinstance(value, str) and value.startswith(STATIC_URL):
        return pictures[value.removeprefix(STATIC_URL)]
    return value
