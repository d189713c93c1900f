"""A section of `docs/benchmarks.md`, written anew by the script that measured it."""

from collections.abc import Sequence
from pathlib import Path

TABLE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def write(path: Path, heading: str, lines: Sequence[str]) -> None:
    """Put the lines under their heading, in the place of what stood there, else at the end."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    before, _, after = text.partition(f"\n{heading}\n")
    _, following, after = after.partition("\n## ")
    section = "\n".join([heading, "", *lines, ""])
    path.write_text(before + "\n" + section + following + after, encoding="utf-8")
