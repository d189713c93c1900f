"""What runs the server for a club: the image and the unit fit the program they run."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from ingest.cli.serve import DEFAULT_PORT
from ingest.cli.serve import PATIENCE as END
from tests.documents import ROOT, blocks

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SERVING = ROOT / "docs" / "serving.md"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """What takes the steps of the Dockerfile where there is no Docker."""
    spec = importlib.util.spec_from_file_location("image", ROOT / ".ci" / "image.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def steps(script: ModuleType) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = script.steps((ROOT / "Dockerfile").read_text())
    return found


def one(steps: list[tuple[str, str]], word: str) -> str:
    [found] = [rest for name, rest in steps if name == word]
    return found


def test_the_image_has_a_python_that_the_project_takes(steps: list[tuple[str, str]]) -> None:
    bases = [rest for word, rest in steps if word == "FROM"]
    versions = {found for rest in bases for found in re.findall(r"^python:(3\.\d+)-slim", rest)}
    [version] = versions
    known = [name for name in PROJECT["project"]["classifiers"] if name.endswith(f":: {version}")]
    assert known, version
    assert all(f"python{version}/" in rest for _, rest in steps if "/env/lib/" in rest)


def test_the_image_has_what_the_wheel_is_made_of(steps: list[tuple[str, str]]) -> None:
    copied = {word for name, rest in steps if name == "COPY" for word in rest.split()[:-1]}
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    wanted = {*wheel["packages"], *wheel["force-include"], "pyproject.toml", "constraints.txt"}
    wanted |= {PROJECT["project"]["readme"]}
    assert wanted <= copied
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert not {line.strip("/") for line in ignored} & {name.split("/")[0] for name in wanted}


def test_the_image_starts_the_command_on_its_port_as_no_root(steps: list[tuple[str, str]]) -> None:
    [entry] = json.loads(one(steps, "ENTRYPOINT"))
    assert entry in PROJECT["project"]["scripts"]
    words = json.loads(one(steps, "CMD"))
    assert words[words.index("--address") + 1] == "0.0.0.0"
    assert Path(words[words.index("--store") + 1]).parent.as_posix() == one(steps, "VOLUME")
    assert one(steps, "EXPOSE") == str(DEFAULT_PORT)
    assert f":{DEFAULT_PORT}/healthz" in one(steps, "HEALTHCHECK")
    user, group = map(int, one(steps, "USER").split(":"))
    assert min(user, group) >= 10_000
    order = [word for word, _ in steps]
    assert order.index("USER") > max(place for place, word in enumerate(order) if word == "RUN")


def test_every_option_of_image_and_unit_is_one_of_serve(steps: list[tuple[str, str]]) -> None:
    said = subprocess.check_output(
        [sys.executable, "-m", "ingest.cli", "serve", "--help"], text=True, cwd=ROOT
    )
    lines = [" ".join(json.loads(one(steps, "CMD"))), unit(), SERVING.read_text()]
    used = {word for line in lines for word in re.findall(r"retourne serve[^\n]*", line)}
    options = {word for line in (*used, lines[0]) for word in re.findall(r"--[a-z-]+", line)}
    assert options
    assert {word for word in options if word not in said} == set()


def test_whoever_stops_it_waits_until_what_was_begun_is_done() -> None:
    """Else a service manager ends what the server still has its time for."""
    [patience] = re.findall(r"TimeoutStopSec=(\d+)", unit())
    [container] = re.findall(r"--stop-timeout (\d+)", SERVING.read_text())
    assert min(int(patience), int(container)) > END


def unit() -> str:
    """The unit as the document has it."""
    [found] = [one.text for one in blocks(SERVING) if one.text.startswith("[Unit]")]
    return found


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    file = tmp_path / "retourne.service"
    file.write_text(unit().replace("/opt/retourne/bin/retourne", sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if "retourne.service" in line]
    assert (done.returncode, said) == (0, []), done.stderr
