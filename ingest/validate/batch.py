"""Validates a batch of texts.

The fast path is imported on first use: for a few matches, the slow path is quicker than this
import.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.games import game, game_names
from ingest.cancellation import check_cancelled
from ingest.reader.files import Batch, MatchText, ReadError
from ingest.reader.json_text import MAX_LINE_BYTES, compact_json, has_unique_keys
from ingest.validate.match_checks import clip_number, declared_array
from ingest.validate.report import MatchReport, report_of_result, report_of_trouble
from ingest.validate.slow_path import ValidationResult, validate
from schemas.content_hash import canonical_bytes, content_hash

if TYPE_CHECKING:
    from ingest.reader.canonical import CanonicalTexts
    from ingest.validate.fast_path.deal_arrays import Verdicts
    from ingest.validate.fast_path.decode import DecodedBatch

MAX_SLOW_PATH_MATCHES, MAX_SLOW_PATH_BYTES = 8, 256 << 10
"""Most matches and bytes for only the slow path: loading the fast path takes longer."""


class FastPathGroup(NamedTuple):
    """Matches of one game, decoded in bulk; `valid_indices` are those the fast path accepts, as
    indices into `places` and `decoded`.
    """

    game: str
    places: NDArray[np.int64]  # indices in the batch
    valid_indices: NDArray[np.int64]
    decoded: "DecodedBatch"
    verdicts: "Verdicts"
    status: NDArray[np.uint8] | None = None  # per match, index in STATUSES; None: all legal
    deal_status: NDArray[np.uint8] | None = None


@dataclass(slots=True)
class CheckedBatch:
    """A batch with its verdicts; `ids` has the match id of each text, `content_ids` the hash of all of
    it, and `start_ids` that of its first deal's cards.
    """

    file: str
    texts: list[MatchText]
    ids: list[str]
    fast_path_groups: list[FastPathGroup]
    results: dict[int, ValidationResult]  # by index in the batch; the rest are clean
    troubles: list[ReadError]
    content_ids: list[str]
    start_ids: list[int | None]

    def log_ids(self) -> list[str | None]:
        """Return the `id` field of each match."""
        ids: list[str | None] = [None] * len(self.texts)
        for group in self.fast_path_groups:
            own = group.decoded.match_columns.log_id.to_pylist()
            for place, log_id in zip(group.places.tolist(), own, strict=True):
                ids[place] = log_id
        for place, explained in self.results.items():
            ids[place] = explained.match.id if explained.match else None
        return ids

    def reports(self, duplicates: frozenset[int] = frozenset()) -> list[MatchReport]:
        """Return one report per match and per read error, in file order."""
        return [report for report, _, _ in self.reports_with_results(duplicates)]

    def reports_with_results(
        self, duplicates: frozenset[int] = frozenset()
    ) -> list[tuple[MatchReport, MatchText | None, ValidationResult | None]]:
        """Return each report with its text and its slow-path result, None if there is none."""
        items: list[tuple[MatchReport, MatchText | None, ValidationResult | None]] = []
        ids = self.log_ids()
        for place, text in enumerate(self.texts):
            explained = self.results.get(place)
            if explained is None:
                report = MatchReport(text.file or self.file, text.line, ids[place], self.ids[place], "legal")
            else:
                report = report_of_result(text.file or self.file, text, explained)
            report.duplicate = place in duplicates
            items.append((report, text, explained))
        if self.troubles:  # else the texts are in order, and may be of several files
            items += [(report_of_trouble(trouble), None, None) for trouble in self.troubles]
            items.sort(key=lambda one: one[0].line)
        return items


def check_batch(batch: Batch) -> CheckedBatch:
    """Validate a batch: by the fast path, then the rest by the slow path."""
    texts = batch.texts
    content_ids, clean = run_fast_path(texts)
    others = np.ones(len(texts), np.bool_)
    for group in clean:
        others[group.places[group.valid_indices]] = False
    explained = {place: validate_text(texts[place]) for place in np.flatnonzero(others).tolist()}
    ids, starts = play_ids(content_ids, clean, explained)
    return CheckedBatch(batch.file, texts, ids, clean, explained, batch.troubles, content_ids, starts)


def play_ids(
    content_ids: Sequence[str], groups: Iterable[FastPathGroup], results: dict[int, ValidationResult]
) -> tuple[list[str], list[int | None]]:
    """Return the id of the play of each match of a batch, and that of its first deal's cards.

    If that is unknown, a match is identified by its content.
    """
    ids, starts = [*content_ids], list[int | None]([None]) * len(content_ids)
    for group in groups:
        decoded = group.decoded
        found = zip(group.places.tolist(), decoded.play_ids, decoded.start_ids, strict=True)
        for place, match_id, start_id in found:
            if match_id is not None:
                ids[place], starts[place] = match_id, start_id
    for place, one in results.items():
        ids[place], starts[place] = one.match_id, one.start_id
    return ids, starts


def checked_batches(batches: Iterable[Batch]) -> Iterator[CheckedBatch]:
    """Validate batches as they arrive; a few matches never wait for the fast path to load."""
    matches = size = 0
    for batch in batches:
        matches += len(batch.texts)
        size += sum(len(one.text) for one in batch.texts)
        few = matches <= MAX_SLOW_PATH_MATCHES and size <= MAX_SLOW_PATH_BYTES
        yield check_batch_slow_path(batch) if few else check_batch(batch)


def check_batch_slow_path(batch: Batch) -> CheckedBatch:
    """Validate a batch by only the slow path, with the verdicts of `check_batch`."""
    explained = {place: validate_text(one) for place, one in enumerate(batch.texts)}
    content_ids = [one.content_id for one in explained.values()]
    ids, starts = play_ids(content_ids, (), explained)
    return CheckedBatch(batch.file, batch.texts, ids, [], explained, batch.troubles, content_ids, starts)


def run_fast_path(
    texts: Sequence[MatchText], rules: Callable[[Any], Any] | None = None
) -> tuple[list[str], list[FastPathGroup]]:
    """Return the content ids of texts, and the fast path's groups by game."""
    from ingest.reader.canonical import canonicalize, identity_bytes

    read = canonicalize([one.text for one in texts])
    ids = list(map(content_hash, identity_bytes(read)))
    found = _validate_group(read, np.arange(len(texts)), rules)
    others, again = [], []
    for place in np.flatnonzero(~read.valid).tolist():
        text, value = texts[place].text, None
        if len(text) <= MAX_LINE_BYTES:  # longer texts are not parsed; their bytes identify them
            with suppress(ValueError):
                value = orjson.loads(text)
        its_content = canonical_bytes(value, text)
        ids[place] = content_hash(its_content)
        if isinstance(value, dict) and has_unique_keys(value, text, its_content):
            if (plain := compact_json(value)) is not None:
                others.append(place)
                again.append(plain)
    if others:
        found += _validate_group(canonicalize(again), np.array(others), rules)
    return ids, found


