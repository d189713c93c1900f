"""Webhooks: URLs that receive new match ids."""

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta

import duckdb
import pyarrow as pa

from ingest.store import audit
from ingest.store.factory import Store
from schemas.migrations import number as one_number
from schemas.migrations import with_tables

SETTING_PREFIX = "webhook "
"""Prefix of the setting's name; the webhook's number follows."""
MAX_AGE = timedelta(days=1)
"""How long a lake's file may still get matches, or one with a lower number may still come."""
MAX_FILES_PER_DELIVERY = 1000
"""How many matches of a file a delivery reports at most."""


FileRanges = Sequence[tuple[int, int]]
"""File numbers, first and last."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """One URL that receives new matches."""

    number: int
    url: str
    secret: str
    """The secret by which deliveries are signed; it does not give access."""
    private: bool
    """Whether the URL may be on this computer or its network."""
    delivered: int
    """Every file up to this number was delivered, or was there before the webhook."""
    delivered_ranges: FileRanges = ()
    """In a lake, where files come in any order: delivered files above `delivered`."""
    search: int | None = None
    """The saved search whose new deals it receives, instead of all new matches."""


def webhooks(cursor: duckdb.DuckDBPyConnection) -> list[Webhook]:
    """Return all webhooks by number."""
    rows = cursor.execute(
        "SELECT name, value FROM settings WHERE starts_with(name, ?)", [SETTING_PREFIX]
    ).fetchall()
    found = []
    for name, value in rows:
        remaining = json.loads(value)
        separate = [(first, last) for first, last in remaining.pop("delivered_ranges", ())]
        found.append(Webhook(int(name.removeprefix(SETTING_PREFIX)), **remaining, delivered_ranges=separate))
    return sorted(found, key=lambda one: one.number)


def add_webhook(store: Store, url: str, allow_private: bool = False, search: int | None = None) -> Webhook:
    """Add a webhook for every file from now on. StoreError: the store cannot be written."""
    with store.transaction():
        cursor = store.connection
        number = max((one.number for one in webhooks(cursor)), default=0) + 1
        made = Webhook(number, url, secrets.token_urlsafe(32), allow_private, -1, search=search)
        made = _with_delivered(store, made, _undelivered_files(store, cursor, made))
        _write_webhook(cursor, made)
        audit.log_action(cursor, "webhook", number)
    return made


def remove_webhook(store: Store, number: int) -> None:
    """Remove a webhook. KeyError: there is none with that number."""
    with store.transaction():
        if not any(one.number == number for one in webhooks(store.connection)):
            raise KeyError(number)
        store.connection.execute(_DELETE_SETTING, [f"{SETTING_PREFIX}{number}"])
        audit.log_action(store.connection, "remove-webhook", number)


def mark_delivered(store: Store, number: int, file_numbers: Sequence[int]) -> None:
    """Record files as delivered to a webhook; does nothing if it was removed since."""
    with store.transaction():
        for one in webhooks(store.connection):
            if one.number == number:
                _write_webhook(store.connection, _with_delivered(store, one, file_numbers))


FileDelivery = tuple[int, list[dict[str, object]]]
"""The number of a file, and its matches as delivered."""


def last_file_number(cursor: duckdb.DuckDBPyConnection) -> int:
    """Return the last file's number; restoring a backup can make it lower again."""
    return one_number(cursor, "SELECT coalesce(max(file_no), -1) FROM files")


def undelivered(store: Store, webhook: Webhook, limit: int) -> Iterator[FileDelivery]:
    """Yield at most `limit` files not yet delivered, each with its matches."""
    cursor = store.cursor()
    for file_no in _undelivered_files(store, cursor, webhook, limit):
        rows = cursor.execute(
            "SELECT match_id, status::VARCHAR, game, played_on FROM matches"
            " WHERE file_no = ? AND game IS NOT NULL ORDER BY match_no LIMIT ?",
            [file_no, MAX_FILES_PER_DELIVERY],
        ).fetchall()
        matches: list[dict[str, object]] = [
            {"match_id": match_id, "status": status, "game": game, "played_on": day and day.isoformat()}
            for match_id, status, game, day in rows
        ]
        yield file_no, matches


_DELETE_SETTING = "DELETE FROM settings WHERE name = ?"
_UNDELIVERED = """
FROM files f WHERE file_no > $delivered
    AND NOT EXISTS (FROM delivered_ranges a WHERE f.file_no BETWEEN a.first AND a.last)
"""


def _undelivered_files(
    store: Store, cursor: duckdb.DuckDBPyConnection, webhook: Webhook, limit: int | None = None
) -> list[int]:
    """Return the complete files not yet delivered to a webhook, in order.

    In a lake, a file whose parts are still coming counts no matches (`ingest.store.lake_part`).
    """
    values = {
        "delivered": min(webhook.delivered, last_file_number(cursor)),
        "in_order": store.is_single_file,
        "late": datetime.now(UTC) - MAX_AGE,
        "most": limit,
    }
    with with_tables(cursor, delivered_ranges=_ranges_table(webhook.delivered_ranges)):
        found = cursor.execute(
            f"SELECT file_no {_UNDELIVERED} AND ($in_order OR matches > 0 OR added_at < $late)"
            " ORDER BY file_no LIMIT $most",
            values,
        ).fetchall()
    return [int(file_no) for (file_no,) in found]


def _with_delivered(store: Store, webhook: Webhook, file_numbers: Sequence[int]) -> Webhook:
    """Return a webhook with more files marked as delivered; call within `Store.transaction`."""
    count = min(webhook.delivered, last_file_number(store.connection))
    if store.is_single_file:
        return replace(webhook, delivered=max([count, *file_numbers]))
    ranges = list[tuple[int, int]]()  # merged into as few ranges as possible, in order
    for first, last in sorted([*webhook.delivered_ranges, *((file_no, file_no) for file_no in file_numbers)]):
        if ranges and first <= ranges[-1][1] + 1:
            first, last = ranges[-1][0], max(ranges.pop()[1], last)
        ranges.append((first, last))
    with with_tables(store.connection, delivered_ranges=_ranges_table(ranges)):
        [(before,)] = store.connection.execute(
            f"SELECT coalesce(min(file_no) - 1, (SELECT max(file_no) FROM files)) {_UNDELIVERED}",
            {"delivered": count},
        ).fetchall()
    [(old,)] = store.connection.execute(
        "SELECT max(file_no) FROM files WHERE added_at < ?", [datetime.now(UTC) - MAX_AGE]
    ).fetchall()
    if old is not None and before is not None:
        count = max(count, min(int(old), int(before)))
    for first, last in ranges:
        if first <= count + 1:
            count = max(count, last)
    left = [(first, last) for first, last in ranges if last > count]
    return replace(webhook, delivered=count, delivered_ranges=left)


def _ranges_table(ranges: FileRanges) -> pa.Table:
    first, last = ([one[end] for one in ranges] for end in (0, 1))
    return pa.table({"first": pa.array(first, pa.int64()), "last": pa.array(last, pa.int64())})


def _write_webhook(cursor: duckdb.DuckDBPyConnection, webhook: Webhook) -> None:
    """Store a webhook in place of its previous state."""
    name, remaining = f"{SETTING_PREFIX}{webhook.number}", asdict(webhook)
    del remaining["number"]
    cursor.execute(_DELETE_SETTING, [name])
    cursor.execute("INSERT INTO settings VALUES (?, ?)", [name, json.dumps(remaining)])
