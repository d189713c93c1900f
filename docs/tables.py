"""Write `docs/tables.md`, every table and column there is: `python -m docs.tables`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import polars as pl

from docs.sample_store import fill
from docs.stats_schema import ANSWERS, PLAYER, Answer, asked, column, section
from engine.games import game, game_names, game_title
from ingest.store.export import FREE_TEXT_COLUMNS, Table
from schemas.column_docs import DOCUMENTED_VIEWS, TABLE_DOCS
from schemas.games import schemas_of
from schemas.migrations import connect

PAGE = Path(__file__).with_name("tables.md")
HEAD = """# Tables

Written by `python -m docs.tables`: every table and view of the store, what `retourne export` and
`retourne stats` write, each column with its type and unit. The store is one
[DuckDB](https://duckdb.org) file. While nothing else has it open, any program that reads DuckDB can
ask it, Python's own too, which is installed with `retourne`:
`duckdb.connect("retourne.duckdb", read_only=True).sql("…")`. The same words stand in the file
itself:

```sql
SELECT column_name, data_type, comment FROM duckdb_columns() WHERE table_name = 'deals'
    AND schema_name = 'main';
```

Seats count from 1, times are UTC; the day of a match, `played_on`, is the one its log's own clock
says. A column is NULL where a game has no such thing or nobody knows,
unless it is `NOT NULL`. All that hangs on a match has its `match_no`; what hangs on a deal has
`deal` too, on a seat `seat`. Queries are examples; each is run by a test.
"""
STORE = """
Below the store's: [codes by game](#codes-by-game), [exports](#exports),
[statistics](#statistics), [those of a player](#statistics-of-a-player).

## The store

{tables}.
"""
EXPORTS = """
## Exports

`retourne export --table NAME` writes {tables},
with the columns they have here, of all matches or of those that were asked for. Parquet keeps
types: a list is a list, a time has its zone; a verdict is text. CSV writes a list as `[3, 17, 20]`,
a time as `2026-03-16 13:00:00+00`, nothing for NULL, and puts `'` before a text that a spreadsheet
would take for a formula. JSON lines write a list as one, and a time as that text.

With `--anonymous`, a player's `player_id` and `name` are a pseudonym,
and {own} are NULL but for what `--keep-fields` names. Whole logs, `--logs`, have the
[format](format.md).
"""
STATS = """
## Statistics

`retourne stats … --format jsonl` writes an object a row, `--format csv` the same columns. A share
is between 0 and 1. `low` and `high` are the ends of a 95% interval. Without a game and a table
named, the deals are those of the game and table of most deals; which count is told in
[cli.md](cli.md).
"""
OF_PLAYER = """
## Statistics of a player

`retourne stats PLAYER --format jsonl` writes the sections one after the other, each row with the
name of its `section` first; an empty one is left out. As CSV all sections are one table with the
columns of all, and lists are joined by ` – `.
"""
CODES = """
## Codes by game

What the numbers of `deals` and `deal_seats` mean in each game. Words are those of the
[format](format.md#actions). A deal that goes on has the `outcome` 0, one that ended with its last
card 1. The act of a code in `actions` is `code % 512`, its seat `code // 512 + 1`; the act 511 is
one that is no word of the game.
"""
TYPES = {
    pl.String: "text",
    pl.Boolean: "boolean",
    pl.Date: "date",
    pl.Datetime: "time",
    pl.List: "list of texts",
}

EXAMPLES: Mapping[str, str] = {
    "files": "SELECT name, matches, duplicates FROM files ORDER BY file_no;",
    "matches": """SELECT game, status, count(*) AS matches
FROM matches GROUP BY ALL ORDER BY ALL;""",
    "players": """SELECT name, count(*) AS matches
FROM players JOIN seats USING (player_no) GROUP BY ALL ORDER BY matches DESC, name;""",
    "aliases": """SELECT p.name, list(DISTINCT a.name ORDER BY a.name) AS names
FROM aliases a JOIN players p USING (player_no) GROUP BY ALL ORDER BY ALL;""",
    "player_changes": "SELECT count(*) AS rows FROM player_changes;",
    "different_players": "SELECT count(*) AS pairs FROM different_players;",
    "match_answers": "SELECT what, count(*) AS pairs FROM match_answers GROUP BY ALL ORDER BY ALL;",
    "player_names": "SELECT player_no, name FROM player_names WHERE search_name = 'lucie' ORDER BY ALL;",
    "seats": """SELECT log_id, name, score, manches
FROM seats JOIN matches USING (match_no) JOIN players USING (player_no)
WHERE winner > 0 ORDER BY match_no, seat;""",
    "deals": """-- the first cards of each deck, and who did what first
SELECT log_id, deal,
    [['7', '8', '9', 'J', 'Q', 'K', 'T', 'A'][card % 8 + 1] || 'shdc'[card // 8 + 1]
        FOR card IN deck[1:6]] AS cards,
    actions[1] // 512 + 1 AS seat, actions[1] % 512 AS act
FROM deals JOIN matches USING (match_no)
WHERE game = 'chouine' AND deck IS NOT NULL;""",
    "deal_seats": """SELECT name, count(*) AS deals, avg(points) AS points, avg(won::INTEGER) AS won
FROM deal_seats JOIN players USING (player_no) JOIN deals USING (match_no, deal)
WHERE deals.status = 'legal' AND won IS NOT NULL GROUP BY ALL ORDER BY deals DESC;""",
    "announcements": """SELECT kind, count(*) AS held, count_if(announced) AS announced
FROM announcements WHERE held GROUP BY kind ORDER BY held DESC;""",
    "findings": """SELECT code, rule, severity, count(*) AS findings
FROM findings GROUP BY ALL ORDER BY findings DESC;""",
    "raw": "SELECT match_no, size FROM raw ORDER BY size DESC LIMIT 5;",
    "tricks": """-- how often the dealer takes a trick
SELECT trick, avg((taker = dealer)::INTEGER) AS share
FROM tricks JOIN deals USING (match_no, deal) GROUP BY trick ORDER BY trick;""",
    "match_versions": "SELECT count(*) AS versions FROM match_versions;",
    "sheet_with_log": """SELECT sheet.log_id AS sheet, log.log_id AS log
FROM sheet_with_log JOIN matches sheet USING (match_no) JOIN matches log ON log.match_no = log_no;""",
    "match_deals": """SELECT status, sum(deals) AS deals, sum(decided) AS decided
FROM match_deals WHERE NOT void GROUP BY status ORDER BY status;""",
    "match_seats": """SELECT name, sum(decided) AS deals, sum(wins) AS wins
FROM match_seats JOIN players USING (player_no)
WHERE status = 'legal' GROUP BY name ORDER BY deals DESC;""",
    "match_kinds": """SELECT kind, sum(chances) AS chances, sum(missed) AS unannounced
FROM match_kinds WHERE status = 'legal' GROUP BY kind ORDER BY chances DESC;""",
    "announcement_rollup": """SELECT trick, count(*) AS announcements
FROM announcement_rollup WHERE announced GROUP BY trick ORDER BY trick;""",
    "endgame_values": """SELECT coalesce(unsolved, 'solved') AS what, count(*) AS deals,
    count(turning_action) AS turning_points
FROM endgame_values GROUP BY what ORDER BY deals DESC;""",
    "endgame_seat_values": """SELECT name, count(*) AS deals, avg(lost) AS lost,
    max(worst_loss) AS worst_loss
FROM endgame_seat_values JOIN deal_seats USING (match_no, deal, seat) JOIN players USING (player_no)
WHERE cards_played > 0 GROUP BY name ORDER BY deals DESC;""",
    "ratings": """SELECT game, preset, name, arg_max(mu - 3 * sigma, place) AS worth
FROM ratings JOIN players USING (player_no) GROUP BY ALL ORDER BY game, preset, worth DESC;""",
    "sheet_ratings": """SELECT game, preset, count(DISTINCT match_no) AS matches
FROM sheet_ratings GROUP BY ALL ORDER BY ALL;""",
    "trash": """SELECT match_id, changed_at AS deleted_at
FROM trash JOIN change_log USING (change) ORDER BY deleted_at;""",
    "change_log": """SELECT what, count(*) AS times, max(changed_at) AS last
FROM change_log GROUP BY what;""",
    "audit": """SELECT done_at, coalesce(name, '–') AS who, what, about, n
FROM audit LEFT JOIN tokens USING (token_no) ORDER BY done_at DESC;""",
    "masked": """SELECT masked.name, players.name AS pseudonym
FROM masked JOIN players USING (player_no);""",
    "purged": "SELECT address FROM purged;",
    "secret": "SELECT octet_length(key) AS bytes FROM secret;",
    "tokens": "SELECT name, role, expires_at FROM tokens WHERE revoked_at IS NULL;",
    "sessions": """SELECT name, count(*) AS browsers
FROM sessions JOIN tokens USING (token_no) GROUP BY name;""",
    "settings": "SELECT value FROM settings WHERE name = 'access';",
    "sheet_mappings": "SELECT sheet, confirmed_at FROM sheet_mappings ORDER BY confirmed_at DESC;",
    "drafts": "SELECT begun_at, changed_at, version FROM drafts ORDER BY changed_at DESC;",
    "migrations": "SELECT max(number) AS schema FROM migrations;",
    "baseline.runs": "SELECT game, preset, players, habit, deals FROM baseline.runs;",
    "baseline.matches": """SELECT event, count(*) AS matches, sum(deals) AS deals
FROM baseline.matches GROUP BY event;""",
    "baseline.players": """SELECT name AS habit, count(*) AS seats
FROM baseline.players JOIN baseline.seats USING (player_no) GROUP BY name;""",
    "baseline.seats": """SELECT winner = seat AS won, avg(score) AS score
FROM baseline.seats JOIN baseline.matches USING (match_no) WHERE winner > 0 GROUP BY won;""",
    "baseline.deals": """SELECT outcome, count(*) AS deals, avg(tricks) AS tricks
FROM baseline.deals GROUP BY outcome ORDER BY outcome;""",
    "baseline.deal_seats": """SELECT dealt, avg(points) AS points
FROM baseline.deal_seats GROUP BY dealt;""",
    "baseline.match_deals": """SELECT sum(deals) AS deals, sum(decided) AS decided
FROM baseline.match_deals;""",
    "baseline.match_seats": """SELECT seat, sum(wins) / sum(decided) AS share
FROM baseline.match_seats GROUP BY seat ORDER BY seat;""",
    "baseline.match_kinds": """SELECT kind, sum(held) AS held, sum(counted) AS counted
FROM baseline.match_kinds GROUP BY kind ORDER BY held DESC;""",
    "baseline.announcement_rollup": """SELECT lead, count(*) AS announcements
FROM baseline.announcement_rollup WHERE announced GROUP BY lead;""",
    "baseline.announcements": """-- beside those of the games
SELECT kind, avg(announced::INTEGER) AS simulated,
    (SELECT avg(announced::INTEGER) FROM announcements a WHERE a.kind = b.kind AND held) AS seen
FROM baseline.announcements b WHERE held GROUP BY kind ORDER BY kind;""",
}


def page(ask: duckdb.DuckDBPyConnection) -> str:
    """The whole document, of a store that `sample_store` filled."""
    parts = [HEAD, STORE.format(tables=", ".join(map(_link, TABLE_DOCS)))]
    parts += [_table(ask, name) for name in TABLE_DOCS]
    parts += [CODES, *map(_codes, game_names())]
    parts += [EXPORTS.format(tables=_listed(Table), own=_listed(_own_words())), STATS]
    parts += [_answer(f"`{name}`", one, asked(ask, one)) for name, one in ANSWERS.items()]
    parts += [OF_PLAYER]
    parts += [_answer(f"`{name}`", one, section(ask, name)) for name, one in PLAYER.items()]
    return "".join(parts)


def _table(ask: duckdb.DuckDBPyConnection, name: str) -> str:
    """One table or view of the store, its columns and its example."""
    comment = TABLE_DOCS[name]
    kind = "A view. " if name in DOCUMENTED_VIEWS else ""
    rows = [
        (f"`{column}`", kind if null else f"{kind} NOT NULL", *_unit(comment.columns[column]))
        for column, kind, null in columns(ask, name)
    ]
    alike = name.startswith("baseline.") and name != "baseline.runs"
    shown = "" if alike else _rows(("column", "type", "unit", ""), rows) + "\n"
    return f"\n### {name}\n\n{kind}{comment.about}.\n\n{shown}```sql\n{EXAMPLES[name]}\n```\n"


def _link(name: str) -> str:
    return f"[{name}](#{name.replace('.', '')})"


def columns(ask: duckdb.DuckDBPyConnection, name: str) -> list[tuple[str, str, bool]]:
    """Column, type and whether it may be NULL, of a table or a view."""
    schema, _, table = name.rpartition(".")
    return ask.execute(
        "SELECT column_name, regexp_replace(regexp_replace(data_type, '^ENUM.*', 'verdict'),"
        " ' WITH TIME ZONE', 'TZ'), is_nullable"
        " FROM duckdb_columns() WHERE schema_name = ? AND table_name = ? ORDER BY column_index",
        [schema or "main", table],
    ).fetchall()


def _unit(told: str) -> tuple[str, str]:
    """The unit of a comment, if it has one, and the rest."""
    text, bracket, unit = told.rpartition(" [")
    return (unit.removesuffix("]"), text) if bracket and unit.endswith("]") else ("", told)


def _codes(name: str) -> str:
    this = schemas_of(name)
    cards = this.CODE_DOCS["deck"][0]
    rows = [
        (f"`{column}`", numbers, meaning)
        if (numbers, meaning) != cards or column == "deck"
        else (f"`{column}`", numbers, "plays the card, as in `deck`")
        for column, codes in this.CODE_DOCS.items()
        for numbers, meaning in codes
    ]
    if kinds := game(name).announcement_kinds:
        rows.append(("`kind`", "", " ".join(f"`{kind}`" for kind in kinds)))
    return f"\n### {game_title(name)}\n\n{_rows(('column', 'number', 'means'), rows)}"


def _answer(heading: str, answer: Answer, found: Mapping[str, pl.DataType]) -> str:
    rows = [(f"`{name}`", _type(kind), *_unit(column(answer, name))) for name, kind in found.items()]
    shown = "" if answer.alike else "\n" + _rows(("column", "type", "unit", ""), rows)
    return f"\n### {heading}\n\n{answer.about}\n{shown}"


def _type(kind: pl.DataType) -> str:
    if kind.is_integer():
        return "integer"
    return "number" if kind.is_float() else TYPES[kind.base_type()]


def _own_words() -> list[str]:
    """Columns that an anonymous export empties, unless they are to be kept."""
    words = ((table, *one) for table, found in FREE_TEXT_COLUMNS.items() for one in found.items())
    return [f"{table}.{name}" for table, name, needed in words if needed]


def _listed(words: Iterable[str]) -> str:
    *first, last = (f"`{word}`" for word in words)
    return f"{', '.join(first)} and {last}"


def _rows(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n".replace("|  |", "| |") for line in lines)


def main() -> None:
    """Write the page."""
    with TemporaryDirectory() as folder:
        fill(path := Path(folder) / "sample.duckdb")
        with connect(path, read_only=True) as ask:
            ask.execute("SET TimeZone = 'UTC'")
            PAGE.write_text(page(ask), encoding="utf-8")


if __name__ == "__main__":
    main()
