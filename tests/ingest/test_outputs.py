"""Output files of commands never overwrite a store, nor another program's file unasked."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.cli.params import Place, open_output
from ingest.store import outputs, server_hosts, wal
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.outputs import Kind
from tests.ingest.conftest import Command
from tests.ingest.logs import lines

NOTES = """Jeu : Chouine
Joueurs : Lucie, Marcel

Marcel donne
Lucie : 9♥ A♠
Marcel : V♥ 7♣
"""
COMMANDS = {
    "schema": ("schema",),
    "simulate": ("simulate", "--game", "chouine"),
    "merge": ("merge", "club.jsonl"),
    "import": ("import", "notes.txt"),
    "template": ("import", "--template", "chouine"),
    "list": ("export", "--list"),
    "logs": ("export", "--logs"),
    "table": ("export", "--table", "seats"),
}
"""Commands that write a file, in a folder with a store and logs; `replay --html` stands below."""


@pytest.fixture
def here(retourne: Command) -> Command:
    """The commands, in a folder with a store, which is theirs, another one, logs and notes."""
    Path("club.jsonl").write_bytes(lines())
    Path("notes.txt").write_text(NOTES, encoding="utf-8")
    assert retourne("ingest", "club.jsonl").code == 0
    shutil.copy("retourne.duckdb", "other.duckdb")
    return retourne


def refused(here: Command, target: str, *words: str) -> str:
    """Why a command does not write there; what was there stays, and nothing is left beside it."""
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    done = here(*words, target)
    assert (done.code, done.out) == (2, "")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before
    return done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_over_a_store_whatever_is_asked(here: Command, command: str) -> None:
    message = "other.duckdb is a store or belongs to one: nothing is written over it."
    for more in ((), ("--force",)):
        assert message in refused(here, "other.duckdb", *COMMANDS[command], *more, "--output")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_of_another_kind_is_replaced_on_request(here: Command, command: str) -> None:
    packed = gzip.compress(lines())
    Path("club.jsonl.gz").write_bytes(packed)
    result = refused(here, "club.jsonl.gz", *COMMANDS[command], "--output")
    assert result == ("Error: club.jsonl.gz is another kind of file: name another one, or pass --force.\n")
    assert here(*COMMANDS[command], "--force", "--output", "club.jsonl.gz").code in (0, 1)
    assert Path("club.jsonl.gz").read_bytes() not in (packed, b"")


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_wrote_it_writes_anew_unasked(here: Command, command: str) -> None:
    for _ in range(2):
        assert here(*COMMANDS[command], "--output", "made").code in (0, 1)
    assert Path("made").stat().st_size > 0


def test_a_page_is_written_over_a_page_alone(here: Command) -> None:
    words = ("replay", "club.jsonl", "--html")
    assert "is a store" in refused(here, "other.duckdb", *words)
    assert "another kind of file" in refused(here, "notes.txt", *words)
    Path("page.html").write_text("<!DOCTYPE html>\n<p>", encoding="utf-8")
    outputs.check(Path("page.html"), Kind.PAGE)


def test_the_store_of_a_command_is_not_its_output_even_before_it_is_there(here: Command) -> None:
    words = ("import", "notes.txt", "--add", "--store", "new.duckdb", "--output")
    assert "new.duckdb is a store" in refused(here, "new.duckdb", *words)


LONG = "c" * 245 + ".duckdb"
"""A name to which no file beside it can add its own."""


@pytest.mark.parametrize("adjacent", [wal.wal_path, server_hosts.server_file_path])
@pytest.mark.parametrize("name", ["club.duckdb", LONG])
def test_nor_is_what_belongs_to_a_store_whether_it_is_there_or_not(
    tmp_path: Path, name: str, adjacent: Callable[[Path], Path]
) -> None:
    store = tmp_path / name
    store.touch()
    target = adjacent(store)
    assert target.suffix in (".wal", ".server")
    for kind in Kind:
        with pytest.raises(StoreError, match="belongs to one"):
            outputs.check(target, kind, force=True)


def test_a_link_to_a_store_is_no_place_either(tmp_path: Path) -> None:
    with Store(tmp_path / "club.duckdb"):
        pass
    link = tmp_path / "seats.csv"
    link.symlink_to("club.duckdb")
    with pytest.raises(StoreError, match="is a store"):
        outputs.check(link, Kind.TEXT, force=True)


BEGINNINGS = {
    Kind.JSON: [b'{"format": 1}', b"\xef\xbb\xbf [\n"],
    Kind.TEXT: [b"match,seat\n", "Été,♠\n".encode()[:-2], b"1a2b\t-\n"],
    Kind.PAGE: [b"<!doctype HTML>", b"\n<html lang='fr'>"],
    Kind.PARQUET: [b"PAR1\x15\x04"],
    Kind.WORKBOOK: [b"PK\3\4" + bytes(26) + b"[Content_Types].xml"],
    Kind.BACKUP: [bytes(8) + b"DUCK" + bytes(8)],
}
FOREIGN = [b"\x89PNG\r\n", b"PK\3\4" + bytes(26) + b"a.jsonl", gzip.compress(b"{}"), b"\xe9t\xe9 "]


@pytest.mark.parametrize("kind", Kind)
def test_a_file_takes_the_place_of_its_like_and_of_nothing(tmp_path: Path, kind: Kind) -> None:
    target = tmp_path / "made"
    outputs.check(target, kind)
    for empty in (b"", *BEGINNINGS[kind]):
        target.write_bytes(empty)
        outputs.check(target, kind)
    others = [one for other in Kind if other is not kind for one in BEGINNINGS[other]]
    for other in (*others, *FOREIGN):
        target.write_bytes(other)
        with pytest.raises(StoreError):
            outputs.check(target, kind)


def test_a_file_beside_an_output_stays_whatever_it_is_called(here: Command) -> None:
    Path("made.part").write_text("of somebody else", encoding="utf-8")
    assert here("schema", "--output", "made").code == 0
    assert Path("made.part").read_text(encoding="utf-8") == "of somebody else"
    assert json.loads(Path("made").read_bytes())


def test_a_link_stays_a_link_and_an_open_file_the_same_file(tmp_path: Path) -> None:
    log, open_file, link = tmp_path / "log.jsonl", tmp_path / "open.jsonl", tmp_path / "link"
    link.symlink_to("log.jsonl")
    with open_file.open("ab") as shell:
        stdout = tmp_path / "stdout"  # as /dev/stdout is
        stdout.symlink_to(f"/proc/self/fd/{shell.fileno()}")
        for output in (link, stdout):
            with open_output(Place(output)) as file:
                file.write(b"{}\n")
        shell.write(b"[]\n")
    assert (link.is_symlink(), stdout.is_symlink()) == (True, True)
    assert (log.read_bytes(), open_file.read_bytes()) == (b"{}\n", b"{}\n[]\n")
