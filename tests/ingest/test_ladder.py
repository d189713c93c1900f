"""The ladder: openskill's Plackett–Luce, in the order matches were played, however they came in."""

import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from openskill.models import PlackettLuce

from ingest.store import ratings as ladder
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.simulated import simulate_season
from tests.ingest.conftest import Command

pytestmark = pytest.mark.slow

Rating = tuple[float, float]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "club.duckdb") as opened:
        yield opened


def played(game: str = "chouine", count: int = 12, players: int = 2, **more: Any) -> list[Any]:
    """A season, each match on a day of its own."""
    documents = list(simulate_season(game, count, 5, players=players, **more))
    for day, document in enumerate(documents, start=1):
        document["played_at"] = f"2026-01-{day:02}T20:00:00Z"
    return documents


def add(store: Store, documents: Sequence[Any]) -> None:
    text = "".join(json.dumps(document) + "\n" for document in documents)
    for _ in ingest(store, [("club.jsonl", io.BytesIO(text.encode()))]):
        pass


def ratings(store: Store) -> dict[tuple[int, str], Rating]:
    """(place, player) → μ and σ after it."""
    rows = store.connection.execute(
        "SELECT match_index, player_id, mu, sigma FROM ratings JOIN players USING (player_no)"
    ).fetchall()
    return {(place, player): (mu, sigma) for place, player, mu, sigma in rows}


def last(store: Store) -> dict[str, Rating]:
    """Each player's rating today."""
    return {player: one for (_, player), one in sorted(ratings(store).items())}


def test_two_players_are_rated_as_openskill_rates_them(store: Store) -> None:
    documents = played()
    add(store, documents)
    assert ladder.refresh_ratings(store) == len(documents)
    model = PlackettLuce()
    known: dict[str, Any] = {}
    for document in documents:
        seats = [player["id"] for player in document["players"]]
        winner = document["result"]["winner"] - 1
        teams = [[known.get(player) or model.rating()] for player in seats]
        ranks = [1.0 if seat == winner else 2.0 for seat in range(2)]
        for player, (rating,) in zip(seats, model.rate(teams, ranks=ranks), strict=True):
            known[player] = rating
    expected = {player: (rating.mu, rating.sigma) for player, rating in known.items()}
    assert last(store) == expected


def test_partners_of_coinche_are_one_team(store: Store) -> None:
    (document,) = played("coinche", 1, 4)
    add(store, [document])
    ladder.refresh_ratings(store)
    model = PlackettLuce()
    winner = document["result"]["winner"]
    new = [[model.rating(), model.rating()], [model.rating(), model.rating()]]
    rated = model.rate(new, ranks=[1.0 if side == winner else 2.0 for side in (1, 2)])
    expected = {
        player["id"]: (rated[seat % 2][0].mu, rated[seat % 2][0].sigma)
        for seat, player in enumerate(document["players"])
    }
    assert last(store) == expected


@pytest.mark.parametrize(("game", "players"), [("chouine", 3), ("chouine", 4), ("chouineurs", 5)])
def test_more_than_two_are_ranked_by_their_scores_and_equals_share_a_rank(
    store: Store, game: str, players: int
) -> None:
    documents = played(game, 4, players)
    add(store, documents)
    ladder.refresh_ratings(store)
    rows = store.connection.execute(
        "SELECT match_index, list(rank ORDER BY seat) FROM ratings GROUP BY match_index ORDER BY match_index"
    ).fetchall()
    for document, (_, ranks) in zip(documents, rows, strict=True):
        score, winner = document["result"]["score"], document["result"]["winner"]
        assert ranks[winner - 1] == 1
        for one in range(players):
            for other in range(players):
                if winner - 1 not in (one, other):
                    assert (ranks[one] < ranks[other]) == (score[one] > score[other])


def test_the_same_matches_give_the_same_ratings_in_whatever_order_they_come(
    store: Store, tmp_path: Path
) -> None:
    documents = played()
    add(store, documents)
    ladder.refresh_ratings(store)
    with Store(tmp_path / "other.duckdb") as other:
        add(other, documents[::-1])
        ladder.refresh_ratings(other)
        assert last(other) == last(store)


