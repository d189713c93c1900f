"""Measure how long the tests take: `python -m benchmarks.suite`.

`make test` and `make quick` run several times in a ready environment.
"""

import os
import re
import resource
import subprocess
import sys
from functools import partial

from benchmarks import ROOT, Section, arguments, spread, took


def once(target: str, found: list[str]) -> None:
    """Run a target of make, and add the number of tests that passed to `found`.

    SystemExit: a test failed.
    """
    done = subprocess.run(
        ["make", "--no-print-directory", target],
        cwd=ROOT,
        env=os.environ | {"CI": "true"},
        check=False,
        text=True,
        stdout=subprocess.PIPE,
    )
    print(done.stdout[-2000:], flush=True)
    if done.returncode:
        sys.exit("the tests failed")
    found += re.findall(r"(\d+) passed", done.stdout)


def main() -> None:
    args = arguments("suite", __doc__, rounds=3)
    section = Section("The tests", "suite", f"{args.rounds} runs")
    for target in ("test", "quick"):
        passed = list[str]()
        run_once = partial(once, target, passed)
        runs = [took(run_once, resource.RUSAGE_CHILDREN) for _ in range(args.rounds)]
        minutes, processor = (spread([one / 60 for one in each], 2) for each in zip(*runs, strict=True))
        section.item(
            f"`make {target}`", f"{int(passed[-1]):,} tests in {minutes} minutes, {processor} of processor"
        )
    section.write(args.output)


if __name__ == "__main__":
    main()
