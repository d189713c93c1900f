"""Notes and score sheets on their way into the store: what is asked, their logs, the verdicts."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import streamlit as st

from dashboard.games import titles
from dashboard.text.labels import STATUSES
from dashboard.text.language import markdown
from dashboard.text.numbers import capital, count_of
from dashboard.widgets.store import store
from dashboard.widgets.upload import Made, Upload, add_files
from ingest.api import check
from ingest.entry.headings import Headings
from ingest.entry.question import Question
from ingest.entry.reading import MOST, Entered, enters, read
from ingest.entry.sheets import NO_GAME, How, Sheeted
from ingest.finding.finding import NOTE, Finding
from ingest.finding.finding import STATUSES as VERDICTS
from ingest.i18n import N_, Translate, translator
from ingest.judge.report import MatchReport

TOO_LARGE = N_("{file} has more than {most} MB: no notes and no score sheet are so long.")
MOST_SHOWN = 20
"""Questions and findings of one file that are shown."""
MOST_CHECKED = 100
"""Matches of one file that are checked before they are added; then all are."""
LOG_SHOWN = 20_000
"""Signs of the log that are shown; all of it can be downloaded."""
LEFT_OUT = "–"
READ = ":material/visibility:"
_NUMBERS = count()


@dataclass
class Import:
    """One file that was dropped, what was said about it, and what it gives."""

    name: str
    data: bytes
    how: How
    entered: Entered = field(default_factory=Entered)
    reports: list[MatchReport] = field(default_factory=list)
    key: str = field(default_factory=lambda: f"import-{next(_NUMBERS)}")
    """What the widgets about it go by."""

    def read(self) -> None:
        """Read it as it is understood now, and check the logs it gives."""
        self.entered = read(self.name, self.data, self.how)
        some = Entered(self.entered.logs[:MOST_CHECKED])
        self.reports = [*check((self.name, BytesIO(some.lines)))]

    def say(self, game: str | None = None, **columns: str) -> None:
        """Take what somebody said of the game or of a column, by its heading."""
        told = {**self.how.columns, **columns}
        self.how = self.how._replace(game=game or self.how.game, columns=told)
        self.read()


def visitor_zone() -> ZoneInfo | None:
    """The zone the visitor's browser is in, None where it does not say."""
    with suppress(Exception):  # a browser may say anything
        return ZoneInfo(st.context.timezone or "")
    return None


def taken(files: Sequence[Any], t: Translate) -> list[Import]:
    """Those files that are made into logs first, read."""
    found = []
    for file in files:
        if not enters(file.name):
            continue
        if file.size > MOST:
            said = t(TOO_LARGE, file=file.name, most=MOST >> 20)
            st.error(markdown(said), icon=":material/block:")
            continue
        found.append(Import(file.name, file.getvalue(), How(zone=visitor_zone())))
        found[-1].read()
    return found


def imports(waiting: list[Import], t: Translate) -> Upload | None:
    """Each file that waits for somebody to look at it; what was added, where that was asked."""
    added = None
    if waiting:
        st.header(t("Sheets and notes"))
        st.info(t("Read, and not in the store yet: look at each, then add it."), icon=READ)
    for one in [*waiting]:
        with st.container(border=True):
            st.subheader(markdown(one.name))
            added = _shown(waiting, one, t) or added
    return added


def _shown(waiting: list[Import], one: Import, t: Translate) -> Upload | None:
    entered, key = one.entered, one.key
    if entered.refused is not None:
        st.error(markdown(entered.refused.say(t)), icon=":material/block:")
    for remark in entered.remarks:
        st.caption(markdown(remark.say(t)))
    if entered.questions:
        _asked(entered.questions, t)
    if any(question.text == NO_GAME for question in entered.questions) or one.how.game:
        _game(one, t)
    if entered.sheet is not None and entered.sheet.columns:
        _columns(one, entered.sheet, t)
    if entered.logs:
        _verdicts(one.reports, t)
        _log(one, t)
    with st.container(horizontal=True):
        label = t("Add: {n}", n=count_of(len(entered.logs), t))
        wanted = entered.logs and st.button(
            label, key=f"{key}-add", type="primary", icon=":material/add:"
        )
        st.button(
            t("Leave out"),
            key=f"{key}-out",
            icon=":material/close:",
            on_click=_drop,
            args=(waiting, one),
        )
    if not wanted:
        return None
    upload = add_files(store(), [Made(one.name, entered.lines)], t)
    if upload is not None:
        _drop(waiting, one)
    return upload


def _drop(waiting: list[Import], one: Import) -> None:
    if one in waiting:
        waiting.remove(one)


