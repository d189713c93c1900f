"""`retourne conform`: compares another engine with the suite of `conformance/`, by rule."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

import orjson
from rich.text import Text

from engine.games import game
from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.engine_process import EngineProcess
from ingest.cli.terminal_tables import console
from ingest.escaping import escape_line
from ingest.findings.rulebook import find_rule
from ingest.i18n import N_, Translate
from ingest.validate.act_rules import FORMAT_RULE, ActRules
from ingest.validate.slow_path import validate

UNKNOWN_PRESET = N_("No positions of a preset {preset}. Known: {known}.")
WRONG_ANSWER = N_("The engine’s answer to {id} has no {key} as docs/conform.md describes it: {found}")
NOTHING_ANSWERED = N_("The engine skipped everything: nothing was compared.")
ALLOWED = N_("{place}: allows {acts}")
NOT_ALLOWED = N_("{place}: does not allow {acts}")
NOT_FOUND = N_("{place}: does not find {found}")
FOUND = N_("{place}: finds {found}")
OTHER_VALUE = N_("{place}: {key} {found} instead of {expected}")
AFTER = N_("{id} after {n} actions")
DIFFERENCES = N_("Differences: {n}")
MORE = N_("… and {n} more; --limit 0 shows all.")
SUMMARY = (N_("Positions: {n}"), N_("cases: {n}"), N_("skipped: {n}"), N_("with differences: {n}"))
SHOWN = 3
_ACTION_PATH = re.compile(r"/deals/(\d+)/actions/(\d+)")

Line = dict[str, Any]


class Question(NamedTuple):
    """A position or a case; `after` is the number of actions before a position."""

    id: str
    log: Line
    expected: Line
    after: int | None = None

    @property
    def name(self) -> str:
        return self.id if self.after is None else f"{self.id} {self.after}"

    @property
    def request(self) -> Line:
        ask = "check" if self.after is None else "legal"
        return {"ask": ask, "id": self.name, "log": self.log}


class Difference(NamedTuple):
    """A different answer of an engine, under one rule."""

    rule: str
    question: Question
    text: str  # its place is that of the question
    found: Any
    expected: Any
    values: Mapping[str, Any]

    def message(self, t: Translate) -> str:
        question = self.question
        place = question.id if question.after is None else t(AFTER, id=question.id, n=question.after)
        return escape_line(t(self.text, place=place, **self.values))

    def as_dict(self, t: Translate) -> Line:
        record = {"rule": self.rule, "id": self.question.id, "after": self.question.after}
        return record | {"found": self.found, "expected": self.expected, "message": self.message(t)}


class WrongAnswer(cli.CommandError):
    """An answer is not of the form that the protocol asks for."""

    def __init__(self, question: Question, key: str, found: Any) -> None:
        shown = orjson.dumps(found).decode()[:80]
        super().__init__(WRONG_ANSWER, id=question.name, key=key, found=shown)


def suite_folder() -> Traversable:
    """Return the folder of the suite: in the wheel with the data, in a checkout next to it."""
    shipped = files("data") / "conformance"
    return shipped if shipped.is_dir() else files("data") / ".." / "conformance"


def questions(folder: Traversable, games: Sequence[str], presets: Sequence[str]) -> Iterator[Question]:
    """Yield the cases, then the positions, of games and presets; of all if none is named."""
    for kind in ("cases", "positions"):
        for file in sorted((folder / kind).iterdir(), key=lambda file: file.name):
            for text in file.read_bytes().splitlines():
                line = orjson.loads(text)
                of_game, of_preset = line["id"].split("/")[:2]
                if (games and of_game not in games) or (presets and of_preset not in presets):
                    continue
                if kind == "cases":
                    yield Question(line["id"], line["log"], line)
                for position in line.get("positions", ()):
                    yield Question(
                        line["id"], log_until(line["log"], position["after"]), position, position["after"]
                    )


def log_until(log: Mapping[str, Any], after: int) -> Line:
    """Return a log of one deal up to the first `after` actions."""
    [deal] = log["deals"]
    return {**log, "deals": [{**deal, "actions": deal["actions"][:after]}]}


def compare(question: Question, answer: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield what an answer has otherwise. WrongAnswer: it is not of the right form."""
    return (_compare_case if question.after is None else _compare_legal)(question, answer)


def _compare_legal(question: Question, answer: Mapping[str, Any]) -> Iterator[Difference]:
    found = answer.get("legal")
    if not isinstance(found, list) or not all(isinstance(act, str) for act in found):
        raise WrongAnswer(question, "legal", found)
    legal, tolerated = set(question.expected["legal"]), set(question.expected.get("tolerated", ()))
    extra, missing = sorted({*found} - legal - tolerated), sorted(legal - {*found})
    if not extra and not missing:
        return
    result = validate(orjson.dumps(question.log))
    replay = result.replays[-1]
    assert replay is not None
    rules = ActRules(result.known_setup, replay)
    by_rule: dict[tuple[str, str], list[str]] = defaultdict(list)
    for act in extra:
        by_rule[rules.of_illegal(act), ALLOWED].append(act)
    for act in missing:
        by_rule[rules.of_legal(act, {*found} - tolerated), NOT_ALLOWED].append(act)
    for (rule, text), acts in by_rule.items():
        values = {"acts": ", ".join(acts)}
        allowed = acts if text == ALLOWED else []
        yield Difference(rule, question, text, allowed, [] if allowed else acts, values)


