"""Measure how often a suggested edit is right: `python -m benchmarks.edit_precision [--logs N] [--two N]
[--seed S]`.

Every log is a legal simulated match with one recording error (`tests.ingest.recording_errors`),
kinds in equal parts, or with two in one deal. An edit is true if it restores the match.
"""

import argparse
import copy
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path
from random import Random
from typing import Any

from ingest.autofix.search import find_edits
from ingest.autofix.text_edit import apply_all_edits, apply_edit
from ingest.findings.finding import Edit
from ingest.validate.slow_path import ValidationResult, validate
from tests.ingest.recording_errors import TYPOS, Log, mistyped

EACH = 12
"""Simulated matches per game, preset and number of players."""
COLUMNS = ("undetected", "true", "false", "named", "else", "nothing")


def plain(log: Log) -> Log:
    """Return a log without the order of cards in hands, which has no meaning."""
    log = copy.deepcopy(log)
    for deal in log["deals"]:
        if deal.get("hands"):
            deal["hands"] = [sorted(hand.split(" ")) for hand in deal["hands"]]
    return log


def explained(text: bytes) -> ValidationResult:
    result = validate(text)
    find_edits(result)
    return result


def makes(text: bytes, edit: Edit, right: Log) -> bool:
    return bool(plain(json.loads(apply_edit(text, edit))) == plain(right))


def verdict(right: Log, wrong: Log, times: list[float]) -> str:
    """Classify the edits for a log with a recording error: one of COLUMNS."""
    text = json.dumps(wrong, ensure_ascii=False).encode()
    begin = time.process_time()
    result = explained(text)
    if not result.findings:
        return "undetected"
    times.append(time.process_time() - begin)
    edits = [finding.edit for finding in result.findings if finding.edit is not None]
    done = [makes(text, edit, right) for edit in edits]
    if not all(done):
        return "false"
    if done:
        return "true"
    named = [edit for one in result.findings for edit in getattr(one, "candidates", ())]
    if any(makes(text, getattr(edit, "edit", edit), right) for edit in named):
        return "named"
    return "else" if named else "nothing"


def one_error(kinds: list[str], logs: int, seed: int) -> tuple[dict[str, Counter[str]], list[float]]:
    """Count verdicts of logs per kind; return them and the seconds of logs with findings."""
    found: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    times: list[float] = []
    for kind in kinds:
        rng = Random(f"{seed} {kind}")
        source = mistyped(kind, rng, EACH, seed)
        for _ in range(logs):
            right, wrong = next(source)
            found[kind][verdict(right, wrong, times)] += 1
    return found, times


def two_errors(logs: int, seed: int) -> Counter[str]:
    """Count logs with two errors in one deal: with edits, with edits that lead away, restored."""
    found: Counter[str] = Counter()
    rng = Random(f"{seed} two")
    kinds = [kind for kind in TYPOS if kind != "the result"]
    while found["logs"] < logs:
        right, wrong = _two_errors(rng, kinds, seed)
        text = json.dumps(wrong, ensure_ascii=False).encode()
        result = explained(text)
        if not result.findings:
            continue
        found["logs"] += 1
        before = distance(right, wrong)
        edits = [one.edit for one in result.findings if one.edit is not None]
        found["away"] += any(distance(right, json.loads(apply_edit(text, one))) >= before for one in edits)
        found["edit"] += bool(edits)
        found["restored"] += plain(json.loads(apply_all_edits(text).text)) == plain(right)
    return found


def _two_errors(rng: Random, kinds: list[str], seed: int) -> tuple[Log, Log]:
    """Return a legal match, and the same with errors of two kinds in one deal."""
    while True:
        right, once = next(mistyped(rng.choice(kinds), rng, EACH, seed))
        deal = next(n for n, one in enumerate(once["deals"]) if one != right["deals"][n])
        alone = copy.deepcopy(right) | {"deals": [copy.deepcopy(once["deals"][deal])]}
        other = TYPOS[rng.choice(kinds)](alone, rng)
        if other is None or other["deals"][0] == once["deals"][deal]:
            continue
        wrong = copy.deepcopy(right)
        wrong["deals"][deal] = other["deals"][0]
        if wrong != right:
            return right, wrong


def distance(one: Log, other: Log) -> int:
    """Return in how many values two logs differ: actions, cards, numbers."""
    one, other = plain(one), plain(other)
    separate = 0
    for a, b in zip(one["deals"], other["deals"], strict=True):
        separate += _lists(a["actions"], b["actions"])
        for key in a.keys() | b.keys():
            if key != "actions":
                separate += _values(a.get(key), b.get(key))
    return separate + _values(one.get("result"), other.get("result"))


