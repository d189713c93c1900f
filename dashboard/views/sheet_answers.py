"""Shows the questions about a file's sheets, each with its possible answers to click."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dashboard.games import game_titles
from dashboard.text.numbers import escape_markdown
from dashboard.views.imported_file import ImportedFile
from dashboard.views.sheets_editor import LINES_TEXTS, rules_label
from ingest.i18n import N_, Translate
from ingest.importers.import_result import Question

REPEATS_TEXTS = {"same": N_("The same match"), "different": N_("Two matches")}
Answer = tuple[str, Mapping[str, Any]]
"""A label, and the change of `ImportedFile.change` that it makes."""


def show_questions(item: ImportedFile, questions: Sequence[Question], t: Translate) -> None:
    """List questions, and below each the answers that are known; a click reads the file again."""
    for number, question in enumerate(questions):
        message = _with_labels(item, question, t).message(t)
        st.markdown(f"- **{escape_markdown(question.place(t))}** {escape_markdown(message)}")
        if answers := [*answers_of(item, question, t)]:
            with st.container(horizontal=True):
                for place, (label, change) in enumerate(answers):
                    key = f"{item.key}-answer-{len(item.applied)}-{number}-{place}"
                    st.button(escape_markdown(label), key=key, on_click=partial(item.answer, change))


def _with_labels(item: ImportedFile, question: Question, t: Translate) -> Question:
    """Return a question about rules with the labels of the presets."""
    played = item.taken_of(question.sheet or item.sheet_names[0]).game
    if question.about != "rules" or played is None:
        return question
    return replace(question, could=tuple(rules_label(played, one, t) for one in question.could))


def answers_of(item: ImportedFile, question: Question, t: Translate) -> Iterator[Answer]:
    """Yield the answers to choose from; a question that any text may answer has none."""
    sheet = question.sheet or item.sheet_names[0]
    match question.about:
        case "game":
            for game, title in game_titles().items():
                if title in question.could:
                    yield title, {"kind": "game", "sheet": sheet, "value": game}
        case "rules":
            played = item.taken_of(sheet).game or ""
            for rules in question.could if played else ():
                yield rules_label(played, rules, t), {"kind": "rules", "sheet": sheet, "value": rules}
        case "lines":
            for kind in question.answers:
                yield t(LINES_TEXTS[kind]), {"kind": "lines", "sheet": sheet, "value": kind}
        case "repeats":
            for kind in question.answers:
                yield t(REPEATS_TEXTS[kind]), {"kind": "repeats", "sheet": sheet, "value": kind}
        case "year":
            for year in question.could:
                yield year, {"kind": "year", "sheet": sheet, "value": year}
        case "name":
            for name in question.answers:
                value = {question.read: name}
                yield name, {"kind": "names", "sheet": sheet, "value": value}
        case "players":
            roles = {column: field.key for column, field in question.fields}
            yield t("Yes"), {"kind": "columns", "sheet": sheet, "value": roles}
        case "column":
            for column, field in question.fields:
                label = question.heading_of(field, t)
                yield label, {"kind": "column", "sheet": sheet, "column": column, "value": field.key}
        case "cell" if question.cell:
            for text in question.readings(t):
                label = text or t("No result: leave the line out")
                yield label, {"kind": "cell", "sheet": sheet, "cell": question.cell, "value": text}
