"""`retourne revalidate`: stored verdicts judged again, by newer rules or under others."""

import sys
from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich.text import Text

from engine import RULES_VERSION
from engine.games import game, names
from ingest.cli import complete
from ingest.cli.opening import open_store
from ingest.cli.otherwise import rules_asked
from ingest.cli.params import Format, Scheduler, Settings, cluster_of, tell_set_aside, write
from ingest.cli.terminal import (
    CANNOT,
    DEFAULT_STORE,
    FOUND,
    LEGAL,
    Lang,
    Quiet,
    Stop,
    StorePath,
    compiling_solvers,
    console,
    leave,
    progress,
    remark,
)
from ingest.i18n import N_, Translate
from ingest.judge.otherwise import Change, say_change, side_name
from ingest.judge.solved import REASONS
from ingest.spread.cluster import Cluster
from ingest.store.reckon import missing, reckon, reckoned
from ingest.store.revalidate import Judged, judged, old, refresh, stored, would_move
from ingest.store.store import NO_STORE, Store
from ingest.store.verdict_diff import Moved
from ingest.store.what_if import Under
from ingest.text.signs import as_json, plain

NOT_BOTH = N_("--all and --dry-run are for refreshing verdicts; --rules and --set only list.")
NO_VALUES = N_("--values goes with the rules of each match: without --rules and --set.")
ONLY_WRITTEN = N_("--scheduler is for what is then stored: without --dry-run, --rules and --set.")
ONLY_OTHER = N_("--game goes with --rules or --set.")
NO_GAME = N_("No such game: {found}. Known: {known}.")
NOT_THIS_GAME = N_("{game} does not have these rules. Games that do: {known}.")
OLD_BY_VERSION = N_("Verdicts of rules version {version}: {n}. This version: {now}.")
NONE_OLD = N_("No stored verdict is of an older version of the rules.")
OLD_HINT = N_(
    "Verdicts of an older version of the rules: {n}. Refresh them: retourne revalidate{store}"
)


def revalidate(
    ctx: typer.Context,
    store: StorePath = DEFAULT_STORE,
    all_: Annotated[
        bool,
        typer.Option("--all", help=N_("Read every text again, not only those of old verdicts.")),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help=N_(
                "Only say how many verdicts are old, and what moves; verify looks at the rows."
            ),
        ),
    ] = False,
    values: Annotated[
        bool,
        typer.Option(
            "--values",
            help=N_("Reckon what was lost in the ends of stored deals: what is missing, or --all."),
        ),
    ] = False,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar=N_("PRESET"),
            autocompletion=complete.presets,
            help=N_("List what moves under this preset."),
        ),
    ] = None,
    setting: Settings = None,
    game: Annotated[
        str | None,
        typer.Option(
            metavar=N_("GAME"), autocompletion=complete.games, help=N_("Only matches of this game.")
        ),
    ] = None,
    scheduler: Scheduler = None,
    format: Annotated[
        Format,
        typer.Option("--format", help=N_("text for people; jsonl: one JSON object per match.")),
    ] = Format.TEXT,
    quiet: Quiet = False,
    lang: Lang = None,
) -> None:
    """Judge stored matches again."""
    t: Translate = ctx.obj
    other = rules is not None or bool(setting)
    if scheduler is not None and (dry_run or other):
        raise Stop(ONLY_WRITTEN)
    if other and (all_ or dry_run):
        raise Stop(NOT_BOTH)
    if other and values:
        raise Stop(NO_VALUES)
    if game is not None and not other:
        raise Stop(ONLY_OTHER)
    if game is not None and game not in names():
        raise Stop(NO_GAME, found=game, known=", ".join(names()))
    options = rules_asked(rules, setting or ())
    if not store.exists():
        raise Stop(NO_STORE, path=store)
    if values:
        with open_store(store, read_only=dry_run) as opened:
            done = reckon_values(t, opened, all_, dry_run, format, quiet, scheduler)
        leave(LEGAL if done else CANNOT)
    passed, set_aside = 0, list[str]()
    with ExitStack() as using:
        opened = using.enter_context(open_store(store, read_only=other or dry_run))
        found = LEGAL
        total = stored(opened.cursor()) if all_ else sum(old(opened.cursor()).values())
        coming: Iterable[Judged]
        if other:
            under = _under(opened, rules, options, game)
            coming, total, passed = under, len(under.chosen), under.passed
        elif dry_run:
            found = _say_old(t, old(opened.cursor()), format)
            coming = would_move(opened, all_)
        elif scheduler is not None and total:
            cluster = using.enter_context(cluster_of(t, scheduler, quiet))
            judging, set_aside = _by_workers(cluster, opened, all_)
            coming = using.enter_context(closing(judging))
        else:
            coming = using.enter_context(closing(refresh(opened, all_)))
        tally = _tell(t, coming, total, format, quiet)
    if format is Format.TEXT and not quiet and (total or not dry_run):
        console().print(_summary(t, tally, passed))
    tell_set_aside(t, set_aside)
    leave(CANNOT if set_aside else FOUND if tally["moved"] else found)


