"""Attack a server on loopback while a club reads and uploads: `python -m benchmarks.siege`.

Eighty readers of good will fetch pages, the API and boards, and run pages; twenty other readers each
repeat one attack; ten people upload; an administrator masks, unmasks and purges. Every visitor has an
address of its own, as behind a proxy. At the end the matches are counted: stored is what was answered
as stored and not purged. The exit code is 1 if a reader waited too long or got no answer, if memory or
descriptors grew, or if a match is missing.
"""

import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from benchmarks import ROOT, Section, arguments, print_progress
from benchmarks.pages import EVERY, MORE, WARM, Sample, growth, served
from benchmarks.siege_visitors import (
    ATTACKERS,
    DRAWN_AGAIN,
    KINDS,
    READERS,
    RUNNERS,
    UPLOADERS,
    Siege,
    ask_for_health,
)
from dashboard.cli import demo
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.tokens import Role, add_token

SECONDS = 2.0
"""Most seconds that a reader of good will waits."""
REFUSALS, OK = ("429", "503"), ("200", "303", DRAWN_AGAIN)
LIMITS = {"/healthz": 0.2}
"""Most seconds of what is to be faster."""
GOOD_WILL = ("/healthz", "reading HTML", *KINDS.values(), "reading", "page run")


class Recount(NamedTuple):
    """The matches of the store afterwards, against the answers: missing, purged but there, unanswered."""

    missing: int
    returned: int
    unanswered: int

    @classmethod
    def of(cls, before: set[str], after: set[str], siege: Siege) -> "Recount":
        """Compare the matches of before and after."""
        wanted = (before | siege.stored) - siege.purged
        return cls(
            len(wanted - after), len(after & siege.purged), len(after - before - siege.stored - siege.purged)
        )


def readable_matches(path: Path) -> dict[str, str]:
    """Return the verdict of each match of a store, except unreadable texts."""
    with Store(path, read_only=True) as store:
        query = "SELECT match_id, status FROM matches WHERE status <> 'unreadable' ORDER BY match_id"
        return dict(store.cursor().execute(query).fetchall())


def report(minutes: int, siege: Siege, samples: list[Sample], found: Recount, intact: bool) -> Section:
    """Return the section, with a row for each kind of visitor."""
    states = (("the start", samples[0]), ("half", samples[len(samples) // 2]), ("the end", samples[-1]))
    held = "; ".join(
        f"at {when} {one.memory / 2**20:,.0f} MB, {one.threads} threads, {one.descriptors} descriptors"
        for when, one in states
    )
    section = Section(
        "A siege",
        "siege",
        f"{READERS} readers, {RUNNERS} who run pages, {ATTACKERS} attackers, {UPLOADERS} uploaders and "
        f"an administrator for {minutes} minutes. The server: {held}. {len(siege.stored):,} matches "
        f"answered as stored, {len(siege.purged):,} purged; in the store {found.missing} are missing, "
        f"{found.returned} purged ones are there, {found.unanswered} came whose upload was not answered; "
        f"`retourne verify`: {'intact' if intact else 'damaged'}. Wanted: no reader waits over {SECONDS:g} s",
    )
    section.table("what", ">answers", ">p50", ">p99", ">longest", ">refused", "other outcomes")
    for name, outcomes in sorted(siege.outcomes.items()):
        times = sorted(siege.waits[name]) or [0.0]
        places = (len(times) // 2, math.ceil(len(times) * 0.99) - 1, -1)
        others = [f"{times} × {what}" for what, times in outcomes.most_common(5) if what != "200"]
        section.row(
            *(name, f"{len(siege.waits[name]):,}", *(f"{times[place]:.2f} s" for place in places)),
            *(str(sum(outcomes[status] for status in REFUSALS)), "; ".join(others)),
        )
    return section


def progress(siege: Siege, sample: Sample) -> str:
    """Return how far the siege is: answers, the longest wait of good will, and what the server holds."""
    waits = {name: max(siege.waits[name], default=0.0) for name in GOOD_WILL}
    slowest = max(waits, key=lambda name: waits[name])
    answers = sum(map(len, siege.waits.values()))
    return (
        f"after {sample.at / 60:.1f} minutes: {answers:,} answers, the longest wait {waits[slowest]:.1f} s "
        f"({slowest}), {sample.memory / 2**20:,.0f} MB, {sample.descriptors} descriptors"
    )


def faults(
    minutes: int, siege: Siege, samples: list[Sample], found: Recount, intact: bool, log: str
) -> Iterator[str]:
    """Yield what did not hold."""
    for name in GOOD_WILL:
        if (longest := max(siege.waits[name], default=0)) > LIMITS.get(name, SECONDS):
            yield f"{name}: one waited {longest:.1f} s"
        if other := {what: times for what, times in siege.outcomes[name].items() if what not in OK}:
            yield f"{name}: {other}"
    for name, more in growth(samples, min(60 * WARM, 20 * minutes)).items():
        if more > MORE[name]:
            yield f"{name} grew by {more:.0%} from the first third to the last"
    if found.missing or found.returned or found.unanswered > UPLOADERS:
        yield f"the recount: {found}"
    if not intact:
        yield "the store is damaged"
    if "Traceback" in log:
        yield log[log.index("Traceback") :][:4000]


def main() -> int:
    """Run the siege; return 1 if anything did not hold."""
    args = arguments("siege", __doc__, minutes=5, matches=1000)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65_536)), hard))
    with tempfile.TemporaryDirectory() as name:
        store, log = Path(name) / "club.duckdb", Path(name) / "log"
        demo.make_demo_store(translator("en"), store, args.matches)
        before = readable_matches(store)
        with Store(store) as opened:
            roles = [Role.ADMIN, *[Role.CONTRIBUTOR] * (UPLOADERS + 1)]
            tokens = [add_token(opened, f"visitor {number}", role) for number, role in enumerate(roles)]
        proxies = ("--trusted-proxy", "127.0.0.1", "--trusted-proxy", "::1")
        with ExitStack() as stack:
            host, server = stack.enter_context(served(store, log, *proxies))
            legal = [match for match, status in before.items() if status == "legal"]
            own = stack.enter_context(ProcessPoolExecutor(1, get_context("spawn")))
            siege, began = Siege(host, legal, tokens), time.monotonic()
            health = own.submit(ask_for_health, host, 60.0 * args.minutes)
            samples = [Sample.of(server, began)]
            siege.start()
            while time.monotonic() - began < 60 * args.minutes:
                time.sleep(EVERY)
                samples.append(Sample.of(server, began))
                print_progress(progress(siege, samples[-1]))
            siege.stop()
            for outcome, seconds in health.result():
                siege.count("/healthz", outcome, seconds)
        found, message = Recount.of(set(before), set(readable_matches(store)), siege), log.read_text()
        verify = [sys.executable, "-m", "ingest.cli", "verify", "--store", str(store)]
        intact = subprocess.run(verify, cwd=ROOT).returncode == 0
    report(args.minutes, siege, samples, found, intact).write(args.output)
    wrong = list(faults(args.minutes, siege, samples, found, intact, message))
    print(*wrong, sep="\n", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
