"""Compile the kernels before the tests begin, each in one process only.

Numba keeps what it compiled in files. Two processes that compile the same function at the same
time may each write the other's file, and a clean clone has two that begin at once.
"""

import json
from io import BytesIO
from pathlib import Path

from filelock import FileLock


def warm(folder: Path, worker: int) -> None:
    """Play, check, explain, mend and solve a match of every game, each worker another first."""
    from engine.games import game_names
    from ingest.api import solve
    from ingest.autofix.search import find_edits
    from ingest.validate.slow_path import validate
    from schemas.simulated import simulate_season

    games = sorted(game_names())
    first = worker % len(games)
    texts = []
    for name in games[first:] + games[:first]:
        with FileLock(folder / f"{name}.lock"):
            (match,) = simulate_season(name, 1, 0)
            texts.append(json.dumps(match).encode())
            assert validate(texts[-1]).status == "legal"
            for _ in solve((f"{name}.json", BytesIO(texts[-1]))):
                pass
            match["deals"][0]["actions"].pop()
            find_edits(validate(json.dumps(match).encode()))
    with FileLock(folder / "road.lock"):
        _stored(folder / f"warm-{worker}.duckdb", b"\n".join(texts))


def _stored(path: Path, texts: bytes) -> None:
    """Everything else that is compiled: what reads texts in bulk, and what makes rows of them."""
    from ingest.store.factory import Store
    from ingest.store.ingest_files import ingest

    with Store(path) as store:
        (report,) = ingest(store, [("warm.jsonl", BytesIO(texts))])
    assert report.added == report.by_status["legal"]
    path.unlink()
