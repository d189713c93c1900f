"""Why a log is not clean: the pydantic models, then each deal replayed step by step.

This side is the authority; the bulk side may only say yes, and a test holds the two to
the same verdict.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.acts import ACT_MASK, SEAT_SHIFT
from engine.cards import UNTOLD
from engine.chouineurs.deal import show_hand
from engine.faults import IMPOSSIBLE, Fault
from engine.games import TOLD, UNSAID
from engine.partial import PartialReplay
from engine.replay import Ply, Replay
from ingest.finding.finding import ERROR, NOTE, STATUSES, Finding, worst
from ingest.finding.follows import mark
from ingest.judge import partial
from ingest.judge.document import content, digest, keys_once, keys_twice, model, pointer, read
from ingest.judge.partial import Note
from ingest.judge.status import deal_status
from ingest.text.places import places, word_at
from schemas.deal import Decoded, first_seat
from schemas.deal import decode as decode_deal
from schemas.log import AnyMatch
from schemas.table import Problem, Table, table
from schemas.words import decode

DECLARED = ("points-differ", "winner-differs")
"""What a deal's sheet may have wrong: the first such deal is pointed at when the score is too."""

TWICE = ("deck-twice", "hand-twice")
ONE_CARD = ("deck-card", "hand-card", *TWICE)
"""Codes about one card of several in a string, of which a pointer names no part."""


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
    flow: np.void | None = None
    """The engine's match record after the last deal."""
    table: Table | None = None
    cuts: tuple[int, int, int] = (-1, -1, -1)
    scores: list[list[int]] = field(default_factory=list)
    """The match's score after each deal, as a right sheet reads it."""
    numbers: list[tuple[int | None, int | None]] = field(default_factory=list)
    """Each deal's manche and partie, from 1, None where the game counts none or cannot."""
    value: Any = None
    """The JSON value of a text that is no match."""


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
        explained = _Explanation(match, match_id, findings).result
    _locate(text, explained.findings)
    return explained


def _locate(text: bytes, findings: list[Finding]) -> None:
    """Give findings their lines and columns in the text; those that have one keep it."""
    lost = [finding for finding in findings if finding.line is None]
    if not lost:
        return
    found = places(text, {finding.path for finding in lost})
    told: Counter[tuple[str, str]] = Counter()
    for finding in lost:
        place = found.get(finding.path)
        if place is None:
            continue
        if finding.code in ONE_CARD:
            card = finding.path, str(finding.found)
            nth = -1 if finding.code in TWICE else told[card]
            told[card] += 1
            place = word_at(text, place, card[1], nth)
        finding.line, finding.column, finding.end = place


def clipped(number: int) -> int:
    """A declared number within what the kernel counts with; a wild one stays wrong."""
    return max(-(10**9), min(10**9, number))


def told_array(numbers: list[int]) -> np.ndarray:
    """Declared numbers as the match functions take them; more than any table has are cut off."""
    array = np.zeros(TOLD, np.int64)
    array[: min(len(numbers), TOLD)] = [clipped(number) for number in numbers[:TOLD]]
    return array


def hand_of(laid: Table, state: np.void, seat: int, known: int = -1) -> list[str]:
    """A hand as it stood, as its player sorts it, `??` for each card that is not `known`."""
    held = int(state["hand"][seat])
    untold = [UNTOLD] * (held & ~known).bit_count()
    if laid.deck is not None:
        state = state.copy()
        state["hand"][seat] = held & known
        return show_hand(state, laid.deck, seat) + untold
    return [*laid.game.pack.show(held & known), *untold]


def _bidding(ply: Ply) -> bool:
    """Whether the auction is still on, in a game that has one."""
    return "bidding" in (ply.state.dtype.names or ()) and bool(ply.state["bidding"])


