"""Measure what sampling is worth, for `docs/benchmarks.md`: `python -m benchmarks.sampling`.

The sampling player against the simple one, every deal from both seats; the errors of what a reader
is told; processor time a decision.
"""

import argparse
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import section
from benchmarks.samples import SAMPLED
from engine import options, simulate
from engine.acts import ACT_MASK, Action
from engine.games import Game, game
from engine.replay import Replay
from engine.sampled import Chances
from engine.sampling import PLAYED, SAMPLES, chances, decide

HEADING = "## Sampling"


class Party(NamedTuple):
    """A table at which deals are played."""

    of: Game
    rules: np.void

    @property
    def players(self) -> int:
        """The fewest the game takes."""
        return self.of.players[0]

    def play(self, deck: list[int], dealer: int, own: int, samples: int, seed: int) -> Replay:
        """A deal of which the seats of one parity sample, and the others are the simple player."""
        sampler = self.of.sampler
        assert sampler is not None
        rng, codes = np.random.default_rng(seed), list[int]()
        while True:
            now = Replay(self.of, self.rules, self.players, dealer, deck, codes)
            if now.last.over:
                return now
            if now.last.turn % 2 == own:
                done = decide(now, samples, seed)
                assert isinstance(done, Action)
                codes.append(done.code)
            else:
                codes += sampler.simple(now.last.state, self.rules, rng)


def against(table: Party, deals: int, samples: int) -> tuple[float, float, int]:
    """(share won of the deals somebody won, its standard error, those deals)."""
    won: list[bool] = []
    rng = np.random.default_rng(5)
    for n in range(deals):
        deck = [int(card) for card in rng.permutation(len(table.of.blank))]
        for own in range(2):
            last = table.play(deck, n % table.players, own, samples, n).last.state
            if last["winner"] >= 0:
                won.append(int(last["winner"]) % 2 == own)
    share = float(np.mean(won))
    return share, (share * (1 - share) / len(won)) ** 0.5, len(won)


def positions(table: Party, deals: int) -> Iterator[tuple[Replay, int]]:
    """Every fourth card of deals of simulated players, as long as another could be laid."""
    of = table.of
    for match in simulate.matches(of, table.rules, table.players, deals, 1):
        for deal in match.deals[:4]:
            replay = Replay(of, table.rules, table.players, deal.dealer, deal.deck, deal.codes)
            kinds = [of.acts.kind_of_act(code & ACT_MASK) for code in replay.done.tolist()]
            for at in [at for at, kind in enumerate(kinds) if kind == "play"][::4]:
                yield replay, at


def told(table: Party, deals: int) -> tuple[list[float], list[float], list[float], int, int]:
    """(milliseconds a decision, errors of a share, errors in points, cards that differ, cards)."""
    took, shares, points = list[float](), list[float](), list[float]()
    shown = cards = 0
    for replay, at in positions(table, deals):
        start = time.thread_time_ns()
        said = chances(replay, at, SAMPLES)
        spent = (time.thread_time_ns() - start) / 1e6
        if isinstance(said, Chances) and not said.only and len(said.cards) > 1:
            took.append(spent)
            others = [card for card in said.cards if card.card != said.played]
            shares += [100 * card.won.error for card in others]
            points += [card.margin.error for card in others]
            shown += sum(card.won.shown for card in others)
            cards += len(others)
    return took[1:], shares, points, shown, cards  # the first is compiled


def spread(found: list[float]) -> str:
    return f"{np.median(found):.1f} | {np.percentile(found, 95):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sampling", description=__doc__)
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--output", type=Path, default=section.TABLE)
    args = parser.parse_args()
    lines = [
        f"By `python -m benchmarks.sampling`, {date.today():%Y-%m-%d}. The sampling player against",
        "the simple one deals are played on by, each deal from both seats; bids are the same.",
        "",
        "| game | deals drawn a card | deals decided | won | ± (95 %) |",
        "|---|--:|--:|--:|--:|",
    ]
    tables = [
        (what, Party(game(name), options.encode(name, options.settings(name, preset, players))))
        for what, name, preset in SAMPLED
        for players in game(name).players[:1]
    ]
    for what, table in tables:
        for samples in (50, PLAYED):
            share, error, count = against(table, args.deals, samples)
            lines.append(f"| {what} | {samples} | {count} | {share:.1%} | {1.96 * error:.1%} |")
            print(lines[-1], flush=True)
    lines += [
        "",
        f"What a reader is told, {SAMPLES:,} deals drawn: processor time, the standard errors of",
        "differences to the card laid, and how many cards differ by more than three of them.",
        "",
        "| game | positions | ms | 95 % under | error, % won | 95 % under | error, points "
        "| 95 % under | cards shown |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for what, table in tables:
        took, shares, points, shown, cards = told(table, max(args.deals // 10, 3))
        lines.append(
            f"| {what} | {len(took)} | {spread(took)} | {spread(shares)} | {spread(points)} "
            f"| {shown / cards:.0%} |"
        )
        print(lines[-1], flush=True)
    section.write(args.output, HEADING, lines)


if __name__ == "__main__":
    main()
