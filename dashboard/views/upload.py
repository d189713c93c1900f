"""The page Add matches: takes logs, sheets and notes, and reports the result for each file."""

import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any
from zoneinfo import ZoneInfo

import streamlit as st

from dashboard.base_path import browser_path
from dashboard.compat import add_script_run_ctx, get_script_run_ctx
from dashboard.games import game_titles
from dashboard.queries import matches
from dashboard.queries.matches import MatchFilter
from dashboard.store import unavailable_reason
from dashboard.text.labels import STATUS_LABELS
from dashboard.text.numbers import capitalized, date_text, escape_markdown, format_count, size_text
from dashboard.views.imported_file import MAX_MATCHES_CHECKED, ImportedFile
from dashboard.views.imported_matches import show_first_matches
from dashboard.views.match_duplicates import show_related_matches
from dashboard.views.notes_editor import edit_notes, show_unread
from dashboard.views.player_duplicates import player_questions
from dashboard.views.sheet_answers import show_questions
from dashboard.views.sheets_editor import edit_sheets
from dashboard.views.upload_files import PASTE_TITLE, ImportedLogs, NamedBytes, show_paste_box, sort_files
from dashboard.widgets import current_store, link_table
from dashboard.widgets.current_store import (
    NotAllowed,
    acting_with_role,
    cached_query,
    current_principal,
    open_store,
    page_cursor,
    show_if_not_allowed,
)
from dashboard.widgets.lists import match_names, show_matches
from dashboard.widgets.store_changes import (
    change_button,
    require_owner_or_admin,
    run_change,
    selected_matches,
    undo_button,
)
from ingest.findings.finding import ERROR, NOTE, WARNING
from ingest.findings.finding import STATUSES as VERDICTS
from ingest.findings.spoken_notation import STATUS_COUNT_TEXTS
from ingest.i18n import N_, Translate, translator
from ingest.importers.headings import FILE_NAME, XLSX_MEDIA_TYPE, xlsx_template
from ingest.importers.import_file import MAX_FILE_BYTES, UPLOAD_SUFFIXES, is_importable
from ingest.importers.import_result import UnreadLine
from ingest.importers.mapping import ImportOptions
from ingest.importers.stored_mappings import remembered_mappings
from ingest.reader.sources import LOG_SUFFIXES
from ingest.store import sheet_mappings, trash
from ingest.store.audit import deletions_by_token, file_numbers_by_token
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.ingest_files import FileReport, ingest
from ingest.store.ingest_summary import summarize
from ingest.store.match_comparison import OnConflict
from ingest.store.tokens import Role
from ingest.validate.result_checks import RESULT_ONLY

SEVERITY_ORDER = (ERROR, WARNING, NOTE)
WHERE_SHEETS_COUNT = N_(
    "Results and score sheets: on the ladder: yes, when it counts score sheets; in statistics of "
    "cards: no, no card was written down."
)
LOGS_COUNT = N_("Score sheets and results whose log is in the store, and counts instead of them: {n}")
UNSUPPORTED_FILE = N_(
    "{file}: this kind of file is not taken. Type its contents in, or paste them under “{box}”. "
    "Logs end in {endings}; notes and score sheets in {others}."
)
PICTURE = N_(
    "{file}: Retourne does not read pictures. Type its contents in, on the page “{page}” or under “{box}”."
)
PICTURE_SUFFIXES = ("jpg", "jpeg", "png", "heic", "heif", "webp", "gif", "bmp", "tif", "tiff")


