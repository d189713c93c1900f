"""`retourne check --diff`: a patch of the files, which `patch` and `git apply` take."""

import copy
import gzip
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.conftest import Command
from tests.ingest.logs import documents

LAYOUTS: dict[str, Any] = {
    "a match a line": lambda logs: "".join(json.dumps(log) + "\n" for log in logs),
    "no line feed at the end": lambda logs: "\n".join(json.dumps(log) for log in logs),
    "an array, laid out": lambda logs: json.dumps(logs, indent=1),
    "an array on one line": lambda logs: json.dumps(logs),
    "an array, a match a line": lambda logs: "[" + ",\n ".join(map(json.dumps, logs)) + "]\n",
}


def mistyped() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Six matches, and the same with recording errors in the first, the second and the last."""
    right = list(documents(6))
    logs = copy.deepcopy(right)
    logs[0]["deals"][1]["points"][0] += 10
    logs[1]["deals"][0]["actions"].insert(4, logs[1]["deals"][0]["actions"][3])
    logs[5]["result"]["score"][0] += 1
    return right, logs


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the patch")
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_the_patch_makes_of_the_file_what_it_was(
    retourne: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: Any
) -> None:
    right, logs = mistyped()
    monkeypatch.chdir(tmp_path)
    name = "club.jsonl" if layout in [*LAYOUTS.values()][:2] else "club.json"
    path = Path(name)
    path.write_text(layout(logs), encoding="utf-8")
    done = retourne("check", name, "--diff")
    assert done.code == 1
    assert done.raw.startswith(f"--- {name}\n+++ {name}\n".encode())
    subprocess.run(["git", "apply", "-p0", "-"], input=done.raw, check=True, cwd=tmp_path)
    after = path.read_text(encoding="utf-8")
    assert after == layout(right) or json.loads(after) == right  # a list of points is put on a line
    again = retourne("check", name, "--diff")
    assert (again.raw, again.code) == (b"", 0)


@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the patch")
@pytest.mark.parametrize("name", ["mon club é.jsonl", "a\ttab.jsonl", 'a "name".jsonl'])
def test_a_name_with_a_space_or_a_tab_is_one_name(
    retourne: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    _, logs = mistyped()
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(LAYOUTS["a match a line"](logs), encoding="utf-8")
    done = retourne("check", name, "--diff")
    subprocess.run(["git", "apply", "-p0", "-"], input=done.raw, check=True, cwd=tmp_path)
    assert retourne("check", name, "--diff").raw == b""


@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the patch")
def test_two_matches_on_a_line_that_read_alike_are_both_mended(
    retourne: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, logs = mistyped()
    monkeypatch.chdir(tmp_path)
    one = json.dumps(logs[0])
    Path("club.json").write_text(f"[{one}, {one}]\n", encoding="utf-8")
    done = retourne("check", "club.json", "--diff")
    subprocess.run(["git", "apply", "-p0", "-"], input=done.raw, check=True, cwd=tmp_path)
    assert retourne("check", "club.json", "--diff").raw == b""


@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the patch")
@pytest.mark.parametrize("between", ["\r", " ", "\n\ufeff"], ids=repr)
def test_what_stands_between_matches_stays_as_it_is(
    retourne: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, between: str
) -> None:
    right, logs = mistyped()
    monkeypatch.chdir(tmp_path)
    path = Path("club.jsonl")
    path.write_bytes(between.join(map(json.dumps, logs)).encode())
    done = retourne("check", path, "--diff")
    subprocess.run(["git", "apply", "-p0", "-"], input=done.raw, check=True, cwd=tmp_path)
    assert path.read_bytes() == between.join(map(json.dumps, right)).encode()


def test_of_a_packed_file_the_lines_are_those_of_its_text(retourne: Command, tmp_path: Path) -> None:
    _, logs = mistyped()
    path = tmp_path / "club.jsonl.gz"
    path.write_bytes(gzip.compress(LAYOUTS["a match a line"](logs).encode()))
    hunks = [line for line in retourne("check", path, "--diff").raw.splitlines() if b"@@" in line]
    assert hunks == [b"@@ -1 +1 @@", b"@@ -2 +2 @@", b"@@ -6 +6 @@"]


def test_a_patch_goes_without_another_format(retourne: Command, club: Path) -> None:
    assert retourne("check", club, "--diff", "--format", "jsonl").code == 2
    assert retourne("check", club, "--diff", "--apply-edits").code == 2
