"""Make a release in `dist/`: wheel, npm package, conformance suite, notes, checksums and the tag.

`make release VERSION=1.0.0` runs what CI runs and then this. It needs a clean checkout whose documents
all have that version, and a section of the changelog. From one commit the files are the same byte for
byte on every machine with the packages that constraints.txt pins: nothing in them has a time, a user
or a path.
"""

import argparse
import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEVER = 315532800
"""The time of all files in archives: 1980, the first that every format has."""


class ReleaseError(Exception):
    """Why no release can be made, for the person who asked for it."""


def stated_versions(root: Path) -> dict[str, str]:
    """Return the version that each file states; a file that names none has an empty one."""

    def found(path: str, pattern: str) -> str:
        result = re.search(pattern, (root / path).read_text(encoding="utf-8"), re.MULTILINE)
        return result[1] if result else ""

    wheel = r"retourne-(\d+\.\d+\.\d+)-py3-none-any\.whl"
    return {
        "pyproject.toml": found("pyproject.toml", r'^version = "(.*)"$'),
        "js/package.json": json.loads((root / "js/package.json").read_text(encoding="utf-8"))["version"],
        ".ci/retourne.cdx.json": json.loads((root / ".ci/retourne.cdx.json").read_text(encoding="utf-8"))[
            "metadata"
        ]["component"]["version"],
        "CHANGELOG.md": found("CHANGELOG.md", r"^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$"),
        "README.md": found("README.md", wheel),
    }


def release_notes(changelog: str, version: str) -> str:
    """Return the changelog's section of a version. ReleaseError: there is none, or it is empty."""
    parts = re.split(r"^## \[(.*?)\].*\n", changelog, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    if sections.get("Unreleased", "").strip():
        raise ReleaseError(f"CHANGELOG.md has changes under [Unreleased]: move them to [{version}].")
    if not sections.get(version, "").strip():
        raise ReleaseError(f"CHANGELOG.md has no changes under [{version}]: write what users notice.")
    return sections[version].strip() + "\n"


def check_state(root: Path, version: str) -> str:
    """Return the release's notes. ReleaseError: the checkout cannot become this version."""
    other = {path: one for path, one in stated_versions(root).items() if one != version}
    if other:
        lines = "\n".join(f"  {path}: {one or 'none'}" for path, one in other.items())
        raise ReleaseError(f"These files state another version than {version}:\n{lines}")
    if changed := git(root, "status", "--porcelain"):
        raise ReleaseError(f"The checkout has changes: commit or remove them.\n{changed}")
    if git(root, "tag", "--list", f"v{version}"):
        raise ReleaseError(f"The tag v{version} exists: a version is released once.")
    return release_notes((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)


def git(root: Path, *arguments: str) -> str:
    """Return what a git command prints."""
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def build_wheel(root: Path, folder: Path) -> Path:
    """Build the wheel with the installed hatchling, whose version pyproject.toml pins."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(root)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise ReleaseError(f"The wheel was not built:\n{done.stdout}{done.stderr}")
    (wheel,) = folder.glob("retourne-*.whl")
    return wheel


def build_npm_package(root: Path, dist: Path, folder: Path, version: str) -> Path:
    """Pack the module in `dist` as `npm pack` does; ReleaseError: it is not all there."""
    contents = json.loads((root / "js/package.json").read_text(encoding="utf-8"))
    if not (dist / Path(contents["main"]).name).is_file():
        raise ReleaseError("js/dist is not built: run `make js`.")
    files = {"package/package.json": root / "js/package.json", "package/README.md": root / "js/README.md"}
    files |= {"package/LICENSE": root / "LICENSE"}
    files |= {f"package/dist/{path.name}": path for path in dist.iterdir()}
    return write_archive(folder / f"retourne-{version}.tgz", files)


def pack_conformance(root: Path, folder: Path) -> Path:
    """Pack the conformance suite under its own version."""
    readme = (root / "conformance/README.md").read_text(encoding="utf-8")
    version = re.search(r"^Version (\d+\.\d+\.\d+)", readme, re.MULTILINE)
    if version is None:
        raise ReleaseError("conformance/README.md states no version.")
    tracked = git(root, "ls-files", "conformance").splitlines()
    files = {f"retourne-{path}": root / path for path in tracked}
    return write_archive(folder / f"retourne-conformance-{version[1]}.tar.gz", files)


def write_archive(path: Path, files: dict[str, Path]) -> Path:
    """Write files into a tar archive in the order of their names, without times, users and modes."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, source in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = source.stat().st_size, NEVER, 0o644
            with source.open("rb") as opened:
                archive.addfile(entry, opened)
    path.write_bytes(gzip.compress(content.getvalue(), 9, mtime=0))
    return path


def write_checksums(folder: Path, files: Iterable[Path]) -> None:
    """Write SHA256SUMS, as `sha256sum --check` reads it."""
    lines = [f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in sorted(files)]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def release(root: Path, version: str, dist: Path) -> Path:
    """Make the release and its tag, and return the folder. ReleaseError: why there is none."""
    notes = check_state(root, version)
    folder = root / "dist" / version
    folder.mkdir(parents=True)
    files = [
        build_npm_package(root, dist, folder, version),  # refuses a checkout without js/dist
        build_wheel(root, folder),
        pack_conformance(root, folder),
    ]
    (folder / "NOTES.md").write_text(notes, encoding="utf-8")
    write_checksums(folder, files)
    git(root, "tag", "--annotate", f"v{version}", "--message", f"Retourne {version}")
    return folder


def main() -> int:
    """Make the release that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("version", help="such as 1.0.0")
    version = parser.parse_args().version
    try:
        folder = release(ROOT, version, ROOT / "js/dist")
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{folder.relative_to(ROOT)} has the release, and v{version} is its tag. Publish both:")
    print(f"  git push origin v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