def page(t: Translate) -> None:
    """Explain logs, accept files, and show the matches added or known, and the faults found."""
    opened = open_store()
    about = N_(
        "Drop score sheets or notes here ({others}): the page shows how it reads each, then you add it. "
        "Logs ({endings}) are checked and added at once."
    )
    endings, others = (", ".join(f"`{one}`" for one in some) for some in (LOG_SUFFIXES, UPLOAD_SUFFIXES))
    st.markdown(t(about, endings=endings, others=others))
    if not show_if_not_allowed(Role.CONTRIBUTOR, t):
        _show_samples_and_schema(t)
        return
    translate_uploader("files", t)
    with st.form("upload-form", clear_on_submit=True):
        chosen = st.file_uploader(t("Files"), accept_multiple_files=True, key="files")
        sent = st.form_submit_button(t("Send the files"), type="primary", icon=":material/fact_check:")
    pasted = show_paste_box(t)
    # what comes and goes has a place of its own: a grid below that moved would be drawn anew
    with st.container():
        if sent and not chosen:
            st.warning(t("Choose one or more files first."), icon=":material/upload_file:")
        elif pasted:
            called = t("Pasted note of {time}", time=datetime.now(visitor_zone()).strftime("%H:%M"))
            st.session_state["imports"] = _read_imports([NamedBytes(f"{called}.txt", pasted.encode())], t)
            st.session_state["upload"] = None
        elif sent:
            to_import, logs = sort_files(chosen)
            st.session_state["imports"] = _read_imports(to_import, t)
            st.session_state["upload"] = store_uploads(opened, logs, t)
    waiting: list[ImportedFile] = st.session_state.setdefault("imports", [])
    with st.container():
        if upload := st.session_state.get("upload"):
            show_upload_result(upload, t, "check-added", is_first=True)
    if waiting:
        st.header(t("Sheets and notes"))
        st.info(t("Read, and not in the store yet: look at each, then add it."), icon=":material/visibility:")
    for one in [*waiting]:
        with st.container(border=True):
            st.subheader(escape_markdown(one.name))
            if added := _show_import(waiting, one, t):
                st.session_state["upload"] = added
                st.rerun()
    if not (upload or waiting):
        _show_own_files(t)
        _show_samples_and_schema(t)


# storing files


@dataclass
class Upload:
    """One upload, with the report of each file."""

    reports: list[FileReport] = field(default_factory=list)
    deletion: int | None = None
    """The number of the deletion that undid the upload; None before."""
    unread: Sequence[UnreadLine] = ()
    """Lines of its notes that could not be read."""

    @property
    def files(self) -> tuple[int, ...]:
        """Return the numbers of its files in the store."""
        return tuple(report.number for report in self.reports if report.number >= 0)


def store_uploads(store: Store, files: Sequence[Any], t: Translate) -> Upload | None:
    """Store uploaded files in order; None, with the reason shown, if none is accepted."""
    chosen = [
        file for file in files if isinstance(file, ImportedLogs) or file.name.lower().endswith(LOG_SUFFIXES)
    ]
    sizes = {file.name: file.size for file in chosen}
    total = sum(file.size for file in chosen)
    done: dict[str, int] = {}
    context = get_script_run_ctx()

    def progress(name: str, count: int) -> None:
        add_script_run_ctx(threading.current_thread(), context)  # files are read in a thread
        done[name] = min(count, sizes.get(name, count))
        read = min(sum(done.values()), total)
        text = t("{done} of {total} read", done=size_text(read, t), total=size_text(total, t))
        bar.progress(read / total if total else 1.0, text=text)

    upload = Upload([FileReport(file.name, rejected=1) for file in files if file not in chosen])
    bar = st.progress(0.0, text=t("Reading…"))
    try:
        with acting_with_role(Role.CONTRIBUTOR):
            for report in ingest(store, [(file.name, file) for file in chosen], progress):
                upload.reports.append(report)
    except NotAllowed as error:
        st.error(error.message(t), icon=":material/lock:")
        return None
    except StoreError as error:
        st.error(escape_markdown(unavailable_reason(error, t)), icon=":material/database_off:")
    finally:
        bar.empty()
    return upload if upload.reports else None


def translate_uploader(key: str, t: Translate, allows_many: bool = True) -> None:
    """Translate the uploader's own texts, which Streamlit has only in English."""
    choose = t("Choose files") if allows_many else t("Choose a file")
    drop = t("or drop them here") if allows_many else t("or drop it here")
    # the texts of an empty uploader; file names are in other elements
    empty = f'.st-key-{key} [data-testid="stFileUploaderDropzoneInstructions"] span'
    st.html(
        f"""<style>
        .st-key-{key} section > span button p, {empty} {{ font-size: 0; }}
        .st-key-{key} section > span button p::after {{ font-size: 0.875rem; content: "{choose}"; }}
        {empty}::after {{ font-size: 0.875rem; content: "{drop}"; }}
        </style>"""
    )


# results


