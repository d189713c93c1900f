"""What play was worth, deal by deal and card by card: what the engine solved or sampled, and why
the rest is not.
"""

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import options
from engine.games import Game, game
from engine.replay import Replay
from engine.sampling import SAMPLES, Chances, Compared, Unsampled, chances
from engine.solver import chosen, solve
from engine.solver_results import Chosen, Solved, Unsolved
from ingest.findings.finding import ERROR, Finding
from ingest.findings.spoken_notation import NO_CARD
from ingest.i18n import N_, Translate
from ingest.validate.slow_path import Explained

NOT_DEALT = N_("This deal cannot be replayed.")
PARTIAL = N_("Cards of this deal are not written down.")
REASONS = {
    "game": N_("Nothing of this game is solved."),
    "players": N_("Solved at two alone: among {found} no play is best whatever the others do."),
    "option": N_("Not solved under this option: {found}."),
    "partial": PARTIAL,
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
UNSAMPLED = {
    "game": N_("Deals of this game are not sampled."),
    "partial": PARTIAL,
    "irregular": N_("Something up to there is against the rules."),
    "card": N_("With this action no card is laid."),
    "dealt": NOT_DEALT,
    "line": NO_CARD,
}
"""Why nothing is sampled, by `Unsampled.reason`."""


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
        return [self.game.pack.names[card] for card in cards]

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """One object of `solve --format jsonl`: always every key."""
        known, names = self.solved if isinstance(self.solved, Solved) else None, self.names
        plays = known and [
            {"action": one.action, "seat": one.seat + 1, "lost": one.lost, "best": names(one.best)}
            for one in known.plays
        ]
        picked, called = self.solved if isinstance(self.solved, Chosen) else None, self.cards
        bids = picked and [
            {"seat": one.seat + 1, "bid": called[one.card], "points": one.points}
            | {"lost": one.lost, "best": [called[card] for card in one.best]}
            for one in picked.choices
        ]
        place = {"file": self.file, "line": self.line, "id": self.id, "deal": self.deal}
        return place | {
            "from": known and known.start,
            "margin": known and known.margin,
            "plays": plays,
            "turning": known and known.turning,
            "bids": bids,
            "unsolved": self.unsolved(t),
        }

    def bids(self, t: Translate, names: Sequence[str]) -> Iterator[str]:
        """What each player chose before play and what the best would have scored, a line each."""
        for one in self.solved.choices if isinstance(self.solved, Chosen) else ():
            who, bid = names[one.seat], self.cards[one.card]
            said = t("{who}: {bid}, points: {points}", who=who, bid=bid, points=one.points)
            best = ", ".join(self.cards[card] for card in one.best)
            none = N_("{said}; no card left gives more")
            more = N_("{said}; {more} more with {cards}") if one.lost else none
            yield t(more, said=said, more=one.lost, cards=best)


def left_in(explained: Explained) -> list[list[int]]:
    """A mask a seat for each deal, as `Game.chosen` has it; empty lists in a game without that."""
    # after a deal that is not written down whole nobody can tell any more
    match, table = explained.match, explained.table
    assert match is not None
    if table is None or table.game.chosen is None:
        return [[] for _ in match.deals]
    flow, count = np.zeros(1, table.game.match.Match)[0], table.game.match
    cuts, start = explained.cuts[:3], np.array(explained.cuts[3:], np.int64)
    count.open_match(flow, table.rules, len(match.players), *cuts)
    count.begin(flow, start)
    found = []
    for at, (deal, replay) in enumerate(zip(match.deals, explained.replays, strict=True)):
        found.append(table.game.chosen.left(flow))
        whole = type(replay) is Replay and not replay.unread and at not in explained.lines
        if replay is not None and whole:
            count.close_deal(flow, table.rules, replay.last.state, bool(deal.void))
        elif at in explained.lines or not deal.void:
            count.lose_track(flow)
    return found


def solved_deals(
    explained: Explained, file: str, line: int, only: int | None = None
) -> Iterator[SolvedDeal]:
    """The deals of a match that was explained, or one of them; none of a text that is no match."""
    if explained.match is None or explained.table is None:
        return
    bids, own = explained.table.bids, explained.table.game
    cards, left = bids.names if bids else (), left_in(explained)
    for deal, replay in enumerate(explained.replays):
        if only not in (None, deal):
            continue
        solved: Solved | Chosen | Unsolved
        if deal in explained.lines:
            solved = Unsolved("line")
        elif replay is None:
            solved = Unsolved("dealt")
        else:
            solved = chosen(replay, left[deal]) if own.chosen else solve(replay)
        why = None
        if isinstance(solved, Unsolved):  # the first error of play a check finds there
            at, dealt = solved.at, solved.reason == "dealt"
            own_play = (one for one in explained.findings if one.deal == deal)
            errors = (one for one in own_play if one.severity == ERROR)
            here = (one for one in errors if dealt or (at is not None and one.action == at))
            why = next(here, None)
        yield SolvedDeal(file, line, explained.match.id, deal, solved, own, why, cards)


def prepare(own: Game) -> None:
    """Have a game's solver compiled, where it is not yet, and loaded."""
    # a process of its own compiles it, for some seconds: beside it this one goes on answering
    if own.solver is None:
        return
    if not own.solver.ready():
        # -P: a folder named as a package of ours where the user stands is not taken for it
        command = [sys.executable, "-P", "-m", "ingest.validate.solver_report", own.name]
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


@dataclass(slots=True, frozen=True)
class SampledCard:
    """A card that was laid, with what came of each that could be; all but seats count from 0."""

    file: str
    line: int
    id: str | None
    deal: int
    action: int
    sampled: Chances | Unsampled
    game: Game

    def reason(self, t: Translate) -> str | None:
        """Why nothing is sampled, in words; None: it is."""
        sampled = self.sampled
        return t(UNSAMPLED[sampled.reason]) if isinstance(sampled, Unsampled) else None

    def name(self, card: int) -> str:
        return self.game.pack.names[card]

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """One object of `solve --chance --format jsonl`: always every key."""
        known = self.sampled if isinstance(self.sampled, Chances) else None
        place = {"file": self.file, "line": self.line, "id": self.id, "deal": self.deal}
        cards = known and [
            {"card": name, "won": _compared(one.won, 4), "points": _compared(one.margin, 2)}
            for one in known.cards
            for name in [self.name(one.card)]
        ]
        return place | {
            "action": self.action,
            "seat": known and known.seat + 1,
            "played": known and self.name(known.played),
            "deals": known and known.deals,
            "cards": cards,
            "unsampled": self.reason(t),
        }


def _compared(found: Compared, places: int) -> dict[str, Any]:
    """What is told of a number: the mean, what it is less than that of the card laid, and so on."""
    told = {name: round(getattr(found, name), places) for name in ("mean", "less", "error")}
    return {**told, "shown": found.shown}


def sampled_card(
    explained: Explained,
    file: str,
    line: int,
    deal: int,
    action: int,
    samples: int = SAMPLES,
    seed: int = 0,
) -> SampledCard:
    """Sample what an action of a deal was worth. IndexError: the match has no such deal."""
    assert explained.match is not None
    assert explained.table is not None
    replay = explained.replays[deal]
    if deal in explained.lines:
        sampled: Chances | Unsampled = Unsampled("line")
    elif replay is None:
        sampled = Unsampled("dealt")
    else:
        sampled = chances(replay, action, samples, seed)
    return SampledCard(file, line, explained.match.id, deal, action, sampled, explained.table.game)


if __name__ == "__main__":
    for name in sys.argv[1:]:  # python -m ingest.validate.solver_report chouine: compile its solver
        _judge_nothing(game(name))
