"""`retourne solve`: prints the points that each card of an endgame cost."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.text import Text as Line

from engine.sampling import CardChances, SampledCards
from engine.solver_results import BidRegretReport, EndgameReport, NotSolved, PlayedCard
from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.open_store import StoreOrServerRun
from ingest.cli.report_text import action_text, report_heading
from ingest.cli.terminal_tables import console
from ingest.escaping import escape_line
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate, format_count, format_decimal
from ingest.reader.files import Batch, MatchText
from ingest.reader.sources import source_batches
from ingest.validate.batch import validate_text
from ingest.validate.report import MatchReport, report_of_result, report_of_trouble
from ingest.validate.slow_path import ValidationResult
from ingest.validate.solver_report import SolvedDeal, sample_card, solved_deals, warm_up_jit

MATCH_NAME: Any = cli.argument(
    N_("A file, or the id of a stored match."), N_("FILE|ID"), complete=shell_completion.complete_matches
)
WHICH_DEAL: Any = cli.option(N_("Which deal."), "N", "-d", min=1)
DEAL_HEADING = N_("Deal {n}")
MARGIN_TEXT = N_("from action {at} on {who} makes {points} more with best play")
ACTION_LINE = N_("{action}: {message}")
NOTHING_LOST = N_("Nothing was lost.")
NO_CARD_PLAYED = N_("No card was played after that.")
WINNER_UNCHANGED = N_("None of these cards changed who wins the deal.")
WINNER_TURNED = N_("The winner turned with action {at}: {action}.")
NOT_SOLVED = N_("not solved: {reason}")
UNKNOWN_ACTION = N_("The deal has no action number {n}; it has {count}.")
SAMPLE_DESCRIPTION = N_(
    "from {who}’s view: of {deals} possible deals, played to the end by a simple player, {card} won {share}%"
)
WIN_RATE_DIFFERENCE = N_("won {share} ± {error}% more often")
MORE_POINTS = N_("points: {points} more")
FEW_DEALS = 10
"""Percentages below this get a decimal: 2 ± 2 would look like nothing."""
Z_95 = 1.96
"""Standard errors on each side of a 95% confidence interval."""
FILE_WITH_SERVER = N_(
    "{name} is a file here, but --server reads matches stored there: remove --server, or give the match’s id."
)
NEITHER_FILE_NOR_MATCH = N_("{name} is neither a file nor, for want of a store at {store}, a stored match.")


def solve(
    run: StoreOrServerRun,
    name: str = MATCH_NAME,
    deal: int | None = WHICH_DEAL,
    sample: int | None = cli.option(
        N_("Sample this action of the deal: how often each card would have won."), "ACTION", min=1
    ),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """Print what each card cost, or how often each would have won."""
    t = run.t
    if sample is not None and deal is None:
        raise cli.CommandError(N_("--sample needs a deal: add --deal N."))
    if is_file(run, name):
        batches = source_batches(params.parse_sources([name]))
    else:
        batches = iter([Batch(name, [MatchText(1, stored_text(run, name))], [])])
    code, met, most, as_objects = cli.EXIT_OK, deal is None, 0, format is params.Format.JSONL
    for batch in batches:
        for trouble in batch.troubles:
            code, report = cli.EXIT_ERROR, report_of_trouble(trouble)
            cli.print_notice(f"{report.file}:{report.line} {report.findings[0].message(t)}")
        for text in batch.texts:
            explained = validate_text(text)
            report = report_of_result(batch.file, text, explained)
            if explained.match is None:
                code = max(code, cli.EXIT_FINDINGS)
                cli.print_notice(f"{report.file}:{report.line} {report.findings[0].message(t)}")
                continue
            if deal is not None and deal > len(explained.match.deals):
                most = max(most, len(explained.match.deals))
                continue
            met = True
            if sample is not None and deal is not None:
                _write_chances(t, explained, report, deal, sample, as_objects)
                continue
            cli.announce_solver_jit(t, [explained.known_setup.game])
            only = None if deal is None else deal - 1
            deals = solved_deals(explained, batch.file, text.line, only)
            if as_objects:
                params.write_json_lines(one.as_dict(t) for one in deals)
            else:
                lines = [report_heading(t, report), *_solve_lines(t, explained, deals)]
                console().print(Line("\n").join(lines))
    if not met and most:
        raise cli.CommandError(params.NO_SUCH_DEAL, n=deal, count=most)
    cli.exit_with(code)


def _solve_lines(t: Translate, explained: ValidationResult, deals: Iterator[SolvedDeal]) -> Iterator[Line]:
    """Yield the lines of each deal of a match."""
    for one in deals:
        title = Line(" ").append(t(DEAL_HEADING, n=one.deal_index + 1), style="bold").append(" – ")
        result = SolveText(t, explained, one)
        if isinstance(one.solved, NotSolved):
            yield title.append(t(NOT_SOLVED, reason=one.reason_with_finding(t)), style="dim")
        elif isinstance(one.solved, BidRegretReport):
            yield title.append(t("bid cards, for the tricks won"))
            yield from (Line("  " + line) for line in result.bid_lines())
        else:
            yield title.append(result.margin_text(one.solved))
            if explained.known_match.deals[one.deal_index].void:
                yield Line("  ").append(t("This deal is void and excluded from statistics."), style="dim")
            yield from (Line("  ").append(line) for line in result.loss_lines(one.solved))


class SolveText:
    """Texts of a deal, solved or not; actions count from 1, as in `replay`."""

    def __init__(self, t: Translate, explained: ValidationResult, solved_deal: SolvedDeal) -> None:
        self.t, self.solved_deal, self.game = t, solved_deal, solved_deal.game
        self.names = [player.display_name for player in explained.known_match.players]
        self.actions = explained.known_match.deals[solved_deal.deal_index].actions

    def margin_text(self, solved: EndgameReport) -> str:
        """Return the side that makes more with best play, and by how much."""
        at, side = solved.first_action + 1, 0 if solved.margin > 0 else 1
        if not solved.margin:
            return self.t("from action {at} on both make as much with best play", at=at)
        seats = range(len(self.names)) if not self.game.partners else (side, side + 2)
        who = [self.names[seat] for seat in seats if self.game.partners or seat == side]
        return escape_line(self.t(MARGIN_TEXT, at=at, who=" – ".join(who), points=abs(solved.margin)))

    def loss_lines(self, solved: EndgameReport) -> Iterator[Line]:
        """Yield each card that lost points, and where the winner changed."""
        costly = [play for play in solved.plays if play.lost]
        if not costly:
            yield Line(self.t(NOTHING_LOST if solved.plays else NO_CARD_PLAYED), style="dim")
        for play in costly:
            message = self.t(
                ACTION_LINE, action=self._action_text(play.action), message=self._loss_text(play)
            )
            yield Line(f"{play.action + 1:4}  {message}")
        if solved.turning_action is not None:
            yield Line(self._turning_text(solved.turning_action))
        elif costly:
            yield Line(self.t(WINNER_UNCHANGED), style="dim")

    def action_notes(self, action_index: int) -> Iterator[str]:
        """Yield an action's loss, and whether the winner changed with it."""
        if not isinstance(solved := self.solved_deal.solved, EndgameReport):
            return
        yield from (
            self._loss_text(play) for play in solved.plays if play.action == action_index and play.lost
        )
        if solved.turning_action == action_index:
            yield self._turning_text(action_index)

    def bid_lines(self) -> Iterator[str]:
        return map(escape_line, self.solved_deal.bid_lines(self.t, self.names))

    def deal_notes(self) -> Iterator[str]:
        """Yield the bids of a deal, or why it is not solved."""
        if isinstance(self.solved_deal.solved, BidRegretReport):
            yield from self.bid_lines()
        elif (reason := self.solved_deal.reason(self.t)) is not None:
            yield self.t(NOT_SOLVED, reason=reason)

    def _loss_text(self, play: PlayedCard) -> str:
        card = self.actions[play.action].partition(" ")[2]
        best = self.solved_deal.names(play.best_cards)
        if card in best:
            return self.t("{points} lost by the announcement made with it or not made", points=play.lost)
        message = ", ".join(describe_word(self.t, one, self.game.name) for one in best)
        return self.t("{points} points lost; no loss with {cards}", points=play.lost, cards=message)

    def _turning_text(self, action_index: int) -> str:
        return self.t(WINNER_TURNED, at=action_index + 1, action=self._action_text(action_index))

    def _action_text(self, action_index: int) -> str:
        return action_text(self.t, self.actions[action_index], self.names, self.game.name)


