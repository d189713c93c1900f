"""Hold the size of the code: lines a package, lines a module; `make lint` runs it.

The limits stand in `[tool.retourne.size]` of pyproject.toml. A change that needs more room raises
its package's limit there, so that a review sees it.
"""

import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> int:
    """Print what is over its limit; the exit code says whether anything is."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        limits = tomllib.load(file)["tool"]["retourne"]["size"]
    lines = {name: (ROOT / name).read_bytes().count(b"\n") for name in _modules(limits["lines"])}
    packages = Counter[str]()
    for name, count in lines.items():
        packages[name.partition("/")[0]] += count
    wrong = [
        f"{package}/ has {count:,} lines of Python; pyproject.toml allows {most:,}"
        for package, most in limits["lines"].items()
        if (count := packages[package]) > most
    ]
    for name, count in lines.items():
        path = Path(name)
        if count > limits["longest"] and not path.stem.startswith("kernel"):
            wrong.append(f"{name} has {count} lines; a module has {limits['longest']} at most")
        if count < limits["shortest"] and not path.stem.startswith("__"):
            wrong.append(f"{name} has {count} lines: put them with what uses them")
    print(*wrong, sep="\n", file=sys.stderr)
    return bool(wrong)


def _modules(packages: dict[str, int]) -> list[str]:
    """Names of the Python files of packages: those git tracks, and new ones it does not ignore."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "--", *packages]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.splitlines() if name.endswith(".py") and (ROOT / name).exists()]


if __name__ == "__main__":
    sys.exit(main())
