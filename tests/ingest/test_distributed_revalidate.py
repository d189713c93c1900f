"""Stored matches validated again by a cluster, while others change the lake."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ingest.distributed.cluster import Cluster
from ingest.store import pseudonyms, purge, revalidate, stored_texts, trash
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.lake.store import LakeStore
from ingest.store.revalidate import (
    count_outdated,
    last_change_no,
    outdated_matches,
    revalidate_matches,
    validate_outdated,
    validate_stored,
    write_verdicts,
)
from ingest.store.verdict_diff import ChangedMatch
from ingest.store.verify import verify_store
from tests.ingest import cluster_helpers, postgres
from tests.ingest.cluster_helpers import faulty
from tests.ingest.conftest import Command
from tests.ingest.logs import texts

pytestmark = pytest.mark.slow

SPOILT = """
UPDATE matches SET rules_version = 1;
UPDATE matches SET status = 'broken', winning_side = 2 WHERE line % 3 = 0;
UPDATE deals SET winning_side = 1, status = 'irregular' WHERE deal_index = 1
"""


@pytest.fixture
def club(tmp_path: Path) -> Path:
    path = tmp_path / "club.jsonl"
    path.write_bytes(b"\n".join([*texts(14), *faulty()]))
    return path


@pytest.fixture
def lake(server: postgres.Server, tmp_path: Path, club: Path) -> str:
    """A lake in which all verdicts are old, and some wrong."""
    address = server.lake(tmp_path / "lake")
    with Store(address) as store:
        list(ingest(store, [club]))
        spoil(store)
    return address


def spoil(store: Store) -> None:
    """Have all verdicts be old, and some of them others than they are."""
    with store.transaction():
        for one in SPOILT.split(";"):
            store.connection.execute(one)


def contents(store: Store) -> dict[str, list[Any]]:
    """All rows, of which none is wrong."""
    assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []
    return cluster_helpers.rows(store)


def changed_in(validated: Iterator[revalidate.RevalidateProgress]) -> list[ChangedMatch]:
    return [one for batch in validated for one in batch.changed_matches]


@pytest.mark.soak
def test_workers_judge_a_lake_again_as_one_machine_does(
    server: postgres.Server,
    tmp_path: Path,
    club: Path,
    lake: str,
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(revalidate, "WORKER_BATCH_BYTES", 20_000)
    with LakeStore(server.lake(tmp_path / "other")) as alone:
        list(ingest(alone, [club]))
        right = contents(alone)
        spoil(alone)
        expected = {one.match_id: one.changes for one in changed_in(revalidate_matches(alone))}
        assert contents(alone) == right
    with LakeStore(lake) as store:
        set_aside = list[str]()
        each = partial(cluster.map_items, validate_stored, set_aside)
        found = list(revalidate_matches(store, revalidate_elsewhere=each))
        assert (found[-1].matches_done, found[-1].matches_total, set_aside) == (26, 26, [])
        assert {one.match_id: one.changes for one in changed_in(iter(found))} == expected
        assert expected
        assert contents(store) == right
        assert list(revalidate_matches(store, revalidate_elsewhere=each)) == []


@pytest.mark.soak
def test_the_command_says_the_same_with_and_without_a_scheduler(
    retourne: Command, server: postgres.Server, tmp_path: Path
) -> None:
    path = tmp_path / "some.jsonl"
    path.write_bytes(b"\n".join([*texts(4), *faulty()[:4]]))
    items = []
    for address, words in (
        ("alone.duckdb", []),
        ("spread.duckdb", ["--scheduler", "local:1"]),
        (server.lake(tmp_path / "lake"), ["--scheduler", "local:1"]),
    ):
        with Store(address) as store:
            list(ingest(store, [path]))
            spoil(store)
        done = retourne("revalidate", "--store", address, "--lang", "en", *words)
        assert done.code == 1, done.err
        *listed, summary = done.out.splitlines()
        items.append((sorted(listed), summary))
    assert items[0] == items[1] == items[2]
    assert items[0][1].startswith("Checked again: 8 · changed: 5 · ")
    with Store("alone.duckdb") as alone, Store("spread.duckdb") as spread:
        assert contents(alone) == contents(spread)


def test_a_scheduler_is_for_what_is_then_stored(retourne: Command, club: Path) -> None:
    retourne("ingest", club)
    for words in (["--dry-run"], ["--preset", "blam"], ["--set", "quinte=100"]):
        done = retourne("revalidate", "--scheduler", "local:1", *words, "--lang", "en")
        assert done.code == 2
        assert "--scheduler cannot be combined with" in " ".join(done.err.split())


# beside others


@pytest.mark.soak
def test_a_match_that_another_program_deletes_meanwhile_does_not_come_back(lake: str) -> None:
    with LakeStore(lake) as store, LakeStore(lake) as other:
        numbers, since = outdated_matches(store), last_change_no(store)
        validated = validate_outdated(store, numbers)
        trash.delete_matches(other, numbers[:3])
        moved, anew = write_verdicts(store, validated, since)
        assert anew
        assert {one.match_no for one in moved}.isdisjoint(numbers[:3].tolist())
        assert count_outdated(store.cursor()) == {}
        assert [len(one) for one in (numbers, outdated_matches(store, all_matches=True))] == [26, 23]
        contents(store)


@pytest.mark.soak
def test_what_others_change_while_old_verdicts_are_judged_stays_so(
    lake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_texts, "BATCH_BYTES", 20_000)
    monkeypatch.setattr(revalidate, "BATCHES_PER_TRANSACTION", 1)
    with LakeStore(lake) as store, LakeStore(lake) as other:
        numbers = outdated_matches(store)
        validated = revalidate_matches(store)
        first = next(validated)
        assert first.matches_done < 20
        removed = numbers[[first.matches_done, 25]]  # one that has been read by now, and one that has not
        trash.delete_matches(other, removed)
        *_, last = validated
        assert last.matches_total == 26
        assert count_outdated(store.cursor()) == {}
        assert set(outdated_matches(store, all_matches=True)) == set(numbers) - set(removed)
        contents(store)


@pytest.mark.soak
def test_a_player_who_is_purged_meanwhile_does_not_come_back(lake: str) -> None:
    with LakeStore(lake) as store:
        since = last_change_no(store)
        validated = validate_outdated(store, outdated_matches(store))
        number, (player, name) = min(pseudonyms.known_names(store).items())
        with LakeStore(lake) as other:
            purge.purge_player(other, number)
        assert write_verdicts(store, validated, since)[1]
        names = pseudonyms.known_names(store).values()
        assert (player, name) not in names
        contents(store)


@pytest.mark.soak
def test_what_another_program_has_judged_meanwhile_is_not_judged_twice(lake: str) -> None:
    with LakeStore(lake) as store, LakeStore(lake) as other:
        since, validated = last_change_no(store), validate_outdated(store, outdated_matches(store))
        list(revalidate_matches(other))
        before = store.version
        assert write_verdicts(store, validated, since) == ([], True)
        assert last_change_no(store) == last_change_no(other)
        assert store.version >= before
        contents(store)
