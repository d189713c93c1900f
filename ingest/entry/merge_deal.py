"""One deal put together from the logs that tell it: its cards, its acts, what else they say."""

from typing import Any

from engine.acts import ACT_MASK
from engine.cards import UNTOLD
from ingest.entry.agree import Differences, Side, Sides, Source, of
from schemas.table import Table
from schemas.words import encode

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
