"""Commands that serve the pages or print what they show."""

from engine.games import game_names
from ingest.cli.commands import Command

_FIRST_GAME, _OTHER_GAME = (game_names() * 2)[:2]
COMMANDS = {
    "serve": Command(
        "dashboard.cli.serve",
        """Open the dashboard on a store: add files, replay matches, see statistics.

Your other commands still work on the store. --watch-folder adds the files copied to a folder. Ctrl-C
stops it.""",
        "retourne serve",
        "retourne serve --store club.duckdb --port 8600 --no-browser",
        "retourne serve --store club.duckdb --watch-folder depot/",
        "retourne serve --store club.duckdb --host 0.0.0.0 --allowed-host club-pc.local",
        "retourne serve --store club.duckdb --allowed-host club.example --trusted-proxy 127.0.0.1",
        "retourne serve --store club.duckdb --no-browser --log json",
    ),
    "demo": Command(
        "dashboard.cli.demo",
        """Open the dashboard on the matches of a simulated club.

It opens at once and simulates seasons in the background; the home page shows progress. Ctrl-C
stops it, and the next run resumes there.""",
        "retourne demo",
        "retourne demo --port 8600 --no-browser",
        "retourne demo --matches 300 --store essai.duckdb --no-browser",
    ),
    "stats": Command(
        "dashboard.cli.stats",
        """Show statistics of a store: players, announcements, the ladder.

They are the same as on the dashboard, for one game and one number of players. Without --game and
--player-count, Retourne takes those with the most deals.""",
        "retourne stats",
        "retourne stats Lucie --since 2026-01-01",
        "retourne stats --compare Lucie --compare Paul",
        f"retourne stats --announcements --game {_FIRST_GAME} --player-count 2 --format jsonl",
        "retourne stats --announcements --by month",
        "retourne stats --missed --event Lavardin",
        "retourne stats --baseline --habit careful",
        f"retourne stats --fairness --game {_OTHER_GAME}",
        f"retourne stats --ladder --game {_OTHER_GAME}",
    ),
    "find": Command(
        "dashboard.cli.find",
        """Find deals in a store: by player, hand, contract, announcement, result, finding.

One player must fit all conditions. Combine words with “or”, “not” and brackets.
--words lists the words, in English and French.""",
        "retourne find 'player:Lucie won>=50'",
        "retourne find 'contract>=130 doubled made' --store club.duckdb",
        "retourne find 'held:tierce not announced' -n 50",
        "retourne find 'hand:Jt,9t not declarer' --format jsonl",
        "retourne find 'held:tierce not announced' --months",
        "retourne find --saved 1 --format csv",
        "retourne find --words",
    ),
    "search add": Command(
        "dashboard.cli.search",
        """Save a search under a name, and print its number.

While the store is served, it has an Atom feed and a table (docs/api.md).""",
        "retourne search add 'Tierces not announced' 'held:tierce not announced' --store club.duckdb",
    ),
    "search list": Command(
        "dashboard.cli.search",
        "List the saved searches: number, name and search.",
        "retourne search list --store club.duckdb",
    ),
    "search remove": Command(
        "dashboard.cli.search",
        "Remove a saved search; it can be restored.",
        "retourne search remove 1 --store club.duckdb",
    ),
    "search restore": Command(
        "dashboard.cli.search", "Restore a removed search.", "retourne search restore 1 --store club.duckdb"
    ),
    "page": Command(
        "dashboard.cli.page",
        """Write a page that checks logs in a browser, without a server or a network.

Drop a log on it: it shows verdict, findings and board. The log stays in the browser.

Making it takes wasm-ld: Debian's lld, or ziglang from PyPI.""",
        "retourne page --output retourne.html",
        "retourne page > retourne.html",
    ),
}
"""Commands by name; the command line lists them without importing their modules."""
