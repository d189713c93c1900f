"""Validates one match step by step and explains every finding.

The slow path is authoritative: the fast path only accepts clean matches, and a test checks that
both reach the same verdict.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Self

import numpy as np

from engine import cut
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.cards import HIDDEN_WORD
from engine.faults import Fault
from engine.hidden import HiddenReplay
from engine.hidden.solve import PRIVATE_FIELDS as HANDS
from engine.replay import Replay
from engine.score_sheet_line import DealEnd
from ingest.cancellation import check_cancelled
from ingest.findings.finding import ERROR, NOTE, STATUSES, Finding, mark_root_causes
from ingest.games.finding_code import UnderlinedPart
from ingest.i18n import N_
from ingest.reader.json_text import WordIndex, has_unique_keys, json_pointer, source_positions
from ingest.validate import match_checks
from ingest.validate.match_checks import NOT_CHECKABLE, MatchContext, deal_status_codes, uncheckable_fault
from ingest.validate.parse_document import duplicate_key_findings, match_of_json, more_findings, read_json
from ingest.validate.result_checks import RESULT_ONLY, check_result_only
from schemas.content_hash import canonical_bytes, content_hash
from schemas.deal_decoder import DecodedDeal, decode_deal, is_score_line, opening_seat, result_alone
from schemas.games import schemas_of
from schemas.match_hash import PlayedMatch, played_match
from schemas.match_models import AnyMatch, match_setup
from schemas.match_setup import MatchSetup
from schemas.notation import action_notation

HAND_TEXT = N_(
    "{who}: {found}. It depends on cards of the hand that were not recorded ({hidden} of "
    "{size}). Actions in this deal that cannot be checked: {acts}."
)
OUTCOME_TEXT = N_("the result of the deal depends on cards that were not recorded.")
CARDS_TEXT = N_(
    "{who}: {found}. It depends on unrecorded cards. Actions in this deal that cannot be checked: {acts}."
)
TOO_MANY_WAYS_TEXT = N_("from {found} on, the deal may have gone in too many ways to follow.")


@dataclass(slots=True)
class ValidationResult:
    """Everything known about one match; lists have one entry per deal."""

    match_id: str
    match: AnyMatch | None
    findings: list[Finding]
    status: str
    decoded: list[DecodedDeal] = field(default_factory=list)
    replays: list[Replay | None] = field(default_factory=list)
    deal_status: list[str] = field(default_factory=list)
    match_record: np.void | None = None  # the engine's, after the last deal
    setup: MatchSetup | None = None
    cuts: tuple[int, ...] = (-1, -1, -1)
    """Three seats from the cuts, -1 if unknown, then the encoded `start` if the log has one."""
    scores: list[list[int]] = field(default_factory=list)
    """The computed score of the match after each deal."""
    deal_positions: list[tuple[int | None, int | None]] = field(default_factory=list)
    """Each deal's manche and partie, from 1; None if the game has none or the count is unknown."""
    json_value: Any = None  # the parsed text, if it is no match
    content_id: str = ""
    """Hash of the whole log; `match_id` is that of the play, if that is known."""
    start_id: int | None = None
    """Hash of the first deal's cards, or of a match's only known result; None: neither is known."""
    score_line_ends: dict[int, DealEnd | None] = field(default_factory=dict)
    """Index of each deal that is a score sheet line → its end; None: unknown."""
    _counted: "ValidationResult | None" = field(default=None, init=False, repr=False, compare=False)

    @property
    def winner(self) -> int | None:
        """The winner of the match: a seat or side from 0, -1 if it was drawn; None: unknown."""
        record = self.match_record
        return int(record["winner"]) if record is not None and record["over"] else None

    @property
    def is_result_only(self) -> bool:
        """Whether it is a match of which only the result is known."""
        return self.match is not None and self.match.is_result_only

    @property
    def counts_as_sheet(self) -> bool:
        """Whether only lines of a score sheet leave it unverified, or only its result is known.

        So too if deals stop early: of these only the written results count.
        """
        return _is_sheet(self.as_counted)

    @property
    def as_counted(self) -> "ValidationResult":
        """The match in which deals that stop early are lines of a score sheet, if their results allow it.

        If no deal has a result but the match has one, that is all that counts. Otherwise, and if
        anything else is wrong, it is the match itself.
        """
        if self.match is None or self.status != "incomplete":
            return self
        if self._counted is None:  # it is validated again, so once
            self._counted = self._with_results_alone(self.match)
        return self._counted

    def _with_results_alone(self, match: AnyMatch) -> "ValidationResult":
        """Return the match as it counts."""
        partial = {at for at, one in enumerate(self.deal_status) if one == "incomplete"}
        starts = [json_pointer("deals", at) + "/" for at in partial]
        for one in self.findings:
            recounted = one.path.startswith(("/result", "/deals/")) and not one.path.startswith((*starts,))
            if one.severity == ERROR and one.code != "incomplete" and not recounted:
                return self
        deals = [result_alone(one) if at in partial else one for at, one in enumerate(match.deals)]
        if len(partial) == len(deals) and not any(map(is_score_line, deals)):
            deals = []
        counted = validate_match(match.model_copy(update={"deals": deals}), self.match_id, [])
        return counted if _is_sheet(counted) else self

    @property
    def known_match(self) -> AnyMatch:
        """The match of a log that can be read."""
        assert self.match is not None
        return self.match

    @property
    def known_setup(self) -> MatchSetup:
        """The setup of a match that can be replayed."""
        assert self.setup is not None
        return self.setup


