"""`kill -9` while a writer of a lake holds claims, catalogues that stop, writers that cross.

    python -m tests.ingest.lake_kills --kills 100 --stops 10 --files 1000

Each writer is a process of its own. One is killed once PostgreSQL says that it has claimed matches
that it has not stored, at a moment drawn by lot from there to its commit; another one then stores
some of the same files, and takes over what the first one held. In the end every match and player
is there once, with all that belongs to them.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path

import psycopg

from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.raw_texts import read_texts
from ingest.store.store_url import parse_lake_url
from tests.ingest import postgres, visitors
from tests.ingest.kills import all_of, forked, queried, warm
from tests.ingest.object_storage import served

GUESTS = 2
"""Guests of whom a file has the matches; nobody else has seen them."""
FRESH = 20
"""So many kills a lake lives through; then it is a new one's turn."""
WAIT = 300
"""Seconds after which a process that says nothing is given up."""
HELD = """
SELECT count(*) FROM retourne.matches JOIN retourne.writers w USING (writer)
WHERE NOT w.done AND NOT w.given_up
"""


def texts(file: int) -> dict[int, bytes]:
    """Number → text of the matches of a file."""
    first = 1 + GUESTS * file
    return {
        number: text
        for guest in range(first, first + GUESTS)
        for number, text in visitors.texts(guest).items()
    }


# in processes of their own


def store_files(address: str, files: Sequence[int], wording: Callable[[bytes], object]) -> None:
    """Store files, and say so of each."""
    with Store(address) as store:
        for file in files:
            list(ingest(store, [(f"{file}.jsonl", BytesIO(b"\n".join(texts(file).values())))]))
            wording(b".")


def look(address: str, files: Sequence[int]) -> list[int]:
    """Each table's rows. AssertionError: something is missing, or there twice."""
    expected = sorted(str(number) for file in files for number in texts(file))
    with Store(address, read_only=True) as store:
        cursor = store.cursor()
        ids = sorted(one for (one,) in cursor.execute("SELECT log_id FROM matches").fetchall())
        assert ids == expected, (len(ids), len(expected))
        numbers = sorted(one for (one,) in cursor.execute("SELECT match_no FROM matches").fetchall())
        assert len(numbers) == len(set(numbers))
        for table in ("raw", "match_deals", "seats", "deals"):
            of = cursor.execute(f"SELECT DISTINCT match_no FROM {table} ORDER BY 1").fetchall()
            assert [one for (one,) in of] == numbers, table
        assert cursor.execute("SELECT count(*) FROM raw").fetchall() == [(len(numbers),)]
        players = cursor.execute("SELECT player_no, player_id FROM players").fetchall()
        assert len(players) == len(dict(players)) == len({one for _, one in players})
        seated = cursor.execute("SELECT DISTINCT player_no FROM seats").fetchall()
        assert {one for (one,) in seated} == set(dict(players))
        whole = {text for file in files for text in texts(file).values()}
        assert {text for _, text in read_texts(cursor, numbers)} == whole
        items = cursor.execute("SELECT match_no, count(*) FROM seats GROUP BY ALL").fetchall()
        assert {count for _, count in items} == {2}
    return [len(numbers), len(players)]


# the process that kills


class Writer:
    """A process that stores files."""

    def __init__(self, address: str, files: Sequence[int]) -> None:
        self.files = files
        self.pid, self._read = forked(lambda wording: store_files(address, files, wording))

    def kill(self) -> None:
        """End it as a machine does that is switched off."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        result = all_of(self._read)
        assert b"!" not in result, result.decode()

    def wait(self) -> None:
        """Let it end by itself, with all its files stored."""
        signal.alarm(WAIT * max(1, len(self.files) // 20))
        message = all_of(self._read).decode()
        signal.alarm(0)
        os.waitpid(self.pid, 0)
        assert message == "." * len(self.files), message

    def is_alive(self) -> bool:
        """Whether it goes on."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def held(catalogue: psycopg.Connection[tuple[int]]) -> int:
    """Matches that are claimed by who has not stored them, dead or alive."""
    found = catalogue.execute(HELD).fetchone()
    assert found is not None
    return found[0]


