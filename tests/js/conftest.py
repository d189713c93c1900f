"""The package for JavaScript of this run, for the tests of this folder."""

from pathlib import Path

import pytest

from tests.js.package import made


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make js` makes."""
    return made(tmp_path_factory)


@pytest.fixture(scope="session")
def module(dist: Path) -> Path:
    return dist / "retourne.mjs"
