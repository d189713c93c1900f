"""Simulated deals in tables like the store's, for comparison.

Every query for the store can run on them too, on a cursor of `baseline_cursor`. There, a run is an
event, and a player's name is the habit (playing strategy) that the player follows.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import duckdb
import numpy as np
import orjson
import pyarrow as pa

from engine import RULES_VERSION
from engine.games import DECLARED_COLUMNS, NOT_DECLARED, game
from engine.simulate import SimulatedMatch
from ingest.store.aliases import SeatNumbers
from ingest.store.derived_rows import LocalPlayerNumbers, group_rows
from ingest.store.factory import Store
from ingest.validate.fast_path.deal_arrays import VOID_WORDS, DealArrays, replay_and_count
from ingest.validate.fast_path.decode import MatchColumns
from schemas.match_setup import MatchSetup
from schemas.simulated import simulate_matches, simulated_setup

DEFAULT_DEALS = 20_000
DEFAULT_SEED = 1
BASELINE_SCHEMA = "baseline"
MATCHES_PER_BATCH = 200
"""Matches simulated between two calls of `progress`."""
OMITTED_COLUMNS = ("deck", "actions", "actions_hash", "trick_winners")
"""Columns of `deals` not stored for simulated deals, as no statistic uses them."""


class SimulationRun(NamedTuple):
    """The parameters of a simulation; equal parameters give equal matches on any machine.

    `habit`: the habit of all players; None: drawn at random for each match.
    """

    game: str
    preset: str
    player_count: int
    habit: str | None = None
    deals: int = DEFAULT_DEALS
    seed: int = DEFAULT_SEED


def bot_habits(game_name: str) -> tuple[str, ...]:
    """Return the habits available to simulated players of a game."""
    return game(game_name).bots.HABITS


def baseline_cursor(store: Store | duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return a cursor of a store on which table names mean the tables of simulated deals."""
    cursor = store.cursor()
    cursor.execute(f"SET search_path = '{BASELINE_SCHEMA},main'")
    return cursor


def find_baseline(store: Store, run: SimulationRun) -> str | None:
    """Return the event of a stored run; None: there is none for the current RULES_VERSION."""
    query = f"""SELECT run FROM {BASELINE_SCHEMA}.runs
        WHERE game = ? AND preset = ? AND player_count = ? AND habit IS NOT DISTINCT FROM ?
            AND min_deals = ? AND seed = ? AND rules_version = ?"""
    row = store.cursor().execute(query, [*run, RULES_VERSION]).fetchone()
    return None if row is None else baseline_event(row[0])


def simulate_baseline(
    store: Store, run: SimulationRun, progress: Callable[[int], None] = lambda done: None
) -> str:
    """Simulate at least `run.deals` deals and store them, unless stored; return the run's event.

    `progress` is called with the number of deals done; deals of the last match beyond `run.deals`
    do not count. UnknownRule: no such preset. StoreError: the store cannot take the deals.
    """
    if remaining := find_baseline(store, run):
        return remaining
    placed = simulated_setup(run.game, run.preset, run.player_count)
    played, done = list[SimulatedMatch](), 0
    own = None if run.habit is None else [run.habit] * run.player_count
    matches = simulate_matches(placed, run.deals, run.seed, own)
    while done < run.deals:
        block = list(islice(matches, MATCHES_PER_BATCH))
        played += block
        done += sum(len(match.deals) for match in block)
        progress(min(done, run.deals))
    return _store_run(store, run, placed, played)


