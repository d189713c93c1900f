"""`retourne ingest`, `export`, `simulate` and `schema`: what goes in comes out as it was."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import duckdb
import pytest

from engine.games import game_names
from ingest.reader.files import Batch
from ingest.store import ingest_files
from ingest.store.export import TEXT_SCHEMA, Table
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.json_schema import json_schema
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import documents, lines, texts, zipped

ROOT = Path(__file__).parents[2]
FAULT = FAUTES / "chouine" / "must-follow.json"


@pytest.mark.slow
def test_a_file_is_stored_and_reported(retourne: Command, club: Path) -> None:
    done = retourne("ingest", club)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{club}: added: 6 · already there: 0\n"
    assert Path("retourne.duckdb").exists()
    again = retourne("ingest", club, "--lang", "fr")
    assert again.code == 0
    assert again.out == f"{club} : ajoutées : 0 · déjà dans la base : 6\n".replace(" :", "\u00a0:")


@pytest.mark.slow
def test_what_is_not_legal_is_stored_and_ends_with_1(retourne: Command, club: Path) -> None:
    done = retourne("ingest", club, FAULT, "--store", "a.duckdb")
    assert done.code == 1
    wrong, together, hint = done.out.splitlines()
    assert wrong.startswith(f"{FAULT}: ")
    assert wrong.endswith("added: 0 · already there: 0 · added with findings: 1 (irregular: 1)")
    assert together == "Files: 2 · added: 6 · already there: 0 · added with findings: 1 (irregular: 1)"
    assert hint == f"The reasons of each: retourne check {FAULT}"
    assert len(retourne("export", "--list", "--store", "a.duckdb").out.splitlines()) == 7


@pytest.mark.slow
def test_of_many_files_those_in_order_are_listed_on_request(retourne: Command, club: Path) -> None:
    text = f"{club}: added: 6 · already there: 0"
    assert text not in retourne("ingest", club, FAULT, "--store", "a.duckdb").out
    assert text in retourne("ingest", club, FAULT, "--store", "b.duckdb", "--verbose").out
    first = json.loads(club.read_bytes().splitlines()[0])
    Path("other.json").write_text(json.dumps(first | {"event": {"name": "Tuesday"}}), "utf-8")
    again = retourne("ingest", club, "other.json", "--store", "b.duckdb")
    _, reason, total = again.out.splitlines()
    assert reason.startswith("  other.json:1: the same match as ")
    assert reason.endswith("; it differs in: event – not added")
    assert (again.code, total.startswith("Files: 2 ")) == (0, True)
    quiet = retourne("ingest", club, FAULT, "--store", "c.duckdb", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (1, "", "")


@pytest.mark.slow
def test_a_hint_does_not_say_all_files_again(retourne: Command, club: Path) -> None:
    names = [f"{n}.json" for n in range(5)]
    for n, name in enumerate(names):
        Path(name).write_text(FAULT.read_text().replace('"id": "', f'"id": "{n}-'))
    done = retourne("ingest", *names)
    assert done.out.endswith("The reasons of each: retourne check, with the same files.\n")


@pytest.mark.slow
def test_what_became_of_a_file_comes_as_an_object_too(retourne: Command, club: Path) -> None:
    done = retourne("ingest", club, FAULT, "nothing.json", "--format", "jsonl")
    assert done.code == 2
    first, second, third = done.objects
    assert (first["file"], first["added"], first["stored_with_findings"]) == (str(club), 6, {})
    assert second["stored_with_findings"] == {"irregular": 1}
    assert [one["status"] for one in third["rejected_texts"]] == ["unreadable"]


@pytest.mark.slow
def test_a_name_that_is_not_utf_8_is_reported_with_its_bytes(retourne: Command, club: Path) -> None:
    odd = os.fsdecode(b"f\xe9vrier")
    club.rename(f"{odd}.jsonl")
    done = retourne("ingest", f"{odd}.jsonl")
    assert (done.code, done.out) == (0, "f\\udce9vrier.jsonl: added: 6 · already there: 0\n")
    Path(odd).mkdir()
    for words in (
        ("ingest", f"{odd}.jsonl", "--store", f"{odd}.duckdb"),
        ("backup", f"{odd}.duckdb"),
        ("backup", f"{odd}/"),
    ):
        done = retourne(*words)
        assert done.code == 2
        assert "cannot be the name of a store or of a backup: it is not written in UTF-8" in done.err
    assert list(Path(odd).iterdir()) == []


@pytest.mark.slow
def test_what_a_killed_process_had_begun_goes_with_the_next_command_that_writes(
    retourne: Command, club: Path
) -> None:
    with subprocess.Popen(["true"]) as dead:
        pass
    alive = Path(f"a.duckdb.{os.getpid()}-999.part")
    for left in (alive, Path(f"a.duckdb.{dead.pid}-1.part")):
        left.write_bytes(b"half a purge")
    assert retourne("ingest", club, "--store", "a.duckdb").code == 0
    assert sorted(one.name for one in Path().iterdir()) == ["a.duckdb", alive.name]


@pytest.mark.slow
def test_what_holds_no_match_is_reported_where_it_is_stored_from(retourne: Command, tmp_path: Path) -> None:
    packed = tmp_path / "club.zip"
    packed.write_bytes(zipped(a__jsonl=lines(2), b__zip=zipped(c__jsonl=lines())))
    done = retourne("ingest", packed)
    assert done.code == 1
    assert "added: 2" in done.out
    assert "club.zip/b.zip:1 unreadable\n    Retourne does not open an archive inside an archive." in done.out


@pytest.mark.slow
def test_the_store_is_named_by_the_option_or_the_environment(
    retourne: Command, club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETOURNE_STORE", "b.duckdb")
    retourne("ingest", club)
    retourne("ingest", club, "--store", "c.duckdb")
    assert sorted(path.name for path in Path().iterdir()) == ["b.duckdb", "c.duckdb"]


def test_a_store_that_cannot_be_used_ends_with_2_before_anything_is_read(
    retourne: Command, club: Path
) -> None:
    Path("text").write_text("not a store")
    for command in (("ingest", club), ("export", "--list"), ("replay", "some-id")):
        done = retourne(*command, "--store", "text")
        assert (done.code, done.raw) == (2, b"")
        assert "text is not a Retourne store" in done.err
    done = retourne("ingest", club, "--store", "no/store.duckdb")
    assert done.code == 2
    assert "No folder" in done.err


@pytest.mark.slow
def test_a_store_made_for_files_that_do_not_come_is_not_left(
    retourne: Command, club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(batch: Batch) -> NoReturn:
        raise KeyboardInterrupt

    before = set(Path().iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(ingest_files, "prepare_batch", stopped)
        assert retourne("ingest", club).code not in (0, 1)
    assert set(Path().iterdir()) == before
    retourne("ingest", club)
    with monkeypatch.context() as patch:
        patch.setattr(ingest_files, "prepare_batch", stopped)
        assert retourne("ingest", club).code not in (0, 1)
    assert len(retourne("export", "--list").out.splitlines()) == 6


# export


@pytest.mark.slow
def test_a_match_comes_back_byte_for_byte(retourne: Command, club: Path, tmp_path: Path) -> None:
    odd = tmp_path / "odd.json"
    odd.write_bytes(json.dumps(documents(7)[6], indent=3).encode() + b"\r\n\r\n")
    bytes_only = tmp_path / "bytes.jsonl"
    bytes_only.write_bytes(b"\xff\x00\xfe no text\n")
    retourne("ingest", club, odd, bytes_only)
    listed = [line.split("\t") for line in retourne("export", "--list").out.splitlines()]
    wanted = [*texts(), odd.read_bytes().rstrip(), b"\xff\x00\xfe no text"]
    for row, text in zip(listed, wanted, strict=True):
        assert retourne("export", row[0]).raw == text
        assert retourne("export", row[0][:8]).raw == text
        if row[1] != "-":
            assert retourne("export", row[1]).raw == text
    retourne("export", listed[7][0], "--output", "out.bin")
    assert Path("out.bin").read_bytes() == b"\xff\x00\xfe no text"


@pytest.mark.slow
def test_several_matches_are_a_file_that_holds_them_again(
    retourne: Command, club: Path, tmp_path: Path
) -> None:
    odd = tmp_path / "odd.json"
    odd.write_bytes(json.dumps(documents(7)[6], indent=3).encode())
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b"{\n")
    retourne("ingest", club, odd, broken)
    ids = [document["id"] for document in documents(7)]
    few = retourne("export", *ids[:3])
    assert few.raw == lines(3)
    retourne("export", *ids, "--output", "all.json")
    again = retourne("ingest", "all.json")
    assert "added: 0 · already there: 7" in again.out
    assert odd.read_bytes() in Path("all.json").read_bytes()
    (last,) = [line for line in retourne("export", "--list").out.splitlines() if "\t-\t" in line]
    other = retourne("export", ids[6], last.split("\t")[0])
    assert (other.code, other.raw) == (2, b"")
    assert "is not JSON and cannot be combined with others" in other.err


@pytest.mark.slow
def test_the_list_has_a_line_a_match_whatever_is_in_it(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    players = [{"id": "a", "name": "tab\t\x1b[31m"}, {"id": "b", "name": "line\nbreak"}]
    path.write_text(json.dumps(documents()[0] | {"players": players, "id": "i\td"}))
    retourne("ingest", path)
    (line,) = retourne("export", "--list").out.splitlines()
    _, name, date, status, game, seated = line.split("\t")
    assert (name, status, game) == ("i\\td", "legal", "chouine")
    assert date.startswith("2025-09-05")
    assert seated == "tab\\t\\x1b[31m, line\\nbreak"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of six legal matches and one that is not, to be copied."""
    path = tmp_path_factory.mktemp("stores") / "club.duckdb"
    with Store(path) as opened:
        list(ingest(opened, [("club.jsonl", io.BytesIO(lines())), FAULT]))
    return path


