"""Text of a log where a terminal may show it: no sign in it steers what is shown."""

import json
import re
from typing import Any

_STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
"""Controls, directions, signs without width that no script needs, and halves of signs."""


def plain(text: str) -> str:
    """Text of a log on one line, every sign that would steer the terminal written out."""
    return _STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def as_json(value: Any) -> str:
    """JSON on one line in which such signs are escapes: as safe to look at, and the same value."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return _STEERING.sub(lambda found: json.dumps(found[0])[1:-1], text)
