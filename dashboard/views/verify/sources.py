"""Where a log comes from: the box, notes, a file, an example, the store; and the way back."""

from importlib.resources import files

import streamlit as st

from dashboard.games import of
from dashboard.text.labels import STATUSES
from dashboard.text.numbers import count_of, markdown, size_of
from dashboard.views.data import not_there
from dashboard.views.upload import visitor_zone
from dashboard.views.verify.desk import Desk, Log, Survey, survey, survey_text
from dashboard.widgets.linked import download
from dashboard.widgets.store import store
from dashboard.widgets.upload import uploader_words
from engine.games import names
from ingest.entry.notes import are_notes
from ingest.entry.question import Entered
from ingest.entry.reading import read
from ingest.entry.sheets import How
from ingest.finding.finding import Edit
from ingest.i18n import Translate
from ingest.judge.report import trouble_report
from ingest.mend.text_edit import patched
from ingest.text.sources import LOGS

SAMPLE = "match-lavardin.json"
SLIPS = (
    Edit("replace", "/deals/1/points", [121, 38]),
    Edit("replace", "/deals/7/actions/7", "1 Tc"),  # written too early, for
    Edit("replace", "/deals/7/actions/26", "1 7h"),  # the card that was played
    Edit("replace", "/deals/12/actions/32", "2 9s"),
    Edit("replace", "/deals/12/actions/34", "2 8d"),
)
NO_GAME = "document/schema"
"""A log of `data/fautes` whose fault is of no game."""


def small_logs() -> tuple[str, ...]:
    """Logs of `data/fautes` with one fault each: those of the games, then one of the document."""
    return (*(one for name in names() for one in of(name).EXAMPLES), NO_GAME)


def example(number: int) -> bytes:
    """An example, another one for each number; they come round again."""
    small = small_logs()
    number %= len(small) + 1
    if number:
        return files("data").joinpath("fautes", f"{small[number - 1]}.json").read_bytes()
    text = files("data").joinpath(SAMPLE).read_bytes()
    for slip in SLIPS:
        text = patched(text, slip)
    return text


MOST = 20
"""Questions shown at once."""


def write_notes(at: Desk, typed: str) -> None:
    """Take notes for the log they make, and keep them; where something is asked, for notes."""
    read_as = _read(typed)
    at.open(survey_text(read_as.text) if read_as.logs else None)
    at.notes = typed


def about_notes(at: Desk, t: Translate) -> None:
    """What is asked about the notes in the box, or how to get back to them."""
    if at.log is not None and at.notes:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(t("The notes were read: the box has the log they make."))
            st.button(t("Back to the notes"), icon=":material/notes:", on_click=_back, args=(at,))
    elif at.notes:
        questions = _read(at.notes).questions
        if not questions:
            st.button(
                t("Make the log"),
                icon=":material/draft:",
                on_click=write_notes,
                args=(at, at.notes),
            )
            return
        st.warning(
            t("Nothing is guessed: please say what is meant, in the notes themselves."),
            icon=":material/help:",
        )
        for one in questions[:MOST]:
            where = t("Line {line}, column {column}", line=one.line, column=one.column)
            st.markdown(markdown(f"{where} – {one.say(t)}"))
        if len(questions) > MOST:
            st.caption(t("Not in this list: {n}.", n=count_of(len(questions) - MOST, t)))


def _back(at: Desk) -> None:
    """The notes instead of their log."""
    notes = at.notes
    at.open(None)
    at.notes = notes


def _read(typed: str) -> Entered:
    return read("", typed.encode(errors="replace"), How(zone=visitor_zone()))


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
            download(t("Download the edited log"), at.text, "retourne.json", "edited-log")
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
