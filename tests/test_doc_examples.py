"""Every fenced block of the documents runs as written and prints what it shows.

What is not done stands in `NOT_RUN` with its reason. How blocks are written stands in
CONTRIBUTING.md, under *Documents*.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.doc_examples import PATHS, ROOT, Block, Folder, anchors, blocks, matches, unfenced
from tests.js.package import install

SERVES = "serves until Ctrl-C: tests/ingest/test_cli_serve.py does it"
REGISTRY = "asks a package registry: tests/test_wheel.py installs the wheel without one"
DRAWN = "is no command"
NOTES = "is a piece of notes: tests/ingest/test_notes.py reads such"
SENDS = "sends to a server: tests/dashboard/test_api_document.py has one"
LAKE = "copies into a lake: tests/ingest/test_copy.py does, and back"
NOT_RUN = {
    ("README.md", "make demo"): REGISTRY,
    ("README.fr.md", "make demo"): REGISTRY,
    ("README.md", "pipx install ."): REGISTRY,
    ("README.md", "retourne serve"): SERVES,
    ("CONTRIBUTING.md", "make install"): REGISTRY,
    ("docs/a-new-game.md", "engine.games.register("): "tests/newgame/ is this game",
    ("docs/api.md", ""): "tests/dashboard/test_api_document.py does each of them, with a server",
    ("docs/architecture.md", "dashboard → js"): DRAWN,
    ("docs/architecture.md", "ingest      cli |"): DRAWN,
    ("docs/architecture.md", "files → texts"): DRAWN,
    ("docs/cli.md", "retourne versions"): "a replaced match: tests/ingest/test_cli_trash.py has one",
    ("docs/cli.md", "retourne serve"): SERVES,
    ("docs/cli.md", "retourne demo"): SERVES,
    ("docs/cli.md", "retourne page"): "compiles for a minute: tests/dashboard/test_check_page.py has one",
    ("docs/emit.md", "import json\nimport os"): SENDS,
    ("docs/emit.md", "import { readFileSync }"): SENDS,
    ("docs/conform.md", "retourne conform --game coinche -- ./my-engine"): "is the reader's own engine",
    ("docs/conform.md", "retourne conform -- node"): "tests/test_conformance.py does, with its Node.js",
    ("docs/conform.md", '{"ask"'): DRAWN,
    ("docs/javascript.md", "make js"): "tests/js/ makes the package",
    ("docs/javascript.md", "<script"): "is a piece of a page",
    ("docs/notes.md", "Lucie 80♥"): NOTES,
    ("docs/tables.md", ""): "tests/test_tables.py asks each of them of a store",
    ("docs/tutorial.md", "make install"): REGISTRY,
    ("docs/tutorial.md", "retourne serve"): SERVES,
    ("docs/tutoriel.md", "make install"): REGISTRY,
    ("docs/tutoriel.md", "retourne serve"): SERVES,
    ("docs/scale.md", "retourne check s3"): "asks a storage: tests/ingest/test_object_storage.py has one",
    ("docs/scale.md", "export RETOURNE_STORE"): "a lake: tests/ingest/test_lake.py has one",
    ("docs/scale.md", "retourne stats --at"): "a lake: tests/ingest/test_lake_time_travel.py has one",
    ("docs/scale.md", "retourne lake compact"): "a lake: tests/ingest/test_lake_compact.py has one",
    ("docs/cli.md", "retourne lake compact"): "a lake: tests/ingest/test_lake_compact.py has one",
    ("docs/scale.md", "retourne ingest 's3"): "a cluster: tests/ingest/test_distributed_check.py has one",
    ("docs/scale.md", "dask scheduler"): "a scheduler of one's own",
    ("docs/scale.md", "createuser"): "a PostgreSQL: tests/ingest/test_lake_backed_up.py has one",
    ("docs/scale.md", "pg_dump"): "a PostgreSQL: tests/ingest/test_lake_backed_up.py does the same",
    ("docs/scale.md", "dropdb"): "a PostgreSQL: tests/ingest/test_lake_backed_up.py does the same",
    ("docs/scale.md", "docker compose"): "a Docker: tests/test_compose.py starts the same services",
    ("docs/serving.md", "<iframe"): "tests/dashboard/test_replay_browser.py shows one in a frame",
    ("docs/serving.md", "retourne serve --store club.duckdb --no-browser"): SERVES,
    ("docs/serving.md", "retourne serve --store club.duckdb --watch-folder"): SERVES,
    ("docs/serving.md", "club.example {"): "is for Caddy, another program",
    ("docs/serving.md", "curl --fail"): "asks a server: tests/dashboard/test_health.py does it",
    ("docs/serving.md", "docker build"): "tests/test_deployment.py reads the Dockerfile",
    ("docs/serving.md", "scrape_configs:"): "is for Prometheus, another program",
    ("docs/serving.md", "15 3 * * *"): "is for cron",
    ("docs/serving.md", "retourne restore backups/"): "a backup has its time for a name",
    ("docs/serving.md", "retourne purge zoe"): "asks before it does it; cli.md has one with --yes",
}
"""Document and how a block of it begins → why it is not run."""
NAMES = [path.relative_to(ROOT).as_posix() for path in PATHS]


def reason(block: Block) -> str | None:
    """Why a block is not run, if it is not."""
    items = (why for known, why in NOT_RUN.items() if is_at(block, *known))
    return next(items, None)


def is_at(block: Block, document: str, beginning: str) -> bool:
    return block.document == document and block.text.startswith(beginning)


@pytest.fixture
def folder(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Folder:
    """A fresh one, with the samples that ship; a terminal that speaks no language."""
    for name in [name for name in os.environ if name.startswith(("LC_", "RETOURNE_"))]:
        monkeypatch.delenv(name)
    for name in ("LANGUAGE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    here = tmp_path / "here"
    here.mkdir()
    shutil.copytree(ROOT / "data", here / "data", ignore=shutil.ignore_patterns("__pycache__"))
    (here / "conformance").symlink_to(ROOT / "conformance")
    settings = {"LANG": "C.UTF-8", "COLUMNS": "80", "NO_COLOR": "1", "HOME": str(tmp_path)}
    settings["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(here)
    return Folder(here, capfdbinary, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_every_block_of_a_document_does_what_it_shows(
    path: Path, folder: Folder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if 'from "retourne"' in path.read_text(encoding="utf-8"):
        install(tmp_path_factory, folder.here)
    for block in blocks(path):
        if reason(block) is None:
            folder.do(block)
    folder.end()


def test_every_block_that_is_not_run_is_there() -> None:
    there = [block for path in PATHS for block in blocks(path)]
    assert [known for known in NOT_RUN if not any(is_at(block, *known) for block in there)] == []


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_code_stands_between_fences_with_its_language(path: Path) -> None:
    assert unfenced(path) == []
    assert [str(block) for block in blocks(path) if not block.language] == []


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_links_of_a_document_lead_somewhere(path: Path) -> None:
    prose = re.sub(r"^```(?:.*\n)*?```$|`[^`\n]*`", "", path.read_text("utf-8"), flags=re.MULTILINE)
    for address in re.findall(r"\]\((?!https?:)([^)\s]+)\)", prose):
        name, _, anchor = address.partition("#")
        there = (path.parent / name).resolve() if name else path
        assert there.exists(), address
        assert not anchor or anchor in anchors(there), address


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_no_document_installs_from_an_index_that_does_not_have_it(path: Path) -> None:
    assert not re.search(r"\bpipx? install retourne\s", path.read_text("utf-8"))


def test_what_varies_may_be_part_of_a_line_or_lines() -> None:
    assert matches("one\n…\nfour …\n", "one\ntwo\nthree\nfour cards\n")
    assert matches("one\n…\ntwo\n", "one\ntwo\n")
    assert not matches("one\n", "one\ntwo\n")
    assert not matches("one (…)\n", "one\n")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("console", "$ retourne rules poker --lang en\nNo such preset.\n"),
        ("sh", "retourne check nowhere.jsonl\n"),
        ("sh", "exit 1\n"),
        ("python", "print(2 + 2)  # 5\n"),
        ("json", '{"dealer": "Lucie"}\n'),
        ("jsonl", '{"dealer": 1, "deck": "As As"}\n'),
        ("text", "what nobody can run\n"),
    ],
)
def test_a_block_that_is_not_so_is_found(language: str, text: str, folder: Folder) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        folder.do(Block("a document", 1, language, "", text))
