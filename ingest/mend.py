"""The smallest edit that makes a finding's log legal, where one edit does.

Every candidate is tried with the engine (`ingest.trial`), on the deal and on the match. It stands
when the finding is gone and no error has come that was not there; a play is left out or added only
where the deal then comes to its end. Of those that stand, the ones that leave the fewest errors
are compared by the kind of slip they take the finding for, in the order of `OWED` to `ADDED`. An
edit is offered when it is the only one of the first kind there is: with two cards that would do
equally well, nothing is offered. Nor is a corrected total that may come of an earlier error, which
mending that error may mend.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from engine.acts import ACT_MASK, SEAT_SHIFT, UNKNOWN
from engine.faults import WARNING
from ingest.explain import Explained
from ingest.findings import Edit, Finding
from ingest.i18n import N_, Translate
from ingest.messages import speak_seat, speak_winner, speak_word
from ingest.parse import pointer
from ingest.trial import Outcome, Trials
from schemas.words import decode

(
    OWED,  # what was due before it is added
    SLIP,  # one letter: another rank, another suit, another face
    CARD,  # any other card of the same seat
    SEAT,  # the same by another seat
    REMOVED,
    OTHER,  # another action of the same seat and kind, which is no card
    EARLIER,  # the same card was written before, for another one
    ADDED,
) = range(8)

ADDABLE = ("play", "bid", "draw", "sept", "chouine")
"""Kinds of acts a scribe forgets and the play betrays."""
DECLARED = ("points-differ", "winner-differs", "manche-differs", "score-differs", "result-differs")
SEATED = ("wrong-dealer", "wrong-leader", "deal-seat")


class Candidate(NamedTuple):
    """An edit to try: `put` in place of `take` actions from `at`."""

    rank: int
    at: int
    take: int
    put: tuple[int, ...]
    edit: Edit


def mend(explained: Explained) -> None:
    """Fill `edit` of each finding that one edit mends; the rest keep None."""
    if explained.match is None or explained.table is None or explained.table.problems:
        return
    if explained.findings:
        _Mending(explained).mend()


class _Mending:
    """The findings of one match being mended."""

    def __init__(self, explained: Explained) -> None:
        self.explained = explained
        self.trials = Trials(explained)
        self.game = self.trials.game
        self.deals: list[Any] = self.trials.match.deals

    def mend(self) -> None:
        findings = self.explained.findings
        for key, group in groupby(findings, lambda finding: (finding.deal, finding.action)):
            told = list(group)
            deal, at = key
            if deal is not None and self._part(deal):
                continue  # an edit would mend one of the deals it may have been
            if deal is not None and at is not None and told[0].code in self.game.faults.by_code:
                for finding in told:
                    finding.edit = self._play(deal, at, finding)
            else:
                for finding in told:
                    finding.edit = self._written(finding)

    def _part(self, deal: int) -> bool:
        """Whether cards of a deal were not written down."""
        return deal < len(self.explained.decoded) and self.explained.decoded[deal].partial

    # what the sheet says

    def _written(self, finding: Finding) -> Edit | None:
        """The edit of what is not play: totals, seats, times, cards of a pack."""
        code, deal = finding.code, finding.deal
        if code in DECLARED:
            said = Edit("replace", finding.path, finding.legal, "value")
            return said if finding.follows is None else None
        if deal is None:
            return None
        if code in SEATED:
            return self._seated(deal, finding)
        if code == "times-order":
            times, at = self.deals[deal].times, finding.action or 0
            fits = at + 1 == len(times) or times[at + 1] >= finding.legal
            return Edit("replace", finding.path, finding.legal, "value") if fits else None
        if code == "incomplete":
            return self._unfinished(deal, finding)
        if code in ("deck-card", "deck-twice"):
            return self._dealt(deal, finding)
        if code in ("bid-spent", "bid-unknown"):
            return self._bid(deal, finding)
        return None

    def _only(self, tried: Iterator[tuple[Outcome | None, Edit]]) -> Edit | None:
        """The one edit that leaves the fewest errors."""
        stood = [(outcome.errors, 0, edit) for outcome, edit in tried if outcome is not None]
        return _alone(stood)[1]

    def _seated(self, deal: int, finding: Finding) -> Edit | None:
        """Another seat to deal or to lead: the cards must have been played from there."""
        if finding.follows is not None:
            return None
        fault = self.game.match_faults.by_code[finding.code].bit
        legal = finding.legal if isinstance(finding.legal, list | tuple) else [finding.legal]
        key = finding.path.rpartition("/")[2]
        return self._only(
            (
                self.trials.rewritten(deal, fault, **{key: int(seat)}),
                Edit("replace", finding.path, int(seat), "seat"),
            )
            for seat in legal
        )

    def _unfinished(self, deal: int, finding: Finding) -> Edit | None:
        """The last card, when nothing else is missing."""
        end = len(self.deals[deal].actions)
        plays = [code for code in self.trials.legal(deal, end) if self._kind(code) == "play"]
        tried = (self._add(ADDED, deal, end, code) for code in plays)
        return self._best(deal, end, 0, tried)[1]

    def _dealt(self, deal: int, finding: Finding) -> Edit | None:
        """One card of the pack as written for the one that is missing."""
        written = self.deals[deal]
        told = {"deck": written.deck, "hands": written.hands, "talon": written.known("talon")}
        rows = {
            (key, place): row.split(" ")
            for key, value in told.items()
            if value is not None
            for place, row in enumerate([value] if isinstance(value, str) else value)
        }
        there = {card for row in rows.values() for card in row}
        missing = [card for card in self.game.pack.names if card not in there]
        if len(missing) != 1:
            return None

        def tried() -> Iterator[tuple[Outcome | None, Edit]]:
            for (key, place), row in rows.items():
                for n, card in enumerate(row):
                    if card != finding.found:
                        continue
                    text = " ".join([*row[:n], missing[0], *row[n + 1 :]])
                    value: Any = text
                    path = pointer("deals", deal, key)
                    if key == "hands":
                        value = [*written.hands[:place], text, *written.hands[place + 1 :]]
                        path += pointer(place)
                    edit = Edit("replace", path, text, "pack", (n + 1, card, missing[0]))
                    yield self.trials.rewritten(deal, 0, **{key: value}), edit

        return self._only(tried())

    def _bid(self, deal: int, finding: Finding) -> Edit | None:
        """Another bid card of those that are left (CR-7)."""
        fault = self.game.match_faults.by_code[finding.code].bit
        at = int(finding.path.rpartition("/")[2])
        bids = self.deals[deal].bids
        return self._only(
            (
                self.trials.rewritten(deal, fault, bids=[*bids[:at], bid, *bids[at + 1 :]]),
                Edit("replace", finding.path, bid, "value"),
            )
            for bid in finding.legal
        )

    # play

    def _play(self, deal: int, at: int, finding: Finding) -> Edit | None:
        """The edit of an action, or of another one that it betrays."""
        fault = self.game.faults.by_code[finding.code]
        gone = fault.bit
        errors, edit = self._best(deal, at, gone, self._here(deal, at, finding))
        if at == 0 and fault.gravity != WARNING:
            fewer, seat = self._dealer(deal)
            if seat is not None and (edit is None or fewer < errors):
                return seat
        for more in (self._before, self._missing):
            if edit is None:
                edit = self._best(deal, at, gone, more(deal, at, finding))[1]
        return edit

    def _best(
        self, deal: int, at: int, gone: int, candidates: Iterator[Candidate]
    ) -> tuple[int, Edit | None]:
        """The only candidate of the fewest errors and the first kind, None when it is not alone."""
        stood = []
        for one in candidates:
            outcome = self.trials.replaced(deal, one.at, one.take, one.put, gone, at)
            if outcome is None:
                continue
            if outcome.ended or not self._needs_end(deal, one):
                stood.append((outcome.errors, one.rank, one.edit))
        return _alone(stood)

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
        edit = Edit("add", pointer("deals", deal, "actions", at), self._word(code), "action")
        return Candidate(rank, at, 0, (code,), edit)

    def _here(self, deal: int, at: int, finding: Finding) -> Iterator[Candidate]:
        """Edits of the action itself: another card, another seat, none at all."""
        code = int(self.trials.deal(deal).codes[at])
        kind, act = self._kind(code), code & ACT_MASK
        owed = getattr(self.game.acts, "OWED", {}).get(finding.code)
        known = act < self.game.acts.ACTS
        for other in self.trials.legal(deal, at):
            own = self._kind(other)
            if own == owed:
                yield self._add(OWED, deal, at, other)
            if known and other & ACT_MASK == act:
                yield self._replace(SEAT, deal, at, other, "seat")
            elif finding.seat == (other >> SEAT_SHIFT) + 1 and (own == kind or not known):
                near = one_letter(self._word(other), finding.found)
                if not near and not known:
                    continue
                rank = SLIP if near else CARD if own == "play" else OTHER
                yield self._replace(rank, deal, at, other, "card" if own == "play" else "word")
        path = pointer("deals", deal, "actions", at)
        yield Candidate(REMOVED, at, 1, (), Edit("remove", path, None, "action"))

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
            if self._kind(other) in ADDABLE:
                yield self._add(ADDED, deal, at, other)

    def _dealer(self, deal: int) -> tuple[int, Edit | None]:
        """Another seat to deal, when the deal goes wrong with its first action."""
        written = self.deals[deal]
        key = "leader" if written.known("dealer") is None else "dealer"
        path = pointer("deals", deal, key)
        tried = (
            (self.trials.rewritten(deal, 0, **{key: seat}), Edit("replace", path, seat, "seat"))
            for seat in range(1, self.trials.table.players + 1)
            if seat != getattr(written, key)
        )
        return _alone(
            [(outcome.errors, 0, edit) for outcome, edit in tried if outcome and outcome.ended]
        )


def _alone(stood: list[tuple[int, int, Edit]]) -> tuple[int, Edit | None]:
    """Of edits with the errors they leave and their kind, the first if no other is its equal."""
    first = min(((errors, rank) for errors, rank, _ in stood), default=(0, 0))
    best = [edit for errors, rank, edit in stood if (errors, rank) == first]
    return first[0], best[0] if len(best) == 1 else None


def one_letter(one: str, other: str) -> bool:
    """Whether two words differ by one letter written wrong, left out or too many."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    short, long = sorted((one[same:], other[same:]), key=len)
    return short[1:] == long[1:] if len(short) == len(long) else short == long[1:]