def show_upload_result(upload: Upload, t: Translate, key: str, is_first: bool = False) -> None:
    """Show the result of an upload: counts, reasons, links to replays, and the undo button.

    `key` is that of the table of reasons; `is_first` adds a link that checks its first match.
    """
    _show_summary(upload, t)
    show_unread(upload.unread, t)
    every = [one for files in upload.reports for one in files.reports]
    found = sorted(
        (
            (one, finding)
            for one in every
            if not one.duplicate
            for finding in one.findings
            if finding.code != RESULT_ONLY  # what the log is, and nothing to put right
        ),
        key=lambda reason: SEVERITY_ORDER.index(reason[1].severity),
    )
    if any(finding.severity != NOTE for _, finding in found):  # a note alone is nothing to put right
        st.header(t("Reasons"))
        faulty = next((report.match_id for report, _ in found if report.match_id), None)
        if is_first and faulty and upload.deletion is None:
            label = t("Check the first match with a finding")
            link_table.page_link(link_table.CHECK_PAGE, label, "rule", match=faulty)
        names = match_names([report.match_id for report, _ in found], t)
        rows: list[dict[str, link_table.Cell]] = []
        for report, finding in found:
            place = {"finding": str(report.findings.index(finding) + 1)}
            check = link_table.PageLink(link_table.CHECK_PAGE, {"match": report.match_id, **place})
            rows.append(
                {
                    link_table.OPEN_KEY: link_table.LinkedText(t("Check"), check)
                    if report.match_id
                    else None,
                    t("Rule"): capitalized(finding.rule),
                    t("Reason"): finding.message(t),
                    t("Verdict"): t(STATUS_LABELS[report.status]),
                    t("File"): report.file,
                    t("Line"): report.line,
                    t("Deal"): None if finding.deal_index is None else finding.deal_index + 1,
                    t("Match"): report.log_id or names.get(report.match_id) or report.match_id[:8],
                }
            )
        link_table.link_table(rows, key, t("Findings in the files"), t)
    # collapsed lists: matches already stored, and duplicates within the upload
    related = [one for report in upload.reports for one in report.related]
    decided = {one.match_id for one in related if one.duplicate.decision is not OnConflict.KEEP}
    ids = {one.match_id for one in every if one.duplicate} - decided
    here = cached_query(matches.ids_added_by, tuple(sorted(ids)), upload.files)
    for label, some, name in (
        (N_("Already there: {n}"), ids - here, "known"),
        (N_("Twice in these files: {n}"), here, "twice"),
    ):
        which = MatchFilter(ids=tuple(sorted(some)))
        if total := cached_query(matches.count_matches, which):
            box = st.expander(t(label, n=format_count(total, t)), icon=":material/content_copy:")
            with box, link_table.paginate(total, f"{name}-page") as offset:
                shown = cached_query(matches.match_page, which, link_table.ROWS_PER_PAGE, offset, "added")
                show_matches(shown, t, f"open-{name}")
    if upload.deletion is None:
        show_related_matches(upload.reports, t)
        _show_likely_players(upload, t)
    _show_uploaded(upload, t)


def _show_likely_players(upload: Upload, t: Translate) -> None:
    """Show who of an upload may be a player that was there before, or two people."""
    lines = player_questions(upload.files, t)
    if not lines:
        return
    with st.container(border=True):
        _show_first_lines([f"- {line}" for line in lines], t)
        if current_store.has_role(Role.ADMIN):
            link_table.page_link(link_table.DUPLICATES_PAGE, t("Answer"), "group_add")
        else:
            st.caption(t("The admin can answer on the page Duplicates."))


