"""The lines of a text around a finding, with its place underlined, as plain text."""

from ingest.finding.finding import Finding

WIDTH = 72
"""Characters of a line shown around the place; a bulk log is one line of thousands."""
BEFORE, AFTER = 2, 1
"""Lines shown before and after."""
CUT = "…"


def excerpt(text: bytes, finding: Finding) -> str:
    """A few lines, numbered, and carets under the place; empty for a finding without one."""
    if finding.line is None or finding.column is None:
        return ""
    lines = text.split(b"\n")
    here = min(finding.line, len(lines)) - 1
    start = finding.column - 1
    end = max(start + 1, (finding.end or 0) - 1)
    first = 0 if end <= WIDTH else max(0, start - WIDTH // 3)
    rows = range(max(0, here - BEFORE), min(len(lines), here + AFTER + 1))
    margin = len(str(rows[-1] + 1))
    shown = []
    for row in rows:
        shown.append(f"{row + 1:>{margin}} │ {_window(lines[row], first)}".rstrip())
        if row == here:
            at = start - first + (1 if first else 0)
            carets = "^" * max(1, min(end - start, first + WIDTH - start))
            shown.append(f"{'':>{margin}} │ {' ' * at}{carets}")
    return "\n".join(shown)


def _window(line: bytes, first: int) -> str:
    """A part of a line as signs of one column each, marked where it is cut."""
    decoded = line.decode(errors="replace").rstrip("\r")
    part = decoded[first : first + WIDTH]
    part = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in part)
    before = CUT if first and decoded else ""
    return before + part + (CUT if len(decoded) > first + WIDTH else "")
