"""One player's sections in the terminal, as the page shows them."""

import re
import sys
from collections.abc import Mapping

import polars as pl
from rich.text import Text

from dashboard.command.fitted import Head, show
from dashboard.command.frames import Format, show_frame, write_csv
from dashboard.queries.intervals import FEW
from dashboard.tables.profile import SECTIONS, few, heading, section_rows
from dashboard.text.columns import with_sheets
from ingest.cli.console import Screen
from ingest.cli.terminal import console
from ingest.i18n import N_, Translate
from ingest.text.signs import json_lines, plain

LONGEST = 12
"""Rows people are shown of a section that grows with time: the last ones."""
NUMBER = re.compile(r"[-−+]?[\d\s.,]+%?|–")
"""A cell that stands to the right, below the others' digits."""
LAST = N_("The last {n} of {all}.")
GREYED = N_("Grey: fewer than {n}.")


def _json_lines(found: Mapping[str, pl.DataFrame]) -> str:
    """JSON lines: each row of each section, with `section` first."""
    return "".join(_named(name, frame).write_ndjson() for name, frame in found.items())


def _one(found: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """One frame of all sections: every column of any of them, empty where a section has none."""
    frames = [
        _named(name, frame).with_columns(
            pl.col(pl.List(pl.String)).list.join(" – "), pl.col(pl.Datetime).cast(pl.String)
        )
        for name, frame in found.items()
    ]
    return pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()


def _named(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(pl.lit(name).alias("section"), pl.all())


def is_empty(found: Mapping[str, pl.DataFrame]) -> bool:
    """Whether no row of any section rests on anything."""
    return not any(
        frame["n"].sum() if "n" in frame.columns else frame.height for frame in found.values()
    )


def write(found: Mapping[str, pl.DataFrame], game: str, format: Format, t: Translate) -> None:
    """Everything there is of one player, in the format asked for."""
    if format is Format.TABLE:
        _print(found, game, t, console())
    elif format is Format.CSV:
        write_csv(_one(found))
    else:
        sys.stdout.write(json_lines(_json_lines(found)))


def _print(found: Mapping[str, pl.DataFrame], game: str, t: Translate, console: Screen) -> None:
    """Each section under its heading; one without columns of its own as any other frame."""
    for name, frame in found.items():
        section = SECTIONS[name]
        console.print(Text(heading(name, game, t), style="bold"))
        last = frame.tail(LONGEST) if section.grows else frame
        if section.columns:
            _show(name, last, game, t, console)
        else:
            show_frame(console, frame, t)
        if last.height < frame.height:
            console.print(Text(t(LAST, n=last.height, all=frame.height), style="dim"))
        console.print()
    console.print(Text(t(GREYED, n=FEW), style="dim"))


def _show(name: str, frame: pl.DataFrame, game: str, t: Translate, out: Screen) -> None:
    """A section with columns of its own."""
    lines = section_rows(name, frame, game, t)
    heads = [
        Head(
            t(column.label),
            right=all(NUMBER.fullmatch(str(line[t(column.label)])) for line in lines),
            shrinks=place == 0,
            bound=(column.about or "").startswith("interval"),
        )
        for place, column in enumerate(with_sheets(SECTIONS[name].columns, frame))
    ]
    rows = [[plain(str(cell)) for cell in line.values()] for line in lines]
    show(out, heads, rows, few(name, frame), t)
