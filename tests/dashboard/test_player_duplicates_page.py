"""The page Duplicates: the admin answers who is one person, some or all at once, and undoes it."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.store import open_store
from dashboard.views.player_duplicates import TWO_PEOPLE
from ingest.store.factory import Store
from tests.dashboard.conftest import Open, Stored
from tests.dashboard.test_pages import upload
from tests.ingest.logs import documents
from tests.ingest.test_players import add_tables

EVENINGS = (
    [("e1", "Élodie Lefèvre"), ("j1", "Jean Petit")],
    [("e2", "Elodie Lefevre"), ("z", "Zoé")],
    [("z", "Zoé"), ("j2", "J. Petit")],
)


@pytest.fixture
def evenings(stored: Stored) -> None:
    stored("likely", lambda store: add_tables(store, *EVENINGS))


def names(store: Store) -> list[Any]:
    return [name for (name,) in store.cursor().execute("SELECT name FROM players ORDER BY name").fetchall()]


def answers(app: AppTest) -> int:
    """Return how many pairs wait for an answer."""
    return sum(str(one.key).startswith("pair-") for one in app.segmented_control)


def test_the_admin_answers_pairs_at_once_and_undoes_one(evenings: None, open_page: Open) -> None:
    app = open_page("doublons")
    assert answers(app) == 2
    app.button(key="all-one").click().run()
    app.segmented_control[1].set_value(TWO_PEOPLE)
    [apply] = [one for one in app.button if one.label == "Appliquer les réponses"]
    apply.click().run()
    assert not app.exception
    assert names(open_store()) == ["Elodie Lefevre", "J. Petit", "Jean Petit", "Zoé"]
    assert app.info[0].value == "Aucun joueur ne ressemble à un autre."
    for button in [one for one in app.button if one.label == "Annuler"]:
        button.click().run()
    assert answers(app) == 2


def test_an_upload_asks_whether_a_new_player_is_one_already_there(evenings: None, open_page: Open) -> None:
    log = documents(4)[3] | {"players": [{"id": "x", "name": "ZOE"}, {"id": "y", "name": "Marcel"}]}
    app = upload(open_page("deposer"), new_jsonl=json.dumps(log).encode())
    assert any("**ZOE** est-ce la personne" in one.value for one in app.markdown)
