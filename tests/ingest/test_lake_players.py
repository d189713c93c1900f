"""Players of a lake: what one writer joins, another writer's matches part."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ingest.store import player_merges
from ingest.store.factory import Store
from ingest.store.match_comparison import OnConflict
from tests.ingest import test_upload_duplicates as uploads
from tests.ingest.logs import documents
from tests.ingest.test_player_histories import ANA, BEA, OPPONENT, add, merge, player
from tests.ingest.test_players import inconsistencies, rows


@pytest.mark.soak
def test_a_match_of_two_players_whom_another_writer_merged_undoes_the_merge(lake: str) -> None:
    with Store(lake) as store:
        for number, one in enumerate((ANA, BEA)):
            add(store, number, one, OPPONENT)
        with Store(lake) as other:
            assert merge(other, ANA, BEA) is not None
        assert add(store, 2, ANA, BEA).merges_undone == [["Ana", "Bea"]]
        assert player_merges.list_changes(store.cursor()) == []
        with Store(lake) as other:
            assert player(other, ANA) != player(other, BEA)


@pytest.mark.soak
def test_two_writers_that_part_the_same_players_at_once_make_two_of_them(lake: str) -> None:
    with Store(lake) as store, Store(lake) as other:
        for number, one in enumerate((ANA, BEA)):
            add(store, number, one, OPPONENT)
        assert merge(store, ANA, BEA) is not None
        with ThreadPoolExecutor(2) as pool:
            added = pool.map(lambda one: add(one[0], one[1], ANA, BEA).added, ((store, 2), (other, 3)))
        assert list(added) == [1, 1]
        seats = rows(store, "SELECT match_no, player_no FROM seats WHERE match_no > 1")
        assert len(seats) == 4
        assert {number for _, number in seats} == {player(other, ANA), player(other, BEA)}
        assert inconsistencies(store) == []


@pytest.mark.soak
def test_people_of_a_match_a_lake_leaves_out_become_players_with_the_next_that_is_stored(lake: str) -> None:
    whole = next(one for one in documents(12) if len(one["deals"]) > 1)
    log = whole | {"id": "evening", "source": {"name": "club"}}
    with Store(lake) as store, Store(lake) as other:
        uploads.add(store, log)
        assert uploads.add(store, uploads.other_people(log)).added == 0
        assert uploads.people(store) == (2, 2)
        again = uploads.add(other, uploads.other_people(log), on_conflict=OnConflict.BOTH)
        assert (again.added, uploads.people(other)) == (1, (4, 4))


def test_a_name_that_two_writers_stored_at_once_is_no_inconsistency(tmp_path: Path) -> None:
    with Store(tmp_path / "s.duckdb") as store:
        add(store, 0, ANA, OPPONENT)
        with store.transaction():
            store.connection.execute(
                "INSERT INTO aliases SELECT * REPLACE (99 AS alias_no) FROM aliases LIMIT 1"
            )
            store.connection.execute("UPDATE seats SET alias_no = 99 WHERE alias_no = 0")
        assert inconsistencies(store) == []
        with store.transaction():
            store.connection.execute("UPDATE seats SET player_no = 1 - player_no")
        assert [one.table for one in inconsistencies(store)] == ["seats"]
