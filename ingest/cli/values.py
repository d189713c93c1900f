"""`retourne revalidate --values`: what the ends of stored deals were worth."""

from collections import Counter
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from rich.text import Text

from engine.games import game, names
from ingest.cli.params import Format, cluster_of, tell_set_aside, write
from ingest.cli.terminal import compiling_solvers, console, progress
from ingest.i18n import N_, Translate
from ingest.judge.solved import REASONS
from ingest.spread.cluster import Cluster
from ingest.store.reckon import Rows, Work, missing, reckon, reckoned
from ingest.store.revalidate import called
from ingest.store.store import Store

if TYPE_CHECKING:
    from ingest.spread.each import Each

TO_RECKON = N_("Matches whose values are not yet reckoned: {n}")
RECKONED = N_("Deals reckoned: {n}")
NOT_SOLVED = N_("not solved: {n}")


def reckon_values(
    t: Translate,
    store: Store,
    everything: bool,
    dry_run: bool,
    format: Format,
    quiet: bool,
    scheduler: str | None = None,
) -> bool:
    """Reckon what is missing, or all anew, and say how much; `dry_run`: say how much is missing.

    `scheduler`: by the workers of a cluster; False: some deals none of them survived.
    StoreError: the store cannot take it.
    """
    total = len(missing(store.cursor(), everything))
    if dry_run:
        if format is Format.JSONL:
            write([{"matches": total}])
        elif not quiet:
            console().print(t(TO_RECKON, n=total))
        return True
    if total and scheduler is None:
        compiling_solvers(t, map(game, names()))
    done, deals, unsolved = 0, 0, Counter[str]()
    with ExitStack() as until:
        each = (
            _by_workers(until.enter_context(cluster_of(t, scheduler, quiet))) if scheduler else None
        )
        advance = until.enter_context(progress(t, N_("Reckoning"), total, quiet=quiet))
        batches = until.enter_context(closing(reckon(store, everything, each)))
        for one in batches:
            done, deals = one.done, deals + one.deals
            unsolved += one.unsolved
            advance(done)
    if format is Format.JSONL:
        write([{"matches": done, "deals": deals, "unsolved": dict(unsolved.most_common())}])
    elif not quiet:
        console().print(_summary(t, deals, unsolved))
    tell_set_aside(t, each.set_aside if each else ())
    return not (each and each.set_aside)


def _by_workers(cluster: Cluster) -> "Each[Work, list[Rows]]":
    from ingest.spread.each import Each

    return Each(cluster, reckoned, lambda work: called(work.numbers))


def _summary(t: Translate, deals: int, unsolved: Counter[str]) -> Text:
    """`Deals reckoned: 120 · not solved: 14`, and why, a line each."""
    line = Text(t(RECKONED, n=deals), style="bold")
    if unsolved:
        line.append(" · " + t(NOT_SOLVED, n=unsolved.total()), style="not bold")
    for reason, count in unsolved.most_common():
        line.append(
            f"\n  {count}  {t(IN_GENERAL.get(reason) or REASONS[reason])}", style="not bold"
        )
    return line


IN_GENERAL = {
    "players": N_("Solved at two alone: with more, no play is best whatever the others do."),
    "option": N_("Not solved under the options of the match."),
}
"""What is said of many deals at once, where a sentence names something of one."""
