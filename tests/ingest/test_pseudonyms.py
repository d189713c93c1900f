"""A masked player is known by a pseudonym alone, wherever the store is read."""

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.redact.anonymize_log import redact_log
from ingest.store import pseudonyms, trash
from ingest.store.aliases import Declared
from ingest.store.export import Format, Table, write_logs, write_table
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from tests.ingest.conftest import Command, Filled
from tests.ingest.logs import documents, hidden, lines

pytestmark = pytest.mark.slow


def club() -> list[dict[str, Any]]:
    """Two matches of Zoé, whose name and id also stand in the event and the match's own id."""
    pair = [{"id": "zoe", "name": "Zoé"}, {"id": "jean", "name": "Jean"}]
    about = {"event": {"name": "Chez Zoé", "round": "2"}, "_remark": "zoe was late", "players": pair}
    return [one | about | {"id": f"zoe-jean-{i}"} for i, one in enumerate(documents(2))]


def of_a_club(store: Store) -> None:
    text = "\n".join(json.dumps(one) for one in club()).encode()
    list(ingest(store, [("club.jsonl", BytesIO(text))], on_conflict=OnConflict.BOTH))


@pytest.fixture
def store(filled: Filled) -> Any:
    with Store(filled(of_a_club)) as opened:
        yield opened


def number(store: Store, player: str = "zoe") -> int:
    row = store.cursor().execute("SELECT player_no FROM players WHERE player_id = ?", [player])
    found = row.fetchone()
    assert found
    return int(found[0])


def test_a_pseudonym_is_stable_and_of_this_store_alone(store: Store, tmp_path: Path) -> None:
    result = pseudonyms.pseudonym(store, "zoe")
    assert re.fullmatch("Joueur [0-9a-f]{10}", result)
    assert pseudonyms.pseudonym(store, "zoe") == result
    assert pseudonyms.pseudonym(store, "jean") != result
    with Store(tmp_path / "other.duckdb") as other:
        assert pseudonyms.pseudonym(other, "zoe") != result


def test_the_owner_of_the_store_finds_who_it_is(store: Store) -> None:
    result = pseudonyms.pseudonym(store, "zoe")
    assert pseudonyms.player_behind(store, result) == "zoe"
    pseudonyms.mask_player(store, number(store))
    assert pseudonyms.player_behind(store, result) == "zoe"
    assert pseudonyms.player_behind(store, "Joueur 0000000000") is None
    assert pseudonyms.player_behind(store, "zoe") is None


def test_a_masked_player_has_neither_name_nor_id_in_players_and_texts(store: Store) -> None:
    result = pseudonyms.mask_player(store, number(store))
    rows = store.cursor().execute("SELECT player_id, name FROM players ORDER BY 1").fetchall()
    assert rows == [(result, result), ("jean", "Jean")]
    for match_no in (0, 1):
        text = store.read_match_text(match_no).decode()
        assert "zoe" not in text.lower()
        assert "zoé" not in text.lower()
        log = json.loads(text)
        assert log["players"][0] == {"id": result, "name": result}
        assert log["deals"] == club()[match_no]["deals"]
        assert log["event"]["round"] == "2"


def test_comments_are_left_out_where_a_name_is_masked(store: Store, tmp_path: Path) -> None:
    match = club()[0] | {"id": "commented"}
    match["deals"] = [deal | {"comments": COMMENTS} for deal in match["deals"]]
    text = json.dumps(match).encode()
    list(ingest(store, [("later.json", BytesIO(text))], on_conflict=OnConflict.BOTH))
    assert store.read_match_text(2) == text
    write_logs(store, named := BytesIO())
    assert json.loads(named.getvalue().splitlines()[2]) == match
    write_logs(store, nameless := BytesIO(), anonymous=True)
    pseudonyms.mask_player(store, number(store))
    for masked in (nameless.getvalue().splitlines()[2], store.read_match_text(2)):
        assert b"Zozo" not in masked
        deals = [{k: v for k, v in deal.items() if k != "comments"} for deal in match["deals"]]
        assert json.loads(masked)["deals"] == deals


COMMENTS = [{"after": 0, "text": "Zozo deals, as ever.", "by": "zoe"}]
"""A nickname, which nothing in the log tells of."""


def test_unmasking_brings_the_log_back_byte_for_byte(store: Store) -> None:
    before = store.read_match_text(0)
    zoe = number(store)
    pseudonyms.mask_player(store, zoe)
    assert pseudonyms.mask_player(store, zoe) == pseudonyms.mask_player(store, zoe)
    assert store.read_match_text(0) != before
    assert pseudonyms.unmask_player(store, zoe) == "Zoé"
    assert pseudonyms.unmask_player(store, zoe) == "Zoé"
    assert store.read_match_text(0) == before
    assert number(store) == zoe


