"""The reports of Python and of JavaScript on the same logs, side by side."""

import base64
import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from playwright._impl._driver import compute_driver_executable

from engine.match import winner_in_log
from ingest.findings.finding import JSON_KEYS
from ingest.validate.slow_path import ValidationResult, validate

NODE = str(compute_driver_executable()[0])
COMPARED = [key for key in JSON_KEYS if key not in ("link", "line", "column")]
WITHOUT_VALUES = ("not-json", "not-utf8", "too-long")
"""Codes of which parsers disagree in all but the code."""
MOST_EXACT = 2**53
"""Beyond it JavaScript knows no whole number exactly."""


def in_node(program: str, module: Path, typed: str) -> str:
    """What a program of this folder prints, given the module and standard input."""
    command = [NODE, str(Path(__file__).with_name(program)), str(module)]
    done = subprocess.run(command, input=typed, capture_output=True, encoding="utf-8", check=False)
    assert not done.returncode, done.stderr
    return done.stdout


def by_javascript(module: Path, logs: Iterable[bytes]) -> list[dict[str, Any]]:
    """The reports of the module on logs, all in one process of Node."""
    lines = (json.dumps({"base64": base64.b64encode(log).decode()}) for log in logs)
    printed = in_node("check_lines.mjs", module, "".join(f"{line}\n" for line in lines))
    return [json.loads(line) for line in printed.splitlines()]


def by_python(log: bytes) -> dict[str, Any]:
    """The report of `retourne check` on a log, without the places in its text."""
    result = validate(log)
    deals = [] if result.match is None else list(_deals(result))
    found = [{key: getattr(one, key) for key in COMPARED} for one in result.findings]
    summary = None
    if (record := result.match_record) is not None and result.match is not None:
        game = result.known_setup.game
        over = bool(record["over"])
        summary = {
            "score": None if record["unknown"] else game.match.score(record),
            "over": over,
            "winner": int(record["winner"]) + 1 if over else None,
            "openers": [] if over else game.match.next_openers(record),
        }
    answer = {"status": result.status, "findings": found, "deals": deals, "result": summary}
    return json.loads(json.dumps(answer))


def _deals(result: ValidationResult) -> Iterator[dict[str, Any]]:
    game = result.known_setup.game
    for index, deal in enumerate(result.known_match.deals):
        replay = result.replays[index]
        state = None if replay is None or deal.void else replay.last.state
        over = state is not None and int(state["outcome"]) != game.kernel.RUNNING
        manche, partie = result.deal_positions[index]
        yield {
            "status": result.deal_status[index],
            "manche": manche,
            "partie": partie,
            "points": list(replay.last.points) if over and replay is not None else None,
            "winner": winner_in_log(state) if over else None,
            "score": result.scores[index],
        }


def left_out(log: bytes) -> str | None:
    """Why only the server can check a log; None: it is written out whole."""
    result = validate(log)
    if (match := result.match) is None:
        return None
    if match.is_result_only:
        return "result-only"
    if match.known("start") is not None:
        return "start"
    if result.score_line_ends:
        return "score-sheet"
    return "hidden-cards" if any(one.is_partially_recorded for one in result.decoded) else None


def difference(log: bytes, javascript: dict[str, Any]) -> str:
    """Where Python and JavaScript differ about a log; empty if they agree."""
    if any(one.code == "other-game" for one in validate(log).findings):
        return ""  # JavaScript compares no cards with those of other games
    if (reason := left_out(log)) or javascript["status"] is None:
        return "" if javascript["reason"] == reason else f"reason: {reason} – {javascript['reason']}"
    python, javascript = _plain(by_python(log)), _plain(javascript)
    for key in ("status", "result"):
        if python[key] != javascript[key]:
            return f"{key}: {python[key]} – {javascript[key]}"
    for key in ("findings", "deals"):
        for at, (one, other) in enumerate(zip(python[key], javascript[key], strict=False)):
            if parts := [f"{part}: {one[part]} – {other[part]}" for part in one if one[part] != other[part]]:
                return f"{key}[{at}] {one.get('code', '')}: {'; '.join(parts)}"
        if len(python[key]) != len(javascript[key]):
            return f"{len(python[key])} {key} – {len(javascript[key])}"
    return ""


def _plain(answer: Any) -> Any:
    """An answer without the values that parsers give each in its own way."""
    if isinstance(answer, dict):
        plain = {key: _plain(one) for key, one in answer.items()}
        if plain.get("code") in WITHOUT_VALUES:
            plain |= {"found": None, "legal": None}
        return plain
    if isinstance(answer, list):
        return [_plain(one) for one in answer]
    if isinstance(answer, int) and abs(answer) > MOST_EXACT:
        return float(answer)
    return answer
