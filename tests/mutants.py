"""Checks that the tests kill a fixed sample of mutants: `python -m tests.mutants`.

`mutants.csv` has 300 changes of one line of the source each, drawn once by the operators of
cosmic-ray and spread over kernels, validator, store, command, queries, API and pages. Those with a
test in `killed by` are made in a checkout of the last commit, one after another: that test is run,
then its file; for those left over, at the end, what `make quick` runs. A line is looked for where
it stood, and then wherever it stands once.

The tests of a mutant have seconds of CPU time, so a busy machine kills none. What numba compiles
of it is cached in a folder of its own. The exit code is 1 where a mutant survives; one whose line
is no longer there is only reported.
"""

import argparse
import csv
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import cache_from_source
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("mutants.csv")
PACKAGES = ("engine", "schemas", "ingest", "dashboard")
QUICK = ("-n", "auto", "--dist", "loadfile", "-m", "not browser and not page and not slow")
CPU_LIMIT = 300
"""Seconds of CPU time after which a process of the tests is killed, and with it the mutant."""
WALL_LIMIT = 3600
"""Seconds of the clock after which tests are ended, and the mutant is neither killed nor survives."""
CRASHES = (signal.SIGXCPU, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)
"""Signals that a mutant brings on itself: too much CPU time, or compiled code that falls."""
PAD = 100
"""Dots at the end of each module of the checkout, which let a mutant keep the size of its file."""

Mutant = dict[str, str]


def modules(tree: Path) -> Iterator[Path]:
    return (path for package in PACKAGES for path in (tree / package).rglob("*.py"))


@contextmanager
def checkout() -> Iterator[Path]:
    """A checkout of the last commit, padded and compiled, for as long as this lasts."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", "-q", str(tree)], check=True)
        try:
            for path in modules(tree):
                path.write_text(f"{path.read_text(encoding='utf-8')}\n#{PAD * '.'}\n", encoding="utf-8")
            warm = f"from pathlib import Path; from tests.jit_warmup import warm; warm(Path({folder!r}), 0)"
            for words in (["-c", warm], ["-m", "pytest", "-q", "--collect-only"]):
                subprocess.run(
                    [sys.executable, *words],
                    cwd=tree,
                    env=os.environ | {"PYTHONPATH": str(tree)},
                    check=True,
                    stdout=subprocess.DEVNULL,
                )
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
    every = [(path, at) for path in modules(tree) for at in lines_of(path)]
    return every[0] if len(every) == 1 else None


@contextmanager
def mutated(tree: Path, mutant: Mutant) -> Iterator[dict[str, str] | None]:
    """Change the line for as long as this lasts; the variables for the tests. None: it is not there.

    Python and numba know a file by its size and time. Where nothing compiled comes of the line,
    both stay, and the checkout's cache serves the mutant too.
    """
    if (found := place(tree, mutant)) is None:
        yield None
        return
    path, at = found
    text, seen = path.read_text(encoding="utf-8"), path.stat()
    lines = text.splitlines(keepends=True)
    before, after = lines[at].strip(), mutant["after"].strip()
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    is_compiled = not indent or mutant["file"].startswith("engine/") or "engine.jit" in text
    lines[at] = f"{indent}{after}\n"
    lines[-1] = f"#{(PAD + len(before.encode()) - len(after.encode())) * '.'}\n"
    with tempfile.TemporaryDirectory() as cache:
        try:
            path.write_text("".join(lines), encoding="utf-8")
            Path(cache_from_source(str(path))).unlink(missing_ok=True)
            if not is_compiled:
                os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
            yield {"PYTHONDONTWRITEBYTECODE": "1"} | ({"NUMBA_CACHE_DIR": cache} if is_compiled else {})
        finally:
            path.write_text(text, encoding="utf-8")
            os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def killer(tree: Path, words: tuple[str, ...], variables: dict[str, str]) -> str | None:
    """The first test that fails; "": none does. None: they did not end by themselves in time."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        run = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-x", "-q", "--timeout", "0", "-p", "no:cacheprovider", *words],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)} | variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT + 5)),
        )
        try:
            code = run.wait(WALL_LIMIT)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)  # with what its tests left running
            run.wait()
        output.seek(0)
        failures = [line.strip() for line in output if line.startswith(("FAILED ", "ERROR "))]
    if code in (0, 4, 5):  # 4 and 5: there is no such test
        return ""
    # not 3, where pytest itself failed, nor a signal from outside
    ended = code in (1, 2, *(-one for one in CRASHES))
    return (failures or [words[0]])[0] if ended else None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", type=int, nargs="*", help="some of them, by number")
    args = parser.parse_args()
    with LIST.open(encoding="utf-8", newline="") as file:
        chosen = [
            mutant
            for mutant in csv.DictReader(file)
            if mutant["killed by"] and (not args.only or int(mutant["number"]) in args.only)
        ]
    counted = Counter[str]()
    with checkout() as tree:
        for is_last in (False, True):
            left = []
            for mutant in chosen:
                test = mutant["killed by"]
                own = ((test,), (test.partition("::")[0],)) if "::" in test else ((test,),)
                outcome, by = "SURVIVES", ""
                with mutated(tree, mutant) as variables:
                    for words in (QUICK,) if is_last else own:
                        found = "–" if variables is None else killer(tree, words, variables)
                        if found != "":
                            outcome = "not found" if variables is None else "killed" if found else "no answer"
                            by = found or ""
                            break
                if outcome == "SURVIVES" and not is_last:
                    left.append(mutant)
                    continue
                counted[outcome] += 1
                print(mutant["number"], f"{mutant['file']}:{mutant['line']}", outcome, by, flush=True)
            chosen = left
    print(", ".join(f"{what} {n}" for what, n in sorted(counted.items())))
    return bool(counted["SURVIVES"])


if __name__ == "__main__":
    sys.exit(main())
