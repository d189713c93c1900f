"""An edit done in the text of a log, which keeps its layout and all that is not part of it."""

import json
import re

import orjson

from ingest.finding.finding import Edit
from ingest.text.places import TOKEN, spans

_GAP = re.compile(rb"\s*,\s*")
_ACTION = re.compile(r"/deals/(\d+)/actions/(\d+)")


def patched(text: bytes, edit: Edit) -> bytes:
    """The text after an edit. KeyError: the text has no such place.

    With an action left out or added, later comments of its deal stay by the same actions.
    """
    after = _edited(text, edit)
    moved = {"remove": -1, "add": 1}.get(edit.op)
    if moved and (action := _ACTION.fullmatch(edit.path)):
        deal, at = map(int, action.groups())
        comments = orjson.loads(text)["deals"][deal].get("comments") or ()
        for place, comment in enumerate(comments):
            if comment["after"] > at:
                path = f"/deals/{deal}/comments/{place}/after"
                after = _edited(after, Edit("replace", path, comment["after"] + moved))
    for one in edit.also:
        after = patched(after, one)
    return after


def _edited(text: bytes, edit: Edit) -> bytes:
    parent, _, last = edit.path.rpartition("/")
    value = json.dumps(edit.value, ensure_ascii=False).encode()
    if edit.op == "replace":
        start, end = _span(text, edit.path)
        return text[:start] + value + text[end:]
    number = int(last)
    if edit.op == "remove":
        return _without(text, parent, number)
    try:
        start, _ = _span(text, edit.path)
    except KeyError:
        if not number:  # the list is empty
            start, _ = _span(text, parent)
            return text[: start + 1] + value + text[start + 1 :]
        _, end = _span(text, f"{parent}/{number - 1}")
        return text[:end] + b", " + value + text[end:]
    return text[:start] + value + b", " + text[start:]


def _without(text: bytes, parent: str, number: int) -> bytes:
    """The text without one part of a list, nor the comma that went with it."""
    start, end = _span(text, f"{parent}/{number}")
    if after := _GAP.match(text, end):
        return text[:start] + text[after.end() :]
    if number:
        _, start = _span(text, f"{parent}/{number - 1}")
    return text[:start] + text[end:]


def _span(text: bytes, pointer: str) -> tuple[int, int]:
    """The bytes of a value from its first to the one past its last. KeyError: it is not there."""
    start, end = dict(spans(text, {pointer}))[pointer]
    if text[start : start + 1] in b"[{":
        depth = 0
        for token in TOKEN.finditer(text, start):
            depth += (token.group() in b"[{") - (token.group() in b"]}")
            if not depth:
                return start, token.end()
    return start, end
