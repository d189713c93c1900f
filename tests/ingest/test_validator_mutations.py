"""Legal logs are mutated in every way, and the validator reports each mutation.

Its findings are compared with a second reading of the rules, with the fast path, and with the text.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games import game, game_names
from engine.match import winner_in_log
from ingest.findings.codes import code_infos
from ingest.findings.finding import ERROR, Finding
from ingest.games.finding_code import UnderlinedPart
from ingest.i18n import Translate, translator
from ingest.reader.files import Batch, stream_batches
from ingest.validate.batch import check_batch
from ingest.validate.slow_path import ValidationResult, validate
from tests import reference
from tests.ingest.mutate import MUTATIONS, Log, legal, mutated, settings_of, wrong_type
from tests.ingest.rows import rows_of

ONE_CARD = {code for code, one in code_infos().items() if one.underlined is not UnderlinedPart.WHOLE}
MANY = 10_000
AT_ONCE = 500
LANGUAGES = [translator(language) for language in ("fr", "en")]


def text_of(log: Log, rng: Random | None = None) -> bytes:
    """A log as one line or, at random, over many."""
    indent = rng.choice([None, None, None, 1]) if rng else None
    return json.dumps(log, ensure_ascii=False, indent=indent).encode()


def plays(explained: ValidationResult, deal: int) -> Iterator[Finding]:
    """The errors of play of a deal, in order."""
    assert explained.setup is not None
    known = explained.setup.game.faults.by_code
    for finding in explained.findings:
        if finding.deal_index == deal and finding.severity == ERROR and finding.code in known:
            yield finding


def agree(log: Log, explained: ValidationResult) -> Counter[str]:
    """The explanation finds what the reference refuses, deal by deal: no later and no earlier."""
    seen: Counter[str] = Counter()
    if explained.match is None:
        seen["unreadable"] += 1
        return seen
    for deal, result in enumerate(reference.follow(log, settings_of(log))):
        replay = explained.replays[deal]
        assert (result is None) == (replay is None), log["deals"][deal]
        if result is None or replay is None:
            seen["not dealt"] += 1
            continue
        first = next(plays(explained, deal), None)
        assert (first.action_index if first else None) == result.refused, (first, log)
        if first:
            seen["refused"] += 1
            continue
        this, state = replay.game, replay.last.state
        assert (int(state["outcome"]) != this.kernel.RUNNING) == result.ended, log
        if result.outcome is not None:
            seen["outcomes"] += 1
            points, winner = list(replay.last.points), winner_in_log(state)
            if winner and "carried" in (state.dtype.names or ()) and state["carried"] > 0:
                # the reference reads each deal alone
                points[winner - 1] = int(points[winner - 1] or 0) - int(state["carried"])
            found = (points, winner)
            assert found == (list(result.outcome[0]), result.outcome[1]), log
    return seen


@cache
def of_game(name: str) -> list[Log]:
    return [log for log in legal() if log["game"] == name]


# legal logs


@pytest.mark.slow
def test_the_logs_that_are_spoilt_are_legal_and_every_table_is_there() -> None:
    tables = set()
    for log in legal():
        explained = validate(text_of(log))
        assert explained.status == "legal", (log["id"], explained.findings)
        seen = agree(log, explained)
        assert not seen["refused"]
        assert not seen["unreadable"]
        tables.add((log["game"], len(log["players"])))
    assert tables == {(name, players) for name in game_names() for players in game(name).players}


# the first finding is where the rules refuse


@pytest.mark.parametrize("name", game_names())
@given(data=st.data(), rng=st.randoms(use_true_random=False))
@settings(max_examples=50)
@pytest.mark.slow
def test_the_first_error_of_play_is_the_first_act_the_rules_refuse(
    name: str, data: st.DataObject, rng: Random
) -> None:
    log = data.draw(st.sampled_from(of_game(name)))
    spoilt, _ = mutated(log, rng, data.draw(st.integers(1, 3)))
    agree(spoilt, validate(text_of(spoilt)))


# ten thousand


def parts(value: Any, pointer: str) -> tuple[Any, bool]:
    """(the value a pointer names, or the nearest there is around it; whether it is itself)."""
    for key in pointer.split("/")[1:]:
        key = key.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return value, False
    return value, True


@lru_cache(maxsize=1)
def read(text: bytes) -> tuple[Any, list[str]]:
    """The value of a text and its lines, for one finding after another."""
    return json.loads(text), text.decode().split("\n")


MAY_BE_ABSENT = {"schema", "deal-missing", "incomplete", "times-count", "format-version"}
"""What is wrong may be that it is not there."""


def sound(finding: Finding, place: int, found: list[Finding], text: bytes, first: int) -> None:
    """A finding has a rule, stands in the text where it says, and can be worded in both languages.

    The text's first line is line `first` of its file.
    """
    assert re.fullmatch(r"(?:C[HOR]|BE)-\d+|format", finding.rule)
    document, lines = read(text)
    value, there = parts(document, finding.path)
    assert there or finding.code in MAY_BE_ABSENT, finding
    assert finding.line is not None
    assert finding.column is not None
    assert finding.end is not None
    line = lines[finding.line - first]
    marked = line[finding.column - 1 : finding.end - 1]
    if isinstance(value, dict | list):
        assert marked == ("{" if isinstance(value, dict) else "["), finding
    elif finding.code in ONE_CARD and "\\" not in json.dumps(value, ensure_ascii=False):
        assert marked == finding.found or (not finding.found and marked in (" ", '"')), finding
    else:
        assert json.loads(marked) == value, finding
    if finding.follows is not None:
        assert finding.follows < place
        assert found[finding.follows].severity == finding.severity == ERROR
    for t in LANGUAGES:
        whole(finding, t)


def whole(finding: Finding, t: Translate) -> None:
    message, where = finding.message(t), finding.place(t)
    assert message
    assert bool(where) == (finding.deal_index is not None or finding.manche is not None), finding
    assert not re.search(r"\{[a-z]|None", message + where), (message, where)


def spoilt_logs(seed: int, count: int) -> Iterator[tuple[Log, bytes, list[str]]]:
    rng, logs = Random(seed), legal()
    for _ in range(count):
        log, names = mutated(rng.choice(logs), rng, rng.randint(1, 3))
        if rng.random() < 0.05:
            wrong_type(log, rng)
            names.append("a wrong type")
        yield log, text_of(log, rng), names


@pytest.mark.timeout(900)
@pytest.mark.soak
def test_ten_thousand_spoilt_logs_are_reported_alike_by_both_sides_and_raise_nothing() -> None:
    most_faults_came_up(given_alike(range(MANY // AT_ONCE)))


@pytest.mark.soak
def test_a_million_other_spoilt_logs_are_reported_alike_too() -> None:
    codes = set[tuple[str, str]]()
    for begin in range(MANY, 1_000_000 + MANY, MANY):
        codes |= given_alike(range(begin // AT_ONCE, (begin + MANY) // AT_ONCE))
    most_faults_came_up(codes)  # some of them are so rare that ten thousand logs may not have them


def given_alike(batches: range) -> set[tuple[str, str]]:
    """Ten thousand logs in batches, each of a seed of its own; every kind of spoiling must come.

    Returns the games and codes that came up.
    """
    seen: Counter[str] = Counter()
    spoilt: Counter[str] = Counter()
    codes: set[tuple[str, str]] = set()
    for batch_no in batches:
        some = list(spoilt_logs(batch_no, AT_ONCE))
        file = b"[" + b",\n".join(text for _, text, _ in some) + b"]"
        parts = list(stream_batches("spoilt.json", io.BytesIO(file)))
        batch = Batch("spoilt.json", [text for part in parts for text in part.texts], [])
        assert not any(part.troubles for part in parts)
        assert [one.text for one in batch.texts] == [text for _, text, _ in some]
        checked = check_batch(batch)
        alone: dict[int, ValidationResult] = {}
        for place, (log, text, typos) in enumerate(some):
            explained = checked.results.get(place)
            if explained is None:  # the bulk side said yes
                explained = alone[place] = validate(text)
                assert (explained.status, explained.findings) == ("legal", []), log
            seen[explained.status] += 1
            spoilt.update(typos)
            first = batch.texts[place].line if place in checked.results else 1
            for at, finding in enumerate(explained.findings):
                if finding.line == first and place in checked.results:
                    # a text that does not begin its line is shown where it stands in it
                    finding.column -= batch.texts[place].column - 1  # type: ignore[operator]
                    finding.end -= batch.texts[place].column - 1  # type: ignore[operator]
                sound(finding, at, explained.findings, text, first)
            codes |= {(str(log["game"]), finding.code) for finding in explained.findings}
            if "a wrong type" not in typos:  # of what cannot be read the reference knows nothing
                seen += agree(log, explained)
        only = replace(checked, results={})
        other = replace(checked, fast_path_groups=[], results=alone)
        assert rows_of(only) == rows_of(other)
    # every mutation was at work, and much was refused
    assert set(spoilt) == {*MUTATIONS, "a wrong type"}
    assert min(spoilt.values()) > MANY / 30
    assert {status for status in seen if seen[status] > MANY / 1000} >= {
        *("legal", "irregular", "incomplete", "broken", "unreadable"),
        *("refused", "outcomes", "not dealt"),
    }
    return codes


def most_faults_came_up(codes: set[tuple[str, str]]) -> None:
    """Of every game."""
    for name in game_names():
        faults = game(name).faults.by_code
        assert sum((name, code) in codes for code in faults) > 0.7 * len(faults)
