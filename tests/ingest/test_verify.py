"""`retourne verify`: a store held against its own texts, whatever was done to either."""

import shutil
from io import BytesIO
from pathlib import Path

import pytest

from ingest.store import pseudonyms, ratings, trash
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import lines


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "club.duckdb"
    with Store(path) as store:
        files = [
            ("club.jsonl", BytesIO(lines())),
            ("fault.json", BytesIO((FAUTES / "chouine" / "must-follow.json").read_bytes())),
            ("torn.json", BytesIO(b"\xff{")),
        ]
        assert sum(report.added for report in ingest(store, files)) == 8
        trash.delete_matches(store, [4, 5])
        number = trash.delete_matches(store, [0])
        assert number is not None
        trash.undelete_matches(store, number)
        pseudonyms.mask_player(store, 0)
        ratings.refresh_ratings(store)
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    """Six matches that are stored, one of them brought back, two in the trash; a player masked."""
    return Path(shutil.copy(made, tmp_path / "club.duckdb"))


@pytest.mark.slow
def test_a_store_is_whole_after_all_that_may_be_done_to_it(retourne: Command, path: Path) -> None:
    done = retourne("verify", "--store", path)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "Texts read again: 8",
        "The store is intact: every text is as it came, and every row matches its text.",
    ]
    before = path.read_bytes()
    result = retourne("verify", "--store", path, "--format", "json")
    assert result.raw == b'{\n  "ok": true,\n  "texts": 8,\n  "outdated": 0,\n  "differences": []\n}\n'
    assert path.read_bytes() == before


ROWS = {
    "UPDATE matches SET status = 'broken' WHERE match_no = 3":
        "matches: rows that differ from their text: 2",
    "UPDATE deal_seats SET points = points + 1 WHERE match_no = 3 AND deal_index = 0 AND seat = 1":
        "deal_seats: rows that differ from their text: 2",
    "UPDATE deals SET deck = list_reverse(deck) WHERE match_no = 0 AND deal_index = 1":
        "deals: rows that differ from their text: 2",
    "DELETE FROM findings WHERE match_no = 6 AND finding_index = 0":
        "findings: rows that differ from their text: 1",
    "UPDATE seats SET player_no = 0 WHERE match_no = 1":
        " seats: rows that differ from their text: ",
    "UPDATE announcements SET points = points + 1"
    " WHERE rowid = (SELECT min(rowid) FROM announcements)":
        "announcements: rows that differ from their text: 2",
}  # fmt: skip
"""What was changed, and what is reported of it."""
RATING = {
    "UPDATE ratings SET mu = mu + 1 WHERE match_index = 0 AND seat = 1":
        "chouine, lavardin: ratings that do not follow from the matches: 1",
}  # fmt: skip
REST = {
    "UPDATE raw SET start = start + 1 WHERE match_no = 1":
        "Its text is not the one it was stored with.",
    "UPDATE trash SET text = text || ' ]' WHERE match_no = 4":
        "In the trash, its text is not the one it was stored with.",
    "DELETE FROM raw WHERE match_no = 2": "It has no text, or more than one.",
    "INSERT INTO raw FROM raw WHERE match_no = 6": "It has no text, or more than one.",
    "INSERT INTO matches FROM matches WHERE match_no = 3": "It is stored twice.",
    "DELETE FROM players WHERE player_no = 1": "seats: rows of no player: ",
    "INSERT INTO seats VALUES (99, 1, 0, 0, 0, 0, 0)": "seats: rows of no match: 1",
    "DELETE FROM files WHERE file_no = 0": "It came with a file that is not listed.",
    "UPDATE trash SET change = 99 WHERE match_no = 5":
        "It is in the trash without a deletion.",
}  # fmt: skip


def spoil(path: Path, *changes: str) -> None:
    with Store(path) as store, store.transaction():
        for change in changes:
            store.connection.execute(change)


@pytest.mark.slow
@pytest.mark.parametrize("damage", [ROWS, RATING, REST], ids=["rows", "a rating", "texts"])
def test_what_is_not_as_its_text_has_it_is_found(
    retourne: Command, path: Path, damage: dict[str, str]
) -> None:
    spoil(path, *damage)
    done = retourne("verify", "--store", path)
    assert done.code == 1, done.err
    for change, result in damage.items():
        assert result in done.out, change
    *found, read, answer, advice = done.out.splitlines()
    if damage is not REST:
        assert len(found) == len(damage), "each is told once"
    assert read.startswith("Texts read again: ")
    assert answer == f"The store is damaged. Problems: {len(found)}"
    assert ("revalidate --all" in advice) == (damage is not REST)


@pytest.mark.slow
def test_rows_are_made_anew_and_the_store_is_whole_again(retourne: Command, path: Path) -> None:
    spoil(path, *ROWS)
    retourne("revalidate", "--all", "--store", path)
    assert retourne("verify", "--store", path).code == 0


@pytest.mark.slow
def test_verdicts_of_older_rules_are_left_out_and_reported(retourne: Command, path: Path) -> None:
    spoil(path, "UPDATE matches SET rules_version = 0, status = 'broken' WHERE match_no < 2")
    done = retourne("verify", "--store", path)
    assert done.code == 0
    assert "Not compared, checked by older rules: 2" in done.out


def test_a_store_that_cannot_be_read_ends_with_2(retourne: Command, path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    done = retourne("verify", "--store", path)
    assert (done.code, done.out) == (2, "")
    assert "is damaged" in done.err
    assert f"retourne restore BACKUP --store {path}" in done.err
