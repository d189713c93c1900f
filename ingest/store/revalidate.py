"""Stored matches judged again, by the rules of today or by others: their texts are read.

Of a match whose rows are all what they were, the version of the rules alone is written.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine import RULES_VERSION
from ingest.findings.finding import STATUSES
from ingest.i18n import N_
from ingest.reader.files import Batch
from ingest.store import endgame_rows, rollups, trash
from ingest.store.derived_rows import BASE, TABLES, Players, Rows, Seated, derive
from ingest.store.factory import PART, Store, StoreError
from ingest.store.ingest_files import AHEAD, ahead
from ingest.store.prepared_batch import with_players
from ingest.store.stored_texts import StoredBatch, read_stored
from ingest.store.verdict_diff import Moved, differing, moves
from ingest.validate.batch import Checked, Clean, check_batch, in_bulk, result_holds
from ingest.validate.match_checks import deal_status
from ingest.validate.slow_path import explain
from ingest.validate.what_if import games_of, other_rules
from schemas.migrations import number, with_tables

OLD_VERDICTS = N_(
    "Verdicts of an older version of the rules are in the store {path}: {n}. "
    "Refresh them first: retourne revalidate {path!w}"
)
SHORT = 1 << 20
"""Bytes of text judged at a time where others do it."""
TOGETHER = 8
"""Batches written in one transaction: a query costs as much for one as for these."""
THREADS = max(AHEAD, min(os.cpu_count() or 1, 8))
"""Batches judged at once: scanner and kernels leave Python the processor."""

Ints = NDArray[np.int64]
_NO_OTHER_TEXT = ["revalidate", "reckon", "mask", "unmask", "copy"]
"""Changes of a store after which each match has the text it had."""


class Now(NamedTuple):
    """What some stored matches come to by the rules of today, before the store is asked."""

    numbers: Ints
    rows: dict[str, pa.Table]
    """By table, with the numbers players have among `players`."""
    players: dict[str, str]
    """Id → name; the first has number 0."""


Elsewhere = Callable[[Iterator[StoredBatch]], Iterator[tuple[StoredBatch, Now | None]]]
"""Has matches judged by others, in order; None is what nobody could do."""


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
    return number(ask, "SELECT count(*) FROM matches")


def chosen(store: Store, everything: bool = False, among: Ints | None = None) -> Ints:
    """The numbers, in order, of matches judged by older rules, or of all; or those `among` some."""
    ask, where = store.cursor(), "matches m WHERE (? OR rules_version < ?)"
    if among is None:
        return trash.numbers(ask, where, [everything, RULES_VERSION])
    if not len(among):
        return among
    these = [everything, RULES_VERSION, int(among[0]), int(among[-1])]
    found = trash.numbers(ask, f"{where} AND match_no BETWEEN ? AND ?", these)
    return np.intersect1d(found, among, assume_unique=True)


# what would move


def would_move(store: Store, everything: bool = False) -> Iterator[Judged]:
    """What `refresh` would move; nothing is written. StoreError: the store cannot be read."""
    with store.told():
        numbers = chosen(store, everything)
    yield from _moving(store, numbers, check_batch)


def _moving(store: Store, numbers: Ints, check: Callable[[Batch], Checked]) -> Iterator[Judged]:
    """Batch by batch, what of some matches moves by how `check` judges their texts."""

    def judged(stored: StoredBatch) -> tuple[StoredBatch, dict[str, pa.Table]]:
        return stored, by_table(check(stored.batch), stored, Seated())  # whoever they are

    done = 0
    with store.told():
        ask = store.cursor()
        for stored, rows in ahead(read_stored(store, numbers), judged, THREADS):
            done += len(stored.match_no)
            yield Judged(done, len(numbers), moves(ask, rows, stored.match_no))


def by_table(
    checked: Checked, stored: StoredBatch, players: Players, counted: bool = False
) -> dict[str, pa.Table]:
    """The rows of a batch, one table each, in the order of their matches.

    `counted`: with what statistics ask of them.
    """
    return together(derive(checked, stored.names, players, counted=counted))


def together(parts: Iterable[Rows]) -> dict[str, pa.Table]:
    """Rows by table, those of several parts in the order of their matches."""
    found: dict[str, list[pa.Table]] = {}
    for table, rows in parts:
        found.setdefault(table, []).append(rows)
    return {
        table: pa.concat_tables(parts, promote_options="default").sort_by("match_no")
        if len(parts) > 1
        else parts[0]
        for table, parts in found.items()
    }


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
        where = "matches m WHERE list_contains(?::VARCHAR[], game) OR (? AND game IS NULL)"
        self.chosen = trash.numbers(store.cursor(), where, [self.games, unread])
        self.passed = stored(store.cursor()) - len(self.chosen)

    def __iter__(self) -> Iterator[Judged]:
        """Batch by batch, what moves."""
        rules = partial(other_rules, preset=self.preset, options=self.options)
        yield from _moving(self.store, self.chosen, partial(_judge, rules=rules))


def _judge(batch: Batch, *, rules: Callable[[Any], Any]) -> Checked:
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
    np.maximum.at(matches, np.repeat(np.arange(len(sure)), np.diff(numbers.first)), deals)
    keep = sure.copy()
    for i, result in enumerate(results):
        if result is not None and sure[i]:
            # without a deal nothing was counted, not even the seats
            dealt = numbers.first[i] < numbers.first[i + 1]
            keep[i] &= dealt and None not in (result.get("score") or [])
            if not result_holds(this.match, verdicts.matches[i], result):
                matches[i] = max(matches[i], STATUSES.index("irregular"))
    return group._replace(keep=np.flatnonzero(keep), status=matches, deal_status=deals)


# newer rules


def refresh(
    store: Store, everything: bool = False, elsewhere: Elsewhere | None = None
) -> Generator[Judged, None, None]:
    """Judge old matches again, or all, and replace what is derived from texts where it differs.

    `elsewhere`: by others, and what they could not do stays old. A batch is a transaction: whatever
    stops it, what is done is done and the rest still old. Matches keep number, id, file and line.
    StoreError: the store cannot take it.
    """
    with store.told(PART), store.alone(), store.journaled():
        since, left = last_change(store), chosen(store, everything)
        total, again = len(left), True
        while again and len(left):
            again = False
            with closing(_judged(store, left, elsewhere)) as batches:
                while some := list(islice(batches, TOGETHER)):
                    left = left[~np.isin(left, np.concatenate([numbers for numbers, _ in some]))]
                    done = [now for _, now in some if now is not None]
                    if not done:
                        continue
                    moved, again = put(store, done, since, everything)
                    yield Judged(total - len(left), total, moved)
                    if again:  # others have changed the store: what was read ahead is out of date
                        break
            since = last_change(store)
            left = chosen(store, everything, left)


def _judged(
    store: Store, numbers: Ints, elsewhere: Elsewhere | None
) -> Generator[tuple[Ints, Now | None], None, None]:
    """What matches come to, some at a time."""
    if elsewhere is None:
        for now in ahead(read_stored(store, numbers), judged, THREADS):
            yield now.numbers, now
    else:
        for batch, found in elsewhere(read_stored(store, numbers, SHORT)):
            yield batch.match_no, found


def judged(stored: StoredBatch) -> Now:
    """What matches come to; it can be done by others."""
    seated = Seated()
    rows = by_table(check_batch(stored.batch), stored, seated)
    return Now(stored.match_no, rows, seated.names)


# beside others who change a store


def last_change(store: Store) -> int:
    """The number of the last change of a store."""
    return number(store.cursor(), "SELECT max(change) FROM changes")


def judge(store: Store, numbers: Ints, everything: bool = False) -> list[Now]:
    """What those of some matches, in order, come to that are there and not yet judged."""
    return [judged(one) for one in read_stored(store, chosen(store, everything, numbers))]


def put(
    store: Store, judged: Sequence[Now], since: int, everything: bool = False
) -> tuple[list[Moved], bool]:
    """Write what matches come to that were read after a change; what that moves.

    If one of them may be another by now, all are judged once more, while nobody can change them;
    whether that was so is told too. StoreError: the store cannot take it.
    """

    def write() -> tuple[list[Moved], bool]:
        anew = not store.in_a_file and _changed(store, judged, since, everything)
        these = judge(store, _all_of(judged), everything) if anew else judged
        return _write(store, these, everything) if these else [], anew

    return store.written(write, PART)


def _changed(store: Store, judged: Sequence[Now], since: int, everything: bool) -> bool:
    """Whether some matches are gone, judged by another, or may have another text."""
    others = "SELECT 1 FROM changes WHERE change > ? AND what NOT IN (SELECT unnest(?)) LIMIT 1"
    if store.connection.execute(others, [since, _NO_OTHER_TEXT]).fetchone():
        return True
    numbers = _all_of(judged)
    return len(chosen(store, everything, numbers)) < len(numbers)


def _all_of(judged: Sequence[Now]) -> Ints:
    return np.sort(np.concatenate([np.zeros(0, np.int64), *(one.numbers for one in judged)]))


def _write(store: Store, judged: Sequence[Now], everything: bool) -> list[Moved]:
    """Put the derived rows of matches of which one differs in the place of the old; what moves.

    What statistics ask follows from the other rows: where these are the same, it is only looked
    at where `everything` is.
    """
    ask, numbers = store.connection, _all_of(judged)
    moved, others, rows = list[Moved](), set[int](), dict[str, pa.Table]()
    ordered = sorted(judged, key=lambda now: int(now.numbers[0]))
    player_no = [store.players([*now.players], [*now.players.values()]) for now in ordered]
    for table in BASE:
        parts = [
            with_players(now.rows[table], numbered)
            for now, numbered in zip(ordered, player_no, strict=True)
            if table in now.rows
        ]
        if parts:
            rows[table] = pa.concat_tables(parts, promote_options="default")
        others |= differing(ask, table, rows.get(table), numbers).keys()
    if others or everything:
        moved = moves(ask, rows, numbers)
        if "deals" in rows:
            played = (rows["matches"], rows["deals"], rows["deal_seats"], rows.get("announcements"))
            rows |= dict(rollups.totals(*played))
        for table in rollups.TABLES if everything else ():
            others |= differing(ask, table, rows.get(table), numbers).keys()
    differ = np.isin(numbers, np.array([*others], np.int64))
    ends = [int(numbers[0]), int(numbers[-1])]
    of_these = "match_no BETWEEN ? AND ? AND match_no IN (FROM these)"
    if not differ.all():
        with with_tables(ask, these=pa.table({"match_no": numbers[~differ]})):
            ask.execute(
                f"UPDATE matches SET rules_version = ? WHERE {of_these}", [RULES_VERSION, *ends]
            )
    these = pa.table({"match_no": numbers[differ]})
    for table in (*TABLES, *endgame_rows.TABLES) if others else ():
        with with_tables(ask, these=these):
            ask.execute(f"DELETE FROM {table} WHERE {of_these}", ends)
        if table in rows:
            mask = pc.is_in(rows[table]["match_no"], these["match_no"])
            store.insert(table, rows[table].filter(mask))
    store.change("revalidate", len(numbers))
    return moved
