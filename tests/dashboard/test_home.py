"""The first page: the search, the reader's own matches, the latest ones."""

import json
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.queries import player_search
from dashboard.views import home
from dashboard.widgets import lists as shown
from ingest.i18n import translator
from ingest.store.aliases import Declared
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.conftest import HOSTILE, Open, lines, simulated
from tests.dashboard.tables import tables_of


def links(app: AppTest) -> dict[str, str]:
    """The page's own links by what they say."""
    return {one.proto.label: one.proto.query_string for one in app.main.get("page_link")}


# the search


def test_a_search_finds_a_player_of_any_table_and_says_where_they_play(
    every_game: Path, open_page: Open
) -> None:
    with Store(every_game, read_only=True) as store:
        [(name,)] = (
            store.cursor()
            .execute(
                "SELECT any_value(p.name) FROM seats JOIN players p USING (player_no)"
                " JOIN matches m USING (match_no) WHERE m.game = 'coinche' AND m.player_count = 4"
            )
            .fetchall()
        )
    app = open_page("accueil", q=name, lang="en")
    result = links(app)
    there = next(label for label in result if label.startswith("Coinche, 4 at the table:"))
    assert "game=Coinche" in result[there]
    assert "player_count-coinche=4" in result[there]
    assert any("Replay" in table.to_string() for table in tables_of(app))


@pytest.mark.slow
def test_exact_names_come_first(every_cursor: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    with Store(tmp_path / "club.duckdb") as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
        cursor = store.connection
        seated = cursor.execute("SELECT match_no, min(player_no) FROM seats GROUP BY 1").fetchall()
        names = ["Marie-Jeanne", "Jeanne Marie", "jeanne"]
        declared = [Declared(f"id-{number}", name) for number, name in enumerate(names)]
        with store.transaction():
            numbers = zip(*store.player_numbers(declared), strict=True)
            for place, (player_no, alias_no) in enumerate(numbers):
                for match_no, _ in seated[: 3 - place]:
                    seat = [match_no, int(player_no), int(alias_no)]
                    cursor.execute("INSERT INTO seats VALUES (?, 9, ?, ?, 0, 0, 0)", seat)
        found = player_search.search_players(store.cursor(), "Jeanne")
    assert found["name"].to_list() == ["jeanne", "Jeanne Marie", "Marie-Jeanne"]


@pytest.mark.parametrize("words", ["nobody at all", "'; DROP TABLE matches;--", "%"])
def test_a_search_that_finds_nothing_says_so(games: Path, open_page: Open, words: str) -> None:
    app = open_page("accueil", q=words)
    if not tables_of(app):
        assert app.info[0].value == "Ni joueur ni rencontre n’a ces mots."


def test_a_name_that_is_code_is_found_as_a_name(games: Path, open_page: Open) -> None:
    app = open_page("accueil", q=HOSTILE)
    [name] = [label for label in links(app) if "Bobby" in label]
    assert "<b>" not in name.replace("\\<", "")


def test_joueurs_says_at_which_other_tables_somebody_plays(every_game: Path, open_page: Open) -> None:
    with Store(every_game, read_only=True) as store:
        [(name,)] = (
            store.cursor()
            .execute(
                "SELECT p.name FROM players p JOIN seats s USING (player_no) JOIN matches m"
                " USING (match_no) GROUP BY 1 HAVING bool_and(m.game = 'chouineurs') LIMIT 1"
            )
            .fetchall()
        )
    app = open_page("joueurs", name=name, game="Coinche", lang="en")
    assert app.info[0].value == "None among these deals; elsewhere:"
    assert any(label.startswith("Chouineurs, ") for label in links(app))


# That is me


def test_who_says_that_is_me_finds_their_matches_and_form_and_can_take_it_back(
    games: Path, open_page: Open
) -> None:
    app = open_page("accueil", q="Jean", lang="en")
    app.button(key="me-jean").click().run()
    app.text_input(key="q").set_value("").run()
    assert app.header[0].value == "My matches"
    assert app.caption[0].value.startswith("Form: ")
    mine = tables_of(app)[0]
    assert len(mine) == 3
    assert all("Jean" in players for players in mine["Players"])
    app.button(key="not-me").click().run()
    assert app.header[0].value == "Latest matches"


def test_a_browser_keeps_who_the_reader_is(
    games: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    zoe = "zoé d’orléans"
    monkeypatch.setattr(shown, "_player_from_cookie", lambda: zoe)
    assert parse_qs(links(open_page("accueil"))["**Zoé d’Orléans**"]) == {"player": [zoe]}
    monkeypatch.setattr(shown, "_player_from_cookie", lambda: "somebody the store does not have")
    assert open_page("accueil").header[0].value == "Dernières rencontres"


@pytest.mark.slow
def test_form_tells_wins_of_both_partners_and_none_where_nobody_won(tmp_path: Path) -> None:
    matches = simulated("coinche", "tournoi-2018", 4)
    log = "\n".join(json.dumps(match) for match in matches).encode()
    with Store(tmp_path / "club.duckdb") as store:
        list(ingest(store, [("coinche.jsonl", BytesIO(log))]))
        cursor = store.connection
        seats = cursor.execute("SELECT seat, player_no FROM seats WHERE match_no = 0").fetchall()
        cursor.execute("DELETE FROM matches WHERE match_no <> 0")
        [(winner,)] = cursor.execute("SELECT winning_side FROM matches").fetchall()
        for seat, player in seats:
            assert player_search.recent_results(store.cursor(), player) == [seat % 2 == winner % 2]
        cursor.execute("UPDATE matches SET winning_side = 0")
        assert player_search.recent_results(store.cursor(), seats[0][1]) == [None]


def test_masked_or_purged_players_are_reported_as_shown_no_longer(
    games: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "_player_from_cookie", lambda: "jean, as he was called")
    app = open_page("accueil", lang="en")
    assert [one.value for one in app.info] == ["Your player profile is no longer visible here."]
    advice = "Find your profile and click “That is me”: this page then shows your matches first."
    assert advice not in links(app)
    app.button(key="not-me").click().run()
    assert not app.info
    (link,) = (one.proto for one in app.main.get("page_link") if one.proto.label == advice)
    assert link.page.endswith("joueurs")


@pytest.mark.parametrize(
    ("form", "english", "french"),
    [
        ([True], "the last one won", "la dernière gagnée"),
        ([None], "the last one not won", "la dernière non gagnée"),
        ([False] * 5, "none won of the last 5", "aucune gagnée des 5 dernières"),
        ([True, None], "one won of the last 2", "une gagnée des 2 dernières"),
        ([True, True, False], "2 won of the last 3", "2 gagnées des 3 dernières"),
    ],
)
def test_one_match_is_reported_in_the_singular(form: list[bool | None], english: str, french: str) -> None:
    assert home.recent_wins_text(form, translator("en", "dashboard")) == english
    assert home.recent_wins_text(form, translator("fr", "dashboard")) == french
