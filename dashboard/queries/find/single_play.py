"""Finds deals by words about one card that was played, which SQL cannot answer.

SQL first finds the deals that the other words leave; then their plays are read, a part at a time.
Seats are bits: of seat 1 the lowest.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dashboard.games.find_play import Bools, Plays, PlayTest, PlayWord
from dashboard.games.find_word import Condition, FindTerm
from dashboard.queries.find.language import Group, Node, Not, OnePlay
from dashboard.queries.find.plays import plays_of_deals
from dashboard.queries.scope import Cursor

FIRST_PART, LARGEST_PART = 250, 1 << 16
"""Deals whose plays are read first, for a page, and at most at a time."""
Seats = NDArray[np.int64]


class PlaySearch(NamedTuple):
    """A search with words about plays."""

    node: Node
    once: str
    """SQL of the matches that are searched."""
    condition: Callable[[Node], Condition]
    """Returns SQL of a part without words about plays."""
    words: Mapping[str, PlayWord]
    """How each is written → the words about plays."""
    order: str
    """SQL of the order of matches."""


def deals_with_plays(
    cursor: Cursor, search: PlaySearch, wanted: int | None, most_read: int | None = None
) -> tuple[pl.DataFrame, bool]:
    """Return the deals that a search finds, in its order: `match_no`, `deal`, `seats` (bits).

    `wanted`: enough of them, after which no more plays are read. `most_read`: plays of so many deals are
    read at most. Also returns whether all plays were read that may matter.
    """
    found, count, read = list[pl.DataFrame](), 0, 0
    most = None if most_read is None else most_read + LARGEST_PART
    left, size = _candidates(cursor, search, most), FIRST_PART
    while len(left) and (most_read is None or read < most_read):
        part, left = left.head(size), left.slice(size)
        seats = _seats_of(cursor, search, part)
        hits = part.select("match_no", "deal").with_columns(seats=seats).filter(pl.col("seats") != 0)
        found.append(hits)
        count += len(hits)
        read += len(part)
        if wanted is not None and count >= wanted:
            break
        size = min(size * 4, LARGEST_PART)
    schema = {"match_no": pl.Int64, "deal": pl.UInt16, "seats": pl.Int64}
    return pl.concat(found) if found else pl.DataFrame(schema=schema), not len(left)


def first_actions(cursor: Cursor, search: PlaySearch, deals: pl.DataFrame) -> list[int | None]:
    """Return for each deal found the number of the first action by which it is found, from 1."""
    first = np.full(len(deals), np.iinfo(np.int64).max)
    seats = deals["seats"].to_numpy()
    tests = [_test(one.node, search.words) for one in _positive(search.node)]
    for rows, plays in plays_of_deals(cursor, deals):
        for test in tests:
            hit = test(plays) & (seats[rows][plays.deal] >> plays.seat & 1 > 0)
            np.minimum.at(first, rows[plays.deal[hit]], plays.action[hit])
    return [int(one) if one < np.iinfo(np.int64).max else None for one in first]


def plays_found(
    cursor: Cursor,
    search: PlaySearch,
    deals: pl.DataFrame,
    terms_of: Callable[[OnePlay], list[FindTerm]],
    place_of: Callable[[FindTerm], Callable[[Plays], NDArray[np.int64]]],
) -> tuple[FindTerm, pl.DataFrame] | None:
    """Return the plays by which deals are found that are about a term: `match_no`, `deal`, `seat`, `place`.

    `terms_of` returns the terms looked for, of which the first counts; None: there is none. `place_of`
    returns the place of each play, negative for one that is not meant.
    """
    about = [(one, term) for one in _positive(search.node) for term in terms_of(one)]
    if not about:
        return None
    [(one, term), *_] = about
    test, place, seats = _test(one.node, search.words), place_of(term), deals["seats"].to_numpy()
    found = list[pl.DataFrame]()
    for rows, plays in plays_of_deals(cursor, deals):
        places, row = place(plays), rows[plays.deal]
        hit = test(plays) & (places >= 0) & (seats[row] >> plays.seat & 1 > 0)
        more = {"seat": plays.seat[hit] + 1, "place": places[hit]}
        found.append(deals.select("match_no", "deal")[row[hit]].with_columns(**_series(more)))
    if not found:
        return term, pl.DataFrame(schema=["match_no", "deal", "seat", "place"])
    return term, pl.concat(found)


def _series(columns: Mapping[str, NDArray[np.int64]]) -> dict[str, pl.Series]:
    return {name: pl.Series(values, dtype=pl.Int64) for name, values in columns.items()}


def _candidates(cursor: Cursor, search: PlaySearch, most: int | None) -> pl.DataFrame:
    """Return the deals that may be found, `most` of them if it is given.

    `c0` and so on: the seats for which a part is true.
    """
    where, values = _possible(search.node, search.condition, True)
    columns, more = list[str](), list[object]()
    for place, one in enumerate(_without_plays(search.node)):
        sql, some = search.condition(one)
        columns.append(f", bit_or(CASE WHEN {sql} THEN 1 << (s.seat - 1) ELSE 0 END)::BIGINT AS c{place}")
        more += some
    query = f"""
        SELECT d.match_no, d.deal, bit_or(1 << (s.seat - 1))::BIGINT AS seats{"".join(columns)}
        FROM deals d JOIN matches m USING (match_no)
            JOIN deal_seats s ON s.match_no = d.match_no AND s.deal = d.deal
        WHERE {search.once} AND {where} GROUP BY m.match_no, d.match_no, d.deal, m.played_at
        ORDER BY {search.order}, d.deal LIMIT ?
    """
    return cursor.execute(query, [*more, *values, most]).pl()


def _possible(node: Node, condition: Callable[[Node], Condition], if_true: bool) -> Condition:
    """Return SQL that is true wherever a search may be, or, for a `not`, wherever it must be."""
    match node:
        case OnePlay():
            return ("true" if if_true else "false"), []
        case Not(one):
            sql, values = _possible(one, condition, not if_true)
            return f"(NOT {sql})", values
        case Group(connective, nodes):
            parts = [_possible(one, condition, if_true) for one in nodes]
            joined = f" {connective.upper()} ".join(sql for sql, _ in parts)
            return f"({joined})", [value for _, some in parts for value in some]
    return condition(node)


def _without_plays(node: Node) -> Iterator[Node]:
    """Yield the parts of a search without words about plays, in order."""
    if not _has_plays(node):
        yield node
    elif isinstance(node, Not):
        yield from _without_plays(node.node)
    elif isinstance(node, Group):
        for one in node.nodes:
            yield from _without_plays(one)


def _has_plays(node: Node) -> bool:
    match node:
        case OnePlay():
            return True
        case Not(one):
            return _has_plays(one)
        case Group(_, nodes):
            return any(map(_has_plays, nodes))
    return False


def _positive(node: Node) -> Iterator[OnePlay]:
    """Yield the plays that a search asks for, without those it excludes."""
    if isinstance(node, OnePlay):
        yield node
    elif isinstance(node, Group):
        for one in node.nodes:
            yield from _positive(one)


def _seats_of(cursor: Cursor, search: PlaySearch, deals: pl.DataFrame) -> Seats:
    """Return for each deal the seats for which the search is true."""
    nodes = [*_plays_in(search.node)]
    tests = [_test(one.node, search.words) for one in nodes]
    found = np.zeros((len(nodes), len(deals)), np.int64)
    for rows, plays in plays_of_deals(cursor, deals):
        for place, test in enumerate(tests):
            hit = test(plays)
            np.bitwise_or.at(found[place], rows[plays.deal[hit]], 1 << plays.seat[hit])
    plays_found = iter(found)
    columns = (deals[f"c{place}"].to_numpy() for place, _ in enumerate(_without_plays(search.node)))

    def value(node: Node) -> Seats:
        if isinstance(node, OnePlay):
            return next(plays_found)
        if not _has_plays(node):
            return np.asarray(next(columns))
        if isinstance(node, Not):
            return ~value(node.node)
        assert isinstance(node, Group)
        values = [value(one) for one in node.nodes]
        joined = np.bitwise_and if node.connective == "and" else np.bitwise_or
        return np.asarray(joined.reduce(values))

    return np.asarray(value(search.node) & deals["seats"].to_numpy())


def _plays_in(node: Node) -> Iterator[OnePlay]:
    match node:
        case OnePlay():
            yield node
        case Not(one):
            yield from _plays_in(one)
        case Group(_, nodes):
            for one in nodes:
                yield from _plays_in(one)


def _test(node: Node, words: Mapping[str, PlayWord]) -> PlayTest:
    """Return whether words about a play are true of each."""
    match node:
        case FindTerm():
            word = words[node.word]
            made = word.test(node)

            def test(plays: Plays) -> Bools:
                if word.game not in (None, plays.game.name):
                    return np.zeros(len(plays.deal), np.bool_)
                return made(plays)

            return test
        case Not(one) | OnePlay(one):
            within = _test(one, words)
            return (lambda plays: ~within(plays)) if isinstance(node, Not) else within
        case Group(connective, nodes):
            tests = [_test(one, words) for one in nodes]
            joined = np.logical_and if connective == "and" else np.logical_or
            return lambda plays: np.asarray(joined.reduce([one(plays) for one in tests]))
