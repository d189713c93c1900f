"""Adding games: what a log is, sheets and notes made into logs, what an upload came to."""

import threading
from collections import Counter
from collections.abc import Sequence
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

from dashboard.compat import add_script_run_ctx, get_script_run_ctx
from dashboard.games import titles
from dashboard.queries import matches
from dashboard.queries.matches import Filter
from dashboard.text.labels import STATUSES
from dashboard.text.numbers import capital, count_of, day, markdown, size_of
from dashboard.views.data import change_button, match_numbers, undo_button
from dashboard.widgets import link_table
from dashboard.widgets.current_store import (
    Refused,
    acting,
    allowed,
    answer,
    cursor,
    me,
    require,
    store,
)
from dashboard.widgets.lists import matches_table
from ingest.api import check
from ingest.findings.finding import ERROR, NOTE, WARNING
from ingest.findings.finding import STATUSES as VERDICTS
from ingest.findings.spoken_notation import COUNTED
from ingest.i18n import N_, Translate, translator
from ingest.importers.headings import NAME, WORKBOOK, Headings, xlsx_template
from ingest.importers.import_file import KINDS, MOST, enters, read
from ingest.importers.import_result import Entered
from ingest.importers.sheets import NO_GAME, How
from ingest.reader.sources import LOGS
from ingest.store import trash
from ingest.store.audit import deletions_of, files_of
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.ingest_files import FileReport, ingest
from ingest.store.ingest_summary import outcome
from ingest.store.tokens import Role
from ingest.validate.report import MatchReport

GRAVEST_FIRST = (ERROR, WARNING, NOTE)
NOT_TAKEN = N_(
    "{file}: this kind of file is not taken. A log is a text in JSON whose file ends in {endings}; "
    "notes and score sheets end in {others}."
)


def page(t: Translate) -> None:
    """What a log is, then files to add: what was added, what was known, what is wrong and why."""
    opened = store()
    about = N_(
        "A log is what a referee could write down of a match: who sat where, how the cards lay, "
        "and what each player did, one action after another. It is a text in JSON; files end in "
        "{endings}. Score sheets and notes, in {others}, are made into logs."
    )
    endings, others = (", ".join(f"`{one}`" for one in some) for some in (LOGS, KINDS))
    st.markdown(t(about, endings=endings, others=others))
    if not allowed(Role.CONTRIBUTOR, t):
        _ways_to_make_one(t)
        return
    uploader_words("files", t)
    with st.form("upload-form", clear_on_submit=True):
        chosen = st.file_uploader(t("Files"), accept_multiple_files=True, key="files")
        icon = ":material/fact_check:"
        sent = st.form_submit_button(t("Check and add"), type="primary", icon=icon)
    if sent and not chosen:
        st.warning(t("Choose one or more files first."), icon=":material/upload_file:")
    elif sent:
        st.session_state["imports"] = _taken(chosen, t)
        logs = [file for file in chosen if not enters(file.name)]
        st.session_state["upload"] = add_files(opened, logs, t)
    waiting: list[Import] = st.session_state.setdefault("imports", [])
    if waiting:
        st.header(t("Sheets and notes"))
        said = t("Read, and not in the store yet: look at each, then add it.")
        st.info(said, icon=":material/visibility:")
    for one in [*waiting]:
        with st.container(border=True):
            st.subheader(markdown(one.name))
            if added := _shown(waiting, one, t):
                st.session_state["upload"] = added
                st.rerun()
    if upload := st.session_state.get("upload"):
        came_to(upload, t, "check-added", first=True)
    elif not waiting:
        _own_files(t)
        _ways_to_make_one(t)


# files on their way into the store


@dataclass
class Upload:
    """One upload: the report of each file."""

    reports: list[FileReport] = field(default_factory=list)
    deletion: int | None = None
    """The number of the deletion that took the upload back, None before."""

    @property
    def files(self) -> tuple[int, ...]:
        """Their numbers in the store."""
        return tuple(report.number for report in self.reports if report.number >= 0)


class Made(BytesIO):
    """Logs made of a file, under its name."""

    def __init__(self, name: str, lines: bytes) -> None:
        super().__init__(lines)
        self.name, self.size = name, len(lines)


