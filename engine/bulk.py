"""Loops over many actions and deals, compiled once per game.

A loop calls functions of a game's module, such as `step` or `close_deal`, by a global name. numba
does not cache closures, and recompiles functions passed as arguments in every process. So each game
gets a copy of the loop whose globals are the game's functions and whose module is the game's: numba
then compiles and caches it like the rest of the game.
"""

import sys
from types import FunctionType
from typing import Any

import numpy as np

from engine.actions import SEAT_SHIFT
from engine.games import NOT_DECLARED
from engine.jit import compiled
from engine.solver_results import IRREGULAR, NOT_REACHED, STOPPED

# placeholders for the functions and constants of the game's module
_set_by_game: Any = None
start = check = step = total = ACT_COUNT = IMPOSSIBLE = ERRORS = NOBODY = NULL = _set_by_game
UNLISTED = _set_by_game
"""Faults that exclude an action from `legal`."""
solvable_from = refusal = current_lead = solve_states = best_play_winner = playable_cards = _set_by_game
open_match = resume_from = open_deal = check_declared = close_deal = RUNNING = INCOMPLETE = _set_by_game
POINTS_DIFFER = WINNER_DIFFERS = SCORE_DIFFERS = RESULT_DIFFERS = RESULT_CONTRADICTS = _set_by_game
result_contradicts = _set_by_game


def compile_for_game(loop: Any, game_globals: dict[str, Any], compiler: Any = compiled) -> Any:
    """Compile a loop of this or another module for the game whose module has these globals.

    TypeError: a name the loop needs is not among them.
    """
    module, missing = game_globals["__name__"], list[str]()
    known = loop.__globals__ | {"__name__": module}
    for name in set(loop.__code__.co_names) & known.keys() - {loop.__name__}:
        # placeholders, and other functions of the loop's module that it calls, come from the game
        shared = isinstance(known[name], FunctionType) and known[name].__module__ == loop.__module__
        if known[name] is None or shared:
            known[name] = game_globals.get(name)
            missing += [] if name in game_globals else [name]
    if missing:
        raise TypeError(f"{module}: {loop.__name__} needs {', '.join(sorted(missing))}")
    code = loop.__code__.replace(co_filename=sys.modules[module].__file__)
    return compiler(FunctionType(code, known, loop.__name__))


def compile_kernel_loops(game_globals: dict[str, Any]) -> tuple[Any, ...]:
    """Return a game's `legal`, `probe`, `trace` and the loops below, up to `trace_deals`, and `totals`."""
    return tuple(
        compile_for_game(loop, game_globals)
        for loop in (legal, probe, trace, replay_variants, replay_deals, trace_deals, totals)
    )


def legal(state, rules, codes):
    """Write the codes of all legal actions into `codes` (uint16, 1024 long); return how many."""
    count = 0
    for seat in range(state.players):
        for act in range(ACT_COUNT):
            code = seat << SEAT_SHIFT | act
            if check(state, rules, code) & UNLISTED == 0:
                codes[count] = code
                count += 1
    return count


def probe(state, rules, code, hands, sides, found):
    """Set `found[i]` to `check` if the acting seat held `hands[i]`; `sides` is ignored."""
    seat = code >> SEAT_SHIFT
    hand = state.hand[seat]
    for i in range(len(hands)):
        state.hand[seat] = hands[i]
        found[i] = check(state, rules, code)
    state.hand[seat] = hand


def trace(states, faults, rules, codes):
    """Replay a started deal: fill `states[k + 1]` (after action k) and `faults[k]` (its faults).

    Returns how many actions were applied; the next one, if any, is impossible.
    """
    for k in range(len(codes)):
        states[k + 1] = states[k]
        faults[k] = step(states[k + 1], rules, np.int64(codes[k]))
        if faults[k] & IMPOSSIBLE:
            return k
    return len(codes)


