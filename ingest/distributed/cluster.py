"""Connects to a Dask cluster or starts a local one.

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
from ingest.store.cancellation import check_cancelled
from ingest.store.errors import StoreError

MAX_WORKER_DEATHS = 2
"""Workers of our own that may die over a part before it is given up for the time being."""
MAX_ATTEMPTS = 2
"""How often a part is given to the cluster: what died beside it may have been another's fault."""
CONNECT_TIMEOUT_SECONDS = 10.0
"""Seconds until a scheduler that does not answer is given up."""
NO_WORKER_TIMEOUT_SECONDS = 60.0
"""Seconds that are waited for the first worker, or for one to come back."""
POLL_SECONDS = 2.0
"""Seconds between two looks at who is there."""
S = TypeVar("S")
T = TypeVar("T")
LOCAL_CLUSTER = re.compile(r"local(?::([1-9][0-9]{0,2}))?")
SCHEDULER_URL = re.compile(r"(?:tcp|tls|ws|wss)://\S+")
INVALID_SCHEDULER = N_(
    "{address} is no scheduler: write local:8 for eight processes of this machine, or "
    "tcp://HOST:PORT or tls://HOST:PORT for one that is there."
)
DASK_NOT_INSTALLED = N_("Dask is not installed: pip install retourne[cluster].")
SCHEDULER_UNREACHABLE = N_("The scheduler {address} does not answer.")
SCHEDULER_LOST = N_(
    "The scheduler {address} is gone. Files told before are stored, this one is not."
)
NO_WORKER = N_("The scheduler {address} has no worker, and none came.")
WORKER_VERSION_DIFFERS = N_(
    "The workers of {address} do not have this version of Retourne: there {there}, here {here}."
)


class ClusterError(StoreError):
    """A cluster cannot be asked for what is done to a store."""


class WorkersDied(Exception):
    """A part over which workers died, each time it was given to some."""


class Cluster:
    """Workers that are given work, and asked what came of it."""

    def __init__(self, client: Any, address: str) -> None:
        self.client, self.address = client, address
        self.dashboard = str(client.dashboard_link)
        """Where Dask shows what it does."""
        self._run_id = uuid4().hex
        self._task_count = 0
        self._thread_count, self._thread_count_time = 0, 0.0

    def thread_count(self) -> int:
        """How much is done at once, as far as was seen a moment ago. ClusterError: it is gone."""
        if time.monotonic() - self._thread_count_time > POLL_SECONDS:
            if self.client.status != "running":
                raise ClusterError(SCHEDULER_LOST, address=self.address)
            try:
                there: dict[str, int] = self.client.nthreads()
            except (AttributeError, OSError, TimeoutError):  # it was closed just now
                raise ClusterError(SCHEDULER_LOST, address=self.address) from None
            own = self.client.cluster
            if own is not None and len(there) < len(own.worker_spec):
                own.sync(_restart_dead_nannies, own)
            self._thread_count = sum(there.values())
            self._thread_count_time = time.monotonic()
        return self._thread_count

    def run_ahead(self, tasks: Iterable[T], per_thread: int = 1) -> Iterator[T]:
        """What was begun, in order: of each thread there is so much more under way."""
        waiting = deque[T]()
        for one in tasks:
            waiting.append(one)
            while len(waiting) > per_thread * (self.thread_count() + 1):
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()

    def map_items(
        self, work: Callable[[S], T], set_aside: list[str], items: Iterable[S]
    ) -> Iterator[tuple[S, T | None]]:
        """Each piece with what came of it; None, and it is named, where no worker survived it."""
        begun = ((one, Task(self, work, one, str(one))) for one in items)
        for one, given in self.run_ahead(begun, 2):
            try:
                yield one, given.result()
            except WorkersDied:
                set_aside.append(str(one))
                yield one, None

    def submit(
        self, work: Callable[..., Any], *args: Any, label: str, is_urgent: bool = False
    ) -> Any:
        """Work given to whoever is free, `is_urgent`: before what waits. ClusterError: it is
        gone.
        """
        from distributed.client import ClosedClientError

        self._task_count += 1
        key = f"{work.__name__} {label} {self._task_count}-{self._run_id}"
        try:
            return self.client.submit(work, *args, key=key, pure=False, priority=int(is_urgent))
        except ClosedClientError:
            raise ClusterError(SCHEDULER_LOST, address=self.address) from None

    def wait_for(self, future: Any) -> Any:
        """What came of it. ClusterError: the scheduler or all workers are gone."""
        from distributed import KilledWorker

        alone = time.monotonic()
        while True:
            check_cancelled()
            try:
                return future.result(timeout=POLL_SECONDS)
            except KilledWorker:
                raise WorkersDied from None
            except TimeoutError:
                if self.client.status != "running":
                    raise ClusterError(SCHEDULER_LOST, address=self.address) from None
                if self.thread_count():
                    alone = time.monotonic()
                elif time.monotonic() - alone > NO_WORKER_TIMEOUT_SECONDS:
                    raise ClusterError(NO_WORKER, address=self.address) from None
            except (CancelledError, OSError):
                raise ClusterError(SCHEDULER_LOST, address=self.address) from None


