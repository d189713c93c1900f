"""Deals by chance: simulated ones beside the store's own, in tables of the same names.

Whatever query is asked of the store can be asked of them too, on a cursor of `by_chance`; a
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
from engine.games import TOLD, UNSAID, game
from engine.simulate import SimulatedMatch
from ingest.store.derived_rows import Seated, rows_of
from ingest.store.factory import Store
from ingest.validate.fast_path.deal_arrays import VOIDS, Numbers, judge
from ingest.validate.fast_path.decode import Head
from schemas.match_setup import Table
from schemas.simulated import lay, play

DEALS = 20_000
SEED = 1
SCHEMA = "baseline"
BLOCK = 200
"""Matches simulated between two words of progress."""
DETAILS = ("deck", "actions", "takers")
"""Columns of `deals` that no figure needs of a simulated one."""


class Run(NamedTuple):
    """Deals to simulate: the same ones are the same matches, whoever plays them.

    `habit`: how all play; drawn by lot for each match if absent.
    """

    game: str
    preset: str
    players: int
    habit: str | None = None
    deals: int = DEALS
    seed: int = SEED


def habits(name: str) -> tuple[str, ...]:
    """The habits simulated players of a game have."""
    return game(name).bots.HABITS


def by_chance(store: Store | duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A cursor on which the tables of a store, or of a cursor's, are those of simulated deals."""
    cursor = store.cursor()
    cursor.execute(f"SET search_path = '{SCHEMA},main'")
    return cursor


def find(store: Store, run: Run) -> str | None:
    """The event of the run that was kept of these; None: there is none by today's rules."""
    query = f"""SELECT run FROM {SCHEMA}.runs
        WHERE game = ? AND preset = ? AND players = ? AND habit IS NOT DISTINCT FROM ?
            AND asked = ? AND seed = ? AND rules_version = ?"""
    row = store.cursor().execute(query, [*run, RULES_VERSION]).fetchone()
    return None if row is None else event(row[0])


def simulate(store: Store, run: Run, progress: Callable[[int], None] = lambda done: None) -> str:
    """Simulate at least so many deals and keep them, unless they are kept; the event of the run.

    `progress` hears how many of these deals are done: the last match may bring more. UnknownRule:
    a preset nobody knows. StoreError: the store cannot take them.
    """
    if kept := find(store, run):
        return kept
    laid = lay(run.game, run.preset, run.players)
    played, done = list[SimulatedMatch](), 0
    own = None if run.habit is None else [run.habit] * run.players
    matches = play(laid, run.deals, run.seed, own)
    while done < run.deals:
        block = list(islice(matches, BLOCK))
        played += block
        done += sum(len(match.deals) for match in block)
        progress(min(done, run.deals))
    return _keep(store, run, laid, played)


def _keep(store: Store, asked: Run, laid: Table, played: Sequence[SimulatedMatch]) -> str:
    """Judge the matches of a run and write their rows, all or none; the event of the run."""
    numbers, count = of_simulated(laid, played), len(played)
    verdicts = judge(numbers)
    # after an irregularity the deal is replayed (CH-27)
    again = verdicts.states["winner"] == laid.game.kernel.NOBODY
    numbers = numbers._replace(voids=np.where(again, VOIDS.index("replay"), 0))
    with store.adding():
        if kept := find(store, asked):
            return kept  # another has kept them meanwhile
        ask, seated = store.connection, Seated()
        [(run, match_no, player_no)] = ask.execute(
            f"""SELECT (SELECT coalesce(max(run) + 1, 0) FROM {SCHEMA}.runs),
                (SELECT coalesce(max(match_no) + 1, 0) FROM {SCHEMA}.matches),
                (SELECT coalesce(max(player_no) + 1, 0) FROM {SCHEMA}.players)"""
        ).fetchall()
        this = event(run)
        base = {
            "match_no": match_no + np.arange(count),
            "match_id": [f"{this}-{place}" for place in range(count)],
            "file_no": np.full(count, run),
            "line": np.arange(count) + 1,
            "status": ["legal"] * count,
            "findings": pa.array([0] * count, pa.int32()),
        }
        head = _head(laid, asked.preset, this, played)
        for table, rows in rows_of(
            *(base, head, numbers, verdicts),
            lambda ids, names: player_no + seated(ids, names),
            np.arange(count),
        ):
            kept_rows = rows.drop_columns([name for name in DETAILS if name in rows.column_names])
            store.insert(f"{SCHEMA}.{table}", kept_rows)
        players = {
            "player_no": pa.array(player_no + np.arange(len(seated.names)), pa.int32()),
            "player_id": [f"{this}-{name}" for name in seated.names],
            "name": [*seated.names],
        }
        store.insert(f"{SCHEMA}.players", pa.table(players))
        ask.execute(
            f"INSERT INTO {SCHEMA}.runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, now())",
            [run, *asked, int(numbers.first[-1]), RULES_VERSION],
        )
    return this


def event(run: int) -> str:
    """The event the matches of a run are of."""
    return f"run-{run}"


def _head(laid: Table, preset: str, this: str, played: Sequence[SimulatedMatch]) -> Head:
    """What the matches of a run say of themselves."""

    def all_of(value: Any) -> Any:
        return np.full(len(played), value, np.object_)

    told = [list(match.habits) for match in played]
    return Head(
        game=all_of(laid.game.name),
        preset=all_of(preset),
        options=all_of(orjson.dumps(preset).decode()),
        log_id=pa.nulls(len(played), pa.string()),
        played_at=pa.nulls(len(played), pa.timestamp("us", tz="UTC")),
        event=all_of(this),
        details=all_of(None),
        source=all_of("simulated"),
        players=np.full(len(played), laid.players),
        ids=told,
        names=told,
    )


def of_simulated(laid: Table, played: Sequence[SimulatedMatch]) -> Numbers:
    """Simulated matches as the kernel takes them in bulk; nothing is declared."""
    deals = [deal for match in played for deal in match.deals]
    told = np.zeros((len(deals), TOLD), np.int64)
    told[:, 6:] = UNSAID
    return Numbers(
        game=laid.game,
        first=np.cumsum([0, *(len(match.deals) for match in played)]),
        cuts=np.full((len(played), 3), -1),
        rules=np.array([laid.rules]),
        rule_of=np.zeros(len(deals), np.int64),
        players=np.full(len(deals), laid.players),
        dealers=np.array([deal.dealer for deal in deals]),
        decks=np.array([deal.deck for deal in deals]),
        dealt=np.ones(len(deals), np.bool_),
        explicit=np.zeros(len(deals), np.int64),
        codes=np.concatenate([deal.codes for deal in deals]),
        offsets=np.cumsum([0, *(len(deal.codes) for deal in deals)]),
        voids=np.zeros(len(deals), np.int64),
        told=told,
    )
