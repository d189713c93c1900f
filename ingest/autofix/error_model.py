"""Ways a deal may have been misrecorded, with their likelihood.

A fault can only result from acts recorded up to it, and the real play was legal. So
only actions that the kernel finds legal replace an action or are inserted before it.

Weights are natural logarithms. A weight is the likelihood that a correct match was recorded as this
log: by a kind of error (`RecordingError`), at one of its possible places, with one of its possible
alternatives. Dealt cards and declarations are visible on the sheet and are read again, so errors in
them are less likely.

Edits for all kinds of errors compete. Each of those that leave the fewest faults has a share of the
total likelihood; a share of `CERTAIN_SHARE` makes it certain. Edits that give the same log count as
one.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from math import exp, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT, UNKNOWN_ACT
from engine.games import Game
from engine.replay import Replay
from ingest.autofix.card_words import differs_by_one_letter
from ingest.findings.finding import Candidate, Edit


class RecordingError(Enum):
    """A kind of recording error: its log weight before place and alternative, and the reason."""

    WRONG_ACTION = 0.0, "one action for another: the commonest slip, so the measure of the others"
    WRONG_SEAT = 0.0, "as common: the seat is one sign, and written forty times a deal"
    MISSING_ACTION = 0.0, "as common: the eye jumps a line"
    DUPLICATED = 0.0, "as common: a line copied twice"
    EXTRA_ACTION = -7.0, "what nobody did is hardly ever written down"
    SWAPPED_ACTIONS = 0.0, "neighbours written in the wrong order"
    SWAPPED_CARDS = 0.0, "two plays of one trick, each with the other's card"
    SWAPPED_IN_HAND = -4.0, "two cards of one player, tricks apart: a memory that fails"
    MOVED_ACTION = -3.5, "an announcement or an exchange noted late, or too early"
    OPENER = -0.5, "who deals follows from the deal before"
    WRONG_DEALT_CARD = -1.0, "a hand is written before the play, and is the same for all of it"
    WRONG_FACE = -1.5, "a card of the deal written with the other face up"
    WRONG_BID_CARD = -0.5, "one of five bid cards for another"
    WRONG_DECLARATION = (
        -3.5,
        "a total is added up by two, and read out: it is evidence before it is a fault",
    )

    @property
    def log_weight(self) -> float:
        return float(self.value[0])


UNSHOWN_MARK = "~"  # suffix of an announcement that was never shown
UNSEEN_WEIGHT = -5.0  # an unshown announcement has no effect, so it fits anywhere
ALREADY_UNSHOWN_WEIGHT = -4.0  # a missing announcement that is already recorded as unshown
COPIED_WEIGHT = -4.0  # a card also played elsewhere in the deal
DISTANCE_WEIGHT = -2.5  # per action between two exchanged plays
NEVER_PLAYED_WEIGHT = -11.0  # a card that was not played is rarely recorded
UNRELATED_WORD_WEIGHT = -12.0  # of two dissimilar words
UNFINISHED_WEIGHT = -5.0  # recording rarely stops within a deal
MISREAD_WEIGHT = -30.0  # a word with one reading is not meant as another act
UNKNOWN_WORD_WEIGHT = -10.0  # an extra action is rarely an unknown word
OUT_OF_TURN_WEIGHT = -2.5  # an act that may be out of turn rarely is
MIN_DECLARED_WEIGHT = -7.0
"""Lowest weight of a wrong number: a sheet that the play contradicts has some error."""
OTHER_CAUSE_WEIGHT = -13.0  # an error not modelled here; less likely edits are never certain
OTHER_CAUSE_WEIGHT_OF_TWO = -20.0  # more than two errors, or one not modelled here
CERTAIN_SHARE = 0.95  # share from which an edit is certain
CERTAIN_SHARE_OF_TWO = 0.995  # for the first of two errors: there are many more pairs
MAX_CANDIDATES = 5  # candidates that are reported
MIN_CANDIDATE_SHARE = 0.005  # lowest share of a reported candidate
TIE_SHARE = 0.9
"""Ratio to the first share that is a tie; with more ties than MAX_CANDIDATES none are reported."""

_WORD_PART = re.compile(r"\d+|[a-z]+|[A-Z]|~")
_NUMBER = re.compile(r"[0-9]+")
NO_CHANGE = -1  # nothing is inserted, or there is no second change
MAX_PLAYS_BETWEEN = 8  # plays between two exchanged cards, at most
MAX_MOVE = 40  # actions by which an act may be recorded too late or too early
NO_SUBJECT = (NO_CHANGE, NO_CHANGE)


class RecordedDeal(NamedTuple):
    """A deal as recorded, with its replay."""

    replay: Replay
    codes: NDArray[np.int64]
    row: NDArray[np.uint8]  # the cards as dealt to the kernel
    dealer: int
    explicit: bool
    is_known_action: NDArray[np.bool_]  # actions with a known word
    words: list[str]  # the actions as in the log


class Change(NamedTuple):
    """One change of a deal, as a row of `ChangeBatch`."""

    error: RecordingError
    replacements: list[int]
    subject: tuple[int, int]


class ChangeBatch(NamedTuple):
    """Changes of a deal: kinds, rows for `kernel.replay_variants`, and initial states."""

    errors: list[RecordingError]
    changes: NDArray[np.int64]
    starts: NDArray[np.void]  # the states before the first change
    subjects: list[tuple[int, int]]
    """For the deal: two places of the row, (place, card), (place, -2 - card) of an undealt card,
    (seat, bid), or the seat that opens; for the play `NO_SUBJECT`."""

    def change(self, i: int) -> Change:
        return Change(self.errors[i], self.changes[i].tolist(), self.subjects[i])


def all_changes(
    game: Game,
    rules: np.void,
    recorded: RecordedDeal,
    last_action: int,
    rows_by_dealer: Mapping[int, NDArray[np.uint8]],
    bids: Sequence[Any],
) -> ChangeBatch:
    """Return every change of one or two actions up to `last_action`, or of the deal.

    `rows_by_dealer` are the rows of the other possible dealers.
    """
    acts = [*_single_action_changes(game, rules, recorded, 0, last_action)]
    acts += _exchange_changes(game, recorded.codes, min(last_action, len(recorded.codes) - 1))
    play = _change_batch(recorded, acts)
    seats = np.array(list(rows_by_dealer), np.int64)
    made = [
        (
            RecordingError.OPENER,
            np.array(list(rows_by_dealer.values())),
            seats,
            np.full(len(seats), NO_CHANGE),
        ),
        *_deal_changes(game, recorded.row, bids),
    ]
    counts = [len(rows) for _, rows, _, _ in made]
    n = sum(counts)
    dealers = np.full(n, recorded.dealer, np.int64)
    dealers[: len(seats)] = seats
    starts = np.zeros(n, game.kernel.State)
    nothing = np.zeros(n, np.int64)
    game.kernel.replay_deals(
        *(starts, nothing.copy(), nothing.copy(), np.array([rules]), nothing),
        *(np.full(n, len(rows_by_dealer) + 1), dealers, np.concatenate([rows for _, rows, _, _ in made])),
        *(np.full(n, int(recorded.explicit)), np.zeros(0, np.uint16), np.zeros(n + 1, np.int64)),
    )
    changes = np.tile(np.array([0, 0, NO_CHANGE, NO_CHANGE, 0, NO_CHANGE], np.int64), (n, 1))
    added_errors = [one[0] for one, count in zip(made, counts, strict=True) for _ in range(count)]
    about = [both for *_, a, b in made for both in zip(a.tolist(), b.tolist(), strict=True)]
    return ChangeBatch(
        play.errors + added_errors,
        np.concatenate([play.changes, changes]),
        np.concatenate([play.starts, starts]),
        play.subjects + about,
    )


def changes_at(game: Game, rules: np.void, recorded: RecordedDeal, action_index: int) -> ChangeBatch:
    """Return every change of one action, and every insertion before it."""
    return _change_batch(
        recorded, [*_single_action_changes(game, rules, recorded, action_index, action_index)]
    )


def legal_codes(game: Game, state: np.void, rules: np.void) -> NDArray[np.int64]:
    """Return every legal action in a state, by any seat."""
    codes = np.zeros(2048, np.uint16)
    return codes[: game.kernel.legal(state, rules, codes)].astype(np.int64)


ChangeColumns = tuple[Any, ...]
"""Columns of changes of one kind: an array, or a number that all share."""


def _change_batch(deal: RecordedDeal, kinds: Sequence[tuple[RecordingError, ChangeColumns]]) -> ChangeBatch:
    """Build a batch of several kinds, each from the state before its first change."""
    added_errors, changes = list[RecordingError](), []
    for error, columns in kinds:
        count = next(len(one) for one in columns if isinstance(one, np.ndarray))
        rows = np.full((count, 6), NO_CHANGE, np.int64)
        for n, column in enumerate(columns):
            rows[:, n] = column
        changes.append(rows)
        added_errors += [error] * count
    whole = np.concatenate(changes)
    return ChangeBatch(added_errors, whole, deal.replay.states[whole[:, 0]], [NO_SUBJECT] * len(added_errors))


def _single_action_changes(
    game: Game, rules: np.void, deal: RecordedDeal, since: int, until: int
) -> Iterator[tuple[RecordingError, ChangeColumns]]:
    """Yield actions replaced, by another seat, removed, and inserted."""
    codes, states = deal.codes, deal.replay.states
    last = min(until, len(codes) - 1)
    legal = [legal_codes(game, states[k], rules) for k in range(since, until + 1)]
    at = np.repeat(np.arange(since, until + 1), [len(one) for one in legal])
    put = np.concatenate(legal)
    was, known = np.append(codes, UNKNOWN_ACT)[at], np.append(deal.is_known_action, False)[at]
    seat = put >> SEAT_SHIFT == was >> SEAT_SHIFT
    act = put & ACT_MASK == was & ACT_MASK
    here = (at <= last) & (put != was)
    word, other = here & (seat | ~known), here & act & known & ~seat
    yield RecordingError.WRONG_ACTION, (at[word], 1, put[word])
    yield RecordingError.WRONG_SEAT, (at[other], 1, put[other])
    yield RecordingError.MISSING_ACTION, (at, 0, put)
    each = np.arange(since, last + 1)
    alike = codes[1:] == codes[:-1]
    twin = (np.append(alike, False) | np.append(False, alike))[since : last + 1]
    twin = twin[: len(each)]
    yield RecordingError.DUPLICATED, (each[twin], 1, NO_CHANGE)
    yield RecordingError.EXTRA_ACTION, (each[~twin], 1, NO_CHANGE)


def _exchange_changes(
    game: Game, codes: NDArray[np.int64], last: int
) -> Iterator[tuple[RecordingError, ChangeColumns]]:
    """Yield neighbours exchanged, cards of two plays exchanged, and acts moved."""
    n = len(codes)
    if not n:
        return
    one = np.arange(min(last + 1, n - 1))
    one = one[codes[one] != codes[one + 1]]
    yield RecordingError.SWAPPED_ACTIONS, (one, 1, codes[one + 1], one + 1, 1, codes[one])
    kinds = [game.acts.kind_of_act(int(code) & ACT_MASK) for code in codes]
    known = codes & ACT_MASK < game.acts.ACT_COUNT
    plays = np.array([k for k, kind in enumerate(kinds) if kind == "play" and known[k]], np.int64)
    i, j = np.triu_indices(len(plays), 1)
    near = j - i <= MAX_PLAYS_BETWEEN
    i, j = plays[i], plays[j]
    same = codes[i] >> SEAT_SHIFT == codes[j] >> SEAT_SHIFT
    may = (i <= last) & (codes[i] & ACT_MASK != codes[j] & ACT_MASK)
    for error, chosen in (
        (RecordingError.SWAPPED_CARDS, may & near & ~same),
        (RecordingError.SWAPPED_IN_HAND, may & same & (j > i + 1)),
    ):
        a, b = i[chosen], j[chosen]
        put = codes[a] & ~ACT_MASK | codes[b] & ACT_MASK
        then = codes[b] & ~ACT_MASK | codes[a] & ACT_MASK
        yield error, (a, 1, put, b, 1, then)
    for k, kind in enumerate(kinds):
        if kind != "play":
            before = np.arange(max(k - MAX_MOVE, 0), min(k - 1, last + 1))
            yield RecordingError.MOVED_ACTION, (before, 0, codes[k], k, 1, NO_CHANGE)
            if k <= last:
                after = np.arange(k + 3, min(k + MAX_MOVE, n + 1))
                yield RecordingError.MOVED_ACTION, (k, 1, NO_CHANGE, after, 0, codes[k])


def _deal_changes(
    game: Game, row: NDArray[np.uint8], bids: Sequence[Any]
) -> Iterator[tuple[RecordingError, NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]]:
    """Yield kinds of error with changed rows and their subjects."""
    # two cards exchanged; with two faces, a card turned or an undealt one; another bid
    deck_format = game.deck_format
    places = np.flatnonzero(row[: deck_format.place_count] != deck_format.no_card)
    i, j = (places[one] for one in np.triu_indices(len(places), 1))
    each = np.arange(len(i))
    rows = np.tile(row, (len(i), 1))
    rows[each, i], rows[each, j] = row[j], row[i]
    yield RecordingError.WRONG_DEALT_CARD, rows, i, j
    if deck_format.faces_per_card == 2:
        turned = np.tile(row, (len(places), 1))
        turned[np.arange(len(places)), places] ^= 1
        yield RecordingError.WRONG_FACE, turned, places, row[places].astype(np.int64) ^ 1
        cards = np.arange(2 * deck_format.card_count)
        rest = cards[~np.isin(cards >> 1, row[places] >> 1)]
        at, card = np.repeat(places, len(rest)), np.tile(rest, len(places))
        others = np.tile(row, (len(at), 1))
        others[np.arange(len(at)), at] = card
        yield RecordingError.WRONG_DEALT_CARD, others, at, -2 - card
    for seat, (place, values) in enumerate(bids):
        bid = np.array([value for value in values if value != row[place]], np.int64)
        rows = np.tile(row, (len(bid), 1))
        rows[:, place] = bid
        yield RecordingError.WRONG_BID_CARD, rows, np.full(len(bid), seat), bid


@lru_cache(maxsize=65536)
def word_weight(word: str, meant: str, alike: bool) -> float:
    """Weigh a known word for another, without seats; `alike`: same kind of act."""
    # often just one part is wrong: a rank, a suit, a face's colour, a height
    if not alike:
        return log(0.2 / 60) + UNSEEN_WEIGHT * meant.endswith(UNSHOWN_MARK)
    if word.rstrip(UNSHOWN_MARK) == meant.rstrip(UNSHOWN_MARK):
        return log(0.7 / 2)  # the mark of the same announcement
    # two characters are rank and suit of a card
    one, other = (list(item) if len(item) == 2 else _WORD_PART.findall(item) for item in (word, meant))
    slight = len(one) == len(other) and sum(map(str.__ne__, one, other)) == 1
    return log(0.7 / 10) if slight else log(0.3 / 25)


@lru_cache(maxsize=65536)
def misspelling_weight(word: str, meant: str) -> float:
    """Weigh an unknown word for a known one, by their similarity."""
    # numbers have no similarity: 95 is no nearer to 90 than to 100
    one, other = (_NUMBER.sub("0", item) for item in (word, meant))
    if differs_by_one_letter(word, meant) or (word != meant and word[:2] == meant[:2] and one == other):
        return log(0.7 / 10)
    if sorted(word) == sorted(meant) and len(word) == len(meant):
        return log(0.2 / 4)
    same = sum(a == b for a, b in zip(word, meant, strict=False))
    return UNRELATED_WORD_WEIGHT + log(max(same / max(len(word), len(meant), 1), 0.05))


def number_weight(declared: int, right: int) -> float:
    """Weigh a number for another: digits exchanged or wrong, or off by 1 or 10."""
    one, other = str(declared), str(right)
    share = 2e-3  # a wrong addition may give any number
    if len(one) == len(other):
        separate = sum(a != b for a, b in zip(one, other, strict=True))
        if separate == 1:
            share += 0.4 / (9 * len(one))
        if sorted(one) == sorted(other) and separate == 2:
            share += 0.3 / len(one)
    elif differs_by_one_letter(one, other):
        share += 0.1 / 10
    if abs(declared - right) in (1, 10):
        share += 0.3 / 4
    return log(share)


def declaration_weight(declared_value: Any, right: Any) -> float:
    """Weigh a declared value for the right one: a list of numbers, or a winner."""
    if not (isinstance(declared_value, list) and isinstance(right, list)):
        return log(0.5)
    if len(declared_value) != len(right):
        return log(1e-3)
    if sorted(declared_value) == sorted(right):
        return log(0.1)  # the sides' points exchanged
    separate = [number_weight(a, b) for a, b in zip(declared_value, right, strict=True) if a != b]
    least = MIN_DECLARED_WEIGHT * len(separate)  # each wrong number is an error
    return max(sum(separate) - log(max(len(declared_value), 1)), least)


class ScoredEdit(NamedTuple):
    """An edit with the faults it leaves, its log weight, and its result."""

    faults_left: int
    log_weight: float
    edit: Edit
    result_key: Hashable  # equal for edits that give the same log
    points: list[Any] | None = None
    winner: Any = None
    ends_deal: bool = True  # whether the deal ends after the edit


def select_edit(
    edits: Iterable[ScoredEdit], other_weight: float | None = None
) -> tuple[ScoredEdit | None, tuple[Candidate, ...]]:
    """Return the certain edit, or else the candidates, most likely first.

    `other_weight` is the log weight of a cause that is none of the edits.
    """
    edits = list(edits)
    least = min((one.faults_left for one in edits), default=0)
    best = [one for one in edits if one.faults_left == least]
    if not best:
        return None, ()
    top = max(one.log_weight for one in best)
    shares: dict[Hashable, float] = {}
    first: dict[Hashable, ScoredEdit] = {}
    for one in best:
        shares[one.result_key] = shares.get(one.result_key, 0.0) + exp(one.log_weight - top)
        if one.result_key not in first or one.log_weight >= first[one.result_key].log_weight:
            first[one.result_key] = one
    total = sum(shares.values()) + (0.0 if other_weight is None else exp(other_weight - top))
    order = sorted(shares, key=lambda same: shares[same], reverse=True)
    if shares[order[0]] >= CERTAIN_SHARE * total:
        return first[order[0]], ()
    if len(order) > MAX_CANDIDATES and shares[order[MAX_CANDIDATES]] > TIE_SHARE * shares[order[0]]:
        return None, ()
    items = [first[same] for same in order[:MAX_CANDIDATES] if shares[same] >= MIN_CANDIDATE_SHARE * total]
    return None, tuple(Candidate(one.edit, one.points, one.winner) for one in items)
