"""Every game has a golden playthrough for each preset and table."""

from pathlib import Path

import pytest

from engine.games import game, game_names
from engine.options import game_presets

TABLES = [
    (name, preset, players)
    for name in game_names()
    for preset in game_presets(name)
    for players in game(name).players
    if preset != "regles-completes" or players == 2  # its text is for two
]


@pytest.mark.parametrize(("name", "preset", "players"), TABLES)
def test_there_is_a_golden_playthrough(name: str, preset: str, players: int) -> None:
    path = Path(__file__).parent / name / "golden" / f"{preset}-{players}.txt"
    assert len(path.read_text(encoding="utf-8").splitlines()) > 20
