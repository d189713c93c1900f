"""Logs that are sent: checked alone, or checked and stored."""

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from dashboard.access import TO_ADD, TO_CHECK, Who
from dashboard.api import bodies, limits
from dashboard.api.answers import JSON, LINES, answered, lines
from dashboard.api.bodies import Files
from dashboard.api.language import Texts
from dashboard.api.models import Report, answers
from dashboard.api.problems import Problem
from dashboard.api.who import Contributor, Reader, acting
from dashboard.queries import matches
from dashboard.store import store
from ingest.api import reports
from ingest.i18n import N_, Translate
from ingest.judge.report import MatchReport
from ingest.store import apart
from ingest.store.add import FileReport, ingest
from ingest.store.outcome import as_object, outcome
from ingest.store.tokens import Role
from ingest.text.sources import source_batches

router = APIRouter(tags=["logs"])
TOLD = 1000
"""Matches of one file that a report tells one by one."""
PIECE = 64 << 10
"""Bytes of logs that are checked at a time: to look for edits takes longer than to check."""
NOTHING = N_("Nothing in this body is a log: see report.")

Name = Annotated[str, Query(description="The name of a body that is no form.", max_length=4000)]


@router.post(
    "/check",
    openapi_extra=bodies.described("Logs to check."),
    response_class=Response,
    responses=answers(
        {
            200: {
                "description": "An object a match, as `retourne check --format jsonl` writes them: "
                "one a line, or an array where `application/json` is asked for.",
                "content": {
                    LINES: {"schema": {"type": "string"}},
                    JSON: {"schema": {"type": "array"}},
                },
            }
        },
        400,
        401,
        408,
        413,
        415,
    ),
)
async def check(request: Request, who: Reader, t: Texts, name: Name = "") -> Response:
    """Check logs against the rules they name. Nothing is kept.

    What is wrong with a log is a finding in the answer, a torn one too.
    """
    most = TO_ADD if who.may(Role.CONTRIBUTOR) else TO_CHECK
    listed = JSON in request.headers.get("accept", "")
    with limits.upload():
        async with bodies.files(request, name, most) as files:
            told = await to_thread.run_sync(_checked, files, t, listed, limiter=limits.work)
    return StreamingResponse(told, media_type=JSON if listed else LINES)


def _checked(files: Files, t: Translate, listed: bool) -> Iterator[bytes]:
    """What is found, laid aside until it is sent: whoever reads slowly keeps nobody waiting."""
    told = bodies.laid_aside()
    separator = b""
    told.write(b"[" if listed else b"")
    for line in lines(report.as_dict(t) for report in _reports(files)):
        told.write(separator + line)
        separator = b"," if listed else b""
    told.write(b"]\n" if listed else b"")
    told.seek(0)
    return _sent(told)


def _reports(files: Files) -> Iterator[MatchReport]:
    """What `ingest.check` says of files, a piece of one at a time."""
    for piece in apart.pieces(source_batches(files), PIECE):
        yield from apart.done(reports, piece)


def _sent(file: "SpooledTemporaryFile[bytes]") -> Iterator[bytes]:
    with file:
        while block := file.read(bodies.IN_MEMORY):
            yield block


@router.post(
    "/logs",
    openapi_extra=bodies.described("Logs to store."),
    response_class=Response,
    responses=answers(
        {
            200: {"model": Report, "description": "Every match was known already."},
            201: {"model": Report, "description": "Matches were added."},
        },
        400,
        401,
        403,
        408,
        413,
        415,
    ),
)
async def add(request: Request, who: Contributor, t: Texts, name: Name = "") -> Response:
    """Check logs and store their matches. What is sent twice is stored once.

    Of several files each is stored whole or not at all.
    """
    with limits.upload():
        async with bodies.files(request, name, TO_ADD) as files:
            return await to_thread.run_sync(_stored, files, who, t, limiter=limits.writing)


def _stored(files: Files, who: Who, t: Translate) -> Response:
    with acting(who):
        reports = list(ingest(store(), files))
    told = {**_numbers(reports), "files": [_told(report, t) for report in reports]}
    if any(report.added for report in reports):
        return answered(told, 201)
    if not told["known"]:
        raise Problem(422, NOTHING).telling(report=told)
    return answered(told)


def _numbers(reports: list[FileReport]) -> dict[str, Any]:
    """What became of several files, as `as_object` says it of one."""
    found = outcome(reports)
    return {
        "added": found.added.n,
        "known": found.known.n,
        "twice": sum(report.twice for report in reports),
        "kept": dict(found.kept.verdicts),
        "refused": found.refused.n,
    }


def _told(report: FileReport, t: Translate) -> dict[str, Any]:
    """One file as `retourne ingest --format jsonl` has it, and up to TOLD of its matches."""
    new = matches.of_file(store().cursor(), report.number, TOLD)
    unclean = {one.match_id: one.findings for one in report.reports if not one.duplicate}
    found = [
        _match(
            match_id, log_id, line, status, [one.as_dict(t) for one in unclean.get(match_id, [])]
        )
        for match_id, log_id, line, status in new
    ]
    known = [
        _match(one.match_id, one.id, one.line, one.status, None)
        for one in report.reports
        if one.duplicate
    ]
    every = sorted([*found, *known], key=lambda one: int(one["line"]))[:TOLD]
    return {**as_object(t, report), "sheets": report.sheets, "matches": every}


def _match(
    id: str, log_id: str | None, line: int, status: str, findings: list[dict[str, Any]] | None
) -> dict[str, Any]:
    """One match; the findings of one that was known already are told where it is asked for."""
    told = {"id": id, "log_id": log_id, "line": line, "status": status}
    return {**told, "new": findings is not None, "findings": findings or []}