def _values(one: Any, other: Any) -> int:
    if isinstance(one, dict) and isinstance(other, dict):
        return sum(_values(one.get(key), other.get(key)) for key in one.keys() | other.keys())
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return sum(_values(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, str) and isinstance(other, str):
        return _lists(one.split(" "), other.split(" "))
    return int(one != other)


def _lists(one: list[str], other: list[str]) -> int:
    """Return the edit distance of two lists: insert, delete, replace, swap neighbours."""
    before: list[int] = []
    row = [*range(len(other) + 1)]
    for i, a in enumerate(one, 1):
        now = [i]
        for j, b in enumerate(other, 1):
            now.append(min(row[j] + 1, now[j - 1] + 1, row[j - 1] + (a != b)))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b and a != b:
                now[j] = min(now[j], before[j - 2] + 1)
        before, row = row, now
    return row[-1]


CLEAR_SHARE = 0.95
"""Share of true edits from which a detected kind without false ones has no row."""


def table(found: dict[str, Counter[str]]) -> list[str]:
    """Return the shares of the logs with findings, of each kind but the almost always right, and of all."""
    rows = []
    for kind, counts in [*found.items(), ("**all**", sum(found.values(), Counter()))]:
        total = sum(counts.values())
        seen = max(total - counts["undetected"], 1)
        *shown, others, none = (counts[one] / seen for one in COLUMNS[1:])
        hidden = counts["undetected"] / total
        if kind in found and shown[0] >= CLEAR_SHARE and not shown[1] and counts["undetected"] < total / 20:
            continue
        words = ("true", "false", "among candidates", "with neither")
        cells = [f"{one:.1%} {word}" for one, word in zip((*shown, others + none), words, strict=True)]
        shown_cells = [
            one for one in [*cells, f"{hidden:.0%} undetected"] if one.split()[0] not in ("0.0%", "0%")
        ]
        rows.append(f"- {kind}: {', '.join(shown_cells)}")
    return rows


def measured(options: argparse.Namespace) -> Iterator[str]:
    """Yield the results as lines, measured in `jobs` processes: logs of one error, then of two."""
    kinds = options.kinds
    with Pool(options.jobs) as pool:
        each = options.logs // len(kinds)
        some = [([kind], each, options.seed) for kind in kinds]
        done = pool.starmap(one_error, some, 1) if each else []
        pairs = options.two // PARTS
        two = pool.starmap(two_errors, [(pairs, options.seed + n) for n in range(PARTS * bool(pairs))])
    if done:
        yield from table({kind: found[kind] for kind, (found, _) in zip(kinds, done, strict=True)})
        ms = sorted(1000 * one for _, times in done for one in times)
        yield ""
        yield (
            f"Explaining a faulty match and searching its edits took "
            f"{statistics.median(ms):.1f} ms of CPU at the median, "
            f"{ms[len(ms) * 95 // 100]:.1f} ms at 95%, {ms[-1]:.0f} ms at most."
        )
    if two:
        both = sum(two, Counter())
        share = {key: f"{n / both['logs']:.1%}" for key, n in both.items()}
        yield ""
        yield (
            f"Of {both['logs']:,} logs with two typos in one deal {share['edit']} are offered an "
            f"edit, {share.get('away', '0.0%')} one that leads away from what was written, and "
            f"`--apply-edits` restores {share.get('restored', '0.0%')}."
        )


PARTS = 8
"""Parts of the logs with two errors, each with another seed."""
PAGE = Path(__file__).parents[1] / "docs" / "edits.md"
MARK = "<!-- measured by benchmarks/edit_precision.py -->\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.edit_precision", description=__doc__)
    parser.add_argument("--logs", type=int, default=640, help="logs of one typo")
    parser.add_argument("--two", type=int, default=0, help="logs of two typos in one deal")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--kinds", nargs="*", default=[*TYPOS], help="kinds of typos")
    parser.add_argument("--write", action="store_true", help="write them into docs/edits.md")
    requested = parser.parse_args()
    text = "\n".join(measured(requested)) + "\n"
    print(text, end="")
    if requested.write:
        head, _, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
        PAGE.write_text(head + MARK + "\n" + text, encoding="utf-8")


if __name__ == "__main__":
    main()
