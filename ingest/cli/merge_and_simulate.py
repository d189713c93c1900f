"""`retourne merge` and `simulate`."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import orjson
from rich.text import Text

from engine.games import game
from engine.jit import is_compiled
from engine.options import UnknownRule
from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.report_text import DEFAULT_MAX_FINDINGS, Tally, action_text, match_report_lines
from ingest.cli.terminal_tables import console
from ingest.escaping import escape_line
from ingest.findings.finding import DEAL_TEXT
from ingest.findings.spoken_notation import describe_value
from ingest.i18n import N_, Translate
from ingest.importers import merge_logs as merging
from ingest.importers.merge_logs import Difference, LogSource, MatchLog, MergedMatch
from ingest.reader.sources import source_batches
from ingest.store.outputs import Kind
from ingest.validate.batch import check_batch_slow_path
from schemas.simulated import simulate_season

MERGE_INVALID = N_("The merged match is impossible, and so is {sources} on its own: {problem}")
MAYBE_SAME_MATCH = N_("{source} and {other} look like one match, but are not put together. They differ in:")
AMBIGUOUS_MATCH = N_("{source} may be the same match as {others}: give the logs ids.")
MERGE_SUMMARY = (
    N_("Matches: {n}"),
    N_("put together: {n}"),
    N_("in one log only: {n}"),
    N_("not written: {n}"),
)
UNKNOWN_PRESET = N_("No such preset for {game}: {preset}. Known: {known}.")
SEED_HELP = N_("Random seed. Other rules with the same seed begin with the same cards.")
WRONG_PLAYER_COUNT = N_("{game} takes {known} players, not {players}.")


def merge(
    run: cli.Run,
    files: params.Files,
    output: params.Output = None,
    force: params.Force = False,
    quiet: cli.Quiet = False,
) -> None:
    """Write the merged matches, and report differences."""
    t = run.t
    place = params.place(output, Kind.JSON, force)
    tally = Tally()
    merged = merging.merge_logs(_read_logs(t, files, tally))
    out = console(stderr=True)
    for one in merged:
        for line in _merge_report(t, one):
            out.print(line)
    logs = [one.log for one in merged if one.log is not None]
    with params.open_output(place, is_binary=True) as file:
        file.writelines(orjson.dumps(log) + b"\n" for log in logs)
    several = sum(one.log is not None and len(one.logs) > 1 for one in merged)
    counts = (len(merged), several, len(logs) - several, len(merged) - len(logs))
    items = [t(text, n=n) for text, n in zip(MERGE_SUMMARY, counts, strict=True) if n]
    if not quiet:
        out.print(Text(" · ".join(items), style="bold"))
    refused = tally.statuses or len(logs) < len(merged) or any(one.similar for one in merged)
    cli.exit_with(cli.EXIT_ERROR if tally.unread else cli.EXIT_FINDINGS if refused else cli.EXIT_OK)


def _read_logs(t: Translate, files: Sequence[str], tally: Tally) -> Iterator[MatchLog]:
    """Yield the valid logs in files, each once; report and count the others."""
    read = set()
    for batch in source_batches(params.parse_sources(files)):
        for report, text, explained in check_batch_slow_path(batch).reports_with_results():
            place = None if text is None else (Path(batch.file).resolve(), text.line)
            if place in read:
                continue
            read |= {place} - {None}
            if text is None or explained is None or explained.match is None:
                tally.add(report)
                for line in match_report_lines(t, report, explained, text, DEFAULT_MAX_FINDINGS):
                    console(stderr=True).print(line)
            else:
                yield MatchLog(LogSource(batch.file, text.line), orjson.loads(text.text), explained)


def _merge_report(t: Translate, merged: MergedMatch) -> Iterator[Text]:
    """Yield the report of a match whose logs differ, or that may be the same as another."""
    for near in merged.similar:
        yield Text(
            escape_line(t(MAYBE_SAME_MATCH, source=near.other, other=merged.logs[0].source)), style="bold"
        )
        yield from _difference_lines(t, merged, near.differences)
    if merged.ambiguous_sources:
        others = ", ".join(map(str, merged.ambiguous_sources))
        yield Text(escape_line(t(AMBIGUOUS_MATCH, source=merged.logs[0].source, others=others)))
    if merged.differences:
        where = ", ".join(str(item.source) for item in merged.logs)
        own = next((item.log["id"] for item in merged.logs if item.log.get("id") is not None), None)
        result = where if own is None else t("{what}: {message}", what=own, message=where)
        yield Text(escape_line(result), style="bold")
    yield from _difference_lines(t, merged, merged.differences)


def _difference_lines(t: Translate, merged: MergedMatch, differences: Iterable[Difference]) -> Iterator[Text]:
    """Yield each difference, with its value in each log."""
    log = merged.logs[0].log
    for difference in differences:
        # `deal 2, action 14`, `deal 2, points`, `event, name`: the log's own keys
        keys, words = [key for key in difference.path.split("/") if key], list[str]()
        for text, number in ((DEAL_TEXT, difference.deal), (N_("action {n}"), difference.action)):
            if number is not None:
                words.append(t(text, n=number + 1))
                keys = keys[2:]
        yield Text("  " + escape_line(", ".join(words + keys)))
        if difference.combined_finding is not None:
            # the merged deal breaks a rule; logs that break it alone are named
            problem = difference.combined_finding.message(t)
            broken = [str(item.source) for item in merged.logs if item.result.status == "broken"]
            text = MERGE_INVALID if broken else N_("Each log may be so, together they cannot: {problem}")
            message = t(text, sources=", ".join(broken), problem=problem)
            yield Text("    " + escape_line(message))
            continue
        for side in difference.values:  # the value in each log, in spoken notation
            if "/actions/" in side.path:
                names = [player.get("name") or player["id"] for player in log["players"]]
                message = action_text(t, side.value, names, log["game"])
            elif side.value is None:
                message = t("nothing")
            else:
                spoken = isinstance(side.value, list | str) and "/deals/" in side.path
                message = describe_value(t, side.value, spoken, log["game"])
            own = t("{what}: {message}", what=side.source, message=message)
            yield Text(f"    {escape_line(own)}")


def simulate(
    run: cli.Run,
    game_name: params.GameName = cli.option(N_("Game to simulate."), N_("GAME"), "--game", "-g", default=...),
    matches: int = cli.option(N_("Number of matches."), "N", "-n", default=1, min=1),
    seed: int = cli.option(SEED_HELP, "N", "-s", default=1, min=0),
    player_count: int | None = cli.option(N_("Seats at the table."), "N", "-p", min=2, max=5),
    preset: str | None = cli.option(
        N_("A preset (default: the game’s own)."), N_("PRESET"), complete=shell_completion.complete_presets
    ),
    output: params.Output = None,
    force: params.Force = False,
) -> None:
    """Write simulated matches."""
    t = run.t
    name = str(game_name)
    known = game(name).players
    if player_count is not None and player_count not in known:
        raise cli.CommandError(
            WRONG_PLAYER_COUNT, game=name, known=", ".join(map(str, known)), players=player_count
        )
    place = params.place(output, Kind.JSON, force)
    cli.announce_jit(t, cli.COMPILING_PLAYERS, lambda: is_compiled(game(name).bots.play_match))
    documents = simulate_season(name, matches, seed, preset, player_count)
    try:
        first = next(documents)
    except UnknownRule as error:
        fields = {"preset": preset, "game": name, "known": ", ".join(error.known)}
        raise cli.CommandError(UNKNOWN_PRESET, **fields) from None
    with cli.progress_bar(t, N_("Simulating"), matches) as advance, params.open_output(place) as file:
        for number, document in enumerate(chain([first], documents), 1):
            file.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
            advance(number)
