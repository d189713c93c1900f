"""`retourne revalidate`: stored verdicts judged again, by newer rules or under others."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

import engine.games
from engine import RULES_VERSION
from engine.games import names
from ingest.cli import complete
from ingest.cli.open_store import Opened, store_at
from ingest.cli.otherwise import rules_asked
from ingest.cli.params import (
    Format,
    Scheduler,
    ServerUrl,
    Settings,
    Token,
    tell_set_aside,
    write,
)
from ingest.cli.terminal import (
    CANNOT,
    DEFAULT_STORE,
    FOUND,
    LEGAL,
    Bar,
    Lang,
    Quiet,
    Stop,
    StorePath,
    compiling_solvers,
    console,
    leave,
    remark,
)
from ingest.i18n import N_, Translate
from ingest.judge.otherwise import Change, say_change, side_name
from ingest.judge.solved import REASONS
from ingest.operations import judging
from ingest.operations.judging import NO_GAME, NOT_BOTH, ONLY_WRITTEN
from ingest.store.reckon import missing
from ingest.text.signs import plain

if TYPE_CHECKING:
    from ingest.cli.http_client import Server

NO_VALUES = N_("--values goes with the rules of each match: without --rules and --set.")
ONLY_OTHER = N_("--game goes with --rules or --set.")
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
    server: ServerUrl = None,
    token: Token = None,
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
    given: dict[str, Any] = {"everything": all_, "dry_run": dry_run, "scheduler": scheduler}
    with (
        store_at(store, server, token, t, read_only=other or dry_run) as asked,
        Bar(t, quiet) as bar,
    ):
        if values:
            if not dry_run and scheduler is None and isinstance(asked, Opened):
                if len(missing(asked.store.cursor(), all_)):
                    compiling_solvers(t, map(engine.games.game, names()))
            bar.label = N_("Reckoning")
            done = asked.do(judging.reckon_values, bar, **given)
        else:
            telling = _Telling(t, bar, format)
            given |= {"rules": rules, "options": options, "game": game}
            done = asked.do(judging.revalidate, telling, **given)
    if values:
        _tell_values(t, done, format, quiet)
    elif format is Format.TEXT and not quiet and (telling.total or not dry_run):
        console().print(_summary(t, done, telling.changed))
    set_aside = done.get("set_aside", ())
    tell_set_aside(t, set_aside)
    moves = not values and (done["moved"] or telling.old)
    leave(CANNOT if set_aside else FOUND if moves else LEGAL)


def old_hint(t: Translate, asked: "Opened | Server", path: Path) -> None:
    """Say on standard error that verdicts are old, and how they are refreshed."""
    if count := asked.do(judging.old_verdicts)["old"]:
        place = "" if path == DEFAULT_STORE else f" --store {quote(str(path))}"
        remark(t(OLD_HINT, n=count, store=place))


class _Telling:
    """Writes what moves as it is found, above the bar."""

    def __init__(self, t: Translate, bar: Bar, format: Format) -> None:
        self._t, self._bar, self._format = t, bar, format
        bar.label = N_("Judging")
        self.total = 0
        self.old = False
        """Whether some verdicts are old."""
        self.changed = Counter[str]()
        """How often which verdict became which."""

    def __call__(self, told: Mapping[str, Any]) -> None:
        if "old" in told:
            self.old = bool(told["old"])
            _say_old(self._t, told["old"], self._format)
        elif "moved" in told:
            self._moved(told["moved"])
        else:
            self.total = told["total"]
            self._bar(told)

    def _moved(self, told: Mapping[str, Any]) -> None:
        for one in told["changes"]:
            if one["what"] == "status" and one["deal"] is None:
                self.changed[f"{self._t(one['before'])} → {self._t(one['after'])}"] += 1
        if self._format is Format.JSONL:
            write([told])
        else:
            console().print(Text("\n").join(lines(self._t, told)))


def _say_old(t: Translate, found: Mapping[str, int], format: Format) -> None:
    if format is Format.JSONL:
        return write({"rules_version": int(one), "verdicts": n} for one, n in found.items())
    for version, count in found.items():
        console().print(t(OLD_BY_VERSION, version=version, n=count, now=RULES_VERSION))
    if not found:
        console().print(t(NONE_OLD))


def lines(t: Translate, moved: Mapping[str, Any]) -> list[Text]:
    """A match that moves: its id, who played, and below it what is another."""
    players = moved["players"]
    told = Text(plain(moved["id"] or moved["match"]), style="bold")
    sides = 0 if moved["game"] is None else engine.games.game(moved["game"]).sides(len(players))
    if sides:
        sitting = " – ".join(" + ".join(players[side::sides]) for side in range(sides))
        told.append("  " + plain(sitting), style="not bold")

    def line(change: Change) -> Text:
        before, after = (
            side_name(t, side, players, sides) for side in (change.before, change.after)
        )
        return Text("  " + plain(say_change(t, change, before, after)))

    return [told, *(line(Change(**one)) for one in moved["changes"])]


def _summary(t: Translate, done: Mapping[str, Any], changed: Counter[str]) -> Text:
    """`Judged: 120 · moved: 3 · legal → irregular: 2 · passed over: 14`."""
    line = Text(t("Judged: {n}", n=done["judged"]), style="bold")
    parts = [t("moved: {n}", n=done["moved"])]
    parts += [t("{name}: {n}", name=name, n=n) for name, n in sorted(changed.items())]
    if done["passed"]:
        parts.append(t("passed over: {n}", n=done["passed"]))
    for part in parts:
        line.append(" · " + part, style="not bold")
    return line


TO_RECKON = N_("Matches whose values are not yet reckoned: {n}")
RECKONED = N_("Deals reckoned: {n}")
NOT_SOLVED = N_("not solved: {n}")


def _tell_values(t: Translate, done: dict[str, Any], format: Format, quiet: bool) -> None:
    """What was reckoned, or how much is still to be."""
    if format is Format.JSONL:
        write([{name: value for name, value in done.items() if name != "set_aside"}])
    elif not quiet:
        asked = "deals" not in done
        said = t(TO_RECKON, n=done["matches"]) if asked else _reckoned(t, done)
        console().print(said)


def _reckoned(t: Translate, done: Mapping[str, Any]) -> Text:
    """`Deals reckoned: 120 · not solved: 14`, and why, a line each."""
    unsolved = done["unsolved"]
    line = Text(t(RECKONED, n=done["deals"]), style="bold")
    if unsolved:
        line.append(" · " + t(NOT_SOLVED, n=sum(unsolved.values())), style="not bold")
    for reason, count in unsolved.items():
        line.append(
            f"\n  {count}  {t(IN_GENERAL.get(reason) or REASONS[reason])}", style="not bold"
        )
    return line


IN_GENERAL = {
    "players": N_("Solved at two alone: with more, no play is best whatever the others do."),
    "option": N_("Not solved under the options of the match."),
}
"""What is said of many deals at once, where a sentence names something of one."""
