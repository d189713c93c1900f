"""One player's sections in the terminal, as the page shows them."""

from collections.abc import Callable, Mapping

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dashboard.queries.intervals import FEW
from dashboard.tables.profile import SHOWN, few, heading, told
from ingest.i18n import N_, Translate
from ingest.text.signs import plain

LONGEST = 12
"""Rows people are shown of a section that grows with time: the last ones."""
LAST = N_("The last {n} of {all}.")
GREYED = N_("Grey: fewer than {n}.")


def objects(found: Mapping[str, pl.DataFrame]) -> str:
    """JSON lines: each row of each section, with `section` first."""
    return "".join(_named(name, frame).write_ndjson() for name, frame in found.items())


def rows(found: Mapping[str, pl.DataFrame]) -> str:
    """One CSV of all sections: every column of any of them, empty where a section has none."""
    frames = [
        _named(name, frame).with_columns(
            pl.col(pl.List(pl.String)).list.join(" – "), pl.col(pl.Datetime).cast(pl.String)
        )
        for name, frame in found.items()
    ]
    return pl.concat(frames, how="diagonal_relaxed").write_csv() if frames else ""


def _named(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(pl.lit(name).alias("section"), pl.all())


def show(
    found: Mapping[str, pl.DataFrame],
    game: str,
    t: Translate,
    console: Console,
    otherwise: Callable[[pl.DataFrame, Translate], Table],
) -> None:
    """Each section under its heading; `otherwise` makes the table of one that has no columns."""
    for name, frame in found.items():
        console.print(Text(heading(name, game, t), style="bold"))
        if name not in SHOWN:
            console.print(otherwise(frame, t))
        else:
            last = frame.tail(LONGEST) if name == "trend" else frame
            console.print(_table(name, last, game, t))
            if last.height < frame.height:
                said = t(LAST, n=last.height, all=frame.height)
                console.print(Text(said, style="dim"))
        console.print()
    console.print(Text(t(GREYED, n=FEW), style="dim"))


def _table(name: str, frame: pl.DataFrame, game: str, t: Translate) -> Table:
    table = Table(box=None, pad_edge=False)
    lines = told(name, frame, game, t)
    for place, column in enumerate(SHOWN[name]):
        numeric = all(isinstance(line[t(column.label)], int) for line in lines)
        table.add_column(
            t(column.label),
            justify="right" if numeric else "left",
            overflow="ellipsis" if place == 0 else "fold",
            no_wrap=place == 0,
            min_width=12 if place == 0 else None,
        )
    for line, grey in zip(lines, few(name, frame), strict=True):
        cells = (Text(plain(str(cell))) for cell in line.values())
        table.add_row(*cells, style="dim" if grey else None)
    return table
