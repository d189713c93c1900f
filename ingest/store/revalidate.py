"""Validates stored matches again, under today's rules or others.

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
from ingest.store.derived_rows import (
    BASE_TABLES,
    DERIVED_TABLES,
    LocalPlayerNumbers,
    PlayerNumbersOf,
    TableRows,
    derive_rows,
)
from ingest.store.factory import PARTLY_REVALIDATED, Store, StoreError
from ingest.store.ingest_files import BATCHES_AHEAD, map_ahead
from ingest.store.prepared_batch import with_player_numbers
from ingest.store.stored_texts import StoredBatch, read_stored
from ingest.store.verdict_diff import ChangedMatch, differing_matches, verdict_changes
from ingest.validate.batch import (
    CheckedBatch,
    FastPathGroup,
    check_batch,
    is_result_right,
    run_fast_path,
)
from ingest.validate.match_checks import deal_status_codes
from ingest.validate.slow_path import validate
from ingest.validate.what_if import games_with, other_rules
from schemas.migrations import number, with_tables

VERDICTS_OUTDATED = N_(
    "Verdicts of an older version of the rules are in the store {path}: {n}. "
    "Refresh them first: retourne revalidate {path!w}"
)
WORKER_BATCH_BYTES = 1 << 20
"""Bytes of text judged at a time where others do it."""
BATCHES_PER_TRANSACTION = 8
"""Batches written in one transaction: a query costs as much for one as for these."""
THREADS = max(BATCHES_AHEAD, min(os.cpu_count() or 1, 8))
"""Batches judged at once: scanner and kernels leave Python the processor."""

Ints = NDArray[np.int64]
_TEXT_PRESERVING_CHANGES = ["revalidate", "reckon", "mask", "unmask", "copy"]
"""Changes of a store after which each match has the text it had."""


class FreshVerdicts(NamedTuple):
    """What some stored matches come to by the rules of today, before the store is asked."""

    match_numbers: Ints
    rows: dict[str, pa.Table]
    """By table, with the numbers players have among `player_names`."""
    player_names: dict[str, str]
    """Id → name; the first has number 0."""


RevalidateElsewhere = Callable[
    [Iterator[StoredBatch]], Iterator[tuple[StoredBatch, FreshVerdicts | None]]
]
"""Has matches judged by others, in order; None is what nobody could do."""


class RevalidateProgress(NamedTuple):
    """What a batch came to; `matches_done` of `matches_total` matches have been judged with it."""

    matches_done: int
    matches_total: int
    changed_matches: list[ChangedMatch]


# what is old


def count_outdated(ask: duckdb.DuckDBPyConnection) -> dict[int, int]:
    """How many verdicts are of each version of the rules before the engine's."""
    found = ask.execute(
        "SELECT rules_version, count(*) FROM matches WHERE rules_version < ?"
        " GROUP BY rules_version ORDER BY rules_version",
        [RULES_VERSION],
    )
    return {int(version): int(count) for version, count in found.fetchall()}


def count_matches(ask: duckdb.DuckDBPyConnection) -> int:
    """How many matches there are."""
    return number(ask, "SELECT count(*) FROM matches")


def outdated_matches(store: Store, everything: bool = False, among: Ints | None = None) -> Ints:
    """The numbers, in order, of matches judged by older rules, or of all; or those `among` some."""
    ask, where = store.cursor(), "matches m WHERE (? OR rules_version < ?)"
    if among is None:
        return trash.select_matches(ask, where, [everything, RULES_VERSION])
    if not len(among):
        return among
    these = [everything, RULES_VERSION, int(among[0]), int(among[-1])]
    found = trash.select_matches(ask, f"{where} AND match_no BETWEEN ? AND ?", these)
    return np.intersect1d(found, among, assume_unique=True)


# what would move


def preview_changes(store: Store, everything: bool = False) -> Iterator[RevalidateProgress]:
    """What `revalidate_matches` would move; nothing is written. StoreError: the store cannot be
    read.
    """
    with store.translate_errors():
        numbers = outdated_matches(store, everything)
    yield from _changes_by(store, numbers, check_batch)


def _changes_by(
    store: Store, numbers: Ints, check: Callable[[Batch], CheckedBatch]
) -> Iterator[RevalidateProgress]:
    """Batch by batch, what of some matches moves by how `check` judges their texts."""

    def judged(stored: StoredBatch) -> tuple[StoredBatch, dict[str, pa.Table]]:
        return stored, derive_tables(
            check(stored.batch), stored, LocalPlayerNumbers()
        )  # whoever they are

    done = 0
    with store.translate_errors():
        ask = store.cursor()
        for stored, rows in map_ahead(read_stored(store, numbers), judged, THREADS):
            done += len(stored.match_no)
            yield RevalidateProgress(
                done, len(numbers), verdict_changes(ask, rows, stored.match_no)
            )


