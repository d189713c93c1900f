"""The language server (LSP) of `retourne lsp`, by which editors underline findings as one types.

Only this module imports `pygls`, of the extra `lsp`.
"""

import asyncio
from dataclasses import dataclass, field
from io import BytesIO
from typing import NamedTuple

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from engine import installed_version
from ingest.api import with_edits
from ingest.autofix.text_edit import apply_edit
from ingest.cli.sarif import CAUSED_BY, text_replacement
from ingest.findings.edit_texts import describe_candidates, describe_edit
from ingest.findings.finding import ERROR, NOTE, WARNING, Edit, Finding
from ingest.findings.rulebook import find_rule, without_markdown
from ingest.i18n import N_, Translate
from ingest.importers.import_file import NOTES_SUFFIXES
from ingest.importers.import_result import Question
from ingest.importers.notes import answer, is_notes, read_notes
from ingest.reader.files import MatchText, stream_batches
from ingest.validate.batch import checked_batches
from ingest.validate.report import MatchReport

PAUSE_SECONDS = 0.2
"""Seconds without a key after which a text is checked."""
MAX_CHARACTERS = 1 << 20
"""Characters of a text that is checked while it is typed."""
FORMAT_NAME = "retourne/"
"""A text with it is meant as a log, of whatever version."""
TOO_LONG = N_("Retourne checks a text this long only by `retourne check`, not while you type.")
SEVERITIES = {
    ERROR: lsp.DiagnosticSeverity.Error,
    WARNING: lsp.DiagnosticSeverity.Warning,
    NOTE: lsp.DiagnosticSeverity.Information,
}


class Fix(NamedTuple):
    """A change that an editor offers, and whether it is the only one that Retourne proposes."""

    title: str
    edit: lsp.TextEdit
    is_only: bool


@dataclass(slots=True)
class Mark:
    """An underlined part of a text, with its changes and its rule, in the editor's units."""

    diagnostic: lsp.Diagnostic
    fixes: list[Fix] = field(default_factory=list)
    help: str = ""


