"""Why a log is not clean: the pydantic models, then each deal replayed step by step.

This side is the authority; the bulk side may only say yes, and a test holds the two to
the same verdict.
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
from engine.cards import UNTOLD
from engine.faults import IMPOSSIBLE, Fault
from engine.hidden import PartialReplay
from engine.hidden.solve import APART as HANDS
from engine.replay import Replay
from engine.score_line import End
from ingest.findings.finding import ERROR, NOTE, STATUSES, Finding, mark
from ingest.games.finding_code import Marked
from ingest.i18n import N_
from ingest.reader.json_text import keys_once, places, pointer, word_at
from ingest.validate import match_checks
from ingest.validate.match_checks import NOT_CHECKABLE, Case, deal_status, not_checkable
from ingest.validate.parse_document import keys_twice, model, read
from schemas.content_hash import content, digest
from schemas.deal_codec import Decoded, first_seat, is_line
from schemas.deal_codec import decode as decode_deal
from schemas.games import of
from schemas.match_models import AnyMatch
from schemas.match_setup import Table
from schemas.notation import decode

HAND = N_(
    "{who}: {found}. It depends on cards of the hand that nobody wrote "
    "down ({hidden} of {size}); such actions in this deal: {acts}."
)
MADE = N_("how the deal came out depends on cards that nobody wrote down.")
CARDS = N_(
    "{who}: {found}. It depends on cards that nobody wrote down; such actions in this deal: {acts}."
)
TOO_MANY = N_("from {found} on, the deal may have gone in too many ways to follow.")


@dataclass(slots=True)
class Explained:
    """All there is to know of one match; lists have one entry a deal."""

    match_id: str
    match: AnyMatch | None
    findings: list[Finding]
    status: str
    decoded: list[Decoded] = field(default_factory=list)
    replays: list[Replay | None] = field(default_factory=list)
    deal_status: list[str] = field(default_factory=list)
    flow: np.void | None = None  # the engine's match record after the last deal
    table: Table | None = None
    cuts: tuple[int, ...] = (-1, -1, -1)
    """Three seats, as the cuts name them, and where the log begins if it tells that."""
    scores: list[list[int]] = field(default_factory=list)
    """The match's score after each deal, as a right sheet reads it."""
    numbers: list[tuple[int | None, int | None]] = field(default_factory=list)
    """Each deal's manche and partie, from 1, None where the game counts none or cannot."""
    value: Any = None  # the JSON value of a text that is no match
    lines: dict[int, End | None] = field(default_factory=dict)
    """The deals that are lines of a score sheet, each with how it ended, None: unknown."""


def explain(text: bytes, rules: Callable[[Any], Any] | None = None) -> Explained:
    """Everything about the match a text holds; never raises for what stands in the text.

    `rules` makes other rules of the log's own, to see what they would change.
    """
    value, findings = read(text)
    known_by = content(value, text)
    match_id, match = digest(known_by), None
    once = not isinstance(value, dict) or keys_once(value, text, known_by)
    if rules is not None and isinstance(value, dict):
        value["rules"] = rules(value.get("rules"))
    if not findings:
        match, findings = model(value)
        findings += [] if once else keys_twice(text)
    if match is None:
        explained = Explained(match_id, None, findings, "unreadable", value=value)
    else:
        explained = explained_match(match, match_id, findings)
    # lines and columns in the text, for the findings that have none
    lost = [finding for finding in explained.findings if finding.line is None]
    found = places(text, {finding.path for finding in lost}) if lost else {}
    told: Counter[tuple[str, str]] = Counter()
    for finding in lost:
        if (place := found.get(finding.path)) is None:
            continue
        marked = finding.record.marked
        if marked is not Marked.WHOLE:
            card = finding.path, str(finding.found)
            nth = -1 if marked is Marked.LAST_WORD else told[card]
            told[card] += 1
            place = word_at(text, place, card[1], nth)
        finding.line, finding.column, finding.end = place
    return explained


def explained_match(match: AnyMatch, match_id: str, findings: list[Finding]) -> Explained:
    """Everything about a match, after what was found in its document."""
    explanation = Explanation(match, match_id, findings)
    for index, deal in enumerate(match.deals):
        explanation.deal(index, deal)
    return explanation.finish()


