"""A store as a whole: a backup put in its place, and what another store has added to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.i18n import N_
from ingest.operations import Tell, Told, Work
from ingest.store import backup
from ingest.store.store import Store, StoreError
from ingest.store.transfer.compare import compare
from ingest.store.transfer.copy import copy as copied

PARTS = 1000
"""In so many parts progress is told."""


def restore(work: Work, file: Path, name: str) -> Told:
    """Put a backup in the place of the store, which is kept beside it; `name` is what it is called.

    Who may do what, and who is masked, stays as it was.
    """

    @contextmanager
    def closed() -> Iterator[None]:
        with work.replacing():
            work.store.close()
            yield

    try:
        done = backup.restore(Path(work.store.path), file, parts(work.tell), closed())
    except StoreError as error:
        if error.values.get("path") == file:
            raise StoreError(error.text, **error.values | {"path": name}) from error
        raise
    return restored(done)


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

    [(total,)] = source.cursor().execute("SELECT count(*) FROM matches").fetchall()
    came = copied(source, work.store, hear(N_("Copying")))
    found = compare(source, work.store, hear(N_("Comparing")))
    return {
        "added": came.added,
        "known": came.known,
        "purged": came.purged,
        "deleted": came.deleted,
        "masked": came.masked,
        "drafts": came.drafts,
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
        "access": came.access,
        "same_key": came.same_key,
        "by_themselves": found.known,
    }
