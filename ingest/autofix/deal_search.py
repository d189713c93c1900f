"""Searches the alternatives of one deal, played by the engine.

The changes come from `ingest.autofix.error_model`, for all kinds of recording errors. The engine
replays each to the end of the deal; those with the fewest faults are then counted to the end of the
match, with score sheet and result.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from math import exp, log
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT, UNKNOWN_ACT
from ingest.autofix import card_words, sheet_edits
from ingest.autofix import error_model as model
from ingest.autofix.error_model import Change, ChangeBatch, RecordedDeal, RecordingError, ScoredEdit
from ingest.autofix.evaluate import ERROR_WEIGHT, Evaluator
from ingest.findings.finding import Edit, Finding
from ingest.games import game_support
from ingest.games.finding_code import EditSearch
from ingest.reader.json_text import json_pointer
from schemas.deal_decoder import decode_deal
from schemas.notation import action_notation

T = TypeVar("T")
ACTION_COUNT_CHANGE = {
    RecordingError.MISSING_ACTION: 1,
    RecordingError.DUPLICATED: -1,
    RecordingError.EXTRA_ACTION: -1,
}  # how undoing the error changes the number of actions
EDIT_REASONS = {
    RecordingError.WRONG_SEAT: "seat",
    RecordingError.SWAPPED_ACTIONS: "swap",
    RecordingError.SWAPPED_IN_HAND: "swap",
    RecordingError.SWAPPED_CARDS: "cards",
}
BEAM_WIDTH = 60  # of pairs of errors: likeliest first errors that are extended


class DealSearch:
    """Searches edits of one deal that is fully recorded and can be dealt.

    `recorded` (default: the deal of the log) may contain a first change already.
    """

    def __init__(self, evaluator: Evaluator, index: int, recorded: RecordedDeal | None = None) -> None:
        self.evaluator, self.index = evaluator, index
        self.game, self.setup = evaluator.game, evaluator.setup
        self.game_support = game_support(self.game.name)
        self.deal: Any = evaluator.match.deals[index]
        self.recorded = evaluator.recorded(index) if recorded is None else recorded
        items: list[float] | None = self.deal.times
        timed = items is not None and len(items) == len(self.deal.actions)
        self.times = items if timed else None  # one per action, else None
        self.fault_bits = self.recorded.replay.fault_bits
        errors = self.fault_bits & self.game.faults.errors != 0
        self.errors = int(np.count_nonzero(errors))
        shown = np.flatnonzero(errors if self.errors else self.fault_bits)
        self.last_relevant_action = int(shown[0]) if len(shown) else len(self.recorded.codes)
        self.remaining_faults, self.unrelated_faults = evaluator.remaining_faults(index)
        self._allowed: dict[int, list[tuple[int, str]]] = {}

    # searches

    def best_edits(self, findings: Sequence[Finding]) -> list[ScoredEdit]:
        """Return the edits of play or declarations that leave the fewest faults, fewer than now."""
        if not self.evaluator.spend(len(self.recorded.codes) ** 2 // 4):  # quadratic cost
            return []
        made = []
        for one in findings if not self.errors else ():  # declarations, if the play has no errors
            is_total = one.code_info.edit_search is EditSearch.TOTAL
            edit = sheet_edits.declaration_edit(one) if is_total else None
            if edit is not None:
                weight = RecordingError.WRONG_DECLARATION.log_weight + model.declaration_weight(
                    one.found, one.legal
                )
                left, same = self.remaining_faults - ERROR_WEIGHT, (*self._result_key(), repr(edit))
                result = self.evaluator.points_and_winner(self.evaluator.replay(self.index).last.state)
                made.append(ScoredEdit(left, weight, edit, same, *result))
        return self._with_fewest_faults(self._changes, made)

    def best_edits_at(self, action_index: int) -> list[ScoredEdit]:
        """Return the best edits of one action, for a fault without consequences."""
        if action_index >= len(self.recorded.replay):
            return []
        return self._with_fewest_faults(
            model.changes_at(self.game, self.evaluator.rules, self.recorded, action_index), []
        )

    def best_pairs(self) -> list[tuple[float, ScoredEdit]]:
        """Return first edits of pairs that leave no fault, with their shares, best first."""
        # a share sums all pairs with that first edit; of two orders the likelier gives the weight
        if not self.evaluator.spend(len(self.recorded.codes) ** 2 // 4):
            return []
        ways = self._changes
        _, found = self._play_changes(ways, self.errors + 1)
        timely = {one: not self.evaluator.has_wrong_time_count(self.index, one) for one in (-1, 0, 1)}
        put, take = ways.changes[:, 2] >= 0, ways.changes[:, 1] > 0
        reached = found[:, 2] + (put & ~take) - (take & ~put)  # actions before the first fault
        replay = self.recorded.replay
        stop = len(replay) - 1 if replay.stop is not None else len(self.recorded.codes)
        # gets further than before, or as far with one more if two adjacent ones are missing, and
        # replays no fewer actions
        ahead_of = self.last_relevant_action - (put & ~take)
        further = (reached > ahead_of) & ((found[:, 3] == 0) | (reached >= stop))
        weights = {
            i: self._log_weight(ways.change(i))
            for i in np.flatnonzero(further).tolist()
            if timely[self._action_count_change(ways, i)] or not timely[0]
        }
        logs: dict[Any, float] = {}
        first: dict[Any, dict[Any, None]] = {}  # ordered: results must not depend on hashes
        stood: dict[Any, ScoredEdit] = {}
        for i in sorted(weights, key=lambda i: weights[i], reverse=True)[:BEAM_WIDTH]:
            way = ways.change(i)
            if (same := self._result_key(way)) in stood:
                continue
            stood[same] = ScoredEdit(self.unrelated_faults, weights[i], self._edit_of(way), same)
            _, row, dealer = self._changed_deal(way)
            after = self.evaluator.replay_with(self.recorded, self._changed_words(way), row, dealer)
            for one in DealSearch(self.evaluator, self.index, after)._edits_leaving_nothing():
                weight = weights[i] + one.log_weight
                logs[one.result_key] = max(logs.get(one.result_key, weight), weight)
                first.setdefault(one.result_key, {})[same] = None
        if not logs or self.evaluator.is_exhausted:
            return []
        top = max(logs.values())
        shares: dict[Any, float] = {}
        for made, weight in logs.items():
            for same in first[made]:
                shares[same] = shares.get(same, 0.0) + exp(weight - top)
        total = sum(exp(weight - top) for weight in logs.values()) + exp(
            model.OTHER_CAUSE_WEIGHT_OF_TWO - top
        )
        items = [(share / total, stood[same]) for same, share in shares.items()]
        return sorted(items, key=lambda one: (round(one[0], 6), one[1].log_weight), reverse=True)

    def _edits_leaving_nothing(self) -> list[ScoredEdit]:
        """Return changes that leave no fault of the deal, with weights but without edits."""
        # if the play has no fault, the second error may be a wrong declaration
        stood, state, floor = [], self.recorded.replay.last.state, self.unrelated_faults
        if not self.fault_bits.any() and self.evaluator.leaves_only_declared(self.index, state, floor):
            points, winner = self.evaluator.points_and_winner(state)
            items = [(self.deal.points, points), (self.deal.winner, winner)]
            wrong = [(a, b) for a, b in items if a is not None and a != b]
            if len(wrong) == 1:
                weight = RecordingError.WRONG_DECLARATION.log_weight + model.declaration_weight(*wrong[0])
                stood.append(ScoredEdit(floor, weight, Edit("", ""), (*self._result_key(), repr(wrong))))
        ways = self._changes
        if not self.evaluator.spend(len(ways.errors) * (len(self.recorded.codes) + 1) // 4):
            return []
        states, found = self._play_changes(ways, 0)
        remaining, left, unended = self._count_faults(ways, states, found, floor)
        for i in remaining[(left == floor) & ~unended].tolist():
            way = ways.change(i)
            stood.append(ScoredEdit(floor, self._log_weight(way), Edit("", ""), self._result_key(way)))
        return stood

    @cached_property
    def _changes(self) -> ChangeBatch:
        """Every change of the deal that may undo an error."""
        until = min(self.last_relevant_action, len(self.recorded.replay) - 1)
        bids = self.game_support.bid_slots(self.setup)
        return model.all_changes(
            self.game, self.evaluator.rules, self.recorded, until, self._rows_by_dealer, bids
        )

    @cached_property
    def _rows_by_dealer(self) -> dict[int, NDArray[np.uint8]]:
        """The dealt row per other dealer; recorded hands stay at their seats."""
        row, result = self.recorded.row, {}
        for seat in range(self.setup.players):
            if seat != self.recorded.dealer:
                result[seat] = row
                if self.deal.known("hands"):
                    other = self.deal.model_copy(update={self.deal.OPENS: seat + 1})
                    played = decode_deal(other, self.setup).deck
                    result[seat] = row if played is None else np.array(played, np.uint8)
        return result

    # replaying changes

    def _with_fewest_faults(self, changes: ChangeBatch, others: list[ScoredEdit]) -> list[ScoredEdit]:
        """Return the edits that leave the fewest faults; none if the budget is exhausted."""
        if not self.evaluator.spend(len(changes.errors) * (len(self.recorded.codes) + 1) // 4):
            return []
        least = min((one.faults_left for one in others), default=self.remaining_faults - 1)
        states, found = self._play_changes(changes, max(self.errors - 1, 0))
        remaining, left, unended = self._count_faults(changes, states, found, least)
        least = min([least, *left.tolist()])
        made = [one for one in others if one.faults_left == least]
        remaining, unended = remaining[left == least], unended[left == least]
        can_end = not unended.all()  # irrelevant if no change ends the deal
        for i, short in zip(remaining.tolist(), unended.tolist(), strict=True):
            way = changes.change(i)
            if not found[i, 0] or not self._adds_error(way, changes.starts[i]):
                weight = self._log_weight(way) + model.UNFINISHED_WEIGHT * (short and can_end)
                result = self.evaluator.points_and_winner(states[i])
                edit, same = self._edit_of(way), self._result_key(way)
                made.append(ScoredEdit(least, weight, edit, same, *result, not short))
        return made

    def _adds_error(self, change: Change, start: np.void) -> bool:
        """Return whether a change causes a new error of play."""
        faults, at = self.game.faults, change.replacements[0]
        tail = np.array(self._changed_deal(change)[0][at:], np.uint16)
        states = np.zeros(len(tail) + 1, self.game.kernel.State)
        found = np.zeros(len(tail), np.int64)
        states[0] = start
        self.game.kernel.trace(states, found, self.evaluator.rules, tail)
        bits = np.array([one.bit for one in faults.rows if one.bit & faults.errors])
        # count of each error
        now, was = (
            np.count_nonzero(each[:, None] & bits, axis=0)
            for each in (np.append(self.fault_bits[:at], found), self.fault_bits)
        )
        return bool((now > was).any())

    def _play_changes(self, changes: ChangeBatch, most: int) -> tuple[NDArray[np.void], NDArray[np.int64]]:
        """Replay changes; return their final states and the faults of their actions."""
        states = changes.starts.copy()
        found = np.zeros((len(states), 4), np.int64)
        self.game.kernel.replay_variants(
            *(states, found, self.evaluator.rules, self.recorded.codes.astype(np.uint16)),
            *(changes.changes, most),
        )
        # faults before the first change are unchanged
        was, errors = self.fault_bits, self.game.faults.errors
        at = np.minimum(changes.changes[:, 0], len(was))
        found[:, 0] += np.cumsum(np.append(0, was & errors != 0))[at]
        found[:, 1] += np.cumsum(np.append(0, (was != 0) & (was & errors == 0)))[at]
        return states, found

    def _count_faults(
        self, changes: ChangeBatch, states: NDArray[np.void], found: NDArray[np.int64], least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Return the changes that leave at most `least`, their faults, and which are unfinished."""
        alive = np.flatnonzero(found[:, 3] == 0)
        left = found[alive, 0] * ERROR_WEIGHT + found[alive, 1]
        remaining, total, short = [alive[:0]], [left[:0]], [np.zeros(0, np.bool_)]
        for group in np.unique(left):
            if group > least:
                break
            those = alive[left == group]
            change = np.array([self._action_count_change(changes, int(i)) for i in those])
            other, unended = self.evaluator.count_with(self.index, states[those], change)
            remaining.append(those)
            total.append(group + other)
            short.append(unended)
            least = min(least, int(group + other.min()))
        return np.concatenate(remaining), np.concatenate(total), np.concatenate(short)

    def _action_count_change(self, changes: ChangeBatch, i: int) -> int:
        """Return the change in actions minus times: an action may be added or removed with its."""
        change = ACTION_COUNT_CHANGE.get(changes.errors[i], 0)
        if change and self.times is not None:
            if change < 0 or self._time_of_added_action(int(changes.changes[i, 0])) is not None:
                return 0
        return change

    def _time_of_added_action(self, at: int) -> float | None:
        """Return the time of an action added there, if only one is possible."""
        return sheet_edits.only_time_between(self.times[:at], self.times[at:]) if self.times else None

    # likelihood of a change

    def _log_weight(self, change: Change) -> float:
        """Return the log weight of an error: its kind, place and alternative."""
        codes, places, players = (self.recorded.codes, self.game.deck_format.place_count, self.setup.players)
        n = max(len(codes), 1)
        (at, _, put, then, *_), (one, other) = change.replacements, change.subject
        likely = -log(n)  # uniform over the actions
        match change.error:
            case RecordingError.WRONG_ACTION if self.recorded.is_known_action[at]:
                was, meant = int(codes[at]), self._action_text(put)
                words = (action.partition(" ")[2] for action in (self._action_text(was), meant))
                alike = self._act_kind(was) == self._act_kind(put)
                likely += model.word_weight(*words, alike) + self._log_frequency(put)
            case RecordingError.WRONG_ACTION:  # unknown word: by its reading, else by similarity
                text, meant = self.recorded.words[at], self._action_text(put)
                read = card_words.action_spelled(self.game.name, text, self.setup.faces)
                if read is None:
                    likely += model.misspelling_weight(text, meant) + self._log_frequency(put)
                elif read != meant:
                    likely += model.MISREAD_WEIGHT
            case RecordingError.WRONG_SEAT:
                likely = self._log_frequency(put) - log(n * max(players - 1, 1))
            case RecordingError.EXTRA_ACTION if not self.recorded.is_known_action[at]:
                likely += model.UNKNOWN_WORD_WEIGHT
            case RecordingError.EXTRA_ACTION if self._act_kind(int(codes[at])) == "play":
                copied = np.count_nonzero(codes == codes[at]) > 1
                # a duplicate is a copy, not an invention
                likely += (
                    model.COPIED_WEIGHT - change.error.log_weight if copied else model.NEVER_PLAYED_WEIGHT
                )
            case RecordingError.MISSING_ACTION:
                stands = self._action_text(put) + model.UNSHOWN_MARK in self.recorded.words
                # how likely the missing act was this one, such as one card of a hand
                state = self.recorded.replay.states[at]
                if at not in self._allowed:  # computed once per place
                    legal = model.legal_codes(self.game, state, self.evaluator.rules).tolist()
                    self._allowed[at] = [(code >> SEAT_SHIFT, self._frequency_key(code)) for code in legal]
                sort, seat, turn = self._frequency_key(put), put >> SEAT_SHIFT, int(state["turn"])
                others = [own for own, one in self._allowed[at] if one == sort]
                owed = self._log_frequency(put) - log(max(others.count(seat), 1))
                owed += model.OUT_OF_TURN_WEIGHT if seat != turn and turn in others else 0.0
                likely += owed + model.ALREADY_UNSHOWN_WEIGHT * stands
            case RecordingError.SWAPPED_IN_HAND:
                likely = -log(n * n / 8)
            case RecordingError.SWAPPED_CARDS:
                likely += model.DISTANCE_WEIGHT * max(then - at - 1, 0)
            case RecordingError.MOVED_ACTION:
                likely -= log(abs(then - at) + 1)
            case RecordingError.OPENER:
                likely = -log(max(players - 1, 1))
            case RecordingError.WRONG_DEALT_CARD if other < model.NO_CHANGE:
                likely = -log(places * self.game.deck_format.card_count) - 1.0
            case RecordingError.WRONG_DEALT_CARD:  # two cards exchanged, mostly neighbours
                likely = log(0.5 / places) if other == one + 1 else log(1.0 / (places * places))
            case RecordingError.WRONG_FACE:
                likely = -log(places)
            case RecordingError.WRONG_BID_CARD:
                likely = -log(4 * players)
        return change.error.log_weight + likely

    def _action_text(self, code: int) -> str:
        return action_notation(self.game.name, code, self.setup.faces)

    def _act_kind(self, code: int) -> str:
        kind: str = self.game.acts.kind_of_act(code & ACT_MASK)
        return kind

    def _log_frequency(self, put: int) -> float:
        """Return the log frequency of an act where it is legal."""
        return log(self.game_support.ACT_FREQUENCIES.get(self._frequency_key(put), 1.0))

    def _frequency_key(self, code: int) -> str:
        """Return the key of an act in ACT_FREQUENCIES (a prefix of its word), else its kind."""
        word = self._action_text(code).partition(" ")[2]
        return next(
            (one for one in self.game_support.ACT_FREQUENCIES if word.startswith(one)), self._act_kind(code)
        )

    # results of a change for the deal and the log

    def _changed_deal(self, change: Change) -> tuple[list[int], NDArray[np.uint8], int]:
        """Return the codes, row and dealer after a change."""
        row, dealer, (one, other) = self.recorded.row.copy(), self.recorded.dealer, change.subject
        match change.error:
            case RecordingError.OPENER:
                row, dealer = self._rows_by_dealer[one], one
            case RecordingError.WRONG_BID_CARD:
                row[self.game_support.bid_slots(self.setup)[one][0]] = other
            case RecordingError.WRONG_FACE:
                row[one] = other
            case RecordingError.WRONG_DEALT_CARD if other >= 0:
                row[one], row[other] = row[other], row[one]
            case RecordingError.WRONG_DEALT_CARD:
                row[one] = -2 - other
        return (
            _apply_change(self.recorded.codes.tolist(), change.replacements, lambda put, at: put),
            row,
            dealer,
        )

    def _result_key(self, change: Change | None = None) -> tuple[Any, ...]:
        """Return a key that is equal for equal deals; without `change`, of the current deal."""
        was = self.recorded
        same = was.codes.tolist(), was.row, was.dealer
        codes, row, dealer = same if change is None else self._changed_deal(change)
        return tuple(codes), row.tobytes(), dealer

    def _changed_words(self, change: Change) -> list[str]:
        return _apply_change(
            [*self.recorded.words], change.replacements, lambda put, at: self._action_word(put, at, change)
        )

    def _action_word(self, put: int, at: int, change: Change) -> str:
        """Return an action's word; an unknown one is copied from its other place."""
        if put & ACT_MASK == UNKNOWN_ACT:
            return self.recorded.words[
                change.replacements[3] if at == change.replacements[0] else change.replacements[0]
            ]
        return self._action_text(put)

    def _edit_of(self, change: Change) -> Edit:
        (at, take, put, then, _, other), (one, two), error = (
            change.replacements,
            change.subject,
            change.error,
        )

        def path(*keys: Any) -> str:
            return json_pointer("deals", self.index, *keys)

        match error:
            case RecordingError.WRONG_DEALT_CARD | RecordingError.WRONG_FACE:
                row, exchanged = (self.recorded.row, error is RecordingError.WRONG_DEALT_CARD and two >= 0)
                card = int(row[two]) if exchanged else two if error is RecordingError.WRONG_FACE else -2 - two
                deck = self.setup.deck
                was, now = (
                    str(self.game.pack.names[each]) if deck is None else deck.card_with_face_up(each)
                    for each in (int(row[one]), card)
                )
                return sheet_edits.replaced_card_edit(self.deal, self.index, was, now, exchanged)
            case RecordingError.OPENER:
                return Edit("replace", path(self.deal.OPENS), one + 1, "seat")
            case RecordingError.WRONG_BID_CARD:
                assert self.setup.bid_cards is not None
                return Edit("replace", path("bids", one), self.setup.bid_cards.names[two], "value")
            case RecordingError.MISSING_ACTION:
                when = self._time_of_added_action(at)
                also = () if when is None else (Edit("add", path("times", at), when),)
                return Edit("add", path("actions", at), self._action_text(put), "action", also=also)
            case RecordingError.DUPLICATED | RecordingError.EXTRA_ACTION:
                also = () if self.times is None else (Edit("remove", path("times", at)),)
                word = self.recorded.words[at]
                return Edit("remove", path("actions", at), word, "action", also=also)
            case RecordingError.MOVED_ACTION:  # removed and added at its right place
                removed, come = (at, then - 1) if take else (then, at)
                word = self.recorded.words[removed]
                also = (Edit("add", path("actions", come), word, "move"),)
                return Edit("remove", path("actions", removed), word, "move", also=also)
        reason = EDIT_REASONS.get(error, "card" if self._act_kind(put) == "play" else "word")
        also = ()
        if then >= 0:
            also = (Edit("replace", path("actions", then), self._action_word(other, then, change), reason),)
        return Edit("replace", path("actions", at), self._action_word(put, at, change), reason, also=also)


def _apply_change(acts: list[T], change: list[int], made: Callable[[int, int], T]) -> list[T]:
    """Apply a change to a list of acts; `made` converts each inserted code and its place."""
    for at, take, put in sorted((change[:3], change[3:]), reverse=True):
        if at >= 0:
            acts[at : at + take] = [made(put, at)] if put >= 0 else []
    return acts
