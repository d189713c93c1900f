"""`retourne merge` and `simulate`: logs made of several logs of one match, or of nothing."""

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
from ingest.cli.report_text import MOST_FINDINGS, Tally, acted, block
from ingest.findings.finding import DEAL
from ingest.findings.spoken_notation import speak_value
from ingest.i18n import N_, Translate
from ingest.importers import merge as merging
from ingest.importers.merge import Difference, Merged, Source, Told
from ingest.reader.escaping import plain
from ingest.reader.sources import source_batches
from ingest.store.outputs import Kind
from ingest.validate.batch import explain_batch
from schemas.simulated import season

ACTION = N_("action {n}")
BROKEN = N_("Put together it cannot be, nor can {sources} alone: {problem}")
MAY_BE_ONE = N_(
    "{source} and {other} look like one match, but are not put together. They differ in:"
)
EITHER = N_("{source} may tell the match of {others}: give the logs ids.")
COUNTED = (
    N_("Matches: {n}"),
    N_("put together: {n}"),
    N_("told by one log: {n}"),
    N_("not written: {n}"),
)
NO_RULES = N_("No such preset for {game}: {rules}. Known: {known}.")
NO_SEATS = N_("{game} takes {known} players, not {players}.")


def merge(
    run: cli.Run,
    files: params.Files,
    output: params.Output = None,
    force: params.Force = False,
    quiet: cli.Quiet = False,
) -> None:
    """Write the matches, and say what differs."""
    t = run.t
    place = params.place(output, Kind.JSON, force)
    tally = Tally()
    merged = merging.merge(_read(t, files, tally))
    out = cli.console(stderr=True)
    for one in merged:
        for line in _lines(t, one):
            out.print(line)
    logs = [one.log for one in merged if one.log is not None]
    with params.written(place, kept=True) as file:
        file.writelines(orjson.dumps(log) + b"\n" for log in logs)
    several = sum(one.log is not None and len(one.told) > 1 for one in merged)
    counts = (len(merged), several, len(logs) - several, len(merged) - len(logs))
    told = [t(text, n=n) for text, n in zip(COUNTED, counts, strict=True) if n]
    if not quiet:
        out.print(Text(" · ".join(told), style="bold"))
    refused = tally.statuses or len(logs) < len(merged) or any(one.near for one in merged)
    cli.leave(cli.CANNOT if tally.unread else cli.FOUND if refused else cli.LEGAL)


def _read(t: Translate, files: Sequence[str], tally: Tally) -> Iterator[Told]:
    """The logs in some files, each read once; what is no log is told, and counted."""
    read = set()
    for batch in source_batches(params.sources(files)):
        for report, text, explained in explain_batch(batch).told():
            place = None if text is None else (Path(batch.file).resolve(), text.line)
            if place in read:
                continue
            read |= {place} - {None}
            if text is None or explained is None or explained.match is None:
                tally.add(report)
                for line in block(t, report, explained, text, MOST_FINDINGS):
                    cli.console(stderr=True).print(line)
            else:
                yield Told(Source(batch.file, text.line), orjson.loads(text.text), explained)


def _lines(t: Translate, one: Merged) -> Iterator[Text]:
    """What is said of a match that was not put together, or not with another; nothing else."""
    for near in one.near:
        yield Text(plain(t(MAY_BE_ONE, source=near.other, other=one.told[0].source)), style="bold")
        yield from _differences(t, one, near.differences)
    if one.either:
        others = ", ".join(map(str, one.either))
        yield Text(plain(t(EITHER, source=one.told[0].source, others=others)))
    if one.differences:
        where = ", ".join(str(told.source) for told in one.told)
        own = next((told.log["id"] for told in one.told if told.log.get("id") is not None), None)
        said = where if own is None else t("{what}: {message}", what=own, message=where)
        yield Text(plain(said), style="bold")
    yield from _differences(t, one, one.differences)


def _differences(t: Translate, one: Merged, differences: Iterable[Difference]) -> Iterator[Text]:
    """Each thing that differs, with its sides."""
    log = one.told[0].log
    for difference in differences:
        # `deal 2, action 14`, `deal 2, points`, `event, name`: keys as the format has them
        keys, words = [key for key in difference.path.split("/") if key], list[str]()
        for text, number in ((DEAL, difference.deal), (ACTION, difference.action)):
            if number is not None:
                words.append(t(text, n=number + 1))
                keys = keys[2:]
        yield Text("  " + plain(", ".join(words + keys)))
        if difference.together is not None:
            # what cannot be, and whether it is so of one log alone
            problem = difference.together.message(t)
            broken = [str(told.source) for told in one.told if told.explained.status == "broken"]
            text = BROKEN if broken else N_("Each log may be so, together they cannot: {problem}")
            said = t(text, sources=", ".join(broken), problem=problem)
            yield Text("    " + plain(said))
            continue
        for side in difference.sides:  # what a log says there, as people say it
            if "/actions/" in side.path:
                names = [player.get("name") or player["id"] for player in log["players"]]
                said = acted(t, side.value, names, log["game"])
            elif side.value is None:
                said = t("nothing")
            else:
                spoken = isinstance(side.value, list | str) and "/deals/" in side.path
                said = speak_value(t, side.value, spoken, log["game"])
            own = t("{what}: {message}", what=side.source, message=said)
            yield Text(f"    {plain(own)}")


def simulate(
    run: cli.Run,
    game_name: params.GameName = cli.option(
        N_("Game to simulate."), N_("GAME"), "--game", "-g", default=...
    ),
    matches: int = cli.option(N_("Number of matches."), "N", "-n", default=1, min=1),
    seed: int = cli.option(N_("Random seed."), "N", "-s", default=1, min=0),
    players: int | None = cli.option(N_("Seats at the table."), "N", "-p", min=2, max=5),
    rules: str | None = cli.option(
        N_("A preset; the game’s own if absent."), N_("PRESET"), complete=shell_completion.presets
    ),
    output: params.Output = None,
    force: params.Force = False,
) -> None:
    """Write simulated matches."""
    t = run.t
    name = str(game_name)
    known = game(name).players
    if players is not None and players not in known:
        raise cli.Stop(NO_SEATS, game=name, known=", ".join(map(str, known)), players=players)
    place = params.place(output, Kind.JSON, force)
    cli.compiling(t, cli.COMPILING_PLAYERS, lambda: is_compiled(game(name).bots.play_match))
    documents = season(name, matches, seed, rules, players)
    try:
        first = next(documents)
    except UnknownRule as error:
        raise cli.Stop(NO_RULES, rules=rules, game=name, known=", ".join(error.known)) from None
    with cli.progress(t, N_("Simulating"), matches) as advance, params.written(place) as file:
        for number, document in enumerate(chain([first], documents), 1):
            file.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
            advance(number)
