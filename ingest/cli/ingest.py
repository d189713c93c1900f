"""`retourne ingest`: files into the store, each whole or not at all."""

from shlex import quote

import typer
from rich.text import Text

from ingest.cli.opening import open_store
from ingest.cli.over_http import ServerUrl, Token
from ingest.cli.revalidate import old_hint
from ingest.cli.say import CLEAN, STYLE, block
from ingest.cli.sources import STDIN, Files, sizes, sources
from ingest.cli.terminal import (
    CANNOT,
    DEFAULT_STORE,
    FOUND,
    LEGAL,
    Lang,
    Reading,
    StorePath,
    console,
    leave,
    progress,
)
from ingest.finding.words import COUNTED
from ingest.i18n import N_, Translate
from ingest.judge.report import MatchReport
from ingest.store.add import FileReport
from ingest.store.add import ingest as store_files
from ingest.store.outcome import outcome
from ingest.text.signs import plain

EXAMPLES = (
    "retourne ingest club.jsonl",
    "retourne ingest saison.zip feuilles/ --store club.duckdb",
    "zcat club.jsonl.gz | retourne ingest -",
    "retourne ingest saison.jsonl --server https://club.example",
)


def ingest(
    ctx: typer.Context,
    files: Files,
    store: StorePath = DEFAULT_STORE,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Store files and say what became of each."""
    t: Translate = ctx.obj
    found = sources(files)
    size = sizes(found)
    code = LEGAL
    if server is not None:
        from ingest.cli.remote_logs import add  # HTTP is loaded where it is asked for

        with progress(t, N_("Storing"), sum(size.values()), octets=True) as advance:
            for report in add(server, token, found, Reading(size, advance), t):
                console().print(Text("\n").join(report_lines(t, report)))
                code = max(code, _code(report))
        leave(code)
    with open_store(store) as opened:
        with progress(t, N_("Storing"), sum(size.values()), octets=True) as advance:
            for report in store_files(opened, found, Reading(size, advance)):
                console().print(Text("\n").join(report_lines(t, report)))
                code = max(code, _code(report))
        old_hint(t, opened, store)
        if code != LEGAL and STDIN not in files:
            again = " ".join(map(quote, files))
            hint = t("The reasons of each: retourne check {files}", files=again)
            console().print(Text(plain(hint), style="dim"))
    leave(code)


def report_lines(t: Translate, report: FileReport) -> list[Text]:
    """A file's counts, and what in it was no match and could not be stored."""
    lines = [counts_line(t, report)]
    for told in unstored(report):
        lines += block(t, told, None)
    return lines


def counts_line(t: Translate, report: FileReport) -> Text:
    """`club.jsonl: added: 11 · already there: 0 · kept, not counted: 1 (irregular: 1)`."""
    line = Text(t("{where}: ", where=plain(report.name)), style="bold")
    found = outcome([report])
    parts = [found.added, found.known, *(one for one in found[2:] if one.n)]
    for place, part in enumerate(parts):
        line.append(" · " if place else "", style="not bold")
        line.append(t("{what}: {n}", what=t(part.label), n=part.n), style="not bold")
        told = [Text(t(COUNTED[one], n=n), style=STYLE[one]) for one, n in part.verdicts.items()]
        told += [Text(t(text, n=n)) for text, n in part.besides.items()]
        if told:
            line.append(" (", style="not bold").append(
                Text(", ").join(told),
            ).append(")")
    return line


def unstored(report: FileReport) -> list[MatchReport]:
    """What in a file was no text of a match: a bomb, a line too long, an empty file."""
    return [told for told in report.reports if not told.match_id]


def _code(report: FileReport) -> int:
    if any(finding.code == "cannot-read" for told in unstored(report) for finding in told.findings):
        return CANNOT
    wrong = sum(report.by_status.values()) - sum(report.by_status[one] for one in CLEAN)
    return FOUND if wrong or unstored(report) else LEGAL
