"""A player among peers, over time and compared with others: figures from a store."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import orjson
import polars as pl
import pytest

from dashboard.figures.peer_charts import places_figure
from dashboard.queries import (
    announcements,
    comparison,
    peers,
    periods,
    player_search,
    players,
    pooling,
    results,
)
from dashboard.queries.intervals import newcombe_interval
from dashboard.queries.scope import Scope
from dashboard.tables.peer_tables import COMPARISON_COLUMNS, changes_note
from dashboard.tables.profile import has_section
from dashboard.text.numbers import percent_text
from engine.games import game_names
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.pseudonyms import mask_player
from schemas.simulated import simulate_season
from tests.dashboard.plain_counts import Counted, every, in_announcing, regulars

CLUB = 26
SCOPE = Scope("coinche", 4)
FIRST_DAY = date(1970, 1, 1)
"""Before any match: with a first day, deals without a date do not count."""


def seated_anew(match: dict[str, Any], random: Random, size: int) -> dict[str, Any]:
    """The match as played by others: members of a club of this size, drawn at random."""
    members = random.sample(range(size), len(match["players"]))
    return match | {"players": [{"id": f"p{one}", "name": f"Member {one}"} for one in members]}


def club_store(path: Path, size: int, matches: int) -> Store:
    random, store = Random(5), Store(path)
    logs = [seated_anew(match, random, size) for match in simulate_season("coinche", matches, 3)]
    list(ingest(store, [("club.jsonl", BytesIO(b"\n".join(map(orjson.dumps, logs))))]))
    return store


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = club_store(tmp_path_factory.mktemp("club") / "club.duckdb", CLUB, 60)
    yield store
    store.close()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    store = club_store(tmp_path_factory.mktemp("small") / "small.duckdb", 8, 12)
    yield store.cursor()
    store.close()


def number_of(cursor: duckdb.DuckDBPyConnection, player_id: str) -> int:
    row = cursor.execute("SELECT player_no FROM players WHERE player_id = ?", [player_id]).fetchone()
    assert row is not None
    return int(row[0])


def row_of(frame: pl.DataFrame, figure: str, **more: Any) -> dict[str, Any]:
    return frame.filter(pl.col("figure") == figure, **more).row(0, named=True)


@every
def test_figures_are_those_of_the_profile(counted: Counted, scope: Scope) -> None:
    cursor, number = counted.cursor, counted.numbers[regulars(counted, scope)[0]]
    alike = peers.with_players_preset(cursor, scope, number)
    found = peers.place_among_peers(cursor, scope, number)
    won = results.win_results(cursor, alike, number).row(0, named=True)
    assert (row_of(found, "won")["k"], row_of(found, "won")["n"]) == (won["wins"], won["n"])
    averages = results.average_measures(cursor, alike, number)
    for measure in {"points", "card_points", "bonus"} & {*averages["measure"]}:
        wanted = averages.filter(measure=measure).row(0, named=True)
        own = row_of(found, measure)
        ends = (wanted["mean"], wanted["mean_low"], wanted["mean_high"])
        assert (own["value"], own["low"], own["high"]) == pytest.approx(ends)
    if has_section("announcements", scope.game):
        frequencies = announcements.announcement_frequencies(cursor, alike, number)
        counts = {(row["kind"], row["trump"]): row["counted"] for row in frequencies.iter_rows(named=True)}
        kinds = found.filter(figure="kind").select("kind", "trump", "k").rows()
        assert kinds
        assert all(counts.get((kind, trump), 0) == k for kind, trump, k in kinds)


def test_contracts_are_those_of_the_profile(club: Store) -> None:
    cursor = club.cursor()
    number = number_of(cursor, "p3")
    found = peers.place_among_peers(cursor, SCOPE, number)
    wanted = results.bid_contracts(cursor, SCOPE, number).row(0, named=True)
    made = row_of(found, "contracts_made")
    assert (made["k"], made["n"]) == (wanted["made"], wanted["decided"])
    assert row_of(found, "contracts")["k"] == wanted["taken"]


def test_peers_are_the_others_with_enough_deals(club: Store) -> None:
    cursor = club.cursor()
    row = row_of(peers.place_among_peers(cursor, SCOPE, number_of(cursor, "p3")), "won")
    enough = cursor.execute(
        "SELECT count(*) FROM (SELECT player_no FROM match_seats WHERE status = 'legal'"
        " GROUP BY player_no HAVING sum(decided) >= ?)",
        [peers.PEER_DEALS],
    ).fetchone()
    assert enough is not None
    assert row["peers"] == enough[0] - 1 >= peers.MIN_PEERS
    assert 0 <= row["place_low"] <= row["place_high"] <= 1


@pytest.mark.parametrize("least", [115, 1_000])
def test_the_list_the_profile_and_the_comparison_show_one_estimate(
    club: Store, monkeypatch: pytest.MonkeyPatch, least: int
) -> None:
    """Also for players with fewer deals than a peer, and if there is no peer."""
    monkeypatch.setattr(peers, "PEER_DEALS", least)
    cursor = club.cursor()
    scope = peers.with_players_preset(cursor, SCOPE, number_of(cursor, "p3")).without_sheets
    listed = dict(players.players_table(cursor, scope).select("player_no", "probable").rows())
    assert len(listed) == CLUB
    for number, probable in listed.items():
        own = row_of(peers.place_among_peers(cursor, scope, number), "won")
        assert own["probable"] == pytest.approx(probable, abs=1e-12)
    compared = comparison.compare_players(cursor, scope, [*listed][-4:]).filter(figure="won")
    assert compared["probable"].to_list() == pytest.approx([*listed.values()][-4:], abs=1e-12)


def test_a_player_is_compared_with_the_one_met_most(club: Store) -> None:
    cursor = club.cursor()
    number = number_of(cursor, "p3")
    # they met in three matches, p3 and any other in two at most
    labels = player_search.with_usual_companion(cursor, number, "coinche", 4)
    assert labels == ["Member 3", "Member 5"]
    assert player_search.with_usual_companion(cursor, number, "chouine", 2) == ["Member 3"]


def test_in_a_club_of_eight_no_place_is_given(small: duckdb.DuckDBPyConnection) -> None:
    found = peers.place_with_values(small, SCOPE, number_of(small, "p3"))
    assert found["peers"].max() == 7
    assert found["place_low"].null_count() == found.height
    assert found["probable"].null_count() == 0
    # a single dot could be a masked player's
    assert found["values"].to_list() == [[]] * found.height
    assert [list(trace.x) for trace in places_figure(found, "coinche").data] == [[]] * 3


def test_of_many_peers_all_are_counted_and_some_drawn(club: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    cursor = club.cursor()
    before = row_of(peers.place_with_values(cursor, SCOPE, number_of(cursor, "p3")), "won")
    monkeypatch.setattr(pooling, "MAX_FITTED", 21)
    monkeypatch.setattr(peers, "MAX_DOTS", 5)
    after = row_of(peers.place_with_values(cursor, SCOPE, number_of(cursor, "p3")), "won")
    assert after["peers"] == before["peers"] == CLUB - 1
    assert len(after["values"]) == 5
    assert {*after["values"]} <= {*before["values"]}
    for name in ("probable", "place_low", "place_high"):
        assert after[name] == pytest.approx(before[name], abs=0.1)


def test_the_values_of_peers_have_no_names(club: Store) -> None:
    cursor = club.cursor()
    number = number_of(cursor, "p3")
    found = peers.place_with_values(cursor, SCOPE, number)
    assert found.drop("values").equals(peers.place_among_peers(cursor, SCOPE, number))
    won = row_of(found, "won")
    assert won["values"] == sorted(won["values"])
    assert len(won["values"]) == won["peers"]
    # the ends of the scale are written under the strip
    [_, _, ends] = places_figure(found.filter(figure="won"), "coinche").data
    names = places_figure(found, "coinche", translator("fr", "dashboard")).layout.yaxis.ticktext
    assert "Points de cartes de<br>l’équipe" in names
    whole = [*won["values"], won["value"]]
    assert [*ends.text] == [
        percent_text(end, translator("en", "dashboard")) for end in (min(whole), max(whole))
    ]


@in_announcing
def test_each_figure_is_the_player_s_own_among_all_others(
    counted: Counted, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "MIN_PEERS", 2)
    monkeypatch.setattr(peers, "PEER_DEALS", 2)
    cursor, number = counted.cursor, min(counted.numbers[name] for name in regulars(counted, scope))
    found = peers.place_with_values(cursor, scope, number)
    compared = comparison.compare_players(cursor, scope, [number])
    assert found.select(*peers.FIGURE_KEYS, "probable").equals(
        compared.select(*peers.FIGURE_KEYS, "probable")
    )
    alike = peers.with_players_preset(cursor, scope, number)
    everyone = peers.player_counts(cursor, alike, [number]).partition_by(peers.FIGURE_KEYS, as_dict=True)
    placed = found.filter(pl.col("place_low").is_not_null())
    assert placed.height
    for row in placed.iter_rows(named=True):
        among = everyone[tuple(row[name] for name in peers.FIGURE_KEYS)]
        wanted = among.select(pl.coalesce("k", "total") / pl.col("n")).to_series().sort().to_list()
        assert sorted([*row["values"], row["value"]]) == pytest.approx(wanted)


def test_a_masked_player_counts_as_a_peer(tmp_path: Path) -> None:
    store = club_store(tmp_path / "masked.duckdb", CLUB, 40)
    number = number_of(store.cursor(), "p3")
    before = peers.place_with_values(store.cursor(), SCOPE, number)
    [_, often] = player_search.with_usual_companion(store.cursor(), number, "coinche", 4)
    pseudonym = mask_player(store, number_of(store.cursor(), f"p{often.removeprefix('Member ')}"))
    assert peers.place_with_values(store.cursor(), SCOPE, number).equals(before)
    [_, other] = player_search.with_usual_companion(store.cursor(), number, "coinche", 4)
    assert other not in {often, pseudonym}
    store.close()


def test_without_rules_the_player_s_own_count(counted: Counted) -> None:
    scope = Scope("chouine")
    number = counted.numbers[regulars(counted, scope)[0]]
    chosen = peers.with_players_preset(counted.cursor, scope, number)
    by_preset = results.win_results(counted.cursor, scope, number).filter(by="preset").sort("n")
    assert chosen.preset == by_preset["value"][-1]
    assert peers.with_players_preset(counted.cursor, replace(scope, preset="other"), number).preset == "other"


@every
def test_periods_add_up_to_the_whole(counted: Counted, scope: Scope) -> None:
    cursor, number = counted.cursor, counted.numbers[regulars(counted, scope)[0]]
    alike = peers.with_players_preset(cursor, replace(scope, since=FIRST_DAY), number)
    whole = peers.place_among_peers(cursor, alike, number)
    by_period = periods.figures_by_period(cursor, alike, number)
    sums = by_period.group_by(peers.FIGURE_KEYS, maintain_order=True).agg(
        pl.col("n").sum(), pl.col("k").sum()
    )
    counts = dict(zip(whole.select(peers.FIGURE_KEYS).iter_rows(), whole["n"], strict=True))
    assert {key: counts[key] for key in sums.select(peers.FIGURE_KEYS).iter_rows()} == dict(
        zip(sums.select(peers.FIGURE_KEYS).iter_rows(), sums["n"], strict=True)
    )


def test_a_season_begins_in_september() -> None:
    months = pl.DataFrame(
        {
            "month": ["2025-08-01", "2025-09-01", "2026-08-01"],
            "figure": ["won"] * 3,
            "kind": [None] * 3,
            "trump": [None] * 3,
            "n": [10, 20, 30],
            "k": [1, 2, 3],
            "total": [None] * 3,
            "squared": [None] * 3,
        },
        {"month": pl.String, **peers.COUNTS_SCHEMA},
    ).with_columns(pl.col("month").str.to_date())
    found = periods.summed_by_period(months.with_columns(period=periods.SEASON))
    assert found.select(pl.col("period").cast(pl.String), "n", "k").rows() == [
        ("2024-09-01", 10, 1),
        ("2025-09-01", 50, 5),
    ]


def counts_of(**columns: Any) -> pl.DataFrame:
    empty = {
        name: pl.Series(name, [None] * len(columns["n"]), kind) for name, kind in peers.COUNTS_SCHEMA.items()
    }
    return pl.DataFrame({**empty, **columns}, {**peers.COUNTS_SCHEMA, "period": pl.Int64})


def test_a_share_that_changed_is_found() -> None:
    matches = counts_of(period=[1] * 3 + [2] * 3, n=[10] * 6, k=[6, 7, 8, 3, 4, 5])
    # two groups 6 7 8 and 3 4 5 have F = 13.5, 1 and 4 degrees of freedom
    assert periods.change_p_value(matches) == pytest.approx(0.0213, rel=0.01)


def test_a_mean_that_changed_is_found() -> None:
    # two groups 4 8 12 and 12 16 20 have F = 6, 1 and 4 degrees of freedom
    matches = counts_of(
        period=[1] * 3 + [2] * 3, n=[4] * 6, total=[4.0, 8.0, 12.0, 12.0, 16.0, 20.0], squared=[0.0] * 6
    )
    assert periods.change_p_value(matches) == pytest.approx(0.0705, rel=0.01)


@pytest.mark.parametrize(
    "few", [{"n": [50, 50] * 2, "k": [25] * 4}, {"n": [50, 50, 50, 1, 1, 1], "k": [25] * 3 + [0] * 3}]
)
def test_periods_with_few_matches_or_deals_are_not_tested(few: dict[str, list[int]]) -> None:
    half = len(few["n"]) // 2
    assert np.isnan(periods.change_p_value(counts_of(period=[1] * half + [2] * half, **few)))


def test_the_correction_is_that_of_benjamini_and_hochberg() -> None:
    p = np.array([0.01, np.nan, 0.04, 0.03, 0.5])
    assert periods.corrected_p_values(p) == pytest.approx(
        [0.04, np.nan, 0.16 / 3, 0.16 / 3, 0.5], nan_ok=True
    )


def test_of_players_who_never_change_one_in_twenty_is_alarmed() -> None:
    random, alarms, players = np.random.default_rng(1), 0, 400
    for _ in range(players):
        period = np.repeat(np.arange(8), random.integers(3, 9, 8))
        n = random.integers(4, 16, len(period))
        # an opponent of each match, weak or strong, moves all figures of its deals
        opponent = random.normal(0, 0.15, len(period))
        figures = [
            counts_of(period=period, n=n, k=random.binomial(n, np.clip(share + opponent, 0.02, 0.98)))
            for share in (0.5, 0.3, 0.2, 0.6, 0.45)
        ]
        p = np.array([periods.change_p_value(figure) for figure in figures])
        alarms += bool((periods.corrected_p_values(p) < periods.ALARM).any())
    assert 0.02 <= alarms / players <= 0.07


def test_players_are_compared_with_the_first(club: Store) -> None:
    cursor = club.cursor()
    numbers = [number_of(cursor, name) for name in ("p3", "p5", "p7")]
    found = comparison.compare_players(cursor, SCOPE, numbers)
    won = found.filter(figure="won")
    assert won["player_no"].to_list() == numbers
    assert won["name"].to_list() == ["Member 3", "Member 5", "Member 7"]
    first, second, _ = won.rows(named=True)
    assert first["difference"] is None
    assert second["difference"] == pytest.approx(second["value"] - first["value"])
    ends = newcombe_interval(second["k"], second["n"], first["k"], first["n"])
    assert (second["difference_low"], second["difference_high"]) == pytest.approx(ends)


def test_means_differ_by_welch() -> None:
    one = {"value": 12.0, "k": None, "n": 16, "deviation": 4.0}
    other = {"value": 10.0, "k": None, "n": 9, "deviation": 3.0}
    # the error is √(16/16 + 9/9)
    assert comparison.difference_of(one, other) == pytest.approx((2, 2 - 1.96 * 2**0.5, 2 + 1.96 * 2**0.5))


def test_a_difference_of_shares_is_in_points() -> None:
    row = {"figure": "won", "k": 3, "difference": 0.239, "difference_low": -0.01, "difference_high": 0.48}
    texts = [column.cell(row, translator("fr", "dashboard")) for column in COMPARISON_COLUMNS[-2:]]
    assert texts == ["23,9 points", "\N{MINUS SIGN}1,0 – 48,0 points"]


def test_a_note_counts_the_figures_that_changed_or_says_why_none_was_tested() -> None:
    t = translator("en", "dashboard")
    keys = {"figure": ["won", "won", "points"], "kind": None, "trump": None, "period": [1, 2, 2]}

    def note(period: list[int], changed: list[bool | None]) -> str:
        return changes_note(pl.DataFrame(keys | {"period": period, "changed": changed}), t)

    assert note([1, 2, 2], [True, True, False]).startswith("Figures tested: 2; changed: 1. ")
    assert note([1, 2, 2], [False, False, None]) == "Figures tested: 1. None of them shows a change."
    assert note([1, 1, 1], [None] * 3).startswith("A change shows only between two months")
    assert note([1, 2, 2], [None] * 3).startswith("Too few deals to test for a change.")


def test_every_game_has_figures() -> None:
    assert {name: peers.figures_of(name)[:2] for name in game_names()} == {
        name: ["won", "points"] for name in game_names()
    }
