"""What one session is checking: the matches of a text, notes or file, and what was changed.

The text comes from the box, a file, an example or the store; some of it may be undone.
"""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.resources import files
from io import BytesIO
from itertools import chain, islice
from operator import attrgetter
from typing import IO, Any, NamedTuple, Never

import streamlit as st
from cachetools import FIFOCache, cachedmethod

from dashboard.games import of
from dashboard.text.labels import STATUSES
from dashboard.text.numbers import count_of, markdown, size_of
from dashboard.views.data import not_there
from dashboard.views.upload import uploader_words, visitor_zone
from dashboard.widgets.current_store import store
from dashboard.widgets.link_table import download
from engine.games import names
from ingest.autofix.search import mend
from ingest.autofix.text_edit import patched
from ingest.findings.finding import Edit
from ingest.i18n import Translate
from ingest.importers.import_file import read
from ingest.importers.import_result import Entered
from ingest.importers.notes import are_notes
from ingest.importers.sheets import How
from ingest.reader.files import Progress, Text, Trouble, stream_batches
from ingest.reader.sources import LOGS
from ingest.validate.batch import check_batch
from ingest.validate.report import trouble_report
from ingest.validate.slow_path import Explained, explain
from ingest.validate.what_if import other_rules

MATCHES_KEPT = 500
"""Matches kept of each kind, with findings and without; the rest is counted."""
BYTES_KEPT = 64 << 20
"""Bytes of text kept of a file."""

NO_JSON = ("not-json", "not-utf8")


class Log(NamedTuple):
    """One match's text and what a batch said of it; `status` is empty when none has said yet."""

    file: str
    text: Text
    id: str | None = None
    status: str = ""
    findings: int = 0


@dataclass(slots=True)
class Survey:
    """What a file holds, as far as there is room for it."""

    name: str
    matches: int = 0
    clean: int = 0
    faulty: list[Log] = field(default_factory=list)
    sound: list[Log] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    json: bool = False
    """Whether any of it is JSON."""

    @property
    def logs(self) -> list[Log]:
        """The matches one can look at, those with findings first."""
        return self.faulty + self.sound


def survey(name: str, file: IO[bytes], progress: Progress = lambda count: None) -> Survey:
    """Everything in a file. One match alone is kept unchecked: whoever shows it explains it."""
    read, found = stream_batches(name, file, progress), Survey(name)
    begun = list(islice(read, 2))
    if len(begun) == 1 and len(begun[0].texts) == 1 and not begun[0].troubles:
        return Survey(name, 1, faulty=[Log(begun[0].file, begun[0].texts[0])])
    room = BYTES_KEPT
    for batch in chain(begun, read):
        checked = check_batch(batch)
        found.troubles += checked.troubles[: MATCHES_KEPT - len(found.troubles)]
        found.matches += len(checked.texts)
        for place, (text, own) in enumerate(zip(checked.texts, checked.log_ids(), strict=True)):
            explained = checked.explained.get(place)
            findings = explained.findings if explained else []
            found.clean += not findings
            found.json |= not findings or findings[0].code not in NO_JSON
            kept = found.faulty if findings else found.sound
            if len(kept) < MATCHES_KEPT and len(text.text) <= room:
                room -= len(text.text)
                status = explained.status if explained else "legal"
                kept.append(Log(checked.file, text, own, status, len(findings)))
    return found


def survey_text(text: bytes) -> Survey:
    """The same of text that was pasted: one match alone, or what is no JSON, is left as it is."""
    whole = text.removeprefix(b"\xef\xbb\xbf")
    found = survey(".json", BytesIO(text))
    found.name = ""
    alone = len(found.logs) == 1 and found.logs[0].text.text.strip() == whole.strip()
    if alone or (found.matches > 1 and not found.json):
        return Survey("", 1, 0, [Log("", Text(1, whole))])
    return found


