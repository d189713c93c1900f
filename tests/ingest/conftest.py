"""Runs the command line in this process: output and exit code."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import zstandard

from ingest.cli.app import run
from ingest.store import store_url
from ingest.store.factory import Store
from tests import shared
from tests.ingest import postgres
from tests.ingest.logs import lines
from tests.ingest.object_storage import Storage, requested_at, served

if TYPE_CHECKING:
    from ingest.distributed.cluster import Cluster

FAUTES = Path(__file__).parents[2] / "data" / "fautes"


def earlier() -> bytes:
    """A store of the last schema before the first version (`test_earlier_store.py`)."""
    return zstandard.decompress(Path(__file__).with_name("earlier.duckdb.zst").read_bytes())


class Done(NamedTuple):
    """One run of a command; `raw` is what it wrote to standard output, byte for byte."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The output as one object a line."""
        return [json.loads(line) for line in self.raw.splitlines()]


Command = Callable[..., Done]

_HOLD = "import sys, duckdb; c = duckdb.connect(sys.argv[1]); print('held', flush=True); input()"


@contextmanager
def held_elsewhere(store: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process has the store open until this ends."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield other
        other.communicate("\n")


@pytest.fixture
def retourne(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """`retourne("check", path)`, in an empty folder and in English."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "RETOURNE_STORE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    monkeypatch.setenv("COLUMNS", "100")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)

    def command(*words: object) -> Done:
        capfdbinary.readouterr()
        code = run([str(word) for word in words])
        out, err = capfdbinary.readouterr()
        message = err.decode()
        assert "Traceback" not in message
        return Done(code, out, message)

    return command


@pytest.fixture(autouse=True)
def nothing_to_hide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that other tests had are words like any other."""
    monkeypatch.setattr(store_url, "_known_secrets", set())


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """A PostgreSQL for the lakes of all tests of this process."""
    with postgres.running() as running:
        yield running


@pytest.fixture(scope="module")
def cluster(pytestconfig: pytest.Config) -> Iterator["Cluster"]:
    """Workers on this machine: one, whose start is most of the time, and two in `make soak`."""
    from ingest.distributed.cluster import connect

    with connect("local:2" if pytestconfig.getoption("--soak") else "local:1") as made:
        yield made


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """Object storage for all tests of this process, of which no environment says anything."""
    with served(tmp_path_factory.mktemp("storage")) as storage:
        yield storage


@pytest.fixture
def storage(running: Storage, monkeypatch: pytest.MonkeyPatch) -> Storage:
    """The same, as the environment says where it is."""
    requested_at(monkeypatch, running.environ)
    return running


@pytest.fixture
def lake(server: postgres.Server, tmp_path: Path) -> str:
    """The address of a lake with nothing in it."""
    return server.empty_lake(tmp_path / "lake")


Filled = Callable[[Callable[[Store], object]], Path]


@pytest.fixture
def filled(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Filled:
    """`filled(fill)`: the test's store, as `fill` filled one of that name once a run."""

    def copy(fill: Callable[[Store], object]) -> Path:
        def make(part: Path) -> None:
            with Store(part) as store:
                fill(store)

        made = shared.once(tmp_path_factory, f"{fill.__module__}.{fill.__name__}.duckdb", make)
        return Path(shutil.copy(made, tmp_path / "club.duckdb"))

    return copy


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A file of six legal matches."""
    path = tmp_path / "club.jsonl"
    path.write_bytes(lines())
    return path
