"""Words and codes: the one table between a log and the engine."""

import pytest

from engine.actions import ACT_MASK, DRAW_HIDDEN, SEAT_SHIFT, UNKNOWN, action
from engine.games import game
from schemas.match_models import models
from schemas.notation import SEATS, act_word, acts, codes, decode, encode

PACKED = [name for name in models() if name != "chouineurs"]
"""Games whose pack is always the same; Chouineurs' words depend on the match's deck."""


@pytest.mark.parametrize("name", PACKED)
def test_every_act_of_a_game_has_one_word_and_every_word_one_act(name: str) -> None:
    words = acts(name)
    assert len(set(words.values())) == len(words)
    assert set(words.values()) - {DRAW_HIDDEN} <= set(range(game(name).acts.ACTS))


def test_chouine_has_a_word_for_every_act() -> None:
    assert set(acts("chouine").values()) == {*range(game("chouine").acts.ACTS), DRAW_HIDDEN}


@pytest.mark.parametrize("name", PACKED)
def test_word_to_code_to_word(name: str) -> None:
    table = codes(name)
    assert len(table) == len(acts(name)) * SEATS
    for word, code in table.items():
        assert decode(name, code) == word
        assert encode(name, word) == code
        assert code == int(word[0]) - 1 << SEAT_SHIFT | acts(name)[word[2:]]
        assert action(code).seat + 1 == int(word[0])
        assert action(code).code == code
        assert act_word(name, code) == word[2:]


@pytest.mark.parametrize(
    ("word", "act"),
    [
        ("1 7s", 0),
        ("1 Ac", 31),
        ("1 mariage-s", 32),
        ("1 quinte", 48),
        ("1 trente~", 67),
        ("1 sept", 68),
        ("1 resign", 75),
        ("1 draw 7s", 76),
        ("1 draw Ac", 107),
    ],
)
def test_numbers_stored_logs_rely_on(word: str, act: int) -> None:
    assert encode("chouine", word) == act
    assert encode("chouine", "4" + word[1:]) == 3 << SEAT_SHIFT | act


@pytest.mark.parametrize(
    "word",
    ["", "Kd", "1", "1 ", " 1 Kd", "1  Kd", "1 kd", "1 10d", "0 Kd", "10 Kd", "1 Kd ", "1 6d",
     "1 quinte-s", "1 mariage", "1 mariage-x", "1 draw", "1 fault", "١ Kd"],
)  # fmt: skip
def test_what_is_no_action_is_unknown(word: str) -> None:
    assert encode("chouine", word) & ACT_MASK == UNKNOWN


def test_no_action_has_the_unknown_code() -> None:
    with pytest.raises(KeyError):
        decode("chouine", UNKNOWN)


def test_a_seat_no_table_has_is_a_seat_all_the_same() -> None:
    assert action(encode("coinche", "5 pass")).seat + 1 == 5
    assert action(encode("chouine", "9 7s")).seat + 1 == 9