def _asked(questions: Sequence[Question], t: Translate) -> None:
    """What is not clear, with its cell or its line."""
    st.warning(t("Nothing is guessed: this has to be answered first."), icon=":material/help:")
    told = [f"- **{markdown(one.where)}** {markdown(one.say(t))}" for one in questions[:MOST_SHOWN]]
    st.markdown("\n".join(told))
    if len(questions) > MOST_SHOWN:
        st.caption(t("Not in this list: {n}.", n=count_of(len(questions) - MOST_SHOWN, t)))


def _game(one: Import, t: Translate) -> None:
    """Which game it is, where the file does not say."""
    known = titles()
    st.selectbox(
        t("Game"),
        [*known],
        index=[*known].index(one.how.game) if one.how.game else None,
        format_func=known.__getitem__,
        key=f"{one.key}-game",
        on_change=lambda: one.say(st.session_state[f"{one.key}-game"]),
    )


def _columns(one: Import, sheet: Sheeted, t: Translate) -> None:
    """What each column is taken for, over the first lines; another may be chosen."""
    unknown = [column for column in sheet.columns if column.field is None and not column.left_out]
    said = translator(t.language)
    assert sheet.game is not None
    choices = {field.key: field.heading(said) for field in Headings(sheet.game).fields}
    with st.expander(t("Columns"), expanded=bool(unknown)):
        wide = max(map(len, sheet.first), default=0)
        first = [[*row, *[""] * (wide - len(row))] for row in sheet.first]
        headings = [column.heading for column in sheet.columns]
        names = [f"{headings[at]}" if at < len(headings) else "" for at in range(wide)]
        rows = {f"{at + 1}. {name}": [row[at] for row in first] for at, name in enumerate(names)}
        st.dataframe(pl.DataFrame(rows), hide_index=True)
        seen: set[str] = set()
        boxes = st.columns(3)
        for place, column in enumerate(sheet.columns):
            if not column.heading or column.heading in seen:
                continue
            seen.add(column.heading)
            taken_for = column.field.key if column.field else LEFT_OUT if column.left_out else None
            options = [LEFT_OUT, *choices]
            box = f"{one.key}-column-{place}"
            boxes[place % 3].selectbox(
                f"{markdown(column.cell)} · {markdown(column.heading)}",
                options,
                index=options.index(taken_for) if taken_for else None,
                format_func=lambda chosen: choices.get(chosen, t("left out")),
                key=box,
                on_change=_say_column,
                args=(one, column.heading, box),
            )


def _say_column(one: Import, heading: str, box: str) -> None:
    chosen = st.session_state[box]
    if chosen is not None:
        one.say(**{heading: "" if chosen == LEFT_OUT else chosen})


def _verdicts(reports: Sequence[MatchReport], t: Translate) -> None:
    """What a check says of the logs: verdicts counted, then what was found."""
    counts = Counter(report.status for report in reports)
    told = [
        t("{name}: {n}", name=capital(t(STATUSES[one])), n=count_of(counts[one], t))
        for one in VERDICTS
        if counts[one]
    ]
    st.markdown(" · ".join(told))
    if len(reports) == MOST_CHECKED:
        st.caption(
            t(
                "The first {n} matches were checked here; all are when they are added.",
                n=MOST_CHECKED,
            )
        )
    every = [one for report in reports for one in report.findings]
    found = [_finding(one, t) for one in every if one.severity != NOTE]
    if found:
        st.warning(t("What was found"), icon=":material/report:")
        st.markdown("\n".join(found[:MOST_SHOWN]))
        if len(found) > MOST_SHOWN:
            st.caption(t("Not in this list: {n}.", n=count_of(len(found) - MOST_SHOWN, t)))
    notes = dict.fromkeys(markdown(one.message(t)) for one in every if one.severity == NOTE)
    for said in [*notes][:MOST_SHOWN]:
        st.caption(said)


def _finding(finding: Finding, t: Translate) -> str:
    place = finding.place(t)
    before = f"{markdown(place)} – " if place else ""
    return f"- {before}{markdown(finding.message(t))}"


def _log(one: Import, t: Translate) -> None:
    """The log as text, to look at and to take away."""
    with st.expander(t("The log")):
        text = one.entered.text.decode()
        st.code(text[:LOG_SHOWN], language="json", height=320)
        st.download_button(
            t("Download the log"),
            one.entered.lines,
            file_name=one.name.rpartition(".")[0] + ".jsonl",
            mime="application/x-ndjson",
            icon=":material/download:",
            key=f"{one.key}-download",
            on_click="ignore",
        )
