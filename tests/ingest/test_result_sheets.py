"""Results as secretaries write them: winners and losers, labels above a table, names as headings."""

from datetime import UTC
from typing import Any

import pytest

from ingest.i18n import translator
from ingest.importers.import_file import import_file
from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import ImportOptions

EN = translator("en")


def read(text: str) -> ImportResult:
    return import_file("feuille.csv", text.encode(), ImportOptions(zone=UTC))


def matches(text: str) -> list[Any]:
    """Players, and the result or the points of each deal, of each log of a sheet without questions."""
    found = read(text)
    assert questions(text) == []
    return [
        (
            [one["name"] for one in log["players"]],
            log.get("result") or [deal.get("points") for deal in log["deals"]],
        )
        for log in found.logs
    ]


def questions(text: str) -> list[str]:
    return [f"{one.where}: {one.message(EN)}" for one in read(text).questions]


WON = [(["Anne", "Bob"], {"score": [3, 1], "winner": 1})]


@pytest.mark.parametrize(
    "text",
    [
        "Chouine\nGagnant;Perdant;Score\nAnne;Bob;3-1",
        "Chouine\nVainqueur;Vaincu;Score\nAnne;Bob;3 à 1",
        "Chouine\nWinner;Loser;Score\nAnne;Bob;3 – 1",
        "Chouine\nPerdant;Gagnant;Score\nBob;Anne;3-1",
        "Chouine\nGagnant;Perdant;Score 1;Score 2\nAnne;Bob;3;1",
        "Chouine\nGagnant;Perdant;Points gagnant;Points perdant\nAnne;Bob;3;1",
        "Chouine\nGagnant;Perdant;Manches P;Manches G\nAnne;Bob;1;3",
        "Chouine\nNom du gagnant;Nom du perdant;Score\nAnne;Bob;3-1\nTotal des rencontres : 1;;",
    ],
)
def test_a_sheet_of_winners_and_losers_becomes_results(text: str) -> None:
    assert matches(text) == WON


def test_the_loser_shows_who_won_where_players_have_columns() -> None:
    text = "Chouine\nJoueur 1;Joueur 2;Score;Perdant\nAnne;Bob;3-1;Bob"
    assert matches(text) == WON


def test_pairs_may_win_and_lose() -> None:
    text = (
        "Concours de coinche du 12 avril 2026\nÉquipe gagnante;Équipe perdante;Score\nA & B;C et D;1010-640"
    )
    assert matches(text) == [(["A", "C", "B", "D"], {"score": [1010, 640], "winner": 1})]


def test_without_a_score_the_winner_is_the_result() -> None:
    assert matches("Chouine\nGagnant;Perdant\nAnne;Bob\nBob;Zoé") == [
        (["Anne", "Bob"], {"winner": 1}),
        (["Bob", "Zoé"], {"winner": 1}),
    ]


@pytest.mark.parametrize(
    ("headings", "sides", "winner", "side"),
    [
        ("Équipe A;Équipe B", "Anne et Bob;Carl et Dora", "B", 2),
        ("Équipe B;Équipe A", "Anne et Bob;Carl et Dora", "équipe B", 2),
        ("Nous;Eux", "Édith et Nicole;Paul et Dora", "E", 2),
        ("Domicile;Visiteur", "Victor et Anne;Denise et Luc", "V", 2),
        ("Domicile;Visiteur", "Victor et Anne;Denise et Luc", "domicile", 1),
        ("Équipe A;Équipe B", "Anne et Bob;Carl et Dora", "C", 2),
        ("Équipe 1;Équipe 2", "Anne et Bob;Carl et Dora", "B", 1),
    ],
)
def test_a_winners_letter_is_the_side_headed_so_before_a_players_initial(
    headings: str, sides: str, winner: str, side: int
) -> None:
    text = f"Coinche\nDate;{headings};Vainqueur;Résultat\n12/04/2026;{sides};{winner};"
    assert questions(text) == []
    assert [log["result"] for log in read(text).logs] == [{"winner": side}]


