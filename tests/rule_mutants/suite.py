"""Runs the suite's own small tests of a game's rules, again and again in one process."""

from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from os import devnull
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).parents[2]
OTHERS = ("endgame", "sampling", "properties")
"""Files of a game's tests that are not of its rules, or draw deals at random, as `cases` does."""


class Suite:
    """The tests of a game, collected once; `use` gets them as functions that return whether they pass."""

    def __init__(self, name: str, use: Callable[[list[Callable[[], bool]]], None]) -> None:
        self.use = use
        files = sorted((ROOT / "tests" / "engine" / name).glob("test_*.py"))
        self.files = [str(one) for one in files if not one.stem.endswith(OTHERS)]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.use([partial(self.passes, item) for item in session.items])
        return True

    def passes(self, item: Any) -> bool:
        """Run one test as pytest does."""
        return all(one.passed for one in runtestprotocol(item, log=False, nextitem=None))

    def run(self) -> None:
        plugins = ("xdist", "randomly", "cacheprovider")
        words = [word for one in plugins for word in ("-p", f"no:{one}")]
        words += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        marks = "not slow and not page and not browser"
        with open(devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
            pytest.main(["-q", "--timeout", "0", "-m", marks, *words, *self.files], plugins=[self])
