"""A player's cards compared with fair deals, and results split into luck and play.

Luck needs no solved deals: the points of the hand dealt are compared with the mean over every
possible hand. Then come the points made, and those lost in the endgame.
"""

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dashboard.games import game_view
from dashboard.queries import endgame_losses, fairness, results, simulated_baseline
from dashboard.queries.fairness import card_points
from dashboard.queries.player_deals import counted_deals
from dashboard.queries.scope import Cursor, Scope
from engine.games import game


def card_luck(cursor: Cursor, scope: Scope, player_no: int, z: float = 1.96) -> pl.DataFrame:
    """Return one row: card points `received` in `n` deals, `expected` ones, and the interval.

    With N cards of mean μ and variance σ², n cards drawn without replacement have nμ points on average
    with variance nσ²(N - n)/(N - 1); deals are independent. No row: the game's cards have no points, or
    no deal was found.
    """
    pack = card_points(scope.game)
    if not len(pack):
        return pl.DataFrame()
    size, mean, variance = len(pack), float(pack.mean()), float(pack.var())
    chosen, values = counted_deals(scope, player_no, decided=False)
    query = f"""
        SELECT count(received), count(*) - count(received), sum(received_cards)::BIGINT,
            sum(received)::BIGINT, sum(received_cards::BIGINT * ({size} - received_cards))::BIGINT
        FROM {chosen}
    """
    row = cursor.execute(query, values).fetchone()
    if row is None or not row[0]:
        return pl.DataFrame()
    n, unknown, cards, received, spread = row
    expected, deviation = cards * mean, math.sqrt(variance * spread / (size - 1))
    difference = received - expected
    ends = {"low": difference - z * deviation, "high": difference + z * deviation}
    return pl.DataFrame(
        {
            **{"n": n, "received_cards": cards, "received": received, "expected": expected},
            "difference": difference,
            **ends,
            "per_deal": difference / n,
            **{f"per_deal_{name}": end / n for name, end in ends.items()},
            "deviation": deviation,
            "sigmas": difference / deviation if deviation else None,
            "unknown": unknown,
        }
    )


MAX_DEALS = 100_000
"""Deals whose hands are examined, those added last; more would not change a result."""
POINTS_MADE = ("card_points", "bonus")
"""Measures of `results.average_measures` that are points made from cards and announcements."""
RARE_MEASURES = ("announcements", "worth")
MIN_DEALS = 100
"""Deals below which RARE_MEASURES have no interval: it would not hold 95% of fair deals."""
Z_95 = 1.96
LUCK_SCHEMA = {
    "measure": pl.String,
    "n": pl.Int64,
    **dict.fromkeys(("mean", "low", "high", "expected", "difference"), pl.Float64),
}

Ints = NDArray[np.int64]