def derive_tables(
    batch: CheckedBatch,
    stored_batch: StoredBatch,
    player_numbers: PlayerNumbersOf,
    with_rollups: bool = False,
) -> dict[str, pa.Table]:
    """The rows of a batch, one table each, in the order of their matches.

    `with_rollups`: with what statistics ask of them.
    """
    return merge_tables(
        derive_rows(batch, stored_batch.id_columns, player_numbers, with_rollups=with_rollups)
    )


def merge_tables(parts: Iterable[TableRows]) -> dict[str, pa.Table]:
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


class OtherRulesRun:
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
        self.games_with_rules = games_with(preset, options)
        self.games = [name for name in self.games_with_rules if games is None or name in games]
        if count := sum(count_outdated(store.cursor()).values()):
            raise StoreError(VERDICTS_OUTDATED, n=count, path=store.path)
        # a text that is no match by its own rules may be one by others
        unread = games is None
        where = "matches m WHERE list_contains(?::VARCHAR[], game) OR (? AND game IS NULL)"
        self.match_numbers = trash.select_matches(store.cursor(), where, [self.games, unread])
        self.skipped_matches = count_matches(store.cursor()) - len(self.match_numbers)

    def __iter__(self) -> Iterator[RevalidateProgress]:
        """Batch by batch, what moves."""
        rules = partial(other_rules, preset=self.preset, options=self.options)
        yield from _changes_by(
            self.store, self.match_numbers, partial(_validate_under, rules=rules)
        )


def _validate_under(batch: Batch, *, rules: Callable[[Any], Any]) -> CheckedBatch:
    """A batch with the statuses its kernels' faults make, explained only where not decoded.

    Under other rules most matches of a store can be faulty, and nobody asks for the reasons.
    """
    ids, groups = run_fast_path(batch.texts, rules)
    told = [with_all_decoded(group) for group in groups]
    sure = {int(place) for group in told for place in group.places[group.valid_indices]}
    explained = {
        place: validate(text.text, rules)
        for place, text in enumerate(batch.texts)
        if place not in sure
    }
    return CheckedBatch(batch.file, batch.texts, ids, told, explained, [])


def with_all_decoded(group: FastPathGroup) -> FastPathGroup:
    """The group with every match that was decoded for certain, legal or not."""
    verdicts, (sure, _, numbers, results) = group.verdicts, group.decoded
    this = numbers.game
    faults = (this.faults, verdicts.faults), (this.match_faults, verdicts.match_faults)
    wrong, impossible = np.zeros((2, len(verdicts.faults)), np.bool_)
    for table, found in faults:
        wrong |= found & table.errors != 0
        impossible |= found & table.impossible != 0
    incomplete = verdicts.match_faults & this.match_faults.bit("incomplete") != 0
    deals = deal_status_codes(impossible, incomplete, wrong)
    matches = np.zeros(len(sure), np.uint8)
    np.maximum.at(matches, np.repeat(np.arange(len(sure)), np.diff(numbers.first)), deals)
    keep = sure.copy()
    for i, result in enumerate(results):
        if result is not None and sure[i]:
            # without a deal nothing was counted, not even the seats
            dealt = numbers.first[i] < numbers.first[i + 1]
            keep[i] &= dealt and None not in (result.get("score") or [])
            if not is_result_right(this.match, verdicts.matches[i], result):
                matches[i] = max(matches[i], STATUSES.index("irregular"))
    return group._replace(valid_indices=np.flatnonzero(keep), status=matches, deal_status=deals)


# newer rules


def revalidate_matches(
    store: Store, everything: bool = False, revalidate_elsewhere: RevalidateElsewhere | None = None
) -> Generator[RevalidateProgress, None, None]:
    """Judge old matches again, or all, and replace what is derived from texts where it differs.

    `revalidate_elsewhere`: by others, and what they could not do stays old. A batch is a
    transaction: whatever stops it, what is done is done and the rest still old. Matches keep
    number, id, file and line. StoreError: the store cannot take it.
    """
    with (
        store.translate_errors(PARTLY_REVALIDATED),
        store.write_lock(),
        store.deferred_checkpoints(),
    ):
        since, left = last_change_no(store), outdated_matches(store, everything)
        total, again = len(left), True
        while again and len(left):
            again = False
            with closing(_fresh_verdicts(store, left, revalidate_elsewhere)) as batches:
                while some := list(islice(batches, BATCHES_PER_TRANSACTION)):
                    left = left[~np.isin(left, np.concatenate([numbers for numbers, _ in some]))]
                    done = [now for _, now in some if now is not None]
                    if not done:
                        continue
                    moved, again = write_verdicts(store, done, since, everything)
                    yield RevalidateProgress(total - len(left), total, moved)
                    if again:  # others have changed the store: what was read ahead is out of date
                        break
            since = last_change_no(store)
            left = outdated_matches(store, everything, left)


