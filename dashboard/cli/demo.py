"""`retourne demo`: fills a store with simulated seasons and samples, then serves it."""

import io
import json
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import count, islice
from pathlib import Path
from typing import IO, NamedTuple

from dashboard.cli.serve import DEFAULT_PORT, NoBrowser, Port, check_port, run_dashboard
from ingest.api import check
from ingest.cli import common as cli
from ingest.cli.terminal_tables import console
from ingest.escaping import escape_line
from ingest.i18n import N_, Translate, translator
from ingest.store.backup import replace_durably
from ingest.store.demo_feed import FeedFile, as_source, send_file, target_count_path, target_match_count
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest as store_files
from ingest.store.temporary_files import temporary_sibling
from schemas.simulated import simulate_season

DEMO_STORE = Path("retourne-demo.duckdb")
DEMO_SEED = 2026
SEASON_PREFIX = "saison-"


class Season(NamedTuple):
    """One table of the club; `share` is its part of all matches."""

    game: str
    rules: str
    players: int
    share: float


SEASONS = (
    Season("chouine", "lavardin", 2, 0.52),
    Season("chouine", "lavardin", 3, 0.08),
    Season("chouine", "lavardin", 4, 0.06),
    Season("chouine", "mondoubleau", 2, 0.10),
    Season("belote", "classique", 4, 0.04),
    Season("belote", "coinchee", 4, 0.04),
    Season("coinche", "tournoi-2018", 4, 0.10),
    Season("chouineurs", "blam", 4, 0.06),
)
MAX_IMMEDIATE_MATCHES = 200
"""Up to this number of matches (a few seconds) the store is complete before the dashboard opens."""
MATCHES_PER_FILE = 100
"""Simulated matches per file, hence per update of the pages."""
PROGRESS_SECONDS = 5
"""Seconds between two progress messages of the simulation."""
FIRST_SAMPLE = "match-lavardin.json"
"""The sample that is stored before the dashboard opens."""


def demo(
    run: cli.Run,
    store: Path = cli.option(N_("The sample store: its database file."), N_("PATH"), default=DEMO_STORE),
    matches: int = cli.option(N_("Matches to simulate."), "N", default=3000, min=1),
    port: Port = DEFAULT_PORT,
    no_browser: NoBrowser = False,
) -> None:
    """Make the sample store if it does not exist, and serve it."""
    t = run.t
    if not store.exists() and matches <= MAX_IMMEDIATE_MATCHES:
        made = make_demo_store(t, store, matches)
        _print_line(t("Made {path}. Matches: {n}", path=str(store), n=made))
    elif not store.exists():
        check_port(port)
        begin_demo_store(t, store, matches)
    feed = None
    if total := target_match_count(store):
        with Store(store) as opened:
            there = opened.cursor().execute("SELECT DISTINCT name FROM files ORDER BY 1").fetchall()
        feed = partial(_start_feeder, t, total, [name for (name,) in there])
    cli.exit_with(run_dashboard(t, store, port, ["--no-browser"] if no_browser else [], feed))


def _print_line(line: str) -> None:
    console(stderr=True).print(escape_line(line))


def make_demo_store(t: Translate, path: Path, matches: int) -> int:
    """Build the complete sample store, or none if it fails; return its number of matches."""
    with _new_store(path) as store, cli.progress_bar(t, N_("Making the sample store"), matches) as advance:
        made = 0
        for report in store_files(store, demo_sources(matches)):
            made += report.added
            advance(min(made, matches))
    return made


def begin_demo_store(t: Translate, path: Path, matches: int) -> None:
    """Make a store with one sample, and record the number of matches to add."""
    _print_line(t("Storing the first match; at the very first start its rules are compiled …"))
    first = FIRST_SAMPLE, io.BytesIO(files("data").joinpath(FIRST_SAMPLE).read_bytes())
    with _new_store(path) as store:
        for _ in store_files(store, [first]):
            target_count_path(path).write_text(str(matches), encoding="ascii")


