"""How answers are written: JSON of what logs say, rows as `retourne stats` writes them."""

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import polars as pl
from anyio import to_thread
from starlette.responses import Response

from dashboard.api import limits
from dashboard.api.written import finite
from dashboard.store import steady
from ingest.text.signs import as_json

P = ParamSpec("P")
T = TypeVar("T")

JSON = "application/json"
LINES = "application/x-ndjson"


def steadily(do: Callable[P, T]) -> Callable[P, T]:
    """An operation that reads, done again where another file was put in the place of the store."""

    @wraps(do)
    def done(*args: P.args, **named: P.kwargs) -> T:
        return steady(lambda: do(*args, **named))

    return done


def in_turn(do: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    """The same for one that counts much: some at a time, so that whoever reads a game goes on."""

    @wraps(do)
    async def done(*args: P.args, **named: P.kwargs) -> T:
        return await to_thread.run_sync(
            lambda: steady(lambda: do(*args, **named)), limiter=limits.counting
        )

    return done


def answered(
    value: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """An object, whatever a log has put into it: halves of signs, numbers beyond every bound."""
    return Response(as_json(finite(value)), status, headers, JSON)


def rows(found: Mapping[str, pl.DataFrame] | pl.DataFrame, **told: Any) -> Response:
    """Rows byte for byte as `--format jsonl` has them, beside what else is told.

    Of several frames each row says its `section` first.
    """
    if isinstance(found, pl.DataFrame):
        written = found.write_ndjson()
    else:
        sections = (
            frame.select(pl.lit(name).alias("section"), pl.all()).write_ndjson()
            for name, frame in found.items()
        )
        written = "".join(sections)
    head = as_json(finite(told)).removesuffix("}")
    listed = ",\n".join(line for line in written.split("\n") if line)
    comma = ", " if told else ""
    return Response(f'{head}{comma}"rows": [\n{listed}\n]}}', media_type=JSON)
