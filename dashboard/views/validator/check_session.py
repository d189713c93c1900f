"""The state of one check session: matches of a text and edits made.

The text comes from the box, a file, an example or the store; edits can be undone.
"""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from io import BytesIO
from itertools import chain, islice
from operator import attrgetter
from typing import IO, Any, NamedTuple, Never

import streamlit as st
from cachetools import FIFOCache, cachedmethod

from dashboard.games import game_titles, game_view
from dashboard.text.labels import STATUS_LABELS
from dashboard.text.numbers import escape_markdown, format_count, size_text
from dashboard.views.notes_editor import show_questions
from dashboard.views.upload import translate_uploader, visitor_zone
from dashboard.widgets.current_store import open_store
from dashboard.widgets.link_table import download_button
from dashboard.widgets.store_changes import show_missing
from engine.games import game_names
from ingest.autofix.search import find_edits
from ingest.autofix.text_edit import apply_edit
from ingest.findings.finding import Edit
from ingest.i18n import Translate
from ingest.importers.import_file import import_file
from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import ImportOptions
from ingest.importers.notes import is_notes
from ingest.reader.archives import Progress
from ingest.reader.files import MatchText, ReadError, stream_batches
from ingest.reader.sources import LOG_SUFFIXES
from ingest.store.match_versions import masked_versions
from ingest.validate.batch import check_batch
from ingest.validate.report import report_of_trouble
from ingest.validate.slow_path import ValidationResult, validate
from ingest.validate.what_if import other_rules

MAX_MATCHES = 500
"""Matches held of each kind, with findings and without; the rest is only counted."""
MAX_BYTES = 64 << 20
"""Bytes of text held of a file."""

NOT_JSON_CODES = ("not-json", "not-utf8")


class LogEntry(NamedTuple):
    """One match's text and the result of a batch check; `status` is empty before one."""

    file: str
    text: MatchText
    id: str | None = None
    status: str = ""
    findings: int = 0


@dataclass(slots=True)
class FileSurvey:
    """The contents of a file, as far as the limits allow."""

    name: str
    matches: int = 0
    clean: int = 0
    faulty: list[LogEntry] = field(default_factory=list)
    correct: list[LogEntry] = field(default_factory=list)
    troubles: list[ReadError] = field(default_factory=list)
    is_json: bool = False
    """Whether any of it is JSON."""

    @property
    def logs(self) -> list[LogEntry]:
        """The matches that can be shown, those with findings first."""
        return self.faulty + self.correct


def survey_file(name: str, file: IO[bytes], progress: Progress = lambda count: None) -> FileSurvey:
    """Read and check a file. A single match stays unchecked: the caller validates it."""
    read, found = stream_batches(name, file, progress), FileSurvey(name)
    begun = list(islice(read, 2))
    if len(begun) == 1 and len(begun[0].texts) == 1 and not begun[0].troubles:
        return FileSurvey(name, 1, faulty=[LogEntry(begun[0].file, begun[0].texts[0])])
    room = MAX_BYTES
    for batch in chain(begun, read):
        checked = check_batch(batch)
        found.troubles += checked.troubles[: MAX_MATCHES - len(found.troubles)]
        found.matches += len(checked.texts)
        for place, (text, own) in enumerate(zip(checked.texts, checked.log_ids(), strict=True)):
            explained = checked.results.get(place)
            findings = explained.findings if explained else []
            found.clean += not findings
            found.is_json |= not findings or findings[0].code not in NOT_JSON_CODES
            remaining = found.faulty if findings else found.correct
            if len(remaining) < MAX_MATCHES and len(text.text) <= room:
                room -= len(text.text)
                status = explained.status if explained else "legal"
                remaining.append(LogEntry(checked.file, text, own, status, len(findings)))
    return found


def survey_text(text: bytes) -> FileSurvey:
    """Read and check pasted text; a single match, or text that is not JSON, stays as it is."""
    whole = text.removeprefix(b"\xef\xbb\xbf")
    found = survey_file(".json", BytesIO(text))
    found.name = ""
    alone = len(found.logs) == 1 and found.logs[0].text.text.strip() == whole.strip()
    if alone or (found.matches > 1 and not found.is_json):
        return FileSurvey("", 1, 0, [LogEntry("", MatchText(1, whole))])
    return found


