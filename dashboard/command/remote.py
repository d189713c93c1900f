"""`retourne stats --server`: the rows a server answers, shown as those of a store that is here."""

import json
import sys
from typing import Any
from urllib.parse import quote

import orjson
import polars as pl

from dashboard.command import dossier
from dashboard.command.counting import Request, Subject, for_people
from dashboard.command.frames import Format, write
from ingest.cli.params import NOT_WITH
from ingest.cli.remote import Server
from ingest.cli.terminal import Stop
from ingest.i18n import Translate
from ingest.text.signs import json_lines

PATHS = {
    Subject.PLAYERS: "/players",
    Subject.ANNOUNCEMENTS: "/announcements",
    Subject.MISSED: "/announcements",
    Subject.WINNING: "/announcements",
    Subject.FAIRNESS: "/fairness",
    Subject.LADDER: "/ladder",
}
DAYS = ("month", "day")
MOMENTS = ("last", "played_at", "until")
"""Columns of dates, which JSON has as text."""


def show(url: str, token: str | None, asked: Request, format: Format, t: Translate) -> None:
    """Ask, and write what is answered. Stop: the server does not have it."""
    if asked.subject is Subject.CHANCE:
        raise Stop(t(NOT_WITH, option="--chance"))
    with Server(url, token, t) as server:
        told = server.get(_path(asked), **_query(asked))
    if format is Format.JSONL:
        rows = b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in told["rows"])
        sys.stdout.write(json_lines(rows.decode()))
    elif asked.subject is Subject.PLAYER:
        dossier.write(_sections(told["rows"]), told["scope"]["game"], format, t)
    else:
        frame = _frame(told["rows"])
        write(for_people(frame, asked) if format is Format.TABLE else frame, format, t)


def _path(asked: Request) -> str:
    if asked.subject is Subject.PLAYER:
        return f"/players/{quote(str(asked.player), safe='')}"
    return PATHS[asked.subject]


def _query(asked: Request) -> dict[str, Any]:
    """The filters by their names there."""
    several = asked.subject in (Subject.ANNOUNCEMENTS, Subject.MISSED, Subject.WINNING)
    return {
        "of": str(asked.subject) if several else None,
        "by": asked.key,
        "game": asked.game,
        "table": asked.table,
        "rules": asked.rules,
        "since": asked.since and asked.since.isoformat(),
        "until": asked.until and asked.until.isoformat(),
        "event": asked.event,
        "opponent": asked.opponent,
        "source": asked.source,
        "status": list(asked.statuses),
        "sheets": "true" if asked.sheets else None,
    }


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows as the frame they were, dates being dates again."""
    lines = "\n".join(map(json.dumps, rows)).encode()
    frame = pl.read_ndjson(lines, infer_schema_length=None) if rows else pl.DataFrame()
    texts = {name for name, kind in frame.schema.items() if kind == pl.String}
    return frame.with_columns(
        *(pl.col(name).str.to_date() for name in DAYS if name in texts),
        *(pl.col(name).str.to_datetime(time_zone="UTC") for name in MOMENTS if name in texts),
    )


def _sections(rows: list[dict[str, Any]]) -> dict[str, pl.DataFrame]:
    """The frame of each section, by its name."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row.pop("section"), []).append(row)
    return {name: _frame(some) for name, some in found.items()}