def add_files(store: Store, files: Sequence[Any], t: Translate) -> Upload | None:
    """Store uploaded files one after the other; None, and why, when none of them is taken."""
    chosen = [file for file in files if isinstance(file, Made) or file.name.lower().endswith(LOGS)]
    sizes = {file.name: file.size for file in chosen}
    total = sum(file.size for file in chosen)
    done: dict[str, int] = {}
    context = get_script_run_ctx()

    def progress(name: str, count: int) -> None:
        add_script_run_ctx(threading.current_thread(), context)  # files are read in a thread
        done[name] = min(count, sizes.get(name, count))
        read = min(sum(done.values()), total)
        text = t("{done} of {total} read", done=size_of(read, t), total=size_of(total, t))
        bar.progress(read / total if total else 1.0, text=text)

    upload = Upload([FileReport(file.name, refused=1) for file in files if file not in chosen])
    bar = st.progress(0.0, text=t("Reading…"))
    try:
        with acting(Role.CONTRIBUTOR):
            for report in ingest(store, [(file.name, file) for file in chosen], progress):
                upload.reports.append(report)
    except Refused as refused:
        st.error(refused.say(t), icon=":material/lock:")
        return None
    except StoreError as error:
        st.error(markdown(error.say(t)), icon=":material/database_off:")
    finally:
        bar.empty()
    return upload if upload.reports else None


def uploader_words(key: str, t: Translate, many: bool = True) -> None:
    """Say the uploader's own words, which Streamlit has in English only, in the page's language."""
    choose = t("Choose files") if many else t("Choose a file")
    drop = t("or drop them here") if many else t("or drop it here")
    # what an uploader says that has no file yet; the names of files are elsewhere
    empty = f'.st-key-{key} [data-testid="stFileUploaderDropzoneInstructions"] span'
    st.html(
        f"""<style>
        .st-key-{key} section > span button p, {empty} {{ font-size: 0; }}
        .st-key-{key} section > span button p::after {{ font-size: 0.875rem; content: "{choose}"; }}
        {empty}::after {{ font-size: 0.875rem; content: "{drop}"; }}
        </style>"""
    )


# what came of it


def came_to(upload: Upload, t: Translate, key: str, first: bool = False) -> None:
    """What an upload came to: counts, reasons, the ways to replays, and back.

    `key`: of the table of reasons; `first`: with a link to the check of the first of them.
    """
    _summary(upload, t)
    every = [one for files in upload.reports for one in files.reports]
    found = sorted(
        ((one, finding) for one in every if not one.duplicate for finding in one.findings),
        key=lambda reason: GRAVEST_FIRST.index(reason[1].severity),
    )
    if found:
        st.header(t("Reasons"))
        faulty = next((report.match_id for report, _ in found if report.match_id), None)
        if first and faulty and upload.deletion is None:
            label = t("Check the first match with a finding")
            link_table.page_link(link_table.CHECK, label, "rule", match=faulty)
        rows: list[dict[str, link_table.Cell]] = []
        for report, finding in found:
            place = {"finding": str(report.findings.index(finding) + 1)}
            check = link_table.To(link_table.CHECK, {"match": report.match_id, **place})
            rows.append(
                {
                    link_table.OPEN: link_table.Part(t("Check"), check)
                    if report.match_id
                    else None,
                    t("Rule"): capital(finding.rule),
                    t("Reason"): finding.message(t),
                    t("Verdict"): t(STATUSES[report.status]),
                    t("File"): report.file,
                    t("Line"): report.line,
                    t("Deal"): None if finding.deal is None else finding.deal + 1,
                    t("Match"): report.id or report.match_id[:8],
                }
            )
        link_table.linked(rows, key, t("What was found in the files"), t)
    # the matches that were there before, and those that came twice, folded
    ids = {one.match_id for one in every if one.duplicate}
    here = answer(matches.came_with, tuple(sorted(ids)), upload.files)
    for label, some, name in (
        (N_("Already there: {n}"), ids - here, "known"),
        (N_("Twice in these files: {n}"), here, "twice"),
    ):
        which = Filter(ids=tuple(sorted(some)))
        if total := answer(matches.count, which):
            box = st.expander(t(label, n=count_of(total, t)), icon=":material/content_copy:")
            with box, link_table.numbered(total, f"{name}-page") as offset:
                shown = answer(matches.page, which, link_table.PAGE, offset, "added")
                matches_table(shown, t, f"open-{name}")
    _uploaded(upload, t)


def _summary(upload: Upload, t: Translate) -> None:
    """What the upload came to, in the numbers and words of `retourne ingest`."""
    for report in upload.reports:
        if report.number < 0:  # of another kind, and not looked into
            endings, others = ", ".join(LOGS), ", ".join(KINDS)
            said = t(NOT_TAKEN, file=report.name, endings=endings, others=others)
            st.error(markdown(said), icon=":material/block:")
    undone = upload.deletion is not None and not answer(matches.count, Filter(files=upload.files))
    with st.container(horizontal=True):
        for part in outcome(upload.reports, undone):
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


