"""Validates a log under other rules and lists what changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.games import game, game_names
from engine.options import UnknownRule, resolve_options
from ingest.i18n import N_, Translate
from ingest.reader.files import MatchText
from ingest.validate.batch import validate_text
from ingest.validate.match_checks import deal_winner
from ingest.validate.slow_path import ValidationResult

CHANGE_TEXTS = {
    "status": N_("{where}{before} → {after}"),
    "points": N_("{where}points {before} → {after}"),
    "winner": N_("{where}won by {before} → {after}"),
    "result": N_("{where}match won by {before} → {after}"),
}


@dataclass(slots=True)
class Change:
    """One difference: `field` is `status`, `points`, `winner`, or the match's `result`.

    `deal_index` is None for the whole match; winners are seats (sides) from 1, 0 for none.
    """

    field: str
    deal_index: int | None
    before: Any
    after: Any


def other_rules(rules: Any, preset: str | None, options: Mapping[str, Any]) -> Any:
    """Return a log's rules with another preset, other options, or both."""
    if preset is not None:
        changed: dict[str, Any] = {"preset": preset}
    else:
        changed = dict(rules) if isinstance(rules, dict) else {}
        if isinstance(rules, str):
            changed["preset"] = rules
    return changed | dict(options)


def games_with(preset: str | None, options: Mapping[str, Any]) -> list[str]:
    """Return the games that have a preset and options. UnknownRule: no game has them."""
    found, refused = [], list[UnknownRule]()
    for name in game_names():
        try:
            for players in game(name).players:
                resolve_options(name, other_rules(None, preset, options), players)
            found.append(name)
        except UnknownRule as error:
            refused.append(error)
    if not found:
        # report the error of the game that matched best
        raise max(refused, key=lambda error: {"preset": 0, "option": 1}.get(error.subject, 2))
    return found


def parse_option(text: str) -> Any:
    """Parse an option's value as typed: a number, `true`, `false` or a word."""
    if text.isascii() and text.removeprefix("-").isdigit() and len(text) < 10:
        return int(text)
    return {"true": True, "false": False}.get(text.lower(), text)


def what_if(
    text: MatchText, preset: str | None, options: Mapping[str, Any]
) -> tuple[ValidationResult, ValidationResult, list[Change]]:
    """Return a log's result under its own rules, under the other rules, and the changes."""
    before = validate_text(text)
    after = validate_text(text, lambda rules: other_rules(rules, preset, options))
    return before, after, result_changes(before, after)


def result_changes(before: ValidationResult, after: ValidationResult) -> list[Change]:
    """List the differences between two results of a match: by deal, then of the match."""
    found = []
    deals = zip(before.replays, after.replays, before.deal_status, after.deal_status, strict=False)
    for deal, (old, new, old_status, new_status) in enumerate(deals):
        if old_status != new_status:
            found.append(Change("status", deal, old_status, new_status))
        if old is None or new is None:
            continue
        if old.last.points != new.last.points:
            found.append(Change("points", deal, list(old.last.points), list(new.last.points)))
        both = deal_winner(old), deal_winner(new)
        if both[0] != both[1]:
            found.append(Change("winner", deal, *both))
    # the match's winner from 1, 0 for none; None while it is not over
    flows = (one.match_record for one in (before, after))
    won = [int(flow["winner"]) + 1 if flow is not None and flow["over"] else None for flow in flows]
    if won[0] != won[1]:
        found.append(Change("result", None, *won))
    if before.status != after.status:
        found.append(Change("status", None, before.status, after.status))
    return found


def describe_change(t: Translate, change: Change, before: ValidationResult, after: ValidationResult) -> str:
    """Describe a change in words: `deal 3 – points 112, 68 → 162, 68`."""

    def side(number: Any, explained: ValidationResult) -> str:
        if explained.match is None or explained.setup is None:
            return t("no one")
        names = [player.display_name for player in explained.match.players]
        return side_text(t, number, names, explained.setup.game.side_count(len(names)))

    return change_text(t, change, side(change.before, before), side(change.after, after))


def change_text(t: Translate, change: Change, before: str, after: str) -> str:
    """Describe a change; `before` and `after` are the winners' names."""
    where = "" if change.deal_index is None else t("deal {deal}", deal=change.deal_index + 1) + " – "
    fields = {"before": before, "after": after}
    if change.field == "status":
        fields = {"before": t(change.before), "after": t(change.after)}
    elif change.field == "points":
        both = {"before": change.before, "after": change.after}
        fields = {key: ", ".join(map(str, points)) for key, points in both.items()}
    return t(CHANGE_TEXTS[change.field], where=where, **fields)


def side_text(t: Translate, side: Any, names: Sequence[str], sides: int) -> str:
    """Return the names of the players of a side, from 1; empty for any other value."""
    if not isinstance(side, int) or not 1 <= side <= sides:
        return t("no one")
    return " + ".join(names[side - 1 :: sides])
