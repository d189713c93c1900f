"""What tests of clusters share: files of all kinds, what became of them, killed workers."""

import gzip
import io
import os
import random
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import zstandard

from ingest.distributed import cluster as clusters
from ingest.distributed.cluster import Cluster, connect
from ingest.i18n import translator
from ingest.reader.sources import Source
from ingest.store.factory import Store
from ingest.store.ingest_files import FileReport
from ingest.store.ingest_summary import report_as_json
from tests.ingest.conftest import FAUTES
from tests.ingest.logs import array, lines, texts, zipped

SIZE = 20_000
"""Bytes of a part here: a handful of matches."""
TABLES = ("matches", "deals", "deal_seats", "seats", "players", "announcements", "files")
BY_ID = {
    "match_no": "(SELECT match_id FROM matches m WHERE m.match_no = t.match_no)",
    "player_no": "(SELECT player_id FROM players p WHERE p.player_no = t.player_no)",
    "alias_no": "(SELECT [a.player_id, a.name] FROM aliases a WHERE a.alias_no = t.alias_no)",
}
ENGLISH = translator("en")


def faulty() -> list[bytes]:
    """Texts of matches in each of which something is wrong, a line each."""
    paths = sorted((FAUTES / "chouine").glob("*.json"))[:12]
    return [b" ".join(path.read_bytes().split(b"\n")) for path in paths]


def mixed(folder: Path) -> list[Source]:
    """Files of every kind: legal, faulty, torn, twice the same, and some that are no logs."""
    many = [*texts(40), *faulty(), b"", b"no match", texts()[0][:500], texts()[1], *texts(60)[40:]]
    random.Random(4).shuffle(many)
    files = {
        "mixed.jsonl": b"\n".join(many),
        "again.jsonl": lines(50),
        "packed.jsonl.zst": zstandard.compress(b"\n".join([*texts(5), *faulty()])),
        "packed.jsonl.gz": gzip.compress(lines(30)),
        "torn.jsonl.gz": gzip.compress(lines(30))[:-3000],
        "club.zip": zipped(a__jsonl=lines(3), b__json=array(2)),
        "club.json": array(8),
        "empty.jsonl": b"",
        "picture.jsonl": b"\x89PNG" + b"\0" * 100,
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return [*(folder / name for name in files), folder / "nothing.jsonl"]


def as_data(report: FileReport) -> dict[str, Any]:
    """All of a report."""
    reports = [(one.line, one.status, one.duplicate, one.as_dict(ENGLISH)) for one in report.reports]
    counts = (report.matches, report.sheets, dict(report.by_status))
    return report_as_json(ENGLISH, report) | {"reports": reports, "counts": counts}


def rows(
    store: Store, named: Mapping[str, str] = BY_ID, tables: Sequence[str] = TABLES
) -> dict[str, list[Any]]:
    """The rows of a store, matches and players by their ids, without the times they came at.

    Which number a match gets hangs on the batch it came in. `named`: what else stands for numbers.
    """
    named = {**BY_ID, **named}
    cursor, found = store.cursor(), {}
    for table in tables:
        columns = [name for name, *_ in cursor.execute(f"DESCRIBE {table}").fetchall()]
        items = [named.get(name, f"t.{name}") for name in columns if name not in ("added_at",)]
        found[table] = cursor.execute(f"SELECT {', '.join(items)} FROM {table} t ORDER BY ALL").fetchall()
    return found


def streams(sources: Sequence[Source]) -> list[Source]:
    """The same files as streams without an end that is known, as standard input is."""
    return [
        (str(one), io.BytesIO(one.read_bytes())) for one in sources if isinstance(one, Path) and one.exists()
    ]


def not_here(part: object) -> None:
    """What a worker says that has not the files of this machine."""
    return None


@contextmanager
def patient() -> Iterator[Cluster]:
    """Two workers of whom so many may die over one part that none is given up for it."""
    before = clusters.MAX_WORKER_DEATHS
    clusters.MAX_WORKER_DEATHS = 1000
    try:
        with connect("local:2") as made:
            yield made
    finally:
        clusters.MAX_WORKER_DEATHS = before


def killing(cluster: Cluster, count: int, lot: random.Random) -> Callable[[], int]:
    """Kill workers of this machine at moments drawn by lot; what is called ends it, and counts."""
    done, killed = threading.Event(), list[int]()

    def kill() -> None:
        while len(killed) < count and not done.wait(lot.random()):
            nannies = cluster.client.cluster.workers.values()
            pids = [one.pid for one in nannies if one.pid is not None]
            with suppress(ProcessLookupError, IndexError):
                pid = lot.choice(pids)
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()

    def end() -> int:
        done.set()
        thread.join()
        return len(killed)

    return end
