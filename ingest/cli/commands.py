"""Lists every command: module, help, examples.

`--help` lists the commands without importing their modules.
"""

from collections.abc import Callable, Mapping
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

Every match that is not clean is shown with each finding's place, sentence and rule. Warnings
are shown and leave a match legal.

Exit code: 0 nothing wrong was found, 1 something against the rules, 2 it could not be done.""",
        "retourne check club.jsonl",
        "retourne check club.jsonl --fix-preview > fixed.jsonl",
        "retourne check club.jsonl --diff > club.patch",
        "retourne check saison/ --lang fr",
        "zcat club.jsonl.gz | retourne check - --format jsonl",
        "retourne check club.jsonl --set quinte=100",
        "retourne check club.jsonl --server https://club.example",
    ),
    "ingest": Command(
        "ingest.cli.ingest",
        """Check files and store their matches.

Everything that holds a match is stored, with what is wrong with it; a match the store has
already, even written differently, is not stored twice. A file is stored whole or not at all.

Exit code: 0 nothing wrong in what was new, 1 something was, 2 it could not be done.""",
        "retourne ingest club.jsonl",
        "retourne ingest saison.zip feuilles/ --store club.duckdb",
        "zcat club.jsonl.gz | retourne ingest -",
        "retourne ingest saison.jsonl --server https://club.example",
        "retourne ingest 's3://club/2026/*.jsonl.zst' --scheduler local:8",
    ),
    "import": Command(
        "ingest.cli.ingest",
        """Make logs of score sheets (.csv, .xlsx, .ods) and of notes (.txt).

What is unclear is asked, with its place, and then nothing is made of it: docs/score-sheets.md and
docs/notes.md say how they are written. The logs go to standard output or to a file, with what a
check says of them beside; with --add they are added to the store.

Exit code: 0 all was read and nothing is against the rules, 1 something is asked or wrong, 2 it
could not be done.""",
        "retourne import soiree.txt --output soiree.jsonl",
        "retourne import feuille.xlsx | retourne check -",
        f"retourne import feuille.csv --game {_FIRST_GAME} --column 'Pts Lucie=points 1'",
        "retourne import feuille.ods --add --store club.duckdb",
        f"retourne import --template {_FIRST_GAME} --lang fr --output feuille.xlsx",
    ),
    "merge": Command(
        "ingest.cli.make_logs",
        """Put several logs of one match together: each player's view of it, or two scorers'.

Logs of one match have the same id; where one has none, the same players and deals that agree.
What one does not know the other may tell. Where they tell two things, both are shown and the match
is not written; a match that only one log tells is written as it is.

Exit code: 0 all agrees, 1 something differs or is no log, 2 it could not be done.""",
        "retourne merge lucie.json marcel.json --output match.json",
        "retourne merge scorer-1.jsonl scorer-2.jsonl --output club.jsonl",
        "retourne merge views/ | retourne check -",
    ),
    "replay": Command(
        "ingest.cli.replay",
        """Replay a match on the terminal, every finding where it happens.

