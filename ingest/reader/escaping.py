"""Escapes text of logs for terminals and spreadsheets."""

import json
import re
from typing import Any

_CONTROL_CHARACTERS = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
"""Controls, directions, signs without width that no script needs, and halves of signs."""


FORMULA_START = "(^|;)([\t\r]|[ \t\r\n\xa0]*[=+@\uff1d\uff0b\uff0d\uff20-])"
"""Where a cell may begin that a spreadsheet works out; where commas are decimal, `;` begins one.

As Python and DuckDB both read it, as is NUMBER.
"""
PLAIN_NUMBER = r"[+-]?[0-9]+(\.[0-9]+)?"
FORMULA_GUARD = r"\1'\2"
"""What stands there instead: a spreadsheet shows text behind an apostrophe as it is."""
_FORMULA = re.compile(FORMULA_START)


def escape_line(text: str) -> str:
    """Text of a log on one line, every sign that would steer the terminal written out."""
    return _CONTROL_CHARACTERS.sub(lambda found: ascii(found[0])[1:-1], text)


def to_escaped_json(value: Any) -> str:
    """JSON on one line in which such signs are escapes: as safe to look at, and the same value."""
    return _escape_json(json.dumps(value, ensure_ascii=False, default=str))


def escape_lines(text: str) -> str:
    """Text of several lines, every sign but their breaks written out."""
    return "\n".join(map(escape_line, text.split("\n")))


def escape_json_lines(text: str) -> str:
    """Lines of JSON in which such signs are escapes; the values are the same."""
    return "\n".join(map(_escape_json, text.split("\n")))


def _escape_json(text: str) -> str:
    """JSON with such signs as escapes."""
    return _CONTROL_CHARACTERS.sub(lambda found: json.dumps(found[0])[1:-1], text)


def escape_csv_cell(text: str) -> str:
    """Text for a cell of a CSV, which no spreadsheet takes for a formula; a number stays one."""
    return text if re.fullmatch(PLAIN_NUMBER, text) else _FORMULA.sub(FORMULA_GUARD, text)
