"""Builds the rows of all tables derived from a checked batch."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.findings.finding import STATUSES
from ingest.store import rollups
from ingest.store.aliases import Declared, NumberPlayers, SeatNumbers, Tables, declared_players
from ingest.store.arrow_rows import (
    DealRows,
    dictionary_column,
    finding_rows,
    match_rows,
    records_of,
    seat_rows,
)
from ingest.validate.batch import CheckedBatch
from ingest.validate.fast_path import decode as decoding
from ingest.validate.fast_path.deal_arrays import DealArrays, Verdicts, arrays_from_results, replay_and_count
from ingest.validate.fast_path.decode import MatchColumns, moment_columns
from ingest.validate.parse_document import parse_moment
from ingest.validate.slow_path import ValidationResult

BASE_TABLES = ("matches", "seats", "deals", "deal_seats", "announcements", "findings")
DERIVED_TABLES = (*BASE_TABLES, *rollups.ROLLUP_TABLES)
"""Tables that can be rebuilt from a match's text; the rollups are counted from BASE_TABLES."""

IdColumns = Callable[[NDArray[np.int64]], dict[str, Any]]
"""Returns the columns that identify matches, `match_no` first, for their places in the batch."""
TableRows = tuple[str, pa.Table]
"""A table's name and rows to insert into it."""


def derive_rows(
    batch: CheckedBatch,
    id_columns: IdColumns,
    player_numbers: NumberPlayers,
    excluded_places: Collection[int] = (),
    with_rollups: bool = True,
) -> Iterator[TableRows]:
    """Yield rows for DERIVED_TABLES, group by group, of a batch without `excluded_places`.

    `id_columns` is called once per group, in the order of the rows; `with_rollups` false: only for
    BASE_TABLES.
    """
    legal = STATUSES.index("legal")
    for group in batch.fast_path_groups:
        keep = group.valid_indices
        if excluded_places:
            keep = np.array([k for k in keep if int(group.places[k]) not in excluded_places], np.int64)
        decoded, verdicts = group.decoded, group.verdicts
        statuses, per_deal = np.full(len(keep), legal, np.uint8), None
        if group.status is not None and group.deal_status is not None:
            statuses = group.status[keep]
            owner = np.repeat(np.arange(len(group.places)), np.diff(decoded.deal_arrays.first))
            per_deal = group.deal_status[np.isin(owner, keep)]
        base = (
            id_columns(group.places[keep])
            | _hashes(batch, group.places[keep])
            | {
                "status": dictionary_column(statuses, STATUSES),
                "findings": pa.array(np.zeros(len(keep), np.int32)),
            }
        )
        yield from group_rows(
            base,
            decoded.match_columns,
            decoded.deal_arrays,
            verdicts,
            player_numbers,
            keep,
            per_deal,
            with_rollups,
        )
    games: dict[str | None, dict[int, ValidationResult]] = {}
    for place, one in batch.results.items():
        if place not in excluded_places:
            games.setdefault(None if one.match is None else one.match.game, {})[place] = one
    for game in sorted(games, key=lambda name: (name is None, name or "")):
        found, places = [*games[game].values()], np.array([*games[game]], np.int64)
        verdict = np.array([STATUSES.index(one.status) for one in found], np.uint8)
        base = (
            id_columns(places)
            | _hashes(batch, places)
            | {
                "status": dictionary_column(verdict, STATUSES),
                "findings": pa.array([len(one.findings) for one in found], pa.int32()),
            }
        )
        head, keep = _columns_of_results(found), np.arange(len(found))
        if game is None:
            yield "matches", match_rows(head, keep, None, None, base)
        else:
            counted = [one.as_counted for one in found]
            numbers = arrays_from_results(game, counted)
            of_deals = [STATUSES.index(status) for one in counted for status in one.deal_status]
            per_deal = np.array(of_deals, np.uint8)
            yield from group_rows(
                base, head, numbers, replay_and_count(numbers), player_numbers, keep, per_deal, with_rollups
            )
        yield "findings", finding_rows(base["match_no"].tolist(), [one.findings for one in found])


