"""Python and JavaScript report the same on every log: findings, places, legal acts, points, winners."""

import json
import shutil
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import numpy as np
import pytest

from engine.games import game, game_names
from engine.options import game_presets
from ingest.validate.slow_path import validate
from schemas.games import schemas_of
from schemas.simulated import simulate_season
from tests.fuzz.documents import spoilt
from tests.ingest.mutate import legal, mutated
from tests.js.agreement import by_javascript, difference, left_out

pytestmark = pytest.mark.slow  # builds the package

DATA = Path(__file__).parents[2] / "data"
SHIPPED = [path for path in sorted(DATA.glob("**/*.json")) if b'"retourne/1"' in path.read_bytes()[:2000]]
LOGS = [path for path in SHIPPED if ".expected" not in path.name]
PRESETS = [(name, preset) for name in game_names() for preset in game_presets(name)]
AT_ONCE = 2000
SIMULATED, SPOILT = 30_000, 100_000
"""Logs of each preset that `make soak` compares."""


def hold(module: Path, logs: list[bytes]) -> list[dict[str, Any]]:
    """The reports of JavaScript. AssertionError: the two differ about some of the logs."""
    found = by_javascript(module, logs)
    wrong = {log: text for log, one in zip(logs, found, strict=True) if (text := difference(log, one))}
    assert not wrong, f"{len(wrong)} of {len(logs)}, such as {next(iter(wrong.items()))}"
    return found


def simulated(name: str, preset: str, count: int, seed: int) -> list[bytes]:
    """Whole matches of a preset, at every table of the game in turn."""
    tables = game(name).players
    each = -(-count // len(tables))
    logs = [log for players in tables for log in simulate_season(name, each, seed, preset, players)]
    return [json.dumps(log).encode() for log in logs]


def spoilt_logs(name: str, preset: str, count: int, rng: Random) -> list[bytes]:
    """Logs of a preset with some actions, cards or numbers changed."""

    def preset_of(log: dict[str, Any]) -> str:
        rules = log.get("rules")
        own = rules.get("preset") if isinstance(rules, dict) else rules
        return own or next(iter(game_presets(name)))

    begun = [log for log in legal() if log["game"] == name and preset_of(log) == preset]
    logs = (mutated(rng.choice(begun), rng, rng.choice([1, 1, 1, 2, 3]))[0] for _ in range(count))
    return [json.dumps(log).encode() for log in logs]


def test_logs_that_ship_have_the_same_findings_and_a_verdict_unless_parts_are_left_out(module: Path) -> None:
    texts = [path.read_bytes() for path in LOGS]
    found = hold(module, texts)
    without = [one["status"] is None for one in found]
    assert without == [left_out(text) is not None for text in texts]
    assert 0 < sum(without) < len(without) / 4


@pytest.mark.parametrize("word", ["__proto__", "constructor", "toString"])
def test_a_key_that_every_object_of_javascript_has_is_only_a_word(module: Path, word: str) -> None:
    log = json.loads((DATA / "exemple-lavardin.json").read_bytes())
    deal, (player, *others) = log["deals"][0], log["players"]
    changes = [{word: {"game": "coinche"}}, {"game": word}, {"rules": word}, {"rules": {word: 1}}]
    changes += [{"rules": {"preset": word}}, {"deals": [deal | {word: {"actions": []}}]}]
    changes += [{"deals": [deal | {"deck": word}]}, {"deals": [deal | {"actions": [f"1 {word}"]}]}]
    changes += [{"players": [player | {word: {"id": "x"}}, *others]}, {"result": {word: 1}}]
    hold(module, [json.dumps(log | change).encode() for change in changes])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_simulated_matches_have_the_same_verdict(module: Path, name: str, preset: str) -> None:
    hold(module, simulated(name, preset, 12, 41))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_spoilt_matches_have_the_same_findings(module: Path, name: str, preset: str) -> None:
    hold(module, spoilt_logs(name, preset, 50, Random(41)))


def with_hands(log: dict[str, Any]) -> dict[str, Any]:
    """The same log, its cards written as hands after the taking instead of packs."""
    found = validate(json.dumps(log).encode())
    deals = []
    for deal, decoded in zip(log["deals"], found.decoded, strict=True):
        cards = {key: deal[key] for key in deal if key != "deck"}
        row, actions = np.array(decoded.deck), deal.get("actions", ())
        hands = schemas_of(log["game"]).write_row(found.known_setup, deal["dealer"] - 1, row, True, actions)
        deals.append(cards | hands)
    return log | {"deals": deals}


@pytest.mark.slow
def test_be_4_hands_after_the_taking_have_the_same_findings(module: Path) -> None:
    rng = Random(41)
    taken = [log for log in legal() if log["game"] == "belote" and " take " in json.dumps(log)]
    begun = [with_hands(log) for log in taken]
    logs = [json.dumps(mutated(rng.choice(begun), rng, rng.choice([0, 1, 2]))[0]).encode() for _ in range(60)]
    assert sum(left_out(log) is None for log in logs) > 30
    hold(module, logs)


def test_other_rules_in_one_of_them_are_noticed(dist: Path, tmp_path: Path) -> None:
    changed = shutil.copytree(dist, tmp_path / "dist")
    table = json.loads((changed / "chouine.json").read_bytes())
    table["presets"]["lavardin"]["overruff"] = True
    (changed / "chouine.json").write_text(json.dumps(table))
    with pytest.raises(AssertionError, match="status: legal – irregular"):
        hold(changed / "retourne.mjs", simulated("chouine", "lavardin", 60, 41))


@pytest.mark.slow
def test_spoilt_documents_have_the_same_findings(module: Path) -> None:
    rng = Random(41)
    hold(module, [spoilt(rng) for _ in range(100)])


@pytest.mark.soak
@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_many_matches_have_the_same_verdict(module: Path, name: str, preset: str) -> None:
    """Others each time."""
    seed = SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    for part in range(0, SIMULATED, AT_ONCE):
        hold(module, simulated(name, preset, AT_ONCE, seed + part))
    rng = Random(seed)
    for _ in range(0, SPOILT, AT_ONCE):
        hold(module, spoilt_logs(name, preset, AT_ONCE, rng))
    hold(module, [spoilt(rng) for _ in range(AT_ONCE)])
