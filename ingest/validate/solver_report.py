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
    "players": N_("Only solved for two players: with {found}, the best play depends on the others."),
    "option": N_("Not solved under this option: {found}."),
    "partial": HIDDEN_CARDS_TEXT,
    "never": N_("The deal ended before the part that Retourne solves."),
    "irregular": N_("A rule was broken in the part to solve."),
    "at-once": N_("A player holds what wins at once, whatever the points."),
    "limit": N_("The search was given up before its end."),
    "stopped": N_("From some action on this deal cannot be replayed."),
    "bids-unknown": N_("The log does not list the remaining bid cards."),
    "dealt": NOT_DEALT_TEXT,
    "line": SCORE_LINE_TEXT,
}
"""`NotSolved.reason` → why a deal is not solved."""
NOT_SAMPLED_REASONS = {
    "game": N_("Deals of this game are not sampled."),
    "partial": HIDDEN_CARDS_TEXT,
    "irregular": N_("A rule was broken before that."),
    "card": N_("This action plays no card."),
    "dealt": NOT_DEALT_TEXT,
    "line": SCORE_LINE_TEXT,
}
"""`NotSampled.reason` → why nothing is sampled."""


@dataclass(slots=True, frozen=True)
class SolvedDeal:
    """One deal of a log with its solver result."""

    file: str
    line: int
    log_id: str | None
    deal_index: int
    solved: EndgameReport | BidRegretReport | NotSolved
    game: Game
    finding: Finding | None = None
    """The error against the rules because of which the deal is not solved, if any."""
    cards: tuple[str, ...] = ()
    """The names of the cards chosen before play (bid cards), by number."""

    def reason(self, t: Translate) -> str | None:
        """Return why the deal is not solved, in words; None: it is solved."""
        if not isinstance(self.solved, NotSolved):
            return None
        return t(NOT_SOLVED_REASONS[self.solved.reason], found=self.solved.detail)

    def reason_with_finding(self, t: Translate) -> str | None:
        """Return the reason with the finding's message, for output without findings."""
        result = self.reason(t)
        return result if result is None or self.finding is None else f"{result} {self.finding.message(t)}"

    def names(self, cards: Iterable[int]) -> list[str]:
        return [self.game.pack.names[card] for card in cards]

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """Return one object of `solve --format jsonl`, always with every key."""
        known, names = self.solved if isinstance(self.solved, EndgameReport) else None, self.names
        plays = known and [
            {"action_index": one.action, "seat": one.seat + 1, "lost": one.lost}
            | {"best_cards": names(one.best_cards)}
            for one in known.plays
        ]
        picked, called = (self.solved if isinstance(self.solved, BidRegretReport) else None, self.cards)
        bids = picked and [
            {"seat": one.seat + 1, "bid": called[one.card], "points": one.points}
            | {"lost": one.points_lost, "best_bids": [called[card] for card in one.best_bids]}
            for one in picked.choices
        ]
        place = {"file": self.file, "line": self.line, "log_id": self.log_id, "deal_index": self.deal_index}
        return place | {
            "first_action_index": known and known.first_action,
            "margin": known and known.margin,
            "plays": plays,
            "turning_action_index": known and known.turning_action,
            "bids": bids,
            "unsolved": self.reason_with_finding(t),
        }

    def bid_lines(self, t: Translate, names: Sequence[str]) -> Iterator[str]:
        """Yield a line per player: the bid before play, and how much more the best would score."""
        for one in self.solved.choices if isinstance(self.solved, BidRegretReport) else ():
            who, bid = names[one.seat], self.cards[one.card]
            message = t("{who}: {bid}, points: {points}", who=who, bid=bid, points=one.points)
            best = ", ".join(self.cards[card] for card in one.best_bids)
            none = N_("{message}; no card left gives more")
            more = N_("{message}; {more} more with {cards}") if one.points_lost else none
            yield t(more, message=message, more=one.points_lost, cards=best)


def remaining_bids_by_deal(result: ValidationResult) -> list[list[int]]:
    """Return per deal a mask of remaining bids per seat (`Game.bid_regret`); empty lists if the
    game has none.
    """
    # after a partly recorded deal the remaining bids are unknown
    match, table = result.known_match, result.setup
    if table is None or table.game.bid_regret is None:
        return [[] for _ in match.deals]
    flow, count = np.zeros(1, table.game.match.Match)[0], table.game.match
    cuts, start = result.cuts[:3], np.array(result.cuts[3:], np.int64)
    count.open_match(flow, table.rules, len(match.players), *cuts)
    count.resume_from(flow, start)
    found = []
    for at, (deal, replay) in enumerate(zip(match.deals, result.replays, strict=True)):
        found.append(table.game.bid_regret.remaining_bids(flow))
        whole = type(replay) is Replay and not replay.is_too_ambiguous and at not in result.score_line_ends
        if replay is not None and whole:
            count.close_deal(flow, table.rules, replay.last.state, bool(deal.void))
        elif at in result.score_line_ends or not deal.void:
            count.skip_unknown_deal(flow)
    return found