def test_later_games_of_a_masked_player_are_masked_too(store: Store) -> None:
    zoe = number(store)
    pseudonyms.mask_player(store, zoe)
    later = club()[0] | {"id": "later", "played_at": "2030-01-01T10:00:00Z"}
    list(ingest(store, [("later.json", BytesIO(json.dumps(later).encode()))], on_conflict=OnConflict.BOTH))
    played = store.cursor().execute("SELECT count(*) FROM seats WHERE player_no = ?", [zoe])
    assert played.fetchone() == (3,)
    assert "zoe" not in store.read_match_text(2).decode().lower()


def test_a_masked_player_stays_so_through_delete_and_undo(store: Store) -> None:
    masked = number(store)
    result = pseudonyms.mask_player(store, masked)
    deletion = trash.delete_matches(store, [0, 1])
    assert deletion is not None
    trash.undelete_matches(store, deletion)
    assert number(store, result) == masked
    assert "zoe" not in store.read_match_text(0).decode().lower()


def test_nobody_is_masked_who_is_not_there(store: Store) -> None:
    with pytest.raises(KeyError):
        pseudonyms.mask_player(store, 99)


def test_a_short_name_is_masked_among_the_players_and_no_number_elsewhere() -> None:
    log: dict[str, Any] = {"players": [{"id": "1", "name": "Al"}, {"id": "2", "name": "Alma"}]}
    log |= {"id": "al-alma-1", "event": {"name": "Chez AL", "round": "1"}, "_x": "Al won 1 à Allex"}
    fields = json.loads(redact_log(json.dumps(log).encode(), hidden(("1", "Joueur a", "Al"))))
    assert fields["players"] == [{"id": "Joueur a", "name": "Joueur a"}, log["players"][1]]
    assert fields["event"] == {"name": "Chez …", "round": "1"}
    assert (fields["id"], fields["_x"]) == ("…-alma-1", "… won 1 à Allex")


@given(st.text(min_size=1, max_size=12).filter(str.strip))
def test_cards_and_acts_are_never_taken_for_names(name: str) -> None:
    log = documents(1)[0] | {"players": [{"id": name, "name": name}], "_said": f"({name})"}
    fields = json.loads(redact_log(json.dumps(log).encode(), hidden((name, "Joueur f"))))
    assert fields["deals"] == log["deals"]
    assert fields["rules"] == log["rules"]
    assert fields["players"] == [{"id": "Joueur f", "name": "Joueur f"}]


def test_a_log_without_masked_players_is_the_same_bytes(tmp_path: Path) -> None:
    with Store(tmp_path / "a.duckdb") as store:
        list(ingest(store, [("a.jsonl", BytesIO(lines(1)))], on_conflict=OnConflict.BOTH))
        assert store.read_match_text(0) + b"\n" == lines(1)


@pytest.mark.parametrize("format", list(Format))
def test_a_masked_player_is_masked_in_every_exported_table(
    store: Store, tmp_path: Path, format: Format
) -> None:
    pseudonyms.mask_player(store, number(store))
    for table in Table:
        path = tmp_path / f"{table}.{format}"
        write_table(store, table, format, path)
        if format is Format.PARQUET:
            text = str(pq.read_table(path).to_pydict())
        else:
            text = path.read_text(encoding="utf-8")
        assert "zoé" not in text.lower(), table
        assert "zoe" not in text.lower(), table


def test_a_name_of_nobody_brings_ids_to_mind_but_no_masked_one(tmp_path: Path, retourne: Command) -> None:
    path = tmp_path / "club.duckdb"
    with Store(path) as store, store.transaction():
        store.player_numbers([Declared("lucie-1", "Lucie"), Declared("lucien", "Lucien")])
    for command in ("mask", "unmask", "purge"):
        done = retourne(command, "Lusie", "--store", path)
        assert done.code == 2
        assert "Did you mean lucie-1 or lucien?" in done.err
    assert retourne("mask", "lucien", "--store", path).code == 0
    for command in ("mask", "stats"):
        assert "lucien" not in retourne(command, "Lusie", "--store", path).err.casefold()
    with Store(path) as store, store.transaction():
        store.player_numbers([Declared("lucie-2", "Lucie")])
    result = retourne("stats", "lucie", "--store", path).err
    assert "Did you mean Lucie (lucie-1) or Lucie (lucie-2)?" in result


def test_a_name_with_several_ids_is_answered_with_them_and_changes_nobody(
    tmp_path: Path, retourne: Command
) -> None:
    path = tmp_path / "club.duckdb"
    with Store(path) as store, store.transaction():
        store.player_numbers([Declared("p-17", "Lucie"), Declared("p-18", "Zoé"), Declared("p-19", "lucie")])
    for command in ("mask", "unmask", "purge"):
        done = retourne(command, "Lucie", "--store", path)
        assert done.code == 2
        assert "Lucie is a name. Give the player’s id instead: p-17, p-19" in done.err
        assert "Give the player’s id instead: p-18" in retourne(command, "zoe", "--store", path).err
    assert retourne("mask", "p-18", "--store", path).code == 0
    assert "p-18" not in retourne("mask", "zoe", "--store", path).err
