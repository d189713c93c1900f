"""The package for JavaScript, made once a run; where there is no linker its tests are skipped."""

import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from js.build import HERE, build
from js.compile_wasm import BuildError, linker
from tests import shared


def has_linker() -> bool:
    """Whether this machine can make the package."""
    with suppress(BuildError):
        return bool(linker())
    return False


def made(temporary: pytest.TempPathFactory) -> Path:
    """The package's `dist`; a test that cannot have it is skipped."""
    try:
        linker()
    except BuildError as error:
        pytest.skip(f"no package for JavaScript: {error}")
    return shared.once(temporary, "js-dist", build)


def install(temporary: pytest.TempPathFactory, folder: Path) -> None:
    """Put the package where programs of a folder import it from."""
    package = folder / "node_modules" / "retourne"
    shutil.copytree(made(temporary), package / "dist")
    shutil.copyfile(HERE / "package.json", package / "package.json")
