"""What would become of an explained match if one of its deals were written otherwise.

Only the engine answers: the deal is replayed with its kernel, the match counted with its match
functions, and what they find is held against what they found in the log as it is.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.acts import ACT_MASK, UNKNOWN
from engine.games import TOLD, UNSAID
from engine.replay import Replay
from ingest.judge.case import clipped, told_array
from ingest.judge.explain import Explained
from ingest.mend.ways import Written
from ingest.text.json import pointer
from schemas.deal import Decoded, decode, first_seat
from schemas.table import Table
from schemas.words import encode

STEPS = 6_000_000
"""Actions replayed for one match, all trials together; then no more is tried."""
ERROR_WEIGHT = 1000
"""What an error that is left counts, in warnings."""
WORSE = 1_000_000
"""Of what adds an error."""
UNREAD = " ?"
"""Makes of a word one that nobody knows."""
AT_ONCE = 20_000
"""Ends of deals that are counted together."""
READ = 440
"""What decoding a deal anew weighs, in actions,"""
COST = 40
"""what other cuts do,"""
ATTEMPT = 10
"""and each attempt of them."""


class Outcome(NamedTuple):
    """A trial that adds no error: how many are left that were there."""

    errors: int
    told: tuple[list[int], int | None] | tuple[()] = ()
    """The points and the winner the deal comes to."""


class _Deal:
    """A deal as it was replayed, and the faults of each of its actions as bits."""

    def __init__(self, words: list[str], decoded: Decoded, replay: Replay | None) -> None:
        self.words, self.replay = words, replay
        self.codes = np.array(decoded.codes, np.uint16)
        self.row = np.array(decoded.deck or (), np.uint8)
        self.explicit = decoded.explicit
        self.partial = decoded.partial
        self.found = faults_of(replay, len(self.codes))

    def written(self) -> Written:
        """The deal as it was written."""
        assert self.replay is not None
        codes, dealer = self.codes.astype(np.int64), int(self.replay[0].state["dealer"])
        known = codes & ACT_MASK != UNKNOWN
        dealt = self.row, dealer, self.explicit
        return Written(self.replay, codes, *dealt, known, self.words)

    @property
    def last(self) -> np.void:
        """The state it was left in."""
        assert self.replay is not None
        return self.replay.last.state


def faults_of(replay: Replay | None, count: int) -> NDArray[np.int64]:
    """The faults of each of `count` actions as a replay found them, a bit set each."""
    found = np.zeros(count, np.int64)
    for at, fault in replay.faults if replay is not None else ():
        found[at] |= fault.bit
    return found


class Trials:
    """The trials of one match. A deal is named by its place, `at` is an action's, from 0."""

    def __init__(self, explained: Explained) -> None:
        assert explained.match is not None
        assert explained.table is not None
        self.match: Any = explained.match
        self.table: Table = explained.table
        self.game = self.table.game
        self.steps = STEPS
        self._incomplete = self.game.match_faults.by_code["incomplete"].bit
        words = [deal.actions for deal in self.match.deals]
        told = zip(words, explained.decoded, explained.replays, strict=True)
        self._deals = [_Deal(*one) for one in told]
        self._rules = np.zeros(1, self.table.rules.dtype)
        self._rules[0] = self.table.rules
        self._cuts = np.array([explained.cuts], np.int64)
        self._attempts = self._read_cuts(self.match.known("cuts") or [])[1]
        self._sheets()
        self._known, self._result_known = self._counted()
        # a deal that cannot be dealt, or stops at what cannot be, has not come to its end either
        short = self._undealt | (self._stops < 0)
        self._known[short] |= self._incomplete

    def deal(self, index: int) -> _Deal:
        """A deal as it was replayed."""
        return self._deals[index]

    def written(self, words: list[str], was: Written, row: Any, dealer: int) -> Written:
        """A deal with other words or cards, replayed."""
        told = [encode(self.game.name, word, self.table.faces) for word in words]
        codes = np.array(told, np.int64)
        dealt = (row, codes.astype(np.uint16), was.explicit)
        replay = Replay(self.game, self.table.rules, self.table.players, dealer, *dealt)
        known = codes & ACT_MASK != UNKNOWN
        return Written(replay, codes, row, dealer, was.explicit, known, words)

    def as_written(self, index: int) -> Written:
        """A deal as it was written; the one draw of a deal that tells no other is no word of it."""
        was = self._deals[index].written()
        kinds = [self.game.acts.kind_of_act(int(code) & ACT_MASK) for code in was.codes]
        if not was.explicit or kinds.count("draw") != 1:
            return was
        words = list(was.words)
        words[kinds.index("draw")] += UNREAD
        return self.written(words, was._replace(explicit=False), was.row, was.dealer)

    def own(self, index: int) -> int:
        """What of all that is wrong is wrong with a deal itself, its sheet included."""
        found, known = self._deals[index].found, int(self._known[index])
        errors = int(np.count_nonzero(found & self.game.faults.errors))
        known &= ~self._incomplete if errors else -1
        left = (errors + known.bit_count() + self.untimely(index, 0)) * ERROR_WEIGHT
        return left + int(np.count_nonzero(found)) - errors

    def only_declared(self, index: int, state: np.void, floor: int) -> bool:
        """Whether with such an end one fault is left of a deal, of what its sheet declares."""
        found, results = self._counted_all(index, state.reshape(1))
        own = int(found[0, index])
        rest = int(np.bitwise_count(found).sum() + np.bitwise_count(results).sum()) - 1
        faults = self.game.match_faults.by_code
        declared = sum(faults[code].bit for code in ("points-differ", "winner-differs"))
        return own.bit_count() == 1 and bool(own & declared) and rest * ERROR_WEIGHT <= floor

    @property
    def spent(self) -> bool:
        """Whether a trial was left out, so that nobody knows what would have stood."""
        return self.steps < 0

    @property
    def rules(self) -> np.void:
        """The rules as the kernel reads them."""
        rules: np.void = self._rules[0]
        return rules

    def left(self, index: int) -> int:
        """What is wrong with a deal's play, and with the whole match beside it.

        That the deal does not come to its end is no error of its own after another.
        """
        found = self._deals[index].found
        errors = int(np.count_nonzero(found & self.game.faults.errors))
        left = errors * ERROR_WEIGHT + int(np.count_nonzero(found)) - errors
        known = self._known.copy()
        if errors:
            known[index] &= ~self._incomplete
        wrong = _bits(known) + int(self._result_known).bit_count()
        return left + (wrong + self.untimely(index, 0)) * ERROR_WEIGHT

    def counted(
        self, index: int, states: NDArray[np.void], change: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """What would be wrong with the match, were each of some states the end of a deal.

        `change[i]`: how many more actions it has then. What adds an error there is `WORSE`. Beside
        it, whether the deal is short of its end, which is left out where it has errors of play.
        """
        left = np.zeros(len(states), np.int64)
        unended = np.zeros(len(states), np.bool_)
        played = not np.any(self._deals[index].found & self.game.faults.errors)
        size = max(AT_ONCE // len(self._states), 1)
        for first in range(0, len(states), size):
            some = slice(first, first + size)
            found, results = self._counted_all(index, states[some])
            unended[some] = found[:, index] & self._incomplete != 0
            if not played:
                found[:, index] &= ~self._incomplete
            left[some] = np.bitwise_count(found).sum(axis=1) + np.bitwise_count(results)
            added = np.any(found & ~self._known, axis=1) | (results & ~self._result_known != 0)
            left[some][added] = WORSE
        timely = not self.untimely(index, 0)
        for one in np.unique(change):
            if self.untimely(index, int(one)):
                left[change == one] += WORSE if timely else 1
        return left * ERROR_WEIGHT, unended

    def _counted_all(
        self, index: int, states: NDArray[np.void]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The faults of every deal, a row a state, and of the result."""
        self.steps -= len(states) * len(self._states) // 4
        rules, n, deals = self.game.match, len(states), len(self._states)
        ends = np.tile(self._states, (n, 1))
        ends[:, index] = states
        stops = np.tile(self._stops, n)
        stops[index::deals] = 0
        matches = np.zeros(n, rules.Match)
        found = np.zeros(n * deals, np.int64)
        rules.count(
            *(ends.reshape(-1), stops, np.zeros(n * deals, np.int64)),
            *(self._rules, np.zeros(n * deals, np.int64), matches, np.tile(self._cuts, (n, 1))),
            *(np.arange(n + 1) * deals, np.tile(self._voids, n), np.tile(self._told, (n, 1))),
            found,
        )
        by_deal = found.reshape(n, deals)
        undealt = self._undealt.copy()
        undealt[index] = False
        by_deal[:, undealt] = self._known[undealt]  # nothing is known of these
        results: dict[bytes, int] = {}
        for match in matches:
            if (key := match.tobytes()) not in results:
                results[key] = self._result(match)
        return by_deal, np.array([results[match.tobytes()] for match in matches], np.int64)

    def result_of(self, state: np.void) -> tuple[list[int], int | None]:
        """The points and the winner a deal comes to that ends in a state, as a sheet has them."""
        kernel, sides = self.game.kernel, self.game.sides(self.table.players)
        points = [int(kernel.total(state, side)) for side in range(sides)]
        return points, self.game.match.winner_word(state)

    def rewritten(self, index: int, fault: int = 0, **values: Any) -> Outcome | None:
        """A deal with other values of its keys. None: it adds an error, or keeps `fault`."""
        deal = self._deals[index]
        if not self.spend(READ + len(deal.codes)):
            return None
        written = self.match.deals[index].model_copy(update=values)
        decoded = decode(written, self.table)
        if decoded.deck is None or decoded.partial:
            return None
        dealer = first_seat(written)[0] - 1
        replay = Replay(
            *(self.game, self.table.rules, self.table.players, dealer),
            *(decoded.deck, decoded.codes, decoded.explicit),
        )
        found = replay.found & self.game.faults.errors
        if np.any(found & ~deal.found):
            return None
        state, stopped = replay.last.state, replay.stop is not None
        return self._judged(index, state, stopped, _bits(found), fault)

    def recut(self, code: str, path: str, cuts: Sequence[Sequence[str]]) -> Outcome | None:
        """The match with other cuts. None: it adds an error, or keeps the one found at `path`."""
        if not self.spend(COST + ATTEMPT * sum(map(len, cuts))):
            return None
        read, wrong = self._read_cuts(cuts)
        codes, known = (Counter(code for code, _ in one) for one in (wrong, self._attempts))
        if (code, path) in wrong or not codes < known:
            return None
        kept = self._cuts
        self._cuts = np.array([self.game.match.dealers_by_cut(read)], np.int64)
        try:
            found, result = self._counted()
        finally:
            self._cuts = kept
        if np.any(found & ~self._known) or result & ~self._result_known:
            return None
        return Outcome(_bits(found) + int(result).bit_count() + len(wrong))

    def _read_cuts(self, cuts: Sequence[Sequence[str]]) -> tuple[Any, list[tuple[str, str]]]:
        """Cuts as the match functions take them, and the code and path of each of their faults."""
        if not cuts:
            return [], []
        read, wrong = self.game.match.read_cuts(cuts, self.table.players)
        return read, [(code, pointer("cuts", i, k)) for code, i, k in wrong]

    def spend(self, actions: int) -> bool:
        """Take so many actions off what the match may cost; False: it is spent."""
        self.steps -= actions
        return self.steps >= 0

    def _judged(
        self, index: int, state: np.void, stopped: bool, errors: int, fault: int
    ) -> Outcome | None:
        """The match with another end of one deal."""
        kept = self._states[index].copy(), self._stops[index], self._undealt[index]
        self._states[index], self._stops[index] = state, -1 if stopped else 0
        self._undealt[index] = False
        try:
            found, result = self._counted()
        finally:
            self._states[index], self._stops[index], self._undealt[index] = kept
        if np.any(found & ~self._known) or result & ~self._result_known or found[index] & fault:
            return None
        errors += _bits(found) + int(result).bit_count() + self.untimely(index, 0)
        return Outcome(errors, self.result_of(state))

    def untimely(self, index: int, change: int) -> bool:
        """Whether a deal that has `change` more actions has not as many times."""
        deal = self.match.deals[index]
        return deal.times is not None and len(deal.times) != len(deal.actions) + change

    # the match as a whole

    def _sheets(self) -> None:
        """The ends of all deals and what their sheets say, as the match functions take them."""
        deals, players = self.match.deals, self.table.players
        count = len(deals)
        self._states = np.zeros(count, self.game.kernel.State)
        self._stops = np.zeros(count, np.int64)
        self._undealt = np.zeros(count, np.bool_)
        self._told = np.zeros((count, TOLD), np.int64)
        self._voids = np.array([bool(deal.void) for deal in deals], np.int64)
        for index, (deal, played) in enumerate(zip(deals, self._deals, strict=True)):
            replay = played.replay
            if replay is None:
                seat = min(max(first_seat(deal)[0] - 1, 0), players - 1)
                blank = self.game.blank
                replay = Replay(self.game, self.table.rules, players, seat, blank, ())
                self._undealt[index] = not deal.void
            self._states[index] = self._ended(played, replay)
            self._stops[index] = -1 if replay.stop is not None else 0
            points, manche = deal.points or [], deal.known("manche")
            told = self._told[index]
            told[:5] = told_array(points)[:5]
            told[5] = len(points)
            told[6] = UNSAID if deal.winner is None else clipped(deal.winner)
            told[7] = UNSAID if manche is None else clipped(manche)

    def _ended(self, played: _Deal, replay: Replay) -> np.void:
        """The state a deal was left in, as it was before the match was counted.

        To count a match may settle what the end of a deal brings, by all the deals before it.
        """
        if len(replay) < 2 or played.partial:
            return replay.last.state
        state: np.void = replay.states[-2].copy()
        self.game.kernel.step(state, self.rules, int(played.codes[len(replay) - 2]))
        return state

    def _counted(self) -> tuple[NDArray[np.int64], int]:
        """What is wrong with each deal as part of the match, and with the declared result."""
        rules = self.game.match
        count = len(self._states)
        matches = np.zeros(1, rules.Match)
        found = np.zeros(count, np.int64)
        rules.count(
            *(self._states.copy(), self._stops, np.zeros(count, np.int64)),
            *(self._rules, np.zeros(count, np.int64), matches, self._cuts),
            *(np.array([0, count], np.int64), self._voids, self._told, found),
        )
        found[self._undealt] = 0  # nothing is known of these
        return found, self._result(matches[0])

    def _result(self, match: np.void) -> int:
        """What is wrong with the declared result, after such a match."""
        declared = self.match.result
        if declared is None:
            return 0
        score = declared.score or []
        said = "winner" in declared.model_fields_set
        winner = clipped(declared.winner or 0)
        return int(self.game.match.check_result(match, told_array(score), len(score), winner, said))


def _bits(found: NDArray[np.int64]) -> int:
    return int(np.bitwise_count(found).sum())
