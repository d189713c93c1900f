"""Stored matches judged again: by newer rules, to stay so, or under others.

First from their columns (`ingest.store.from_columns`), which can only say that nothing moves; the
text of every other match is read, and what it comes to is what is told and stored.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine import RULES_VERSION
from engine.games import game
from ingest.finding.finding import STATUSES
from ingest.i18n import N_
from ingest.judge.batch import Checked, Clean, in_bulk, result_holds
from ingest.judge.explain import explain
from ingest.judge.otherwise import Change, games_of, other_rules
from ingest.judge.status import deal_status
from ingest.store import from_columns, texts, values
from ingest.store.add import ahead
from ingest.store.derive import TABLES, Named, check_stored, derive
from ingest.store.from_columns import Rules, Stored
from ingest.store.kept import with_same_rows
from ingest.store.store import PART, Store, StoreError
from ingest.text.files import Batch, Text

SIZE = 1 << 22
"""Bytes of text judged at a time; a match that has to be explained takes 200 kB meanwhile."""
WINDOW = 50_000
"""Matches whose texts are measured at a time, to cut them into batches of a size."""
AT_ONCE = 100_000
"""Deals whose columns are judged at a time."""
READ_ALIKE_SINCE = 2
"""The first version of the rules since which texts are read, and rows made of them, as today.

What was judged before is judged from its text. A newer version of the rules that changes more than
what kernels make of a deal (a key read otherwise, another default preset, a column that is new or
has another meaning) is this version, too.
"""
OLD_VERDICTS = N_(
    "Verdicts of an older version of the rules are in the store {path}: {n}. "
    "Refresh them first: retourne revalidate --store {path}"
)


@dataclass(slots=True)
class Moved:
    """A stored match of which something is another; `game` is None of a text that is no match."""

    match_no: int
    match_id: str
    log_id: str | None = None
    game: str | None = None
    players: list[str] = field(default_factory=list)
    """Names in seat order."""
    changes: list[Change] = field(default_factory=list)


class Left(NamedTuple):
    """Matches that stay as they are by their columns, or texts of some that columns leave open."""

    same: NDArray[np.int64]
    """Their numbers."""
    texts: Named | None = None


class Judged(NamedTuple):
    """What a batch came to; `done` of `total` matches have been judged with it."""

    done: int
    total: int
    moved: list[Moved]


# what is old


def old(ask: duckdb.DuckDBPyConnection) -> dict[int, int]:
    """How many verdicts are of each version of the rules before the engine's."""
    found = ask.execute(
        "SELECT rules_version, count(*) FROM matches WHERE rules_version < ?"
        " GROUP BY rules_version ORDER BY rules_version",
        [RULES_VERSION],
    )
    return {int(version): int(count) for version, count in found.fetchall()}


def stored(ask: duckdb.DuckDBPyConnection) -> int:
    """How many matches there are."""
    row = ask.execute("SELECT count(*) FROM matches").fetchone()
    return int(row[0]) if row else 0


# newer rules


def refresh(store: Store, everything: bool = False) -> Generator[Judged, None, None]:
    """Judge old matches again and replace all that is derived from the texts of those it changes.

    Of a match whose columns, every one of them, are what it comes to now, the version of the rules
    alone is written. `everything`: every text is read, whatever columns say. A batch is a
    transaction: whatever stops it, what is done is done and the rest still old. Matches keep
    number, id, file and line. StoreError: the store cannot take it.
    """
    with store.told(PART), store.alone(), store.journaled():
        chosen = _numbers(store, "? OR rules_version < ?", [everything, RULES_VERSION])
        done = 0
        left = _texts_of(store, chosen) if everything else unsettled(store, chosen, same_rows)
        for (same, stored), checked in ahead(left, _check_left):
            moved: list[Moved] = []
            with store.adding(PART):
                if stored is not None and checked is not None:
                    moved = _replace(store, stored, checked)
                else:
                    _keep(store, same)
            done += len(same if stored is None else stored.match_no)
            yield Judged(done, len(chosen), moved)


