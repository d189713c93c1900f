"""The steps of the Dockerfile without Docker: `python .ci/image.py [FOLDER]`, as root.

Not every machine has Docker. The lines are taken from the Dockerfile itself and done in a folder of
their own, which stands for the image's `/`: what they name below `/retourne` lies there. Then the
server is started as the user the image has, and asked whether it is well.
"""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TOP = "/retourne"
"""Below which everything of the image lies."""
SYSTEM = "/usr/local/bin:/usr/bin:/bin"
PATIENCE = 120.0


class Step(NamedTuple):
    """One instruction."""

    word: str
    rest: str


def steps(text: str) -> list[Step]:
    """The instructions of a Dockerfile, each in one line."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    found = [line.strip().split(None, 1) for line in whole.splitlines() if line.strip()]
    return [Step(word.upper(), rest) for word, rest in found]


def _base(folder: Path) -> Path:
    """A folder with the `python` of the base image: one that any user may run."""
    found = next(one for place in SYSTEM.split(":") if (one := Path(place) / "python3").exists())
    made = folder / "base"
    made.mkdir()
    (made / "python").write_text(f'#!/bin/sh\nexec {found} "$@"\n')
    (made / "python").chmod(0o755)
    return made


class Image:
    """A folder that becomes what the image would be, stage by stage."""

    def __init__(self, folder: Path) -> None:
        self.top = folder / TOP.strip("/")
        self.left = dict[str, Path]()
        """Stages that are done."""
        self.stage, self.place = "", TOP
        kept = re.compile(r"LANG|PIP_.*|.*_proxy", re.IGNORECASE)
        self.base = {name: value for name, value in os.environ.items() if kept.fullmatch(name)}
        self.base["PATH"] = f"{_base(folder)}{os.pathsep}{SYSTEM}"
        self.env, self.user, self.told = dict(self.base), "0:0", dict[str, str]()

    def here(self, text: str) -> str:
        """A text whose paths are those of the folder."""
        return text.replace(f"{TOP}/", f"{self.top}/")

    def do(self, step: Step) -> None:
        """One instruction."""
        print(f"{step.word} {step.rest}", flush=True)
        getattr(self, f"_{step.word.lower()}", self._note)(step)

    def _note(self, step: Step) -> None:
        self.told[step.word] = step.rest

    def _from(self, step: Step) -> None:
        version = re.match(r"python:(\d+\.\d+)", step.rest)
        assert version, step.rest
        here = subprocess.check_output(["python", "-V"], text=True, env=self.base).split()[1]
        if not here.startswith(f"{version[1]}."):
            print(f"here is Python {here}, and not {version[1]}", file=sys.stderr)
        if self.top.exists():  # what the next stage has of it, it copies
            self.left[self.stage] = self.top.rename(self.top.with_name(f"stage {self.stage}"))
        self.top.mkdir(parents=True)
        self.stage = step.rest.partition(" AS ")[2]
        self.env, self.place, self.user = dict(self.base), TOP, "0:0"

    def _workdir(self, step: Step) -> None:
        self.place = step.rest
        Path(self.here(f"{step.rest}/")).mkdir(parents=True, exist_ok=True)

    def _env(self, step: Step) -> None:
        for one in shlex.split(self.here(step.rest)):
            name, _, value = one.partition("=")
            self.env[name] = value.replace("$PATH", self.env["PATH"])

    def _user(self, step: Step) -> None:
        self.user = step.rest

    def _copy(self, step: Step) -> None:
        words = step.rest.split()
        options = dict(one[2:].split("=", 1) for one in words if one.startswith("--"))
        *sources, target = (one for one in words if not one.startswith("--"))
        into = Path(self.here(f"{self.place}/")) / self.here(target)
        for source in sources:
            start = ROOT / source
            if stage := options.get("from"):
                start = self.left[stage] / source.removeprefix(f"{TOP}/")
            to = into / start.name if target.endswith("/") else into
            to.parent.mkdir(parents=True, exist_ok=True)
            if start.is_dir():
                shutil.copytree(start, to, symlinks=True, ignore=self._ignored(options))
            else:
                shutil.copy2(start, to)
            if owner := options.get("chown"):
                subprocess.run(["chown", "--recursive", owner, str(to)], check=True)

    def _ignored(self, options: dict[str, str]) -> "Ignored | None":
        lines = (ROOT / ".dockerignore").read_text().splitlines()
        patterns = [one.removeprefix("**/") for one in lines if one.startswith("**/")]
        return None if "from" in options else shutil.ignore_patterns(*patterns)

    def _run(self, step: Step) -> None:
        subprocess.run(["sh", "-c", self.here(step.rest)], **self._how(), check=True)

    def _how(self) -> dict[str, object]:
        user, group = map(int, self.user.split(":"))
        how = {"env": self.env, "cwd": self.here(f"{self.place}/"), "user": user, "group": group}
        return how | {"extra_groups": []}

    def start(self, port: int) -> "subprocess.Popen[bytes]":
        """What a container does, on another port."""
        words = json.loads(self.told["ENTRYPOINT"]) + json.loads(self.told["CMD"])
        command = [self.here(word) for word in words] + ["--port", str(port)]
        # by the image's PATH, which is not the one that a command is looked for by
        command[0] = shutil.which(command[0], path=self.env["PATH"]) or command[0]
        return subprocess.Popen(command, **self._how())

    def is_well(self, port: int) -> bool:
        """What the image's health check says."""
        words = json.loads(re.sub(r"^.*?CMD ", "", self.told["HEALTHCHECK"]))
        words = [word.replace(self.told["EXPOSE"], str(port)) for word in words]
        words[0] = shutil.which(words[0], path=self.env["PATH"]) or words[0]
        done = subprocess.run(words, **self._how(), capture_output=True, check=False)
        return done.returncode == 0