class TextMarks:
    """Makes the marks of one text."""

    def __init__(self, t: Translate, document: TextDocument) -> None:
        self.t, self.uri, self.codec = t, document.uri, document.position_codec
        self.text, self.name = document.source, document.filename or document.uri
        self.lines = self.text.split("\n")

    def make(self) -> list[Mark]:
        """Return the marks of logs or of notes; an editor opens other files too, which have none."""
        if len(self.text) > MAX_CHARACTERS:
            return [self._mark(1, None, None, self.t(TOO_LONG), NOTE)]
        if self.name.lower().endswith(NOTES_SUFFIXES):
            questions = read_notes(self.text).questions if is_notes(self.text) else []
            return [self._question_mark(one) for one in questions]
        found = list[Mark]()
        if FORMAT_NAME not in self.text:
            return found
        data = BytesIO(self.text.encode(errors="surrogatepass"))
        for checked in checked_batches(stream_batches(self.name, data)):
            for report, log, _ in with_edits(checked).reports_with_results():
                found += [self._finding_mark(report, one, log) for one in report.findings]
        return found

    def _finding_mark(self, report: MatchReport, finding: Finding, log: MatchText | None) -> Mark:
        t = self.t
        where = finding.line or report.line, finding.column, finding.end
        rule, advice = find_rule(finding.rule, t), finding.advice(t)
        made = self._mark(*where, finding.message(t), finding.severity, finding.code)
        made.help = f"{advice}\n\n**{rule.id} {without_markdown(rule.title)}**\n\n{rule.text}"
        if finding.follows is not None:
            first = report.findings[finding.follows]
            at = self._range(first.line or report.line, first.column, first.end)
            place = lsp.Location(self.uri, at)
            made.diagnostic.related_information = [lsp.DiagnosticRelatedInformation(place, t(CAUSED_BY))]
        if log is not None:
            edits = [finding.edit] if finding.edit else [one.edit for one in finding.candidates]
            titles = [describe_edit(t, finding)] if finding.edit else describe_candidates(t, finding)
            made.fixes = [
                Fix(title, self._log_edit(log, edit), len(edits) == 1)
                for title, edit in zip(titles, edits, strict=True)
            ]
        return made

    def _question_mark(self, question: Question) -> Mark:
        end = question.column + len(question.read) if question.read else None
        message, severity = question.message(self.t), ERROR
        made = self._mark(question.line, question.column if end else None, end, message, severity)
        readings = question.readings(self.t)
        for reading in readings:
            edit = self._edit(self.text, answer(self.text, question, reading))
            made.fixes.append(Fix(reading, edit, len(readings) == 1))
        return made

    def _mark(
        self, line: int, column: int | None, end: int | None, message: str, severity: str, code: str = ""
    ) -> Mark:
        at = self._range(line, column, end)
        return Mark(lsp.Diagnostic(at, message, SEVERITIES[severity], code or None, source="retourne"))

    def _log_edit(self, log: MatchText, edit: Edit) -> lsp.TextEdit:
        before, after = (
            text.decode(errors="surrogatepass") for text in (log.text, apply_edit(log.text, edit))
        )
        return self._edit(before, after, log.line, log.column)

    def _edit(self, before: str, after: str, line: int = 1, column: int = 1) -> lsp.TextEdit:
        """Return the edit between two texts, of which the first begins at a place of this one."""
        start, end, written = text_replacement(before, after, line, column)
        return lsp.TextEdit(self._client_range(start, end), written)

    def _range(self, line: int, column: int | None, end: int | None) -> lsp.Range:
        """Return a place; without a column, the whole line."""
        line = min(line, len(self.lines))
        written = self.lines[line - 1].rstrip("\r")
        if column is None:
            column, end = len(written) - len(written.lstrip()) + 1, len(written) + 1
        return self._client_range((line, column), (line, end or column + 1))

    def _client_range(self, start: tuple[int, int], end: tuple[int, int]) -> lsp.Range:
        places = (lsp.Position(line - 1, column - 1) for line, column in (start, end))
        return self.codec.range_to_client_units(self.lines, lsp.Range(*places))


def build_server(t: Translate) -> LanguageServer:
    """Return the server with its handlers."""
    server = LanguageServer("retourne", installed_version() or "0")
    marks = dict[str, list[Mark]]()
    checking = asyncio.Lock()

    async def check(uri: str, pause: float = 0.0) -> None:
        """Check a text, unless the user types on; one text at a time."""
        version = server.workspace.get_text_document(uri).version
        await asyncio.sleep(pause)
        async with checking:
            document = server.workspace.text_documents.get(uri)
            if document is None or document.version != version:
                return
            made = await asyncio.to_thread(TextMarks(t, document).make)
            if uri in server.workspace.text_documents:
                marks[uri] = made
                publish(uri, version, [one.diagnostic for one in made])

    def publish(uri: str, version: int | None, found: list[lsp.Diagnostic]) -> None:
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        await check(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        marks.pop(params.text_document.uri, None)  # their places are those of the text before
        await check(params.text_document.uri, PAUSE_SECONDS)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        marks.pop(params.text_document.uri, None)
        publish(params.text_document.uri, None, [])

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    )
    def fixes(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri, at = params.text_document.uri, params.range
        return [
            lsp.CodeAction(
                fix.title,
                lsp.CodeActionKind.QuickFix,
                [mark.diagnostic],
                is_preferred=fix.is_only,
                edit=lsp.WorkspaceEdit({uri: [fix.edit]}),
            )
            for mark in marks.get(uri, ())
            if mark.diagnostic.range.start <= at.end and at.start <= mark.diagnostic.range.end
            for fix in mark.fixes
        ]

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        at = params.position
        found = [
            mark
            for mark in marks.get(params.text_document.uri, ())
            if mark.help and mark.diagnostic.range.start <= at <= mark.diagnostic.range.end
        ]
        if not found:
            return None
        texts = dict.fromkeys(mark.help for mark in found)
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n---\n\n".join(texts))
        return lsp.Hover(content, found[0].diagnostic.range)

    return server
