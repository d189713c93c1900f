"""Several logs of one match put together: what they agree on is certain, what differs is told.

Nothing is weighed: where two logs say two things neither is taken, and the match is not written.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from engine.acts import ACT_MASK
from engine.cards import HIDDEN, UNTOLD
from engine.faults import IMPOSSIBLE
from ingest.finding.finding import Finding
from ingest.judge.document import model
from ingest.judge.explain import Explained, explained_match
from ingest.text.json import pointer
from schemas.deal import first_seat
from schemas.games import of as schemas_of
from schemas.table import Table
from schemas.words import encode

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
        """What it says further down."""
        return Side(self.source, self.path + pointer(part), self.value[part])

    def says(self, value: Any) -> "Side":
        """The same place, read otherwise."""
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


class Differences:
    """What was found to differ so far; each method gives the value to go on with."""

    def __init__(self) -> None:
        self.all: list[Difference] = []

    def differ(self, sides: Sides) -> None:
        """Tell that these do."""
        self.all.append(Difference(tuple(sides)))

    def value(self, sides: Sides) -> Any:
        """The one value there is; the first of several, None of none."""
        if any(side.value != sides[0].value for side in sides):
            self.differ(sides)
        return sides[0].value if sides else None

    def tree(self, sides: Sides) -> Any:
        """The same of objects key by key: what one of them leaves out the other tells."""
        if not sides or not all(isinstance(side.value, dict) for side in sides):
            return self.value(sides)
        keys = dict.fromkeys(key for side in sides for key in side.value)
        return {key: self.tree(of(sides, key)) for key in keys}

    def items(self, sides: Sides, *, longer: bool) -> list[Any]:
        """The same of lists item by item; `longer`: one may go on where another ends."""
        lengths = {len(side.value) for side in sides}
        if len(lengths) > 1 and not longer:
            self.differ(sides)
            return []
        return [
            self.tree([side.at(i) for side in sides if i < len(side.value)])
            for i in range(max(lengths))
        ]


def of(sides: Sides, key: str) -> list[Side]:
    """What those say of a key that say something of it."""
    return [side.at(key) for side in sides if side.value.get(key) is not None]


COUNTING = ("times", "comments")
"""Keys that count actions."""


def deal(found: Differences, laid: Table, sides: Sides) -> dict[str, Any]:
    """The deal some logs tell; the value of each side is its deal, cards in one way in all."""
    made: dict[str, Any] = {}
    for key in dict.fromkeys(key for side in sides for key in side.value):
        own = of(sides, key)
        if key in COUNTING or not own:
            continue
        if key in ("deck", "talon"):
            made[key] = _row(found, own)
        elif key == "hands":
            made[key] = _hands(found, own)
        elif key == "actions" or key.startswith("_"):
            made[key] = own[0].value
        else:
            made[key] = found.tree(own)
    _void(found, sides)
    if any(side.value.get("actions") for side in sides):
        acts = Acts(found, laid, of(sides, "actions"))
        made["actions"] = acts.merged
        whole = [side for side in sides if len(side.value.get("actions", ())) == len(acts.merged)]
        if times := [side.value["times"] for side in whole if side.value.get("times") is not None]:
            made["times"] = max(times, key=lambda one: len(one) == len(acts.merged))
        if comments := _comments(sides, acts):
            made["comments"] = comments
    return made


def weighs(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two deals, cards told in one way, have anything in common: acts, points or a card."""
    if any(one.get(key) and other.get(key) for key in ("actions", "points")):
        return True
    return bool(_cards(one) & _cards(other))


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


def _void(found: Differences, sides: Sides) -> None:
    """A deal that counts in one log and not in another."""
    void = [side for side in sides if side.value.get("void")]
    counted = [
        side
        for side in sides
        if side not in void and (side.value.get("points") or side.value.get("winner") is not None)
    ]
    if void and counted:
        places = ((side, side.value.get("void")) for side in (void[0], counted[0]))
        found.differ([Side(side.source, f"{side.path}/void", said) for side, said in places])


def _row(found: Differences, sides: Sides) -> str:
    """Cards in their order: what one does not know the other may."""
    told = [side.says(side.value.split(" ")) for side in sides if side.value != UNTOLD]
    if not told:
        return UNTOLD
    if any(len(side.value) != len(told[0].value) for side in told):
        found.differ(sides)
        return UNTOLD
    made = []
    for place in range(len(told[0].value)):
        known = [side.says(side.value[place]) for side in told if side.value[place] != UNTOLD]
        if any(side.value != known[0].value for side in known):
            found.differ(known)  # where they begin to; the rest would be told again and again
            return UNTOLD
        made.append(known[0].value if known else UNTOLD)
    return " ".join(made)