Ignored = object


def compiled(image: Image) -> set[Path]:
    """Files of compiled kernels."""
    return set((image.top / "kernels").rglob("*.nbc"))


def main() -> int:
    """Make it, and ask it; 0 where it is well."""
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if sys.argv[1:] else None) as name:
        folder = Path(name)
        folder.chmod(0o755)  # for the image's user
        image = Image(folder)
        for step in steps((ROOT / "Dockerfile").read_text()):
            image.do(step)
        for left in image.left.values():
            shutil.rmtree(left)  # nothing of another stage is needed
        size = sum(one.lstat().st_size for one in folder.rglob("*"))
        before = compiled(image)
        print(f"{size / 2**20:.0f} MB, {len(before)} compiled functions")
        return served(image, before)


def served(image: Image, before: set[Path]) -> int:
    """Start it, have a log checked, stop it: 0 where all is well and nothing was compiled anew."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    server = image.start(port)
    try:
        end = time.monotonic() + PATIENCE
        while not image.is_well(port):
            assert server.poll() is None, "the server has ended"
            assert time.monotonic() < end, "the server is not well"
            time.sleep(1)
        owner = (image.top / "store" / "club.duckdb").stat().st_uid
        assert f"{owner}" == image.user.partition(":")[0], owner
        for log in sorted((ROOT / "data").glob("match-*.json")):
            ask = urllib.request.Request(
                f"http://localhost:{port}/api/v1/check",
                log.read_bytes(),
                {"Content-Type": "application/json"},
            )
            with urllib.request.urlopen(ask) as answer:
                assert json.loads(answer.read().splitlines()[0])["status"], log
    finally:
        server.send_signal(getattr(signal, image.told["STOPSIGNAL"]))
        with suppress(subprocess.TimeoutExpired):
            server.wait(40)
        server.kill()
    assert server.returncode == 0, server.returncode
    if anew := compiled(image) - before:
        print("compiled anew:", *sorted(one.name for one in anew), sep="\n", file=sys.stderr)
        return 1
    print("The image is well.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
