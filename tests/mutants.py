"""Whether the tests still kill a fixed sample of mutants: `python -m tests.mutants`.

`mutants.csv` has 300 changes of one line of the source each, drawn once by the operators of
cosmic-ray and spread over kernels, validator, store, command, queries, API and pages. Of each it
says whether the tests of the day it was drawn killed it, and which one first. Those are made again
in a checkout of their own, one after another: the test that killed it is run, then its file, then
what `make quick` runs. A line is looked for where it stood, and then wherever it stands once. The
exit code is 1 where one survives; what is no longer there is listed and is no fault.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("mutants.csv")
PACKAGES = ("engine", "schemas", "ingest", "dashboard")
QUICK = ("-n", "auto", "--dist", "loadfile", "-m", "not browser and not page and not slow")
LIMIT = 600
"""Seconds one mutant may take; one that hangs is killed."""

Mutant = dict[str, str]


@contextmanager
def checkout() -> Iterator[Path]:
    """A checkout of the last commit, for as long as this lasts."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", "-q", str(tree)], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def place(tree: Path, mutant: Mutant) -> tuple[Path, int] | None:
    """The file and the line, from 0, that a mutant changes; None: it is not there any more."""

    def lines_of(path: Path) -> list[int]:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [at for at, line in enumerate(lines) if line.strip() == mutant["before"].strip()]

    own = tree / mutant["file"]
    if own.exists() and (found := lines_of(own)):
        return own, min(found, key=lambda at: abs(at + 1 - int(mutant["line"])))
    files = (path for package in PACKAGES for path in (tree / package).rglob("*.py"))
    every = [(path, at) for path in files for at in lines_of(path)]
    return every[0] if len(every) == 1 else None


def killed(tree: Path, mutant: Mutant, path: Path, at: int) -> str:
    """The tests that kill a mutant, made in its place for as long as that takes; "" if none do."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines[at] = f"{indent}{mutant['after'].strip()}\n"
    path.write_text("".join(lines), encoding="utf-8")
    test = mutant["killed by"]
    try:
        for words in ([test], [test.partition("::")[0]], QUICK):
            if not words[0].startswith("-") and not (tree / words[0].partition("::")[0]).exists():
                continue
            command = [sys.executable, "-m", "pytest", "-x", "-q", *words]
            try:
                done = subprocess.run(
                    command,
                    cwd=tree,
                    env=os.environ | {"PYTHONPATH": str(tree)},
                    timeout=LIMIT,
                    check=False,
                    capture_output=True,
                )
            except subprocess.TimeoutExpired:
                return "its time"
            if done.returncode in (1, 2, 3):  # 4 and 5: there is no such test any more
                return words[0] if words is not QUICK else "make quick"
        return ""
    finally:
        path.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", type=int, nargs="*", help="some of them, by number")
    args = parser.parse_args()
    counted = Counter[str]()
    with checkout() as tree, LIST.open(encoding="utf-8", newline="") as file:
        for mutant in csv.DictReader(file):
            if not mutant["killed by"] or (args.only and int(mutant["number"]) not in args.only):
                continue
            found = place(tree, mutant)
            by = killed(tree, mutant, *found) if found else "–"
            outcome = "killed" if found and by else "gone" if not found else "SURVIVES"
            counted[outcome] += 1
            where = f"{mutant['file']}:{mutant['line']}"
            print(mutant["number"], where, outcome, by, flush=True)
    print(", ".join(f"{what} {n}" for what, n in sorted(counted.items())))
    return bool(counted["SURVIVES"])


if __name__ == "__main__":
    sys.exit(main())