class _Explanation:
    """One match being explained, deal after deal."""

    def __init__(self, match: AnyMatch, match_id: str, findings: list[Finding]) -> None:
        self.match = match
        self.table = table(match)
        self.game, self.players = self.table.game, self.table.players
        self.names = [player.name or player.id for player in match.players]
        sides = self.game.sides(self.players)
        self.sides = [" + ".join(self.names[side::sides]) for side in range(sides)]
        self.flow = np.zeros(1, self.game.match.Match)[0]
        self.lost: set[int] = set()  # deals told in part that may bring this or that to the match
        self.idle: set[int] = set()  # findings whose act changed nobody's legal acts
        self.settled: set[int] = set()  # deals that are void, or declared and right
        self.result = Explained(
            match_id, match, findings, "legal", flow=self.flow, table=self.table
        )
        for problem in self.table.problems:
            self._problem(problem, "")
        self.result.cuts = self._cuts()
        self.game.match.open_match(self.flow, self.players, *self.result.cuts)
        for index, deal in enumerate(match.deals):
            self._deal(index, deal)
        self._declared_result()
        mark(self.result.findings, self.idle, self.settled)
        severe = any(finding.severity == ERROR for finding in findings)
        own = "irregular" if severe else "unproven" if self.lost else "legal"
        self.result.status = worst([own, *self.result.deal_status])

    def _add(self, fault: Fault, path: str, **values: Any) -> None:
        finding = Finding(fault.code, fault.rule, fault.severity, path, **values)
        finding.detail |= {"names": self.names, "sides": self.sides, "game": self.game.name}
        self.result.findings.append(finding)

    def _problem(self, problem: Problem, path: str, **values: Any) -> None:
        """What stands in the way of a deal, or of all of them."""
        fault = self.game.match_faults.by_code[problem.code]
        legal = list(problem.legal) or None
        self._add(fault, path + problem.path, found=problem.found, legal=legal, **values)

    # the deal

    def _deal(self, index: int, deal: Any) -> None:
        """Decode, replay, compare and count one deal."""
        before = len(self.result.findings)
        numbers = self._numbers()
        self.result.numbers.append(numbers)
        path = pointer("deals", index)
        decoded = decode_deal(deal, self.table)
        for problem in decoded.problems:
            self._problem(problem, path, deal=index)
        replay = None
        if decoded.deck is not None:
            kind = PartialReplay if decoded.partial else Replay
            replay = kind(
                self.game,
                self.table.rules,
                self.players,
                first_seat(deal)[0] - 1,
                decoded.deck,
                decoded.codes,
                decoded.explicit,
            )
            if isinstance(replay, PartialReplay):
                decoded = partial.read(decoded, replay)
            for at, fault in replay.faults:
                self._fault(index, deal, decoded, replay, at, fault)
            if isinstance(replay, PartialReplay):
                self._doubts(index, deal, decoded, replay)
        self._times(index, deal, path)
        self._count(index, deal, path, replay)
        known = any(one.severity in (ERROR, NOTE) for one in self.result.findings[before:])
        if not (decoded.settled or deal.void or known):
            rule = self.game.match_faults.by_code["points-differ"].rule
            self._note(Note(rule, partial.MADE), path, deal=index)
        self.result.scores.append(self.game.match.score(self.flow))
        found = self.result.findings[before:]
        for finding in found:
            finding.manche, finding.partie = numbers
        self.result.decoded.append(decoded._replace(counted=index not in self.lost))
        self.result.replays.append(replay)
        untold = bool(deal.void) and replay is None and not decoded.problems
        self.result.deal_status.append("legal" if untold else self._status(found, replay))

    def _numbers(self) -> tuple[int | None, int | None]:
        """The manche and the partie about to be dealt, from 1, where the game counts them."""
        flow, chosen = self.flow, self.table.settings
        if flow["unknown"] or flow["over"]:
            return None, None
        manche = int(flow["manche"]) + 1 if "manches" in chosen else None
        return manche, int(flow["partie"]) + 1 if "parties" in chosen else None

    def _status(self, found: list[Finding], replay: Replay | None) -> str:
        codes = {finding.code for finding in found if finding.severity == ERROR}
        tables = (self.game.faults, self.game.match_faults)
        gravities = {
            table.by_code[code].gravity
            for table in tables
            for code in codes
            if code in table.by_code
        }
        impossible = replay is None or IMPOSSIBLE in gravities
        status = STATUSES[int(deal_status(impossible, "incomplete" in codes, bool(codes)))]
        unproven = any(finding.code == partial.NOT_CHECKABLE for finding in found)
        return "unproven" if unproven and status == "legal" else status

    def _doubts(self, index: int, deal: Any, decoded: Decoded, replay: PartialReplay) -> None:
        """What of the acts cannot be checked, since cards were not written down."""
        for note in partial.notes(replay):
            assert note.action is not None
            self._fault(index, deal, decoded, replay, note.action, note.fault)
            self.result.findings[-1].detail |= {"problem": note.problem, "values": note.values}

    def _fault(
        self, index: int, deal: Any, decoded: Decoded, replay: Replay, at: int, fault: Fault
    ) -> None:
        """One fault of the replay as a finding: what was found, what was legal then."""
        before = replay[at]  # the state the action met
        code = decoded.codes[at]
        word = deal.actions[at]
        seat = (code >> SEAT_SHIFT) + 1
        if code & ACT_MASK >= self.game.acts.ACTS:
            seats = {str(seat): seat for seat in range(1, self.players + 1)}
            seat = seats.get(word.split(" ", 1)[0], 0)
        hand = None
        if 0 < seat <= self.players:
            hand = hand_of(self.table, before.state, seat - 1, before.known(seat - 1))
        if at + 1 < len(replay) and replay[at + 1].legal == before.legal:
            self.idle.add(len(self.result.findings))
        playing = self._playing(before)
        card = None
        if playing and self.game.acts.kind_of_act(code & ACT_MASK) == "play":
            card = int(before.state["on_table"]) + 1
        self._add(
            fault,
            pointer("deals", index, "actions", at),
            deal=index,
            action=at,
            seat=seat or None,
            found=word,
            legal=self._legal(before, code, fault),
            hand=hand,
            trick=before.trick + 1 if playing else None,
            card=card,
            detail={"auction": _bidding(before)},
        )
        if fault.code == "wrong-turn" and isinstance(replay, PartialReplay) and before.sure("turn"):
            self.result.findings[-1].detail["turn"] = before.turn + 1

    def _playing(self, ply: Ply) -> bool:
        """Whether a trick is being played, not the auction before the first."""
        return not _bidding(ply) and not ply.over

    def _legal(self, before: Ply, code: int, fault: Fault) -> list[str]:
        """The legal actions of the kind that was tried, or of the kind that was owed first."""
        acts = self.game.acts
        owed = getattr(acts, "OWED", {})
        kind = owed.get(fault.code) or acts.kind_of_act(code & ACT_MASK)
        return [
            decode(self.game.name, action.code, self.table.faces)
            for action in before.legal
            if acts.kind_of_act(action.act) == kind
        ]

    def _times(self, index: int, deal: Any, path: str) -> None:
        times = deal.times
        if times is None:
            return
        faults = self.game.match_faults.by_code
        if len(times) != len(deal.actions):
            legal = len(deal.actions)
            self._add(
                faults["times-count"], path + "/times", deal=index, found=len(times), legal=legal
            )
        last = 0.0
        for at, time in enumerate(times):
            if time < last:
                where = path + pointer("times", at)
                self._add(
                    faults["times-order"], where, deal=index, action=at, found=time, legal=last
                )
                return
            last = time

    # across deals

    def _count(self, index: int, deal: Any, path: str, replay: Replay | None) -> None:
        """Who dealt, what the sheet says, what the deal adds to the match."""
        rules, flow, kernel = self.game.match, self.flow, self.game.kernel
        faults = self.game.match_faults
        if replay is None:
            dealer = first_seat(deal)[0] - 1
            if not deal.void or not 0 <= dealer < self.players:
                rules.lose_track(flow)
                return
            blank = self.game.blank
            replay = Replay(self.game, self.table.rules, self.players, dealer, blank, ())
        state = replay.last.state
        self._dealer(index, deal, path, int(state["dealer"]))
        points = deal.points or []
        winner = UNSAID if deal.winner is None else clipped(deal.winner)
        declared = deal.known("manche")
        manche = UNSAID if declared is None else clipped(declared)
        said = (bool(deal.void), told_array(points), len(points), winner, manche)
        counted = partial.count(self.game, self.table.rules, flow, replay, said)
        found = rules.check_declared(flow, state, *said) & counted.certain
        computed = {
            "points-differ": ("/points", deal.points, list(replay.last.points)),
            "winner-differs": ("/winner", deal.winner, partial.winner(self.game, replay)),
            "manche-differs": ("/manche", declared, int(flow["manche"]) + 1),
        }
        for fault in faults.of(found):
            if fault.code == "bid-spent":
                self._bids_spent(fault, index, deal, path, state)
                continue
            where, told, legal = computed[fault.code]
            if fault.code == "winner-differs" and (deal.void or legal is None):
                self._nobody(fault, path + where, deal=index, found=told)
                continue
            self._add(fault, path + where, deal=index, found=told, legal=legal)
            if isinstance(replay, PartialReplay) and self._certain(fault, replay, said, legal):
                self.result.findings[-1].detail["certain"] = True
        doubtful = {fault.rule: fault for fault in reversed([*faults.of(counted.doubtful)])}
        for fault in doubtful.values():
            where, told, _ = computed[fault.code]
            self._note(Note(fault.rule, partial.SAID), path + where, deal=index, found=told)
        known = bool(points) and winner != UNSAID and int(state["outcome"]) != kernel.RUNNING
        outcome = faults.bit("points-differ") | faults.bit("winner-differs")
        if deal.void or (known and not (found | counted.doubtful) & outcome):
            self.settled.add(index)
        running = [int(one["outcome"]) == kernel.RUNNING for one in replay.lasts]
        if any(running) and not (replay.stop or replay.unread or deal.void):
            incomplete, end = faults.by_code["incomplete"], len(deal.actions)
            if all(running):
                self._add(incomplete, path + "/actions", deal=index, action=end)
            else:
                note = Note(incomplete.rule, partial.END)
                self._note(note, path + "/actions", deal=index, action=end)
        if counted.flow is None:
            rules.lose_track(flow)
            self.lost.add(index)
        else:
            rules.close_deal(flow, self.table.rules, state, bool(deal.void))

    def _certain(
        self, fault: Fault, replay: PartialReplay, said: tuple[Any, ...], legal: Any
    ) -> bool:
        """Whether what the engine counts would be right in every way a deal may have gone."""
        void, points, count, winner, manche = said
        if replay.unread or legal == "?" or (isinstance(legal, list) and "?" in legal):
            return False
        if fault.code == "points-differ":
            points, count = told_array(legal), len(legal)
        elif fault.code == "winner-differs":
            winner = legal
        else:
            manche = legal
        told = (void, points, count, winner, manche)
        after = partial.count(self.game, self.table.rules, self.flow, replay, told)
        return not (after.certain | after.doubtful) & fault.bit

    def _nobody(self, fault: Fault, path: str, **values: Any) -> None:
        """A winner no seat has, where the engine knows of none either."""
        self._add(fault, path, detail={"open": True}, **values)

    def _note(self, note: Note, path: str, **values: Any) -> None:
        """What the sheet says and cannot be checked."""
        self._add(note.fault, path, detail={"problem": note.problem}, **values)

    def _dealer(self, index: int, deal: Any, path: str, dealer: int) -> None:
        """Whether the deal may be dealt, or led, by that seat and at all."""
        rules, flow = self.game.match, self.flow
        expected = int(flow["dealer"])
        legal: Any = expected + 1 or None
        if legal is None and hasattr(rules, "leaders"):
            legal = rules.leaders(flow)
        for fault in self.game.match_faults.of(rules.open_deal(flow, dealer)):
            if fault.code == "deal-after-match":
                self._add(fault, path, deal=index)
            else:
                seat, where = first_seat(deal)
                self._add(fault, path + where, deal=index, found=seat, legal=legal)

    def _bids_spent(self, fault: Fault, index: int, deal: Any, path: str, state: Any) -> None:
        """Every seat that bids with a card that has left the game (CR-7)."""
        names = self.table.bids.names if self.table.bids else ()
        for seat in range(self.players):
            gone = self.game.match.spent(self.flow, seat)
            if int(state["bid"][seat]) in gone:
                left = [name for bid, name in enumerate(names) if bid not in gone]
                where = path + pointer("bids", seat)
                self._add(
                    fault, where, deal=index, seat=seat + 1, found=deal.bids[seat], legal=left
                )

    def _cuts(self) -> tuple[int, int, int]:
        """Who deals first, who cut highest, who deals the belle; the faults of the cuts (CH-2)."""
        cuts = self.match.known("cuts") or []
        if not cuts:
            return -1, -1, -1
        read, faults = self.game.match.read_cuts(cuts, self.players)
        for code, i, k in faults:
            fault = self.game.match_faults.by_code[code]
            self._add(fault, pointer("cuts", i, k), found=cuts[i][k])
        dealers: tuple[int, int, int] = self.game.match.dealers_by_cut(read)
        return dealers

    def _declared_result(self) -> None:
        """Compare the declared score and winner with what the deals make."""
        result = self.match.result
        if result is None:
            return
        rules, flow = self.game.match, self.flow
        score = result.score or []
        said = "winner" in result.model_fields_set
        winner = clipped(result.winner or 0)
        found = rules.check_result(flow, told_array(score), len(score), winner, said)
        first = next((one for one in self.result.findings if one.code in DECLARED), None)
        computed = {
            "score-differs": ("/result/score", result.score, rules.score(flow)),
            "result-differs": ("/result/winner", result.winner, int(flow["winner"]) + 1 or None),
        }
        if self.lost and (score or said) and not found:
            said_first = ("score-differs", score) if score else ("result-differs", result.winner)
            rule = self.game.match_faults.by_code[said_first[0]].rule
            self._note(Note(rule, partial.RESULT), computed[said_first[0]][0], found=said_first[1])
        for fault in self.game.match_faults.of(found):
            where, declared, legal = computed[fault.code]
            if fault.code == "result-differs" and not flow["over"]:
                self._nobody(fault, where, found=declared)
                continue
            self._add(fault, where, found=declared, legal=legal, detail={"first": first})
