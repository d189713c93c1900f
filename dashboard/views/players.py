"""The table of players at one game."""

import polars as pl

from dashboard.queries.intervals import FEW
from dashboard.tables.players import players_columns
from dashboard.text.columns import table_rows
from dashboard.widgets.grid import grid
from ingest.i18n import Translate


def players_table(frame: pl.DataFrame, game: str, t: Translate) -> int | None:
    """Players of `queries.players.table` at one game; the row chosen, if any."""
    columns = players_columns(game)
    rows, grey = table_rows(columns, frame, t), (frame["parties"] < FEW).to_list()
    hint = t("Choose a row to see one player.")
    return grid(rows, columns, grey, "players", t("Players"), t, opens=True, hint=hint)
