"""The commands of the terminal that show what the pages show."""

from ingest.i18n import N_

HELPS = {
    "stats": N_(
        """Count what the store holds: players, announcements, the ladder.

The figures of the dashboard, from the same queries. Without a player and without an option the
players are listed. Points mean another thing in each game and at each size of table: where
neither is said, those of most deals are taken."""
    ),
}
"""By the command's name: listed by the command line, which imports none of them for it."""
