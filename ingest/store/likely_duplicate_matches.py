"""Proposes likely duplicates: matches of one day, players and result, of which one has no cards.

So is a match whose deals begin with those of another: a sheet may be stored again after each deal; a
sheet of which one deal differs, since it was corrected; and a result that counts manches.
Sheets of which the store has the log for sure are not proposed (`sheet_with_log`). The same people may
win two matches 3–1 in an evening, so nothing is joined unasked, and the matches of one file are several.
Players are the same after merges, or by names that are near (`player_duplicates.name_relation`), in
any order of seats.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import duckdb

from engine.games import game
from ingest.store import player_duplicates

MAX_PAIRS = 500
"""Pairs proposed at once."""
SAME, DIFFERENT = "same", "different"
"""The user's answers, as in the table `match_answers`."""


class LikelySame(NamedTuple):
    """Two matches that may be one; the first one came before."""

    match_no: int
    match_id: str
    other_no: int
    other_id: str


class _Seat(NamedTuple):
    player_no: int
    outcome: tuple[Any, ...]
    """The score, and whether the seat won."""
    manches: tuple[Any, ...] | None
    """The outcome in manches; None of a mere result, which may count them."""
    deals: tuple[tuple[int, int | None, bool | None], ...]
    """Number, points and whether the seat won, of each deal; none of a match with cards."""
    points: tuple[int, ...]
    """The points of each deal that has some."""

    def ends_as(self, other: "_Seat") -> bool:
        """Whether both have the same result, and the same deals if both logs are sheets."""
        same = not self.deals or not other.deals or self.deals == other.deals
        return same and self.outcome == other.outcome

    def ends_as_in_manches(self, other: "_Seat") -> bool:
        """Whether one is a mere result in manches, and the other has won so many."""
        return (self.manches is None and self.outcome == other.manches) or (
            other.manches is None and other.outcome == self.manches
        )

    def differs_in_one_deal(self, other: "_Seat") -> bool:
        """Whether both are sheets of as many deals, three or more, of which one was put right."""
        pairs = [*zip(self.deals, other.deals, strict=False)]
        same = sum(ours == theirs for ours, theirs in pairs)
        return len(self.deals) == len(other.deals) > 2 and same >= len(pairs) - 1

    def begins_as(self, other: "_Seat") -> bool:
        """Whether the deals of one begin with all of the other's and go on."""
        short, long = sorted((self.points, other.points), key=len)
        return 0 < len(short) < len(long) and long[: len(short)] == short


_COMPARISONS = (_Seat.ends_as, _Seat.ends_as_in_manches, _Seat.differs_in_one_deal, _Seat.begins_as)


class _Match(NamedTuple):
    """A match without cards, or one that it may be."""

    match_no: int
    match_id: str
    files: frozenset[int]
    """The files it came from, and the matches that were joined to it."""
    groups: list[tuple[Any, ...]]
    """Game and day with scores, or manches won, and with the points of the first and of the last deal: one
    is the same for two logs of one match."""
    seats: list[_Seat]
    has_cards: bool


_MATCHES = """
WITH chosen AS (
    SELECT *, NOT (is_score_sheet OR result_only) AS has_cards FROM matches
    WHERE status <> 'unreadable'
        AND (game, played_on) IN (SELECT (game, played_on) FROM matches WHERE is_score_sheet OR result_only)
        AND ($files IS NULL OR (game, played_on) IN (
            SELECT (game, played_on) FROM matches WHERE list_contains($files, file_no)))
), seated AS (
    SELECT match_no, list(score ORDER BY score) AS scores,
        IF(count(manches) = count(*), list(manches ORDER BY manches), NULL) AS manches,
        list({'seat': seat, 'player': player_no, 'score': score, 'manches': manches} ORDER BY seat) AS seats
    FROM seats SEMI JOIN chosen USING (match_no) GROUP BY match_no
), counted AS (
    SELECT match_no, deal_index, list(points ORDER BY points) AS points
    FROM deal_seats SEMI JOIN chosen USING (match_no) WHERE points IS NOT NULL GROUP BY ALL
), started AS (
    SELECT match_no, arg_min(points, deal_index) AS first_points, arg_max(points, deal_index) AS last_points
    FROM counted GROUP BY match_no
), known AS (FROM chosen JOIN seated USING (match_no) LEFT JOIN started USING (match_no)),
alike AS (
    SELECT match_no, file_no, has_cards, game, played_on, unnest([
        {'of': 'result', 'numbers': scores}, {'of': 'result', 'numbers': manches},
        {'of': 'first', 'numbers': first_points}, {'of': 'last', 'numbers': last_points}
    ]) AS key FROM known
), several AS (
    SELECT DISTINCT unnest(list(match_no)) AS match_no FROM alike
    WHERE key.numbers IS NOT NULL GROUP BY game, played_on, key
    HAVING count(DISTINCT file_no) > 1 AND NOT bool_and(has_cards)
), joined AS (
    SELECT v.match_id, list(file_no) AS files
    FROM trash JOIN match_versions v USING (change, match_no) GROUP BY 1
)
SELECT match_no, match_id, list_append(coalesce(files, []), file_no), game, played_on,
    scores, manches, first_points, last_points, seats, winning_side, has_cards, result_only
FROM known SEMI JOIN several USING (match_no) LEFT JOIN joined USING (match_id)
ORDER BY match_no
"""


