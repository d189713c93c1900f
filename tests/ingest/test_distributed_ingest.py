"""Files checked and stored in a lake by the workers of a cluster: each match once, whichever worker dies."""

import random
import re
from collections.abc import Sequence
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from ingest.distributed import cluster as clusters
from ingest.distributed.cluster import Cluster, ClusterError, connect
from ingest.distributed.ingest_files import DistributedIngest
from ingest.reader.sources import Source
from ingest.store import ratings
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.lake.store import LakeStore
from ingest.store.lake_part import FOLDER_NOT_SHARED
from ingest.store.verify import verify_store
from tests.ingest import postgres
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
from tests.ingest.crash_worker import (
    POISON,
    deadly_part,
    not_this_folder,
    slow_part,
    slowly_stored,
    stored_and_ended,
)
from tests.ingest.logs import lines, texts
from tests.ingest.test_match_variants import (
    COUNTED,
    NAMED,
    as_lines,
    contents,
    counted_once,
    played,
    shuffled,
)

pytestmark = pytest.mark.slow

PLAYED = [table for table in COUNTED if table != "ratings"]

Found = tuple[list[dict[str, Any]], dict[str, list[Any]]]


def whole(store: LakeStore) -> dict[str, list[Any]]:
    """The rows of a lake of which none is wrong once it is rated, files by their names."""
    ratings.refresh_ratings(store)  # as the command does: names that two workers stored at once become one
    assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []
    [(files, numbers)] = (
        store.cursor().execute("SELECT count(*), count(DISTINCT file_no) FROM files").fetchall()
    )
    assert files == numbers
    names = "(SELECT name FROM files f WHERE f.file_no = t.file_no)"
    return rows(store, {"file_no": names})


def alone(address: str, sources: Sequence[Source]) -> Found:
    """What one machine tells of files, and what lies in the lake then."""
    with LakeStore(address) as store:
        return [as_data(one) for one in ingest(store, sources)], whole(store)


def spread(address: str, sources: Sequence[Source], cluster: Cluster, **how: Any) -> Found:
    """The same of a cluster that sets nothing aside."""
    with LakeStore(address) as store:
        writing = DistributedIngest(cluster, store, sources, SIZE, **how)
        items = [as_data(one) for one in writing.reports()]
        assert writing.set_aside == []
        requested = store.catalog.query("SELECT count(*) FROM retourne.parts")
        assert requested == [(0,)]
        assert list(Path(store.location.data).glob(".retourne-*")) == []
        return items, whole(store)


@pytest.mark.soak
def test_workers_store_and_report_what_one_machine_does(
    server: postgres.Server, tmp_path: Path, cluster: Cluster
) -> None:
    sources = mixed(tmp_path)
    expected = alone(server.lake(tmp_path / "a"), sources)
    assert spread(server.lake(tmp_path / "b"), sources, cluster) == expected


@pytest.mark.soak
def test_what_is_stored_already_is_known_to_workers(
    server: postgres.Server, tmp_path: Path, cluster: Cluster
) -> None:
    sources = mixed(tmp_path)
    one, other = (server.empty_lake(tmp_path / name) for name in "ab")
    for some in (sources[2:3], sources[:2]):
        assert spread(other, some, cluster) == alone(one, some)


@pytest.mark.parametrize("how", ["streams", "not here"])
@pytest.mark.soak
def test_what_workers_cannot_read_is_stored_by_them_all_the_same(
    server: postgres.Server, tmp_path: Path, cluster: Cluster, how: str
) -> None:
    sources = mixed(tmp_path)[:3]

    def given() -> list[Source]:
        return streams(sources) if how == "streams" else sources

    expected = alone(server.lake(tmp_path / "a"), given())
    work = {} if how == "streams" else {"part_checker": not_here}
    assert spread(server.lake(tmp_path / "b"), given(), cluster, **work) == expected


@pytest.mark.soak
def test_a_part_stored_by_a_worker_that_died_is_no_duplicate_of_itself(
    server: postgres.Server, tmp_path: Path, cluster: Cluster
) -> None:
    path, small = tmp_path / "club.jsonl", tmp_path / "small.jsonl"
    path.write_bytes(b"\n".join([*faulty()[:3], *texts(10)[2:]]))
    small.write_bytes(lines(3))
    sources: list[Source] = [small, path]
    expected = alone(server.lake(tmp_path / "a"), sources)
    found = spread(server.lake(tmp_path / "b"), sources, cluster, part_writer=stored_and_ended)
    assert found == expected
    # each part died once, and was given to another that found it stored
    assert len(list((tmp_path / "b").glob("died-*"))) > 2


@pytest.mark.soak
def test_a_part_that_ends_its_workers_is_set_aside_and_the_rest_stored_in_the_lake(
    lake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "MAX_WORKER_DEATHS", 0)  # each takes seconds
    path = tmp_path / "club.jsonl"
    before, behind = b"\n".join(texts(20)), b"\n".join(texts(60)[30:])
    path.write_bytes(b"\n".join([before, b'{"_": "' + POISON + b'"}', behind, b"no match"]))
    with LakeStore(lake) as store, connect("local:1") as cluster:
        writing = DistributedIngest(cluster, store, [path], SIZE, deadly_part)
        [result] = writing.reports()
        whole(store)
    assert len(writing.set_aside) == 1
    codes = [finding.code for one in result.reports for finding in one.findings]
    assert "cannot-read" in codes
    # lines that were set aside are counted all the same
    assert result.reports[-1].line == 52
    assert 0 < result.added < 50
    given = ingest_again(lake, path)
    assert (given.added + result.added, given.duplicates) == (51 + 1, result.added)


