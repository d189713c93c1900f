"""The kernel of a first file's game is compiled by a process of its own, beside what reads it."""

import subprocess
from typing import Any

import numpy as np
import pytest
from numba import typeof

from engine.games import names
from ingest.judge import beside
from ingest.judge.decode import decode
from ingest.judge.numbers import from_explained
from ingest.store import beside as rows_beside
from ingest.store import counted
from ingest.store.ready import ready
from ingest.text.canonical import canonical
from ingest.text.files import Batch, Text
from tests.ingest.logs import texts

ASKED = (
    *("rules", "rule_of", "players", "dealers", "decks", "explicit", "codes", "offsets"),
    *("cuts", "first", "voids", "told"),
)
"""What of `Numbers` the kernel and the match are called with."""


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "begun", {})


def test_it_is_compiled_for_what_a_file_asks() -> None:
    text = texts()[0]
    name = beside._GAME.search(text)[1].decode()  # type: ignore[index]
    asked = decode(name, canonical([text]), np.arange(1)).numbers
    compiled = from_explained(name, [])
    for part in ASKED:
        assert typeof(getattr(compiled, part)) == typeof(getattr(asked, part)), part


def test_only_what_is_not_kept_is_compiled_and_only_of_a_game_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[Any] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: started.append(command))
    monkeypatch.setattr(beside, "is_kept", lambda function: True)
    beside.begin(b'{"game": "%s"}' % names()[0].encode())
    beside.begin(b'{"game": "tarot"}')
    beside.begin(b"no log at all")
    assert not started
    monkeypatch.setattr(beside, "is_kept", lambda function: False)
    for name in names()[1:] * 2:
        beside.begin(b'{"game": "%s"}' % name.encode())
    assert [command[-1] for command in started] == list(names()[1:])


def test_where_no_process_can_be_had_the_file_is_read_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise BlockingIOError

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(beside, "is_kept", lambda function: False)
    assert beside.begin(b'{"game": "%s"}' % names()[0].encode()) is None


@pytest.mark.slow
def test_the_process_leaves_what_was_asked_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "is_kept", lambda function: False)
    process = beside.begin(b'{"game": "%s"}' % names()[0].encode())
    assert process is not None
    assert process.wait(120) == 0


def test_what_counts_rows_is_compiled_for_rows_as_they_are() -> None:
    rows_beside.main([])
    functions = (counted.places, counted.count_deals, counted.count_seats, counted.count_said)
    compiled = [list(function.signatures) for function in functions]
    assert all(compiled)
    made = ready(Batch("club.jsonl", [Text(1, text) for text in texts()], []))
    assert {"match_kinds", "match_seats"} <= {table for table, _ in made.rows}
    assert [list(function.signatures) for function in functions] == compiled