def replay_variants(states, found, rules, codes, changes, max_errors):
    """Continue one deal in n variants, each from its own `states[i]`, which becomes its last state.

    A row of `changes` has two edits (at, take, put), in order: at `at`, `put` (-1: nothing)
    replaces `take` of the `codes`; a second `at` of -1 means no edit. Play starts at the first
    `at`. `found[i]` gets the numbers of errors and warnings, the index in `codes` of the first one
    (`len(codes)` if none), and whether it stopped (impossible action, or over `max_errors` errors).
    """
    for i in range(len(states)):
        state = states[i]
        k = changes[i, 0]
        part = 0
        errors = 0
        warnings = 0
        first = len(codes)
        stopped = 0
        while True:
            at = k
            if part < 2 and k == changes[i, 3 * part]:
                code = changes[i, 3 * part + 2]
                k += changes[i, 3 * part + 1]
                part += 1
                if code < 0:
                    continue
            elif k < len(codes):
                code = np.int64(codes[k])
                k += 1
            else:
                break
            fault = step(state, rules, code)
            if fault:
                first = min(first, at)
                if fault & ERRORS:
                    errors += 1
                else:
                    warnings += 1
                if fault & IMPOSSIBLE or errors > max_errors:
                    stopped = 1
                    break
        found[i, 0] = errors
        found[i, 1] = warnings
        found[i, 2] = first
        found[i, 3] = stopped


def replay_deals(states, faults, applied, rules, rule_of, players, dealers, decks, explicit, codes, offsets):
    """Replay n deals: fill `states[i]` (last one), `faults[i]` (of all actions) and `applied[i]`.

    `rules[rule_of[i]]` are deal i's options, `codes[offsets[i]:offsets[i + 1]]` its actions;
    `applied[i]` is how many of them were applied.
    """
    for i in range(len(dealers)):
        state = states[i]
        rule = rules[rule_of[i]]
        start(state, rule, players[i], dealers[i], decks[i], explicit[i])
        found = np.int64(0)
        k = offsets[i]
        while k < offsets[i + 1]:
            fault = step(state, rule, np.int64(codes[k]))
            found |= fault
            if fault & IMPOSSIBLE:
                break
            k += 1
        faults[i] = found
        applied[i] = k - offsets[i]


def trace_deals(states, faults, applied, rules, rule_of, players, dealers, decks, explicit, codes, offsets):
    """Replay n deals, given as for `replay_deals`, and fill every state and the faults of every action.

    The state of deal i after k actions is `states[offsets[i] + i + k]`.
    """
    for i in range(len(dealers)):
        rule = rules[rule_of[i]]
        start(states[offsets[i] + i], rule, players[i], dealers[i], decks[i], explicit[i])
        k = offsets[i]
        while k < offsets[i + 1]:
            states[k + i + 1] = states[k + i]
            faults[k] = step(states[k + i + 1], rule, np.int64(codes[k]))
            if faults[k] & IMPOSSIBLE:
                break
            k += 1
        applied[i] = k - offsets[i]


def leading_seat(state, except_seat):
    """Return the seat with the highest total, excluding `except_seat`; NULL if several share it."""
    best = NOBODY
    points = -1
    for seat in range(state.players):
        if seat != except_seat:
            own = total(state, seat)
            if own == points:
                best = NULL
            elif own > points:
                best = seat
                points = own
    return best


def totals(states, deals, seats, found):
    """Set `found[i]` to the points of seat `seats[i]` in deal `deals[i]`."""
    for i in range(len(deals)):
        found[i] = total(states[deals[i]], seats[i])


def count_matches(
    states, applied, lengths, rules, rule_of, matches, cuts, first_deals, voids, declared, faults
):
    """Count the deals of n matches: fill `matches` and add to the `faults` of each deal.

    Match i has deals `first_deals[i]:first_deals[i + 1]`; `cuts[i]` is its dealer, highest cut,
    belle dealer and `parse_start` row; `declared[d]` has the DECLARED_COLUMNS of deal d. Returns,
    for each deal, its manche and its number in the manche, both from 0.
    """
    place = np.zeros((len(states), 2), np.int16)
    for i in range(len(matches)):
        match = matches[i]
        head = first_deals[i]
        if head == first_deals[i + 1]:
            continue
        rule = rules[rule_of[head]]
        players = np.int64(states[head].players)
        open_match(match, rule, players, cuts[i, 0], cuts[i, 1], cuts[i, 2])
        resume_from(match, cuts[i, 3:])
        for d in range(head, first_deals[i + 1]):
            state = states[d]
            place[d, 0] = match.manche
            place[d, 1] = match.partie
            void = voids[d] != 0
            faults[d] |= open_deal(match, np.int64(state.dealer))
            faults[d] |= check_declared(
                match, state, void, declared[d], declared[d, 5], declared[d, 6], declared[d, 7]
            )
            if state.outcome == RUNNING and not void and applied[d] == lengths[d]:
                faults[d] |= INCOMPLETE
            close_deal(match, rule, state, void)
    return place