def test_points_of_a_winner_in_any_seat_are_a_question() -> None:
    text = "Chouine\nJoueur 1;Joueur 2;Gagnant;Manches gagnant;Manches perdant\nAnne;Bob;Bob;3;1"
    assert [one.partition(": ")[0] for one in questions(text)] == ["D2", "E2"]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "Chouine\nGagnant;Perdant;Score\nAnne;Bob;1-3",
            "C3: The winner has not most of “1-3”. Is 3-1 meant?",
        ),
        (
            "Chouine\nJoueur 1;Joueur 2;Score;Gagnant\nAnne;Bob;3-1;Bob",
            "C3: The winner has not most of “3-1”. Is 1-3 meant?",
        ),
        (
            "Chouine\nGagnant;Perdant;Manches G;Manches P\nAnne;Bob;1;3",
            "C3: “1”: the winner has more points than the others.",
        ),
        (
            "Chouine\nGagnant;Joueur 1;Joueur 2;Manches 1;Manches 2\nforfait A;Anne;Bob;;",
            "A3: “forfait A” is not a player of this match. Is it Anne or Bob?",
        ),
        ("Chouine\nÉquipe A;Équipe B;Vainqueur;Score\nB;A;B;3-1", "C3: “B” may be B or A. Which of them?"),
        ("Chouine\nGagnant;Perdant\nAnne;Bob\nBob;Anne", "A2: Is each line a deal or a match?"),
        (
            "Chouine\nGagnant;Perdant;Score\nAnne;Bob;98-72",
            "C2: Is each line a deal or a match? For a match, this column is “Result”; for a "
            "deal, its points.",
        ),
        (
            "Chouine\nGagnant;Perdant;Manches G;Manches P\nnulle;Bob;2;2",
            "A3: Who plays? The player columns have no names.",
        ),
    ],
)
def test_a_result_that_may_be_something_else_is_a_question(text: str, question: str) -> None:
    assert questions(text) == [question]
    assert read(text).logs == []


@pytest.mark.parametrize(
    ("cells", "open_cells"),
    [
        ("Jean-Paul et Luc;Anne-Marie et Zoé\nJean-Paul;Anne et Marie", ["B4"]),
        ("Marie-Claude;Anne et Bob", ["B3"]),
        ("Anne-Bob;Carl-Dora\nAnne et Carl;Bob et Dora", []),
    ],
)
def test_two_names_with_a_hyphen_that_may_be_one_player_are_a_question(
    cells: str, open_cells: list[str]
) -> None:
    lines = "".join(f"12/04/2026;{line};1010-640\n" for line in cells.split("\n"))
    found = questions(f"Coinche;;;\nDate;Joueur 1;Joueur 2;Résultat\n{lines}")
    assert [one.partition(": ")[0] for one in found] == open_cells


@pytest.mark.parametrize(
    "above",
    [
        "Nous = Anne + Bob;Eux = Zoé + Luc",
        '"Nous = Anne + Bob; Eux = Zoé + Luc";',
        "Nous : Anne et Bob\nEux : Zoé et Luc",
        "Joueurs;Anne;Zoé;Bob;Luc",
    ],
)
def test_who_plays_is_read_above_a_table(above: str) -> None:
    text = f"Coinche\n{above}\nDonneur;Nous;Eux\nAnne;100;60\nZoé;0;160"
    assert matches(text) == [(["Anne", "Zoé", "Bob", "Luc"], [[100, 60], [0, 160]])]


def test_labels_above_a_table_may_have_their_values_in_the_next_cells() -> None:
    text = "Jeu;Chouine\nJoueurs;Anne;Bob\nDate;12 avril 2026\nDonneur;Points 1;Points 2\nAnne;98;72"
    assert matches(text) == [(["Anne", "Bob"], [[98, 72]])]
    assert read(text).logs[0]["played_at"][:10] == "2026-04-12"


def test_players_named_above_may_head_their_points_in_any_order() -> None:
    text = "Jeu;Chouine\nJoueurs;Anne;Bob\nPartie;Donneur;Bob;Anne\n1;Bob;72;98\n2;Anne;113;47"
    assert matches(text) == [(["Anne", "Bob"], [[98, 72], [47, 113]])]


def test_each_line_is_of_the_game_that_it_names() -> None:
    text = "Jeu;Gagnant;Perdant;Score\nChouine;Anne;Bob;3-1\n;Bob;Anne;3-2\nCoinche;A & B;C & D;1010-640"
    assert [(log["game"], len(log["players"])) for log in read(text).logs] == [
        ("chouine", 2),
        ("chouine", 2),
        ("coinche", 4),
    ]
    assert questions(text) == []


def test_a_line_of_a_game_that_is_unknown_is_a_question_and_no_match() -> None:
    text = "Jeu;Gagnant;Perdant;Score\nChouine;Anne;Bob;3-1\nTarot;Anne;Bob;3-2"
    assert questions(text) == [
        "A3: “Tarot” is not a known game. Is it Chouine, Coinche, Chouineurs or Belote?"
    ]
    assert len(read(text).logs) == 1


@pytest.mark.parametrize("title", ["Coinche - parties en 1000 points", "Saison de coinche en 1 000 pts"])
def test_a_title_names_the_score_to_reach(title: str) -> None:
    found = read(f"{title};;\nJoueur 1;Joueur 2;Résultat\nAnne et Bob;Carl et Dora;1010-640")
    assert found.questions == []
    assert [log["rules"] for log in found.logs] == [{"preset": "tournoi-2018", "target": 1000}]
