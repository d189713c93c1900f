"""Matches of a lake judged again by the workers of a cluster.

Each worker reads some, and writes what they come to in one transaction. First it says what moves
and then it writes, so that nothing of it is lost where a worker dies in between.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from typing import Any

from ingest.spread.cluster import Cluster, Given, Kept, Killed
from ingest.spread.work import Again, Matches, Refused, judged_again, moved, put_again
from ingest.store.errors import StoreError
from ingest.store.lake.store import LakeStore
from ingest.store.part import marked
from ingest.store.revalidate import Judged, called, chosen
from ingest.store.stored_texts import by_size
from ingest.store.verdict_diff import Moved

SIZE = 4 << 20
"""Bytes of text of which the matches are judged, and written, at a time."""

Put = tuple[list[Moved], bool]
Writing = deque[tuple[Matches, list[Moved], Given]]


class Refreshing:
    """Old verdicts of a lake judged again by workers who write what they come to."""

    def __init__(
        self,
        cluster: Cluster,
        store: LakeStore,
        everything: bool = False,
        size: int = SIZE,
        judge: Callable[[Matches], Again | Refused] = judged_again,
        write: Callable[[Again | Refused, Matches], Put | Refused] = put_again,
    ) -> None:
        self._cluster, self._store, self._everything = cluster, store, everything
        self._size, self._judge, self._write = size, judge, write
        self.set_aside: list[str] = []
        """Matches that no worker survived: they are as they were."""

    def judged(self) -> Generator[Judged, None, None]:
        """What moves, some matches at a time, in their order.

        ClusterError: the cluster is gone; what is judged again stays so. StoreError: the lake
        cannot take it.
        """
        store = self._store
        with store.told():
            numbers = chosen(store, self._everything)
        judging, writing = deque[tuple[Matches, Kept]](), Writing()
        done = 0

        def taken() -> Iterator[Judged]:
            nonlocal done
            order, told, given = writing.popleft()
            found = self._done(order, told, given)
            done += len(order.numbers)
            if found is not None:
                yield Judged(done, len(numbers), found)

        def written() -> Iterator[Judged]:
            self._give(*judging.popleft(), writing)
            while len(writing) > self._cluster.threads() + 1:
                yield from taken()

        with marked(store) as mark:
            for heads in by_size(store, numbers, self._size):
                some = heads["match_no"].to_numpy()
                order = Matches(store.for_others(), mark, some, self._everything)
                kept = self._cluster.keep(self._judge, moved, order, called(some))
                judging.append((order, kept))
                if len(judging) > self._cluster.threads() + 1:
                    yield from written()
            while judging:
                yield from written()
            while writing:
                yield from taken()

    def _give(self, order: Matches, kept: Kept, writing: Writing) -> None:
        """Have matches written that are judged."""
        try:
            told = _allowed(kept.told())
        except Killed:
            self.set_aside.append(called(order.numbers))
            return
        writing.append((order, told, kept.then(self._write, order)))

    def _done(self, order: Matches, told: list[Moved], given: Given) -> list[Moved] | None:
        """What moved with the matches that were given away; None: nobody survived it."""
        try:
            found, anew = _allowed(given.result())
        except Killed:
            self.set_aside.append(called(order.numbers))
            return None
        # nothing moves any more where another has written it, and died before it said so
        return found if found or anew else told


def _allowed(found: Any) -> Any:
    """StoreError: the lake did not take it."""
    if isinstance(found, Refused):
        raise StoreError(found.text, **found.values)
    return found
