"""Deleting matches and undeleting them as they were."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest.store import trash
from ingest.store.derived_rows import DERIVED_TABLES
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import ingest
from tests.ingest.conftest import FAUTES, Filled
from tests.ingest.logs import documents, lines
from tests.ingest.raw_texts import blocks, raw

pytestmark = pytest.mark.slow


def of_each(store: Store) -> None:
    """Six legal matches, one irregular, and a text that is none and not even UTF-8."""
    sources: list[Any] = [
        ("club.jsonl", BytesIO(lines())),
        FAUTES / "chouine" / "must-follow.json",
        ("torn.json", BytesIO(b"\xff{")),
    ]
    assert sum(report.added for report in ingest(store, sources)) == 8


@pytest.fixture
def store(filled: Filled) -> Any:
    with Store(filled(of_each)) as opened:
        yield opened


def everything(store: Store) -> dict[str, Any]:
    """All that is derived from matches, and their texts."""
    found: dict[str, Any] = {
        table: store.cursor().execute(f"FROM {table} ORDER BY ALL").fetchall()
        for table in (*DERIVED_TABLES, "players")
    }
    return found | {"raw": [*raw(store).items()]}


def test_what_is_deleted_is_in_no_table_but_the_trash(store: Store) -> None:
    text = store.read_match_text(1)
    trash.delete_matches(store, [1, 6, 7])
    assert not [block for block in blocks(store) if text in block]
    for table, rows in everything(store).items():
        assert table == "players" or not {row[0] for row in rows} & {1, 6, 7}, table
    with pytest.raises(KeyError):
        store.read_match_text(6)


def test_undo_brings_everything_back_as_it_was(store: Store) -> None:
    before = everything(store)
    number = trash.delete_matches(store, [1, 6, 7])
    assert number is not None
    assert trash.undelete_matches(store, number) == (3, 0)
    assert everything(store) == before
    assert store.read_match_text(7) == b"\xff{"
    assert trash.list_deletions(store.cursor()) == []


def test_a_deletion_says_how_many_matches_of_which_files(store: Store) -> None:
    trash.delete_matches(store, [0, 1])
    trash.delete_matches(store, [6])
    last, first = trash.list_deletions(store.cursor())
    assert (last.matches, last.files) == (1, ["must-follow.json"])
    assert (first.matches, first.files) == (2, ["club.jsonl"])
    assert first.number < last.number


def test_deletions_are_undone_in_any_order(store: Store) -> None:
    before = everything(store)
    first, last = trash.delete_matches(store, [0, 1]), trash.delete_matches(store, [2])
    assert first is not None
    assert last is not None
    trash.undelete_matches(store, first)
    trash.undelete_matches(store, last)
    assert everything(store) == before


def test_nothing_is_deleted_of_matches_nobody_has(store: Store) -> None:
    assert trash.delete_matches(store, [99]) is None
    assert trash.delete_matches(store, np.array([], np.int64)) is None
    with pytest.raises(KeyError):
        trash.undelete_matches(store, 0)


def test_what_was_added_again_meanwhile_does_not_come_back_twice(store: Store) -> None:
    number = trash.delete_matches(store, range(6))
    assert number is not None
    [report] = ingest(store, [("again.jsonl", BytesIO(lines(2)))])
    assert report.added == 2
    assert trash.undelete_matches(store, number) == (4, 2)
    assert len(everything(store)["matches"]) == 8
    assert len({row[0] for row in everything(store)["raw"]}) == 8


def test_new_matches_never_take_the_number_of_a_deleted_one(store: Store) -> None:
    number = trash.delete_matches(store, [7])
    assert number is not None
    one = documents()[0] | {"id": "another", "players": [{"id": "x"}, {"id": "y"}]}
    list(ingest(store, [("another.json", BytesIO(json.dumps(one).encode()))]))
    trash.undelete_matches(store, number)
    numbers = [row[0] for row in everything(store)["matches"]]
    assert len(set(numbers)) == len(numbers) == 9


def test_an_emptied_trash_cannot_be_undone_and_its_players_are_forgotten(store: Store) -> None:
    players = len(everything(store)["players"])
    number = trash.delete_matches(store, range(6))
    assert number is not None
    assert len(everything(store)["players"]) == players
    assert trash.empty_trash(store) == 6
    assert trash.empty_trash(store) == 0
    with pytest.raises(KeyError):
        trash.undelete_matches(store, number)
    assert len(everything(store)["players"]) < players
    [report] = ingest(store, [("again.jsonl", BytesIO(lines()))])
    assert report.added == 6
    seats = {row[2] for row in everything(store)["seats"]}
    numbers = [row[0] for row in everything(store)["players"]]
    assert seats == set(numbers)
    assert len(set(numbers)) == len(numbers)


def test_a_store_that_may_only_be_read_deletes_nothing(store: Store, tmp_path: Path) -> None:
    store.close()
    with Store(tmp_path / "club.duckdb", read_only=True) as closed, pytest.raises(StoreError):
        trash.delete_matches(closed, [1])