class MatchSolver:
    """Solves deals of a match; a thread loads or compiles the solver at the same time."""

    def __init__(self, t: Translate, explained: ValidationResult) -> None:
        self._t, self._explained = t, explained
        self._solved_deals: dict[int, SolveText] = {}
        self._loader = threading.Thread(target=warm_up_jit, args=(explained.known_setup.game,), daemon=True)
        self._loader.start()

    def wait(self) -> None:
        self._loader.join()

    def solve_text(self, deal: int) -> SolveText | None:
        """Return the texts of a deal, from 0, or None while the solver is not ready."""
        if self._loader.is_alive():
            return None
        if deal not in self._solved_deals:
            (one,) = solved_deals(self._explained, "", 1, deal)
            self._solved_deals[deal] = SolveText(self._t, self._explained, one)
        return self._solved_deals[deal]


def _write_chances(
    t: Translate,
    explained: ValidationResult,
    report: MatchReport,
    deal: int,
    action_index: int,
    as_object: bool,
) -> None:
    """Write an action's win rate and those of the other cards; both numbers count from 1."""
    cli.announce_sampler_jit(t, explained.known_setup.game)
    actions = explained.known_match.deals[deal - 1].actions
    if action_index > len(actions):
        raise cli.CommandError(UNKNOWN_ACTION, n=action_index, count=len(actions))
    one = sample_card(explained, report.file, report.line, deal - 1, action_index - 1)
    if as_object:
        return params.write_json_lines([one.as_dict(t)])
    names, game = [player.display_name for player in explained.known_match.players], one.game.name
    title = Line(" ").append(t(DEAL_HEADING, n=deal), style="bold").append(" – ")
    lines = [report_heading(t, report), title]
    if not isinstance(found := one.sampled, SampledCards):
        title.append(t("not sampled: {reason}", reason=one.reason(t)), style="dim")
    else:
        own = next(card for card in found.cards if card.card == found.played)
        text = t(
            N_("only one deal fits the cards that {who} could see")
            if found.is_single_deal
            else SAMPLE_DESCRIPTION,
            deals=format_count(found.deals, t),
            who=escape_line(names[found.seat]),
            card=describe_word(t, one.name(own.card), game),
            share=f"{100 * own.won.mean:.0f}",
        )
        result = action_text(t, actions[action_index - 1], names, game)
        title.append(f"{action_index}  {t(ACTION_LINE, action=result, message=text)}")
        for card in found.cards:
            if card.card != found.played:
                spoken = describe_word(t, one.name(card.card), game)
                lines.append(Line(f"{spoken:>7}  ").append(_chance_difference(t, found, card)))
    console().print(Line("\n").join(lines))


