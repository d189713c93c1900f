"""`retourne revalidate`: outdated verdicts listed and refreshed, and what other rules would change."""

import shutil
from pathlib import Path

import pytest

from engine import RULES_VERSION
from engine.options import game_presets
from ingest.cli import revalidate as command
from ingest.store import arrow_rows, revalidate
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.fast_path import decode
from tests.ingest.conftest import FAUTES, Command, held_elsewhere

DATA = FAUTES.parent
SAMPLES = sorted(path for path in DATA.glob("*.json") if path.stem != "feuille-partielle")
"""Those recorded whole."""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the samples that ship, to be copied."""
    path = tmp_path_factory.mktemp("stores") / "samples.duckdb"
    with Store(path) as opened:
        list(ingest(opened, SAMPLES))
    return path


@pytest.fixture
def samples(stored: Path, retourne: Command) -> Path:
    """The same, in the store where commands look for it."""
    return Path(shutil.copy(stored, "retourne.duckdb"))


@pytest.fixture
def newer(samples: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The next version of the rules, after the samples were stored."""
    for module in (arrow_rows, revalidate, command):
        monkeypatch.setattr(module, "RULES_VERSION", RULES_VERSION + 1)
    return RULES_VERSION + 1


@pytest.mark.slow
def test_what_would_move_is_listed_with_its_players_and_counted(samples: Path, retourne: Command) -> None:
    before = samples.read_bytes()
    done = retourne("revalidate", "--preset", "regles-completes")
    assert (done.code, done.err) == (1, "")
    *listed, summary = done.out.splitlines()
    heads = [line.split("  ")[0] for line in listed if not line.startswith(" ")]
    assert heads == sorted(heads)
    assert len(heads) == 6
    at = listed.index("match-irregularites  Gaston – Marcel")
    assert listed[at + 1 : at + 4] == [
        "  deal 1 – legal → irregular",
        "  deal 1 – points 134, 156 → 184, 156",
        "  deal 1 – won by Marcel → Gaston",
    ]
    assert summary == (
        "Checked again: 9 · changed: 6 · legal → broken: 1 · legal → irregular: 5 · not concerned: 5"
    )
    assert samples.read_bytes() == before


@pytest.mark.slow
def test_what_would_move_comes_as_objects_too(samples: Path, retourne: Command) -> None:
    words = ("revalidate", "--set", "quinte=100", "--set", "parties=3", "--format", "jsonl")
    found = {item["log_id"]: item for item in retourne(*words, "--game", "chouine").objects}
    assert found["match-irregularites"]["players"] == ["Gaston", "Marcel"]
    change = {"field": "points", "deal_index": 0, "before": [134, 156], "after": [184, 156]}
    assert change in found["match-irregularites"]["changes"]
    assert set(found["match-lavardin"]) == {"match_id", "log_id", "game", "players", "changes"}


def test_rules_that_move_nothing_end_with_0(samples: Path, retourne: Command) -> None:
    done = retourne("revalidate", "--preset", "blam", "--lang", "fr")
    assert done.code == 0
    assert done.out == "Rencontres revérifiées\u00a0: 2 · changées\u00a0: 0 · non concernées\u00a0: 12\n"


@pytest.mark.slow
def test_old_verdicts_are_reported_by_version_and_refreshed(
    newer: int, samples: Path, retourne: Command
) -> None:
    dry = retourne("revalidate", "--dry-run")
    assert dry.code == 1
    assert dry.out == (
        f"Verdicts of rules version {newer - 1}: 14. This version: {newer}.\nChecked again: 14 · changed: 0\n"
    )
    for words in (("export", "--list"), ("ingest", SAMPLES[0])):
        hint = "Verdicts of an older version of the rules: 14. Refresh them: retourne revalidate\n"
        assert retourne(*words).err == hint
    done = retourne("revalidate")
    assert (done.code, done.out) == (0, "Checked again: 14 · changed: 0\n")
    again = retourne("revalidate", "--dry-run")
    assert (again.code, again.out) == (0, "No stored verdict is of an older version of the rules.\n")
    for options in (("--all",), ("--all", "--dry-run")):
        assert retourne("revalidate", *options).out.endswith("Checked again: 14 · changed: 0\n")
    assert retourne("export", "--list").err == ""


@pytest.mark.slow
def test_a_dry_run_lists_what_a_refresh_would_move_and_writes_nothing(
    newer: int, samples: Path, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quinte counts 100 at Lavardin from this version on."""
    monkeypatch.setitem(
        game_presets("chouine"), "lavardin", {**game_presets("chouine")["lavardin"], "quinte": 100}
    )
    decode.decoding_setup.cache_clear()
    before = samples.read_bytes()
    try:
        dry = retourne("revalidate", "--dry-run")
        objects = retourne("revalidate", "--dry-run", "--format", "jsonl").objects
        assert (dry.code, samples.read_bytes()) == (1, before)
        done = retourne("revalidate")
    finally:
        decode.decoding_setup.cache_clear()
    assert dry.out.splitlines()[1:] == done.out.splitlines()
    assert "match-irregularites" in done.out
    assert objects[0] == {"rules_version": newer - 1, "verdicts": 14}
    assert {one["log_id"] for one in objects[1:]} >= {"match-irregularites", "match-lavardin"}


@pytest.mark.slow
def test_old_verdicts_are_not_compared_with_other_rules(newer: int, retourne: Command) -> None:
    done = retourne("revalidate", "--preset", "lavardin")
    assert (done.code, done.raw) == (2, b"")
    assert "Refresh them first: retourne revalidate --store retourne.duckdb" in done.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--preset", "lavardin", "--all"), "--all and --dry-run are for refreshing verdicts"),
        (("--set", "quinte=100", "--dry-run"), "--preset and --set only list"),
        (("--game", "chouine"), "--game only works with --preset or --set."),
        (("--preset", "lavardin", "--game", "tarot"), "No such game: tarot. Known: chouine"),
        (("--preset", "lavardin", "--game", "coinche"), "Games that do: chouine."),
        (("--preset", "poker"), "No such preset: poker."),
        (("--set", "quinte=5000"), "quinte cannot be 5000. Possible: 0–1000."),
        (("--preset", "lavardin", "--set", "target=500"), "have no option target."),
        (("--store", "nowhere.duckdb"), "No store at nowhere.duckdb."),
    ],
)
def test_what_cannot_be_asked_ends_with_2_and_a_sentence(
    words: tuple[str, ...], sentence: str, samples: Path, retourne: Command
) -> None:
    done = retourne("revalidate", *words)
    assert (done.code, done.raw) == (2, b"")
    assert sentence in done.err
    assert not Path("nowhere.duckdb").exists()


@pytest.mark.slow
def test_a_store_in_use_is_reported(samples: Path, retourne: Command) -> None:
    with held_elsewhere(samples):
        for words in ((), ("--dry-run",), ("--preset", "lavardin")):
            done = retourne("revalidate", *words)
            assert (done.code, done.raw) == (2, b"")
            assert "in use by another program" in done.err
