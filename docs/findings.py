"""Write `docs/findings.md`, the table of every code: `python -m docs.findings`."""

from pathlib import Path

from ingest.findings.codes import DOCUMENT_GAME, CodeEntry, code_entries
from ingest.findings.finding import ERROR, FORMAT_PAGE, RULES_PAGE
from ingest.i18n import translator

PAGE = Path(__file__).with_name("findings.md")
SHARED = "Every game"
TITLES = {DOCUMENT_GAME: "The file and the document"}
HEAD = """# Every finding

A check can report these codes. Each row links a log that has this fault and no other, and the rule;
a code of several games has both in the order of its heading. A code is an error unless its row
reads *warning* or *note*; after one that *stops*, the rest of the deal is not checked.
`retourne explain CODE` prints the same, in French with `--lang fr`. Codes never change: programs
may rely on them. [rules.md](rules.md#faults) defines what each severity does to a match.
`python -m docs.findings` writes this page.
"""


def page() -> str:
    """The whole document: what several games share is one row."""
    rows: dict[tuple[str, ...], list[CodeEntry]] = {}
    for one in code_entries():
        rows.setdefault((one.code, *_same(one)), []).append(one)
    sections: dict[str, list[list[CodeEntry]]] = {}
    for entries in rows.values():
        sections.setdefault(_heading(entries), []).append(entries)
    parts = [HEAD]
    for title in sorted(sections, key=lambda title: (title != TITLES[DOCUMENT_GAME], "," not in title)):
        parts.append(f"\n## {title}\n\n| code | rule | message | what to do |\n|---|---|---|---|\n")
        parts += map(_row, sections[title])
    return "".join(parts)


def _same(one: CodeEntry) -> tuple[str, str, str]:
    """What a row says in words."""
    kind = "stops" if one.is_impossible else "" if one.severity == ERROR else one.severity
    return kind, one.info.sentence, one.advice(translator("en"))


def _heading(entries: list[CodeEntry]) -> str:
    return ", ".join(TITLES.get(one.game, one.game.capitalize()) for one in entries)


def _row(entries: list[CodeEntry]) -> str:
    kind, sentence, advice = _same(entries[0])
    examples = [one.example_path for one in entries if one.example_path]
    first, *others = [f"`{entries[0].code}`"] * (not examples) + [
        f"[{f'`{entries[0].code}`' if not n else n + 1}](../{path})" for n, path in enumerate(examples)
    ]
    code = " ".join((first, *others, *([f"*{kind}*"] if kind else [])))
    rules = ", ".join(dict.fromkeys(map(_rule, entries)))
    return f"| {code} | {rules} | {sentence} | {advice} |\n"


def _rule(one: CodeEntry) -> str:
    link = FORMAT_PAGE if one.rule == "format" else f"{RULES_PAGE}#{one.rule.lower()}"
    return f"[{one.rule}]({link.removeprefix('docs/')})"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
