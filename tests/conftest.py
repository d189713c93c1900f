"""Settings of all tests: hypothesis profiles, and fixtures that workers share.

`make test` starts a worker of pytest-xdist for each core. What they make once for all of them is in
`tests/shared.py`; what must not happen twice at the same time, too.
"""

import gc
import multiprocessing
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from ingest import frozen_objects
from tests import shared
from tests.jit_warmup import warm

if TYPE_CHECKING:
    from xdist.scheduler import LoadScopeScheduling

gc.disable()  # until all is imported: looking for garbage in it is half the time it takes
ROOT = Path(__file__).parents[1]
DURATIONS = Path(__file__).with_name("durations.txt")
"""Seconds a file of tests took, the longest first: workers begin with it, to end together."""
SLOW_TESTS = Path(__file__).with_name("slow_tests.txt")
"""Tests without browser and page that took over SLOW_SECONDS: `make quick` leaves them out."""
SLOW_SECONDS = 0.05
BROWSER = "browser.py"
"""How the name of a file ends whose tests need Chromium, all of them in one worker."""
PAGE = "open_page"
"""What a test asks for that runs pages of the dashboard without a browser."""
SERVICES = {"server", "cluster", "running", "counted"}
"""What a test asks for that starts PostgreSQL, workers or object storage, or counts thousands of matches."""
COUNTED = "_counted.py"
"""How the name of a file ends whose tests share thousands of counted matches."""

SHARE, FEW = 1 / 3, 6
"""What `make test` tries of the examples of each property, and how many it always does."""

WORKERS = "workers"
"""Mark of tests that start processes with semaphores, as Python's pools and Dask do."""
MEMORY = Path("/dev/shm")
"""Where what is written is in memory alone: each commit of a store waits for a disk elsewhere."""
ENOUGH = 4 << 30

