"""Tables in the terminal: no word and no number is broken, whatever the width."""

import re
from io import StringIO

import polars as pl
import pytest

from dashboard.cli.stats import print_frame
from dashboard.text.columns import Column, count_column, decimal_column, share_column, share_interval_column
from ingest.cli.terminal_tables import TerminalConsole
from ingest.i18n import translator

FRAME = pl.DataFrame(
    {"name": ["Jean"], "matches": [5], "wins": [34], "share": [0.41], "low": [0.31], "high": [0.52]}
    | {"announced": [0.4]}
)
NAME = Column("Name", lambda row, t: row["name"])
COLUMNS = (
    *(
        NAME,
        share_column("Share won"),
        count_column("Matches", "matches"),
        share_interval_column("95% interval"),
    ),
    *(count_column("Won", "wins"), decimal_column("Announcements per partie", "announced", digits=2)),
)
MISSING = "Sans place ici"


class Terminal(StringIO):
    """What a terminal shows."""

    def isatty(self) -> bool:
        return True


def printed(width: int, out: StringIO) -> list[str]:
    """The lines of the table without paint, which all of them have as FORCE_COLOR wants it."""
    screen = TerminalConsole(file=out, width=width, force_terminal=True, soft_wrap=True)
    print_frame(screen, COLUMNS, FRAME, [False], "chouine", translator("fr", "dashboard"))
    return re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue()).splitlines()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_a_table_breaks_no_word_and_says_what_it_has_no_room_for(width: int) -> None:
    lines = printed(width, Terminal())
    assert max(map(len, lines)) <= width
    begin = next((at for at, line in enumerate(lines) if line.startswith(MISSING)), len(lines))
    table, missing = lines[:begin], " ".join(lines[begin:])
    words = " ".join(table).split()
    for heading, cell in (("Rencontres", "5"), ("Gagnées", "34"), ("Annonces", "0,40")):
        assert (heading in words) == (cell in words) == (heading not in missing)
    assert ("31,0" in " ".join(table)) == ("intervalles" not in missing) == (width >= 60)


def test_what_is_no_terminal_has_all_the_room_it_takes() -> None:
    assert printed(20, StringIO()) == printed(120, Terminal())


@pytest.mark.parametrize("width", [24, 30, 40, 80])
def test_a_name_gives_way_where_that_makes_room_for_all_and_only_then(width: int) -> None:
    named = pl.DataFrame({"name": ["Jean-Baptiste Poquelin"], "wins": [7], "n": [31]})
    out = Terminal()
    columns = (NAME, count_column("Won", "wins"), count_column("n", "n"))
    screen = TerminalConsole(file=out, width=width)
    print_frame(screen, columns, named, [False], "chouine", translator("en", "dashboard"))
    line = out.getvalue().splitlines()[1]
    assert len(line) <= width
    assert ("Poquelin" in line) == (width >= 40)
    assert line.split()[-2:] == ["7", "31"]
