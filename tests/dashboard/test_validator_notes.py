"""Vérificateur: notes pasted for a log are read, or asked about in the place of a verdict."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.test_validator_page import click, paste

NOTES = "Jeu : Chouine\nJoueurs : Lucie, Marcel\n\nMarcel donne\nLucie : V♦ A♠\nMarcel : 9♦ {}\n"


@pytest.fixture
def page(open_page) -> AppTest:
    return open_page("verificateur")


def test_notes_that_are_clear_become_the_log_in_the_box(page):
    paste(page, NOTES.format("10♠"))
    assert '"actions": ["1 Jd","2 9d","1 As","2 Ts"]' in page.text_area[0].value
    assert page.radio[0].options  # what the check found
    click(page, "Revenir aux notes")
    assert page.text_area[0].value == NOTES.format("10♠")
    click(page, "En faire un relevé")
    assert page.text_area[0].value.startswith('{"format": "retourne/1"')


def test_what_is_unclear_is_asked_and_the_notes_stay(page):
    paste(page, NOTES.format("10c"))
    assert page.text_area[0].value == NOTES.format("10c")
    text = "\n".join(str(one.value) for one in page.markdown).replace("\\", "")
    assert "Ligne 6, colonne 13 – «\u00a010c\u00a0» peut être 10♥, 10♦ ou 10♣. Lequel est-ce\u202f?" in text
    assert not page.radio
    paste(page, NOTES.format("10♥"))
    assert page.radio[0].options


def test_a_text_that_is_neither_is_no_json(page):
    paste(page, "Bonjour à tous")
    assert "JSON" in "".join(page.radio[0].options)
