"""Several logs of one match put together: what they agree on is certain, what differs is told.

Nothing is weighed: where two logs say two things neither is taken, and the match is not written.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from engine.actions import ACT_MASK
from engine.cards import HIDDEN, UNTOLD
from engine.faults import IMPOSSIBLE
from ingest.findings.finding import Finding
from ingest.reader.json_text import pointer
from ingest.validate.parse_document import model
from ingest.validate.slow_path import Explained, explained_match
from schemas.deal_codec import first_seat
from schemas.games import of as schemas_of
from schemas.match_setup import Table
from schemas.notation import encode

PLACE = re.compile(r"/deals/(\d+)(?:/actions/(\d+))?")


class Source(NamedTuple):
    """Where a log was read."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Side:
    """What one log says, and where in it; `path` is a JSON pointer."""

    source: Source
    path: str
    value: Any

    def at(self, part: str | int) -> "Side":
        return Side(self.source, self.path + pointer(part), self.value[part])

    def says(self, value: Any) -> "Side":
        return Side(self.source, self.path, value)


Sides = Sequence[Side]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that the logs of a match tell in two ways."""

    sides: tuple[Side, ...]
    together: Finding | None = None
    """What cannot be once all is put together, where no two of them tell the same thing."""

    @property
    def path(self) -> str:
        """Where: a JSON pointer into the first of the logs, or into all put together."""
        return self.sides[0].path if self.together is None else self.together.path

    @property
    def deal(self) -> int | None:
        """From 0; None where it is about the whole match."""
        place = PLACE.match(self.path)
        return int(place[1]) if place else None

    @property
    def action(self) -> int | None:
        """From 0, in the first of the logs; None where it is about no action."""
        place = PLACE.match(self.path)
        return int(place[2]) if place and place[2] else None


def _tree(found: list[Difference], sides: Sides) -> Any:
    """The value told, objects key by key; of several the first, and they are put in `found`."""
    if sides and all(isinstance(side.value, dict) for side in sides):
        keys = dict.fromkeys(key for side in sides for key in side.value)
        return {key: _tree(found, of(sides, key)) for key in keys}
    if any(side.value != sides[0].value for side in sides):
        found.append(Difference(tuple(sides)))
    return sides[0].value if sides else None


def of(sides: Sides, key: str) -> list[Side]:
    """What those say of a key that say something of it."""
    return [side.at(key) for side in sides if side.value.get(key) is not None]


COUNTING = ("times", "comments")  # keys that count actions


def deal(found: list[Difference], laid: Table, sides: Sides) -> dict[str, Any]:
    """The deal some logs tell; the value of each side is its deal, cards in one way in all."""
    made: dict[str, Any] = {}
    for key in dict.fromkeys(key for side in sides for key in side.value):
        own = of(sides, key)
        if key in COUNTING or not own:
            continue
        if key in ("deck", "talon"):
            made[key] = _row(found, own)
        elif key == "hands" and len({len(side.value) for side in own}) > 1:
            found.append(Difference(tuple(own)))
        elif key == "hands":
            seats = range(len(own[0].value))
            made[key] = [_hand(found, [side.at(seat) for side in own]) for seat in seats]
        elif key == "actions" or key.startswith("_"):
            made[key] = own[0].value
        else:
            made[key] = _tree(found, own)
    # a deal that counts in one log and not in another
    void = [side for side in sides if side.value.get("void")]
    others = [(side, side.value.get("winner") is not None) for side in sides if side not in void]
    counted = [side for side, won in others if won or side.value.get("points")]
    if void and counted:
        both = (void[0], counted[0])
        paths = [Side(one.source, f"{one.path}/void", one.value.get("void")) for one in both]
        found.append(Difference(tuple(paths)))
    if any(side.value.get("actions") for side in sides):
        merged, after = _acts(found, laid, of(sides, "actions"))
        made["actions"] = merged
        whole = [side for side in sides if len(side.value.get("actions", ())) == len(merged)]
        if times := [side.value["times"] for side in whole if side.value.get("times") is not None]:
            made["times"] = max(times, key=lambda one: len(one) == len(merged))
        # what all of them remark, each once, at its place among the acts put together
        comments: list[dict[str, Any]] = []
        for side in sides:
            for told in side.value.get("comments") or ():
                comment = {**told, "after": after.get((side.source, told["after"]), told["after"])}
                if comment not in comments:
                    comments.append(comment)
        if comments:
            made["comments"] = comments
    return made


def _row(found: list[Difference], sides: Sides) -> str:
    """Cards in their order: what one does not know the other may."""
    told = [side.says(side.value.split(" ")) for side in sides if side.value != UNTOLD]
    if len({len(side.value) for side in told}) > 1:
        found.append(Difference(tuple(sides)))
    if len({len(side.value) for side in told}) != 1:
        return UNTOLD
    made = []
    for place in range(len(told[0].value)):
        known = [side.says(side.value[place]) for side in told if side.value[place] != UNTOLD]
        if any(side.value != known[0].value for side in known):
            # where they begin to; the rest would be told again and again
            found.append(Difference(tuple(known)))
            return UNTOLD
        made.append(known[0].value if known else UNTOLD)
    return " ".join(made)


def _hand(found: list[Difference], sides: Sides) -> str:
    """One hand, in whatever order each log has it: every card that one of them knows is there."""
    known = [side for side in sides if side.value != UNTOLD]
    if not known:
        return UNTOLD
    told: list[list[str]] = [side.value.split(" ") for side in known]
    made = min(told, key=lambda cards: cards.count(UNTOLD)).copy()
    others = dict.fromkeys(card for cards in told for card in cards if card not in (*made, UNTOLD))
    if len(set(map(len, told))) > 1 or len(others) > made.count(UNTOLD):
        found.append(Difference(tuple(known)))
        return UNTOLD
    for card in others:
        made[made.index(UNTOLD)] = card
    return " ".join(made)


def _acts(
    found: list[Difference], laid: Table, sides: Sides
) -> tuple[list[str], dict[tuple[Source, int], int]]:
    """The acts put together, and how many of a log's acts are done → how many of those."""
    # a log may end early, tell no draws, or not their cards
    merged: list[str] = []
    after: dict[tuple[Source, int], int] = {}

    def agree(sides: Sides) -> bool:
        """One act more, by the logs that have it; of a draw, the card that one of them knows."""
        known = [side for side in sides if not side.value.endswith(" " + UNTOLD)] or sides
        seats = {side.value.split(" ")[0] for side in sides}
        if len(seats) > 1 or len({side.value for side in known}) > 1:
            found.append(Difference(tuple(sides)))
            return False
        merged.append(known[0].value)
        for side in sides:
            after[side.source, int(side.path.rpartition("/")[2]) + 1] = len(merged)
        return True

    told: list[tuple[list[Side], list[list[Side]]]] = []
    for side in sides:  # the acts of a log, and before each of them and after the last its draws
        acts, draws = list[Side](), [list[Side]()]
        for at, word in enumerate(side.value):
            code = encode(laid.game.name, word, laid.faces)
            if laid.game.acts.DRAW >= 0 and laid.game.acts.kind_of_act(code & ACT_MASK) == "draw":
                draws[-1].append(side.at(at))
            else:
                acts.append(side.at(at))
                draws.append([])
        told.append((acts, draws))
    for at in range(max(len(acts) for acts, _ in told) + 1):
        drew = [(acts, draws[at]) for acts, draws in told if len(acts) >= at and any(draws)]
        for place in range(max((len(draws) for _, draws in drew), default=0)):
            drawn = [draws[place] for _, draws in drew if len(draws) > place]
            others = [acts[at] for acts, draws in drew if len(draws) <= place and len(acts) > at]
            if others:
                found.append(Difference((*drawn, *others)))
                return merged, after
            if not agree(drawn):
                return merged, after
        going = [acts[at] for acts, _ in told if len(acts) > at]
        if going and not agree(going):
            break
    return merged, after


