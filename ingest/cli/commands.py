"""Lists every command and subcommand: module, help, examples.

`--help` lists the commands without importing their modules.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from keyword import iskeyword
from typing import NamedTuple

from engine.games import GameModules, game_names
from ingest.i18n import N_


class Command:
    """One command; the list of commands shows the first line of its help."""

    def __init__(self, module: str, help: str, *examples: str) -> None:
        self.module, self.help, self.examples = module, help, examples


def function_name(command: str) -> str:
    """Return the name of a command's function: `token_add`, or `import_` where it is a keyword."""
    return f"{command}_" if iskeyword(command) else command.replace(" ", "_")


_FIRST_GAME, _OTHER_GAME = (game_names() * 2)[:2]
COMMANDS: Mapping[str, Command] = {
    "check": Command(
        "ingest.cli.check",
        """Check logs against the rules they name.

Each finding is printed with its place, sentence and rule. Warnings leave a match legal.

Exit code: 0 no fault, 1 faulty, incomplete or unreadable matches, 2 the command failed.""",
        "retourne check club.jsonl",
        "retourne check club.jsonl --apply-edits > fixed.jsonl",
        "retourne check club.jsonl --diff > club.patch",
        "retourne check saison/ --lang fr",
        "zcat club.jsonl.gz | retourne check - --format jsonl",
        "retourne check club.jsonl --set quinte=100",
        "retourne check club.jsonl --server https://club.example",
    ),
    "ingest": Command(
        "ingest.cli.ingest",
        """Check files and store their matches, with their findings.

Retourne stores no match twice, and each file whole or not at all.

Exit code: 0 no new faults, 1 faulty, incomplete or unreadable matches, 2 the command failed.""",
        "retourne ingest club.jsonl",
        "retourne ingest saison.zip feuilles/ --store club.duckdb",
        "zcat club.jsonl.gz | retourne ingest -",
        "retourne ingest saison.jsonl --server https://club.example",
        "retourne ingest 's3://club/2026/*.jsonl.zst' --scheduler local:8",
    ),
    "import": Command(
        "ingest.cli.ingest",
        """Convert score sheets (.csv, .xlsx, .ods) and notes (.txt) into logs.

Retourne asks about unclear passages. Formats: docs/score-sheets.md, docs/notes.md.

Exit code: 0 no fault, 1 a question or a fault, 2 the command failed.""",
        "retourne import soiree.txt --output soiree.jsonl",
        "retourne import feuille.xlsx | retourne check -",
        f"retourne import feuille.csv --game {_FIRST_GAME} --column 'Pts Lucie=points 1'",
        "retourne import feuille.ods --add --store club.duckdb",
        f"retourne import --template {_FIRST_GAME} --lang fr --output feuille.xlsx",
    ),
    "merge": Command(
        "ingest.cli.merge_and_simulate",
        """Merge several logs of one match: each player's, or two scorers'.

One log fills the gaps of another. If two disagree, Retourne shows both and writes neither.

Exit code: 0 all agree, 1 a difference or no log, 2 the command failed.""",
        "retourne merge lucie.json marcel.json --output match.json",
        "retourne merge scorer-1.jsonl scorer-2.jsonl --output club.jsonl",
        "retourne merge views/ | retourne check -",
    ),
    "replay": Command(
        "ingest.cli.replay",
        """Replay a match on the terminal, with its findings.

Keys: →, ← a step; ], [ a trick; ↓, ↑ a deal; Home, End; f the first finding; q leaves.
--all prints the deals, --html writes a page with the board that works offline.""",
        "retourne replay match.json",
        "retourne replay club.jsonl --match 12 --deal 3",
        "retourne replay lavardin-2026-t12-r3 --store club.duckdb --all",
        "retourne replay lavardin-2026-t12-r3 --server https://club.example",
        "retourne replay match.json --html match.html --mask-names",
    ),
    "solve": Command(
        "ingest.cli.solve",
        """Show how many points each of a deal’s last cards lost, compared with best play.

--sample estimates one action with hidden hands. docs/insight.md explains both.

Exit code: 0 computed, 1 an unreadable match, 2 the command failed.""",
        "retourne solve match.json",
        "retourne solve club.jsonl --format jsonl",
        "retourne solve lavardin-2026-t12-r3 --deal 3 --store club.duckdb",
        "retourne solve match.json --deal 2 --sample 11",
    ),
    "simulate": Command(
        "ingest.cli.merge_and_simulate",
        """Write simulated matches, one per line.

Every play is legal. Players have their own habits and return from match to match.
The same seed always gives the same bytes.""",
        f"retourne simulate --game {_FIRST_GAME} -n 1000 --seed 7 --output saison.jsonl",
        f"retourne simulate --game {_FIRST_GAME} --player-count 3 --preset mondoubleau -n 20",
        f"retourne simulate --game {_OTHER_GAME} -n 5 | retourne check -",
    ),
    "conform": Command(
        "ingest.cli.conform",
        """Compare another engine with the rules: docs/conform.md.

Retourne asks it for legal acts and findings, and reports differences by rule.

Exit code: 0 no difference, 1 a difference, 2 the engine failed.""",
        f"retourne conform --game {_FIRST_GAME} -- node engine.mjs",
        "retourne conform --limit 0 -- ./engine",
        "retourne conform --format jsonl -- python my_engine.py",
    ),
    "export": Command(
        "ingest.cli.matches",
        """Export matches or tables from the store.

Each match is byte for byte as it was stored: several one per line, or in a JSON array if one of
them has line breaks.""",
        "retourne export --list",
        "retourne export lavardin-2026-t12-r3 --output match.json",
        "retourne export --table deal_seats --format parquet --output deal_seats.parquet",
        "retourne export --logs --anonymous --output logs.jsonl",
    ),
    "delete": Command(
        "ingest.cli.matches",
        """Delete matches, or all matches that came from a given file.

They leave all lists and statistics and go to the trash. `retourne undelete` restores them, until
you empty the trash with --empty.""",
        "retourne delete lavardin-2026-t12-r3",
        "retourne delete --file saison.jsonl --store club.duckdb",
    ),
    "versions": Command(
        "ingest.cli.matches",
        """List the earlier versions of a match, or restore one.

Each line has the id, the date of replacement, the file and the differences. --restore-version restores
one in the place of the present match.""",
        "retourne versions soir-1",
        "retourne versions soir-1 --restore-version 1a2b3c4d",
    ),
    "undelete": Command(
        "ingest.cli.matches",
        """Restore the matches of the last deletion, or of the deletion with the number N.

Retourne reads them again like any other log. Matches that were added again in the meantime stay
as they are.""",
        "retourne undelete --list",
        "retourne undelete",
        "retourne undelete 3 --store club.duckdb",
    ),
    "mask": Command(
        "ingest.cli.access",
        """Show players under a pseudonym on pages, in replays and exports.

Only the store knows who it is; `retourne unmask` brings the name back. The lists of the pages
still show events and ids that have the name.""",
        "retourne mask zoe",
        "retourne mask zoe jean --store club.duckdb",
    ),
    "unmask": Command(
        "ingest.cli.access",
        "Show masked players under their real names again.",
        "retourne unmask zoe",
        "retourne unmask 'Joueur 1a2b3c4d5e'",
    ),
    "player merge": Command(
        "ingest.cli.players",
        """Merge several players into one person with the first one's id.

The other ids and names still find the person. Players of the same match are never merged.
`retourne player undo` reverts it.""",
        "retourne player merge zoe zoe-petit",
    ),
    "player rename": Command(
        "ingest.cli.players",
        """Show a player under another name, whatever later matches have.

Without it, a player has the name of the last match played. The other names still find the player.""",
        "retourne player rename zoe 'Zoé Grand'",
    ),
    "player split": Command(
        "ingest.cli.players",
        """Split some ids or names of a player off into another player.

Use it for two people under one id, or merged by mistake.""",
        "retourne player split guest 'Paul Martin'",
    ),
    "player duplicates": Command(
        "ingest.cli.players",
        """Propose players who may be one person, and ids that may belong to two.

Retourne compares names without case and accents, with initials, in another order, or without a
family name. It merges no players on its own.""",
        "retourne player duplicates",
    ),
    "player different": Command(
        "ingest.cli.players",
        "Remember that two players are two people: they are not proposed again.",
        "retourne player different jean-martin jeanne-martin",
    ),
    "player undo": Command(
        "ingest.cli.players",
        "Undo a merge, rename or split of players: the last one, or the one with a number.",
        "retourne player undo --list",
        "retourne player undo",
    ),
    "match duplicates": Command(
        "ingest.cli.match_duplicates",
        """Propose matches that may be the same.

They have the same players, day and result or first deals, or they share deals. Retourne never joins
them unasked: a result may come twice.""",
        "retourne match duplicates",
    ),
    "match same": Command(
        "ingest.cli.match_duplicates",
        """Make another match an earlier version of a match: they are one, and count once.

`retourne match undo` takes it back.""",
        "retourne match same 1a2b3c4d 5e6f7a8b",
    ),
    "match different": Command(
        "ingest.cli.match_duplicates",
        "Remember that two matches are two: they are not proposed again.",
        "retourne match different 1a2b3c4d 5e6f7a8b",
    ),
    "match undo": Command(
        "ingest.cli.match_duplicates",
        "Undo an answer about matches: the last one, or the one with a number.",
        "retourne match undo --list",
        "retourne match undo",
    ),
    "whois": Command(
        "ingest.cli.access",
        "Name the player that a pseudonym hides, on a page or in an anonymous export of this store.",
        "retourne whois 'Joueur 1a2b3c4d5e'",
    ),
    "purge": Command(
        "ingest.cli.matches",
        """Delete one match or one player permanently, without a copy in the trash.

A player's matches stay, under a random pseudonym; with --with-matches they are deleted too. This
cannot be undone; older backups keep the data.""",
        "retourne purge lavardin-2026-t12-r3",
        "retourne purge zoe --store club.duckdb",
        "retourne purge zoe --with-matches --yes",
    ),
    "revalidate": Command(
        "ingest.cli.revalidate",
        """Check stored matches again, by today’s rules or by others.

With --preset or --set, Retourne only lists the matches that would change.

Exit code: 0 no change, 1 changes or old verdicts, 2 the command failed.""",
        "retourne revalidate",
        "retourne revalidate --dry-run --store club.duckdb",
        "retourne revalidate --endgames",
        "retourne revalidate --preset regles-completes",
        f"retourne revalidate --set quinte=100 --game {_FIRST_GAME} --format jsonl",
    ),
    "backup": Command(
        "ingest.cli.maintenance",
        """Write a backup of the store and read it back.

In a folder, the file is named by the date; --keep-last removes the oldest. The dashboard may be open;
its page “Data” makes backups too.""",
        "retourne backup club-backup.duckdb --store club.duckdb",
        "retourne backup backups/ --store club.duckdb --keep-last 14 --quiet",
    ),
    "restore": Command(
        "ingest.cli.maintenance",
        """Replace the store with a backup, once all of it has been read.

The replaced store stays next to it, and Retourne prints the command that brings it back.""",
        "retourne restore club-backup.duckdb --store club.duckdb",
        "retourne restore backups/club-2026-11-22-031500.duckdb --store club.duckdb",
    ),
    "copy": Command(
        "ingest.cli.maintenance",
        """Copy one store into another and compare them: files, lakes, the store of a server.

Data of the target stays. An interrupted copy resumes when you run it again.

Exit code: 0 identical, 1 differences, 2 the command failed.""",
        "retourne copy club.duckdb 'ducklake:postgres:host=db dbname=club?data=/srv/club'",
        "retourne copy 'ducklake:postgres:host=db dbname=club?data=/srv/club' club.duckdb",
        "retourne copy section.duckdb https://federation.example --quiet",
    ),
    "verify": Command(
        "ingest.cli.maintenance",
        """Read the logs of the store again and check that its tables agree with them.

Nothing is written.

Exit code: 0 the store is intact, 1 it is damaged, 2 it could not be read.""",
        "retourne verify",
        "retourne verify --store club.duckdb --format json",
    ),
    "rules": Command(
        "ingest.cli.rules_and_schema",
        """List the presets a log may name, or the options of one.

A log names a preset, `"lavardin"`, or a preset and options,
`{"preset": "lavardin", "quinte": 100}`. docs/rules.md has the rules of the options.""",
        "retourne rules",
        "retourne rules regles-completes",
    ),
    "explain": Command(
        "ingest.cli.rules_and_schema",
        """Explain the code of a finding: its meaning, its rule and the next step.

A rule’s id gives the text of that rule and its codes; without an argument, all codes are listed.""",
        "retourne explain",
        "retourne explain must-follow",
        "retourne explain CH-9",
    ),
    "schema": Command(
        "ingest.cli.rules_and_schema",
        """Write the JSON Schema of a match, of every game.

Editors and servers use it to check the types and keys of a log. To check the rules of the game,
run `retourne check`.""",
        "retourne schema",
        "retourne schema --output match.schema.json",
    ),
    "lsp": Command(
        "ingest.cli.rules_and_schema",
        """Serve an editor: findings while you type, their edits, and the text of a rule.

Your editor starts this command and speaks the Language Server Protocol with it (docs/editor.md).""",
        "retourne lsp --lang fr",
    ),
    "deck check": Command(
        "ingest.cli.rules_and_schema",
        """Check a deck of {game} typed by hand.

The file is JSON: 44 cards such as `"b3/y30"`, each face only once. Colours: b blue, r red, y
yellow, k black.

Exit code: 0 a good deck, 1 errors, 2 the command failed.""",
        "retourne deck check my-deck.json",
    ),
    "webhook add": Command(
        "ingest.cli.access",
        """Add a webhook for new matches, and print its signing secret.

A POST lists the ids of the matches of each file (docs/api.md). Retourne repeats failed deliveries.
--allow-private permits private addresses.""",
        "retourne webhook add https://club.example/news --store club.duckdb",
    ),
    "webhook list": Command(
        "ingest.cli.access",
        "List the webhooks: number and address.",
        "retourne webhook list --store club.duckdb",
    ),
    "webhook remove": Command(
        "ingest.cli.access", "Remove a webhook.", "retourne webhook remove 1 --store club.duckdb"
    ),
    "lake compact": Command(
        "ingest.cli.maintenance",
        """Compact a lake: merge small files and remove unused ones.

Other programs can read and write at the same time. Earlier states stay, unless --keep-days removes
them (docs/scale.md).""",
        "retourne lake compact",
        "retourne lake compact --keep-days 30 --quiet",
    ),
    "token add": Command(
        "ingest.cli.access",
        """Create a token and print it on the last line; it will not be shown again.

A person signs in by the dashboard’s address and `/in#TOKEN`. Once a store has a token, writing needs one.""",
        "retourne token add zoe --role admin",
        "retourne token add 'club evening' --role contributor --expires 2027-06-30",
    ),
    "token list": Command(
        "ingest.cli.access",
        """List the tokens: name, role, day made, last day, and whether it works.

The store only has a hash of each token, so the tokens themselves cannot be listed.""",
        "retourne token list --store club.duckdb",
    ),
    "token revoke": Command(
        "ingest.cli.access",
        "Revoke a token and end its sessions.",
        "retourne token revoke zoe --store club.duckdb",
    ),
    "session list": Command(
        "ingest.cli.access",
        """List the signed-in browsers: session, token, role, beginning, last use.

A session ends after twelve hours without use, and with its token. Without an admin's token you see the
sessions of your own.""",
        "retourne session list --store club.duckdb",
    ),
    "session end": Command(
        "ingest.cli.access",
        "Sign a browser out at once; its token still works.",
        "retourne session end 3f9a0c51e2b7 --store club.duckdb",
    ),
    "token access": Command(
        "ingest.cli.access",
        "Require a token to read, or make reading public.",
        "retourne token access private --store club.duckdb",
        "retourne token access public",
    ),
}


