"""`python -m tests.fuzz --minutes 60`: spoil logs and archives until one falls, or time is up."""

import argparse
from collections import Counter
from pathlib import Path
from random import SystemRandom
from time import monotonic

from tests.fuzz import Fallen, archives, documents

REPORT_EVERY = 10.0
"""Seconds between two lines of how far it is."""


def main() -> int:
    requested = _requested()
    print(f"seed {requested.seed}", flush=True)
    seen, rounds = Counter[str](), 0
    begun = result = monotonic()
    both = requested.documents == requested.archives
    while rounds < requested.rounds and monotonic() - begun < requested.minutes * 60:
        try:
            # the time goes to documents mostly: there is more that can be wrong with them
            if requested.documents or (both and rounds % 10):
                seen += documents.one_round(requested.seed + rounds, requested.fix)
            else:
                archives.one_round(requested.seed + rounds)
                seen["archives"] += archives.AT_ONCE
        except Fallen as fallen:
            print(fallen, flush=True)
            if requested.keep:
                requested.keep.write_bytes(fallen.data)
            return 1
        rounds += 1
        if monotonic() - result > REPORT_EVERY:
            result = monotonic()
            print(_progress(seen, result - begun), flush=True)
    print(_progress(seen, monotonic() - begun))
    return 0


def _requested() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--rounds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(1 << 40))
    parser.add_argument("--mend", action="store_true", help="look for edits too, which is slow")
    parser.add_argument("--documents", action="store_true", help="no archives")
    parser.add_argument("--archives", action="store_true", help="no documents")
    parser.add_argument("--keep", type=Path, help="write what fell into a file")
    return parser.parse_args()


def _progress(seen: Counter[str], seconds: float) -> str:
    count = seen.total() - seen["archives"]
    text = ", ".join(f"{what} {number:,}" for what, number in sorted(seen.items()))
    return f"{seconds:7.0f} s  {count:,} documents, {count / max(seconds, 1):.0f}/s: {text}"


if __name__ == "__main__":
    raise SystemExit(main())
