"""Files given to the workers of a cluster part by part, and taken back in their order.

What comes of it is what `ingest.store.add` stores of a file that it checks itself: the same
verdicts and rows, with the lines they have in the whole file.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ingest.spread.cluster import Cluster, Given, Killed
from ingest.spread.pieces import (
    SIZE,
    TEXTS,
    Pieces,
    aside,
    called,
    first_line,
    lines_in,
    unread,
)
from ingest.spread.work import Done, Part, checked_part, checked_texts
from ingest.store.apart import pieces
from ingest.store.ready import Ready, ready
from ingest.store.spool import laid, loaded
from ingest.text.files import Batch, Trouble
from ingest.text.ranges import Reading
from ingest.text.sources import Source, source_batches

Tell = Callable[[int], None]


class Spread:
    """Sources checked by a cluster, some parts ahead of the one that is stored."""

    def __init__(
        self,
        cluster: Cluster,
        sources: Iterable[Source],
        size: int = SIZE,
        work: Callable[[Part], Done | None] = checked_part,
        texts: Callable[[Batch], Done] = checked_texts,
    ) -> None:
        self._cluster, self._texts = cluster, texts
        self._pieces = Pieces[Given](
            cluster, sources, size, lambda part: cluster.begin(work, part, called(part))
        )
        self.set_aside: list[str] = []
        """What was given up, each by file and bytes."""

    def checked(self, source: Source, tell: Tell) -> Iterator[Ready]:
        """The checked batches of the next source; `tell` hears how many of its bytes are done.

        ClusterError: the cluster is gone.
        """
        lines = 0
        for piece in self._pieces.of_source():
            if piece.part is None or piece.given is None:
                yield from self._sent(source_batches([source], self._hear), tell)
                continue
            done = self._done(piece.part, piece.given)
            if done is None:
                done = yield from self._read_here(piece.part, lines)
            else:
                yield from _below(done, lines)
            lines += done.lines
            tell(piece.part.until)

    # what comes back

    def _done(self, part: Part, given: Given) -> Done | None:
        """What came of a part; None where it has to be read here."""
        try:
            done: Done | None = given.result()
        except Killed:
            self.set_aside.append(called(part))
            return Done([_told(aside(part.name))], lines_in(part))
        return done

    def _read_here(self, part: Part, lines: int) -> Any:
        """A part that workers cannot read, sent to them as text; what it has of lines."""
        reading = Reading(part.path, part.part, part.name)
        try:
            for one in self._sent(reading.batches(), lambda count: None):
                one.below(lines)
                yield one
        except OSError as error:
            yield ready(Batch(part.name, [], [unread(part, error)]))
        return Done([], reading.lines)

    def _hear(self, count: int) -> None:
        self._count = count

    def _sent(self, batches: Iterator[Batch], tell: Tell) -> Iterator[Ready]:
        """Batches read here and checked by workers."""
        waiting = deque[tuple[Batch, int, Given]]()
        self._count = 0
        for batch in pieces(batches, TEXTS):
            given = self._cluster.begin(self._texts, batch, f"{batch.file} {first_line(batch)}")
            waiting.append((batch, self._count, given))
            if len(waiting) > self._cluster.threads() + 1:
                yield from self._taken(*waiting.popleft(), tell)
        while waiting:
            yield from self._taken(*waiting.popleft(), tell)
        tell(self._count)

    def _taken(self, batch: Batch, count: int, given: Given, tell: Tell) -> Iterator[Ready]:
        try:
            done = given.result()
        except Killed:
            self.set_aside.append(f"{batch.file}:{first_line(batch)}")
            done = Done([_told(aside(batch.file, first_line(batch)))], 0)
        yield from _below(done, 0)
        tell(count)


def _below(done: Done, lines: int) -> Iterator[Ready]:
    """Checked batches, with so many lines before them."""
    for data in done.batches:
        one = loaded(data)
        one.below(lines)
        yield one


def _told(trouble: Trouble) -> bytes:
    return laid(ready(Batch(trouble.file, [], [trouble])))
