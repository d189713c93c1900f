"""A store of an earlier development version is reported, and its logs go into one of today's.

`earlier.duckdb.zst` is a store of the last schema before the first version, 18, as commit 5656712c
made it: legal matches of every game, an irregular one, a broken one and a text that is none; two
matches in the trash, and a masked player.
"""

import json
from pathlib import Path

import duckdb
import pytest

from ingest.store.factory import Store
from tests.ingest.conftest import Command, earlier
from tests.ingest.logs import documents


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old club.duckdb"
    path.write_bytes(earlier())
    return path


@pytest.mark.parametrize("command", ["verify", "stats", "revalidate"])
def test_opening_it_shows_the_way_over(retourne: Command, old: Path, command: str) -> None:
    before = old.read_bytes()
    done = retourne(command, "--store", str(old))
    new = old.with_name("old club.new.duckdb")
    assert done.code == 2
    assert " ".join(done.err.split()).endswith(
        f"The store {old} was made by an earlier development version of Retourne, and no version"
        f" reads its tables. Put its logs into a new store: retourne ingest '{old}'"
        f" --store '{new}'"
    )
    assert old.read_bytes() == before


@pytest.mark.parametrize("there", [False, True])
def test_putting_it_back_names_the_file_itself(
    retourne: Command, old: Path, tmp_path: Path, there: bool
) -> None:
    """A backup is read under another name, which nobody gave and which is gone afterwards."""
    club = tmp_path / "club.duckdb"
    if there:
        Store(club).close()
    done = retourne("restore", old, "--store", club)
    assert done.code == 2
    assert f"The store {old} was made by an earlier development version" in done.err
    assert f"retourne ingest '{old}' --store '{old.with_suffix('.new.duckdb')}'" in done.err
    assert club.exists() is there


@pytest.mark.slow
def test_its_logs_go_into_a_new_store_by_the_command_that_is_printed(retourne: Command, old: Path) -> None:
    new = old.with_name("old club.new.duckdb")
    done = retourne("ingest", str(old), "--store", str(new))
    assert done.code == 1  # as the same logs by themselves: one is irregular, one broken
    with duckdb.connect(str(old), read_only=True) as was:
        ask = "SELECT {}, status::VARCHAR, game, deals, {} FROM matches ORDER BY match_no"
        matches = was.execute(ask.format("match_id", "winner")).fetchall()
        hidden = was.execute(
            "SELECT DISTINCT match_id FROM matches JOIN seats USING (match_no) JOIN masked USING (player_no)"
        ).fetchall()
        [(player, name)] = was.execute("SELECT player_id, name FROM masked").fetchall()
        files = was.execute("SELECT name FROM files ORDER BY file_no").fetchall()
    with Store(new, read_only=True) as store:
        now = store.cursor()
        there = now.execute(ask.format("content_id", "winning_side")).fetchall()
        assert [one[1:] for one in there] == [one[1:] for one in matches]
        assert hidden
        for (was_id, *_), (is_id, *_) in zip(matches, there, strict=True):
            assert (was_id == is_id) == ((was_id,) not in hidden)
        # nobody reads again who was hidden
        people = now.execute("SELECT player_id, name FROM players").fetchall()
        assert not {player, name} & {word for one in people for word in one}
        for number in range(len(there)):
            assert name.encode() not in store.read_match_text(number)
        names = [one for (one,) in now.execute("SELECT name FROM files ORDER BY file_no").fetchall()]
        assert [one.removesuffix(".jsonl") for one in names] == [
            one.removesuffix(".jsonl") for (one,) in files
        ]
    assert retourne("verify", "--store", str(new)).code == 0


def test_logs_of_other_development_tables_keep_every_name_of_a_masked_player_hidden(
    retourne: Command, tmp_path: Path
) -> None:
    """The file that makes the tables was edited in place: only its digest shows that a store has others."""
    old, new, file = (tmp_path / name for name in ("old.duckdb", "new.duckdb", "log.jsonl"))
    log = documents()[0]
    other = log | {"id": "other", "players": [log["players"][0] | {"name": "Zébulon"}, log["players"][1]]}
    file.write_text(json.dumps(log) + "\n" + json.dumps(other))
    retourne("ingest", file, "--on-conflict", "both", "--store", old)
    assert retourne("mask", log["players"][0]["id"], "--store", old).code == 0
    with duckdb.connect(str(old)) as was:
        was.execute("UPDATE migrations SET digest = 'another'")
    assert "was made by an earlier development version" in retourne("stats", "--store", old).err
    assert retourne("ingest", old, "--on-conflict", "both", "--store", new).code == 0
    with Store(new, read_only=True) as store:
        texts = b"".join(store.read_match_text(number) for number in range(2))
    assert log["players"][1]["name"].encode() in texts
    assert not any(name.encode() in texts for name in ("Zébulon", log["players"][0]["name"]))


@pytest.mark.slow
def test_a_store_of_today_is_no_log(retourne: Command, tmp_path: Path) -> None:
    Store(path := tmp_path / "club.duckdb").close()
    done = retourne("ingest", str(path), "--store", str(tmp_path / "new.duckdb"))
    assert done.code == 1
    assert "DuckDB" in done.out + done.err