def would_move(store: Store, everything: bool = False) -> Iterator[Judged]:
    """What `refresh` would move; nothing is written. StoreError: the store cannot be read."""
    with store.told():
        chosen = _numbers(store, "? OR rules_version < ?", [everything, RULES_VERSION])
    left = _texts_of(store, chosen) if everything else unsettled(store, chosen, same_verdicts)
    yield from _moving(store, left, _check_left, len(chosen))


def _check_left(left: Left) -> tuple[Left, Checked | None]:
    """Texts with their verdicts by the rules they name."""
    return left, None if left.texts is None else check_stored(left.texts)[1]


def _keep(store: Store, same: NDArray[np.int64]) -> None:
    """Say of matches that they were judged by the rules of today."""
    chosen = pa.table({"match_no": same})  # noqa: F841 (found by its name)
    store.connection.execute(
        "UPDATE matches SET rules_version = $3"
        " WHERE match_no BETWEEN $1 AND $2 AND match_no IN (FROM chosen)",
        [int(same[0]), int(same[-1]), RULES_VERSION],
    )
    store.change("revalidate", len(same))


def _moving(
    store: Store,
    left: Iterator[Left],
    check: Callable[[Left], tuple[Left, Checked | None]],
    total: int,
) -> Iterator[Judged]:
    """Batch by batch, what moves."""
    done = 0
    with store.told(), store.read_by_one():
        ask = store.cursor()
        for (same, stored), checked in ahead(left, check):
            moved: list[Moved] = []
            if stored is not None and checked is not None:
                rows = by_table(checked, stored, _nobody)
                moved = _moved(ask, _changes(ask, rows, stored.match_no))
            done += len(same if stored is None else stored.match_no)
            yield Judged(done, total, moved)


def _replace(store: Store, stored: Named, checked: Checked) -> list[Moved]:
    """The derived rows of a batch, put where the old ones were; what that moves."""
    rows = by_table(checked, stored, store.players)
    changes = _changes(store.connection, rows, stored.match_no)
    chosen = pa.table({"match_no": stored.match_no})  # noqa: F841 (found by its name)
    ends = [int(stored.match_no[0]), int(stored.match_no[-1])]
    for table in (*TABLES, *values.TABLES):
        store.connection.execute(
            f"DELETE FROM {table} WHERE match_no BETWEEN ? AND ? AND match_no IN (FROM chosen)",
            ends,
        )
        if table in rows:
            store.insert(table, rows[table])
    store.change("revalidate", len(stored.match_no))
    return _moved(store.connection, changes)


def by_table(checked: Checked, stored: Named, players: Any) -> dict[str, pa.Table]:
    """The rows of a batch, one table each, in the order of their matches."""
    found: dict[str, list[pa.Table]] = {}
    for table, rows in derive(checked, stored.names, players):
        found.setdefault(table, []).append(rows)
    return {
        table: pa.concat_tables(parts, promote_options="default").sort_by("match_no")
        if len(parts) > 1
        else parts[0]
        for table, parts in found.items()
    }


# other rules