def likely_matches(
    cursor: duckdb.DuckDBPyConnection, files: Collection[int] | None = None
) -> list[LikelySame]:
    """Return pairs of matches that may be one, each match in one pair, in the order they came.

    `files`: only matches that came with these files, with those that were there before.
    """
    if cursor.execute("SELECT 1 FROM matches WHERE is_score_sheet OR result_only LIMIT 1").fetchone() is None:
        return []  # as in most stores
    found = _matches(cursor, files)
    people = _People(cursor, [seat.player_no for one in found for seat in one.seats])
    new = None if files is None else {one.match_no for one in found if one.files & {*files}}
    answered = different_matches(cursor)
    pairs = [
        (one, other)
        for one, other in _pairs_to_compare(found, people)
        if (new is None or (one.match_no in new) != (other.match_no in new))
        and not (one.has_cards and other.has_cards)
        and not one.files & other.files
        and frozenset((one.match_id, other.match_id)) not in answered
    ]
    pairs = _without_logs(cursor, pairs)
    people.compare_names([pair for one, other in pairs for pair in _near_players(one, other, people)])
    likely = [(one, other) for one, other in pairs if people.can_be_one(one.seats, other.seats)]
    likely.sort(key=_likelihood)
    taken, result = set[int](), list[LikelySame]()
    for one, other in likely:
        if len(result) < MAX_PAIRS and taken.isdisjoint((one.match_no, other.match_no)):
            taken |= {one.match_no, other.match_no}
            if new is not None and one.match_no in new:  # numbers of a lake need not grow
                one, other = other, one
            result.append(LikelySame(one.match_no, one.match_id, other.match_no, other.match_id))
    return sorted(result)


def different_matches(cursor: duckdb.DuckDBPyConnection) -> set[frozenset[str | None]]:
    """Return the pairs of ids of stored matches that were answered to be two."""
    query = "SELECT match_id, other_id FROM match_answers WHERE answer = ?"
    different = cursor.execute(query, [DIFFERENT]).fetchall()
    now = stored_now(cursor, [match_id for pair in different for match_id in pair])
    return {frozenset(now.get(match_id) for match_id in pair) for pair in different}


def joined_matches(cursor: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, str]:
    """Return those of some match ids that were answered to be a stored match, with its id."""
    query = "SELECT DISTINCT other_id FROM match_answers WHERE answer = ?"
    joined = {one for (one,) in cursor.execute(query, [SAME]).fetchall()}
    return stored_now(cursor, sorted(joined & {*ids}))


def stored_now(cursor: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, str]:
    """Return the stored match that each of some matches now is: it may have been joined or replaced."""
    if not ids:
        return {}
    query = """
        WITH RECURSIVE later AS (
            SELECT other_id AS match_id, match_id AS next_id FROM match_answers WHERE answer = $same
            UNION ALL SELECT match_id, replaced_by FROM trash WHERE replaced_by IS NOT NULL
        ), followed AS (
            SELECT unnest($ids::VARCHAR[]) AS first_id, first_id AS match_id
            UNION SELECT first_id, next_id FROM followed JOIN later USING (match_id)
        )
        SELECT first_id, match_id FROM followed SEMI JOIN matches USING (match_id)
        ORDER BY match_id = first_id, match_id"""
    return dict(cursor.execute(query, {"same": SAME, "ids": [*ids]}).fetchall())


def _without_logs(
    cursor: duckdb.DuckDBPyConnection, pairs: list[tuple[_Match, _Match]]
) -> list[tuple[_Match, _Match]]:
    """Return the pairs without those of a match with cards and a sheet that has its log for sure."""
    mixed = {one.match_no for pair in pairs if pair[0].has_cards != pair[1].has_cards for one in pair}
    if not mixed:
        return pairs
    query = "SELECT match_no FROM sheet_with_log WHERE match_no IN (SELECT unnest(?::BIGINT[]))"
    known = {number for (number,) in cursor.execute(query, [[*mixed]]).fetchall()}
    return [
        (one, other)
        for one, other in pairs
        if one.has_cards == other.has_cards or known.isdisjoint((one.match_no, other.match_no))
    ]


