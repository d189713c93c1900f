"""Connects to a Dask cluster or starts a local one.

`distributed` is imported only when a cluster is requested.
"""

import logging
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TypeVar
from uuid import uuid4

from engine import program_version
from ingest.cancellation import check_cancelled
from ingest.i18n import N_
from ingest.store.errors import StoreError
from ingest.store.temporary_files import temporary_folder

MAX_WORKER_DEATHS = 2
"""Deaths of local workers over a part before one attempt at it is given up."""
MAX_ATTEMPTS = 2
"""Attempts per part: a worker may have died because of another part it was processing."""
CONNECT_TIMEOUT_SECONDS = 10.0
"""Seconds to wait for an answer of the scheduler."""
NO_WORKER_TIMEOUT_SECONDS = 60.0
"""Seconds to wait for the first worker, or for one to return."""
POLL_SECONDS = 2.0
"""Seconds between checks of the cluster's state."""
S = TypeVar("S")
T = TypeVar("T")
LOCAL_CLUSTER = re.compile(r"local(?::([1-9][0-9]{0,2}))?")
SCHEDULER_URL = re.compile(r"(?:tcp|tls|ws|wss)://\S+")
INVALID_SCHEDULER = N_(
    "{address} is not a scheduler: write local:8 for eight processes on this machine, or "
    "tcp://HOST:PORT or tls://HOST:PORT for a running one."
)
SCHEDULER_LOST = N_(
    "The scheduler {address} stopped answering. Files listed before are stored, this one is not."
)
NO_WORKER = N_("The scheduler {address} has no worker, and none came.")
WORKER_VERSION_DIFFERS = N_(
    "The workers of {address} do not have this version of Retourne: there {there}, here {here}."
)


class ClusterError(StoreError):
    """Raised if a cluster cannot do the work for a store."""


class WorkersDied(Exception):
    """Raised for a part over which workers died on every attempt."""


class Cluster:
    """Submits tasks to the workers of a cluster and returns results."""

    def __init__(self, client: Any, address: str) -> None:
        self.client, self.address = client, address
        self.dashboard = str(client.dashboard_link)
        """The URL of Dask's dashboard."""
        self._run_id = uuid4().hex
        self._task_count = 0
        self._thread_count, self._thread_count_time = 0, 0.0

    def thread_count(self) -> int:
        """Return the workers' threads, cached for POLL_SECONDS. ClusterError: it is lost."""
        if time.monotonic() - self._thread_count_time > POLL_SECONDS:
            if self.client.status != "running":
                raise ClusterError(SCHEDULER_LOST, address=self.address)
            try:
                there: dict[str, int] = self.client.nthreads()
            except (AttributeError, OSError, TimeoutError):  # closed since the check
                raise ClusterError(SCHEDULER_LOST, address=self.address) from None
            own = self.client.cluster
            if own is not None and len(there) < len(own.worker_spec):
                own.sync(_restart_dead_nannies, own)
            self._thread_count = sum(there.values())
            self._thread_count_time = time.monotonic()
        return self._thread_count

    def run_ahead(self, tasks: Iterable[T], per_thread: int = 1) -> Iterator[T]:
        """Yield started tasks in order, with about `per_thread` tasks per thread in progress."""
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
        """Yield each item with its result; None, added to `set_aside`, if workers died over it."""
        begun = ((one, Task(self, work, one, str(one))) for one in items)
        for one, given in self.run_ahead(begun, 2):
            try:
                yield one, given.result()
            except WorkersDied:
                set_aside.append(str(one))
                yield one, None

    def submit(self, work: Callable[..., Any], *args: Any, label: str, is_urgent: bool = False) -> Any:
        """Submit work, ahead of waiting work if `is_urgent`. ClusterError: the cluster is lost."""
        from distributed.client import ClosedClientError

        self._task_count += 1
        key = f"{work.__name__} {label} {self._task_count}-{self._run_id}"
        try:
            return self.client.submit(work, *args, key=key, pure=False, priority=int(is_urgent))
        except ClosedClientError:
            raise ClusterError(SCHEDULER_LOST, address=self.address) from None

    def wait_for(self, future: Any) -> Any:
        """Wait for a result. ClusterError: the scheduler or all workers are lost."""
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
    """Work submitted to any free worker."""

    max_attempts = MAX_ATTEMPTS

    def __init__(self, cluster: Cluster, work: Callable[..., Any], arg: Any, label: str) -> None:
        self._cluster, self._work, self._arg, self._label = cluster, work, arg, label
        self._future = self._submit()

    def _submit(self) -> Any:
        return self._cluster.submit(self._work, self._arg, label=self._label)

    def result(self) -> Any:
        """Wait for the result. WorkersDied: on each attempt. ClusterError: no cluster is left."""
        for _ in range(self.max_attempts - 1):
            with suppress(WorkersDied):
                return self._cluster.wait_for(self._future)
            self._future = self._submit()
        return self._cluster.wait_for(self._future)


