"""Words and codes: the one table between a log and the engine."""

import pytest

from engine.actions import ACT_MASK, DRAW_HIDDEN, SEAT_SHIFT, UNKNOWN_ACT, decode_action
from engine.games import game
from schemas.match_models import match_models
from schemas.notation import MAX_SEATS, act_codes, act_notation, action_codes, action_notation, encode_action

PACKED = [name for name in match_models() if name != "chouineurs"]
"""Games whose pack is always the same; Chouineurs' words depend on the match's deck."""


@pytest.mark.parametrize("name", PACKED)
def test_every_act_of_a_game_has_one_word_and_every_word_one_act(name: str) -> None:
    words = act_codes(name)
    assert len(set(words.values())) == len(words)
    assert set(words.values()) - {DRAW_HIDDEN} <= set(range(game(name).acts.ACT_COUNT))


def test_chouine_has_a_word_for_every_act() -> None:
    assert set(act_codes("chouine").values()) == {*range(game("chouine").acts.ACT_COUNT), DRAW_HIDDEN}


@pytest.mark.parametrize("name", PACKED)
def test_word_to_code_to_word(name: str) -> None:
    table = action_codes(name)
    assert len(table) == len(act_codes(name)) * MAX_SEATS
    for word, code in table.items():
        assert action_notation(name, code) == word
        assert encode_action(name, word) == code
        assert code == int(word[0]) - 1 << SEAT_SHIFT | act_codes(name)[word[2:]]
        assert decode_action(code).seat + 1 == int(word[0])
        assert decode_action(code).code == code
        assert act_notation(name, code) == word[2:]


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
    assert encode_action("chouine", word) == act
    assert encode_action("chouine", "4" + word[1:]) == 3 << SEAT_SHIFT | act


@pytest.mark.parametrize(
    "word",
    ["", "Kd", "1", "1 ", " 1 Kd", "1  Kd", "1 kd", "1 10d", "0 Kd", "10 Kd", "1 Kd ", "1 6d",
     "1 quinte-s", "1 mariage", "1 mariage-x", "1 draw", "1 fault", "١ Kd"],
)  # fmt: skip
def test_what_is_no_action_is_unknown(word: str) -> None:
    assert encode_action("chouine", word) & ACT_MASK == UNKNOWN_ACT


def test_no_action_has_the_unknown_code() -> None:
    with pytest.raises(KeyError):
        action_notation("chouine", UNKNOWN_ACT)


def test_a_seat_no_table_has_is_a_seat_all_the_same() -> None:
    assert decode_action(encode_action("coinche", "5 pass")).seat + 1 == 5
    assert decode_action(encode_action("chouine", "9 7s")).seat + 1 == 9
