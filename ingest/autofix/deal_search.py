"""One deal searched: every way it may have gone instead, played by the engine and weighed.

The ways come from `ingest.autofix.error_model`, all kinds of slip together; each is played to the
deal's end, and those that leave fewest faults there are counted to the match's end, sheet and
result included.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from math import exp, log
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT, UNKNOWN
from ingest.autofix import error_model as model
from ingest.autofix import misspellings, sheet_fixes
from ingest.autofix.error_model import Change, Slip, Stood, Ways, Written
from ingest.autofix.evaluate import ERROR_WEIGHT, Trials
from ingest.findings.finding import Edit, Finding
from ingest.games import of
from ingest.games.finding_code import Mended
from ingest.reader.json_text import pointer
from schemas.deal_codec import decode as laid_out
from schemas.notation import decode

T = TypeVar("T")
LONGER = {Slip.MISSING: 1, Slip.DOUBLED: -1, Slip.EXTRA: -1}  # how many more actions a deal has
WHY = {Slip.SEAT: "seat", Slip.SWAPPED: "swap", Slip.ORDER: "swap", Slip.CARDS: "cards"}
BEAM = 60  # of two slips, how many of the likeliest first ones a second one is looked for behind


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
        told: list[float] | None = self.deal.times
        timed = told is not None and len(told) == len(self.deal.actions)
        self.times = told if timed else None  # one for each action
        self.found = self.written.replay.found
        errors = self.found & self.game.faults.errors != 0
        self.errors = int(np.count_nonzero(errors))
        shown = np.flatnonzero(errors if self.errors else self.found)
        self.until = int(shown[0]) if len(shown) else len(self.written.codes)
        self.base, self.floor = trials.left(index)
        self._allowed: dict[int, list[tuple[int, str]]] = {}

    # searches

    def stood(self, findings: Sequence[Finding]) -> list[Stood]:
        """The ways, and what the sheet may say instead, that leave fewest faults and fewer."""
        if not self.trials.spend(len(self.written.codes) ** 2 // 4):  # they grow faster than it
            return []
        made = []
        for one in findings if not self.errors else ():  # what the sheet says, if the play is right
            edit = sheet_fixes.declared(one) if one.record.mended is Mended.TOTAL else None
            if edit is not None:
                weight = Slip.DECLARED.weight + model.declared(one.found, one.legal)
                left, same = self.base - ERROR_WEIGHT, (*self._makes(), repr(edit))
                result = self.trials.result_of(self.trials.replay(self.index).last.state)
                made.append(Stood(left, weight, edit, same, *result))
        return self._least(self._ways, made)

    def stood_at(self, at: int) -> list[Stood]:
        """The same of one action alone, for a fault that others do not come of."""
        if at >= len(self.written.replay):
            return []
        return self._least(model.changed(self.game, self.trials.rules, self.written, at), [])

    def pairs(self) -> list[tuple[float, Stood]]:
        """First edits of two that explain all there is, best first: (their share of it, each)."""
        # all pairs that begin with one count; where either of two may come first, the likelier does
        if not self.trials.spend(len(self.written.codes) ** 2 // 4):
            return []
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
        weights = {
            i: self._weighed(ways.one(i))
            for i in np.flatnonzero(further).tolist()
            if timely[self._longer(ways, i)] or not timely[0]
        }
        logs: dict[Any, float] = {}
        first: dict[Any, dict[Any, None]] = {}  # in order: what is offered may not hang on hashes
        stood: dict[Any, Stood] = {}
        for i in sorted(weights, key=lambda i: weights[i], reverse=True)[:BEAM]:
            way = ways.one(i)
            if (same := self._makes(way)) in stood:
                continue
            stood[same] = Stood(self.floor, weights[i], self._edit(way), same)
            _, row, dealer = self._becomes(way)
            after = self.trials.replayed(self.written, self._words(way), row, dealer)
            for one in DealSearch(self.trials, self.index, after)._clean():
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
        total = sum(exp(weight - top) for weight in logs.values()) + exp(model.ELSE_OF_TWO - top)
        told = [(share / total, stood[same]) for same, share in shares.items()]
        return sorted(told, key=lambda one: (round(one[0], 6), one[1].weight), reverse=True)

    def _clean(self) -> list[Stood]:
        """What leaves nothing of the deal's own, but not how it came to be written."""
        # what the sheet declares is the second slip where the play has nothing wrong
        stood, state, floor = [], self.written.replay.last.state, self.floor
        if not self.found.any() and self.trials.only_declared(self.index, state, floor):
            points, winner = self.trials.result_of(state)
            told = [(self.deal.points, points), (self.deal.winner, winner)]
            wrong = [(a, b) for a, b in told if a is not None and a != b]
            if len(wrong) == 1:
                weight = Slip.DECLARED.weight + model.declared(*wrong[0])
                stood.append(Stood(floor, weight, Edit("", ""), (*self._makes(), repr(wrong))))
        ways = self._ways
        if not self.trials.spend(len(ways.slips) * (len(self.written.codes) + 1) // 4):
            return []
        states, found = self._played(ways, 0)
        kept, left, unended = self._counted(ways, states, found, floor)
        for i in kept[(left == floor) & ~unended].tolist():
            way = ways.one(i)
            stood.append(Stood(floor, self._weighed(way), Edit("", ""), self._makes(way)))
        return stood

    @cached_property
    def _ways(self) -> Ways:
        """Every way the deal may have gone instead."""
        until = min(self.until, len(self.written.replay) - 1)
        bids = self.own.bids(self.table)
        return model.every(self.game, self.trials.rules, self.written, until, self._opened, bids)

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

    # ways played

    def _least(self, ways: Ways, others: list[Stood]) -> list[Stood]:
        """The ways and the others that leave fewest faults; none where not all were tried."""
        if not self.trials.spend(len(ways.slips) * (len(self.written.codes) + 1) // 4):
            return []
        least = min((one.left for one in others), default=self.base - 1)
        states, found = self._played(ways, max(self.errors - 1, 0))
        kept, left, unended = self._counted(ways, states, found, least)
        least = min([least, *left.tolist()])
        made = [one for one in others if one.left == least]
        kept, unended = kept[left == least], unended[left == least]
        tells = not unended.all()  # where no way ends the deal, that says nothing of any
        for i, short in zip(kept.tolist(), unended.tolist(), strict=True):
            way = ways.one(i)
            if not found[i, 0] or not self._adds(way, ways.starts[i]):
                weight = self._weighed(way) + model.UNENDED * (short and tells)
                result = self.trials.result_of(states[i])
                edit, same = self._edit(way), self._makes(way)
                made.append(Stood(least, weight, edit, same, *result, not short))
        return made

    def _adds(self, way: Change, start: np.void) -> bool:
        """Whether a way that leaves errors of play has one that was not there."""
        faults, at = self.game.faults, way.acts[0]
        tail = np.array(self._becomes(way)[0][at:], np.uint16)
        states = np.zeros(len(tail) + 1, self.game.kernel.State)
        found = np.zeros(len(tail), np.int64)
        states[0] = start
        self.game.kernel.trace(states, found, self.trials.rules, tail)
        bits = np.array([one.bit for one in faults.rows if one.bit & faults.errors])
        # how often each error is there
        now, was = (
            np.count_nonzero(each[:, None] & bits, axis=0)
            for each in (np.append(self.found[:at], found), self.found)
        )
        return bool((now > was).any())

    def _played(self, ways: Ways, most: int) -> tuple[NDArray[np.void], NDArray[np.int64]]:
        """The states every way ends in, and what is wrong with its actions."""
        states = ways.starts.copy()
        found = np.zeros((len(states), 4), np.int64)
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
        """The ways that leave no more than `least`, what each leaves, and which are not ended."""
        alive = np.flatnonzero(found[:, 3] == 0)
        left = found[alive, 0] * ERROR_WEIGHT + found[alive, 1]
        kept, total, short = [alive[:0]], [left[:0]], [np.zeros(0, np.bool_)]
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
        return sheet_fixes.between(self.times[:at], self.times[at:]) if self.times else None

    # how likely a way is

    def _weighed(self, way: Change) -> float:
        """How likely a slip of this kind is, there, and to that."""
        codes, places, players = self.written.codes, self.game.row.places, self.table.players
        n = max(len(codes), 1)
        (at, _, put, then, *_), (one, other) = way.acts, way.about
        likely = -log(n)  # at any of the actions
        match way.slip:
            case Slip.WORD if self.written.known[at]:
                was, meant = int(codes[at]), self._action(put)
                words = (action.partition(" ")[2] for action in (self._action(was), meant))
                alike = self._kind(was) == self._kind(put)
                likely += model.written(*words, alike) + self._often(put)
            case Slip.WORD:  # for what is no word: as it is read, or else by how near it is
                text, meant = self.written.words[at], self._action(put)
                read = misspellings.reading(self.game.name, text, self.table.faces)
                if read is None:
                    likely += model.misspelt(text, meant) + self._often(put)
                elif read != meant:
                    likely += model.MISREAD
            case Slip.SEAT:
                likely = self._often(put) - log(n * max(players - 1, 1))
            case Slip.EXTRA if not self.written.known[at]:
                likely += model.NO_WORD
            case Slip.EXTRA if self._kind(int(codes[at])) == "play":
                copied = np.count_nonzero(codes == codes[at]) > 1
                # what is there twice was not made up
                likely += model.COPIED - way.slip.weight if copied else model.NEVER_PLAYED
            case Slip.MISSING:
                stands = self._action(put) + model.UNSHOWN in self.written.words
                # how likely that act was what stood there: one card of a hand, say
                state = self.written.replay.states[at]
                if at not in self._allowed:  # asked once for all that may be put there
                    legal = model.legal_codes(self.game, state, self.trials.rules).tolist()
                    self._allowed[at] = [(code >> SEAT_SHIFT, self._sort(code)) for code in legal]
                sort, seat, turn = self._sort(put), put >> SEAT_SHIFT, int(state["turn"])
                others = [own for own, one in self._allowed[at] if one == sort]
                owed = self._often(put) - log(max(others.count(seat), 1))
                owed += model.OUT_OF_TURN if seat != turn and turn in others else 0.0
                likely += owed + model.AGAIN * stands
            case Slip.ORDER:
                likely = -log(n * n / 8)
            case Slip.CARDS:
                likely += model.APART * max(then - at - 1, 0)
            case Slip.MOVED:
                likely -= log(abs(then - at) + 1)
            case Slip.OPENS:
                likely = -log(max(players - 1, 1))
            case Slip.DEALT if other < model.NONE:
                likely = -log(places * self.game.row.cards) - 1.0
            case Slip.DEALT:  # two cards, neighbours more often
                likely = log(0.5 / places) if other == one + 1 else log(1.0 / (places * places))
            case Slip.TURNED:
                likely = -log(places)
            case Slip.BID:
                likely = -log(4 * players)
        return way.slip.weight + likely

    def _action(self, code: int) -> str:
        return decode(self.game.name, code, self.table.faces)

    def _kind(self, code: int) -> str:
        kind: str = self.game.acts.kind_of_act(code & ACT_MASK)
        return kind

    def _often(self, put: int) -> float:
        """How often such an act is done where it may be."""
        return log(self.own.OFTEN.get(self._sort(put), 1.0))

    def _sort(self, code: int) -> str:
        """What acts are counted as: by the beginning of their word, if that is said, or by kind."""
        word = self._action(code).partition(" ")[2]
        return next((one for one in self.own.OFTEN if word.startswith(one)), self._kind(code))

    # what a way makes of the deal, and of the log

    def _becomes(self, way: Change) -> tuple[list[int], NDArray[np.uint8], int]:
        """The codes, what is dealt from, and who deals."""
        row, dealer, (one, other) = self.written.row.copy(), self.written.dealer, way.about
        match way.slip:
            case Slip.OPENS:
                row, dealer = self._opened[one], one
            case Slip.BID:
                row[self.own.bids(self.table)[one][0]] = other
            case Slip.TURNED:
                row[one] = other
            case Slip.DEALT if other >= 0:
                row[one], row[other] = row[other], row[one]
            case Slip.DEALT:
                row[one] = -2 - other
        return _changed(self.written.codes.tolist(), way.acts, lambda put, at: put), row, dealer

    def _makes(self, way: Change | None = None) -> tuple[Any, ...]:
        """Equal for what makes the same deal; without a way of the deal as it is."""
        was = self.written
        same = was.codes.tolist(), was.row, was.dealer
        codes, row, dealer = same if way is None else self._becomes(way)
        return tuple(codes), row.tobytes(), dealer

    def _words(self, way: Change) -> list[str]:
        return _changed([*self.written.words], way.acts, lambda put, at: self._said(put, at, way))

    def _said(self, put: int, at: int, way: Change) -> str:
        """An action as it is written; one nobody knows as it stood at the other place."""
        if put & ACT_MASK == UNKNOWN:
            return self.written.words[way.acts[3] if at == way.acts[0] else way.acts[0]]
        return self._action(put)

    def _edit(self, way: Change) -> Edit:
        (at, take, put, then, _, other), (one, two), slip = way.acts, way.about, way.slip

        def path(*keys: Any) -> str:
            return pointer("deals", self.index, *keys)

        match slip:
            case Slip.DEALT | Slip.TURNED:
                row, exchanged = self.written.row, slip is Slip.DEALT and two >= 0
                card = int(row[two]) if exchanged else two if slip is Slip.TURNED else -2 - two
                deck = self.table.deck
                was, now = (
                    str(self.game.pack.names[each]) if deck is None else deck.card(each)
                    for each in (int(row[one]), card)
                )
                return sheet_fixes.recarded(self.deal, self.index, was, now, exchanged)
            case Slip.OPENS:
                return Edit("replace", path(self.deal.OPENS), one + 1, "seat")
            case Slip.BID:
                assert self.table.bids is not None
                return Edit("replace", path("bids", one), self.table.bids.names[two], "value")
            case Slip.MISSING:
                when = self._when(at)
                also = () if when is None else (Edit("add", path("times", at), when),)
                return Edit("add", path("actions", at), self._action(put), "action", also=also)
            case Slip.DOUBLED | Slip.EXTRA:
                also = () if self.times is None else (Edit("remove", path("times", at)),)
                word = self.written.words[at]
                return Edit("remove", path("actions", at), word, "action", also=also)
            case Slip.MOVED:  # left out where it stood and put where it was
                gone, come = (at, then - 1) if take else (then, at)
                word = self.written.words[gone]
                also = (Edit("add", path("actions", come), word, "move"),)
                return Edit("remove", path("actions", gone), word, "move", also=also)
        why = WHY.get(slip, "card" if self._kind(put) == "play" else "word")
        also = ()
        if then >= 0:
            also = (Edit("replace", path("actions", then), self._said(other, then, way), why),)
        return Edit("replace", path("actions", at), self._said(put, at, way), why, also=also)


def _changed(acts: list[T], change: list[int], made: Callable[[int, int], T]) -> list[T]:
    """A list of acts after a change, by what is made of each code that is put at a place."""
    for at, take, put in sorted((change[:3], change[3:]), reverse=True):
        if at >= 0:
            acts[at : at + take] = [made(put, at)] if put >= 0 else []
    return acts