EDITABLE = 250_000
"""Bytes of the longest text the box shows."""
UNDONE = 20
"""Changes that can be undone."""
EXPLANATIONS_KEPT = 4
"""Explanations kept: one under other rules is held against one under the log's own."""

Rules = tuple[str | None, tuple[tuple[str, Any], ...]]
"""A preset or none, and options: what is chosen besides the log's own rules."""
OWN: Rules = (None, ())


@dataclass
class Desk:
    """One session's work on one match."""

    log: Log | None = None
    opened: Survey | None = None
    """The file the log is one of, where it holds more than this one match."""
    linked: str = ""
    """The stored match the address names."""
    past: list[bytes] = field(default_factory=list)
    """The texts before each change."""
    notes: str = ""
    """Notes somebody wrote in the box: what is asked of them is shown, or the log they make."""
    fresh: bool = True
    """Whether the box still has to be told its text."""
    openings: int = 0
    examples: int = 0
    _known: FIFOCache[Any, Explained] = field(default_factory=lambda: FIFOCache(EXPLANATIONS_KEPT))

    @property
    def text(self) -> bytes:
        return b"" if self.log is None else self.log.text.text

    @property
    def boxed(self) -> str | None:
        """What the box holds; None when it cannot hold the text."""
        if self.log is None:
            return self.notes
        with suppress(UnicodeDecodeError):
            return self.text.decode() if len(self.text) <= EDITABLE else None
        return None

    @property
    def digest(self) -> str:
        """The text's own name."""
        return hashlib.sha256(self.text).hexdigest()[:12]

    def open(self, found: Survey | None, linked: str = "") -> None:
        """Begin with what was pasted, dropped or linked to; None: with nothing."""
        self.openings += 1
        alone = found is None or (found.matches == 1 and not found.troubles)
        self.opened = None if alone else found
        self.linked, self.notes = linked, ""
        self.look_at(next(iter(found.logs), None) if found else None)

    def look_at(self, log: Log | None) -> None:
        """Look at one match."""
        self.log, self.past, self.fresh = log, [], True

    def edit(self, text: bytes) -> None:
        """Another text in place of this one; the stored match is another one then."""
        assert self.log is not None
        self.past = [*self.past[1 - UNDONE :], self.text]
        self._put(text)

    def undo(self) -> None:
        """The text before the last change."""
        if self.past:
            self._put(self.past.pop())

    def _put(self, text: bytes) -> None:
        assert self.log is not None
        self.log = self.log._replace(text=self.log.text._replace(text=text))
        self.linked, self.fresh = "", True

    def key(self, rules: Rules) -> tuple[str, str]:
        """What an explanation, and all that is shown of it, goes by."""
        return self.digest, json.dumps(rules)

    @cachedmethod(attrgetter("_known"), lambda self, rules=OWN: self.key(rules))
    def explained(self, rules: Rules = OWN) -> Explained:
        """The log explained under some rules; worked out once."""
        preset, options = rules
        if rules == OWN:
            found = explain(self.text)
        else:
            found = explain(self.text, lambda own: other_rules(own, preset, dict(options)))
        mend(found)
        return found


# where the text comes from

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
QUESTIONS = 20
"""Questions shown at once."""


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


def desk_of(t: Translate) -> Desk:
    """This session's desk; begins the page again where address, box or file bring another text."""
    at: Desk = st.session_state.setdefault("desk", Desk())
    asked = st.query_params.get("match", "")
    if not asked and at.linked:  # back from another page
        st.query_params["match"] = at.linked
    if asked and asked != at.linked:  # a stored match
        number = store().find(asked)
        if number is None:
            not_there(asked, t)
        else:
            at.open(survey_text(store().text(number)), linked=asked)
    st.html("<style>.st-key-log textarea { font-family: monospace; font-size: 0.875rem; }</style>")
    left, right = st.columns([3, 2])
    with left:
        _box(at, t)
    with right:
        _file(at, t)
    if at.notes:
        _about_notes(at, t)
    if at.opened is not None:
        _opened(at, at.opened, t)
    return at


