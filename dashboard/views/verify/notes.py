"""Notes in the box of the validator: what is asked about them, or the log they make."""

import streamlit as st

from dashboard.text.language import markdown
from dashboard.text.numbers import count_of
from dashboard.views.imports import visitor_zone
from dashboard.views.verify.desk import Desk
from dashboard.views.verify.survey import survey_text
from ingest.entry.reading import Entered, read
from ingest.entry.sheets import How
from ingest.i18n import Translate

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