def _show_summary(upload: Upload, t: Translate) -> None:
    """Show the result of an upload, with the counts and words of `retourne ingest`."""
    for report in upload.reports:
        if report.number < 0:  # unsupported kind, not read
            endings, others = ", ".join(LOG_SUFFIXES), ", ".join(UPLOAD_SUFFIXES)
            is_picture = report.name.rpartition(".")[2].lower() in PICTURE_SUFFIXES
            values = {"page": t("Type a match in")} if is_picture else {"endings": endings, "others": others}
            box = t(PASTE_TITLE)
            message = t(PICTURE if is_picture else UNSUPPORTED_FILE, file=report.name, box=box, **values)
            st.error(escape_markdown(message), icon=":material/block:")
    if all(report.number < 0 for report in upload.reports):
        return  # nothing was read, and so there is nothing to count
    undone = upload.deletion is not None and not cached_query(
        matches.count_matches, MatchFilter(files=upload.files)
    )
    with st.container(horizontal=True):
        for part in summarize(upload.reports, undone):
            items = [t(STATUS_COUNT_TEXTS[one], n=format_count(n, t)) for one, n in part.verdicts.items()]
            items += [t(text, n=format_count(n, t)) for text, n in part.details.items()]
            st.metric(
                capitalized(t(part.label)),
                format_count(part.n, t),
                " · ".join(items) or None,
                delta_color="off",
                delta_arrow="off",
                help=t(part.tooltip),
                border=True,
                height="stretch",
            )
    sheets = sum(report.sheets.total() for report in upload.reports)
    set_aside = sum(bool(one.duplicate.log_counts) for report in upload.reports for one in report.related)
    if not undone and sheets and set_aside:
        st.caption(t(LOGS_COUNT, n=format_count(set_aside, t)))
    if not undone and sheets > set_aside:
        st.caption(t(WHERE_SHEETS_COUNT))
        message = t("Statistics omit score sheets and results until you turn on “With score sheets”.")
        link_table.page_link(link_table.PLAYERS_PAGE, message, "bar_chart")


def _show_uploaded(upload: Upload, t: Translate) -> None:
    which = MatchFilter(files=upload.files)

    def undo() -> None:
        upload.deletion = undo_files(upload.files)

    if total := cached_query(matches.count_matches, which):
        st.header(t("Matches of this upload"))
        change_button(t("Undo this upload"), "undo", "take-back", undo, t, Role.CONTRIBUTOR)
        with link_table.paginate(total, "added-page", reset_key=upload.files) as offset:
            shown = cached_query(matches.match_page, which, link_table.ROWS_PER_PAGE, offset, "added")
            link_table.page_link(
                link_table.REPLAY_PAGE, t("Replay the first match"), match=shown["match_id"][0]
            )
            show_matches(shown, t, "open-added")
    elif upload.deletion is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            texts, put_back = [t("Upload undone.")], trash.count_put_back(page_cursor(), upload.deletion)
            if put_back:
                texts.append(t("Earlier versions put back: {n}", n=format_count(put_back, t)))
            st.info(" ".join(texts), icon=":material/undo:")
            undo_button(upload.deletion, t)


def delete_chosen(which: MatchFilter) -> int | None:
    """Delete the matches chosen; return the deletion's number.

    NotAllowed: the user did not add them all and is not the admin.
    """
    chosen = selected_matches(which)
    require_owner_or_admin(chosen.tolist())
    return trash.delete_matches(open_store(), chosen)


def undo_files(files: Sequence[int]) -> int | None:
    """Delete the matches of some files as `delete_chosen`, and put back what they had replaced."""
    require_owner_or_admin(selected_matches(MatchFilter(files=tuple(files))).tolist())
    return trash.undo_upload(open_store(), files)


def _show_own_files(t: Translate) -> None:
    principal = current_principal()
    if principal.token_no is None:
        return
    theirs = file_numbers_by_token(page_cursor(), principal.token_no)
    found = [row for row in cached_query(matches.recent_files, 100).iter_rows(named=True) if row["stored"]]
    mine = [row for row in found if row["file_no"] in theirs]
    undone = deletions_by_token(page_cursor(), principal.token_no)
    deleted = [one for one in trash.list_deletions(page_cursor()) if one.number in undone]
    if not mine and not deleted:
        return
    st.header(t("Your uploads"))
    for row in mine:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            remaining, added = format_count(row["stored"], t), date_text(row["added_at"], t)
            message = t("{file}: matches {n}, added on {day}", file=row["name"], n=remaining, day=added)
            st.markdown(escape_markdown(message))
            act = partial(undo_files, (row["file_no"],))
            label, key = t("Undo this upload"), f"take-back-{row['file_no']}"
            change_button(label, "undo", key, act, t, Role.CONTRIBUTOR)
    for one in deleted:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.markdown(t("Undone: {n}", n=format_count(one.matches, t)))
            undo_button(one.number, t)


# sheets and notes


TOO_LARGE = N_("{file} has more than {most} MB: no notes and no score sheet are so long.")
STILL_WAITING = N_("In the store from this file: {n}. The other lines wait for an answer, then add them too.")
MAX_ITEMS_SHOWN = 20
"""Questions and findings shown per file."""
MAX_LOG_CHARS = 20_000
"""Characters of the log that are shown; the download has all."""