@pytest.mark.parametrize("table", list(Table))
def test_every_table_comes_out_as_csv_and_parquet(table: Table, retourne: Command, stored: Path) -> None:
    shutil.copy(stored, "retourne.duckdb")
    read = list(csv.reader(io.StringIO(retourne("export", "--table", table.value).out)))
    with duckdb.connect("retourne.duckdb", read_only=True) as store:
        expected = store.execute(f"SELECT count(*) FROM {table.value}").fetchall()
        columns = store.execute(f"DESCRIBE {table.value}").fetchall()
    if table is Table.RAW:  # texts, where the store has blocks of them
        columns = [(name,) for name in TEXT_SCHEMA.names]
    assert read[0] == [name for name, *_ in columns]
    assert [(len(read) - 1,)] == expected
    done = retourne("export", "--table", table.value, "--format", "parquet", "-o", "it's.parquet")
    assert done.code == 0
    found = duckdb.execute("SELECT count(*) FROM read_parquet(?)", ["it's.parquet"]).fetchall()
    assert found == expected
    assert [path.name for path in Path().glob("*.part")] == []


@pytest.mark.slow
def test_a_table_comes_out_as_jsonl(retourne: Command, club: Path) -> None:
    retourne("ingest", club)
    rows = retourne("export", "--table", "players", "--format", "jsonl").objects
    assert {row["player_id"] for row in rows} == {
        player["id"] for document in documents() for player in document["players"]
    }


