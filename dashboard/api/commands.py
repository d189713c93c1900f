"""What the command line does to a store, for programs: `POST /commands/NAME`.

Each operation of `ingest.operations` has an address. What takes long answers line by line: how far
it is, what is found, and on the last line its `result`, or the `problem` that ended it. It ends
between two transactions where whoever asked is gone.
"""

import inspect
import os
import sys
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Body, Depends, Query, Request
from pydantic import ConfigDict, create_model
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from dashboard import access
from dashboard.access import TO_ADD, Who
from dashboard.api import uploads
from dashboard.api.auth import acting, needs
from dashboard.api.content_negotiation import Texts
from dashboard.api.logs import LEFT
from dashboard.api.matches import BYTES
from dashboard.api.models import Open, Told, answers
from dashboard.api.problems import Problem
from dashboard.api.responses import LINES, answered
from dashboard.api.telling import Telling
from dashboard.store import commands, path, why_not
from dashboard.tables.stats_query import beside_chance
from engine import program_version
from ingest.distributed.cluster import joined
from ingest.findings.os_errors import reason
from ingest.i18n import N_, Translate
from ingest.operations import Operation, Refused, Work, matches, name_of, whole_store
from ingest.operations import access as grants
from ingest.store import backup as copies
from ingest.store import cancellation
from ingest.store.backup import becoming
from ingest.store.errors import BUSY, FAILED, FULL, NO_COPY, Away, Gone, StoreError, standing_for
from ingest.store.factory import Store
from ingest.store.store_url import is_lake
from ingest.store.tokens import Role

router = APIRouter(tags=["commands"])
SHORT: tuple[Operation, ...] = (
    matches.delete,
    matches.undelete,
    matches.deletions,
    matches.empty_trash,
    matches.mask,
    matches.unmask,
    matches.whois,
    grants.add_token,
    grants.tokens,
    grants.revoke_token,
    grants.set_access,
    grants.add_webhook,
    grants.webhooks,
    grants.remove_webhook,
    whole_store.old_verdicts,
)
LONG: tuple[Operation, ...] = (
    matches.purge,
    whole_store.revalidate,
    whole_store.reckon_values,
    whole_store.verify,
    beside_chance,
)
"""Those that say meanwhile how far they are."""
ROLES: Mapping[Operation, Role] = {
    **dict.fromkeys((matches.delete, matches.undelete, matches.deletions), Role.CONTRIBUTOR),
    beside_chance: Role.READER,
}
"""What is not the admin's alone; of somebody else's the operation itself asks for more."""
NOT_DONE = N_("It cannot be done: {reason}.")
UNUSABLE = (BUSY, FULL, FAILED)
"""Why a store cannot be used; all else that is said of one is why something is not done to it."""
at_work = CapacityLimiter(16)
"""So many commands are at work at a time."""
Admin = Annotated[Who, Depends(needs(Role.ADMIN))]


class Program(Open):
    """What answers here."""

    version: str
    store: str
    """What the file of its store is called, by which a backup is named; of a lake, nothing."""


class Result(Open):
    """What an operation came to."""


@router.get("/commands", responses=answers(Program, 401, 403))
async def program(who: Admin) -> Response:
    """Which program this is: a command asks it before all else."""
    name = "" if is_lake(path()) else path().name
    return answered({"version": program_version(), "store": name})


class _Doing(Telling):
    """An operation of the store."""

    def __init__(self, do: Callable[[Work], Mapping[str, Any]], who: Who, t: Translate) -> None:
        super().__init__(t, at_work)
        self._do, self._who = do, who

    def result(self) -> Mapping[str, Any]:
        """What it came to, in this thread. Problem, StoreError: it is not done."""
        cancellation.left.set(lambda: commands.ended or not self.stays())
        with commands.using() as store, acting(self._who), self._naming():
            cluster = joined if self._who.here else None
            reached = commands.alone, access.address, cluster
            by = self._who.may, self._who.token_no
            work = Work(store, self._t, self.put, *reached, *by)
            try:
                with store.told():
                    return self._do(work)
            except KeyboardInterrupt:
                raise Problem(503, LEFT) from None
            except OSError as error:
                raise Problem(500, NOT_DONE, reason=reason(self._t, error)) from None
            except StoreError as error:
                if isinstance(error, Refused | Away | Gone) or error.text in UNUSABLE:
                    raise
                raise Problem(409, "{sentence}", sentence=why_not(error, self._t)) from None

    def _naming(self) -> AbstractContextManager[None]:
        """From afar the store is called by the address it is served at."""
        afar = not self._who.here and access.address is not None
        return standing_for(path(), access.address) if afar else nullcontext()

    async def done(self, request: Request) -> Mapping[str, Any]:
        """The same, by a thread, for as long as whoever asked waits."""
        async with uploads.staying(request) as self.stays:
            return await to_thread.run_sync(self.result, limiter=at_work)


