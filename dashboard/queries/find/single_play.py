"""Finds deals by words about one card that was played, which SQL cannot answer.

SQL first finds the deals that the other words leave; then their plays are read, a part at a time.
Seats are bits: of seat 1 the lowest.
"""

from collections.abc import Callable, Iterator, Mapping
from math import inf
from time import monotonic
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dashboard.games.find_play import Bools, Plays, PlayTest, PlayWord
from dashboard.games.find_word import Condition, FindTerm
from dashboard.queries.find.language import Group, Node, Not, OnePlay
from dashboard.queries.find.plays import plays_of_deals
from dashboard.queries.scope import Cursor
from schemas.migrations import with_tables

FIRST_PART, USUAL_PART, LARGEST_PART = 30, 1 << 11, 1 << 16
"""Matches whose plays are read first, for a page; then; and at most at a time."""
FEW_DEALS = 20_000
"""Deals that are replayed in less than half a second."""
PART_SECONDS = 0.25
"""Parts that take less are followed by larger ones, those that take much longer by smaller ones."""
Seats = NDArray[np.int64]


class PlaySearch(NamedTuple):
    """A search with words about plays."""

    node: Node
    once: str
    """SQL of the matches that are searched."""
    condition: Callable[[Node], Condition]
    """Returns SQL of a part without words about plays."""
    match_condition: Callable[[FindTerm, bool], Condition | None]
    """Returns SQL that is true of the matches in which a word may be (must be: false); None: not known."""
    about_seat: bool
    """Whether a part without words about plays is about one seat."""
    words: Mapping[str, PlayWord]
    """How each is written → the words about plays."""
    order: str
    """SQL of the order of matches."""

    @property
    def has_plays(self) -> bool:
        """Whether it has a word about plays."""
        return has_plays(self.node)


class Reading(NamedTuple):
    """The deals that a search of plays found until it ended."""

    deals: pl.DataFrame
    """Those found, in the order of the search: `match_no`, `deal_index`, `seats` (bits)."""
    read: int
    """The matches whose deals were read."""
    is_complete: bool
    """Whether all were read that may be found."""


def deals_with_plays(
    cursor: Cursor, search: PlaySearch, wanted: int | None, seconds: float | None = None
) -> Reading:
    """Return the deals that a search finds.

    `wanted`: enough of them, after which no more plays are read. `seconds`: so long plays are read
    after the first part, which compiles what is not yet.
    """
    most = inf if seconds is None else seconds
    narrow = next(_narrowing(search), None)
    left, some, unread = matches_in_order(cursor, search), None, 0
    if narrow and wanted is None:
        every = left
        some, unread = _narrowed(cursor, narrow, every, most / 2)
        left = every.join(some, on="match_no", how="semi", maintain_order="left")
    found, count, read, started = list[pl.DataFrame](), 0, 0, None
    # parts that are scattered over the store cost more than what is read of each
    size = LARGEST_PART if some is not None and len(some) < FEW_DEALS else FIRST_PART
    while len(left):
        part, left, began = left.head(size), left.slice(size), monotonic()
        among = narrow(cursor, part) if narrow and some is None else some
        deals = _candidates(cursor, search, part, among)
        seats = _seats_of(cursor, search, deals)
        hits = deals.select("match_no", "deal_index").with_columns(seats=seats).filter(pl.col("seats") != 0)
        found.append(hits)
        count += len(hits)
        read += len(part)
        took = monotonic() - began
        started = started or monotonic()
        if (wanted is not None and count >= wanted) or monotonic() - started >= most / (
            1 if some is None else 2
        ):
            break
        if took < PART_SECONDS:
            size = min(size * 4, LARGEST_PART)
        elif took > 2 * PART_SECONDS and size > USUAL_PART:
            size //= 2
    if some is not None:
        read = len(every) - unread - len(left)
    schema = {"match_no": pl.Int64, "deal_index": pl.UInt16, "seats": pl.Int64}
    deals = pl.concat(found) if found else pl.DataFrame(schema=schema)
    return Reading(deals, read, not unread and not len(left))


def _narrowing(search: PlaySearch) -> Iterator[Callable[[Cursor, pl.DataFrame], pl.DataFrame]]:
    """Yield functions of some matches that return the deals which a word leaves of them."""
    for term in _required(search.node):
        if made := search.words[term.word].narrow:
            yield made(term)


def _narrowed(
    cursor: Cursor, narrow: Callable[[Cursor, pl.DataFrame], pl.DataFrame], matches: pl.DataFrame, most: float
) -> tuple[pl.DataFrame, int]:
    """Return the deals that a word leaves, and how many matches were not read in the `most` seconds.

    The matches are read as they are stored, which is many times as fast; those added last first.
    """
    left, size, started, found = matches.sort("match_no", descending=True), USUAL_PART, None, []
    while len(left):
        found.append(narrow(cursor, left.head(size)))
        left, size = left.slice(size), min(size * 4, LARGEST_PART)
        started = started or monotonic()
        if monotonic() - started >= most:
            break
    empty = pl.DataFrame(schema={"match_no": pl.Int64, "deal_index": pl.UInt16})
    return pl.concat([empty, *found]), len(left)


def matches_in_order(cursor: Cursor, search: PlaySearch, most: int | None = None) -> pl.DataFrame:
    """Return the matches in which a deal may be found, in order; `most`: so many of them."""
    where, values = _possible(search.node, search.match_condition, True)
    query = (
        f"SELECT m.match_no FROM matches m WHERE {search.once} AND {where} ORDER BY {search.order} LIMIT ?"
    )
    return cursor.execute(query, [*values, most]).pl()


