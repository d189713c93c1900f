"""Shows which uploaded matches are stored already in another log, and asks what becomes of them."""

from dataclasses import replace
from functools import partial
from io import BytesIO

import streamlit as st

from dashboard.text.numbers import escape_markdown, format_count
from dashboard.views.data import change_button, require_owner_or_admin
from dashboard.widgets.current_store import has_role, open_store
from dashboard.widgets.link_table import REPLAY_PAGE, page_link
from ingest.i18n import N_, Translate
from ingest.store.ingest_files import FileReport, ingest
from ingest.store.ingest_summary import related_sentence
from ingest.store.policy import OnConflict, Relation
from ingest.store.tokens import Role

MAX_SHOWN = 20
"""Matches shown of an upload."""
CHOICES = (
    (OnConflict.REPLACE, N_("Replace"), "published_with_changes"),
    (OnConflict.BOTH, N_("Keep both"), "library_add"),
)


def show_related_matches(reports: list[FileReport], t: Translate) -> None:
    """Show the matches of files that are stored already, each with a choice where one is open."""
    every = [
        (report, place)
        for report in reports
        for place, one in enumerate(report.related)
        if one.duplicate.relation is not Relation.CONTINUED
    ]
    if not every:
        return
    st.header(t("Stored already in another log"))
    for report, place in every[:MAX_SHOWN]:
        one = report.related[place]
        with st.container(border=True):
            where = t("{file}, line {n}", file=report.name, n=format_count(one.line, t))
            st.markdown(escape_markdown(f"{where} – {related_sentence(t, one)}"))
            with st.container(horizontal=True):
                page_link(REPLAY_PAGE, t("Replay the stored match"), "replay", match=one.duplicate.other_id)
                if one.text is not None and has_role(Role.CONTRIBUTOR):
                    _show_choices(reports, report, place, one.text, t)
    if len(every) > MAX_SHOWN:
        st.caption(t("Not in this list: {n}.", n=format_count(len(every) - MAX_SHOWN, t)))


def _show_choices(
    reports: list[FileReport], report: FileReport, place: int, text: bytes, t: Translate
) -> None:
    one = report.related[place]
    if one.duplicate.relation not in (Relation.SAME_MATCH, Relation.CONFLICT):
        return

    def decide(choice: OnConflict) -> None:
        if choice is OnConflict.REPLACE:
            number = open_store().find_match(one.duplicate.other_id)
            require_owner_or_admin([] if number is None else [number])
        [stored] = ingest(open_store(), [(report.name, BytesIO(text))], on_conflict=choice)
        if not stored.added:
            return
        decided = replace(one.duplicate, decision=choice)
        report.related[place] = replace(one, duplicate=decided, text=None)
        report.not_added[decided.relation] -= 1
        report.duplicates -= 1
        report.added += stored.added
        report.by_status.update(stored.by_status)
        report.replaced += stored.replaced
        reports.append(FileReport(report.name, stored.number))  # undone with the others

    for choice, label, icon in CHOICES:
        key = f"{choice}-{report.number}-{place}"
        change_button(t(label), icon, key, partial(decide, choice), t, Role.CONTRIBUTOR)
