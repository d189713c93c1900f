"""A release is the same bytes from the same commit, and is not made of a tree that is not ready."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).parents[1]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


release = script("release")
third_party = script("third_party")
TRACKED = subprocess.run(
    ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
).stdout.split("\0")[:-1]


def copied(folder: Path, paths: list[str], mode: int, time: int) -> Path:
    """A checkout of the paths, as another machine may have it."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, folder / path)
        (folder / path).chmod(mode)
        os.utime(folder / path, (time, time))
    return folder


def test_the_sbom_is_valid_cyclonedx() -> None:
    text = third_party.SBOM.read_text(encoding="utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the list is that of Python 3.11")
def test_sbom_and_licences_list_what_is_installed() -> None:
    every = third_party.components()
    project = third_party.project()
    assert third_party.SBOM.read_text(encoding="utf-8") == third_party.sbom(every, project)
    assert third_party.TABLE.read_text(encoding="utf-8") == third_party.table(every, project)


def test_the_sbom_has_the_versions_that_constraints_pin() -> None:
    pins = dict(
        line.lower().replace("_", "-").split("==")
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    )
    listed = json.loads(third_party.SBOM.read_text(encoding="utf-8"))["components"]
    packages = {one["name"]: one["version"] for one in listed if one["purl"].startswith("pkg:pypi/")}
    assert packages == {name: pins[name] for name in packages}


def test_all_files_state_one_version() -> None:
    assert set(release.stated_versions(ROOT).values()) == {third_party.project()["version"]}


def test_an_archive_has_no_time_user_or_mode_of_its_files(tmp_path: Path) -> None:
    paths = ["conformance/README.md", "LICENSE"]
    archives = []
    for name, mode, time in (("one", 0o644, 1_600_000_000), ("two", 0o600, 1_700_000_000)):
        root = copied(tmp_path / name, paths, mode, time)
        files = {path: root / path for path in (paths if name == "one" else paths[::-1])}
        archives.append(release.write_archive(tmp_path / f"{name}.tgz", files).read_bytes())
    assert archives[0] == archives[1]
    with tarfile.open(tmp_path / "one.tgz") as archive:
        assert archive.getnames() == sorted(paths)


def test_the_changelog_has_the_form_of_keep_a_changelog_and_the_first_version_is_short() -> None:
    assert "Development Status :: 5 - Production/Stable" in third_party.project()["classifiers"]
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.startswith("# Changelog\n\nThe format follows [Keep a Changelog](")
    headings = re.findall(r"^## .*$", text, re.MULTILINE)
    dated = re.compile(r"## (\[Unreleased\]|\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d)")
    assert [one for one in headings if not dated.fullmatch(one)] == []
    assert len(release.release_notes(text, "1.0.0").splitlines()) <= 65


CHANGES = (
    "# Changelog\n\n{unreleased}## [1.2.0] - 2026-12-01\n\n- News.\n\n## [1.0.0] - 2026-11-29\n\n- First.\n"
)


def test_the_notes_are_the_section_of_the_version() -> None:
    assert release.release_notes(CHANGES.format(unreleased=""), "1.2.0") == "- News.\n"


@pytest.mark.parametrize(
    ("unreleased", "version", "message"),
    [
        ("## [Unreleased]\n\n- More.\n\n", "1.2.0", r"has changes under \[Unreleased\]"),
        ("", "1.3.0", r"has no changes under \[1\.3\.0\]"),
    ],
)
def test_a_changelog_that_is_not_ready_stops_a_release(unreleased: str, version: str, message: str) -> None:
    with pytest.raises(release.ReleaseError, match=message):
        release.release_notes(CHANGES.format(unreleased=unreleased), version)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with the files that state a version, committed."""
    paths = [*release.stated_versions(ROOT), "LICENSE", "conformance/README.md", "js/README.md"]
    root = copied(tmp_path / "checkout", paths, 0o644, 1_600_000_000)
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "All"]):
        who = ["-c", "user.name=Retourne", "-c", "user.email=retourne@example.org"]
        subprocess.run(["git", *who, *command], cwd=root, check=True, capture_output=True)
    return root


def test_a_clean_checkout_of_the_version_is_ready(checkout: Path) -> None:
    notes = release.check_state(checkout, third_party.project()["version"])
    assert notes == release.release_notes(
        (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), third_party.project()["version"]
    )


def test_a_file_with_another_version_is_named(checkout: Path) -> None:
    with pytest.raises(release.ReleaseError, match=r"another version than 9\.9\.9:\n  pyproject\.toml: "):
        release.check_state(checkout, "9.9.9")


def test_a_changed_file_stops_a_release(checkout: Path) -> None:
    (checkout / "LICENSE").write_text("mine", encoding="utf-8")
    with pytest.raises(release.ReleaseError, match=r"has changes: commit or remove them\.\nM LICENSE"):
        release.check_state(checkout, third_party.project()["version"])


def test_a_version_is_released_once(checkout: Path) -> None:
    version = third_party.project()["version"]
    release.git(checkout, "tag", f"v{version}")
    with pytest.raises(release.ReleaseError, match=f"The tag v{version} exists"):
        release.check_state(checkout, version)


def test_the_npm_package_needs_the_built_module(tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    with pytest.raises(release.ReleaseError, match="run `make js`"):
        release.build_npm_package(ROOT, tmp_path / "dist", tmp_path, third_party.project()["version"])
