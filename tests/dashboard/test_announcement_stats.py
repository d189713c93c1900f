"""Announcements against values worked out by hand from the sample logs."""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from dashboard.queries import announcements
from dashboard.queries.intervals import newcombe_interval, wilson_interval
from dashboard.queries.scope import Scope
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[2] / "data"


def sample(name: str) -> dict[str, Any]:
    """A log that ships."""
    document: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return document


def alone(name: str, deal: int, unsaid: str = "") -> dict[str, Any]:
    """One deal of a sample as a match of its own; an announcement is left out of its play."""
    document = sample(name)
    one = document["deals"][deal]
    one["actions"] = [action for action in one["actions"] if action != unsaid]
    for declared in ("points", "winner") if unsaid else ():
        del one[declared]
    remaining = {key: document[key] for key in ("format", "game", "rules", "played_at", "players")}
    return remaining | {"id": f"{name}-{deal}", "deals": [one]}


def fill(store: Store, *documents: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    text = "".join(json.dumps(document) + "\n" for document in documents)
    (report,) = ingest(store, [("club.jsonl", BytesIO(text.encode()))], on_conflict=OnConflict.BOTH)
    assert report.by_status == {"legal": len(documents)}
    return store.cursor()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "club.duckdb") as opened:
        yield opened


THREE = Scope(player_count=3)
FOUR = Scope(player_count=4)
"""The sample at three has five deals, so fifteen hands: three mariages in trump, all counted, and
three trentes, of which Lucie's of the third deal was never shown."""


@pytest.fixture
def three(store: Store) -> duckdb.DuckDBPyConnection:
    return fill(store, sample("match-a-trois"))


def facts(frame: pl.DataFrame, *columns: str) -> list[Any]:
    return frame.select(*columns, "held", "announced", "shown", "counted").rows()


def test_the_four_facts_of_the_sample_at_three(three: duckdb.DuckDBPyConnection) -> None:
    frame = announcements.announcement_frequencies(three, THREE)
    assert facts(frame, "kind", "trump", "n", "deals") == [
        ("mariage", True, 15, 5, 3, 3, 3, 3),
        ("trente", False, 15, 5, 3, 3, 2, 2),
    ]
    assert frame["points"].to_list() == [40, 30]
    assert frame.select("low", "high").rows() == [wilson_interval(3, 15), wilson_interval(2, 15)]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        # two of the mariages by the leader, one trente; ten tricks, the last three after the talon
        ("lead", [(False, 1, 2), (True, 2, 1)]),
        ("phase", [("closed", 0, 1), ("open", 3, 2)]),
        ("trick", [(1, 1, 1), (3, 1, 0), (5, 1, 0), (7, 0, 1), (8, 0, 1)]),
    ],
)
def test_ch_15_when_an_announcement_is_made_and_by_whom(
    three: duckdb.DuckDBPyConnection, key: str, expected: list[Any]
) -> None:
    frame = announcements.frequencies_by(three, THREE, key)
    assert set(frame["n"]) == {15}  # of all hands
    wide = frame.pivot("kind", index=key, values="announced").sort(key)
    assert wide.rows() == expected


def test_every_player_event_and_month_has_hands_of_its_own(three: duckdb.DuckDBPyConnection) -> None:
    players = announcements.frequencies_by(three, THREE, "player")
    assert facts(players.sort("kind", "player"), "kind", "player", "n") == [
        ("mariage", "Gaston", 5, 1, 1, 1, 1),
        ("mariage", "Lucie", 5, 0, 0, 0, 0),  # none is a figure too
        ("mariage", "Odile", 5, 2, 2, 2, 2),
        ("trente", "Gaston", 5, 1, 1, 1, 1),
        ("trente", "Lucie", 5, 1, 1, 0, 0),  # not shown (CH-17)
        ("trente", "Odile", 5, 1, 1, 1, 1),
    ]
    events = announcements.frequencies_by(three, THREE, "event")
    assert events.select("kind", "event", "n", "counted").rows() == [
        ("mariage", "Parties d’exemple", 15, 3),
        ("trente", "Parties d’exemple", 15, 2),
    ]
    months = announcements.frequencies_by(three, THREE, "month")
    assert [f"{month:%Y-%m}" for month in months["month"]] == ["2026-03"] * 2


def test_events_with_most_hands_come_first_and_none_is_one_of_them(store: Store) -> None:
    other = alone("match-a-trois", 0) | {"event": {"name": "Concours"}}
    cursor = fill(store, sample("match-a-trois"), other, alone("match-a-trois", 1))
    frame = announcements.frequencies_by(cursor, THREE, "event").filter(kind="mariage")
    assert frame["event"].to_list()[0] == "Parties d’exemple"
    assert sorted(frame.select("event", "n").rows(), key=str) == sorted(
        [("Parties d’exemple", 15), ("Concours", 3), (None, 3)], key=str
    )


