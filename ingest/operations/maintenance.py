"""Operations on a whole store: revalidate, verify, restore, copy.

Revalidation covers verdicts and the solved values of the ends of deals.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from engine.games import game_names
from engine.options import UnknownRule
from ingest.i18n import N_
from ingest.operations import OperationContext, OperationRefused, OperationResult, ProgressCallback
from ingest.store import backup
from ingest.store.errors import show_path_as
from ingest.store.factory import Store
from ingest.store.revalidate import (
    OtherRulesRun,
    RevalidateProgress,
    count_matches,
    count_outdated,
    preview_changes,
    revalidate_matches,
    validate_stored,
)
from ingest.store.solve_job import matches_to_solve, solve_missing, solve_stored
from ingest.store.transfer.compare import compare_stores
from ingest.store.transfer.copy import copy_store as copied
from ingest.store.verify import TEXT_CHANGED, TRASH_TEXT_CHANGED
from ingest.store.verify import verify_store as verified

PREVIEW_ONLY_WITH_RULES = N_("--all and --dry-run are for refreshing verdicts; --preset and --set only list.")
SCHEDULER_ONLY_WRITES = N_("--scheduler cannot be combined with --dry-run, --preset or --set.")
UNKNOWN_GAME = N_("No such game: {found}. Known: {known}.")
RULES_NOT_OF_GAME = N_("{game} does not have these rules. Games that do: {known}.")
UNKNOWN_RULES = N_("No game has such rules: {found}. Known: {known}.")
PROGRESS_PARTS = 1000
"""Number of steps in which progress is reported."""


def revalidate(
    work: OperationContext,
    all: bool = False,
    dry_run: bool = False,
    preset: str | None = None,
    options: dict[str, int | str | bool] | None = None,
    game: str | None = None,
    scheduler: str | None = None,
) -> OperationResult:
    """Revalidate matches with outdated verdicts, or `all`; `dry_run` only lists changes.

    With another `preset` or `options` nothing is stored: the verdicts that would change are listed.
    """
    other, store = preset is not None or bool(options), work.store
    if other and (all or dry_run):
        raise OperationRefused(PREVIEW_ONLY_WITH_RULES)
    if scheduler is not None and (dry_run or other):
        raise OperationRefused(SCHEDULER_ONLY_WRITES)
    _check_scheduler(work, scheduler)
    versions = count_outdated(store.cursor())
    total = count_matches(store.cursor()) if all else sum(versions.values())
    skipped, set_aside = 0, list[str]()
    with ExitStack() as using:
        batches: Iterable[RevalidateProgress]
        if other:
            under = _other_rules_run(store, preset, options or {}, game)
            batches, total, skipped = under, len(under.match_numbers), under.skipped_matches
        elif dry_run:
            work.report_progress({"outdated": {str(version): count for version, count in versions.items()}})
            batches = preview_changes(store, all)
        else:
            each = _run_on_workers(work, using, scheduler if total else None, validate_stored, set_aside)
            batches = using.enter_context(closing(revalidate_matches(store, all, each)))
        work.report_progress({"done": 0, "total": total})
        done = changed = 0
        for batch in batches:
            done, changed = batch.matches_done, changed + len(batch.changed_matches)
            work.report_progress({"done": done, "total": total})
            for one in batch.changed_matches:  # the fields of `--format jsonl`
                fields: dict[str, Any] = {"match_id": one.match_id, "log_id": one.log_id, "game": one.game}
                fields |= {"players": one.players, "changes": [asdict(each) for each in one.changes]}
                work.report_progress({"changed": fields})
    return {"checked": done, "changed": changed, "skipped": skipped, "failed": set_aside}


def _check_scheduler(work: OperationContext, scheduler: str | None) -> None:
    """Raise OperationRefused if the caller may not choose a cluster."""
    if scheduler is not None and work.join_cluster is None:
        raise OperationRefused(N_("Only who may write the store’s file may have it done by a cluster."))


def _run_on_workers(
    work: OperationContext,
    until: ExitStack,
    scheduler: str | None,
    work_function: Callable[..., Any],
    set_aside: list[str],
) -> Any:
    """Return the cluster's batch function, or None to work here; `set_aside` gets failures."""
    if scheduler is None or work.join_cluster is None:
        return None
    return partial(until.enter_context(work.join_cluster(scheduler)).map_items, work_function, set_aside)


