"""Merges several logs of one match and reports where they differ.

Retourne does not choose between logs: if two logs differ, it reports both and writes no match.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from engine.actions import ACT_MASK
from engine.cards import HIDDEN_CARD, HIDDEN_WORD
from ingest.findings.finding import Finding
from ingest.reader.json_text import json_pointer
from ingest.validate.parse_document import match_of_json
from ingest.validate.slow_path import ValidationResult, validate_match
from schemas.deal_decoder import opening_seat
from schemas.games import schemas_of
from schemas.match_hash import draw_acts
from schemas.match_setup import MatchSetup
from schemas.notation import encode_action

PLACE_PATTERN = re.compile(r"/deals/(\d+)(?:/actions/(\d+))?")


class LogSource(NamedTuple):
    """The file and line of a log."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class LogValue:
    """A value of one log with its position; `path` is a JSON pointer."""

    source: LogSource
    path: str
    value: Any

    def child(self, key: str | int) -> "LogValue":
        return LogValue(self.source, self.path + json_pointer(key), self.value[key])

    def with_value(self, value: Any) -> "LogValue":
        return LogValue(self.source, self.path, value)


LogValues = Sequence[LogValue]


@dataclass(frozen=True, slots=True)
class Difference:
    """A value in which the logs of a match differ."""

    values: tuple[LogValue, ...]
    combined_finding: Finding | None = None
    """An impossible finding of the merged match; None if the logs themselves differ."""

    @property
    def path(self) -> str:
        """A JSON pointer into the first log, or into the merged log."""
        return self.values[0].path if self.combined_finding is None else self.combined_finding.path

    @property
    def deal(self) -> int | None:
        """The deal, from 0; None for the whole match."""
        place = PLACE_PATTERN.match(self.path)
        return int(place[1]) if place else None

    @property
    def action(self) -> int | None:
        """The action in the first log, from 0; None if it is not about an action."""
        place = PLACE_PATTERN.match(self.path)
        return int(place[2]) if place and place[2] else None


def _merge_trees(differences: list[Difference], values: LogValues) -> Any:
    """Merge values, objects key by key; if they differ, add to `differences` and take the first."""
    if values and all(isinstance(side.value, dict) for side in values):
        keys = dict.fromkeys(key for side in values for key in side.value)
        return {key: _merge_trees(differences, values_of_key(values, key)) for key in keys}
    if any(side.value != values[0].value for side in values):
        differences.append(Difference(tuple(values)))
    return values[0].value if values else None


def values_of_key(values: LogValues, key: str) -> list[LogValue]:
    """Return the values of a key in the objects that have it."""
    return [side.child(key) for side in values if side.value.get(key) is not None]


COUNTED_KEYS = ("times", "comments")  # keys that refer to actions by their number


def merge_deal(differences: list[Difference], setup: MatchSetup, values: LogValues) -> dict[str, Any]:
    """Merge the deals in `values`, which all record cards in the same way (pack or hands)."""
    made: dict[str, Any] = {}
    for key in dict.fromkeys(key for side in values for key in side.value):
        own = values_of_key(values, key)
        if key in COUNTED_KEYS or not own:
            continue
        if key in ("deck", "talon"):
            made[key] = _merge_rows(differences, own)
        elif key == "hands" and len({len(side.value) for side in own}) > 1:
            differences.append(Difference(tuple(own)))
        elif key == "hands":
            seats = range(len(own[0].value))
            made[key] = [_merge_hands(differences, [side.child(seat) for side in own]) for seat in seats]
        elif key == "actions" or key.startswith("_"):
            made[key] = own[0].value
        else:
            made[key] = _merge_trees(differences, own)
    # void in one log, counted in another
    void = [side for side in values if side.value.get("void")]
    others = [(side, side.value.get("winner") is not None) for side in values if side not in void]
    counted = [side for side, won in others if won or side.value.get("points")]
    if void and counted:
        both = (void[0], counted[0])
        paths = [LogValue(one.source, f"{one.path}/void", one.value.get("void")) for one in both]
        differences.append(Difference(tuple(paths)))
    if any(side.value.get("actions") for side in values):
        merged, after = _merge_actions(differences, setup, values_of_key(values, "actions"))
        made["actions"] = merged
        whole = [side for side in values if len(side.value.get("actions", ())) == len(merged)]
        if times := [side.value["times"] for side in whole if side.value.get("times") is not None]:
            made["times"] = max(times, key=lambda one: len(one) == len(merged))
        # all comments without duplicates, renumbered for the merged actions
        comments: list[dict[str, Any]] = []
        for side in values:
            for item in side.value.get("comments") or ():
                comment = {**item, "after": after.get((side.source, item["after"]), item["after"])}
                if comment not in comments:
                    comments.append(comment)
        if comments:
            made["comments"] = comments
    return made


