"""Routes that check uploaded logs (`/check`) and store them (`/logs`)."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from io import BytesIO
from itertools import islice
from threading import Lock
from typing import Annotated, Any

import orjson
from anyio import to_thread
from fastapi import APIRouter, Header, Path, Query, Request
from starlette.responses import Response, StreamingResponse

from dashboard.api import check_worker, rate_limits, uploads
from dashboard.api.auth import Contributor, Reader, acting_as_principal, check_role
from dashboard.api.check_worker import UnpackLimits
from dashboard.api.content_negotiation import Texts, names_etag, response_language
from dashboard.api.models import PutMatch, ResponseSpecs, UploadReport, response_specs
from dashboard.api.problems import Problem
from dashboard.api.progress_stream import ProgressStream
from dashboard.api.responses import JSON_TYPE, NDJSON_TYPE, json_response, stream_file
from dashboard.api.uploads import MAX_CHECK_BYTES, MAX_UPLOAD_BYTES, UploadedFiles
from dashboard.authentication import Principal
from dashboard.queries import matches
from dashboard.store import command_gate, open_store
from ingest import cancellation
from ingest.i18n import N_, Translate
from ingest.reader.files import Batch, MatchText
from ingest.reader.json_text import MAX_LINE_BYTES
from ingest.reader.sources import join_batches, source_batches
from ingest.store import worker_pool
from ingest.store.audit import file_numbers_by_token
from ingest.store.ingest_files import FileReport, ingest, replace_match
from ingest.store.ingest_summary import report_as_json, summarize
from ingest.store.match_comparison import OnConflict, Relation
from ingest.store.tokens import Role
from ingest.store.upload_duplicates import stored_beginnings

router = APIRouter(tags=["logs"])
MAX_MATCHES_LISTED = 1000
"""Matches of one file that a report lists one by one."""
CHECK_BATCH_BYTES = 64 << 10
"""Bytes of logs checked at a time: the search for edits takes longer than the check."""
IDS_PER_LINE = 10_000
TOO_MANY_MATCHES = N_("At most {most} matches may be checked at a time: send them in several parts.")
TOO_MANY_FINDINGS = N_("More than {most} findings: send fewer matches at once.")
NO_LOG_IN_BODY = N_("Nothing in this body is a log of a match: see report.")
INTERRUPTED = N_("The client left before the end. Unfinished matches were not stored.")
NOT_A_LOG_STATUS = "unreadable"
"""Verdict on a text that is not a log of any game: it is stored, but not announced."""

Name = Annotated[str, Query(description="The name of a body that is no form.", max_length=4000)]
ConflictPolicy = Annotated[
    OnConflict,
    Query(
        description="What becomes of a match that is stored already but differs: `keep` the stored one, "
        "`replace` it, or store `both`."
    ),
]
Ids = Annotated[bool, Query(description="Whether lines of `ids` name all matches that came.")]
CHECK_RESPONSE: dict[str, Any] = {
    "description": "An object a match, as `retourne check --format jsonl` writes them: one a line, "
    "or an array where `application/json` is asked for.",
    "content": {NDJSON_TYPE: {"schema": {"type": "string"}}, JSON_TYPE: {"schema": {"type": "array"}}},
}
STORE_RESPONSES: ResponseSpecs = {
    200: {"model": UploadReport, "description": "No log was added: each is there, or another form of it."},
    201: {"model": UploadReport, "description": "At least one match was added, with or without findings."},
}


@router.post(
    "/check",
    openapi_extra=uploads.body_schema("Logs to check."),
    response_class=Response,
    responses=response_specs({200: CHECK_RESPONSE}, 400, 401, 408, 413, 415),
)
async def check(request: Request, who: Reader, t: Texts, name: Name = "") -> Response:
    """Check logs against the rules they name; nothing is stored.

    Errors in a log, even a damaged one, are findings in the answer. For readers, a request is
    limited to 8 MiB of logs (unpacked), 10,000 matches and 10,000 findings; more is a 413.
    """
    adds = who.has_role(Role.CONTRIBUTOR)
    most, allowed = (
        (MAX_UPLOAD_BYTES, None)
        if adds
        else (MAX_CHECK_BYTES, UnpackLimits(MAX_CHECK_BYTES, rate_limits.MAX_MATCHES))
    )
    listed = JSON_TYPE in request.headers.get("accept", "")
    with rate_limits.check_slots.holding(rate_limits.client_key(request.scope)):
        async with (
            uploads.uploaded_files(request, name, most) as files,
            uploads.watch_disconnect(request) as stays,
        ):
            what = partial(_check_files, files, allowed, response_language(request), listed, stays)
            work, most = rate_limits.check_limiter, rate_limits.MAX_CHECKS_PER_CLIENT
            async with rate_limits.client_limiter(request.scope, work, most):
                result, length = await to_thread.run_sync(what, limiter=work)
    size = {"Content-Length": str(length)}
    return StreamingResponse(result, headers=size, media_type=JSON_TYPE if listed else NDJSON_TYPE)


def _check_files(
    files: UploadedFiles,
    limit: UnpackLimits | None,
    language_tag: str,
    as_array: bool,
    is_client_waiting: Callable[[], bool],
) -> tuple[Iterator[bytes], int]:
    """Check files; return the output and its size, spooled so that slow readers block no worker.

    Problem: there is more than `limit` allows, or the client left or the server stops.
    """
    cancellation.is_cancelled.set(lambda: command_gate.is_cancelled or not is_client_waiting())
    with ExitStack() as failing:
        result = failing.enter_context(uploads.spooled_file())
        separator, findings = b"", 0
        result.write(b"[" if as_array else b"")
        for more, lines in _checked_pieces(files, limit, language_tag):
            findings += more
            if limit and findings > rate_limits.MAX_FINDINGS:
                raise Problem(413, TOO_MANY_FINDINGS, most=rate_limits.MAX_FINDINGS)
            for line in lines:
                result.write(separator + line)
                separator = b"," if as_array else b""
        result.write(b"]\n" if as_array else b"")
        length = result.tell()
        result.seek(0)
        return stream_file(result, failing.pop_all()), length


def _checked_pieces(
    files: UploadedFiles, limit: UnpackLimits | None, language_tag: str
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield what `check_lines` returns of each piece. Problem: the client left, or the server stops."""
    work = partial(check_worker.check_lines, language_tag)
    try:
        pieces = worker_pool.split_batches(_batches_within(files, limit), CHECK_BATCH_BYTES)
        for piece in join_batches(pieces, CHECK_BATCH_BYTES):
            cancellation.check_cancelled()
            yield worker_pool.run_on_batch(work, piece)
    except KeyboardInterrupt:
        raise Problem(503, INTERRUPTED) from None


