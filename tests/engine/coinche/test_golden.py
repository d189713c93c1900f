"""The golden playthrough of Coinche, replayed line by line."""

from tests.engine.coinche.golden import PATH, lines


def test_the_golden_game_is_played_as_written():
    """When a rule changes on purpose: python -m tests.engine.coinche.golden, and read the diff."""
    assert PATH.read_text().splitlines() == list(lines())
