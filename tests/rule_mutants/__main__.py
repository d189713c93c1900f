"""Tests every mutant of the rules: `python -m tests.rule_mutants`, or `make mutants`.

A mutant is one change of one place: a comparison, an operator, `and` for `or`, a number one higher
or lower, a condition turned round, a statement left out. Those of each game's kernel and match
and of what they share are tested on the conformance suite, faulty and spoilt logs, deals walked at
random under options drawn at random, and the game's tests: one is killed if any answer differs.

One that survives must stand in `argued.csv` with the reason why it is no fault.
The exit code is 1 for a survivor that does not, and for a line there that is no survivor any more.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numba

from engine import jit
from tests.rule_mutants.schemata import Finder

ROOT = Path(__file__).parents[2]
ARGUED = Path(__file__).with_name("argued.csv")
SHARED: dict[str, Sequence[str]] = {
    "engine.bulk": (
        "compile_for_game",
        "compile_kernel_loops",
        "probe",
        "replay_variants",
        "replay_deals",
        "trace_deals",
        "count_matches",
        "best_play_winners",
        "solve_deals",
    ),
    "engine.states": (),
    "engine.team_match": (),
    "engine.trick": (),
}
"""Modules that games share, each with its functions that are left alone."""
ELSEWHERE = ("is_talon_empty", "is_talon_empty_after", "claim_holds", "face_of", "probe")
"""Functions of kernels that neither `check` nor `step` calls: bots, hidden cards and solvers do."""


class Verdict(NamedTuple):
    """What became of one mutant in one game, or in all."""

    module: str
    at: int
    """Its number in the module: the same in every game."""
    function: str
    line: int
    code: str
    mutation: str
    killed_by: str
    cases: int
    """How many cases reach it."""

    @property
    def file(self) -> str:
        return f"{self.module.replace('.', '/')}.py"

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """What names it in `argued.csv`."""
        text = (ROOT / self.file).read_text(encoding="utf-8").splitlines()[self.line - 1].strip()
        return self.file, self.function, text, self.code, self.mutation


def install(name: str) -> Finder:
    """Have the modules of a game loaded with all their mutants, and compiled without a cache."""
    cached = jit.compiled

    def compiled(function: Any, **options: Any) -> Any:
        if function.__module__.startswith("engine."):
            return numba.njit(nogil=True, boundscheck=True, **options)(function)
        return cached(function, **options)

    jit.compiled = jit.inlined = compiled
    jit.recursive = lambda signature: lambda function: function  # solvers, which nothing here asks
    own: dict[str, Sequence[str]] = {f"engine.{name}.{part}": ELSEWHERE for part in ("kernel", "match")}
    finder = Finder(SHARED | own, ["engine.bulk"])
    finder.install()
    return finder


def run_game(name: str, part: str, out: Path) -> None:
    """Test the mutants of one game, and write a verdict a line."""
    finder = install(name)
    # not before: these import what is mutated
    from tests.rule_mutants.cases import Cases, run_all
    from tests.rule_mutants.suite import Suite

    cases = Cases(name)
    chosen = [one for one in finder.mutants if part in one.module]
    first = {one.module: one.number for one in reversed(finder.mutants)}

    def run_with(tests: list[Callable[[], bool]]) -> None:
        cases.take_tests(tests)
        with out.open("w", encoding="utf-8") as file:
            for mutant, killed_by in run_all(cases, chosen):
                place = mutant.module, mutant.number - first[mutant.module], mutant.function, mutant.line
                reach = cases.reach_count(mutant.site)
                verdict = Verdict(*place, mutant.before, mutant.mutation, killed_by, reach)
                print(json.dumps(verdict), file=file, flush=True)

    Suite(name, run_with).run()


def verdicts_of(name: str, part: str) -> list[Verdict]:
    """Return the verdicts of a game, tested in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "verdicts.jsonl"
        words = [sys.executable, "-m", "tests.rule_mutants", "--run", name, "--part", part, "--out", str(out)]
        run = subprocess.run(words, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)})
        if run.returncode:
            raise SystemExit(f"The mutants of {name} could not be tested.")
        return [Verdict(*json.loads(line)) for line in out.read_bytes().splitlines()]


def together(runs: list[list[Verdict]]) -> list[Verdict]:
    """Return one verdict for each mutant: it is killed if it is in any game."""
    found: dict[tuple[str, int], Verdict] = {}
    for verdict in (one for run in runs for one in run):
        known = found.setdefault((verdict.module, verdict.at), verdict)
        cases = known.cases + verdict.cases * (known is not verdict)
        found[verdict.module, verdict.at] = known._replace(
            killed_by=known.killed_by or verdict.killed_by, cases=cases
        )
    return [found[place] for place in sorted(found)]


def report(verdicts: list[Verdict]) -> int:
    """Print what survives and how many of each file are killed; return the exit code."""
    with ARGUED.open(encoding="utf-8", newline="") as file:
        argued = {tuple(row[key] for key in list(row)[:5]): row["reason"] for row in csv.DictReader(file)}
    left, counted = set(argued), defaultdict[str, Counter[str]](Counter)
    open_ones = 0
    for one in verdicts:
        if one.killed_by:
            counted[one.file]["killed"] += 1
            continue
        left.discard(one.key)
        is_argued = one.key in argued
        counted[one.file]["argued" if is_argued else "survives"] += 1
        open_ones += not is_argued
        if not is_argued:
            reach = f"reached by {one.cases} cases" if one.cases else "no case reaches it"
            print(f"{one.file}:{one.line} {one.function}: {one.code} [{one.mutation}], {reach}")
    for name, counts in [*counted.items(), ("in all", sum(counted.values(), Counter[str]()))]:
        tested = max(1, counts["killed"] + counts["survives"])
        numbers = ", ".join(f"{what} {counts[what]}" for what in ("killed", "argued", "survives"))
        print(f"{name}: {numbers}; of those not argued, {counts['killed'] / tested:.1%} are killed")
    stale = sorted(key for key in left if key[0] in counted)
    for key in stale:
        print(f"argued.csv: no survivor is {', '.join(key)}: remove it, or put its line right")
    return int(bool(open_ones or stale))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rule_mutants", description=__doc__)
    parser.add_argument("--game", action="append", help="of its own modules only")
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        run_game(args.run, args.part, args.out)
        return 0
    from engine.games import game_names

    names = args.game or sorted(game_names())
    parts = [f"engine.{name}" if args.game else "" for name in names]
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(verdicts_of, names, parts))
    return report(together(runs))


if __name__ == "__main__":
    sys.exit(main())
