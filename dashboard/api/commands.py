"""Runs store operations for admins: `POST /commands/NAME`.

Each operation of `ingest.operations` has an address. A long one streams lines: its progress, its
findings, and last its `result` or the `problem` that ended it. If the client disconnects, it stops
between two transactions.
"""

import inspect
import os
import sys
from base64 import b64encode
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_origin

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Body, Depends, Query, Request
from fastapi.routing import APIRoute
from pydantic import ConfigDict, FailFast, create_model
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from dashboard import authentication
from dashboard.api import uploads
from dashboard.api.auth import acting_as_principal, principal_of, required_role
from dashboard.api.content_negotiation import Texts
from dashboard.api.logs import INTERRUPTED
from dashboard.api.matches import BINARY_TYPE
from dashboard.api.models import ApiModel, ResponseSpecs, response_specs
from dashboard.api.problems import Problem
from dashboard.api.progress_stream import ProgressStream
from dashboard.api.responses import NDJSON_TYPE, json_response
from dashboard.authentication import Principal
from dashboard.store import command_gate, store_path, unavailable_reason
from dashboard.tables import saved_searches
from dashboard.tables.stats_query import simulate_baseline
from engine import program_version
from ingest import cancellation
from ingest.distributed.cluster import connect
from ingest.findings.os_errors import translate_reason
from ingest.i18n import N_, Translate
from ingest.operations import (
    Operation,
    OperationContext,
    OperationRefused,
    access,
    maintenance,
    match_duplicates,
    matches,
    players,
    sheets,
    url_name,
)
from ingest.store import backup as copies
from ingest.store import errors
from ingest.store.factory import Store
from ingest.store.store_url import is_lake_url
from ingest.store.temporary_files import temporary_sibling
from ingest.store.tokens import Role

MAX_BODY_BYTES = {Role.READER: 1 << 14, Role.CONTRIBUTOR: 1 << 16, Role.ADMIN: 1 << 22}
"""Bytes of the arguments of a command, by the role of its sender: they are parsed between other answers."""
ARGUMENTS_TOO_LARGE = N_("The arguments of a command have at most {most} bytes with this token.")


