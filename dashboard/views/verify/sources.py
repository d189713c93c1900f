"""Where a log comes from: the box, a file, an example, the store; and the way back."""

import streamlit as st

from dashboard.text.labels import STATUSES
from dashboard.text.language import markdown
from dashboard.text.numbers import count_of, size_of
from dashboard.views.purge import not_there
from dashboard.views.verify.desk import Desk
from dashboard.views.verify.examples import example
from dashboard.views.verify.notes import about_notes, write_notes
from dashboard.views.verify.survey import Log, Survey, survey, survey_text
from dashboard.widgets.store import store
from dashboard.widgets.upload import uploader_words
from ingest.entry.notes import are_notes
from ingest.i18n import Translate
from ingest.judge.report import trouble_report
from ingest.text.sources import LOGS


def desk() -> Desk:
    """This session's desk."""
    if "desk" not in st.session_state:
        st.session_state["desk"] = Desk()
    found: Desk = st.session_state["desk"]
    return found


def from_address(at: Desk, t: Translate) -> None:
    """Load the stored match the address names; keep the address true when it is another log."""
    asked = st.query_params.get("match", "")
    if not asked and at.linked:  # back from another page
        st.query_params["match"] = at.linked
    if not asked or asked == at.linked:
        return
    number = store().find(asked)
    if number is None:
        not_there(asked, t)
        return
    at.open(survey_text(store().text(number)), linked=asked)


def text_sources(at: Desk, t: Translate) -> None:
    """The box, the files and the example; begins again when one of them brings a text."""
    st.html("<style>.st-key-log textarea { font-family: monospace; font-size: 0.875rem; }</style>")
    left, right = st.columns([3, 2])
    with left:
        _box(at, t)
    with right:
        _file(at, t)
    about_notes(at, t)
    if at.opened is not None:
        _opened(at, at.opened, t)


def _box(at: Desk, t: Translate) -> None:
    if at.fresh or "log" not in st.session_state:
        st.session_state["log"], at.fresh = at.boxed or "", False
    typed = st.text_area(
        t("The log"),
        key="log",
        height=220,
        placeholder=t("Paste a log here, or notes of a match.")
        if at.boxed is not None
        else t("This text cannot be shown here: {size}.", size=size_of(len(at.text), t)),
    )
    with st.container(horizontal=True):
        st.button(t("Check"), type="primary", icon=":material/fact_check:")
        if st.button(t("Try an example"), icon=":material/school:"):
            at.examples += 1
            _begin(at, survey_text(example(at.examples - 1)))
        if at.past:
            st.button(t("Undo"), icon=":material/undo:", on_click=at.undo)
        if at.past and at.text:
            st.download_button(
                t("Download the edited log"),
                at.text,
                file_name="retourne.json",
                mime="application/json",
                icon=":material/download:",
                on_click="ignore",
            )
    if typed is not None and typed != (at.boxed or ""):
        _typed(at, typed)


def _typed(at: Desk, typed: str) -> None:
    """What was typed: a change of the match at hand, other matches, or notes."""
    if are_notes(typed):
        write_notes(at, typed)
        leave_address()
        st.rerun()
    found = survey_text(typed.encode(errors="replace")) if typed.strip() else None
    if at.log is not None and found is not None and found.matches == 1 and found.logs:
        at.edit(found.logs[0].text.text)
    else:
        at.open(found)
    at.fresh = typed != (at.boxed or "")
    leave_address()
    st.rerun()


def _file(at: Desk, t: Translate) -> None:
    uploader_words("verify-file", t, many=False)
    with st.container(key="verify-file"):
        chosen = st.file_uploader(
            t("or a file"), type=[suffix[1:] for suffix in LOGS], key=f"file-{at.openings}"
        )
    if chosen is None:
        return
    bar = st.progress(0.0, text=t("Reading…"))

    def progress(count: int) -> None:
        text = t("{done} of {total} read", done=size_of(count, t), total=size_of(chosen.size, t))
        bar.progress(min(count / max(chosen.size, 1), 1.0), text=text)

    found = survey(chosen.name, chosen, progress)
    _begin(at, found)


def _begin(at: Desk, found: Survey | None) -> None:
    at.open(found)
    leave_address()
    st.rerun()


def leave_address() -> None:
    """What is shown is no longer the stored match the address names."""
    for key in ("match", "finding"):
        st.query_params.pop(key, None)


def _opened(at: Desk, found: Survey, t: Translate) -> None:
    """What else the file holds."""
    with st.container(border=True):
        parts = [
            found.name,
            t("Matches: {n}", n=count_of(found.matches, t)),
            t("nothing found: {n}", n=count_of(found.clean, t)),
            t("with findings: {n}", n=count_of(found.matches - found.clean, t)),
        ]
        st.caption(markdown(" · ".join(part for part in parts if part)))
        for trouble in found.troubles:
            [finding] = trouble_report(trouble).findings
            where = t("{file}, line {n}", file=trouble.file, n=count_of(trouble.line, t))
            st.error(markdown(f"{where} – {finding.message(t)}"), icon=":material/draft:")
        if len(found.logs) > 1:
            st.selectbox(
                t("Match"),
                range(len(found.logs)),
                format_func=lambda place: f"{place + 1} · {_log_name(found.logs[place], t)}",
                key=f"which-{at.openings}",
                on_change=lambda: at.look_at(found.logs[st.session_state[f"which-{at.openings}"]]),
            )
        if found.left_out:
            st.caption(t("Not in this list: {n}.", n=count_of(found.left_out, t)))


def _log_name(log: Log, t: Translate) -> str:
    """`line 12 · final · irregular · findings: 3`."""
    parts = [
        t("line {n}", n=count_of(log.text.line, t)),
        log.id or "",
        t(STATUSES.get(log.status, log.status)),
        t("findings: {n}", n=log.findings) if log.findings else "",
    ]
    return " · ".join(part for part in parts if part)
