"""Write `docs/findings.md`, the table of every code: `python -m docs.findings`."""

from itertools import groupby
from pathlib import Path

from ingest.findings.codes import DOCUMENT_GAME, CodeEntry, code_entries
from ingest.findings.finding import FORMAT_PAGE, RULES_PAGE
from ingest.i18n import translator

PAGE = Path(__file__).with_name("findings.md")
STOPS_DEAL = "error, the deal stops"
TITLES = {DOCUMENT_GAME: "The file and the document"}
HEAD = """# Every finding

Written by `python -m docs.findings`: what a check can find, the rule it rests on, the sentence it
is told with (in French with `--lang fr`), a log that has this fault and no other, and what to do.
`retourne explain CODE` says the same in the terminal. Codes never change: programs may rely on
them. What each severity does to a match is in [rules.md](rules.md#faults); how a program reads
findings is in [python.md](python.md), and in [sarif.md](sarif.md) for code hosts.
"""


def page() -> str:
    """The whole document."""
    parts = [HEAD]
    for name, rows in groupby(code_entries(), key=lambda one: one.game):
        parts.append(f"\n## {TITLES.get(name, name.capitalize())}\n\n")
        parts.append("| code | severity | rule | message | what to do |\n|---|---|---|---|---|\n")
        parts += [_row(one) for one in rows]
    return "".join(parts)


def _row(one: CodeEntry) -> str:
    t = translator("en")
    name = f"`{one.code}`" if one.example_path is None else f"[`{one.code}`](../{one.example_path})"
    link = FORMAT_PAGE if one.rule == "format" else f"{RULES_PAGE}#{one.rule.lower()}"
    severity = STOPS_DEAL if one.is_impossible else one.severity
    rule = f"[{one.rule}]({link.removeprefix('docs/')})"
    cells = (name, severity, rule, one.info.sentence, one.advice(t))
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
