"""Names in the text of a log, put in place of others: how a masked player stays masked there."""

import json
import re
from collections.abc import Mapping
from typing import Any

import duckdb

Renames = Mapping[str, str]
"""Every name and id that must not be read → what is read instead."""

PLAY = frozenset(
    ("format", "game", "rules", "deck", "bid_cards", "cuts", "actions", "hands", "void", "bids")
)
"""Keys below which a text is a card, an act or a rule, whatever a player is called."""

PROSE = "comments"
"""What people say to each other names people in ways no program finds: it is left out."""

SHORT = 3
"""Letters a name has at least to be looked for outside `players`: `1` may be a round."""


def masks(ask: duckdb.DuckDBPyConnection, match_no: int) -> dict[str, str]:
    """What is read for the masked players of a match."""
    rows = ask.execute(
        """
        SELECT k.player_id, k.name, p.name
        FROM seats s JOIN masked k USING (player_no) JOIN players p USING (player_no)
        WHERE s.match_no = ?
        """,
        [match_no],
    ).fetchall()
    return {told: mask for player, name, mask in rows for told in (player, name)}


def renamed(text: bytes, names: Renames) -> bytes:
    """A log with other names in its players, event, ids and remarks, and without comments.

    It is the same bytes when there is nothing to rename, and nothing at all when what holds
    names cannot be read.
    """
    if not names:
        return text
    try:
        log = json.loads(text)
    except ValueError:
        return b""
    # the longest first, so that “Jean-Paul” is not taken for “Jean”
    known = sorted((one for one in names if len(one) >= SHORT), key=len, reverse=True)
    words = "|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in known)
    renamed = _walk(log, names, re.compile(words or r"(?!)"))
    return json.dumps(renamed, ensure_ascii=False).encode()


def _walk(value: Any, names: Renames, found: re.Pattern[str], exact: bool = False) -> Any:
    """`exact` where a text is a player's name or id, and nothing else."""
    if isinstance(value, str):
        whole = names.get(value) if exact else None
        return whole or found.sub(lambda one: names[one.group()], value)
    if isinstance(value, list):
        return [_walk(one, names, found, exact) for one in value]
    if isinstance(value, dict):
        return {
            key: one if key in PLAY else _walk(one, names, found, exact or key == "players")
            for key, one in value.items()
            if key != PROSE
        }
    return value