def _hashes(batch: CheckedBatch, places: NDArray[np.int64]) -> dict[str, Any]:
    """Return the columns with the other hashes of matches."""
    some = places.tolist()
    return {
        "content_id": [batch.content_ids[place] for place in some],
        "start_id": pa.array([batch.start_ids[place] for place in some], pa.uint64()),
    }


def group_rows(
    id_columns: dict[str, Any],
    head: MatchColumns,
    numbers: DealArrays,
    verdicts: Verdicts,
    player_numbers: NumberPlayers,
    keep: NDArray[np.int64],
    deal_statuses: NDArray[np.uint8] | None = None,
    with_rollups: bool = True,
) -> Iterator[TableRows]:
    """Yield the rows of the matches of one game at the places `keep`, under `id_columns`."""
    if not len(keep):
        return
    remaining, match_no = keep.tolist(), id_columns["match_no"]
    ids = list(chain.from_iterable(map(head.ids.__getitem__, remaining)))
    called = list(chain.from_iterable(map(head.names.__getitem__, remaining)))
    seats = head.players[keep]
    tables = Tables(np.repeat(np.arange(len(seats)), seats), np.arange(len(ids)))
    seated = player_numbers(declared_players(ids, called, seats), tables)
    records = records_of(verdicts, keep)
    declared = {at: one for at, k in enumerate(remaining) if (one := numbers.declared_results.get(k))}
    yield "seats", seat_rows(numbers.game.name, match_no, seats, seated, records, declared)
    played = head.played_on.take(pa.array(keep))
    months = pc.floor_temporal(played, unit="month")
    rows = DealRows(numbers, verdicts, keep, match_no, deal_statuses, months, seated.player_no, seats)
    deals, at_seats, announced = rows.deals(), rows.deal_seats(), rows.announcements()
    matches = match_rows(head, keep, numbers, verdicts, id_columns, deal_statuses)
    yield "matches", matches
    yield "deals", deals
    yield "deal_seats", at_seats
    if announced is not None:
        yield "announcements", announced
    if with_rollups:
        yield from rollups.rollup_rows(matches, deals, at_seats, announced)


class LocalPlayerNumbers:
    """Numbers aliases from 0 in order of appearance, until a store assigns its own numbers.

    Each counts as a player of its own.
    """

    def __init__(self) -> None:
        self._numbers: dict[Declared, int] = {}

    @property
    def declared(self) -> list[Declared]:
        """The players by number."""
        return [*self._numbers]

    def __call__(self, declared: Sequence[Declared], tables: Tables) -> SeatNumbers:
        """Return the numbers of aliases; number new ones. `tables` do not matter here."""
        for one in dict.fromkeys(declared):
            self._numbers.setdefault(one, len(self._numbers))
        found = np.fromiter(map(self._numbers.__getitem__, declared), np.int64, len(declared))
        return SeatNumbers(found, found)


def _columns_of_results(found: list[ValidationResult]) -> MatchColumns:
    """Return the match-level columns of explained matches, null where nothing could be read."""
    matches = [e.match for e in found]

    def column(read: Callable[[Any], Any]) -> NDArray[np.object_]:
        values = np.full(len(matches), None, np.object_)
        for i, match in enumerate(matches):
            values[i] = None if match is None else read(match)
        return values

    moments = [parse_moment(match.played_at or "") if match else None for match in matches]
    played_at, played_on = moment_columns(moments)
    return MatchColumns(
        game=column(lambda match: match.game),
        preset=column(decoding.preset_of),
        options=column(decoding.options_of),
        log_id=pa.array([match and match.id for match in matches], pa.string()),
        played_at=played_at,
        played_on=played_on,
        event=column(lambda match: decoding.source_name(match.event)),
        details=column(lambda match: decoding.event_details(match.event, match.source)),
        source=column(lambda match: decoding.source_name(match.source)),
        players=np.array([len(match.players) if match else 0 for match in matches], np.int64),
        ids=[[player.id for player in match.players] if match else [] for match in matches],
        names=[[player.display_name for player in match.players] if match else [] for match in matches],
    )
