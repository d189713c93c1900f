"""The game of a sheet that names none: what several of its lines can be only in one game is certain."""

import pytest

from ingest.i18n import translator
from ingest.importers.import_file import import_file
from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import ImportOptions

EN = translator("en")
HEAD = "Nous = Lucie + Odile;Eux = Gaston + Marcel\nPreneur;Contrat;Nous;Eux\n"


def read(lines: str) -> ImportResult:
    return import_file("soir.csv", f"{HEAD}{lines}".encode(), ImportOptions())


@pytest.mark.parametrize(
    ("lines", "game"),
    [
        ("Lucie;160 ♠;320;0\nMarcel;170 ♥;330;0\n", "belote"),
        ("Lucie;60 ♠;0;220\nMarcel;70 ♥;80;150\n", "coinche"),
    ],
)
def test_contracts_of_one_game_only_name_it(lines: str, game: str) -> None:
    assert read(lines).game == game


def test_a_single_line_is_a_question_with_it_as_the_reason() -> None:
    [question] = read("Lucie;80 ♠;0;240\nMarcel;170 ♥;330;0\n").questions
    assert question.about == "game"
    assert "170 ♥" in question.message(EN)


def test_lines_that_fit_several_games_are_a_question() -> None:
    [question] = read("Lucie;150 ♠;310;0\n").questions
    assert question.message(EN) == (
        "Which game is it, Coinche or Belote? Nothing on the sheet names it, and its lines fit each of them."
    )
