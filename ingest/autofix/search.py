"""Finds the edit that explains a match's findings, or the candidates.

One search covers all kinds of recording errors. The engine replays every changed version of a deal
to the end of the match; those that leave the fewest faults are weighted by the likelihood of their
error (`ingest.autofix.error_model`). An edit is suggested if no other is comparably likely. For a
deal that cannot be dealt, only its cards and seats are searched.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine.actions import ACT_MASK
from ingest.autofix import card_words, error_model, sheet_edits
from ingest.autofix.deal_search import DealSearch
from ingest.autofix.evaluate import ERROR_WEIGHT, Evaluator
from ingest.findings.finding import (
    ERROR,
    MORE_FINDINGS,
    NOTE,
    UNKNOWN_ACTION,
    WARNING,
    Candidate,
    Edit,
    Finding,
)
from ingest.games.finding_code import EditSearch
from ingest.reader.json_text import json_pointer
from ingest.validate.slow_path import ValidationResult
from schemas.notation import encode_action

SHEET_TOTALS = frozenset(("points", "winner", "score", "result", "manche"))
"""Keys of totals on a score sheet, as in the path of an edit."""
LOGGER = logging.getLogger(__name__)


def find_edits(result: ValidationResult) -> None:
    """Set `edit` of each finding that one edit fixes, or `candidates` if several may."""
    # never raises: a finding whose search fails gets no edit, and its code is logged
    for finding in result.findings if result.match is None else ():
        if finding.code_info.edit_search is EditSearch.WORD:
            with _errors_logged(finding):
                if finding.code == "other-game":
                    edits = sheet_edits.other_game_edits(result.json_value, finding)
                    finding.edit = edits[0] if len(edits) == 1 else None
                    finding.candidates = tuple(map(Candidate, edits)) if len(edits) > 1 else ()
                else:
                    finding.edit = sheet_edits.word_edit(result.json_value, finding)
    if result.match is None or result.setup is None or result.setup.problems:
        return
    if result.findings:
        with _errors_logged(result.findings[0]):
            _EditSearch(result).search()


@contextmanager
def _errors_logged(finding: Finding) -> Iterator[None]:
    # only the code is logged: content of logs is private
    try:
        yield
    except Exception as error:
        LOGGER.warning("no edit for %s: %s", finding.code, type(error).__name__)


class _EditSearch:
    def __init__(self, result: ValidationResult) -> None:
        self.result = result
        self.evaluator = Evaluator(result)
        self.deals: list[Any] = self.evaluator.match.deals

    def search(self) -> None:
        by_deal: dict[int | None, list[Finding]] = {}
        for finding in self.result.findings:
            by_deal.setdefault(finding.deal_index, []).append(finding)
        decoded = self.result.decoded
        for deal, findings in by_deal.items():
            if deal is None:
                for finding in findings:  # a cut, or the declared result
                    if self.evaluator.is_exhausted:
                        finding.searched = False
                        continue
                    with _errors_logged(finding):
                        if finding.code_info.edit_search is EditSearch.TOTAL:
                            finding.edit = sheet_edits.declaration_edit(finding)
                        elif finding.code_info.edit_search is EditSearch.CUT:
                            self._offer(finding, sheet_edits.cut_edits(self.evaluator, finding))
            elif deal < len(decoded) and decoded[deal].is_partially_recorded:
                for finding in findings:
                    # any other edit would fix only one of the possible deals
                    if finding.detail.get("certain"):
                        finding.edit = sheet_edits.declaration_edit(finding)
            else:
                if self.evaluator.is_exhausted:
                    findings[0].searched = False
                    continue
                with _errors_logged(findings[0]):
                    self._edit_deal(deal, findings)
        # with an unfixed error, an edit of a total is only a candidate: the error may explain it
        errors = (one for one in self.result.findings if one.severity == ERROR)
        unmended = {one.deal_index for one in errors if one.edit is None and one.follows is None}
        unmended |= {None} if self.result.findings[-1].code == MORE_FINDINGS else set()
        for finding in self.result.findings:
            if finding.edit is None or finding.detail.get("certain"):
                continue
            other = finding.deal_index in unmended or (finding.deal_index is None and unmended)
            if other and not SHEET_TOTALS.isdisjoint(finding.edit.path.split("/")):
                _make_candidate(finding)

    def _edit_deal(self, deal: int, findings: list[Finding]) -> None:
        """Find edits for the findings of one deal: times separately, of the rest the first error."""
        play = {*self.evaluator.game.faults.by_code, "incomplete"}
        rest = []
        for finding in findings:
            if finding.code_info.edit_search is EditSearch.TIMES:
                # not with an error of play: an action may be extra or missing
                if all(one.code not in play for one in findings):
                    finding.edit = sheet_edits.time_edit(self.deals[deal], deal)
            elif finding.severity != NOTE and not finding.is_about_document:
                rest.append(finding)
        if not rest:
            return
        first = next((one for one in rest if one.severity == ERROR), rest[0])
        if self.evaluator.replays[deal] is None:
            stood = []
            if first.code_info.edit_search in (EditSearch.SEAT, EditSearch.BID):
                stood = sheet_edits.opener_or_bid_edits(self.evaluator, first)
            elif first.code_info.edit_search is EditSearch.CARDS:
                stood = sheet_edits.dealt_card_edits(self.evaluator, deal, first)
            self._offer(first, stood)
        elif first.follows is None:
            first.edit = self._spelling_edit(deal, first)
            if first.edit is None:
                self._search_deal(deal, first, rest)

    def _search_deal(self, deal: int, first: Finding, rest: list[Finding]) -> None:
        """Search the recording error that explains a deal, or the first of two that do."""
        search = DealSearch(self.evaluator, deal)
        if first.severity == WARNING and len(rest) == 1 and first.action_index is not None:
            self._offer(first, search.best_edits_at(first.action_index), error_model.OTHER_CAUSE_WEIGHT)
            return
        self._offer(first, stood := search.best_edits(rest), error_model.OTHER_CAUSE_WEIGHT)
        if search.errors and (not stood or stood[0].faults_left > search.unrelated_faults):
            pairs = search.best_pairs()
            first.searched = not self.evaluator.is_exhausted
            if pairs:
                items = [
                    Candidate(one.edit)
                    for share, one in pairs[: error_model.MAX_CANDIDATES]
                    if share >= error_model.MIN_CANDIDATE_SHARE
                ]
                alone = pairs[0][0] >= error_model.CERTAIN_SHARE_OF_TWO
                first.edit = pairs[0][1].edit if alone else None
                first.candidates = () if alone else tuple(items)
        # further errors of the same code, if the first is fixed by removing its action
        others = search.errors > 1 and (not stood or stood[0].faults_left >= ERROR_WEIGHT)
        for finding in rest if others and first.edit and first.edit.op == "remove" else ():
            alike = finding is not first and finding.code == first.code
            if alike and finding.follows is None and finding.action_index is not None:
                self._offer(
                    finding, search.best_edits_at(finding.action_index), error_model.OTHER_CAUSE_WEIGHT
                )
                if finding.edit is not None and finding.edit.op != "remove":
                    finding.edit = None
        if first.edit is not None and self._is_consistent_revoke(rest):
            _make_candidate(first)

    def _is_consistent_revoke(self, findings: list[Finding]) -> bool:
        """Return whether a log is consistent: all errors are illegal plays that were accepted."""
        # a correctly recorded revoke is likelier than a recording error without other traces
        codes, acts = self.evaluator.game.faults.by_code, self.evaluator.game.acts
        for one in findings:
            if one.severity != ERROR:
                continue
            # a missing required act is not a revoke
            if one.code not in codes or one.code in acts.REQUIRED_KINDS or codes[one.code].is_impossible:
                return False
            if one.deal_index is None or one.action_index is None:
                return False
            code = self.evaluator.decoded[one.deal_index].codes[one.action_index]
            if acts.kind_of_act(code & ACT_MASK) != "play":
                return False
        return True

    def _spelling_edit(self, deal: int, finding: Finding) -> Edit | None:
        """Return an edit for several misspelt actions, or a text with several actions."""
        # only if the deal replays without errors once all are corrected
        trials, at = self.evaluator, finding.action_index
        if at is None or finding.code != UNKNOWN_ACTION:
            return None
        was = trials.as_recorded(deal)
        read = [
            [word] if known else card_words.actions_spelled(trials.game.name, word, trials.setup.faces)
            for word, known in zip(was.words, was.is_known_action.tolist(), strict=True)
        ]
        timed = self.deals[deal].times is not None
        if not all(len(one) == 1 or (one and not timed) for one in read):
            return None
        words = [word for one in read for word in one]
        several = len(words) - len(was.words)
        if not (several or np.count_nonzero(~was.is_known_action) > 1) or not trials.spend(len(words)):
            return None
        played = trials.replay_with(was, words, was.row, was.dealer)
        if DealSearch(trials, deal, played).errors:
            return None
        path = json_pointer("deals", deal, "actions")
        first, *more = read[at]
        also = [Edit("add", f"{path}/{at + n}", one) for n, one in enumerate(more, start=1)]
        return Edit("replace", f"{path}/{at}", first, "split" if also else "word", also=tuple(also))

    def _offer(
        self, finding: Finding, edits: list[error_model.ScoredEdit], other: float | None = None
    ) -> None:
        """Set the edit of a finding if it is certain, else its candidates."""
        # missing lines may be likelier than a certain edit: a truncated sheet may end with a claim,
        # and a deal with recorded points was played to its end
        alone, candidates = (
            (None, ()) if self.evaluator.is_exhausted else error_model.select_edit(edits, other)
        )
        finding.searched = not self.evaluator.is_exhausted
        finding.edit, finding.candidates = alone.edit if alone else None, candidates
        if alone is None or finding.deal_index is None:
            return
        edit, deal, at = alone.edit, self.deals[finding.deal_index], alone.edit.path.rpartition("/")[2]
        if not edit.path.startswith(json_pointer("deals", finding.deal_index, "actions")):
            return
        unsure = deal.points is not None and not alone.ends_deal
        if not unsure and edit.op == "add" and at.isdigit() and int(at) >= len(deal.actions):
            code = encode_action(self.evaluator.game.name, str(edit.value), self.evaluator.setup.faces)
            unsure = self.evaluator.game.acts.kind_of_act(code & ACT_MASK) != "play"
        if unsure:
            _make_candidate(finding)


def _make_candidate(finding: Finding) -> None:
    """Turn a finding's edit into its first candidate."""
    assert finding.edit is not None
    finding.candidates = (Candidate(finding.edit), *finding.candidates)[: error_model.MAX_CANDIDATES]
    finding.edit = None