def _chance_difference(t: Translate, found: SampledCards, card: CardChances) -> str:
    """Return a card's result compared with that of the card played."""
    if found.is_single_deal:
        points = round(card.margin.difference)
        words = (N_("points: {points} less") if points > 0 else MORE_POINTS) if points else N_("as much")
        return t(words, points=abs(points))
    if not card.won.is_significant:
        return t("no difference that {deals} deals could show", deals=format_count(found.deals, t))
    share, error = abs(100 * card.won.difference), 100 * Z_95 * card.won.standard_error
    words = N_("won {share} ± {error}% less often") if card.won.difference > 0 else WIN_RATE_DIFFERENCE
    digits = 1 if share < FEW_DEALS else 0
    return t(words, share=format_decimal(share, digits, t), error=format_decimal(error, digits, t))


def is_file(run: StoreOrServerRun, name: str) -> bool:
    """Return whether a word is a file, a folder or standard input; else it is an id.

    CommandError: it is a file, and a server is named.
    """
    found = name == params.STDIN or Path(name).exists()
    if found and run.server is not None:
        raise cli.CommandError(FILE_WITH_SERVER, name=name)
    return found


def stored_text(run: StoreOrServerRun, name: str) -> bytes:
    """Return the text of a stored match. CommandError: no such match, store or server."""
    if run.server is None and not run.store.exists():
        raise cli.CommandError(NEITHER_FILE_NOR_MATCH, name=name, store=run.store)
    with run.open(read_only=True) as requested:
        return requested.read_log(name)
