"""Compares statistics with chance and with simulated players.

For hands as dealt, chance is exact: the game's kernel deals, and every hand is counted with every
card that may be turned up. Later hands, announcements and points depend on how they
play, and no simulated player (`ingest.store.baseline`) plays at random: there Retourne reports the
lowest and the highest share among their habits.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dashboard.games import game_view
from dashboard.queries import announcements, fairness
from dashboard.queries.intervals import with_share_interval
from dashboard.queries.scope import Cursor, Scope
from engine import RULES_VERSION
from engine.games import game
from engine.options import default_preset
from ingest.findings.spoken_notation import announcement_kinds
from ingest.store.baseline import BASELINE_SCHEMA, baseline_cursor, baseline_event

Ints = NDArray[np.int64]
DEALT_SCHEMA = {
    **{"kind": pl.String, "trump": pl.Boolean, "k": pl.Int64, "n": pl.Int64},
    **{"share": pl.Float64, "low": pl.Float64, "high": pl.Float64},
    **{"ways": pl.Int64, "possible": pl.Int64, "chance": pl.Float64, "difference": pl.Float64},
}


class DealtPlaces(NamedTuple):
    """Places of a pack: those dealt to each hand, and the one of the card turned up."""

    hands: list[list[int]]
    turned_up: int | None


@lru_cache(maxsize=1000)
def dealt_places(game_name: str, rules: str, players: int) -> DealtPlaces:
    """Return the places as the kernel deals a pack whose cards are numbered in order."""
    this = game(game_name)
    state = np.zeros(1, this.kernel.State)[0]
    record = fairness.rules_record(game_name, rules, players)
    this.kernel.start(state, record, players, 0, np.arange(len(this.pack)), 0)
    hands = [list(this.pack.codes_in(state["hand"][seat])) for seat in range(players)]
    up = int(state["retourne"]) if "retourne" in (state.dtype.names or ()) else -1
    return DealtPlaces(hands, None if up < 0 else up)


@cache
def dealt_probabilities(game_name: str, preset: str, players: int) -> dict[tuple[str, bool | None], Any]:
    """Return (kind, in trump) → (ways, total) in which one hand is dealt an announcement.

    In trump is None if no card is turned up, so that trump is not known yet. Empty: hands announce nothing
    in this game, or its kernel does not deal from one pack.
    """
    if game_name not in fairness.testable_games() or not game_view(game_name).dealt_announcements(
        np.zeros(0, np.int64), players
    ):
        return {}
    pack, places = game(game_name).pack, dealt_places(game_name, preset, players)
    size, ranks = len(places.hands[0]), len(pack.ranks)
    cards = all_hands(game_name, size)
    held = game_view(game_name).dealt_announcements(card_masks(cards), players)
    if places.turned_up is None:
        total = comb(len(pack), size)
        return {(kind, None): (int((suits > 0).sum()), total) for kind, suits in held.items()}
    total = comb(len(pack), size) * (len(pack) - size)
    found = Counter[tuple[str, bool | None]]()
    for suit in range(len(pack) // ranks):
        # this many cards of the suit are left to be turned up
        left = ranks - (cards // ranks == suit).sum(axis=1)
        for kind, suits in held.items():
            found[kind, True] += int((left * (suits >> suit & 1)).sum())
            found[kind, False] += int((left * ((suits & ~(1 << suit)) > 0)).sum())
    return {which: (ways, total) for which, ways in found.items()}


def all_hands(game_name: str, size: int) -> Ints:
    """Return every hand of `size` cards of a game's pack, a row each."""
    return np.array(list(combinations(range(len(game(game_name).pack)), size)), np.int64)


def card_masks(cards: Ints) -> Ints:
    """Return hands, a row of cards each, as bit masks."""
    found: Ints = np.bitwise_or.reduce(np.int64(1) << cards, axis=1)
    return found


def dealt_announcements(cursor: Cursor, scope: Scope) -> pl.DataFrame:
    """Count the hands dealt each kind, trump or plain, with its exact probability.

    The decks are those that `queries.fairness` tests, void and faulty deals included: they were
    dealt like any others. The scope must have a preset.
    """
    chances = dealt_probabilities(scope.game, str(scope.preset), scope.player_count)
    if not chances:
        return pl.DataFrame([], DEALT_SCHEMA)
    pack, lies = game(scope.game).pack, dealt_places(scope.game, str(scope.preset), scope.player_count)
    counts, n = Counter[tuple[str, bool | None]](), 0
    chosen, values = fairness.decks_query(scope)
    found = cursor.execute(f"{chosen} SELECT deck FROM dealt WHERE deck IS NOT NULL", values)
    for batch in found.to_arrow_reader(100_000):
        series = pl.DataFrame(batch)["deck"]
        decks = series.explode().to_numpy().reshape(-1, len(pack)).astype(np.int64)
        up = None if lies.turned_up is None else decks[:, lies.turned_up] // len(pack.ranks)
        for places in lies.hands:
            n += len(decks)
            hands = card_masks(decks[:, places])
            for kind, suits in game_view(scope.game).dealt_announcements(hands, scope.player_count).items():
                if up is None:
                    counts[kind, None] += int((suits > 0).sum())
                else:
                    counts[kind, True] += int((suits >> up & 1).sum())
                    counts[kind, False] += int((suits & ~(1 << up) > 0).sum())
    order = list(announcement_kinds())
    rows = [
        (kind, trump, counts[kind, trump], n, ways, every, ways / every)
        for (kind, trump), (ways, every) in chances.items()
        if n and ways
    ]
    rows.sort(key=lambda row: (order.index(row[0]), bool(row[1])))
    columns = [name for name in DEALT_SCHEMA if name not in ("share", "low", "high", "difference")]
    frame = pl.DataFrame(rows, {name: DEALT_SCHEMA[name] for name in columns}, orient="row")
    result = with_share_interval(frame, "k", "n").with_columns(difference=pl.col("share") - pl.col("chance"))
    return result.select(*DEALT_SCHEMA).cast(DEALT_SCHEMA)  # type: ignore[arg-type]


