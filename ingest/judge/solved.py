"""What play was worth, deal by deal: what the engine solved, and why the rest is not."""

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import options
from engine.games import Game, game
from engine.solved import Solved, Unsolved
from engine.solving import solve
from ingest.finding.lines import NO_CARD
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
    "dealt": NOT_DEALT,
    "line": NO_CARD,
}
"""Why a deal is not solved, by `Unsolved.reason`."""


@dataclass(slots=True, frozen=True)
class SolvedDeal:
    """One deal of a log with what its end was worth; `deal` and actions count from 0."""

    file: str
    line: int
    id: str | None
    deal: int
    solved: Solved | Unsolved
    game: Game

    def reason(self, t: Translate) -> str | None:
        """Why it is not solved, in words; None: it is."""
        if isinstance(self.solved, Solved):
            return None
        return t(REASONS[self.solved.reason], found=self.solved.found)

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
            "unsolved": self.reason(t),
        }


def solved_deals(
    explained: Explained, file: str, line: int, only: int | None = None
) -> Iterator[SolvedDeal]:
    """The deals of a match that was explained, or one of them; none of a text that is no match."""
    if explained.match is None or explained.table is None:
        return
    for deal, replay in enumerate(explained.replays):
        if only not in (None, deal):
            continue
        if deal in explained.lines:
            solved: Solved | Unsolved = Unsolved("line")
        else:
            solved = Unsolved("dealt") if replay is None else solve(replay)
        yield SolvedDeal(file, line, explained.match.id, deal, solved, explained.table.game)


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
