"""docs/a-new-game.md names what the interfaces and the example have."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import engine.games
from dashboard.games.base import GameView
from dashboard.games.team_contracts import TeamContractView
from engine import bulk
from engine.faults import FaultTable
from ingest.games.base import GameSupport
from ingest.games.finding_code import CodeInfo
from ingest.games.team_contracts import TeamContractSupport
from schemas.games import GameSchemas
from schemas.match_setup import RowLayout
from tests.newgame import dashboard, ingest, schemas
from tests.newgame import engine as example
from tests.newgame.engine import actions, bots, faults, kernel, match, options, score_sheet_line

ROOT = Path(__file__).parents[1]
ENGINE = (actions, faults, options, kernel, match, score_sheet_line, bots)
OWNERS: dict[str, tuple[Any, ...]] = {
    "engine": (example, engine.games, engine.games.Game, *ENGINE, bulk, FaultTable),
    "schemas": (GameSchemas, schemas, RowLayout),
    "ingest": (GameSupport, ingest, engine.games.Game, kernel, CodeInfo, TeamContractSupport),
    "dashboard": (GameView, dashboard, TeamContractView),
}
"""A section of the document → where its names are."""


def names_in(section: str) -> set[str]:
    """The identifiers between backquotes; of `Game.pack` the last one, and no files or log words."""
    quoted = set(re.findall(r"`([^`\n]+)`", section))
    return {one.split(".")[-1] for one in quoted if re.fullmatch(r"[A-Za-z_.]+", one) and "_.py" not in one}


def has_name(owner: Any, name: str) -> bool:
    if hasattr(owner, name) or name in getattr(owner, "__annotations__", {}):
        return True
    if isinstance(owner, ModuleType):
        return owner.__name__.rsplit(".", 1)[-1] == name
    return getattr(owner, "__name__", "") == name


@pytest.mark.parametrize("package", OWNERS)
def test_each_name_in_a_section_is_one_of_its_interface(package: str) -> None:
    text = (ROOT / "docs" / "a-new-game.md").read_text()
    [section] = [one for one in text.split("\n## ") if one.startswith(package + ":")]
    names = names_in(section) - {"ingest", "dashboard", "texts", "N_", "py", "po", "md"}
    assert len(names) > 8
    assert {name for name in names if not any(has_name(one, name) for one in OWNERS[package])} == set()


def test_each_file_that_is_named_is_there() -> None:
    text = (ROOT / "docs" / "a-new-game.md").read_text()
    named = re.findall(r"`((?:[a-z_<>]+/)*[a-z_<>]+(?:/|\.py|\.md|\.po))`|\((\S+\.md)\)", text)
    paths = {one or f"docs/{other}" for one, other in named}
    found = {path.replace("<game>", game) for path in paths for game in engine.games.game_names()}
    folders = [ROOT / folder for folder in (".", "tests/newgame", "ingest", "dashboard/games")]
    missing = {path for path in found if not any((folder / path).exists() for folder in folders)}
    assert len(paths) > 8
    assert missing == set()
