"""Ids and names are compared as people read them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.player_key import player_id_of, player_key, search_key


@pytest.mark.parametrize(
    ("written", "alike"),
    [
        ("Élodie Lefèvre", unicodedata.normalize("NFD", "Élodie Lefèvre")),
        ("O'Brien", "O’Brien"),
        ("O'Brien", "Oʼbrien"),
        ("Jean-Paul", "JEAN\u2011PAUL"),
        ("Jean-Paul", "Jean–Paul"),
        ("Anne Marie", "\u00a0Anne \u202fMarie "),
        ("Anne Marie", "Anne\tMarie"),
        ("Zoé", "Z\u200bo\u00adé\ufeff"),
        ("Strauß", "STRAUSS"),
        ("❤", "❤\ufe0f"),
    ],
)
def test_what_reads_alike_has_one_key(written: str, alike: str) -> None:
    assert player_key(written) == player_key(alike)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Zoé", "Zoe"), ("Jean-Paul", "Jean Paul"), ("Anne", "Anna"), ("OBrien", "O'Brien"), ("Zoe2", "Zoe")],
)
def test_what_reads_differently_has_two_keys(one: str, other: str) -> None:
    assert player_key(one) != player_key(other)


def test_invisible_characters_alone_are_a_key_of_their_own() -> None:
    assert player_key("\u200b") == "\u200b" != player_key("\u00ad")


def test_search_ignores_accents_too() -> None:
    assert search_key("  ÉLODIE  d’Œuvre") == "elodie d'oeuvre"


def test_id_of_a_name_has_hyphens_for_spaces() -> None:
    assert player_id_of("Élodie \u00a0de  L’Isle") == "élodie-de-l'isle"


@given(st.text(min_size=1))
def test_key_of_a_key_is_itself(text: str) -> None:
    key = player_key(text)
    assert player_key(key) == key
    assert key == player_key(unicodedata.normalize("NFD", text)) or not key.strip()