def solved_deals(
    result: ValidationResult, file: str, line: int, only_deal: int | None = None
) -> Iterator[SolvedDeal]:
    """Solve the deals of a validated match, or only one; none if the text is not a match."""
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
        finding = None
        if isinstance(solved, NotSolved):  # find the first error of play there
            at, dealt = solved.action_index, solved.reason == "dealt"
            own_play = (one for one in result.findings if one.deal_index == deal)
            errors = (one for one in own_play if one.severity == ERROR)
            here = (one for one in errors if dealt or (at is not None and one.action_index == at))
            finding = next(here, None)
        yield SolvedDeal(file, line, result.match.id, deal, solved, own, finding, cards)


def warm_up_jit(own: Game) -> None:
    """Compile a game's solver unless it is cached, then load it."""
    # a separate process compiles for some seconds, so that this one keeps responding
    if own.solver is None:
        return
    if not own.solver.is_jit_cached():
        # -P: folders in the working directory must not shadow Retourne's packages
        command = [sys.executable, "-P", "-m", "ingest.validate.solver_report", own.name]
        nothing = subprocess.DEVNULL
        subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, check=False)
    _solve_ended_deal(own)


def _solve_ended_deal(own: Game) -> None:
    """Solve a finished deal, which compiles all the code that other deals need."""
    assert own.solver is not None
    states = np.zeros(1, own.kernel.State)
    states["over"] = own.kernel.OVER
    preset = options.default_preset(own.name)
    rules = options.encode_rules(own.name, options.resolve_options(own.name, preset, own.players[0]))
    own.solver.solve_states(states, rules)


@dataclass(slots=True, frozen=True)
class SampledCard:
    """A played card, with estimates for every legal card; all but seats count from 0."""

    file: str
    line: int
    log_id: str | None
    deal_index: int
    action_index: int
    sampled: SampledCards | NotSampled
    game: Game

    def reason(self, t: Translate) -> str | None:
        """Return why nothing is sampled, in words; None: it is sampled."""
        sampled = self.sampled
        return t(NOT_SAMPLED_REASONS[sampled.reason]) if isinstance(sampled, NotSampled) else None

    def name(self, card: int) -> str:
        return self.game.pack.names[card]

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """Return one object of `solve --sample --format jsonl`, always with every key."""
        known = self.sampled if isinstance(self.sampled, SampledCards) else None
        place = {"file": self.file, "line": self.line, "log_id": self.log_id, "deal_index": self.deal_index}
        cards = known and [
            {"card": name, "won": _estimate_dict(one.won, 4), "points": _estimate_dict(one.margin, 2)}
            for one in known.cards
            for name in [self.name(one.card)]
        ]
        return place | {
            "action_index": self.action_index,
            "seat": known and known.seat + 1,
            "played": known and self.name(known.played),
            "deals": known and known.deals,
            "cards": cards,
            "unsampled": self.reason(t),
        }


def _estimate_dict(found: SampledEstimate, places: int) -> dict[str, Any]:
    """Return an estimate's mean, difference from the played card, error and significance."""
    numbers = {"mean": found.mean, "loss": found.difference, "standard_error": found.standard_error}
    fields = {name: round(number, places) for name, number in numbers.items()}
    return {**fields, "is_significant": found.is_significant}


def sample_card(
    result: ValidationResult,
    file: str,
    line: int,
    deal: int,
    action: int,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 0,
) -> SampledCard:
    """Estimate the value of a played card by sampling. IndexError: no such deal."""
    replay = result.replays[deal]
    if deal in result.score_line_ends:
        sampled: SampledCards | NotSampled = NotSampled("line")
    elif replay is None:
        sampled = NotSampled("dealt")
    else:
        sampled = sample_cards(replay, action, samples, seed)
    return SampledCard(file, line, result.known_match.id, deal, action, sampled, result.known_setup.game)


if __name__ == "__main__":
    for name in sys.argv[1:]:  # python -m ingest.validate.solver_report chouine: compile its solver
        _solve_ended_deal(game(name))