def test_a_late_upload_recomputes_from_its_date(store: Store, tmp_path: Path) -> None:
    documents = played()
    late = documents.pop(8)
    add(store, documents)
    ladder.refresh_ratings(store)
    before = ratings(store)
    add(store, [late])
    assert ladder.stale_ladders(store) == {("chouine", "lavardin"): 8}
    assert ladder.refresh_ratings(store) == 4  # it, and the three that follow
    after = ratings(store)
    assert all(after[key] == one for key, one in before.items() if key[0] < 8)
    with Store(tmp_path / "fresh.duckdb") as fresh:
        add(fresh, [*documents[:8], late, *documents[8:]])
        ladder.refresh_ratings(fresh)
        assert ratings(fresh) == after


def test_a_match_that_is_gone_is_rated_no_more(store: Store, tmp_path: Path) -> None:
    documents = played()
    add(store, documents)
    ladder.refresh_ratings(store)
    removed = documents.pop(3)
    store.connection.execute("DELETE FROM matches WHERE log_id = ?", [removed["id"]])
    assert ladder.stale_ladders(store) == {("chouine", "lavardin"): 3}
    ladder.refresh_ratings(store)
    with Store(tmp_path / "fresh.duckdb") as fresh:
        add(fresh, documents)
        ladder.refresh_ratings(fresh)
        assert ratings(fresh) == ratings(store)


def test_each_game_and_preset_has_a_ladder_of_its_own(store: Store) -> None:
    add(store, [*played(), *played("chouine", 3, 2, rules="mondoubleau"), *played("coinche", 2, 4)])
    ladder.refresh_ratings(store)
    rows = store.connection.execute(
        "SELECT game, preset, max(match_index) + 1 FROM ratings GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    assert rows == [
        ("chouine", "lavardin", 12),
        ("chouine", "mondoubleau", 3),
        ("coinche", "tournoi-2018", 2),
    ]
    assert ladder.stale_ladders(store) == {}
    assert ladder.refresh_ratings(store) == 0


def test_only_legal_finished_dated_matches_are_rated(store: Store) -> None:
    undated, unfinished, wrong, good = played(count=4)
    del undated["played_at"]
    del unfinished["deals"][-1], unfinished["result"]
    wrong["result"]["score"][0] += 1
    add(store, [undated, unfinished, wrong, good])
    assert ladder.refresh_ratings(store) == 1
    assert {player for _, player in ratings(store)} == {one["id"] for one in good["players"]}


def test_progress_is_reported_up_to_the_last_match(store: Store) -> None:
    add(store, played())
    items: list[tuple[int, int]] = []
    ladder.refresh_ratings(store, lambda done, total: items.append((done, total)))
    assert items[-1] == (12, 12)


def test_openskill_s_own_figures_for_a_first_game() -> None:
    # two newcomers, one wins: what openskill's documentation prints for Plackett–Luce
    model = PlackettLuce()
    (winner,), (loser,) = model.rate([[model.rating()], [model.rating()]])
    assert (winner.mu, winner.sigma) == pytest.approx((27.635389493140497, 8.06590141354368))
    assert (loser.mu, loser.sigma) == pytest.approx((22.364610506859503, 8.06590141354368))


def test_what_comes_while_ratings_are_worked_out_waits_for_nobody_and_is_rated_next(store: Store) -> None:
    first, *others = played()
    add(store, others)

    def meanwhile(work: ladder.RateFunction, some: ladder.RatingWork) -> ladder.RatingResult:
        add(store, [first])
        return work(some)

    assert ladder.refresh_ratings(store, run_elsewhere=meanwhile) == 0
    assert ratings(store) == {}
    assert ladder.refresh_ratings(store) == len(others) + 1
    assert ladder.stale_ladders(store) == {}


def test_a_command_rates_what_another_left_when_it_was_killed(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "club.duckdb"
    left, more = played()[:6], played()[6:]
    with Store(path) as store:
        add(store, left)
    (tmp_path / "more.jsonl").write_text("".join(json.dumps(one) + "\n" for one in more))
    assert retourne("stats", "--ladder", "--store", path).code == 0  # it asks, and writes nothing
    with Store(path) as store:
        assert ratings(store) == {}
    assert retourne("ingest", tmp_path / "more.jsonl", "--store", path).code == 0
    with Store(path) as store:
        assert len(ratings(store)) == 2 * len(left + more)
    assert retourne("delete", more[0]["id"], "--store", path).code == 0
    with Store(path) as store:
        assert ladder.stale_ladders(store) == {}
        assert len(ratings(store)) == 2 * (len(left + more) - 1)
