"""One deal searched: every way it may have gone instead, played by the engine and weighed.

The ways come from `ingest.mend.ways`, all kinds of slip together; each is played to the deal's end,
and those that leave fewest faults there are counted to the match's end, sheet and result included.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from math import exp, log
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.acts import ACT_MASK, SEAT_SHIFT, UNKNOWN
from ingest.finding.finding import Edit, Finding
from ingest.games import of
from ingest.games.code import Mended
from ingest.mend import cards as mend_cards
from ingest.mend import likely, pen
from ingest.mend import sheet as mend_sheet
from ingest.mend.choice import Stood
from ingest.mend.likely import Slip
from ingest.mend.trial import ERROR_WEIGHT, Trials
from ingest.mend.ways import NONE, Ways, Written, changed, dealt, legal_codes, played, together
from ingest.text.json import pointer
from schemas.deal import decode as laid_out
from schemas.words import decode

T = TypeVar("T")
LONGER = {Slip.MISSING: 1, Slip.DOUBLED: -1, Slip.EXTRA: -1}
"""How many more actions a deal has then."""


BEAM = 60
"""Of two slips, how many of the likeliest first ones a second one is looked for behind."""


class DealSearch:
    """The search of one deal that is told whole and could be dealt.

    Without `written` it is the deal of the log; else that with a change in it already.
    """

    def __init__(self, trials: Trials, index: int, written: Written | None = None) -> None:
        self.trials, self.index = trials, index
        self.game, self.table = trials.game, trials.table
        self.own = of(self.game.name)
        self.deal: Any = trials.match.deals[index]
        self.written = trials.written(index) if written is None else written
        self.times = self._times()
        self.found = self.written.replay.found
        errors = self.found & self.game.faults.errors != 0
        self.errors = int(np.count_nonzero(errors))
        shown = np.flatnonzero(errors if self.errors else self.found)
        self.until = int(shown[0]) if len(shown) else len(self.written.codes)
        self.base = trials.left(index)
        self._allowed: dict[int, list[tuple[int, str]]] = {}

    def _times(self) -> list[float] | None:
        """The times of a deal that has one for each action."""
        times: list[float] | None = self.deal.times
        return times if times is not None and len(times) == len(self.deal.actions) else None

    def stood(self, findings: Sequence[Finding]) -> list[Stood]:
        """The ways, and what the sheet may say instead, that leave fewest faults and fewer."""
        if not self._spend_ways():
            return []
        return self._least(self._ways, self._declared(findings))

    def _spend_ways(self) -> bool:
        """Pay for the list of ways, which grows faster than the deal."""
        return self.trials.spend(len(self.written.codes) ** 2 // 4)

    @cached_property
    def _ways(self) -> Ways:
        """Every way the deal may have gone instead."""
        game, rules = self.game, self.trials.rules
        bids = self.own.bids(self.table)
        until = min(self.until, len(self.written.replay) - 1)
        some = played(game, rules, self.written, until)
        more = dealt(game, rules, self._opened, self.written, bids)
        return together([some, more])

    @cached_property
    def _opened(self) -> dict[int, NDArray[np.uint8]]:
        """What each other seat would deal: hands stay where they are, whoever dealt them."""
        row, told = self.written.row, {}
        for seat in range(self.table.players):
            if seat != self.written.dealer:
                told[seat] = row
                if self.deal.known("hands"):
                    other = self.deal.model_copy(update={self.deal.OPENS: seat + 1})
                    laid = laid_out(other, self.table).deck
                    told[seat] = row if laid is None else np.array(laid, np.uint8)
        return told

    def stood_at(self, at: int) -> list[Stood]:
        """The same of one action alone, for a fault that others do not come of."""
        if at >= len(self.written.replay):
            return []
        return self._least(changed(self.game, self.trials.rules, self.written, at), [])

    def pairs(self) -> list[tuple[float, Stood]]:
        """First edits of two that explain all there is, best first: (their share of it, each).

        Whatever the second slip is, the first is the same: all pairs that begin with it count.
        Where either of two may come first, the likelier does.
        """
        if not self._spend_ways():
            return []
        floor = self.base - self.trials.own(self.index)
        ways = self._ways
        _, found = self._played(ways, self.errors + 1)
        timely = {one: not self.trials.untimely(self.index, one) for one in (-1, 0, 1)}
        put, take = ways.changes[:, 2] >= 0, ways.changes[:, 1] > 0
        reached = found[:, 2] + (put & ~take) - (take & ~put)  # actions without a fault
        replay = self.written.replay
        stop = len(replay) - 1 if replay.stop is not None else len(self.written.codes)
        # further than it was, or as far with one more where two are missing side by side, and no
        # less of it is played
        ahead_of = self.until - (put & ~take)
        further = (reached > ahead_of) & ((found[:, 3] == 0) | (reached >= stop))
        ahead = [
            i
            for i in np.flatnonzero(further).tolist()
            if timely[self._longer(ways, i)] or not timely[0]
        ]
        weights = {i: self._weighed(ways, i) for i in ahead}
        logs: dict[Any, float] = {}
        first: dict[Any, dict[Any, None]] = {}  # in order: what is offered may not hang on hashes
        stood: dict[Any, Stood] = {}
        for i in sorted(ahead, key=lambda i: weights[i], reverse=True)[:BEAM]:
            way = ways.slips[i], ways.changes[i].tolist(), ways.about[i]
            same = self._makes(*way)
            if same in stood:
                continue
            stood[same] = Stood(floor, weights[i], self._edit(*way), same)
            after = self._after(ways, i)
            for one in after.clean(floor) if after is not None else ():
                weight = weights[i] + one.weight
                logs[one.same] = max(logs.get(one.same, weight), weight)
                first.setdefault(one.same, {})[same] = None
        if not logs or self.trials.spent:
            return []
        top = max(logs.values())
        shares: dict[Any, float] = {}
        for made, weight in logs.items():
            for same in first[made]:
                shares[same] = shares.get(same, 0.0) + exp(weight - top)
        total = sum(exp(weight - top) for weight in logs.values()) + exp(likely.ELSE_OF_TWO - top)
        told = [(share / total, stood[same]) for same, share in shares.items()]
        return sorted(told, key=lambda one: (round(one[0], 6), one[1].weight), reverse=True)

    def clean(self, floor: int) -> list[Stood]:
        """What leaves nothing of the deal's own, but not how it came to be written."""
        stood = self._sheet(floor)
        ways = self._ways
        if not self.trials.spend(len(ways) * (len(self.written.codes) + 1) // 4):
            return []
        states, found = self._played(ways, 0)
        kept, left, unended = self._counted(ways, states, found, floor)
        for i in kept[(left == floor) & ~unended]:
            same = self._makes(ways.slips[i], ways.changes[i].tolist(), ways.about[i])
            stood.append(Stood(floor, self._weighed(ways, int(i)), Edit("", ""), same))
        return stood

    def _sheet(self, floor: int) -> list[Stood]:
        """What the sheet declares being the second slip, where the play has nothing wrong."""
        if self.found.any():
            return []
        state = self.written.replay.last.state
        if not self.trials.only_declared(self.index, state, floor):
            return []
        points, winner = self.trials.result_of(state)
        told = [(self.deal.points, points), (self.deal.winner, winner)]
        wrong = [(a, b) for a, b in told if a is not None and a != b]
        if len(wrong) != 1:
            return []
        weight = Slip.DECLARED.weight + likely.declared(*wrong[0])
        return [Stood(floor, weight, Edit("", ""), (*self._same(), repr(wrong)))]

    def _after(self, ways: Ways, i: int) -> "DealSearch | None":
        """The search of the deal with a way taken."""
        slip, change, about = ways.slips[i], ways.changes[i].tolist(), ways.about[i]
        was = self.written
        words, row, dealer = was.words, was.row, was.dealer
        if slip is Slip.OPENS:
            dealer = about[0]
            row = self._opened[dealer]
        elif slip in (Slip.DEALT, Slip.TURNED, Slip.BID):
            row = self._row(slip, about)
        else:
            words = self._words(change)
        return DealSearch(self.trials, self.index, self.trials.replayed(was, words, row, dealer))

    def _weighed(self, ways: Ways, i: int) -> float:
        """How likely a way is."""
        slip = ways.slips[i]
        return slip.weight + self._weight(slip, ways.changes[i].tolist(), ways.about[i])

    def _least(self, ways: Ways, others: list[Stood]) -> list[Stood]:
        """The ways and the others that leave fewest faults; none where not all were tried."""
        if not self.trials.spend(len(ways) * (len(self.written.codes) + 1) // 4):
            return []
        least = min((one.left for one in others), default=self.base - 1)
        states, found = self._played(ways, max(self.errors - 1, 0))
        kept, left, unended = self._counted(ways, states, found, least)
        least = min([least, *left.tolist()])
        made = [one for one in others if one.left == least]
        kept, unended = kept[left == least], unended[left == least]
        tells = not unended.all()  # where no way ends the deal, that says nothing of any
        for i, short in zip(kept, unended, strict=True):
            if not found[i, 0] or not self._adds(ways, int(i)):
                one = self._stood(ways, int(i), least, states[i])
                weight = one.weight + likely.UNENDED * (short and tells)
                made.append(one._replace(weight=weight, ends=not short))
        return made

    def _adds(self, ways: Ways, i: int) -> bool:
        """Whether a way that leaves errors of play has one that was not there."""
        change = ways.changes[i].tolist()
        tail = np.array(self._codes(change)[change[0] :], np.uint16)
        states = np.zeros(len(tail) + 1, self.game.kernel.State)
        found = np.zeros(len(tail), np.int64)
        states[0] = ways.starts[i]
        self.game.kernel.trace(states, found, self.trials.rules, tail)
        now = np.append(self.found[: change[0]], found)
        return bool((self._errors(now) > self._errors(self.found)).any())

    def _errors(self, found: NDArray[np.int64]) -> NDArray[np.int64]:
        """How often each error is there, one number a bit."""
        faults = self.game.faults
        bits = np.array([one.bit for one in faults.rows if one.bit & faults.errors])
        return np.count_nonzero(found[:, None] & bits, axis=0)

    def _played(self, ways: Ways, most: int) -> tuple[NDArray[np.void], NDArray[np.int64]]:
        """The states every way ends in, and what is wrong with its actions."""
        states = ways.starts.copy()
        found = np.zeros((len(ways), 4), np.int64)
        self.game.kernel.attempts(
            *(states, found, self.trials.rules, self.written.codes.astype(np.uint16)),
            *(ways.changes, most),
        )
        # what comes before the first change stands as it was found
        was, errors = self.found, self.game.faults.errors
        at = np.minimum(ways.changes[:, 0], len(was))
        found[:, 0] += np.cumsum(np.append(0, was & errors != 0))[at]
        found[:, 1] += np.cumsum(np.append(0, (was != 0) & (was & errors == 0)))[at]
        return states, found

    def _counted(
        self, ways: Ways, states: NDArray[np.void], found: NDArray[np.int64], least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """The ways that leave no more than `least`, how much each leaves in the match, and whether
        its deal does not come to its end.
        """
        alive = np.flatnonzero(found[:, 3] == 0)
        left = found[alive, 0] * ERROR_WEIGHT + found[alive, 1]
        kept: list[NDArray[np.int64]] = []
        total: list[NDArray[np.int64]] = []
        short: list[NDArray[np.bool_]] = []
        for group in np.unique(left):
            if group > least:
                break
            those = alive[left == group]
            change = np.array([self._longer(ways, int(i)) for i in those])
            beside, unended = self.trials.counted(self.index, states[those], change)
            kept.append(those)
            total.append(group + beside)
            short.append(unended)
            least = min(least, int(group + beside.min()))
        if not kept:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.bool_)
        return np.concatenate(kept), np.concatenate(total), np.concatenate(short)

    def _longer(self, ways: Ways, i: int) -> int:
        """How many more actions than times there are then: an action comes or goes with its own."""
        change = LONGER.get(ways.slips[i], 0)
        if change and self.times is not None:
            if change < 0 or self._when(int(ways.changes[i, 0])) is not None:
                return 0
        return change

    def _when(self, at: int) -> float | None:
        """The time of an action that is added there, where only one can be."""
        return mend_sheet.between(self.times[:at], self.times[at:]) if self.times else None

    def _declared(self, findings: Sequence[Finding]) -> list[Stood]:
        """What the sheet should say, if the play is right."""
        made = []
        for one in findings:
            edit = mend_sheet.declared(one) if one.record.mended is Mended.TOTAL else None
            if edit is None or self.errors:
                continue
            weight = Slip.DECLARED.weight + likely.declared(one.found, one.legal)
            left = self.base - ERROR_WEIGHT
            points, winner = self.trials.result_of(self.trials.replay(self.index).last.state)
            made.append(Stood(left, weight, edit, (*self._same(), repr(edit)), points, winner))
        return made

    # what a way is, once it has stood

    def _stood(self, ways: Ways, i: int, left: int, state: np.void) -> Stood:
        weight = self._weighed(ways, i)
        way = ways.slips[i], ways.changes[i].tolist(), ways.about[i]
        edit, same = self._edit(*way), self._makes(*way)
        points, winner = self.trials.result_of(state)
        return Stood(left, weight, edit, same, points, winner)

    def _weight(self, slip: Slip, change: list[int], about: tuple[int, int]) -> float:
        """How likely it was there, and to that."""
        n = max(len(self.written.codes), 1)
        at, _, put = change[:3]
        match slip:
            case Slip.WORD:
                return self._reworded(at, put) - log(n)
            case Slip.SEAT:
                return self._often(put) - log(n * max(self.table.players - 1, 1))
            case Slip.EXTRA if not self.written.known[at]:
                return likely.NO_WORD - log(n)
            case Slip.EXTRA if self._kind(int(self.written.codes[at])) == "play":
                copied = np.count_nonzero(self.written.codes == self.written.codes[at]) > 1
                # what is there twice was not made up
                return (likely.COPIED - slip.weight if copied else likely.NEVER_PLAYED) - log(n)
            case Slip.MISSING:
                return self._owed(at, put) - log(n) + likely.AGAIN * self._stands(put)
            case Slip.ORDER:
                return -log(n * n / 8)
            case Slip.CARDS:
                return -log(n) + likely.APART * max(change[3] - at - 1, 0)
            case Slip.MOVED:
                return -log(n) - log(abs(change[3] - at) + 1)
            case Slip.OPENS:
                return -log(max(self.table.players - 1, 1))
            case Slip.DEALT:
                return self._dealt(about)
            case Slip.TURNED:
                return -log(self.game.row.places)
            case Slip.BID:
                return -log(4 * self.table.players)
            case _:
                return -log(n)

    def _word(self, code: int) -> str:
        """An action's word, without its seat."""
        return self._action(code).partition(" ")[2]

    def _action(self, code: int) -> str:
        return decode(self.game.name, code, self.table.faces)

    def _kind(self, code: int) -> str:
        kind: str = self.game.acts.kind_of_act(code & ACT_MASK)
        return kind

    def _reworded(self, at: int, put: int) -> float:
        """One word for another."""
        was = int(self.written.codes[at])
        if not self.written.known[at]:
            text = self.written.words[at]
            read = pen.reading(self.game.name, text, self.table.faces)
            meant = self._action(put)
            if read is not None:
                return 0.0 if read == meant else likely.MISREAD
            return likely.misspelt(text, meant) + self._often(put)
        alike = self._kind(was) == self._kind(put)
        return likely.written(self._word(was), self._word(put), alike) + self._often(put)

    def _often(self, put: int) -> float:
        """How often such an act is done where it may be."""
        return log(self.own.OFTEN.get(self._sort(put), 1.0))

    def _sort(self, code: int) -> str:
        """What acts are counted as: by the beginning of their word, if that is said, or by kind."""
        word = self._word(code)
        return next((one for one in self.own.OFTEN if word.startswith(one)), self._kind(code))

    def _owed(self, at: int, put: int) -> float:
        """How likely that act was what stood there: one card of a hand, say."""
        sort = self._sort(put)
        alike = [seat for seat, one in self._acts_at(at) if one == sort]
        seat, turn = put >> SEAT_SHIFT, int(self.written.replay.states[at]["turn"])
        out = likely.OUT_OF_TURN if seat != turn and turn in alike else 0.0
        return self._often(put) - log(max(alike.count(seat), 1)) + out

    def _stands(self, put: int) -> bool:
        """Whether the announcement is there already, as one that was not shown."""
        return self._action(put) + likely.UNSHOWN in self.written.words

    def _acts_at(self, at: int) -> list[tuple[int, str]]:
        """Who might do what before an action, asked once for all that may be put there."""
        if at not in self._allowed:
            state = self.written.replay.states[at]
            legal = legal_codes(self.game, state, self.trials.rules).tolist()
            self._allowed[at] = [(code >> SEAT_SHIFT, self._sort(code)) for code in legal]
        return self._allowed[at]

    def _dealt(self, about: tuple[int, int]) -> float:
        """Two cards of the deal exchanged: neighbours more often."""
        one, other = about
        n = self.game.row.places
        if other < NONE:
            return -log(n * self.game.row.cards) - 1.0
        return log(0.5 / n) if other == one + 1 else log(1.0 / (n * n))

    def _edit(self, slip: Slip, change: list[int], about: tuple[int, int]) -> Edit:
        """What to do in the log."""
        if slip in (Slip.DEALT, Slip.TURNED):
            return self._pack(slip, about)
        if slip is Slip.OPENS:
            return Edit("replace", self._path(self.deal.OPENS), about[0] + 1, "seat")
        if slip is Slip.BID:
            assert self.table.bids is not None
            value = self.table.bids.names[about[1]]
            return Edit("replace", self._path("bids", about[0]), value, "value")
        return self._acted(slip, change)

    def _makes(self, slip: Slip, change: list[int], about: tuple[int, int]) -> tuple[Any, ...]:
        """What a way makes of the deal: the same for the same log."""
        if slip is Slip.OPENS:
            return self._same(row=self._opened[about[0]], dealer=about[0])
        if slip in (Slip.DEALT, Slip.TURNED, Slip.BID):
            return self._same(row=self._row(slip, about))
        return self._same(codes=self._codes(change))

    def _same(
        self,
        codes: list[int] | None = None,
        row: NDArray[np.uint8] | None = None,
        dealer: int | None = None,
    ) -> tuple[Any, ...]:
        """Equal for what makes the same deal."""
        codes = self.written.codes.tolist() if codes is None else codes
        row = self.written.row if row is None else row
        return tuple(codes), row.tobytes(), self.written.dealer if dealer is None else dealer

    def _row(self, slip: Slip, about: tuple[int, int]) -> NDArray[np.uint8]:
        """What is dealt from then."""
        row, (one, other) = self.written.row.copy(), about
        if slip is Slip.BID:
            row[self.own.bids(self.table)[one][0]] = other
        elif slip is Slip.DEALT and other >= 0:
            row[one], row[other] = row[other], row[one]
        else:
            row[one] = other if slip is Slip.TURNED else -2 - other
        return row

    def _codes(self, change: list[int]) -> list[int]:
        """The actions as they are then."""
        return _changed(self.written.codes.tolist(), change, lambda put, at: put)

    def _words(self, change: list[int]) -> list[str]:
        """The actions as they are written then."""
        return _changed([*self.written.words], change, lambda put, at: self._said(put, at, change))

    def _said(self, put: int, at: int, change: list[int]) -> str:
        """An action as it is written; one nobody knows as it stood at the other place."""
        if put & ACT_MASK == UNKNOWN:
            return self.written.words[change[3] if at == change[0] else change[0]]
        return self._action(put)

    def _path(self, *keys: Any) -> str:
        return pointer("deals", self.index, *keys)

    def _acted(self, slip: Slip, change: list[int]) -> Edit:
        at, _, put, then, _, other = change
        path = self._path("actions", at)
        if slip is Slip.MISSING:
            when = self._when(at)
            also = () if when is None else (Edit("add", self._path("times", at), when),)
            return Edit("add", path, self._action(put), "action", also=also)
        if slip in (Slip.DOUBLED, Slip.EXTRA):
            timed = self.times is not None
            also = (Edit("remove", self._path("times", at)),) if timed else ()
            return Edit("remove", path, self.written.words[at], "action", also=also)
        if slip is Slip.MOVED:
            return self._moved(change)
        why = {Slip.SEAT: "seat", Slip.SWAPPED: "swap", Slip.ORDER: "swap", Slip.CARDS: "cards"}
        named = why.get(slip, "card" if self._kind(put) == "play" else "word")
        also = ()
        if then >= 0:
            value = self._said(other, then, change)
            also = (Edit("replace", self._path("actions", then), value, named),)
        return Edit("replace", path, self._said(put, at, change), named, also=also)

    def _moved(self, change: list[int]) -> Edit:
        """An action left out where it stood and put where it was."""
        at, take, _, then, _, _ = change
        gone, come = (at, then - 1) if take else (then, at)
        word = self.written.words[gone]
        also = (Edit("add", self._path("actions", come), word, "move"),)
        return Edit("remove", self._path("actions", gone), word, "move", also=also)

    def _pack(self, slip: Slip, about: tuple[int, int]) -> Edit:
        """Two cards of the deal exchanged, one turned, or another in its place."""
        row, (one, other) = self.written.row, about
        rows = mend_cards.rows_of(self.deal)
        if slip is Slip.DEALT and other >= 0:
            names = self._card(int(row[one])), self._card(int(row[other]))
            edit, _ = mend_cards.exchanged(rows, self.index, *names)
        else:
            card = other if slip is Slip.TURNED else -2 - other
            was = self._card(int(row[one]))
            edit, _ = mend_cards.rewritten(rows, self.index, was, self._card(card))
        return edit

    def _card(self, card: int) -> str:
        if self.table.deck is not None:
            return self.table.deck.card(card)
        return str(self.game.pack.names[card])


def _changed(acts: list[T], change: list[int], made: Callable[[int, int], T]) -> list[T]:
    """A list of acts after a change, by what is made of each code that is put at a place."""
    for at, take, put in sorted((change[:3], change[3:]), reverse=True):
        if at >= 0:
            acts[at : at + take] = [made(put, at)] if put >= 0 else []
    return acts
