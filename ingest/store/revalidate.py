"""Validates stored matches again, under today's rules or others.

If all rows of a match stay the same, only its rules version is written.
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
from ingest.store import derived_rows, endgame_rows, merged_matches, rollups, trash
from ingest.store.aliases import Declared, NumberPlayers
from ingest.store.batch_stream import BATCHES_AHEAD, map_ahead
from ingest.store.factory import PARTLY_REVALIDATED, Store, StoreError
from ingest.store.prepared_batch import tables_of, with_player_numbers
from ingest.store.stored_texts import StoredBatch, read_stored
from ingest.store.verdict_diff import ChangedMatch, differing_matches, verdict_changes
from ingest.validate.batch import (
    CheckedBatch,
    FastPathGroup,
    check_batch,
    is_result_right,
    play_ids,
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
"""Bytes of text per batch that another process validates."""
BATCHES_PER_TRANSACTION = 8
"""Batches written in one transaction: a query costs as much for one as for all."""
THREADS = max(BATCHES_AHEAD, min(os.cpu_count() or 1, 8))
"""Batches validated at once: scanner and kernels release Python's interpreter lock."""

Ints = NDArray[np.int64]
_TEXT_PRESERVING_CHANGES = [
    *("revalidate", "solve", "mask", "unmask", "copy"),
    *("player-merge", "player-rename", "player-split", "player-undo", "player-different"),
    "player-part",
    *("match-different", "match-answer-undo"),
]
"""Changes of a store that leave the text of every match as it was."""


class FreshVerdicts(NamedTuple):
    """Rows of stored matches under the current rules, before the store numbers the players."""

    match_numbers: Ints
    rows: dict[str, pa.Table]
    """By table; player numbers index `players`."""
    players: list[Declared]
    """The first has number 0."""


RevalidateElsewhere = Callable[[Iterator[StoredBatch]], Iterator[tuple[StoredBatch, FreshVerdicts | None]]]
"""Validates batches in other processes, in order; None: no process could validate the batch."""


class RevalidateProgress(NamedTuple):
    """The changes in a batch, and how many of `matches_total` matches have been validated so far."""

    matches_done: int
    matches_total: int
    changed_matches: list[ChangedMatch]


# outdated verdicts


def count_outdated(cursor: duckdb.DuckDBPyConnection) -> dict[int, int]:
    """Count verdicts per rules version older than the engine's."""
    found = cursor.execute(
        "SELECT rules_version, count(*) FROM matches WHERE rules_version < ?"
        " GROUP BY rules_version ORDER BY rules_version",
        [RULES_VERSION],
    )
    return {int(version): int(count) for version, count in found.fetchall()}


def count_matches(cursor: duckdb.DuckDBPyConnection) -> int:
    """Count the matches of a store."""
    return number(cursor, "SELECT count(*) FROM matches")


def outdated_matches(store: Store, all_matches: bool = False, among: Ints | None = None) -> Ints:
    """Return the numbers, in order, of matches (of `among`) validated by older rules, or of all."""
    cursor, where = store.cursor(), "matches m WHERE (? OR rules_version < ?)"
    if among is None:
        return trash.select_matches(cursor, where, [all_matches, RULES_VERSION])
    if not len(among):
        return among
    these = [all_matches, RULES_VERSION, int(among[0]), int(among[-1])]
    found = trash.select_matches(cursor, f"{where} AND match_no BETWEEN ? AND ?", these)
    return np.intersect1d(found, among, assume_unique=True)


# previews


def preview_changes(store: Store, all_matches: bool = False) -> Iterator[RevalidateProgress]:
    """Yield what `revalidate_matches` would change. StoreError: the store cannot be read."""
    with store.translate_errors():
        numbers = outdated_matches(store, all_matches)
    yield from _changes_by(store, numbers, check_batch)


def _changes_by(
    store: Store, numbers: Ints, check: Callable[[Batch], CheckedBatch]
) -> Iterator[RevalidateProgress]:
    """Yield batch by batch what changes when `check` validates the texts of some matches."""

    def validate(stored: StoredBatch) -> tuple[StoredBatch, dict[str, pa.Table]]:
        return stored, derive_tables(
            check(stored.batch), stored, derived_rows.LocalPlayerNumbers()
        )  # real player numbers do not matter here

    done = 0
    with store.translate_errors():
        cursor = store.cursor()
        for stored, rows in map_ahead(read_stored(store, numbers), validate, THREADS):
            done += len(stored.match_no)
            yield RevalidateProgress(done, len(numbers), verdict_changes(cursor, rows, stored.match_no))


def derive_tables(
    batch: CheckedBatch, stored_batch: StoredBatch, player_numbers: NumberPlayers, with_rollups: bool = False
) -> dict[str, pa.Table]:
    """Return the rows of a batch by table, in the order of their matches.

    `with_rollups` adds the rollup tables.
    """
    return merge_tables(
        derived_rows.derive_rows(batch, stored_batch.id_columns, player_numbers, with_rollups=with_rollups)
    )


