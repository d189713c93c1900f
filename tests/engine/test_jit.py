"""Compiled code is cached for later processes until a file changes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine import bulk
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TWO = """
from engine.jit import compiled, inlined

@inlined
def doubled(number):
    return 2 * number

@compiled
def doubles(count):
    found = 0
    for number in range(count):
        found += doubled(number) + doubled(3)
    return found
"""
ASK = """
import json
from two import doubled, doubles
answer = doubles(4)
misses = sum(doubles.stats.cache_misses.values())
print(json.dumps([answer, misses, doubled(21)]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "two.py").write_text(TWO, encoding="utf-8")
    return tmp_path


HOUSE = {
    "__init__.py": "",
    "floor.py": "from engine.jit import inlined\n@inlined\ndef step(n):\n    return n + 1\n",
    "roof.py": """
from engine.jit import compiled
from house.floor import step
@compiled
def up(n):
    return step(step(n))
""",
}
UP = "from house.roof import up; print([up(0), sum(up.stats.cache_misses.values())])"


def requesting(folder: Path, program: str = ASK) -> subprocess.Popen[str]:
    """A Python that imports the two functions, whose cache lies beside them."""
    path = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(folder / "kept")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def answer_of(process: subprocess.Popen[str]) -> Any:
    """The answer, how often it was compiled for, twice 21."""
    found = json.loads(process.communicate(timeout=PATIENCE)[0])
    assert process.returncode == 0
    return found


def test_what_was_compiled_is_read_by_the_next_process(folder: Path) -> None:
    assert answer_of(requesting(folder)) == [36, 1, 42]
    assert answer_of(requesting(folder)) == [36, 0, 42]


def test_two_that_begin_at_once_both_answer_and_leave_what_is_read(folder: Path) -> None:
    both = [requesting(folder) for _ in range(2)]
    assert [answer_of(each)[0] for each in both] == [36, 36]
    assert answer_of(requesting(folder)) == [36, 0, 42]


def test_another_file_changed_is_no_old_code_in_the_file_that_uses_it(tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    for name, text in HOUSE.items():
        (house / name).write_text(text, encoding="utf-8")
    assert [answer_of(requesting(tmp_path, UP)) for _ in range(2)] == [[2, 1], [2, 0]]
    (house / "floor.py").write_text(HOUSE["floor.py"].replace("n + 1", "n + 10"), encoding="utf-8")
    assert answer_of(requesting(tmp_path, UP)) == [20, 1]


THERE = "from house.roof import up; from engine.jit import is_compiled; "
LOOK = THERE + "print([+is_compiled(up, 'roof.up'), +is_compiled(up, 'roof.up', 'roof.down')])"


def test_what_lies_compiled_of_files_that_have_changed_since_is_not_there(tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    for name, text in HOUSE.items():
        (house / name).write_text(text, encoding="utf-8")
    assert answer_of(requesting(tmp_path, LOOK)) == [0, 0]
    answer_of(requesting(tmp_path, UP))
    assert answer_of(requesting(tmp_path, LOOK)) == [1, 0]
    (house / "floor.py").write_text(HOUSE["floor.py"].replace("n + 1", "n + 10"), encoding="utf-8")
    assert answer_of(requesting(tmp_path, LOOK)) == [0, 0]


GAMES = {
    "__init__.py": "",
    "one.py": """
from engine import bulk
from engine.jit import compiled
@compiled
def total(state, seat):
    return state[seat]
totals = bulk.compile_for_game(bulk.totals, globals())
""",
}
TOTALS = """
import numpy as np
from house.one import totals as one
from house.two import totals as two
found = []
for totals in one, two:
    points = np.zeros(1, np.int16)
    totals(np.array([[3, 4]]), np.array([0]), np.array([1]), points)
    found += [int(points[0]), sum(totals.stats.cache_misses.values())]
print(found)
"""


def test_a_loop_calls_the_functions_of_each_game_and_is_kept_for_each(tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    for name, text in GAMES.items():
        (house / name).write_text(text, encoding="utf-8")
    other = GAMES["one.py"].replace("state[seat]", "10 * state[seat]")
    (house / "two.py").write_text(other, encoding="utf-8")
    assert answer_of(requesting(tmp_path, TOTALS)) == [4, 1, 40, 1]
    assert answer_of(requesting(tmp_path, TOTALS)) == [4, 0, 40, 0]


def test_a_loop_says_what_its_game_has_not_given_it() -> None:
    with pytest.raises(TypeError, match="house: totals needs total"):
        bulk.compile_for_game(bulk.totals, {"__name__": "house"})
