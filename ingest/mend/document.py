"""Edits of words a whole match hangs on: its game, its preset, the value of a rule option.

Such a match is not read any further, so the word alone has to tell what was meant: one known word
is as near as a slip of the keyboard, and the match has the shape of one with that word.
"""

from typing import Any

from engine.games import names
from engine.options import options, presets
from ingest.finding.finding import Edit, Finding
from ingest.judge.document import model
from ingest.mend.near import mistyped


def word(value: Any, finding: Finding) -> Edit | None:
    """The known word in place of the one found, if no other is near it."""
    keys = finding.path.split("/")[1:]
    known, found = _known(value, finding), value
    for key in keys:
        found = found.get(key)  # an option nobody knows has no such place where it is escaped
    if not isinstance(found, str):
        return None
    near = [meant for meant in known if mistyped(found, str(meant).lower())]
    if len(near) != 1:
        return None
    _, left = model(_put(value, keys, near[0]))
    if any(one.code == "schema" or one.path == finding.path for one in left):
        return None
    return Edit("replace", finding.path, near[0], "value")


def _known(value: Any, finding: Finding) -> tuple[Any, ...]:
    """What may stand at the place of a finding; nothing where that is a number, or a key."""
    if finding.code == "unknown-game":
        return names()
    what = finding.detail["where"]
    if what == "preset":
        return tuple(presets(value["game"]))
    return next((one.values or () for one in options(value["game"]) if one.name == what), ())


def _put(value: Any, keys: list[str], word: Any) -> Any:
    """A JSON value with another word at a place; what is given stays as it is."""
    first, *rest = keys
    return {**value, first: _put(value[first], rest, word) if rest else word}
