"""Grow every part of the format to its bounds, and time its check: `python -m benchmarks.linear`.

Each list, object and text that the models of each game have is grown alone, then all of them
together, and so are files of many small texts. A file of each kind is checked by `retourne check` in a
process of its own, and by the API of a server on loopback, once small and once so many times as large.
Of a program that reads in one pass, time and memory grow with the size: `exponent` is 1. The exit code
is 1 if by either way anything took longer than `SECONDS` a megabyte, or grew faster than its size.
"""

import bz2
import gzip
import io
import lzma
import math
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

import orjson
import zstandard
from pydantic import BaseModel

from benchmarks import ROOT, RULES, Section, arguments, lines
from benchmarks.pages import served
from benchmarks.processes import forget_peaks, memory, processor_seconds
from ingest.store.factory import Store
from schemas.match_models import match_models

SECONDS = 2.0
"""Most processor time for each megabyte, over that of a file of one match."""
MEASURED = """
import atexit, os, sys
from ingest.cli import main

def measure():
    [peak] = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
    print(sum(os.times()[:4]), peak, file=sys.stderr)

atexit.register(measure)
main()
"""
"""The command, which prints last what it took: a child's `ru_maxrss` would be its parent's."""
TIMES = 4
"""How many times the larger file of a kind is as large as the smaller one."""
NOTICED = 0.3
"""Seconds from which on growth is measured: below, a process varies as much."""
MIN_SECONDS = 1.0
"""Seconds from which on growth counts: that of the smaller file is measured well enough."""
EXPONENT = 1.25
"""Greatest power of the size with which time may grow."""
MORE_MEMORY = 32 << 20
"""Bytes by which memory may grow beyond the size's growth: what an allocator varies by."""
PATIENCE = 120.0
"""Seconds after which a check is ended."""
MEMBER_FILES = 2_000
"""Most files in an archive: each is opened by itself."""
Path_ = tuple[str | int, ...]


class Grown(NamedTuple):
    """A kind of file: its game, its name, its suffix, and what makes one of about so many bytes."""

    game: str
    name: str
    suffix: str
    of_size: Callable[[int], bytes]


class Run(NamedTuple):
    """The cost of a check: seconds of processor time, peak memory in bytes, and what was answered."""

    seconds: float
    memory: int
    answer: str


Way = Callable[[Path], Run]
"""Checks a file by the command or the API."""


class Cost(NamedTuple):
    """What a kind of file costs by one way, beyond a file of one match."""

    each: float
    """Seconds a megabyte."""
    large: Run
    small: Run | None
    """A file that is `TIMES` smaller, if the larger one took long enough to measure growth."""

    @property
    def exponent(self) -> float:
        """The power of the size with which time grows."""
        return math.log(self.large.seconds / self.small.seconds, TIMES) if self.small else 0.0

    @property
    def is_too_much(self) -> bool:
        """Whether it takes too long, or grows faster than its size."""
        most = TIMES * max(self.small.memory, 0) + MORE_MEMORY if self.small else math.inf
        steep = self.large.seconds > MIN_SECONDS and self.exponent > EXPONENT
        return self.each > SECONDS or steep or self.large.memory > most

    def cells(self) -> tuple[str, ...]:
        """Return the cells of a row of the table."""
        power = f"{self.exponent:.1f}" if self.small else ""
        taken = f"{max(self.large.memory, 0) / 1e6:.0f} MB"
        return f"{self.large.seconds:.2f} s", f"{self.each:.2f}", power, taken


def sample(game: str) -> dict[str, Any]:
    """Return a legal match of one deal."""
    found: dict[str, Any] = orjson.loads(next(lines(game, 1)))
    return found | {"deals": found["deals"][:1]}


def put(document: dict[str, Any], path: Path_, value: Any) -> None:
    """Set the value of a path in a document; objects and lists on the way are made."""
    here: Any = document
    for part, following in pairwise(path):
        if isinstance(part, int):
            here += [{} for _ in range(part + 1 - len(here))]
        elif not isinstance(here.get(part), list if isinstance(following, int) else dict):
            here[part] = [] if isinstance(following, int) else {}
        here = here[part]
    if isinstance(path[-1], int):
        here += [None] * (path[-1] + 1 - len(here))
    here[path[-1]] = value


