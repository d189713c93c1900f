"""Look up known vulnerabilities of the pinned packages: part of `make lint` where the network allows.

pip-audit asks OSV (osv.dev) about each version in constraints.txt. Where OSV does not answer, this says
that nothing was looked up and ends with 0; a vulnerability ends it with 1.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATIENCE = 120
"""Seconds for all answers."""


def audit() -> tuple[int, list[str]]:
    """Return how many packages were looked up, 0 without an answer, and a line per vulnerability."""
    options = ["--requirement", "constraints.txt", "--no-deps", "--disable-pip", "--format", "json"]
    options += ["--vulnerability-service", "osv", "--timeout", "10"]
    command = [sys.executable, "-m", "pip_audit", *options, "--progress-spinner", "off"]
    try:
        done = subprocess.run(
            command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=PATIENCE
        )
        packages = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return 0, []
    found = [
        f"{one['name']} {one['version']}: {known['id']}, fixed in {' or '.join(known['fix_versions']) or '-'}"
        for one in packages
        for known in one.get("vulns", ())
    ]
    return sum("skip_reason" not in one for one in packages), found


def main() -> int:
    """Print what was looked up."""
    looked_up, found = audit()
    if not looked_up:
        print("pip-audit: OSV does not answer; no package was looked up.")
    elif not found:
        print(f"pip-audit: no known vulnerability in {looked_up} packages.")
    print(*found, sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
