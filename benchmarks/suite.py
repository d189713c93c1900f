"""How long the tests of a commit take today: `python -m benchmarks.suite [COMMIT]`.

The cases that COMMIT lists are looked for among today's and run alone, as `make test` runs them;
one that is no longer there is an error. By default they are those that stood when the rooms were
moved, the first commit after it that today's environment can list. The time is the whole run's,
start and collection included; its share of the processors' time tells how busy they were with it:
below about 0.9 something else ran on the machine.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from benchmarks import PAGE, ROOT, Section

WHEN_MOVED = "9691b1f"
CASES = "RETOURNE_CASES"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """As a plugin of the run that is measured: keep the cases of the commit, and miss none."""
    wanted = set(Path(os.environ[CASES]).read_text(encoding="utf-8").splitlines())
    if gone := wanted - {item.nodeid for item in items}:
        raise pytest.UsageError(f"no longer there: {', '.join(sorted(gone))}")
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in wanted])
    items[:] = [item for item in items if item.nodeid in wanted]


def _run(words: list[str], where: Path, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", *words]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **more}
    return subprocess.run(
        command, cwd=where, env=environment, check=False, text=True, stdout=subprocess.PIPE
    )


def cases(commit: str) -> list[str]:
    """What pytest lists in a checkout of the commit, ids as they are written there."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(
            ["git", "worktree", "add", "--detach", "-q", str(tree), commit], cwd=ROOT, check=True
        )
        try:
            listed = _run(["--collect-only", "-q"], tree)
        finally:
            subprocess.run(
                ["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, check=True
            )
    if listed.returncode:
        sys.exit(f"the cases of {commit} cannot be listed:\n{listed.stdout}")
    return [line for line in listed.stdout.splitlines() if "::" in line]


def processor_seconds() -> float:
    """Of every process that was waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite", description=__doc__)
    parser.add_argument("commit", nargs="?", default=WHEN_MOVED)
    parser.add_argument("--output", type=Path, default=PAGE)
    args = parser.parse_args()
    ids = cases(args.commit)
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "cases.txt"
        listed.write_text("\n".join(ids), encoding="utf-8")
        began, used = time.monotonic(), processor_seconds()
        words = ["-q", "-n", "auto", "--dist", "loadfile", "-p", "benchmarks.suite"]
        done = _run(words, ROOT, **{CASES: str(listed)})
        took, used = time.monotonic() - began, processor_seconds() - used
    print(done.stdout)
    if done.returncode:
        return 1
    workers = os.cpu_count() or 1
    section = Section(
        "The tests",
        f"suite {args.commit}",
        f"{len(ids):,} cases that stood at that commit, run as `make test` runs them: "
        f"{took // 60:.0f} min {took % 60:.0f} s, {used / took / workers:.2f} of the processors' "
        "time",
    )
    section.write(args.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
