"""Drafts: kept under a secret, sent twice and counted once, never overwritten by another device."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingest.store import drafts, purge
from ingest.store.drafts import DraftConflict, DraftTooLong
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest

HEAD = {"game": "chouine", "players": [{"id": "lucie"}, {"id": "marcel"}]}
EXAMPLE = Path(__file__).parents[2] / "data" / "exemple-lavardin.json"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


def steps(store: Store, secret: str) -> tuple[str, ...]:
    draft = drafts.read_draft(store, secret)
    assert draft is not None
    return draft.steps


def test_the_same_steps_sent_twice_are_there_once(store: Store) -> None:
    secret = drafts.create_draft(store, HEAD)
    for _ in range(2):
        written = drafts.write_steps(store, secret, 0, ["8h", "9h"], 0, "a")
    assert (written.steps, written.version) == (("8h", "9h"), 1)
    drafts.write_steps(store, secret, 2, ["Jd"], 1, "a")
    drafts.write_steps(store, secret, 2, ["Jd", "Qc"], 1, "a")
    assert steps(store, secret) == ("8h", "9h", "Jd", "Qc")


@pytest.mark.slow
def test_another_device_adds_and_takes_nothing_away_unasked(store: Store) -> None:
    secret = drafts.create_draft(store, HEAD)
    drafts.write_steps(store, secret, 0, ["8h", "9h"], 0, "a")
    with pytest.raises(DraftConflict) as result:
        drafts.write_steps(store, secret, 0, ["7c"], 0, "b")
    assert result.value.draft.steps == ("8h", "9h")
    with pytest.raises(DraftConflict):
        drafts.write_steps(store, secret, 5, ["7c"], 1, "b")  # of steps nobody has
    assert drafts.write_steps(store, secret, 0, ["7c"], 1, "b").steps == ("7c",)  # who knows of them may
    with pytest.raises(DraftConflict):
        drafts.write_steps(store, secret, 2, [], 1, "a")


def test_no_secret_lies_in_the_store(store: Store) -> None:
    secret = drafts.create_draft(store, HEAD)
    [row] = store.cursor().execute("FROM drafts").fetchall()
    assert secret not in map(str, row)
    assert drafts.read_draft(store, secret + "x") is None


@pytest.mark.slow
def test_a_draft_nobody_changes_is_kept_for_ninety_days(store: Store) -> None:
    secret, other = drafts.create_draft(store, HEAD), drafts.create_draft(store, HEAD)
    drafts.write_steps(store, other, 0, ["8h"], 0, "a")
    long_ago = datetime.now(UTC) - timedelta(days=91)
    with store.transaction():
        cursor = store.connection
        cursor.execute("UPDATE drafts SET changed_at = ? WHERE steps = '[]'", [long_ago])
    assert drafts.read_draft(store, secret) is None
    assert steps(store, other) == ("8h",)
    drafts.create_draft(store, HEAD)
    [(count,)] = store.cursor().execute("SELECT count(*) FROM drafts").fetchall()
    assert count == 2


@pytest.mark.slow
def test_nothing_endless_is_kept(store: Store) -> None:
    secret = drafts.create_draft(store, HEAD)
    for more in (["x" * (drafts.MAX_STEP_CHARS + 1)], ["9h"] * (drafts.MAX_STEPS + 1)):
        with pytest.raises(DraftTooLong):
            drafts.write_steps(store, secret, 0, more, 0, "a")
    with pytest.raises(KeyError):
        drafts.write_steps(store, "no such secret", 0, ["8h"], 0, "a")


@pytest.mark.slow
def test_a_player_who_is_purged_is_in_no_draft(store: Store, tmp_path: Path) -> None:
    list(ingest(store, [EXAMPLE]))
    [(number, name)] = (
        store.cursor().execute("SELECT player_no, name FROM players ORDER BY player_no LIMIT 1").fetchall()
    )
    theirs = drafts.create_draft(store, {**HEAD, "players": [{"id": "x", "name": name}, {"id": "y"}]})
    other = drafts.create_draft(store, HEAD | {"players": [{"id": "x"}, {"id": "y"}]})
    purge.purge_player(store, number)
    with Store(tmp_path / "store.duckdb") as now:
        assert drafts.read_draft(now, theirs) is None
        assert drafts.read_draft(now, other) is not None
