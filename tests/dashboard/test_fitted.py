"""Tables in the terminal: no word and no number is broken, whatever the width."""

import re
from io import StringIO

import polars as pl
import pytest
from rich.console import Console

from dashboard.command.frames import show_frame
from ingest.i18n import translator

FRAME = pl.DataFrame(
    {"name": ["Jean"], "matches": [5], "parties": [83], "wins": [34], "announced": [0.4]}
    | {"share": [0.41], "low": [0.31], "high": [0.52], "points": [72.0], "points_low": [67.5]}
)
MISSING = "Sans place ici"


def printed(width: int, terminal: bool) -> list[str]:
    """The lines of the table without paint."""
    out = StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, soft_wrap=True)
    show_frame(console, FRAME, translator("fr", "dashboard"))
    return re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue()).splitlines()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_a_table_breaks_no_word_and_says_what_it_has_no_room_for(width: int) -> None:
    lines = printed(width, terminal=True)
    table = [line.rstrip() for line in lines if not line.startswith(MISSING)]
    [missing] = [line for line in lines if line.startswith(MISSING)] or [""]
    assert max(map(len, table)) <= width
    words = " ".join(table).split()
    for heading, cell in (("Rencontres", "5"), ("Gagnées", "34"), ("Annoncées", "0,4")):
        assert (heading in words) == (cell in words) == (heading not in missing)
    assert ("31,0" in " ".join(table)) == ("intervalles" not in missing) == (width == 120)


def test_what_is_no_terminal_has_all_the_room_it_takes() -> None:
    assert printed(20, terminal=False) == printed(120, terminal=True)
