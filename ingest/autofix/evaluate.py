"""Validates a match with one of its deals changed.

All verdicts come from the engine: its kernel replays the deal, its match functions count the match,
and their findings are compared with those of the unchanged log.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import cut
from engine.actions import ACT_MASK, UNKNOWN_ACT
from engine.games import DECLARED_COLUMNS
from engine.match import winner_in_log
from engine.replay import Replay
from ingest.autofix.error_model import RecordedDeal, ScoredEdit
from ingest.cancellation import check_cancelled
from ingest.reader.json_text import json_pointer
from ingest.validate.match_checks import clip_number, declared_array, declared_of
from ingest.validate.slow_path import ValidationResult
from schemas.deal_decoder import decode_deal, opening_seat
from schemas.match_setup import MatchSetup
from schemas.notation import encode_action

IntArray = NDArray[np.int64]
StateArray = NDArray[np.void]
MAX_STEPS = 6_000_000  # replayed actions per match, over all trials; then the search stops
ERROR_WEIGHT = 1000  # an error counts as this many warnings
NEW_ERROR_PENALTY = 1_000_000  # for a change that adds an error
UNKNOWN_ACTION_WORD = " ?"  # a suffix that makes a word unknown
ENDS_PER_BATCH = 20_000  # ends of deals that are counted together
# costs in replayed actions: decoding a deal, trying other cuts, and each attempt of a cut
DECODE_COST, CUT_COST, CUT_ATTEMPT_COST = 440, 40, 150
CUT_ATTEMPT_LENGTH = 12  # signs; a longer attempt costs as much as several


class Evaluator:
    """Evaluates changes of one match. Deals are given by `index`, from 0."""

    def __init__(self, explained: ValidationResult) -> None:
        self.match: Any = explained.known_match
        self.setup: MatchSetup = explained.known_setup
        self.game = self.setup.game
        self.steps_left = MAX_STEPS
        self.decoded, self.replays = explained.decoded, explained.replays
        self._incomplete = self.game.match_faults.by_code["incomplete"].bit
        self._rules = np.zeros(1, self.setup.rules.dtype)
        self._rules[0] = self.setup.rules
        self.rules: np.void = self._rules[0]  # in the kernel's format
        self._cuts = explained.cuts
        self._cut_problems = self._decode_cuts(self.match.known("cuts") or [])[1]
        # final states and declarations of all deals, for the match functions; counting may resolve
        # a final state by earlier deals, so these are the states before counting
        deals, players = self.match.deals, self.setup.players
        self._states = np.zeros(len(deals), self.game.kernel.State)
        self._stopped = np.zeros(len(deals), np.int64)
        self._is_undealt = np.zeros(len(deals), np.bool_)
        self._declared = np.zeros((len(deals), DECLARED_COLUMNS), np.int64)
        self._voids = np.array([bool(deal.void) for deal in deals], np.int64)
        for index, (deal, replay) in enumerate(zip(deals, self.replays, strict=True)):
            if replay is None:
                seat = min(max(opening_seat(deal)[0] - 1, 0), players - 1)
                replay = Replay(self.game, self.setup.rules, players, seat, self.game.example_deck, ())
                self._is_undealt[index] = not deal.void
            self._states[index] = replay.last.state
            if len(replay) > 1 and not self.decoded[index].is_partially_recorded:
                state = replay.states[-2].copy()
                self.game.kernel.step(state, self.rules, int(replay.applied_codes[-1]))
                self._states[index] = state
            self._stopped[index] = -1 if replay.stop is not None else 0
            result = declared_of(deal)
            self._declared[index] = *result.points[:5], result.seats, result.winner, result.manche
        self._known_faults = np.zeros(len(self._states), np.int64)
        found, results = self._count_match(self._states[np.newaxis])
        self._known_faults, self._known_result_faults = found[0], int(results[0])
        # a deal that cannot be dealt, or stops at an impossible action, is incomplete too
        self._known_faults[self._is_undealt | (self._stopped < 0)] |= self._incomplete

    @property
    def is_exhausted(self) -> bool:
        """Whether trials were skipped, so that the results are incomplete."""
        return self.steps_left < 0

    def spend(self, actions: int) -> bool:
        """Deduct a cost in actions from the match's budget; False if it is exhausted."""
        check_cancelled()
        self.steps_left -= actions
        return not self.is_exhausted

    def has_wrong_time_count(self, index: int, change: int) -> bool:
        """Return whether a deal with `change` more actions has a different number of times."""
        deal = self.match.deals[index]
        return deal.times is not None and len(deal.times) != len(deal.actions) + change

    def points_and_winner(self, state: np.void) -> tuple[list[int], int | None]:
        """Return points and winner of a final state, in log format."""
        return self.game.points(state, self.setup.players), winner_in_log(state)

    # replays of a deal

    def replay(self, index: int) -> Replay:
        """Return the replay of a deal that could be dealt."""
        replay = self.replays[index]
        assert replay is not None
        return replay

    def replay_with(self, recorded: RecordedDeal, words: list[str], row: Any, dealer: int) -> RecordedDeal:
        """Replay a deal with other words, cards or dealer."""
        codes = np.array([encode_action(self.game.name, word, self.setup.faces) for word in words], np.int64)
        dealt = (row, codes.astype(np.uint16), recorded.explicit)
        replay = Replay(self.game, self.setup.rules, self.setup.players, dealer, *dealt)
        return RecordedDeal(
            replay, codes, row, dealer, recorded.explicit, codes & ACT_MASK != UNKNOWN_ACT, words
        )

    def as_recorded(self, index: int) -> RecordedDeal:
        """Return a deal as recorded, with its replay."""
        decoded, replay = self.decoded[index], self.replay(index)
        codes = np.array(decoded.codes, np.int64)
        known = codes & ACT_MASK != UNKNOWN_ACT
        dealt = np.array(decoded.deck, np.uint8), int(replay[0].state["dealer"]), decoded.explicit
        return RecordedDeal(replay, codes, *dealt, known, self.match.deals[index].actions)

    def recorded(self, index: int) -> RecordedDeal:
        """Return a deal as recorded; a single recorded draw counts as an unknown word."""
        was = self.as_recorded(index)
        kinds = [self.game.acts.kind_of_act(int(code) & ACT_MASK) for code in was.codes]
        if not was.explicit or kinds.count("draw") != 1:
            return was
        words = list(was.words)
        words[kinds.index("draw")] += UNKNOWN_ACTION_WORD
        return self.replay_with(was._replace(explicit=False), words, was.row, was.dealer)

    # faults, and faults after a change

    def remaining_faults(self, index: int) -> tuple[int, int]:
        """Return the weighted faults of a deal and its match, and those of the rest without it."""
        # after an error, an unfinished deal is not a separate error
        found = self.replay(index).fault_bits
        errors = int(np.count_nonzero(found & self.game.faults.errors))
        unended = errors > 0 and bool(self._known_faults[index] & self._incomplete)
        counted = _bit_count(self._known_faults) + self._known_result_faults.bit_count()
        wrong = errors + counted - unended + self.has_wrong_time_count(index, 0)
        others = counted - int(self._known_faults[index]).bit_count()
        return wrong * ERROR_WEIGHT + int(np.count_nonzero(found)) - errors, others * ERROR_WEIGHT

    def leaves_only_declared(self, index: int, state: np.void, unrelated_faults: int) -> bool:
        """Return whether a final state leaves the deal one fault, a wrong declaration."""
        found, results = self._count_with_ends(index, state.reshape(1))
        own = int(found[0, index])
        rest = _bit_count(found) + _bit_count(results) - 1
        faults = self.game.match_faults.by_code
        declared = sum(faults[code].bit for code in ("points-differ", "winner-differs"))
        return own.bit_count() == 1 and bool(own & declared) and rest * ERROR_WEIGHT <= unrelated_faults

    def count_with(
        self, index: int, states: StateArray, change: IntArray
    ) -> tuple[IntArray, NDArray[np.bool_]]:
        """Count the match's faults with each final state of a deal, and whether it is unfinished.

        An unfinished deal is not a fault if the deal has errors of play.
        """
        # `change[i]`: added actions; a state that adds an error gets NEW_ERROR_PENALTY
        left = np.zeros(len(states), np.int64)
        unended = np.zeros(len(states), np.bool_)
        played = not np.any(self.replay(index).fault_bits & self.game.faults.errors)
        size = max(ENDS_PER_BATCH // len(self._states), 1)
        for first in range(0, len(states), size):
            some = slice(first, first + size)
            found, results = self._count_with_ends(index, states[some])
            unended[some] = found[:, index] & self._incomplete != 0
            if not played:
                found[:, index] &= ~self._incomplete
            left[some] = np.bitwise_count(found).sum(axis=1) + np.bitwise_count(results)
            added = np.any(found & ~self._known_faults, axis=1) | (results & ~self._known_result_faults != 0)
            left[some][added] = NEW_ERROR_PENALTY
        timely = not self.has_wrong_time_count(index, 0)
        for one in np.unique(change):
            if self.has_wrong_time_count(index, int(one)):
                left[change == one] += NEW_ERROR_PENALTY if timely else 1
        return left * ERROR_WEIGHT, unended

    def deal_edits(
        self, index: int, candidates: Iterable[tuple[dict[str, Any], ScoredEdit]], fault: int = 0
    ) -> list[ScoredEdit]:
        """Return the changes (keys of the deal) after which an undealable deal has no error."""
        # excludes changes that keep `fault`; empty if the budget is exhausted
        stood: dict[Hashable, ScoredEdit | None] = {}
        deal, players = self.match.deals[index], self.setup.players
        for values, one in candidates:
            if one.result_key in stood:
                continue
            stood[one.result_key] = None
            if not self.spend(DECODE_COST + len(deal.actions)):
                return []
            written = deal.model_copy(update=values)
            decoded = decode_deal(written, self.setup)
            if decoded.deck is None or decoded.is_partially_recorded:
                continue
            dealt = opening_seat(written)[0] - 1, decoded.deck, decoded.codes, decoded.explicit
            replay = Replay(self.game, self.setup.rules, players, *dealt)
            if np.any(replay.fault_bits & self.game.faults.errors):
                continue
            state, stop = replay.last.state, 0 if replay.stop is None else -1
            found, results = self._count_with_ends(index, state.reshape(1), stop)
            errors = self._fault_count(found[0], int(results[0]))
            if errors is not None and not found[0, index] & fault:
                errors += self.has_wrong_time_count(index, 0)
                points, winner = self.points_and_winner(state)
                stood[one.result_key] = one._replace(faults_left=errors, points=points, winner=winner)
            if self.is_exhausted:
                return []
        return [way for way in stood.values() if way is not None]

    def errors_with_cuts(self, code: str, path: str, cuts: Sequence[Sequence[str]]) -> int | None:
        """Count errors with other cuts; None if one is new or stays, or the budget is exhausted."""
        size = sum(1 + len(attempt) // CUT_ATTEMPT_LENGTH for attempts in cuts for attempt in attempts)
        if not self.spend(CUT_COST + CUT_ATTEMPT_COST * size):
            return None
        read, wrong = self._decode_cuts(cuts)
        codes, known = (Counter(code for code, _ in one) for one in (wrong, self._cut_problems))
        if (code, path) in wrong or not codes < known:
            return None
        dealers = cut.dealers_by_cut(self.game, read)
        found, results = self._count_match(self._states[np.newaxis], cuts=dealers)
        errors = self._fault_count(found[0], int(results[0]))
        return None if errors is None else errors + len(wrong)

    def _fault_count(self, found: IntArray, result: int) -> int | None:
        """Count the match's faults; None if one is new."""
        if np.any(found & ~self._known_faults) or result & ~self._known_result_faults:
            return None
        return _bit_count(found) + result.bit_count()

    # the whole match

    def _decode_cuts(self, cuts: Sequence[Sequence[str]]) -> tuple[Any, list[tuple[str, str]]]:
        """Decode cuts for the match functions; also return code and path of each fault."""
        if not cuts:
            return [], []
        read, wrong = cut.read_cuts(self.game, cuts, self.setup.players)
        return read, [(code, json_pointer("cuts", i, k)) for code, i, k in wrong]

    def _count_with_ends(self, index: int, states: StateArray, stop: int = 0) -> tuple[IntArray, IntArray]:
        """Count the match with each final state of a deal; returns as `_count_match`."""
        check_cancelled()
        self.steps_left -= len(states) * len(self._states) // 4
        ends = np.tile(self._states, (len(states), 1))
        ends[:, index] = states
        return self._count_match(ends, index, stop)

    def _count_match(
        self, ends: StateArray, index: int | None = None, stop: int = 0, cuts: Sequence[int] = ()
    ) -> tuple[IntArray, IntArray]:
        """Return the fault bits of every deal and of the result, per row of `ends`."""
        # `index` is the changed deal; `stop` is -1 if it stops at an impossible action
        rules, (n, deals) = self.game.match, ends.shape
        stops, undealt = self._stopped.copy(), self._is_undealt.copy()
        if index is not None:
            stops[index], undealt[index] = stop, False
        matches = np.zeros(n, rules.Match)
        found = np.zeros(n * deals, np.int64)
        rules.count_matches(
            *(ends.reshape(-1).copy(), np.tile(stops, n), np.zeros(n * deals, np.int64)),
            *(self._rules, np.zeros(n * deals, np.int64), matches),
            *(np.tile(np.array(cuts or self._cuts, np.int64), (n, 1)), np.arange(n + 1) * deals),
            *(np.tile(self._voids, n), np.tile(self._declared, (n, 1)), found),
        )
        by_deal = found.reshape(n, deals)
        by_deal[:, undealt] = self._known_faults[undealt]  # these cannot be replayed
        results = np.zeros(n, np.int64)
        if (declared := self.match.result) is not None:
            score, result = declared.score or [], "winner" in declared.model_fields_set
            values = declared_array(score), len(score), clip_number(declared.winner or 0), result
            wrong: dict[bytes, int] = {}  # many ends give the same match
            for place, match in enumerate(matches):
                if (key := match.tobytes()) not in wrong:
                    wrong[key] = int(rules.check_result(match, *values))
                results[place] = wrong[key]
        return by_deal, results


def _bit_count(found: IntArray) -> int:
    return int(np.bitwise_count(found).sum())