def _store_run(
    store: Store, wanted: SimulationRun, setup: MatchSetup, matches: Sequence[SimulatedMatch]
) -> str:
    """Validate the matches of a run and store their rows, all or none; return the run's event."""
    numbers, count = deal_arrays_of_simulated(setup, matches), len(matches)
    verdicts = replay_and_count(numbers)
    # after an irregularity the deal is replayed (CH-27)
    again = verdicts.states["winner"] == setup.game.kernel.NOBODY
    numbers = numbers._replace(voids=np.where(again, VOID_WORDS.index("replay"), 0))
    with store.transaction():
        if remaining := find_baseline(store, wanted):
            return remaining  # another thread or program has just stored them
        cursor, seated = store.connection, LocalPlayerNumbers()
        [(run, match_no, player_no)] = cursor.execute(
            f"""SELECT (SELECT coalesce(max(run) + 1, 0) FROM {BASELINE_SCHEMA}.runs),
                (SELECT coalesce(max(match_no) + 1, 0) FROM {BASELINE_SCHEMA}.matches),
                (SELECT coalesce(max(player_no) + 1, 0) FROM {BASELINE_SCHEMA}.players)"""
        ).fetchall()
        this = baseline_event(run)
        base = {
            "match_no": match_no + np.arange(count),
            "match_id": [f"{this}-{place}" for place in range(count)],
            "content_id": [f"{this}-{place}" for place in range(count)],
            "file_no": np.full(count, run),
            "line": np.arange(count) + 1,
            "status": ["legal"] * count,
            "findings": pa.array([0] * count, pa.int32()),
        }
        head = _simulated_columns(setup, wanted.preset, this, matches)
        for table, rows in group_rows(
            *(base, head, numbers, verdicts),
            lambda *who: SeatNumbers(*(player_no + one for one in seated(*who))),
            np.arange(count),
        ):
            stored_rows = rows.drop_columns([name for name in OMITTED_COLUMNS if name in rows.column_names])
            store.insert_rows(f"{BASELINE_SCHEMA}.{table}", stored_rows)
        players = {
            "player_no": pa.array(player_no + np.arange(len(seated.declared)), pa.int32()),
            "player_id": [f"{this}-{one.name}" for one in seated.declared],
            "name": [one.name for one in seated.declared],
        }
        store.insert_rows(f"{BASELINE_SCHEMA}.players", pa.table(players))
        cursor.execute(
            f"INSERT INTO {BASELINE_SCHEMA}.runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, now())",
            [run, *wanted, int(numbers.first[-1]), RULES_VERSION],
        )
    return this


def baseline_event(run_number: int) -> str:
    """Return the event of a run's matches."""
    return f"run-{run_number}"


def _simulated_columns(
    setup: MatchSetup, preset: str, this: str, matches: Sequence[SimulatedMatch]
) -> MatchColumns:
    """Return the match-level columns of a run."""

    def all_of(value: Any) -> Any:
        return np.full(len(matches), value, np.object_)

    items = [list(match.habits) for match in matches]
    return MatchColumns(
        game=all_of(setup.game.name),
        preset=all_of(preset),
        options=all_of(orjson.dumps(preset).decode()),
        log_id=pa.nulls(len(matches), pa.string()),
        played_at=pa.nulls(len(matches), pa.timestamp("us", tz="UTC")),
        played_on=pa.nulls(len(matches), pa.date32()),
        event=all_of(this),
        details=all_of(None),
        source=all_of("simulated"),
        players=np.full(len(matches), setup.players),
        ids=items,
        names=items,
    )


def deal_arrays_of_simulated(setup: MatchSetup, matches: Sequence[SimulatedMatch]) -> DealArrays:
    """Return simulated matches as arrays for the kernel, without declared results."""
    deals = [deal for match in matches for deal in match.deals]
    values = np.zeros((len(deals), DECLARED_COLUMNS), np.int64)
    values[:, 6:] = NOT_DECLARED
    return DealArrays(
        game=setup.game,
        first=np.cumsum([0, *(len(match.deals) for match in matches)]),
        cuts=np.full((len(matches), 3), -1),
        rules=np.array([setup.rules]),
        rule_of=np.zeros(len(deals), np.int64),
        players=np.full(len(deals), setup.players),
        dealers=np.array([deal.dealer for deal in deals]),
        decks=np.array([deal.deck for deal in deals]),
        is_dealt=np.ones(len(deals), np.bool_),
        explicit=np.zeros(len(deals), np.int64),
        codes=np.concatenate([deal.codes for deal in deals]),
        offsets=np.cumsum([0, *(len(deal.codes) for deal in deals)]),
        voids=np.zeros(len(deals), np.int64),
        declared=values,
    )