MAX_EDITABLE_BYTES = 250_000
"""The longest text the box shows, in bytes."""
MAX_UNDO = 20
"""Changes that can be undone."""
MAX_CACHED_RESULTS = 4
"""Results cached: one under other rules is compared with one under the log's own."""

RulesChoice = tuple[str | None, tuple[tuple[str, Any], ...]]
"""A preset or None, and options, chosen instead of the log's own rules."""
OWN_RULES: RulesChoice = (None, ())


@dataclass
class CheckSession:
    """One session's work on one match."""

    log: LogEntry | None = None
    survey: FileSurvey | None = None
    """The file the log comes from, if it holds more than this match."""
    linked_match_id: str = ""
    """The stored match the address names."""
    origin_match_id: str = ""
    """The stored match that the text was opened from, edited since or not."""
    stored_text: bytes = b""
    """Its text, as the store had it last; empty where that is not known."""
    undo_stack: list[bytes] = field(default_factory=list)
    """The texts before each change."""
    notes: str = ""
    """Notes the log was made from, or would be if they were clear."""
    shows_notes: bool = False
    """Whether the box has the notes; else it has the log."""
    box_changed: bool = True
    """Whether the box has yet to be set to the text."""
    open_count: int = 0
    example_count: int = 0
    _known: FIFOCache[Any, ValidationResult] = field(default_factory=lambda: FIFOCache(MAX_CACHED_RESULTS))

    @property
    def text(self) -> bytes:
        return b"" if self.log is None else self.log.text.text

    @property
    def box_text(self) -> str | None:
        """The text of the box; None if the box cannot show it."""
        if self.shows_notes or self.log is None:
            return self.notes
        with suppress(UnicodeDecodeError):
            return self.text.decode() if len(self.text) <= MAX_EDITABLE_BYTES else None
        return None

    @property
    def digest(self) -> str:
        """The beginning of the text's SHA-256, which identifies it."""
        return hashlib.sha256(self.text).hexdigest()[:12]

    def open(
        self, found: FileSurvey | None, linked: str = "", origin: str = "", notes: str | None = None
    ) -> None:
        """Start with a pasted, uploaded or linked text; None: with nothing.

        `linked`: the stored match that it is; `origin`: the one that it is an earlier version of;
        `notes`: those that it was made from, which the box then has.
        """
        self.open_count += 1
        alone = found is None or (found.matches == 1 and not found.troubles)
        self.survey = None if alone else found
        self.linked_match_id, self.notes, self.shows_notes = linked, notes or "", notes is not None
        self.origin_match_id, self.stored_text = origin or linked, b""
        self.select_log(next(iter(found.logs), None) if found else None)

    def select_log(self, log: LogEntry | None) -> None:
        self.log, self.undo_stack, self.box_changed = log, [], True

    def edit(self, text: bytes) -> None:
        """Replace the text; it is then no longer the stored match."""
        assert self.log is not None
        self.undo_stack = [*self.undo_stack[1 - MAX_UNDO :], self.text]
        self._set_text(text)

    def undo(self) -> None:
        """Restore the text before the last change."""
        if self.undo_stack:
            self._set_text(self.undo_stack.pop())

    def _set_text(self, text: bytes) -> None:
        assert self.log is not None
        self.log = self.log._replace(text=self.log.text._replace(text=text))
        self.linked_match_id, self.shows_notes, self.box_changed = "", False, True

    def key(self, rules: RulesChoice) -> tuple[str, str]:
        """Return the cache key of a result, also used for its widgets."""
        return self.digest, json.dumps(rules)

    @cachedmethod(attrgetter("_known"), lambda self, rules=OWN_RULES: self.key(rules))
    def validate(self, rules: RulesChoice = OWN_RULES) -> ValidationResult:
        """Return the log's validation under some rules; cached."""
        preset, options = rules
        if rules == OWN_RULES:
            found = validate(self.text)
        else:
            found = validate(self.text, lambda own: other_rules(own, preset, dict(options)))
        find_edits(found)
        return found


# where the text comes from

SAMPLE_LOG = "match-lavardin.json"
EXAMPLE_ERRORS = (
    Edit("replace", "/deals/1/points", [121, 38]),
    Edit("replace", "/deals/7/actions/7", "1 Tc"),  # written too early, in place of
    Edit("replace", "/deals/7/actions/26", "1 7h"),  # the card that was played
    Edit("replace", "/deals/12/actions/32", "2 9s"),
    Edit("replace", "/deals/12/actions/34", "2 8d"),
)
DOCUMENT_EXAMPLE = "document/schema"
"""A log of `data/fautes` whose fault belongs to no game."""


