"""The check of shuffles: it passes good decks, finds those shuffled badly on purpose."""

from datetime import date
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, kstest

from dashboard.queries import fairness
from dashboard.queries.scope import Scope
from ingest.store.factory import Store

Decks = NDArray[np.uint8]
CHOUINE = Scope()


def good(n: int, seed: int, size: int = 32) -> Decks:
    return np.random.default_rng(seed).permuted(np.tile(np.arange(size, dtype=np.uint8), (n, 1)), axis=1)


def never_far(n: int, seed: int) -> Decks:
    """A shuffle by a few neighbours' exchanges: the pack's order shows through."""
    rng = np.random.default_rng(seed)
    decks = np.tile(np.arange(32, dtype=np.uint8), (n, 1))
    for deck in decks:
        for place in rng.integers(0, 31, 60):
            deck[[place, place + 1]] = deck[[place + 1, place]]
    return decks


def swapped_with_any(n: int, seed: int) -> Decks:
    """The classic shuffling bug: each place exchanged with any other, not with one that is left."""
    rng = np.random.default_rng(seed)
    decks = np.tile(np.arange(32, dtype=np.uint8), (n, 1))
    rows = np.arange(n)
    for place in range(32):
        other = rng.integers(0, 32, n)
        decks[rows, place], decks[rows, other] = decks[rows, other], decks[rows, place].copy()
    return decks


def kind_to_the_first(n: int, seed: int) -> Decks:
    """One deal in twenty, the hand dealt first has an ace for its first card."""
    decks = good(n, seed)
    for deck in decks[::20]:
        ace = int(np.flatnonzero(deck == 7)[0])
        deck[[0, ace]] = deck[[ace, 0]]
    return decks


def few_seeds(n: int, seed: int) -> Decks:
    """A generator that can only deal a thousand decks."""
    return good(1000, seed)[np.random.default_rng(seed).integers(0, 1000, n)]


def store(path: Path, sources: dict[str | None, Decks], game: str = "chouine") -> Store:
    """A store that holds only what the check reads: whose decks, in what order."""
    opened = Store(path)
    with opened.transaction():
        for number, (source, decks) in enumerate(sources.items()):
            n = len(decks)
            match_no = number * 1_000_000 + np.arange(n)
            opened.insert_rows(
                "matches",
                pa.table(
                    {
                        "match_no": match_no,
                        "match_id": [str(one) for one in match_no],
                        "content_id": [str(one) for one in match_no],
                        "file_no": match_no,
                        "line": match_no,
                        "status": ["legal"] * n,
                        "findings": pa.array([0] * n, pa.int32()),
                        "game": [game] * n,
                        "player_count": pa.array([2 if game == "chouine" else 4] * n, pa.uint8()),
                        "source": pa.array([source] * n, pa.string()),
                        "deals": pa.array([1] * n, pa.int32()),
                        "rules_version": pa.array([1] * n, pa.uint16()),
                    }
                ),
            )
            offsets = np.arange(n + 1, dtype=np.int32) * decks.shape[1]
            opened.insert_rows(
                "deals",
                pa.table(
                    {
                        "match_no": match_no,
                        "deal_index": pa.array([0] * n, pa.uint16()),
                        "status": ["legal"] * n,
                        "dealer": pa.array([1] * n, pa.uint8()),
                        "deck": pa.ListArray.from_arrays(offsets, pa.array(decks.reshape(-1))),
                    }
                ),
            )
            each = {name: [1] * n for name in ("deals", "decided")} | {"drawn": [0] * n}
            facts = {"void": [False] * n, "is_score_line": [False] * n, "dealt": [True] * n}
            counted = {"match_no": match_no, "status": ["legal"] * n, **facts}
            opened.insert_rows("match_deals", pa.table(counted | each))
    return opened


def verdicts(cursor: duckdb.DuckDBPyConnection, scope: Scope = CHOUINE) -> dict[str, list[str]]:
    """Source → the tests it failed."""
    frame = fairness.fairness_tests(cursor, scope)
    return {
        str(source): part.filter(~pl.col("fair"))["test"].to_list()
        for (source,), part in frame.group_by("source")
    }