def _uploaded(upload: Upload, t: Translate) -> None:
    """The matches an upload has added, each with its replay; it can be undone."""
    which = Filter(files=upload.files)

    def undo() -> None:
        upload.deletion = take_back(which)

    if total := answer(matches.count, which):
        st.header(t("Matches of this upload"))
        change_button(t("Undo this upload"), "undo", "take-back", undo, t, Role.CONTRIBUTOR)
        with link_table.numbered(total, "added-page", of=upload.files) as offset:
            shown = answer(matches.page, which, link_table.PAGE, offset, "added")
            link_table.page_link(
                link_table.REPLAY, t("Replay the first match"), match=shown["match_id"][0]
            )
            matches_table(shown, t, "open-added")
    elif upload.deletion is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info(t("Upload undone."), icon=":material/undo:")
            undo_button(upload.deletion, t)


def take_back(which: Filter) -> int | None:
    """Delete the matches of some files; the deletion's number.

    Refused: whoever asks is no admin, and did not add them all.
    """
    chosen, theirs = match_numbers(which), files_of(cursor(), me().token_no)
    text = "SELECT DISTINCT file_no FROM matches WHERE match_no IN (SELECT unnest(?::BIGINT[]))"
    came_with = cursor().execute(text, [chosen.tolist()]).fetchall()
    own = all(number in theirs for (number,) in came_with)
    require(Role.CONTRIBUTOR if own else Role.ADMIN)
    return trash.delete(store(), chosen)


def _own_files(t: Translate) -> None:
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
            act = partial(take_back, Filter(files=(row["file_no"],)))
            label, key = t("Undo this upload"), f"take-back-{row['file_no']}"
            change_button(label, "undo", key, act, t, Role.CONTRIBUTOR)
    for one in deleted:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.markdown(t("Undone: {n}", n=count_of(one.matches, t)))
            undo_button(one.number, t)


# sheets and notes


TOO_LARGE = N_("{file} has more than {most} MB: no notes and no score sheet are so long.")
MOST_SHOWN = 20
"""Questions and findings of one file that are shown."""
MOST_CHECKED = 100
"""Matches of one file that are checked before they are added; then all are."""
LOG_SHOWN = 20_000
"""Signs of the log that are shown; all of it can be downloaded."""
LEFT_OUT = "–"
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


def _taken(files: Sequence[Any], t: Translate) -> list[Import]:
    """Those files that are made into logs first, read."""
    found = []
    for file in files:
        if enters(file.name) and file.size > MOST:
            said = t(TOO_LARGE, file=file.name, most=MOST >> 20)
            st.error(markdown(said), icon=":material/block:")
        elif enters(file.name):
            found.append(Import(file.name, file.getvalue(), How(zone=visitor_zone())))
            found[-1].read()
    return found


def _shown(waiting: list[Import], one: Import, t: Translate) -> Upload | None:
    """A file as it is understood, with what is to be answered; what was added of it."""
    entered, key = one.entered, one.key
    if entered.refused is not None:
        st.error(markdown(entered.refused.say(t)), icon=":material/block:")
    for remark in entered.remarks:
        st.caption(markdown(remark.say(t)))
    if entered.questions:
        st.warning(t("Nothing is guessed: this has to be answered first."), icon=":material/help:")
        asked = entered.questions
        _some_of([f"- **{markdown(what.where)}** {markdown(what.say(t))}" for what in asked], t)
    if any(question.text == NO_GAME for question in entered.questions) or one.how.game:
        known = titles()
        st.selectbox(
            t("Game"),
            [*known],
            index=[*known].index(one.how.game) if one.how.game else None,
            format_func=known.__getitem__,
            key=f"{key}-game",
            on_change=lambda: one.say(st.session_state[f"{key}-game"]),
        )
    if entered.columns:
        _columns(one, entered, t)
    if entered.logs:
        _verdicts(one.reports, t)
        with st.expander(t("The log")):
            st.code(entered.text.decode()[:LOG_SHOWN], language="json", height=320)
            name = one.name.rpartition(".")[0] + ".jsonl"
            link_table.download(t("Download the log"), entered.lines, name, f"{key}-download")

    def drop() -> None:
        if one in waiting:
            waiting.remove(one)

    with st.container(horizontal=True):
        label = t("Add: {n}", n=count_of(len(entered.logs), t))
        add, icon = f"{key}-add", ":material/add:"
        wanted = entered.logs and st.button(label, key=add, type="primary", icon=icon)
        st.button(t("Leave out"), key=f"{key}-out", icon=":material/close:", on_click=drop)
    upload = add_files(store(), [Made(one.name, entered.lines)], t) if wanted else None
    if upload is not None:
        drop()
    return upload


