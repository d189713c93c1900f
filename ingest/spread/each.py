"""Work that is many pieces, each done by whichever worker of a cluster is free, in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from ingest.spread.cluster import Cluster, Given, Killed

S = TypeVar("S")
T = TypeVar("T")


class Each(Generic[S, T]):
    """What workers make of some pieces; `named` says what one is called."""

    def __init__(self, cluster: Cluster, work: Callable[[S], T], named: Callable[[S], str]) -> None:
        self._cluster, self._work, self._named = cluster, work, named
        self.set_aside: list[str] = []
        """What no worker survived."""

    def __call__(self, pieces: Iterable[S]) -> Iterator[tuple[S, T | None]]:
        """Each piece with what came of it, which is None where no worker survived it.

        ClusterError: the cluster is gone.
        """
        waiting = deque[tuple[S, Given]]()
        for one in pieces:
            waiting.append((one, self._cluster.begin(self._work, one, self._named(one))))
            if len(waiting) > 2 * self._cluster.threads() + 2:
                yield self._taken(*waiting.popleft())
        while waiting:
            yield self._taken(*waiting.popleft())

    def _taken(self, one: S, given: Given) -> tuple[S, Any]:
        try:
            return one, given.result()
        except Killed:
            self.set_aside.append(self._named(one))
            return one, None
