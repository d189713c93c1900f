"""The page Rules: rules and terms, each with its own anchor."""

import re
from html import escape

import streamlit as st

from dashboard.games import all_definitions, game_titles, game_view, preset_label
from dashboard.text.definitions import GLOSSARY_HEADINGS
from dashboard.text.labels import VALUE_LABELS
from dashboard.text.numbers import capitalized
from dashboard.widgets.filters import segmented_select
from engine.options import game_options, game_presets
from ingest.findings.rulebook import Rule, rule_headings, rules_by_id, section_introduction, without_markdown
from ingest.i18n import N_, Translate
from schemas.player_key import search_key

_RULE_LINK = re.compile(r"\]\(#([a-z]+)-(?=\d)")
"""Matches the beginning of a link to a rule within its book, such as `](#ch-9)`."""


def page(t: Translate) -> None:
    """Show every rule, option and term, with a search and an anchor for each."""
    books = {**game_titles(), "terms": N_("Terms"), "faults": N_("When a rule is broken")}
    rule = rules_by_id(t.language).get(st.query_params.get("rule", "").upper())
    term = st.query_params.get("term", "")
    if rule is not None:
        show_rule(rule)
    elif term in all_definitions():
        with st.container(border=True):
            _show_terms("", t, term)
    words = st.text_input(
        t("Search"),
        placeholder=t("A word, or a rule such as CH-9"),
        icon=":material/search:",
        key="words",
        bind="query-params",
    ).strip()
    if words:
        found = False
        for one in rules_by_id(t.language).values():
            if one.id.lower() == words.lower() or _contains_words(f"{one.id} {one.plain_text}", words):
                show_rule(one)
                found = True
        if not _show_terms(words, t) and not found:
            st.info(t("No rule and no term has these words."), icon=":material/search_off:")
        return
    first = rule.game if rule else "terms" if term in all_definitions() else next(iter(books))
    chosen = segmented_select(t("Subject"), books, first, "book", t)
    if chosen == "terms":
        _show_terms("", t)
    elif chosen == "faults":
        st.markdown(section_introduction("faults", t.language))
    else:
        _show_rulebook(chosen, t)


def _contains_words(text: str, words: str) -> bool:
    """Return whether a text has all the words, ignoring case and accents."""
    known = search_key(text)
    return all(word in known for word in search_key(words).split())


def show_rule(rule: Rule) -> None:
    """Show a rule outside its book; its links lead to the page of rules."""
    text = _RULE_LINK.sub(lambda found: f"](regles?rule={found[1].upper()}-", rule.text)
    with st.container(border=True):
        st.markdown(f"**{rule.id} · {rule.title}** {text}")


def _show_rulebook(game: str, t: Translate) -> None:
    st.markdown(section_introduction(game, t.language))
    mine = [rule for rule in rules_by_id(t.language).values() if rule.game == game]
    # the game's name heads the first rules if the book has no heading for them
    heads = {rule.id: game_view(game).TITLE for rule in mine[:1]} | dict(rule_headings(t.language))
    # safe HTML: the documents' own text, none from logs; one element per section, since browsers
    # are slow with one element per rule
    sections: list[list[str]] = []
    for rule in mine:
        if rule.id in heads:
            sections.append([f"## {heads[rule.id]}"])
        title = escape(without_markdown(rule.title.rstrip(".")))
        anchor = f'<h3 data-anchor="{rule.id.lower()}">{rule.id} · {title}</h3>'
        sections[-1].append(f"{anchor}\n\n{rule.text}")
    for section in sections:
        st.markdown("\n\n".join(section), unsafe_allow_html=True)
    st.header(t("Presets and options"), anchor=f"{game}-options")
    st.markdown(section_introduction(f"{game}-options", t.language))
    own = game_presets(game)
    if len(own) < 2:
        return

    def word(value: object) -> str:
        """Return an option's value as text: a number, or the label of a word or a boolean."""
        return (
            t(VALUE_LABELS[value]) if isinstance(value, bool | str) and value in VALUE_LABELS else str(value)
        )

    called, rows = [preset_label(preset, t) for preset in own], []
    for option in game_options(game):
        values = [word(preset[option.name]) for preset in own.values()]
        if len(set(values)) > 1:
            named = dict(zip(called, values, strict=True))
            rows.append({t("Option"): capitalized(t(option.doc)), **named})
    st.caption(t("Differences between presets"))
    st.dataframe(rows, hide_index=True, height="content", alt=t("Differences between presets"))


def _show_terms(words: str, t: Translate, chosen: str | None = None) -> int:
    """Show the definitions with some words, or only the chosen one; return their number."""
    shown = {
        key: one
        for key, one in all_definitions().items()
        if (key == chosen if chosen else _contains_words(f"{t(one.label)} {one.text_in(t)}", words))
    }
    lines = []
    for key, one in shown.items():
        if key in GLOSSARY_HEADINGS and not words and not chosen:
            lines.append(f"## {t(GLOSSARY_HEADINGS[key])}")
        more = f" [{one.rule}](regles?rule={one.rule})" if one.rule else ""
        lines.append(f"**{t(one.label)}.** {one.text_in(t)}{more}")
    if lines:
        st.markdown("\n\n".join(lines))  # the program's own text, none from logs
    return len(shown)
