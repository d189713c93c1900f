"""`--format jsonl` is the same in every command: an object a line, and nothing beside them."""

import json
import os
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from ingest.cli.params import Format
from ingest.findings.os_errors import translate_reason
from ingest.i18n import translator
from ingest.store import trash
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.ingest.conftest import Command, Filled
from tests.ingest.logs import documents, lines
from tests.ingest.test_cli import commands

DATA = Path(__file__).parents[2] / "data"


def two_of_three(store: Store) -> None:
    list(ingest(store, [("club.jsonl", BytesIO(lines(3)))]))
    trash.delete_matches(store, [0])


@pytest.fixture
def stored(retourne: Command, filled: Filled) -> Path:
    """Two matches; another one was deleted."""
    Path("club.jsonl").write_bytes(lines(3))
    return filled(two_of_three).rename("retourne.duckdb")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (["rules"], {"preset", "game", "default"}),
        (
            ["rules", "lavardin"],
            {"option", "game", "preset", "value", "values", "low", "high", "rule", "meaning"},
        ),
        (["explain"], {"code", "game", "rule", "severity", "message", "advice"}),
        (["explain", "must-follow"], {"code", "game", "rule", "severity", "message", "advice"}),
        (["explain", "CH-9"], {"rule", "title", "text", "codes"}),
        (["export", "--list"], {"match_id", "log_id", "played_on", "status", "game", "players"}),
        (["undelete", "--list"], {"deletion", "deleted_at", "matches", "files"}),
        (["verify"], {"ok", "texts", "outdated", "differences"}),
        (
            ["ingest", "club.jsonl"],
            {
                "file",
                "added",
                "score_sheets",
                "already_stored",
                "repeated",
                "stored_with_findings",
                "relations",
                "replaced",
                "merges_undone",
                "related",
                "rejected",
                "rejected_texts",
            },
        ),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
def test_an_object_has_all_its_keys(
    words: list[str], keys: set[str], stored: Path, retourne: Command
) -> None:
    done = retourne(*words, "--format", "jsonl")
    assert (done.code, done.err) == (0, "")
    assert done.objects
    assert {frozenset(one) for one in done.objects} == {frozenset(keys)}


@pytest.mark.slow
def test_who_is_masked_comes_as_an_object(stored: Path, retourne: Command) -> None:
    player = documents()[0]["players"][0]
    form = ["--format", "jsonl"]
    [masked] = retourne("mask", player["id"], *form).objects
    assert masked["player_id"] == player["id"]
    [known] = retourne("whois", masked["pseudonym"], *form).objects
    assert known == {"pseudonym": masked["pseudonym"], "player_id": player["id"]}
    [back] = retourne("unmask", player["id"], *form).objects
    assert back == {"player_id": player["id"], "name": player["name"]}


@pytest.mark.slow
def test_a_token_comes_as_an_object_without_its_secret(stored: Path, retourne: Command) -> None:
    assert retourne("token", "list", "--format", "jsonl").objects == []
    secret = retourne("token", "add", "zoe", "--role", "reader").out.strip()
    done = retourne("token", "list", "--format", "jsonl")
    [one] = done.objects
    assert (one["name"], one["role"], one["is_valid"], one["revoked"]) == ("zoe", "reader", True, False)
    assert secret not in done.out


def test_a_deck_comes_as_an_object(retourne: Command) -> None:
    deck = next((DATA / "decks").glob("*.json"))
    done = retourne("deck", "check", deck, "--format", "jsonl")
    assert (done.code, done.objects) == (0, [{"file": str(deck), "good": True, "wrong": []}])
    Path("bad.json").write_text('["b3/y30"]')
    bad = retourne("deck", "check", "bad.json", "--format", "jsonl")
    assert bad.code == 1
    assert bad.objects[0]["wrong"]


def test_every_command_that_has_objects_names_them_so() -> None:
    for name, command in commands().items():
        for parameter in command.params:
            if "--format" in parameter.opts:
                known = [str(one) for one in parameter.type_descriptor.choices]
                assert str(Format.JSONL) in known, name


@pytest.mark.slow
def test_the_list_is_no_table(stored: Path, retourne: Command) -> None:
    for words in (["--list"], ["--logs"]):
        done = retourne("export", *words, "--format", "parquet")
        assert (done.code, done.raw) == (2, b"")
        assert done.err == "Error: --format parquet only works with --table.\n"
    assert retourne("export", "--logs", "--format", "jsonl").code == 0
    assert retourne("undelete", "--format", "jsonl").code == 2


def test_under_other_rules_an_object_says_what_changes(retourne: Command) -> None:
    match = DATA / "match-regles-completes.json"
    [result] = retourne("check", match, "--preset", "lavardin", "--format", "jsonl").objects
    [same] = retourne("check", match, "--preset", "regles-completes", "--format", "jsonl").objects
    change: dict[str, Any] = result["changes"][0]
    assert set(change) == {"field", "deal_index", "before", "after"}
    assert same["changes"] == []


@pytest.mark.parametrize("language", ["fr", "en"])
def test_whatever_the_system_refuses_is_reported_in_the_language_of_the_reader(language: str) -> None:
    t = translator(language)
    for code in range(1, 134):
        output = os.strerror(code)
        if not output.startswith("Unknown error"):
            result = translate_reason(t, OSError(code, output))
            assert result != output
            assert result == translate_reason(t, output)  # as a finding has it


def test_what_the_system_refuses_a_store_is_reported_too(retourne: Command) -> None:
    Path("club.jsonl").write_bytes(lines(1))
    Path("folder").mkdir()
    done = retourne("ingest", "club.jsonl", "--store", "folder", "--lang", "fr")
    assert done.code == 2
    assert "c’est un dossier" in done.err
    assert "Is a directory" not in done.err


def test_every_match_is_listed_on_request(retourne: Command) -> None:
    Path("club.jsonl").write_bytes(lines(2))
    usual = retourne("check", "club.jsonl").out
    assert usual.splitlines() == ["Matches: 2 · legal: 2"]
    assert len(retourne("check", "club.jsonl", "--verbose").out.splitlines()) == 3
    assert retourne("check", "club.jsonl", "--quiet").out == ""
    assert json.loads(lines(1))["id"] in retourne("check", "club.jsonl", "-v").out
