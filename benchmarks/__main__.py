"""Measure everything anew: `python -m benchmarks [MODULE …]`, each in a process of its own."""

import subprocess
import sys

MODULES = (
    *(
        "ingest",
        "revalidate",
        "competitors",
        "solve",
        "edit_precision",
        "statistics",
        "find",
        "pages",
        "slow_line",
        "linear",
        "memory",
        "siege",
        "suite",
    ),
)


def main() -> int:
    """Run the benchmarks; return how many failed."""
    failed = 0
    for module in sys.argv[1:] or MODULES:
        more = ["--write"] if module == "edit_precision" else []
        failed += subprocess.run([sys.executable, "-m", f"benchmarks.{module}", *more]).returncode > 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