PAGES_PANEL = N_("Pages and statistics:")
PANELS: Mapping[str, Sequence[str]] = {
    N_("Logs:"): ("check", "import", "merge", "replay", "solve", "rules", "explain"),
    N_("The store:"): (
        *("ingest", "export", "delete", "undelete", "versions", "match", "revalidate", "backup"),
        *("restore", "copy", "verify"),
    ),
    N_("Players:"): ("player", "mask", "unmask", "whois", "purge"),
    PAGES_PANEL: (),
    N_("For programmers:"): ("simulate", "conform", "schema", "lsp", "deck", "webhook", "lake", "page"),
}
"""Heading → commands and groups under it in the program’s help, in this order.

Those that no heading lists are under `PAGES_PANEL`.
"""


def panel_of(command: str) -> str:
    """Return the heading of a command or a group in the program’s help."""
    return next((panel for panel, names in PANELS.items() if command in names), PAGES_PANEL)


class Group(NamedTuple):
    """A group of commands; its help names the first game for which `is_about_game` is true.

    The game's title replaces `{game}` in the help of the group and of its commands.
    """

    help: str
    is_about_game: Callable[[GameModules], bool] = lambda game: True


GROUPS: Mapping[str, Group] = {
    "deck": Group(N_("Decks of {game}."), lambda game: game.brings_deck),
    "player": Group(N_("Find players who are one person, and merge, split or rename players.")),
    "match": Group(N_("Find matches that may be stored twice: join them or keep both.")),
    "search": Group(N_("Your saved searches for deals: add, list, remove, restore.")),
    "webhook": Group(N_("Webhooks: programs to notify of new matches while the store is served.")),
    "lake": Group(N_("A lake: a store that many programs write to.")),
    "session": Group(N_("Browsers that are signed in to the dashboard.")),
    "token": Group(N_("Access rights to the dashboard and its API.")),
}


@cache
def plugin_commands() -> Mapping[str, tuple[str, Command]]:
    """Return the commands of other packages, each with the package whose catalogue translates it.

    An entry point of `retourne.commands` is a module with a function of the command's name. Its
    package lists the commands in `COMMANDS`, and none of their modules is imported.
    """
    points = entry_points(group="retourne.commands")
    return {
        name: (package.partition(".")[0], command)
        for package in sorted({point.module.rpartition(".")[0] for point in points})
        for name, command in import_module(package).COMMANDS.items()
    }
