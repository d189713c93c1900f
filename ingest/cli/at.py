"""`--at`: a store as it was on a day, or at a moment."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

import typer

from ingest.cli.terminal import Stop
from ingest.i18n import N_

NO_MOMENT = N_("{at} is no day and no time: a day is written 2026-11-23, a time 2026-11-23T18:30.")
AS_IT_IS = N_("{option} writes to the store, and what it was is only read: leave out --at.")
NOT_BY_SERVER = N_("--at goes with the address of a lake, and not with --server.")

At = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar=N_("DAY|TIME"),
        help=N_("Of a lake: what it was at the end of that day, or at that time."),
    ),
]


def moment(text: str | None) -> datetime | None:
    """The last moment of a day here, or a time, here where it names no other place. Stop: no such.

    Without a text none is asked for.
    """
    if text is None:
        return None
    try:
        if len(text) <= len("2026-11-23"):
            after = datetime.combine(date.fromisoformat(text) + timedelta(days=1), time.min)
            return after.astimezone(UTC) - timedelta(microseconds=1)
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Stop(NO_MOMENT, at=text) from None


def check_read(at: str | None, server: str | None, **writing: bool) -> None:
    """Stop: `--at` with what asks a server, or with an option that writes."""
    if at is None:
        return
    if server is not None:
        raise Stop(NOT_BY_SERVER)
    for option, asked in writing.items():
        if asked:
            raise Stop(AS_IT_IS, option=f"--{option}")
