"""What an upload came to: counts, reasons, the matches added; and the way to take it back."""

from collections.abc import Iterable, Sequence
from functools import partial

import streamlit as st

from dashboard.queries import matches
from dashboard.queries.matches import Filter
from dashboard.text.labels import STATUSES
from dashboard.text.language import markdown
from dashboard.text.numbers import capital, count_of, day
from dashboard.views.data import change_store, match_numbers, undo_button
from dashboard.widgets.access import me, require
from dashboard.widgets.linked import OPEN, Address, Cell, Part, To, linked
from dashboard.widgets.links import REPLAY
from dashboard.widgets.matches import CHECKS, matches_table
from dashboard.widgets.pager import PAGE, numbered, stepped
from dashboard.widgets.store import answer, cursor, store
from dashboard.widgets.upload import Upload
from ingest.entry.reading import KINDS
from ingest.finding.finding import ERROR, NOTE, WARNING, Finding
from ingest.finding.words import COUNTED
from ingest.i18n import N_, Translate
from ingest.judge.report import MatchReport
from ingest.store import trash
from ingest.store.add import FileReport
from ingest.store.audit import deletions_of, files_of
from ingest.store.outcome import outcome
from ingest.store.tokens import Role
from ingest.text.sources import LOGS

GRAVEST_FIRST = (ERROR, WARNING, NOTE)
NOT_TAKEN = N_(
    "{file}: this kind of file is not taken. A log is a text in JSON whose file ends in {endings}; "
    "notes and score sheets end in {others}."
)


def summary(upload: Upload, t: Translate) -> None:
    """What the upload came to, in the numbers and words of `retourne ingest`."""
    for name in upload.not_taken:
        st.error(
            markdown(t(NOT_TAKEN, file=name, endings=", ".join(LOGS), others=", ".join(KINDS))),
            icon=":material/block:",
        )
    with st.container(horizontal=True):
        for part in outcome(upload.reports, _undone(upload)):
            told = [t(COUNTED[one], n=count_of(n, t)) for one, n in part.verdicts.items()]
            told += [t(text, n=count_of(n, t)) for text, n in part.besides.items()]
            st.metric(
                capital(t(part.label)),
                count_of(part.n, t),
                " · ".join(told) or None,
                delta_color="off",
                delta_arrow="off",
                help=t(part.about),
                border=True,
                height="stretch",
            )


def _undone(upload: Upload) -> bool:
    """Whether an upload was taken back, and is so still."""
    return upload.deletion is not None and not answer(matches.count, Filter(files=upload.files))


Reason = tuple[MatchReport, Finding]


def reasons(reports: Iterable[FileReport]) -> list[Reason]:
    """Each finding of each match that is new and not clean, the gravest first."""
    every = (one for files in reports for one in files.reports if not one.duplicate)
    found = [(report, finding) for report in every for finding in report.findings]
    return sorted(found, key=lambda one: GRAVEST_FIRST.index(one[1].severity))


def reasons_table(found: Sequence[Reason], t: Translate, key: str) -> None:
    """Every reason in a row; the button of a stored match opens the check at its finding."""
    links = [
        {"match": report.match_id, "finding": str(report.findings.index(finding) + 1)}
        for report, finding in found
    ]
    rows = [
        _reason(report, finding, link, t)
        for (report, finding), link in zip(found, links, strict=True)
    ]
    linked(rows, key, t("What was found in the files"), t)


def _reason(report: MatchReport, finding: Finding, link: Address, t: Translate) -> dict[str, Cell]:
    return {
        OPEN: Part(t("Check"), To(CHECKS, link)) if report.match_id else None,
        t("Rule"): capital(finding.rule),
        t("Reason"): finding.message(t),
        t("Verdict"): t(STATUSES[report.status]),
        t("File"): report.file,
        t("Line"): report.line,
        t("Deal"): None if finding.deal is None else finding.deal + 1,
        t("Match"): report.id or report.match_id[:8],
    }


def known_already(upload: Upload, t: Translate) -> None:
    """The matches that were there before, and those that came twice, each with its replay."""
    every = (one for files in upload.reports for one in files.reports)
    ids = {one.match_id for one in every if one.duplicate}
    here = answer(matches.came_with, tuple(sorted(ids)), upload.files)
    _folded(N_("Already there: {n}"), ids - here, "known", t)
    _folded(N_("Twice in these files: {n}"), here, "twice", t)


def _folded(label: str, ids: Iterable[str], key: str, t: Translate) -> None:
    """Those of some matches that the store has, folded."""
    which = Filter(ids=tuple(sorted(ids)))
    if not (total := answer(matches.count, which)):
        return
    with st.expander(t(label, n=count_of(total, t)), icon=":material/content_copy:"):
        place, first = st.container(), numbered(total, f"{key}-page")
        with place:
            matches_table(answer(matches.page, which, PAGE, first, "added"), t, f"open-{key}")


def uploaded(upload: Upload, t: Translate) -> None:
    """The matches an upload has added, each with its replay; it can be undone."""
    which = Filter(files=upload.files)
    if total := answer(matches.count, which):
        st.header(t("Matches of this upload"))
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
            st.info(t("Upload undone."), icon=":material/undo:")
            undo_button(upload.deletion, t)


def _take_back(which: Filter, upload: Upload, t: Translate) -> None:
    """A button that deletes what an upload has just added."""

    def act() -> None:
        upload.deletion = take_back(which)

    st.button(
        t("Undo this upload"),
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
                t("Undo this upload"),
                icon=":material/undo:",
                key=f"take-back-{row['file_no']}",
                on_click=change_store,
                args=(partial(take_back, Filter(files=(row["file_no"],))), t, Role.CONTRIBUTOR),
            )
    for one in deleted:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.markdown(t("Undone: {n}", n=count_of(one.matches, t)))
            undo_button(one.number, t)
