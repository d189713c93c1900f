"""Rules that notes name are found as people write them; others are a question with the list."""

import pytest

from ingest.i18n import translator
from ingest.importers.notes import answer, read_notes

EN = translator("en")
PLAYERS = "Joueurs : Lucie, Marcel, Denise, René\n"
DEAL = "\nRené donne\nLucie 90 cœur, les autres passent\nScore : 162 à 0\n"


def rules_of(text: str) -> list[str | None]:
    return [log.get("rules") for log in read_notes(text).logs]


@pytest.mark.parametrize(
    ("head", "rules"),
    [
        ("Jeu : Belote\nRègles : coinchee", "coinchee"),
        ("Jeu : Belote\nRègles : coinchée", "coinchee"),
        ("Jeu : Belote\nRègles : Belote contrée", "contree"),
        ("Règles : CONTRÉE\nJeu : belote", "contree"),
        ("Jeu : Belote coinchée", "coinchee"),
        ("Belote contrée, 12 avril 2026", "contree"),
    ],
)
def test_rules_are_found_in_any_spelling(head: str, rules: str) -> None:
    assert rules_of(f"{head}\n{PLAYERS}{DEAL}") == [rules]


def test_rules_of_several_words_are_found() -> None:
    note = (
        "Jeu : Chouine\nRègles : Règles complètes\nJoueurs : Lucie, Marcel\n\nMarcel donne\nGagnant : Lucie"
    )
    assert rules_of(note) == ["regles-completes"]


@pytest.mark.parametrize(
    ("written", "could"),
    [("picarde", "classique, contree or coinchee"), ("coinchées", "coinchee"), ("coincée", "coinchee")],
)
def test_unknown_rules_are_one_question_with_the_list(written: str, could: str) -> None:
    note = f"Jeu : Belote\nRègles : {written}\n{PLAYERS}{DEAL}"
    [question] = read_notes(note).questions
    assert (question.where, question.message(EN)) == (
        "2:10",
        f"Retourne knows no rules “{written}” of this game. Are {could} meant?",
    )
    assert rules_of(note) == []
    assert rules_of(answer(note, question, question.readings(EN)[-1])) == ["coinchee"]


def test_bids_of_other_rules_offer_the_rules_that_have_them() -> None:
    note = f"Jeu : Belote\n{PLAYERS}{DEAL}"
    [question] = read_notes(note).questions
    assert question.readings(EN) == ["Règles : contree", "Règles : coinchee"]
    answered = answer(note, question, "Règles : contree")
    assert read_notes(answered).questions == []
    assert rules_of(answered) == ["contree"]


def test_the_rules_of_one_game_do_not_hold_for_another() -> None:
    note = (
        "Jeu : Chouine\nRègles : lavardin\nJoueurs : Lucie, Marcel\n\nMarcel donne\nGagnant : Lucie\n\n"
        f"Jeu : Belote\n{PLAYERS}\nRené donne\nScore : 162 à 0\n"
    )
    assert rules_of(note) == ["lavardin", None]