class RemoteTask(Task):
    """Work whose result stays on its worker, for follow-up work.

    `summarize` extracts what the client needs. If the worker dies, another repeats the work.
    """

    def __init__(self, summarize: Callable[..., Any], *given: Any) -> None:
        self._summarize = summarize
        super().__init__(*given)

    def _submit(self) -> Any:
        self.remote_result = super()._submit()
        return self._cluster.submit(self._summarize, self.remote_result, label=self._label, is_urgent=True)

    def then(self, work: Callable[..., Any], arg: Any) -> "_FollowUpTask":
        """Submit follow-up work on the result and `arg`, run where the result is."""
        return _FollowUpTask(self, self._cluster, work, arg, self._label)

    def resubmit(self) -> None:
        if self.remote_result.status == "error":
            self._future = self._submit()


class _FollowUpTask(Task):
    """Follow-up work on a stored result, retried more often as other tasks may kill its worker."""

    max_attempts = 2 * MAX_ATTEMPTS

    def __init__(self, source_task: RemoteTask, *given: Any) -> None:
        self._source_task = source_task
        super().__init__(*given)

    def _submit(self) -> Any:
        self._source_task.resubmit()
        values = self._source_task.remote_result, self._arg
        return self._cluster.submit(self._work, *values, label=self._label, is_urgent=True)


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """Connect to a cluster. ClusterError: it is unreachable or has another version."""
    own, there = LOCAL_CLUSTER.fullmatch(address), SCHEDULER_URL.fullmatch(address)
    if not own and not there:
        raise ClusterError(INVALID_SCHEDULER, address=address)
    try:
        import distributed
    except ImportError:
        raise ClusterError(
            N_(
                "Dask is not installed. In the checkout: pip install "
                "'.[cluster]' – with the wheel: pip install 'FILE.whl[cluster]'"
            )
        ) from None
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
            raise ClusterError(N_("The scheduler {address} does not answer."), address=address) from None
        cluster = Cluster(client, address)
        _check_versions(cluster)
        yield cluster


@contextmanager
def _local_cluster(process_count: int) -> Iterator[Any]:
    """Start worker processes on this machine that authenticate with temporary certificates."""
    import dask
    from distributed import LocalCluster

    fields = {
        "distributed.scheduler.allowed-failures": MAX_WORKER_DEATHS,
        # no queue per worker: queued tasks would count as failed if the worker dies
        "distributed.scheduler.worker-saturation": 1.0,
    }
    with (
        temporary_folder() as folder,
        dask.config.set(fields),
        LocalCluster(
            n_workers=process_count,
            threads_per_worker=1,
            security=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            local_directory=str(folder),
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        yield cluster


async def _restart_dead_nannies(cluster: Any) -> None:
    """Restart workers whose nanny gave up, as it does if a worker dies while starting."""
    from distributed import Status

    removed = (Status.closed, Status.failed)
    for name in [name for name, one in cluster.workers.items() if one.status in removed]:
        del cluster.workers[name]
    cluster.scale(len(cluster.worker_spec))


@contextmanager
def _silenced_logging() -> Iterator[None]:
    """Silence Dask's logs about workers in the terminal; its dashboard shows them."""
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
    """Check the workers' version. ClusterError: it differs, or no worker appears in time."""
    try:
        cluster.client.wait_for_workers(1, timeout=NO_WORKER_TIMEOUT_SECONDS)
    except TimeoutError:
        raise ClusterError(NO_WORKER, address=cluster.address) from None
    here = worker_version()
    try:
        found = set(cluster.client.run(worker_version).values())
    except (ImportError, AttributeError):  # Retourne is missing there, or lacks the function
        found = {"–"}
    for there in found - {here}:
        raise ClusterError(WORKER_VERSION_DIFFERS, address=cluster.address, there=there, here=here)
