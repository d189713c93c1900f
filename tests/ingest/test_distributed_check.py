"""Files checked by a cluster: reported and stored as one machine does, whichever worker dies."""

import io
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import zstandard

from ingest.distributed import cluster as clusters
from ingest.distributed.check_files import DistributedReader, partition
from ingest.distributed.cluster import Cluster, ClusterError, connect
from ingest.reader.sources import Source
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.verify import verify_store
from tests.ingest.cluster_helpers import (
    SIZE,
    as_data,
    faulty,
    killing,
    mixed,
    not_here,
    patient,
    rows,
    streams,
)
from tests.ingest.conftest import Command
from tests.ingest.crash_worker import POISON, deadly_part, deadly_texts, slow_part
from tests.ingest.logs import lines, texts
from tests.ingest.object_storage import served

pytestmark = pytest.mark.slow


def stored(
    path: Path, sources: Sequence[Source], spread: DistributedReader | None = None
) -> tuple[list[dict[str, Any]], dict[str, list[Any]]]:
    """The reports of files that are stored, and what lies in the store then."""
    with Store(path) as store:
        items = list(ingest(store, sources, check_source=None if spread is None else spread.read_checked))
        assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []
        return [as_data(one) for one in items], rows(store)


@pytest.mark.soak
def test_a_cluster_tells_and_stores_what_one_machine_does(tmp_path: Path, cluster: Cluster) -> None:
    sources = mixed(tmp_path)
    alone = stored(tmp_path / "alone.duckdb", sources)
    spread = DistributedReader(cluster, sources, SIZE)
    assert stored(tmp_path / "spread.duckdb", sources, spread) == alone
    assert spread.set_aside == []


@pytest.mark.soak
def test_streams_are_read_here_and_checked_there(tmp_path: Path, cluster: Cluster) -> None:
    sources = mixed(tmp_path)
    alone = stored(tmp_path / "alone.duckdb", streams(sources))
    spread = DistributedReader(cluster, streams(sources), SIZE)
    assert stored(tmp_path / "spread.duckdb", streams(sources), spread) == alone


@pytest.mark.soak
def test_what_workers_cannot_read_is_sent_to_them(tmp_path: Path, cluster: Cluster) -> None:
    sources = mixed(tmp_path)
    alone = stored(tmp_path / "alone.duckdb", sources)
    spread = DistributedReader(cluster, sources, SIZE, part_checker=not_here)
    assert stored(tmp_path / "spread.duckdb", sources, spread) == alone


