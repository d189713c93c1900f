"""However often and however differently matches come, they are counted as if each came once."""

import json
import random
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest

from engine.games import game_names
from ingest.store import ratings
from ingest.store.export import Format, Table, write_table
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.player_merges import list_changes, merge_players, undo_change
from ingest.store.transfer.copy import copy_store
from ingest.store.verify import verify_store
from ingest.validate.slow_path import validate
from schemas.simulated import simulate_season
from tests.ingest.cluster_helpers import rows
from tests.ingest.conftest import Command
from tests.ingest.test_match_tails import tails

Log = dict[str, Any]
COUNTED = ("seats", "deals", "deal_seats", "announcements", "match_seats", "match_kinds", "ratings")
"""Tables that every statistic, page and ladder counts."""
NAMED = {"player_no": "(SELECT min(key) FROM aliases a WHERE a.player_no = t.player_no)", "alias_no": "0"}


def played(count: int) -> list[Log]:
    """Matches of every game."""
    each = (simulate_season(game, count // len(game_names()) + 1, 17) for game in game_names())
    return deepcopy([*chain.from_iterable(zip(*each, strict=True))][:count])


def variants(log: Log, lot: random.Random) -> Iterator[Log]:
    """Up to seven other logs of one match, of its beginning or its end."""
    yield log | {"comments": [{"after": 0, "text": "A fine evening", "deal": 1}]}
    yield log | {"source": {"name": "another site"}, "event": {"name": "Friday"}}
    instant = datetime.fromisoformat(log["played_at"])
    yield log | {"played_at": instant.astimezone(UTC).isoformat(), "id": f"again {log['id']}"}
    respelt = unicodedata.normalize(
        lot.choice(("NFC", "NFD")), json.dumps(log["players"], ensure_ascii=False)
    )
    players = [one | {"id": one["id"].upper(), "name": one["name"].upper()} for one in json.loads(respelt)]
    if len({one["id"].casefold() for one in players}) == len(players):
        yield log | {"players": players}
    for deals in sorted(
        {lot.randrange(1, len(log["deals"])) for _ in range(2)} if len(log["deals"]) > 1 else ()
    ):
        beginning = {key: value for key, value in log.items() if key != "result"}
        yield beginning | {"deals": log["deals"][:deals]}
        if deals == 1:
            [_, (_, end)] = islice(tails(log, validate(json.dumps(log).encode())), 2)
            yield end | {"id": f"end of {log['id']}"}


def as_lines(logs: list[Log]) -> bytes:
    """The logs as a file."""
    return "\n".join(map(json.dumps, logs)).encode()


def contents(path: Path | str, files: list[list[Log]]) -> dict[str, list[Any]]:
    """Store files of logs and return all that is counted of them."""
    with Store(path) as store:
        for number, logs in enumerate(files):
            list(ingest(store, [(f"{number}.jsonl", BytesIO(as_lines(logs)))]))
        ratings.refresh_ratings(store)
        assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []
        return rows(store, NAMED, COUNTED)


@cache
def counted_once(count: int) -> dict[str, list[Any]]:
    """All that is counted of so many matches that come once each."""
    with TemporaryDirectory() as folder:
        return contents(Path(folder) / "once.duckdb", [played(count)])


def shuffled(logs: list[Log], seed: int) -> list[list[Log]]:
    """Seven files and a rest with every match in all its variants, in no order."""
    lot = random.Random(seed)
    every = [one for log in logs for one in (log, *variants(log, lot))]
    assert len(every) > 4 * len(logs)
    lot.shuffle(every)
    size = len(every) // 7
    return [every[place : place + size] for place in range(0, len(every), size)]


def compare(folder: Path, count: int, seed: int) -> None:
    assert contents(folder / "often.duckdb", shuffled(played(count), seed)) == counted_once(count)


def halves(log: Log, lot: random.Random) -> tuple[Log, Log]:
    """Two logs of a match of which each has some cards, and both together all of them."""
    one, other = deepcopy(log), deepcopy(log)
    for first, second in zip(one["deals"], other["deals"], strict=True):
        key = "deck" if "deck" in first else "hands"
        cards = first[key].split() if key == "deck" else first[key]
        known = [lot.random() < 0.5 for _ in cards]
        for deal, has in ((first, known), (second, [not one for one in known])):
            some = [card if written else "??" for card, written in zip(cards, has, strict=True)]
            deal[key] = " ".join(some) if key == "deck" else some
    return one, other


EXPORTED = (Table.SEATS, Table.DEALS, Table.DEAL_SEATS, Table.ANNOUNCEMENTS, Table.TRICKS, Table.RATINGS)
NUMBERS = ("match_no", "player_no", "alias_no")
"""Columns that count in the order in which matches came."""


def exported(path: Path) -> dict[Table, list[tuple[object, ...]]]:
    """Return what exports have of each table, without numbers of the store's own."""
    file, found = path.with_suffix(".parquet"), dict[Table, list[tuple[object, ...]]]()
    with Store(path, read_only=True) as store:
        for table in EXPORTED:
            write_table(store, table, Format.PARQUET, file)
            found[table] = sorted(pl.read_parquet(file).drop(NUMBERS, strict=False).rows(), key=repr)
    return found


def test_exports_have_each_match_once(tmp_path: Path) -> None:
    logs = played(4)
    contents(tmp_path / "once.duckdb", [logs])
    contents(tmp_path / "often.duckdb", shuffled(logs, 2))
    assert exported(tmp_path / "often.duckdb") == exported(tmp_path / "once.duckdb")


def test_stores_that_are_copied_together_have_each_match_once(tmp_path: Path) -> None:
    files = shuffled(played(4), 3)
    contents(tmp_path / "here.duckdb", files[:4])
    contents(tmp_path / "there.duckdb", files[4:])
    with Store(tmp_path / "there.duckdb") as there, Store(tmp_path / "here.duckdb") as here:
        copy_store(there, here)
    assert contents(tmp_path / "here.duckdb", []) == counted_once(4)


@pytest.mark.parametrize("count", [4, 200])
@pytest.mark.sample("4")
def test_files_through_the_command_line_have_each_match_once(
    tmp_path: Path, retourne: Command, count: int
) -> None:
    logs, lot = played(count), random.Random(8)
    parts = [halves(log, lot) for log in logs[: count // 2]]  # others come as they are alone
    for place, name in enumerate("ab"):
        Path(f"{name}.jsonl").write_bytes(as_lines([both[place] for both in parts]))
    merged = retourne("merge", "a.jsonl", "b.jsonl", "--output", "merged.jsonl")
    assert (merged.code, merged.err) == (0, f"Matches: {len(parts)} · put together: {len(parts)}\n")
    names = ["merged.jsonl"]
    for number, some in enumerate(shuffled(logs, 4)):
        names.append(f"{number}.jsonl")
        Path(names[-1]).write_bytes(as_lines(some))
    lot.shuffle(names)
    assert retourne("ingest", *names, "--store", str(tmp_path / "often.duckdb")).code == 0
    assert contents(tmp_path / "often.duckdb", []) == counted_once(count)


@pytest.mark.parametrize("count", [4, 300])
@pytest.mark.soak
def test_two_writers_of_a_lake_at_once_store_each_match_once(lake: str, count: int) -> None:
    files = shuffled(played(count), 9)
    files = [[*chain(*files[place::4])] for place in range(4)]

    def write(files: list[list[Log]]) -> None:
        with Store(lake) as store:
            for number, logs in enumerate(files):
                list(ingest(store, [(f"{number}.jsonl", BytesIO(as_lines(logs)))]))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, (files[::2], files[1::2])))
    assert contents(lake, []) == counted_once(count)


def test_matches_that_come_in_many_forms_and_orders_are_counted_once(tmp_path: Path) -> None:
    compare(tmp_path, 16, 1)


def under_other_ids(log: Log) -> Log:
    """The log as another site has it: another id of the match and of each player."""
    players = [one | {"id": f"{one['id']}~2"} for one in log["players"]]
    return log | {"id": f"again {log['id']}", "source": {"name": "another site"}, "players": players}


def test_matches_under_two_ids_of_each_player_are_counted_once_after_the_merges(tmp_path: Path) -> None:
    logs, path = played(4), tmp_path / "often.duckdb"
    again = [*map(under_other_ids, logs)]
    random.Random(4).shuffle(again)
    expected = contents(tmp_path / "once.duckdb", [logs])
    before = contents(path, [logs, again])
    assert len(before["deals"]) == 2 * len(expected["deals"])
    with Store(path) as store:
        number = dict(store.cursor().execute("SELECT player_id, player_no FROM aliases").fetchall())
        for player in {one["id"] for log in logs for one in log["players"]}:
            merge_players(store, number[player], [number[f"{player}~2"]])
    assert contents(path, []) == expected
    with Store(path) as store:
        for change in list_changes(store.cursor()):
            undo_change(store, change.number)
    assert contents(path, []) == before


def results(count: int) -> list[Log]:
    """Matches of every game of which only the result is known: the same two win alike in one evening."""
    every = (
        {key: log[key] for key in ("format", "game", "players", "rules", "played_at") if key in log}
        | {"id": f"{log['id']} {time}", "result": {"winner": 1}}
        for log in played(count)
        for time in ("first", "second")
    )
    return [*every]


def test_results_are_counted_as_often_as_played_and_files_that_come_twice_once(tmp_path: Path) -> None:
    logs, lot = results(8), random.Random(7)
    expected = contents(tmp_path / "once.duckdb", [logs])
    assert len({match for match, *_ in expected["seats"]}) == len(logs) == 16
    files = [logs[place : place + 5] for place in range(0, len(logs), 5)] * 3
    lot.shuffle(files)
    assert contents(tmp_path / "often.duckdb", files) == expected


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_thousand_matches_that_come_in_many_forms_are_counted_once(tmp_path: Path, seed: int) -> None:
    compare(tmp_path, 1000, seed)


def different_matches_stay(folder: Path, count: int) -> None:
    """Store different matches of the same two players, of one day, without ids."""
    logs = [
        {key: value for key, value in one.items() if key not in ("id", "source", "event")}
        | {"players": [{"id": "lucie"}, {"id": "marcel"}], "played_at": "2026-03-06"}
        for one in simulate_season("chouine", count, 23)
    ]
    text = "\n".join(map(json.dumps, logs)).encode()
    with Store(folder / "evening.duckdb") as store:
        [report] = ingest(store, [("evening.jsonl", BytesIO(text))])
        assert (report.added, report.relations) == (count, {})


def test_different_matches_of_the_same_players_stay_different(tmp_path: Path) -> None:
    different_matches_stay(tmp_path, 60)


@pytest.mark.soak
def test_ten_thousand_matches_of_the_same_players_stay_different(tmp_path: Path) -> None:
    different_matches_stay(tmp_path, 10_000)
