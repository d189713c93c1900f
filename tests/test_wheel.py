"""The wheel is whole: installed elsewhere, it checks what it ships and opens the dashboard."""

import hashlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen
from zipfile import ZipFile

import pytest

from dashboard.board.check_page import check_page
from tests.js.package import has_linker, made
from tests.test_release import TRACKED, copied, release, third_party
from tests.waiting import PATIENCE, comes

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The wheels of two checkouts, with the package for JavaScript if this machine can make it."""
    folder = tmp_path_factory.mktemp("wheels")
    first = copied(folder / "one", TRACKED, 0o644, 1_600_000_000)
    second = copied(folder / "déjà vu's", TRACKED[::-1], 0o600, 1_700_000_000)
    if has_linker():
        for root in (first, second):
            shutil.copytree(made(tmp_path_factory), root / "js" / "dist")
    return [release.build_wheel(root, root / "dist") for root in (first, second)]


@pytest.fixture(scope="module")
def installed(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the wheel's files and nothing else of the project."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*pip, str(target), str(wheels[0])], check=True, capture_output=True)
    return target


@pytest.fixture
def environment(installed: Path) -> dict[str, str]:
    """What the installed commands run in: the wheel's files come before this checkout's."""
    return os.environ | {"PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1", "LANG": "en_GB.UTF-8"}


def test_it_holds_the_project_and_no_tests(installed: Path) -> None:
    packages = {path.name for path in installed.iterdir() if path.is_dir()}
    assert {"engine", "schemas", "ingest", "dashboard", "data", "js"} <= packages
    assert not packages & {"tests", "benchmarks", "docs"}
    assert (installed / "dashboard" / "static" / "cards" / "fr" / "Kh.svg").is_file()
    for package in ("engine", "schemas", "ingest", "dashboard", "data", "js"):
        assert (installed / package / "py.typed").is_file()
    sources = {path.name for path in (ROOT / "js" / "src").iterdir()}
    assert {path.name for path in (installed / "js" / "src").iterdir()} == sources
    for page in ("rules.md", "regles.md", "format.md"):
        shipped = (installed / "data" / "rules" / page).read_bytes()
        assert shipped == (ROOT / "docs" / page).read_bytes()


def test_another_checkout_makes_the_same_bytes(wheels: list[Path]) -> None:
    assert len({hashlib.sha256(one.read_bytes()).hexdigest() for one in wheels}) == 1
    with ZipFile(wheels[0]) as wheel:
        (name,) = (one for one in wheel.namelist() if "/sboms/" in one)
        assert name.endswith(".dist-info/sboms/retourne.cdx.json")
        assert wheel.read(name) == third_party.SBOM.read_bytes()


@pytest.mark.skipif(not has_linker(), reason="no package for JavaScript")
def test_the_page_that_checks_logs_needs_no_linker(
    installed: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    command = [sys.executable, str(installed / "bin" / "retourne"), "page", "--output", "retourne.html"]
    without = environment | {"PATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=without, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Compiling" not in done.stderr
    assert (tmp_path / "retourne.html").read_bytes() == check_page(installed / "js" / "dist").encode()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        # with no match in it no kernel has to be compiled: in that folder none is
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


@pytest.mark.soak
def test_it_opens_the_dashboard_from_an_empty_folder(port: int) -> None:
    assert fetch(port, "/_stcore/health") == b"ok"
    assert b"<svg" in fetch(port, "/app/static/cards/fr/Kh.svg")
