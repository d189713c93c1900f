"""Measure how fast stored matches are validated again: `python -m benchmarks.revalidate`.

A new version of the rules that changes nothing is compared with storing the same logs, in turn in
one process. Only processor time counts, so other load does not matter.
"""

import statistics
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

from benchmarks import RULES, Section, arguments, spread, took, write
from engine import RULES_VERSION
from ingest.store import arrow_rows, revalidate
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.revalidate import RevalidateProgress, preview_changes, revalidate_matches


def nothing_moves(progress: Iterable[RevalidateProgress]) -> None:
    """Revalidate to the end, and check that no match changes."""
    batches = list(progress)
    assert batches
    assert not any(batch.changed_matches for batch in batches)


@contextmanager
def newer() -> Iterator[None]:
    """Pretend that the rules have a new version, which changes nothing."""
    with ExitStack() as patched:
        for module in (revalidate, arrow_rows):
            patched.enter_context(patch.object(module, "RULES_VERSION", RULES_VERSION + 1))
        yield


def once(source: Path, path: Path) -> tuple[float, float, float]:
    """Return the processor time of storing, of a dry run and of revalidating."""
    path.unlink(missing_ok=True)
    with Store(path) as store:
        stored = took(lambda: list(ingest(store, [source])))
        with newer():
            dry = took(lambda: nothing_moves(preview_changes(store)))
            again = took(lambda: nothing_moves(revalidate_matches(store)))
    return stored.processor, dry.processor, again.processor


def main() -> None:
    args = arguments("revalidate", __doc__, deals=200_000, rounds=3)
    section = Section(
        "Judged again",
        "revalidate",
        f"{args.deals:,} deals a game; the median of {args.rounds} rounds. Texts are read and "
        "nothing moves. Microseconds of processor time a deal of a dry run, and of one that writes; "
        "storing the same logs takes so many times the dry run",
    )
    with tempfile.TemporaryDirectory() as name:
        for game in RULES:
            source, path = Path(name) / f"{game}.jsonl", Path(name) / f"{game}.duckdb"
            deals = write(source, game, args.deals)
            runs = [once(source, path) for _ in range(args.rounds + 1)][1:]
            dry, writing = (1e6 * statistics.median(run[kind] for run in runs) / deals for kind in (1, 2))
            times = spread([stored / found for stored, found, _ in runs])
            section.item(game.capitalize(), f"{dry:.1f}, {writing:.1f}; storing {times} times")
    section.write(args.output)


if __name__ == "__main__":
    main()
