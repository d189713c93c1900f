"""`retourne delete`, `undelete`, `mask`, `unmask` and `whois`."""

import json
from pathlib import Path

import pytest

from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import documents

FAULT = FAUTES / "chouine" / "must-follow.json"


def listed(retourne: Command) -> int:
    return len(retourne("export", "--list").out.splitlines())


@pytest.mark.slow
def test_a_match_is_deleted_and_comes_back(retourne: Command, club: Path) -> None:
    retourne("ingest", club, FAULT)
    before = retourne("export", "--list").raw
    name = documents()[2]["id"]
    done = retourne("delete", name, documents()[4]["id"])
    assert done.out == "Deleted: 2. They come back with: retourne undelete 1\n"
    assert listed(retourne) == 5
    assert "No match" in retourne("export", name).err
    assert retourne("undelete").out == "Restored: 2 · already there: 0\n"
    assert retourne("export", "--list").raw == before


@pytest.mark.slow
def test_all_matches_of_a_file_are_deleted(retourne: Command, club: Path) -> None:
    retourne("ingest", club, FAULT)
    assert "Deleted: 6." in retourne("delete", "--file", "club.jsonl").out
    assert listed(retourne) == 1
    [line] = retourne("undelete", "--list").out.splitlines()
    number, _, matches, files = line.split("\t")
    assert (number, matches, files) == ("1", "6", "club.jsonl")
    assert retourne("undelete", "--empty").out == "Forgotten for good: 6\n"
    done = retourne("undelete")
    assert (done.code, done.out) == (2, "")
    assert "Nothing was deleted" in done.err


@pytest.mark.slow
def test_what_cannot_be_deleted_or_undone_is_reported(retourne: Command, club: Path) -> None:
    assert "No store at" in retourne("delete", "x").err
    assert not Path("retourne.duckdb").exists()
    retourne("ingest", club)
    assert "Nothing to delete" in retourne("delete").err
    assert "No match nobody" in retourne("delete", "nobody").err
    assert "of a file '; --" in retourne("delete", "--file", "'; --").err
    retourne("delete", documents()[0]["id"])
    done = retourne("undelete", "17")
    assert (done.code, done.err.split(".")[0]) == (2, "Error: No deletion 17 to undo")


@pytest.mark.slow
def test_a_player_is_masked_found_out_and_shown_again(retourne: Command, club: Path) -> None:
    retourne("ingest", club)
    player = documents()[0]["players"][0]
    result = retourne("mask", player["id"]).out.strip().split(" → ")[1]
    assert result.startswith("Joueur ")
    assert player["name"] not in retourne("export", documents()[0]["id"]).out
    assert result in retourne("export", "--list").out
    assert retourne("whois", result).out.strip() == player["id"]
    assert retourne("unmask", result).out.strip() == f"{result} → {player['name']}"
    assert result not in retourne("export", "--list").out


@pytest.mark.slow
def test_players_and_pseudonyms_nobody_has_are_reported(retourne: Command, club: Path) -> None:
    retourne("ingest", club)
    for words in (("mask", "nobody"), ("unmask", "nobody")):
        assert "No player nobody in the store." in retourne(*words).err
    assert "is not a pseudonym of this store" in retourne("whois", "Joueur 0000000000").err


@pytest.mark.slow
def test_matches_that_share_an_id_are_listed_and_not_deleted(retourne: Command, tmp_path: Path) -> None:
    log = documents()[0]
    other = documents()[1] | {"id": log["id"]}
    file = tmp_path / "two.jsonl"
    file.write_text("\n".join(map(json.dumps, (log, other))))
    done = retourne("ingest", file, "--on-conflict", "both")
    assert done.code == 0
    assert listed(retourne) == 2
    refused = retourne("delete", log["id"])
    assert refused.code == 2
    assert f"{log['id']} is the id of 2 matches" in " ".join(refused.err.split())
    assert listed(retourne) == 2


@pytest.mark.slow
def test_an_earlier_version_is_listed_and_put_back(retourne: Command, tmp_path: Path) -> None:
    log = documents()[0]
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log))
    retourne("ingest", file)
    file.write_text(json.dumps(log | {"event": {"name": "Tuesday"}}))
    again = retourne("ingest", file)
    assert again.code == 0
    assert "it differs in: event – not added" in " ".join(again.out.split())
    assert retourne("ingest", file, "--on-conflict", "replace").code == 0
    [line] = retourne("versions", log["id"]).out.splitlines()
    match, _, name, keys = line.split("\t")
    assert (name, keys) == ("log.json", "event")
    assert retourne("versions", log["id"], "--restore-version", match).out == f"Put back: {match}\n"
    assert json.loads(retourne("export", log["id"]).raw) == log


def test_versions_of_one_play_are_put_back_by_their_change(retourne: Command, tmp_path: Path) -> None:
    log = documents()[0]
    file = tmp_path / "log.json"
    for name in ("Monday", "Tuesday", "Wednesday"):
        file.write_text(json.dumps(log | {"event": {"name": name}}))
        retourne("ingest", file, "--on-conflict", "replace")
    later, first = retourne("versions", log["id"], "--format", "jsonl").objects
    refused = retourne("versions", log["id"], "--restore-version", first["match_id"])
    assert refused.code == 2
    assert f"{first['change']} (" in refused.err
    assert retourne("versions", log["id"], "--restore-version", str(first["change"])).code == 0
    assert json.loads(retourne("export", log["id"]).raw)["event"] == {"name": "Monday"}
    assert first["change"] < later["change"]