OWN = ("id", "source")  # each log of a match may have its own: the first that has one is heard
MEANT = ("rules", "start")  # mean something where they are left out, too


class Told(NamedTuple):
    """One log: where it was read, its JSON value, and how a check explains it."""

    source: Source
    log: dict[str, Any]
    explained: Explained

    @property
    def table(self) -> Table:
        assert self.explained.table is not None  # what is no match is not merged
        return self.explained.table

    def deal(self, index: int, as_hands: bool) -> Side:
        """A deal of it; `as_hands` tells a pack as hands and talon."""
        told = self.log["deals"][index]
        decoded = self.explained.decoded[index]
        if as_hands and told.get("deck") is not None and decoded.deck is not None:
            row = np.array(decoded.deck, np.uint8)
            row[list(decoded.hidden)] = HIDDEN
            assert self.explained.match is not None
            dealer = first_seat(self.explained.match.deals[index])[0] - 1
            cards = schemas_of(self.log["game"]).write(self.table, dealer, row, True)
            told = cards | {key: value for key, value in told.items() if key != "deck"}
        return Side(self.source, pointer("deals", index), told)


class Near(NamedTuple):
    """A match whose deals a log tells too, and what keeps the two apart."""

    other: Source
    differences: list[Difference]


class Merged(NamedTuple):
    """One match and the logs that tell it; `log` is None where it could not be put together."""

    told: list[Told]
    log: dict[str, Any] | None
    differences: list[Difference]
    either: list[Source]  # logs of several matches, any of which this one may be of
    near: Sequence[Near] = ()  # matches that were met before and look like this one


