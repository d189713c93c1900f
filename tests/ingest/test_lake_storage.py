"""A lake whose files lie in an object storage: written, put in order and purged as any other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.store import purge
from ingest.store.add import ingest
from ingest.store.lake.store import TAKEN
from ingest.store.lake.tidy import tidy
from ingest.store.store import Store, StoreError
from ingest.store.verify import verify
from tests.ingest import postgres
from tests.ingest.logs import documents, texts
from tests.ingest.storage import Storage, served
from tests.ingest.test_lake_tidy import later, opened

FILES, EACH = 3, 5


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    with postgres.running() as running:
        yield running


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    with served(tmp_path / "storage") as storage:
        for name, value in storage.environ.items():
            monkeypatch.setenv(name, value)
        yield storage


def test_a_lake_in_an_object_storage_is_written_tidied_and_purged(
    server: postgres.Server, storage: Storage, tmp_path: Path
) -> None:
    lake = server.lake("s3://club/lake")
    for number in range(FILES):
        file = tmp_path / f"{number}.jsonl"
        file.write_bytes(b"\n".join(texts(FILES * EACH)[number * EACH :][:EACH]))
        with opened(lake) as store:
            [report] = ingest(store, [file])
            assert report.added == EACH
    folder = storage.folder / "club" / "lake"
    with opened(lake) as store:
        done = tidy(store)
        assert done.before.files > done.after.files
        later(lake, 2)
        assert tidy(store).removed == done.waiting
        assert len(list(folder.glob("**/*.parquet"))) == done.after.files
        assert [one for batch in verify(store) for one in batch.wrong] == []
        first = store.find(documents(1)[0]["id"])
        assert first is not None
        assert purge.purge_matches(store, [first]).gone == 1
        [(count,)] = store.cursor().execute("SELECT count(*) FROM raw").fetchall()
        assert count == FILES * EACH - 1
    with pytest.raises(StoreError) as told:
        Store(server.lake("s3://club/lake"))
    assert told.value.text == TAKEN
