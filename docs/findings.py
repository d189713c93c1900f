"""Write `docs/findings.md`, the table of all finding codes: `python -m docs.findings`."""

import re
from pathlib import Path

from ingest.findings.codes import DOCUMENT_GAME, CodeEntry, code_entries
from ingest.findings.finding import ERROR, RULES_PAGE

PAGE = Path(__file__).with_name("findings.md")
RULES = RULES_PAGE.removeprefix("docs/")
TITLES = {DOCUMENT_GAME: "The file and the document"}
HEAD = """# Every finding

For people whose programs read what a check reports: each code with its rule (of several games in the order of
the heading; none: [the format](format.md)) and its message, without the player's name. `retourne explain
CODE` adds what to do. The code links a log with this fault only. A code is an error unless it is a *warning*
or a *note* ([severities](rules.md#faults)); after one that *stops*, the rest of the deal is not checked.
Codes never change. `python -m docs.findings` writes this page."""


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
        parts.append(f"\n## {title}\n\n")
        parts += map(_row, sections[title])
    return "".join(parts)


def _same(one: CodeEntry) -> tuple[str, str]:
    """What a row says in words."""
    kind = "stops" if one.is_impossible else "" if one.severity == ERROR else one.severity
    return kind, one.info.sentence


def _heading(entries: list[CodeEntry]) -> str:
    return ", ".join(TITLES.get(one.game, one.game.capitalize()) for one in entries)


def _row(entries: list[CodeEntry]) -> str:
    kind, sentence = _same(entries[0])
    example = next((one.example_path for one in entries if one.example_path), None)
    name = f"`{entries[0].code}`"
    code = (f"[{name}](../{example})" if example else name) + (f" *{kind}*" if kind else "")
    rules = [f"[{one.rule}]({RULES}#{one.rule.lower()})" for one in entries if one.rule != "format"]
    known = f" ({', '.join(dict.fromkeys(rules))})" if rules else ""
    return f"- {code}{known}: {re.sub('^{who}:? ', '', sentence)}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
