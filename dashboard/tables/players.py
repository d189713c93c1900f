"""The table of players at one game."""

from dashboard.games import of
from dashboard.text.columns import INTERVAL, Column, counted, shared
from ingest.i18n import N_


def players_columns(game: str) -> tuple[Column, ...]:
    """What the table of players says at one game, of a frame of `queries.players.table`."""
    return (
        Column(N_("Name"), lambda row, t: row["name"]),
        shared(N_("Share"), about="share"),
        INTERVAL,
        counted(N_("Won"), "wins", "won"),
        counted(of(game).COUNTED_DEALS, "parties", "n"),
        counted(N_("Matches"), "matches", "match"),
        *of(game).PLAYER_COLUMNS,
    )