def _by_workers(
    cluster: Cluster, store: Store, everything: bool
) -> tuple[Generator[Judged, None, None], list[str]]:
    """What workers judge again, and what none of them survives; in a lake they write it, too."""
    if store.in_a_file:
        set_aside = list[str]()
        return refresh(store, everything, partial(cluster.each, judged, set_aside)), set_aside
    from ingest.spread.revalidate import Refreshing
    from ingest.store.lake.store import LakeStore

    assert isinstance(store, LakeStore)
    by_them = Refreshing(cluster, store, everything)
    return by_them.judged(), by_them.set_aside


def old_hint(t: Translate, store: Store, path: Path) -> None:
    """Say on standard error that verdicts are old, and how they are refreshed."""
    if count := sum(old(store.cursor()).values()):
        place = "" if path == DEFAULT_STORE else f" --store {quote(str(path))}"
        remark(t(OLD_HINT, n=count, store=place))


def _under(store: Store, preset: str | None, options: dict[str, Any], name: str | None) -> Under:
    """Stop: the game that is asked for does not have these rules."""
    under = Under(store, preset, options, None if name is None else [name])
    if name is not None and name not in under.having:
        raise Stop(NOT_THIS_GAME, game=name, known=", ".join(under.having))
    return under


def _say_old(t: Translate, found: dict[int, int], format: Format) -> int:
    if format is Format.JSONL:
        write({"rules_version": version, "verdicts": count} for version, count in found.items())
        return FOUND if found else LEGAL
    for version, count in found.items():
        console().print(t(OLD_BY_VERSION, version=version, n=count, now=RULES_VERSION))
    if not found:
        console().print(t(NONE_OLD))
    return FOUND if found else LEGAL


def _tell(
    t: Translate, judged: Iterable[Judged], total: int, format: Format, quiet: bool
) -> Counter[str]:
    """Write what moves as it is found; how many were `judged`, `moved`, and changed verdict."""
    tally: Counter[str] = Counter()
    with progress(t, N_("Judging"), total, quiet=quiet) as advance:
        for batch in judged:
            advance(batch.done)
            tally["judged"] = batch.done
            for moved in batch.moved:
                tally["moved"] += 1
                for change in moved.changes:
                    if change.what == "status" and change.deal is None:
                        tally[f"{t(change.before)} → {t(change.after)}"] += 1
                if format is Format.JSONL:
                    sys.stdout.write(as_json(as_object(moved)) + "\n")
                else:
                    console().print(Text("\n").join(lines(t, moved)))
    return tally


def as_object(moved: Moved) -> dict[str, Any]:
    """A match that moves as `--format jsonl` writes it."""
    return {
        "match": moved.match_id,
        "id": moved.log_id,
        "game": moved.game,
        "players": moved.players,
        "changes": [
            {"what": one.what, "deal": one.deal, "before": one.before, "after": one.after}
            for one in moved.changes
        ],
    }


def lines(t: Translate, moved: Moved) -> list[Text]:
    """A match that moves: its id, who played, and below it what is another."""
    told = Text(plain(moved.log_id or moved.match_id), style="bold")
    sides = 0 if moved.game is None else game(moved.game).sides(len(moved.players))
    if sides:
        names = " – ".join(" + ".join(moved.players[side::sides]) for side in range(sides))
        told.append("  " + plain(names), style="not bold")

    def who(side: Any) -> str:
        return side_name(t, side, moved.players, sides)

    def line(change: Change) -> Text:
        before, after = who(change.before), who(change.after)
        return Text("  " + plain(say_change(t, change, before, after)))

    return [told, *map(line, moved.changes)]


def _summary(t: Translate, tally: Counter[str], passed: int) -> Text:
    """`Judged: 120 · moved: 3 · legal → irregular: 2 · passed over: 14`."""
    line = Text(t("Judged: {n}", n=tally["judged"]), style="bold")
    parts = [t("moved: {n}", n=tally["moved"])]
    verdicts = {name: n for name, n in tally.items() if name not in ("judged", "moved")}
    parts += [t("{name}: {n}", name=name, n=n) for name, n in sorted(verdicts.items())]
    if passed:
        parts.append(t("passed over: {n}", n=passed))
    for part in parts:
        line.append(" · " + part, style="not bold")
    return line


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
    done, deals, unsolved, set_aside = 0, 0, Counter[str](), list[str]()
    with ExitStack() as until:
        each = None
        if scheduler is not None:
            cluster = until.enter_context(cluster_of(t, scheduler, quiet))
            each = partial(cluster.each, reckoned, set_aside)
        advance = until.enter_context(progress(t, N_("Reckoning"), total, quiet=quiet))
        batches = until.enter_context(closing(reckon(store, everything, each)))
        for one in batches:
            done, deals = one.done, deals + one.deals
            unsolved += one.unsolved
            advance(done)
    if format is Format.JSONL:
        write([{"matches": done, "deals": deals, "unsolved": dict(unsolved.most_common())}])
    elif not quiet:
        console().print(_reckoned(t, deals, unsolved))
    tell_set_aside(t, set_aside)
    return not set_aside


def _reckoned(t: Translate, deals: int, unsolved: Counter[str]) -> Text:
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