class Explanation(Case):
    """One match being explained, deal after deal, which can be left and gone on from (`copy`)."""

    def __init__(self, match: AnyMatch, match_id: str, findings: list[Finding]) -> None:
        super().__init__(match, findings)
        known = match_id, match, findings, "legal"
        self.result = Explained(*known, flow=self.flow, table=self.table)
        for problem in self.table.problems:
            self.problem(problem, "")
        # what the cuts name (CH-2), and where a log begins that holds the tail of a match
        faults, cuts = self.game.match_faults.by_code, (-1, -1, -1)
        row: Sequence[int] = ()
        if told := match.known("cuts"):
            read_cuts, wrong_cuts = cut.read(self.game, told, self.players)
            for code, i, k in wrong_cuts:
                self.add(faults[code], pointer("cuts", i, k), found=told[i][k])
            cuts = cut.dealers(self.game, read_cuts)
        if (start := match.known("start")) is not None:
            row, wrong = self.game.match.read_start(dict(start), self.players, self.table.rules)
            for path, found in wrong:
                self.add(faults["start-impossible"], "/start" + path, found=found)
        self.result.cuts = (*cuts, *row)
        self.game.match.open_match(self.flow, self.table.rules, self.players, *cuts)
        self.game.match.begin(self.flow, np.array(row, np.int64))

    def copy(self) -> Self:
        """The match as far as it was explained; what is added to one is not added to the other."""
        other = super().copy()
        other.result = copy(self.result)
        for name in ("decoded", "replays", "deal_status", "scores", "numbers", "lines"):
            setattr(other.result, name, getattr(self.result, name).copy())
        for name in ("match", "findings", "flow"):
            setattr(other.result, name, getattr(other, name))
        return other

    def finish(self) -> Explained:
        """Hold the result against the deals, and say what the match comes to."""
        match_checks.result(self)
        severe = any(finding.severity == ERROR for finding in self.findings)
        if (lines := [*self.result.lines]) and not severe:  # told, not proven
            fault = self.game.match_faults.by_code[match_checks.SHEET]
            self.add(fault, pointer("deals", lines[0]), deal=lines[0], found=len(lines))
        mark(self.findings, self.idle, self.settled)
        own = "irregular" if severe else "unproven" if self.lost else "legal"
        self.result.status = max([own, *self.result.deal_status], key=STATUSES.index)
        return self.result

    def deal(self, index: int, deal: Any, so_far: Replay | None = None) -> None:
        """Decode, replay, compare and count one deal; `so_far` it without its last action."""
        result, path = self.result, pointer("deals", index)
        before = len(self.findings)
        result.numbers.append(self.numbers())
        decoded, replay = Decoded(None, [], []), None
        if is_line(deal):
            result.lines[index] = match_checks.read_line(self, index, deal)
            self._times(index, deal, path)
        else:
            decoded, replay = self._played(index, deal, so_far)
            known = any(one.severity in (ERROR, NOTE) for one in self.findings[before:])
            if not (decoded.settled or deal.void or known):
                rule = self.game.match_faults.by_code["points-differ"].rule
                self.note(rule, MADE, path, deal=index)
            decoded = decoded._replace(counted=index not in self.lost)
        result.scores.append(self.game.match.score(self.flow))
        result.decoded.append(decoded)
        result.replays.append(replay)
        found = self.findings[before:]
        for finding in found:  # which know now where in the match they are
            finding.manche, finding.partie = result.numbers[index]
        # what the deal comes to by its findings
        codes = {finding.code for finding in found if finding.severity == ERROR}
        impossible = any(self.impossible(code) for code in codes)
        if index in result.lines:
            status = "broken" if impossible else "irregular" if codes else "unproven"
        elif deal.void and replay is None and not decoded.problems:
            status = "legal"
        else:
            broken = replay is None or impossible
            status = STATUSES[int(deal_status(broken, "incomplete" in codes, bool(codes)))]
            unproven = any(finding.code == NOT_CHECKABLE for finding in found)
            status = "unproven" if unproven and status == "legal" else status
        result.deal_status.append(status)

    def _played(
        self, index: int, deal: Any, so_far: Replay | None
    ) -> tuple[Decoded, Replay | None]:
        """Decode a deal, replay it, and hold it against the rules and its sheet."""
        path = pointer("deals", index)
        if deal.told is not None:
            fault = self.game.match_faults.by_code["told-beside"]
            self.add(fault, path + "/told", deal=index)
        decoded = decode_deal(deal, self.table)
        for problem in decoded.problems:
            self.problem(problem, path, deal=index)
        replay: Replay | None = None
        if decoded.deck is not None:
            first, codes = first_seat(deal)[0] - 1, decoded.codes
            if decoded.partial and isinstance(so_far, PartialReplay) and codes:
                if so_far.tells(first, decoded.deck, codes[:-1], decoded.explicit):
                    replay = so_far.then(codes[-1])
            if replay is None:
                kind = PartialReplay if decoded.partial else Replay
                dealt = first, decoded.deck, codes, decoded.explicit
                replay = kind(self.game, self.table.rules, self.players, *dealt)
        if isinstance(replay, PartialReplay):
            # the cards and draws of the world its replay shows; whether the deal came out one way
            # in all that everybody saw, but for the card turned up
            fields = set(replay.last.state.dtype.names or ()) - {*HANDS, "retourne"}
            settled = not replay.unread and fields <= replay.solved.same(replay.last.index)
            decoded = decoded._replace(written=decoded.codes, settled=settled)
            decoded = decoded._replace(deck=replay.deck, codes=replay.codes)
        if replay is not None:
            for at, fault in replay.faults:
                self._fault(index, deal, decoded, replay, at, fault)
        if isinstance(replay, PartialReplay):
            self._doubts(index, deal, decoded, replay)
        self._times(index, deal, path)
        match_checks.count(self, index, deal, replay)
        return decoded, replay

    def _doubts(self, index: int, deal: Any, decoded: Decoded, replay: PartialReplay) -> None:
        """What of the acts of a deal cannot be checked: one note a rule."""
        told: list[tuple[str, str, int, Mapping[str, Any]]] = []
        for fault, at, acts in replay.doubts:
            seat, ply = replay.solved.told[at] >> SEAT_SHIFT, replay[at]
            held = int(ply.state["hand"][seat])
            hidden = (held & ~ply.known(seat)).bit_count()
            needed = {"hidden": hidden, "size": held.bit_count(), "acts": acts}
            told.append((fault.rule, HAND if hidden else CARDS, at, needed))
        if replay.unread:
            told.append(("format", TOO_MANY, replay.solved.end, {}))
        for rule, problem, at, values in told:
            finding = self._fault(index, deal, decoded, replay, at, not_checkable(rule))
            finding.detail |= {"problem": problem, "values": values}

    def _fault(
        self, index: int, deal: Any, decoded: Decoded, replay: Replay, at: int, fault: Fault
    ) -> Finding:
        """One fault of the replay: what was found, what was legal then."""
        acts = self.game.acts
        before = replay[at]  # the state the action met
        code, word = decoded.codes[at], deal.actions[at]
        act = code & ACT_MASK
        if act < acts.ACTS:
            seat = (code >> SEAT_SHIFT) + 1
        else:  # who acted, by the word alone
            seats = {str(seat): seat for seat in range(1, self.players + 1)}
            seat = seats.get(word.split(" ", 1)[0], 0)
        # of a wrong turn the hand that could have been played is that of whose turn it was
        turned = fault.code == "wrong-turn" and before.sure("turn")
        shown = before.turn + 1 if turned else seat
        hand = None
        if 0 < shown <= self.players:
            hand = hand_of(self.table, before.state, shown - 1, before.known(shown - 1))
        if at + 1 < len(replay) and replay[at + 1].legal == before.legal:
            self.idle.add(len(self.findings))
        auction = "bidding" in (before.state.dtype.names or ()) and bool(before.state["bidding"])
        playing, tried = not auction and not before.over, acts.kind_of_act(act)
        card = int(before.state["on_table"]) + 1 if playing and tried == "play" else None
        # of the kind that was tried, or of the kind that was owed first
        kind = acts.OWED.get(fault.code) or tried
        may = (one.code for one in before.legal if acts.kind_of_act(one.act) == kind)
        legal = [decode(self.game.name, one, self.table.faces) for one in may]
        place = {"deal": index, "action": at, "trick": before.trick + 1 if playing else None}
        told = {"seat": seat or None, "found": word, "legal": legal, "hand": hand, "card": card}
        path = pointer("deals", index, "actions", at)
        finding = self.add(fault, path, **place, **told, detail={"auction": auction})
        if turned:
            finding.detail["turn"] = before.turn + 1
        if card is not None and fault.code == "card-not-held":
            finding.detail["played"] = act in {one & ACT_MASK for one in decoded.codes[:at]}
        return finding

    def numbers(self) -> tuple[int | None, int | None]:
        """The manche and the partie about to be dealt, from 1, where the game counts them."""
        flow, chosen = self.flow, self.table.settings
        if flow["unknown"] or flow["over"]:
            return None, None
        manche = int(flow["manche"]) + 1 if "manches" in chosen else None
        return manche, int(flow["partie"]) + 1 if "parties" in chosen else None

    def impossible(self, code: str) -> bool:
        """Whether what a code says cannot have happened."""
        tables = self.game.faults.by_code, self.game.match_faults.by_code
        return any(code in one and one[code].gravity == IMPOSSIBLE for one in tables)

    def _times(self, index: int, deal: Any, path: str) -> None:
        """Times are one an action, and never go back."""
        if deal.times is None:
            return
        faults = self.game.match_faults.by_code
        count, actions = len(deal.times), len(deal.actions)
        if count != actions:
            fault = faults["times-count"]
            self.add(fault, path + "/times", deal=index, found=count, legal=actions)
        for at, (last, time) in enumerate(pairwise([0.0, *deal.times])):
            if time < last:
                where, fault = path + pointer("times", at), faults["times-order"]
                self.add(fault, where, deal=index, action=at, found=time, legal=last)
                return


def hand_of(laid: Table, state: np.void, seat: int, known: int = -1) -> list[str]:
    """A hand as it stood, as its player sorts it, `??` for each card that is not `known`."""
    held = int(state["hand"][seat])
    untold = [UNTOLD] * (held & ~known).bit_count()
    return of(laid.game.name).hand(laid, state, seat, known) + untold
