"""Write `docs/glossary.md`, what things are called and what they are: `python -m docs.glossary`."""

from pathlib import Path

from dashboard.games import all_definitions
from dashboard.text.definitions import GLOSSARY_HEADINGS, Definition
from ingest.findings.finding import RULES_PAGE
from ingest.i18n import translator

PAGE = Path(__file__).with_name("glossary.md")
STATISTICS = "n"
"""The first term of statistics, which pages explain where they are read."""
HEAD = """# Glossary

One word for one thing, in English and in *French*. The page **Rules** (Règles) has the same under
*Terms*, in either language, with those of statistics, which each page of statistics explains too;
[tables.md](tables.md#statistics) defines their columns. `python -m docs.glossary` writes this page; a test
keeps other words for these things, listed beside their definitions, out of all texts.
"""


def page() -> str:
    """The whole document."""
    parts = [HEAD]
    for key, one in all_definitions().items():
        if key == STATISTICS:
            break
        if key in GLOSSARY_HEADINGS:
            parts.append(f"\n## {GLOSSARY_HEADINGS[key]}\n\n")
        parts.append(_entry(one))
    return "".join(parts)


def _entry(one: Definition) -> str:
    english, french = translator("en", "dashboard"), translator("fr", "dashboard")
    label, other = english(one.label), french(one.label)
    link = f"{RULES_PAGE.removeprefix('docs/')}#{(one.rule or '').lower()}"
    known = [f"*{other}*" if other != label else "", f"[{one.rule}]({link})" if one.rule else ""]
    told = ", ".join(filter(None, known))
    return f"- **{label}**{f' ({told})' if told else ''}: {one.text_in(english)}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