class _CommandRoute(APIRoute):
    """A route that reads the arguments within limits, before they are parsed and the role is checked."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_small(request: Request) -> Response:
            who = principal_of(request.scope)
            if self.body_field is not None and not who.is_local:
                most = MAX_BODY_BYTES[who.role or Role.READER]
                body = await uploads.read_small_body(request, most)
                if body is None:
                    raise Problem(413, ARGUMENTS_TOO_LARGE, most=most)
                request._body = body
            return await handle(request)

        return handle_small


router = APIRouter(tags=["commands"], route_class=_CommandRoute)
QUICK_OPERATIONS: tuple[Operation, ...] = (
    matches.delete,
    matches.undelete,
    matches.deletions,
    matches.list_versions,
    matches.restore_version,
    matches.empty_trash,
    matches.mask,
    matches.unmask,
    matches.whois,
    players.player_merge,
    players.player_rename,
    players.player_split,
    players.player_undo,
    players.player_changes,
    players.player_duplicates,
    players.player_different,
    players.players_named,
    match_duplicates.match_duplicates,
    match_duplicates.match_same,
    match_duplicates.match_different,
    match_duplicates.match_undo,
    match_duplicates.match_changes,
    sheets.sheet_mappings,
    sheets.remember_sheet,
    sheets.forget_sheet,
    access.add_token,
    access.tokens,
    access.revoke_token,
    access.set_access,
    access.sessions,
    access.end_session,
    access.add_webhook,
    access.webhooks,
    access.remove_webhook,
    saved_searches.save_search,
    saved_searches.remove_search,
    saved_searches.restore_search,
    maintenance.outdated_verdicts,
)
STREAMED_OPERATIONS: tuple[Operation, ...] = (
    matches.purge,
    maintenance.revalidate,
    maintenance.solve_endgames,
    maintenance.verify,
    simulate_baseline,
)
"""Operations that stream their progress."""
ROLES: Mapping[Operation, Role] = {
    **dict.fromkeys(
        (
            *(matches.delete, matches.undelete, matches.deletions),
            *(sheets.sheet_mappings, sheets.remember_sheet, sheets.forget_sheet),
            *(matches.list_versions, matches.restore_version),
            *(players.player_duplicates, players.players_named),
            *(saved_searches.save_search, saved_searches.remove_search, saved_searches.restore_search),
        ),
        Role.CONTRIBUTOR,
    ),
    **dict.fromkeys((simulate_baseline, access.sessions, access.end_session), Role.READER),
}
"""Operations open to other roles; each checks that contributors change only their own data."""
OPERATION_FAILED = N_("Not possible: {reason}.")
STORE_UNAVAILABLE = (errors.STORE_IN_USE, errors.DISK_FULL, errors.STORE_FAILED)
"""Errors of a store that cannot be used; every other StoreError is a refusal of the operation."""
command_limiter = CapacityLimiter(16)
"""Limits how many commands run at a time."""
Admin = Annotated[Principal, Depends(required_role(Role.ADMIN))]


class Program(ApiModel):
    """The program that serves this API."""

    version: str
    store: str
    """File name of the store, from which a client names its backup; empty for a lake."""


class Result(ApiModel):
    """The result of an operation."""


@router.get("/commands", responses=response_specs(Program, 401, 403))
async def program(who: Admin) -> Response:
    """Return the version of the server; clients call it first, initially without their token.

    A client sends its token only once the answer, a problem or a version, shows a Retourne server.
    """
    name = "" if is_lake_url(store_path()) else store_path().name
    return json_response({"version": program_version(), "store": name})


class _OperationRun(ProgressStream):
    def __init__(
        self, do: Callable[[OperationContext], Mapping[str, Any]], who: Principal, t: Translate
    ) -> None:
        super().__init__(t, command_limiter)
        self._do, self._who = do, who

    def run(self) -> Mapping[str, Any]:
        """Run the operation in this thread; return its result. Problem, StoreError: not done."""
        cancellation.is_cancelled.set(lambda: command_gate.is_cancelled or not self.is_client_waiting())
        with command_gate.shared_use() as store, acting_as_principal(self._who), self._naming():
            cluster = connect if self._who.is_local else None
            reached = command_gate.exclusive_use, authentication.base_url, cluster
            by = self._who.has_role, self._who.token_no
            work = OperationContext(store, self._t, self.put, *reached, *by)
            try:
                with store.translate_errors():
                    return self._do(work)
            except KeyboardInterrupt:
                raise Problem(503, INTERRUPTED) from None
            except OSError as error:
                raise Problem(500, OPERATION_FAILED, reason=translate_reason(self._t, error)) from None
            except errors.StoreError as error:
                if (
                    isinstance(error, OperationRefused | errors.CatalogUnavailable | errors.FileMissing)
                    or error.text in STORE_UNAVAILABLE
                ):
                    raise
                raise Problem(409, "{sentence}", sentence=unavailable_reason(error, self._t)) from None

    def _naming(self) -> AbstractContextManager[None]:
        """Name the store by its URL in messages to remote clients."""
        afar = not self._who.is_local and authentication.base_url is not None
        return errors.show_path_as(store_path(), authentication.base_url) if afar else nullcontext()

    async def run_in_thread(self, request: Request) -> Mapping[str, Any]:
        """Call `run` in a thread, cancelled when the client disconnects."""
        async with uploads.watch_disconnect(request) as self.is_client_waiting:
            return await to_thread.run_sync(self.run, limiter=command_limiter)


def _fail_fast(annotation: Any) -> Any:
    """Return a type whose lists are refused at their first wrong item: to list all takes seconds."""
    return Annotated[annotation, FailFast()] if get_origin(annotation) is list else annotation


def _operation_endpoint(operation: Operation, is_streamed: bool) -> Callable[..., Any]:
    """Return the endpoint of an operation; the request's JSON object holds its arguments."""
    members: dict[str, Any] = {
        one.name: (_fail_fast(one.annotation), ... if one.default is one.empty else one.default)
        for one in inspect.signature(operation).parameters.values()
        if one.name != "work"
    }
    title = operation.__name__.title().replace("_", "")
    model = create_model(title, __config__=ConfigDict(extra="forbid"), **members)

    async def ask(request: Request, who: Any, t: Texts, sent: Any) -> Response:
        given = {name: getattr(sent, name) for name in members}
        doing = _OperationRun(lambda work: operation(work, **given), who, t)
        if is_streamed:
            return StreamingResponse(doing.stream_lines(), media_type=NDJSON_TYPE)
        return json_response(await doing.run_in_thread(request))

    needed = any(default is ... for _, default in members.values())
    default = Body() if needed else Body(default_factory=model)
    ask.__annotations__["sent"] = Annotated[model, default]
    ask.__annotations__["who"] = Annotated[
        Principal, Depends(required_role(ROLES.get(operation, Role.ADMIN)))
    ]
    ask.__name__, ask.__doc__ = operation.__name__, operation.__doc__
    return ask


