"""The smallest edit that makes a finding's log legal, where one edit does.

Every candidate is tried with the engine (`ingest.mend.trial`), on the deal and on the match. It
stands when the finding is gone and no error has come that was not there; a play is left out or
added only where the deal then comes to its end. Of those that stand, the ones that leave the fewest
errors are compared by the kind of slip they take the finding for, in the order of `OWED` to
`EXCHANGED`. An edit is offered when it is the only one of the first kind there is: with two cards
that would do equally well, nothing is offered. Nor is a corrected total that may come of an earlier
error, which mending that error may mend. Where nothing smaller stands, the first error of a deal
may come of two actions, or two cards of the pack, in each other's place.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeVar

from engine.acts import ACT_MASK, SEAT_SHIFT, UNKNOWN
from engine.faults import WARNING
from ingest.finding.finding import ERROR, Edit, Finding
from ingest.games import of
from ingest.judge.explain import Explained
from ingest.mend import cards as mend_cards
from ingest.mend import document as mend_document
from ingest.mend import sheet as mend_sheet
from ingest.mend.near import near
from ingest.mend.trial import Stood, Trials
from ingest.text.json import pointer
from schemas.words import decode

(
    OWED,  # what was due before it is added
    SLIP,  # one letter or number: another rank, another suit, another face
    CARD,  # any other card of the same seat
    SEAT,  # the same by another seat
    REMOVED,
    OTHER,  # another action of the same seat and kind, which is no card
    EARLIER,  # the same card was written before, for another one
    ADDED,
    EXCHANGED,  # two actions, or two cards of the pack, in each other's place
) = range(9)

LOGGER = logging.getLogger(__name__)
T = TypeVar("T")


class Candidate(NamedTuple):
    """An edit to try: `put` in place of `take` actions from `at`."""

    rank: int
    at: int
    take: int
    put: tuple[int, ...]
    edit: Edit
    timed: bool = False
    """Whether the actions come or go with their times."""


def mend(explained: Explained) -> None:
    """Fill `edit` of each finding that one edit mends; the rest keep None.

    Never raises: a finding whose search fails has no edit, and its code is logged.
    """
    for finding in explained.findings if explained.match is None else ():
        if finding.code in mend_document.CODES:
            finding.edit = _or_none(finding, partial(mend_document.word, explained.value, finding))
    if explained.match is None or explained.table is None or explained.table.problems:
        return
    if explained.findings:
        mending = _or_none(explained.findings[0], partial(_Mending, explained))
        if mending is not None:
            mending.mend()


def _or_none(finding: Finding, search: Callable[[], T]) -> T | None:
    """What a search for edits finds, None where it fails: the run goes on without that edit.

    The code alone is logged: what a log says is nobody else's business.
    """
    try:
        return search()
    except Exception as error:
        LOGGER.warning("no edit for %s: %s", finding.code, type(error).__name__)
        return None


class _Mending:
    """The findings of one match being mended."""

    def __init__(self, explained: Explained) -> None:
        self.explained = explained
        self.trials = Trials(explained)
        self.game = self.trials.game
        self.own = of(self.game.name)
        self.deals: list[Any] = self.trials.match.deals
        play = {*self.game.faults.by_code, "incomplete"}
        self.wrong = {one.deal for one in explained.findings if one.code in play}
        """Deals of which an action may be too many or missing."""

    def mend(self) -> None:
        # deal → its first error, and what stood of smaller edits, where an exchange may be better
        stuck: dict[int, tuple[Finding, list[Stood]]] = {}
        seen: set[int] = set()
        for finding in self.explained.findings:
            deal, at = finding.deal, finding.action
            if deal is not None and self._part(deal):
                # any other edit would mend one of the deals it may have been
                if finding.detail.get("certain"):
                    finding.edit = mend_sheet.declared(finding)
                continue
            if deal is None or at is None or finding.code not in self.game.faults.by_code:
                finding.edit = _or_none(finding, partial(self._written, finding))
                continue
            stood = _or_none(finding, partial(self._play, deal, at, finding))
            if stood is None:
                continue
            finding.edit = self.trials.alone(stood)
            if finding.severity == ERROR and deal not in seen:
                seen.add(deal)
                if _or_none(finding, partial(self._may_swap, deal, at, finding, stood)):
                    stuck[deal] = finding, stood
        for deal, (finding, stood) in stuck.items():
            finding.edit = _or_none(finding, partial(self._or_swapped, deal, finding, stood))

    def _may_swap(self, deal: int, at: int, finding: Finding, stood: list[Stood]) -> bool:
        """Whether an exchange may mend what no smaller edit does, or not as well."""
        if not stood:
            return True
        return self._better_exchanged(deal, at, finding, min(one.errors for one in stood))

    def _or_swapped(self, deal: int, finding: Finding, stood: list[Stood]) -> Edit | None:
        """The one edit of what stood and of all exchanges."""
        more = [] if self.trials.spent else self._swapped(deal, finding)
        return self.trials.alone([*stood, *more])

    def _better_exchanged(self, deal: int, at: int, finding: Finding, errors: int) -> bool:
        """Whether neighbours in each other's place would leave fewer errors than `errors`."""
        gone = self.game.faults.by_code[finding.code].bit
        codes = self.trials.deal(deal).codes
        for i in range(max(0, at - 1), min(at + 1, len(codes) - 1)):
            outcome = self.trials.replaced(deal, i, 2, (codes[i + 1], codes[i]), gone, at)
            if outcome is not None and outcome.ended and outcome.errors < errors:
                return True
        return False

    def _part(self, deal: int) -> bool:
        """Whether cards of a deal were not written down."""
        return deal < len(self.explained.decoded) and self.explained.decoded[deal].partial

    def _written(self, finding: Finding) -> Edit | None:
        """The edit of what is not play: totals, seats, times, cuts, cards of a pack."""
        code, deal, trials = finding.code, finding.deal, self.trials
        if code in mend_sheet.DECLARED:
            return mend_sheet.declared(finding)
        if code in mend_sheet.CUTS:
            return mend_sheet.cut(trials, finding)
        if deal is None:
            return None
        if code in mend_sheet.SEATED:
            return mend_sheet.seated(trials, finding)
        if code in mend_sheet.BIDS:
            return mend_sheet.bid(trials, finding)
        if code in mend_sheet.TIMES:
            return None if deal in self.wrong else mend_sheet.time(self.deals[deal], deal)
        if code == "incomplete":
            return self._unfinished(deal, finding)
        if code in mend_cards.CODES:
            return mend_cards.dealt(trials, deal, finding)
        return None

    def _unfinished(self, deal: int, finding: Finding) -> Edit | None:
        """The last card, when nothing else is missing."""
        end = len(self.deals[deal].actions)
        plays = [code for code in self.trials.legal(deal, end) if self._kind(code) == "play"]
        return self.trials.alone(
            self._tried(deal, end, 0, (self._add(ADDED, deal, end, one) for one in plays))
        )

    # play

    def _play(self, deal: int, at: int, finding: Finding) -> list[Stood]:
        """The edits that stand of an action, or of another one that it betrays."""
        if self.trials.spent:
            return []
        fault = self.game.faults.by_code[finding.code]
        gone = fault.bit
        stood = self._tried(deal, at, gone, self._here(deal, at, finding))
        if finding.code in self.own.TURNING and finding.follows is None:
            turned = mend_cards.turned(self.trials, deal, at, finding)
            stood += [Stood(errors, SLIP, edit) for errors, edit in turned]
        undealable = finding.code == "card-not-held" and not self.own.ALL_DEALT
        if undealable and finding.follows is None:
            undealt = mend_cards.undealt(self.trials, deal, finding)
            stood += [Stood(errors, CARD, edit) for errors, edit in undealt]
        if at == 0 and fault.gravity != WARNING:
            stood += self._dealer(deal)
        for more in (self._before, self._missing):
            if self.trials.alone(stood) is None:
                stood += self._tried(deal, at, gone, more(deal, at, finding))
        return stood

    def _swapped(self, deal: int, finding: Finding) -> list[Stood]:
        """Two actions in each other's place: two cards of a seat, or any two neighbours.

        Or two cards of the pack, where one was played that was not held.
        """
        assert finding.action is not None
        at, gone = finding.action, self.game.faults.by_code[finding.code].bit
        codes = self.trials.deal(deal).codes
        stood = []
        if finding.code == "card-not-held":
            dealt = mend_cards.exchanged(self.trials, deal, finding)
            stood = [Stood(errors, EXCHANGED, edit) for errors, edit in dealt]
        for i in range(at + 1):
            for j in range(i + 1, len(codes)):
                if codes[i] == codes[j] or not (j == i + 1 or self._one_hand(codes[i], codes[j])):
                    continue
                put = (codes[j], *codes[i + 1 : j], codes[i])
                outcome = self.trials.replaced(deal, i, len(put), put, gone, at)
                if self.trials.spent:
                    return []
                if outcome is not None and outcome.ended:
                    stood.append(Stood(outcome.errors, EXCHANGED, self._swap(deal, i, j)))
        return stood

    def _one_hand(self, one: int, other: int) -> bool:
        """Whether two actions are cards of one seat."""
        cards = self._kind(one) == self._kind(other) == "play"
        return cards and int(one) >> SEAT_SHIFT == int(other) >> SEAT_SHIFT

    def _tried(self, deal: int, at: int, gone: int, candidates: Iterable[Candidate]) -> list[Stood]:
        """The candidates that stand; none of them when some were left untried."""
        stood = []
        for one in candidates:
            span = (one.at, one.take, one.put)
            outcome = self.trials.replaced(deal, *span, gone, at, one.timed)
            if self.trials.spent:
                return []
            if outcome and (outcome.ended or not self._needs_end(deal, one)):
                stood.append(Stood(outcome.errors, one.rank, one.edit))
        return stood

    def _needs_end(self, deal: int, one: Candidate) -> bool:
        """Whether nothing but the deal's end would bear a candidate out."""
        if one.rank != REMOVED:
            return one.rank in (EARLIER, ADDED)
        written = self.trials.deal(deal)
        replay = written.replay
        assert replay is not None
        if self._kind(int(written.codes[one.at])) not in ("play", "bid"):
            return False
        applied = one.at + 1 < len(replay)
        return not applied or replay[one.at].turn != replay[one.at + 1].turn

    def _kind(self, code: int) -> str:
        kind: str = self.game.acts.kind_of_act(code & ACT_MASK)
        return kind

    def _word(self, code: int) -> str:
        return decode(self.game.name, code, self.trials.table.faces)

    def _replace(self, rank: int, deal: int, at: int, code: int, why: str) -> Candidate:
        edit = Edit("replace", pointer("deals", deal, "actions", at), self._word(code), why)
        return Candidate(rank, at, 1, (code,), edit)

    def _add(self, rank: int, deal: int, at: int, code: int) -> Candidate:
        also: tuple[Edit, ...] = ()
        times = self._times(deal)
        if times is not None:
            when = mend_sheet.between(times[:at], times[at:])
            if when is not None:
                also = (Edit("add", pointer("deals", deal, "times", at), when),)
        path = pointer("deals", deal, "actions", at)
        edit = Edit("add", path, self._word(code), "action", also=also)
        return Candidate(rank, at, 0, (code,), edit, bool(also))

    def _remove(self, deal: int, at: int) -> Candidate:
        also: tuple[Edit, ...] = ()
        if self._times(deal) is not None:
            also = (Edit("remove", pointer("deals", deal, "times", at)),)
        path = pointer("deals", deal, "actions", at)
        edit = Edit("remove", path, None, "action", also=also)
        return Candidate(REMOVED, at, 1, (), edit, bool(also))

    def _swap(self, deal: int, i: int, j: int) -> Edit:
        words = self.deals[deal].actions
        one, other = (pointer("deals", deal, "actions", at) for at in (i, j))
        also = (Edit("replace", other, words[i], "swap"),)
        return Edit("replace", one, words[j], "swap", also=also)

    def _times(self, deal: int) -> list[float] | None:
        """The times of a deal that has one for each action."""
        times: list[float] | None = self.deals[deal].times
        return times if times is not None and len(times) == len(self.deals[deal].actions) else None

    def _here(self, deal: int, at: int, finding: Finding) -> Iterator[Candidate]:
        """Edits of the action itself: another card, another seat, none at all."""
        code = int(self.trials.deal(deal).codes[at])
        kind, act = self._kind(code), code & ACT_MASK
        owed = self.game.acts.OWED.get(finding.code)
        known = act < self.game.acts.ACTS
        for other in self.trials.legal(deal, at):
            its = self._kind(other)
            if its == owed:
                yield self._add(OWED, deal, at, other)
            elif its == self.own.PREVENTING.get(finding.code):
                yield self._add(ADDED if owed is None else OWED, deal, at, other)
            if known and other & ACT_MASK == act:
                yield self._replace(SEAT, deal, at, other, "seat")
            elif finding.seat == (other >> SEAT_SHIFT) + 1 and (its == kind or not known):
                slip = near(self._word(other), finding.found) or self.own.same_card(
                    self.trials.table, other, code
                )
                if not slip and not known:
                    continue
                rank = SLIP if slip else CARD if its == "play" else OTHER
                yield self._replace(rank, deal, at, other, "card" if its == "play" else "word")
            elif its == self.own.TURNING.get(finding.code):
                yield self._add(SLIP, deal, at, other)
        yield self._remove(deal, at)

    def _before(self, deal: int, at: int, finding: Finding) -> Iterator[Candidate]:
        """Another card where the same one was played before: the slip may have been there."""
        codes = self.trials.deal(deal).codes
        code = int(codes[at])
        if self._kind(code) != "play" or code & ACT_MASK == UNKNOWN:
            return
        earlier = [i for i in range(at) if codes[i] == code]
        for i in earlier[-1:]:
            for other in self.trials.legal(deal, i):
                if other != code and other >> SEAT_SHIFT == code >> SEAT_SHIFT:
                    if self._kind(other) == "play":
                        yield self._replace(EARLIER, deal, i, other, "card")

    def _missing(self, deal: int, at: int, finding: Finding) -> Iterator[Candidate]:
        """Something that was left out just before."""
        for other in self.trials.legal(deal, at):
            if self._kind(other) in self.own.ADDABLE:
                yield self._add(ADDED, deal, at, other)

    def _dealer(self, deal: int) -> list[Stood]:
        """Another seat to deal, when the deal goes wrong with its first action."""
        written = self.deals[deal]
        key = "leader" if written.known("dealer") is None else "dealer"
        path = pointer("deals", deal, key)
        tried = (
            (self.trials.rewritten(deal, 0, **{key: seat}), Edit("replace", path, seat, "seat"))
            for seat in range(1, self.trials.table.players + 1)
            if seat != getattr(written, key)
        )
        return [
            Stood(outcome.errors, SEAT, edit)
            for outcome, edit in tried
            if outcome and outcome.ended
        ]
