"""Shows which matches are stored already in another log, or may be, and asks what becomes of them."""

from dataclasses import replace
from functools import partial
from io import BytesIO

import streamlit as st

from dashboard.text.numbers import date_text, escape_markdown, format_count
from dashboard.widgets import lists
from dashboard.widgets.current_store import cached_query, has_role, open_store, page_cursor
from dashboard.widgets.link_table import REPLAY_PAGE, page_link
from dashboard.widgets.store_changes import change_button, require_owner_or_admin
from ingest.i18n import N_, Translate
from ingest.store import match_joins
from ingest.store.ingest_files import FileReport, ingest
from ingest.store.ingest_summary import LIKELY_TEXTS, related_sentence
from ingest.store.likely_duplicate_matches import SAME, likely_matches
from ingest.store.match_comparison import PROPOSED_RELATIONS, OnConflict, Relation
from ingest.store.match_parts import proposed_matches
from ingest.store.tokens import Role

MAX_SHOWN = 20
"""Matches shown of an upload."""
MAX_ANSWERS_SHOWN = 10
CHOICES = (
    (OnConflict.REPLACE, N_("Replace"), "published_with_changes"),
    (OnConflict.BOTH, N_("Keep both"), "library_add"),
)


def show_related_matches(reports: list[FileReport], t: Translate) -> None:
    """Show the matches of files that are stored already or may be, each with a choice where one is open."""
    every = [
        (report, place)
        for report in reports
        for place, one in enumerate(report.related)
        if one.duplicate.relation not in (Relation.CONTINUED, Relation.WHOLE)
    ]
    for is_proposed, title in (
        (False, N_("Stored already in another log")),
        (True, N_("These matches may be stored already")),
    ):
        some = [
            (report, place)
            for report, place in every
            if (report.related[place].duplicate.relation in PROPOSED_RELATIONS) is is_proposed
        ]
        if some:
            st.header(t(title))
        for report, place in some[:MAX_SHOWN]:
            _show_related_match(reports, report, place, t)
        if len(some) > MAX_SHOWN:
            st.caption(t("Not in this list: {n}.", n=format_count(len(some) - MAX_SHOWN, t)))


def _show_related_match(reports: list[FileReport], report: FileReport, place: int, t: Translate) -> None:
    one = report.related[place]
    with st.container(border=True):
        where = t("{file}, line {n}", file=report.name, n=format_count(one.line, t))
        names = lists.match_names([one.duplicate.other_id], t)
        sentence = related_sentence(t, one, names.get(one.duplicate.other_id, ""))
        st.markdown(escape_markdown(f"{where} – {sentence}"))
        with st.container(horizontal=True):
            page_link(REPLAY_PAGE, t("Replay the stored match"), "replay", match=one.duplicate.other_id)
            if not has_role(Role.CONTRIBUTOR):
                return
            if one.duplicate.relation in PROPOSED_RELATIONS:
                _show_result_choices(report, place, t)
            elif one.text is not None:
                _show_choices(reports, report, place, one.text, t)


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
        report.repeated -= one.duplicate.came_in_run
        report.added += stored.added
        report.by_status.update(stored.by_status)
        report.sheets.update(stored.sheets)
        report.replaced += stored.replaced
        reports.append(FileReport(report.name, stored.number))  # undone with the others

    for choice, label, icon in CHOICES:
        key = f"{choice}-{report.number}-{place}"
        change_button(t(label), icon, key, partial(decide, choice), t, Role.CONTRIBUTOR)


