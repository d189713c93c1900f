"""The page Validator: pasted notes are read, or questions take the place of a verdict."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.test_validator_page import click, paste

NOTES = "Jeu : Chouine\nJoueurs : Lucie, Marcel\n\nMarcel donne\nLucie : V♦ A♠\nMarcel : 9♦ {}\n"


@pytest.fixture
def page(open_page) -> AppTest:
    return open_page("verificateur")


def text_of(page: AppTest) -> str:
    return "\n".join(str(one.value) for one in page.markdown).replace("\\", "")


def test_notes_that_are_clear_stay_in_the_box_above_what_a_check_finds(page):
    paste(page, NOTES.format("10♠"))
    assert page.text_area[0].value == NOTES.format("10♠")
    assert page.radio[0].options  # what the check found
    click(page, "Modifier le relevé")
    assert '"actions": ["1 Jd","2 9d","1 As","2 Ts"]' in page.text_area[0].value
    click(page, "Revenir aux notes")
    assert page.text_area[0].value == NOTES.format("10♠")


def test_what_is_unclear_is_a_question_next_to_the_notes(page):
    paste(page, NOTES.format("10c"))
    assert page.text_area[0].value == NOTES.format("10c")
    question = "Ligne 6, colonne 13 – «\u00a010c\u00a0» peut être 10♥, 10♦ ou 10♣. Lequel est-ce\u202f?"
    assert question in text_of(page)
    assert not page.radio
    paste(page, NOTES.format("10♥"))
    assert page.radio[0].options


def test_an_answer_that_is_clicked_is_written_into_the_notes(page):
    paste(page, NOTES.format("10c"))
    click(page, "10♦")
    assert page.text_area[0].value == NOTES.format("10♦")
    assert page.radio[0].options


def test_a_deal_that_is_unclear_leaves_the_others_on_the_page(page):
    paste(page, NOTES.format("10♠") + "\nLucie donne\nMarcel joue un petit trèfle\nMarcel gagne 87 à 63\n")
    assert "petit trèfle" in text_of(page)
    assert page.radio[0].options


def test_a_click_shows_how_notes_are_written(page):
    first = {
        "Chouine": "Chouine, samedi 7 mars 2026",
        "Coinche": "Jeu : Coinche",
        "Chouineurs": "Jeu : Chouineurs",
        "Belote": "Belote coinchée, samedi 21 novembre 2026",
    }
    for label, line in first.items():
        click(page, label)
        assert page.text_area[0].value.startswith(line)
        assert page.radio[0].options
        assert not {one.label for one in page.button} & set(first)
        paste(page, "")


def test_a_text_that_is_neither_is_no_json(page):
    paste(page, "Bonjour à tous")
    assert "JSON" in "".join(page.radio[0].options)
