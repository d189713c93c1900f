"""The table of players at one game."""

from dashboard.games import of
from dashboard.tables.ladder import form, rank
from dashboard.text.columns import INTERVAL, Column, counted, detailed, shared
from ingest.i18n import N_


def players_columns(game: str) -> tuple[Column, ...]:
    """What the table of players says at one game.

    Of a frame of `queries.players.table` with a `rank` and a `form` in each row.
    """
    return (
        Column(N_("Rank"), rank, "rank"),
        Column(N_("Name"), lambda row, t: row["name"]),
        shared(N_("Share won"), about="share"),
        counted(N_("Matches"), "matches", "match"),
        Column(N_("Form"), form, "form"),
        INTERVAL,
        detailed(counted(N_("Won"), "wins", "won")),
        detailed(counted(of(game).COUNTED_DEALS, "parties", "n")),
        *of(game).PLAYER_COLUMNS,
    )