def _show_result_choices(report: FileReport, place: int, t: Translate) -> None:
    """Show what can become of a match that was added although it may be a stored one."""
    one = report.related[place]
    added, stored = one.match_id, one.duplicate.other_id

    def decide(choice: OnConflict) -> None:
        if choice is OnConflict.BOTH:
            match_joins.declare_different(open_store(), stored, added)
        else:
            joined, remains = (stored, added) if choice is OnConflict.REPLACE else (added, stored)
            query = "SELECT status, is_score_sheet FROM matches WHERE match_id = ?"
            row = page_cursor().execute(query, [joined]).fetchone()
            _join(joined, remains)
            report.replaced += choice is OnConflict.REPLACE
            if choice is OnConflict.KEEP and row is not None:
                status, is_sheet = row
                report.added -= 1
                report.by_status[status] -= 1
                report.sheets[status] -= is_sheet
                report.duplicates += 1
        report.relations[one.duplicate.relation] -= 1
        del report.related[place]

    labels = ((OnConflict.KEEP, N_("Do not add it"), "do_not_disturb_on"), *CHOICES)
    for choice, label, icon in labels:
        key = f"{choice}-{report.number}-{added}"
        change_button(t(label), icon, key, partial(decide, choice), t, Role.CONTRIBUTOR)


def _join(joined: str, remains: str) -> None:
    """Make a match an earlier version of another. KeyError: it is stored no more."""
    number = open_store().find_match(joined)
    if number is None:
        raise KeyError(joined)
    require_owner_or_admin([number])
    match_joins.join_matches(open_store(), number, joined, remains)


def show_likely_matches(t: Translate) -> None:
    """Show pairs of matches that may be one, each with its answers; and the last answers."""
    pairs = [(one.match_id, one.other_id, Relation.SAME_RESULT) for one in likely_matches(page_cursor())]
    shared = cached_query(proposed_matches)
    pairs += [(one.match_id, other.match_id, relation) for relation, one, other in shared]
    if pairs:
        st.header(t("These two matches may be the same"))
        st.caption(
            t(
                "They have the same players, day and result or first deals, or they share deals. If they are "
                "one match, it counts once, and the other log becomes an earlier version."
            )
        )
    shown = pairs[:MAX_SHOWN]
    if len(pairs) > len(shown):
        st.caption(t("The {n} most likely of {total}.", n=len(shown), total=format_count(len(pairs), t)))
    names = lists.match_names([id for *ids, _ in shown for id in ids], t)
    for one, other, relation in shown:
        ids = (one, other)
        key = "-".join(ids)
        with st.container(border=True):
            for match_id in ids:
                page_link(REPLAY_PAGE, escape_markdown(names[match_id]), "replay", match=match_id)
            st.caption(escape_markdown(t(LIKELY_TEXTS[relation])))
            with st.container(horizontal=True):
                for label, icon, place in (
                    (N_("One match: keep the first log"), "looks_one", 0),
                    (N_("One match: keep the second log"), "looks_two", 1),
                ):
                    join = partial(_join, ids[1 - place], ids[place])
                    change_button(t(label), icon, f"join-{key}-{place}", join, t)
                different = partial(match_joins.declare_different, open_store(), *ids)
                change_button(t("Two matches"), "library_add", f"two-{key}", different, t)
    _show_answers(t)


def _show_answers(t: Translate) -> None:
    """Show the last answers about matches, each with a button that undoes it."""
    known = match_joins.list_answers(page_cursor())
    if known:
        st.header(t("Answers about matches"))
    shown = known[:MAX_ANSWERS_SHOWN]
    names = lists.match_names([id for one in shown for id in (one.match_id, one.other_id)], t)
    for one in known[:MAX_ANSWERS_SHOWN]:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            what = t("one match") if one.answer == SAME else t("two matches")
            st.markdown(escape_markdown(f"{date_text(one.at, t)} · {what}"))
            for match_id in dict.fromkeys((one.match_id, one.other_id)):
                label = names.get(match_id) or t("Replay")
                page_link(REPLAY_PAGE, escape_markdown(label), "replay", match=match_id)
            undo = partial(match_joins.undo_answer, open_store(), one)
            change_button(t("Undo"), "undo", f"undo-answer-{one.change}", undo, t)
