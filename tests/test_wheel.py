"""The wheel is whole: installed elsewhere, it checks what it ships and opens the dashboard."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.waiting import PATIENCE, comes

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the wheel's files and nothing else of the project."""
    built = tmp_path_factory.mktemp("wheel")
    run = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(built)]
    subprocess.run([*run, str(ROOT)], check=True, capture_output=True)
    (wheel,) = built.glob("*.whl")
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*pip, str(target), str(wheel)], check=True, capture_output=True)
    return target


@pytest.fixture
def environment(installed: Path) -> dict[str, str]:
    """What the installed commands run in: the wheel's files come before this checkout's."""
    return os.environ | {"PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1", "LANG": "en_GB.UTF-8"}


def test_it_holds_the_project_and_no_tests(installed: Path) -> None:
    packages = {path.name for path in installed.iterdir() if path.is_dir()}
    assert {"engine", "schemas", "ingest", "dashboard", "data", "js"} <= packages
    assert not packages & {"tests", "benchmarks", "docs"}
    for package in ("engine", "schemas", "ingest", "dashboard", "data", "js"):
        assert (installed / package / "py.typed").is_file()
    sources = {path.name for path in (ROOT / "js" / "src").iterdir()}
    assert {path.name for path in (installed / "js" / "src").iterdir()} == sources
    assert not (installed / "js" / "dist").exists()
    for page in ("rules.md", "regles.md", "format.md"):
        shipped = (installed / "data" / "rules" / page).read_bytes()
        assert shipped == (ROOT / "docs" / page).read_bytes()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        # with no match in it no kernel has to be compiled, which nobody has done in that folder
        ("fautes/document/unknown-rule", 1),
        ("exemple-lavardin", 0),
    ],
)
@pytest.mark.sample("fautes/document/unknown-rule-1")
def test_it_checks_a_log_it_ships_from_an_empty_folder(
    installed: Path, environment: dict[str, str], tmp_path: Path, name: str, code: int
) -> None:
    retourne = shutil.which("retourne", path=str(installed / "bin"))
    assert retourne
    command = [sys.executable, retourne, "check", str(installed / "data" / f"{name}.json")]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, ""), done.stdout
    assert ("quinte cannot be “cent”." in done.stdout) == bool(code)
    where = [sys.executable, "-c", "import ingest; print(ingest.__file__)"]
    found = subprocess.run(where, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert found.stdout.startswith(str(installed))


@pytest.fixture
def port(environment: dict[str, str], tmp_path: Path) -> Iterator[int]:
    """The dashboard's port, served by the installed files on an empty store."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        number = int(free.getsockname()[1])
    store = str(tmp_path / "games.duckdb")
    command = [sys.executable, "-m", "dashboard", "--store", store, "--port", str(number)]
    server = subprocess.Popen(
        [*command, "--no-browser"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield number
    server.terminate()
    server.wait(PATIENCE)


def fetch(port: int, path: str) -> bytes:
    """What the server answers, once it is up."""
    found = list[bytes]()

    def answers() -> bool:
        address = f"http://localhost:{port}{path}"
        # the server does not listen yet, or is too busy to answer
        with suppress(OSError), urlopen(address, timeout=30) as answer:
            found.append(answer.read())
        return bool(found)

    comes(answers, f"an answer on {path}")
    return found[0]


def test_it_opens_the_dashboard_from_an_empty_folder(port: int) -> None:
    assert fetch(port, "/_stcore/health") == b"ok"
    assert b"<svg" in fetch(port, "/app/static/cards/fr/Kh.svg")
