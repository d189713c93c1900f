"""`retourne ingest`: files into the store, each whole or not at all."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from shlex import quote

from rich.text import Text

from ingest.cli import params
from ingest.cli import terminal as cli
from ingest.cli.open_store import Opened, ServedRun
from ingest.cli.report_text import CLEAN, STYLE, block
from ingest.cli.revalidate import old_hint
from ingest.finding.words import COUNTED
from ingest.i18n import N_, Translate
from ingest.spread.cluster import Cluster
from ingest.store.add import FileReport
from ingest.store.add import ingest as store_files
from ingest.store.outcome import as_object, outcome, unstored
from ingest.store.store import Store
from ingest.text.signs import plain
from ingest.text.sources import Source

NAMED = 3
"""Files that a hint names; of more it says that they are the same."""
REASONS = N_("The reasons of each: retourne check {files}")
SAME_FILES = N_("The reasons of each: retourne check, with the same files.")
NOT_SERVED = N_(
    "The store {path} is served, and its server checks files itself: leave out --scheduler."
)


def ingest(
    run: ServedRun,
    files: params.Files,
    scheduler: params.Scheduler = None,
    format: params.AsFormat = params.Format.TEXT,
    quiet: cli.Quiet = False,
    verbose: bool = cli.flag(N_("Tell every file, not only those with findings."), "-v"),
) -> None:
    """Store files and say what became of each."""
    t = run.t
    if quiet and verbose:
        raise cli.Stop(cli.NOT_BOTH)
    if run.server is not None:
        params.refuse(scheduler=scheduler)
    found = params.sources(files)
    total, many, wrong = FileReport(""), 0, list[str]()
    code, set_aside = cli.LEGAL, list[str]()
    with ExitStack() as until:
        asked = until.enter_context(run.asked(new=True))
        opened = asked.store if isinstance(asked, Opened) else None
        if opened is None and scheduler is not None:
            raise cli.Stop(NOT_SERVED, path=run.store)
        if opened is not None and not quiet:
            cli.compiling_reader(t)
        with params.reading(t, N_("Storing"), found, quiet) as reading:
            if opened is not None and scheduler is not None:
                cluster = until.enter_context(params.cluster_of(t, scheduler, quiet))
                reports, set_aside = _spread(opened, cluster, found, reading)
            else:
                reports = asked.add(found, reading)
            for report in reports:
                lost, clean = unstored(report), sum(report.by_status[one] for one in CLEAN)
                of_file = cli.FOUND if lost or sum(report.by_status.values()) > clean else cli.LEGAL
                if any(one.code == "cannot-read" for told in lost for one in told.findings):
                    of_file = cli.CANNOT
                code = max(code, of_file)
                many += 1
                wrong += [report.name] if of_file != cli.LEGAL else []
                total.count(report)
                if format is params.Format.JSONL:
                    params.write([as_object(t, report)])
                elif of_file != cli.LEGAL or verbose or len(found) == 1:
                    lines = report_lines(t, report)
                    if not quiet:
                        cli.console().print(Text("\n").join(lines))
                    elif lost:  # quietly, only what in it could not be stored
                        cli.console().print(Text("\n").join(lines[1:]))
            params.tell_set_aside(t, set_aside)
        if format is params.Format.JSONL or quiet:
            cli.leave(code)
        if many > 1:
            total.name = t("Files: {n}", n=many)
            cli.console().print(counts_line(t, total, "{where} · "))
        if run.server is None:
            old_hint(t, asked, run.store)
        if wrong and not any(isinstance(one, tuple) for one in found):  # streams are read once
            again = " ".join(map(quote, wrong))
            hint = t(REASONS, files=again) if len(wrong) <= NAMED else t(SAME_FILES)
            cli.console().print(Text(plain(hint), style="dim"))
    cli.leave(code)


def _spread(
    store: Store, cluster: Cluster, found: Sequence[Source], reading: Callable[[str, int], None]
) -> tuple[Iterator[FileReport], list[str]]:
    """The reports of files that a cluster checks, and what it sets aside until then."""
    if store.in_a_file:
        from ingest.spread.check_files import Spread  # as little is loaded as is needed

        spread = Spread(cluster, found)
        return store_files(store, found, reading, checked=spread.checked), spread.set_aside
    from ingest.spread.lake import Writing
    from ingest.store.lake.store import LakeStore

    assert isinstance(store, LakeStore)
    writing = Writing(cluster, store, found)
    return writing.reports(reading), writing.set_aside


def report_lines(t: Translate, report: FileReport) -> list[Text]:
    """A file's counts, and what in it was no match and could not be stored."""
    return [counts_line(t, report), *(one for told in unstored(report) for one in block(t, told))]


def counts_line(t: Translate, report: FileReport, where: str = N_("{where}: ")) -> Text:
    """`club.jsonl: added: 11 · already there: 0 · kept, not counted: 1 (irregular: 1)`."""
    line = Text(t(where, where=plain(report.name)), style="bold")
    found = outcome([report])
    parts = [found.added, found.known, *(one for one in found[2:] if one.n)]
    for place, part in enumerate(parts):
        line.append(" · " if place else "", style="not bold")
        line.append(t("{what}: {n}", what=t(part.label), n=part.n), style="not bold")
        told = [Text(t(COUNTED[one], n=n), style=STYLE[one]) for one, n in part.verdicts.items()]
        told += [Text(t(text, n=n)) for text, n in part.besides.items()]
        if told:
            line.append(" (", style="not bold").append(Text(", ").join(told)).append(")")
    return line