→, space and enter step forward, ← back; ] and [ go a trick, ↓ and ↑ a deal, Home and End to
the ends, f to the first finding, q leaves. Where there is no terminal, or with --all, the
deals are written as text. With --html the whole match becomes one page with the board of the
dashboard, which opens in any browser without a network.""",
        "retourne replay match.json",
        "retourne replay club.jsonl --match 12 --deal 3",
        "retourne replay lavardin-2026-t12-r3 --store club.duckdb --all",
        "retourne replay lavardin-2026-t12-r3 --server https://club.example",
        "retourne replay match.json --html match.html --mask-names",
    ),
    "solve": Command(
        "ingest.cli.solve",
        """Say what the last cards of each deal cost, against best play.

From where all hands are known to whoever counts, or from the last five tricks on: how many points
each card lost, the cards that lose none, and the action with which the winner turned. It is exact,
and a deal that is not solved says why. docs/insight.md says what the numbers mean.

With --sample it is about one action of a deal, wherever hands were not known: how often each card
would have won, over deals that fit what its player could see, played on by a simple player.

Exit code: 0 it is said, 1 a match in the file cannot be read, 2 it could not be done.""",
        "retourne solve match.json",
        "retourne solve club.jsonl --format jsonl",
        "retourne solve lavardin-2026-t12-r3 --deal 3 --store club.duckdb",
        "retourne solve match.json --deal 2 --sample 11",
    ),
    "simulate": Command(
        "ingest.cli.make_logs",
        """Write simulated matches, one a line.

Every play is legal; players differ by their habits and come back from match to match, so that
statistics have something to show. The same seed always gives the same bytes.""",
        f"retourne simulate --game {_FIRST_GAME} -n 1000 --seed 7 --output saison.jsonl",
        f"retourne simulate --game {_FIRST_GAME} --players 3 --rules mondoubleau -n 20",
        f"retourne simulate --game {_OTHER_GAME} -n 5 | retourne check -",
    ),
    "export": Command(
        "ingest.cli.matches",
        """Take matches or tables out of the store.

A single match comes back byte for byte as it was stored. Several come one a line, or as a JSON
array where one of them has line breaks of its own; each is still exactly as it was.""",
        "retourne export --list",
        "retourne export lavardin-2026-t12-r3 --output match.json",
        "retourne export --table deal_seats --format parquet --output deal_seats.parquet",
        "retourne export --logs --anonymous --output logs.jsonl",
    ),
    "delete": Command(
        "ingest.cli.matches",
        """Delete matches, or all that came with files of a name.

They leave every list and figure at once; their text is kept, and `retourne undelete` brings them
back, until `retourne undelete --empty` forgets them.""",
        "retourne delete lavardin-2026-t12-r3",
        "retourne delete --file saison.jsonl --store club.duckdb",
    ),
    "versions": Command(
        "ingest.cli.matches",
        """List the earlier versions of a match that later logs replaced, or put one back.

A line each: its id, when it was replaced, the file it came with, and in what it differs. What is put
back takes the place of the match, which becomes an earlier version.""",
        "retourne versions soir-1",
        "retourne versions soir-1 --put-back 1a2b3c4d",
    ),
    "undelete": Command(
        "ingest.cli.matches",
        """Bring deleted matches back: those of the last deletion, or of the one with a number.

They are read again by the road of every log. What was added again meanwhile stays as it is.""",
        "retourne undelete --list",
        "retourne undelete",
        "retourne undelete 3 --store club.duckdb",
    ),
    "mask": Command(
        "ingest.cli.access",
        """Show players under a pseudonym: on pages, in replays, exports and addresses.

The pseudonym is always the same one, and only whoever has the store can tell whose it is.
`retourne unmask` brings the name back. Names typed into an event or a match’s own id are masked
in its text and in exports; the pages' lists of matches still show that event and that id.""",
        "retourne mask zoe",
        "retourne mask zoe jean --store club.duckdb",
    ),
    "unmask": Command(
        "ingest.cli.access",
        "Show masked players by their names again.",
        "retourne unmask zoe",
        "retourne unmask 'Joueur 1a2b3c4d5e'",
    ),
    "player merge": Command(
        "ingest.cli.players",
        """Make several players one person, who has the first one's id.

Figures, the ladder, replays and exports follow; the other ids and names still find the person.
Players who sat in one match together are never merged. `retourne player undo` takes it back.""",
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
        """Make some ids or names of a player another player.

It parts two people who came under one id, or who were merged by mistake.""",
        "retourne player split guest 'Paul Martin'",
    ),
    "player duplicates": Command(
        "ingest.cli.players",
        """Propose which players may be one person, and whose one id came with two people's names.

Names are compared without case and accents, with initials, in another order, or without a family
name. Nobody is merged unasked, and people who sat in one match are never proposed.""",
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
        """Propose which matches without cards (score sheets, results) may be one.

They have the same players, day and result. Nothing is joined unasked: the same people may win 3 – 1
twice in an evening.""",
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
        "Say who is behind a pseudonym of this store, masked or in an anonymous export.",
        "retourne whois 'Joueur 1a2b3c4d5e'",
    ),
    "purge": Command(
        "ingest.cli.matches",
        """Purge a match, or a player: no byte of it stays in the store, its trash included.

A player's matches stay, under a pseudonym that nobody can trace back; with --with-matches they
go too. What others' logs say of the player goes as well. It cannot be undone, and backups made
before still have it.""",
        "retourne purge lavardin-2026-t12-r3",
        "retourne purge zoe --store club.duckdb",
        "retourne purge zoe --with-matches --yes",
    ),
    "revalidate": Command(
        "ingest.cli.revalidate",
        """Judge stored matches again: by the rules of this version, or under other rules.

Verdicts of an older version of the rules are refreshed in bulk; matches keep their place and
their address. With --rules or --set nothing is written: the matches whose verdict, points or
winner would move are listed.

Exit code: 0 nothing moves, 1 something does (with --dry-run: verdicts are old), 2 it could not
be done.""",
        "retourne revalidate",
        "retourne revalidate --dry-run --store club.duckdb",
        "retourne revalidate --endgames",
        "retourne revalidate --rules regles-completes",
        f"retourne revalidate --set quinte=100 --game {_FIRST_GAME} --format jsonl",
    ),
    "backup": Command(
        "ingest.cli.whole_store",
        """Write a backup of the store, read it again, and only then put it in its place.

A folder gets a file named by the date; with --keep the oldest of them go. It can be done while the
dashboard is open on the store, whose page “Data” makes one too.""",
        "retourne backup club-backup.duckdb --store club.duckdb",
        "retourne backup backups/ --store club.duckdb --keep 14 --quiet",
    ),
    "restore": Command(
        "ingest.cli.whole_store",
        """Put a backup in the place of the store, once all of it has been read.

What stood there is kept beside it, and the command that brings it back is named.""",
        "retourne restore club-backup.duckdb --store club.duckdb",
        "retourne restore backups/club-2026-11-22-031500.duckdb --store club.duckdb",
    ),
    "copy": Command(
        "ingest.cli.whole_store",
        """Add what one store has to another, and compare them: files, lakes, the store of a server.

Matches go as they are stored: texts, verdicts, findings, values; with them deleted ones, who is
masked, drafts, and into a store that has none of its own the tokens. What is there already stays.
A copy that was ended goes on when it is given again. Then every row and text is read in both.

Exit code: 0 all is the same, 1 something is not, 2 it could not be done.""",
        "retourne copy club.duckdb 'ducklake:postgres:host=db dbname=club?data=/srv/club'",
        "retourne copy 'ducklake:postgres:host=db dbname=club?data=/srv/club' club.duckdb",
        "retourne copy section.duckdb https://federation.example --quiet",
    ),
    "verify": Command(
        "ingest.cli.whole_store",
        """Read every text of the store again and compare every row with what it gives.

Nothing is written.

Exit code: 0 the store is whole, 1 something is wrong, 2 it could not be read.""",
        "retourne verify",
        "retourne verify --store club.duckdb --format json",
    ),
    "rules": Command(
        "ingest.cli.reference",
        """List the rules a log may name, or the options of one preset.

A log names a preset, `"rules": "lavardin"`, or a preset and options,
`"rules": {"preset": "lavardin", "quinte": 100}`. Each option names the rule it belongs to in
docs/rules.md.""",
        "retourne rules",
        "retourne rules regles-completes",
    ),
    "explain": Command(
        "ingest.cli.reference",
        """Say what a code of a finding means, which rule it rests on and what to do about it.

A rule’s id gives the text of that rule and the codes that rest on it; without a word, all codes
are listed.""",
        "retourne explain",
        "retourne explain must-follow",
        "retourne explain CH-9",
    ),
    "schema": Command(
        "ingest.cli.reference",
        """Write the JSON Schema of a match, of every game.

It says what has which type, so that an editor or a server can check the shape of a log; what
the rules say of it is for `retourne check`.""",
        "retourne schema",
        "retourne schema --output match.schema.json",
    ),
    "deck check": Command(
        "ingest.cli.reference",
        """Check a deck of {game} that somebody typed in.

The file is JSON: 44 cards such as `"b3/y30"`, in a list or under the key `cards`. A face is a
colour (b blue, r red, y yellow, k black) and a value, and is on one card only.

Exit code: 0 a good deck, 1 something is wrong with it, 2 the check could not be done.""",
        "retourne deck check my-deck.json",
    ),
    "webhook add": Command(
        "ingest.cli.access",
        """Have a program told of new matches, and write what they are signed with.

A POST says the ids of what each file brought, signed by HMAC-SHA256 (docs/api.md). What is not
answered with success is sent again. It goes to public addresses alone, unless one is allowed.""",
        "retourne webhook add https://club.example/news --store club.duckdb",
    ),
    "webhook list": Command(
        "ingest.cli.access",
        "List who is told: number and address.",
        "retourne webhook list --store club.duckdb",
    ),
    "webhook remove": Command(
        "ingest.cli.access", "Tell a program no more.", "retourne webhook remove 1 --store club.duckdb"
    ),
    "lake compact": Command(
        "ingest.cli.whole_store",
        """Put a lake in order: merge small files, remove what nothing needs any more.

Others write to it and read it meanwhile. What the lake was on an earlier day can be asked as
before, unless --keep lets go of it; then the files that held it go too. docs/scale.md says more.""",
        "retourne lake compact",
        "retourne lake compact --keep 30 --quiet",
    ),
    "token add": Command(
        "ingest.cli.access",
        """Make a token, and write it alone on the last line: it is kept nowhere.

A program sends it as `Authorization: Bearer TOKEN`. A person signs in by a link, the dashboard’s
address followed by `/in#TOKEN`. Once a store has a token, writing needs one, on whatever address it
is served.""",
        "retourne token add zoe --role admin",
        "retourne token add 'club evening' --role contributor --expires 2027-06-30",
    ),
    "token list": Command(
        "ingest.cli.access",
        """List the tokens: name, role, day made, last day, and whether it works.

The tokens themselves nobody can list: the store has a hash of each.""",
        "retourne token list --store club.duckdb",
    ),
    "token revoke": Command(
        "ingest.cli.access",
        "Let nobody in by a token any more, whoever is signed in by it included.",
        "retourne token revoke zoe --store club.duckdb",
    ),
    "session list": Command(
        "ingest.cli.access",
        """List the browsers that are signed in: session, token, role, when it began, when it was last used.

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
        "Close the pages to whoever has no token, or open them to everybody.",
        "retourne token access private --store club.duckdb",
        "retourne token access public",
    ),
}


class Group(NamedTuple):
    """A group of commands; its help names the first game for which `is_about_game` is true.

    The game's title replaces `{game}` in the help of the group and of its commands.
    """

    help: str
    is_about_game: Callable[[GameModules], bool] = lambda game: True


GROUPS: Mapping[str, Group] = {
    "deck": Group(N_("Decks of {game}."), lambda game: game.brings_deck),
    "player": Group(N_("Players: one person with several names, two people with one.")),
    "match": Group(N_("Matches without cards: one in two logs, or two that are alike.")),
    "webhook": Group(N_("Programs that are told of new matches while the store is served.")),
    "lake": Group(N_("A lake, which is a store that many write to.")),
    "session": Group(N_("Browsers that are signed in to the dashboard.")),
    "token": Group(N_("Who may do what on the pages of the dashboard.")),
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
