"""The first file of a machine waits for the compiler, and says so; no later one does."""

from pathlib import Path

import pytest

from ingest.cli import terminal
from ingest.i18n import translator
from ingest.judge import ready
from ingest.judge.batch import check_batch
from ingest.judge.scan import scan_deals
from ingest.text.files import Batch, Text
from tests.ingest.logs import texts


class Stats:
    """What numba tells of a function whose cache is somewhere else."""

    def __init__(self, cache_path: str) -> None:
        self.cache_path = cache_path


class Function:
    py_func = scan_deals.py_func

    def __init__(self, folder: Path) -> None:
        self.stats = Stats(str(folder))


def test_what_is_compiled_is_found_and_is_missed_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_batch(Batch("", [Text(1, texts()[0])], []))
    assert ready.ready()
    monkeypatch.setattr(ready, "scan_deals", Function(tmp_path))
    assert not ready.ready()
    monkeypatch.setattr(ready, "scan_deals", Function(tmp_path / "none"))
    assert not ready.ready()


@pytest.mark.parametrize(
    ("compiled", "seen", "told"),
    [(False, True, True), (True, True, False), (False, False, False)],
    ids=["first", "later", "no terminal"],
)
def test_whoever_waits_for_it_is_told(
    compiled: bool, seen: bool, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(ready, "ready", lambda: compiled)
    monkeypatch.setattr(terminal, "remark", said.append)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1" if seen else "0")
    terminal.compiling(translator("fr"))
    assert bool(said) == told
    assert not said or "une dizaine de secondes" in said[0]
