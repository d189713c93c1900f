"""`retourne solve`: what each card of a deal's end cost, against best play."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text as Line

from engine.solved import Play, Solved, Unsolved
from ingest.cli import complete, sampled
from ingest.cli.compiling import compiling
from ingest.cli.objects import AsFormat, Format, write
from ingest.cli.replay import NO_SUCH_DEAL
from ingest.cli.say import acted, head
from ingest.cli.sources import sources
from ingest.cli.stored import is_file, stored_text
from ingest.cli.terminal import (
    CANNOT,
    DEFAULT_STORE,
    FOUND,
    LEGAL,
    Lang,
    Stop,
    StorePath,
    console,
    leave,
    remark,
)
from ingest.finding.words import speak_word
from ingest.i18n import N_, Translate
from ingest.judge.batch import explain_text
from ingest.judge.explain import Explained
from ingest.judge.report import MatchReport, explained_report, trouble_report
from ingest.judge.solved import SolvedDeal, solved_deals
from ingest.text.files import Batch, Text
from ingest.text.signs import plain
from ingest.text.sources import source_batches

EXAMPLES = (
    "retourne solve match.json",
    "retourne solve club.jsonl --format jsonl",
    "retourne solve lavardin-2026-t12-r3 --deal 3 --store club.duckdb",
    "retourne solve match.json --deal 2 --chance 11",
)

DEAL = N_("Deal {n}")
MORE = N_("from action {at} on {who} makes {points} more with best play")
AS_MUCH = N_("from action {at} on both make as much with best play")
LOST = N_("{points} lost; nothing with {cards}")
SAID_NOTHING = N_("{points} lost by what was announced with it or not")
NOTHING = N_("Nothing was lost.")
TURNED = N_("The winner turned with action {at}: {action}.")
UNSOLVED = N_("not solved: {reason}")


def solve(
    ctx: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar=N_("FILE|ID"),
            autocompletion=complete.matches,
            help=N_("A file, or the id of a stored match."),
        ),
    ],
    deal: Annotated[
        int | None,
        typer.Option("--deal", "-d", min=1, metavar="N", help=N_("Which deal.")),
    ] = None,
    chance: Annotated[
        int | None,
        typer.Option(
            "--chance",
            min=1,
            metavar="ACTION",
            help=N_("Sample this action of the deal: how often each card would have won."),
        ),
    ] = None,
    format: AsFormat = Format.TEXT,
    store: StorePath = DEFAULT_STORE,
    lang: Lang = None,
) -> None:
    """Say what play cost."""
    t: Translate = ctx.obj
    if chance is not None and deal is None:
        raise Stop(sampled.WHICH_DEAL)
    code = LEGAL
    for batch in _batches(t, name, store):
        for trouble in batch.troubles:
            code = CANNOT
            _unread(t, trouble_report(trouble))
        for text in batch.texts:
            explained = explain_text(text)
            if explained.match is None:
                code = max(code, FOUND)
                _unread(t, explained_report(batch.file, text, explained))
                continue
            if deal is not None and deal > len(explained.match.deals):
                raise Stop(NO_SUCH_DEAL, n=deal, count=len(explained.match.deals))
            assert explained.table is not None
            compiling(t, [explained.table.game])
            if chance is not None and deal is not None:
                sampled.say(t, explained, batch.file, text, (deal, chance), format)
                continue
            only = None if deal is None else deal - 1
            deals = solved_deals(explained, batch.file, text.line, only)
            if format is Format.JSONL:
                write(one.as_dict(t) for one in deals)
            else:
                console().print(Line("\n").join(_lines(t, batch.file, text, explained, deals)))
    leave(code)


def _batches(t: Translate, name: str, store: Path) -> Iterator[Batch]:
    """The matches of a file, or the stored one of that id."""
    if is_file(name):
        yield from source_batches(sources([name]))
    else:
        yield Batch(name, [Text(1, stored_text(t, name, store))], [])


def _unread(t: Translate, report: MatchReport) -> None:
    remark(f"{report.file}:{report.line} {report.findings[0].message(t)}")


def _lines(
    t: Translate, file: str, text: Text, explained: Explained, deals: Iterator[SolvedDeal]
) -> Iterator[Line]:
    """The match, and each of its deals."""
    yield head(t, explained_report(file, text, explained))
    for one in deals:
        title = Line(" ").append(t(DEAL, n=one.deal + 1), style="bold").append(" – ")
        if isinstance(one.solved, Unsolved):
            yield title.append(t(UNSOLVED, reason=one.reason(t)), style="dim")
        else:
            told = Told(t, explained, one)
            yield title.append(told.margin(one.solved))
            yield from (Line("  ").append(line) for line in told.lines(one.solved))


class Told:
    """A solved deal in words; actions count from 1, as `replay` numbers them."""

    def __init__(self, t: Translate, explained: Explained, one: SolvedDeal) -> None:
        assert explained.match is not None
        self.t, self.one, self.game = t, one, one.game
        self.names = [player.called for player in explained.match.players]
        self.actions = explained.match.deals[one.deal].actions

    def margin(self, solved: Solved) -> str:
        """Who makes more from there on, and how much."""
        at, side = solved.start + 1, 0 if solved.margin > 0 else 1
        if not solved.margin:
            return self.t(AS_MUCH, at=at)
        seats = range(len(self.names)) if not self.game.partners else (side, side + 2)
        who = [self.names[seat] for seat in seats if self.game.partners or seat == side]
        return plain(self.t(MORE, at=at, who=" – ".join(who), points=abs(solved.margin)))

    def lines(self, solved: Solved) -> Iterator[Line]:
        """Each card that lost points, and where the winner turned."""
        costly = [play for play in solved.plays if play.lost]
        if not costly:
            yield Line(self.t(NOTHING), style="dim")
        for play in costly:
            yield (
                Line(f"{play.action + 1:4}  ")
                .append(self._acted(play.action))
                .append(": " + self._lost(play))
            )
        if solved.turning is not None:
            at = solved.turning
            yield Line(self.t(TURNED, at=at + 1, action=self._acted(at)))

    def _lost(self, play: Play) -> str:
        card = self.actions[play.action].partition(" ")[2]
        best = self.one.names(play.best)
        if card in best:
            return self.t(SAID_NOTHING, points=play.lost)
        said = ", ".join(speak_word(self.t, one, self.game.name) for one in best)
        return self.t(LOST, points=play.lost, cards=said)

    def _acted(self, at: int) -> str:
        return acted(self.t, self.actions[at], self.names, self.game.name)
