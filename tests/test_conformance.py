"""The suite of `conformance/`: who passes it, and at which rule others fail."""

import json
import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.actions import SEAT_SHIFT
from engine.games import game, game_names
from engine.options import resolve_options
from ingest.cli.app import run
from ingest.cli.conform import Difference, Question, compare, questions, suite_folder
from ingest.validate.parse_document import match_of_json
from ingest.validate.slow_path import validate
from schemas.match_models import match_setup
from schemas.notation import action_codes
from tests import reference
from tests.conformance import POSITIONS, PRESETS, SUITE, as_lines, cases, files
from tests.js.agreement import NODE
from tests.js.package import install

pytestmark = pytest.mark.slow

Answer = dict[str, Any]


@cache
def questions_of(name: str) -> tuple[Question, ...]:
    return tuple(questions(suite_folder(), [name], []))


def differences(name: str, engine: Callable[[Question], Answer], step: int) -> list[Difference]:
    """The different answers of an engine about a game: all its cases, of positions one in `step`."""
    every = questions_of(name)
    cases, positions = ([one for one in every if (one.after is None) is case] for case in (True, False))
    return [one for question in (*cases, *positions[::step]) for one in compare(question, engine(question))]


def by_slow_reading(question: Question) -> Answer:
    """The answer of the tests' second reading of the rules."""
    log = question.log
    options = resolve_options(log["game"], log.get("rules"), len(log["players"]))
    if question.after is None:
        dealt = all("hands" in deal or "deck" in deal for deal in log["deals"])
        if not dealt or question.id.endswith("/deck-unknown"):
            return {"deals": []}
        return outcomes(reference.follow(log, options))
    [deal] = log["deals"]

    def played() -> Any:
        play = reference.GAMES[log["game"]](log, deal, options)
        assert play is not None
        assert all(play.do(action) for action in deal["actions"])
        return play

    legal, play = [], played()
    for word in words(question):
        if play.do(word):  # a refused act leaves the deal as it was
            legal.append(word)
            play = played()
    return {"legal": legal}


def outcomes(deals: Iterator[reference.DealReading | None]) -> Answer:
    """The first refused action, points and winners; a litige waits for the next contract (BE-20)."""
    found: list[Answer | None] = []
    first, waiting = None, 0
    for number, deal in enumerate(deals):
        refused = None if deal is None else deal.refused
        if first is None and refused is not None:
            first = f"/deals/{number}/actions/{refused}"
        if deal is None or refused is not None or deal.outcome is None:
            found.append(None)
            continue
        points, winner = deal.outcome
        if winner:
            points[winner - 1] += waiting
            waiting = 0
        if isinstance(deal.play, reference.belote.Deal):
            waiting += deal.play.waiting
        found.append({"points": points, "winner": winner})
    return {"first": first, "deals": found}


def words(question: Question) -> list[str]:
    """Every action that the seats of a log can write, except draws that are not recorded."""
    match, _ = match_of_json(question.log)
    setup = match_setup(match)
    codes = action_codes(setup.game.name, setup.faces)
    return [word for word, code in codes.items() if code >> SEAT_SHIFT < setup.players]


@pytest.mark.parametrize(("name", "preset"), PRESETS)
@pytest.mark.sample("chouineurs-blam")
def test_generator_gives_the_same_positions(name: str, preset: str) -> None:
    for file, text in files([(name, preset)]):
        assert (SUITE / file).read_bytes() == text


@pytest.mark.parametrize("name", game_names())
def test_generator_gives_the_same_cases(name: str) -> None:
    assert (SUITE / "cases" / f"{name}.jsonl").read_bytes() == as_lines(cases(name))


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("import sys; sys.exit(3)", "ended with exit code 3 instead of answering"),
        ("print('hello', flush=True); input()", "is not a JSON object in one line: hello"),
        ("print('{}', flush=True); input()", "has no findings as docs/conform.md describes it: {}"),
        ("import time; time.sleep(60)", "within 0.5 s. --timeout gives it more time."),
        ("while input(): print('{\"skip\": 1}', flush=True)", "The engine skipped everything"),
    ],
    ids=["ends", "no-json", "no-key", "hangs", "skips"],
)
def test_engine_that_fails_is_reported(
    program: str, sentence: str, conform: Callable[..., tuple[int, str]]
) -> None:
    timeout = "0.5" if "sleep" in program else "30"
    code, printed = conform("-g", "coinche", "--timeout", timeout, "--", sys.executable, "-c", program)
    assert sentence in printed
    assert code == 2


