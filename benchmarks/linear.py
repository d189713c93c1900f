"""Grow every part of the format to its bounds, and time its check: `python -m benchmarks.linear`.

Each list, object and text that the models of each game have is grown alone, then all of them
together, and so are files of many small texts. A file of each kind is checked by `retourne check` in a
process of its own, and by the API of a server on loopback, once small and once so many times as large.
Of a program that reads in one pass, time and memory grow with the size: `exponent` is 1. The exit code
is 1 if anything took longer than `SECONDS` a megabyte.
"""

import io
import math
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

import orjson
from pydantic import BaseModel

from benchmarks import ROOT, RULES, Section, arguments, lines
from benchmarks.pages import served
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
    """The cost of a check: seconds of processor time, and peak memory in bytes."""

    seconds: float
    memory: int


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
    done = subprocess.run(command, cwd=ROOT, capture_output=True)
    assert done.returncode in (0, 1, 2), (path, done.stderr)
    *_, seconds, memory = done.stderr.split()
    return Run(float(seconds), int(memory) << 10)


def checked(path: Path, kind: Grown, size: int, least: Run) -> Run:
    """Write and check a file of a kind; return what it took beyond the least."""
    path.write_bytes(kind.of_size(size))
    took = by_command(path)
    if took.seconds - least.seconds > NOTICED:  # the first may have compiled what no other did
        took = min(took, by_command(path))
    return Run(max(took.seconds - least.seconds, 0.01), took.memory - least.memory)


def by_api(host: str, path: Path) -> tuple[int, float]:
    """Check a file by the API; return the status and the seconds until the whole answer is there."""
    began = time.monotonic()
    connection = HTTPConnection(host, timeout=600)
    connection.request("POST", f"/api/v1/check?name={path.name}", path.read_bytes())
    answer = connection.getresponse()
    while answer.read(1 << 20):
        pass
    connection.close()
    return answer.status, time.monotonic() - began


def main() -> int:
    """Measure each kind of file; return 1 if one took too long."""
    args = arguments("linear", __doc__, kilobytes=1024, worst=12, stride=1)
    measured = list[tuple[float, tuple[str, ...]]]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store(folder / "store.duckdb"):
            pass
        least = dict[str, Run]()
        for game in RULES:
            (one := folder / "one.json").write_bytes(orjson.dumps(sample(game)))
            least[game] = min(by_command(one), by_command(one))  # the first compiles
        kinds = [*grown_files(), *(kind for game in RULES for kind in grown_documents(game))]
        with served(folder / "store.duckdb", folder / "log") as (host, _):
            by_api(host, one)
            for number, kind in enumerate(kinds[:: args.stride]):
                path = folder / f"{number}{kind.suffix}"
                large = checked(path, kind, args.kilobytes << 10, least[kind.game])
                size, exponent = unpacked_size(path), ""
                each = large.seconds / size * 1e6
                status, waited = by_api(host, path)
                if large.seconds > NOTICED:
                    small = checked(path, kind, (args.kilobytes << 10) // TIMES, least[kind.game])
                    exponent = f"{math.log(large.seconds / small.seconds, TIMES):.1f}"
                cells = (
                    *(f"{size / 1e6:.2f} MB", f"{large.seconds:.2f} s", f"{each:.2f}"),
                    exponent,
                    *(f"{max(large.memory, 0) / 1e6:.0f} MB", f"{status}", f"{waited:.2f} s"),
                )
                measured.append((each, (kind.name, *cells)))
                print(" | ".join(measured[-1][1]), flush=True)
    over = sum(each > SECONDS for each, _ in measured)
    section = Section(
        "Parts of the format grown to their bounds",
        "linear",
        f"{len(measured)} of {len(kinds)} kinds of files up to {args.kilobytes:,} kB, of which {over} took "
        f"more than {SECONDS:.0f} s of time a megabyte. The {args.worst} slowest: processor time of "
        "`retourne check` beyond that of one match of its game, that of a megabyte, the power of the "
        f"size that it grows with (from a file {TIMES} times smaller), memory beyond that match, and the "
        "answer of the API to a reader, with the time until it was there",
    )
    section.table("what", ">size", ">took", ">s/MB", ">exponent", ">memory", ">status", ">waited")
    for _, row in sorted(measured, reverse=True)[: args.worst]:
        section.row(*row)
    section.write(args.output)
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
