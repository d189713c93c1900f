"""Reports solved and sampled deals."""

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import options
from engine.games import Game, game
from engine.replay import Replay
from engine.sampling import DEFAULT_SAMPLES, NotSampled, SampledCards, SampledEstimate, sample_cards
from engine.solver import bid_regret_report, solve_deal
from engine.solver_results import BidRegretReport, EndgameReport, NotSolved
from ingest.findings.finding import ERROR, Finding
from ingest.findings.spoken_notation import SCORE_LINE_TEXT
from ingest.i18n import N_, Translate
from ingest.validate.slow_path import ValidationResult

NOT_DEALT_TEXT = N_("This deal cannot be replayed.")
HIDDEN_CARDS_TEXT = N_("Cards of this deal are not written down.")
NOT_SOLVED_REASONS = {
    "game": N_("Nothing of this game is solved."),
    "players": N_("Solved at two alone: among {found} no play is best whatever the others do."),
    "option": N_("Not solved under this option: {found}."),
    "partial": HIDDEN_CARDS_TEXT,
    "never": N_("The deal ended before what is solved begins."),
    "irregular": N_("Something in what would be solved is against the rules."),
    "at-once": N_("A player holds what wins at once, whatever the points."),
    "limit": N_("The search was given up before its end."),
    "stopped": N_("From some action on this deal cannot be replayed."),
    "untold": N_("Which cards were left to bid is told nowhere."),
    "dealt": NOT_DEALT_TEXT,
    "line": SCORE_LINE_TEXT,
}
"""Why a deal is not solved, by `NotSolved.reason`."""
NOT_SAMPLED_REASONS = {
    "game": N_("Deals of this game are not sampled."),
    "partial": HIDDEN_CARDS_TEXT,
    "irregular": N_("Something up to there is against the rules."),
    "card": N_("With this action no card is laid."),
    "dealt": NOT_DEALT_TEXT,
    "line": SCORE_LINE_TEXT,
}
"""Why nothing is sampled, by `NotSampled.reason`."""


@dataclass(slots=True, frozen=True)
class SolvedDeal:
    """One deal of a log with what its end was worth; `deal` and actions count from 0."""

    file: str
    line: int
    id: str | None
    deal: int
    solved: EndgameReport | BidRegretReport | NotSolved
    game: Game
    why: Finding | None = None
    """What a check finds where a deal is not solved for what is against the rules in it."""
    cards: tuple[str, ...] = ()
    """What cards chosen before play are called, by their places among the game's."""

    def reason(self, t: Translate) -> str | None:
        """Why it is not solved, in words; None: it is."""
        if not isinstance(self.solved, NotSolved):
            return None
        return t(NOT_SOLVED_REASONS[self.solved.reason], found=self.solved.detail)

    def reason_with_finding(self, t: Translate) -> str | None:
        """The same, with what a check finds there, for who is not shown that beside it."""
        said = self.reason(t)
        return said if said is None or self.why is None else f"{said} {self.why.message(t)}"

    def names(self, cards: Iterable[int]) -> list[str]:
        return [self.game.pack.names[card] for card in cards]

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """One object of `solve --format jsonl`: always every key."""
        known, names = self.solved if isinstance(self.solved, EndgameReport) else None, self.names
        plays = known and [
            {"action": one.action, "seat": one.seat + 1, "lost": one.lost, "best": names(one.best)}
            for one in known.plays
        ]
        picked, called = (
            self.solved if isinstance(self.solved, BidRegretReport) else None,
            self.cards,
        )
        bids = picked and [
            {"seat": one.seat + 1, "bid": called[one.card], "points": one.points}
            | {"lost": one.points_lost, "best": [called[card] for card in one.best_bids]}
            for one in picked.choices
        ]
        place = {"file": self.file, "line": self.line, "id": self.id, "deal": self.deal}
        return place | {
            "from": known and known.start,
            "margin": known and known.margin,
            "plays": plays,
            "turning": known and known.turning,
            "bids": bids,
            "unsolved": self.reason_with_finding(t),
        }

    def bid_lines(self, t: Translate, names: Sequence[str]) -> Iterator[str]:
        """What each player chose before play and what the best would have scored, a line each."""
        for one in self.solved.choices if isinstance(self.solved, BidRegretReport) else ():
            who, bid = names[one.seat], self.cards[one.card]
            said = t("{who}: {bid}, points: {points}", who=who, bid=bid, points=one.points)
            best = ", ".join(self.cards[card] for card in one.best_bids)
            none = N_("{said}; no card left gives more")
            more = N_("{said}; {more} more with {cards}") if one.points_lost else none
            yield t(more, said=said, more=one.points_lost, cards=best)


