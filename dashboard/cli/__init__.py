"""Commands that serve the pages or print what they show."""

from engine.games import game_names
from ingest.cli.commands import Command

_FIRST_GAME, _OTHER_GAME = (game_names() * 2)[:2]
COMMANDS = {
    "serve": Command(
        "dashboard.cli.serve",
        """Open the dashboard on a store: add files, replay matches, see statistics.

Every command reaches the store while it is served, for the user who serves it. With --inbox
whatever is copied to a folder is added. Ctrl-C ends it.""",
        "retourne serve",
        "retourne serve --store club.duckdb --port 8600 --no-browser",
        "retourne serve --store club.duckdb --inbox depot/",
        "retourne serve --store club.duckdb --address 0.0.0.0 --host club-pc.local",
        "retourne serve --store club.duckdb --host club.example --trusted-proxy 127.0.0.1",
        "retourne serve --store club.duckdb --no-browser --log json",
    ),
    "demo": Command(
        "dashboard.cli.demo",
        """Open the dashboard on simulated games, to see what it shows.

The first time, a store is made of a club's simulated seasons, always the same, and of the
samples that ship with the program, faulty ones included. The dashboard opens on the first game,
and the others come while you look; the first page says how far that is. A demo that was stopped
goes on the next time, and a store that is whole is opened as it is. Ctrl-C ends it.""",
        "retourne demo",
        "retourne demo --port 8600 --no-browser",
        "retourne demo --matches 300 --store essai.duckdb --no-browser",
    ),
    "stats": Command(
        "dashboard.cli.stats",
        """Count what the store holds: players, announcements, the ladder.

The figures of the dashboard, from the same queries. Without a player and without an option the
players are listed. Points mean another thing in each game and at each size of table: where
neither is said, those of most deals are taken.""",
        "retourne stats",
        "retourne stats Lucie --since 2026-01-01",
        f"retourne stats --announcements --game {_FIRST_GAME} --table 2 --format jsonl",
        "retourne stats --announcements --by month",
        "retourne stats --missed --event Lavardin",
        "retourne stats --baseline --habit careful",
        f"retourne stats --fairness --game {_OTHER_GAME}",
        f"retourne stats --ladder --game {_OTHER_GAME}",
    ),
}
"""Commands by name; the command line lists them without importing their modules."""
