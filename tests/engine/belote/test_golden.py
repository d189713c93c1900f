"""The golden playthrough of Belote, replayed line by line."""

import pytest

from tests.engine.belote.golden import FOLDER, GAMES, lines


@pytest.mark.parametrize("preset", GAMES)
def test_the_golden_game_is_played_as_written(preset: str) -> None:
    """When a rule changes on purpose: python -m tests.engine.belote.golden, and read the diff."""
    assert (FOLDER / f"{preset}-4.txt").read_text().splitlines() == list(lines(preset))