def _is_sheet(result: ValidationResult) -> bool:
    """Return whether a match has only lines of a score sheet as findings, or only a possible result."""
    deals = enumerate(result.deal_status)
    lines_only = all(one == ("unverified" if at in result.score_line_ends else "legal") for at, one in deals)
    return result.status == RESULT_ONLY or (
        bool(result.score_line_ends) and result.status == "unverified" and lines_only
    )


def validate(text: bytes, rules: Callable[[Any], Any] | None = None) -> ValidationResult:
    """Validate the match in a text; never raises on account of its content.

    `rules` maps the log's rules to others, to see what they would change.
    """
    value, findings = read_json(text)
    known_by = canonical_bytes(value, text)
    content_id, match = content_hash(known_by), None
    once = not isinstance(value, dict) or has_unique_keys(value, text, known_by)
    if rules is not None and isinstance(value, dict):
        value["rules"] = rules(value.get("rules"))
    if not findings:
        match, findings = match_of_json(value)
        findings += [] if once else duplicate_key_findings(text)
    if match is None:
        explained = ValidationResult(content_id, None, findings, "unreadable", json_value=value)
    else:
        explained = validate_match(match, content_id, findings)
    explained.content_id = content_id
    # locate findings in the text that have no line yet
    lost = [finding for finding in explained.findings if finding.line is None]
    found = source_positions(text, {finding.path for finding in lost}) if lost else {}
    fields, words = Counter[tuple[str, str]](), None
    for finding in lost:
        if (place := found.get(finding.path)) is None:
            continue
        marked = finding.code_info.underlined
        if marked is not UnderlinedPart.WHOLE:
            card = finding.path, str(finding.found)
            nth = -1 if marked is UnderlinedPart.LAST_WORD else fields[card]
            fields[card] += 1
            words = words or WordIndex(text)
            place = words.position(place, card[1], nth)
        finding.line, finding.column, finding.end = place
    return explained


def validate_match(match: AnyMatch, match_id: str, findings: list[Finding]) -> ValidationResult:
    """Validate a parsed match; `findings` are those of its document."""
    explanation = MatchValidator(match, match_id, findings)
    for index, deal in enumerate(match.deals):
        explanation.add_deal(index, deal)
    result = explanation.finish()
    if played := played_match(match, explanation.setup, result.decoded):
        result.match_id, result.start_id = played.match_id(), played.start_id()
    return result