PLAY = N_("Play {card} instead.")
PLAY_THERE = N_("Action {n}: play {card} instead.")
READ = N_("It should read: {action}.")
GIVE = N_("It was {who}.")
LEAVE_OUT = N_("Leave out: {action}.")
ADD_BEFORE = N_("Add before it: {who}, {action}.")
ADD_LAST = N_("Add at the end: {who}, {action}.")
WRITE = N_("Write {value}.")
WRITE_CARD = N_("Card {n}: write {card} instead of {other}.")


def speak_edit(t: Translate, finding: Finding) -> str:
    """What a finding's edit asks for, as one tells a scribe; empty when it has none."""
    edit = finding.edit
    if edit is None:
        return ""
    names = finding.detail.get("names", [])
    if edit.cards is not None:
        n, other, card = edit.cards
        return t(WRITE_CARD, n=n, card=speak_word(t, card), other=speak_word(t, other))
    if edit.op == "remove":
        return t(LEAVE_OUT, action=speak_word(t, str(finding.found).partition(" ")[2]))
    if "/actions/" not in edit.path:
        return t(WRITE, value=_value(t, finding, edit))
    seat, _, word = str(edit.value).partition(" ")
    who, action = speak_seat(t, int(seat), names), speak_word(t, word)
    if edit.op == "add":
        return t(ADD_LAST if finding.code == "incomplete" else ADD_BEFORE, who=who, action=action)
    if edit.why == "seat":
        return t(GIVE, who=who)
    if edit.path != finding.path:
        return t(PLAY_THERE, n=int(edit.path.rpartition("/")[2]) + 1, card=action)
    return t(PLAY, card=action) if edit.why == "card" else t(READ, action=action)


def _value(t: Translate, finding: Finding, edit: Edit) -> str:
    """A value of the sheet in words: a total, a seat, a winner, a time, a bid card."""
    if finding.code.endswith(("winner-differs", "result-differs")):
        return speak_winner(t, edit.value, finding.detail)
    if edit.why == "seat":
        return speak_seat(t, edit.value, finding.detail.get("names", []))
    if isinstance(edit.value, list):
        return " – ".join(map(str, edit.value))
    return str(edit.value)
