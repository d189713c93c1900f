"""The rules and the terms on a page: found by id or by word, each at an anchor of its own."""

import re
import unicodedata
from html import escape
from itertools import filterfalse

import streamlit as st

from dashboard.games import definitions, of, rules_named, titles
from dashboard.text.definitions import HEADINGS
from dashboard.text.labels import VALUES
from dashboard.text.numbers import capital
from dashboard.widgets.filters import side_by_side
from engine.options import options, presets
from ingest.findings.rulebook import Rule, headings, introduction, plain, rules
from ingest.i18n import N_, Translate

_RULE = re.compile(r"\]\(#([a-z]+)-(?=\d)")
"""The beginning of a link to a rule in the book it stands in, such as `](#ch-9)`."""


def page(t: Translate) -> None:
    """Every rule by its number, every option, every term: to read, to search, to link to."""
    books = {**titles(), "terms": N_("Terms"), "faults": N_("When a rule is broken")}
    rule = rules(t.language).get(st.query_params.get("rule", "").upper())
    term = st.query_params.get("def", "")
    if rule is not None:
        rule_apart(rule)
    elif term in definitions():
        with st.container(border=True):
            _terms("", t, term)
    words = st.text_input(
        t("Search"),
        placeholder=t("A word, or a rule such as CH-9"),
        icon=":material/search:",
        key="words",
        bind="query-params",
    ).strip()
    if words:
        found = False
        for one in rules(t.language).values():
            if one.id.lower() == words.lower() or _contains(f"{one.id} {one.sentence}", words):
                rule_apart(one)
                found = True
        if not _terms(words, t) and not found:
            st.info(t("No rule and no term has these words."), icon=":material/search_off:")
        return
    first = rule.game if rule else "terms" if term in definitions() else next(iter(books))
    chosen = side_by_side(t("Subject"), books, first, "book", t)
    if chosen == "terms":
        _terms("", t)
    elif chosen == "faults":
        st.markdown(introduction("faults", t.language))
    else:
        _book(chosen, t)


def _contains(text: str, words: str) -> bool:
    """Whether a text has all the words, whatever their case and accents."""
    signs = (unicodedata.normalize("NFKD", one.replace("’", "'")).lower() for one in (text, words))
    known, asked = ("".join(filterfalse(unicodedata.combining, one)) for one in signs)
    return all(word in known for word in asked.split())


def rule_apart(rule: Rule) -> None:
    """A rule apart from its book: what it refers to is a page away."""
    text = _RULE.sub(lambda found: f"](regles?rule={found[1].upper()}-", rule.text)
    with st.container(border=True):
        st.markdown(f"**{rule.id} · {rule.title}** {text}")


def _book(game: str, t: Translate) -> None:
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
        title = escape(plain(rule.title.rstrip(".")))
        anchor = f'<h3 data-anchor="{rule.id.lower()}">{rule.id} · {title}</h3>'
        sections[-1].append(f"{anchor}\n\n{rule.text}")
    for section in sections:
        st.markdown("\n\n".join(section), unsafe_allow_html=True)
    st.header(t("Presets and options"), anchor=f"{game}-options")
    st.markdown(introduction(f"{game}-options", t.language))
    own = presets(game)
    if len(own) < 2:
        return

    def word(value: object) -> str:
        """An option's value: a number, or what its word or its yes and no mean."""
        return t(VALUES[value]) if isinstance(value, bool | str) and value in VALUES else str(value)

    called, rows = [rules_named(preset, t) for preset in own], []
    for option in options(game):
        values = [word(preset[option.name]) for preset in own.values()]
        if len(set(values)) > 1:
            named = dict(zip(called, values, strict=True))
            rows.append({t("Option"): capital(t(option.doc)), **named})
    st.caption(t("Where the presets differ"))
    st.dataframe(rows, hide_index=True, height="content", alt=t("Where the presets differ"))


def _terms(words: str, t: Translate, chosen: str | None = None) -> int:
    """Definitions that have some words, or the chosen one alone; how many."""
    shown = {
        key: one
        for key, one in definitions().items()
        if (key == chosen if chosen else _contains(f"{t(one.label)} {one.told(t)}", words))
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
