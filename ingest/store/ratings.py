"""The ladder: one per game and preset, Plackett–Luce, rated in the order matches were played.

A match is rated when it is legal, finished and dated. The order is that of the dates, and among
equal dates that of the matches' own ids, so the same matches always give the same ratings,
however they came in. A late upload is rated at its date, and all that follows it again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa
from openskill.models import PlackettLuce

from engine.games import game, names
from ingest.store.store import Store
from schemas.store import with_tables

CLOSE = 1e-6
"""How far two ratings of the same matches may lie apart: the last digits are the machine's."""
BLOCK = 10_000
"""Matches rated between two words of progress, and inserted together."""

_FINISHED = "m.winner IS NOT NULL AND m.played_at IS NOT NULL"


class Ladders(NamedTuple):
    """Where ratings are kept, and the condition on `m`, a match, to be rated there."""

    table: str
    rated: str


PROVEN = Ladders("ratings", f"m.status = 'legal' AND {_FINISHED}")
"""Every ladder, of legal matches alone."""
WITH_SHEETS = Ladders(
    "sheet_ratings",
    f"""(m.status = 'legal' OR m.sheet AND m.match_no NOT IN (SELECT match_no FROM doubled))
        AND {_FINISHED}
        AND (m.game, m.preset) IN (SELECT (game, preset) FROM matches WHERE sheet)""",
)
"""Those of games and rules with score sheets, rated with them."""
EVERY = (PROVEN, WITH_SHEETS)

_SIDES = "IF(list_contains($partners::VARCHAR[], m.game), m.players // 2, m.players)"
"""How many sides a match has; the games of partners are bound."""

_RANKS = """
    SELECT m.game, m.preset, m.match_no, s.seat, s.player_no, rank() OVER (
        PARTITION BY m.match_no ORDER BY
        (s.seat::INTEGER - 1) % {sides} + 1 = m.winner DESC, coalesce(s.score, 0) DESC
    )::UTINYINT AS rank
    FROM matches m JOIN seats s USING (match_no) WHERE {rated}
"""


def _ranks(which: Ladders) -> str:
    """SQL of the rank of each seat of each match rated, 1 for who won."""
    return _RANKS.format(sides=_SIDES, rated=which.rated)


def _partners() -> list[str]:
    """The games in which partners play."""
    return [name for name in names() if game(name).partners]


class Rated(NamedTuple):
    """One match as it is rated: a row per seat, in seat order."""

    match_no: int
    sides: int
    seats: tuple[int, ...]
    players: tuple[int, ...]
    ranks: tuple[int, ...]


def stale(store: Store, which: Ladders = PROVEN) -> dict[tuple[str, str], int]:
    """Each ladder that is out of date, with the place from which on it must be rated again."""
    rows = (
        store.cursor()
        .execute(
            f"""
        WITH now AS ({_ranks(which)}),
        was AS (SELECT game, preset, match_no, seat, player_no, rank FROM {which.table}),
        differ AS (
            (SELECT * FROM (FROM now EXCEPT FROM was))
            UNION ALL (SELECT * FROM (FROM was EXCEPT FROM now))
        ),
        first AS (
            SELECT d.game, d.preset, min((m.played_at, m.match_id)) AS at
            FROM (SELECT DISTINCT game, preset, match_no FROM differ) d
            JOIN matches m USING (match_no) WHERE m.played_at IS NOT NULL GROUP BY ALL
        ),
        places AS (
            SELECT r.game, r.preset, min(r.place) AS place
            FROM {which.table} r JOIN matches m USING (match_no)
            JOIN first f ON f.game = r.game AND f.preset = r.preset
            WHERE (m.played_at, m.match_id) >= f.at GROUP BY ALL
            UNION ALL
            SELECT r.game, r.preset, min(r.place) FROM {which.table} r SEMI JOIN differ d
            ON d.game = r.game AND d.preset = r.preset AND d.match_no = r.match_no GROUP BY ALL
        ),
        ends AS (SELECT game, preset, max(place) + 1 AS place FROM {which.table} GROUP BY ALL)
        SELECT d.game, d.preset, coalesce(min(p.place), any_value(e.place), 0)
        FROM (SELECT DISTINCT game, preset FROM differ) d
        LEFT JOIN places p USING (game, preset) LEFT JOIN ends e USING (game, preset)
        GROUP BY ALL ORDER BY ALL
        """,
            {"partners": _partners()},
        )
        .fetchall()
    )
    return {(name, preset): int(place) for name, preset, place in rows}


def refresh(store: Store, progress: Callable[[int, int], None] = lambda done, total: None) -> int:
    """Rate what is not rated yet, and again what followed it; how many matches were rated.

    `progress` hears how many of how many. StoreError: the store cannot take them.
    """
    if not any(stale(store, which) for which in EVERY):
        return 0
    done = 0
    with store.adding():
        # others may have rated them while this waited
        ladders = {
            (which, *ladder): place
            for which in EVERY
            for ladder, place in stale(store, which).items()
        }
        total = sum(_count(store, *ladder, place) for ladder, place in ladders.items())
        for (which, name, preset), place in ladders.items():
            store.connection.execute(
                f"DELETE FROM {which.table} WHERE game = ? AND preset = ? AND place >= ?",
                [name, preset, place],
            )
            for block in _rate(store, which, name, preset, place):
                store.insert(which.table, block)
                done += len(set(block["match_no"].to_pylist()))
                progress(done, total)
    return done


