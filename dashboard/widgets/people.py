"""Players in tables: each name a link, and how the last matches went."""

from collections.abc import Sequence

import polars as pl

from dashboard.queries import people, results
from dashboard.queries.scope import Scope
from dashboard.text.columns import Column, table_rows
from dashboard.widgets.linked import Cell, Part
from dashboard.widgets.links import player_at
from dashboard.widgets.store import answer
from ingest.i18n import Translate


def names(frame: pl.DataFrame, game: str | None, column: str = "name") -> list[Part]:
    """The names of a frame's players (`player_no`), each a link to the figures at a game."""
    ids = answer(people.led_to, *frame["player_no"].to_list())
    return [
        Part(name, player_at(ids.get(number), game))
        for number, name in frame.select("player_no", column).rows()
    ]


def named_rows(
    columns: Sequence[Column],
    frame: pl.DataFrame,
    game: str,
    t: Translate,
    label: str = "Name",
    column: str = "name",
) -> list[dict[str, Cell]]:
    """The rows of a frame of players under some columns; what stands under `label` is a link."""
    told = zip(
        table_rows(columns, frame, t, {"game": game}), names(frame, game, column), strict=True
    )
    return [{**row, t(label): name} for row, name in told]


def with_form(frame: pl.DataFrame, which: Scope) -> pl.DataFrame:
    """A frame of players with the `form` of each, as `queries.results.form` has it."""
    found = answer(results.form, which, *frame["player_no"].to_list())
    each = [found.get(number, []) for number in frame["player_no"]]
    return frame.with_columns(form=pl.Series(each, dtype=pl.List(pl.Boolean)))
