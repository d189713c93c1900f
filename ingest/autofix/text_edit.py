"""Applies edits to a log's text, keeping its layout.

Files are not written. An edit may also resolve later findings, so a log is validated again after
each round. A round applies the first edit of each deal, and keeps them only if they leave fewer
findings.
"""

import json
import re
from typing import NamedTuple

import orjson

from ingest.autofix.search import find_edits
from ingest.findings.finding import Edit, Finding
from ingest.reader.json_text import TOKEN, value_spans
from ingest.validate.slow_path import ValidationResult, validate

MAX_ROUNDS = 200  # rounds after which the remaining findings stay
_COMMA = re.compile(rb"\s*,\s*")
_ACTION = re.compile(r"/deals/(\d+)/actions/(\d+)")


def apply_edit(text: bytes, edit: Edit) -> bytes:
    """Return the text after an edit. KeyError: the text lacks its path.

    If an action is removed or added, later comments of the deal stay with their actions.
    """
    after = _apply_one(text, edit)
    moved = {"remove": -1, "add": 1}.get(edit.op)
    if moved and (action := _ACTION.fullmatch(edit.path)):
        deal, at = map(int, action.groups())
        comments = orjson.loads(text)["deals"][deal].get("comments") or ()
        for place, comment in enumerate(comments):
            if comment["after"] > at:
                path = f"/deals/{deal}/comments/{place}/after"
                after = _apply_one(after, Edit("replace", path, comment["after"] + moved))
    for one in edit.also:
        after = apply_edit(after, one)
    return after


def _apply_one(text: bytes, edit: Edit) -> bytes:
    """Apply one edit without `also`: replace a value, add or remove a list item, or add the rules."""
    parent, _, last = edit.path.rpartition("/")
    value = json.dumps(edit.value, ensure_ascii=False).encode()
    before = f"{parent}/{int(last) - 1}" if last.isdigit() else ""
    if edit.op == "add":
        try:
            start, _ = _value_span(text, edit.path)
        except KeyError:
            if not last.isdigit():  # a key of the match, written behind its game
                _, end = _value_span(text, "/game")
                return text[:end] + b", " + json.dumps(last).encode() + b": " + value + text[end:]
            if last == "0":  # the list is empty
                start, _ = _value_span(text, parent)
                return text[: start + 1] + value + text[start + 1 :]
            _, end = _value_span(text, before)
            return text[:end] + b", " + value + text[end:]
        return text[:start] + value + b", " + text[start:]
    start, end = _value_span(text, edit.path)
    if edit.op == "replace":
        return text[:start] + value + text[end:]
    if after := _COMMA.match(text, end):
        return text[:start] + text[after.end() :]
    if last != "0":
        _, start = _value_span(text, before)
    return text[:start] + text[end:]


def _value_span(text: bytes, pointer: str) -> tuple[int, int]:
    """Return the byte span of a value. KeyError: the text lacks it."""
    start, end = dict(value_spans(text, {pointer}))[pointer]
    if text[start : start + 1] in b"[{":
        depth = 0
        for token in TOKEN.finditer(text, start):
            depth += (token.group() in b"[{") - (token.group() in b"]}")
            if not depth:
                return start, token.end()
    return start, end


class EditedText(NamedTuple):
    """A text after the edits of `fixed`, in order, with the validation before and after."""

    text: bytes
    fixed: list[Finding]
    before: ValidationResult
    after: ValidationResult


def apply_all_edits(text: bytes) -> EditedText:
    """Apply all edits that reduce findings, and return the resulting text; no file is changed."""
    before = after = _validated(text)
    done: list[Finding] = []
    for _ in range(MAX_ROUNDS):
        first: dict[int | None, Finding] = {}
        for finding in after.findings:
            if finding.edit is not None:
                first.setdefault(finding.deal_index, finding)
        # edits of the match result, which depends on the deals, only if no deal has any
        todo = [one for deal, one in first.items() if deal is not None] or list(first.values())
        for some in (todo, todo[:1]) if len(todo) > 1 else (todo,):
            edited = text
            for finding in some:
                assert finding.edit is not None
                edited = apply_edit(edited, finding.edit)
            result = _validated(edited) if some else after
            if _severity_key(result) < _severity_key(after):
                text, after = edited, result
                done += some
                break
        else:
            break
    return EditedText(text, done, before, after)


def _validated(text: bytes) -> ValidationResult:
    find_edits(explained := validate(text))
    return explained


def _severity_key(result: ValidationResult) -> tuple[bool, int, int]:
    """Return a sort key, lower is better: findings without `incomplete`, then actions played."""
    # an unreadable match is worst; `incomplete` only follows from an impossible action
    count = sum(finding.code != "incomplete" for finding in result.findings)
    played = sum(len(replay) for replay in result.replays if replay is not None)
    return result.match is None, count, -played