STREAMED_RESPONSE: ResponseSpecs = {
    200: {
        "description": "An object a line: `done` of `total`, what is found, and on the last line "
        "the `result`, or the `problem` that ended it.",
        "content": {NDJSON_TYPE: {"schema": {"type": "string"}}},
    }
}
for _long, _every in ((False, QUICK_OPERATIONS), (True, STREAMED_OPERATIONS)):
    for _one in _every:
        router.add_api_route(
            f"/commands/{url_name(_one)}",
            _operation_endpoint(_one, _long),
            methods=["POST"],
            name=f"command_{_one.__name__}",  # the plain names are those of other routes
            response_class=Response,
            responses=response_specs(dict(STREAMED_RESPONSE) if _long else Result, 401, 403, 404, 409, 500),
        )


BINARY_CONTENT = {"schema": {"type": "string", "format": "binary"}}
STORE_BODY = {"requestBody": {"required": True, "content": {BINARY_TYPE: BINARY_CONTENT}}}
Name = Annotated[str, Query(description="What the file is called.", max_length=4000)]


@router.post(
    "/commands/backup",
    name="command_backup",
    response_class=Response,
    responses=response_specs({200: {"content": {BINARY_TYPE: BINARY_CONTENT}}}, 401, 403, 409, 500),
)
async def backup(request: Request, who: Admin, t: Texts) -> Response:
    """Download a verified backup of the store; `Repr-Digest` holds the hash of its bytes."""
    with ExitStack() as until:
        part = until.enter_context(_backup_target())
        doing = _OperationRun(lambda work: {"matches": copies.backup(work.store, part)}, who, t)
        await doing.run_in_thread(request)
        digest = b64encode(await to_thread.run_sync(copies.sha256_of, part)).decode()
        fields = {"Content-Length": str(part.stat().st_size), "Repr-Digest": f"sha-256=:{digest}:"}
        file = until.enter_context(part.open("rb"))
        blocks = iter(partial(file.read, uploads.MAX_MEMORY_BYTES), b"")
        return OwningResponse(until.pop_all(), blocks, headers=fields, media_type=BINARY_TYPE)


def _backup_target() -> AbstractContextManager[Path]:
    """Yield a temporary path next to the store's file. Problem: the store is a lake."""
    if is_lake_url(store_path()):
        raise Problem(409, errors.LAKE_NOT_COPYABLE)
    return temporary_sibling(store_path().resolve())


class OwningResponse(StreamingResponse):
    """A streaming response that releases its resources even if it was not sent whole."""

    def __init__(self, holds: ExitStack, content: Any, doing: _OperationRun | None = None, **options: Any):
        super().__init__(content, **options)
        self._resources, self._doing = holds, doing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if self._doing is None or not self._doing.has_started:  # else the run does it
                self._resources.close()


async def _run_with_sent_store(
    request: Request,
    who: Principal,
    t: Translate,
    operation: Callable[[OperationContext, Path], Mapping[str, Any]],
) -> Response:
    """Run an operation on a store file that the client sends as the body."""
    with uploads.writing_body(errors.NOTHING_CHANGED), ExitStack() as until:
        part = until.enter_context(_backup_target())
        with open(part, "wb", opener=partial(os.open, mode=0o600)) as file:
            async for block in uploads.limited_blocks(
                request, sys.maxsize if who.is_local else uploads.MAX_UPLOAD_BYTES
            ):
                file.write(block)
        holds = until.pop_all()

    def done(work: OperationContext) -> Mapping[str, Any]:
        with holds:
            return operation(work, part)

    doing = _OperationRun(done, who, t)
    return OwningResponse(holds, doing.stream_lines(), doing, media_type=NDJSON_TYPE)


STORE_BODY_ROUTE: dict[str, Any] = {
    "openapi_extra": STORE_BODY,
    "response_class": Response,
    "responses": response_specs(STREAMED_RESPONSE, 400, 401, 403, 408, 413),
}
"""Route options of operations that take a file."""


@router.post("/commands/restore", name="command_restore", **STORE_BODY_ROUTE)
async def restore(request: Request, who: Admin, t: Texts, name: Name = "backup") -> Response:
    """Replace the store with the backup in the body; the previous file stays next to it."""
    return await _run_with_sent_store(request, who, t, partial(maintenance.restore, name=name))


@router.post("/commands/copy", name="command_copy", **STORE_BODY_ROUTE)
async def copy(request: Request, who: Admin, t: Texts, name: Name = "store") -> Response:
    """Copy the matches of another store, whose file is the body, into this one and compare."""

    def copied(work: OperationContext, file: Path) -> Mapping[str, Any]:
        with errors.show_path_as(file, name), Store(file, read_only=True) as source:
            return maintenance.copy(work, source)

    return await _run_with_sent_store(request, who, t, copied)