def _other_rules_run(
    store: Store, preset: str | None, options: dict[str, Any], name: str | None
) -> OtherRulesRun:
    """Prepare a run under other rules. OperationRefused: the games chosen do not have them."""
    if name is not None and name not in game_names():
        raise OperationRefused(UNKNOWN_GAME, found=name, known=", ".join(game_names()))
    try:
        under = OtherRulesRun(store, preset, options, None if name is None else [name])
    except UnknownRule as error:
        raise OperationRefused(UNKNOWN_RULES, found=error.found, known=", ".join(error.known)) from None
    if name is not None and name not in under.games_with_rules:
        raise OperationRefused(RULES_NOT_OF_GAME, game=name, known=", ".join(under.games_with_rules))
    return under


def outdated_verdicts(work: OperationContext) -> OperationResult:
    """Count the verdicts of older versions of the rules."""
    return {"outdated": sum(count_outdated(work.store.cursor()).values())}


def solve_endgames(
    work: OperationContext, all: bool = False, dry_run: bool = False, scheduler: str | None = None
) -> OperationResult:
    """Compute points lost in the ends of stored deals: missing values, or `all` again."""
    _check_scheduler(work, scheduler)
    total = len(matches_to_solve(work.store.cursor(), all))
    if dry_run:
        return {"matches": total}
    done, deals, unsolved, set_aside = 0, 0, Counter[str](), list[str]()
    work.report_progress({"done": 0, "total": total})
    with ExitStack() as until:
        each = _run_on_workers(work, until, scheduler, solve_stored, set_aside)
        for one in until.enter_context(closing(solve_missing(work.store, all, each))):
            done, deals = one.matches_done, deals + one.solved_deals
            unsolved += one.unsolved
            work.report_progress({"done": done, "total": total})
    return {"matches": done, "deals": deals, "unsolved": dict(unsolved.most_common()), "failed": set_aside}


def verify(work: OperationContext) -> OperationResult:
    """Parse every stored text again, and compare every row with the result."""
    store, t = work.store, work.t
    outdated, done = sum(count_outdated(store.cursor()).values()), 0
    with closing(verified(store)) as found:
        first = next(found)
        differences = first.inconsistencies
        work.report_progress({"done": 0, "total": first.texts_total})
        for batch in found:
            done, differences = batch.texts_done, differences + batch.inconsistencies
            work.report_progress({"done": done, "total": first.texts_total})
    return {
        "ok": not differences,
        "texts": done,
        "outdated": outdated,
        "differences": [one._asdict() | {"text": one.message(t)} for one in differences],
        "texts_changed": any(one.text in (TEXT_CHANGED, TRASH_TEXT_CHANGED) for one in differences),
        "in_a_file": store.is_single_file,
    }


def restore(work: OperationContext, file: Path, name: str) -> OperationResult:
    """Replace the store with the backup `name`. The old store is stored next to it.

    Tokens, access and masked players stay those of the old store.
    """

    @contextmanager
    def closed() -> Iterator[None]:
        with work.while_replacing(), work.store.replacing_file():
            work.store.close()
            yield

    with show_path_as(file, name):
        return restore_result(
            backup.restore_backup(
                Path(work.store.path), file, progress_in_parts(work.report_progress), closed()
            )
        )


def progress_in_parts(report_progress: ProgressCallback) -> backup.BackupProgress:
    """Return a callback that reports a fraction as `done` of PROGRESS_PARTS."""
    return lambda part: report_progress({"done": int(part * PROGRESS_PARTS), "total": PROGRESS_PARTS})


def restore_result(restored: backup.Restored) -> OperationResult:
    """Return the result of a restored backup as JSON."""
    return {
        "old_store": restored.old_store and str(restored.old_store),
        "carried": restored.carry_over
        and {**restored.carry_over._asdict(), "back": list(restored.carry_over.back)},
    }


def copy(work: OperationContext, source: Store) -> OperationResult:
    """Add what another store contains, and compare every row and text of both."""

    def progress_of(label: str) -> backup.BackupProgress:
        return lambda done: work.report_progress({"label": label, "done": int(done), "total": total})

    total = count_matches(source.cursor())
    came = copied(source, work.store, progress_of(N_("Copying")))
    found = compare_stores(source, work.store, progress_of(N_("Comparing")))
    return asdict(came) | {
        "same": found.is_same,
        "missing": found.missing,
        "differing": sorted(found.differing),
        "tables": [
            {"table": table, "rows": one.rows, "checksum": f"{one.checksum:016x}", "same": one == other}
            for table, (one, other) in found.checksums.items()
        ],
        "by_themselves": found.common_matches,
    }
