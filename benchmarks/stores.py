"""Large stores to ask: some deals played for once, stored over the road, and multiplied by SQL."""

import os
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import orjson

from benchmarks.samples import SHARES
from ingest.store import ratings as ladder
from ingest.store import reckon, totals, values
from ingest.store.add import ingest
from ingest.store.store import Store
from schemas.simulated import lay, match_document, play

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "retourne"
"""Where stores are kept from one run to the next."""
PLAYED = 100_000
"""Deals that are really played; a larger store has them again, by others and on other days."""
PLAYERS = 500
EVENTS = 50
LAST_YEAR, YEARS = 2026, 20
SOURCES = ("site", "feuille", "application")

_SHIFTED = {
    "match_no": "match_no + {copy} * (SELECT max(match_no) + 1 FROM played.matches)",
    "block": "block + {copy} * (SELECT max(match_no) + 1 FROM played.matches)",
    "player_no": "(player_no + {copy} * (SELECT max(player_no) + 1 FROM played.players))::INTEGER",
    "file_no": "file_no + {copy} * (SELECT max(file_no) + 1 FROM played.files)",
    "place": "(place + {copy} * (SELECT max(place) + 1 FROM played.ratings))::INTEGER",
    "match_id": "md5(match_id || '-' || {copy})",
    "log_id": "log_id || '-' || {copy}",
    "player_id": "player_id || '-' || {copy}",
    "name": "name || ' ' || {copy}",
    "played_at": "played_at + to_months(({copy})::INTEGER)",
    # every copy deals its cards in another order: the first few kept, the others moved on
    "deck": "deck[:{copy} // 25] || deck[{copy} // 25 + 1 + {copy} % 25:]"
    " || deck[{copy} // 25 + 1:{copy} // 25 + {copy} % 25]",
    "month": "(month + to_months(({copy})::INTEGER))::DATE",
    "day": "(day + to_months(({copy})::INTEGER))::DATE",
}
"""What differs from one copy to the next, in whatever table it stands."""
TABLES = (
    *("files", "matches", "players", "seats", "deals", "deal_seats", "announcements"),
    *totals.TABLES,
    *values.TABLES,
    *("raw", "ratings"),
)


def of(deals: int) -> Path:
    """The store of about so many deals, legal, dated and rated; made if it is not there.

    Below PLAYED they are all different, from there on a multiple of it is nearly met.
    """
    path = CACHE / f"statistics-{deals}.duckdb"
    if path.exists():
        return path
    base = _played(min(deals, PLAYED))
    if deals <= PLAYED:
        return base
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with Store(part) as store:
        store.connection.execute(f"ATTACH '{base}' AS played (READ_ONLY)")
        for copy in range(deals // PLAYED):
            for table in TABLES:
                store.connection.execute(
                    f"INSERT INTO {table} SELECT * REPLACE ({_replaced(store, table, copy)})"
                    f" FROM played.{table}"
                )
    part.rename(path)
    return path


def distinct(deals: int) -> Path:
    """The store of about so many deals that were all played, legal, dated and rated.

    PLAYED at a time, by people of their own and in a year of their own out of YEARS; what was lost
    in their ends is not reckoned.
    """
    path = CACHE / f"distinct-{deals}.duckdb"
    if path.exists():
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    units = [(unit, min(PLAYED, deals - unit * PLAYED)) for unit in range(-(-deals // PLAYED))]
    with (
        tempfile.TemporaryDirectory(dir=CACHE) as folder,
        Store(part) as store,
        get_context("spawn").Pool() as pool,
    ):
        for done, source in enumerate(pool.imap(partial(_write, Path(folder)), units), 1):
            (report,) = ingest(store, [source])
            assert report.added == report.by_status["legal"] == report.matches
            source.unlink()
            print(f"{done} of {len(units)}", file=sys.stderr, flush=True)
        ladder.refresh(store)
    part.rename(path)
    return path


def _write(folder: Path, unit: tuple[int, int]) -> Path:
    """A file of a unit's deals."""
    path = folder / f"{unit[0]}.jsonl"
    with path.open("wb") as file:
        file.writelines(line + b"\n" for line in _lines(unit[1], unit[0]))
    return path


def _replaced(store: Store, table: str, copy: int) -> str:
    """The columns of a table that a copy has in its own way."""
    columns = store.connection.execute(f"DESCRIBE played.{table}").fetchall()
    return ", ".join(
        f"{_SHIFTED[column].format(copy=copy)} AS {column}"
        for column, *_ in columns
        if column in _SHIFTED
    )


def _played(deals: int) -> Path:
    """A store of deals that were played for it, with ladders and what was lost in their ends."""
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / f"statistics-{deals}.duckdb"
    if path.exists():
        return path
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder, Store(part) as store:
        source = Path(folder) / "played.jsonl"
        with source.open("wb") as file:
            file.writelines(line + b"\n" for line in _lines(deals))
        (report,) = ingest(store, [source])
        assert report.added == report.by_status["legal"]
        ladder.refresh(store)
        list(reckon.reckon(store))
    part.rename(path)
    return path


def _lines(deals: int, unit: int = 0) -> Iterator[bytes]:
    """Whole matches with dates over a year, by players some of whom come more often.

    Those of another unit are other matches, by others.
    """
    number, year = 0, LAST_YEAR - unit % YEARS
    for game, rules, players, share in SHARES:
        laid, left = lay(game, rules, players), deals * share
        for match in play(laid, deals, 1 + unit):
            if left <= 0:
                break
            left -= len(match.deals)
            number += 1
            first = unit * PLAYERS
            seats = [first + (number * number + 31 * seat) % PLAYERS for seat in range(players)]
            document = match_document(
                laid,
                match,
                rules,
                [{"id": f"p{seat}", "name": f"Player {seat}"} for seat in seats],
                id=f"played-{number}-{unit}" if unit else f"played-{number}",
                played_at=f"{year}-{number % 12 + 1:02d}-{number % 28 + 1:02d}T14:00:00+01:00",
                event={"name": f"Event {number % EVENTS}"},
                source={"name": SOURCES[number % len(SOURCES)]},
            )
            yield orjson.dumps(document)