class Under:
    """What moves in a store under a preset, other options or both; nothing is written.

    `having` are the games that have those rules, `games` those of them that are asked for, and
    `passed` is how many matches are of no game asked for. UnknownRule: no game has them.
    StoreError: the stored verdicts are old themselves.
    """

    def __init__(
        self,
        store: Store,
        preset: str | None,
        options: Mapping[str, Any],
        games: Sequence[str] | None = None,
    ) -> None:
        self.store, self.preset, self.options = store, preset, options
        self.having = games_of(preset, options)
        self.games = [name for name in self.having if games is None or name in games]
        if count := sum(old(store.cursor()).values()):
            raise StoreError(OLD_VERDICTS, n=count, path=store.path)
        # a text that is no match by its own rules may be one by others
        unread = games is None
        where = "list_contains(?::VARCHAR[], game) OR (? AND game IS NULL)"
        self.chosen = _numbers(store, where, [self.games, unread])
        self.passed = stored(store.cursor()) - len(self.chosen)

    def __iter__(self) -> Iterator[Judged]:
        """Batch by batch, what moves."""
        rules = partial(other_rules, preset=self.preset, options=self.options)

        def check(left: Left) -> tuple[Left, Checked | None]:
            return left, None if left.texts is None else _judge(left.texts.batch, rules)

        left = unsettled(self.store, self.chosen, partial(same_verdicts, rules=rules))
        yield from _moving(self.store, left, check, len(self.chosen))


def _judge(batch: Batch, rules: Callable[[Any], Any]) -> Checked:
    """A batch with the statuses its kernels' faults make, explained only where not decoded.

    Under other rules most matches of a store can be faulty, and nobody asks for the reasons.
    """
    ids, groups = in_bulk(batch.texts, rules)
    told = [told_apart(group) for group in groups]
    sure = {int(place) for group in told for place in group.places[group.keep]}
    explained = {
        place: explain(text.text, rules)
        for place, text in enumerate(batch.texts)
        if place not in sure
    }
    return Checked(batch.file, batch.texts, ids, told, explained, [])


def told_apart(group: Clean) -> Clean:
    """The group with every match that was decoded for certain, legal or not."""
    verdicts, (sure, _, numbers, results) = group.verdicts, group.decoded
    this = numbers.game
    faults = (this.faults, verdicts.faults), (this.match_faults, verdicts.match_faults)
    wrong, impossible = np.zeros((2, len(verdicts.faults)), np.bool_)
    for table, found in faults:
        wrong |= found & table.errors != 0
        impossible |= found & table.impossible != 0
    incomplete = verdicts.match_faults & this.match_faults.bit("incomplete") != 0
    deals = deal_status(impossible, incomplete, wrong)
    matches = np.zeros(len(sure), np.uint8)
    in_match = np.repeat(np.arange(len(sure)), np.diff(numbers.first))
    np.maximum.at(matches, in_match, deals)
    keep = sure.copy()
    for i, result in enumerate(results):
        if result is not None and sure[i]:
            # without a deal nothing was counted, not even the seats
            dealt = numbers.first[i] < numbers.first[i + 1]
            keep[i] &= dealt and None not in (result.get("score") or [])
            if not result_holds(this.match, verdicts.matches[i], result):
                matches[i] = max(matches[i], STATUSES.index("irregular"))
    return group._replace(keep=np.flatnonzero(keep), status=matches, deal_status=deals)


def _nobody(ids: Sequence[str], names: Sequence[str]) -> NDArray[np.int64]:
    """Numbers of players for rows that are compared and not kept."""
    return np.zeros(len(ids), np.int64)


# out of the store


def _numbers(store: Store, where: str, values: list[Any]) -> NDArray[np.int64]:
    """The numbers of some matches, in order."""
    found = store.cursor().execute(
        f"SELECT match_no FROM matches WHERE {where} ORDER BY match_no", values
    )
    numbers: NDArray[np.int64] = found.fetchnumpy()["match_no"].astype(np.int64)
    return numbers


_HEADS = """
SELECT m.match_no, m.match_id, m.file_no, m.line, r.size::BIGINT AS size
FROM matches m JOIN raw r USING (match_no)
WHERE m.match_no BETWEEN $1 AND $2 AND r.match_no BETWEEN $1 AND $2
  AND m.match_no IN (FROM chosen)
ORDER BY m.match_no
"""