@contextmanager
def _new_store(path: Path) -> Iterator[Store]:
    """Open a new store, which appears at `path` once it is complete."""
    with temporary_sibling(path) as part:
        with Store(part) as store:
            yield store
        replace_durably(part, path)


def _start_feeder(t: Translate, matches: int, existing: list[str]) -> "subprocess.Popen[bytes]":
    """Start a process that simulates the missing files and writes them to its output."""
    command = cli.module_command("dashboard.cli.demo", t.language, str(matches))
    feeder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with suppress(BrokenPipeError):
        assert feeder.stdin is not None
        feeder.stdin.write(json.dumps(existing).encode())
        feeder.stdin.close()
    return feeder


def write_feed(t: Translate, matches: int, existing: set[str], pipe: IO[bytes]) -> None:
    """Write the files of the demo that do not exist yet to `pipe`, and print progress."""
    result, warm = time.monotonic(), set[str]()
    done, total = 0, sum(share for *_, share in _season_files(matches))
    for name, _, _, share in _season_files(matches):
        for number, begin in enumerate(range(0, share, MATCHES_PER_FILE), 1):
            done += min(MATCHES_PER_FILE, share - begin) if f"{name}-{number}.jsonl" in existing else 0
    send_file(pipe, FeedFile("", b"", done, total))
    _print_line(t("Matches simulated: {n} of {total}", n=done, total=total))
    for piece in feed_files(matches):
        if piece.name in existing:
            continue
        if (kind := piece.name.rpartition("-")[0]) not in warm:
            warm.add(kind)
            list(check(as_source(piece)))  # compiles here, so that the server need not
        send_file(pipe, piece)
        if time.monotonic() - result > PROGRESS_SECONDS:
            result = time.monotonic()
            _print_line(t("Matches simulated: {n} of {total}", n=piece.done, total=piece.total))
    send_file(pipe, None)
    _print_line(t("All matches are simulated."))


def feed_files(matches: int) -> Iterator[FeedFile]:
    """Yield the files of the sample store, small enough that pages fill steadily."""
    done, total = 0, sum(share for *_, share in _season_files(matches))
    for name, stream in demo_sources(matches, MATCHES_PER_FILE):
        data = stream.read()
        done += data.count(b"\n") if name.startswith(SEASON_PREFIX) else 0
        yield FeedFile(name, data, done, total)


def _season_files(matches: int) -> Iterator[tuple[str, Season, int, int]]:
    """Yield each season's file name without its number, its table, its seed and its matches."""
    for number, table in enumerate(SEASONS):
        name = f"{SEASON_PREFIX}{table.game}-{table.rules}-{table.players}"
        # a seed each: decks that recur would rightly count as an unfair shuffle
        yield name, table, DEMO_SEED + number, max(1, round(matches * table.share))


def demo_sources(matches: int, size: int | None = None) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files of the sample store; those of seasons have `size` matches each."""
    samples = files("data")
    yield "exemples.zip", _zip_samples([samples])
    faults = samples.joinpath("fautes").iterdir()
    yield "fautes.zip", _zip_samples(sorted(faults, key=lambda folder: folder.name))
    for name, table, seed, share in _season_files(matches):
        played = simulate_season(table.game, share, seed, table.rules, table.players)
        for number in count(1):
            if not (some := list(islice(played, size or share))):
                break
            lines = "".join(json.dumps(document) + "\n" for document in some)
            result = name if size is None else f"{name}-{number}"
            yield f"{result}.jsonl", io.BytesIO(lines.encode())


def _zip_samples(folders: Iterable[Traversable]) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder in folders:
            for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
                if entry.name.endswith(".json") and not entry.name.endswith(".expected.json"):
                    archive.writestr(f"{folder.name}/{entry.name}", entry.read_bytes())
    packed.seek(0)
    return packed


if __name__ == "__main__":
    # the process of `_start_feeder`, which ends it; Ctrl-C, sent to all, would end it too early
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end silently when the server has ended
    language, most = sys.argv[1:]
    texts = translator(language, "dashboard")
    write_feed(texts, int(most), {*json.load(sys.stdin)}, sys.stdout.buffer)
