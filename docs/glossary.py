"""Write `docs/glossary.md`, what things are called and what they are: `python -m docs.glossary`."""

from pathlib import Path

from dashboard.games import all_definitions
from dashboard.text.definitions import GLOSSARY_HEADINGS, Definition
from ingest.findings.finding import RULES_PAGE
from ingest.i18n import translator

PAGE = Path(__file__).with_name("glossary.md")
HEAD = """# Glossary

Written by `python -m docs.glossary`: one word for one thing, in English and in French, as pages,
terminal and documents use it. Page **Rules** (Règles) has the same under *Terms*, in either
language, and other pages show it where a term stands. What begins as in the last column is never
said for it: a test looks for it in all texts.
"""


def page() -> str:
    """The whole document."""
    parts = [HEAD]
    for key, one in all_definitions().items():
        if key in GLOSSARY_HEADINGS:
            parts.append(f"\n## {GLOSSARY_HEADINGS[key]}\n\n")
            parts.append("| English | French | what it is | rule | never |\n|---|---|---|---|---|\n")
        parts.append(_row(one))
    return "".join(parts)


def _row(one: Definition) -> str:
    english, french = translator("en", "dashboard"), translator("fr", "dashboard")
    link = RULES_PAGE.removeprefix("docs/")
    rule = f"[{one.rule}]({link}#{one.rule.lower()})" if one.rule else ""
    never = "; ".join(
        f"{language}: {', '.join(words)}"
        for language, words in (("French", one.never), ("English", one.never_english))
        if words
    )
    cells = (english(one.label), french(one.label), one.text_in(english), rule, never)
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
