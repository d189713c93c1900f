"""The cluster that is asked: one that is there, or worker processes of this machine's own.

`distributed` is imported when a cluster is asked for, and nowhere else.
"""

import logging
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from uuid import uuid4

from engine import program_version
from ingest.i18n import N_
from ingest.store.cancellation import go_on
from ingest.store.errors import StoreError

DEATHS = 2
"""Workers of our own that may die over a part before it is given up for the time being."""
ROUNDS = 2
"""How often a part is given to the cluster: what died beside it may have been another's fault."""
PATIENCE = 10.0
"""Seconds until a scheduler that does not answer is given up."""
ALONE = 60.0
"""Seconds that are waited for the first worker, or for one to come back."""
AGAIN = 2.0
"""Seconds between two looks at who is there."""
S = TypeVar("S")
T = TypeVar("T")
LOCAL = re.compile(r"local(?::([1-9][0-9]{0,2}))?")
THERE = re.compile(r"(?:tcp|tls|ws|wss)://\S+")
NO_SUCH = N_(
    "{address} is no scheduler: write local:8 for eight processes of this machine, or "
    "tcp://HOST:PORT or tls://HOST:PORT for one that is there."
)
NOT_INSTALLED = N_("Dask is not installed: pip install retourne[cluster].")
NO_SCHEDULER = N_("The scheduler {address} does not answer.")
GONE = N_("The scheduler {address} is gone. Files told before are stored, this one is not.")
NO_WORKER = N_("The scheduler {address} has no worker, and none came.")
OTHER_VERSION = N_(
    "The workers of {address} do not have this version of Retourne: there {there}, here {here}."
)


class ClusterError(StoreError):
    """A cluster cannot be asked for what is done to a store."""


class Killed(Exception):
    """A part over which workers died, each time it was given to some."""


class Cluster:
    """Workers that are given work, and asked what came of it."""

    def __init__(self, client: Any, address: str) -> None:
        self.client, self.address = client, address
        self.dashboard = str(client.dashboard_link)
        """Where Dask shows what it does."""
        self._run = uuid4().hex
        self._count = 0
        self._threads, self._looked = 0, 0.0

    def threads(self) -> int:
        """How much is done at once, as far as was seen a moment ago. ClusterError: it is gone."""
        if time.monotonic() - self._looked > AGAIN:
            if self.client.status != "running":
                raise ClusterError(GONE, address=self.address)
            try:
                there: dict[str, int] = self.client.nthreads()
            except (AttributeError, OSError, TimeoutError):  # it was closed just now
                raise ClusterError(GONE, address=self.address) from None
            own = self.client.cluster
            if own is not None and len(there) < len(own.worker_spec):
                own.sync(_made_whole, own)
            self._threads = sum(there.values())
            self._looked = time.monotonic()
        return self._threads

    def ahead(self, begun: Iterable[T], times: int = 1) -> Iterator[T]:
        """What was begun, in order: of each thread there is so much more under way."""
        waiting = deque[T]()
        for one in begun:
            waiting.append(one)
            while len(waiting) > times * (self.threads() + 1):
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()

    def each(
        self, work: Callable[[S], T], set_aside: list[str], pieces: Iterable[S]
    ) -> Iterator[tuple[S, T | None]]:
        """Each piece with what came of it; None, and it is named, where no worker survived it."""
        begun = ((one, Given(self, work, one, str(one))) for one in pieces)
        for one, given in self.ahead(begun, 2):
            try:
                yield one, given.result()
            except Killed:
                set_aside.append(str(one))
                yield one, None

    def submitted(
        self, work: Callable[..., Any], *what: Any, called: str, soon: bool = False
    ) -> Any:
        """Work given to whoever is free, `soon`: before what waits. ClusterError: it is gone."""
        from distributed.client import ClosedClientError

        self._count += 1
        key = f"{work.__name__} {called} {self._count}-{self._run}"
        try:
            return self.client.submit(work, *what, key=key, pure=False, priority=int(soon))
        except ClosedClientError:
            raise ClusterError(GONE, address=self.address) from None

    def waited(self, future: Any) -> Any:
        """What came of it. ClusterError: the scheduler or all workers are gone."""
        from distributed import KilledWorker

        alone = time.monotonic()
        while True:
            go_on()
            try:
                return future.result(timeout=AGAIN)
            except KilledWorker:
                raise Killed from None
            except TimeoutError:
                if self.client.status != "running":
                    raise ClusterError(GONE, address=self.address) from None
                if self.threads():
                    alone = time.monotonic()
                elif time.monotonic() - alone > ALONE:
                    raise ClusterError(NO_WORKER, address=self.address) from None
            except (CancelledError, OSError):
                raise ClusterError(GONE, address=self.address) from None


