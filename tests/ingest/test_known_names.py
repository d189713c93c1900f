"""A name of a sheet that one player of the store has is that player."""

from pathlib import Path

import pytest

from ingest.store.factory import Store
from ingest.store.known_names import use_known_ids
from ingest.store.pseudonyms import mask_player
from schemas.player_key import player_id_of
from tests.ingest.conftest import Command
from tests.ingest.test_players import rows, store_of

Table = list[tuple[str, str]]
JEAN = ("jean", "Jean")
TWO = ("Anne Roy", "Jean")
ANNE = [("u17", "Anne Roy"), JEAN]


def named(*names: str) -> Table:
    """A table as the importer reads it: each id is made from the name."""
    return [(player_id_of(one), one) for one in names]


CASES: dict[str, tuple[list[Table], Table, list[str]]] = {
    "the only player of the name": ([ANNE], named(*TWO), ["u17", "jean"]),
    "as people read it": ([ANNE], named("ANNE\u00a0ROY", "Paul"), ["u17", "paul"]),
    "an accent more": ([ANNE], named("Anné Roy", "Jean"), ["anné-roy", "jean"]),
    "an id of its own": ([ANNE], [("u18", "Anne Roy"), JEAN], ["u18", "jean"]),
    "two of that name": ([ANNE, [("u18", "Anne Roy"), JEAN]], named(*TWO), ["anne-roy", "jean"]),
    "the id is known": ([ANNE, [("anne-roy", "Annie"), JEAN]], named(*TWO), ["anne-roy", "jean"]),
    "the player is at that table": ([ANNE], [*named("Anne Roy"), ("u17", "Anna")], ["anne-roy", "u17"]),
}


@pytest.mark.parametrize(("tables", "read", "ids"), CASES.values(), ids=CASES)
def test_a_name_alone_gets_the_id_of_the_only_player_who_has_it(
    tmp_path: Path, tables: list[Table], read: Table, ids: list[str]
) -> None:
    log = {"players": [{"id": own, "name": name} for own, name in read]}
    with store_of(tmp_path / "s.duckdb", *tables) as store:
        used = use_known_ids(store.cursor(), [log])
    assert [one["id"] for one in log["players"]] == ids
    assert [*used.values()] == [one for one, (was, _) in zip(ids, read, strict=True) if one != was]


def test_a_masked_player_is_not_found_by_name(tmp_path: Path) -> None:
    log = {"players": [{"id": "anne-roy", "name": "Anne Roy"}]}
    with store_of(tmp_path / "s.duckdb", ANNE) as store:
        mask_player(store, 0)
        assert use_known_ids(store.cursor(), [log]) == {}


def test_import_stores_a_name_as_the_only_player_who_has_it(tmp_path: Path, retourne: Command) -> None:
    store, sheet = tmp_path / "s.duckdb", tmp_path / "results.csv"
    store_of(store, [("u17", "Anne Roy"), ("u18", "Luc")], [("u17", "Anne Roy"), ("u19", "Luc")]).close()
    sheet.write_text("Game;Player 1;Player 2;Score\nChouine;Anne Roy;Luc;3 - 1\n", "utf-8")
    done = retourne("import", sheet, "--add", "--store", store)
    assert "Players here already, found by their name: Anne Roy (u17)" in done.err
    with Store(store) as opened:
        [[players]] = rows(
            opened,
            """SELECT list(player_id ORDER BY seat) FROM seats JOIN players USING (player_no)
               WHERE match_no = (SELECT max(match_no) FROM matches)""",
        )
    assert players == ["u17", "luc"]