def parts(annotation: Any, path: Path_ = ()) -> Iterator[tuple[Path_, type]]:
    """Yield the path of each list, object and text below a part of a model, with what it is."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield path, dict
        for name, field in annotation.model_fields.items():
            yield from parts(field.annotation, (*path, name))
    elif get_origin(annotation) is list:
        yield path, list
        yield from parts(get_args(annotation)[0], (*path, 0))
    elif get_origin(annotation) in (Annotated, Union, UnionType):
        for one in get_args(annotation):
            yield from parts(one, path)
    elif get_origin(annotation) is dict:
        yield path, dict
    elif annotation is str:
        yield path, str


def found(document: Any, path: Path_) -> Any:
    """Return the value of a path in a document; None if there is none."""
    for part in path:
        try:
            document = document[part]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def of_lists(value: Any) -> dict[str, Callable[[int], Any]]:
    """Return ways to fill a list that has `value` in the sample."""
    first = next(iter(value or ()), "1 ??")
    size = len(orjson.dumps(first)) + 1
    return {
        "its first": lambda most: [first] * (most // size),
        "numbers": lambda most: [*range(most // 8)],
        "objects": lambda most: [{}] * (most // 3),
        "lists": lambda most: [["a"]] * (most // 6),
    }


def of_objects(value: Any) -> dict[str, Callable[[int], Any]]:
    """Return ways to fill an object that has `value` in the sample."""
    own = value if isinstance(value, dict) else {}
    return {
        "unknown keys": lambda most: own | {f"k{number}": 1 for number in range(most // 11)},
        "private keys": lambda most: own | {f"_{number}": 1 for number in range(most // 11)},
        "one long key": lambda most: own | {"k" * most: 1},
    }


def of_texts(value: Any) -> dict[str, Callable[[int], Any]]:
    """Return ways to fill a text that has `value` in the sample."""
    words = f"{value or 'word'} "
    return {
        "words": lambda most: words * (most // len(words.encode())),
        "signs": lambda most: "é" * (most // 2),
        "escapes": lambda most: "\x1b" * (most // 6),
    }


WAYS: dict[Any, Callable[[Any], dict[str, Callable[[int], Any]]]] = {
    list: of_lists,
    dict: of_objects,
    str: of_texts,
}


def grown_documents(game: str) -> Iterator[Grown]:
    """Yield each part of a game's format grown alone, and then all of them together."""
    together = list[tuple[Path_, Callable[[int], Any]]]()
    for path, kind in dict.fromkeys(parts(match_models()[game])):
        if path in (("format",), ("game",)):
            continue
        for way, fill in WAYS[kind](found(sample(game), path)).items():

            def alone(size: int, path: Path_ = path, fill: Callable[[int], Any] = fill) -> bytes:
                document = sample(game)
                if path:
                    put(document, path, fill(size))
                else:
                    document = fill(size) | document
                return orjson.dumps(document)

            yield Grown(game, f"{game} /{'/'.join(map(str, path))}: {way}", ".json", alone)
        if path:
            together.append((path, next(iter(WAYS[kind](found(sample(game), path)).values()))))

    def all_of_it(size: int) -> bytes:
        document = sample(game)
        for path, fill in sorted(together, key=lambda one: len(one[0])):
            before, grown = deepcopy(found(document, path)), fill(size // len(together))
            put(document, path, before | grown if isinstance(before, dict) else grown)
        return orjson.dumps(document)

    yield Grown(game, f"{game}, all together", ".json", all_of_it)


def zipped(texts: Iterator[bytes]) -> bytes:
    """Return an archive of one file for each text."""
    with zipfile.ZipFile(result := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for number, text in enumerate(texts):
            archive.writestr(f"{number}.json", text)
    return result.getvalue()


def repeated(text: bytes) -> Callable[[int], bytes]:
    """Return what makes so many bytes of a text."""
    return lambda size: text * (size // len(text))


def grown_files() -> Iterator[Grown]:
    """Yield files of many small texts, and texts that are no match."""
    game = next(iter(RULES))
    one = orjson.dumps(sample(game))
    small = {"{}": b"{}\n", "[]": b"[]\n", "words": b"no\n", "empty lines": b"\n", "braces": b"{\n"}
    small |= {
        "ends": b"}\n",
        "matches cut off": one[: len(one) // 2] + b"\n",
        "numbers": b"1\n",
        "formats": b'{"format":1}\n',
    }
    for name, line in small.items():
        for suffix in (".jsonl", ".json"):
            yield Grown(game, f"lines: {name}, in {suffix}", suffix, repeated(line))
    yield Grown(game, "lines: one match", ".jsonl", lambda size: (one + b"\n") * (size // len(one)))
    yield Grown(game, "on one line: one match", ".jsonl", lambda size: one * (size // len(one)))
    yield Grown(game, "an array of {}", ".json", lambda size: b"[" + b"{}," * (size // 3) + b"{}]")
    yield Grown(
        game, "an array of one match", ".json", lambda size: b"[" + (one + b",") * (size // len(one)) + b"1]"
    )
    for name, text in {"[": b"[", '{"a":': b'{"a":', '"': b'"', "\\": b"\\", " ": b" ", "-": b"-"}.items():
        yield Grown(game, f"nothing but {name}", ".json", repeated(text))
    empty = {"bzip2": bz2.compress(b""), "xz": lzma.compress(b""), "gzip": gzip.compress(b"")}
    for name, stream in (empty | {"zstd": zstandard.compress(b"")}).items():
        yield Grown(game, f"empty streams of {name}", ".json", repeated(stream))
    again = b'{"format":"retourne/1","game":"%s",' % game.encode()
    yield Grown(
        game, "a key many times", ".json", lambda size: again + b'"rules":"a",' * (size // 12) + b'"id":"a"}'
    )
    yield Grown(
        game,
        "keys twice",
        ".json",
        lambda size: again + b",".join(b'"k%d":1,"k%d":1' % (n, n) for n in range(size // 22)) + b"}",
    )
    files = range(MEMBER_FILES * TIMES)
    yield Grown(
        game,
        "a file each, in a zip",
        ".zip",
        lambda size: zipped(one for _ in files[: size * len(files) >> 20]),
    )


def unpacked_size(path: Path) -> int:
    """Return the size of a file, or of the files in an archive."""
    if path.suffix != ".zip":
        return path.stat().st_size
    with zipfile.ZipFile(path) as archive:
        return sum(one.file_size for one in archive.infolist())


def by_command(path: Path) -> Run:
    """Check a file by the command, in a process of its own."""
    command = [sys.executable, "-c", MEASURED, "check", str(path)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return Run(PATIENCE, 0, "ended")
    assert done.returncode in (0, 1, 2), (path, done.stderr)
    *_, seconds, peak = done.stderr.split()
    return Run(float(seconds), int(peak) << 10, str(done.returncode))


def by_api(host: str, server: int, path: Path) -> Run:
    """Check a file by the API; the server and its workers take the time and the memory."""
    forget_peaks(server)
    before, took = memory(server), processor_seconds(server)
    connection = HTTPConnection(host, timeout=PATIENCE)
    try:
        connection.request("POST", f"/api/v1/check?name={path.name}", path.read_bytes())
        answer = connection.getresponse()
        while answer.read(1 << 20):
            pass
    except TimeoutError:
        return Run(PATIENCE, 0, "none")
    finally:
        connection.close()
    return Run(processor_seconds(server) - took, memory(server, "VmHWM") - before, str(answer.status))


def checked(kind: Grown, size: int, path: Path, check: Way, least: Run) -> Run:
    """Write and check a file of a kind; return what it took beyond the least."""
    path.write_bytes(kind.of_size(size))
    took = check(path)
    if took.seconds - least.seconds > NOTICED:  # the first may have compiled what no other did
        took = min(took, check(path))
    return took._replace(seconds=max(took.seconds - least.seconds, 0.01), memory=took.memory - least.memory)


def cost(kind: Grown, size: int, path: Path, check: Way, least: Run) -> Cost:
    """Measure a kind of file of a size by one way, and its growth if it takes long enough."""
    large = checked(kind, size, path, check, least)
    each, small = large.seconds / unpacked_size(path) * 1e6, None
    if NOTICED < large.seconds < PATIENCE / 2:
        small = checked(kind, size // TIMES, path, check, least)
    return Cost(each, large, small)


def main() -> int:
    """Measure each kind of file; return 1 if one took too long or grew too fast."""
    args = arguments("linear", __doc__, kilobytes=1024, worst=12, stride=1)
    measured = list[tuple[float, tuple[str, ...]]]()
    size, failed = args.kilobytes << 10, list[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store(folder / "store.duckdb"):
            pass
        kinds = [*grown_files(), *(kind for game in RULES for kind in grown_documents(game))]
        with served(folder / "store.duckdb", folder / "log") as (host, server):
            ways: tuple[Way, ...] = (by_command, partial(by_api, host, server))
            least = dict[tuple[str, Way], Run]()
            for game in RULES:
                (one := folder / "one.json").write_bytes(orjson.dumps(sample(game)))
                for way in ways:
                    least[game, way] = min(way(one), way(one))  # the first compiles
            for number, kind in enumerate(kinds[:: args.stride]):
                path = folder / f"{number}{kind.suffix}"
                command, api = (cost(kind, size, path, way, least[kind.game, way]) for way in ways)
                cells = (kind.name, *command.cells(), api.large.answer, *api.cells())
                measured.append((max(command.each, api.each), cells))
                print(" | ".join(cells), flush=True)
                if command.is_too_much or api.is_too_much:
                    failed.append(kind.name)
                path.unlink()
    section = Section(
        "Parts of the format grown to their bounds",
        "linear",
        f"{len(measured)} of {len(kinds)} kinds of files of {args.kilobytes:,} kB, of which {len(failed)} "
        f"took more than {SECONDS:.0f} s of time a megabyte or grew faster than their size. The {args.worst} "
        "slowest: processor time of `retourne check` beyond that of one match of its game, that of a "
        f"megabyte, the power of the size that it grows with (from a file {TIMES} times smaller), and memory "
        "beyond that match; then the status that the API answers a reader, and the same of the server with "
        "its workers",
    )
    columns = (">took", ">s/MB", ">exponent", ">memory")
    section.table("what", *columns, ">API", *columns)
    for _, row in sorted(measured, reverse=True)[: args.worst]:
        section.row(*row)
    section.write(args.output)
    print(*failed, sep="\n", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
