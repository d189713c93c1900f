"""Simulated deals in tables like the store's, for comparison.

Whatever query is asked of the store can be asked of them too, on a cursor of `baseline_cursor`; a
run is an event there, and a player's name is the habit that player plays by.
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
"""Matches simulated between two words of progress."""
OMITTED_COLUMNS = ("deck", "actions", "takers")
"""Columns of `deals` that no figure needs of a simulated one."""


class SimulationRun(NamedTuple):
    """Deals to simulate: the same ones are the same matches, whoever plays them.

    `habit`: how all play; drawn by lot for each match if absent.
    """

    game: str
    preset: str
    players: int
    habit: str | None = None
    deals: int = DEFAULT_DEALS
    seed: int = DEFAULT_SEED


def bot_habits(game_name: str) -> tuple[str, ...]:
    """The habits simulated players of a game have."""
    return game(game_name).bots.HABITS


def baseline_cursor(store: Store | duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A cursor on which the tables of a store, or of a cursor's, are those of simulated deals."""
    cursor = store.cursor()
    cursor.execute(f"SET search_path = '{BASELINE_SCHEMA},main'")
    return cursor


def find_baseline(store: Store, run: SimulationRun) -> str | None:
    """The event of the run that was kept of these; None: there is none by today's rules."""
    query = f"""SELECT run FROM {BASELINE_SCHEMA}.runs
        WHERE game = ? AND preset = ? AND players = ? AND habit IS NOT DISTINCT FROM ?
            AND asked = ? AND seed = ? AND rules_version = ?"""
    row = store.cursor().execute(query, [*run, RULES_VERSION]).fetchone()
    return None if row is None else baseline_event(row[0])


def simulate_baseline(
    store: Store, run: SimulationRun, progress: Callable[[int], None] = lambda done: None
) -> str:
    """Simulate at least so many deals and keep them, unless they are kept; the event of the run.

    `progress` hears how many of these deals are done: the last match may bring more. UnknownRule:
    a preset nobody knows. StoreError: the store cannot take them.
    """
    if kept := find_baseline(store, run):
        return kept
    laid = simulated_setup(run.game, run.preset, run.players)
    played, done = list[SimulatedMatch](), 0
    own = None if run.habit is None else [run.habit] * run.players
    matches = simulate_matches(laid, run.deals, run.seed, own)
    while done < run.deals:
        block = list(islice(matches, MATCHES_PER_BATCH))
        played += block
        done += sum(len(match.deals) for match in block)
        progress(min(done, run.deals))
    return _store_run(store, run, laid, played)


def _store_run(
    store: Store, wanted: SimulationRun, setup: MatchSetup, matches: Sequence[SimulatedMatch]
) -> str:
    """Judge the matches of a run and write their rows, all or none; the event of the run."""
    numbers, count = deal_arrays_of_simulated(setup, matches), len(matches)
    verdicts = replay_and_count(numbers)
    # after an irregularity the deal is replayed (CH-27)
    again = verdicts.states["winner"] == setup.game.kernel.NOBODY
    numbers = numbers._replace(voids=np.where(again, VOID_WORDS.index("replay"), 0))
    with store.transaction():
        if kept := find_baseline(store, wanted):
            return kept  # another has kept them meanwhile
        ask, seated = store.connection, LocalPlayerNumbers()
        [(run, match_no, player_no)] = ask.execute(
            f"""SELECT (SELECT coalesce(max(run) + 1, 0) FROM {BASELINE_SCHEMA}.runs),
                (SELECT coalesce(max(match_no) + 1, 0) FROM {BASELINE_SCHEMA}.matches),
                (SELECT coalesce(max(player_no) + 1, 0) FROM {BASELINE_SCHEMA}.players)"""
        ).fetchall()
        this = baseline_event(run)
        base = {
            "match_no": match_no + np.arange(count),
            "match_id": [f"{this}-{place}" for place in range(count)],
            "file_no": np.full(count, run),
            "line": np.arange(count) + 1,
            "status": ["legal"] * count,
            "findings": pa.array([0] * count, pa.int32()),
        }
        head = _simulated_columns(setup, wanted.preset, this, matches)
        for table, rows in group_rows(
            *(base, head, numbers, verdicts),
            lambda ids, names: player_no + seated(ids, names),
            np.arange(count),
        ):
            kept_rows = rows.drop_columns(
                [name for name in OMITTED_COLUMNS if name in rows.column_names]
            )
            store.insert_rows(f"{BASELINE_SCHEMA}.{table}", kept_rows)
        players = {
            "player_no": pa.array(player_no + np.arange(len(seated.names)), pa.int32()),
            "player_id": [f"{this}-{name}" for name in seated.names],
            "name": [*seated.names],
        }
        store.insert_rows(f"{BASELINE_SCHEMA}.players", pa.table(players))
        ask.execute(
            f"INSERT INTO {BASELINE_SCHEMA}.runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, now())",
            [run, *wanted, int(numbers.first[-1]), RULES_VERSION],
        )
    return this


def baseline_event(run_number: int) -> str:
    """The event the matches of a run are of."""
    return f"run-{run_number}"


def _simulated_columns(
    setup: MatchSetup, preset: str, this: str, matches: Sequence[SimulatedMatch]
) -> MatchColumns:
    """What the matches of a run say of themselves."""

    def all_of(value: Any) -> Any:
        return np.full(len(matches), value, np.object_)

    told = [list(match.habits) for match in matches]
    return MatchColumns(
        game=all_of(setup.game.name),
        preset=all_of(preset),
        options=all_of(orjson.dumps(preset).decode()),
        log_id=pa.nulls(len(matches), pa.string()),
        played_at=pa.nulls(len(matches), pa.timestamp("us", tz="UTC")),
        event=all_of(this),
        details=all_of(None),
        source=all_of("simulated"),
        players=np.full(len(matches), setup.players),
        ids=told,
        names=told,
    )


def deal_arrays_of_simulated(setup: MatchSetup, matches: Sequence[SimulatedMatch]) -> DealArrays:
    """Simulated matches as the kernel takes them in bulk; nothing is declared."""
    deals = [deal for match in matches for deal in match.deals]
    told = np.zeros((len(deals), DECLARED_COLUMNS), np.int64)
    told[:, 6:] = NOT_DECLARED
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
        declared=told,
    )