def _asked(do: Operation, long: bool) -> Callable[..., Any]:
    """What answers a request for an operation, which is asked with the members of an object."""
    members: dict[str, Any] = {
        one.name: (one.annotation, ... if one.default is one.empty else one.default)
        for one in inspect.signature(do).parameters.values()
        if one.name != "work"
    }
    title = do.__name__.title().replace("_", "")
    model = create_model(title, __config__=ConfigDict(extra="forbid"), **members)

    async def ask(request: Request, who: Any, t: Texts, sent: Any) -> Response:
        given = {name: getattr(sent, name) for name in members}
        doing = _Doing(lambda work: do(work, **given), who, t)
        if long:
            return StreamingResponse(doing.lines(), media_type=LINES)
        return answered(await doing.done(request))

    needed = any(default is ... for _, default in members.values())
    default = Body() if needed else Body(default_factory=model)
    ask.__annotations__["sent"] = Annotated[model, default]
    ask.__annotations__["who"] = Annotated[Who, Depends(needs(ROLES.get(do, Role.ADMIN)))]
    ask.__name__, ask.__doc__ = do.__name__, do.__doc__
    return ask


TOLD: Told = {
    200: {
        "description": "An object a line: `done` of `total`, what is found, and on the last line "
        "the `result`, or the `problem` that ended it.",
        "content": {LINES: {"schema": {"type": "string"}}},
    }
}
for _long, _every in ((False, SHORT), (True, LONG)):
    for _one in _every:
        router.add_api_route(
            f"/commands/{name_of(_one)}",
            _asked(_one, _long),
            methods=["POST"],
            name=f"command_{_one.__name__}",  # others are called so, too
            response_class=Response,
            responses=answers(dict(TOLD) if _long else Result, 401, 403, 404, 409, 500),
        )


STORE = {"schema": {"type": "string", "format": "binary"}}
FILE = {"requestBody": {"required": True, "content": {BYTES: STORE}}}
Name = Annotated[str, Query(description="What the file is called.", max_length=4000)]


@router.post(
    "/commands/backup",
    name="command_backup",
    response_class=Response,
    responses=answers({200: {"content": {BYTES: STORE}}}, 401, 403, 409, 500),
)
async def backup(request: Request, who: Admin, t: Texts) -> Response:
    """A backup of the store, read again and compared; `Repr-Digest` has the hash of its bytes."""
    with ExitStack() as until:
        part = until.enter_context(_beside())
        doing = _Doing(lambda work: {"matches": copies.backup(work.store, part)}, who, t)
        await doing.done(request)
        digest = b64encode(await to_thread.run_sync(copies.sha256_of, part)).decode()
        told = {"Content-Length": str(part.stat().st_size), "Repr-Digest": f"sha-256=:{digest}:"}
        file = until.enter_context(part.open("rb"))
        blocks = iter(partial(file.read, uploads.IN_MEMORY), b"")
        return Holding(until.pop_all(), blocks, headers=told, media_type=BYTES)


def _beside() -> AbstractContextManager[Path]:
    """A name beside the store's file, where there is room for another. Problem: it has none."""
    if is_lake(path()):
        raise Problem(409, NO_COPY)
    return becoming(path().resolve())


class Holding(StreamingResponse):
    """An answer that lets go of what it holds, however much of it was sent."""

    def __init__(self, holds: ExitStack, content: Any, doing: _Doing | None = None, **told: Any):
        super().__init__(content, **told)
        self._holds, self._doing = holds, doing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if self._doing is None or not self._doing.begun:  # else that lets go, at its end
                self._holds.close()


async def _with_store(
    request: Request, who: Who, t: Translate, do: Callable[[Work, Path], Mapping[str, Any]]
) -> Response:
    """An operation that is given the file of a store, which is sent as the body."""
    with ExitStack() as until:
        part = until.enter_context(_beside())
        with open(part, "wb", opener=partial(os.open, mode=0o600)) as file:
            async for block in uploads.counted(request, sys.maxsize if who.here else TO_ADD):
                file.write(block)
        holds = until.pop_all()

    def done(work: Work) -> Mapping[str, Any]:
        with holds:
            return do(work, part)

    doing = _Doing(done, who, t)
    return Holding(holds, doing.lines(), doing, media_type=LINES)


SENT: dict[str, Any] = {
    "openapi_extra": FILE,
    "response_class": Response,
    "responses": answers(TOLD, 400, 401, 403, 408, 413),
}
"""What is said of an operation that is sent a file."""


@router.post("/commands/restore", name="command_restore", **SENT)
async def restore(request: Request, who: Admin, t: Texts, name: Name = "backup") -> Response:
    """Put a backup, which is the body, in the place of the store; what stood there is kept."""
    return await _with_store(request, who, t, partial(whole_store.restore, name=name))


@router.post("/commands/copy", name="command_copy", **SENT)
async def copy(request: Request, who: Admin, t: Texts, name: Name = "store") -> Response:
    """Add what another store has, whose file is the body, and compare."""

    def copied(work: Work, file: Path) -> Mapping[str, Any]:
        with standing_for(file, name), Store(file, read_only=True) as source:
            return whole_store.copy(work, source)

    return await _with_store(request, who, t, copied)