def merge_tables(parts: Iterable[derived_rows.TableRows]) -> dict[str, pa.Table]:
    """Return rows by table, joined from several parts and ordered by match."""
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
    """Compute the verdicts that change under a preset, other options or both; writes nothing.

    `games_with_rules` are the games that have those rules, `games` the requested ones, and
    `skipped_matches` counts matches of other games. UnknownRule: no game has them. StoreError: the
    stored verdicts are outdated.
    """

    def __init__(
        self, store: Store, preset: str | None, options: Mapping[str, Any], games: Sequence[str] | None = None
    ) -> None:
        self.store, self.preset, self.options = store, preset, options
        self.games_with_rules = games_with(preset, options)
        self.games = [name for name in self.games_with_rules if games is None or name in games]
        if count := sum(count_outdated(store.cursor()).values()):
            raise StoreError(VERDICTS_OUTDATED, n=count, path=store.path)
        # a text that is not a match under its own rules may be one under others
        unread = games is None
        where = "matches m WHERE list_contains(?::VARCHAR[], game) OR (? AND game IS NULL)"
        self.match_numbers = trash.select_matches(store.cursor(), where, [self.games, unread])
        self.skipped_matches = count_matches(store.cursor()) - len(self.match_numbers)

    def __iter__(self) -> Iterator[RevalidateProgress]:
        """Yield batch by batch what changes."""
        rules = partial(other_rules, preset=self.preset, options=self.options)
        yield from _changes_by(self.store, self.match_numbers, partial(_validate_under, rules=rules))


def _validate_under(batch: Batch, *, rules: Callable[[Any], Any]) -> CheckedBatch:
    """Check a batch, taking statuses from kernel faults and explaining only undecoded matches.

    Under other rules most matches of a store may be faulty, and the reasons are not needed.
    """
    content_ids, groups = run_fast_path(batch.texts, rules)
    items = [with_all_decoded(group) for group in groups]
    sure = {int(place) for group in items for place in group.places[group.valid_indices]}
    explained = {
        place: validate(text.text, rules) for place, text in enumerate(batch.texts) if place not in sure
    }
    ids, starts = play_ids(content_ids, items, explained)
    return CheckedBatch(batch.file, batch.texts, ids, items, explained, [], content_ids, starts)


def with_all_decoded(group: FastPathGroup) -> FastPathGroup:
    """Return the group with every match decoded for certain, legal or not."""
    verdicts, sure = group.verdicts, group.decoded.valid
    numbers, results = group.decoded.deal_arrays, group.decoded.results
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


# writing new verdicts


def revalidate_matches(
    store: Store, all_matches: bool = False, revalidate_elsewhere: RevalidateElsewhere | None = None
) -> Generator[RevalidateProgress, None, None]:
    """Validate old matches again, or all, and replace their derived rows where they differ.

    `revalidate_elsewhere` validates in other processes; what they cannot validate stays old. Each batch
    is a transaction, so an interruption loses only that batch. Matches keep number, id, file and
    line. StoreError: the store cannot be written.
    """
    with store.translate_errors(PARTLY_REVALIDATED), store.write_lock(), store.deferred_checkpoints():
        since, left = last_change_no(store), outdated_matches(store, all_matches)
        total, again = len(left), True
        while again and len(left):
            again = False
            with closing(_fresh_verdicts(store, left, revalidate_elsewhere)) as batches:
                while some := list(islice(batches, BATCHES_PER_TRANSACTION)):
                    left = left[~np.isin(left, np.concatenate([numbers for numbers, _ in some]))]
                    done = [now for _, now in some if now is not None]
                    if not done:
                        continue
                    moved, again = write_verdicts(store, done, since, all_matches)
                    yield RevalidateProgress(total - len(left), total, moved)
                    if again:  # another program changed the store: what was read ahead is outdated
                        break
            since = last_change_no(store)
            left = outdated_matches(store, all_matches, left)


def _fresh_verdicts(
    store: Store, numbers: Ints, revalidate_elsewhere: RevalidateElsewhere | None
) -> Generator[tuple[Ints, FreshVerdicts | None], None, None]:
    """Yield match numbers and their new verdicts, a batch at a time."""
    if revalidate_elsewhere is None:
        for now in map_ahead(read_stored(store, numbers), validate_stored, THREADS):
            yield now.match_numbers, now
    else:
        for batch, found in revalidate_elsewhere(read_stored(store, numbers, WORKER_BATCH_BYTES)):
            yield batch.match_no, found


