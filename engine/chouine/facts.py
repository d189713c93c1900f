"""Facts of ended deals in bulk, asked of the kernel: what is told of them beside their states."""

import numpy as np
from numpy.typing import NDArray

from engine.chouine.acts import COMBINATIONS, QUINTE
from engine.chouine.kernel import POINTS, alike, closed_at, seven, worth
from engine.compiled import compiled

Announcement = np.dtype(
    [
        ("deal", np.int64),
        ("worth", np.int32),  # its points, or what they would have been
        ("seat", np.int8),
        ("combination", np.int8),
        ("trick", np.int8),  # complete tricks when it was announced, -1 for never
        ("lead", np.bool_),  # by the one who led that trick
        ("closed", np.bool_),  # with nothing left to draw
        ("trump", np.bool_),  # of the suit that is trump in the end
        ("held", np.bool_),
        ("announced", np.bool_),
        ("shown", np.bool_),
        ("counted", np.bool_),
        ("missed", np.bool_),  # held, and neither it nor anything better of its suit said
    ],
    align=True,
)


def announcements(
    states: NDArray[np.void],
    rules: NDArray[np.void],
    rule_of: NDArray[np.int64],
    part: NDArray[np.bool_],
) -> NDArray[np.void]:
    """An `Announcement` for each combination held or announced, by deal, seat and combination.

    `rules[rule_of[i]]` are deal i's options. `part[i]`: cards of deal i were not written down, so
    that nobody knows what was held and not said, and only what counted was held for certain.
    """
    most = int(np.bitwise_count(states["held"] | states["announced"]).sum())
    found = np.zeros(most, Announcement)
    return found[: _announcements(states, rules, rule_of, part, found)]


@compiled
def _announcements(
    states: NDArray[np.void],
    rules: NDArray[np.void],
    rule_of: NDArray[np.int64],
    part: NDArray[np.bool_],
    found: NDArray[np.void],
) -> int:
    """Fill `found`; how many there are."""
    count = 0
    for deal in range(len(states)):
        state = states[deal]
        for seat in range(len(state.held)):
            held = state.counted[seat] if part[deal] else state.held[seat]
            said = state.announced[seat]
            if held | said == 0:
                continue
            for combination in range(COMBINATIONS):
                bit = 1 << combination
                if (held | said) & bit == 0:
                    continue
                counted = state.counted[seat] & bit != 0
                trump = combination < QUINTE and combination & 3 == state.trump
                doubled = state.doubled[seat] & bit != 0 if counted else trump
                better = alike(combination) & -(2 << combination)
                when = state.when[seat, combination]
                row = found[count]
                row.deal = deal
                row.seat = seat
                row.combination = combination
                row.worth = worth(rules[rule_of[deal]], combination, doubled)
                row.trick = when
                row.lead = when >= 0 and state.leads[when] == seat
                row.closed = when >= 0 and closed_at(state, when)
                row.trump = trump
                row.held = held & bit != 0
                row.announced = said & bit != 0
                row.shown = state.shown[seat] & bit != 0
                row.counted = counted
                row.missed = row.held and said & alike(combination) == 0 and held & better == 0
                count += 1
    return count


@compiled
def points_dealt(states: NDArray[np.void], found: NDArray[np.int32]) -> None:
    """Fill `found[i, card]`: the points of each card for whoever was dealt it or drew it.

    Once the 7 is exchanged it and the retourne count for each other: what came is asked, not
    what was made of it (CH-13).
    """
    for deal in range(len(states)):
        state = states[deal]
        for card in range(len(POINTS)):
            found[deal, card] = POINTS[card]
        if state.sept >= 0:
            found[deal, seven(state)] = POINTS[state.retourne]
            found[deal, state.retourne] = POINTS[seven(state)]
