"""Measure how long the tests take: `python -m benchmarks.suite`.

`make test` runs several times in a ready environment. Its share of the processors' time shows how
busy they were: below about 0.9 something else ran too.
"""

import os
import re
import resource
import subprocess
import sys

from benchmarks import ROOT, Section, arguments, spread, took


def once(found: list[str]) -> None:
    """Run all tests, and add the number that passed to `found`. SystemExit: a test failed."""
    done = subprocess.run(
        ["make", "--no-print-directory", "test", "ARGS=-q"],
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
    passed = list[str]()
    runs = [took(lambda: once(passed), resource.RUSAGE_CHILDREN) for _ in range(args.rounds)]
    section = Section(
        "The tests",
        "suite",
        f"{passed[-1]} tests, the median of {args.rounds} runs of `make test` with the least and "
        "the greatest: what passes, and what all processes take of the processors",
    )
    section.table(">minutes", ">minutes of processor", ">of the processors' time")
    workers = os.cpu_count() or 1
    section.row(
        spread([run.passed / 60 for run in runs]),
        spread([run.processor / 60 for run in runs]),
        spread([run.processor / run.passed / workers for run in runs], 2),
    )
    section.write(args.output)


if __name__ == "__main__":
    main()