def validate_stored(batch: StoredBatch) -> FreshVerdicts:
    """Validate stored matches; can run in another process."""
    seated = derived_rows.LocalPlayerNumbers()
    rows = derive_tables(check_batch(batch.batch), batch, seated)
    return FreshVerdicts(batch.match_no, rows, seated.declared)


# with other programs that change the store


def last_change_no(store: Store) -> int:
    """Return the number of a store's last change."""
    return number(store.cursor(), "SELECT max(change) FROM change_log")


def validate_outdated(store: Store, numbers: Ints, all_matches: bool = False) -> list[FreshVerdicts]:
    """Validate those of some matches, in order, that still exist and are outdated."""
    return [validate_stored(one) for one in read_stored(store, outdated_matches(store, all_matches, numbers))]


def write_verdicts(
    store: Store, verdicts: Sequence[FreshVerdicts], change_no: int, all_matches: bool = False
) -> tuple[list[ChangedMatch], bool]:
    """Write verdicts of texts read at `change_no`; return changed matches and if all were checked again.

    If another program may have changed a match since, all are validated once more in the
    transaction. StoreError: the store cannot be written.
    """

    def write() -> tuple[list[ChangedMatch], bool]:
        anew = not store.is_single_file and _has_changed_since(store, verdicts, change_no, all_matches)
        these = validate_outdated(store, _match_numbers_of(verdicts), all_matches) if anew else verdicts
        return _write_changed(store, these, all_matches) if these else [], anew

    return store.written(write, PARTLY_REVALIDATED)


def _has_changed_since(
    store: Store, verdicts: Sequence[FreshVerdicts], change_no: int, all_matches: bool
) -> bool:
    """Return whether a match was deleted or validated since it was read, or may have another text."""
    others = "SELECT 1 FROM change_log WHERE change > ? AND action NOT IN (SELECT unnest(?)) LIMIT 1"
    if store.connection.execute(others, [change_no, _TEXT_PRESERVING_CHANGES]).fetchone():
        return True
    numbers = _match_numbers_of(verdicts)
    return len(outdated_matches(store, all_matches, numbers)) < len(numbers)


def _match_numbers_of(verdicts: Sequence[FreshVerdicts]) -> Ints:
    return np.sort(np.concatenate([np.zeros(0, np.int64), *(one.match_numbers for one in verdicts)]))


def _write_changed(store: Store, verdicts: Sequence[FreshVerdicts], all_matches: bool) -> list[ChangedMatch]:
    """Replace all derived rows of matches where one differs; return what changed.

    Rollups follow from the other rows, so they are compared only with `all_matches`.
    """
    cursor, numbers = store.connection, _match_numbers_of(verdicts)
    moved, others, rows = list[ChangedMatch](), set[int](), dict[str, pa.Table]()
    ordered = sorted(verdicts, key=lambda now: int(now.match_numbers[0]))
    for now in ordered:  # no merge stands where both now sit in one match
        store.player_numbers(now.players, tables_of([now.rows["seats"]] if "seats" in now.rows else []))
    seated = [store.player_numbers(now.players) for now in ordered]
    for table in derived_rows.BASE_TABLES:
        parts = [
            with_player_numbers(now.rows[table], numbered)
            for now, numbered in zip(ordered, seated, strict=True)
            if table in now.rows
        ]
        if parts:
            rows[table] = pa.concat_tables(parts, promote_options="default")
        others |= differing_matches(cursor, table, rows.get(table), numbers).keys()
    if others or all_matches:
        moved = verdict_changes(cursor, rows, numbers)
        if "deals" in rows:
            played = (rows["matches"], rows["deals"], rows["deal_seats"], rows.get("announcements"))
            rows |= dict(rollups.rollup_rows(*played))
        for table in rollups.ROLLUP_TABLES if all_matches else ():
            others |= differing_matches(cursor, table, rows.get(table), numbers).keys()
    differ = np.isin(numbers, np.array([*others], np.int64))
    ends = [int(numbers[0]), int(numbers[-1])]
    of_these = "match_no BETWEEN ? AND ? AND match_no IN (FROM these)"
    if not differ.all():
        with with_tables(cursor, these=pa.table({"match_no": numbers[~differ]})):
            cursor.execute(f"UPDATE matches SET rules_version = ? WHERE {of_these}", [RULES_VERSION, *ends])
    these = pa.table({"match_no": numbers[differ]})
    for table in (*derived_rows.DERIVED_TABLES, *endgame_rows.VALUE_TABLES) if others else ():
        with with_tables(cursor, these=these):
            cursor.execute(f"DELETE FROM {table} WHERE {of_these}", ends)
        if table in rows:
            mask = pc.is_in(rows[table]["match_no"], these["match_no"])
            store.insert_rows(table, rows[table].filter(mask))
    if store.parted_players:
        merged_matches.part_matches(store)
    store.record_change("revalidate", len(numbers))
    return moved
