"""The services of `docs/compose.yaml` are started by what the image and the programs have."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingest.store.factory import Store
from tests.doc_examples import ROOT
from tests.ingest import postgres
from tests.ingest.logs import lines
from tests.ingest.object_storage import rclone, served

PATH = ROOT / "docs" / "compose.yaml"
WHOLE: dict[str, Any] = yaml.safe_load(PATH.read_text())
SERVICES: dict[str, Any] = WHOLE["services"]
OURS = [name for name, one in SERVICES.items() if one["image"] == WHOLE["x-retourne"]["image"]]


def words(name: str) -> list[str]:
    """How a service of our image is started; the image's own entry point is the command."""
    one = SERVICES[name]
    return [*one.get("entrypoint", ["retourne"]), *one.get("command", [])]


def program(name: str, *given: str) -> list[str]:
    """The same with the Python of the tests."""
    module = {"dask": "dask", "retourne": "ingest.cli"}
    first, *rest = [*words(name), *given]
    return [sys.executable, "-m", module[first], *rest]


def options(given: list[str]) -> list[str]:
    return [one.partition("=")[0] for one in given if one.startswith("--")]


def answer(*given: str) -> str:
    done = subprocess.run(given, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
def test_each_option_of_a_service_is_one_of_its_program(name: str) -> None:
    parts = program(name)
    known = answer(*parts[:4], "--help")  # the command, and which of its commands
    for option in options(parts[4:]):
        assert option in known, (name, option)


def test_what_others_made_is_asked_as_they_have_it() -> None:
    result = SERVICES["storage"]["command"]
    known = answer(rclone(), *result[:2], "--help")
    assert all(option in known for option in options(result))
    test = SERVICES["catalogue"]["healthcheck"]["test"]
    assert "--username" in answer(postgres.program(test[1]), "--help")


def test_services_are_called_by_the_names_they_have() -> None:
    text = PATH.read_text()
    store = WHOLE["x-retourne"]["environment"]["RETOURNE_STORE"]
    assert "host=catalogue " in store
    assert f"tcp://scheduler:{words('scheduler')[words('scheduler').index('--port') + 1]}" in text
    for one in SERVICES.values():
        assert set(one.get("depends_on", ())) <= set(SERVICES)
        for volume in one.get("volumes", ()):
            assert volume.startswith("$") or volume.split(":")[0] in WHOLE["volumes"]


def test_the_image_is_built_with_what_services_need() -> None:
    [(name, result)] = WHOLE["x-retourne"]["build"]["args"].items()
    assert f"ARG {name}=\n" in (ROOT / "Dockerfile").read_text()
    assert f'".${name}"' in (ROOT / "Dockerfile").read_text()
    assert result == "[cluster,lake]"
    assert (PATH.parent / WHOLE["x-retourne"]["build"]["context"]).resolve() == ROOT


def free() -> str:
    """A port nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


@contextmanager
def running(name: str, environ: dict[str, str], settings: dict[str, str]) -> Iterator[None]:
    """A service while this lasts, with some words in the place of others."""
    python, *given = program(name)  # its path may have any of the words in it
    for word, other in settings.items():
        given = [one.replace(word, other) for one in given]
    given = [python, *given]
    with subprocess.Popen(given, env=environ, stderr=subprocess.DEVNULL) as service:
        try:
            yield
        finally:
            service.terminate()
            service.wait(30)


@pytest.mark.soak
def test_scheduler_and_worker_store_in_a_lake_what_lies_on_the_storage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free()
    own = {"8786": port, ":8787": ":0", "/tmp": str(tmp_path)}
    fields = {"scheduler:8786": f"127.0.0.1:{port}"} | own
    with postgres.running() as server, served(tmp_path) as storage, ExitStack() as until:
        address = server.lake("s3://club/lake")
        environ = os.environ | storage.environ | {"RETOURNE_STORE": address}
        storage.put("2026/club.jsonl", lines(20))
        for name in ("scheduler", "worker"):
            until.enter_context(running(name, environ, fields))
        given = [one.replace("scheduler:8786", fields["scheduler:8786"]) for one in program("ingest")]
        done = subprocess.run(
            [*given, "s3://club/2026/*.jsonl", "--lang", "en"],
            env=environ,
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert done.returncode == 0, done.stderr
        assert "added: 20" in done.stdout
        for name, value in storage.environ.items():
            monkeypatch.setenv(name, value)
        with Store(address, read_only=True) as store:
            assert store.cursor().execute("SELECT count(*) FROM raw").fetchall() == [(20,)]