def _batches_within(files: UploadedFiles, limit: UnpackLimits | None) -> Iterator[Batch]:
    """Yield the matches of files; untrusted files of readers are split in a worker process.

    Problem: there are more than `limit` allows.
    """
    if limit is None:
        return source_batches(files)
    found, left = list[Batch](), limit
    for name, file in files:
        whole = Batch(name, [MatchText(1, file.read())], [])
        some, left = worker_pool.run_on_batch(partial(check_worker.split_file, left), whole)
        if left.max_bytes < 0:
            raise uploads.body_too_large(limit.max_bytes)
        if left.max_matches < 0:
            raise Problem(413, TOO_MANY_MATCHES, most=limit.max_matches)
        found += some
    return iter(found)


SourceName = Annotated[str, Path(description="The name of the log’s source.", max_length=200)]
LogId = Annotated[str, Path(description="The id the log gives itself.", max_length=200)]
NOT_THIS_MATCH = N_("The body is not the log of one match with this id and the name of this source.")
BEGINNING_STORED = N_(
    "The stored match {id} is the beginning of this log, under another id: put the log under that id, or "
    "delete that match first. Nothing was changed."
)
PUT_RESPONSES: ResponseSpecs = {
    200: {"model": PutMatch, "description": "The match was known already."},
    201: {"model": PutMatch, "description": "The match was added, or replaced another log of it."},
}
IfMatch = Annotated[
    str | None, Header(description="Only if the stored log has one of these ETags, or `*`: any.")
]
IfNoneMatch = Annotated[
    str | None, Header(description="Not if the stored log has one of these ETags, or `*`: any.")
]
OTHER_LOG_STORED = N_("The log at this address is not the one that If-Match names. Nothing was changed.")
LOG_STORED = N_("If-None-Match rules out the log at this address. Nothing was changed.")
_put_lock = Lock()
"""Held from the look at the stored log to its replacement."""


