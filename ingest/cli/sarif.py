"""Findings as SARIF 2.1.0, which code hosts and editors show beside the lines they are about."""

import os
import re
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from engine import RULES_VERSION, installed_version
from ingest.autofix.text_edit import patched
from ingest.findings.codes import codes
from ingest.findings.finding import Edit, Finding
from ingest.findings.fix_text import speak_edit
from ingest.findings.rulebook import plain, rule_text
from ingest.i18n import N_, Translate
from ingest.reader.escaping import as_json
from ingest.reader.files import Text
from ingest.validate.report import MatchReport

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
COMES_OF = N_("The finding above may come of this one.")
PROPERTIES = ["rule", "manche", "partie", "deal", "trick", "card"]
PROPERTIES += ["action", "seat", "hand", "legal"]
"""Of a finding, for a program: as in `--format jsonl`."""


class SarifLog:
    """One log of one run, written as it comes: the rules first, then a result at a time."""

    def __init__(self, t: Translate, write: Callable[[str], object]) -> None:
        self.t, self.write = t, write
        rules: dict[str, dict[str, Any]] = {}
        for one in codes():  # what SARIF calls a rule, with the text of the rule it rests on
            rule, name = rule_text(one.rule, t), f"{one.rule}/{one.code}"
            message, advice = one.message(t), one.advice(t)
            markdown = f"{advice}\n\n**{rule.id} {plain(rule.title)}**\n\n{rule.text}"
            told = {
                "id": name,
                "name": one.code.title().replace("-", ""),
                "shortDescription": {"text": message if re.search(r"\w", message) else advice},
                "fullDescription": {"text": advice},
                "help": {"text": f"{advice} {rule.id} {rule.sentence}", "markdown": markdown},
                "defaultConfiguration": {"level": one.severity},
            }
            rules.setdefault(name, told)
        self.places = {name: place for place, name in enumerate(rules)}
        self.prints: Counter[str] = Counter()
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
        # what is open stays open: `[:-1]` leaves out the brace that ends it
        write(f'{as_json(head)[:-1]}, "runs": [{as_json(run)[:-1]}, "results": [')

    def add(self, report: MatchReport, log: Text | None) -> None:
        """The findings of a report; `log` is the text they are about, where there is one."""
        for finding in report.findings:
            self.write(f"{self.separator}\n{as_json(self._result(report, finding, log))}")
            self.separator = ","

    def close(self, done: bool) -> None:
        """End the log; `done` says whether everything could be read."""
        invocation = as_json([{"executionSuccessful": done}])
        self.write(f'\n], "invocations": {invocation}}}]}}\n')

    def _result(self, report: MatchReport, finding: Finding, log: Text | None) -> dict[str, Any]:
        """One finding."""
        name = f"{finding.rule}/{finding.code}"
        if name not in self.places:  # a code that goes with any rule stands under its own
            name = next(known for known in self.places if known.endswith(f"/{finding.code}"))
        # the same for the same finding of the same match, on whatever line it comes to stand
        known_by = "\0".join([report.id or "", finding.code, finding.path, str(finding.found)])
        print_ = sha256(known_by.encode(errors="replace")).hexdigest()[:32]
        self.prints[print_] += 1
        result: dict[str, Any] = {
            "ruleId": name,
            "ruleIndex": self.places[name],
            "level": finding.severity,
            "message": {"text": escaped(finding.message(self.t))},
            "locations": [self._location(report, finding)],
            "partialFingerprints": {"retourne/v1": f"{print_}:{self.prints[print_]}"},
        }
        if finding.follows is not None:
            first = self._location(report, report.findings[finding.follows])
            result["relatedLocations"] = [first | {"message": {"text": self.t(COMES_OF)}}]
        if finding.edit is not None and log is not None:
            change: dict[str, Any] = {"artifactLocation": {"uri": uri(report.file)}}
            change["replacements"] = [replacement(log, finding.edit)]
            said = {"text": escaped(speak_edit(self.t, finding))}
            result["fixes"] = [{"description": said, "artifactChanges": [change]}]
        told = {name: getattr(finding, name) for name in PROPERTIES}
        told["match"] = report.id
        result["properties"] = {name: value for name, value in told.items() if value is not None}
        return result

    def _location(self, report: MatchReport, finding: Finding) -> dict[str, Any]:
        """Where it is in the file, and in the match."""
        region = {"startLine": finding.line or report.line}
        if finding.column is not None:
            region["startColumn"] = finding.column
            region["endColumn"] = finding.end or finding.column + 1
        physical = {"artifactLocation": {"uri": uri(report.file)}, "region": region}
        location: dict[str, Any] = {"physicalLocation": physical}
        logical = {"name": finding.place(self.t), "fullyQualifiedName": finding.path}
        if told := {name: value for name, value in logical.items() if value}:
            location["logicalLocations"] = [told | {"kind": "value"}]
        return location


def escaped(text: str) -> str:
    """Text of a log in a message: brackets would make a link of it."""
    return re.sub(r"([\\\[\]])", r"\\\1", text)


def uri(file: str) -> str:
    """A file as SARIF names it: from the working directory on where it is below it."""
    path = PurePath(file)
    if path.is_absolute():
        if not path.is_relative_to(Path.cwd()):
            return path.as_uri()
        path = path.relative_to(Path.cwd())
    return quote(os.fsencode(path.as_posix()))


def replacement(log: Text, edit: Edit) -> dict[str, Any]:
    """What of the text goes, in lines and columns of its file, and what comes there."""
    before, after = log.text.decode(), patched(log.text, edit).decode()
    start = _same(before, after)
    same = _same(before[start:][::-1], after[start:][::-1])
    region = dict[str, int]()
    for which, at in (("start", start), ("end", len(before) - same)):
        row = before.count("\n", 0, at)
        column = at - before.rfind("\n", 0, at) + (log.column - 1 if row == 0 else 0)
        region |= {f"{which}Line": log.line + row, f"{which}Column": column}
    return {"deletedRegion": region, "insertedContent": {"text": after[start : len(after) - same]}}


def _same(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    differ = (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differ, min(len(one), len(other)))