def remaining_bids_by_deal(result: ValidationResult) -> list[list[int]]:
    """A mask a seat for each deal, as `Game.bid_regret` has it; empty lists in a game without
    that.
    """
    # after a deal that is not written down whole nobody can tell any more
    match, table = result.match, result.setup
    assert match is not None
    if table is None or table.game.bid_regret is None:
        return [[] for _ in match.deals]
    flow, count = np.zeros(1, table.game.match.Match)[0], table.game.match
    cuts, start = result.cuts[:3], np.array(result.cuts[3:], np.int64)
    count.open_match(flow, table.rules, len(match.players), *cuts)
    count.resume_from(flow, start)
    found = []
    for at, (deal, replay) in enumerate(zip(match.deals, result.replays, strict=True)):
        found.append(table.game.bid_regret.remaining_bids(flow))
        whole = (
            type(replay) is Replay
            and not replay.is_too_ambiguous
            and at not in result.score_line_ends
        )
        if replay is not None and whole:
            count.close_deal(flow, table.rules, replay.last.state, bool(deal.void))
        elif at in result.score_line_ends or not deal.void:
            count.skip_unknown_deal(flow)
    return found


def solved_deals(
    result: ValidationResult, file: str, line: int, only_deal: int | None = None
) -> Iterator[SolvedDeal]:
    """The deals of a match that was explained, or one of them; none of a text that is no match."""
    if result.match is None or result.setup is None:
        return
    bids, own = result.setup.bid_cards, result.setup.game
    cards, left = bids.names if bids else (), remaining_bids_by_deal(result)
    for deal, replay in enumerate(result.replays):
        if only_deal not in (None, deal):
            continue
        solved: EndgameReport | BidRegretReport | NotSolved
        if deal in result.score_line_ends:
            solved = NotSolved("line")
        elif replay is None:
            solved = NotSolved("dealt")
        else:
            solved = bid_regret_report(replay, left[deal]) if own.bid_regret else solve_deal(replay)
        why = None
        if isinstance(solved, NotSolved):  # the first error of play a check finds there
            at, dealt = solved.action_index, solved.reason == "dealt"
            own_play = (one for one in result.findings if one.deal == deal)
            errors = (one for one in own_play if one.severity == ERROR)
            here = (one for one in errors if dealt or (at is not None and one.action == at))
            why = next(here, None)
        yield SolvedDeal(file, line, result.match.id, deal, solved, own, why, cards)


def warm_up_jit(own: Game) -> None:
    """Have a game's solver compiled, where it is not yet, and loaded."""
    # a process of its own compiles it, for some seconds: beside it this one goes on answering
    if own.solver is None:
        return
    if not own.solver.is_jit_cached():
        # -P: a folder named as a package of ours where the user stands is not taken for it
        command = [sys.executable, "-P", "-m", "ingest.validate.solver_report", own.name]
        nothing = subprocess.DEVNULL
        subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, check=False)
    _solve_ended_deal(own)


def _solve_ended_deal(own: Game) -> None:
    """Judge a deal that is over: all that is compiled for others is compiled for it too."""
    assert own.solver is not None
    states = np.zeros(1, own.kernel.State)
    states["over"] = own.kernel.OVER
    preset = options.default_preset(own.name)
    rules = options.encode_rules(
        own.name, options.resolve_options(own.name, preset, own.players[0])
    )
    own.solver.solve_states(states, rules)


@dataclass(slots=True, frozen=True)
class SampledCard:
    """A card that was laid, with what came of each that could be; all but seats count from 0."""

    file: str
    line: int
    id: str | None
    deal: int
    action: int
    sampled: SampledCards | NotSampled
    game: Game

    def reason(self, t: Translate) -> str | None:
        """Why nothing is sampled, in words; None: it is."""
        sampled = self.sampled
        return t(NOT_SAMPLED_REASONS[sampled.reason]) if isinstance(sampled, NotSampled) else None

    def name(self, card: int) -> str:
        return self.game.pack.names[card]

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """One object of `solve --chance --format jsonl`: always every key."""
        known = self.sampled if isinstance(self.sampled, SampledCards) else None
        place = {"file": self.file, "line": self.line, "id": self.id, "deal": self.deal}
        cards = known and [
            {
                "card": name,
                "won": _estimate_dict(one.won, 4),
                "points": _estimate_dict(one.margin, 2),
            }
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


def _estimate_dict(found: SampledEstimate, places: int) -> dict[str, Any]:
    """What is told of a number: the mean, what it is less than that of the card laid, and so on."""
    numbers = {"mean": found.mean, "less": found.difference, "error": found.standard_error}
    told = {name: round(number, places) for name, number in numbers.items()}
    return {**told, "shown": found.significant}


def sample_card(
    result: ValidationResult,
    file: str,
    line: int,
    deal: int,
    action: int,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 0,
) -> SampledCard:
    """Sample what an action of a deal was worth. IndexError: the match has no such deal."""
    assert result.match is not None
    assert result.setup is not None
    replay = result.replays[deal]
    if deal in result.score_line_ends:
        sampled: SampledCards | NotSampled = NotSampled("line")
    elif replay is None:
        sampled = NotSampled("dealt")
    else:
        sampled = sample_cards(replay, action, samples, seed)
    return SampledCard(file, line, result.match.id, deal, action, sampled, result.setup.game)


if __name__ == "__main__":
    for name in sys.argv[1:]:  # python -m ingest.validate.solver_report chouine: compile its solver
        _solve_ended_deal(game(name))
