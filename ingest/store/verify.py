"""A store held against its own texts: every one read again, every row compared with what it gives.

Nothing is written. Rows are compared as they stand, so the verdicts of older rules are left out:
`ingest.store.revalidate` makes them anew.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine import RULES_VERSION
from ingest.i18n import N_, Translate
from ingest.store import endgame_rows, ratings, trash
from ingest.store.base import NUMBERS
from ingest.store.derived_rows import TABLES
from ingest.store.factory import Store
from ingest.store.ingest_files import ahead
from ingest.store.revalidate import by_table, together
from ingest.store.stored_texts import StoredBatch, check_stored, read_stored
from ingest.store.verdict_diff import differing
from ingest.validate.batch import Checked


class Wrong(NamedTuple):
    """Something in a store that is not as it should be: a sentence, and the match it is about."""

    text: str
    match: str | None = None
    """Its hash."""
    table: str | None = None
    rows: int = 1

    def say(self, t: Translate) -> str:
        return t(self.text, table=self.table, n=self.rows)


class Verified(NamedTuple):
    """What a batch came to; `done` of `total` texts have been read with it."""

    done: int
    total: int
    wrong: list[Wrong]


OTHER_TEXT = N_("Its text is not the one it was stored with.")
OTHER_DELETED = N_("In the trash, its text is not the one it was stored with.")
OTHER_ROWS = N_("{table}: not what its text gives. Rows that differ: {n}")
NO_TEXT = N_("It has no text, or more than one.")
TWICE = N_("It is stored twice.")
NO_FILE = N_("It came with a file that is not listed.")
NO_DELETION = N_("It lies in the trash and belongs to no deletion.")
NO_MATCH = N_("{table}: rows of no match: {n}")
NO_PLAYER = N_("{table}: rows of no player: {n}")
VALUES = N_("{table}: not what its deals come to. Rows that differ: {n}")
OTHER_LADDER = N_("{table}: ratings that do not follow from the matches: {n}")

_MATCHES = {
    NO_TEXT: """SELECT m.match_id FROM matches m LEFT JOIN raw r USING (match_no)
        GROUP BY m.match_no, m.match_id HAVING count(r.match_no) <> 1""",
    TWICE: """SELECT any_value(match_id) FROM matches GROUP BY match_id HAVING count(*) > 1
        UNION ALL
        SELECT any_value(match_id) FROM matches GROUP BY match_no HAVING count(*) > 1""",
    NO_FILE: "SELECT match_id FROM matches WHERE file_no NOT IN (SELECT file_no FROM files)",
    NO_DELETION: "SELECT match_id FROM trash WHERE change NOT IN (SELECT change FROM changes)",
}
# of a match that is there twice it is not known which row is whose
_ONCE = """(SELECT match_no FROM matches GROUP BY match_no HAVING count(*) = 1) m
    SEMI JOIN (SELECT match_no FROM raw GROUP BY match_no HAVING count(*) = 1) r USING (match_no)"""
_TODAY = """SELECT match_no FROM matches
    WHERE rules_version = ? AND match_no IN (SELECT unnest(?)) ORDER BY match_no"""
_PLAYED = ("seats", "deal_seats", "announcements", "match_seats", "match_kinds")


def verify(store: Store) -> Generator[Verified, None, None]:
    """Read every text of a store, those in the trash too, and say what is not as it gives it.

    StoreError: the store cannot be read.
    """
    # what is added or deleted meanwhile would be taken for something wrong
    with store.told(), store.alone():
        ask = store.cursor()
        chosen = trash.numbers(ask, _ONCE, [])
        deletions = trash.deletions(ask)
        total = len(chosen) + sum(one.matches for one in deletions)
        yield Verified(0, total, _structure(ask))
        done = 0
        known = dict(ask.execute(NUMBERS).fetchall())

        def numbers(ids: Sequence[str], names: Sequence[str]) -> NDArray[np.int64]:
            return np.array([known.get(one, -1) for one in ids], np.int64)  # -1 is not there

        for stored, checked in ahead(read_stored(store, chosen), check_stored):
            wrong = _texts(checked.ids, stored.match_id, OTHER_TEXT)
            rows = by_table(checked, stored, numbers, counted=True)
            wrong += _differing(ask, TABLES, rows, stored, OTHER_ROWS)
            wrong += _differing(
                ask, endgame_rows.TABLES, _values(ask, checked, stored), stored, VALUES
            )
            done += len(checked.ids)
            yield Verified(done, total, wrong)
        for deletion in deletions:
            read = trash.read_deletion(store, deletion.number)
            for deleted, checked in ahead(read, check_stored):
                done += len(checked.ids)
                yield Verified(done, total, _texts(checked.ids, deleted.match_id, OTHER_DELETED))
        ladders = (
            (which, *ladder)
            for which in ratings.EVERY
            for ladder in sorted({*ratings.ladders(store, which)} - {*ratings.stale(store, which)})
        )  # one that is stale is rated by whoever writes next
        wrong = [
            Wrong(OTHER_LADDER, None, f"{name}, {preset}", count)
            for which, name, preset in ladders
            if (count := ratings.differing(store, name, preset, which))
        ]
        yield Verified(done, total, wrong)


def _structure(ask: duckdb.DuckDBPyConnection) -> list[Wrong]:
    """What hangs on nothing, or twice on the same."""
    wrong = [
        Wrong(text, match)
        for text, query in _MATCHES.items()
        for (match,) in ask.execute(f"{query} ORDER BY 1").fetchall()
    ]
    for text, tables, column, of in (
        (NO_MATCH, (*TABLES[1:], *endgame_rows.TABLES, "raw"), "match_no", "matches"),
        (NO_PLAYER, _PLAYED, "player_no", "players"),
    ):
        for table in tables:
            sql = f"SELECT count(*) FROM {table} WHERE {column} NOT IN (SELECT {column} FROM {of})"
            [(count,)] = ask.execute(sql).fetchall()
            if count:
                wrong.append(Wrong(text, None, table, count))
    return wrong


def _texts(found: Sequence[str], stored: Sequence[str], text: str) -> list[Wrong]:
    """The texts that are not those their matches are known by."""
    pairs = zip(found, stored, strict=True)
    return [Wrong(text, known) for now, known in pairs if now != known]


def _differing(
    ask: duckdb.DuckDBPyConnection,
    tables: Sequence[str],
    rows: Mapping[str, pa.Table],
    stored: StoredBatch,
    text: str,
) -> list[Wrong]:
    """The matches judged by the rules of today whose stored rows are not those of their texts."""
    wrong = list[Wrong]()
    ids = dict(zip(stored.match_no.tolist(), stored.match_id, strict=True))
    for table in tables:
        if found := differing(ask, table, rows.get(table), stored.match_no):
            today = ask.execute(_TODAY, [RULES_VERSION, [*found]]).fetchall()
            wrong += [Wrong(text, ids[number], table, found[number]) for (number,) in today]
    return wrong


def _values(
    ask: duckdb.DuckDBPyConnection, checked: Checked, stored: StoredBatch
) -> dict[str, pa.Table]:
    """What the ends of deals come to of matches of which that was reckoned."""
    numbers = stored.match_no
    these = f"match_no BETWEEN {int(numbers[0])} AND {int(numbers[-1])}"
    there = ask.execute(f"SELECT DISTINCT match_no FROM deal_values WHERE {these}").fetchnumpy()
    found = (
        endgame_rows.only(one, np.isin(one.match_no, there["match_no"].astype(np.int64)))
        for one in endgame_rows.of_checked(checked, numbers)
    )
    return together(row for one in found if len(one.deal) for row in endgame_rows.rows(one).items())
