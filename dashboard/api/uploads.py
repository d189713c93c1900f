"""Reads request bodies as files: counted while streaming, on disk when large."""

from asyncio import create_task
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from tempfile import SpooledTemporaryFile
from threading import Event
from typing import IO, Any

from anyio import fail_after
from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from dashboard.api.problems import Problem
from dashboard.store import store_path
from ingest.i18n import N_
from ingest.store.errors import NOTHING_STORED, write_error

MAX_MEMORY_BYTES = 1 << 20
"""Bytes of a body beyond which it lies in a file without a name."""
MAX_FILES = 1000
"""Files of one request."""
READ_TIMEOUT_SECONDS = 60.0
"""Seconds without a byte after which a body is given up."""
PLAIN_TYPES = (
    "application/json",
    "application/x-ndjson",
    "application/jsonl",
    "application/ndjson",
)
PACKED_TYPES = (
    "application/gzip",
    "application/zstd",
    "application/zip",
    "application/octet-stream",
)
"""Told apart by what is in them, as files are."""
CONTENT_ENCODINGS = ("", "identity", "gzip", "zstd")
MULTIPART = "multipart/form-data"

BODY_TOO_LARGE = N_(
    "At most {most} MB may be sent here, counted unpacked too where they are checked."
)
UNSUPPORTED_TYPE = N_("This takes multipart/form-data, or a body of one of: {kinds}.")
UNSUPPORTED_ENCODING = N_("A body may be packed with gzip or zstd, and not with {coding}.")
BODY_INCOMPLETE = N_("This body broke off: a form ends with its boundary and two hyphens.")
BODY_MALFORMED = N_("The parts of this body cannot be told apart: {reason}")
BODY_TIMED_OUT = N_("No more of this body came.")

UploadedFiles = list[tuple[str, IO[bytes]]]


def body_schema(name: str) -> dict[str, Any]:
    """What the OpenAPI document says of such a body."""
    log = {"type": "string", "format": "binary"}
    files = {"type": "object", "properties": {"file": {"type": "array", "items": log}}}
    files["required"] = ["file"]
    kinds = {
        kind: {"schema": {} if kind == PLAIN_TYPES[0] else log}
        for kind in (*PLAIN_TYPES, *PACKED_TYPES)
    }
    content = kinds | {MULTIPART: {"schema": files}}
    return {"requestBody": {"required": True, "description": name, "content": content}}


@asynccontextmanager
async def watch_disconnect(request: Request) -> AsyncIterator[Callable[[], bool]]:
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
async def uploaded_files(
    request: Request, name: str, max_bytes: int
) -> AsyncIterator[UploadedFiles]:
    """The files of a body, which are closed afterwards; one that is no form goes by `name`.

    Problem: it is of another kind, or larger than `max_bytes` bytes.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    coding = request.headers.get("content-encoding", "").strip().lower()
    if coding not in CONTENT_ENCODINGS:
        raise Problem(415, UNSUPPORTED_ENCODING, coding=coding[:20])
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > max_bytes:
        raise body_too_large(max_bytes)
    stream = limited_blocks(request, max_bytes)
    async with AsyncExitStack() as until:
        if kind == MULTIPART:
            with writing_body(NOTHING_STORED):
                form = await _form_files(request, stream, until)
            yield form
        elif not kind or kind in PLAIN_TYPES or kind in PACKED_TYPES:
            file = until.enter_context(spooled_file())
            with writing_body(NOTHING_STORED, file):
                async for block in stream:
                    file.write(block)
                file.seek(0)
            ending = ".json" if kind == PLAIN_TYPES[0] else ".jsonl" if kind in PLAIN_TYPES else ""
            yield [(name or f"upload{ending}", file)]
        else:
            raise Problem(415, UNSUPPORTED_TYPE, kinds=", ".join((*PLAIN_TYPES, *PACKED_TYPES)))


def spooled_file() -> "SpooledTemporaryFile[bytes]":
    """A file without a name, on disk once it is large; whoever asks for it closes it."""
    return SpooledTemporaryFile(MAX_MEMORY_BYTES)


@contextmanager
def writing_body(left: str, file: IO[bytes] | None = None) -> Iterator[None]:
    """Within, a body is written as it comes; `left`: of what it is for. StoreError: it cannot."""
    try:
        yield
    except OSError as error:
        with suppress(OSError):  # else whoever closes it tries once more to write
            if file is not None:
                file.close()
        raise write_error(error, store_path(), left) from error


class _StrictMultiPartParser(MultiPartParser):
    """One that says where a form breaks off: Starlette's takes what came."""

    is_complete = False

    def on_end(self) -> None:
        self.is_complete = True


class _IncompleteBody(MultiPartException):
    """No more came, and the form was not over; the parser closes what it had."""


async def _form_files(
    request: Request, stream: AsyncGenerator[bytes, None], until: AsyncExitStack
) -> UploadedFiles:
    """The files among the parts of a form."""

    async def to_its_end() -> AsyncGenerator[bytes, None]:
        async for block in stream:
            yield block
        if not parser.is_complete:
            raise _IncompleteBody("")

    try:
        parser = _StrictMultiPartParser(
            request.headers, to_its_end(), max_files=MAX_FILES, max_fields=MAX_FILES
        )
        form = await parser.parse()
    except _IncompleteBody:
        raise Problem(400, BODY_INCOMPLETE) from None
    except (MultiPartException, KeyError, ValueError, AssertionError) as error:
        # a form without a boundary is a KeyError of the parser's
        reason = error.message if isinstance(error, MultiPartException) else "boundary"
        raise Problem(400, BODY_MALFORMED, reason=reason) from None
    until.push_async_callback(form.close)
    found = [one for _, one in form.multi_items() if isinstance(one, UploadFile)]
    if not found:
        raise Problem(400, N_("No file is in this body: send each as a part with a filename."))
    return [(one.filename or "upload", one.file) for one in found]


async def limited_blocks(request: Request, max_bytes: int) -> AsyncGenerator[bytes, None]:
    """The blocks of a body. Problem: there are too many, or no more come."""
    count, blocks = 0, aiter(request.stream())
    while True:
        try:
            with fail_after(READ_TIMEOUT_SECONDS):
                block = await anext(blocks)
        except StopAsyncIteration:
            return
        except (TimeoutError, ClientDisconnect) as error:
            raise Problem(408 if isinstance(error, TimeoutError) else 400, BODY_TIMED_OUT) from None
        count += len(block)
        if count > max_bytes:
            raise body_too_large(max_bytes)
        yield block


def body_too_large(max_bytes: int) -> Problem:
    """Why more than so many bytes are not taken."""
    return Problem(413, BODY_TOO_LARGE, most=max_bytes >> 20)