@pytest.mark.slow
def test_all_logs_come_out_one_a_line_and_can_be_read_again(
    retourne: Command, club: Path, tmp_path: Path
) -> None:
    odd = tmp_path / "odd.json"
    odd.write_bytes(json.dumps(documents(7)[6], indent=3).encode() + b"\r\n\r\n")
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(b"\xff\n{\n")
    retourne("ingest", club, odd, torn)
    retourne("export", "--logs", "--output", "logs.jsonl")
    result = Path("logs.jsonl").read_bytes()
    assert result.startswith(lines())
    assert [json.loads(line) for line in result.splitlines()] == list(documents(7))
    assert "added: 0 · already there: 7" in retourne("ingest", "logs.jsonl").out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "break_", "come_out"), [(b", ", b"\r", 1), (b"no", b"\r", 0), (b"no", b"\n", 0)]
)
def test_a_log_with_a_line_break_comes_out_as_what_it_is(
    end: bytes, break_: bytes, come_out: int, retourne: Command
) -> None:
    """Between words a space says the same; within one the log is no JSON, and no space mends it."""
    log = json.dumps({"format": "retourne/1", "game": "chouine", "id": "no"}).encode()
    Path("odd.json").write_bytes(log.replace(end, break_ + end, 1))
    assert "added with findings: 1" in retourne("ingest", "odd.json").out
    result = retourne("export", "--logs").raw
    assert result.count(b"\n") == come_out
    assert b"\r" not in result
    if come_out:
        assert json.loads(result) == json.loads(log)


@pytest.mark.slow
def test_matches_are_rated_once_they_are_stored(retourne: Command, club: Path) -> None:
    retourne("ingest", str(club))
    rows = retourne("export", "--table", "ratings", "--format", "jsonl").objects
    assert rows
    with Store(Path("retourne.duckdb")) as opened:
        [(count,)] = opened.cursor().execute("SELECT count(*) FROM ratings").fetchall()
    assert len(rows) == count


