"""Builds JSON responses, with the rows `retourne stats` prints."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial, wraps
from typing import IO, Any, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.responses import Response

from dashboard.api.json_encoding import without_infinities
from dashboard.store import retry_on_reopen
from dashboard.tables.stats_query import ResultFrames, frames_with_section
from ingest.escaping import to_escaped_json

P = ParamSpec("P")
T = TypeVar("T")

JSON_TYPE = "application/json"
NDJSON_TYPE = "application/x-ndjson"
CHUNK_BYTES = 1 << 20


def retrying(operation: Callable[P, T]) -> Callable[P, T]:
    """Wrap a function that reads the store: it runs again if the store's file was replaced."""

    @wraps(operation)
    def done(*args: P.args, **named: P.kwargs) -> T:
        return retry_on_reopen(lambda: operation(*args, **named))

    return done


def limited(limiter: CapacityLimiter) -> Callable[[Callable[P, T]], Callable[P, Awaitable[T]]]:
    """Wrap a costly function to run in a thread, under a limiter: light requests do not wait."""

    def one(do: Callable[P, T]) -> Callable[P, Awaitable[T]]:
        @wraps(do)
        async def done(*args: P.args, **named: P.kwargs) -> T:
            return await to_thread.run_sync(retry_on_reopen, partial(do, *args, **named), limiter=limiter)

        return done

    return one


def json_response(value: Mapping[str, Any], status: int = 200) -> Response:
    """Encode an object as JSON, even with the lone surrogates and huge numbers of a log."""
    return Response(to_escaped_json(without_infinities(value)), status, media_type=JSON_TYPE)


def rows_response(frames: ResultFrames, **fields: Any) -> Response:
    """Return rows byte for byte as `--format jsonl` prints them, with further members.

    With several frames, each row begins with its `section`.
    """
    written = "".join(frame.write_ndjson() for frame in frames_with_section(frames))
    head = to_escaped_json(without_infinities(fields)).removesuffix("}")
    listed = ",\n".join(line for line in written.split("\n") if line)
    comma = ", " if fields else ""
    return Response(f'{head}{comma}"rows": [\n{listed}\n]}}', media_type=JSON_TYPE)


def stream_file(file: IO[bytes], closing: AbstractContextManager[object]) -> Iterator[bytes]:
    """Yield a file in blocks, then close `closing`."""
    with closing, file:
        yield from iter(partial(file.read, CHUNK_BYTES), b"")
