"""What play was worth, deal by deal: what the engine solved, and why the rest is not."""

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import options
from engine.games import Game, game
from engine.replay import Replay
from engine.solved import Chosen, Solved, Unsolved
from engine.solving import chosen, solve
from ingest.finding.finding import ERROR, Finding
from ingest.finding.words import NO_CARD
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained

NOT_DEALT = N_("This deal cannot be replayed.")
REASONS = {
    "game": N_("Nothing of this game is solved."),
    "players": N_("Solved at two alone: among {found} no play is best whatever the others do."),
    "option": N_("Not solved under this option: {found}."),
    "partial": N_("Cards of this deal are not written down."),
    "never": N_("The deal ended before what is solved begins."),
    "irregular": N_("Something in what would be solved is against the rules."),
    "at-once": N_("A player holds what wins at once, whatever the points."),
    "limit": N_("The search was given up before its end."),
    "stopped": N_("From some action on this deal cannot be replayed."),
    "untold": N_("Which cards were left to bid is told nowhere."),
    "dealt": NOT_DEALT,
    "line": NO_CARD,
}
"""Why a deal is not solved, by `Unsolved.reason`."""
BID = N_("{who}: {bid}, points: {points}")
NONE_MORE = N_("{said}; no card left gives more")
MORE_WITH = N_("{said}; {more} more with {cards}")


@dataclass(slots=True, frozen=True)
class SolvedDeal:
    """One deal of a log with what its end was worth; `deal` and actions count from 0."""

    file: str
    line: int
    id: str | None
    deal: int
    solved: Solved | Chosen | Unsolved
    game: Game
    why: Finding | None = None
    """What a check finds where a deal is not solved for what is against the rules in it."""
    cards: tuple[str, ...] = ()
    """What cards chosen before play are called, by their places among the game's."""

    def reason(self, t: Translate) -> str | None:
        """Why it is not solved, in words; None: it is."""
        if not isinstance(self.solved, Unsolved):
            return None
        return t(REASONS[self.solved.reason], found=self.solved.found)

    def unsolved(self, t: Translate) -> str | None:
        """The same, with what a check finds there, for who is not shown that beside it."""
        said = self.reason(t)
        return said if said is None or self.why is None else f"{said} {self.why.message(t)}"

    def names(self, cards: Iterable[int]) -> list[str]:
        """Cards as logs write them."""
        return [self.game.pack.names[card] for card in cards]

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """One object of `solve --format jsonl`: always every key."""
        known = self.solved if isinstance(self.solved, Solved) else None
        plays = known and [
            {
                "action": play.action,
                "seat": play.seat + 1,
                "lost": play.lost,
                "best": self.names(play.best),
            }
            for play in known.plays
        ]
        return {
            "file": self.file,
            "line": self.line,
            "id": self.id,
            "deal": self.deal,
            "from": known and known.start,
            "margin": known and known.margin,
            "plays": plays,
            "turning": known and known.turning,
            "bids": self._bids(),
            "unsolved": self.unsolved(t),
        }

    def bids(self, t: Translate, names: Sequence[str]) -> Iterator[str]:
        """What each player chose before play and what the best would have scored, a line each."""
        if isinstance(self.solved, Chosen):
            for one in self.solved.choices:
                said = t(BID, who=names[one.seat], bid=self.cards[one.card], points=one.points)
                best = ", ".join(self.cards[card] for card in one.best)
                yield t(MORE_WITH if one.lost else NONE_MORE, said=said, more=one.lost, cards=best)

    def _bids(self) -> list[dict[str, Any]] | None:
        """What was chosen before play; None where nothing is."""
        if not isinstance(self.solved, Chosen):
            return None
        return [
            {
                "seat": one.seat + 1,
                "bid": self.cards[one.card],
                "points": one.points,
                "lost": one.lost,
                "best": [self.cards[card] for card in one.best],
            }
            for one in self.solved.choices
        ]


def left_in(explained: Explained) -> list[list[int]]:
    """A mask a seat for each deal, as `Game.chosen` has it; empty lists in a game without that.

    After a deal that is not written down whole nobody can tell any more.
    """
    assert explained.match is not None
    if explained.table is None or explained.table.game.chosen is None:
        return [[] for _ in explained.match.deals]
    return list(_left(explained))


def _left(explained: Explained) -> Iterator[list[int]]:
    match, table = explained.match, explained.table
    assert match is not None
    assert table is not None
    assert table.game.chosen is not None
    flow, count = np.zeros(1, table.game.match.Match)[0], table.game.match
    cuts, start = explained.cuts[:3], np.array(explained.cuts[3:], np.int64)
    count.open_match(flow, table.rules, len(match.players), *cuts)
    count.begin(flow, start)
    for at, (deal, replay) in enumerate(zip(match.deals, explained.replays, strict=True)):
        yield table.game.chosen.left(flow)
        whole = type(replay) is Replay and not replay.unread and at not in explained.lines
        if replay is not None and whole:
            count.close_deal(flow, table.rules, replay.last.state, bool(deal.void))
        elif at in explained.lines or not deal.void:
            count.lose_track(flow)


def solved_deals(
    explained: Explained, file: str, line: int, only: int | None = None
) -> Iterator[SolvedDeal]:
    """The deals of a match that was explained, or one of them; none of a text that is no match."""
    if explained.match is None or explained.table is None:
        return
    bids = explained.table.bids
    cards, left = bids.names if bids else (), left_in(explained)
    for deal, replay in enumerate(explained.replays):
        if only not in (None, deal):
            continue
        solved = _solved(explained, deal, replay, left[deal])
        why = _why(explained, deal, solved) if isinstance(solved, Unsolved) else None
        of = explained.table.game
        yield SolvedDeal(file, line, explained.match.id, deal, solved, of, why, cards)


def _solved(
    explained: Explained, deal: int, replay: Replay | None, left: Sequence[int]
) -> Solved | Chosen | Unsolved:
    if deal in explained.lines:
        return Unsolved("line")
    if replay is None:
        return Unsolved("dealt")
    return chosen(replay, left) if replay.game.chosen else solve(replay)


def _why(explained: Explained, deal: int, solved: Unsolved) -> Finding | None:
    """The first error a check finds where a deal is not solved; None: there is none of play."""
    errors = (one for one in explained.findings if one.deal == deal and one.severity == ERROR)
    if solved.reason == "dealt":
        return next(errors, None)
    return next((one for one in errors if solved.at is not None and one.action == solved.at), None)


def prepare(own: Game) -> None:
    """Have a game's solver compiled, where it is not yet, and loaded.

    A process of its own compiles it, for some seconds: beside it this one goes on answering.
    """
    if own.solver is None:
        return
    if not own.solver.ready():
        # -P: a folder named as a package of ours where the user stands is not taken for it
        command = [sys.executable, "-P", "-m", "ingest.judge.solved", own.name]
        nothing = subprocess.DEVNULL
        subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, check=False)
    _judge_nothing(own)


def _judge_nothing(own: Game) -> None:
    """Judge a deal that is over: all that is compiled for others is compiled for it too."""
    assert own.solver is not None
    states = np.zeros(1, own.kernel.State)
    states["over"] = own.kernel.OVER
    preset = options.default_preset(own.name)
    rules = options.encode(own.name, options.settings(own.name, preset, own.players[0]))
    own.solver.judge(states, rules)


def main(told: Sequence[str]) -> None:
    """Compile the solvers of games: `python -m ingest.judge.solved chouine`."""
    for name in told:
        _judge_nothing(game(name))


if __name__ == "__main__":
    main(sys.argv[1:])