def _merge_rows(differences: list[Difference], values: LogValues) -> str:
    """Merge cards in order; one log may know cards that another does not."""
    items = [side.with_value(side.value.split(" ")) for side in values if side.value != HIDDEN_WORD]
    if len({len(side.value) for side in items}) > 1:
        differences.append(Difference(tuple(values)))
    if len({len(side.value) for side in items}) != 1:
        return HIDDEN_WORD
    made = []
    for place in range(len(items[0].value)):
        known = [side.with_value(side.value[place]) for side in items if side.value[place] != HIDDEN_WORD]
        if any(side.value != known[0].value for side in known):
            # only the first difference: the rest would repeat it
            differences.append(Difference(tuple(known)))
            return HIDDEN_WORD
        made.append(known[0].value if known else HIDDEN_WORD)
    return " ".join(made)


def _merge_hands(differences: list[Difference], values: LogValues) -> str:
    """Merge one hand, in any order, from all cards that any log knows."""
    known = [side for side in values if side.value != HIDDEN_WORD]
    if not known:
        return HIDDEN_WORD
    items: list[list[str]] = [side.value.split(" ") for side in known]
    made = min(items, key=lambda cards: cards.count(HIDDEN_WORD)).copy()
    others = dict.fromkeys(card for cards in items for card in cards if card not in (*made, HIDDEN_WORD))
    if len(set(map(len, items))) > 1 or len(others) > made.count(HIDDEN_WORD):
        differences.append(Difference(tuple(known)))
        return HIDDEN_WORD
    for card in others:
        made[made.index(HIDDEN_WORD)] = card
    return " ".join(made)


def _merge_actions(
    differences: list[Difference], setup: MatchSetup, values: LogValues
) -> tuple[list[str], dict[tuple[LogSource, int], int]]:
    """Merge actions; also map (log, its action count so far) to the merged count."""
    # a log may end early, omit draws, or omit the drawn cards
    merged: list[str] = []
    after: dict[tuple[LogSource, int], int] = {}

    def agree(sides: LogValues) -> bool:
        """Append an action if all logs with it agree; a draw takes the card that is known."""
        known = [side for side in sides if not side.value.endswith(" " + HIDDEN_WORD)] or sides
        seats = {side.value.split(" ")[0] for side in sides}
        if len(seats) > 1 or len({side.value for side in known}) > 1:
            differences.append(Difference(tuple(sides)))
            return False
        merged.append(known[0].value)
        for side in sides:
            after[side.source, int(side.path.rpartition("/")[2]) + 1] = len(merged)
        return True

    items: list[tuple[list[LogValue], list[list[LogValue]]]] = []
    for side in values:  # a log's acts, and its draws before each act and after the last
        acts, draws = list[LogValue](), [list[LogValue]()]
        for at, word in enumerate(side.value):
            code = encode_action(setup.game.name, word, setup.faces)
            if setup.game.acts.FIRST_DRAW >= 0 and setup.game.acts.kind_of_act(code & ACT_MASK) == "draw":
                draws[-1].append(side.child(at))
            else:
                acts.append(side.child(at))
                draws.append([])
        items.append((acts, draws))
    for at in range(max(len(acts) for acts, _ in items) + 1):
        drew = [(acts, draws[at]) for acts, draws in items if len(acts) >= at and any(draws)]
        for place in range(max((len(draws) for _, draws in drew), default=0)):
            drawn = [draws[place] for _, draws in drew if len(draws) > place]
            others = [acts[at] for acts, draws in drew if len(draws) <= place and len(acts) > at]
            if others:
                differences.append(Difference((*drawn, *others)))
                return merged, after
            if not agree(drawn):
                return merged, after
        going = [acts[at] for acts, _ in items if len(acts) > at]
        if going and not agree(going):
            break
    return merged, after


PER_LOG_KEYS = ("id", "source")  # may differ between logs: the first value counts
RULE_KEYS = ("rules", "start")  # have a meaning even if absent


