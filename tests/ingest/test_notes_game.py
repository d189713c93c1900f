"""The game and the seats of notes follow from their deals and from the file's name."""

from datetime import UTC
from typing import Any

import pytest

from ingest.i18n import translator
from ingest.importers.import_file import import_file
from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import ImportOptions
from ingest.importers.notes import WHICH_GAME

EN = translator("en")
EVENING = """Soirée du vendredi 6 novembre 2026 au foyer, Pierrot contre Madeleine

1re partie : c'est Madeleine qui donne, il retourne le 8 de trèfle. Madeleine gagne 96 à 74.
2e partie : Pierrot donne. Pierrot l'emporte 101 à 59.
Belle : Madeleine donne. Madeleine gagne d'un cheveu, 87 à 83.
"""


def read(name: str, text: str) -> ImportResult:
    return import_file(name, text.encode(), ImportOptions(zone=UTC))


def log_of(found: ImportResult) -> dict[str, Any]:
    assert found.questions == []
    [log] = found.logs
    return log


def test_notes_that_name_no_game_are_of_the_one_in_the_files_name() -> None:
    log = log_of(read("chouine vendredi.txt", EVENING))
    assert (log["game"], log["played_at"][:10]) == ("chouine", "2026-11-06")
    assert [one["points"] for one in log["deals"]] == [[74, 96], [101, 59], [83, 87]]
    assert [one["dealer"] for one in log["deals"]] == [2, 1, 2]


def test_notes_that_name_no_game_are_of_the_only_one_that_fits() -> None:
    found = read("vendredi.txt", EVENING)
    assert log_of(found)["game"] == "chouine"
    assert found.notices[0].message(EN) == (
        "The notes do not name their game; of all games only Chouine fits them."
    )


def test_notes_that_fit_several_games_have_a_question() -> None:
    found = read("vendredi.txt", "Anne a battu Bob 3-1\nAnne a battu Luc 3-0\n")
    assert (found.logs, [one.text for one in found.questions]) == ([], [WHICH_GAME])


@pytest.mark.parametrize(
    "title",
    [
        "Coinche (32 cartes), 12 novembre 2026",
        "Soirée coinche à 32 cartes du 12 novembre 2026",
        "Jeu : coinche 32 cartes",
        "Belote coinche, 12 novembre 2026",
    ],
)
def test_coinche_with_32_cards_is_belote_coinchee(title: str) -> None:
    seats = "Nord : Ginette, Sud : Armand, Est : Lucien, Ouest : Paule"
    deals = ("Ouest donne", "Nord donne", "Est donne")
    lines = "\n\n".join(f"{one}. Ginette 90 cœur, ça passe.\nNord-Sud 230, Est-Ouest 60." for one in deals)
    log = log_of(read("soirée.txt", f"{title}\n{seats}\n\n{lines}\n"))
    assert (log["game"], log["rules"]) == ("belote", "coinchee")
    assert [one["name"] for one in log["players"]] == ["Ginette", "Lucien", "Armand", "Paule"]
    assert [one["dealer"] for one in log["deals"]] == [4, 1, 2]
    assert log["deals"][0]["score_line"] == {"contract": {"bid": "1 bid 90h", "coinche": 0}}
    assert [one["points"] for one in log["deals"]] == [[230, 60]] * 3


def test_coinche_with_36_cards_stays_coinche() -> None:
    log = log_of(
        read(
            "soirée.txt",
            "Coinche (36 cartes), 12 novembre 2026, Anne et Bob contre Luc et Zoé\n\n"
            "Anne et Bob gagnent 2010 à 1480 contre Luc et Zoé\n",
        )
    )
    assert log["game"] == "coinche"


def test_an_evening_of_results_is_of_the_one_game_that_a_message_names() -> None:
    text = "Voilà les résultats de la coinche\nAnne et Bob battent Luc et Zoé 1 050 à 820\n"
    log = log_of(read("soirée.txt", text))
    assert (log["game"], log["result"]["score"]) == ("coinche", [1050, 820])
