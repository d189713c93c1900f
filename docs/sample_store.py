"""Builds a small store in which everything has happened once, for the example queries of docs/tables.md."""

from pathlib import Path

from engine.games import game, game_names
from ingest.store import (
    baseline,
    drafts,
    match_joins,
    pseudonyms,
    ratings,
    sessions,
    sheet_mappings,
    solve_job,
    tokens,
    trash,
)
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.purge import purge_matches

DATA = Path(__file__).parents[1] / "data"
PURGED, DELETED, MASKED = 0, 1, 1
"""Numbers of a match that is purged, one that is deleted and a player who is masked."""


def fill(path: Path) -> None:
    """Make the store of the samples that ship, and do what its owner can do."""
    faulty = DATA / "fautes" / "chouine" / "must-follow.json"
    with Store(path) as store:
        list(ingest(store, [*sorted(DATA.glob("*.json")), DATA / "feuilles", faulty]))
        purge_matches(store, [PURGED])
    with Store(path) as store:
        trash.delete_matches(store, [DELETED])
        pseudonyms.mask_player(store, MASKED)
        ratings.refresh_ratings(store)
        list(solve_job.solve_missing(store))
        first = game_names()[0]
        preset = next(iter(game(first).options.PRESETS))
        baseline.simulate_baseline(
            store, baseline.SimulationRun(first, preset, game(first).players[0], deals=10)
        )
        one, other = (
            store.cursor().execute("SELECT match_id FROM matches ORDER BY match_no LIMIT 2").fetchall()
        )
        match_joins.declare_different(store, *one, *other)
        sessions.sign_in(store, tokens.add_token(store, "Lucie", tokens.Role.ADMIN))
        tokens.set_access(store, True)
        drafts.create_draft(store, {"game": first}, "page")
        sheet_mappings.remember_mappings(store, {"0" * 32: ("Coupe", f'{{"game": "{first}"}}')})