def faulty_samples() -> tuple[str, ...]:
    """Return logs of `data/fautes` with one fault each: those of games, then the document's."""
    return (*(one for name in game_names() for one in game_view(name).LINKED_EXAMPLES), DOCUMENT_EXAMPLE)


def example_log(number: int) -> bytes:
    """Return the example of a number; the examples repeat in a cycle."""
    small = faulty_samples()
    number %= len(small) + 1
    if number:
        return files("data").joinpath("fautes", f"{small[number - 1]}.json").read_bytes()
    text = files("data").joinpath(SAMPLE_LOG).read_bytes()
    for error in EXAMPLE_ERRORS:
        text = apply_edit(text, error)
    return text


def example_notes(game: str, language: str) -> str:
    """Return notes of a game that show how people write them."""
    name = game_view(game).EXAMPLE_NOTES[language]
    return files("data").joinpath("papers", "notes", f"{name}.txt").read_text(encoding="utf-8")


def shows_notes() -> bool:
    """Whether the page has notes in its box, and not a log."""
    at: CheckSession | None = st.session_state.get("desk")
    return at is not None and at.shows_notes


def current_session(t: Translate) -> CheckSession:
    """Return the session; rerun the page if address, box or file bring another text."""
    at: CheckSession = st.session_state.setdefault("desk", CheckSession())
    requested, version = st.query_params.get("match", ""), st.query_params.get("version", "")
    if version:
        del st.query_params["version"]
        for one in masked_versions(open_store().cursor(), requested):
            if one.place == version:
                at.open(survey_text(one.text), origin=requested)
                restart_page()
    if not requested and at.linked_match_id:  # back from another page
        st.query_params["match"] = at.linked_match_id
    if requested:  # a stored match
        _follow_stored(at, requested, t)
    st.html("<style>.st-key-log textarea { font-family: monospace; font-size: 0.875rem; }</style>")
    left, right = [st.container(), st.container()] if at.shows_notes else st.columns([3, 2])
    with left:
        _show_text_box(at, t)
    with right:
        if at.notes:
            _show_notes(at, t)
        _show_file_input(at, t)
    if at.survey is not None:
        _show_opened(at, at.survey, t)
    return at


def _follow_stored(session: CheckSession, requested: str, t: Translate) -> None:
    """Open the stored match of the address; again if its text has changed, as by a mask."""
    is_open = requested == session.linked_match_id
    if (number := open_store().find_match(requested)) is None:
        if is_open:  # it was purged or deleted since
            session.open(None)
        show_missing(requested, t)
        return
    text = open_store().read_match_text(number)
    if not is_open or session.stored_text not in (b"", text):
        session.open(survey_text(text), linked=requested)
    session.stored_text = text


def _show_text_box(session: CheckSession, t: Translate) -> None:
    """Show the text box, and apply its text: an edit, other matches, or notes."""
    if session.box_changed or "log" not in st.session_state:
        st.session_state["log"], session.box_changed = session.box_text or "", False
    hint = t("Paste a log here, or notes of a match.")
    if session.box_text is None:
        hint = t("This text cannot be shown here: {size}.", size=size_text(len(session.text), t))
    label = t("The notes") if session.shows_notes else t("The log")
    typed = st.text_area(label, key="log", height=320 if session.shows_notes else 220, placeholder=hint)
    with st.container(horizontal=True):
        st.button(t("Check"), type="primary", icon=":material/fact_check:")
        if st.button(t("Try an example"), icon=":material/school:"):
            session.example_count += 1
            session.open(survey_text(example_log(session.example_count - 1)))
            restart_page()
        if session.undo_stack:
            st.button(t("Undo"), icon=":material/undo:", on_click=session.undo)
        if session.undo_stack and session.text:
            download_button(t("Download the edited log"), session.text, "retourne.json", "edited-log")
    if not session.box_text and not typed:
        _show_example_notes(session, t)
    if typed is None or typed == (session.box_text or ""):
        return
    if is_notes(typed) or (session.shows_notes and typed.strip() and typed.lstrip()[0] not in "{["):
        _apply_notes(session, typed)
        restart_page()
    found = survey_text(typed.encode(errors="replace")) if typed.strip() else None
    if session.log is not None and found is not None and found.matches == 1 and found.logs:
        session.edit(found.logs[0].text.text)
    else:
        session.open(found)
    session.box_changed = typed != (session.box_text or "")
    restart_page()