class Task:
    """Some work that was given to whoever is free."""

    max_attempts = MAX_ATTEMPTS

    def __init__(self, cluster: Cluster, work: Callable[..., Any], arg: Any, label: str) -> None:
        self._cluster, self._work, self._arg, self._label = cluster, work, arg, label
        self._future = self._submit()

    def _submit(self) -> Any:
        return self._cluster.submit(self._work, self._arg, label=self._label)

    def result(self) -> Any:
        """What came of it. Killed: workers died over it each time. ClusterError: none is there."""
        for _ in range(self.max_attempts - 1):
            with suppress(WorkersDied):
                return self._cluster.wait_for(self._future)
            self._future = self._submit()
        return self._cluster.wait_for(self._future)


class RemoteTask(Task):
    """Work whose outcome stays with who did it, for the work that comes after.

    `tell` says of it what is to be known here. Where that worker dies another does it again.
    """

    def __init__(self, summarize: Callable[..., Any], *given: Any) -> None:
        self._summarize = summarize
        super().__init__(*given)

    def _submit(self) -> Any:
        self.remote_result = super()._submit()
        return self._cluster.submit(
            self._summarize, self.remote_result, label=self._label, is_urgent=True
        )

    def then(self, work: Callable[..., Any], arg: Any) -> "_FollowUpTask":
        """Give its outcome, and something more, to other work, where it is."""
        return _FollowUpTask(self, self._cluster, work, arg, self._label)

    def resubmit(self) -> None:
        """Have it done once more where nobody survived it."""
        if self.remote_result.status == "error":
            self._future = self._submit()


class _FollowUpTask(Task):
    """Work on what is kept: it waits there, beside what may end the worker again and again."""

    max_attempts = 2 * MAX_ATTEMPTS

    def __init__(self, source_task: RemoteTask, *given: Any) -> None:
        self._source_task = source_task
        super().__init__(*given)

    def _submit(self) -> Any:
        self._source_task.resubmit()
        told = self._source_task.remote_result, self._arg
        return self._cluster.submit(self._work, *told, label=self._label, is_urgent=True)


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """The cluster of an address while this lasts. ClusterError: none, or one of another version."""
    own, there = LOCAL_CLUSTER.fullmatch(address), SCHEDULER_URL.fullmatch(address)
    if not own and not there:
        raise ClusterError(INVALID_SCHEDULER, address=address)
    try:
        import distributed
    except ImportError:
        raise ClusterError(DASK_NOT_INSTALLED) from None
    with ExitStack() as until:
        until.enter_context(_silenced_logging())
        where: Any = address
        if own:
            where = until.enter_context(_local_cluster(int(own[1] or os.cpu_count() or 1)))
        how = {
            "timeout": CONNECT_TIMEOUT_SECONDS,
            "set_as_default": False,
            "direct_to_workers": bool(own) or None,
        }
        try:
            client = until.enter_context(distributed.Client(where, **how))
        except (OSError, ValueError):
            raise ClusterError(SCHEDULER_UNREACHABLE, address=address) from None
        cluster = Cluster(client, address)
        _check_versions(cluster)
        yield cluster


@contextmanager
def _local_cluster(process_count: int) -> Iterator[Any]:
    """Worker processes of this machine, known to each other by certificates nobody else has."""
    import dask
    from distributed import LocalCluster

    told = {
        "distributed.scheduler.allowed-failures": MAX_WORKER_DEATHS,
        # a worker is given what it does and nothing to wait for it, which would die with it
        "distributed.scheduler.worker-saturation": 1.0,
    }
    with (
        TemporaryDirectory(prefix="retourne-") as folder,
        dask.config.set(told),
        LocalCluster(
            n_workers=process_count,
            threads_per_worker=1,
            security=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            local_directory=folder,
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        yield cluster


async def _restart_dead_nannies(cluster: Any) -> None:
    """Begin the processes anew whose keeper gave up, as it does where one dies while it begins."""
    from distributed import Status

    gone = (Status.closed, Status.failed)
    for name in [name for name, one in cluster.workers.items() if one.status in gone]:
        del cluster.workers[name]
    cluster.scale(len(cluster.worker_spec))


@contextmanager
def _silenced_logging() -> Iterator[None]:
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


def _check_versions(cluster: Cluster, worker_version: Callable[[], str] = program_version) -> None:
    """ClusterError: workers have another version of this program, or there is none in time."""
    try:
        cluster.client.wait_for_workers(1, timeout=NO_WORKER_TIMEOUT_SECONDS)
    except TimeoutError:
        raise ClusterError(NO_WORKER, address=cluster.address) from None
    here = worker_version()
    try:
        found = set(cluster.client.run(worker_version).values())
    except (ImportError, AttributeError):  # it is not there, or has no such thing
        found = {"–"}
    for there in found - {here}:
        raise ClusterError(WORKER_VERSION_DIFFERS, address=cluster.address, there=there, here=here)