@pytest.mark.soak
def test_packed_files_are_read_by_workers_up_to_a_size_and_sent_beyond(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = mixed(tmp_path)
    alone = stored(tmp_path / "alone.duckdb", sources)
    packed = {"packed.jsonl.zst", "packed.jsonl.gz", "torn.jsonl.gz", "club.zip"}
    assert given_away(sources) >= packed
    monkeypatch.setattr("ingest.distributed.check_files.MAX_WORKER_ARCHIVE_BYTES", 100)
    assert not given_away(sources) & packed
    assert stored(tmp_path / "spread.duckdb", sources, DistributedReader(cluster, sources, SIZE)) == alone


def given_away(sources: Sequence[Source]) -> set[str]:
    """The names of the files that workers read themselves."""
    return {Path(one.part.name).name for one in partition(sources, SIZE) if one.part is not None}


def test_bytes_that_are_done_end_at_the_size_of_each_file(tmp_path: Path, cluster: Cluster) -> None:
    path = tmp_path / "club.jsonl"
    path.write_bytes(lines(60))
    heard: list[int] = []
    for _ in DistributedReader(cluster, [path], SIZE).read_checked(path, heard.append):
        pass
    assert len(heard) > 3
    assert heard == sorted(heard)
    assert heard[-1] == path.stat().st_size


@pytest.mark.soak
def test_a_part_that_ends_its_workers_is_set_aside_and_the_rest_stored(
    tmp_path: Path, cluster: Cluster
) -> None:
    path, other = tmp_path / "club.jsonl", tmp_path / "other.jsonl"
    before, behind = b"\n".join(texts(20)), b"\n".join(texts(60)[30:])
    path.write_bytes(b"\n".join([before, b'{"_": "' + POISON + b'"}', behind, b"no match"]))
    other.write_bytes(lines(60))
    spread = DistributedReader(cluster, [path, other], SIZE, deadly_part, deadly_texts)
    result, there = stored(tmp_path / "spread.duckdb", [path, other], spread)
    [given_up] = spread.set_aside
    assert given_up.startswith(f"{path} ")
    first, second = result
    [aside] = (one["findings"][0] for one in first["rejected_texts"])
    assert aside["code"] == "cannot-read"
    assert aside["message"].startswith("The file cannot be read: every process that checked")
    # lines that were set aside are counted all the same
    assert [line for line, status, *_ in first["reports"] if status != "legal"][-1] == 52
    assert 0 < first["added"] < 50
    assert first["added"] + second["added"] == 60
    assert len(there["matches"]) == 61  # what is no match is kept with them


@pytest.mark.soak
def test_texts_that_end_their_workers_are_set_aside_where_they_were_sent(
    tmp_path: Path, cluster: Cluster
) -> None:
    data = b"\n".join([*texts(3), b'{"_": "' + POISON + b'"}'])
    source = ("-", io.BytesIO(data))
    spread = DistributedReader(cluster, [source], SIZE, deadly_part, deadly_texts)
    [result], there = stored(tmp_path / "spread.duckdb", [source], spread)
    assert spread.set_aside == ["-:1"]
    assert (result["added"], result["rejected"], there["matches"]) == (0, 1, [])


@pytest.mark.soak
def test_nothing_is_lost_or_doubled_where_workers_are_killed(tmp_path: Path, cluster: Cluster) -> None:
    _killed_and_compared(tmp_path, cluster, 4)


@pytest.mark.soak
def test_nothing_is_lost_or_doubled_where_a_hundred_workers_are_killed(tmp_path: Path) -> None:
    with patient() as cluster:
        _killed_and_compared(tmp_path, cluster, 100)


def _killed_and_compared(folder: Path, cluster: Cluster, kills: int) -> None:
    path = folder / "club.jsonl"
    path.write_bytes(b"\n".join([*texts(60), *faulty()] * 3))
    alone = stored(folder / "alone.duckdb", [path])
    killed = 0
    lot = random.Random(kills)
    while killed < kills:
        spread = DistributedReader(cluster, [path], SIZE, slow_part)
        end = killing(cluster, kills - killed, lot)
        try:
            found = stored(folder / f"{killed}.duckdb", [path], spread)
        finally:
            killed += end()
        assert found == alone
        assert spread.set_aside == []


# the command


@pytest.mark.workers
@pytest.mark.soak
def test_the_command_says_the_same_with_and_without_a_scheduler(retourne: Command, tmp_path: Path) -> None:
    sources = mixed(tmp_path)
    alone = retourne("ingest", *sources, "--store", "alone.duckdb")
    spread = retourne("ingest", *sources, "--store", "spread.duckdb", "--scheduler", "local:1")
    assert (spread.out, spread.code) == (alone.out, alone.code)
    assert spread.code == 2


@pytest.mark.soak
def test_values_reckoned_by_a_cluster_are_those_of_one_machine(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "club.jsonl"
    path.write_bytes(b"\n".join([*texts(6), *faulty()]))
    found = []
    for store, words in (("alone.duckdb", []), ("spread.duckdb", ["--scheduler", "local:1"])):
        retourne("ingest", path, "--store", store)
        done = retourne("revalidate", "--endgames", "--store", store, *words)
        assert done.code == 0, done.err
        with Store(store, read_only=True) as opened:
            result = rows(opened, tables=("endgame_values", "endgame_seat_values"))
        found.append((done.out, result))
    assert found[0] == found[1]
    assert found[0][1]["endgame_values"]


@pytest.mark.parametrize(
    ("address", "wording"),
    [
        ("local:0", "local:0 is not a scheduler: write local:8"),
        ("http://somewhere", "http://somewhere is not a scheduler"),
        ("tcp://127.0.0.1:1", "The scheduler tcp://127.0.0.1:1 does not answer."),
    ],
)
def test_a_scheduler_that_is_none_is_one_sentence(
    retourne: Command, club: Path, monkeypatch: pytest.MonkeyPatch, address: str, wording: str
) -> None:
    monkeypatch.setattr(clusters, "CONNECT_TIMEOUT_SECONDS", 0.5)
    done = retourne("ingest", club, "--scheduler", address)
    assert (done.code, done.out) == (2, "")
    assert wording in " ".join(done.err.split())
    assert not Path("retourne.duckdb").exists()


def test_a_scheduler_does_not_go_with_a_server(retourne: Command, club: Path) -> None:
    done = retourne("ingest", club, "--scheduler", "local:1", "--server", "http://127.0.0.1:1")
    assert done.code == 2
    assert "--scheduler cannot be combined with --server" in done.err


@pytest.mark.soak
def test_workers_of_another_version_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    result = iter(["retourne 2", "retourne 1"])
    with connect("local:1") as cluster, pytest.raises(ClusterError, match="do not have this version"):
        clusters._check_versions(cluster, lambda: next(result))


@pytest.mark.soak
def test_a_scheduler_that_goes_is_reported_and_leaves_whole_files(tmp_path: Path) -> None:
    path = tmp_path / "club.jsonl"
    path.write_bytes(lines(60))
    with Store(tmp_path / "club.duckdb") as store, connect("local:1") as cluster:
        spread = DistributedReader(cluster, [path, path], SIZE, slow_part)
        reports = ingest(store, [path, path], check_source=spread.read_checked)
        assert next(reports).added == 60
        cluster.client.close()
        with pytest.raises(ClusterError, match="stopped answering"):
            list(reports)
        assert store.cursor().execute("SELECT count(*) FROM files").fetchall() == [(1,)]
        assert store.cursor().execute("SELECT count(*) FROM matches").fetchall() == [(60,)]


@pytest.mark.soak
def test_objects_are_read_by_the_workers_themselves(
    retourne: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path) as storage:
        for name, value in storage.environ.items():
            monkeypatch.setenv(name, value)
        storage.put("2026/club.jsonl", lines(60))
        storage.put("2026/packed.jsonl.zst", zstandard.compress(b"\n".join(faulty())))
        alone = retourne("ingest", "s3://club/2026/", "--store", "alone.duckdb")
        address = ("--scheduler", "local:1")
        spread = retourne("ingest", "s3://club/2026/", "--store", "spread.duckdb", *address)
    assert (spread.out, spread.err, spread.code) == (alone.out, alone.err, alone.code)
    assert spread.code == 1
