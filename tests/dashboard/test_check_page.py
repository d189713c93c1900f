"""`retourne page`: what it writes, and what it answers where no page can be made."""

import shutil
from pathlib import Path

import pytest

from dashboard.board.check_page import check_page
from dashboard.cli import page
from js import build as build_module
from js.build import made_package
from js.compile_wasm import BuildError
from tests.ingest.conftest import Command, retourne
from tests.js.package import made

__all__ = ["retourne"]  # a fixture


@pytest.mark.slow
def test_writes_the_page_and_says_its_size(
    retourne: Command, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    package = made(tmp_path_factory)

    def build(folder: Path) -> None:
        shutil.copytree(package, folder, dirs_exist_ok=True)

    monkeypatch.setattr(page, "made_package", lambda: None)
    monkeypatch.setattr(page, "build", build)
    done = retourne("page", "--output", "retourne.html")
    written = Path("retourne.html").read_bytes()
    assert (done.code, done.raw) == (0, b"")
    assert written == check_page(package).encode()
    assert f"Bytes written: {len(written):,}." in done.err
    assert "Compiling" in done.err
    # where the package has been made, nothing is compiled
    monkeypatch.setattr(page, "made_package", lambda: package)
    monkeypatch.setattr(page, "build", None)
    assert retourne("page", "--quiet").raw == written


@pytest.mark.slow
def test_a_package_counts_as_made_only_from_the_rules_as_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made_now = made(tmp_path_factory)
    monkeypatch.setattr(build_module, "DIST", made_now)
    assert made_package.__wrapped__() == made_now
    older = tmp_path / "retourne.mjs"
    older.write_text(
        (made_now / "retourne.mjs").read_text(encoding="utf-8").replace("digest ", "digest 0", 1)
    )
    monkeypatch.setattr(build_module, "DIST", tmp_path)
    assert made_package.__wrapped__() is None
    older.unlink()
    assert made_package.__wrapped__() is None


def test_names_the_linker_that_is_missing(retourne: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> list[str]:
        raise BuildError("no wasm-ld")

    monkeypatch.setattr(page, "made_package", lambda: None)
    monkeypatch.setattr(page, "linker", missing)
    done = retourne("page", "--output", "retourne.html")
    assert done.code == 2
    assert "The page is made with wasm-ld: install Debian’s lld, or ziglang from PyPI." in done.err
    assert not Path("retourne.html").exists()


def test_leaves_a_file_of_another_kind_alone(retourne: Command) -> None:
    Path("notes.txt").write_text("Lucie 80\n")
    assert retourne("page", "--output", "notes.txt").code == 2
    assert Path("notes.txt").read_text() == "Lucie 80\n"
