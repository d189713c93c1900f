"""`retourne solve`: what each card of a deal's end cost, against best play."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text as Line

from engine.solved import Chosen, Unsolved
from ingest.cli import complete, sampled
from ingest.cli.losses import BIDS, UNSOLVED, Told
from ingest.cli.params import AsFormat, Format, sources, write
from ingest.cli.replay import NO_SUCH_DEAL
from ingest.cli.say import head
from ingest.cli.stored import is_file, stored_text
from ingest.cli.terminal import (
    CANNOT,
    DEFAULT_STORE,
    FOUND,
    LEGAL,
    Lang,
    Stop,
    StorePath,
    compiling_sampler,
    compiling_solvers,
    console,
    leave,
    remark,
)
from ingest.i18n import N_, Translate
from ingest.judge.batch import explain_text
from ingest.judge.explain import Explained
from ingest.judge.report import MatchReport, explained_report, trouble_report
from ingest.judge.solved import SolvedDeal, solved_deals
from ingest.text.files import Batch, Text
from ingest.text.sources import source_batches

EXAMPLES = (
    "retourne solve match.json",
    "retourne solve club.jsonl --format jsonl",
    "retourne solve lavardin-2026-t12-r3 --deal 3 --store club.duckdb",
    "retourne solve match.json --deal 2 --chance 11",
)

DEAL = N_("Deal {n}")
VOID = N_("This deal is void and counts in no figure.")


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
    code, met, most = LEGAL, deal is None, 0
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
                most = max(most, len(explained.match.deals))
                continue
            met = True
            assert explained.table is not None
            if chance is not None and deal is not None:
                compiling_sampler(t, explained.table.game)
                sampled.say(t, explained, batch.file, text, (deal, chance), format)
                continue
            compiling_solvers(t, [explained.table.game])
            only = None if deal is None else deal - 1
            deals = solved_deals(explained, batch.file, text.line, only)
            if format is Format.JSONL:
                write(one.as_dict(t) for one in deals)
            else:
                console().print(Line("\n").join(_lines(t, batch.file, text, explained, deals)))
    if not met and most:
        raise Stop(NO_SUCH_DEAL, n=deal, count=most)
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
    assert explained.match is not None
    yield head(t, explained_report(file, text, explained))
    for one in deals:
        title = Line(" ").append(t(DEAL, n=one.deal + 1), style="bold").append(" – ")
        told = Told(t, explained, one)
        if isinstance(one.solved, Unsolved):
            yield title.append(t(UNSOLVED, reason=one.unsolved(t)), style="dim")
        elif isinstance(one.solved, Chosen):
            yield title.append(t(BIDS))
            yield from (Line("  " + line) for line in told.bids())
        else:
            yield title.append(told.margin(one.solved))
            if explained.match.deals[one.deal].void:
                yield Line("  ").append(t(VOID), style="dim")
            yield from (Line("  ").append(line) for line in told.lines(one.solved))
