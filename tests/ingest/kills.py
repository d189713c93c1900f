"""`kill -9` in the middle of what changes a store: what is left is whole, before it or after it.

    python -m tests.ingest.kills --kills 1000

A process of its own does what it must, one step after the other, says when each is done and is
killed at a moment drawn by lot. What it leaves must be what it was after the last step it said, or
after the one it was in: the file of the store alone, the store as it opens, and the backup, each
with every text and every row. The next process goes on with what was left.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from ingest.cli.app import run_to_exit_code
from ingest.cli.open_store import open_store
from ingest.i18n import translator
from ingest.reader.files import Batch, MatchText
from ingest.store import pseudonyms, purge, trash
from ingest.store.backup import backup, restore_backup
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.temporary_files import temporary_sibling
from ingest.store.verify import verify_store
from ingest.store.wal import wal_path
from ingest.validate.batch import check_batch
from tests.ingest import visitors
from tests.ingest.logs import texts

MATCHES = 16
TEXTS = texts(MATCHES)
STEPS = 8
"""Steps a process is given, more than it comes to."""
KINDS = (
    *("upload", "delete", "mask", "purge", "purge a player"),
    *("backup", "restore", "making", "checkpoint"),
)
PURGES = ("purge", "purge a player")
PREPARED = {"purge a player": 2}
"""Steps that a kill is not for."""
STAYS = 0
"""The guest whose matches stay: with the last match of a player a purge takes the mask too."""
FRESH = 20
"""So many kills a store lives through; then it is a new one's turn."""
HUNG = 120
"""Seconds after which a process that only looks is given up."""


@dataclass(frozen=True)
class State:
    """What is in a store: matches by number, deletions in order, who is masked or purged."""

    stored: frozenset[int] = frozenset()
    deleted: tuple[frozenset[int], ...] = ()
    masked: bool = False
    forgotten: frozenset[int] = frozenset()
    """Guests of whom there are matches without a name."""
    saved: "State | None" = None
    """What the backup has."""


Step = tuple[str, int]


def after(state: State, step: Step) -> State:
    """What a step makes of it."""
    name, number = step
    if name == "upload":
        return replace(state, stored=state.stored | {number, (number + 1) % MATCHES})
    if name == "delete" and number in state.stored:
        removed = frozenset({number})
        return replace(state, stored=state.stored - removed, deleted=(*state.deleted, removed))
    if name == "purge":
        return replace(state, stored=state.stored - {number})
    if name == "guest":
        return replace(state, stored=state.stored | set(visitors.matches(number)))
    if name == "throw":
        removed = frozenset({visitors.thrown(number)})
        return replace(state, stored=state.stored - removed, deleted=(*state.deleted, removed))
    if name == "purge a player":
        return replace(state, forgotten=state.forgotten | {number})
    if name == "purge with matches":
        removed = visitors.seated(number)
        return replace(
            state,
            stored=state.stored - removed,
            deleted=tuple(some - removed for some in state.deleted if some - removed),
            forgotten=state.forgotten | {number},
        )
    if name == "undo" and state.deleted:
        *deleted, back = state.deleted
        return replace(state, stored=state.stored | back, deleted=tuple(deleted))
    if name == "mask":
        return replace(state, masked=not state.masked)
    if name == "backup":
        return replace(state, saved=replace(state, saved=None))
    if name == "restore" and state.saved is not None:
        return replace(state.saved, saved=state.saved, masked=state.saved.masked or state.masked)
    return state