@pytest.mark.slow
def test_good_decks_pass_and_each_bad_shuffle_is_found(tmp_path: Path) -> None:
    sources: dict[str | None, Decks] = {
        "good": good(20_000, 1),
        None: good(5_000, 2),
        "never far": never_far(2_000, 3),
        "swapped with any": swapped_with_any(20_000, 4),
        "kind to the first": kind_to_the_first(20_000, 5),
        "few seeds": few_seeds(5_000, 6),
    }
    with store(tmp_path / "s.duckdb", sources) as opened:
        found = verdicts(opened.cursor())
    assert found["good"] == found["None"] == []
    assert "cards" in found["never far"]
    assert "cards" in found["swapped with any"]
    assert found["kind to the first"] == ["cards", "points"]
    assert "repeats" in found["few seeds"]


def test_coinche_is_checked_with_its_own_pack_and_order(tmp_path: Path) -> None:
    decks: dict[str | None, Decks] = {"good": good(5_000, 1, 36), "sorted": np.sort(good(200, 2, 36), axis=1)}
    with store(tmp_path / "s.duckdb", decks, "coinche") as opened:
        found = verdicts(opened.cursor(), Scope("coinche", 4))
    assert found["good"] == []
    # by chance the first hand of a sorted pack has its fair share of points
    assert found["sorted"] == ["cards", "repeats"]


def test_belote_is_checked_by_the_order_in_which_each_match_deals(tmp_path: Path) -> None:
    """A deck whose first hand by 3-2-3 always has the ace of spades is found, a good one is not."""
    fixed = good(600, 1)
    for deck in fixed:
        ace = int(np.flatnonzero(deck == 7)[0])
        deck[[2, ace]] = deck[[ace, 2]]
    orders = ("contree", "classique", '{"preset": "contree", "dealing": "2-3-3"}')
    with store(tmp_path / "s.duckdb", {"good": good(6_000, 2), "fixed": fixed}, "belote") as opened:
        for place, rules in enumerate(orders):
            column = "options" if rules.startswith("{") else "preset"
            opened.connection.execute(
                f"UPDATE matches SET {column} = ? WHERE match_no % 3 = {place}", [rules]
            )
        opened.connection.execute("UPDATE matches SET preset = 'contree' WHERE preset IS NULL")
        frame = fairness.fairness_tests(opened.cursor(), Scope("belote", 4))
        found = verdicts(opened.cursor(), Scope("belote", 4))
    assert found == {"good": [], "fixed": ["cards", "points"]}
    # 31 × 3 degrees of freedom for eight cards each, 31 × 5 with five, the card turned up and the rest
    row = frame.row(by_predicate=(pl.col("source") == "good") & (pl.col("test") == "cards"), named=True)
    assert row["p"] == pytest.approx(chi2.sf(row["statistic"], 31 * (3 + 3 + 5)))


@pytest.mark.slow
def test_p_values_of_good_decks_are_uniform(tmp_path: Path) -> None:
    """An alarm at 1 % is then wrong once in a hundred, as it says."""
    sources: dict[str | None, Decks] = {f"s{seed}": good(400, seed) for seed in range(150)}
    with store(tmp_path / "s.duckdb", sources) as opened:
        frame = fairness.fairness_tests(opened.cursor(), Scope())
    for test in ("cards", "points"):
        p = [row["p"] for row in frame.iter_rows(named=True) if row["test"] == test]
        assert len(p) == 150
        assert kstest(p, "uniform").pvalue > 0.01
    assert frame["fair"].all()


@pytest.mark.slow
def test_a_source_with_few_deals_is_not_judged(tmp_path: Path) -> None:
    with store(tmp_path / "s.duckdb", {"few": good(fairness.MIN_DEALS - 1, 1)}) as opened:
        assert fairness.fairness_tests(opened.cursor(), Scope()).height == 0
        assert fairness.fairness_tests(opened.cursor(), Scope("chouineurs", 4)).height == 0


