"""`retourne check --rules … --set …`: the same logs under other rules, and what that changes."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.text import Text

from engine.games import names
from engine.options import options, presets
from ingest.cli.say import STYLE, Tally, finding_line, head
from ingest.cli.terminal import Stop, console
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained
from ingest.judge.otherwise import Change, option_value, otherwise, speak_change
from ingest.judge.report import MatchReport, trouble_report
from ingest.text.files import Batch
from ingest.text.files import Text as Log
from ingest.text.signs import as_json, plain

NOT_A_SETTING = N_("--set takes OPTION=VALUE, such as quinte=100, not {found}.")
NO_OPTION = N_("No game has the option {found}. Known: {known}.")
NO_PRESET = N_("No game has the rules {found}. Known: {known}.")
SAME = N_("These rules change nothing.")


def settings_of(words: Sequence[str]) -> dict[str, Any]:
    """Options from `--set` words. Stop: a word that is no setting, an option no game has."""
    known = sorted({option.name for game in names() for option in options(game)})
    chosen = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise Stop(NOT_A_SETTING, found=word)
        if name not in known:
            raise Stop(NO_OPTION, found=name, known=", ".join(known))
        chosen[name] = option_value(value)
    return chosen


def check_preset(name: str | None) -> None:
    """Stop: no game has such a preset."""
    if name is None:
        return
    known = [preset for game in names() for preset in presets(game)]
    if name not in known:
        raise Stop(NO_PRESET, found=name, known=", ".join(known))


def tell(
    t: Translate,
    batches: Iterable[Batch],
    preset: str | None,
    options: dict[str, Any],
    tally: Tally,
    as_objects: bool,
) -> None:
    """Check every match under its own rules and under the others, and say what differs."""
    for batch in batches:
        for trouble in batch.troubles:
            _one(t, trouble_report(trouble), None, None, [], tally, as_objects)
        for log in batch.texts:
            before, after, changes = otherwise(log.text, preset, options)
            report = _report(batch.file, log, after)
            _one(t, report, before, after, changes, tally, as_objects)


def _report(file: str, log: Log, after: Explained) -> MatchReport:
    own = after.match.id if after.match else None
    return MatchReport(file, log.line, own, after.match_id, after.status, after.findings)


def _one(
    t: Translate,
    report: MatchReport,
    before: Explained | None,
    after: Explained | None,
    changes: list[Change],
    tally: Tally,
    as_objects: bool,
) -> None:
    tally.add(report)
    if as_objects:
        told = [
            {"what": one.what, "deal": one.deal, "before": one.before, "after": one.after}
            for one in changes
        ]
        line = report.as_dict(t) | {"changes": told}
        sys.stdout.write(as_json(line) + "\n")
        return
    lines = [head(t, report)]
    if before is not None and after is not None:
        lines += [_line(t, change, before, after) for change in changes]
    if before is not None and not changes:
        lines.append(Text("  " + t(SAME), style="dim"))
    known = [] if before is None else before.findings
    lines += [finding_line(t, finding) for finding in report.findings if finding not in known]
    console().print(Text("\n").join(lines))


def _line(t: Translate, change: Change, before: Explained, after: Explained) -> Text:
    style = STYLE[change.after] if change.what == "status" else ""
    return Text("  " + plain(speak_change(t, change, before, after)), style=style)
