"""Measure what solving costs and what sampling is worth: `python -m benchmarks.solve`.

Deals are simulated and replayed first; only processor time counts, so other load hardly matters.
Sampling: the sampling player against the simple one, each deal from both seats; the errors of the
figures shown to readers; processor time per decision.
"""

import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from benchmarks import SAMPLED, SOLVED, Section, arguments
from engine import options, simulate
from engine.actions import ACT_MASK, Action
from engine.continuation import habit_turn
from engine.games import Game, game
from engine.replay import Replay
from engine.sampling import BOT_SAMPLES, DEFAULT_SAMPLES, SampledCards, choose_action, sample_cards
from engine.solver import solve_deals
from engine.solver_results import Solver

MILLION, DIFFERENT = 1_000_000, 100_000
"""Deals solved in bulk, and how many of them are distinct."""


def replays(of: Game, preset: str, deals: int) -> Iterator[Replay]:
    """Yield replays of simulated deals with the fewest players of the game."""
    players = of.players[0]
    rules = options.encode_rules(of.name, options.resolve_options(of.name, preset, players))
    found = (
        Replay(of, rules, players, deal.dealer, deal.deck, deal.codes)
        for match in simulate.simulate_matches(of, rules, players, deals, 1)
        for deal in match.deals
    )
    return islice(found, deals)


def milliseconds(run: Callable[[], object], times: int) -> float:
    """Return the shortest of several runs."""
    took = []
    for _ in range(times):
        start = time.thread_time_ns()
        run()
        took.append(time.thread_time_ns() - start)
    return min(took) / 1e6


def row(took: list[float]) -> list[str]:
    """Return the count, mean and 95th percentile."""
    found = np.mean(took), np.percentile(took, 95)
    return [f"{len(took):,}", *(f"{one:.3f}" for one in found)]


def ends(of: Game, solver: Solver, preset: str, deals: int) -> list[float]:
    """Time solving every card of each deal's end."""
    took: list[float] = []
    for replay in replays(of, preset, deals):
        start = solver.solvable_from(replay.states)
        if start is not None:
            states, rules = replay.states[start:], replay.rules
            took.append(milliseconds(lambda s=states, r=rules: solver.solve_states(s, r), 3))  # type: ignore[misc]
    return took[1:]  # the first run compiles