@router.post(
    "/logs",
    openapi_extra=uploads.body_schema("Logs to store."),
    response_class=Response,
    responses=response_specs(STORE_RESPONSES, 400, 401, 403, 408, 413, 415),
)
async def add(
    request: Request,
    who: Contributor,
    t: Texts,
    name: Name = "",
    ids: Ids = False,
    on_conflict: ConflictPolicy = OnConflict.KEEP,
) -> Response:
    """Check logs and store their matches; the same match is stored once, however its log is written.

    A match that goes on where a stored one stops takes its place. Only the admin may replace other stored
    matches with `on_conflict=replace`; a replaced log becomes an earlier version. Each of several files
    is stored whole or not at all; when the client disconnects, no further file is begun. With `Accept:
    application/x-ndjson` the answer streams its progress (`done` bytes of a file, and with `ids` the
    matches added); its last line is the `result`, or the `problem` that ended it.
    """
    if on_conflict is OnConflict.REPLACE:
        check_role(who, Role.ADMIN)
    adding = _Adding(who, t, ids, on_conflict)
    async with adding.until as until:
        until.enter_context(rate_limits.upload_slots.holding(rate_limits.client_key(request.scope)))
        most = sys.maxsize if who.is_local else MAX_UPLOAD_BYTES
        adding.files = await until.enter_async_context(uploads.uploaded_files(request, name, most))
        if NDJSON_TYPE in request.headers.get("accept", ""):
            adding.until = until.pop_all()
            adding.begin()
            return StreamingResponse(adding.stream_lines(), media_type=NDJSON_TYPE)
        adding.is_client_waiting = await until.enter_async_context(uploads.watch_disconnect(request))
        work, most = rate_limits.write_limiter, rate_limits.MAX_WRITES_PER_CLIENT
        async with rate_limits.client_limiter(request.scope, work, most):
            result = await to_thread.run_sync(adding.run, limiter=work)
        return json_response(result, 201 if adding.added else 200)