class Given:
    """Some work that was given to whoever is free."""

    rounds = ROUNDS

    def __init__(self, cluster: Cluster, work: Callable[..., Any], what: Any, called: str) -> None:
        self._cluster, self._work, self._what, self._called = cluster, work, what, called
        self._future = self._begun()

    def _begun(self) -> Any:
        return self._cluster.submitted(self._work, self._what, called=self._called)

    def result(self) -> Any:
        """What came of it. Killed: workers died over it each time. ClusterError: none is there."""
        for _ in range(self.rounds - 1):
            with suppress(Killed):
                return self._cluster.waited(self._future)
            self._future = self._begun()
        return self._cluster.waited(self._future)


class Kept(Given):
    """Work whose outcome stays with who did it, for the work that comes after.

    `tell` says of it what is to be known here. Where that worker dies another does it again.
    """

    def __init__(self, tell: Callable[..., Any], *given: Any) -> None:
        self._tell = tell
        super().__init__(*given)

    def _begun(self) -> Any:
        self.there = super()._begun()
        return self._cluster.submitted(self._tell, self.there, called=self._called, soon=True)

    def then(self, work: Callable[..., Any], what: Any) -> "_Then":
        """Give its outcome, and something more, to other work, where it is."""
        return _Then(self, self._cluster, work, what, self._called)

    def again(self) -> None:
        """Have it done once more where nobody survived it."""
        if self.there.status == "error":
            self._future = self._begun()


class _Then(Given):
    """Work on what is kept: it waits there, beside what may end the worker again and again."""

    rounds = 2 * ROUNDS

    def __init__(self, kept: Kept, *given: Any) -> None:
        self._kept = kept
        super().__init__(*given)

    def _begun(self) -> Any:
        self._kept.again()
        told = self._kept.there, self._what
        return self._cluster.submitted(self._work, *told, called=self._called, soon=True)


@contextmanager
def joined(address: str) -> Iterator[Cluster]:
    """The cluster of an address while this lasts. ClusterError: none, or one of another version."""
    own, there = LOCAL.fullmatch(address), THERE.fullmatch(address)
    if not own and not there:
        raise ClusterError(NO_SUCH, address=address)
    try:
        import distributed
    except ImportError:
        raise ClusterError(NOT_INSTALLED) from None
    with ExitStack() as until:
        until.enter_context(_quiet())
        where: Any = address
        if own:
            where = until.enter_context(_local(int(own[1] or os.cpu_count() or 1)))
        how = {"timeout": PATIENCE, "set_as_default": False, "direct_to_workers": bool(own) or None}
        try:
            client = until.enter_context(distributed.Client(where, **how))
        except (OSError, ValueError):
            raise ClusterError(NO_SCHEDULER, address=address) from None
        cluster = Cluster(client, address)
        _same_version(cluster)
        yield cluster


@contextmanager
def _local(count: int) -> Iterator[Any]:
    """Worker processes of this machine, known to each other by certificates nobody else has."""
    import dask
    from distributed import LocalCluster

    told = {
        "distributed.scheduler.allowed-failures": DEATHS,
        # a worker is given what it does and nothing to wait for it, which would die with it
        "distributed.scheduler.worker-saturation": 1.0,
    }
    with (
        TemporaryDirectory(prefix="retourne-") as folder,
        dask.config.set(told),
        LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            security=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            local_directory=folder,
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        yield cluster


async def _made_whole(cluster: Any) -> None:
    """Begin the processes anew whose keeper gave up, as it does where one dies while it begins."""
    from distributed import Status

    gone = (Status.closed, Status.failed)
    for name in [name for name, one in cluster.workers.items() if one.status in gone]:
        del cluster.workers[name]
    cluster.scale(len(cluster.worker_spec))


@contextmanager
def _quiet() -> Iterator[None]:
    """What Dask says of workers that come and go is said by its dashboard, not in a terminal."""
    handlers = logging.getLogger("distributed").handlers
    before = [one.level for one in handlers]
    for one in handlers:
        one.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for one, level in zip(handlers, before, strict=False):
            one.setLevel(level)


def _same_version(cluster: Cluster, version: Callable[[], str] = program_version) -> None:
    """ClusterError: workers have another version of this program, or there is none in time."""
    try:
        cluster.client.wait_for_workers(1, timeout=ALONE)
    except TimeoutError:
        raise ClusterError(NO_WORKER, address=cluster.address) from None
    here = version()
    try:
        found = set(cluster.client.run(version).values())
    except (ImportError, AttributeError):  # it is not there, or has no such thing
        found = {"–"}
    for there in found - {here}:
        raise ClusterError(OTHER_VERSION, address=cluster.address, there=there, here=here)