def in_bulk(of: Game, preset: str, deals: int) -> float:
    """Return the processor seconds to solve every card of that many deals in bulk."""
    players = of.players[0]
    rules = options.encode_rules(of.name, options.resolve_options(of.name, preset, players))
    matches = simulate.simulate_matches(of, rules, players, deals, 1)
    some = list(islice((deal for match in matches for deal in match.deals), min(deals, DIFFERENT)))
    codes = np.concatenate([deal.codes for deal in some])
    values = (
        np.array([rules]),
        np.zeros(len(some), np.int64),
        np.full(len(some), players),
        np.array([deal.dealer for deal in some]),
        np.array([deal.deck for deal in some]),
        np.zeros(len(some), np.int64),
        codes,
        np.cumsum([0, *(len(deal.codes) for deal in some)]),
    )
    solve_deals(of, *values)  # compile
    start = time.thread_time_ns()
    for _ in range(deals // len(some)):
        solve_deals(of, *values)
    return (time.thread_time_ns() - start) / 1e9


class Party(NamedTuple):
    """A game and rules to play deals with."""

    of: Game
    rules: np.void

    @property
    def players(self) -> int:
        """The fewest players of the game."""
        return self.of.players[0]

    def play(self, deck: list[int], dealer: int, own: int, samples: int, seed: int) -> Replay:
        """Play a deal: seats of parity `own` sample, the others are simple players."""
        codes = list[int]()
        while True:
            now = Replay(self.of, self.rules, self.players, dealer, deck, codes)
            if now.last.is_over:
                return now
            if now.last.turn % 2 == own:
                done = choose_action(now, samples, seed)
                assert isinstance(done, Action)
                codes.append(done.code)
            else:
                codes += habit_turn(now)


def against(table: Party, deals: int, samples: int) -> tuple[float, float, int]:
    """Return the share of decided deals won by sampling, its standard error, and their number."""
    won: list[bool] = []
    rng = np.random.default_rng(5)
    for n in range(deals):
        deck = [int(card) for card in rng.permutation(len(table.of.example_deck))]
        for own in range(2):
            last = table.play(deck, n % table.players, own, samples, n).last.state
            if last["winner"] >= 0:
                won.append(int(last["winner"]) % 2 == own)
    share = float(np.mean(won))
    return share, (share * (1 - share) / len(won)) ** 0.5, len(won)


def positions(table: Party, deals: int) -> Iterator[tuple[Replay, int]]:
    """Yield every fourth card played in deals of simulated players."""
    of = table.of
    for match in simulate.simulate_matches(of, table.rules, table.players, deals, 1):
        for deal in match.deals[:4]:
            replay = Replay(of, table.rules, table.players, deal.dealer, deal.deck, deal.codes)
            kinds = [of.acts.kind_of_act(code & ACT_MASK) for code in replay.applied_codes.tolist()]
            for at in [at for at, kind in enumerate(kinds) if kind == "play"][::4]:
                yield replay, at


def estimates(table: Party, deals: int) -> tuple[list[float], list[float], list[float], int, int]:
    """Return ms per decision, errors in % won and in points, significant cards, and all cards."""
    took, shares, points = list[float](), list[float](), list[float]()
    shown = cards = 0
    for replay, at in positions(table, deals):
        start = time.thread_time_ns()
        result = sample_cards(replay, at, DEFAULT_SAMPLES)
        spent = (time.thread_time_ns() - start) / 1e6
        if isinstance(result, SampledCards) and not result.is_single_deal and len(result.cards) > 1:
            took.append(spent)
            others = [card for card in result.cards if card.card != result.played]
            shares += [100 * card.won.standard_error for card in others]
            points += [card.margin.standard_error for card in others]
            shown += sum(card.won.is_significant for card in others)
            cards += len(others)
    return took[1:], shares, points, shown, cards  # the first run compiles


def solving(deals: int) -> Section:
    """Measure the solver benchmarks, and a million deals of the first in bulk."""
    section = Section(
        "Solving",
        "solve",
        "milliseconds of processor time a deal, without what reading, checking and replaying take",
    )
    section.table("what", ">deals", ">mean", ">95% under", "wanted")
    for one in SOLVED:
        of = game(one.game)
        assert of.solver is not None
        section.row(one.what, *row(ends(of, of.solver, one.preset, deals)), one.wanted)
    first = SOLVED[0]
    each = 1e3 * in_bulk(game(first.game), first.preset, MILLION) / MILLION
    section.row(f"{first.what}, in bulk", f"{MILLION:,}", f"{each:.3f}", "", "")
    return section


def sampling(deals: int) -> Section:
    """Measure the sampling player against the simple one, and the figures shown to readers."""
    section = Section(
        "Sampling",
        "solve",
        "how many deals the sampling player wins against the simple one, each deal from both seats; "
        f"then, with {DEFAULT_SAMPLES:,} deals drawn, the median of an estimate's time and errors",
    )
    tables = [
        (what, Party(game(name), options.encode_rules(name, options.resolve_options(name, preset, players))))
        for what, name, preset in SAMPLED
        for players in game(name).players[:1]
    ]
    for what, table in tables:
        for samples in (50, BOT_SAMPLES):
            share, error, _ = against(table, deals, samples)
            section.item(what, f"{share:.1%} ± {1.96 * error:.1%} with {samples} deals drawn a card")
    for what, table in tables:
        took, shares, points, shown, cards = estimates(table, max(deals // 10, 3))
        errors = f"standard error {np.median(shares):.1f}% won, {np.median(points):.1f} points"
        section.item(what, f"{np.median(took):.1f} ms; {errors}; {shown / cards:.0%} of cards significant")
    return section


def main() -> None:
    args = arguments("solve", __doc__, deals=2000, sampled=300)
    solving(args.deals).write(args.output)
    sampling(args.sampled).write(args.output)


if __name__ == "__main__":
    main()
