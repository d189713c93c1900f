"""`retourne solve`: what each card of a deal's end cost, against best play."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.text import Text as Line

from engine.sampling import Chance, Chances
from engine.solver_results import Chosen, Play, Solved, Unsolved
from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.open_store import store_at
from ingest.cli.report_text import acted, head
from ingest.findings.spoken_notation import speak_word
from ingest.i18n import N_, Translate, count_of, decimal_of
from ingest.reader.escaping import plain
from ingest.reader.files import Batch, Text
from ingest.reader.sources import source_batches
from ingest.validate.batch import explain_text
from ingest.validate.report import MatchReport, explained_report, trouble_report
from ingest.validate.slow_path import Explained
from ingest.validate.solver_report import SolvedDeal, prepare, sampled_card, solved_deals

MATCH_NAME: Any = cli.argument(
    N_("A file, or the id of a stored match."), N_("FILE|ID"), complete=shell_completion.matches
)
WHICH_DEAL: Any = cli.option(N_("Which deal."), "N", "-d", min=1)
DEAL = N_("Deal {n}")
VOID = N_("This deal is void and counts in no figure.")
MORE = N_("from action {at} on {who} makes {points} more with best play")
OF_ACTION = N_("{action}: {said}")
NOTHING = N_("Nothing was lost.")
NO_CARD = N_("No card was laid from there on.")
TURNED = N_("The winner turned with action {at}: {action}.")
UNSOLVED = N_("not solved: {reason}")
NO_SUCH_ACTION = N_("The deal has no action number {n}; it has {count}.")
DEALS_FIT = N_(
    "over {deals} deals drawn from all that fit what {who} could see, played on by a simple "
    "player, {card} won {share}%"
)
MORE_OFTEN = N_("won {share} ± {error}% more often")
POINTS_LESS = N_("points: {points} less")
POINTS_MORE = N_("points: {points} more")
SMALL = 10
"""Percent below which a decimal is told: 2 ± 2 would look like nothing."""
WIDE = 1.96
"""Standard errors on each side of what is said: 95 in 100 lie within."""
NEITHER = N_("{name} is neither a file nor, for want of a store at {store}, a stored match.")


def solve(
    run: cli.StoreRun,
    name: str = MATCH_NAME,
    deal: int | None = WHICH_DEAL,
    chance: int | None = cli.option(
        N_("Sample this action of the deal: how often each card would have won."), "ACTION", min=1
    ),
    format: params.AsFormat = params.Format.TEXT,
) -> None:
    """Say what play cost."""
    t = run.t
    if chance is not None and deal is None:
        raise cli.Stop(N_("Say with --deal which deal --chance is about."))
    if is_file(name):
        batches = source_batches(params.sources([name]))
    else:
        batches = iter([Batch(name, [Text(1, stored_text(run, name))], [])])
    code, met, most, as_objects = cli.LEGAL, deal is None, 0, format is params.Format.JSONL
    for batch in batches:
        for trouble in batch.troubles:
            code, report = cli.CANNOT, trouble_report(trouble)
            cli.remark(f"{report.file}:{report.line} {report.findings[0].message(t)}")
        for text in batch.texts:
            explained = explain_text(text)
            report = explained_report(batch.file, text, explained)
            if explained.match is None:
                code = max(code, cli.FOUND)
                cli.remark(f"{report.file}:{report.line} {report.findings[0].message(t)}")
                continue
            if deal is not None and deal > len(explained.match.deals):
                most = max(most, len(explained.match.deals))
                continue
            met = True
            assert explained.table is not None
            if chance is not None and deal is not None:
                _write_sampled(t, explained, report, deal, chance, as_objects)
                continue
            cli.compiling_solvers(t, [explained.table.game])
            only = None if deal is None else deal - 1
            deals = solved_deals(explained, batch.file, text.line, only)
            if as_objects:
                params.write(one.as_dict(t) for one in deals)
            else:
                lines = [head(t, report), *_lines(t, explained, deals)]
                cli.console().print(Line("\n").join(lines))
    if not met and most:
        raise cli.Stop(params.NO_SUCH_DEAL, n=deal, count=most)
    cli.leave(code)


def _lines(t: Translate, explained: Explained, deals: Iterator[SolvedDeal]) -> Iterator[Line]:
    """Each deal of a match."""
    assert explained.match is not None
    for one in deals:
        title = Line(" ").append(t(DEAL, n=one.deal + 1), style="bold").append(" – ")
        told = LossesText(t, explained, one)
        if isinstance(one.solved, Unsolved):
            yield title.append(t(UNSOLVED, reason=one.unsolved(t)), style="dim")
        elif isinstance(one.solved, Chosen):
            yield title.append(t("bid cards, for the tricks won"))
            yield from (Line("  " + line) for line in told.bids())
        else:
            yield title.append(told.margin(one.solved))
            if explained.match.deals[one.deal].void:
                yield Line("  ").append(t(VOID), style="dim")
            yield from (Line("  ").append(line) for line in told.lines(one.solved))


class LossesText:
    """A deal in words, solved or not; actions count from 1, as `replay` numbers them."""

    def __init__(self, t: Translate, explained: Explained, one: SolvedDeal) -> None:
        assert explained.match is not None
        self.t, self.one, self.game = t, one, one.game
        self.names = [player.called for player in explained.match.players]
        self.actions = explained.match.deals[one.deal].actions

    def margin(self, solved: Solved) -> str:
        """Who makes more from there on, and how much."""
        at, side = solved.start + 1, 0 if solved.margin > 0 else 1
        if not solved.margin:
            return self.t("from action {at} on both make as much with best play", at=at)
        seats = range(len(self.names)) if not self.game.partners else (side, side + 2)
        who = [self.names[seat] for seat in seats if self.game.partners or seat == side]
        return plain(self.t(MORE, at=at, who=" – ".join(who), points=abs(solved.margin)))

    def lines(self, solved: Solved) -> Iterator[Line]:
        """Each card that lost points, and where the winner turned."""
        costly = [play for play in solved.plays if play.lost]
        if not costly:
            yield Line(self.t(NOTHING if solved.plays else NO_CARD), style="dim")
        for play in costly:
            said = self.t(OF_ACTION, action=self._acted(play.action), said=self._lost(play))
            yield Line(f"{play.action + 1:4}  {said}")
        if solved.turning is not None:
            yield Line(self._turned(solved.turning))

    def after(self, at: int) -> Iterator[str]:
        """What an action cost, and whether the winner turned with it."""
        if not isinstance(solved := self.one.solved, Solved):
            return
        yield from (self._lost(play) for play in solved.plays if play.action == at and play.lost)
        if solved.turning == at:
            yield self._turned(at)

    def bids(self) -> Iterator[str]:
        """What each player bid, and the best card that was left."""
        return map(plain, self.one.bids(self.t, self.names))

    def at_the_end(self) -> Iterator[str]:
        """What is said of the deal as a whole: why nothing is, or what was bid."""
        if isinstance(self.one.solved, Chosen):
            yield from self.bids()
        elif (reason := self.one.reason(self.t)) is not None:
            yield self.t(UNSOLVED, reason=reason)

    def _lost(self, play: Play) -> str:
        card = self.actions[play.action].partition(" ")[2]
        best = self.one.names(play.best)
        if card in best:
            return self.t("{points} lost by what was announced with it or not", points=play.lost)
        said = ", ".join(speak_word(self.t, one, self.game.name) for one in best)
        return self.t("{points} lost; nothing with {cards}", points=play.lost, cards=said)

    def _turned(self, at: int) -> str:
        return self.t(TURNED, at=at + 1, action=self._acted(at))

    def _acted(self, at: int) -> str:
        return acted(self.t, self.actions[at], self.names, self.game.name)


class MatchLosses:
    """What play of a match was worth; its solver is loaded, or compiled, beside what is shown."""

    def __init__(self, t: Translate, explained: Explained) -> None:
        assert explained.table is not None
        self._t, self._explained = t, explained
        self._known: dict[int, LossesText] = {}
        own = explained.table.game
        self._loading = threading.Thread(target=prepare, args=(own,), daemon=True)
        self._loading.start()

    def wait(self) -> None:
        """Until it is there."""
        self._loading.join()

    def of(self, deal: int) -> LossesText | None:
        """A deal, from 0; None: the solver is not there yet."""
        if self._loading.is_alive():
            return None
        if deal not in self._known:
            (one,) = solved_deals(self._explained, "", 1, deal)
            self._known[deal] = LossesText(self._t, self._explained, one)
        return self._known[deal]


def _write_sampled(
    t: Translate, explained: Explained, report: MatchReport, deal: int, at: int, as_object: bool
) -> None:
    """Write what one action was worth, and what came of each other card; both count from 1."""
    assert explained.match is not None
    assert explained.table is not None
    cli.compiling_sampler(t, explained.table.game)
    actions = explained.match.deals[deal - 1].actions
    if at > len(actions):
        raise cli.Stop(NO_SUCH_ACTION, n=at, count=len(actions))
    one = sampled_card(explained, report.file, report.line, deal - 1, at - 1)
    if as_object:
        return params.write([one.as_dict(t)])
    names, game = [player.called for player in explained.match.players], one.game.name
    title = Line(" ").append(t(DEAL, n=deal), style="bold").append(" – ")
    lines = [head(t, report), title]
    if not isinstance(found := one.sampled, Chances):
        title.append(t("not sampled: {reason}", reason=one.reason(t)), style="dim")
    else:
        own = next(card for card in found.cards if card.card == found.played)
        told = t(
            N_("one deal alone fits what {who} could see") if found.only else DEALS_FIT,
            deals=count_of(found.deals, t),
            who=plain(names[found.seat]),
            card=speak_word(t, one.name(own.card), game),
            share=f"{100 * own.won.mean:.0f}",
        )
        said = acted(t, actions[at - 1], names, game)
        title.append(f"{at}  {t(OF_ACTION, action=said, said=told)}")
        for card in found.cards:
            if card.card != found.played:
                spoken = speak_word(t, one.name(card.card), game)
                lines.append(Line(f"{spoken:>7}  ").append(_compared(t, found, card)))
    cli.console().print(Line("\n").join(lines))


def _compared(t: Translate, found: Chances, card: Chance) -> str:
    """What came of a card, against the one that was laid."""
    if found.only:
        points = round(card.margin.less)
        words = (POINTS_LESS if points > 0 else POINTS_MORE) if points else N_("as much")
        return t(words, points=abs(points))
    if not card.won.shown:
        return t("no difference that {deals} deals could show", deals=count_of(found.deals, t))
    share, error = abs(100 * card.won.less), 100 * WIDE * card.won.error
    words = N_("won {share} ± {error}% less often") if card.won.less > 0 else MORE_OFTEN
    digits = 1 if share < SMALL else 0
    return t(words, share=decimal_of(share, digits, t), error=decimal_of(error, digits, t))


def is_file(name: str) -> bool:
    """Whether a word is a file, a folder or standard input; else it is an id."""
    return name == params.STDIN or Path(name).exists()


def stored_text(run: cli.StoreRun, name: str) -> bytes:
    """The text of a stored match. Stop: there is none, or no store."""
    if not run.store.exists():
        raise cli.Stop(NEITHER, name=name, store=run.store)
    with store_at(run.store, None, None, run.t, read_only=True) as asked:
        return asked.log(name)
