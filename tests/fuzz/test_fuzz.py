"""Nothing in a file stops the run, from a new seed each time."""

from collections import Counter
from random import SystemRandom
from time import monotonic

import pytest

from tests.fuzz import SECONDS, archives, documents


@pytest.fixture
def seconds(request: pytest.FixtureRequest) -> float:
    """How long each of the two tests spoils."""
    return float(request.config.getoption("--fuzz") or SECONDS) / 2


@pytest.mark.slow
def test_of_spoilt_documents_both_sides_say_the_same_and_nothing_raises(seconds: float) -> None:
    seed, seen = SystemRandom().randrange(1 << 40), Counter[str]()
    end = monotonic() + seconds
    while monotonic() < end or not seen:
        seen += documents.one_round(seed)
        seed += 1
    assert set(seen) >= {"legal", "irregular", "incomplete", "broken", "unreadable"}


@pytest.mark.slow
def test_of_spoilt_archives_each_is_told_and_the_next_file_is_read(seconds: float) -> None:
    seed, seen = SystemRandom().randrange(1 << 40), Counter[str]()
    end = monotonic() + seconds
    while monotonic() < end or not seen:
        seen += archives.one_round(seed)
        seed += 1
    assert set(seen) >= {"legal", "bad-archive"}


def test_what_falls_is_told_with_the_seed_that_makes_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(documents, "explain", lambda text: 1 / len(text[:0]))
    with pytest.raises(AssertionError, match=r"python -m tests.fuzz --documents --seed 5 ") as fell:
        documents.one_round(5)
    assert "ZeroDivisionError" in str(fell.value)