def ladders(store: Store, which: Ladders = PROVEN) -> list[tuple[str, str]]:
    """The game and the preset of every ladder there is."""
    return (
        store.cursor()
        .execute(f"SELECT DISTINCT game, preset FROM {which.table} ORDER BY ALL")
        .fetchall()
    )


def differing(store: Store, name: str, preset: str, which: Ladders = PROVEN) -> int:
    """How many ratings of a ladder are not what they are when all is rated from the beginning."""
    blocks = list(_rate(store, which, name, preset, 0))
    rated = pa.concat_tables(blocks) if blocks else _table(name, preset, defaultdict(list))
    ask = store.cursor()
    with with_tables(ask, rated=rated):
        row = ask.execute(
            f"""
        WITH was AS (FROM {which.table} WHERE game = ? AND preset = ?)
        SELECT count(*) FROM was FULL JOIN rated now USING (place, seat)
        WHERE (was.match_no, was.player_no, was.rank)
                IS DISTINCT FROM (now.match_no, now.player_no, now.rank)
            OR abs(was.mu - now.mu) > ? OR abs(was.sigma - now.sigma) > ?
        """,
            [name, preset, CLOSE, CLOSE],
        ).fetchone()
    return int(row[0]) if row else 0


def _count(store: Store, which: Ladders, name: str, preset: str, place: int) -> int:
    """How many matches of a ladder stand from a place on."""
    row = (
        store.cursor()
        .execute(
            f"SELECT count(*) FROM matches m WHERE {which.rated} AND m.game = ? AND m.preset = ?",
            [name, preset],
        )
        .fetchone()
    )
    return max(0, int(row[0]) - place) if row else 0


def _rate(store: Store, which: Ladders, name: str, preset: str, place: int) -> Iterator[pa.Table]:
    """Rows of `ratings` from a place on, a block at a time."""
    model = PlackettLuce()
    known = {
        player: model.rating(mu=mu, sigma=sigma)
        for player, mu, sigma in store.cursor()
        .execute(
            f"""SELECT player_no, arg_max(mu, place), arg_max(sigma, place) FROM {which.table}
               WHERE game = ? AND preset = ? AND place < ? GROUP BY player_no""",
            [name, preset, place],
        )
        .fetchall()
    }
    columns: dict[str, list[Any]] = defaultdict(list)
    for number, match in enumerate(_matches(store, which, name, preset, place), start=place):
        teams = [range(side, len(match.seats), match.sides) for side in range(match.sides)]
        before = [[known.get(match.players[k]) or model.rating() for k in team] for team in teams]
        ranks = [float(match.ranks[team[0]]) for team in teams]
        after = model.rate(before, ranks=ranks)
        rated = {
            k: one
            for team, new in zip(teams, after, strict=True)
            for k, one in zip(team, new, strict=True)
        }
        for k, seat in enumerate(match.seats):
            player, now = match.players[k], rated[k]
            known[player] = now
            row = (number, match.match_no, seat, player, match.ranks[k], now.mu, now.sigma)
            for column, value in zip(_COLUMNS, row, strict=True):
                columns[column].append(value)
        if len(columns["place"]) >= BLOCK:
            yield _table(name, preset, columns)
            columns = defaultdict(list)
    if columns:
        yield _table(name, preset, columns)


_COLUMNS = {
    "place": pa.int32(),
    "match_no": pa.int64(),
    "seat": pa.uint8(),
    "player_no": pa.int32(),
    "rank": pa.uint8(),
    "mu": pa.float64(),
    "sigma": pa.float64(),
}


def _table(name: str, preset: str, columns: dict[str, list[Any]]) -> pa.Table:
    rows = len(columns["place"])
    named = {"game": pa.array([name] * rows), "preset": pa.array([preset] * rows)}
    return pa.table(
        named | {column: pa.array(columns[column], kind) for column, kind in _COLUMNS.items()}
    )


def _matches(store: Store, which: Ladders, name: str, preset: str, place: int) -> Iterator[Rated]:
    """The matches of a ladder in their order, from a place on."""
    rows = store.cursor().execute(
        f"""
        WITH ranks AS ({_ranks(which)} AND m.game = $game AND m.preset = $preset), ordered AS (
            SELECT match_no, match_id, played_at, {_SIDES} AS sides FROM matches m
            WHERE {which.rated} AND game = $game AND preset = $preset
            ORDER BY played_at, match_id OFFSET $place
        )
        SELECT match_no, sides, list(seat ORDER BY seat), list(player_no ORDER BY seat),
            list(rank ORDER BY seat)
        FROM ordered o JOIN ranks USING (match_no)
        GROUP BY match_no, sides, played_at, match_id ORDER BY played_at, match_id
        """,
        {"partners": _partners(), "game": name, "preset": preset, "place": place},
    )
    while block := rows.fetchmany(BLOCK):
        for match_no, sides, seats, players, ranks in block:
            yield Rated(match_no, sides, tuple(seats), tuple(players), tuple(ranks))
