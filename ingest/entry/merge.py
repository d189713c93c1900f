"""Several logs of one match put together: what they agree on is certain, what differs is told.

Nothing is weighed: where two logs say two things neither is taken, and the match is not written.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from engine.cards import HIDDEN
from engine.faults import IMPOSSIBLE
from ingest.entry import merge_deal
from ingest.entry.agree import Difference, Differences, Side, Source, of
from ingest.finding.finding import Finding
from ingest.judge.document import model
from ingest.judge.explain import Explained, explained_match
from ingest.text.json import pointer
from schemas.deal import first_seat
from schemas.games import of as schemas_of
from schemas.table import Table

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
        merge_deal.weighs(one.deal(index, True).value, told.deal(index, True).value)
        for one, index in pairs
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
        deals.append(merge_deal.deal(found, told[0].table, sides))
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
