"""A store as a whole: judged again, held against its texts, put back from a backup, copied into.

Judged again are verdicts, and what the ends of deals were worth.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from engine.games import names
from engine.options import UnknownRule
from ingest.i18n import N_
from ingest.operations import Refused, Tell, Told, Work
from ingest.store import backup
from ingest.store.errors import standing_for
from ingest.store.factory import Store
from ingest.store.revalidate import Judged, Under, old, refresh, stored, would_move
from ingest.store.revalidate import judged as judged_anew
from ingest.store.solve_job import missing, reckon, reckoned
from ingest.store.transfer.compare import compare
from ingest.store.transfer.copy import copy as copied
from ingest.store.verify import OTHER_DELETED, OTHER_TEXT
from ingest.store.verify import verify as verified

NOT_BOTH = N_("--all and --dry-run are for refreshing verdicts; --rules and --set only list.")
ONLY_WRITTEN = N_("--scheduler is for what is then stored: without --dry-run, --rules and --set.")
NO_GAME = N_("No such game: {found}. Known: {known}.")
NOT_THIS_GAME = N_("{game} does not have these rules. Games that do: {known}.")
NO_RULES = N_("No game has such rules: {found}. Known: {known}.")
PARTS = 1000
"""In so many parts progress is told."""


def revalidate(
    work: Work,
    everything: bool = False,
    dry_run: bool = False,
    rules: str | None = None,
    options: dict[str, int | str | bool] | None = None,
    game: str | None = None,
    scheduler: str | None = None,
) -> Told:
    """Judge matches of old verdicts again, or `everything`; `dry_run` says what would move.

    Under other `rules` or `options` nothing is written, and what would move is listed.
    """
    other, store = rules is not None or bool(options), work.store
    if other and (everything or dry_run):
        raise Refused(NOT_BOTH)
    if scheduler is not None and (dry_run or other):
        raise Refused(ONLY_WRITTEN)
    _check_scheduler(work, scheduler)
    versions = old(store.cursor())
    total = stored(store.cursor()) if everything else sum(versions.values())
    passed, set_aside = 0, list[str]()
    with ExitStack() as using:
        judged: Iterable[Judged]
        if other:
            under = _under(store, rules, options or {}, game)
            judged, total, passed = under, len(under.chosen), under.passed
        elif dry_run:
            work.tell({"old": {str(version): count for version, count in versions.items()}})
            judged = would_move(store, everything)
        else:
            each = _by_workers(work, using, scheduler if total else None, judged_anew, set_aside)
            judged = using.enter_context(closing(refresh(store, everything, each)))
        work.tell({"done": 0, "total": total})
        done = moved = 0
        for batch in judged:
            done, moved = batch.done, moved + len(batch.moved)
            work.tell({"done": done, "total": total})
            for one in batch.moved:  # as `--format jsonl` writes it
                told: dict[str, Any] = {"match": one.match_id, "id": one.log_id, "game": one.game}
                told |= {"players": one.players, "changes": [asdict(each) for each in one.changes]}
                work.tell({"moved": told})
    return {"judged": done, "moved": moved, "passed": passed, "set_aside": set_aside}


def _check_scheduler(work: Work, scheduler: str | None) -> None:
    """Refused: whoever asks may not say where work is done."""
    if scheduler is not None and work.cluster is None:
        raise Refused(N_("Only who may write the store’s file may have it done by a cluster."))


def _by_workers(
    work: Work, until: ExitStack, scheduler: str | None, do: Callable[..., Any], aside: list[str]
) -> Any:
    """Who does it with each batch, if not this process; what no worker survives is set aside."""
    if scheduler is None or work.cluster is None:
        return None
    return partial(until.enter_context(work.cluster(scheduler)).each, do, aside)


def _under(store: Store, preset: str | None, options: dict[str, Any], name: str | None) -> Under:
    """Refused: no game has these rules, or the one that is asked for has not."""
    if name is not None and name not in names():
        raise Refused(NO_GAME, found=name, known=", ".join(names()))
    try:
        under = Under(store, preset, options, None if name is None else [name])
    except UnknownRule as error:
        raise Refused(NO_RULES, found=error.found, known=", ".join(error.known)) from None
    if name is not None and name not in under.having:
        raise Refused(NOT_THIS_GAME, game=name, known=", ".join(under.having))
    return under


def old_verdicts(work: Work) -> Told:
    """Count the verdicts of older versions of the rules."""
    return {"old": sum(old(work.store.cursor()).values())}


def reckon_values(
    work: Work, everything: bool = False, dry_run: bool = False, scheduler: str | None = None
) -> Told:
    """Reckon what was lost in the ends of stored deals: what is missing, or `everything` anew."""
    _check_scheduler(work, scheduler)
    total = len(missing(work.store.cursor(), everything))
    if dry_run:
        return {"matches": total}
    done, deals, unsolved, set_aside = 0, 0, Counter[str](), list[str]()
    work.tell({"done": 0, "total": total})
    with ExitStack() as until:
        each = _by_workers(work, until, scheduler, reckoned, set_aside)
        for one in until.enter_context(closing(reckon(work.store, everything, each))):
            done, deals = one.done, deals + one.deals
            unsolved += one.unsolved
            work.tell({"done": done, "total": total})
    return {
        "matches": done,
        "deals": deals,
        "unsolved": dict(unsolved.most_common()),
        "set_aside": set_aside,
    }


def verify(work: Work) -> Told:
    """Read every text of the store again, and compare every row with what its text gives."""
    store, t = work.store, work.t
    left_out, done = sum(old(store.cursor()).values()), 0
    with closing(verified(store)) as found:
        first = next(found)
        wrong = first.wrong
        work.tell({"done": 0, "total": first.total})
        for batch in found:
            done, wrong = batch.done, wrong + batch.wrong
            work.tell({"done": done, "total": first.total})
    return {
        "whole": not wrong,
        "texts": done,
        "old": left_out,
        "wrong": [one._asdict() | {"text": one.say(t)} for one in wrong],
        "texts_changed": any(one.text in (OTHER_TEXT, OTHER_DELETED) for one in wrong),
        "in_a_file": store.in_a_file,
    }


def restore(work: Work, file: Path, name: str) -> Told:
    """Put a backup in the place of the store, which is kept beside it; `name` is what it is called.

    Who may do what, and who is masked, stays as it was.
    """

    @contextmanager
    def closed() -> Iterator[None]:
        with work.replacing():
            work.store.close()
            yield

    with standing_for(file, name):
        return restored(backup.restore(Path(work.store.path), file, parts(work.tell), closed()))


def parts(tell: Tell) -> backup.Progress:
    """What tells which part of all is done."""
    return lambda part: tell({"done": int(part * PARTS), "total": PARTS})


def restored(done: backup.Restored) -> Told:
    """What putting a backup back came to."""
    return {
        "kept": done.kept and str(done.kept),
        "carried": done.carried and {**done.carried._asdict(), "back": list(done.carried.back)},
    }


def copy(work: Work, source: Store) -> Told:
    """Add what another store has, and compare every row and text in both."""

    def hear(label: str) -> backup.Progress:
        return lambda done: work.tell({"label": label, "done": int(done), "total": total})

    total = stored(source.cursor())
    came = copied(source, work.store, hear(N_("Copying")))
    found = compare(source, work.store, hear(N_("Comparing")))
    return asdict(came) | {
        "same": found.same,
        "missing": found.missing,
        "differing": sorted(found.differing),
        "tables": [
            {
                "table": table,
                "rows": one.rows,
                "checksum": f"{one.checksum:016x}",
                "same": one == other,
            }
            for table, (one, other) in found.sums.items()
        ],
        "by_themselves": found.known,
    }
