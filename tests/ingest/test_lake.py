"""A lake says what a file says, to any number of writers, whenever one of them ends."""

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from ingest.store import ingest_files, trash
from ingest.store.errors import LAKE_NOT_COPYABLE, warning_listeners
from ingest.store.factory import LockMode, Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.lake import attach
from ingest.store.lake.catalogue import CONFLICTING_WRITE, POSTGRES_NOT_LISTENING, WAITING_FOR_CATALOG
from ingest.store.match_comparison import OnConflict, Relation
from ingest.store.match_versions import list_versions
from ingest.store.store_url import parse_lake_url
from ingest.store.upload_duplicates import DuplicateFinder
from tests.ingest import postgres
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import documents, lines, texts
from tests.waiting import PATIENCE, comes

FILES = 4
EACH = 8
IDS = [one["id"] for one in documents(FILES * EACH)]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Files of matches; two that follow each other have half of them in common."""
    text = texts(FILES * EACH)
    found = [tmp_path / f"{number}.jsonl" for number in range(FILES)]
    for number, path in enumerate(found):
        some = [text[place % len(text)] for place in range(number * EACH, (number + 1) * EACH + 4)]
        path.write_bytes(b"".join(one + b"\n" for one in some))
    return found


def rows(store: Store, table: str) -> list[str]:
    """All rows of a table but for numbers and times that are each store's own."""
    own = "'player_no', 'added_at', 'done_at', 'applied_at', 'changed_at'"
    found = store.cursor().execute(f"SELECT COLUMNS(c -> c NOT IN ({own})) FROM {table}")
    return sorted(map(repr, found.fetchall()))


def is_whole(address: str) -> None:
    """Every match and player is there once, with all that belongs to it."""
    with Store(address) as store:
        cursor = store.cursor()
        ids = [one for (one,) in cursor.execute("SELECT log_id FROM matches").fetchall()]
        assert sorted(ids) == sorted(IDS)
        players = cursor.execute("SELECT player_no, player_id FROM players").fetchall()
        assert len(players) == len(dict(players)) == len({one for _, one in players})
        numbers = cursor.execute("SELECT match_no FROM matches").fetchall()
        assert len(numbers) == len(set(numbers))
        for table in ("raw", "match_deals", "seats", "deals"):
            found = cursor.execute(f"SELECT DISTINCT match_no FROM {table}").fetchall()
            assert sorted(found) == sorted(numbers)
        assert cursor.execute("SELECT count(*) FROM raw").fetchall() == [(len(numbers),)]
        held = cursor.execute("SELECT DISTINCT player_no FROM seats ORDER BY 1").fetchall()
        assert [one for (one,) in held] == sorted(one for one, _ in players)
        assert [store.read_match_text(number) for (number,) in numbers]