def _box(at: Desk, t: Translate) -> None:
    """The text, to be pasted or changed: a change of the match at hand, other matches, or notes."""
    if at.fresh or "log" not in st.session_state:
        st.session_state["log"], at.fresh = at.boxed or "", False
    hint = t("Paste a log here, or notes of a match.")
    if at.boxed is None:
        hint = t("This text cannot be shown here: {size}.", size=size_of(len(at.text), t))
    typed = st.text_area(t("The log"), key="log", height=220, placeholder=hint)
    with st.container(horizontal=True):
        st.button(t("Check"), type="primary", icon=":material/fact_check:")
        if st.button(t("Try an example"), icon=":material/school:"):
            at.examples += 1
            at.open(survey_text(example(at.examples - 1)))
            begin_again()
        if at.past:
            st.button(t("Undo"), icon=":material/undo:", on_click=at.undo)
        if at.past and at.text:
            download(t("Download the edited log"), at.text, "retourne.json", "edited-log")
    if typed is None or typed == (at.boxed or ""):
        return
    if are_notes(typed):
        _write_notes(at, typed)
        begin_again()
    found = survey_text(typed.encode(errors="replace")) if typed.strip() else None
    if at.log is not None and found is not None and found.matches == 1 and found.logs:
        at.edit(found.logs[0].text.text)
    else:
        at.open(found)
    at.fresh = typed != (at.boxed or "")
    begin_again()


def begin_again() -> Never:
    """Begin the page again: what it shows is no longer the stored match the address names."""
    for key in ("match", "finding"):
        st.query_params.pop(key, None)
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

    at.open(survey(chosen.name, chosen, progress))
    begin_again()


def _read(notes: str) -> Entered:
    return read("", notes.encode(errors="replace"), How(zone=visitor_zone()))


def _write_notes(at: Desk, typed: str) -> None:
    """Take notes for the log they make, and keep them; where something is asked, for notes."""
    read_as = _read(typed)
    at.open(survey_text(read_as.text) if read_as.logs else None)
    at.notes = typed


def _about_notes(at: Desk, t: Translate) -> None:
    """What is asked about the notes in the box, or how to get back to them from their log."""
    notes = at.notes

    def back() -> None:
        at.open(None)
        at.notes = notes

    if at.log is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(t("The notes were read: the box has the log they make."))
            st.button(t("Back to the notes"), icon=":material/notes:", on_click=back)
    elif questions := _read(notes).questions:
        said = t("Nothing is guessed: please say what is meant, in the notes themselves.")
        st.warning(said, icon=":material/help:")
        for one in questions[:QUESTIONS]:
            where = t("Line {line}, column {column}", line=one.line, column=one.column)
            st.markdown(markdown(f"{where} – {one.say(t)}"))
        if len(questions) > QUESTIONS:
            st.caption(t("Not in this list: {n}.", n=count_of(len(questions) - QUESTIONS, t)))
    else:
        make, icon = t("Make the log"), ":material/draft:"
        st.button(make, icon=icon, on_click=_write_notes, args=(at, notes))


def _opened(at: Desk, found: Survey, t: Translate) -> None:

    def name(place: int) -> str:
        """`3 · line 12 · final · irregular · findings: 3`."""
        log = found.logs[place]
        parts = [
            str(place + 1),
            t("line {n}", n=count_of(log.text.line, t)),
            log.id or "",
            t(STATUSES.get(log.status, log.status)),
            t("findings: {n}", n=log.findings) if log.findings else "",
        ]
        return " · ".join(filter(None, parts))

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
            key = f"which-{at.openings}"
            st.selectbox(
                t("Match"),
                range(len(found.logs)),
                format_func=name,
                key=key,
                on_change=lambda: at.look_at(found.logs[st.session_state[key]]),
            )
        if left_out := found.matches - len(found.logs):
            st.caption(t("Not in this list: {n}.", n=count_of(left_out, t)))
