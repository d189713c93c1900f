"""Write `docs/glossary.md` from the definitions of `dashboard.text`: `python -m docs.glossary`."""

from pathlib import Path

from dashboard.games import all_definitions
from dashboard.text.definitions import GLOSSARY_HEADINGS, Definition
from ingest.findings.finding import RULES_PAGE
from ingest.i18n import translator

PAGE = Path(__file__).with_name("glossary.md")
STATISTICS = "n"
"""The first term of statistics, which pages explain where they are read."""
PLAIN = {
    *("event", "player", "seat", "team", "shuffling", "hand", "trick", "trump-suit", "follow", "action"),
    *("legal", "unverified", "result-only", "irregular", "incomplete", "broken", "unreadable"),
    *("fault", "board"),
}
"""Terms that need no definition here, or that `tables.md` defines: only their words are listed."""
HEAD = """# Glossary

One word for one thing, in English and in *French*. The page **Rules** (Règles) has the same under *Terms*,
with those of statistics ([columns](tables.md#statistics)); [tables.md](tables.md#the-store) defines the
verdicts. `python -m docs.glossary` writes this page."""


def page() -> str:
    """The whole document."""
    parts, plain = [HEAD], list[str]()
    for key, one in all_definitions().items():
        if plain and (key in GLOSSARY_HEADINGS or key == STATISTICS):
            parts.append(f"- Also {', '.join(plain)}\n")
            plain.clear()
        if key == STATISTICS:
            break
        if key in GLOSSARY_HEADINGS:
            parts.append(f"\n## {GLOSSARY_HEADINGS[key]}\n\n")
        if key in PLAIN:
            plain.append(_term(one))
        else:
            parts.append(f"- {_term(one)}: {one.text_in(translator('en', 'dashboard'))}\n")
    return "".join(parts)


def _term(one: Definition) -> str:
    """The term in both languages, with its rule."""
    english, french = translator("en", "dashboard"), translator("fr", "dashboard")
    label, other = english(one.label), french(one.label)
    link = f"{RULES_PAGE.removeprefix('docs/')}#{(one.rule or '').lower()}"
    known = [f"*{other}*" if other != label else "", f"[{one.rule}]({link})" if one.rule else ""]
    others = ", ".join(filter(None, known))
    return f"**{label}**{f' ({others})' if others else ''}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