def is_json(text: bytes) -> bool:
    """Whether a text can be read as JSON."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def writer(address: str, *files: Path) -> "subprocess.Popen[bytes]":
    """A process that stores files; nothing is reported on its command line."""
    return subprocess.Popen(
        [sys.executable, "-m", "ingest.cli", "ingest", *map(str, files)],
        env=os.environ | {"RETOURNE_STORE": address},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def test_a_lake_has_the_tables_columns_and_types_of_a_file(server: postgres.Server, tmp_path: Path) -> None:
    ask = "SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns()"
    ask += " WHERE database_name = current_database() AND NOT internal"
    with Store(server.lake(tmp_path / "lake")) as one, Store(tmp_path / "a.duckdb") as other:
        found = [sorted(store.cursor().execute(ask).fetchall()) for store in (one, other)]
        assert found[0] == found[1]


def test_a_lake_says_what_a_file_says(lake: str, tmp_path: Path, retourne: Command) -> None:
    faults = [path.read_bytes() for path in sorted(FAUTES.glob("*/*.json"))[::12]]
    whole = [json.dumps(json.loads(text)).encode() + b"\n" for text in faults if is_json(text)]
    (tmp_path / "a.jsonl").write_bytes(lines(12) + b"".join(whole))
    sources = [tmp_path / "a.jsonl"]
    items = list[list[str]]()
    for address in (lake, str(tmp_path / "a.duckdb")):
        entries = [
            retourne("ingest", *sources, "--store", address)
            .out.replace(f"'{address}'", "STORE")
            .replace(address, "STORE")
        ]
        for words in (["stats"], ["stats", "--announcements"], ["stats", "--ladder"]):
            done = retourne(*words, "--store", address)
            assert done.code == 0, done.err
            entries.append(done.out.replace(f"'{address}'", "STORE").replace(address, "STORE"))
        items.append(entries)
    assert items[0] == items[1]
    with Store(lake) as one, Store(tmp_path / "a.duckdb") as other:
        ask = "SELECT schema_name || '.' || table_name FROM duckdb_tables()"
        ask += " WHERE table_name NOT IN ('migrations', 'secret')"
        for (table,) in other.cursor().execute(ask).fetchall():
            assert rows(one, table) == rows(other, table), table


def test_what_is_deleted_comes_back_or_comes_again(lake: str, files: list[Path]) -> None:
    with Store(lake) as store:
        [report] = ingest(store, files[:1])
        number = store.find_match(IDS[0])
        assert number is not None
        deletion = trash.delete_matches(store, [number])
        assert deletion is not None
        assert store.find_match(IDS[0]) is None
        [again] = ingest(store, files[:1])
        assert (report.added, again.added, again.duplicates) == (EACH + 4, 1, EACH + 3)
        assert trash.undelete_matches(store, deletion) == (0, 1)
        assert trash.delete_matches(store, [store.find_match(IDS[0]) or -1]) is not None
        assert trash.undelete_matches(store, trash.list_deletions(store.cursor())[0].number) == (1, 0)
        list(ingest(store, files))
    is_whole(lake)


@pytest.mark.soak
def test_a_refused_log_can_be_stored_once_its_match_is_deleted(lake: str) -> None:
    whole = next(one for one in documents(12) if len(one["deals"]) > 1)
    part = {key: one for key, one in whole.items() if key != "result"} | {"deals": whole["deals"][:1]}
    with Store(lake) as store:
        for log, relations in ((whole, {}), (part, {Relation.BEGINNING: 1}), (part, {Relation.BEGINNING: 1})):
            [report] = ingest(store, [("log.json", io.BytesIO(json.dumps(log).encode()))])
            assert report.relations == relations
        trash.delete_matches(store, [store.find_match(whole["id"]) or 0])
        [report] = ingest(store, [("log.json", io.BytesIO(json.dumps(part).encode()))])
        assert (report.added, report.duplicates) == (1, 0)


@pytest.mark.parametrize("first", ["whole", "beginning"])
@pytest.mark.soak
def test_a_match_and_its_beginning_stored_at_once_count_once(
    lake: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = next(one for one in documents(12) if len(one["deals"]) > 1)
    logs = [
        whole,
        {key: one for key, one in whole.items() if key != "result"} | {"deals": whole["deals"][:1]},
    ]
    with Store(lake) as store:
        for place, log in enumerate(logs if first == "whole" else reversed(logs)):
            if place:  # neither program sees what the other has not committed
                monkeypatch.setattr(DuplicateFinder, "_stored", lambda finder, heads: ([], {}))
            list(ingest(store, [("log.json", io.BytesIO(json.dumps(log).encode()))]))
        numbers = [one for (one,) in store.cursor().execute("SELECT match_no FROM matches").fetchall()]
        assert [json.loads(store.read_match_text(one)) for one in numbers] == [whole]


@pytest.mark.soak
def test_of_two_logs_that_replace_one_match_at_once_one_stays(
    lake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    [log], held, replace = documents(1), list[Any](), ingest_files.replace_elsewhere
    with Store(lake) as store:
        for event in ("", "Friday", "Saturday"):
            if event:  # the first one's transaction that replaces comes after the second one has stored
                monkeypatch.setattr(ingest_files, "replace_elsewhere", lambda *call: held.append(call))
            text = json.dumps(log | {"event": {"name": event}} if event else log).encode()
            list(ingest(store, [("log.json", io.BytesIO(text))], on_conflict=OnConflict.REPLACE))
        for call in held:
            replace(*call)
        [(number,)] = store.cursor().execute("SELECT match_no FROM matches").fetchall()
        assert json.loads(store.read_match_text(number))["event"] == {"name": "Saturday"}
        [(match,)] = store.cursor().execute("SELECT match_id FROM matches").fetchall()
        assert len(list_versions(store.cursor(), match)) == 2


@pytest.mark.soak
def test_two_writers_of_the_same_files_store_each_match_once(lake: str, files: list[Path]) -> None:
    both = [writer(lake, *files), writer(lake, *reversed(files))]
    for process in both:
        _, result = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, result.decode()
    is_whole(lake)
    with Store(lake) as store:
        items = store.cursor().execute("SELECT sum(matches), sum(already_stored) FROM files").fetchall()
        assert items == [(2 * FILES * (EACH + 4), 2 * FILES * (EACH + 4) - len(IDS))]


@pytest.mark.soak
def test_a_writer_thought_dead_stores_nothing_later(lake: str, files: list[Path]) -> None:
    def late(store: Store) -> None:
        with store.transaction(lock_mode=LockMode.SHARED_APPEND):
            store.claim([f"{number:032x}" for number in range(3)], [])
            store.connection.execute("INSERT INTO settings VALUES ('late', 'yes')")
            with psycopg.connect(parse_lake_url(lake).catalog, autocommit=True) as other:
                other.execute("UPDATE retourne.writers SET given_up = true WHERE NOT done")

    with Store(lake) as store:
        with pytest.raises(StoreError) as result:
            late(store)
        assert result.value.text == CONFLICTING_WRITE
        assert store.cursor().execute("FROM settings").fetchall() == []
        assert sum(report.added for report in ingest(store, files)) == len(IDS)
    is_whole(lake)


@pytest.mark.soak
def test_a_catalogue_that_stops_is_waited_for(server: postgres.Server, lake: str, files: list[Path]) -> None:
    items = list[StoreError]()
    warning_listeners.append(items.append)
    threads = list[threading.Thread]()
    try:
        with Store(lake) as store:
            for number, report in enumerate(ingest(store, files)):
                assert report.added
                if number == 1:
                    server.stop()
                    threads.append(threading.Timer(1.0, server.start))
                    threads[-1].start()
    finally:
        warning_listeners.remove(items.append)
        for one in threads:
            one.join()
    assert [one.text for one in items] == [WAITING_FOR_CATALOG]
    is_whole(lake)


@pytest.mark.soak
def test_another_program_s_matches_are_seen_at_once(lake: str, files: list[Path]) -> None:
    with Store(lake) as reader, Store(lake) as store:
        before = reader.version
        list(ingest(store, files[:1]))
        assert reader.cursor().execute("SELECT count(*) FROM matches").fetchall() == [(EACH + 4,)]
        comes(lambda: reader.version != before)


def test_a_lake_out_of_reach_is_reported_with_the_reason_and_no_password(tmp_path: Path) -> None:
    address = "ducklake:postgres:host=127.0.0.1 port=1 dbname=club password=geheim"
    with pytest.raises(StoreError) as result:
        Store(f"{address}?data={tmp_path}")
    assert result.value.text == POSTGRES_NOT_LISTENING
    assert "127.0.0.1:1," in str(result.value)
    assert "geheim" not in str(result.value)


@pytest.mark.soak
def test_ids_of_players_may_have_any_sign(lake: str, tmp_path: Path) -> None:
    """PostgreSQL has no text with a NUL, and DuckDB has."""
    path, ids = tmp_path / "club.jsonl", ["a\0b", r"a\0b", "a\\\\0b", "a'b"]
    one, other = documents(2)
    one["players"] = [{"id": player, "name": player} for player in ids[:2]]
    other["players"] = [{"id": player, "name": player} for player in ids[2:]]
    path.write_text(f"{json.dumps(one)}\n{json.dumps(other)}\n", encoding="utf-8")
    found = []
    for address in (lake, str(tmp_path / "club.duckdb")):
        with Store(address) as store:
            [report] = ingest(store, [path])
            assert report.added == 2
            ask = "SELECT player_id, name FROM players JOIN seats USING (player_no) ORDER BY ALL"
            found.append(store.cursor().execute(ask).fetchall())
    assert found[0] == found[1]
    assert {player for player, _ in found[0]} == set(ids)


def test_a_place_that_cannot_be_written_spoils_no_database(
    lake: str, tmp_path: Path, files: list[Path], retourne: Command
) -> None:
    (tmp_path / "file").touch()
    wrong = f"{lake.partition('?data=')[0]}?data={tmp_path}/file/lake"
    refused = retourne("ingest", files[0], "--store", wrong)
    assert refused.code == 2
    assert retourne("ingest", files[0], "--store", lake).code == 0


def test_what_postgresql_refuses_is_a_sentence(
    server: postgres.Server, tmp_path: Path, files: list[Path], retourne: Command
) -> None:
    lake = server.lake(tmp_path / "lake")
    with psycopg.connect(parse_lake_url(lake).catalog, autocommit=True) as session:
        session.execute("CREATE SCHEMA retourne")
    done = retourne("ingest", files[0], "--store", lake)
    assert done.code == 2
    assert 'schema "retourne" already exists' in " ".join(done.err.split())


@pytest.mark.soak
def test_a_text_that_has_changed_comes_back_from_a_backup_of_the_lake(
    lake: str, files: list[Path], retourne: Command
) -> None:
    with Store(lake) as store:
        list(ingest(store, files[:1]))
        with store.transaction():
            first = "match_no = (SELECT min(match_no) FROM lake.main.raw WHERE size > 0)"
            store.connection.execute(f"UPDATE lake.main.raw SET size = size - 1 WHERE {first}")
    done = retourne("verify", "--store", lake)
    assert done.code == 1
    assert "a backup of the lake" in " ".join(done.out.split())
    assert "restore" not in done.out


def test_a_lake_that_is_not_there_is_not_made_by_who_reads(server: postgres.Server, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No store at"):
        Store(server.lake(tmp_path / "lake"), read_only=True)


@pytest.mark.soak
def test_what_copies_a_file_says_what_to_do_of_a_lake(lake: str, club: Path, retourne: Command) -> None:
    with Store(lake) as store:
        list(ingest(store, [club]))
    for words in (("backup", "b.duckdb"), ("restore", club)):
        done = retourne(*words, "--store", lake)
        assert done.code
        assert "pg_dump" in done.err, done.err
    assert "pg_dump" in LAKE_NOT_COPYABLE
    assert not [one for one in Path.cwd().iterdir() if "ducklake" in one.name]


def test_without_the_extensions_a_sentence_says_how_to_get_them() -> None:
    with pytest.raises(StoreError, match=r"pip install '\.\[lake\]'"):
        attach.load_extension(duckdb.connect(), "of_nobody")
