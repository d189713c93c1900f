"""Logs checked, or stored, by a server."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ingest.cli.params import name_of
from ingest.cli.remote import Refused, Server, opened, report_of, unread
from ingest.i18n import Translate
from ingest.judge.report import MatchReport
from ingest.store.add import FileReport
from ingest.text.sources import Source

Progress = Callable[[str, int], None]


def add(
    url: str, token: str | None, found: Sequence[Source], progress: Progress, t: Translate
) -> Iterator[FileReport]:
    """Send files to be stored, a report each as it is done. Stop: the server refuses."""
    with Server(url, token, t) as server:
        for source in found:
            name = name_of(source)
            try:
                with opened(source) as (file, size):
                    [told] = server.send("/logs", name, file, size, partial(progress, name))
            except Refused as refused:
                if "report" not in refused.told:
                    raise
                told = refused.told["report"]
            except OSError as error:
                yield FileReport(name, refused=1, reports=[unread(error, name)])
                continue
            for one in told["files"]:
                yield _report(one, name)


def _report(told: Mapping[str, Any], name: str) -> FileReport:
    """What the server says of a file, as it is said of one that is stored here."""
    return FileReport(
        name,
        added=told["added"] + sum(told["kept"].values()),
        duplicates=told["known"],
        twice=told["twice"],
        refused=told["refused"],
        sheets=told["sheets"],
        by_status=Counter({"legal": told["added"], **told["kept"]}),
        reports=[report_of(one, name) for one in told["unstored"]],
    )


def check(
    url: str, token: str | None, found: Sequence[Source], progress: Progress, t: Translate
) -> Iterator[tuple[MatchReport, dict[str, Any] | None]]:
    """Send files to be checked: a report a match, and the object it was made of."""
    with Server(url, token, t) as server:
        for source in found:
            name = name_of(source)
            try:
                with opened(source) as (file, size):
                    for told in server.send("/check", name, file, size, partial(progress, name)):
                        yield report_of(told, told["file"]), told
            except OSError as error:
                yield unread(error, name), None
