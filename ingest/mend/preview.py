"""A log as it would read with its edits done, the first error first: nothing is written anywhere.

What one edit mends may be what later findings came of, so the log is explained anew after each
round. A round does the first edit of each deal, and keeps them together only when it has made
findings fewer.
"""

from typing import NamedTuple

from ingest.finding.finding import Finding
from ingest.judge.explain import Explained, explain
from ingest.mend.patch import patched
from ingest.mend.search import mend

ROUNDS = 200
"""Rounds after which a log is left as far as it has come."""


class Preview(NamedTuple):
    """`text` with the edits of `done` in it, in their order; `before` and `after` say why."""

    text: bytes
    done: list[Finding]
    before: Explained
    after: Explained


def preview(text: bytes) -> Preview:
    """The text with every edit done that can be, and its layout kept."""
    before = after = _explained(text)
    done: list[Finding] = []
    for _ in range(ROUNDS):
        todo = _first_of_each_deal(after.findings)
        for some in (todo, todo[:1]) if len(todo) > 1 else (todo,):
            edited = text
            for finding in some:
                assert finding.edit is not None
                edited = patched(edited, finding.edit)
            told = _explained(edited) if some else after
            if _count(told) < _count(after):
                text, after = edited, told
                done += some
                break
        else:
            break
    return Preview(text, done, before, after)


def _explained(text: bytes) -> Explained:
    explained = explain(text)
    mend(explained)
    return explained


def _first_of_each_deal(findings: list[Finding]) -> list[Finding]:
    """The result's own, which counts what the deals make, only when no deal has any."""
    first: dict[int | None, Finding] = {}
    for finding in findings:
        if finding.edit is not None:
            first.setdefault(finding.deal, finding)
    deals = [finding for deal, finding in first.items() if deal is not None]
    return deals or list(first.values())


def _count(explained: Explained) -> tuple[bool, int, int]:
    """Findings, but that a deal stops early: one that stopped at what cannot be did so too.

    A match that cannot be read at all is worse than any that can; of two with as many findings the
    one is better in which more could be played.
    """
    told = sum(finding.code != "incomplete" for finding in explained.findings)
    played = sum(len(replay) for replay in explained.replays if replay is not None)
    return explained.match is None, told, -played
