"""The commands of the terminal that show what the pages show."""

from engine.games import names
from ingest.cli.commands import Command
from ingest.i18n import N_

_ONE, _OTHER = (names() * 2)[:2]

COMMANDS = {
    "stats": Command(
        "dashboard.command.stats",
        N_(
            """Count what the store holds: players, announcements, the ladder.

The figures of the dashboard, from the same queries. Without a player and without an option the
players are listed. Points mean another thing in each game and at each size of table: where
neither is said, those of most deals are taken."""
        ),
        (
            "retourne stats",
            "retourne stats Lucie --since 2026-01-01",
            f"retourne stats --announcements --game {_ONE} --table 2 --format jsonl",
            "retourne stats --announcements --by month",
            "retourne stats --missed --event Lavardin",
            "retourne stats --chance --habit careful",
            f"retourne stats --fairness --game {_OTHER}",
            f"retourne stats --ladder --game {_OTHER}",
        ),
    ),
}
"""By the command's name: listed by the command line, which imports none of them for it."""
