"""The rules and the terms on a page: found by id or by word, each at an anchor of its own."""

import re
import unicodedata
from html import escape

import streamlit as st

from dashboard.games import definitions, of, rules_named
from dashboard.text.glossary import HEADINGS
from dashboard.text.labels import VALUES
from dashboard.text.numbers import capital
from engine.options import options, presets
from ingest.finding.rulebook import Rule, headings, introduction, plain, rules
from ingest.i18n import Translate

_RULE = re.compile(r"\]\(#([a-z]+)-(?=\d)")
"""The beginning of a link to a rule in the book it stands in, such as `](#ch-9)`."""


def contains(text: str, words: str) -> bool:
    """Whether a text has all the words, whatever their case and accents."""
    plain = _plain(text)
    return all(word in plain for word in _plain(words).split())


def _plain(text: str) -> str:
    signs = unicodedata.normalize("NFKD", text.replace("’", "'")).lower()
    return "".join(sign for sign in signs if not unicodedata.combining(sign))


def rules_with(words: str, t: Translate) -> list[Rule]:
    """The rules that have some words, or an id."""
    return [
        rule
        for rule in rules(t.language).values()
        if rule.id.lower() == words.strip().lower() or contains(f"{rule.id} {rule.sentence}", words)
    ]


def _in_book(rule: Rule) -> str:
    """A rule under its id, which is its anchor, as Markdown with a heading in HTML."""
    title = escape(plain(rule.title.rstrip(".")))
    return f'<h3 data-anchor="{rule.id.lower()}">{rule.id} · {title}</h3>\n\n{rule.text}'


def rule_apart(rule: Rule) -> None:
    """A rule apart from its book: what it refers to is a page away."""
    with st.container(border=True):
        st.markdown(f"**{rule.id} · {rule.title}** {_linked(rule.text)}")


def book(game: str, t: Translate) -> None:
    """A game's rules in order, under their headings, then its presets and options."""
    st.markdown(introduction(game, t.language))
    mine = [rule for rule in rules(t.language).values() if rule.game == game]
    # the first rules stand below the game's name where the book has no heading for them
    heads = {rule.id: of(game).TITLE for rule in mine[:1]} | dict(headings(t.language))
    # the documents' own words and no log's; an element a section, since a browser takes longer over
    # an element a rule than over all the rest of the page
    sections: list[list[str]] = []
    for rule in mine:
        if rule.id in heads:
            sections.append([f"## {heads[rule.id]}"])
        sections[-1].append(_in_book(rule))
    for section in sections:
        st.markdown("\n\n".join(section), unsafe_allow_html=True)
    st.header(t("Presets and options"), anchor=f"{game}-options")
    st.markdown(introduction(f"{game}-options", t.language))
    if len(presets(game)) > 1:
        _differing(game, t)


def _differing(game: str, t: Translate) -> None:
    """The options in which a game's presets differ."""
    own = presets(game)
    rows = []
    for option in options(game):
        values = [_word(preset[option.name], t) for preset in own.values()]
        if len(set(values)) > 1:
            called = (rules_named(preset, t) for preset in own)
            rows.append(
                {t("Option"): capital(t(option.doc)), **dict(zip(called, values, strict=True))}
            )
    st.caption(t("Where the presets differ"))
    st.dataframe(rows, hide_index=True, height="content", alt=t("Where the presets differ"))


def _word(value: object, t: Translate) -> str:
    """An option's value: a number, or what its word or its yes and no mean."""
    return t(VALUES[value]) if isinstance(value, bool | str) and value in VALUES else str(value)


def _linked(text: str) -> str:
    """Links between rules, as addresses of the page instead of places on it."""
    return _RULE.sub(lambda found: f"](regles?rule={found[1].upper()}-", text)


def terms(words: str, t: Translate, chosen: str | None = None) -> int:
    """Definitions that have some words, or the chosen one alone; how many."""
    shown = {
        key: one
        for key, one in definitions().items()
        if (key == chosen if chosen else contains(f"{t(one.label)} {one.told(t)}", words))
    }
    lines = []
    for key, one in shown.items():
        if key in HEADINGS and not words and not chosen:
            lines.append(f"## {t(HEADINGS[key])}")
        more = f" [{one.rule}](regles?rule={one.rule})" if one.rule else ""
        lines.append(f"**{t(one.label)}.** {one.told(t)}{more}")
    if lines:
        st.markdown("\n\n".join(lines))  # the program's own words and no log's
    return len(shown)