def merge(logs: Iterable[Told]) -> list[Merged]:
    """The matches some logs tell, each put together from all its logs, in the order met.

    Logs of one match have one id; where one of two has none, the same players and deals that agree.
    A file tells a match once.
    """
    groups: list[list[Told]] = []
    near: list[list[Near]] = []
    unclear: list[Merged] = []
    for told in logs:
        own, file = told.log.get("id"), told.source.file
        named, unnamed = list[list[Told]](), list[list[Told]]()
        for group in groups:
            if all(one.source.file != file for one in group):
                ids = {one.log.get("id") for one in group} - {None}
                if own in ids:
                    named.append(group)
                if own is None or not ids:
                    unnamed.append(group)
        fits = named
        if len(named) != 1:  # it has the players of a match, agrees with all of it, and tells some
            alike = (group for group in named or unnamed if _shared(group, told))
            fits = [group for group in alike if not _put_together([*group, told])[1]]
        if len(fits) > 1:
            unclear.append(Merged([told], None, [], [group[0].source for group in fits]))
        elif fits:
            fits[0].append(told)
        else:
            near.append([])
            for group in unnamed:  # a match that differs in nothing that was played
                both = [*group, told]
                heads, deals = list[Difference](), list[Difference]()
                if _shared(group, told) and _one_deck(both):
                    _head(heads, both)
                    _deals(deals, both)
                if heads and not deals:
                    near[-1].append(Near(group[0].source, heads))
            groups.append([told])
    made = []
    for group, beside in zip(groups, near, strict=True):
        log: dict[str, Any] | None = group[0].log  # a log alone stays as it is
        differences: list[Difference] = []
        if len(group) > 1:
            whole, differences = _put_together(group)
            differences = differences or _impossible(group, whole)
            log = None if differences else whole
        made.append(Merged(group, log, differences, [], beside))
    return made + unclear


