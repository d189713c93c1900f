"""Stored losses in endgames, against slow reference solvers."""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from engine.options import resolve_options
from ingest.store import solve_job
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.simulated import simulate_season
from tests.reference import endgames

SHORT = {"parties": 3, "manches": 1}
PRESETS = ("lavardin", "mondoubleau", "regles-completes")
Losses = dict[tuple[str, int], tuple[int, ...] | None]
"""(match, deal from 0) → what each seat lost; None: it is not solved."""


def matches(preset: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
    rules = {"preset": preset, **SHORT} if preset != "regles-completes" else preset
    for number, document in enumerate(simulate_season("chouine", count, seed, rules, 2)):
        yield document | {"id": f"{preset}-{seed}-{number}"}


def slowly(document: dict[str, Any]) -> Losses:
    """The losses of each deal, by playing every closed phase in every way."""
    options = resolve_options("chouine", document["rules"], 2)
    deals = enumerate(document["deals"])
    return {(document["id"], at): endgames.lost(document, deal, options) for at, deal in deals}


def stored(path: Path, documents: list[dict[str, Any]]) -> Losses:
    """The same as a store has computed them."""
    text = "\n".join(map(json.dumps, documents)).encode()
    with Store(path) as store:
        list(ingest(store, [("all.jsonl", BytesIO(text))]))
        list(solve_job.solve_missing(store))
        rows = store.connection.execute(
            """
            SELECT m.log_id, d.deal_index, list(v.lost ORDER BY v.seat) FILTER (d.unsolved IS NULL)
            FROM endgame_values d JOIN matches m USING (match_no)
                LEFT JOIN endgame_seat_values v USING (match_no, deal_index)
            WHERE m.status = 'legal' GROUP BY ALL
            """
        ).fetchall()
    return {(log, deal): lost and tuple(lost) for log, deal, lost in rows}


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_stored_losses_are_those_of_playing_every_way(tmp_path: Path, preset: str) -> None:
    documents = list(matches(preset, 12 if preset != "regles-completes" else 3, 1))
    wanted: Losses = {}
    for document in documents:
        wanted |= slowly(document)
    assert stored(tmp_path / "store.duckdb", documents) == wanted
    assert sum(sum(lost) for lost in wanted.values() if lost) > 100


def tournaments(count: int, seed: int) -> Iterator[dict[str, Any]]:
    rules = {"preset": "tournoi-2018", "target": 300}
    for number, document in enumerate(simulate_season("coinche", count, seed, rules, 4)):
        yield document | {"id": f"coinche-{seed}-{number}"}


def openly(document: dict[str, Any]) -> Losses:
    """The losses of each deal of four, by playing the last five tricks in every way."""
    options = resolve_options(document["game"], document["rules"], 4)
    deals = enumerate(document["deals"])
    return {(document["id"], at): endgames.lost_openly(document, deal, options) for at, deal in deals}


@pytest.mark.soak
def test_stored_losses_of_coinche_are_those_of_playing_every_way(tmp_path: Path) -> None:
    documents = list(tournaments(4, 1))
    wanted: Losses = {}
    for document in documents:
        wanted |= openly(document)
    assert stored(tmp_path / "store.duckdb", documents) == wanted
    assert sum(sum(lost) for lost in wanted.values() if lost) > 50


@pytest.mark.soak
@pytest.mark.parametrize("preset", ["classique", "contree", "coinchee"])
def test_stored_losses_of_belote_are_those_of_playing_every_way(tmp_path: Path, preset: str) -> None:
    documents = list(simulate_season("belote", 2, 1, {"preset": preset, "target": 300}, 4))
    wanted: Losses = {}
    for document in documents:
        wanted |= openly(document)
    assert stored(tmp_path / "store.duckdb", documents) == wanted
    assert sum(sum(lost) for lost in wanted.values() if lost) > 50


@pytest.mark.soak
def test_stored_losses_of_two_hundred_matches_of_coinche(tmp_path: Path) -> None:
    documents = list(tournaments(200, 2))
    wanted: Losses = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for losses in pool.map(openly, documents, chunksize=5):
            wanted |= losses
    assert stored(tmp_path / "store.duckdb", documents) == wanted


@pytest.mark.soak
def test_stored_losses_of_ten_thousand_matches(tmp_path: Path) -> None:
    documents = [one for preset in PRESETS[:2] for one in matches(preset, 5000, 2)]
    wanted: Losses = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for losses in pool.map(slowly, documents, chunksize=20):
            wanted |= losses
    found = stored(tmp_path / "store.duckdb", documents)
    assert len(found) > 30_000
    assert found == wanted