@pytest.mark.slow
def test_an_anonymous_export_has_pseudonyms_and_no_names(retourne: Command, club: Path) -> None:
    retourne("ingest", club)
    items = {player["name"] for document in documents() for player in document["players"]}
    logs = retourne("export", "--logs", "--anonymous").objects
    assert [log["deals"] for log in logs] == [document["deals"] for document in documents()]
    names = [player["name"] for log in logs for player in log["players"]]
    assert all(name.startswith("Joueur ") for name in names)
    assert not items & set(names)
    assert len(set(names)) == len(items)
    table = retourne("export", "--table", "players", "--format", "jsonl", "--anonymous").objects
    assert {row["name"] for row in table} == set(names)
    for name in ("raw", "matches"):
        text = retourne("export", "--table", name, "--anonymous", "--format", "jsonl").out
        assert not any(one in text for one in items)
        assert len(text.splitlines()) == 6
    for words in (("--list",), (documents()[0]["id"],)):
        assert "Pseudonyms are for" in retourne("export", "--anonymous", *words).err


@pytest.mark.slow
def test_every_table_and_view_of_a_store_can_be_exported(retourne: Command, club: Path) -> None:
    retourne("ingest", club)
    with duckdb.connect("retourne.duckdb", read_only=True) as store:
        rows = store.execute("SELECT table_name FROM information_schema.tables").fetchall()
    # of no use elsewhere
    remaining = {"migrations", "change_log", "trash", "secret", "masked", "runs", "purged"}
    remaining |= {"aliases", "different_players", "match_answers", "player_names", "player_changes"}
    remaining |= {"tokens", "sessions", "settings", "audit", "drafts", "sheet_with_log", "sheet_ratings"}
    remaining |= {"sheet_mappings", "match_versions"}
    remaining |= {
        "match_deals",
        "match_seats",
        "match_kinds",
        "announcement_rollup",
        "endgame_values",
        "endgame_seat_values",
    }  # follow
    assert {name for (name,) in rows} - remaining == {table.value for table in Table}


@pytest.mark.slow
def test_one_thing_is_exported_at_a_time_and_it_must_be_there(retourne: Command, club: Path) -> None:
    retourne("ingest", club)
    assert "Nothing to export" in retourne("export").err
    for words in (("a", "--list"), ("--list", "--table", "deals"), ("--logs", "--list")):
        assert "Only one of these goes at a time" in retourne("export", *words).err
    for name in ("nobody", "'; DROP TABLE matches; --", "%"):
        done = retourne("export", name)
        assert done.code == 2
        assert f"No match {name} in the store." in done.err
    assert "--table must be one of" in retourne("export", "--table", "matches; DROP").err


# simulate


@pytest.mark.parametrize("game", game_names())
def test_simulated_matches_are_legal_and_the_same_for_a_seed(game: str, retourne: Command) -> None:
    words = ("simulate", "--game", game, "-n", "8", "--seed", "5")
    first = retourne(*words, "--output", "a.jsonl")
    assert (first.code, first.raw, first.err) == (0, b"", "")
    assert retourne(*words).raw == Path("a.jsonl").read_bytes()
    assert retourne(*words[:-1], "6").raw != Path("a.jsonl").read_bytes()
    done = retourne("check", "a.jsonl")
    assert (done.code, done.out) == (0, "Matches: 8 · legal: 8\n")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_in_another_process(retourne: Command) -> None:
    words = ["simulate", "--game", "chouine", "-n", "5", "--seed", "5", "--player-count", "3"]
    command = [sys.executable, "-m", "ingest.cli", *words]
    other = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    assert retourne(*words).raw == other


def test_players_and_rules_are_those_asked_for(retourne: Command) -> None:
    words = ("simulate", "--game", "chouine", "--player-count", "4", "--preset", "mondoubleau", "-n", "2")
    for item in retourne(*words).objects:
        assert item["rules"] == "mondoubleau"
        assert len(item["players"]) == 4


def test_an_output_that_fails_leaves_what_was_there(
    retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.jsonl").write_text('{"precious": true}')

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ingest.cli.merge_and_simulate.json.dumps", fail)
    done = retourne("simulate", "--game", "chouine", "--output", "a.jsonl")
    assert done.code == 2
    assert "the disk is full" in done.err
    assert [path.name for path in Path().iterdir()] == ["a.jsonl"]
    assert Path("a.jsonl").read_text() == '{"precious": true}'


def test_the_schema_is_the_models(retourne: Command) -> None:
    assert json.loads(retourne("schema").raw) == json_schema()
    retourne("schema", "--output", "s.json")
    assert Path("s.json").read_bytes() == retourne("schema").raw
