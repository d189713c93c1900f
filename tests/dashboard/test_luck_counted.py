"""Luck and play: its exact means by brute force, its rows against a plain count."""

from fractions import Fraction
from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from dashboard.queries import endgame_losses, luck, results, simulated_baseline
from dashboard.queries.fairness import card_points
from dashboard.queries.scope import Scope
from tests.dashboard.plain_counts import SCOPES, Counted, name_of, regulars
from tests.reference import chouine, coinche
from tests.reference.statistics import fortune

SUITS = "shdc"
PACK = sorted(chouine.PACK)


def spread(counted: dict[int, int]) -> tuple[float, float]:
    """Mean and variance of so many of each number."""
    n = sum(counted.values())
    mean = Fraction(sum(number * times for number, times in counted.items()), n)
    square = Fraction(sum(number**2 * times for number, times in counted.items()), n)
    return float(mean), float(square - mean**2)


@pytest.mark.slow
def test_the_mean_of_a_hand_is_that_of_the_pack() -> None:
    mean, _ = luck.expected_measures("chouine", "lavardin", 2)["dealt"]
    assert mean == 5 * 120 / 32  # five cards of a pack of 120 points
    mean, _ = luck.expected_measures("coinche", "tournoi-2018", 4)["dealt"]
    assert mean == 8 * sum(coinche.PLAIN.values()) * 4 / 32
    assert [*luck.expected_measures("coinche", "tournoi-2018", 4)] == ["dealt"]  # nobody announces


@pytest.mark.parametrize(
    ("players", "preset", "quinte"),
    [
        (3, "lavardin", 0),
        (4, "mondoubleau", 0),
        pytest.param(2, "mondoubleau", 50, marks=pytest.mark.slow),
        pytest.param(2, "lavardin", 50, marks=pytest.mark.slow),
    ],
)
def test_exact_means_are_those_of_every_hand_with_every_card_turned_up(
    players: int, preset: str, quinte: int
) -> None:
    """In sets and words, without the engine."""
    dealt, result, made = dict[int, int](), dict[int, int](), dict[int, int]()
    for item in combinations(PACK, 5 if players == 2 else 3):
        cards = set(item)
        own = sum(chouine.POINTS.get(card[0], 0) for card in cards)
        dealt[own] = dealt.get(own, 0) + 1
        turned: dict[str | None, int] = {None: 1}
        if preset == "lavardin":
            turned = {suit: 8 - sum(card[1] == suit for card in cards) for suit in SUITS}
        for up, ways in turned.items():
            count, worth = fortune(cards, up, players, quinte)
            result[count] = result.get(count, 0) + ways
            made[worth] = made.get(worth, 0) + ways
    found = luck.expected_measures("chouine", preset, players)
    for measure, every in (("dealt", dealt), ("announcements", result), ("worth", made)):
        assert found[measure] == pytest.approx(spread(every)), measure


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scope", [scope for scope in SCOPES if len(card_points(scope.game))], ids=name_of)
def test_what_chance_gave_is_what_a_plain_count_of_the_hands_finds(counted: Counted, scope: Scope) -> None:
    for player in regulars(counted, scope):
        number = counted.numbers[player]
        rows = counted.rows(scope, player, decided=False)
        hands = [hand for _, _, hand in rows]
        found = {
            row["measure"]: row
            for row in luck.luck_and_play(counted.cursor, scope, number).iter_rows(named=True)
        }
        given = {"dealt": [hand.given or 0 for hand in hands]}
        if scope.game == "chouine":
            fortunes = [hand.fortune or (0, 0) for hand in hands]
            given |= {"announcements": [one for one, _ in fortunes]}
            given |= {"worth": [one for _, one in fortunes]}
        for measure, own in given.items():
            row = found[measure]
            assert (row["n"], row["mean"]) == (len(own), pytest.approx(sum(own) / len(own)))
            size = scope.player_count
            fair = [luck.expected_measures(scope.game, match.preset, size) for match, _, _ in rows]
            mean = sum(one[measure][0] for one in fair)
            stray = sqrt(sum(one[measure][1] for one in fair))
            assert row["expected"] == pytest.approx(mean / len(own))
            assert row["difference"] == pytest.approx((sum(own) - mean) / len(own))
            if measure in luck.RARE_MEASURES and len(own) < luck.MIN_DEALS:
                assert row["low"] is row["high"] is None
                continue
            assert row["high"] - row["mean"] == pytest.approx(1.96 * stray / len(own))
            assert row["low"] == pytest.approx(max(0, row["mean"] - 1.96 * stray / len(own)))
        assert ("received" in found) == (scope.game == "chouine")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_what_was_made_of_it_is_what_other_sections_say(counted: Counted) -> None:
    scope = Scope("chouine", 2)
    number = counted.numbers[regulars(counted, scope)[0]]
    found = luck.luck_and_play(counted.cursor, scope, number)
    assert found["measure"].to_list()[:4] == ["dealt", "announcements", "worth", "received"]
    made = {row["measure"]: row for row in found.iter_rows(named=True)}
    for row in results.average_measures(counted.cursor, scope, number).iter_rows(named=True):
        if row["measure"] in luck.POINTS_MADE:
            own = made[row["measure"]]
            assert (own["n"], own["mean"], own["expected"]) == (row["n"], row["mean"], None)
    assert ("lost" in made) == bool(endgame_losses.endgame_losses(counted.cursor, scope, number)["n"].sum())


@pytest.mark.parametrize("n", [luck.MIN_DEALS, 200, 1000])
def test_fair_deals_leave_the_interval_of_rare_announcements_about_once_in_twenty(n: int) -> None:
    """Drawn in lots of n, with the seed of one run; with fewer it is up to three times as often."""
    hands = simulated_baseline.card_masks(simulated_baseline.all_hands("chouine", 5))
    draw, lots = np.random.default_rng(1), 20_000
    plain, _, count = luck._best_by_suit("chouine", "lavardin", 2, hands)
    for found in (count, plain.sum(axis=1)):
        mean, deviation = found.mean(), found.std()
        shares = np.bincount(found) / len(found)
        totals = draw.multinomial(n, shares, lots) @ np.arange(len(shares))
        rows = [luck._measure_row("worth", n, one, n * mean, deviation * sqrt(n)) for one in totals]
        out = sum(not row["low"] <= mean <= row["high"] for row in rows) / lots
        assert 0.035 < out < 0.065


def test_a_game_whose_cards_have_no_points_has_none_of_it(counted: Counted) -> None:
    scope = Scope("chouineurs", 3)
    [player, *_] = regulars(counted, scope)
    assert luck.luck_and_play(counted.cursor, scope, counted.numbers[player]).is_empty()
