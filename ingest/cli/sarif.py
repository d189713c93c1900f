"""Writes findings as SARIF 2.1.0 for code hosts and editors."""

import os
import re
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from engine import RULES_VERSION, installed_version
from ingest.autofix.text_edit import apply_edit
from ingest.escaping import to_escaped_json
from ingest.findings.codes import code_entries
from ingest.findings.edit_texts import describe_edit
from ingest.findings.finding import Edit, Finding
from ingest.findings.rulebook import find_rule, without_markdown
from ingest.i18n import N_, Translate
from ingest.reader.files import MatchText
from ingest.validate.report import MatchReport

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
CAUSED_BY = N_("The finding above may follow from this one.")
Place = tuple[int, int]
"""A line and a column in characters, from 1."""
PLACE_PROPERTIES = ["rule", "manche", "partie", "deal_index", "trick", "card"]
PLACE_PROPERTIES += ["action_index", "seat", "hand", "legal"]
"""Properties of a finding for programs, as in `--format jsonl`."""


class SarifLog:
    """Writes the SARIF log of one run as it goes: the rules first, then each result."""

    def __init__(self, t: Translate, write: Callable[[str], object]) -> None:
        self.t, self.write = t, write
        rules: dict[str, dict[str, Any]] = {}
        for one in code_entries():  # SARIF rules are codes, with the text of their rule
            rule, name = find_rule(one.rule, t), f"{one.rule}/{one.code}"
            message, advice = one.message(t), one.advice(t)
            markdown = f"{advice}\n\n**{rule.id} {without_markdown(rule.title)}**\n\n{rule.text}"
            fields = {
                "id": name,
                "name": one.code.title().replace("-", ""),
                "shortDescription": {"text": message if re.search(r"\w", message) else advice},
                "fullDescription": {"text": advice},
                "help": {"text": f"{advice} {rule.id} {rule.plain_text}", "markdown": markdown},
                "defaultConfiguration": {"level": one.severity},
            }
            rules.setdefault(name, fields)
        self.rule_index = {name: place for place, name in enumerate(rules)}
        self.fingerprint_counts: Counter[str] = Counter()
        self.separator = ""
        driver: dict[str, Any] = {
            "name": "retourne",
            "version": installed_version() or "0",
            "rules": list(rules.values()),
            "properties": {"rulesVersion": RULES_VERSION},
        }
        head = {"$schema": SCHEMA, "version": "2.1.0"}
        run: dict[str, Any] = {"tool": {"driver": driver}, "language": t.language}
        run["columnKind"] = "unicodeCodePoints"
        # `[:-1]` omits the closing braces, which `close` writes
        write(f'{to_escaped_json(head)[:-1]}, "runs": [{to_escaped_json(run)[:-1]}, "results": [')

    def add(self, report: MatchReport, log: MatchText | None) -> None:
        """Write the findings of a report; `log` is its text, if there is one."""
        for finding in report.findings:
            self.write(f"{self.separator}\n{to_escaped_json(self._result(report, finding, log))}")
            self.separator = ","

    def close(self, done: bool) -> None:
        """End the log; `done`: everything could be read."""
        invocation = to_escaped_json([{"executionSuccessful": done}])
        self.write(f'\n], "invocations": {invocation}}}]}}\n')

    def _result(self, report: MatchReport, finding: Finding, log: MatchText | None) -> dict[str, Any]:
        name = f"{finding.rule}/{finding.code}"
        if name not in self.rule_index:  # a code used with any rule is listed under one
            name = next(known for known in self.rule_index if known.endswith(f"/{finding.code}"))
        # does not depend on the line, so that a finding is recognized when its match moves
        known_by = "\0".join([report.log_id or "", finding.code, finding.path, str(finding.found)])
        print_ = sha256(known_by.encode(errors="replace")).hexdigest()[:32]
        self.fingerprint_counts[print_] += 1
        result: dict[str, Any] = {
            "ruleId": name,
            "ruleIndex": self.rule_index[name],
            "level": finding.severity,
            "message": {"text": escape_brackets(finding.message(self.t))},
            "locations": [self._location_of(report, finding)],
            "partialFingerprints": {"retourne/v1": f"{print_}:{self.fingerprint_counts[print_]}"},
        }
        if finding.follows is not None:
            first = self._location_of(report, report.findings[finding.follows])
            result["relatedLocations"] = [first | {"message": {"text": self.t(CAUSED_BY)}}]
        if finding.edit is not None and log is not None:
            change: dict[str, Any] = {"artifactLocation": {"uri": file_uri(report.file)}}
            change["replacements"] = [edit_replacement(log, finding.edit)]
            values = {"text": escape_brackets(describe_edit(self.t, finding))}
            result["fixes"] = [{"description": values, "artifactChanges": [change]}]
        fields = {name: getattr(finding, name) for name in PLACE_PROPERTIES}
        fields["log_id"] = report.log_id
        result["properties"] = {name: value for name, value in fields.items() if value is not None}
        return result

    def _location_of(self, report: MatchReport, finding: Finding) -> dict[str, Any]:
        """Return a finding's place in the file and in the match."""
        region = {"startLine": finding.line or report.line}
        if finding.column is not None:
            region["startColumn"] = finding.column
            region["endColumn"] = finding.end or finding.column + 1
        physical = {"artifactLocation": {"uri": file_uri(report.file)}, "region": region}
        location: dict[str, Any] = {"physicalLocation": physical}
        logical = {"name": finding.place(self.t), "fullyQualifiedName": finding.path}
        if fields := {name: value for name, value in logical.items() if value}:
            location["logicalLocations"] = [fields | {"kind": "value"}]
        return location


def escape_brackets(text: str) -> str:
    """Escape brackets, which SARIF messages would show as links."""
    return re.sub(r"([\\\[\]])", r"\\\1", text)


def file_uri(file: str) -> str:
    """Return a file's URI, relative if the file is below the working directory."""
    path = PurePath(file)
    if path.is_absolute():
        if not path.is_relative_to(Path.cwd()):
            return path.as_uri()
        path = path.relative_to(Path.cwd())
    return quote(os.fsencode(path.as_posix()))


def edit_replacement(log: MatchText, edit: Edit) -> dict[str, Any]:
    """Return the SARIF replacement that makes an edit, as a region of the file."""
    before, after = log.text.decode(), apply_edit(log.text, edit).decode()
    (line, column), (last, end), text = text_replacement(before, after, log.line, log.column)
    region = {"startLine": line, "startColumn": column, "endLine": last, "endColumn": end}
    return {"deletedRegion": region, "insertedContent": {"text": text}}


def text_replacement(before: str, after: str, line: int, column: int) -> tuple[Place, Place, str]:
    """Return the span where two texts differ and its new text; the first begins at a place of a file."""
    start = _common_prefix_length(before, after)
    same = _common_prefix_length(before[start:][::-1], after[start:][::-1])

    def place(at: int) -> Place:
        row = before.count("\n", 0, at)
        return line + row, at - before.rfind("\n", 0, at) + (column - 1 if row == 0 else 0)

    return place(start), place(len(before) - same), after[start : len(after) - same]


def _common_prefix_length(one: str, other: str) -> int:
    """Return the number of characters at the start that two texts share."""
    differ = (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differ, min(len(one), len(other)))