def test_command_that_cannot_start_is_reported(conform: Callable[..., tuple[int, str]]) -> None:
    code, printed = conform("--", "./no-engine")
    assert "Retourne cannot start ./no-engine: No such file or directory" in printed
    assert code == 2


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("name", game_names())
@pytest.mark.sample(*(f"{name}-3" for name in game_names()))
def test_slow_reading_passes(name: str, step: int) -> None:
    assert [one._asdict() for one in differences(name, by_slow_reading, step)] == []


@pytest.fixture
def engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an engine of docs/conform.md."""
    shutil.copy(SUITE / "engine.mjs", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def conform(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Run the command: its exit code and output."""

    def call(*words: str) -> tuple[int, str]:
        code = run(["conform", "--lang", "en", *words])
        out, errors = capfd.readouterr()
        return code, " ".join((out + errors).split())

    return call


@pytest.mark.parametrize(("name", "preset"), PRESETS)
@pytest.mark.sample("chouine-regles-completes", "coinche-tournoi-2018", "chouineurs-blam", "belote-coinchee")
def test_webassembly_passes(
    name: str,
    preset: str,
    engines: Path,
    tmp_path_factory: pytest.TempPathFactory,
    conform: Callable[..., tuple[int, str]],
) -> None:
    install(tmp_path_factory, engines)
    code, printed = conform("--game", name, "--preset", preset, "--", NODE, "engine.mjs")
    logs = sum(one.after is None for one in questions(suite_folder(), [name], [preset]))
    assert logs
    assert printed == f"Positions: {POSITIONS} · cases: {logs} · skipped: 0 · with differences: 0"
    assert code == 0


def test_an_option_with_another_value_differs_at_its_rule(
    engines: Path, tmp_path_factory: pytest.TempPathFactory, conform: Callable[..., tuple[int, str]]
) -> None:
    install(tmp_path_factory, engines)
    table = engines / "node_modules" / "retourne" / "dist" / "chouine.json"
    changed = json.loads(table.read_bytes())
    changed["presets"]["lavardin"]["overruff"] = True
    table.write_text(json.dumps(changed))
    words = ("--game", "chouine", "--preset", "lavardin", "--format", "jsonl", "--", NODE, "engine.mjs")
    code, printed = conform(*words)
    assert set(re.findall(r'"rule": ?"([^"]+)"', printed)) == {"CH-11"}
    assert code == 1


@pytest.mark.parametrize("name", game_names())
def test_a_kernel_without_one_rule_differs_at_that_rule(name: str) -> None:
    broken = broken_kernels(name)
    assert broken
    for fault, found in broken.items():
        assert {one.rule for one in found} == {game(name).faults.by_code[fault].rule}, fault


def broken_kernels(name: str) -> dict[str, list[Difference]]:
    """By fault: the different answers of a kernel without it, in every tenth position."""
    faults, kernel = game(name).faults, game(name).kernel
    found: dict[str, list[Difference]] = defaultdict(list)
    alone = {fault.bit: fault.code for fault in faults.rows if fault.bit & faults.errors}
    for question in questions_of(name)[::10]:
        if question.after is None:
            continue
        result = validate(json.dumps(question.log).encode())
        replay = result.replays[-1]
        assert replay is not None
        codes = action_codes(name, result.known_setup.faces)
        more, state, rules = defaultdict(list), replay.last.state, replay.rules
        for word, code in codes.items():
            fault = alone.get(kernel.check(state, rules, code) & faults.errors)
            if fault and len(found[fault]) < 5:
                more[fault].append(word)
        for known, allowed in more.items():
            legal = [*question.expected["legal"], *allowed]
            found[known] += compare(question, {"legal": legal})
    return {code: here for code, here in found.items() if here}
