"""Measure what visitors leave in a server's memory and on its disk: `python -m benchmarks.memory`.

Sessions open a page, upload a file of 7 to 8 MB each and close. Then slow readers each begin an
export and take it byte by byte, and close too; at the end others begin it again, and the server is
killed. The exit code is 1 if a pause after the last one closed more than `MORE` of the memory stayed,
or if any file of theirs is left.
"""

import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks import Section, arguments, print_progress
from benchmarks.pages import Visit, served
from benchmarks.processes import forget_peaks, memory, unnamed_files
from dashboard.cli import demo
from ingest.i18n import translator

MORE = 0.15
"""Greatest share of memory that may stay, of what there was before."""
EACH = 2
"""Exports that each slow reader takes."""
EVERY = 15
"""Seconds between two lines of a pause."""
UPLOADS = 10
"""Sessions between two lines of uploads."""
EXPORT = "/api/v1/exports/logs.jsonl"
MEGABYTE = b'{"format":"retourne/1"}\n' * (1_000_000 // 24)
PROXY = ("--trusted-proxy", "127.0.0.1", "--trusted-proxy", "::1")


class Held(NamedTuple):
    """What a server had before its visitors came, at most, when they had left, and a minute later."""

    before: int
    most: int
    left: int
    later: int

    def cells(self) -> list[str]:
        """Return the cells of a row of the table."""
        return [f"{one / 2**20:,.0f} MB" for one in self]

    @property
    def stays(self) -> bool:
        """Whether too much stays."""
        return self.later > (1 + MORE) * self.before


def visitor(number: int) -> dict[str, str]:
    """Return the headers of a visitor with an address of its own, as a proxy sends them."""
    return {"X-Forwarded-For": f"198.18.{number // 250}.{number % 250 + 1}"}


def uploaded(host: str, sessions: int) -> None:
    """Upload a file in each session, all open at the same time; then close all."""
    pages = [Visit(host, visitor(number)) for number in range(sessions)]
    for number, page in enumerate(pages):
        page.open("verificateur")
        page.upload(f"{number}.jsonl", MEGABYTE * (7 + number % 2))
        if number % UPLOADS == UPLOADS - 1:
            print_progress(f"Session {number + 1} of {sessions} has uploaded its file.")
    print_progress(f"{sessions} sessions have uploaded their files, and leave.")
    for page in pages:
        page.leave()


@contextmanager
def slow_readers(host: str, readers: int) -> Iterator[None]:
    """Begin exports that are not taken beyond their first bytes."""
    name, _, port = host.partition(":")
    with ExitStack() as until:
        for number in range(readers):
            fields: Mapping[str, str] = {"Host": host, **visitor(number // EACH)}
            head = "".join(f"{field}: {value}\r\n" for field, value in fields.items())
            line = until.enter_context(socket.create_connection((name, int(port)), timeout=60))
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.sendall(f"GET {EXPORT} HTTP/1.1\r\n{head}\r\n".encode())
            got = line.recv(64)
            assert got.startswith(b"HTTP/1.1 200"), got
        yield


def paused(server: int, seconds: int) -> None:
    """Let a time pass without visitors, and print every now and then what the server holds."""
    for left in range(seconds, 0, -EVERY):
        print_progress(f"{memory(server) / 2**20:,.0f} MB; another {left} s without visitors.")
        time.sleep(min(EVERY, left))


def held(server: int, pause: int, before: int) -> Held:
    """Return what a server holds once its visitors have left, and after a pause."""
    most, left = memory(server, "VmHWM"), memory(server)
    print_progress(f"They have left: {most / 2**20:,.0f} MB at most.")
    paused(server, pause)
    return Held(before, most, left, memory(server))


def files_below(folder: Path) -> int:
    """Count the files below a folder."""
    return sum(one.is_file() for one in folder.rglob("*"))


def main() -> int:
    """Run the visitors; return 1 if anything of theirs stays."""
    args = arguments("memory", __doc__, sessions=50, readers=24, pause=90, matches=10_000)
    with tempfile.TemporaryDirectory() as name:
        temporary, store = Path(name) / "temporary", Path(name) / "club.duckdb"
        temporary.mkdir()
        print_progress(f"A store of {args.matches:,} matches is made.")
        demo.make_demo_store(translator("en"), store, args.matches)
        size = store.stat().st_size / 1e6
        os.environ["TMPDIR"] = str(temporary)
        with served(store, Path(name) / "log", *PROXY) as (host, server):
            Visit(host, visitor(250)).leave()
            print_progress("The server runs.")
            paused(server, args.pause)
            forget_peaks(server)
            before = memory(server)
            uploaded(host, args.sessions)
            uploads = held(server, args.pause, before)
            forget_peaks(server)
            before = memory(server)
            with slow_readers(host, args.readers):
                named, unnamed = files_below(temporary), unnamed_files(server)
            exports = held(server, args.pause, before)
            still = unnamed_files(server).number
            with slow_readers(host, args.readers):
                os.kill(server, signal.SIGKILL)
            killed = files_below(temporary)
    section = Section(
        "Memory that visitors leave",
        "memory",
        f"{args.sessions} sessions that upload 7 to 8 MB each and close; {args.readers} slow readers of "
        f"exports of a store of {size:.0f} MB, during which {unnamed.number} open files without a name have "
        f"{unnamed.size / 1e6:.0f} MB and {named} files have a name. After {args.pause} s {still} of them "
        f"are open; when the server is killed meanwhile, {killed} files stay among temporary ones. Memory of "
        f"the server with its workers; wanted afterwards: at most {MORE:.0%} more than before",
    )
    section.table("visitors", ">before", ">at most", ">when they left", f">{args.pause} s later")
    section.row("uploads", *uploads.cells())
    section.row("slow readers", *exports.cells())
    section.write(args.output)
    return int(uploads.stays or exports.stays or named + killed > 0)


if __name__ == "__main__":
    sys.exit(main())