def luck_and_play(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return a row per `measure`: `mean` of `n` deals, `low` to `high`, `expected`, `difference`.

    First luck: points of the hand `dealt`, of all cards `received`, `announcements` of the hand
    dealt and their `worth`; the interval is that of fair deals around the mean. Then points made,
    without `expected`: POINTS_MADE of `results.average_measures`, and `lost` of
    `endgame_losses.endgame_losses`.
    """
    parts = [pl.DataFrame([*_chance_rows(cursor, scope, player_no)], LUCK_SCHEMA)]
    if parts[0].height:
        made = results.average_measures(cursor, scope, player_no).filter(pl.col("measure").is_in(POINTS_MADE))
        parts.append(made.select("measure", "n", "mean", low="mean_low", high="mean_high"))
        if "endgames" in game_view(scope.game).SECTIONS:
            lost = endgame_losses.endgame_losses(cursor, scope, player_no).head(1)
            lost = lost.select("n", mean="lost", low="lost_low", high="lost_high")
            parts.append(lost.with_columns(measure=pl.lit("lost")))
    return pl.concat(parts, how="diagonal_relaxed").filter(pl.col("n") > 0)


def _chance_rows(cursor: Cursor, scope: Scope, player_no: int) -> Iterator[dict[str, Any]]:
    """Yield the measures of luck in the order of the deal: the hand, announcements, the talon."""
    found: dict[str, list[tuple[int, int, float, float]]] = {}
    for preset, hands, up in _dealt_hands(cursor, scope, player_no):
        fair, n = expected_measures(scope.game, preset, scope.player_count), len(hands)
        for measure, own in _hand_measures(scope, preset, hands, up).items():
            mean, variance = (n * one for one in fair[measure])
            found.setdefault(measure, []).append((n, int(own.sum()), mean, variance))
    for measure, parts in found.items():
        n, total, mean, variance = map(sum, zip(*parts, strict=True))
        yield _measure_row(measure, int(n), total, mean, math.sqrt(variance))
    for row in card_luck(cursor, scope, player_no).iter_rows(named=True):
        dealing = game(scope.game).dealing_rules
        dealt = 0 if dealing is None else row["n"] * int(dealing.hand_size(scope.player_count))
        # otherwise the player received only the cards dealt
        if dealing is not None and row["received_cards"] > dealt:
            came = row["received"], row["expected"], row["deviation"]
            yield _measure_row("received", row["n"], *came)


def _measure_row(measure: str, n: int, total: float, expected: float, deviation: float) -> dict[str, Any]:
    mean, spread = total / n, Z_95 * deviation / n
    fields = {"measure": measure, "n": n, "mean": mean}
    # for an event seen once in a dozen hands, a few deals give no interval that covers 95%
    if measure not in RARE_MEASURES or n >= MIN_DEALS:
        fields |= {"low": max(mean - spread, 0.0), "high": mean + spread}
    return fields | {"expected": expected / n, "difference": (total - expected) / n}


def _dealt_hands(cursor: Cursor, scope: Scope, player_no: int) -> Iterator[tuple[str, Ints, Ints | None]]:
    """Yield a player's dealt hands as bit masks, by preset, rules and place, with the suits turned up."""
    if scope.game not in fairness.testable_games() or not len(card_points(scope.game)):
        return
    pack = game(scope.game).pack
    chosen, result = counted_deals(scope, player_no, decided=False)
    query = f"""
        WITH hands AS (
            SELECT m.preset, {fairness.RULES} AS rules, d.deck,
                (ds.seat + {scope.player_count} - d.dealer)::INTEGER % {scope.player_count} AS place
            FROM {chosen} AND d.dealer IS NOT NULL AND {fairness.has_known_deck(scope)}
            ORDER BY match_no DESC, d.deal_index DESC LIMIT {MAX_DEALS}
        )
        FROM hands ORDER BY preset, rules
    """
    found = cursor.execute(query, result).pl()
    for (preset, rules, place), own in found.group_by("preset", "rules", "place", maintain_order=True):
        played = simulated_baseline.dealt_places(scope.game, str(rules), scope.player_count)
        decks = own["deck"].explode().to_numpy().reshape(-1, len(pack)).astype(np.int64)
        up = None if played.turned_up is None else decks[:, played.turned_up] // len(pack.ranks)
        yield str(preset), simulated_baseline.card_masks(decks[:, played.hands[int(str(place))]]), up


def _hand_measures(scope: Scope, preset: str, masks: Ints, up: Ints | None) -> dict[str, Ints]:
    """Return the measures of each hand: card points, announcements and their worth."""
    pack = card_points(scope.game)
    own: dict[str, Ints] = {"dealt": (masks[:, None] >> np.arange(len(pack)) & 1) @ pack}
    held = game_view(scope.game).dealt_announcements(masks, scope.player_count)
    if held:
        plain, in_trump, count = _best_by_suit(scope.game, preset, scope.player_count, masks)
        more = 0 if up is None else np.take_along_axis(in_trump - plain, up[:, None], 1)[:, 0]
        own |= {"announcements": count, "worth": plain.sum(axis=1) + more}
    return own


def _best_by_suit(game_name: str, preset: str, players: int, masks: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the worth of the best announcement by hand and suit, plain and in trump; the count.

    An announcement without a suit has its own last column.
    """
    suits = len(game(game_name).pack) // len(game(game_name).pack.ranks)
    plain, in_trump = np.zeros((2, len(masks), suits + 1), np.int64)
    some = np.zeros((len(masks), suits + 1), np.bool_)
    rules = fairness.rules_record(game_name, preset, players)
    for kind, held in game_view(game_name).dealt_announcements(masks, players).items():
        for suit in range(suits + 1):
            has = held >> suit & 1 > 0
            some[:, suit] |= has
            for column, trump in ((plain, False), (in_trump, True)):
                points = game_view(game_name).dealt_worth(kind, trump, rules)
                np.maximum(column[:, suit], has * points, out=column[:, suit])
    return plain, in_trump, some.sum(axis=1)


@cache
def expected_measures(game_name: str, preset: str, players: int) -> dict[str, tuple[float, float]]:
    """Return the exact mean and variance of each measure for one hand of a fair deal.

    Counted over every possible hand, each with every card that may be turned up with it.
    """
    pack = game(game_name).pack
    size, ranks = (len(simulated_baseline.dealt_places(game_name, preset, players).hands[0]), len(pack.ranks))
    values = card_points(game_name)
    mean, left = size * float(values.mean()), len(pack) - size
    found = {"dealt": (mean, size * float(values.var()) * left / (len(pack) - 1))}
    if not game_view(game_name).dealt_announcements(np.zeros(0, np.int64), players):
        return found
    hands = simulated_baseline.all_hands(game_name, size)
    plain, in_trump, count = _best_by_suit(game_name, preset, players, simulated_baseline.card_masks(hands))
    found["announcements"] = (float(count.mean()), float(count.var()))
    worths, weights = plain.sum(axis=1), None
    if simulated_baseline.dealt_places(game_name, preset, players).turned_up is not None:
        suits = range(len(pack) // ranks)
        worths = worths[:, None] + (in_trump - plain)[:, : len(suits)]
        # this many cards of a suit are left to be turned up
        weights = np.stack([ranks - (hands // ranks == suit).sum(axis=1) for suit in suits], axis=1)
    average, square = (float(np.average(worths**power, weights=weights)) for power in (1, 2))
    return found | {"worth": (average, square - average * average)}
