"""Writes the files of the package: the module, its types, and of each game a kernel and a table."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from engine.games import game_names
from js.compile_wasm import BuildError, linker
from js.tables import game_table, shared_table

HERE = Path(__file__).parent
SOURCES = ("json", "document", "kernel", "deck", "state", "check", "states", "recorder", "index")
"""The parts of the module, in `js/src/`, each after those it imports from."""
IMPORT = re.compile(r"^import [^;]*?;\n", re.MULTILINE)
HEAD = "// Retourne: the rules of card games, and checks of recorded matches. Made by `make js`.\n"


def build(folder: Path) -> None:
    """Write the package's `dist` into a folder. BuildError: a kernel cannot be made."""
    linker()  # nothing is written where it is missing
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "retourne.mjs").write_text(module_text(), encoding="utf-8")
    shutil.copyfile(HERE / "src" / "retourne.d.ts", folder / "retourne.d.mts")
    for name in game_names():
        (folder / f"{name}.json").write_text(_compact(game_table(name)), encoding="utf-8")
    # in a process of its own: it compiles otherwise than this one
    command = [sys.executable, "-m", "js.compile_wasm", str(folder.resolve()), *game_names()]
    env = os.environ | {"NUMBA_OPT": "0"}
    done = subprocess.run(command, cwd=HERE.parent, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(done.stderr.strip())


def module_text() -> str:
    """Return the module: its parts one behind the other, each but the last without its exports."""
    parts = [HEAD, f"const SHARED = {_compact(shared_table())};\n"]
    for name in SOURCES:
        text = IMPORT.sub("", (HERE / "src" / f"{name}.mjs").read_text(encoding="utf-8"))
        if name != SOURCES[-1]:
            text = re.sub(r"^export ", "", text, flags=re.MULTILINE)
        parts.append(text)
    return "\n".join(parts)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
