"""Tables and logs of the store as files, which are made whole and then streamed."""

from collections.abc import Iterator
from pathlib import Path as File
from tempfile import TemporaryDirectory
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, HTTPException, Path, Query
from starlette.responses import Response, StreamingResponse

from dashboard.access import Who
from dashboard.api import limits
from dashboard.api.answers import LINES, steadily
from dashboard.api.matches import Chosen as Which
from dashboard.api.models import answers
from dashboard.api.who import Reader
from dashboard.queries.matches import Filter
from dashboard.store import store
from ingest.store.export import EVERYTHING, Chosen, Format, Kept, Table, write_logs, write_table

router = APIRouter(tags=["exports"])
BLOCK = 1 << 20
KINDS = {
    Format.PARQUET: "application/vnd.apache.parquet",
    Format.CSV: "text/csv; charset=utf-8",
    Format.JSONL: LINES,
}
LOGS = "logs.jsonl"
NAMES = [LOGS, *(f"{table}.{kind}" for table in Table for kind in Format)]
BYTES = {"schema": {"type": "string", "format": "binary"}}
CONTENT = {kind.partition(";")[0]: BYTES for kind in KINDS.values()}


@router.get(
    "/exports/{file}",
    response_class=Response,
    responses=answers({200: {"content": CONTENT}}, 401, 404),
)
async def export(
    who: Reader,
    file: Annotated[str, Path(json_schema_extra={"enum": NAMES})],
    which: Which,
    anonymous: Annotated[
        bool, Query(description="Pseudonyms for all players, and no words of the logs’ own.")
    ] = False,
    keep: Annotated[
        list[Kept], Query(description="With `anonymous`: words of the logs to keep.", max_length=9)
    ] = [],  # noqa: B006
) -> Response:
    """A table, or the logs one a line, of the matches that Parties’ filters choose."""
    if file not in NAMES:
        raise HTTPException(404)
    made = await to_thread.run_sync(_made, who, file, which, anonymous, keep, limiter=limits.work)
    kind = Format(file.rpartition(".")[2])
    named = {
        "Content-Disposition": f'attachment; filename="retourne-{file}"',
        "Content-Length": str(made[0].stat().st_size),
    }
    return StreamingResponse(_sent(*made), headers=named, media_type=KINDS[kind])


@steadily
def _made(
    who: Who, file: str, which: Filter, anonymous: bool, keep: list[Kept]
) -> tuple[File, "TemporaryDirectory[str]"]:
    """Where a file was written, and the folder to remove it with."""
    folder = TemporaryDirectory(prefix="retourne-export-")
    path = File(folder.name) / file
    chosen = EVERYTHING if which == Filter() else Chosen(*which.chosen(store().cursor()))
    table, _, kind = file.rpartition(".")
    try:
        if file == LOGS:
            with path.open("wb") as written:
                write_logs(store(), written, chosen, anonymous, keep)
        else:
            write_table(store(), Table(table), Format(kind), path, chosen, anonymous, keep)
    except BaseException:
        folder.cleanup()
        raise
    return path, folder


def _sent(path: File, folder: "TemporaryDirectory[str]") -> Iterator[bytes]:
    with folder, path.open("rb") as file:
        while block := file.read(BLOCK):
            yield block