def _matches(cursor: duckdb.DuckDBPyConnection, files: Collection[int] | None) -> list[_Match]:
    some = None if files is None else [*files]
    rows = cursor.execute(_MATCHES, {"files": some}).fetchall()
    deals = defaultdict[tuple[int, int], list[tuple[int, int | None, bool | None]]](list)
    query = """SELECT match_no, seat, deal_index, points, won FROM deal_seats
        WHERE match_no IN (SELECT unnest(?::BIGINT[])) ORDER BY ALL"""
    for match_no, seat, *deal in cursor.execute(query, [[row[0] for row in rows]]).fetchall():
        deals[match_no, seat].append((deal[0], deal[1], deal[2]))
    result = list[_Match]()
    for match_no, match_id, came, name, day, *lists, seats, winner, has_cards, is_result in rows:
        sides = game(name).side_count(len(seats))
        own = [
            _Seat(
                one["player"],
                (one["score"], won),
                None if is_result else (one["manches"], won),
                () if has_cards else tuple(played),
                tuple(points for _, points, _ in played if points is not None),
            )
            for one in seats
            for played in (deals[match_no, one["seat"]],)
            for won in (None if winner is None else (one["seat"] - 1) % sides + 1 == winner,)
        ]
        of = ("result", "result", "first", "last")
        groups = [(name, day, kind, *some) for kind, some in zip(of, lists, strict=True) if some]
        result.append(_Match(match_no, match_id, frozenset(came), groups, own, has_cards))
    return result


class _People:
    """Decides which players may be one person."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, players: Sequence[int]) -> None:
        self._ask = cursor
        self._near = set[tuple[int, int]]()
        self.names = defaultdict[int, list[str]](list)
        query = """SELECT DISTINCT player_no, name FROM aliases ANTI JOIN masked USING (player_no)
            WHERE list_contains(?::INTEGER[], player_no) ORDER BY ALL"""
        for player_no, name in cursor.execute(query, [[*{*players}]]).fetchall():
            self.names[player_no].append(name)

    def keys(self, player_no: int) -> set[int | str]:
        """Return what a player shares with any that may be the same person."""
        words = [player_duplicates.words_of(name) for name in self.names[player_no]]
        letters = {"".join(sorted("".join(some))) for some in words}
        return {player_no, *letters, *(word for some in words for word in some if len(word) > 1)}

    def compare_names(self, pairs: Collection[tuple[int, int]]) -> None:
        """Find which of some players may be one person, each the lower number first."""
        near = {
            pair
            for pair in {*pairs}
            if any(
                player_duplicates.name_relation(one, other) is not None
                for one in self.names[pair[0]]
                for other in self.names[pair[1]]
            )
        }
        self._near = near - player_duplicates.two_people(self._ask, near)

    def can_be_one(self, ours: Sequence[_Seat], theirs: Sequence[_Seat]) -> bool:
        """Whether each seat of a match can be a seat of another, or of its beginning."""
        return any(self._are_alike(ours, theirs, compare) for compare in _COMPARISONS)

    def _are_alike(
        self, ours: Sequence[_Seat], theirs: Sequence[_Seat], compare: Callable[[_Seat, _Seat], bool]
    ) -> bool:
        if not ours:
            return not theirs
        first = ours[0]
        return any(
            compare(first, other)
            and (first.player_no == other.player_no or _sorted(first, other) in self._near)
            and self._are_alike(ours[1:], [*theirs[:place], *theirs[place + 1 :]], compare)
            for place, other in enumerate(theirs)
        )


def _pairs_to_compare(found: Sequence[_Match], people: _People) -> Iterator[tuple[_Match, _Match]]:
    """Yield pairs with a group in common that share a player or a word of a name."""
    sharing, seen = defaultdict[tuple[Any, ...], list[_Match]](list), set[tuple[int, int]]()
    for one in found:
        for key in {key for seat in one.seats for key in people.keys(seat.player_no)}:
            for group in one.groups:
                sharing[*group, key].append(one)
    for some in sharing.values():
        for one, other in combinations(some[: player_duplicates.MAX_NAMES_COMPARED], 2):
            if (one.match_no, other.match_no) not in seen:
                seen.add((one.match_no, other.match_no))
                yield one, other


def _near_players(one: _Match, other: _Match, people: _People) -> Iterator[tuple[int, int]]:
    for ours in one.seats:
        for theirs in other.seats:
            alike = any(compare(ours, theirs) for compare in _COMPARISONS)
            if ours.player_no != theirs.player_no and alike:
                yield _sorted(ours, theirs)


def _sorted(one: _Seat, other: _Seat) -> tuple[int, int]:
    return min(one.player_no, other.player_no), max(one.player_no, other.player_no)


def _likelihood(pair: tuple[_Match, _Match]) -> tuple[Any, ...]:
    """Return what sorts pairs: the most likely first, with the same result, players and most deals."""
    one, other = pair
    begins = one.groups[0] != other.groups[0]
    players = [{seat.player_no for seat in some.seats} for some in pair]
    shared = min(len(some.seats[0].points) for some in pair) if begins else 0
    return begins, players[0] != players[1], -shared, one.match_no, other.match_no
