"""Nothing in a file stops the run: some rounds, always the same; `make soak` does others."""

from collections import Counter
from collections.abc import Iterable
from random import SystemRandom

import pytest

from tests.fuzz import archives, documents


def seeds(rounds: int, config: pytest.Config) -> Iterable[int]:
    """The seeds of so many rounds; with `--soak TIMES` new ones, TIMES as many."""
    times = config.getoption("--soak") or 0
    first = SystemRandom().randrange(1 << 40) if times else 0
    print(f"seed {first}")
    return range(first, first + rounds * (times or 1))


@pytest.mark.slow
def test_of_spoilt_documents_both_sides_say_the_same_and_nothing_raises(pytestconfig: pytest.Config) -> None:
    seen = Counter[str]()
    for seed in seeds(4, pytestconfig):
        seen += documents.one_round(seed)
    assert set(seen) >= {"legal", "irregular", "incomplete", "broken", "unreadable"}


@pytest.mark.slow
def test_of_spoilt_archives_each_is_reported_and_the_next_file_is_read(pytestconfig: pytest.Config) -> None:
    seen = Counter[str]()
    for seed in seeds(4, pytestconfig):
        seen += archives.one_round(seed)
    assert set(seen) >= {"legal", "bad-archive"}


def test_what_falls_is_reported_with_the_seed_that_makes_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "validate", lambda text: 1 / len(text[:0]))
    with pytest.raises(AssertionError, match=r"python -m tests.fuzz --documents --seed 5 ") as fell:
        documents.one_round(5)
    assert "ZeroDivisionError" in str(fell.value)