@router.put(
    "/sources/{source}/matches/{id}",
    openapi_extra=uploads.body_schema("The log of one match."),
    responses=response_specs(PUT_RESPONSES, 400, 401, 403, 408, 409, 412, 413, 415, 422),
)
async def put(
    request: Request,
    who: Contributor,
    source: SourceName,
    id: LogId,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Store a match by its source and the id its log has there: the newest log replaces the others.

    The log names both. To send it again changes nothing. The replaced log becomes an earlier version;
    contributors may replace the matches they added. If another source has the same match, that stays. No
    match under another id is replaced, except one of only last deals: the beginning is a 409 with its id.
    The answer has the ETag of the log that is stored there now.
    """
    with rate_limits.upload_slots.holding(rate_limits.client_key(request.scope)):
        async with uploads.uploaded_files(request, f"{id}.json", MAX_LINE_BYTES) as files:
            work = partial(_put_if, if_match, if_none_match, files, who, source, id)
            result, added, etag = await to_thread.run_sync(work, limiter=rate_limits.write_limiter)
    answer = json_response(result, 201 if added else 200)
    if etag is not None:
        answer.headers["ETag"] = etag
    return answer


def _put_if(
    if_match: str | None,
    if_none_match: str | None,
    files: UploadedFiles,
    who: Principal,
    source: str,
    id: str,
) -> tuple[dict[str, Any], bool, str | None]:
    """Do what `_put` does, if the stored log fits; return the ETag of the log stored then too."""
    with _put_lock:
        before = _etag(source, id)
        if if_match is not None and (before is None or not names_etag(if_match, before)):
            raise Problem(412, OTHER_LOG_STORED)
        if if_none_match is not None and before is not None and names_etag(if_none_match, before):
            raise Problem(412, LOG_STORED)
        result, added = _put(files, who, source, id)
        return result, added, _etag(source, id)


def _etag(source: str, id: str) -> str | None:
    """Return the ETag of the log that is stored under a source and its id there."""
    query = "SELECT content_id FROM matches WHERE source = ? AND log_id = ? ORDER BY match_no DESC LIMIT 1"
    row = open_store().cursor().execute(query, [source, id]).fetchone()
    return None if row is None else f'"{row[0]}"'


def _put(files: UploadedFiles, who: Principal, source: str, id: str) -> tuple[dict[str, Any], bool]:
    """Store the only match of a body; return the answer and whether it was added."""
    text = b"".join(file.read() for _, file in files)
    try:
        log = orjson.loads(text)
        named = log["source"]["name"], log["id"]
    except (ValueError, TypeError, KeyError):
        named = None, None
    if named != (source, id):
        raise Problem(422, NOT_THIS_MATCH)
    for other, *whose in stored_beginnings(open_store(), text):
        if whose[0] is not None and whose != [id, source]:
            raise Problem(409, BEGINNING_STORED, id=other).with_members(ids=[other])

    name, shorter = f"{id}.json", (Relation.BEGINNING, Relation.PART)
    with acting_as_principal(who):
        [report] = ingest(open_store(), [(name, BytesIO(text))])
        if any(one in report.not_added for one in (Relation.SAME_MATCH, Relation.CONFLICT, *shorter)):
            cursor = open_store().cursor()
            row = cursor.execute(
                "SELECT file_no, match_no FROM matches WHERE match_id = ? AND source = ? AND log_id = ?",
                [report.related[0].duplicate.other_id, source, id],
            ).fetchone()
            if row is not None:
                own = row[0] in file_numbers_by_token(cursor, who.token_no)
                check_role(who, Role.CONTRIBUTOR if own else Role.ADMIN)
                report = replace_match(open_store(), row[1], name, text)
    if report.added:
        known = next(iter(matches.matches_of_file(open_store().cursor(), report.number, 1)))[0]
    elif report.related:
        known = report.related[0].duplicate.other_id
    else:
        known = next((one.match_id for one in report.reports), "")
    relation = next((str(one.duplicate.relation) for one in report.related), None)
    added = bool(report.added)
    return {"match_id": known, "new": added, "relation": relation, "replaced": report.replaced}, added


class _Adding(ProgressStream):
    def __init__(self, who: Principal, t: Translate, with_ids: bool, on_conflict: OnConflict) -> None:
        super().__init__(t, rate_limits.write_limiter)
        self._who, self.files, self.added = who, UploadedFiles(), False
        self._with_ids, self._on_conflict = with_ids, on_conflict

    def run(self) -> Mapping[str, Any]:
        """Store the files while reporting the bytes done of each, and return the report."""

        def on_progress(name: str, done: int) -> None:
            self.put({"file": name, "done": done})

        keys = set[int]()
        try:
            result, self.added = _store_files(
                self.files, self._who, self._t, self.is_client_waiting, on_progress, keys, self._on_conflict
            )
        finally:  # also when all files were refused
            every = iter(keys if self._with_ids else ())
            while some := [f"{key:032x}" for key in islice(every, IDS_PER_LINE)]:
                self.put({"ids": some})
        return result


def _store_files(
    files: UploadedFiles,
    who: Principal,
    t: Translate,
    is_client_waiting: Callable[[], bool],
    on_progress: Callable[[str, int], None],
    keys: set[int],
    on_conflict: OnConflict,
) -> tuple[dict[str, Any], bool]:
    """Store files; return the report, per file as `report_as_json` and in total.

    The flag is whether matches were added. `keys` receives the numbers of added matches.

    Problem: the client left or the server stops; its report lists the files that were stored.
    """
    cancellation.is_cancelled.set(lambda: command_gate.is_cancelled or not is_client_waiting())
    reports, left = list[FileReport](), False
    try:
        with acting_as_principal(who):
            stored = ingest(open_store(), files, on_progress, keys, on_conflict=on_conflict)
            reports.extend(stored)  # file by file
    except KeyboardInterrupt:
        left = True
    found = summarize(reports)
    fields = {
        "added": found.added.n,
        "score_sheets": dict(sum((report.sheets for report in reports), Counter[str]())),
        "already_stored": found.already_stored.n,
        "repeated": sum(report.repeated for report in reports),
        "stored_with_findings": dict(found.stored_with_findings.verdicts),
        "rejected": found.rejected.n,
        "relations": dict(sum((report.relations for report in reports), Counter[Relation]())),
        "replaced": sum(report.replaced for report in reports),
        "merges_undone": [pair for report in reports for pair in report.merges_undone],
        "files": [_file_as_json(report, t) for report in reports],
    }
    if left:
        raise Problem(503, INTERRUPTED).with_members(report=fields)
    if any(report.added > report.by_status[NOT_A_LOG_STATUS] for report in reports):
        return fields, True
    if not any(
        report.duplicates > sum(one.duplicate and one.status == NOT_A_LOG_STATUS for one in report.reports)
        for report in reports
    ):
        raise Problem(422, NO_LOG_IN_BODY).with_members(report=fields)
    return fields, False


def _file_as_json(report: FileReport, t: Translate) -> dict[str, Any]:
    """Report a file as `retourne ingest --format jsonl` does, up to MAX_MATCHES_LISTED matches."""
    unclean = {one.match_id: one.findings for one in report.reports if not one.duplicate}
    every = [
        (*row, True, unclean.get(row[0], []))
        for row in matches.matches_of_file(open_store().cursor(), report.number, MAX_MATCHES_LISTED)
    ]
    every += [
        (one.match_id, one.log_id, one.line, one.status, False, one.findings)
        for one in report.reports
        if one.duplicate
    ]
    items = [
        {"match_id": match_id, "log_id": log_id, "line": line, "status": status, "new": new}
        | {"findings": [one.as_dict(t) for one in findings]}
        for match_id, log_id, line, status, new, findings in sorted(every, key=lambda one: one[2])[
            :MAX_MATCHES_LISTED
        ]
    ]
    file_no = report.number if report.number >= 0 else None
    return {**report_as_json(t, report), "file_no": file_no, "matches": items}
