"""The page Duplicates: the admin answers who is one person, some or all at once, and undoes it."""

import json
from datetime import date
from io import BytesIO
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.store import open_store
from dashboard.text.numbers import date_text
from dashboard.views.player_duplicates import TWO_PEOPLE
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.conftest import Open, Stored
from tests.dashboard.test_pages import upload
from tests.ingest.logs import documents
from tests.ingest.test_player_histories import add
from tests.ingest.test_players import add_tables

FRENCH = translator("fr")
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
    assert app.info[0].value == "Aucun joueur ne semble enregistré deux fois."
    for button in [one for one in app.button if one.label == "Annuler"]:
        button.click().run()
    assert answers(app) == 2


def test_answers_that_merge_people_of_one_table_are_refused_and_stay_open(
    stored: Stored, open_page: Open
) -> None:
    tables = [[("a", "Élodie Roy"), ("b", "Élodie Petit")], [("c", "Élodie"), ("z", "Zoé")]]
    stored("chained", lambda store: add_tables(store, *tables))
    app = open_page("doublons")
    assert answers(app) == 2
    before = names(open_store())
    app.button(key="all-one").click().run()
    next(one for one in app.button if one.label == "Appliquer les réponses").click().run()
    assert not app.exception
    assert "Élodie Roy, Élodie Petit" in app.error[0].value
    assert (answers(app), names(open_store())) == (2, before)


def test_an_upload_asks_whether_a_new_player_is_one_already_there(evenings: None, open_page: Open) -> None:
    log = documents(4)[3] | {"players": [{"id": "x", "name": "ZOE"}, {"id": "y", "name": "Marcel"}]}
    app = upload(open_page("deposer"), new_jsonl=json.dumps(log).encode())
    assert any("**ZOE**\N{NO-BREAK SPACE}: est-ce la personne" in one.value for one in app.markdown)


def merge_any(app: AppTest, first: str, second: str) -> AppTest:
    """Choose two players to merge."""
    app.selectbox(key="player").set_value(first)
    return app.selectbox(key="other").set_value(second).run()


def shown_player(app: AppTest, label: str) -> str:
    """Return the line about a chosen player."""
    [line] = [text for one in app.markdown if (text := one.value.replace("\\", "")).startswith(label)]
    return str(line)


def test_any_two_players_are_merged_and_the_merge_undone_at_once(evenings: None, open_page: Open) -> None:
    app = merge_any(open_page("doublons"), "Jean Petit", "Zoé")
    assert any("Le nom affiché sera Zoé" in one.value for one in app.info)
    assert shown_player(app, "Zoé (z)") == "Zoé (z) · Chouine 2"
    app.button(key="merge-two").click().run()
    assert not app.exception
    assert names(open_store()) == ["Elodie Lefevre", "J. Petit", "Zoé", "Élodie Lefèvre"]
    assert "Jean Petit · Zoé" in app.success[0].value
    app.button(key="undo-merged").click().run()
    assert names(open_store()) == ["Elodie Lefevre", "J. Petit", "Jean Petit", "Zoé", "Élodie Lefèvre"]


def test_two_players_who_sat_at_one_table_get_no_button(evenings: None, open_page: Open) -> None:
    app = merge_any(open_page("doublons"), "J. Petit", "Zoé")
    assert "ils ont joué ensemble" in app.error[0].value
    assert "merge-two" not in [one.key for one in app.button]


def test_a_player_is_renamed_on_the_page(evenings: None, open_page: Open) -> None:
    app = open_page("doublons")
    app.selectbox(key="player").select("Zoé").run()
    app.text_input(key="new-name").set_value("Zoé Roy").run()
    app.button(key="rename").click().run()
    assert "Zoé Roy" in names(open_store())


def test_a_players_page_leads_to_the_merge_with_the_player_chosen(evenings: None, open_page: Open) -> None:
    app = open_page("joueurs", player="z")
    [link] = [one for one in app.get("page_link") if "Fusionner" in one.proto.label]
    assert (link.proto.page, link.proto.query_string) == ("doublons", "player=z")
    app = open_page("doublons", player="z")
    assert app.selectbox(key="player").value == "z"
    assert "Chouine 2" in shown_player(app, "Zoé (z)")
    assert app.button(key="rename").label == "Renommer"


def test_a_chosen_player_is_shown_with_every_name_game_and_day(stored: Stored, open_page: Open) -> None:
    def fill(store: Store) -> None:
        add(store, 0, ("ana", "Ana"), ("dan", "Dan"))
        add(store, 4, ("ana", "Ana Roy"), ("dan", "Dan"))

    stored("dated", fill)
    app = open_page("doublons", player="ana")
    days = f"{date_text(date(2026, 3, 1), FRENCH)} – {date_text(date(2026, 3, 5), FRENCH)}"
    assert shown_player(app, "Ana Roy (ana)") == f"Ana Roy (ana) · Ana · Chouine 2 · {days}"


def test_a_merge_names_the_matches_that_count_once_since(stored: Stored, open_page: Open) -> None:
    def fill(store: Store) -> None:
        for player in ("elodie", "e.lefevre"):
            log = documents(1)[0] | {"id": f"of-{player}", "players": [{"id": player}, {"id": "jean"}]}
            for _ in ingest(store, [(f"{player}.json", BytesIO(json.dumps(log).encode()))]):
                pass

    stored("one-match-twice", fill)
    app = merge_any(open_page("doublons"), "elodie", "e.lefevre")
    app.button(key="merge-two").click().run()
    once = "rencontres stockées deux fois qui ne comptent plus qu’une fois\N{NO-BREAK SPACE}: 1"
    assert app.success[0].value.endswith(once)
    assert any(once in one.value.replace("\\", "") for one in app.markdown)
    app.button(key="undo-merged").click().run()
    assert not any("plus qu’une fois" in one.value for one in app.markdown)


def test_pairs_show_whose_name_stays_and_the_ids_of_equal_names(stored: Stored, open_page: Open) -> None:
    tables = [[("j1", "Jérôme"), ("a", "A")], [("j2", "JÉRÔME"), ("b", "B")], [("j3", "JÉRÔME"), ("b", "B")]]
    stored("three-jeromes", lambda store: add_tables(store, *tables))
    app = open_page("doublons")
    lines = [one.value.replace("\\", "") for one in app.markdown if "**" in one.value]
    assert len(lines) == len({*lines}) == answers(app) == 3
    assert all("nom affiché si c’est une seule personne\N{NO-BREAK SPACE}: J" in one for one in lines)
    assert any(one.startswith("**JÉRÔME (j2)** · **JÉRÔME (j3)**") for one in lines)
