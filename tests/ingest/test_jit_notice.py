"""The first file of a machine waits for the compiler, and says so; no later one does."""

from pathlib import Path

import pytest
from numba import config

from engine.games import game
from engine.jit import compiled, is_compiled
from ingest.cli import common
from ingest.i18n import translator
from ingest.reader.files import Batch, MatchText
from ingest.validate.batch import check_batch
from ingest.validate.fast_path.scan import scan_deals
from tests.ingest.logs import texts


def test_what_is_compiled_is_found_and_is_missed_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_batch(Batch("", [MatchText(1, texts()[0])], []))
    assert is_compiled(scan_deals)
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    assert not is_compiled(compiled(scan_deals.py_func))


@pytest.mark.parametrize(
    ("stored", "seen", "reported"),
    [(False, True, True), (True, True, False), (False, False, False)],
    ids=["first", "later", "no terminal"],
)
def test_waiting_for_it_is_reported(
    stored: bool, seen: bool, reported: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    items: list[str] = []
    monkeypatch.setattr("engine.jit.is_compiled", lambda function: stored)
    monkeypatch.setattr(common, "print_notice", items.append)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1" if seen else "0")
    common.announce_reader_jit(translator("fr"))
    assert bool(items) == reported
    assert not items or "une dizaine de secondes" in items[0]


@pytest.mark.parametrize(
    ("name", "missing", "reported"),
    [
        ("chouine", ("sampler",), True),
        ("chouine", ("solver",), True),  # the closed phase is played best
        ("coinche", (), False),
        ("chouineurs", (), False),  # it has neither
    ],
)
def test_sampling_reports_what_is_not_compiled(
    name: str, missing: tuple[str, ...], reported: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    items: list[str] = []
    played = game(name)
    for part in ("sampler", "solver"):
        if (module := getattr(played, part)) is not None:
            monkeypatch.setattr(module, "is_jit_cached", lambda part=part: part not in missing)
    monkeypatch.setattr(common, "print_notice", items.append)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    common.announce_sampler_jit(translator("en"), played)
    assert items == ([common.COMPILING_SAMPLER] if reported else [])