def _fresh_verdicts(
    store: Store, numbers: Ints, revalidate_elsewhere: RevalidateElsewhere | None
) -> Generator[tuple[Ints, FreshVerdicts | None], None, None]:
    """What matches come to, some at a time."""
    if revalidate_elsewhere is None:
        for now in map_ahead(read_stored(store, numbers), validate_stored, THREADS):
            yield now.match_numbers, now
    else:
        for batch, found in revalidate_elsewhere(read_stored(store, numbers, WORKER_BATCH_BYTES)):
            yield batch.match_no, found


def validate_stored(batch: StoredBatch) -> FreshVerdicts:
    """What matches come to; it can be done by others."""
    seated = LocalPlayerNumbers()
    rows = derive_tables(check_batch(batch.batch), batch, seated)
    return FreshVerdicts(batch.match_no, rows, seated.names)


# beside others who change a store


def last_change_no(store: Store) -> int:
    """The number of the last change of a store."""
    return number(store.cursor(), "SELECT max(change) FROM changes")


def validate_outdated(store: Store, numbers: Ints, everything: bool = False) -> list[FreshVerdicts]:
    """What those of some matches, in order, come to that are there and not yet judged."""
    return [
        validate_stored(one)
        for one in read_stored(store, outdated_matches(store, everything, numbers))
    ]


def write_verdicts(
    store: Store, verdicts: Sequence[FreshVerdicts], change_no: int, everything: bool = False
) -> tuple[list[ChangedMatch], bool]:
    """Write what matches come to that were read after a change; what that moves.

    If one of them may be another by now, all are judged once more, while nobody can change them;
    whether that was so is told too. StoreError: the store cannot take it.
    """

    def write() -> tuple[list[ChangedMatch], bool]:
        anew = not store.is_single_file and _has_changed_since(
            store, verdicts, change_no, everything
        )
        these = (
            validate_outdated(store, _match_numbers_of(verdicts), everything) if anew else verdicts
        )
        return _write_changed(store, these, everything) if these else [], anew

    return store.written(write, PARTLY_REVALIDATED)


def _has_changed_since(
    store: Store, verdicts: Sequence[FreshVerdicts], change_no: int, everything: bool
) -> bool:
    """Whether some matches are gone, judged by another, or may have another text."""
    others = "SELECT 1 FROM changes WHERE change > ? AND what NOT IN (SELECT unnest(?)) LIMIT 1"
    if store.connection.execute(others, [change_no, _TEXT_PRESERVING_CHANGES]).fetchone():
        return True
    numbers = _match_numbers_of(verdicts)
    return len(outdated_matches(store, everything, numbers)) < len(numbers)


def _match_numbers_of(verdicts: Sequence[FreshVerdicts]) -> Ints:
    return np.sort(
        np.concatenate([np.zeros(0, np.int64), *(one.match_numbers for one in verdicts)])
    )


def _write_changed(
    store: Store, verdicts: Sequence[FreshVerdicts], everything: bool
) -> list[ChangedMatch]:
    """Put the derived rows of matches of which one differs in the place of the old; what moves.

    What statistics ask follows from the other rows: where these are the same, it is only looked
    at where `everything` is.
    """
    ask, numbers = store.connection, _match_numbers_of(verdicts)
    moved, others, rows = list[ChangedMatch](), set[int](), dict[str, pa.Table]()
    ordered = sorted(verdicts, key=lambda now: int(now.match_numbers[0]))
    player_no = [
        store.player_numbers([*now.player_names], [*now.player_names.values()]) for now in ordered
    ]
    for table in BASE_TABLES:
        parts = [
            with_player_numbers(now.rows[table], numbered)
            for now, numbered in zip(ordered, player_no, strict=True)
            if table in now.rows
        ]
        if parts:
            rows[table] = pa.concat_tables(parts, promote_options="default")
        others |= differing_matches(ask, table, rows.get(table), numbers).keys()
    if others or everything:
        moved = verdict_changes(ask, rows, numbers)
        if "deals" in rows:
            played = (rows["matches"], rows["deals"], rows["deal_seats"], rows.get("announcements"))
            rows |= dict(rollups.rollup_rows(*played))
        for table in rollups.ROLLUP_TABLES if everything else ():
            others |= differing_matches(ask, table, rows.get(table), numbers).keys()
    differ = np.isin(numbers, np.array([*others], np.int64))
    ends = [int(numbers[0]), int(numbers[-1])]
    of_these = "match_no BETWEEN ? AND ? AND match_no IN (FROM these)"
    if not differ.all():
        with with_tables(ask, these=pa.table({"match_no": numbers[~differ]})):
            ask.execute(
                f"UPDATE matches SET rules_version = ? WHERE {of_these}", [RULES_VERSION, *ends]
            )
    these = pa.table({"match_no": numbers[differ]})
    for table in (*DERIVED_TABLES, *endgame_rows.VALUE_TABLES) if others else ():
        with with_tables(ask, these=these):
            ask.execute(f"DELETE FROM {table} WHERE {of_these}", ends)
        if table in rows:
            mask = pc.is_in(rows[table]["match_no"], these["match_no"])
            store.insert_rows(table, rows[table].filter(mask))
    store.record_change("revalidate", len(numbers))
    return moved
