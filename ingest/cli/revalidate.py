"""`retourne revalidate`: validates stored matches again, also under other rules."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from rich.text import Text

import engine.games
from engine import RULES_VERSION
from engine.games import game_names
from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.open_store import LocalStore, StoreOrServerRun
from ingest.cli.terminal_tables import console
from ingest.escaping import escape_line
from ingest.i18n import N_, Translate
from ingest.operations import ProgressCallback, maintenance
from ingest.operations.maintenance import PREVIEW_ONLY_WITH_RULES, SCHEDULER_ONLY_WRITES, UNKNOWN_GAME
from ingest.store.solve_job import matches_to_solve
from ingest.validate.solver_report import NOT_SOLVED_REASONS
from ingest.validate.what_if import Change, change_text, side_text

if TYPE_CHECKING:
    from ingest.cli.http_client import ServerClient

OUTDATED_BY_VERSION = N_("Verdicts of rules version {version}: {n}. This version: {now}.")
OUTDATED_HINT = N_("Verdicts of an older version of the rules: {n}. Refresh them: retourne revalidate{store}")
NOT_SOLVED_TEXTS = {
    "players": N_("Only solved for two players: with more, the best play depends on the others."),
    "option": N_("Not solved under the options of the match."),
}
"""Texts for many deals, where the text for one deal would name its details."""


def revalidate(
    run: StoreOrServerRun,
    all_: bool = cli.flag(N_("Read every text again, not only those of old verdicts.")),
    dry_run: bool = cli.flag(N_("Only count old verdicts and list the changes; verify checks the rows.")),
    endgames: bool = cli.flag(
        N_("Compute endgame losses for stored deals (only missing ones; --all recomputes).")
    ),
    preset: str | None = cli.option(
        N_("List the changes under this preset."), N_("PRESET"), complete=shell_completion.complete_presets
    ),
    setting: params.Settings = None,
    game: str | None = cli.option(
        N_("Only matches of this game."), N_("GAME"), complete=shell_completion.complete_games
    ),
    scheduler: params.Scheduler = None,
    format: params.Format = cli.option(
        N_("text for people; jsonl: one JSON object per match."), default=params.Format.TEXT
    ),
    quiet: cli.Quiet = False,
) -> None:
    """Revalidate stored matches, or solve the ends of their deals."""
    t = run.t
    other = preset is not None or bool(setting)
    if run.server is not None:
        params.reject_options(scheduler=scheduler)
    if scheduler is not None and (dry_run or other):
        raise cli.CommandError(SCHEDULER_ONLY_WRITES)
    if other and (all_ or dry_run):
        raise cli.CommandError(PREVIEW_ONLY_WITH_RULES)
    if other and endgames:
        raise cli.CommandError(
            N_("--endgames uses the rules of each match: it cannot be combined with --preset or --set.")
        )
    if game is not None and not other:
        raise cli.CommandError(N_("--game only works with --preset or --set."))
    if game is not None and game not in game_names():
        raise cli.CommandError(UNKNOWN_GAME, found=game, known=", ".join(game_names()))
    options = params.parse_rule_options(preset, setting or ())
    given: dict[str, Any] = {"all": all_, "dry_run": dry_run, "scheduler": scheduler}
    label = N_("Computing") if endgames else N_("Checking")
    with (
        run.open(read_only=other or dry_run) as requested,
        cli.operation_progress_bar(t, label, quiet) as bar,
    ):
        if endgames:
            if not dry_run and scheduler is None and isinstance(requested, LocalStore):
                if len(matches_to_solve(requested.store.cursor(), all_)):
                    cli.announce_solver_jit(t, map(engine.games.game, game_names()))
            done = requested.run_operation(maintenance.solve_endgames, bar, **given)
        else:
            changes = _ChangePrinter(t, bar, format)
            given |= {"preset": preset, "options": options, "game": game}
            done = requested.run_operation(maintenance.revalidate, changes, **given)
    if endgames:
        if format is params.Format.JSONL:
            params.write_json_lines([{name: value for name, value in done.items() if name != "failed"}])
        elif not quiet:
            ahead = t("Matches without endgame values yet: {n}", n=done["matches"])
            console().print(_solve_summary(t, done) if "deals" in done else ahead)
    elif format is params.Format.TEXT and not quiet and (changes.total or not dry_run):
        # `Checked again: 120 · changed: 3 · legal → irregular: 2 · not concerned: 14`
        line = Text(t("Checked again: {n}", n=done["checked"]), style="bold")
        parts = [t("changed: {n}", n=done["changed"])]
        parts += [t("{name}: {n}", name=name, n=n) for name, n in sorted(changes.change_counts.items())]
        if done["skipped"]:
            parts.append(t("not concerned: {n}", n=done["skipped"]))
        for part in parts:
            line.append(" · " + part, style="not bold")
        console().print(line)
    failed = done.get("failed", ())
    params.print_set_aside(t, failed)
    changed = not endgames and (done["changed"] or changes.has_outdated)
    cli.exit_with(cli.EXIT_ERROR if failed else cli.EXIT_FINDINGS if changed else cli.EXIT_OK)


def print_outdated_hint(t: Translate, store: "LocalStore | ServerClient", path: Path) -> None:
    """Print on standard error that verdicts are outdated, and how to refresh them."""
    if count := store.run_operation(maintenance.outdated_verdicts)["outdated"]:
        place = "" if path == cli.DEFAULT_STORE else f" --store {quote(str(path))}"
        cli.print_notice(t(OUTDATED_HINT, n=count, store=place))


class _ChangePrinter:
    """Prints changed verdicts as they are found, above the progress bar."""

    def __init__(self, t: Translate, bar: ProgressCallback, format: params.Format) -> None:
        self._t, self._update_bar, self._format = t, bar, format
        self.total = 0
        self.has_outdated = False
        """Whether some verdicts are outdated."""
        self.change_counts = Counter[str]()
        """Number of matches per change of verdict."""

    def __call__(self, event: Mapping[str, Any]) -> None:
        t, as_objects = self._t, self._format is params.Format.JSONL
        if (outdated := event.get("outdated")) is not None:
            self.has_outdated = bool(outdated)
            if as_objects:
                params.write_json_lines(
                    {"rules_version": int(one), "verdicts": n} for one, n in outdated.items()
                )
                return
            for version, count in outdated.items():
                console().print(t(OUTDATED_BY_VERSION, version=version, n=count, now=RULES_VERSION))
            if not outdated:
                console().print(t("No stored verdict is of an older version of the rules."))
        elif (changed := event.get("changed")) is not None:
            for one in changed["changes"]:
                if one["field"] == "status" and one["deal_index"] is None:
                    self.change_counts[f"{t(one['before'])} → {t(one['after'])}"] += 1
            if as_objects:
                params.write_json_lines([changed])
            else:
                console().print(Text("\n").join(change_lines(t, changed)))
        else:
            self.total = event["total"]
            self._update_bar(event)


def change_lines(t: Translate, changed: Mapping[str, Any]) -> list[Text]:
    """Return a match with changes: its id and players, then a line per change."""
    players = changed["players"]
    result = Text(escape_line(changed["log_id"] or changed["match_id"]), style="bold")
    sides = 0 if changed["game"] is None else engine.games.game(changed["game"]).side_count(len(players))
    if sides:
        sitting = " – ".join(" + ".join(players[side::sides]) for side in range(sides))
        result.append("  " + escape_line(sitting), style="not bold")

    def line(change: Change) -> Text:
        both = (side_text(t, side, players, sides) for side in (change.before, change.after))
        return Text("  " + escape_line(change_text(t, change, *both)))

    return [result, *(line(Change(**one)) for one in changed["changes"])]


def _solve_summary(t: Translate, done: Mapping[str, Any]) -> Text:
    """`Deals computed: 120 · not solved: 14`, then a line per reason."""
    line = Text(t("Deals computed: {n}", n=done["deals"]), style="bold")
    if unsolved := done["unsolved"]:
        line.append(" · " + t("not solved: {n}", n=sum(unsolved.values())), style="not bold")
    for reason, count in unsolved.items():
        message = t(NOT_SOLVED_TEXTS.get(reason) or NOT_SOLVED_REASONS[reason])
        line.append(f"\n  {count}  {message}", style="not bold")
    return line
