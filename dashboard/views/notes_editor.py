"""Shows notes that are being read: the text, questions about it, and likely answers to click."""

from collections.abc import Callable, Sequence

import streamlit as st

from dashboard.text.numbers import escape_markdown, format_count
from ingest.i18n import Translate
from ingest.importers.import_result import ImportResult, Question, UnreadLine, unread_messages
from ingest.importers.notes import answer

MAX_QUESTIONS = 20
"""Questions shown at once."""
ANSWER_CHARS = 60
"""Characters of an answer on its button."""


def show_questions(
    notes: str, found: ImportResult, key: str, t: Translate, change: Callable[[str], None]
) -> None:
    """Show each question with its place and its likely answers; one that is clicked changes the notes."""
    if not found.questions:
        st.success(t("The notes were read."), icon=":material/check:")
        return
    left: set[tuple[str, str]] = st.session_state.setdefault(f"{key}-left-open", set())
    pending = [one for one in found.questions if (one.text, one.read) not in left]
    if pending:
        message = t("Retourne does not guess: please clarify in the notes or with a click.")
        st.warning(message, icon=":material/help:")
    lines = notes.splitlines()
    for number, one in enumerate(pending[:MAX_QUESTIONS]):
        where = t("Line {line}, column {column}", line=one.line, column=one.column)
        st.markdown(escape_markdown(f"{where} – {one.message(t)}"))
        if one.read and 0 < one.line <= len(lines):
            st.caption(escape_markdown(lines[one.line - 1].strip()))
        if (example := one.example_text(t)) and not one.readings(t):
            st.caption(escape_markdown(t("A sentence that Retourne reads: {example}", example=example)))
        _show_answers(notes, one, f"{key}-{number}", t, change, left if found.logs else None)
    if len(pending) > MAX_QUESTIONS:
        st.caption(t("Not in this list: {n}.", n=format_count(len(pending) - MAX_QUESTIONS, t)))
    if open_count := len(found.questions) - len(pending):
        st.caption(
            t("Questions left open: {n}. Retourne does not add their facts.", n=format_count(open_count, t))
        )


def _show_answers(
    notes: str,
    question: Question,
    key: str,
    t: Translate,
    change: Callable[[str], None],
    left: set[tuple[str, str]] | None,
) -> None:
    """Show the likely answers, and one that adds the question to `left`, if given: “I don’t know”."""
    with st.container(horizontal=True):
        for place, reading in enumerate(question.readings(t)):
            label = escape_markdown(reading[:ANSWER_CHARS])
            text = answer(notes, question, reading)
            st.button(label, key=f"{key}-{place}", on_click=change, args=(text,))
        if left is None:  # nothing can be read before it is answered
            return
        own = question.text, question.read
        st.button(t("I don’t know"), key=f"{key}-open", type="tertiary", on_click=left.add, args=(own,))


def show_unread(lines: Sequence[UnreadLine], t: Translate) -> None:
    """Show the lines of which matches have nothing, or only a remark, before and after adding them."""
    if not lines:
        return
    label = t("Lines that Retourne could not read: {n}", n=format_count(len(lines), t))
    with st.expander(label, icon=":material/speaker_notes_off:", expanded=True):
        messages = unread_messages(lines, t)
        st.markdown("\n".join(f"- {escape_markdown(one)}" for one in messages[:MAX_QUESTIONS]))
        if len(messages) > MAX_QUESTIONS:
            st.caption(t("Not in this list: {n}.", n=format_count(len(messages) - MAX_QUESTIONS, t)))


def edit_notes(
    notes: str, found: ImportResult, key: str, t: Translate, change: Callable[[str], None]
) -> None:
    """Show the notes in a box to edit, next to the questions about them."""
    box = f"{key}-notes-{hash(notes)}"  # an answer changes the text, so that the box begins anew
    left, right = st.columns([3, 2])
    with left:
        st.text_area(
            t("The notes"), notes, height=320, key=box, on_change=lambda: change(st.session_state[box])
        )
    with right:
        show_questions(notes, found, key, t, change)