def visitor_zone() -> ZoneInfo | None:
    """Return the time zone of the visitor's browser, None if unknown."""
    with suppress(Exception):  # a browser may send anything
        return ZoneInfo(st.context.timezone or "")
    return None


def _read_imports(files: Sequence[Any], t: Translate) -> list[ImportedFile]:
    """Read those of the files that must be converted to logs."""
    found = []
    for file in files:
        if is_importable(file.name) and file.size > MAX_FILE_BYTES:
            message = t(TOO_LARGE, file=file.name, most=MAX_FILE_BYTES >> 20)
            st.error(escape_markdown(message), icon=":material/block:")
        elif is_importable(file.name):
            options = ImportOptions(zone=visitor_zone(), remembered=remembered_mappings(page_cursor()))
            found.append(ImportedFile(file.name, file.getvalue(), options))
            found[-1].read()
    return found


def _show_import(waiting: list[ImportedFile], item: ImportedFile, t: Translate) -> Upload | None:
    """Show an imported file and its open questions; return the upload once it is added."""
    entered, key = item.entered, item.key
    with st.container():  # the grid keeps its place, and a cell being typed, whatever stands above it
        if item.added:
            n = format_count(len(item.added), t)
            st.info(t(STILL_WAITING, n=n), icon=":material/hourglass_top:")
        if entered.error is not None:
            st.error(escape_markdown(entered.error.message(t)), icon=":material/block:")
        for notice in entered.notices:
            st.caption(escape_markdown(notice.message(t)))
        for sheet in entered.recalled:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.info(escape_markdown(sheet.message(t)), icon=":material/history:")
                label, act = t("Forget"), partial(_forget, item, sheet.fingerprint)
                change_button(label, "delete", f"{key}-forget-{sheet.fingerprint}", act, t, Role.CONTRIBUTOR)
    if entered.sheets and edit_sheets(item, t):
        st.rerun()
    if entered.notes is not None:
        edit_notes(entered.notes, entered, key, t, item.set_notes)
        show_unread(entered.unread if entered.logs else (), t)
    elif entered.questions:
        st.warning(t("Nothing is guessed: this has to be answered first."), icon=":material/help:")
        show_questions(item, entered.questions[:MAX_ITEMS_SHOWN], t)
        _show_number_left(len(entered.questions), t)
    if sum(question.about == "game" for question in entered.questions) > 1:
        known = game_titles()
        st.selectbox(
            t("Game of these sheets"),
            [*known],
            index=None,
            format_func=known.__getitem__,
            key=f"{key}-game",
            placeholder=t("choose…"),
            on_change=lambda: item.set_game(st.session_state[f"{key}-game"]),
        )
    for name, lines in entered.open_lines.items():
        where = ", ".join(map(str, lines[:MAX_ITEMS_SHOWN])) + ", …" * (len(lines) > MAX_ITEMS_SHOWN)
        text = t("Lines of “{sheet}” that wait for an answer: {lines}.", sheet=name, lines=where)
        st.caption(escape_markdown(text))
    if entered.logs:
        show_first_matches(item, t)
        _show_verdicts(item, t)
        with st.expander(t("The log")):
            st.code(entered.text.decode()[:MAX_LOG_CHARS], language="json", height=320)
            name = item.name.rpartition(".")[0] + ".jsonl"
            link_table.download_button(t("Download the log"), entered.lines, name, f"{key}-download")

    def drop() -> None:
        if item in waiting:
            waiting.remove(item)

    with st.container(horizontal=True):
        new = item.new
        label = t("Add: {n}", n=format_count(len(new.logs), t))
        add, icon = f"{key}-add", ":material/add:"
        wanted = new.logs and st.button(label, key=add, type="primary", icon=icon)
        st.button(t("Skip"), key=f"{key}-out", icon=":material/close:", on_click=drop)
    upload = store_uploads(open_store(), [ImportedLogs(item.name, new.lines)], t) if wanted else None
    if upload is not None:
        upload.unread = entered.unread
        run_change(item.remember, t, Role.CONTRIBUTOR)
        if not item.note_added():
            drop()
    return upload


def _forget(item: ImportedFile, fingerprint: str) -> None:
    """Forget what sheets of a fingerprint are taken for, and read the file again."""
    item.forget(fingerprint)
    sheet_mappings.forget_mapping(open_store(), fingerprint)


