"""What would become of an explained match if one of its deals were written otherwise.

Only the engine answers: the deal is replayed with its kernel, the match counted with its match
functions, and what they find is held against what they found in the log as it is.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import cut
from engine.actions import ACT_MASK, UNKNOWN
from engine.games import TOLD
from engine.match import winner_word
from engine.replay import Replay
from ingest.autofix.error_model import Stood, Written
from ingest.reader.json_text import pointer
from ingest.validate.match_checks import clipped, said_of, told_array
from ingest.validate.slow_path import Explained
from schemas.deal_codec import decode, first_seat
from schemas.match_setup import Table
from schemas.notation import encode

Ints = NDArray[np.int64]
States = NDArray[np.void]
STEPS = 6_000_000  # actions replayed for one match, all trials together; then no more is tried
ERROR_WEIGHT = 1000  # what an error that is left counts, in warnings
WORSE = 1_000_000  # of what adds an error
UNREAD = " ?"  # makes of a word one that nobody knows
AT_ONCE = 20_000  # ends of deals that are counted together
# what is weighed in actions: to decode a deal anew, to try other cuts, and each attempt of them
READ, COST, ATTEMPT = 440, 40, 10


class Trials:
    """The trials of one match. A deal is named by its place, `at` is an action's, from 0."""

    def __init__(self, explained: Explained) -> None:
        assert explained.match is not None
        assert explained.table is not None
        self.match: Any = explained.match
        self.table: Table = explained.table
        self.game = self.table.game
        self.steps = STEPS
        self.decoded, self.replays = explained.decoded, explained.replays
        self._incomplete = self.game.match_faults.by_code["incomplete"].bit
        self._rules = np.zeros(1, self.table.rules.dtype)
        self._rules[0] = self.table.rules
        self.rules: np.void = self._rules[0]  # as the kernel reads them
        self._cuts = explained.cuts
        self._attempts = self._read_cuts(self.match.known("cuts") or [])[1]
        # the ends of all deals and what their sheets say, as the match functions take them; to
        # count a match may settle what an end brings, by the deals before: here they are as before
        deals, players = self.match.deals, self.table.players
        self._states = np.zeros(len(deals), self.game.kernel.State)
        self._stops = np.zeros(len(deals), np.int64)
        self._undealt = np.zeros(len(deals), np.bool_)
        self._told = np.zeros((len(deals), TOLD), np.int64)
        self._voids = np.array([bool(deal.void) for deal in deals], np.int64)
        for index, (deal, replay) in enumerate(zip(deals, self.replays, strict=True)):
            if replay is None:
                seat = min(max(first_seat(deal)[0] - 1, 0), players - 1)
                replay = Replay(self.game, self.table.rules, players, seat, self.game.blank, ())
                self._undealt[index] = not deal.void
            self._states[index] = replay.last.state
            if len(replay) > 1 and not self.decoded[index].partial:
                state = replay.states[-2].copy()
                self.game.kernel.step(state, self.rules, int(replay.done[-1]))
                self._states[index] = state
            self._stops[index] = -1 if replay.stop is not None else 0
            said = said_of(deal)
            self._told[index] = *said.points[:5], said.seats, said.winner, said.manche
        self._known = np.zeros(len(self._states), np.int64)
        found, results = self._count(self._states[np.newaxis])
        self._known, self._result_known = found[0], int(results[0])
        # a deal that cannot be dealt, or stops at what cannot be, has not come to its end either
        self._known[self._undealt | (self._stops < 0)] |= self._incomplete

    @property
    def spent(self) -> bool:
        """Whether a trial was left out, so that nobody knows what would have stood."""
        return self.steps < 0

    def spend(self, actions: int) -> bool:
        """Take so many actions off what the match may cost; False: it is spent."""
        self.steps -= actions
        return not self.spent

    def untimely(self, index: int, change: int) -> bool:
        """Whether a deal that has `change` more actions has not as many times."""
        deal = self.match.deals[index]
        return deal.times is not None and len(deal.times) != len(deal.actions) + change

    def result_of(self, state: np.void) -> tuple[list[int], int | None]:
        """The points and the winner a deal comes to that ends in a state, as a sheet has them."""
        return self.game.points(state, self.table.players), winner_word(state)

    # a deal's play

    def replay(self, index: int) -> Replay:
        """A deal as it was replayed; it could be dealt."""
        replay = self.replays[index]
        assert replay is not None
        return replay

    def replayed(self, was: Written, words: list[str], row: Any, dealer: int) -> Written:
        """A deal with other words or cards, replayed."""
        told = [encode(self.game.name, word, self.table.faces) for word in words]
        codes = np.array(told, np.int64)
        dealt = (row, codes.astype(np.uint16), was.explicit)
        replay = Replay(self.game, self.table.rules, self.table.players, dealer, *dealt)
        return Written(replay, codes, row, dealer, was.explicit, codes & ACT_MASK != UNKNOWN, words)

    def as_told(self, index: int) -> Written:
        """A deal as it was written."""
        decoded, replay = self.decoded[index], self.replay(index)
        codes = np.array(decoded.codes, np.int64)
        known = codes & ACT_MASK != UNKNOWN
        dealt = np.array(decoded.deck, np.uint8), int(replay[0].state["dealer"]), decoded.explicit
        return Written(replay, codes, *dealt, known, self.match.deals[index].actions)

    def written(self, index: int) -> Written:
        """The same; but the one draw of a deal that tells no other is no word of it."""
        was = self.as_told(index)
        kinds = [self.game.acts.kind_of_act(int(code) & ACT_MASK) for code in was.codes]
        if not was.explicit or kinds.count("draw") != 1:
            return was
        words = list(was.words)
        words[kinds.index("draw")] += UNREAD
        return self.replayed(was._replace(explicit=False), words, was.row, was.dealer)

    # what is wrong, and what would be

    def left(self, index: int) -> tuple[int, int]:
        """What is wrong with a deal's play and the match, and how much is not the deal's own."""
        # that the deal does not come to its end is no error of its own after another
        found = self.replay(index).found
        errors = int(np.count_nonzero(found & self.game.faults.errors))
        unended = errors > 0 and bool(self._known[index] & self._incomplete)
        counted = _bits(self._known) + self._result_known.bit_count()
        wrong = errors + counted - unended + self.untimely(index, 0)
        others = counted - int(self._known[index]).bit_count()
        return wrong * ERROR_WEIGHT + int(np.count_nonzero(found)) - errors, others * ERROR_WEIGHT

    def only_declared(self, index: int, state: np.void, floor: int) -> bool:
        """Whether with such an end one fault is left of a deal, of what its sheet declares."""
        found, results = self._ended_as(index, state.reshape(1))
        own = int(found[0, index])
        rest = _bits(found) + _bits(results) - 1
        faults = self.game.match_faults.by_code
        declared = sum(faults[code].bit for code in ("points-differ", "winner-differs"))
        return own.bit_count() == 1 and bool(own & declared) and rest * ERROR_WEIGHT <= floor

    def counted(self, index: int, states: States, change: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """What would be wrong with the match, were each of some states the end of a deal, and
        whether the deal is short of its end, which is left out where it has errors of play.
        """
        # `change[i]`: how many more actions it has then; what adds an error there is WORSE
        left = np.zeros(len(states), np.int64)
        unended = np.zeros(len(states), np.bool_)
        played = not np.any(self.replay(index).found & self.game.faults.errors)
        size = max(AT_ONCE // len(self._states), 1)
        for first in range(0, len(states), size):
            some = slice(first, first + size)
            found, results = self._ended_as(index, states[some])
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

    def stood(
        self, index: int, ways: Iterable[tuple[dict[str, Any], Stood]], fault: int = 0
    ) -> list[Stood]:
        """The ways to write an undealable deal (its keys) after which it has no error of play."""
        # none that keeps `fault`, nor any if some were not tried
        stood: dict[Hashable, Stood | None] = {}
        deal, players = self.match.deals[index], self.table.players
        for values, one in ways:
            if one.same in stood:
                continue
            stood[one.same] = None
            if not self.spend(READ + len(deal.actions)):
                return []
            written = deal.model_copy(update=values)
            decoded = decode(written, self.table)
            if decoded.deck is None or decoded.partial:
                continue
            dealt = first_seat(written)[0] - 1, decoded.deck, decoded.codes, decoded.explicit
            replay = Replay(self.game, self.table.rules, players, *dealt)
            if np.any(replay.found & self.game.faults.errors):
                continue
            state, stop = replay.last.state, 0 if replay.stop is None else -1
            found, results = self._ended_as(index, state.reshape(1), stop)
            errors = self._errors(found[0], int(results[0]))
            if errors is not None and not found[0, index] & fault:
                errors += self.untimely(index, 0)
                points, winner = self.result_of(state)
                stood[one.same] = one._replace(left=errors, points=points, winner=winner)
            if self.spent:
                return []
        return [way for way in stood.values() if way is not None]

    def recut(self, code: str, path: str, cuts: Sequence[Sequence[str]]) -> int | None:
        """The errors with other cuts; None: one is new, or stays at `path`, or none is tried."""
        if not self.spend(COST + ATTEMPT * sum(map(len, cuts))):
            return None
        read, wrong = self._read_cuts(cuts)
        codes, known = (Counter(code for code, _ in one) for one in (wrong, self._attempts))
        if (code, path) in wrong or not codes < known:
            return None
        dealers = cut.dealers(self.game, read)
        found, results = self._count(self._states[np.newaxis], cuts=dealers)
        errors = self._errors(found[0], int(results[0]))
        return None if errors is None else errors + len(wrong)

    def _errors(self, found: Ints, result: int) -> int | None:
        """How many faults are left of the match; None: there is one that was not there."""
        if np.any(found & ~self._known) or result & ~self._result_known:
            return None
        return _bits(found) + result.bit_count()

    # the match as a whole

    def _read_cuts(self, cuts: Sequence[Sequence[str]]) -> tuple[Any, list[tuple[str, str]]]:
        """Cuts as the match functions take them, and the code and path of each of their faults."""
        if not cuts:
            return [], []
        read, wrong = cut.read(self.game, cuts, self.table.players)
        return read, [(code, pointer("cuts", i, k)) for code, i, k in wrong]

    def _ended_as(self, index: int, states: States, stop: int = 0) -> tuple[Ints, Ints]:
        """The match counted with each of some states as the end of a deal, as `_count` does."""
        self.steps -= len(states) * len(self._states) // 4
        ends = np.tile(self._states, (len(states), 1))
        ends[:, index] = states
        return self._count(ends, index, stop)

    def _count(
        self, ends: States, index: int | None = None, stop: int = 0, cuts: Sequence[int] = ()
    ) -> tuple[Ints, Ints]:
        """The faults of every deal, a row each of some `ends` of all deals, and of the result."""
        # `index` is the deal whose end is another one, `stop` -1 where that stops at what cannot be
        rules, (n, deals) = self.game.match, ends.shape
        stops, undealt = self._stops.copy(), self._undealt.copy()
        if index is not None:
            stops[index], undealt[index] = stop, False
        matches = np.zeros(n, rules.Match)
        found = np.zeros(n * deals, np.int64)
        rules.count(
            *(ends.reshape(-1).copy(), np.tile(stops, n), np.zeros(n * deals, np.int64)),
            *(self._rules, np.zeros(n * deals, np.int64), matches),
            *(np.tile(np.array(cuts or self._cuts, np.int64), (n, 1)), np.arange(n + 1) * deals),
            *(np.tile(self._voids, n), np.tile(self._told, (n, 1)), found),
        )
        by_deal = found.reshape(n, deals)
        by_deal[:, undealt] = self._known[undealt]  # nothing is known of these
        results = np.zeros(n, np.int64)
        if (declared := self.match.result) is not None:
            score, said = declared.score or [], "winner" in declared.model_fields_set
            told = told_array(score), len(score), clipped(declared.winner or 0), said
            wrong: dict[bytes, int] = {}  # many ends make the same match
            for place, match in enumerate(matches):
                if (key := match.tobytes()) not in wrong:
                    wrong[key] = int(rules.check_result(match, *told))
                results[place] = wrong[key]
        return by_deal, results


def _bits(found: Ints) -> int:
    return int(np.bitwise_count(found).sum())
