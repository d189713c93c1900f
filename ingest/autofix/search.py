"""The edit of what was found in a match, where one alone explains it, and else the candidates.

One search over all kinds of slips together. What was found in a deal is explained by what was
written in it: every way the deal may have gone instead is played by the engine to the match's end,
and those that leave least are weighed by how likely such a slip is (`ingest.autofix.error_model`).
An edit is offered when it is alone. Where a deal could not even be dealt, its cards and seats are
searched by themselves.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine.actions import ACT_MASK
from engine.faults import NOTED
from ingest.autofix import misspellings, sheet_fixes
from ingest.autofix.deal_search import DealSearch
from ingest.autofix.error_model import ELSE, LEAST, MOST, SURE_OF_TWO, Stood, choose
from ingest.autofix.evaluate import ERROR_WEIGHT, Trials
from ingest.findings.finding import ERROR, NOTE, UNKNOWN_ACTION, WARNING, Candidate, Edit, Finding
from ingest.games.finding_code import Mended
from ingest.reader.json_text import pointer
from ingest.validate.slow_path import Explained
from schemas.notation import encode

TOTALS = frozenset(("points", "winner", "score", "result", "manche"))
"""Keys of what a sheet adds up, as they stand in the path of an edit."""
LOGGER = logging.getLogger(__name__)


def mend(explained: Explained) -> None:
    """Fill `edit` of each finding that one edit mends, or `candidates`; the rest keep none."""
    # never raises: a finding whose search fails has no edit, and its code is logged
    for finding in explained.findings if explained.match is None else ():
        if finding.record.mended is Mended.WORD:
            with _logged(finding):
                finding.edit = sheet_fixes.word(explained.value, finding)
    if explained.match is None or explained.table is None or explained.table.problems:
        return
    if explained.findings:
        with _logged(explained.findings[0]):
            _Mending(explained).mend()


@contextmanager
def _logged(finding: Finding) -> Iterator[None]:
    """Let the run go on without an edit where the search for it fails."""
    # the code alone is logged: what a log says is nobody else's business
    try:
        yield
    except Exception as error:
        LOGGER.warning("no edit for %s: %s", finding.code, type(error).__name__)


class _Mending:
    """The findings of one match being mended."""

    def __init__(self, explained: Explained) -> None:
        self.explained = explained
        self.trials = Trials(explained)
        self.deals: list[Any] = self.trials.match.deals

    def mend(self) -> None:
        by_deal: dict[int | None, list[Finding]] = {}
        for finding in self.explained.findings:
            by_deal.setdefault(finding.deal, []).append(finding)
        decoded = self.explained.decoded
        for deal, findings in by_deal.items():
            if deal is None:
                for finding in findings:  # a cut, or the declared result
                    with _logged(finding):
                        if finding.record.mended is Mended.TOTAL:
                            finding.edit = sheet_fixes.declared(finding)
                        elif finding.record.mended is Mended.CUT:
                            self._give(finding, sheet_fixes.cut(self.trials, finding))
            elif deal < len(decoded) and decoded[deal].partial:
                for finding in findings:
                    # any other edit would mend one of the deals it may have been
                    if finding.detail.get("certain"):
                        finding.edit = sheet_fixes.declared(finding)
            else:
                with _logged(findings[0]):
                    self._deal(deal, findings)
        # a total is no edit beside an error that nothing mends: that may be why it differs
        errors = (one for one in self.explained.findings if one.severity == ERROR)
        unmended = {one.deal for one in errors if one.edit is None and one.follows is None}
        for finding in self.explained.findings:
            if finding.edit is None or finding.detail.get("certain"):
                continue
            beside = finding.deal in unmended or (finding.deal is None and unmended)
            if beside and not TOTALS.isdisjoint(finding.edit.path.split("/")):
                _doubt(finding)

    def _deal(self, deal: int, findings: list[Finding]) -> None:
        """The findings of one deal: its first that is not a time's is what is explained."""
        play = {*self.trials.game.faults.by_code, "incomplete"}
        rest = []
        for finding in findings:
            if finding.record.mended is Mended.TIMES:
                # with an error of play an action may be too many or missing
                if all(one.code not in play for one in findings):
                    finding.edit = sheet_fixes.time(self.deals[deal], deal)
            elif finding.severity != NOTE and not finding.stands_alone:
                rest.append(finding)
        if not rest:
            return
        first = next((one for one in rest if one.severity == ERROR), rest[0])
        if self.trials.replays[deal] is None:
            stood = []
            if first.record.mended in (Mended.SEAT, Mended.BID):
                stood = sheet_fixes.seat_or_bid(self.trials, first)
            elif first.record.mended is Mended.CARDS:
                stood = sheet_fixes.dealt(self.trials, deal, first)
            self._give(first, stood)
        elif first.follows is None:
            first.edit = self._by_pen(deal, first)
            if first.edit is None:
                self._search(deal, first, rest)

    def _search(self, deal: int, first: Finding, rest: list[Finding]) -> None:
        """The slip that explains a deal, or the first of two that do."""
        search = DealSearch(self.trials, deal)
        if first.severity == WARNING and len(rest) == 1 and first.action is not None:
            self._give(first, search.stood_at(first.action), ELSE)
            return
        self._give(first, stood := search.stood(rest), ELSE)
        if search.errors and (not stood or stood[0].left > search.floor):
            pairs = search.pairs()
            first.searched = not self.trials.spent
            if pairs:
                told = [Candidate(one.edit) for share, one in pairs[:MOST] if share >= LEAST]
                alone = pairs[0][0] >= SURE_OF_TWO
                first.edit = pairs[0][1].edit if alone else None
                first.candidates = () if alone else tuple(told)
        # what no slip explains together with the first, where it is left out as the first was
        others = search.errors > 1 and (not stood or stood[0].left >= ERROR_WEIGHT)
        for finding in rest if others and first.edit and first.edit.op == "remove" else ():
            alike = finding is not first and finding.code == first.code
            if alike and finding.follows is None and finding.action is not None:
                self._give(finding, search.stood_at(finding.action), ELSE)
                if finding.edit is not None and finding.edit.op != "remove":
                    finding.edit = None
        if first.edit is not None and self._may_have_been_played(rest):
            _doubt(first)

    def _may_have_been_played(self, findings: list[Finding]) -> bool:
        """Whether a log agrees with itself: cards were played against the rules, and stood."""
        # whoever revokes is written down truly more often than a slip leaves no other trace
        codes, acts = self.trials.game.faults.by_code, self.trials.game.acts
        for one in findings:
            if one.severity != ERROR:
                continue
            # what is missing in the log was done, or nobody knows
            if one.code not in codes or one.code in acts.OWED or codes[one.code].gravity != NOTED:
                return False
            if one.deal is None or one.action is None:
                return False
            code = self.trials.decoded[one.deal].codes[one.action]
            if acts.kind_of_act(code & ACT_MASK) != "play":
                return False
        return True

    def _by_pen(self, deal: int, finding: Finding) -> Edit | None:
        """The first of several actions in another spelling, or the actions that one text is."""
        # none where the deal is not played without an error once all are read
        trials, at = self.trials, finding.action
        if at is None or finding.code != UNKNOWN_ACTION:
            return None
        was = trials.as_told(deal)
        read = [
            [word] if known else misspellings.actions(trials.game.name, word, trials.table.faces)
            for word, known in zip(was.words, was.known.tolist(), strict=True)
        ]
        timed = self.deals[deal].times is not None
        if not all(len(one) == 1 or (one and not timed) for one in read):
            return None
        words = [word for one in read for word in one]
        several = len(words) - len(was.words)
        if not (several or np.count_nonzero(~was.known) > 1) or not trials.spend(len(words)):
            return None
        played = trials.replayed(was, words, was.row, was.dealer)
        if DealSearch(trials, deal, played).errors:
            return None
        path = pointer("deals", deal, "actions")
        first, *more = read[at]
        also = [Edit("add", f"{path}/{at + n}", one) for n, one in enumerate(more, start=1)]
        return Edit("replace", f"{path}/{at}", first, "split" if also else "word", also=tuple(also))

    def _give(self, finding: Finding, stood: list[Stood], other: float | None = None) -> None:
        """Offer what is alone, or tell what there is."""
        # lines are likelier to be missing than some edits that are alone: a sheet cut off, too,
        # ends with a claim, and a deal whose points were told did come to its end
        alone, candidates = (None, ()) if self.trials.spent else choose(stood, other)
        finding.searched = not self.trials.spent
        finding.edit, finding.candidates = alone.edit if alone else None, candidates
        if alone is None or finding.deal is None:
            return
        edit, deal, at = alone.edit, self.deals[finding.deal], alone.edit.path.rpartition("/")[2]
        if not edit.path.startswith(pointer("deals", finding.deal, "actions")):
            return
        unsure = deal.points is not None and not alone.ends
        if not unsure and edit.op == "add" and at.isdigit() and int(at) >= len(deal.actions):
            code = encode(self.trials.game.name, str(edit.value), self.trials.table.faces)
            unsure = self.trials.game.acts.kind_of_act(code & ACT_MASK) != "play"
        if unsure:
            _doubt(finding)


def _doubt(finding: Finding) -> None:
    """An edit that is not certain is the first of the candidates."""
    assert finding.edit is not None
    finding.candidates = (Candidate(finding.edit), *finding.candidates)[:MOST]
    finding.edit = None
