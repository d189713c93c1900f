"""Rule options and presets: one place each, strict about what a log may set."""

import pytest

from engine.chouine.actions import ACT_COUNT
from engine.chouine.actions import kind_of_act as kind
from engine.games import game_names as registered
from engine.options import (
    UnknownRule,
    default_preset,
    encode_rules,
    game_options,
    game_presets,
    resolve_options,
)


@pytest.mark.parametrize("game", list(registered()))
def test_every_preset_sets_every_option(game: str) -> None:
    names = {option.name for option in game_options(game)}
    for values in game_presets(game).values():
        assert set(values) == names
        record = encode_rules(game, values)
        assert names <= set(record.dtype.names or ())


def test_lavardin_is_what_a_log_without_rules_plays() -> None:
    assert default_preset("chouine") == "lavardin"
    assert resolve_options("chouine", None, 2) == resolve_options("chouine", "lavardin", 2)
    assert resolve_options("chouine", {}, 2) == resolve_options("chouine", "lavardin", 2)
    assert resolve_options("chouine", {"quinte": 80}, 2) == {
        **resolve_options("chouine", "lavardin", 2),
        "quinte": 80,
    }


@pytest.mark.parametrize(
    ("preset", "different"),
    [
        ("mondoubleau", {"turn_up": False}),
        (
            "regles-completes",
            {"manches": 1, "quinte": 100, "announce_with": "combination", "au_sept": "ignore"},
        ),
    ],
)
def test_presets_differ_from_lavardin_only_there(preset: str, different: dict[str, object]) -> None:
    assert resolve_options("chouine", preset, 2) == {**resolve_options("chouine", "lavardin", 2), **different}


def test_ch_25_three_and_four_play_one_manche_unless_the_log_says_otherwise() -> None:
    assert resolve_options("chouine", "lavardin", 2)["manches"] == 2
    assert resolve_options("chouine", "lavardin", 3)["manches"] == 1
    assert resolve_options("chouine", {"manches": 2}, 4)["manches"] == 2


@pytest.mark.parametrize(
    ("rules", "what", "known"),
    [
        ("vendome", "preset", "lavardin"),
        ({"preset": 3}, "preset", "lavardin"),
        ({"quintes": 50}, "option", "quinte"),
        ({"quinte": "50"}, "quinte", "0–1000"),
        ({"quinte": True}, "quinte", "0–1000"),
        ({"quinte": 50.0}, "quinte", "0–1000"),
        ({"quinte": -1}, "quinte", "0–1000"),
        ({"parties": 0}, "parties", "1–100"),
        ({"manches": 3}, "manches", "1–2"),
        ({"overruff": 1}, "overruff", "true"),
        ({"au_sept": "remind"}, "au_sept", "warn"),
        ({"announce_with": None}, "announce_with", "any"),
    ],
)
def test_an_unknown_rule_is_refused_with_the_choice(rules: object, what: str, known: str) -> None:
    with pytest.raises(UnknownRule) as error:
        resolve_options("chouine", rules, 2)  # type: ignore[arg-type]
    assert error.value.subject == what
    assert known in error.value.known


def test_every_act_of_chouine_is_of_a_kind() -> None:
    kinds = [kind(act) for act in range(ACT_COUNT)]
    assert kinds.count("play") == kinds.count("draw") == 32
    assert kinds.count("announce") == 36
    assert kinds[68:76] == ["sept", "au-sept", "fault", "fault", "fault", "decide", "decide", "resign"]
