"""Writes the files of the package: the module, its types, and of each game a kernel and a table."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.games import game_names
from js.compile_wasm import BuildError, linker
from js.tables import game_table, shared_table

HERE = Path(__file__).parent
SOURCES = ("json", "document", "kernel", "deck", "state", "check", "states", "recorder", "index")
"""The parts of the module, in `js/src/`, each after those it imports from."""
IMPORT = re.compile(r"^import [^;]*?;\n", re.MULTILINE)
HEAD = """// Retourne: the rules of card games, and checks of recorded matches. Made by `make js`
// from sources with the digest {}.
"""
DIST = HERE / "dist"
CACHE = HERE / "__pycache__" / "kernels"
UNFINISHED = "unfinished-"


def build(folder: Path) -> None:
    """Write the package's `dist` into a folder. BuildError: a kernel cannot be made."""
    linker()  # nothing is written where it is missing
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "retourne.mjs").write_text(module_text(), encoding="utf-8")
    shutil.copyfile(HERE / "src" / "retourne.d.ts", folder / "retourne.d.mts")
    for name in game_names():
        (folder / f"{name}.json").write_text(_compact(game_table(name)), encoding="utf-8")
    shutil.copytree(_kernels(), folder, dirs_exist_ok=True)


def _kernels() -> Path:
    """Return a folder with the kernels, compiled once for each state of their sources and tools."""
    tools = (version("numba"), version("llvmlite"), *linker())
    digest = hashlib.sha256(" ".join((_digest(), *tools)).encode()).hexdigest()[:16]
    cached = CACHE / digest
    if not cached.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        # not the folders in which other processes compile at this moment
        earlier = [one for one in CACHE.iterdir() if not one.name.startswith(UNFINISHED)]
        with TemporaryDirectory(dir=CACHE, prefix=UNFINISHED) as folder:
            _compile_kernels(Path(folder))
            with suppress(OSError):  # another process was first
                Path(folder).rename(cached)
        for one in earlier:
            shutil.rmtree(one, ignore_errors=True)
    return cached


def _compile_kernels(folder: Path) -> None:
    # in a process of its own: it compiles otherwise than this one
    command = [sys.executable, "-m", "js.compile_wasm", str(folder), *game_names()]
    env = os.environ | {"NUMBA_OPT": "0"}
    done = subprocess.run(command, cwd=HERE.parent, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(done.stderr.strip())


@cache
def made_package() -> Path | None:
    """Return `dist` if it was made from the rules as they are now; None: it is missing or older."""
    module = DIST / "retourne.mjs"
    with suppress(OSError):
        return DIST if module.read_text(encoding="utf-8") == module_text() else None
    return None


def _digest() -> str:
    """Return the digest of all that the kernels and tables of the package are made from."""
    found = hashlib.sha256()
    for package in ("engine", "js"):
        for source in sorted((HERE.parent / package).rglob("*.py")):
            found.update(source.read_bytes())
    for name in game_names():
        found.update(_compact(game_table(name)).encode())
    return found.hexdigest()[:16]


def module_text() -> str:
    """Return the module: its parts one behind the other, each but the last without its exports."""
    parts = [HEAD.format(_digest()), f"const SHARED = {_compact(shared_table())};\n"]
    for name in SOURCES:
        text = IMPORT.sub("", (HERE / "src" / f"{name}.mjs").read_text(encoding="utf-8"))
        if name != SOURCES[-1]:
            text = re.sub(r"^export ", "", text, flags=re.MULTILINE)
        parts.append(text)
    return "\n".join(parts)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
