"""Proposes which players may be one person, by their names; nothing is merged unasked.

Names are compared as people read them (`schemas.player_key`). Players who sat in one match, those
declared to be two people and masked ones are skipped, and those whose one id has the names of two people:
whether they are two comes first.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

import duckdb
import pyarrow as pa

from ingest.i18n import N_
from schemas.migrations import with_tables
from schemas.player_key import player_key, search_key

MAX_PAIRS = 500
"""Pairs proposed at once, the most likely first."""
MAX_NAMES_COMPARED = 40
"""Names that share a word and are compared with each other: of more, only equal ones are found."""
MAX_EQUAL_NAMES = 300
"""Names with the same letters that are compared with each other."""
_WORD = re.compile(r"\w+")


class NameRelation(StrEnum):
    """How two names are alike, the most alike first."""

    SAME = "same"
    SPELLING = "spelling"
    ORDER = "order"
    INITIALS = "initials"
    SHORTER = "shorter"


RELATION_LABELS = {
    NameRelation.SAME: N_("the same name"),
    NameRelation.SPELLING: N_("accents, spaces or hyphens"),
    NameRelation.ORDER: N_("another order of names"),
    NameRelation.INITIALS: N_("initials"),
    NameRelation.SHORTER: N_("one name is missing"),
}


class LikelyPair(NamedTuple):
    """Two players who may be one person; the first one has more matches."""

    relation: NameRelation
    player_no: int
    name: str
    other_no: int
    other_name: str


class _Name(NamedTuple):
    player_no: int
    text: str
    words: tuple[str, ...]


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name without case and accents; initials are words of one letter."""
    return tuple(_WORD.findall(search_key(name)))


def name_relation(one: str, other: str) -> NameRelation | None:
    """Return how two names are alike; None if they read as two people's."""
    if player_key(one) == player_key(other):
        return NameRelation.SAME
    ours, theirs = words_of(one), words_of(other)
    if not ours or not theirs or _numbers(ours) != _numbers(theirs):
        return None  # clubs number people of one name
    if "".join(ours) == "".join(theirs):
        return NameRelation.SPELLING
    if sorted(ours) == sorted(theirs):
        return NameRelation.ORDER
    if len(ours) == len(theirs) and (_are_initials(ours, theirs) or _are_initials(ours, theirs[::-1])):
        return NameRelation.INITIALS
    short, long = sorted((ours, theirs), key=len)
    is_part = len(short) < len(long) and set(short) < set(long) and all(len(word) > 1 for word in short)
    return NameRelation.SHORTER if is_part else None


def _numbers(words: Iterable[str]) -> set[str]:
    return {word for word in words if any(map(str.isdigit, word))}


def _are_initials(ours: Iterable[str], theirs: Iterable[str]) -> bool:
    """Whether words agree one by one, some as an initial and at least one in full."""
    pairs = [*zip(ours, theirs, strict=True)]
    fits = all(
        one == other or (min(len(one), len(other)) == 1 and one[0] == other[0]) for one, other in pairs
    )
    return fits and any(one == other and len(one) > 1 for one, other in pairs)


def likely_pairs(cursor: duckdb.DuckDBPyConnection, files: Collection[int] | None = None) -> list[LikelyPair]:
    """Return pairs of players who may be one person, most alike first, then by matches played.

    `files`: only players who are new with these files, with those who were there before.
    """
    new = None if files is None else _new_players(cursor, files)
    if new is not None and not new:
        return []
    found = dict[tuple[int, int], tuple[NameRelation, str, str]]()
    for one, other in _names_to_compare(cursor, new):
        if one.player_no == other.player_no:
            continue
        first, second = sorted((one, other))
        pair = first.player_no, second.player_no
        relation = name_relation(one.text, other.text)
        if relation is not None and (pair not in found or _rank(relation) < _rank(found[pair][0])):
            found[pair] = relation, first.text, second.text
    if not found:
        return []
    two, unclear = two_people(cursor, found), differing_names(cursor)
    found = {pair: how for pair, how in found.items() if unclear.keys().isdisjoint(pair)}
    counts = dict(
        cursor.execute(
            "SELECT player_no, count(*) FROM seats WHERE list_contains(?::INTEGER[], player_no) GROUP BY 1",
            [[*{number for pair in found for number in pair}]],
        ).fetchall()
    )
    rows = [(*pair, *(counts.get(number, 0) for number in pair)) for pair in found if pair not in two]
    rows.sort(key=lambda row: (_rank(found[row[0], row[1]][0]), -(row[2] + row[3]), row[0], row[1]))
    result = list[LikelyPair]()
    for one_no, other_no, n, other_n in rows[:MAX_PAIRS]:
        relation, name, other_name = found[one_no, other_no]
        if n >= other_n:
            result.append(LikelyPair(relation, one_no, name, other_no, other_name))
        else:
            result.append(LikelyPair(relation, other_no, other_name, one_no, name))
    return result