def _show_first_lines(lines: Sequence[str], t: Translate) -> None:
    """Show the first items of a list, and how many more there are."""
    st.markdown("\n".join(lines[:MAX_ITEMS_SHOWN]))
    _show_number_left(len(lines), t)


def _show_number_left(total: int, t: Translate) -> None:
    if total > MAX_ITEMS_SHOWN:
        st.caption(t("Not in this list: {n}.", n=format_count(total - MAX_ITEMS_SHOWN, t)))


def _show_verdicts(item: ImportedFile, t: Translate) -> None:
    reports = item.reports
    counts = Counter(report.status for report in reports)
    some = [(capitalized(t(STATUS_LABELS[one])), counts[one]) for one in VERDICTS if counts[one]]
    st.markdown(" · ".join(t("{name}: {n}", name=name, n=format_count(n, t)) for name, n in some))
    if len(reports) == MAX_MATCHES_CHECKED:
        text = N_("The first {n} matches were checked here; all are when they are added.")
        st.caption(t(text, n=MAX_MATCHES_CHECKED))
    every = [one for report in reports for one in report.findings]
    found = [
        f"- **{escape_markdown(item.entered.origins[report.line - 1].source_of(t, one))}** "
        f"{escape_markdown(one.message(t))}"
        for report in reports
        for one in report.findings
        if one.severity != NOTE
    ]
    if found:
        st.warning(t("Findings"), icon=":material/report:")
        _show_first_lines(found, t)
    notes = dict.fromkeys(escape_markdown(one.message(t)) for one in every if one.severity == NOTE)
    for note in [*notes][:MAX_ITEMS_SHOWN]:
        st.caption(note)


# how to make a log

DATA_FILES = files("data")
SCHEMA_FILE = DATA_FILES.joinpath("schema", "match.schema.json")


def _show_samples_and_schema(t: Translate) -> None:
    st.header(t("How to make a log"))
    about = N_(
        "A log records a match as a referee could write it down: the seats, the cards dealt, then "
        "each action in order. It is a text in JSON."
    )
    st.markdown(t(about))
    sheets, typed, programs = st.columns(3)
    with typed, st.container(border=True, height="stretch"):
        message = t(
            "**By hand.** Download a sample, replace its players, cards and actions with "
            "yours, and paste its text into the validator: it reports findings as you go, then "
            "“Add to the store” stores the match."
        )
        st.markdown(message)
        with st.container(horizontal=True):
            for title, sample in sample_logs().items():
                _show_download(sample, t("Sample: {game} (JSON)", game=title))
        link_table.page_link(link_table.CHECK_PAGE, t("To the validator"), "rule")
    with sheets, st.container(border=True, height="stretch"):
        message = t(
            "**From a score sheet.** Download a sheet, fill in a line a deal, and drop it "
            "here: you see the log before it is added. Notes in a text file are read as well."
        )
        st.markdown(message)
        with st.container(horizontal=True):
            for game, title in game_titles().items():
                label = t("Score sheet: {game} (.xlsx)", game=title)
                name = f"{FILE_NAME.format(game=game, language=t.language)}.xlsx"
                sheet = _sheet_template(game, t.language)
                link_table.download_button(label, sheet, name, f"template-{game}", mime=XLSX_MEDIA_TYPE)
    with programs, st.container(border=True, height="stretch"):
        message = t(
            "**For programmers.** Your playing site or program writes one log per match, or "
            "many in a `.jsonl`, one per line; the schema lists every key. It can also send them "
            "to [this site’s API]({address}).",
            address=browser_path("/api/v1"),
        )
        st.markdown(message)
        _show_download(SCHEMA_FILE, t("The schema (JSON)"), "application/schema+json")


@cache
def _sheet_template(game: str, language: str) -> bytes:
    return xlsx_template(game, translator(language))


def sample_logs() -> dict[str, Traversable]:
    """Return title → file of a short log, for each game that has one."""
    found = {}
    for name, title in game_titles().items():
        files_of = (DATA_FILES.joinpath(f"{kind}{name}.json") for kind in ("match-", ""))
        if sample := next((one for one in files_of if one.is_file()), None):
            found[title] = sample
    return found


def _show_download(file: Traversable, label: str, mime: str = "") -> None:
    link_table.download_button(label, file.read_bytes(), file.name, f"download-{file.name}", mime=mime)