@contextmanager
def requesting(address: str) -> Iterator[psycopg.Connection[tuple[int]]]:
    """A connection to the catalogue of a lake."""
    with psycopg.connect(parse_lake_url(address).catalog, autocommit=True) as session:
        yield session


def begin(address: str) -> None:
    """Make the lake, so that no moment of that is drawn."""
    queried(lambda: store_files(address, [], lambda wording: None))


def kills(server: postgres.Server, place: Path | str, count: int, lot: random.Random) -> Iterator[str]:
    """Kill so many writers; of each, what it held when it was dead."""
    for first in range(0, count, FRESH):
        address = server.lake(f"{place}/lake{first}")
        begin(address)
        some = min(FRESH, count - first)
        pace = 0.3
        with requesting(address) as catalogue:
            for number in range(some):
                files = range(3 * number, 3 * number + 3)
                doomed = Writer(address, files)
                while not held(catalogue) and doomed.is_alive():
                    time.sleep(0.002)
                time.sleep(lot.random() * pace)
                late = not held(catalogue)
                pace = pace * 0.8 if late else min(pace * 1.1, 5.0)
                doomed.kill()
                yield "claims" if held(catalogue) else "none"
                # takes over what is left of two of them, from their end
                Writer(address, files[:0:-1]).wait()
        every = range(3 * some)
        Writer(address, every).wait()
        queried(lambda: look(address, every), WAIT)  # noqa: B023


def stops(server: postgres.Server, place: Path | str, count: int, lot: random.Random) -> int:
    """Stop the catalogue so often while a writer holds claims; how many files are stored then."""
    address = server.lake(f"{place}/stopped")
    begin(address)
    files = range(6 * count)
    writer = Writer(address, files)
    for _ in range(count):
        with requesting(address) as catalogue:
            while not held(catalogue):
                if not writer.is_alive():
                    writer.wait()  # says what was wrong, if anything was
                    raise AssertionError("it ended too soon to be stopped so often")
                time.sleep(0.002)
        time.sleep(lot.random() * 0.1)
        server.stop()
        time.sleep(lot.random())
        server.start()
        time.sleep(1)  # so that the next stop is in another file
    writer.wait()
    queried(lambda: look(address, files), WAIT)
    return len(files)


def crossing(server: postgres.Server, place: Path | str, count: int) -> int:
    """Two writers with the same files in opposite order; how many matches there are then."""
    address = server.lake(f"{place}/crossed")
    begin(address)
    files = range(count)
    both = [Writer(address, files), Writer(address, files[::-1])]
    for one in both:
        one.wait()
    queried(lambda: look(address, files), WAIT)
    return count * GUESTS * visitors.EACH


def main() -> int:
    """Do as often as asked for, and say what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.ingest.lake_kills", description=__doc__)
    for name in ("kills", "stops", "files"):
        parser.add_argument(f"--{name}", type=int, default=0)
    parser.add_argument("--s3", action="store_true", help="lakes lie on object storage")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    args = parser.parse_args()
    warm()
    lot = random.Random(args.seed)
    with (
        postgres.running() as server,
        tempfile.TemporaryDirectory(prefix="lakes-") as folder,
        ExitStack() as until,
    ):
        place = folder
        if args.s3:
            os.environ |= until.enter_context(served(Path(folder))).environ
            place = "s3://club"
        if args.kills:
            found = Counter(kills(server, place, args.kills, lot))
            print(f"{args.kills} kills, {found['claims']} with claims held: all once", flush=True)
        if args.stops:
            stored = stops(server, place, args.stops, lot)
            print(f"{args.stops} stops of the catalogue, {stored} files: all once", flush=True)
        if args.files:
            matches = crossing(server, place, args.files)
            print(f"{args.files} files in opposite order, {matches} matches: all once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
