"""What makes a store's rows, compiled by the process that compiles a game's kernel.

Last first: so the process that reads comes to what is still to compile while this one is at
something else of it.
"""

import sys
from collections.abc import Sequence

import numpy as np

from ingest.judge import beside
from ingest.store import counted

PROGRAM = "ingest.store.beside"


def begin(text: bytes) -> None:
    """Have that compiled which a first file with such a text will be waited for."""
    beside.begin(text, PROGRAM)


def main(told: Sequence[str]) -> None:
    """Judge no deal at all of each game, and count what none comes to."""
    beside.main(told)
    none, numbers = np.zeros(0, np.int64), np.zeros(0, np.uint16)
    deals, seats, said = (np.zeros(0, kind) for kind in (counted.Deal, counted.Seat, counted.Said))
    kinds, rows = np.zeros(0, counted.Kinds), np.zeros(0, counted.Row)
    counted.count_said(deals, seats, np.zeros(1, np.int64), said, kinds, rows)
    counted.count_seats(deals, seats, said, np.zeros(0, np.int64), np.zeros(0, counted.Seats))
    counted.count_deals(deals, np.zeros(0, counted.Deals))
    for column in (none, numbers):  # as Arrow gives them away
        column.flags.writeable = False
    counted.places(none, numbers, none, numbers, np.zeros(0, np.int64))


if __name__ == "__main__":
    main(sys.argv[1:])