def steps(kind: str, lot: random.Random) -> list[Step]:
    """What one process has to do."""
    number = lot.randrange(MATCHES)
    if kind == "purge a player":
        first = lot.randrange(1, 10**9)
        purging = lot.choice(("purge a player", "purge with matches"))
        names = ["guest", "throw", purging] * 3
        return [(name, first + place // 3) for place, name in enumerate(names)]
    fields: dict[str, list[str]] = {
        "upload": ["upload", "upload", "upload", "delete"],
        "delete": ["delete", "undo", "delete", "delete"],
        "mask": ["mask"],
        "purge": ["purge", "upload", "purge"],
        "backup": ["backup", "upload"],
        "restore": ["restore", "delete", "upload"],
        "checkpoint": ["journal", "upload", "delete", "checkpoint"],
    }
    names = fields[kind] * STEPS
    return [(name, (number + 3 * place) % MATCHES) for place, name in enumerate(names[:STEPS])]


class Folder:
    """Where it all happens."""

    def __init__(self, path: Path) -> None:
        self.store, self.saved = path / "club.duckdb", path / "saved.duckdb"
        self.path = path


# in a process of their own


def act(folder: Folder, reported: Sequence[Step], wording: Callable[[], object]) -> None:
    """Do the steps, and report after each step, the opening of the store too."""
    store = Store(folder.store)
    wording()
    for step in reported:
        store = _do(folder, store, step)
        wording()
    time.sleep(HUNG)


def _do(folder: Folder, store: Store, step: Step) -> Store:
    name, number = step
    if name == "upload":
        data = b"\n".join((TEXTS[number], TEXTS[(number + 1) % MATCHES]))
        list(ingest(store, [("club.jsonl", BytesIO(data))]))
    elif name == "delete" and (found := store.find_match(json.loads(TEXTS[number])["id"])) is not None:
        trash.delete_matches(store, [found])
    elif name == "undo" and (known := trash.list_deletions(store.cursor())):
        trash.undelete_matches(store, known[0].number)
    elif name == "mask":
        names = "SELECT player_no, FALSE FROM players WHERE player_id = $1 UNION ALL"
        names += " SELECT player_no, TRUE FROM masked WHERE player_id = $1"
        [(player, masked)] = store.cursor().execute(names, [visitors.other(STAYS)]).fetchall()
        (pseudonyms.unmask_player if masked else pseudonyms.mask_player)(store, player)
    elif name == "purge" and (found := store.find_match(json.loads(TEXTS[number])["id"])) is not None:
        purge.purge_matches(store, [found])
        return Store(folder.store)
    elif name == "guest":
        called, data = visitors.words(number)[0], b"\n".join(visitors.texts(number).values())
        list(ingest(store, [(f"{called}.jsonl", BytesIO(data))]))
    elif name == "throw" and (found := store.find_match(str(visitors.thrown(number)))) is not None:
        trash.delete_matches(store, [found])
    elif name in ("purge a player", "purge with matches"):
        store.close()
        words = ["--with-matches"] if name == "purge with matches" else []
        words += ["--yes", "--store", str(folder.store)]
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
            code = run_to_exit_code(["purge", visitors.words(number)[0], *words], translator("en"))
        assert code == 0
        return Store(folder.store)
    elif name == "backup":
        backup(store, folder.saved)
    elif name == "restore" and folder.saved.exists():
        store.close()
        restore_backup(folder.store, folder.saved)
        return Store(folder.store)
    elif name == "journal":  # as stores were written before, and as `revalidate` still does
        store.connection.execute("SET checkpoint_threshold = '1GB'")
        store._defer_checkpoints = True
    elif name == "checkpoint":
        store.checkpoint()
    return store


def look(path: Path, whole: bool = True) -> State:
    """What a store holds. AssertionError: a row in it is not what its text gives."""
    with Store(path) as store:
        cursor = store.cursor()
        stored = cursor.execute("SELECT log_id FROM matches").fetchall()
        assert len(stored) == len(set(stored))
        removed = cursor.execute("SELECT change, list(text) FROM trash GROUP BY 1 ORDER BY 1").fetchall()
        [(masked,)] = cursor.execute("SELECT count(*) FROM masked").fetchall()
        here = frozenset(number_of(one) for (one,) in stored)
        deleted = tuple(frozenset(number_of(json.loads(text)["id"]) for text in some) for _, some in removed)
        forgotten = visitors.forgotten(cursor, here.union(*deleted) - set(visitors.matches(STAYS)))
        if whole:
            assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []
    return State(here, deleted, masked > 0, forgotten)


IDS = {json.loads(text)["id"]: place for place, text in enumerate(TEXTS)}


def number_of(log: str) -> int:
    """The number of a match by its log's id."""
    return IDS[log] if log in IDS else int(log)


def purged(before: State, done: Sequence[Step], begun: Step) -> frozenset[int]:
    """Matches of which no byte may be left: purged by what was done, and not uploaded since."""
    removed, state = set[int](), before
    for name, number in done:
        if name == "purge":
            removed |= state.stored & {number}
        elif name == "upload":
            removed -= {number, (number + 1) % MATCHES}
        state = after(state, (name, number))
    if begun[0] == "upload":
        removed -= {begun[1], (begun[1] + 1) % MATCHES}
    return frozenset(removed)


def traces(folder: Folder, state: State, missing: frozenset[int]) -> list[str]:
    """What is in the bytes of a store, or of what lies beside it, and was purged."""
    names = [word for guest in state.forgotten for word in visitors.words(guest)]
    ids = [log for log, place in IDS.items() if place in missing]
    return visitors.in_bytes(folder.store, names + ids)


def check(folder: Folder, states: Sequence[State], kind: str, missing: frozenset[int] = frozenset()) -> int:
    """Which of some states is left. AssertionError: none is, or not in every file.

    `gone`: matches of which nothing may be left.
    """
    alone = Path(shutil.copy(folder.store, folder.path / "alone.duckdb"))
    found = look(alone, whole=False)
    bare = [replace(state, saved=None) for state in states]
    assert kind == "checkpoint" or found in bare, f"the file alone: {found}"
    found = look(folder.store)
    assert found in bare, f"{found} is none of {bare}"
    if kind in PURGES:
        assert traces(folder, found, missing) == []
    saved = look(folder.saved, kind in ("backup", "restore"))
    alone.unlink()
    wal_path(alone).unlink(missing_ok=True)
    listed(folder)
    left = [place for place, state in enumerate(states) if (bare[place], state.saved) == (found, saved)]
    assert left, f"the backup: {saved}"
    return left[-1]


def listed(folder: Folder) -> None:
    """AssertionError: a killed process left a file that the next command and backup do not remove."""
    with open_store(folder.store):
        pass
    with temporary_sibling(folder.saved):  # as a backup begins
        pass
    left = {path.name for path in folder.path.iterdir()} - {folder.store.name, folder.saved.name}
    earlier = {name for name in left if name.startswith(f"{folder.store.stem}-before-")}
    assert left == earlier, left - earlier
    for name in earlier:  # the stores in whose place a backup was put
        (folder.path / name).unlink()


def check_made(path: Path) -> None:
    """AssertionError: what is left of a store that was being made is neither empty nor one."""
    for read_only in (True, False):
        try:
            with Store(path, read_only=read_only) as store:
                assert store.cursor().execute("FROM matches").fetchall() == []
        except StoreError as error:
            if path.exists() and "is empty" not in str(error):
                raise AssertionError(str(error)) from error


# the process that kills


class Pace:
    """How long a step of each kind takes here, learned from kill to kill."""

    def __init__(self) -> None:
        self._seconds = dict.fromkeys(KINDS, 0.1) | dict.fromkeys(PURGES, 0.5)

    def drawn(self, kind: str, lot: random.Random) -> float:
        """A moment within the first few steps."""
        return lot.random() * 3 * self._seconds[kind]

    def learn(self, kind: str, delay: float, done: int, most: int) -> None:
        """So many steps were done when it came, of so many there were."""
        if done == most:
            self._seconds[kind] = min(self._seconds[kind], delay / done)
        elif done:
            self._seconds[kind] = (2 * self._seconds[kind] + delay / done) / 3
        elif delay > self._seconds[kind]:
            self._seconds[kind] = delay


def forked(work: Callable[[Callable[[bytes], object]], object]) -> tuple[int, int]:
    """Start a process that does some work; its id, and the end of a pipe it writes to."""
    read, write = os.pipe()
    if pid := os.fork():
        os.close(write)
        return pid, read
    os.close(read)
    try:
        work(lambda data: os.write(write, data))
    except BaseException:
        os.write(write, b"!" + traceback.format_exc().encode())
    os._exit(0)


def all_of(read: int) -> bytes:
    """What comes by a pipe until its other end is closed."""
    with os.fdopen(read, "rb") as pipe:
        return pipe.read()


def killed(work: Callable[[Callable[[bytes], object]], object], delay: float, words: int = 1) -> bytes:
    """What a process said that was killed so many seconds after its first words."""
    pid, read = forked(work)
    first = b""
    while len(first) < words and (word := os.read(read, 1)):
        first += word
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    result = first + all_of(read)
    assert b"!" not in result, result.decode()
    return result


def queried(work: Callable[[], object], patience: int = HUNG) -> str:
    """What a process of its own finds out. AssertionError: what is wrong, as it found it."""
    pid, read = forked(lambda write: write(json.dumps(work()).encode()))
    signal.alarm(patience)
    message = all_of(read).decode()
    signal.alarm(0)
    os.waitpid(pid, 0)
    assert not message.startswith("!"), message[1:]
    return message


def kills(count: int, lot: random.Random) -> Iterator[tuple[str, str]]:
    """Kill so many processes; of each the step it was in, and what was left of that."""
    with tempfile.TemporaryDirectory(prefix="retourne-kills-") as place:
        state, folder, pace = State(), Folder(Path(place)), Pace()
        for number in range(count):
            kind = KINDS[number % len(KINDS)]
            if number % FRESH == 0:
                shutil.rmtree(place)
                (folder.path).mkdir()
                begun: list[Step] = [("guest", STAYS), ("upload", 0), ("upload", 5), ("backup", 0)]
                queried(lambda: _begin(folder, begun))  # noqa: B023
                state = State()
                for step in begun:
                    state = after(state, step)
            try:
                if kind == "making":
                    during, left = kind, _making(folder, lot, pace)
                else:
                    state, during, left = _round(folder, kind, state, lot, pace)
            except AssertionError as error:
                remaining = shutil.copytree(
                    place, tempfile.mkdtemp(prefix="retourne-killed-"), dirs_exist_ok=True
                )
                raise AssertionError(f"kill {number}, {kind}, kept in {remaining}: {error}") from None
            yield during, left


def _begin(folder: Folder, begun: Sequence[Step]) -> None:
    with Store(folder.store) as store:
        for step in begun:
            _do(folder, store, step)


def _round(folder: Folder, kind: str, state: State, lot: random.Random, pace: Pace) -> tuple[State, str, str]:
    """One process, killed: the state that is left, the step, and whether it is before or after it.

    Before it comes to what it is killed for, it may have some steps to prepare that.
    """
    result, delay = steps(kind, lot), pace.drawn(kind, lot)
    first = 1 + PREPARED.get(kind, 0)
    output = killed(lambda write: act(folder, result, lambda: write(b".")), delay, first)
    done = len(output) - 1
    pace.learn(kind, delay, len(output) - first, len(result) + 1 - first)
    states = [state]
    for step in result[: done + 1]:
        states.append(after(states[-1], step))
    candidates = states[done:]
    removed = purged(state, result[:done], result[done]) if done < len(result) else frozenset[int]()
    place = int(queried(lambda: check(folder, candidates, kind, removed)))
    during = result[done][0] if done < len(result) else "nothing"
    return candidates[place], during, "after" if place else "before"


def _making(folder: Folder, lot: random.Random, pace: Pace) -> str:
    """One process, killed as it makes a new store."""
    path = folder.path / "new.duckdb"

    def open_it(write: Callable[[bytes], object]) -> None:
        write(b".")
        Store(path)
        write(b".")
        time.sleep(HUNG)

    delay = pace.drawn("making", lot)
    result = killed(open_it, delay)
    pace.learn("making", delay, len(result) - 1, 1)
    queried(lambda: check_made(path))
    for left in (path, wal_path(path)):
        left.unlink(missing_ok=True)
    return "after" if len(result) > 1 else "before"


def warm() -> None:
    """Have the kernels here, so that no process has to fetch them from their caches."""
    check_batch(Batch("", [MatchText(1, text) for text in TEXTS], []))


def main() -> int:
    """Kill as often as asked for, and say what was left."""
    parser = argparse.ArgumentParser(prog="python -m tests.ingest.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    args = parser.parse_args()
    warm()
    found = Counter[tuple[str, str]]()
    try:
        for done, one in enumerate(kills(args.kills, random.Random(args.seed)), 1):
            found[one] += 1
            if done % 100 == 0:
                print(f"{done} kills", flush=True)
    except AssertionError as error:
        print(f"seed {args.seed}: {error}", file=sys.stderr)
        return 1
    for during in sorted({during for during, _ in found}):
        print(f"{during}: {found[during, 'before']} before, {found[during, 'after']} after")
    print(f"{args.kills} kills, nothing torn (seed {args.seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
