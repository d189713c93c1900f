"""Ladder ratings per game and preset: Plackett–Luce, which rates like Elo but for any number of players.

Legal, finished, dated matches are rated in order of their dates, then of their ids, so the same
matches always give the same ratings, whatever order they arrived in. A late upload is rated at its
date, and the matches after it are rated again.

A command that changes matches rates at its end, a server in its background. If it is stopped, the
next change catches up. Readers see the last ratings written.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from engine.games import game, game_names
from ingest.store import aliases
from ingest.store.factory import LockMode, Store
from schemas.migrations import number, with_tables

RATING_TOLERANCE = 1e-6
"""How far ratings of the same matches may differ: last digits depend on the machine."""
MATCHES_PER_BLOCK = 10_000
"""Matches rated between two progress reports, and inserted together."""

_FINISHED = "m.winning_side IS NOT NULL AND m.played_at IS NOT NULL"


class Ladder(NamedTuple):
    """The table of some ratings, and an SQL condition on a match `m` to be rated there."""

    table: str
    is_rated: str


LEGAL_LADDER = Ladder("ratings", f"m.status = 'legal' AND {_FINISHED}")
"""Ladders of legal matches only."""
SHEET_LADDER = Ladder(
    "sheet_ratings",
    f"""(m.status = 'legal' OR m.is_score_sheet AND m.match_no NOT IN (
            SELECT match_no FROM sheet_with_log WHERE log_counts))
        AND {_FINISHED}
        AND (m.game, m.preset) IN (SELECT (game, preset) FROM matches WHERE is_score_sheet)""",
)
"""Ladders of games and presets with score sheets, which count too."""
ALL_LADDERS = (LEGAL_LADDER, SHEET_LADDER)

_SIDE_COUNT = "IF(list_contains($partners::VARCHAR[], m.game), m.player_count // 2, m.player_count)"
"""SQL for the number of sides of a match; binds the games played in partnerships."""


def _ranks_query(ladder: Ladder) -> str:
    """Return SQL for the rank of each seat of each rated match; the winners have rank 1."""
    return f"""
    SELECT m.game, m.preset, m.match_no, s.seat, s.player_no, rank() OVER (
        PARTITION BY m.match_no ORDER BY
        (s.seat::INTEGER - 1) % {_SIDE_COUNT} + 1 = m.winning_side DESC, coalesce(s.score, 0) DESC
    )::UTINYINT AS rank
    FROM matches m JOIN seats s USING (match_no) WHERE {ladder.is_rated}
    """


def _partnership_games() -> list[str]:
    return [name for name in game_names() if game(name).partners]


class RatingWork(NamedTuple):
    """Matches of a ladder in order, and their players' ratings before them."""

    ladder: tuple[str, str]
    first_place: int
    matches: list[tuple[int, int, list[int], list[int], list[int]]]
    """Number, count of sides, then lists in seat order: seats, players, ranks."""
    ratings_before: dict[int, tuple[float, float]]
    """Player → μ and σ."""


RatingResult = tuple[pa.Table, dict[int, tuple[float, float]]]
"""Rows of `ratings`, and the players' ratings after them."""
RateFunction = Callable[[RatingWork], RatingResult]


def stale_ladders(store: Store, ladder: Ladder = LEGAL_LADDER) -> dict[tuple[str, str], int]:
    """Return each ladder that is out of date, with the first place to rate again."""
    query = f"""
        WITH now AS ({_ranks_query(ladder)}),
        was AS (SELECT game, preset, match_no, seat, player_no, rank FROM {ladder.table}),
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
            SELECT r.game, r.preset, min(r.match_index) AS match_index
            FROM {ladder.table} r JOIN matches m USING (match_no)
            JOIN first f ON f.game = r.game AND f.preset = r.preset
            WHERE (m.played_at, m.match_id) >= f.at GROUP BY ALL
            UNION ALL
            SELECT r.game, r.preset, min(r.match_index) FROM {ladder.table} r SEMI JOIN differ d
            ON d.game = r.game AND d.preset = r.preset AND d.match_no = r.match_no GROUP BY ALL
        ),
        ends AS (SELECT game, preset, max(match_index) + 1 AS match_index FROM {ladder.table} GROUP BY ALL)
        SELECT d.game, d.preset, coalesce(min(p.match_index), any_value(e.match_index), 0)
        FROM (SELECT DISTINCT game, preset FROM differ) d
        LEFT JOIN places p USING (game, preset) LEFT JOIN ends e USING (game, preset)
        GROUP BY ALL ORDER BY ALL
    """
    rows = store.cursor().execute(query, {"partners": _partnership_games()}).fetchall()
    return {(name, preset): int(place) for name, preset, place in rows}


