"""`retourne merge`: several logs of one match put together, and what they tell in two ways."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import orjson
from rich.text import Text

from ingest.cli import params
from ingest.cli import terminal as cli
from ingest.cli.report_text import MOST_FINDINGS, Tally, acted, block
from ingest.entry import merge as merging
from ingest.entry.merge import Difference, Merged, Side, Source, Told
from ingest.finding.finding import DEAL
from ingest.finding.words import speak_value
from ingest.i18n import N_, Translate
from ingest.judge.batch import explain_batch
from ingest.text.json import value_of
from ingest.text.signs import plain
from ingest.text.sources import source_batches

ACTION = N_("action {n}")
BROKEN = N_("Put together it cannot be, nor can {sources} alone: {problem}")
NEAR = N_("{source} and {other} look like one match, but are not put together. They differ in:")
EITHER = N_("{source} may tell the match of {others}: give the logs ids.")
COUNTED = (
    N_("Matches: {n}"),
    N_("put together: {n}"),
    N_("told by one log: {n}"),
    N_("not written: {n}"),
)


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
                yield Told(Source(batch.file, text.line), value_of(text.text), explained)


def _lines(t: Translate, one: Merged) -> Iterator[Text]:
    """What is said of a match that was not put together, or not with another; nothing else."""
    for near in one.near:
        yield Text(plain(t(NEAR, source=near.other, other=one.told[0].source)), style="bold")
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
    for difference in differences:
        yield Text("  " + plain(_place(t, difference)))
        if difference.together is not None:
            # what cannot be, and whether it is so of one log alone
            problem = difference.together.message(t)
            broken = [str(told.source) for told in one.told if told.explained.status == "broken"]
            text = BROKEN if broken else N_("Each log may be so, together they cannot: {problem}")
            said = t(text, sources=", ".join(broken), problem=problem)
            yield Text("    " + plain(said))
            continue
        for side in difference.sides:
            own = t("{what}: {message}", what=side.source, message=_said(t, one, side))
            yield Text(f"    {plain(own)}")


def _place(t: Translate, difference: Difference) -> str:
    """`deal 2, action 14`, `deal 2, points`, `event, name`: keys as the format has them."""
    keys = [key for key in difference.path.split("/") if key]
    words = []
    if difference.deal is not None:
        words.append(t(DEAL, n=difference.deal + 1))
        keys = keys[2:]
    if difference.action is not None:
        words.append(t(ACTION, n=difference.action + 1))
        keys = keys[2:]
    return ", ".join(words + keys)


def _said(t: Translate, one: Merged, side: Side) -> str:
    """What a log says there, as people say it."""
    log = one.told[0].log
    if "/actions/" in side.path:
        names = [player.get("name") or player["id"] for player in log["players"]]
        return acted(t, side.value, names, log["game"])
    if side.value is None:
        return t("nothing")
    spoken = isinstance(side.value, list | str) and "/deals/" in side.path
    return speak_value(t, side.value, spoken, log["game"])
