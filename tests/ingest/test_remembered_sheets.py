"""A store remembers what a sheet was taken for, and reads the next sheet of that fingerprint the same way."""

from datetime import date
from pathlib import Path

import pytest

from ingest.importers.import_file import import_file
from ingest.importers.mapping import (
    ColumnMapping,
    ImportOptions,
    RememberedMapping,
    SheetMapping,
    WorkbookMapping,
)
from ingest.importers.stored_mappings import confirmed_mappings, remember_confirmed, remembered_mappings
from ingest.store import pseudonyms, sheet_mappings
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.purge import purge_player
from tests.ingest.conftest import Command
from tests.ingest.test_sheet_files import HEAD, LINE

SHEET = (HEAD + LINE).replace("Points 1", "Anne Roux").encode()
NEXT = SHEET.replace(b"70;60", b"50;80")
CHOSEN = WorkbookMapping(
    sheets=(SheetMapping(columns=(ColumnMapping(heading="Anne Roux", column="E", role="points 1"),)),)
)


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "club.duckdb") as opened:
        yield opened


def remember(store: Store) -> str:
    """Remember SHEET as CHOSEN has it; return its fingerprint."""
    found = import_file("avril.csv", SHEET, ImportOptions(mapping=CHOSEN))
    confirmed = confirmed_mappings("avril.csv", found, CHOSEN)
    remember_confirmed(store, confirmed)
    [fingerprint] = confirmed
    return fingerprint


def test_the_next_sheet_of_a_look_is_read_as_the_one_before(store):
    assert import_file("mai.csv", NEXT).questions
    fingerprint = remember(store)
    found = import_file("mai.csv", NEXT, ImportOptions(remembered=remembered_mappings(store.cursor())))
    assert found.questions == []
    assert found.logs[0]["deals"][0]["points"] == [50, 80]
    [recalled] = found.recalled
    assert (recalled.sheet, recalled.fingerprint) == ("mai", fingerprint)


def test_what_is_chosen_now_goes_before_what_is_remembered():
    before = import_file("avril.csv", SHEET, ImportOptions(mapping=CHOSEN)).mapping.sheets[0]
    now = ImportOptions(
        columns={"Anne Roux": ""},
        remembered={before.fingerprint: RememberedMapping(date(2026, 4, 12), before.lasting)},
    )
    [sheet] = import_file("mai.csv", NEXT, now).mapping.sheets
    assert [one.role for one in sheet.columns if one.heading == "Anne Roux"] == [""]


def test_a_sheet_of_which_nothing_was_chosen_is_not_remembered():
    found = import_file("avril.csv", (HEAD + LINE).encode())
    assert confirmed_mappings("avril.csv", found, WorkbookMapping()) == {}


def test_a_mapping_is_forgotten(store):
    sheet_mappings.forget_mapping(store, remember(store))
    assert remembered_mappings(store.cursor()) == {}
    with pytest.raises(KeyError):
        sheet_mappings.forget_mapping(store, "0" * 32)


def store_anne(store: Store) -> int:
    """Store a match of Anne Roux, whom a remembered mapping names; return the player's number."""
    log = import_file("avril.csv", (HEAD + LINE.replace("Lucie", "Anne Roux")).encode())
    path = Path(store.path).with_name("anne.jsonl")
    path.write_bytes(log.lines)
    list(ingest(store, [path]))
    remember(store)
    [(number,)] = store.cursor().execute("SELECT player_no FROM players WHERE name = 'Anne Roux'").fetchall()
    return int(number)


def test_a_mapping_that_names_a_player_goes_when_the_player_is_masked(store):
    pseudonyms.mask_player(store, store_anne(store))
    assert sheet_mappings.stored_mappings(store.cursor()) == []


def test_a_mapping_that_names_a_player_goes_when_the_player_is_purged(store):
    purge_player(store, store_anne(store))
    with Store(Path(store.path)) as again:
        assert sheet_mappings.stored_mappings(again.cursor()) == []


def test_the_command_remembers_a_mapping_that_it_is_given(retourne: Command, tmp_path: Path) -> None:
    first, second, club = tmp_path / "avril.csv", tmp_path / "mai.csv", tmp_path / "club.duckdb"
    first.write_bytes(SHEET)
    second.write_bytes(NEXT)
    retourne("import", first, "--column", "Anne Roux=points 1", "--add", "--store", club)
    again = retourne("import", second, "--add", "--store", club)
    assert "“mai” is read as on" in again.err
    assert "Which column is" not in again.err
    fresh = retourne("import", second, "--add", "--as-new", "--store", club)
    assert "Which column is “Anne Roux”?" in fresh.err