def test_deals_won_with_an_announcement_and_without(three: duckdb.DuckDBPyConnection) -> None:
    # the trump mariage won in deals 1 and 2, lost in deal 3: 2 of 3; five deals have 5 winners
    # in 15 hands, so 3 of 12 without. A trente that counted won twice, the unshown one lost.
    counted = announcements.wins_with_announcements(three, THREE)
    columns = ("kind", "k", "n", "k_without", "n_without")
    assert counted.select(columns).rows() == [("mariage", 2, 3, 3, 12), ("trente", 2, 2, 3, 13)]
    assert counted["difference"][0] == pytest.approx(2 / 3 - 3 / 12)
    assert counted.select("low", "high").row(0) == newcombe_interval(2, 3, 3, 12)
    announced = announcements.wins_with_announcements(three, THREE, "announced")
    assert announced.select(columns).row(1) == ("trente", 2, 3, 3, 12)


def test_ch_24_a_null_partie_has_hands_but_nobody_who_won(store: Store) -> None:
    null = alone("match-lavardin", 2)  # 65 against 65
    cursor = fill(store, null, alone("match-lavardin", 1))
    assert set(announcements.announcement_frequencies(cursor, Scope())["n"]) == {4}
    (row,) = announcements.wins_with_announcements(cursor, Scope()).iter_rows(named=True)
    assert (row["k"], row["n"], row["k_without"], row["n_without"]) == (1, 1, 0, 1)


def test_what_was_missed_what_it_would_have_brought_and_turned(store: Store) -> None:
    cursor = fill(
        store,
        # 83 to 77 with a plain tierce, 53 to 77 without: its 30 points would have won
        alone("match-lavardin", 8, unsaid="1 tierce-h"),
        # 99 to 71 with the loser's mariage in trump; the jack drawn in the second trick makes it
        # a tierce, and 31 + 60 is less than 99
        alone("match-lavardin", 7, unsaid="2 mariage-d"),
        # 112 to 38 with a plain mariage, 92 to 38 without: won all the same
        alone("match-lavardin", 1, unsaid="1 mariage-c"),
        # a tierce in trump that was announced
        alone("match-lavardin", 11),
    )
    frame = announcements.missed_announcements(cursor, Scope())
    assert frame.select("kind", "trump", "n", "missed", "points", "lost", "would_have_won").rows() == [
        ("mariage", False, 1, 1, 20, 0, 0),
        ("tierce", False, 1, 1, 30, 1, 1),
        ("tierce", True, 2, 1, 60, 1, 0),
    ]
    assert frame.select("low", "high").row(2) == wilson_interval(1, 2)
    assert frame["would_have_won_share"].to_list() == [0, 1, 0]
    assert frame.select("would_have_won_low", "would_have_won_high").row(1) == wilson_interval(1, 1)


def test_ch_18_a_missed_chouine_turns_any_partie_that_was_lost(store: Store) -> None:
    # Marcel held K Q J of trump and said a mariage, then not even that: 51 to Odile's 79
    cursor = fill(store, alone("match-a-quatre", 4, unsaid="4 mariage-c"))
    (row,) = announcements.missed_announcements(cursor, FOUR).filter(kind="chouine").iter_rows(named=True)
    assert (row["missed"], row["lost"], row["would_have_won"], row["points"]) == (1, 1, 1, None)
    assert announcements.missed_announcements(cursor, FOUR).filter(kind="mariage")["missed"].sum() == 0


def test_ch_22_a_partie_lost_to_a_chouine_is_not_turned_by_points(store: Store) -> None:
    talon = "As Ac Ad Ts Tc Td Kc Kd Qc Qd Js Jc Jd 9s 9d 8s 8d 8h 7s 7d 9h 7h"
    document = alone("match-lavardin", 0)
    document["deals"] = [
        {
            "dealer": 2,
            "hands": ["Ks Qs 7c 8c 9c", "Ah Th Kh Qh Jh"],
            "talon": talon,
            "actions": ["1 7c", "2 chouine-h", "2 Ah"],
        }
    ]
    cursor = fill(store, document)
    # 0 + 20 points are more than 0, but points were not what decided
    row = announcements.missed_announcements(cursor, Scope()).row(0, named=True)
    assert (row["kind"], row["missed"], row["lost"], row["would_have_won"]) == ("mariage", 1, 1, 0)


def test_the_deals_behind_a_figure(three: duckdb.DuckDBPyConnection) -> None:
    def behind(*of: Any, limit: int = 25, offset: int = 0, **more: Any) -> list[Any]:
        row = announcements.RowHands(*of, **more)
        frame = announcements.deals_behind(three, THREE, row, limit, offset)
        return frame.select("deal_number", "player", "points", "won").rows()

    assert behind("trente", False) == [(4, "Odile", 108, True), (1, "Gaston", 155, True)]
    assert behind("trente", False, "announced", "phase", "open") == [
        (3, "Lucie", 46, False),
        (1, "Gaston", 155, True),
    ]
    assert behind("trente", False, "missed") == []
    month = announcements.frequencies_by(three, THREE, "month")["month"][0]
    assert len(behind("mariage", True, key="month", value=month)) == 3
    assert len(behind("mariage", True, limit=1, offset=2)) == 1


@pytest.mark.parametrize("word", ["player_no", "", "1; DROP TABLE deals"])
def test_only_known_facts_and_keys_are_asked_for(three: duckdb.DuckDBPyConnection, word: str) -> None:
    with pytest.raises(KeyError):
        announcements.frequencies_by(three, THREE, word)
    with pytest.raises(KeyError):
        announcements.wins_with_announcements(three, THREE, word)
    with pytest.raises(KeyError):
        announcements.deals_behind(three, THREE, announcements.RowHands("mariage", True, word))