def read_stored(
    store: Store, numbers: NDArray[np.int64], size: int | None = None
) -> Iterator[Named]:
    """Texts by their numbers, which are in order, about `size` or SIZE bytes at a time."""
    size = SIZE if size is None else size
    ask = store.cursor()
    for start in range(0, len(numbers), WINDOW):
        chosen = pa.table({"match_no": numbers[start : start + WINDOW]})
        ends = [int(numbers[start]), int(chosen["match_no"][-1].as_py())]
        heads = ask.execute(_HEADS, ends).to_arrow_table()
        match_no = heads["match_no"].to_numpy()
        sizes = heads["size"].to_numpy()
        for low, high in pairwise([0, *cuts(sizes, size), len(match_no)]):
            some = heads.slice(low, high - low)
            data = texts.at_once(ask, match_no[low:high])
            lines = some["line"].to_pylist()
            logs = [Text(line, text) for line, text in zip(lines, data, strict=True)]
            yield Named(
                match_no[low:high],
                some["match_id"].to_pylist(),
                some["file_no"].to_numpy(),
                Batch(store.path, logs, []),
            )


# from columns


Columns = tuple[Store, NDArray[np.int64], list[Stored]]
"""Numbers of matches, and the columns of those of them that can be judged from columns."""


def unsettled(
    store: Store,
    numbers: NDArray[np.int64],
    same: Callable[[Columns], NDArray[np.int64]],
) -> Iterator[Left]:
    """Window by window what `same` says of columns, and then the texts of all other matches."""

    def settle(columns: Columns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return columns[1], same(columns)

    for chosen, settled in ahead(_columns(store, numbers), settle):
        if len(settled):
            yield Left(settled)
        yield from _texts_of(store, chosen[~np.isin(chosen, settled, assume_unique=True)])


def _columns(store: Store, numbers: NDArray[np.int64]) -> Iterator[Columns]:
    ask = store.cursor()
    chosen = pa.table({"match_no": numbers})  # noqa: F841 (found by its name)
    deals = ask.sql(
        "SELECT m.deals FROM chosen LEFT JOIN matches m USING (match_no) ORDER BY match_no"
    ).fetchnumpy()["deals"]
    for some in np.split(numbers, cuts(deals, AT_ONCE)):
        if len(some):
            yield store, some, list(from_columns.read(ask, some, READ_ALIKE_SINCE))


def same_verdicts(columns: Columns, rules: Rules | None = None) -> NDArray[np.int64]:
    """The matches of which nothing that is told moves, by the rules of today or others."""
    judged = (from_columns.again(stored, rules) for stored in columns[2])
    found = [one.match_no[one.same] for one in judged if one is not None]
    return np.sort(np.concatenate([*found, np.zeros(0, np.int64)]))


def same_rows(columns: Columns) -> NDArray[np.int64]:
    """The matches of which nothing at all moves by the rules of today."""
    ask = columns[0].cursor()
    judged = map(from_columns.again, columns[2])
    found = [with_same_rows(ask, one) for one in judged if one is not None]
    return np.sort(np.concatenate([*found, np.zeros(0, np.int64)]))


def _texts_of(store: Store, numbers: NDArray[np.int64]) -> Iterator[Left]:
    none = np.zeros(0, np.int64)
    return (Left(none, stored) for stored in read_stored(store, numbers))


def cuts(sizes: NDArray[Any], most: int) -> list[int]:
    """Where to part a list so that a part has about so much; what is more alone is one."""
    filled = (np.cumsum(sizes) - sizes) // most  # by where each begins
    found: list[int] = (np.flatnonzero(np.diff(filled)) + 1).tolist()
    return found


# what moves

_MATCHES_MOVED = """
SELECT o.match_no, o.status::VARCHAR, n.status, o.winner, n.winner
FROM matches o JOIN matches_now n USING (match_no)
WHERE o.match_no BETWEEN $1 AND $2
  AND (o.status::VARCHAR <> n.status OR o.winner IS DISTINCT FROM n.winner)
"""
# a deal without a dealer was never dealt, and has no winner to compare
_DEALS_MOVED = """
SELECT match_no, deal, o.status::VARCHAR, n.status,
       o.dealer IS NOT NULL AND n.dealer IS NOT NULL, o.winner, n.winner
FROM deals o JOIN deals_now n USING (match_no, deal)
WHERE o.match_no BETWEEN $1 AND $2
  AND (o.status::VARCHAR <> n.status OR o.winner IS DISTINCT FROM n.winner)
"""
_POINTS_MOVED = """
WITH differing AS (
    SELECT DISTINCT match_no, deal
    FROM deal_seats o JOIN seats_now n USING (match_no, deal, seat)
    WHERE o.match_no BETWEEN $1 AND $2 AND o.points <> n.points
)
SELECT match_no, deal, list(o.points ORDER BY seat), list(n.points ORDER BY seat)
FROM differing
JOIN deal_seats o USING (match_no, deal)
JOIN seats_now n USING (match_no, deal, seat)
WHERE o.match_no BETWEEN $1 AND $2
GROUP BY match_no, deal
"""
_ABOUT = """
SELECT m.match_no, m.match_id, m.log_id, m.game,
       coalesce(list(p.name ORDER BY s.seat) FILTER (s.seat IS NOT NULL), [])
FROM matches m LEFT JOIN seats s USING (match_no) LEFT JOIN players p USING (player_no)
WHERE m.match_no BETWEEN $1 AND $2 AND m.match_no IN (FROM chosen)
GROUP BY ALL
"""

_Found = dict[int, list[tuple[int, int, Change]]]
"""Match number → changes with the deal and the place among its own they are told at."""
_END = 1 << 32


def _changes(
    ask: duckdb.DuckDBPyConnection, rows: Mapping[str, pa.Table], numbers: NDArray[np.int64]
) -> _Found:
    """What differs between the stored rows of some matches and others of the same matches.

    The same differences as `ingest.judge.otherwise.changes` tells of two explanations.
    """
    found: _Found = {}
    ends = [int(numbers[0]), int(numbers[-1])]

    def add(number: int, deal: int | None, place: int, what: str, before: Any, after: Any) -> None:
        at = _END if deal is None else deal
        found.setdefault(number, []).append((at, place, Change(what, deal, before, after)))

    matches_now = rows["matches"]  # noqa: F841 (found by its name, as those below)
    for number, was, now, old_winner, new_winner in ask.execute(_MATCHES_MOVED, ends).fetchall():
        if old_winner != new_winner:
            add(number, None, 0, "result", old_winner, new_winner)
        if was != now:
            add(number, None, 1, "status", was, now)
    if "deals" in rows:
        deals_now, seats_now = rows["deals"], rows["deal_seats"]  # noqa: F841
        for number, deal, was, now, dealt, *winners in ask.execute(_DEALS_MOVED, ends).fetchall():
            if was != now:
                add(number, deal, 0, "status", was, now)
            if dealt and winners[0] != winners[1]:
                add(number, deal, 2, "winner", *winners)
        for number, deal, before, after in ask.execute(_POINTS_MOVED, ends).fetchall():
            add(number, deal, 1, "points", before, after)
    return found


def _moved(ask: duckdb.DuckDBPyConnection, found: _Found) -> list[Moved]:
    """The matches of some changes, as they are stored, in the order of their numbers."""
    if not found:
        return []
    chosen = pa.table({"match_no": sorted(found)})  # noqa: F841 (found by its name)
    ends = [min(found), max(found)]
    moved = []
    for number, match_id, log_id, name, players in ask.execute(_ABOUT, ends).fetchall():
        changes = [change for *_, change in sorted(found[number], key=lambda one: one[:2])]
        for change in changes:
            if change.what == "points":
                sides = game(name).sides(len(players))
                change.before, change.after = change.before[:sides], change.after[:sides]
        moved.append(Moved(number, match_id, log_id, name, players, changes))
    return sorted(moved, key=lambda one: one.match_no)
