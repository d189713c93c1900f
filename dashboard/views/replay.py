"""What stands around a board: a list to choose from, the match's head, why there is no board."""

from datetime import date

import streamlit as st

from dashboard.board.states import said
from dashboard.queries import matches
from dashboard.text.labels import STATUSES, against
from dashboard.text.language import markdown
from dashboard.text.numbers import day
from dashboard.widgets.links import nothing_yet
from dashboard.widgets.matches import matches_named, matches_table
from dashboard.widgets.store import answer
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained


def match_list(t: Translate) -> None:
    """The matches played last, each with its replay; ends the page where the store has none."""
    if not answer(matches.count):
        nothing_yet(t("No match yet. Add a file of games to replay one."), ":material/inbox:", t)
    st.caption(t("Choose a match; more of them are on the page of matches."))
    latest = answer(matches.page, limit=10)
    matches_table(latest, t, "open-replay")
    matches_named(latest, t, "name-replay")
    st.page_link("app_pages/parties.py", label=t("Find a match"))


EVENT = {"name": "", "place": "", "round": N_("round {n}"), "table": N_("table {n}")}
"""Parts of an event in the order of the heading, and a text for one that is a bare number."""


def heading(log: Explained, t: Translate) -> None:
    """Who played, when and where, in plain text."""
    if log.match is None:
        return
    names = [player.name or player.id for player in log.match.players]
    event = log.match.event or {}
    known = ((text, str(event[key])) for key, text in EVENT.items() if event.get(key) is not None)
    words = [t(text, n=one) if text and one.isdecimal() else one for text, one in known]
    details = [_played(log.match.played_at, t), *words, t(STATUSES[log.status])]
    with st.container(width="stretch", gap="xsmall"):
        st.text(against(names, log.match.game), wrap=False, width="stretch")
        st.caption(markdown(" · ".join(part for part in details if part)))


def _played(moment: str | None, t: Translate) -> str:
    """The day of a log's `played_at`; its first ten signs where it is no date."""
    try:
        return day(date.fromisoformat((moment or "")[:10]), t)
    except ValueError:
        return (moment or "")[:10]


def no_board(text: str, log: Explained, deal: int, t: Translate) -> None:
    """Why a deal (from 0; -1 for none) has no board, and what was found of it."""
    st.warning(text, icon=":material/playing_cards:")
    findings = said(log.findings, deal, 0, t)
    rows = [{t("Rule"): one["rule"], t("Reason"): one["text"]} for one in findings]
    if rows:
        st.dataframe(rows, hide_index=True, height="content", alt=t("Findings"))
