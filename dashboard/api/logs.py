"""Logs that are sent: checked alone, or checked and stored."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from dashboard.access import TO_ADD, TO_CHECK, Who
from dashboard.api import check_worker, limits, uploads
from dashboard.api.auth import Contributor, Reader, acting
from dashboard.api.check_worker import Allowed
from dashboard.api.content_negotiation import Texts, language
from dashboard.api.models import Report, Told, answers
from dashboard.api.problems import Problem
from dashboard.api.responses import JSON, LINES, answered, sent
from dashboard.api.telling import Telling
from dashboard.api.uploads import Files
from dashboard.queries import matches
from dashboard.store import commands, store
from ingest.i18n import N_, Translate
from ingest.reader.files import Batch, Text
from ingest.reader.sources import source_batches
from ingest.store import cancellation, worker_pool
from ingest.store.ingest_files import FileReport, ingest
from ingest.store.ingest_summary import as_object, outcome
from ingest.store.tokens import Role

router = APIRouter(tags=["logs"])
TOLD = 1000
"""Matches of one file that a report tells one by one."""
PIECE = 64 << 10
"""Bytes of logs that are checked at a time: to look for edits takes longer than to check."""
TOO_MANY = N_("At most {most} matches may be checked at a time: send them in several parts.")
TOO_WRONG = N_("There is more than {most} times something wrong here: send fewer matches at once.")
NOTHING = N_("Nothing in this body is a log of a game: see report.")
LEFT = N_("This was left before it was done: what was not finished was left out.")
NO_LOG = "unreadable"
"""The verdict on a text that is no log of any game: it is kept, and nobody is told of it."""

Name = Annotated[str, Query(description="The name of a body that is no form.", max_length=4000)]
CHECKED: dict[str, Any] = {
    "description": "An object a match, as `retourne check --format jsonl` writes them: one a line, "
    "or an array where `application/json` is asked for.",
    "content": {LINES: {"schema": {"type": "string"}}, JSON: {"schema": {"type": "array"}}},
}
STORED: Told = {
    200: {"model": Report, "description": "Every log of a game was known already."},
    201: {"model": Report, "description": "Logs of games were added."},
}


@router.post(
    "/check",
    openapi_extra=uploads.described("Logs to check."),
    response_class=Response,
    responses=answers({200: CHECKED}, 400, 401, 408, 413, 415),
)
async def check(request: Request, who: Reader, t: Texts, name: Name = "") -> Response:
    """Check logs against the rules they name. Nothing is kept.

    What is wrong with a log is a finding in the answer, a torn one too. Readers may have 8 MB of
    logs checked at a time, unpacked, 10,000 matches and 10,000 findings: more is a 413.
    """
    adds = who.may(Role.CONTRIBUTOR)
    most, allowed = (TO_ADD, None) if adds else (TO_CHECK, Allowed(TO_CHECK, limits.MATCHES))
    listed = JSON in request.headers.get("accept", "")
    with limits.upload():
        async with uploads.files(request, name, most) as files, uploads.staying(request) as stays:
            what = partial(_checked, files, allowed, language(request), listed, stays)
            told, length = await to_thread.run_sync(what, limiter=limits.checking)
    size = {"Content-Length": str(length)}
    return StreamingResponse(told, headers=size, media_type=JSON if listed else LINES)


def _checked(
    files: Files, allowed: Allowed | None, tag: str, listed: bool, stays: Callable[[], bool]
) -> tuple[Iterator[bytes], int]:
    """What is found, and how many bytes, laid aside until sent: who reads slowly keeps nobody.

    Problem: there is more of it than is `allowed`.
    """
    with ExitStack() as failing:
        told = failing.enter_context(uploads.laid_aside())
        separator, findings = b"", 0
        told.write(b"[" if listed else b"")
        for piece in worker_pool.pieces(_batches(files, allowed), PIECE):
            if not stays():
                break
            more, lines = worker_pool.done(partial(check_worker.told, tag), piece)
            findings += more
            if allowed and findings > limits.FINDINGS:
                raise Problem(413, TOO_WRONG, most=limits.FINDINGS)
            for line in lines:
                told.write(separator + line)
                separator = b"," if listed else b""
        told.write(b"]\n" if listed else b"")
        length = told.tell()
        told.seek(0)
        return sent(told, failing.pop_all()), length


def _batches(files: Files, allowed: Allowed | None) -> Iterator[Batch]:
    """The matches of files; those of readers, who may be anybody, are cut apart beside the pages.

    Problem: there are more than is `allowed`.
    """
    if allowed is None:
        return source_batches(files)
    found, left = list[Batch](), allowed
    for name, file in files:
        whole = Batch(name, [Text(1, file.read())], [])
        some, left = worker_pool.done(partial(check_worker.cut, left), whole)
        if left.unpacked < 0:
            raise uploads.too_large(allowed.unpacked)
        if left.matches < 0:
            raise Problem(413, TOO_MANY, most=allowed.matches)
        found += some
    return iter(found)


@router.post(
    "/logs",
    openapi_extra=uploads.described("Logs to store."),
    response_class=Response,
    responses=answers(STORED, 400, 401, 403, 408, 413, 415),
)
async def add(request: Request, who: Contributor, t: Texts, name: Name = "") -> Response:
    """Check logs and store their matches. What is sent twice is stored once.

    Of several files each is stored whole or not at all; when you leave before the answer, none
    is begun any more. Asked for `application/x-ndjson`, it says meanwhile how far it is, `done`
    bytes of a file, and on the last line the `result`, or the `problem` that ended it.
    """
    adding = _Adding(who, t)
    async with adding.until as until:
        until.enter_context(limits.upload())
        most = sys.maxsize if who.here else TO_ADD
        adding.files = await until.enter_async_context(uploads.files(request, name, most))
        if LINES in request.headers.get("accept", ""):
            adding.until = until.pop_all()
            adding.begin()
            return StreamingResponse(adding.lines(), media_type=LINES)
        adding.stays = await until.enter_async_context(uploads.staying(request))
        told = await to_thread.run_sync(adding.result, limiter=limits.writing)
        return answered(told, 201 if adding.added else 200)


class _Adding(Telling):
    """Files that are stored."""

    def __init__(self, who: Who, t: Translate) -> None:
        super().__init__(t, limits.writing)
        self._who, self.files, self.added = who, Files(), False

    def result(self) -> Mapping[str, Any]:
        """What became of the files; the bytes done of each are told meanwhile."""

        def hear(name: str, done: int) -> None:
            self.put({"file": name, "done": done})

        told, self.added = _stored(self.files, self._who, self._t, self.stays, hear)
        return told


def _stored(
    files: Files,
    who: Who,
    t: Translate,
    stays: Callable[[], bool],
    hear: Callable[[str, int], None],
) -> tuple[dict[str, Any], bool]:
    """What became of files: as `as_object` says it of one, and of all of them together.

    And whether logs of games were added.

    Problem: nobody waits for it, or the server ends; its report has the files that were stored.
    """
    cancellation.left.set(lambda: commands.ended or not stays())
    reports, left = list[FileReport](), False
    try:
        with acting(who):
            reports.extend(ingest(store(), files, hear))  # each as it is done
    except KeyboardInterrupt:
        left = True
    found = outcome(reports)
    told = {
        "added": found.added.n,
        "known": found.known.n,
        "twice": sum(report.twice for report in reports),
        "kept": dict(found.kept.verdicts),
        "refused": found.refused.n,
        "files": [_told(report, t) for report in reports],
    }
    if left:
        raise Problem(503, LEFT).telling(report=told)
    if any(report.added > report.by_status[NO_LOG] for report in reports):
        return told, True
    if not any(
        report.duplicates > sum(one.duplicate and one.status == NO_LOG for one in report.reports)
        for report in reports
    ):
        raise Problem(422, NOTHING).telling(report=told)
    return told, False


def _told(report: FileReport, t: Translate) -> dict[str, Any]:
    """One file as `retourne ingest --format jsonl` has it, and up to TOLD of its matches."""
    unclean = {one.match_id: one.findings for one in report.reports if not one.duplicate}
    every = [
        (*row, True, unclean.get(row[0], []))
        for row in matches.of_file(store().cursor(), report.number, TOLD)
    ]
    every += [
        (one.match_id, one.id, one.line, one.status, False, one.findings)
        for one in report.reports
        if one.duplicate
    ]
    told = [
        {"id": id, "log_id": log_id, "line": line, "status": status, "new": new}
        | {"findings": [one.as_dict(t) for one in findings]}
        for id, log_id, line, status, new, findings in sorted(every, key=lambda one: one[2])[:TOLD]
    ]
    return {**as_object(t, report), "sheets": report.sheets, "matches": told}
