"""Escapes text of logs for terminals, and against formulas in CSV (CSV injection); not HTML."""

import json
import re
from typing import Any

_CONTROL_CHARACTERS = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
"""Control, direction and zero-width characters that no script needs, and surrogates."""


FORMULA_START = "(^|;)([\t\r]|[ \t\r\n\xa0]*[=+@\uff1d\uff0b\uff0d\uff20-])"
"""The start of a cell that a spreadsheet evaluates; in decimal-comma locales `;` starts a cell.

Python and DuckDB both accept this pattern and `PLAIN_NUMBER`.
"""
PLAIN_NUMBER = r"[+-]?[0-9]+(\.[0-9]+)?"
FORMULA_GUARD = r"\1'\2"
"""The replacement: spreadsheets do not evaluate text after an apostrophe."""
_FORMULA = re.compile(FORMULA_START)


def escape_line(text: str) -> str:
    """Return text for one terminal line, with control characters escaped."""
    return _CONTROL_CHARACTERS.sub(lambda found: ascii(found[0])[1:-1], text)


def to_escaped_json(value: Any) -> str:
    """Return a value as one line of JSON with control characters as JSON escapes."""
    return _escape_json(json.dumps(value, ensure_ascii=False, default=str))


def escape_lines(text: str) -> str:
    """Return text with control characters escaped, except line feeds."""
    return "\n".join(map(escape_line, text.split("\n")))


def escape_json_lines(text: str) -> str:
    """Return lines of JSON with control characters as JSON escapes; values do not change."""
    return "\n".join(map(_escape_json, text.split("\n")))


def _escape_json(text: str) -> str:
    """Replace control characters in JSON by JSON escapes."""
    return _CONTROL_CHARACTERS.sub(lambda found: json.dumps(found[0])[1:-1], text)


def escape_csv_cell(text: str) -> str:
    """Return text for a CSV cell that no spreadsheet evaluates; numbers do not change."""
    return text if re.fullmatch(PLAIN_NUMBER, text) else _FORMULA.sub(FORMULA_GUARD, text)
