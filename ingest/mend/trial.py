"""What would become of an explained match if one of its deals were written otherwise.

Only the engine answers: the deal is replayed with its kernel, the match counted with its match
functions, and what they find is held against what they found in the log as it is.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.acts import ACT_MASK
from engine.games import TOLD, UNSAID
from engine.replay import Replay
from ingest.finding.finding import Edit
from ingest.judge.case import clipped, told_array
from ingest.judge.explain import Explained
from ingest.text.json import pointer
from schemas.deal import Decoded, decode, first_seat
from schemas.table import Table

STEPS = 600_000
"""Actions replayed for one match, all trials together; then no more is tried."""
COST = 40
"""What beginning a trial weighs, in actions."""
READ = 400
"""What decoding a deal anew weighs,"""
ATTEMPT = 10
"""and what reading an attempt of a cut does."""


class Outcome(NamedTuple):
    """A trial that adds no error: how many are left that were there, and how its deal ends."""

    errors: int
    ended: bool


class Stood(NamedTuple):
    """An edit that stood its trial: the errors it leaves, and the kind of slip it is for."""

    errors: int
    rank: int
    edit: Edit


class _Deal:
    """A deal as it was replayed, and the faults of each of its actions as bits."""

    def __init__(self, decoded: Decoded, replay: Replay | None) -> None:
        self.replay = replay
        self.codes = np.array(decoded.codes, np.uint16)
        self.explicit = decoded.explicit
        self.found = faults_of(replay, len(self.codes))


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
        self.left = STEPS
        pairs = zip(explained.decoded, explained.replays, strict=True)
        self._deals = [_Deal(decoded, replay) for decoded, replay in pairs]
        self._rules = np.zeros(1, self.table.rules.dtype)
        self._rules[0] = self.table.rules
        self._cuts = np.array([explained.cuts], np.int64)
        self._attempts = self._read_cuts(self.match.known("cuts") or [])[1]
        self._sheets()
        self._known, self._result_known = self._counted()
        # a deal that cannot be dealt, or stops at what cannot be, has not come to its end either
        short = self._undealt | (self._stops < 0)
        self._known[short] |= self.game.match_faults.by_code["incomplete"].bit

    def deal(self, index: int) -> _Deal:
        return self._deals[index]

    def legal(self, index: int, at: int) -> list[int]:
        """The codes of what the rules allowed before an action; nothing where none was applied."""
        replay = self._deals[index].replay
        if replay is None or at >= len(replay):
            return []
        codes = np.zeros(2048, np.uint16)
        state = replay[at].state
        return [int(code) for code in codes[: self.game.kernel.legal(state, self._rules[0], codes)]]

    @property
    def spent(self) -> bool:
        """Whether a trial was left out, so that nobody knows what would have stood."""
        return self.left < 0

    def alone(self, stood: Iterable[Stood]) -> Edit | None:
        """Of the edits that leave the fewest errors those of the first kind, if that is one."""
        stood = [] if self.spent else list(stood)
        first = min((one[:2] for one in stood), default=None)
        best = [one.edit for one in stood if one[:2] == first]
        return best[0] if len(best) == 1 else None

    def replaced(
        self,
        index: int,
        at: int,
        take: int,
        put: Sequence[int],
        fault: int,
        found_at: int,
        timed: bool = False,
    ) -> Outcome | None:
        """A deal with `put` in place of `take` actions from `at`. None: it adds an error.

        Action `found_at` has to be without errors then, and without the bit `fault`. `timed`:
        each action comes or goes with its time.
        """
        deal = self._deals[index]
        replay = deal.replay
        if replay is None or at >= len(replay):
            return None
        tail = np.concatenate([np.array(put, np.uint16), deal.codes[at + take :]])
        known = np.concatenate([np.zeros(len(put), np.int64), deal.found[at + take :]])
        wrong = np.full(len(tail), self.game.faults.errors, np.int64)
        wrong[: len(put)] |= fault
        later = found_at - at - take + len(put)
        if found_at >= at + take and found_at < len(deal.codes):
            known[later] = 0
            wrong[later] |= fault
        start = replay[at].state
        if take and deal.explicit and self._tells_no_draw(deal.codes[:at], tail):
            start = replay[0].state.copy()  # its only draw is gone: then it tells none
            start["explicit"] = 0
            tail = np.concatenate([deal.codes[:at], tail])
            known = np.concatenate([deal.found[:at], known])
            wrong = np.concatenate([np.full(at, self.game.faults.errors, np.int64), wrong])
        change = 0 if timed else len(put) - take
        return self._tried(index, start, tail, known, wrong, change)

    def rewritten(
        self, index: int, fault: int = 0, found_at: int | None = None, **values: Any
    ) -> Outcome | None:
        """A deal with other values of its keys. None: it adds an error, or keeps `fault`.

        Action `found_at` has to be without errors then.
        """
        deal = self._deals[index]
        if not self._spend(READ + len(deal.codes)):
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
        found = faults_of(replay, len(decoded.codes)) & self.game.faults.errors
        if np.any(found & ~deal.found) or (found_at is not None and found[found_at]):
            return None
        state, stopped = replay.last.state, replay.stop is not None
        return self._judged(index, state, stopped, _bits(found), fault, 0)

    def recut(self, code: str, path: str, cuts: Sequence[Sequence[str]]) -> Outcome | None:
        """The match with other cuts. None: it adds an error, or keeps the one found at `path`."""
        if not self._spend(ATTEMPT * sum(map(len, cuts))):
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
        return Outcome(_bits(found) + int(result).bit_count() + len(wrong), True)

    def _read_cuts(self, cuts: Sequence[Sequence[str]]) -> tuple[Any, list[tuple[str, str]]]:
        """Cuts as the match functions take them, and the code and path of each of their faults."""
        if not cuts:
            return [], []
        read, wrong = self.game.match.read_cuts(cuts, self.table.players)
        return read, [(code, pointer("cuts", i, k)) for code, i, k in wrong]

    def _tells_no_draw(self, *codes: NDArray[np.uint16]) -> bool:
        kinds = (self.game.acts.kind_of_act(int(code) & ACT_MASK) for code in np.concatenate(codes))
        return all(kind != "draw" for kind in kinds)

    def _spend(self, actions: int) -> bool:
        self.left -= actions + COST
        return self.left >= 0

    def _tried(
        self,
        index: int,
        start: np.void,
        tail: NDArray[np.uint16],
        known: NDArray[np.int64],
        wrong: NDArray[np.int64],
        change: int,
    ) -> Outcome | None:
        """Play on from `start`; `wrong` are the bits no action may have beyond those `known`."""
        if not self._spend(len(tail)):
            return None
        states = np.zeros(len(tail) + 1, self.game.kernel.State)
        found = np.zeros(len(tail), np.int64)
        states[0] = start
        applied = self.game.kernel.trace(states, found, self._rules[0], tail)
        if np.any(found & wrong & ~known):
            return None
        errors = _bits(found & self.game.faults.errors)
        return self._judged(index, states[applied], applied < len(tail), errors, 0, change)

    def _judged(
        self, index: int, state: np.void, stopped: bool, errors: int, fault: int, change: int
    ) -> Outcome | None:
        """The match with another end of one deal, which has `change` more actions than it had."""
        ran = state["outcome"] != self.game.kernel.RUNNING
        if self._untimely(index, change) and not self._untimely(index, 0):
            return None
        kept = self._states[index].copy(), self._stops[index], self._undealt[index]
        self._states[index], self._stops[index] = state, -1 if stopped else 0
        self._undealt[index] = False
        try:
            found, result = self._counted()
        finally:
            self._states[index], self._stops[index], self._undealt[index] = kept
        if np.any(found & ~self._known) or result & ~self._result_known or found[index] & fault:
            return None
        errors += _bits(found) + int(result).bit_count() + self._untimely(index, change)
        return Outcome(errors, bool(ran))

    def _untimely(self, index: int, change: int) -> bool:
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
            self._states[index] = replay.last.state
            self._stops[index] = -1 if replay.stop is not None else 0
            points, manche = deal.points or [], deal.known("manche")
            told = self._told[index]
            told[:5] = told_array(points)[:5]
            told[5] = len(points)
            told[6] = UNSAID if deal.winner is None else clipped(deal.winner)
            told[7] = UNSAID if manche is None else clipped(manche)

    def _counted(self) -> tuple[NDArray[np.int64], int]:
        """What is wrong with each deal as part of the match, and with the declared result."""
        rules = self.game.match
        count = len(self._states)
        matches = np.zeros(1, rules.Match)
        found = np.zeros(count, np.int64)
        rules.count(
            *(self._states, self._stops, np.zeros(count, np.int64)),
            *(self._rules, np.zeros(count, np.int64), matches, self._cuts),
            *(np.array([0, count], np.int64), self._voids, self._told, found),
        )
        found[self._undealt] = 0  # nothing is known of these
        declared = self.match.result
        if declared is None:
            return found, 0
        score = declared.score or []
        said = "winner" in declared.model_fields_set
        winner = clipped(declared.winner or 0)
        return found, int(
            rules.check_result(matches[0], told_array(score), len(score), winner, said)
        )


def _bits(found: NDArray[np.int64]) -> int:
    return int(np.bitwise_count(found).sum())