class MatchLog(NamedTuple):
    """A log: its source, its JSON value, and its validation result."""

    source: LogSource
    log: dict[str, Any]
    result: ValidationResult

    @property
    def setup(self) -> MatchSetup:
        assert self.result.setup is not None  # callers merge only valid matches
        return self.result.setup

    @property
    def deals(self) -> list[Any]:
        """The deals; a log with only a result may have none."""
        return self.log.get("deals") or []

    def deal_value(self, index: int, as_hands: bool) -> LogValue:
        """Return a deal; `as_hands` converts a pack to hands and talon."""
        result = self.deals[index]
        decoded = self.result.decoded[index]
        if as_hands and result.get("deck") is not None and decoded.deck is not None:
            row = np.array(decoded.deck, np.uint8)
            row[list(decoded.hidden)] = HIDDEN_CARD
            assert self.result.match is not None
            dealer = opening_seat(self.result.match.deals[index])[0] - 1
            actions = result.get("actions", ())
            cards = schemas_of(self.log["game"]).write_row(self.setup, dealer, row, True, actions)
            result = cards | {key: value for key, value in result.items() if key != "deck"}
        return LogValue(self.source, json_pointer("deals", index), result)


class SimilarMatch(NamedTuple):
    """A match with the same deals as a log, and the differences that separate the two."""

    other: LogSource
    differences: list[Difference]


class MergedMatch(NamedTuple):
    """A match and its logs; `log` is None if they could not be merged."""

    logs: list[MatchLog]
    log: dict[str, Any] | None
    differences: list[Difference]
    ambiguous_sources: list[LogSource]  # matches to any of which this log may belong
    similar: Sequence[SimilarMatch] = ()  # earlier matches that look like this one


def merge_logs(logs: Iterable[MatchLog]) -> list[MergedMatch]:
    """Group logs by match and merge each group, in order of first appearance.

    Logs of one match share an id; if one has none, players and deals must agree, and under other ids
    all acts must. Two logs of one file are never the same match.
    """
    groups: list[list[MatchLog]] = []
    near: list[list[SimilarMatch]] = []
    unclear: list[MergedMatch] = []
    for item in logs:
        own, file = item.log.get("id"), item.source.file
        named, unnamed = list[list[MatchLog]](), list[list[MatchLog]]()
        for group in groups:
            if all(one.source.file != file for one in group):
                ids = {one.log.get("id") for one in group} - {None}
                if own in ids:
                    named.append(group)
                if own is None or not ids or _have_same_acts(group[0], item):
                    unnamed.append(group)
        fits = named
        if len(named) != 1:  # no unique id: compare players and deals
            alike = (group for group in named or unnamed if _is_same_match(group, item))
            fits = [group for group in alike if not _merge_match([*group, item])[1]]
        if len(fits) > 1:
            unclear.append(MergedMatch([item], None, [], [group[0].source for group in fits]))
        elif fits:
            fits[0].append(item)
        else:
            near.append([])
            for group in unnamed:  # similar: the heads differ, the deals do not
                both = [*group, item]
                heads, deals = list[Difference](), list[Difference]()
                if _is_same_match(group, item) and _has_same_deck(both):
                    _merge_head(heads, both)
                    _merge_deals(deals, both)
                if heads and not deals:
                    near[-1].append(SimilarMatch(group[0].source, heads))
            groups.append([item])
    made = []
    for group, other in zip(groups, near, strict=True):
        log: dict[str, Any] | None = group[0].log  # a single log stays unchanged
        differences: list[Difference] = []
        if len(group) > 1:
            whole, differences = _merge_match(group)
            differences = differences or _impossible_differences(group, whole)
            log = None if differences else whole
        made.append(MergedMatch(group, log, differences, [], other))
    return made + unclear


def _is_same_match(group: list[MatchLog], candidate: MatchLog) -> bool:
    """Return whether a log has a match's players and at least some of its play."""

    def seated(one: MatchLog) -> tuple[str, list[str]]:
        return one.log["game"], [player["id"] for player in one.log["players"]]

    if any(seated(one) != seated(candidate) for one in group):
        return False
    for one in group:
        for index in range(min(len(one.deals), len(candidate.deals))):
            deals = one.deal_value(index, True).value, candidate.deal_value(index, True).value
            # both have actions, both have points, or a card in common
            if any(all(deal.get(key) for deal in deals) for key in ("actions", "points")):
                return True
            if set.intersection(*map(_known_cards, deals)):
                return True
    return False