def declared_faults(state, sides, decided, points, count, winner):
    """Return the faults of a deal's declared points and winner, from 1; 0 is for no winner.

    `decided`: the deal has a result to compare them with.
    """
    faults = np.int64(0)
    if winner != NOT_DECLARED and not 0 <= winner <= sides:
        faults |= WINNER_DIFFERS  # no such seat or side, however the deal ends
    if not decided:
        return faults
    if count and count != sides:
        faults |= POINTS_DIFFER
    elif count:
        for place in range(count):
            if points[place] != total(state, place):
                faults |= POINTS_DIFFER
    if winner != NOT_DECLARED and winner != (0 if state.winner == NULL else state.winner + 1):
        faults |= WINNER_DIFFERS
    return faults


def check_result(match, score, count, winner, winner_declared):
    """Return the faults of a declared result: the scores by seat or side, `winner` from 1."""
    faults = np.int64(0)
    sides = min(match.players, len(match.score))
    if count and count != sides:
        faults |= SCORE_DIFFERS
        count = 0  # the scores match no seats or sides
    for side in range(count):
        if match.over:
            if score[side] != match.score[side]:
                faults |= SCORE_DIFFERS
        elif not match.unknown and score[side] < match.score[side]:
            faults |= SCORE_DIFFERS
    if not 0 <= winner <= sides or (match.over and winner_declared and winner != match.winner + 1):
        faults |= RESULT_DIFFERS
    elif not match.over and result_contradicts(match, score, count, winner):
        faults |= RESULT_CONTRADICTS
    return faults


def best_play_winners(states, rules, margins, found):
    """Fill `found` with the winner of each state under best play."""
    for i in range(len(states)):
        found[i] = best_play_winner(states[i], rules, margins[i])


def solve_deals(
    states, faults, rules, rule_of, players, dealers, decks, explicit, codes, offsets,
    not_solved, starts, leads, margins, best, choice_masks, won,
):  # fmt: skip
    """Solve the ends of n deals, given as for `replay_deals`, except those in `not_solved`.

    `states` and `faults` are buffers that fit the longest deal. State k of deal i has index
    `offsets[i] + i + k` in the last four arrays; `not_solved` gets an index into `REASONS`,
    `starts` the first solved state, `leads` side 1's points minus side 2's there.
    """
    for i in range(len(dealers)):
        if not_solved[i]:
            continue
        rule = rules[rule_of[i]]
        count = offsets[i + 1] - offsets[i]
        start(states[0], rule, players[i], dealers[i], decks[i], explicit[i])
        applied = trace(states, faults, rule, codes[offsets[i] : offsets[i + 1]])
        first = solvable_from(states[: applied + 1])
        if applied < count or first < 0:
            not_solved[i] = STOPPED if applied < count else NOT_REACHED
            continue
        wrong = False
        for k in range(first, applied):
            wrong |= faults[k] & ERRORS != 0
        not_solved[i] = IRREGULAR if wrong else refusal(states[first], rule)
        if not_solved[i]:
            continue
        starts[i] = first
        leads[i] = current_lead(states[first])
        low, high = offsets[i] + i + first, offsets[i] + i + applied + 1
        some = states[first : applied + 1]
        solve_states(some, rule, margins[low:high], best[low:high])
        for k in range(len(some)):
            won[low + k] = best_play_winner(some[k], rule, margins[low + k])
            choice_masks[low + k] = playable_cards(some[k], rule)
