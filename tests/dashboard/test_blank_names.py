"""A name that nobody can read, of blanks only: the player's id stands for it everywhere."""

import json
from io import BytesIO
from pathlib import Path

import pytest

from dashboard.board.header import board_header
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.validate.slow_path import validate
from schemas.models import Player
from tests.dashboard.conftest import Open, Stored, documents
from tests.dashboard.tables import tables_of

BLANK = [" ", "\u00a0 \t", ""]


@pytest.mark.parametrize("name", BLANK)
def test_a_player_of_a_blank_name_is_called_by_the_id(name: str) -> None:
    assert Player(id="jean", name=name).display_name == "jean"
    assert Player(id="jean", name=" J ").display_name == " J "


@pytest.mark.slow
@pytest.mark.parametrize("name", BLANK)
def test_a_blank_name_is_stored_as_the_id(tmp_path: Path, name: str) -> None:
    log = dict(documents()[0])
    log["players"] = [{"id": "p1", "name": name}, {"id": "p2", "name": "Zoé"}]
    broken = {**log, "id": "explained", "deals": log["deals"][:1]}
    for one in (log, broken):
        with Store(tmp_path / f"{one['id']}.duckdb") as store:
            list(
                ingest(store, [("club.json", BytesIO(json.dumps(one).encode()))], on_conflict=OnConflict.BOTH)
            )
            names = store.cursor().execute("SELECT name FROM players ORDER BY 1").fetchall()
            assert names == [("Zoé",), ("p1",)]
    result = board_header(validate(json.dumps(log).encode()), translator("en", "dashboard"))
    assert [one["name"] for one in result["players"]] == ["p1", "Zoé"]


def test_the_profile_and_the_tables_call_a_player_of_a_blank_name_by_the_id(
    stored: Stored, open_page: Open
) -> None:
    log = dict(documents()[0])
    log["players"] = [{"id": "p1", "name": " "}, {"id": "p2", "name": "Zoé"}]
    text = json.dumps(log).encode()
    stored(
        "blank-names",
        lambda store: list(ingest(store, [("club.json", BytesIO(text))], on_conflict=OnConflict.BOTH)),
    )
    assert "p1" in [one.value for one in open_page("joueurs", player="p1").title]
    for page in ("joueurs", "classement"):
        assert "p1" in list(tables_of(open_page(page, lang="en"))[0]["Name"])