def with_one_preset(cursor: Cursor, scope: Scope) -> Scope:
    """Return the scope with its preset, or with the preset of most of its deals."""
    if scope.preset is not None:
        return scope
    chosen, values = scope.conditions(stood="NOT d.void")
    query = f"""
        SELECT m.preset FROM match_deals d JOIN matches m USING (match_no)
        WHERE {chosen} AND m.preset IS NOT NULL
        GROUP BY m.preset ORDER BY sum(d.deals) DESC, m.preset LIMIT 1
    """
    row = cursor.execute(query, values).fetchone()
    return replace(scope, preset=row[0] if row else default_preset(scope.game))


def latest_run(cursor: Cursor, scope: Scope, habit: str | None) -> dict[str, Any] | None:
    """Return the latest run of the scope's game, preset and table by the current rules, or None.

    `event` for `observed_vs_simulated`, `seed` and the number of `deals`; `habit` None: random
    play.
    """
    query = f"""
        SELECT run, seed, deals FROM {BASELINE_SCHEMA}.runs
        WHERE game = ? AND preset = ? AND player_count = ? AND habit IS NOT DISTINCT FROM ?
            AND rules_version = ?
        ORDER BY run DESC LIMIT 1
    """
    table = scope.game, scope.preset, scope.player_count
    row = cursor.execute(query, [*table, habit, RULES_VERSION]).fetchone()
    return None if row is None else {"event": baseline_event(row[0]), "seed": row[1], "deals": row[2]}


def observed_vs_simulated(
    cursor: Cursor, scope: Scope, runs: Mapping[str, str], key: str | None = None
) -> pl.DataFrame:
    """Compare every fact of `queries.announcements` with simulated players, by habit.

    `runs`: habit → the event of its run in `ingest.store.baseline`; `key` is one of MOMENT_COLUMNS.
    """
    by_lot = baseline_cursor(cursor)
    seen = announcements.frequencies_by(cursor, scope, key)
    habits = {
        habit: announcements.frequencies_by(by_lot, Scope(scope.game, scope.player_count, event=run), key)
        for habit, run in runs.items()
    }
    return pl.concat([_compare_fact(seen, habits, fact, key) for fact in announcements.ANNOUNCEMENT_FACTS])


def chance_table(
    cursor: Cursor, scope: Scope, runs: Mapping[str, str], key: str | None = None
) -> pl.DataFrame:
    """Return `observed_vs_simulated`, without a key after `dealt_announcements` (fact `dealt`)."""
    scope = with_one_preset(cursor, scope)
    later = observed_vs_simulated(cursor, scope, runs, key)
    if key is not None:
        return later
    hands = dealt_announcements(cursor, scope).with_columns(pl.lit("dealt").alias("fact"))
    both = pl.concat([hands, later], how="diagonal")
    first = ("kind", "trump", "fact")
    return both.select(*first, pl.exclude(*first))


def _compare_fact(
    observed: pl.DataFrame, habits: Mapping[str, pl.DataFrame], fact: str, key: str | None
) -> pl.DataFrame:
    """Return the rows of one fact: every kind that occurs, observed or simulated."""
    keys = ["kind", "trump", *([key] if key else ())]
    every = pl.concat([frame.select(keys) for frame in (observed, *habits.values())])
    every = every.unique(maintain_order=True)
    k, n = _counts_of(every, observed, keys, fact)
    frame = every.with_columns(pl.lit(fact).alias("fact"), pl.Series("k", k), pl.Series("n", n))
    frame = with_share_interval(frame.select("kind", "trump", "fact", *keys[2:], "k", "n"), "k", "n")
    simulated = [_counts_of(every, one, keys, fact) for one in habits.values()]
    shares = np.array([some / np.maximum(of, 1) for some, of in simulated])
    rows, names = np.arange(every.height), np.array(list(habits), np.object_)
    for name, ends in (("least", shares.argmin(axis=0)), ("most", shares.argmax(axis=0))):
        frame = frame.with_columns(
            pl.Series(name, shares[ends, rows]), pl.Series(f"{name}_habit", names[ends], pl.String)
        )
    return frame.filter(pl.col("n") > 0)


def _counts_of(
    every: pl.DataFrame, frame: pl.DataFrame, keys: Sequence[str], fact: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the hands of a fact, and of all, for each row of `every`; 0 if there are none."""
    found = every.join(frame, on=keys, how="left", nulls_equal=True, maintain_order="left")
    n = frame["n"].max() if frame.height else 0
    counts = found.select(pl.col(fact).fill_null(0), pl.col("n").fill_null(n or 0)).cast(pl.Int64)
    return counts[fact].to_numpy(), counts["n"].to_numpy()