def refresh_ratings(
    store: Store,
    progress: Callable[[int, int], None] = lambda done, total: None,
    run_elsewhere: Callable[[RateFunction, "RatingWork"], "RatingResult"] = lambda work, some: work(some),
) -> int:
    """Rate new matches, and again those after them; return how many were rated.

    Calls `progress` with the matches done and their total; `run_elsewhere` may rate in another
    process. Other writers need not wait. If one changes matches during the rating, nothing is written, and
    that writer rates. StoreError: the store cannot be read or written.
    """
    if aliases.has_open_names(store.cursor()):
        with store.transaction(lock_mode=LockMode.EXCLUSIVE):
            aliases.join_duplicate_aliases(store.connection)
            aliases.update_shown_names(store.connection)
    with store.translate_errors():
        before = source_version(store)
        places = [
            (which, *one, place)
            for which in ALL_LADDERS
            for one, place in stale_ladders(store, which).items()
        ]
        if not places:
            return 0
        total = sum(_matches_from(store, *ladder) for ladder in places)
        done, blocks = 0, list[tuple[str, pa.Table]]()
        for ladder in places:
            for block in _rated_rows(store, *ladder, run_elsewhere):
                blocks.append((ladder[0].table, block))
                done += len(set(block["match_no"].to_pylist()))
                progress(done, total)
    with store.transaction():
        if source_version(store) != before:
            return 0
        for which, name, preset, place in places:
            store.connection.execute(
                f"DELETE FROM {which.table} WHERE game = ? AND preset = ? AND match_index >= ?",
                [name, preset, place],
            )
        for table, block in blocks:
            store.insert_rows(table, block)
    store.rating_generation += 1
    return done


def source_version(store: Store) -> tuple[int | None, ...]:
    """Return values that differ after any change to matches or their verdicts."""
    text = "(SELECT max(change) FROM change_log), (SELECT max(file_no) FROM files)"
    [found] = store.cursor().execute(f"SELECT {text}, count(*) FROM matches").fetchall()
    return tuple(found)


def are_ladders_current(store: Store) -> bool:
    """Return whether the ladders rate all matches as they are now: a server rates in its background."""
    now = store.file_generation, *source_version(store)
    if store.rated_version != now and not any(stale_ladders(store, which) for which in ALL_LADDERS):
        store.rated_version = now
    return store.rated_version == now


def list_ladders(store: Store, ladder: Ladder = LEGAL_LADDER) -> list[tuple[str, str]]:
    """List game and preset of every ladder."""
    return store.cursor().execute(f"SELECT DISTINCT game, preset FROM {ladder.table} ORDER BY ALL").fetchall()


def count_wrong_ratings(store: Store, name: str, preset: str, ladder: Ladder = LEGAL_LADDER) -> int:
    """Count ratings of a ladder that differ from those computed from the first match."""
    cursor, blocks = store.cursor(), list(_rated_rows(store, ladder, name, preset, 0))
    ours = f"FROM {ladder.table} WHERE game = ? AND preset = ?"
    if not blocks:
        return len(cursor.execute(ours, [name, preset]).fetchall())
    query = f"""
        WITH was AS ({ours})
        SELECT count(*) FROM was FULL JOIN rated now USING (match_index, seat)
        WHERE (was.match_no, was.player_no, was.rank)
                IS DISTINCT FROM (now.match_no, now.player_no, now.rank)
            OR abs(was.mu - now.mu) > ? OR abs(was.sigma - now.sigma) > ?
    """
    with with_tables(cursor, rated=pa.concat_tables(blocks)):
        return number(cursor, query, [name, preset, RATING_TOLERANCE, RATING_TOLERANCE])