def validate_text(text: MatchText, rules: Callable[[Any], Any] | None = None) -> ValidationResult:
    """Validate a text by the slow path, with findings located in its file.

    KeyboardInterrupt: the program it is done for left, here as between two findings.
    """
    check_cancelled()
    explained = validate(text.text, rules)
    for finding in explained.findings:
        if finding.line is None:
            finding.line = text.line
            continue
        if finding.line == 1 and finding.column is not None and finding.end is not None:
            finding.column += text.column - 1
            finding.end += text.column - 1
        finding.line += text.line - 1
    return explained


def _validate_group(
    canonical: "CanonicalTexts", places: NDArray[np.int64], rules: Callable[[Any], Any] | None
) -> list[FastPathGroup]:
    """Run the fast path on texts, whose indices in the batch are `places`; it only accepts."""
    from ingest.validate.fast_path.deal_arrays import replay_and_count
    from ingest.validate.fast_path.decode import decode_matches, places_by_game

    clean = []
    for name, some in places_by_game(canonical).items():
        if name in game_names() and game(name).has_fast_path:
            decoded = decode_matches(name, canonical, some, rules)
            numbers, good = decoded.deal_arrays, decoded.valid.copy()  # legal without any finding
            verdicts = replay_and_count(numbers)
            faulty = (verdicts.faults != 0) | (verdicts.match_faults != 0)
            owner = np.repeat(np.arange(len(good)), np.diff(numbers.first))
            good[owner[faulty]] = False
            for i, result in enumerate(decoded.results):
                if result is not None and good[i]:
                    # without deals, the match record is empty and proves no result
                    dealt = numbers.first[i] < numbers.first[i + 1]
                    match = verdicts.matches[i]
                    good[i] = dealt and is_result_right(numbers.game.match, match, result)
            clean.append(FastPathGroup(name, places[some], np.flatnonzero(good), decoded, verdicts))
    return clean


def is_result_right(match_rules: Any, match: np.void, result: dict[str, Any]) -> bool:
    """Whether a declared result equals the sum of the deals; False also if unsure."""
    score = result.get("score") or []
    if None in score:
        return False
    winner = clip_number(result.get("winner") or 0)
    return not match_rules.check_result(match, declared_array(score), len(score), winner, "winner" in result)
