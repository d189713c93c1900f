"""Numbers the equal results of one sheet: each row of a match is a match of its own."""

from collections import Counter
from typing import Any

import orjson

MATCH_KEY = "match"
"""Key of `event`: which of several equal results this is, from 2."""


def number_equal_results(logs: list[dict[str, Any]]) -> None:
    """Number the results of a file that are equal to an earlier one, such as two 3–1 of an evening.

    A log without a card is identified by its content, so equal ones would count once. The first
    stays as it is, so that the same match is recognized when rows are added to the file.
    """
    seen = Counter[bytes]()
    for log in logs:
        if log["deals"] or "result" not in log:
            continue
        content = orjson.dumps(log, option=orjson.OPT_SORT_KEYS)
        seen[content] += 1
        if seen[content] > 1:
            log["event"] = {**log.get("event", {}), MATCH_KEY: seen[content]}