def _required(node: Node) -> Iterator[FindTerm]:
    """Yield the words about plays without which nothing is found."""
    match node:
        case OnePlay(one):
            yield from _terms_of_all(one)
        case Group("and", nodes):
            for one in nodes:
                yield from _required(one)


def _terms_of_all(node: Node) -> Iterator[FindTerm]:
    match node:
        case FindTerm():
            yield node
        case Group("and", nodes):
            for one in nodes:
                yield from _terms_of_all(one)


def first_plays(cursor: Cursor, search: PlaySearch, deals: pl.DataFrame) -> pl.DataFrame:
    """Return the first card by which each deal is found: `action_number` and `trick_number`."""
    none = np.iinfo(np.int64).max
    first = np.full(len(deals), none)
    seats = deals["seats"].to_numpy()
    tests = [_test(one.node, search.words) for one in _positive(search.node)]
    for rows, plays in plays_of_deals(cursor, deals):
        both = plays.action << 8 | plays.field("trick") + 1
        for test in tests:
            hit = test(plays) & (seats[rows][plays.deal] >> plays.seat & 1 > 0)
            np.minimum.at(first, rows[plays.deal[hit]], both[hit])
    numbers = pl.Series(first).set(pl.Series(first == none), None)
    return pl.DataFrame({"action_number": numbers // 256, "trick_number": numbers % 256})


def plays_found(
    cursor: Cursor,
    search: PlaySearch,
    deals: pl.DataFrame,
    terms_of: Callable[[OnePlay], list[FindTerm]],
    place_of: Callable[[FindTerm], Callable[[Plays], NDArray[np.int64]]],
) -> tuple[FindTerm, pl.DataFrame] | None:
    """Return the plays of a term by which deals are found: `match_no`, `deal_index`, `seat`, `place`.

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
        found.append(deals.select("match_no", "deal_index")[row[hit]].with_columns(**_series(more)))
    if not found:
        return term, pl.DataFrame(schema=["match_no", "deal_index", "seat", "place"])
    return term, pl.concat(found)


def _series(columns: Mapping[str, NDArray[np.int64]]) -> dict[str, pl.Series]:
    return {name: pl.Series(values, dtype=pl.Int64) for name, values in columns.items()}


def _candidates(
    cursor: Cursor, search: PlaySearch, matches: pl.DataFrame, among: pl.DataFrame | None
) -> pl.DataFrame:
    """Return the deals of some matches that may be found, in the order of the matches.

    `among`: only these. `c0` and so on: the seats for which a part is true.
    """
    where, values = _possible(search.node, lambda term, _: search.condition(term), True)
    parts, more = list[str](), list[object]()
    for one in _without_plays(search.node):
        sql, own = search.condition(one)
        parts.append(sql)
        more += own
    seated, every = "deals d", "(1 << m.player_count) - 1"
    columns, group = [f"CASE WHEN {sql} THEN {every} ELSE 0 END" for sql in parts], ""
    if search.about_seat:
        seated += " JOIN deal_seats s ON s.match_no = d.match_no AND s.deal_index = d.deal_index"
        every, group = "bit_or(1 << (s.seat - 1))", "GROUP BY d.match_no, d.deal_index, place"
        columns = [f"bit_or(CASE WHEN {sql} THEN 1 << (s.seat - 1) ELSE 0 END)" for sql in parts]
    named = "".join(f", ({sql})::BIGINT AS c{place}" for place, sql in enumerate(columns))
    some = (
        ""
        if among is None
        else "SEMI JOIN searched_deals a ON (a.match_no, a.deal_index) = (d.match_no, d.deal_index)"
    )
    # the seats of a deal are stored if its outcome is
    query = f"""
        SELECT d.match_no, d.deal_index, ({every})::BIGINT AS seats{named}
        FROM {seated} JOIN matches m ON m.match_no = d.match_no
            JOIN searched_matches o ON o.match_no = d.match_no
            {some}
        WHERE d.outcome IS NOT NULL AND {where} {group} ORDER BY o.place, d.deal_index
    """
    tables = {"searched_matches": matches.with_row_index("place").to_arrow()}
    if among is not None:
        tables["searched_deals"] = among.join(matches, on="match_no", how="semi").to_arrow()
    with with_tables(cursor, **tables):
        return cursor.execute(query, [*more, *values]).pl()


def _possible(
    node: Node, condition: Callable[[FindTerm, bool], Condition | None], if_true: bool
) -> Condition:
    """Return SQL that is true wherever a search may be, or, for a `not`, wherever it must be.

    `condition` returns that of a word, None where it is not known.
    """
    match node:
        case Not(one):
            sql, values = _possible(one, condition, not if_true)
            return f"(NOT {sql})", values
        case Group(connective, nodes):
            parts = [_possible(one, condition, if_true) for one in nodes]
            joined = f" {connective.upper()} ".join(sql for sql, _ in parts)
            return f"({joined})", [value for _, some in parts for value in some]
    known = condition(node, if_true) if isinstance(node, FindTerm) else None
    return known or ("true" if if_true else "false", [])


def _without_plays(node: Node) -> Iterator[Node]:
    """Yield the parts of a search without words about plays, in order."""
    if not has_plays(node):
        yield node
    elif isinstance(node, Not):
        yield from _without_plays(node.node)
    elif isinstance(node, Group):
        for one in node.nodes:
            yield from _without_plays(one)


def has_plays(node: Node) -> bool:
    """Return whether a search has a word about plays."""
    match node:
        case OnePlay():
            return True
        case Not(one):
            return has_plays(one)
        case Group(_, nodes):
            return any(map(has_plays, nodes))
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
        if not has_plays(node):
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