@pytest.mark.slow
def test_each_deal_that_is_not_tested_has_its_reason_and_stands_in_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """223 deals: 100 and 100 are tested, 18 too old, 2 not known, 3 of a source with few."""
    monkeypatch.setattr(fairness, "MAX_DEALS", 102)
    sources: dict[str | None, Decks] = {None: good(120, 1), "few": good(3, 2), "all": good(100, 3)}
    with store(tmp_path / "s.duckdb", sources) as opened:
        cursor, put = opened.cursor(), opened.connection
        # of the first source 18 are older than the newest 102; of these one deck has an unknown
        # card, and one could not be read
        put.execute("UPDATE deals SET deck = list_prepend(NULL, deck[2:]) WHERE match_no = 119")
        put.execute("UPDATE deals SET deck = NULL WHERE match_no IN (17, 118)")
        expected = {"older": 18, "hidden": 2, "few": 3}
        assert dict(fairness.exclusion_counts(cursor, CHOUINE).rows()) == expected
        tested = fairness.fairness_tests(cursor, CHOUINE).filter(test="cards").select("source", "n").rows()
        assert tested == [("all", 100), (None, 100)]  # and no deal is missing

        listed = fairness.untested_deals(cursor, CHOUINE, limit=100)
        why = dict(listed.select("match_id", "reason").rows())
        assert {one for one, reason in why.items() if reason == "hidden"} == {"119", "118"}
        assert {one for one, reason in why.items() if reason == "few"} == {
            f"{1_000_000 + k}" for k in range(3)
        }
        assert {one for one, reason in why.items() if reason == "older"} == set(map(str, range(18)))
        first = fairness.untested_deals(cursor, CHOUINE, limit=20)
        rest = fairness.untested_deals(cursor, CHOUINE, limit=20, offset=20)
        assert pl.concat([first, rest]).rows() == listed.rows()
        assert not fairness.exclusion_counts(cursor, Scope("chouineurs", 4)).height


@pytest.mark.slow
def test_a_deck_with_an_unknown_card_is_tested_nowhere(tmp_path: Path) -> None:
    known, unknown = good(100, seed=1), np.repeat(good(1, seed=2), 3, axis=0)
    unknown[:, 5] = 255
    sources: dict[str | None, Decks] = {"site": np.concatenate([known[:99], unknown, known[:1]])}
    with store(tmp_path / "part.duckdb", sources) as opened:
        cursor = opened.cursor()
        assert set(fairness.fairness_tests(cursor, CHOUINE)["n"]) == {100}
        assert fairness.examined_deals(cursor, CHOUINE, "site", limit=200).height == 100
        again = fairness.repeated_decks(cursor, CHOUINE)
        assert again.select("deck", "times").rows() == [(1, 2), (1, 2)]  # the one that is known


@pytest.mark.slow
def test_a_deal_without_a_date_is_left_out_once_days_are_asked_for(tmp_path: Path) -> None:
    with store(tmp_path / "s.duckdb", {"good": good(103, 1)}) as opened:
        cursor, put = opened.cursor(), opened.connection
        put.execute("UPDATE matches SET played_at = '2026-03-05T12:00:00Z' WHERE match_no > 1")
        put.execute("UPDATE matches SET played_at = '2026-02-01T12:00:00Z' WHERE match_no = 102")
        put.execute("UPDATE matches SET played_on = played_at::DATE")
        assert not fairness.exclusion_counts(cursor, CHOUINE).height
        march = Scope(since=date(2026, 3, 1))
        # the one of February is not asked for, and so is not left out
        assert fairness.exclusion_counts(cursor, march).rows() == [("undated", 2)]
        assert fairness.untested_deals(cursor, march)["match_id"].to_list() == ["1", "0"]
        assert set(fairness.fairness_tests(cursor, march)["n"]) == {100}


def test_parts_follow_the_deal() -> None:
    assert fairness.deck_parts("chouine", "lavardin", 2) == (0, 1) * 5 + (2,) + (3,) * 21  # CH-3
    threes = (0,) * 3 + (1,) * 3 + (2,) * 3 + (3,) * 3
    twos = (0,) * 2 + (1,) * 2 + (2,) * 2 + (3,) * 2
    assert fairness.deck_parts("coinche", "tournoi-2018", 4) == threes * 3  # CO-1
    assert fairness.deck_parts("belote", "classique", 4) == threes + twos + (4,) + (5,) * 11  # BE-4
    assert fairness.deck_parts("belote", "contree", 4) == threes + twos + threes
    other = '{"preset": "contree", "dealing": "2-3-3"}'
    assert fairness.deck_parts("belote", other, 4) == twos + threes + threes
    # rules that the game does not have are those of its first preset
    unknown = fairness.deck_parts("belote", '{"preset": "contree", "dealing": "8"}', 4)
    assert unknown == fairness.deck_parts("belote", "classique", 4)


def test_holm_s_own_example() -> None:
    # Holm (1979): the smallest p is multiplied by how many there are, the next by one less …
    assert fairness.holm_correction([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert fairness.holm_correction([0.5, 0.9]) == [1.0, 1.0]
    assert fairness.holm_correction([]) == []
