"""A request's body as files: counted while it streams, on disk where it is large."""

from asyncio import create_task
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from tempfile import SpooledTemporaryFile
from threading import Event
from typing import IO, Any

from anyio import fail_after
from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from dashboard.api.problems import Problem
from ingest.i18n import N_

IN_MEMORY = 1 << 20
"""Bytes of a body beyond which it lies in a file without a name."""
FILES = 1000
"""Files of one request."""
PATIENCE = 60.0
"""Seconds without a byte after which a body is given up."""
PLAIN = ("application/json", "application/x-ndjson", "application/jsonl", "application/ndjson")
PACKED = ("application/gzip", "application/zstd", "application/zip", "application/octet-stream")
"""Told apart by what is in them, as files are."""
CODINGS = ("", "identity", "gzip", "zstd")
MULTIPART = "multipart/form-data"

TOO_LARGE = N_("At most {most} MB may be sent here, counted unpacked too where they are checked.")
OTHER_KIND = N_("This takes multipart/form-data, or a body of one of: {kinds}.")
OTHER_CODING = N_("A body may be packed with gzip or zstd, and not with {coding}.")
BROKE_OFF = N_("This body broke off: a form ends with its boundary and two hyphens.")
BROKEN = N_("The parts of this body cannot be told apart: {reason}")
TOO_SLOW = N_("No more of this body came.")

Files = list[tuple[str, IO[bytes]]]


def described(name: str) -> dict[str, Any]:
    """What the OpenAPI document says of such a body."""
    log = {"type": "string", "format": "binary"}
    files = {"type": "object", "properties": {"file": {"type": "array", "items": log}}}
    files["required"] = ["file"]
    kinds = {kind: {"schema": {} if kind == PLAIN[0] else log} for kind in (*PLAIN, *PACKED)}
    content = kinds | {MULTIPART: {"schema": files}}
    return {"requestBody": {"required": True, "description": name, "content": content}}


@asynccontextmanager
async def staying(request: Request) -> AsyncIterator[Callable[[], bool]]:
    """Within, somebody waits for the answer: whether they still do. Their body has come."""
    left = Event()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        left.set()

    watching = create_task(watch())
    try:
        yield lambda: not left.is_set()
    finally:
        watching.cancel()


@asynccontextmanager
async def files(request: Request, name: str, most: int) -> AsyncIterator[Files]:
    """The files of a body, which are closed afterwards; one that is no form goes by `name`.

    Problem: it is of another kind, or larger than `most` bytes.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    coding = request.headers.get("content-encoding", "").strip().lower()
    if coding not in CODINGS:
        raise Problem(415, OTHER_CODING, coding=coding[:20])
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > most:
        raise too_large(most)
    stream = counted(request, most)
    async with AsyncExitStack() as until:
        if kind == MULTIPART:
            yield await _parts(request, stream, until)
        elif not kind or kind in PLAIN or kind in PACKED:
            file = until.enter_context(laid_aside())
            async for block in stream:
                file.write(block)
            file.seek(0)
            ending = ".json" if kind == PLAIN[0] else ".jsonl" if kind in PLAIN else ""
            yield [(name or f"upload{ending}", file)]
        else:
            raise Problem(415, OTHER_KIND, kinds=", ".join((*PLAIN, *PACKED)))


def laid_aside() -> "SpooledTemporaryFile[bytes]":
    """A file without a name, on disk once it is large; whoever asks for it closes it."""
    return SpooledTemporaryFile(IN_MEMORY)


class _Parser(MultiPartParser):
    """One that says where a form breaks off: Starlette's takes what came."""

    whole = False

    def on_end(self) -> None:
        self.whole = True


class _BrokeOff(MultiPartException):
    """No more came, and the form was not over; the parser closes what it had."""


async def _parts(
    request: Request, stream: AsyncGenerator[bytes, None], until: AsyncExitStack
) -> Files:
    """The files among the parts of a form."""

    async def to_its_end() -> AsyncGenerator[bytes, None]:
        async for block in stream:
            yield block
        if not parser.whole:
            raise _BrokeOff("")

    try:
        parser = _Parser(request.headers, to_its_end(), max_files=FILES, max_fields=FILES)
        form = await parser.parse()
    except _BrokeOff:
        raise Problem(400, BROKE_OFF) from None
    except (MultiPartException, KeyError, ValueError, AssertionError) as error:
        # a form without a boundary is a KeyError of the parser's
        reason = error.message if isinstance(error, MultiPartException) else "boundary"
        raise Problem(400, BROKEN, reason=reason) from None
    until.push_async_callback(form.close)
    found = [one for _, one in form.multi_items() if isinstance(one, UploadFile)]
    if not found:
        raise Problem(400, N_("No file is in this body: send each as a part with a filename."))
    return [(one.filename or "upload", one.file) for one in found]


async def counted(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    """The blocks of a body. Problem: there are too many, or no more come."""
    count, blocks = 0, aiter(request.stream())
    while True:
        try:
            with fail_after(PATIENCE):
                block = await anext(blocks)
        except StopAsyncIteration:
            return
        except (TimeoutError, ClientDisconnect) as error:
            raise Problem(408 if isinstance(error, TimeoutError) else 400, TOO_SLOW) from None
        count += len(block)
        if count > most:
            raise too_large(most)
        yield block


def too_large(most: int) -> Problem:
    """Why more than so many bytes are not taken."""
    return Problem(413, TOO_LARGE, most=most >> 20)