settings.register_profile(
    "test", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "soak", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("test")


def pytest_configure(config: pytest.Config) -> None:
    """Stores of the tests lie in memory where there is enough; a root that is named is held to."""
    if config.getoption("--soak"):  # examples of its own each time, others the same everywhere
        settings.load_profile("soak")
    if config.getoption("--lake") or config.getoption("--lake-s3"):
        from tests.lake_backend import UNCLOSED

        config.addinivalue_line("filterwarnings", UNCLOSED)
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("retourne")
    group.addoption(
        "--soak",
        type=int,
        metavar="TIMES",
        help="run the tests marked soak too, and every property with TIMES its examples",
    )
    group.addoption(
        "--lake", action="store_true", help="have every store of the tests be a lake (tests/lake_backend.py)"
    )
    group.addoption("--lake-s3", action="store_true", help="the same, and its files lie on object storage")
    group.addoption(
        "--keep-durations",
        action="store_true",
        help=f"write how long each file takes to {DURATIONS.relative_to(ROOT)}, and slow tests beside it",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`make quick` does not even import the files of browser tests."""
    left_out = config.getoption("markexpr").startswith("not browser")
    return True if left_out and collection_path.name.endswith(BROWSER) else None


def _has_semaphores() -> bool:
    try:
        multiprocessing.Lock()
    except OSError:
        return False
    return True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out or multiply what takes long; workers begin with it, so that they end together."""
    times, has_semaphores = config.getoption("--soak"), _has_semaphores()
    cases: dict[str, tuple[set[str], set[str]]] = {}
    for item in items:
        if some := item.get_closest_marker("sample"):
            case = item.callspec.id  # type: ignore[attr-defined]
            test = item.nodeid.removesuffix(f"[{case}]")
            cases.setdefault(test, (set(some.args), set()))[1].add(case)
            if case not in some.args:
                item.add_marker("soak")
    for test, (wanted, there) in cases.items():
        if len(there) > len(wanted) and wanted - there:
            raise pytest.UsageError(f"{test} has no case {', '.join(sorted(wanted - there))}")
    if not times:
        soak = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=soak)
        items[:] = [item for item in items if not item.get_closest_marker("soak")]
    if config.getoption("--lake") or config.getoption("--lake-s3"):
        from tests.lake_backend import left_out

        config.hook.pytest_deselected(items=[item for item in items if left_out(item)])
        items[:] = [item for item in items if not left_out(item)]
    slow = set(SLOW_TESTS.read_text(encoding="utf-8").split())
    for item in items:
        if _function(item.nodeid) in slow:
            item.add_marker("slow")
        needs = item.get_closest_marker("browser")
        if bool(needs) != item.path.name.endswith(BROWSER):
            raise pytest.UsageError(f"{item.nodeid}: browser tests stand in files …{BROWSER}")
        requested = getattr(item, "fixturenames", ())
        if PAGE in requested:
            item.add_marker("page")
        if SERVICES.intersection(requested):
            item.add_marker("slow")
        if not has_semaphores and (item.get_closest_marker(WORKERS) or "cluster" in requested):
            item.add_marker(pytest.mark.skip(reason="no semaphores: nothing can be written to /dev/shm"))
        _multiply(item, times or SHARE)
    if shared.WORKER:
        lines = DURATIONS.read_text(encoding="utf-8").splitlines()
        seconds = {name: float(took) for took, name in map(str.split, lines)}
        # those of Chromium first: one worker starts it, and the server
        items.sort(
            key=lambda item: (not item.path.name.endswith(BROWSER), -seconds.get(_scope(item.nodeid), 0.0))
        )


def _multiply(item: pytest.Item, times: float) -> None:
    """More or fewer examples for a property than it says itself, of which a few always remain."""
    test = getattr(item, "obj", None)
    if not is_hypothesis_test(test):
        return
    inner: Any = getattr(test, "__func__", test)
    effort = inner._hypothesis_internal_use_settings  # hypothesis has no other way in
    count = max(int(effort.max_examples * times), min(effort.max_examples, FEW))
    inner._hypothesis_internal_use_settings = settings(effort, max_examples=count)


@pytest.fixture(scope="session", autouse=True)
def _on_a_lake(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have stores be lakes where that is asked for."""
    on_s3 = request.config.getoption("--lake-s3")
    if not on_s3 and not request.config.getoption("--lake"):
        yield
        return
    from tests.lake_backend import instead

    with instead(on_s3):
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_ssl_context() -> Iterator[None]:
    """Have clients of HTTP share what they verify certificates by: reading it is most of making one."""
    if "httpx" not in sys.modules:
        yield
        return
    import httpx

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", cache(httpx.create_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def _begun(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have new stores be copies, where any test that is run has loaded what makes them."""
    lakes = request.config.getoption("--lake") or request.config.getoption("--lake-s3")
    if lakes or "ingest.store.base" not in sys.modules:
        yield
        return
    with shared.begun(tmp_path_factory):
        yield


def pytest_collection_finish(session: pytest.Session) -> None:
    frozen_objects.freeze()  # what is imported and collected stays: nobody looks through it again
    gc.set_threshold(100_000)  # as the command line does
    gc.enable()


# pytest-xdist


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """None but this process for a single file: a worker takes longer to start than most files."""
    named = {Path(str(name).split("::")[0]) for name in config.args}
    return 0 if len(named) == 1 and named.pop().suffix == ".py" else None


def _scope(nodeid: str) -> str:
    """What runs in one worker: a file, or all that share the counted matches, or a server and Chromium."""
    file = nodeid.split("::")[0]
    return next((common for common in (COUNTED, BROWSER) if file.endswith(common)), file)


def _function(nodeid: str) -> str:
    """Return the test of a case."""
    return nodeid.partition("[")[0]


_took, _took_alone = Counter[str](), Counter[str]()
"""Seconds of each file, and of each case."""


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _took[_scope(report.nodeid)] += report.duration  # type: ignore[assignment]
    if not report.keywords.keys() & {"browser", "page"}:
        _took_alone[report.nodeid] += report.duration  # type: ignore[assignment]


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--keep-durations") and not shared.WORKER:
        lines = (f"{seconds:.1f} {name}\n" for name, seconds in _took.most_common())
        DURATIONS.write_text("".join(lines), encoding="utf-8")
        slow = {_function(case) for case, seconds in _took_alone.items() if seconds > SLOW_SECONDS}
        SLOW_TESTS.write_text("".join(f"{name}\n" for name in sorted(slow)), encoding="utf-8")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> "LoadScopeScheduling":
    """Each file to one worker, since its tests share what its fixtures make."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return _scope(nodeid)

    config.option.loadscopereorder = False  # they are in order: see pytest_collection_modifyitems
    return ByFile(config, log)


def pytest_sessionstart(session: pytest.Session) -> None:
    if shared.WORKER and not session.config.option.collectonly:
        warm(shared.folder_of(session.config), int(shared.WORKER.removeprefix("gw")))
