"""A lake is asked what it was: the figures of a day, as far back as its states are kept."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingest.cli.common import CommandError
from ingest.cli.params import parse_time
from ingest.store import player_merges, pseudonyms, trash
from ingest.store.ingest_files import ingest
from ingest.store.lake.compaction import compact
from ingest.store.lake.store import local_time_text
from tests.ingest import postgres
from tests.ingest.conftest import Command
from tests.ingest.logs import documents, texts
from tests.ingest.test_lake_compact import STATES, later, opened

BEFORE, ALL = 6, 12


@pytest.fixture
def lake(server: postgres.Server, tmp_path: Path) -> str:
    """A lake that had some matches three days ago, and since then others, but the first one."""
    address = server.empty_lake(tmp_path / "lake")
    for part in (slice(0, BEFORE), slice(BEFORE, ALL)):
        file = tmp_path / f"{part.start}.jsonl"
        file.write_bytes(b"".join(one + b"\n" for one in texts(ALL)[part]))
        with opened(address) as store:
            list(ingest(store, [file]))
        if part.start == 0:
            later(address, 72, STATES)
    with opened(address) as store:
        number = store.find_match(documents(1)[0]["id"])
        assert number is not None
        trash.delete_matches(store, [number])
    return address


@pytest.fixture
def in_paris(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The clock of the machine is not that of UTC."""
    monkeypatch.setenv("TZ", "Europe/Paris")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def day(ago: int) -> str:
    return str((datetime.now() - timedelta(days=ago)).date())


def listed(retourne: Command, lake: str, *words: object) -> list[str]:
    done = retourne("export", "--list", "--store", lake, *words)
    assert done.code == 0, done.err
    return sorted(line.split("\t")[1] for line in done.out.splitlines())


def test_figures_of_a_day_stay_what_they_were(lake: str, retourne: Command) -> None:
    ids = [one["id"] for one in documents(ALL)]
    then = ("--at", day(2))
    assert listed(retourne, lake) == sorted(ids[1:])
    assert listed(retourne, lake, *then) == sorted(ids[:BEFORE])
    assert listed(retourne, lake, "--at", day(0)) == sorted(ids[1:])
    result = retourne("stats", "--store", lake, *then, "--format", "jsonl")
    assert sum(one["matches"] for one in result.objects) == 2 * BEFORE
    one = ("export", ids[0], "--store", lake)
    assert retourne(*one).code == 2
    assert retourne(*one, *then).raw == texts(1)[0]
    with opened(lake) as store:
        compact(store)
    assert listed(retourne, lake, *then) == sorted(ids[:BEFORE])
    assert retourne("stats", "--store", lake, *then, "--format", "jsonl").raw == result.raw


@pytest.mark.soak
def test_what_was_let_go_cannot_be_asked_and_says_since_when_it_can(
    lake: str, retourne: Command, in_paris: None
) -> None:
    with opened(lake) as store:
        oldest = compact(store, timedelta(days=1)).oldest
    for words in (["stats"], ["export", "--list"]):
        done = retourne(*words, "--store", lake, "--at", day(2))
        assert done.code == 2
        [since] = re.findall(r"the oldest one is of (\S+?)\.?\s", done.err)
        assert timedelta() <= datetime.fromisoformat(since).astimezone() - oldest < timedelta(seconds=1)
        again = retourne(*words, "--store", lake, "--at", since)
        assert again.code == 0, again.err
    compacted = retourne("lake", "compact", "--store", lake).out.rpartition(": ")[2].strip()
    assert compacted == since
    assert retourne("stats", "--store", lake, "--at", "1987-01-01").code == 2


@pytest.mark.soak
def test_who_is_masked_since_then_is_masked_in_the_past(lake: str, retourne: Command) -> None:
    player = documents(1)[0]["players"][0]
    words = ("export", "--logs", "--store", lake, "--at", day(2))
    assert player["name"].encode() in retourne(*words).raw
    with opened(lake) as store:
        ask = "SELECT player_no FROM players WHERE player_id = ?"
        [(number,)] = store.cursor().execute(ask, [player["id"]]).fetchall()
        pseudonyms.mask_player(store, number)
    for one in (words, ("export", "--list", *words[2:]), ("stats", *words[2:])):
        done = retourne(*one)
        assert done.code == 0, done.err
        assert player["name"] not in done.out
    assert b"Joueur" in retourne(*words, "--anonymous").raw


@pytest.mark.soak
def test_a_player_merged_with_a_masked_one_is_masked_in_the_past(lake: str, retourne: Command) -> None:
    with opened(lake) as store:
        names = "SELECT player_no, name FROM players WHERE player_no NOT IN ({})"
        opponents = "SELECT o.player_no FROM seats m JOIN seats o USING (match_no) WHERE m.player_no = 0"
        numbers = store.cursor().execute(names.format(opponents)).fetchall()
        (other, name), masked = numbers[0], 0
        player_merges.merge_players(store, masked, [other])
        pseudonyms.mask_player(store, masked)
    done = retourne("export", "--table", "players", "--at", day(3), "--store", lake)
    assert name not in done.out


def test_a_store_in_a_file_has_no_past(tmp_path: Path, club: Path, retourne: Command) -> None:
    assert retourne("ingest", club, "--store", "club.duckdb").code == 0
    done = retourne("stats", "--store", "club.duckdb", "--at", day(0))
    assert (done.code, "only a lake" in done.err) == (2, True)


@pytest.mark.soak
def test_nothing_is_written_to_the_past(lake: str, retourne: Command) -> None:
    done = retourne("stats", "--baseline", "--store", lake, "--at", day(0))
    assert (done.code, "remove --at" in done.err) == (2, True)
    done = retourne("stats", "--server", "http://localhost:1", "--at", day(0))
    assert (done.code, "--server" in done.err) == (2, True)


def test_a_day_is_its_last_moment_and_a_time_is_itself(in_paris: None) -> None:
    assert parse_time("2026-07-14") == datetime(2026, 7, 14, 21, 59, 59, 999999, UTC)
    assert parse_time("2026-07-14T18:30") == datetime(2026, 7, 14, 16, 30, tzinfo=UTC)
    assert parse_time("2026-07-14T18:30+00:00") == datetime(2026, 7, 14, 18, 30, tzinfo=UTC)
    assert parse_time(None) is None
    for text in ("yesterday", "2026-13-01", "9999-12-31", "2026-07-14T25:00"):
        with pytest.raises(CommandError):
            parse_time(text)


@pytest.mark.parametrize(
    ("at", "reported"),
    [
        (datetime(2026, 7, 14, 16, 30, tzinfo=UTC), "2026-07-14T18:30:00"),
        (datetime(2026, 7, 14, 16, 29, 59, 1, UTC), "2026-07-14T18:30:00"),
        # clocks went back at three: the first half past two, and the second one
        (datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "2026-10-25T02:30:00"),
        (datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "2026-10-25T02:30:00+01:00"),
    ],
)
def test_a_time_that_is_shown_can_be_asked_for(in_paris: None, at: datetime, reported: str) -> None:
    assert local_time_text(at) == reported
    found = parse_time(reported)
    assert found is not None
    assert timedelta() <= found - at < timedelta(seconds=1)
