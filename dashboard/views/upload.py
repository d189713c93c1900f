"""What an upload came to: counts, reasons, the matches added; and the way to take it back."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from dashboard.queries import matches
from dashboard.queries.matches import Filter
from dashboard.text.labels import STATUSES
from dashboard.text.language import markdown
from dashboard.text.numbers import count_of, day
from dashboard.views.data import change_store, match_numbers, undo_button
from dashboard.widgets.access import me, require
from dashboard.widgets.links import REPLAY
from dashboard.widgets.matches import check_button, matches_table
from dashboard.widgets.pager import PAGE, stepped
from dashboard.widgets.store import answer, cursor, store
from dashboard.widgets.upload import Upload
from ingest.i18n import Translate
from ingest.judge.report import MatchReport
from ingest.store import trash
from ingest.store.add import FileReport
from ingest.store.audit import deletions_of, files_of
from ingest.store.tokens import Role

REFUSED = ("broken", "unreadable")


def summary(reports: Iterable[FileReport], t: Translate) -> None:
    """Four figures: added, known already, irregular (added all the same), refused."""
    reports = list(reports)
    refused = sum(report.by_status.get(s, 0) for report in reports for s in REFUSED)
    odd = sum(report.by_status.get(s, 0) for report in reports for s in ("irregular", "incomplete"))
    added = sum(report.added for report in reports) - refused
    known = sum(report.duplicates for report in reports)
    with st.container(horizontal=True):
        for label, number, help in (
            (t("Added"), added, t("Matches now in the store, to replay and to count.")),
            (t("Duplicates"), known, t("Matches the store already had: nothing was added.")),
            (
                t("Irregular"),
                odd,
                t(
                    "Among those added: a play against the rules, or a deal without its end. "
                    "They can be replayed; the statistics leave their deals out."
                ),
            ),
            (
                t("Refused"),
                refused,
                t(
                    "Logs that cannot be read or replayed to the end. Their text and the reasons "
                    "are kept; the statistics leave them out."
                ),
            ),
        ):
            st.metric(label, count_of(number, t), help=help, border=True)


Reason = tuple[MatchReport, int | None]
"""A match and the place of one of its findings, from 0; None of a match the store already had."""


def reasons(reports: Iterable[FileReport]) -> list[Reason]:
    """Each finding of each match that is not clean, and each duplicate."""
    found: list[Reason] = []
    for report in (one for file in reports for one in file.reports):
        places = [None] if report.duplicate else range(len(report.findings))
        found += [(report, place) for place in places]
    return found


def reasons_table(found: Sequence[Reason], t: Translate, key: str) -> None:
    """Every reason in a row; the button of a stored match opens the check at its finding."""
    links = [
        {"match": report.match_id, "finding": str(place + 1)} if place is not None else {}
        for report, place in found
    ]
    st.dataframe(
        [_reason(report, place, t) for report, place in found],
        hide_index=True,
        column_config={
            "check": check_button(key, links, t),
            t("Reason"): st.column_config.TextColumn(width=560),
        },
        alt=t("What was found in the files"),
    )


def _reason(report: MatchReport, place: int | None, t: Translate) -> dict[str, Any]:
    if place is None:
        known, rule, reason, deal = t("duplicate"), "", t("The store already has this match."), None
    else:
        finding = report.findings[place]
        known, rule = t(STATUSES[report.status]), finding.rule
        reason, deal = finding.message(t), finding.deal
    return {
        "check": t("Check") if place is not None and report.match_id else None,
        t("Rule"): rule,
        t("Reason"): reason,
        t("Status"): known,
        t("File"): report.file,
        t("Line"): report.line,
        t("Deal"): None if deal is None else deal + 1,
        t("Match"): report.id or report.match_id[:8],
    }


def uploaded(upload: Upload, t: Translate) -> None:
    """The matches an upload has added, each with its replay; it can be taken back."""
    which = Filter(files=upload.files)
    if total := answer(matches.count, which):
        st.header(t("Matches added"))
        _take_back(which, upload, t)
        place = st.container()
        shown = answer(matches.page, which, PAGE, stepped(total, "added-page", t), "added")
        first = {"match": shown["match_id"][0]}
        with place:
            label = t("Replay the first match")
            st.page_link(REPLAY, label=label, query_params=first)
            matches_table(shown, t, "open-added")
    elif upload.deletion is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info(t("This upload was taken back."), icon=":material/undo:")
            undo_button(upload.deletion, t)


def _take_back(which: Filter, upload: Upload, t: Translate) -> None:
    """A button that deletes what an upload has just added."""

    def act() -> None:
        upload.deletion = take_back(which)

    st.button(
        t("Take this upload back"),
        icon=":material/undo:",
        key="take-back",
        on_click=change_store,
        args=(act, t, Role.CONTRIBUTOR),
    )


def take_back(which: Filter) -> int | None:
    """Delete the matches of some files; the deletion's number.

    Refused: whoever asks is no steward, and did not add them all.
    """
    chosen = match_numbers(which)
    came_with = cursor().execute(
        "SELECT DISTINCT file_no FROM matches WHERE match_no IN (SELECT unnest(?::BIGINT[]))",
        [chosen.tolist()],
    )
    theirs = files_of(cursor(), me().token_no)
    own = all(number in theirs for (number,) in came_with.fetchall())
    require(Role.CONTRIBUTOR if own else Role.STEWARD)
    return trash.delete(store(), chosen)


def own_files(t: Translate) -> None:
    """What whoever is signed in has added, file by file, to take back, and what they took back."""
    asking = me()
    if asking.token_no is None:
        return
    theirs = files_of(cursor(), asking.token_no)
    found = [row for row in answer(matches.files, 100).iter_rows(named=True) if row["kept"]]
    mine = [row for row in found if row["file_no"] in theirs]
    undone = deletions_of(cursor(), asking.token_no)
    deleted = [one for one in trash.deletions(cursor()) if one.number in undone]
    if not mine and not deleted:
        return
    st.header(t("What you added"))
    for row in mine:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            kept, added = count_of(row["kept"], t), day(row["added_at"], t)
            said = t("{file}: matches {n}, added on {day}", file=row["name"], n=kept, day=added)
            st.markdown(markdown(said))
            st.button(
                t("Take this upload back"),
                icon=":material/undo:",
                key=f"take-back-{row['file_no']}",
                on_click=change_store,
                args=(partial(take_back, Filter(files=(row["file_no"],))), t, Role.CONTRIBUTOR),
            )
    for one in deleted:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.markdown(t("Taken back: {n}", n=count_of(one.matches, t)))
            undo_button(one.number, t)
