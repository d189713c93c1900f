"""What of a deal of Chouine is solved: the closed phase at two, under what every preset sets."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.chouine import kernel
from engine.compiled import is_compiled
from engine.solved import OPTION, REASONS, Judged, Unsolved

PLAYERS = 2
FAR = 10_000
"""Further than any margin."""


def ready() -> bool:
    """Whether it lies compiled, as far as its cache tells."""
    return is_compiled(kernel.start, "ends.begins", "endgame.judge", "ends.winners")


def refused(rules: np.void, players: int) -> Unsolved | None:
    """Three and four do not share what there is; some options hang announcements on each other."""
    if players != PLAYERS:
        return Unsolved("players", str(players))
    if not rules["one_per_suit"] and rules["announce_with"]:
        return Unsolved("option", "one_per_suit=false")
    if rules["one_per_play"]:
        return Unsolved("option", "one_per_play=true")
    if rules["announce_with"] and not rules["turn_up"]:
        return Unsolved("option", "announce_with=combination, turn_up=false")
    return None


def begins(states: NDArray[np.void]) -> int | None:
    """The first state in which nothing is left to draw (CH-8); None: the deal never got there."""
    from engine.chouine import ends

    first = ends.begins(states)
    return None if first < 0 else int(first)


def judge(states: NDArray[np.void], rules: np.void) -> Judged | Unsolved:
    """Every state of a closed phase, from its first on."""
    from engine.chouine import endgame, ends  # compiled for who solves alone

    if refused := ends.refuses(states[0], rules):
        return Unsolved(REASONS[refused], "one_per_suit=false" if refused == OPTION else "")
    margins, best, won = np.zeros((3, len(states)), np.int64)
    endgame.judge(states, rules, margins, best)
    ends.winners(states, margins, won)
    return Judged(int(ends.so_far(states[0])), margins, best, won)


def judge_all(*deals: Any) -> None:
    """The ends of many deals (`engine.values`)."""
    from engine.chouine import ends

    ends.judge_all(*deals)


def winner(state: np.void, rules: np.void, limit: int) -> int | None:
    """Who wins from any state on, the talon seen too; None under other rules, or given up.

    With a talon left it is solved where a card is turned up and announcements go with any card.
    """
    if state["over"] != kernel.OPEN:
        return 0 if state["winner"] < 0 else 1 - 2 * int(state["winner"])
    ahead = int(kernel.total(state, 0) - kernel.total(state, 1)) * _sign(state)
    found = _to_come(state, rules, -ahead - 1, 1 - ahead, limit)
    return None if found is None else int(np.sign(ahead + found)) * _sign(state)


def margin(state: np.void, rules: np.void, limit: int) -> int | None:
    """The same in points; beyond a thousand somebody wins by a chouine (CH-22)."""
    made = int(kernel.total(state, 0) - kernel.total(state, 1))
    if state["over"] == kernel.OVER:
        return made
    found = _to_come(state, rules, -FAR, FAR, limit)
    return None if found is None else made + _sign(state) * found


def _sign(state: np.void) -> int:
    return 1 - 2 * int(state["turn"])


def _to_come(state: np.void, rules: np.void, alpha: int, beta: int, limit: int) -> int | None:
    """What is to come for who has the turn, right within (alpha, beta)."""
    if refused(rules, int(state["players"])) is not None:
        return None
    simple = rules["turn_up"] and rules["one_per_suit"] and not rules["announce_with"]
    if state["over"] != kernel.OPEN or state["chouine"] >= 0 or state["to_draw"]:
        return None
    if state["drawn"] >= state["drawable"] and (state["on_table"] or not simple):
        judged = judge(np.array([state]), rules)
        if isinstance(judged, Unsolved):
            return None
        return (int(judged.margins[0]) - judged.made) * _sign(state)
    if not simple:
        return None
    from engine.chouine import cards_up

    value, given_up = cards_up.to_the_end(state, rules, alpha, beta, limit)
    return None if given_up else int(value)
