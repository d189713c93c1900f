"""Reads request bodies as files: counted while streaming, on disk when large, refused when too large."""

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

MAX_CHECK_BYTES = 8 << 20
"""Bytes that a client without the right to add may upload to check."""
MAX_UPLOAD_BYTES = 2 << 30
"""Bytes that a contributor may upload; Streamlit's pages have the same limit in their settings."""
MAX_MEMORY_BYTES = 1 << 20
"""Bytes beyond which a body is stored in an unnamed file on disk."""
MAX_FILES = 1000
"""Files per request."""
READ_TIMEOUT_SECONDS = 60.0
"""Seconds without data after which an upload is aborted."""
PLAIN_TYPES = ("application/json", "application/x-ndjson", "application/jsonl", "application/ndjson")
PACKED_TYPES = ("application/gzip", "application/zstd", "application/zip", "application/octet-stream")
"""Media types of files; the kind of a file is detected from its content."""
CONTENT_ENCODINGS = ("", "identity", "gzip", "zstd")
MULTIPART = "multipart/form-data"

BODY_TOO_LARGE = N_("Send at most {most} MB, before and after decompression.")
UNSUPPORTED_TYPE = N_("This takes multipart/form-data, or a body of one of: {kinds}.")
UNSUPPORTED_ENCODING = N_("A body may be packed with gzip or zstd, and not with {coding}.")
BODY_INCOMPLETE = N_("This body broke off: a form ends with its boundary and two hyphens.")
BODY_MALFORMED = N_("The parts of this request body cannot be separated: {reason}")
BODY_TIMED_OUT = N_("No more of this body came.")

UploadedFiles = list[tuple[str, IO[bytes]]]


def body_schema(name: str) -> dict[str, Any]:
    """Return the OpenAPI description of an upload body."""
    log = {"type": "string", "format": "binary"}
    files = {"type": "object", "properties": {"file": {"type": "array", "items": log}}}
    files["required"] = ["file"]
    kinds = {
        kind: {"schema": {} if kind == PLAIN_TYPES[0] else log} for kind in (*PLAIN_TYPES, *PACKED_TYPES)
    }
    content = kinds | {MULTIPART: {"schema": files}}
    return {"requestBody": {"required": True, "description": name, "content": content}}


async def read_small_body(request: Request, max_bytes: int) -> bytes | None:
    """Return the body; None if it is longer than `max_bytes` or incomplete."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > max_bytes:
                return None
    except ClientDisconnect:
        return None
    return body


@asynccontextmanager
async def watch_disconnect(request: Request) -> AsyncIterator[Callable[[], bool]]:
    """Yield a function that returns whether the client still waits; read the body before."""
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
async def uploaded_files(request: Request, name: str, max_bytes: int) -> AsyncIterator[UploadedFiles]:
    """Yield the files of a body and close them afterwards; a body without a form is named `name`.

    Problem: its type is not supported, or it is larger than `max_bytes` bytes.
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
    """Return an unnamed file, on disk once it is large; the caller closes it."""
    return SpooledTemporaryFile(MAX_MEMORY_BYTES)


@contextmanager
def writing_body(left: str, file: IO[bytes] | None = None) -> Iterator[None]:
    """Translate write errors of a body for `left`. StoreError: the body cannot be written."""
    try:
        yield
    except OSError as error:
        with suppress(OSError):  # otherwise the next close would try to write again
            if file is not None:
                file.close()
        raise write_error(error, store_path(), left) from error


class _StrictMultiPartParser(MultiPartParser):
    """A parser that fails on a truncated form; Starlette's returns the parts that arrived."""

    is_complete = False

    def on_end(self) -> None:
        self.is_complete = True


class _IncompleteBody(MultiPartException):
    """The form ends before its last boundary; the parser closes its files."""


async def _form_files(
    request: Request, stream: AsyncGenerator[bytes, None], until: AsyncExitStack
) -> UploadedFiles:
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
        # the parser raises KeyError for a form without a boundary
        reason = error.message if isinstance(error, MultiPartException) else "boundary"
        raise Problem(400, BODY_MALFORMED, reason=reason) from None
    until.push_async_callback(form.close)
    found = [one for _, one in form.multi_items() if isinstance(one, UploadFile)]
    if not found:
        raise Problem(400, N_("No file is in this body: send each as a part with a filename."))
    return [(one.filename or "upload", one.file) for one in found]


async def limited_blocks(request: Request, max_bytes: int) -> AsyncGenerator[bytes, None]:
    """Yield the blocks of a body. Problem: it is too large, or no more data arrives."""
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
    """Return the problem of a body larger than that many bytes."""
    return Problem(413, BODY_TOO_LARGE, most=max_bytes >> 20)
