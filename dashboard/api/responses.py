"""How answers are written: JSON of what logs say, rows as `retourne stats` writes them."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial, wraps
from typing import IO, Any, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.responses import Response

from dashboard.api.json_encoding import finite
from dashboard.store import steady
from dashboard.tables.stats_query import Found, sectioned
from ingest.reader.escaping import as_json

P = ParamSpec("P")
T = TypeVar("T")

JSON = "application/json"
LINES = "application/x-ndjson"
BLOCK = 1 << 20


def steadily(do: Callable[P, T]) -> Callable[P, T]:
    """An operation that reads, done again where another file was put in the place of the store."""

    @wraps(do)
    def done(*args: P.args, **named: P.kwargs) -> T:
        return steady(lambda: do(*args, **named))

    return done


def in_turn(limiter: CapacityLimiter) -> Callable[[Callable[P, T]], Callable[P, Awaitable[T]]]:
    """The same for what counts much: some at a time, so that whoever reads a game goes on."""

    def one(do: Callable[P, T]) -> Callable[P, Awaitable[T]]:
        @wraps(do)
        async def done(*args: P.args, **named: P.kwargs) -> T:
            asked = partial(do, *args, **named)
            return await to_thread.run_sync(steady, asked, limiter=limiter)

        return done

    return one


def answered(
    value: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """An object, whatever a log has put into it: halves of signs, numbers beyond every bound."""
    return Response(as_json(finite(value)), status, headers, JSON)


def rows(found: Found, **told: Any) -> Response:
    """Rows byte for byte as `--format jsonl` has them, beside what else is told.

    Of several frames each row says its `section` first.
    """
    written = "".join(frame.write_ndjson() for frame in sectioned(found))
    head = as_json(finite(told)).removesuffix("}")
    listed = ",\n".join(line for line in written.split("\n") if line)
    comma = ", " if told else ""
    return Response(f'{head}{comma}"rows": [\n{listed}\n]}}', media_type=JSON)


def sent(file: IO[bytes], until: AbstractContextManager[object]) -> Iterator[bytes]:
    """A file in blocks; what lasts until it is sent ends with it."""
    with until, file:
        yield from iter(partial(file.read, BLOCK), b"")