def _hands(found: Differences, sides: Sides) -> list[str]:
    """The hands of all seats."""
    if any(len(side.value) != len(sides[0].value) for side in sides):
        found.differ(sides)
        return []
    seats = range(len(sides[0].value))
    return [_hand(found, [side.at(seat) for side in sides]) for seat in seats]


def _hand(found: Differences, sides: Sides) -> str:
    """One hand, in whatever order each log has it: every card that one of them knows is there."""
    told = [side.says(side.value.split(" ")) for side in sides if side.value != UNTOLD]
    if not told:
        return UNTOLD
    made = list(min(told, key=lambda side: side.value.count(UNTOLD)).value)
    others = dict.fromkeys(
        card for side in told for card in side.value if card not in (*made, UNTOLD)
    )
    if len({len(side.value) for side in told}) > 1 or len(others) > made.count(UNTOLD):
        found.differ([side for side in sides if side.value != UNTOLD])
        return UNTOLD
    for card in others:
        made[made.index(UNTOLD)] = card
    return " ".join(made)


def _comments(sides: Sides, acts: "Acts") -> list[dict[str, Any]]:
    """What all of them remark, each once, at its place among the acts put together."""
    made: list[dict[str, Any]] = []
    for side in sides:
        for told in side.value.get("comments") or ():
            moved = acts.after.get((side.source, told["after"]), told["after"])
            comment = {**told, "after": moved}
            if comment not in made:
                made.append(comment)
    return made


class _Told:
    """The acts of one log, and before each of them and after the last the draws it tells."""

    def __init__(self, laid: Table, side: Side) -> None:
        self.acts: list[Side] = []
        self.draws: list[list[Side]] = [[]]
        name, acts = laid.game.name, laid.game.acts
        for at, word in enumerate(side.value):
            code = encode(name, word, laid.faces)
            if acts.DRAW >= 0 and acts.kind_of_act(code & ACT_MASK) == "draw":
                self.draws[-1].append(side.at(at))
            else:
                self.acts.append(side.at(at))
                self.draws.append([])


class Acts:
    """The acts of a deal put together: a log may end early, tell no draws, or not their cards."""

    def __init__(self, found: Differences, laid: Table, sides: Sides) -> None:
        self.found = found
        self.merged: list[str] = []
        self.after: dict[tuple[Source, int], int] = {}
        """How many acts of a log are done → how many of those put together."""
        told = [_Told(laid, side) for side in sides]
        for at in range(max(len(one.acts) for one in told) + 1):
            reached = [one for one in told if len(one.acts) >= at]
            going = [one.acts[at] for one in reached if len(one.acts) > at]
            if not self._draws([one for one in reached if any(one.draws)], at):
                return
            if going and not self._act(going):
                return

    def _draws(self, told: list[_Told], at: int) -> bool:
        """The draws before an act; False, and it is told, where they differ."""
        for place in range(max((len(one.draws[at]) for one in told), default=0)):
            draws = [one.draws[at][place] for one in told if len(one.draws[at]) > place]
            without = [one for one in told if len(one.draws[at]) <= place]
            if others := [one.acts[at] for one in without if len(one.acts) > at]:
                self.found.differ([*draws, *others])
                return False
            if not self._act(draws):
                return False
        return True

    def _act(self, sides: Sides) -> bool:
        """One act, by the logs that have it; of a draw, the card that one of them knows."""
        known = [side for side in sides if not side.value.endswith(" " + UNTOLD)] or sides
        seats = {side.value.split(" ")[0] for side in sides}
        if len(seats) > 1 or len({side.value for side in known}) > 1:
            self.found.differ(sides)
            return False
        self.merged.append(known[0].value)
        for side in sides:
            own = int(side.path.rpartition("/")[2])
            self.after[side.source, own + 1] = len(self.merged)
        return True


OWN = ("id", "source")
"""Keys each log of a match may have in its own way: the first that has one is heard."""
MEANT = ("rules", "start")
"""Keys that mean something where they are left out, too."""


class Told(NamedTuple):
    """One log: where it was read, its JSON value, and how a check explains it."""

    source: Source
    log: dict[str, Any]
    explained: Explained

    @property
    def table(self) -> Table:
        """What its deals are read with."""
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
    either: list[Source]
    """Logs of several matches, any of which this one may be of."""
    near: Sequence[Near] = ()
    """Matches that were met before and look like this one."""


def merge(logs: Iterable[Told]) -> list[Merged]:
    """The matches some logs tell, each put together from all its logs, in the order met.

    Logs of one match have one id; where one of two has none, the same players and deals that agree.
    A file tells a match once.
    """
    groups: list[list[Told]] = []
    near: list[list[Near]] = []
    unclear: list[Merged] = []
    for told in logs:
        fits = _fitting(groups, told)
        if len(fits) > 1:
            unclear.append(Merged([told], None, [], [group[0].source for group in fits]))
        elif fits:
            fits[0].append(told)
        else:
            near.append(_near(groups, told))
            groups.append([told])
    merged = (_merged(group) for group in groups)
    return [one._replace(near=beside) for one, beside in zip(merged, near, strict=True)] + unclear


