"""No public name goes or comes unless `tests/public_names.txt` says so too."""

import pytest

from tests.public_names import FILE, all_names

pytestmark = pytest.mark.slow


def test_public_names_are_the_ones_that_were_promised() -> None:
    promised = FILE.read_text(encoding="utf-8").splitlines()
    today = all_names()
    removed = sorted(set(promised) - set(today))
    assert not removed, "a name was promised and is gone: docs/compatibility.md"
    new = sorted(set(today) - set(promised))
    assert not new, "promise them, for as long as this major version: python -m tests.public_names"
