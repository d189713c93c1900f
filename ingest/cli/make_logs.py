"""`retourne import`, `merge`, `simulate`: logs of what people write, of several logs, of nothing.

What people wrote can be looked at before it is added.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from io import BytesIO
from itertools import chain
from pathlib import Path

import orjson
from rich.text import Text

from engine.compiled import is_compiled
from engine.games import game as game_of
from engine.games import names
from engine.options import UnknownRule
from ingest.api import mended
from ingest.cli import complete, params
from ingest.cli import terminal as cli
from ingest.cli.ingest import report_lines
from ingest.cli.open_store import ServedRun
from ingest.cli.report_text import MOST_FINDINGS, Tally, Where, acted, block, summary, wrapped
from ingest.entry import merge as merging
from ingest.entry.headings import Headings
from ingest.entry.merge import Difference, Merged, Told
from ingest.entry.question import Entered, Origin
from ingest.entry.reading import MOST, read
from ingest.entry.sheets import NEAR, NO_HEADING, UNKNOWN, How
from ingest.finding.finding import DEAL, NOTE
from ingest.finding.words import speak_value
from ingest.i18n import N_, Translate
from ingest.judge.batch import checked_batches, explain_batch
from ingest.text.files import opened, stream_batches
from ingest.text.json import value_of
from ingest.text.signs import plain
from ingest.text.sources import Source, source_batches
from schemas.simulated import season

TOO_LARGE = N_("{path} has more than {most} MB: no notes and no score sheet are so long.")
NOTHING = N_("Name a file, or a game with --template.")
ALONE = N_("--template goes without files and without --add and --column.")
NOT_A_COLUMN = N_("There is no column {column} in a sheet of {game}. There are: {known}.")
SAY_WHICH = N_("Say it as in --column '{heading}=points 1', or '{heading}=' to leave it out.")
MORE = N_("… and {n} more.")
MOST_QUESTIONS = 50
"""Told of one file: of more, most come of something else."""
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


def import_(
    run: ServedRun,
    files: list[str] | None = cli.argument(
        N_("Notes (.txt), sheets (.csv, .xlsx, .ods), or - for standard input."),
        N_("FILES…"),
        None,
        show_default=False,
    ),
    game: params.GameName | None = cli.option(N_("The game of files that name none."), None, "-g"),
    column: list[str] | None = cli.option(
        N_("What a column of a sheet is that is headed otherwise; may be repeated."),
        N_("HEADING=COLUMN"),
    ),
    template: params.GameName | None = cli.option(
        N_("Write a score sheet to fill in; .xlsx where --output says so.")
    ),
    output: params.Output = None,
    add: bool = cli.flag(N_("Add the logs to the store.")),
) -> None:
    """Make logs, and say what is asked and what a check says."""
    t = run.t
    params.check_output(output)
    if template is not None:
        if files or add or column:
            raise cli.Stop(ALONE)
        from ingest.entry.headings import csv_template, xlsx_template

        as_workbook = output is not None and output.suffix.lower() == ".xlsx"
        with params.written(output) as file:
            file.write((xlsx_template if as_workbook else csv_template)(str(template), t))
        cli.leave(cli.LEGAL)
    if not files:
        raise cli.Stop(NOTHING)
    how = _how(None if game is None else str(game), column or ())
    entered = dict[str, Entered]()
    for source in params.sources(files):
        with ExitStack() as until:
            file = source[1] if isinstance(source, tuple) else until.enter_context(opened(source))
            data = file.read(MOST + 1)
        name = params.name_of(source)
        if len(data) > MOST:
            raise cli.Stop(TOO_LARGE, path=name, most=MOST >> 20)
        entered[name] = read(name, data, how)
    code = max(_tell(t, name, one) for name, one in entered.items())
    made = {name: one.lines for name, one in entered.items() if one.logs}
    if add:
        sent: list[Source] = [(name, BytesIO(made[name])) for name in made]
        with run.asked(new=True) as asked:
            for report in asked.add(sent, lambda name, done: None):
                cli.console(stderr=True).print(Text("\n").join(report_lines(t, report)))
    if not add or output is not None:
        with params.written(output, kept=True) as file:
            file.writelines(made.values())
    cli.leave(code)


def _how(game: str | None, words: Sequence[str]) -> How:
    """What the line says beside the files. Stop: a column that no sheet of the game has."""
    columns: dict[str, str] = {}
    for word in words:
        heading, equals, said = word.rpartition("=")
        if not equals or not heading:
            raise cli.Stop(N_("--column wants HEADING=COLUMN, not {word}."), word=word)
        columns[heading] = said
    for said in filter(None, columns.values()):
        known = [Headings(one) for one in ([game] if game else names())]
        if not any(one.field(said) for one in known):
            told = ", ".join(dict.fromkeys(one.key for one in known[0].fields))
            raise cli.Stop(NOT_A_COLUMN, column=said, game=game or names()[0], known=told)
    return How(game, columns)


def _tell(t: Translate, name: str, entered: Entered) -> int:
    """Say on standard error what is asked, and what a check says of the logs; the exit code."""
    out = cli.console(stderr=True)
    if entered.refused is not None:
        cli.complain(t, "{what}: {message}", what=name, message=entered.refused.say(t))
        return cli.FOUND
    for one in entered.remarks:
        cli.remark(t("{what}: {message}", what=name, message=one.say(t)))
    for question in entered.questions[:MOST_QUESTIONS]:
        line = Text(plain(f"{name}:{question.where}"), style="bold")
        told = line.append(" ").append(plain(question.say(t)), style="not bold")
        for piece in wrapped(told, "", out.width):
            out.print(piece)
    if more := len(entered.questions[MOST_QUESTIONS:]):
        out.print(Text(t(MORE, n=more), style="dim"))
    if unknown := [one for one in entered.questions if one.text in (UNKNOWN, NEAR, NO_HEADING)]:
        out.print(Text(plain(t(SAY_WHICH, heading=unknown[0].read)), style="dim"))
    if not entered.logs:
        return cli.FOUND
    tally = Tally()
    for checked in checked_batches(stream_batches(f"{name}.jsonl", BytesIO(entered.lines))):
        for report, _, explained in mended(checked).told():
            tally.add(report)
            if any(finding.severity != NOTE for finding in report.findings):
                where = _where(name, entered.origins[report.line - 1])
                out.print(Text("\n").join(block(t, report, explained, where=where)))
    out.print(summary(t, tally.statuses, tally.warnings))
    return cli.LEGAL if tally.clean and not entered.questions else cli.FOUND


def _where(name: str, origin: Origin) -> Where:
    """Where what is found stands in the file that was imported: it is all that anybody can open."""
    return lambda finding: f"{name}:{origin.of(finding)}"


def merge(
    run: cli.Run, files: params.Files, output: params.Output = None, quiet: cli.Quiet = False
) -> None:
    """Write the matches, and say what differs."""
    t = run.t
    params.check_output(output)
    tally = Tally()
    merged = merging.merge(_read(t, files, tally))
    out = cli.console(stderr=True)
    for one in merged:
        for line in _lines(t, one):
            out.print(line)
    logs = [one.log for one in merged if one.log is not None]
    with params.written(output, kept=True) as file:
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
                yield Told(merging.Source(batch.file, text.line), value_of(text.text), explained)


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
        N_("A preset; the game’s own if absent."), N_("PRESET"), complete=complete.presets
    ),
    output: params.Output = None,
) -> None:
    """Write simulated matches."""
    t = run.t
    name = str(game_name)
    known = game_of(name).players
    if players is not None and players not in known:
        raise cli.Stop(NO_SEATS, game=name, known=", ".join(map(str, known)), players=players)
    params.check_output(output)
    cli.compiling(t, cli.COMPILING_PLAYERS, lambda: is_compiled(game_of(name).bots.play_match))
    documents = season(name, matches, seed, rules, players)
    try:
        first = next(documents)
    except UnknownRule as error:
        raise cli.Stop(NO_RULES, rules=rules, game=name, known=", ".join(error.known)) from None
    with cli.progress(t, N_("Simulating"), matches) as advance, params.written(output) as file:
        for number, document in enumerate(chain([first], documents), 1):
            file.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
            advance(number)