def _shared(group: list[Told], told: Told) -> bool:
    """Whether a log has the players of a match, and tells some of it."""

    def seated(one: Told) -> tuple[str, list[str]]:
        return one.log["game"], [player["id"] for player in one.log["players"]]

    if any(seated(one) != seated(told) for one in group):
        return False
    for one in group:
        for index in range(min(len(one.log["deals"]), len(told.log["deals"]))):
            deals = one.deal(index, True).value, told.deal(index, True).value
            # acts, points or a card
            if any(all(deal.get(key) for deal in deals) for key in ("actions", "points")):
                return True
            if set.intersection(*map(_cards, deals)):
                return True
    return False


def _cards(told: dict[str, Any]) -> set[tuple[str, int, str]]:
    """The cards of a deal that are known, each with where it lies."""
    rows = [("deck", told.get("deck") or ""), ("talon", told.get("talon") or "")]
    rows += [(f"hand {seat}", hand) for seat, hand in enumerate(told.get("hands") or ())]
    return {
        (where, 0 if where.startswith("hand") else place, card)
        for where, cards in rows
        for place, card in enumerate(cards.split(" "))
        if card not in ("", UNTOLD)
    }


def _put_together(told: list[Told]) -> tuple[dict[str, Any], list[Difference]]:
    """All that logs of one match say, and what differs in it."""
    found = list[Difference]()
    log = _head(found, told)
    if not found:
        log["deals"] = _deals(found, told)
    return log, found


def _deals(found: list[Difference], told: list[Told]) -> list[dict[str, Any]]:
    deals = []
    for index in range(max(len(one.log["deals"]) for one in told)):
        having = [one for one in told if index < len(one.log["deals"])]
        packs = {one.log["deals"][index].get("deck") is not None for one in having}
        sides = [one.deal(index, len(packs) > 1) for one in having]
        deals.append(deal(found, told[0].table, sides))
    return deals


def _head(found: list[Difference], told: list[Told]) -> dict[str, Any]:
    """The keys of the match, the deals left empty in their place."""
    heads = [Side(one.source, "", one.log) for one in told]
    made: dict[str, Any] = {}
    for key in dict.fromkeys(key for side in heads for key in side.value):
        sides = of(heads, key)
        if key == "deals":
            made[key] = []
        elif not sides:
            continue
        elif key in MEANT:
            meant = [one.table.settings if key == "rules" else one.log.get(key) for one in told]
            if any(one != meant[0] for one in meant):
                said = [Side(one.source, pointer(key), one.log.get(key)) for one in told]
                found.append(Difference(tuple(said)))
            made[key] = sides[0].value
        elif key in OWN or key.startswith("_") or (key == "deck" and _one_deck(told)):
            made[key] = sides[0].value
        elif key == "players" and len({len(side.value) for side in sides}) > 1:
            found.append(Difference(tuple(sides)))
            made[key] = []
        elif key in ("players", "cuts"):  # item by item; some may have more cuts
            most = max(len(side.value) for side in sides)
            each = [[side.at(i) for side in sides if i < len(side.value)] for i in range(most)]
            made[key] = [_tree(found, one) for one in each]
        else:
            made[key] = _tree(found, sides)
    return made


def _one_deck(told: list[Told]) -> bool:
    """Whether all have the same cards, by name or card by card."""
    return all(one.table.faces == told[0].table.faces for one in told)


def _impossible(told: list[Told], log: dict[str, Any]) -> list[Difference]:
    """What of a match put together cannot be; what all of its logs have is told alike."""
    sides = tuple(Side(one.source, "", None) for one in told)
    match, findings = model(log)
    if match is not None:
        game = told[0].table.game
        tables = {**game.match_faults.by_code, **game.faults.by_code}
        own = [{(one.code, one.path) for one in each.explained.findings} for each in told]
        alike = set.intersection(*own)  # a check of each log alone finds this, too
        fresh = explained_match(match, "", findings).findings
        fresh = [one for one in fresh if one.code in tables and (one.code, one.path) not in alike]
        findings = [one for one in fresh if tables[one.code].gravity == IMPOSSIBLE]
    return [Difference(sides, finding) for finding in findings]