def _have_same_acts(one: MatchLog, other: MatchLog) -> bool:
    """Whether all deals of two logs have the same acts, draws aside, and two tricks or more were played."""
    draws, known = draw_acts(one.setup.game.name), one.setup.game.acts
    acts, others = (
        [[code for code in deal.codes if not draws[code & ACT_MASK]] for deal in log.result.decoded]
        for log in (one, other)
    )
    every = [code & ACT_MASK for deal in acts for code in deal]
    played = sum(act < known.ACT_COUNT and known.kind_of_act(act) == "play" for act in every)
    return acts == others and all(acts) and played >= 2 * one.setup.players


def _known_cards(deal_log: dict[str, Any]) -> set[tuple[str, int, str]]:
    """Return the known cards of a deal, each with its place."""
    rows = [("deck", deal_log.get("deck") or ""), ("talon", deal_log.get("talon") or "")]
    rows += [(f"hand {seat}", hand) for seat, hand in enumerate(deal_log.get("hands") or ())]
    return {
        (where, 0 if where.startswith("hand") else place, card)
        for where, cards in rows
        for place, card in enumerate(cards.split(" "))
        if card not in ("", HIDDEN_WORD)
    }


def _merge_match(logs: list[MatchLog]) -> tuple[dict[str, Any], list[Difference]]:
    """Merge logs of one match; return the merged log and the differences."""
    found = list[Difference]()
    log = _merge_head(found, logs)
    if not found and any("deals" in one.log for one in logs):
        log["deals"] = _merge_deals(found, logs)
    return log, found


def _merge_deals(differences: list[Difference], logs: list[MatchLog]) -> list[dict[str, Any]]:
    deals = []
    for index in range(max(len(one.deals) for one in logs)):
        having = [one for one in logs if index < len(one.deals)]
        packs = {one.deals[index].get("deck") is not None for one in having}
        sides = [one.deal_value(index, len(packs) > 1) for one in having]
        deals.append(merge_deal(differences, logs[0].setup, sides))
    return deals


def _merge_head(differences: list[Difference], logs: list[MatchLog]) -> dict[str, Any]:
    heads = [LogValue(one.source, "", one.log) for one in logs]
    made: dict[str, Any] = {}
    for key in dict.fromkeys(key for side in heads for key in side.value):
        sides = values_of_key(heads, key)
        if key == "deals":
            made[key] = []
        elif not sides:
            continue
        elif key in RULE_KEYS:
            meant = [one.setup.settings if key == "rules" else one.log.get(key) for one in logs]
            if any(one != meant[0] for one in meant):
                items = [LogValue(one.source, json_pointer(key), one.log.get(key)) for one in logs]
                differences.append(Difference(tuple(items)))
            made[key] = sides[0].value
        elif key in PER_LOG_KEYS or key.startswith("_") or (key == "deck" and _has_same_deck(logs)):
            made[key] = sides[0].value
        elif key == "players" and len({len(side.value) for side in sides}) > 1:
            differences.append(Difference(tuple(sides)))
            made[key] = []
        elif key in ("players", "cuts"):  # item by item; a log may have more cuts than another
            most = max(len(side.value) for side in sides)
            each = [[side.child(i) for side in sides if i < len(side.value)] for i in range(most)]
            made[key] = [_merge_trees(differences, one) for one in each]
        else:
            made[key] = _merge_trees(differences, sides)
    return made


def _has_same_deck(logs: list[MatchLog]) -> bool:
    """Return whether all logs have the same deck, by name or by its cards."""
    return all(one.setup.faces == logs[0].setup.faces for one in logs)


def _impossible_differences(logs: list[MatchLog], log: dict[str, Any]) -> list[Difference]:
    """Return impossible findings of a merged match, except those that every log has."""
    sides = tuple(LogValue(one.source, "", None) for one in logs)
    match, findings = match_of_json(log)
    if match is not None:
        game = logs[0].setup.game
        tables = {**game.match_faults.by_code, **game.faults.by_code}
        own = [{(one.code, one.path) for one in each.result.findings} for each in logs]
        alike = set.intersection(*own)  # reported by a check of each log too
        fresh = validate_match(match, "", findings).findings
        fresh = [one for one in fresh if one.code in tables and (one.code, one.path) not in alike]
        findings = [one for one in fresh if tables[one.code].is_impossible]
    return [Difference(sides, finding) for finding in findings]
