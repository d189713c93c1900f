"""`retourne check --rules … --set …`: the same logs under other rules, and what that changes."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.text import Text

from engine.games import names
from engine.options import UnknownRule, options, presets
from ingest.cli.report_text import STYLE, Tally, finding_line, head
from ingest.cli.terminal import Mistyped, Stop, console
from ingest.finding.finding import Finding
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained
from ingest.judge.otherwise import (
    Change,
    games_of,
    option_value,
    otherwise,
    speak_change,
)
from ingest.judge.report import MatchReport, trouble_report
from ingest.text.files import Batch
from ingest.text.files import Text as Log
from ingest.text.signs import as_json, plain

ALIKE = N_("These rules change nothing in the other matches: {n}.")
NOT_A_SETTING = N_("--set takes OPTION=VALUE, such as quinte=100, not {found}.")
NO_OPTION = N_("No such option: {found}. Known: {known}.")
NO_VALUE = N_("{what} cannot be {found}. Possible: {known}.")
NOT_THESE_RULES = N_("These rules have no option {found}. Known: {known}.")
NO_PRESET = N_("No such preset: {found}. Known: {known}.")
SAME = N_("These rules change nothing.")
PASSED = N_("Matches whose game does not have these rules: {n}.")


def settings_of(words: Sequence[str]) -> dict[str, Any]:
    """Options from `--set` words. Stop: a word that is no setting, an option no game has."""
    known = sorted({option.name for game in names() for option in options(game)})
    chosen = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise Stop(NOT_A_SETTING, found=word)
        if name not in known:
            raise Mistyped(NO_OPTION, name, known, found=name, known=", ".join(known))
        chosen[name] = option_value(value)
    return chosen


def rules_asked(preset: str | None, words: Sequence[str]) -> dict[str, Any]:
    """The options of `--set` beside a preset. Stop: no game has such rules, or such a value."""
    check_preset(preset)
    chosen = settings_of(words)
    try:
        games_of(preset, chosen)
    except UnknownRule as error:
        known, found = ", ".join(error.known), str(error.found)
        if error.what == "option":
            raise Stop(NOT_THESE_RULES, found=found, known=known) from None
        raise Stop(NO_VALUE, what=error.what, found=found, known=known) from None
    return chosen


def check_preset(name: str | None) -> None:
    """Stop: no game has such a preset."""
    if name is None:
        return
    known = [preset for game in names() for preset in presets(game)]
    if name not in known:
        raise Mistyped(NO_PRESET, name, known, found=name, known=", ".join(known))


def tell(
    t: Translate,
    batches: Iterable[Batch],
    preset: str | None,
    options: dict[str, Any],
    tally: Tally,
    as_objects: bool,
) -> None:
    """Check every match under its own rules and under the others, and say what differs.

    As text the matches that stay as they are only counted.
    """
    told = alike = passed = 0
    having = games_of(preset, options)
    for batch in batches:
        for trouble in batch.troubles:
            tally.add(report := trouble_report(trouble))
            if as_objects:
                _tell(report, [], t)
            else:
                _show(t, report, [], report.findings)
        for log in batch.texts:
            told += 1
            before, after, changes = otherwise(log, preset, options)
            if other := before.match is not None and before.match.game not in having:
                after, changes = before, []  # what another game calls its rules is none of it
            tally.add(report := _report(batch.file, log, after))
            if as_objects:
                _tell(report, changes, t)
                continue
            new = [one for one in after.findings if one not in before.findings]
            if changes or new:
                _show(t, report, [_line(t, one, before, after) for one in changes], new)
            elif other:
                passed += 1
            else:
                alike += 1
    for text, count in ((PASSED, passed), (SAME if alike == told else ALIKE, alike)):
        if count and not as_objects:
            console().print(Text(t(text, n=count), style="dim"))


def _report(file: str, log: Log, after: Explained) -> MatchReport:
    own = after.match.id if after.match else None
    return MatchReport(file, log.line, own, after.match_id, after.status, after.findings)


def _tell(report: MatchReport, changes: list[Change], t: Translate) -> None:
    """An object, with what changes."""
    told = [
        {"what": one.what, "deal": one.deal, "before": one.before, "after": one.after}
        for one in changes
    ]
    sys.stdout.write(as_json(report.as_dict(t) | {"changes": told}) + "\n")


def _show(t: Translate, report: MatchReport, changes: list[Text], new: Iterable[Finding]) -> None:
    """A block: what changes, and the findings that come of it."""
    lines = [head(t, report), *changes, *(finding_line(t, one) for one in new)]
    console().print(Text("\n").join(lines))


def _line(t: Translate, change: Change, before: Explained, after: Explained) -> Text:
    style = STYLE[change.after] if change.what == "status" else ""
    return Text("  " + plain(speak_change(t, change, before, after)), style=style)
