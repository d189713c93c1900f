"""A batch of texts → verdicts: in bulk where everything is in order, explained where not.

What the bulk side needs is imported when it is first asked: a few matches are explained sooner than
that is loaded.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.games import game, names
from ingest.reader.files import Batch, Text, Trouble
from ingest.reader.json_text import LINE_LIMIT, keys_once, written
from ingest.validate.match_checks import clipped, told_array
from ingest.validate.report import MatchReport, explained_report, trouble_report
from ingest.validate.slow_path import Explained, explain
from schemas.content_hash import content, digest

if TYPE_CHECKING:
    from ingest.reader.canonical import Canonical
    from ingest.validate.fast_path.deal_arrays import Verdicts
    from ingest.validate.fast_path.decode import Decoded

FEW, SHORT = 8, 256 << 10
"""Matches of a batch, and bytes, that are all explained: as soon done as the rest is loaded."""


class Clean(NamedTuple):
    """Matches of one game that the bulk side vouches for: `keep` indexes `places` and `decoded`."""

    game: str
    places: NDArray[np.int64]  # in the batch
    keep: NDArray[np.int64]
    decoded: "Decoded"
    verdicts: "Verdicts"
    status: NDArray[np.uint8] | None = None  # per match, in STATUSES; None where all are legal
    deal_status: NDArray[np.uint8] | None = None


@dataclass(slots=True)
class Checked:
    """A batch with its verdicts; `ids` has one entry a text."""

    file: str
    texts: list[Text]
    ids: list[str]
    clean: list[Clean]
    explained: dict[int, Explained]  # by place in the batch: every match that is not clean
    troubles: list[Trouble]

    def log_ids(self) -> list[str | None]:
        """The id each match gives itself."""
        ids: list[str | None] = [None] * len(self.texts)
        for group in self.clean:
            own = group.decoded.head.log_id.to_pylist()
            for place, log_id in zip(group.places.tolist(), own, strict=True):
                ids[place] = log_id
        for place, explained in self.explained.items():
            ids[place] = explained.match.id if explained.match else None
        return ids

    def reports(self, duplicates: frozenset[int] = frozenset()) -> list[MatchReport]:
        """One report a match, in order, and one for each trouble."""
        return [report for report, _, _ in self.told(duplicates)]

    def told(
        self, duplicates: frozenset[int] = frozenset()
    ) -> list[tuple[MatchReport, Text | None, Explained | None]]:
        """The reports, each with the text it is about and what it was explained with."""
        told: list[tuple[MatchReport, Text | None, Explained | None]] = []
        ids = self.log_ids()
        for place, text in enumerate(self.texts):
            explained = self.explained.get(place)
            if explained is None:
                report = MatchReport(self.file, text.line, ids[place], self.ids[place], "legal")
            else:
                report = explained_report(self.file, text, explained)
            report.duplicate = place in duplicates
            told.append((report, text, explained))
        told += [(trouble_report(trouble), None, None) for trouble in self.troubles]
        return sorted(told, key=lambda one: one[0].line)


def check_batch(batch: Batch) -> Checked:
    """Verdicts on a batch."""
    texts = batch.texts
    ids, clean = in_bulk(texts)
    others = np.ones(len(texts), np.bool_)
    for group in clean:
        others[group.places[group.keep]] = False
    explained = {place: explain_text(texts[place]) for place in np.flatnonzero(others).tolist()}
    return Checked(batch.file, texts, ids, clean, explained, batch.troubles)


def checked_batches(batches: Iterable[Batch]) -> Iterator[Checked]:
    """Verdicts on batches as they come; those of few matches never wait for the bulk side."""
    loaded = False
    for batch in batches:
        few = len(batch.texts) <= FEW and sum(len(one.text) for one in batch.texts) <= SHORT
        loaded = loaded or not few
        yield check_batch(batch) if loaded else explain_batch(batch)


def explain_batch(batch: Batch) -> Checked:
    """The verdicts of `check_batch` by the explanation alone."""
    explained = {place: explain_text(one) for place, one in enumerate(batch.texts)}
    ids = [one.match_id for one in explained.values()]
    return Checked(batch.file, batch.texts, ids, [], explained, batch.troubles)


def in_bulk(
    texts: Sequence[Text], rules: Callable[[Any], Any] | None = None
) -> tuple[list[str], list[Clean]]:
    """What texts are known by, and those of each game that can be decoded in bulk."""
    from ingest.reader.canonical import canonical, known_by

    read = canonical([one.text for one in texts])
    ids = list(map(digest, known_by(read)))
    found = _bulk(read, np.arange(len(texts)), rules)
    others, again = [], []
    for place in np.flatnonzero(~read.sure).tolist():
        text, value = texts[place].text, None
        if len(text) <= LINE_LIMIT:  # a longer one is not read, and known by its bytes
            with suppress(ValueError):
                value = orjson.loads(text)
        its_content = content(value, text)
        ids[place] = digest(its_content)
        if isinstance(value, dict) and keys_once(value, text, its_content):
            if (plain := written(value)) is not None:
                others.append(place)
                again.append(plain)
    if others:
        found += _bulk(canonical(again), np.array(others), rules)
    return ids, found


def explain_text(one: Text, rules: Callable[[Any], Any] | None = None) -> Explained:
    """A text explained, with the places of its findings in its file."""
    explained = explain(one.text, rules)
    for finding in explained.findings:
        if finding.line is None:
            finding.line = one.line
            continue
        if finding.line == 1 and finding.column is not None and finding.end is not None:
            finding.column += one.column - 1
            finding.end += one.column - 1
        finding.line += one.line - 1
    return explained


def _bulk(
    read: "Canonical", places: NDArray[np.int64], rules: Callable[[Any], Any] | None
) -> list[Clean]:
    """The bulk verdict on texts that stand at some places of a batch: it may only say yes."""
    from ingest.validate.fast_path.deal_arrays import judge
    from ingest.validate.fast_path.decode import by_game, decode

    clean = []
    for name, some in by_game(read).items():
        if name in names() and game(name).in_bulk:
            decoded = decode(name, read, some, rules)
            numbers, good = decoded.numbers, decoded.sure.copy()  # those legal in every way
            verdicts = judge(numbers)
            faulty = (verdicts.faults != 0) | (verdicts.match_faults != 0)
            owner = np.repeat(np.arange(len(good)), np.diff(numbers.first))
            good[owner[faulty]] = False
            for i, result in enumerate(decoded.results):
                if result is not None and good[i]:
                    # without a deal nothing was counted, not even the seats
                    dealt = numbers.first[i] < numbers.first[i + 1]
                    match = verdicts.matches[i]
                    good[i] = dealt and result_holds(numbers.game.match, match, result)
            clean.append(Clean(name, places[some], np.flatnonzero(good), decoded, verdicts))
    return clean


def result_holds(flow: Any, match: np.void, result: dict[str, Any]) -> bool:
    """Whether a declared result is what the deals make; False also where that is not sure."""
    score = result.get("score") or []
    if None in score:
        return False
    winner = clipped(result.get("winner") or 0)
    return not flow.check_result(match, told_array(score), len(score), winner, "winner" in result)