def _show_example_notes(session: CheckSession, t: Translate) -> None:
    """Show a button for each game, which fills the box with notes as people write them."""
    st.caption(t("Or begin with notes of a match, and write yours in their place:"))
    with st.container(horizontal=True):
        for game, title in game_titles().items():
            if not game_view(game).EXAMPLE_NOTES:
                continue
            notes = example_notes(game, t.language)
            key = f"example-notes-{game}"
            st.button(title, key=key, icon=":material/notes:", on_click=_apply_notes, args=(session, notes))


def restart_page() -> Never:
    """Rerun the page without the stored match in the address, which it no longer shows."""
    for key in ("match", "finding"):
        st.query_params.pop(key, None)
    st.rerun()


def _show_file_input(session: CheckSession, t: Translate) -> None:
    translate_uploader("verify-file", t, allows_many=False)
    with st.container(key="verify-file"):
        chosen = st.file_uploader(
            t("or a file"), type=[suffix[1:] for suffix in LOG_SUFFIXES], key=f"file-{session.open_count}"
        )
    if chosen is None:
        return
    bar = st.progress(0.0, text=t("Reading…"))

    def progress(count: int) -> None:
        text = t("{done} of {total} read", done=size_text(count, t), total=size_text(chosen.size, t))
        bar.progress(min(count / max(chosen.size, 1), 1.0), text=text)

    session.open(survey_file(chosen.name, chosen, progress))
    restart_page()


def _read_notes(notes: str) -> ImportResult:
    return import_file("", notes.encode(errors="replace"), ImportOptions(zone=visitor_zone()))


def _apply_notes(session: CheckSession, typed: str) -> None:
    """Open the log that notes make, as far as they are clear, and keep the notes in the box."""
    read_as = _read_notes(typed)
    session.open(survey_text(read_as.text) if read_as.logs else None, notes=typed)


def _show_notes(session: CheckSession, t: Translate) -> None:
    """Show the questions about the notes; or, where the box has the log, the way back to them."""
    notes = session.notes
    if not session.shows_notes:
        st.caption(t("The box has the log that the notes make."))
        back = t("Back to the notes")
        st.button(back, icon=":material/notes:", on_click=_apply_notes, args=(session, notes))
        return
    found = _read_notes(notes)
    show_questions(notes, found, "notes", t, partial(_apply_notes, session))

    def show_log() -> None:
        session.shows_notes, session.box_changed = False, True

    if session.log is not None:
        st.button(t("Edit the log"), icon=":material/draft:", on_click=show_log)


def _show_opened(session: CheckSession, survey: FileSurvey, t: Translate) -> None:

    def name(place: int) -> str:
        """Return a match's label: `3 · line 12 · final · irregular · findings: 3`."""
        log = survey.logs[place]
        parts = [
            str(place + 1),
            t("line {n}", n=format_count(log.text.line, t)),
            log.id or "",
            t(STATUS_LABELS.get(log.status, log.status)),
            t("findings: {n}", n=log.findings) if log.findings else "",
        ]
        return " · ".join(filter(None, parts))

    with st.container(border=True):
        parts = [
            survey.name,
            t("Matches: {n}", n=format_count(survey.matches, t)),
            t("no findings: {n}", n=format_count(survey.clean, t)),
            t("with findings: {n}", n=format_count(survey.matches - survey.clean, t)),
        ]
        st.caption(escape_markdown(" · ".join(part for part in parts if part)))
        for trouble in survey.troubles:
            [finding] = report_of_trouble(trouble).findings
            where = t("{file}, line {n}", file=trouble.file, n=format_count(trouble.line, t))
            st.error(escape_markdown(f"{where} – {finding.message(t)}"), icon=":material/draft:")
        if len(survey.logs) > 1:
            key = f"which-{session.open_count}"
            st.selectbox(
                t("Match"),
                range(len(survey.logs)),
                format_func=name,
                key=key,
                on_change=lambda: session.select_log(survey.logs[st.session_state[key]]),
            )
        if left_out := survey.matches - len(survey.logs):
            st.caption(t("Not in this list: {n}.", n=format_count(left_out, t)))