def _matches_from(store: Store, ladder: Ladder, name: str, preset: str, place: int) -> int:
    """Count the matches of a ladder from a place on."""
    query = f"SELECT count(*) FROM matches m WHERE {ladder.is_rated} AND m.game = ? AND m.preset = ?"
    return max(0, number(store.cursor(), query, [name, preset]) - place)


def _rated_rows(
    store: Store,
    ladder: Ladder,
    name: str,
    preset: str,
    place: int,
    run_elsewhere: Callable[[RateFunction, RatingWork], RatingResult] = lambda work, some: work(some),
) -> Iterator[pa.Table]:
    """Yield rows of the ladder's table from a place on, a block at a time."""
    cursor = store.cursor()
    found = cursor.execute(
        f"""SELECT player_no, arg_max(mu, match_index), arg_max(sigma, match_index) FROM {ladder.table}
            WHERE game = ? AND preset = ? AND match_index < ? GROUP BY player_no""",
        [name, preset, place],
    )
    known = {player: (mu, sigma) for player, mu, sigma in found.fetchall()}
    rows = cursor.execute(
        f"""
        WITH ranks AS ({_ranks_query(ladder)} AND m.game = $game AND m.preset = $preset),
        ordered AS (
            SELECT match_no, match_id, played_at, {_SIDE_COUNT} AS sides FROM matches m
            WHERE {ladder.is_rated} AND game = $game AND preset = $preset
            ORDER BY played_at, match_id OFFSET $place
        )
        SELECT match_no, sides, list(seat ORDER BY seat), list(player_no ORDER BY seat),
            list(rank ORDER BY seat)
        FROM ordered o JOIN ranks USING (match_no)
        GROUP BY match_no, sides, played_at, match_id ORDER BY played_at, match_id
        """,
        {"partners": _partnership_games(), "game": name, "preset": preset, "place": place},
    )
    while matches := rows.fetchmany(MATCHES_PER_BLOCK):
        table, known = run_elsewhere(rate_matches, RatingWork((name, preset), place, matches, known))
        place += len(matches)
        yield table


_COLUMNS = {
    "match_index": pa.int32(),
    "match_no": pa.int64(),
    "seat": pa.uint8(),
    "player_no": pa.int32(),
    "rank": pa.uint8(),
    "mu": pa.float64(),
    "sigma": pa.float64(),
}


def rate_matches(work: RatingWork) -> RatingResult:
    """Rate matches in order; can run in another process."""
    from openskill.models import PlackettLuce  # loaded only by processes that rate

    model = PlackettLuce()
    known = {one: model.rating(mu=mu, sigma=sigma) for one, (mu, sigma) in work.ratings_before.items()}
    rows = list[tuple[Any, ...]]()
    for place, (match_no, sides, seats, players, ranks) in enumerate(work.matches, work.first_place):
        teams = [range(side, len(seats), sides) for side in range(sides)]
        before = [[known.get(players[k]) or model.rating() for k in team] for team in teams]
        after = model.rate(before, ranks=[float(ranks[team[0]]) for team in teams])
        for team, new in zip(teams, after, strict=True):
            known |= {players[k]: now for k, now in zip(team, new, strict=True)}
        for seat, player, rank in zip(seats, players, ranks, strict=True):
            now = known[player]
            rows.append((place, match_no, seat, player, rank, now.mu, now.sigma))
    columns = zip(*rows, strict=True)
    items = [pa.array(one, kind) for one, kind in zip(columns, _COLUMNS.values(), strict=True)]
    game, preset = (pa.array([one] * len(rows)) for one in work.ladder)
    table = pa.table({"game": game, "preset": preset} | dict(zip(_COLUMNS, items, strict=True)))
    return table, {player: (now.mu, now.sigma) for player, now in known.items()}
