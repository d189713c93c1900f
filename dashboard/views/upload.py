"""Adding games: what a log is, sheets and notes made into logs, what an upload came to."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import streamlit as st

from dashboard.games import titles
from dashboard.queries import matches
from dashboard.queries.matches import Filter
from dashboard.text.labels import STATUSES
from dashboard.text.numbers import capital, count_of, day, markdown
from dashboard.views.data import change_store, match_numbers, undo_button
from dashboard.widgets.access import me, require
from dashboard.widgets.linked import (
    CHECK,
    OPEN,
    PAGE,
    REPLAY,
    Address,
    Cell,
    Part,
    To,
    download,
    linked,
    numbered,
    stepped,
)
from dashboard.widgets.matches import CHECKS, matches_table
from dashboard.widgets.store import answer, cursor, store
from dashboard.widgets.upload import Made, Upload, add_files
from ingest.api import check
from ingest.entry.headings import NAME, WORKBOOK, Headings, xlsx_template
from ingest.entry.question import Entered, Question
from ingest.entry.reading import KINDS, MOST, enters, read
from ingest.entry.sheets import NO_GAME, How
from ingest.finding.finding import ERROR, NOTE, WARNING, Finding
from ingest.finding.finding import STATUSES as VERDICTS
from ingest.finding.words import COUNTED
from ingest.i18n import N_, Translate, translator
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
    if entered.columns:
        _columns(one, entered, t)
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


def _columns(one: Import, sheet: Entered, t: Translate) -> None:
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
        name = one.name.rpartition(".")[0] + ".jsonl"
        download(t("Download the log"), one.entered.lines, name, f"{one.key}-download")


DATA = files("data")
SCHEMA = DATA.joinpath("schema", "match.schema.json")


def what_a_log_is(t: Translate) -> None:
    """In two sentences, with the kinds of files that are taken."""
    st.markdown(
        t(
            "A log is what a referee could write down of a match: who sat where, "
            "how the cards lay, and what each player did, one action after "
            "another. It is a text in JSON; files end in {endings}. Score sheets "
            "and notes, in {others}, are made into logs.",
            endings=", ".join(f"`{one}`" for one in LOGS),
            others=", ".join(f"`{one}`" for one in KINDS),
        )
    )


def ways_to_make_one(t: Translate) -> None:
    """Samples to begin with, the page that checks what is typed, the schema for programs."""
    st.header(t("How to make a log"))
    typed, sheets, programs = st.columns(3)
    with typed, st.container(border=True, height="stretch"):
        st.markdown(
            t(
                "**By hand.** Download a sample, put your players, cards and actions "
                "in place of those in it, and paste it into the validator: it says "
                "what is wrong as you go."
            )
        )
        with st.container(horizontal=True):
            for title, sample in samples().items():
                label = t("Sample: {game} (JSON)", game=title)
                _download(sample, label)
        st.page_link(CHECK, label=t("To the validator"), icon=":material/rule:")
    with sheets, st.container(border=True, height="stretch"):
        st.markdown(
            t(
                "**From a score sheet.** Download a sheet, fill in a line a deal, and drop it "
                "here: you see the log before it is added. Notes in a text file are read as well."
            )
        )
        with st.container(horizontal=True):
            for game, title in titles().items():
                download(
                    t("Score sheet: {game} (.xlsx)", game=title),
                    _template(game, t.language),
                    f"{NAME.format(game=game, language=t.language)}.xlsx",
                    f"template-{game}",
                    mime=WORKBOOK,
                )
    with programs, st.container(border=True, height="stretch"):
        st.markdown(
            t(
                "**From a program.** A playing site or a score sheet writes one log a match, many "
                "in a `.jsonl`, a line each; the schema says every key. `retourne ingest` adds "
                "whole folders."
            )
        )
        _download(SCHEMA, t("The schema (JSON)"), "application/schema+json")


@cache
def _template(game: str, language: str) -> bytes:
    return xlsx_template(game, translator(language))


def samples() -> dict[str, Traversable]:
    """A short log of each game that has one: what the game is called → the file."""
    found = {}
    for name, title in titles().items():
        files_of = (DATA.joinpath(f"{kind}{name}.json") for kind in ("match-", ""))
        if sample := next((one for one in files_of if one.is_file()), None):
            found[title] = sample
    return found


def _download(file: Traversable, label: str, mime: str = "") -> None:
    download(label, file.read_bytes(), file.name, f"download-{file.name}", mime=mime)
