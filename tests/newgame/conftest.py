"""The game is registered for each test of this folder, and forgotten after it."""

from collections.abc import Iterator

import pytest

from tests.newgame import registered


@pytest.fixture
def brelin() -> Iterator[str]:
    with registered() as name:
        yield name
