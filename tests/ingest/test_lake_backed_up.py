"""A lake is backed up by PostgreSQL and a copy of its folder, as its document says."""

import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest

from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.store_url import parse_lake_url
from tests.ingest import postgres
from tests.ingest.conftest import Command
from tests.ingest.logs import texts

FIRST, ALL = 6, 12


@pytest.mark.soak
def test_a_dump_and_a_copy_of_the_folder_bring_back_what_the_lake_was(
    server: postgres.Server, tmp_path: Path, retourne: Command
) -> None:
    folder, copied, dump = (tmp_path / one for one in ("lake", "copied", "club.dump"))
    with psycopg.connect(server.conninfo(postgres.USER), autocommit=True) as session:
        session.execute("CREATE ROLE club LOGIN")
        session.execute("CREATE DATABASE club OWNER club")

        def pg(name: str, *words: str, user: str = "club") -> None:
            reached = ["--host=127.0.0.1", f"--port={server.port}", f"--username={user}"]
            subprocess.run([postgres.program(name), *reached, *words], check=True)

        lake = f"ducklake:postgres:{server.conninfo('club')}?data={folder}"
        lake = lake.replace(f"user={postgres.USER}", "user=club")
        files = [tmp_path / "first.jsonl", tmp_path / "later.jsonl"]
        for file, part in zip(files, (slice(FIRST), slice(FIRST, ALL)), strict=True):
            file.write_bytes(b"".join(one + b"\n" for one in texts(ALL)[part]))
        with Store(lake) as store:
            assert [one.added for one in ingest(store, files[:1])] == [FIRST]
        before = retourne("stats", "--format", "jsonl", "--store", lake).raw

        pg("pg_dump", "--format=custom", f"--file={dump}", "club")
        with Store(lake) as store:  # somebody adds others before the folder is copied
            assert [one.added for one in ingest(store, files[1:])] == [ALL - FIRST]
        shutil.copytree(folder, copied)

        shutil.rmtree(parse_lake_url(lake).data)
        pg("dropdb", "club", user=postgres.USER)
        pg("createdb", "--owner=club", "club", user=postgres.USER)
        pg("pg_restore", "--dbname=club", str(dump))
        shutil.copytree(copied, folder)
        assert retourne("stats", "--format", "jsonl", "--store", lake).raw == before
        assert retourne("verify", "--store", lake).code == 0
        with Store(lake) as store:
            assert [one.added for one in ingest(store, files)] == [0, ALL - FIRST]
        assert retourne("verify", "--store", lake).code == 0
