"""The one road for every log: lines, decode, replay, verdicts, store; one transaction a file."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest import decode as decoding
from ingest.check import Checked, Source, check_batch, logs_in, source_batches
from ingest.decode import Head
from ingest.explain import Explained
from ingest.files import Batch
from ingest.findings import STATUSES, MatchReport
from ingest.numbers import Numbers, Verdicts, from_explained, judge
from ingest.parse import is_date
from ingest.rows import DealRows, finding_rows, match_rows, seat_rows
from ingest.store import Store

TIME = pa.timestamp("us", tz="UTC")
AHEAD = 2
"""Batches checked while one is stored; each more takes a tenth of a gigabyte."""
KEPT_REPORTS = 10_000
"""Reports kept of one file; past that only their statuses are counted."""


@dataclass(slots=True)
class FileReport:
    """What became of one file; `by_status` counts what was added."""

    name: str
    matches: int = 0
    added: int = 0
    duplicates: int = 0
    by_status: Counter[str] = field(default_factory=Counter)
    reports: list[MatchReport] = field(default_factory=list)
    """Matches that are not clean and texts that are none; at most KEPT_REPORTS."""


def ingest(
    store: Store,
    sources: Iterable[Source],
    progress: Callable[[str, int], None] = lambda name, count: None,
) -> Iterator[FileReport]:
    """Store files, a report each as it is done; `progress` hears the bytes read of a file.

    A file's matches are stored all together or, when anything stops it, not at all.
    StoreError: the store cannot take them.
    """
    for source in sources:
        if isinstance(source, Path) and source.is_dir():
            yield from ingest(store, logs_in(source), progress)
        else:
            yield _ingest_file(store, source, progress)


def _ingest_file(store: Store, source: Source, progress: Callable[[str, int], None]) -> FileReport:
    name = source[0] if isinstance(source, tuple) else str(source)
    report = FileReport(name)
    with store.adding():
        file_no = store.file_number()
        read = source_batches([source], lambda count: progress(name, count))
        seen: set[str] = set()
        for checked in _ahead(read):
            _Addition(store, file_no, checked, report, seen).write()
        now = datetime.now(UTC)
        row = [file_no, Path(name).name, now, report.matches, report.duplicates]
        store.connection.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", row)
    return report


def _ahead(batches: Iterator[Batch]) -> Iterator[Checked]:
    """Read and check batches, in order, ahead of the one being stored.

    One thread reads and another checks: DuckDB and the kernels leave Python the processor.
    """
    idle = [decoding.connection() for _ in range(AHEAD)]

    def work(read: Future[Batch | None]) -> Checked | None:
        batch = read.result()
        if batch is None:
            return None
        db = idle.pop()
        try:
            return check_batch(db, batch)
        finally:
            idle.append(db)

    with ThreadPoolExecutor(1) as reader, ThreadPoolExecutor(AHEAD) as checkers:
        coming: deque[Future[Checked | None]] = deque()
        while True:
            while len(coming) <= AHEAD:
                coming.append(checkers.submit(work, reader.submit(next, batches, None)))
            checked = coming.popleft().result()
            if checked is None:
                return
            yield checked


class _Addition:
    """One checked batch on its way into the store."""

    def __init__(
        self, store: Store, file_no: int, checked: Checked, report: FileReport, seen: set[str]
    ) -> None:
        self.store, self.file_no, self.checked, self.report = store, file_no, checked, report
        known = store.known(checked.ids)
        self.duplicates: set[int] = set()
        for place, match_id in enumerate(checked.ids):
            if match_id in known or match_id in seen:
                self.duplicates.add(place)
            seen.add(match_id)

    def write(self) -> None:
        """Insert everything new and report everything."""
        for group in self.checked.clean:
            fresh = [int(k) for k in group.keep if int(group.places[k]) not in self.duplicates]
            keep = np.array(fresh, np.int64)
            places = group.places[keep]
            statuses = ["legal"] * len(keep)
            self._insert(
                places, statuses, group.decoded.head, keep, group.decoded.numbers, group.verdicts
            )
        explained = {
            place: found
            for place, found in self.checked.explained.items()
            if place not in self.duplicates
        }
        games = {found.match.game for found in explained.values() if found.match}
        for name in sorted(games):
            self._insert_explained(
                name, {p: e for p, e in explained.items() if e.match and e.match.game == name}
            )
        self._insert_unreadable({p: e for p, e in explained.items() if e.match is None})
        self._tell()

    def _tell(self) -> None:
        report, checked = self.report, self.checked
        report.matches += len(checked.texts)
        report.duplicates += len(self.duplicates)
        report.added += len(checked.texts) - len(self.duplicates)
        clean = sum(
            int(place) not in self.duplicates
            for group in checked.clean
            for place in group.places[group.keep]
        )
        report.by_status["legal"] += clean
        for place, explained in checked.explained.items():
            if place not in self.duplicates:
                report.by_status[explained.status] += 1
        if not checked.explained and not checked.troubles and not self.duplicates:
            return
        for told in checked.reports(frozenset(self.duplicates)):
            unclean = told.findings or told.duplicate
            if unclean and len(report.reports) < KEPT_REPORTS:
                report.reports.append(told)

    def _base(self, places: NDArray[np.int64], statuses: list[str], findings: list[int]) -> Any:
        """The columns that name a match, and its numbers."""
        numbers = self.store.number(len(places))
        chosen = [int(place) for place in places]
        return numbers, {
            "match_no": numbers,
            "match_id": [self.checked.ids[place] for place in chosen],
            "file_no": np.full(len(chosen), self.file_no),
            "line": [self.checked.texts[place].line for place in chosen],
            "status": statuses,
            "findings": pa.array(findings, pa.int32()),
        }

    def _insert_raw(self, numbers: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        data = [self.checked.texts[int(place)].text for place in places]
        try:
            texts, others = pa.array(data, pa.string()), pa.nulls(len(data), pa.binary())
        except (UnicodeDecodeError, pa.ArrowInvalid):
            decoded = [_utf8(text) for text in data]
            texts = pa.array(decoded, pa.string())
            kept = [
                text if good is None else None for text, good in zip(data, decoded, strict=True)
            ]
            others = pa.array(kept, pa.binary())
        rows = {
            "match_no": numbers,
            "text": texts,
            "bytes": others,
        }
        self.store.insert("raw", pa.table(rows))

    def _insert(
        self,
        places: NDArray[np.int64],
        statuses: list[str],
        head: Head,
        keep: NDArray[np.int64],
        numbers: Numbers,
        verdicts: Verdicts,
        findings: list[int] | None = None,
        deal_statuses: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.int64]:
        """Insert the kept matches of one game with all their rows; their numbers."""
        match_no, base = self._base(places, statuses, findings or [0] * len(places))
        if not len(places):
            return match_no
        insert = self.store.insert
        insert("matches", match_rows(head, keep, numbers, verdicts, base))
        ids = [player for k in keep for player in head.ids[k]]
        names = [name for k in keep for name in head.names[k]]
        player_no = self.store.players(ids, names)
        seats = head.players[keep]
        insert("seats", seat_rows(match_no, seats, player_no, verdicts.matches[keep]))
        played = head.played_at.take(pa.array(keep))
        months = pc.floor_temporal(played, unit="month").cast(pa.date32())
        rows = DealRows(numbers, verdicts, keep, match_no, deal_statuses, months, player_no, seats)
        insert("deals", rows.deals())
        insert("deal_seats", rows.deal_seats())
        if (announced := rows.announcements()) is not None:
            insert("announcements", announced)
        self._insert_raw(match_no, places)
        return match_no

    def _insert_explained(self, name: str, explained: dict[int, Explained]) -> None:
        found = list(explained.values())
        numbers = from_explained(name, found)
        verdicts = judge(numbers)
        statuses = [e.status for e in found]
        per_deal = [STATUSES.index(status) for e in found for status in e.deal_status]
        match_no = self._insert(
            np.array(list(explained), np.int64),
            statuses,
            _head_of(found),
            np.arange(len(found)),
            numbers,
            verdicts,
            [len(e.findings) for e in found],
            np.array(per_deal, np.uint8),
        )
        rows = finding_rows(match_no.tolist(), [e.findings for e in found])
        self.store.insert("findings", rows)

    def _insert_unreadable(self, explained: dict[int, Explained]) -> None:
        places = np.array(list(explained), np.int64)
        found = list(explained.values())
        numbers, base = self._base(
            places, [e.status for e in found], [len(e.findings) for e in found]
        )
        if not len(places):
            return
        rows = match_rows(_head_of(found), np.arange(len(found)), None, None, base)
        self.store.insert("matches", rows)
        self._insert_raw(numbers, places)
        rows = finding_rows(numbers.tolist(), [e.findings for e in found])
        self.store.insert("findings", rows)


def _utf8(text: bytes) -> str | None:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return None


def _head_of(found: list[Explained]) -> Head:
    """The match-level columns of explained matches, empty where nothing could be read."""
    matches = [e.match for e in found]

    def column(read: Callable[[Any], Any]) -> NDArray[np.object_]:
        values = np.full(len(matches), None, np.object_)
        for i, match in enumerate(matches):
            values[i] = None if match is None else read(match)
        return values

    def date(match: Any) -> datetime | None:
        told = match.played_at
        return datetime.fromisoformat(told.upper()) if told and is_date(told) else None

    return Head(
        game=column(lambda match: match.game),
        preset=column(decoding.preset_of),
        options=column(decoding.options_of),
        log_id=pa.array([match and match.id for match in matches], pa.string()),
        played_at=pa.array([match and date(match) for match in matches], TIME),
        event=column(lambda match: decoding.name_in(match.event)),
        details=column(lambda match: decoding.details(match.event, match.source)),
        source=column(lambda match: decoding.name_in(match.source)),
        players=np.array([len(match.players) if match else 0 for match in matches], np.int64),
        ids=[[player.id for player in match.players] if match else [] for match in matches],
        names=[
            [player.name or player.id for player in match.players] if match else []
            for match in matches
        ],
    )