def read_play(text: bytes) -> PlayedMatch | None:
    """Return what was played in the match of a text, without replaying it; None if unknown."""
    value, findings = read_json(text)
    match = None if findings else match_of_json(value)[0]
    if match is None:
        return None
    setup = match_setup(match)
    decoded = [
        DecodedDeal(None, [], []) if is_score_line(deal) else decode_deal(deal, setup) for deal in match.deals
    ]
    return played_match(match, setup, decoded)


class MatchValidator(MatchContext):
    """Validates a match deal by deal; `copy` saves a state to continue from."""

    def __init__(self, match: AnyMatch, match_id: str, findings: list[Finding]) -> None:
        super().__init__(match, findings)
        known = match_id, match, findings, "legal"
        self.result = ValidationResult(*known, match_record=self.match_record, setup=self.setup)
        for problem in self.setup.problems:
            self.add_problem(problem, "")
        # the dealers by cut (CH-2), and the start of a log without the first deals
        faults, cuts = self.game.match_faults.by_code, (-1, -1, -1)
        row: Sequence[int] = ()
        if result := match.known("cuts"):
            read_cuts, wrong_cuts = cut.read_cuts(self.game, result, self.players)
            for code, i, k in wrong_cuts:
                self.add_finding(faults[code], json_pointer("cuts", i, k), found=result[i][k])
            cuts = cut.dealers_by_cut(self.game, read_cuts)
        if (start := match.known("start")) is not None:
            row, wrong = self.game.match.parse_start(dict(start), self.players, self.setup.rules)
            for path, found in wrong:
                key = {"where": path.lstrip("/").partition("/")[0]}
                self.add_finding(faults["start-impossible"], "/start" + path, found=found, detail=key)
        self.result.cuts = (*cuts, *row)
        self.game.match.open_match(self.match_record, self.setup.rules, self.players, *cuts)
        self.game.match.resume_from(self.match_record, np.array(row, np.int64))

    def copy(self) -> Self:
        """Return an independent copy of the validation so far."""
        other = super().copy()
        other.result = copy(self.result)
        for name in ("decoded", "replays", "deal_status", "scores", "deal_positions", "score_line_ends"):
            setattr(other.result, name, getattr(self.result, name).copy())
        for name in ("match", "findings", "match_record"):
            setattr(other.result, name, getattr(other, name))
        return other

    def finish(self) -> ValidationResult:
        """Check the declared result, set the match's status and return the result."""
        only = self.match.is_result_only
        if only:
            check_result_only(self)
        else:
            match_checks.check_result(self)
        severe = self.has_errors
        if (lines := [*self.result.score_line_ends]) and not severe:  # only declared, never proven
            fault = self.game.match_faults.by_code[match_checks.SCORE_SHEET_RULE]
            self.add_finding(fault, json_pointer("deals", lines[0]), deal_index=lines[0], found=len(lines))
        self.findings += more_findings(self.more_findings)
        mark_root_causes(self.findings, self.harmless_findings, self.settled_deals)
        own = "irregular" if severe else "unverified" if self.uncertain_deals else "legal"
        own = RESULT_ONLY if only and not severe else own
        self.result.status = max([own, *self.result.deal_status], key=STATUSES.index)
        self.result._counted = None
        return self.result

    def add_deal(self, index: int, deal: Any, previous: Replay | None = None) -> None:
        """Decode, replay, check and count a deal; `previous`: its replay minus the last action."""
        check_cancelled()
        result, path = self.result, json_pointer("deals", index)
        before, self.deal_codes = len(self.findings), set()
        result.deal_positions.append(self.next_position())
        decoded, replay = DecodedDeal(None, [], []), None
        if is_score_line(deal):
            result.score_line_ends[index] = match_checks.count_score_line(self, index, deal)
            self._check_times(index, deal, path)
        else:
            decoded, replay = self._replay_deal(index, deal, previous)
            known = any(severity in (ERROR, NOTE) for severity, _ in self.deal_codes)
            if not (decoded.is_outcome_known or deal.void or known):
                rule = self.game.match_faults.by_code["points-differ"].rule
                self.add_note(rule, OUTCOME_TEXT, path, deal_index=index)
            decoded = decoded._replace(is_count_known=index not in self.uncertain_deals)
        result.scores.append(self.game.match.score(self.match_record))
        result.decoded.append(decoded)
        result.replays.append(replay)
        for finding in self.findings[before:]:
            finding.manche, finding.partie = result.deal_positions[index]
        # the deal's status follows from its findings
        codes = {code for severity, code in self.deal_codes if severity == ERROR}
        impossible = any(self.is_impossible(code) for code in codes)
        if index in result.score_line_ends:
            status = "broken" if impossible else "irregular" if codes else "unverified"
        elif deal.void and replay is None and not decoded.problems:
            status = "legal"
        else:
            broken = replay is None or impossible
            status = STATUSES[int(deal_status_codes(broken, "incomplete" in codes, bool(codes)))]
            unverified = any(code == NOT_CHECKABLE for _, code in self.deal_codes)
            status = "unverified" if unverified and status == "legal" else status
        result.deal_status.append(status)

    def _replay_deal(self, index: int, deal: Any, so_far: Replay | None) -> tuple[DecodedDeal, Replay | None]:
        """Decode and replay a deal, and check it against the rules and its sheet."""
        path = json_pointer("deals", index)
        if deal.score_line is not None:
            fault = self.game.match_faults.by_code["score-line-ignored"]
            self.add_finding(
                fault, path + "/score_line", deal_index=index, detail={"void": deal.void is not None}
            )
        decoded = decode_deal(deal, self.setup)
        for problem in decoded.problems:
            self.add_problem(problem, path, deal_index=index)
        replay: Replay | None = None
        if decoded.deck is not None:
            first, codes = opening_seat(deal)[0] - 1, decoded.codes
            if decoded.is_partially_recorded and isinstance(so_far, HiddenReplay) and codes:
                if so_far.is_same_deal(first, decoded.deck, codes[:-1], decoded.explicit):
                    replay = so_far.with_action(codes[-1])
            if replay is None:
                kind = HiddenReplay if decoded.is_partially_recorded else Replay
                dealt = first, decoded.deck, codes, decoded.explicit
                replay = kind(self.game, self.setup.rules, self.players, *dealt)
        if isinstance(replay, HiddenReplay):
            # take cards and draws from the replayed possibility; the outcome is known if all
            # public fields are, except the turned-up card
            fields = set(replay.last.state.dtype.names or ()) - {*HANDS, "retourne"}
            settled = not replay.is_too_ambiguous and fields <= replay.hidden_deal.known_fields(
                replay.last.index
            )
            decoded = decoded._replace(recorded_codes=decoded.codes, is_outcome_known=settled)
            decoded = decoded._replace(deck=replay.deck, codes=replay.codes)
        if replay is not None:
            for at, fault in replay.faults:
                self._add_fault(index, deal, decoded, replay, at, fault)
        if isinstance(replay, HiddenReplay):
            self._note_uncheckable(index, deal, decoded, replay)
        self._check_times(index, deal, path)
        match_checks.count_deal(self, index, deal, replay)
        return decoded, replay

    def _note_uncheckable(self, index: int, deal: Any, decoded: DecodedDeal, replay: HiddenReplay) -> None:
        """Add one note per rule that hidden cards leave unchecked in a deal."""
        items: list[tuple[str, str, int, Mapping[str, Any]]] = []
        for fault, at, acts in replay.uncheckable_faults:
            seat, ply = replay.hidden_deal.recorded_codes[at] >> SEAT_SHIFT, replay[at]
            held = int(ply.state["hand"][seat])
            hidden = (held & ~ply.known_hand(seat)).bit_count()
            needed = {"hidden": hidden, "size": held.bit_count(), "acts": acts}
            items.append((fault.rule, HAND_TEXT if hidden else CARDS_TEXT, at, needed))
        if replay.is_too_ambiguous:
            items.append(("format", TOO_MANY_WAYS_TEXT, replay.hidden_deal.possible_count, {}))
        for rule, problem, at, values in items:
            finding = self._add_fault(index, deal, decoded, replay, at, uncheckable_fault(rule))
            finding.detail |= {"problem": problem, "values": values}

    def _add_fault(
        self, index: int, deal: Any, decoded: DecodedDeal, replay: Replay, at: int, fault: Fault
    ) -> Finding:
        """Add a fault of the replay as a finding, with the legal actions at that point."""
        if not self.explains_more:
            return self.add_finding(fault, "")
        acts = self.game.acts
        before = replay[at]  # the state before the action
        code, word = decoded.codes[at], deal.actions[at]
        act = code & ACT_MASK
        if act < acts.ACT_COUNT:
            seat = (code >> SEAT_SHIFT) + 1
        else:  # unknown action: read the seat from its text
            seats = {str(seat): seat for seat in range(1, self.players + 1)}
            seat = seats.get(word.split(" ", 1)[0], 0)
        # for a wrong turn, show the hand of the player to act
        turned = fault.code == "wrong-turn" and before.is_known("turn")
        shown = before.turn + 1 if turned else seat
        hand = None
        if 0 < shown <= self.players:
            hand = visible_hand(self.setup, before.state, shown - 1, before.known_hand(shown - 1))
        if at + 1 < len(replay) and replay[at + 1].legal == before.legal:
            self.harmless_findings.add(len(self.findings))
        auction = "bidding" in (before.state.dtype.names or ()) and bool(before.state["bidding"])
        playing, tried = not auction and not before.is_over, acts.kind_of_act(act)
        card = int(before.state["on_table"]) + 1 if playing and tried == "play" else None
        # list legal actions of the kind required first, else of the kind tried
        kind = acts.REQUIRED_KINDS.get(fault.code) or tried
        may = (one.code for one in before.legal if acts.kind_of_act(one.act) == kind)
        legal = [action_notation(self.game.name, one, self.setup.faces) for one in may]
        place = {"deal_index": index, "action_index": at, "trick": before.trick + 1 if playing else None}
        fields = {"seat": seat or None, "found": word, "legal": legal, "hand": hand, "card": card}
        path = json_pointer("deals", index, "actions", at)
        finding = self.add_finding(fault, path, **place, **fields, detail={"auction": auction})
        if turned:
            finding.detail["turn"] = before.turn + 1
        if card is not None and fault.code == "card-not-held":
            finding.detail["played"] = act in {one & ACT_MASK for one in decoded.codes[:at]}
        return finding

    def next_position(self) -> tuple[int | None, int | None]:
        """Return manche and partie of the next deal, from 1; None if the game has none."""
        flow, chosen = self.match_record, self.setup.settings
        if flow["unknown"] or flow["over"]:
            return None, None
        manche = int(flow["manche"]) + 1 if "manches" in chosen else None
        return manche, int(flow["partie"]) + 1 if "parties" in chosen else None

    def is_impossible(self, code: str) -> bool:
        """Whether a code reports something that cannot have happened."""
        tables = self.game.faults.by_code, self.game.match_faults.by_code
        return any(code in one and one[code].is_impossible for one in tables)

    def _check_times(self, index: int, deal: Any, path: str) -> None:
        """Check that there is one time per action, and that times never decrease."""
        if deal.times is None:
            return
        faults = self.game.match_faults.by_code
        count, actions = len(deal.times), len(deal.actions)
        if count != actions:
            fault = faults["times-count"]
            self.add_finding(fault, path + "/times", deal_index=index, found=count, legal=actions)
        for at, (last, time) in enumerate(pairwise([0.0, *deal.times])):
            if time < last:
                where, fault = path + json_pointer("times", at), faults["times-order"]
                self.add_finding(fault, where, deal_index=index, action_index=at, found=time, legal=last)
                return


def visible_hand(setup: MatchSetup, state: np.void, seat: int, known: int = -1) -> list[str]:
    """Return a hand as players sort it, with `??` for each card that is not in the mask `known`."""
    held = int(state["hand"][seat])
    hidden = [HIDDEN_WORD] * (held & ~known).bit_count()
    return schemas_of(setup.game.name).sorted_hand(setup, state, seat, known) + hidden
