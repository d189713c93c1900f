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
from ingest.reader.escaping import to_escaped_json

P = ParamSpec("P")
T = TypeVar("T")

JSON_TYPE = "application/json"
NDJSON_TYPE = "application/x-ndjson"
CHUNK_BYTES = 1 << 20


def retrying(operation: Callable[P, T]) -> Callable[P, T]:
    """An operation that reads, done again where another file was put in the place of the store."""

    @wraps(operation)
    def done(*args: P.args, **named: P.kwargs) -> T:
        return retry_on_reopen(lambda: operation(*args, **named))

    return done


def limited(limiter: CapacityLimiter) -> Callable[[Callable[P, T]], Callable[P, Awaitable[T]]]:
    """The same for what counts much: some at a time, so that whoever reads a game goes on."""

    def one(do: Callable[P, T]) -> Callable[P, Awaitable[T]]:
        @wraps(do)
        async def done(*args: P.args, **named: P.kwargs) -> T:
            asked = partial(do, *args, **named)
            return await to_thread.run_sync(retry_on_reopen, asked, limiter=limiter)

        return done

    return one


def json_response(
    value: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """An object, whatever a log has put into it: halves of signs, numbers beyond every bound."""
    return Response(to_escaped_json(without_infinities(value)), status, headers, JSON_TYPE)


def rows_response(frames: ResultFrames, **told: Any) -> Response:
    """Rows byte for byte as `--format jsonl` has them, beside what else is told.

    Of several frames each row says its `section` first.
    """
    written = "".join(frame.write_ndjson() for frame in frames_with_section(frames))
    head = to_escaped_json(without_infinities(told)).removesuffix("}")
    listed = ",\n".join(line for line in written.split("\n") if line)
    comma = ", " if told else ""
    return Response(f'{head}{comma}"rows": [\n{listed}\n]}}', media_type=JSON_TYPE)


def stream_file(file: IO[bytes], closing: AbstractContextManager[object]) -> Iterator[bytes]:
    """A file in blocks; what lasts until it is sent ends with it."""
    with closing, file:
        yield from iter(partial(file.read, CHUNK_BYTES), b"")
