"""What runs the server for a club: the image and the unit fit the program they run."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dashboard.cli.serve import DEFAULT_PORT
from dashboard.cli.serve import SHUTDOWN_TIMEOUT_SECONDS as END
from tests.doc_examples import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SERVING = ROOT / "docs" / "serving.md"


@pytest.fixture(scope="module")
def steps() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each in one line."""
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    whole = "\n".join(line for line in lines if not line.startswith("#")).replace("\\\n", " ")
    each = [line.split(None, 1) for line in whole.splitlines() if line.strip()]
    return [(word, rest.strip()) for word, rest in each]


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
    assert all(any(Path(path).is_relative_to(one) for one in copied) for path in wheel["sbom-files"])
    wanted |= {PROJECT["project"]["readme"]}
    assert wanted <= copied
    assert all((ROOT / name).exists() for name in copied if not name.startswith(("-", "/")))
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert not {line.strip("/") for line in ignored} & {name.split("/")[0] for name in wanted}


def test_the_image_installs_the_versions_that_were_tested(steps: list[tuple[str, str]]) -> None:
    [installed] = [rest for word, rest in steps if word == "RUN" and "pip install" in rest]
    assert "-c constraints.txt" in installed


def test_the_image_has_the_rules_for_browsers(steps: list[tuple[str, str]]) -> None:
    [built] = [place for place, (_, rest) in enumerate(steps) if "python -m js" in rest]
    assert "install --yes --no-install-recommends lld &&" in steps[built][1]
    # in the folder of the sources it would build those and not the installed package
    folders = [rest for word, rest in steps[:built] if word == "WORKDIR"]
    assert folders[-1] == "/retourne/warm"


def test_the_image_starts_the_command_on_its_port_as_no_root(steps: list[tuple[str, str]]) -> None:
    [entry] = json.loads(one(steps, "ENTRYPOINT"))
    assert entry in PROJECT["project"]["scripts"]
    words = json.loads(one(steps, "CMD"))
    assert words[words.index("--host") + 1] == "0.0.0.0"
    assert Path(words[words.index("--store") + 1]).parent.as_posix() == one(steps, "VOLUME")
    assert one(steps, "EXPOSE") == str(DEFAULT_PORT)
    assert f":{DEFAULT_PORT}/healthz" in one(steps, "HEALTHCHECK")
    user, group = map(int, one(steps, "USER").split(":"))
    assert min(user, group) >= 10_000
    order = [word for word, _ in steps]
    assert order.index("USER") > max(place for place, word in enumerate(order) if word == "RUN")


@pytest.mark.slow
def test_every_option_of_image_and_unit_is_one_of_serve(steps: list[tuple[str, str]]) -> None:
    result = subprocess.check_output(
        [sys.executable, "-m", "ingest.cli", "serve", "--help"], text=True, cwd=ROOT
    )
    lines = [" ".join(json.loads(one(steps, "CMD"))), unit(), SERVING.read_text()]
    used = {word for line in lines for word in re.findall(r"retourne serve[^\n]*", line)}
    options = {word for line in (*used, lines[0]) for word in re.findall(r"--[a-z-]+", line)}
    assert options
    assert {word for word in options if word not in result} == set()


def test_stopping_it_waits_until_what_was_begun_is_done() -> None:
    """Else a service manager ends what the server still has its time for."""
    [patience] = re.findall(r"TimeoutStopSec=(\d+)", unit())
    [container] = re.findall(r"--stop-timeout (\d+)", SERVING.read_text())
    assert min(int(patience), int(container)) > END


def unit() -> str:
    """The unit that the document links."""
    assert "(retourne.service)" in SERVING.read_text()
    return (ROOT / "docs" / "retourne.service").read_text()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    file = tmp_path / "retourne.service"
    program = tmp_path / "retourne"
    program.symlink_to(sys.executable)  # whose own path may have signs that a unit reads otherwise
    file.write_text(unit().replace("/opt/retourne/bin/retourne", str(program)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(file)], capture_output=True, text=True, check=False
    )
    items = [line for line in done.stderr.splitlines() if "retourne.service" in line]
    assert (done.returncode, items) == (0, []), done.stderr