def two_people(cursor: duckdb.DuckDBPyConnection, pairs: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return those pairs of players, the lower number first, who are two people for sure.

    They sat in one match, or the admin declared them different.
    """
    numbers = (pa.array([pair[place] for pair in pairs], pa.int32()) for place in (0, 1))
    with with_tables(cursor, pairs=pa.table(dict(zip(("one", "other"), numbers, strict=True)))):
        found = cursor.execute(
            """
            SELECT a.player_no AS one, b.player_no AS other FROM seats a JOIN seats b USING (match_no)
                SEMI JOIN pairs p ON p.one = a.player_no AND p.other = b.player_no
            UNION (
                SELECT least(a.player_no, b.player_no) AS one, greatest(a.player_no, b.player_no) AS other
                FROM different_players d JOIN aliases a USING (alias_no)
                    JOIN aliases b ON b.alias_no = d.other_alias_no
            )
            """
        ).fetchall()
    return {(one, other) for one, other in found}


def differing_names(
    cursor: duckdb.DuckDBPyConnection, files: Collection[int] | None = None
) -> dict[int, list[str]]:
    """Return players who came under one id with names that read as two people's, by number.

    `files`: only those of whom a name is new with these files.
    Those whose name the admin chose are skipped, and masked ones.
    """
    rows = cursor.execute(
        """SELECT a.player_no, list(a.name ORDER BY alias_no) AS names
           FROM aliases a JOIN players p USING (player_no) ANTI JOIN masked USING (player_no)
           WHERE p.name_alias_no IS NULL GROUP BY a.player_no, key HAVING count(DISTINCT a.name) > 1
               AND ($files IS NULL OR bool_or(alias_no IN (
                   SELECT alias_no FROM seats JOIN matches USING (match_no)
                   GROUP BY alias_no HAVING bool_and(list_contains($files, file_no)))))
           ORDER BY a.player_no""",
        {"files": None if files is None else [*files]},
    ).fetchall()
    return {
        player_no: [*dict.fromkeys(names)]
        for player_no, names in rows
        if any(name_relation(one, other) is None for one, other in combinations(dict.fromkeys(names), 2))
    }


def _rank(relation: NameRelation) -> int:
    return [*NameRelation].index(relation)


def _new_players(cursor: duckdb.DuckDBPyConnection, files: Collection[int]) -> set[int]:
    """Return the players whose every match came with some files."""
    query = """SELECT player_no FROM seats JOIN matches USING (match_no)
               GROUP BY player_no HAVING bool_and(file_no IN (SELECT unnest(?::INTEGER[])))"""
    return {player_no for (player_no,) in cursor.execute(query, [[*files]]).fetchall()}


def _names_to_compare(
    cursor: duckdb.DuckDBPyConnection, new: set[int] | None
) -> Iterator[tuple[_Name, _Name]]:
    """Yield pairs of names that may be alike, of which exactly one is of a `new` player."""
    rows = cursor.execute(
        """SELECT DISTINCT player_no, name FROM aliases ANTI JOIN masked USING (player_no) ORDER BY ALL"""
    ).fetchall()
    names = [_Name(player_no, name, words_of(name)) for player_no, name in rows]
    equal, sharing = defaultdict[str, list[_Name]](list), defaultdict[str, list[_Name]](list)
    for one in names:
        equal["".join(sorted("".join(one.words))) or player_key(one.text)].append(one)
        for word in {word for word in one.words if len(word) > 1}:
            sharing[word].append(one)
    near = (some for some in sharing.values() if len(some) <= MAX_NAMES_COMPARED)
    for some in (*(some[:MAX_EQUAL_NAMES] for some in equal.values()), *near):
        for one, other in combinations(some, 2):
            if new is None or (one.player_no in new) != (other.player_no in new):
                yield one, other