def _fitting(groups: list[list[Told]], told: Told) -> list[list[Told]]:
    """The matches a log may tell."""
    named = [one for one in _elsewhere(groups, told) if told.log.get("id") in _ids(one)]
    unnamed = _unnamed(groups, told)
    return named if len(named) == 1 else [one for one in named or unnamed if _agree(one, told)]


def _elsewhere(groups: list[list[Told]], told: Told) -> list[list[Told]]:
    """The matches that no log of the same file tells."""
    return [group for group in groups if all(one.source.file != told.source.file for one in group)]


def _ids(group: list[Told]) -> set[str]:
    return {one.log["id"] for one in group if one.log.get("id") is not None}


def _unnamed(groups: list[list[Told]], told: Told) -> list[list[Told]]:
    """The matches that no id tells apart from a log."""
    named = told.log.get("id") is not None
    return [one for one in _elsewhere(groups, told) if not (named and _ids(one))]


def _near(groups: list[list[Told]], told: Told) -> list[Near]:
    """The matches that differ from a log in nothing that was played."""
    found = []
    for group in _unnamed(groups, told):
        heads = Differences()
        if _shared(group, told) and _one_deck([*group, told]):
            _head(heads, [*group, told])
            deals = Differences()
            _deals(deals, [*group, told])
            if heads.all and not deals.all:
                found.append(Near(group[0].source, heads.all))
    return found


def _agree(group: list[Told], told: Told) -> bool:
    """Whether a log has the players of a match, agrees with all of it, and tells some of it."""
    return _shared(group, told) and not _put_together([*group, told])[1]


def _shared(group: list[Told], told: Told) -> bool:
    """Whether a log has the players of a match, and tells some of it."""
    seated = [[player["id"] for player in one.log["players"]] for one in (*group, told)]
    if any(one.log["game"] != told.log["game"] for one in group):
        return False
    if any(players != seated[0] for players in seated):
        return False
    pairs = ((one, index) for one in group for index in range(_fewest((one, told))))
    return any(
        weighs(one.deal(index, True).value, told.deal(index, True).value) for one, index in pairs
    )


def _fewest(told: Iterable[Told]) -> int:
    return min(len(one.log["deals"]) for one in told)


def _merged(told: list[Told]) -> Merged:
    """One match from its logs; a log alone stays as it is."""
    if len(told) == 1:
        return Merged(told, told[0].log, [], [])
    log, differences = _put_together(told)
    if not differences:
        differences = _impossible(told, log)
    return Merged(told, None if differences else log, differences, [])


def _put_together(told: list[Told]) -> tuple[dict[str, Any], list[Difference]]:
    """All that logs of one match say, and what differs in it."""
    found = Differences()
    log = _head(found, told)
    if not found.all:
        log["deals"] = _deals(found, told)
    return log, found.all


def _deals(found: Differences, told: list[Told]) -> list[dict[str, Any]]:
    """The deals, each by all logs that have it."""
    deals = []
    for index in range(max(len(one.log["deals"]) for one in told)):
        having = [one for one in told if index < len(one.log["deals"])]
        packs = {one.log["deals"][index].get("deck") is not None for one in having}
        sides = [one.deal(index, len(packs) > 1) for one in having]
        deals.append(deal(found, told[0].table, sides))
    return deals


def _head(found: Differences, told: list[Told]) -> dict[str, Any]:
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
            if not _meant_alike(told, key):
                absent = [Side(one.source, pointer(key), one.log.get(key)) for one in told]
                found.differ(absent)
            made[key] = sides[0].value
        elif key in OWN or key.startswith("_") or (key == "deck" and _one_deck(told)):
            made[key] = sides[0].value
        elif key in ("players", "cuts"):
            made[key] = found.items(sides, longer=key == "cuts")
        else:
            made[key] = found.tree(sides)
    return made


def _meant_alike(told: list[Told], key: str) -> bool:
    """Whether all logs mean the same by a key, written or not."""
    if key == "rules":
        return all(one.table.settings == told[0].table.settings for one in told)
    return all(one.log.get(key) == told[0].log.get(key) for one in told)


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
        findings = [
            one
            for one in explained_match(match, "", findings).findings
            if one.code in tables
            and tables[one.code].gravity == IMPOSSIBLE
            and not all(_has(log, one) for log in told)
        ]
    return [Difference(sides, finding) for finding in findings]


def _has(told: Told, finding: Finding) -> bool:
    """Whether a check of one log alone finds this, too."""
    place = (finding.code, finding.path)
    return any((one.code, one.path) == place for one in told.explained.findings)
