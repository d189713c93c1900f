"""Players as one names them: who is meant for certain, and who may have been."""

from typing import NamedTuple

import duckdb


class Player(NamedTuple):
    """A player as the store shows them: a masked one has the pseudonym for name and id."""

    number: int
    id: str
    name: str


_FOLD = r"lower(strip_accents(trim(regexp_replace({}, '[\s\pZ]+', ' ', 'g'))))"
_ID, _NAME, _ASKED = (_FOLD.format(one) for one in ("player_id", "name", "$words"))
_LABEL = _FOLD.format("name || ' (' || player_id || ')'")

EXACT = f"""
SELECT player_no, player_id, name FROM players, (SELECT {_ASKED} AS words)
WHERE words <> '' AND words IN ({_ID}, {_NAME}, {_LABEL})
QUALIFY rank() OVER (ORDER BY player_id = $words DESC, {_ID} = words DESC) = 1
ORDER BY player_no
"""
NAMED = f"""
SELECT player_no, player_id, name FROM players, (SELECT {_ASKED} AS words)
WHERE words <> '' AND words IN ({_NAME}, {_LABEL}) ORDER BY player_id
"""
ALIKE = 0.8
"""How much a name must look like another one, of 1, by Jaro and Winkler's measure."""
NEAR = f"""
SELECT player_no, player_id, name
FROM (SELECT *, {_ID} AS id, {_NAME} AS plain, {_ASKED} AS words FROM players)
WHERE words <> '' AND (contains(plain, words) OR contains(id, words) OR greatest(
    jaro_winkler_similarity(plain, words), jaro_winkler_similarity(id, words)) >= {ALIKE})
ORDER BY least(levenshtein(plain, words), levenshtein(id, words)), plain, player_no LIMIT $most
"""


def exactly(ask: duckdb.DuckDBPyConnection, words: str) -> list[Player]:
    """Those of this id, else of this name, whatever its case, accents and spaces."""
    return [Player(*row) for row in ask.execute(EXACT, {"words": words}).fetchall()]


def named(ask: duckdb.DuckDBPyConnection, words: str) -> list[Player]:
    """All of this name, whatever its case, accents and spaces."""
    return [Player(*row) for row in ask.execute(NAMED, {"words": words}).fetchall()]


def near(ask: duckdb.DuckDBPyConnection, words: str, most: int = 2) -> list[Player]:
    """Those whose name or id has these words within or looks like them, the nearest first."""
    return [Player(*row) for row in ask.execute(NEAR, {"words": words, "most": most}).fetchall()]
