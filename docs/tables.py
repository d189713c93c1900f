"""Write `docs/tables.md`, the reference of all tables and columns: `python -m docs.tables`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import duckdb
import polars as pl

from docs.sample_store import fill
from docs.stats_schema import ANSWERS, EVERYWHERE, PLAYER, Answer, column, section, section_types
from engine.games import game, game_names, game_title
from ingest.store.export import FREE_TEXT_COLUMNS, Table
from schemas.column_docs import DOCUMENTED_VIEWS, TABLE_DOCS
from schemas.games import schemas_of
from schemas.migrations import connect

PAGE = Path(__file__).with_name("tables.md")
HEAD = """# Tables

For people who query the store, or read what `retourne export` and [`retourne stats`](#statistics) write. The
store is one [DuckDB](https://duckdb.org) file; any program can query it while no other has it open, in
Python by `duckdb.connect("retourne.duckdb", read_only=True).sql("…")`.

Seats count from 1, times are UTC. A type with `?` may be NULL: not in this game, or unknown. A unit
follows its type unless the name has it.

A name that ends in `_index` counts from 0, as a JSON pointer does; one that ends in `_number` counts from
1, as do manches, parties and tricks. One that ends in `_no` identifies a row, from 0 in the order of arrival.

## The store

These columns mean the same in every table that lists them:

"""
EXPORTS = """
## Exports

`retourne export --table NAME` writes any table above. Parquet keeps types; a verdict is text. CSV writes a
list as `[3, 17, 20]`, a time as `2026-03-16 13:00:00+00`, nothing for NULL, and puts `'` before a text that a
spreadsheet would take for a formula. JSON lines write a list as one, and a time as that text.

With `--anonymous`, a pseudonym replaces `player_id` and `name`,
and {own} are NULL unless `--keep-fields` names them. `--logs` writes whole logs of the
[format](format.md).
"""
STATS = """
## Statistics

`retourne stats … --format jsonl` writes an object per row, `--format csv` the same columns.
[cli.md](cli.md#retourne-stats-player) says which deals count. A share is between 0 and 1; a column with a
unit is a number, one without a type text; *figure*, *measure* and *record* stand for the row’s unit. `x`± has
a 95% interval: `x_low` to `x_high` (of `x` or `x_share`), of `difference` and `share` `low` to `high`.
`x_deviation` is the standard deviation of `x` in a deal, `deviation` that of `points`. Intervals
are Wilson's for rates, Newcombe's for differences of rates, normal for means and ratios. Columns of several
answers:

"""
OF_PLAYER = """
## Statistics of a player

`retourne stats PLAYER --format jsonl` writes the sections that are not empty, each row with the name of its
`section` first. As CSV they are one table with the columns of all, and lists are joined by ` – `.
"""
CODES = """
## Codes by game

The numbers of `deals` and `deal_seats` in each game, in words of the [format](format.md#actions).
`outcome` 0: the deal goes on; 1: it ended with its last card. A number of `actions` is an act and a
seat: `code % 512` and `code // 512 + 1`; act 511 is not a word of the game.
`bid {80..100..10}{s,h}` stands for `bid 80s`, `bid 80h`, `bid 90s` and so on to `bid 100h`.
"""
OTHERS = """
### The others

`duckdb_tables()` and `duckdb_views()` list the program's own tables with their comments. The schema
`baseline` has
"""
WHOLE = [*Table]
TYPES = {pl.String: "", pl.Boolean: "boolean", pl.Date: "date", pl.Datetime: "time", pl.List: "list of texts"}

EXAMPLES: Mapping[str, str] = {
    "deals": """-- the first cards of each deck, and who did what first
SELECT log_id, deal_index,
    [['7', '8', '9', 'J', 'Q', 'K', 'T', 'A'][card % 8 + 1] || 'shdc'[card // 8 + 1]
        FOR card IN deck[1:6]] AS cards,
    actions[1] // 512 + 1 AS seat, actions[1] % 512 AS act
FROM deals JOIN matches USING (match_no)
WHERE game = 'chouine' AND deck IS NOT NULL;""",
    "deal_seats": """SELECT name, count(*) AS deals, avg(points) AS points, avg(won::INTEGER) AS won
FROM deal_seats JOIN players USING (player_no) JOIN deals USING (match_no, deal_index)
WHERE deals.status = 'legal' AND won IS NOT NULL GROUP BY ALL ORDER BY deals DESC;""",
}


def page(cursor: duckdb.DuckDBPyConnection) -> str:
    """The whole document, of a store that `sample_store` filled."""
    shared = _shared(cursor, WHOLE)
    parts = [HEAD, *_items(shared.values())]
    parts += [_table(cursor, name, shared) for name in WHOLE]
    parts += [OTHERS, _others(), CODES, *map(_codes, game_names())]
    parts += [EXPORTS.format(own=_listed(_own_words()))]
    parts += [STATS, *_items((name, *_split(text)) for name, text in EVERYWHERE.items())]
    parts += [_answer(f"`{name}`", one, section_types(cursor, one)) for name, one in ANSWERS.items()]
    parts += [OF_PLAYER]
    parts += [_answer(f"`{name}`", one, section(cursor, name)) for name, one in PLAYER.items()]
    return "".join(parts)


def _others() -> str:
    """The simulated copies of tables above; the program's own tables are not named."""
    alike = {name.partition(".")[2] for name in TABLE_DOCS if "." in name} & {*WHOLE}
    return f"{_listed(name for name in WHOLE if name in alike)} of simulated matches.\n"


def _shared(
    cursor: duckdb.DuckDBPyConnection, tables: Iterable[str]
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Rows of the columns that have the same text in several tables, by name and text."""
    found: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for table in tables:
        for name, kind, null in columns(cursor, table):
            text = TABLE_DOCS[table].columns[name]
            found.setdefault((name, text), []).append(_column(name, kind, null, text))
    return {known: rows[0] for known, rows in found.items() if len(rows) > 1}


def _table(
    cursor: duckdb.DuckDBPyConnection, name: str, shared: Mapping[tuple[str, str], tuple[str, ...]]
) -> str:
    """One table or view of the store, its columns and its example."""
    comment = TABLE_DOCS[name]
    kind = "A view. " if name in DOCUMENTED_VIEWS else ""
    there = columns(cursor, name)
    known = [column for column, *_ in there if (column, comment.columns[column]) in shared]
    rows = [
        _column(column, kind, null, comment.columns[column])
        for column, kind, null in there
        if column not in known
    ]
    common = f" Shared columns: {', '.join(f'`{one}`' for one in known)}." if known else ""
    shown = "".join(["\n", *_items(rows)] if rows else [])
    return f"\n### {name}\n\n{kind}{comment.about}.{common}\n{shown}{_example(name)}"


def _example(name: str) -> str:
    return f"\n```sql\n{EXAMPLES[name]}\n```\n" if name in EXAMPLES else ""


def _column(name: str, kind: str, null: bool, text: str) -> tuple[str, ...]:
    unit, meaning = _split(text)
    words = ", ".join(filter(None, (f"{kind}{'?' * null}", "" if _is_plain(unit, name) else unit)))
    return name, words, meaning


def _is_plain(unit: str, name: str) -> bool:
    """Whether the name, or a type of times, says the unit already."""
    return unit in ("UTC", "date", *name.split("_"))


def _items(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Lines of a list of columns: one for neighbours of one type and meaning."""
    for (kind, meaning), run in groupby(rows, lambda row: (row[1], row[2])):
        yield _item(", ".join(f"`{name}`" for name, *_ in run), kind, meaning)


def _item(names: str, kind: str, meaning: str) -> str:
    return f"- {names}{f' ({kind})' if kind else ''}: {meaning}\n"


def columns(cursor: duckdb.DuckDBPyConnection, name: str) -> list[tuple[str, str, bool]]:
    """Column, type and whether it may be NULL, of a table or a view."""
    schema, _, table = name.rpartition(".")
    return cursor.execute(
        "SELECT column_name, regexp_replace(regexp_replace(data_type, '^ENUM.*', 'verdict'),"
        " ' WITH TIME ZONE', 'TZ'), is_nullable"
        " FROM duckdb_columns() WHERE schema_name = ? AND table_name = ? ORDER BY column_index",
        [schema or "main", table],
    ).fetchall()


def _split(comment: str) -> tuple[str, str]:
    """The unit of a comment, if it has one worth saying, and the rest."""
    text, bracket, unit = comment.rpartition(" [")
    if not bracket or not unit.endswith("]"):
        return "", comment
    return ("" if unit == "number]" else unit.removesuffix("]"), text)


def _codes(name: str) -> str:
    this = schemas_of(name)
    cards = this.CODE_DOCS["deck"][0][1].replace("`", "").split()
    rows = []
    for name_of, codes in this.CODE_DOCS.items():
        words = [
            f"{numbers} {_short(meaning, cards if name_of != 'deck' else [])}" for numbers, meaning in codes
        ]
        rows.append(f"- `{name_of}`: {'; '.join(words)}\n")
    if kinds := game(name).announcement_kinds:
        rows.append(f"- `kind`: {' '.join(f'`{kind}`' for kind in kinds)}\n")
    return f"\n### {game_title(name)}\n\n{''.join(rows)}"


def _short(meaning: str, cards: Sequence[str]) -> str:
    """Words of the four suits as one, and those of all cards as a reference to the deck."""
    words = re.findall(r"`([^`]+)`", meaning)
    if " ".join(f"`{word}`" for word in words) != meaning:
        return "plays the face, as in `deck`" if meaning.startswith("a face") and cards else meaning
    for act in ("", "draw "):
        if cards and words == [f"{act}{card}" for card in cards]:
            return f"{act or 'play '}the card, as in `deck`".replace("draw the", "`draw` and the")
    ranks = [word[0] for word in words if re.fullmatch("[^s]s", word)]
    if words == [f"{rank}{suit}" for suit in "shdc" for rank in ranks]:
        return f"{' '.join(f'`{rank}s`' for rank in ranks)}, then `h`, `d` and `c` likewise"
    short = re.sub(r"([^|]*)s(~?)\|\1h\2\|\1d\2\|\1c\2(?=\||$)", r"\1{s,h,d,c}\2", "|".join(words))
    short = re.sub(r"([^|]*)\{s,h,d,c\}\|\1sa\|\1ta(?=\||$)", r"\1{s,h,d,c,sa,ta}", short)
    return " ".join(f"`{word}`" for word in _braced(short.split("|")))


def _braced(words: Iterable[str]) -> Iterable[str]:
    """Neighbours that differ only in a number, a rank or a name as one word with braces."""
    parted = (
        re.fullmatch(r"(bid |[a-z]+-|)(\d+|[A-Z]|[a-z]+-)(\{.*\}~?|[shdc]?)", word) or word for word in words
    )
    for key, run in groupby(parted, lambda word: word if isinstance(word, str) else (word[1], word[3])):
        if isinstance(key, str):
            yield from cast("Iterable[str]", run)
            continue
        middles = [word[2] for word in run]
        numbers = [int(middle) for middle in middles if middle.isdigit()]
        if len(numbers) > 3 and len({b - a for a, b in pairwise(numbers)}) == 1:
            span = f"{numbers[0]}..{numbers[-1]}..{numbers[1] - numbers[0]}"
            middles = [span, *middles[len(numbers) :]]
        elif len(middles) == 1:
            yield f"{key[0]}{middles[0]}{key[1]}"
            continue
        yield f"{key[0]}{{{','.join(middles)}}}{key[1]}"


def _answer(heading: str, answer: Answer, found: Mapping[str, pl.DataType]) -> str:
    if answer.alike:
        return f"\n### {heading}\n\n{answer.about}\n"
    common = [f"`{name}`" for name in found if name not in answer.columns and name in EVERYWHERE]
    ends = [name.removesuffix("_low") for name in found if name not in answer.columns and name[-4:] == "_low"]
    like = re.match(r"As `([^`]+)`", answer.about)
    documented = {**ANSWERS, **PLAYER}[like[1]].columns if like else {}
    rows = []
    for name, kind in found.items():
        if name in answer.columns and answer.columns[name] != documented.get(name):
            unit, meaning = _split(column(answer, name))
            unit = "" if unit in name.split("_") else unit or _type(kind)
            rows.append((name, unit, meaning))
    if "low" in found and "low" not in answer.columns:
        ends.insert(0, "difference" if "difference" in found else "share")
    common = [name + "±" * (name.strip("`") in ends) for name in common]
    common += [f"`{name}`±" for name in ends if f"`{name}`±" not in common]
    also = f" Also: {', '.join(common)}." if common else ""
    shown = "".join(["\n", *_items(rows)] if rows else [])
    return f"\n### {heading}\n\n{answer.about}{also}\n{shown}"


def _type(kind: pl.DataType) -> str:
    if kind.is_integer():
        return "integer"
    return "number" if kind.is_float() else TYPES[kind.base_type()]


def _own_words() -> list[str]:
    """Columns that an anonymous export empties, unless `keep_fields` names them."""
    words = ((table, *one) for table, found in FREE_TEXT_COLUMNS.items() for one in found.items())
    return [f"{table}.{name}" for table, name, needed in words if needed]


def _listed(words: Iterable[str]) -> str:
    *first, last = (f"`{word}`" for word in words)
    return f"{', '.join(first)} and {last}" if first else last


def main() -> None:
    """Write the page."""
    with TemporaryDirectory() as folder:
        fill(path := Path(folder) / "sample.duckdb")
        with connect(path, read_only=True) as cursor:
            cursor.execute("SET TimeZone = 'UTC'")
            PAGE.write_text(page(cursor), encoding="utf-8")


if __name__ == "__main__":
    main()