def _some_of(lines: Sequence[str], t: Translate) -> None:
    """The first items of a list, and how many are not in it."""
    st.markdown("\n".join(lines[:MOST_SHOWN]))
    if len(lines) > MOST_SHOWN:
        st.caption(t("Not in this list: {n}.", n=count_of(len(lines) - MOST_SHOWN, t)))


def _columns(one: Import, sheet: Entered, t: Translate) -> None:
    """What each column is taken for, over the first lines; another may be chosen."""
    unknown = [column for column in sheet.columns if column.field is None and not column.left_out]
    said = translator(t.language)
    assert sheet.game is not None
    choices = {field.key: field.heading(said) for field in Headings(sheet.game).fields}

    def say_column(heading: str, box: str) -> None:
        chosen = st.session_state[box]
        if chosen is not None:
            one.say(**{heading: "" if chosen == LEFT_OUT else chosen})

    with st.expander(t("Columns"), expanded=bool(unknown)):
        wide = max(map(len, sheet.first), default=0)
        first = [[*row, *[""] * (wide - len(row))] for row in sheet.first]
        headings = [column.heading for column in sheet.columns]
        names = [f"{headings[at]}" if at < len(headings) else "" for at in range(wide)]
        rows = {f"{at + 1}. {name}": [row[at] for row in first] for at, name in enumerate(names)}
        st.dataframe(pl.DataFrame(rows), hide_index=True)
        seen = set[str]()
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
                on_change=say_column,
                args=(column.heading, box),
            )


def _verdicts(reports: Sequence[MatchReport], t: Translate) -> None:
    """What a check says of the logs: verdicts counted, then what was found."""
    counts = Counter(report.status for report in reports)
    some = [(capital(t(STATUSES[one])), counts[one]) for one in VERDICTS if counts[one]]
    st.markdown(" · ".join(t("{name}: {n}", name=name, n=count_of(n, t)) for name, n in some))
    if len(reports) == MOST_CHECKED:
        said = N_("The first {n} matches were checked here; all are when they are added.")
        st.caption(t(said, n=MOST_CHECKED))
    every = [one for report in reports for one in report.findings]
    found = [
        f"- {markdown(place) + ' – ' if (place := one.place(t)) else ''}{markdown(one.message(t))}"
        for one in every
        if one.severity != NOTE
    ]
    if found:
        st.warning(t("What was found"), icon=":material/report:")
        _some_of(found, t)
    notes = dict.fromkeys(markdown(one.message(t)) for one in every if one.severity == NOTE)
    for said in [*notes][:MOST_SHOWN]:
        st.caption(said)


# how a log is made

DATA = files("data")
SCHEMA = DATA.joinpath("schema", "match.schema.json")


def _ways_to_make_one(t: Translate) -> None:
    """Samples to begin with, the page that checks what is typed, the schema for programs."""
    st.header(t("How to make a log"))
    typed, sheets, programs = st.columns(3)
    with typed, st.container(border=True, height="stretch"):
        said = t(
            "**By hand.** Download a sample, put your players, cards and actions in place of "
            "those in it, and paste it into the validator: it says what is wrong as you go."
        )
        st.markdown(said)
        with st.container(horizontal=True):
            for title, sample in samples().items():
                _download(sample, t("Sample: {game} (JSON)", game=title))
        link_table.page_link(link_table.CHECK, t("To the validator"), "rule")
    with sheets, st.container(border=True, height="stretch"):
        said = t(
            "**From a score sheet.** Download a sheet, fill in a line a deal, and drop it "
            "here: you see the log before it is added. Notes in a text file are read as well."
        )
        st.markdown(said)
        with st.container(horizontal=True):
            for game, title in titles().items():
                label = t("Score sheet: {game} (.xlsx)", game=title)
                name = f"{NAME.format(game=game, language=t.language)}.xlsx"
                sheet = _template(game, t.language)
                link_table.download(label, sheet, name, f"template-{game}", mime=WORKBOOK)
    with programs, st.container(border=True, height="stretch"):
        said = t(
            "**From a program.** A playing site or a score sheet writes one log a match, many "
            "in a `.jsonl`, a line each; the schema says every key. `retourne ingest` adds "
            "whole folders."
        )
        st.markdown(said)
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
    link_table.download(label, file.read_bytes(), file.name, f"download-{file.name}", mime=mime)
