"""Matches of a lake judged again by the workers of a cluster.

Each worker reads some, and writes what they come to in one transaction. First it says what moves
and then it writes, so that nothing of it is lost where a worker dies in between.
"""

from collections.abc import Callable, Generator, Iterator

from ingest.spread.cluster import Cluster, Given, Kept, Killed
from ingest.spread.worker import Again, Matches, judged_again, moved, put_again
from ingest.store.lake.store import LakeStore
from ingest.store.part import marked
from ingest.store.revalidate import Judged, chosen
from ingest.store.stored_texts import SIZE, by_size, called
from ingest.store.verdict_diff import Moved

Put = tuple[list[Moved], bool]


class Refreshing:
    """Old verdicts of a lake judged again by workers who write what they come to."""

    def __init__(
        self,
        cluster: Cluster,
        store: LakeStore,
        everything: bool = False,
        size: int = SIZE,
        judge: Callable[[Matches], Again] = judged_again,
        write: Callable[[Again, Matches], Put] = put_again,
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
        store, done = self._store, 0
        with store.told():
            numbers = chosen(store, self._everything)
        with marked(store) as mark:
            orders = (
                Matches(store.for_others(), mark, heads["match_no"].to_numpy(), self._everything)
                for heads in by_size(store, numbers, self._size)
            )
            for order, told, given in self._cluster.ahead(self._writing(orders)):
                done += len(order.numbers)
                try:
                    found, anew = given.result()
                except Killed:
                    self.set_aside.append(called(order.numbers))
                    continue
                # nothing moves any more where another has written it, and died before it said so
                yield Judged(done, len(numbers), found if found or anew else told)

    def _judging(self, orders: Iterator[Matches]) -> Iterator[tuple[Matches, Kept]]:
        """Matches that are being judged by workers."""
        for order in orders:
            yield order, self._cluster.keep(moved, self._judge, order, called(order.numbers))

    def _writing(self, orders: Iterator[Matches]) -> Iterator[tuple[Matches, list[Moved], Given]]:
        """Matches that are judged, with what moves, and are being written."""
        for order, kept in self._cluster.ahead(self._judging(orders)):
            try:
                yield order, kept.result(), kept.then(self._write, order)
            except Killed:
                self.set_aside.append(called(order.numbers))