def ingest_again(address: str, path: Path) -> Any:
    """What one machine makes of a file that was given before."""
    with LakeStore(address) as store:
        [report] = ingest(store, [path])
        return report


@pytest.mark.soak
def test_a_command_that_ends_leaves_whole_parts_and_they_are_known(
    server: postgres.Server, tmp_path: Path
) -> None:
    path = tmp_path / "club.jsonl"
    path.write_bytes(lines(60))
    address = server.lake(tmp_path / "lake")
    with LakeStore(address) as store, connect("local:1") as cluster:
        writing = DistributedIngest(cluster, store, [path], SIZE, slow_part)

        def missing(name: str, count: int) -> None:
            if count > 3 * SIZE:
                cluster.client.close()

        with pytest.raises(ClusterError, match="stopped answering"):
            list(writing.reports(missing))
        whole(store)
        [(there,)] = store.cursor().execute("SELECT count(*) FROM matches").fetchall()
        [(result,)] = store.cursor().execute("SELECT matches FROM files").fetchall()
        assert 0 < result <= there < 60
    with connect("local:1") as cluster:
        [again], _ = spread(address, [path], cluster)
    assert again["already_stored"] >= there
    assert again["added"] + again["already_stored"] == 60


@pytest.mark.soak
def test_a_worker_that_does_not_see_the_folder_stores_nothing(
    lake: str, tmp_path: Path, cluster: Cluster
) -> None:
    (tmp_path / "club.jsonl").write_bytes(lines(3))
    with LakeStore(lake) as store:
        writing = DistributedIngest(cluster, store, [tmp_path / "club.jsonl"], part_writer=not_this_folder)
        with pytest.raises(StoreError) as refused:
            list(writing.reports())
        assert refused.value.text == FOLDER_NOT_SHARED
        assert store.is_empty()


def test_workers_get_no_password(server: postgres.Server, tmp_path: Path) -> None:
    address = server.lake(tmp_path / "lake").replace("?data", " password='ge heim'?data")
    with LakeStore(address) as store:
        assert "heim" not in store.url_for_workers()
        with LakeStore(store.url_for_workers()) as other:
            assert other.location.data == store.location.data


@pytest.mark.soak
def test_nothing_is_lost_or_doubled_where_workers_that_store_are_killed(
    server: postgres.Server, tmp_path: Path, cluster: Cluster
) -> None:
    _killed_and_compared(server, tmp_path, cluster, 4)


@pytest.mark.soak
def test_nothing_is_lost_or_doubled_where_a_hundred_workers_that_store_are_killed(
    server: postgres.Server, tmp_path: Path
) -> None:
    with patient() as cluster:
        _killed_and_compared(server, tmp_path, cluster, 100)


def _killed_and_compared(server: postgres.Server, folder: Path, cluster: Cluster, kills: int) -> None:
    path = folder / "club.jsonl"
    path.write_bytes(b"\n".join([*texts(60), *faulty()] * 3))
    expected = alone(server.lake(folder / "alone"), [path])
    killed = 0
    lot = random.Random(kills)
    while killed < kills:
        end = killing(cluster, kills - killed, lot)
        try:
            found = spread(server.lake(folder / str(killed)), [path], cluster, part_writer=slowly_stored)
        finally:
            killed += end()
        assert found == expected


def often(folder: Path, count: int) -> list[Source]:
    """Files of so many matches in all their variants."""
    found = list[Source]()
    for number, logs in enumerate(shuffled(played(count), 11)):
        file = folder / f"often-{number}.jsonl"
        file.write_bytes(as_lines(logs))
        found.append(file)
    return found


@pytest.mark.soak
def test_workers_store_matches_that_come_in_many_forms_once(
    lake: str, tmp_path: Path, cluster: Cluster
) -> None:
    with LakeStore(lake) as store:
        list(DistributedIngest(cluster, store, often(tmp_path, 300), SIZE).reports())
    assert contents(lake, []) == counted_once(300)


KINDS = ("mixed.jsonl", "packed.jsonl.zst", "torn.jsonl.gz", "club.zip", "picture.jsonl", "nothing.jsonl")
"""Files of which the command stores some, all or nothing; `check` on a cluster is shown with every kind."""


@pytest.mark.workers
def test_the_command_says_and_stores_the_same_in_a_lake_with_and_without_a_scheduler(
    retourne: Command, server: postgres.Server, tmp_path: Path
) -> None:
    mix = [one for one in mixed(tmp_path) if isinstance(one, Path) and one.name in KINDS]
    logs, many = (
        [*chain.from_iterable(shuffled(played(1), 11))],
        [tmp_path / f"{name}.jsonl" for name in "ab"],
    )
    for place, file in enumerate(many):
        file.write_bytes(as_lines(logs[place::2]))
    sources = [*mix, *many]
    one, other = (server.empty_lake(tmp_path / name) for name in "ab")
    without = retourne("ingest", *sources, "--store", one)
    with_one = retourne("ingest", *sources, "--store", other, "--scheduler", "local:1")
    # which variant comes first is the scheduler's choice; how many are one match is not
    both = [done.out.partition("\nFiles:")[0] for done in (without, with_one)]
    assert (both[1], with_one.code) == (both[0], without.code)
    alike = [re.findall(r"the same match in another log: \d+", done.out) for done in (without, with_one)]
    assert alike[1] == alike[0] != []
    assert with_one.code == 2
    stored = []
    for address in (one, other):
        with LakeStore(address) as store:
            stored.append((whole(store), rows(store, NAMED, PLAYED)))
    assert stored[1] == stored[0]
    with Store(tmp_path / "once.duckdb") as once:
        list(ingest(once, [*mix, ("once.jsonl", BytesIO(as_lines(played(1))))]))
        assert rows(once, NAMED, PLAYED) == stored[1][1]