def _compare_case(question: Question, answer: Mapping[str, Any]) -> Iterator[Difference]:
    expected = question.expected
    if not answer.keys() & {"findings", "first", "deals"}:
        raise WrongAnswer(question, "findings", answer)
    if "findings" in answer:
        yield from _compare_findings(question, answer["findings"])
    if "first" in answer:
        first = _first_error(expected["findings"])
        if answer["first"] != (first and first["path"]):
            rule = first["rule"] if first else FORMAT_RULE
            values = {"key": "first", "found": answer["first"], "expected": first and first["path"]}
            yield Difference(rule, question, OTHER_VALUE, answer["first"], values["expected"], values)
    faults = game(question.id.split("/", 1)[0]).match_faults.by_code
    deals = answer.get("deals", [])
    if not isinstance(deals, list) or not all(deal is None or isinstance(deal, dict) for deal in deals):
        raise WrongAnswer(question, "deals", deals)
    for number, (deal, own) in enumerate(zip(deals, expected["deals"], strict=False)):
        for key in ("points", "winner"):
            if deal is not None and own[key] is not None and key in deal and deal[key] != own[key]:
                place = f"/deals/{number}/{key}"
                values = {"key": place, "found": deal[key], "expected": own[key]}
                code = "points-differ" if key == "points" else "winner-differs"
                rule = faults[code].rule if code in faults else FORMAT_RULE
                yield Difference(rule, question, OTHER_VALUE, deal[key], own[key], values)


def _first_error(findings: Iterable[Line]) -> Line | None:
    """Return the first finding against the rules at an action."""
    found = [one for one in findings if one["severity"] == "error" and _ACTION_PATH.fullmatch(one["path"])]
    return min(
        found, key=lambda one: [int(number) for number in re.findall(r"\d+", one["path"])], default=None
    )


def _compare_findings(question: Question, found: Any) -> Iterator[Difference]:
    if not isinstance(found, list) or not all(
        isinstance(one, dict) and isinstance(one.get("path"), str) for one in found
    ):
        raise WrongAnswer(question, "findings", found)
    left = list(found)
    for one in question.expected["findings"]:
        same = next((other for other in left if _is_same(one, other)), None)
        if same is not None:
            left.remove(same)
        elif one["severity"] == "error":
            text = f"{one['code']} {one['path']}"
            yield Difference(one["rule"], question, NOT_FOUND, None, text, {"found": text})
    rules = _rules_by_code(question.id.split("/", 1)[0])
    for one in left:
        code = str(one.get("code", "?"))
        text = f"{code} {one['path']}"
        yield Difference(rules.get(code, FORMAT_RULE), question, FOUND, text, None, {"found": text})


def _is_same(expected: Line, found: Line) -> bool:
    return bool(found["path"] == expected["path"] and found.get("code", expected["code"]) == expected["code"])


def _rules_by_code(name: str) -> dict[str, str]:
    this = game(name)
    return {fault.code: fault.rule for fault in (*this.faults.rows, *this.match_faults.rows)}


class _Tally:
    """The questions put, and the differences by rule."""

    def __init__(self) -> None:
        self.positions = self.cases = self.skipped = self.different = 0
        self.by_rule: dict[str, list[Difference]] = defaultdict(list)

    def add(self, question: Question, found: Sequence[Difference]) -> None:
        self.cases += question.after is None
        self.positions += question.after is not None
        self.different += bool(found)
        for one in found:
            self.by_rule[one.rule].append(one)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        return self.positions, self.cases, self.skipped, self.different


def conform(
    run: cli.Run,
    command: list[str] = cli.argument(
        N_("The engine’s command and its arguments, behind --."), N_("COMMAND…")
    ),
    game_name: params.GameName | None = cli.option(N_("Only this game."), N_("GAME"), "--game", "-g"),
    preset: str | None = cli.option(
        N_("Only this preset."), N_("PRESET"), complete=shell_completion.complete_presets
    ),
    limit: int = cli.option(
        N_("Differences shown per rule in text output; 0 shows all."), "N", default=SHOWN, min=0
    ),
    timeout: float = cli.option(N_("Seconds to wait for each answer."), N_("SECONDS"), default=30, min=0.1),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """Ask an engine every question of the suite, and report what it answers otherwise."""
    t, tally = run.t, _Tally()
    known = list(questions(suite_folder(), [str(game_name)] if game_name else [], []))
    chosen = [one for one in known if preset is None or one.id.split("/")[1] == preset]
    if not chosen:
        presets = sorted({one.id.split("/")[1] for one in known})
        raise cli.UnknownWordError(
            UNKNOWN_PRESET, str(preset), presets, preset=preset, known=", ".join(presets)
        )
    with EngineProcess(command, timeout) as engine:
        for question in chosen:
            answer = engine.ask(question.name, question.request)
            if "skip" in answer:
                tally.skipped += 1
                continue
            found = list(compare(question, answer))
            tally.add(question, found)
            if format is params.Format.JSONL:
                params.write_json_lines(one.as_dict(t) for one in found)
    if tally.skipped == len(chosen):
        raise cli.CommandError(NOTHING_ANSWERED)
    if format is params.Format.TEXT:
        _print_report(t, tally, limit)
    cli.exit_with(cli.EXIT_FINDINGS if tally.different else cli.EXIT_OK)


def _print_report(t: Translate, tally: _Tally, limit: int) -> None:
    out = console()
    for rule, found in sorted(tally.by_rule.items(), key=lambda item: -len(item[1])):
        title = Text(rule, style="bold").append(f" {find_rule(rule, t).title}", style="not bold")
        out.print(title.append(" – ").append(t(DIFFERENCES, n=len(found))))
        for one in found[: limit or None]:
            out.print(Text("  " + one.message(t)))
        if limit and len(found) > limit:
            out.print(Text("  " + t(MORE, n=len(found) - limit), style="dim"))
    items = [t(text, n=n) for text, n in zip(SUMMARY, tally.counts, strict=True)]
    out.print(Text(" · ".join(items), style="bold"))
