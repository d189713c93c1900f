"""One match is counted once, however often and however differently its log comes."""

import copy
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.store import match_joins, match_versions
from ingest.store.factory import Store
from ingest.store.ingest_files import FileReport, ingest
from ingest.store.match_comparison import OnConflict, Relation
from ingest.store.match_parts import proposed_matches
from ingest.store.trash import delete_matches, restore_version, undelete_matches, undo_upload
from ingest.store.verify import verify_store
from ingest.validate.slow_path import read_play, validate
from schemas.simulated import simulate_season

Log = dict[str, Any]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "s.duckdb") as store:
        yield store


@pytest.fixture
def log() -> Log:
    """A match of several deals."""
    found = json.loads(json.dumps(next(iter(simulate_season("chouine", 1, 3)))))
    return found | {"id": "evening-1", "source": {"name": "club"}}


def add(store: Store, *logs: Log, on_conflict: OnConflict = OnConflict.KEEP) -> FileReport:
    text = "\n".join(map(json.dumps, logs)).encode()
    [report] = ingest(store, [("logs.jsonl", io.BytesIO(text))], on_conflict=on_conflict)
    return report


def texts(store: Store) -> list[Log]:
    numbers = [
        number for (number,) in store.cursor().execute("SELECT match_no FROM matches ORDER BY 1").fetchall()
    ]
    return [json.loads(store.read_match_text(number)) for number in numbers]


def first_deals(log: Log, deals: int, acts: int | None = None) -> Log:
    """The log as it was saved after some deals, of which the last has some acts."""
    found = copy.deepcopy(log)
    found["deals"] = found["deals"][:deals]
    found.pop("result", None)
    if acts is not None:
        last = found["deals"][-1]
        last["actions"] = last["actions"][:acts]
        for key in ("times", "points", "winner"):
            last.pop(key, None)
    return found


DIFFERENT_LOGS: dict[str, tuple[Callable[[Log], Any], tuple[str, ...]]] = {
    "comment": (lambda log: log["deals"][0].update(comments=[{"after": 1, "text": "!"}]), ("comments",)),
    "source": (lambda log: log.update(source={"name": "elsewhere"}), ("source",)),
    "zone": (lambda log: log.update(played_at="2026-05-02T20:30:00+02:00"), ("played_at",)),
    "day": (lambda log: log.update(played_at="2025-09-04T23:00:00-13:00"), ("played_at",)),
    "name": (lambda log: log["players"][0].update(name="Other name"), ("players",)),
    "id": (lambda log: log.update(id="another"), ("id",)),
}


@pytest.mark.parametrize(("change", "keys"), DIFFERENT_LOGS.values(), ids=DIFFERENT_LOGS)
def test_the_same_match_is_counted_once_and_its_difference_is_reported(
    store: Store, log: Log, change: Callable[[Log], Any], keys: tuple[str, ...]
) -> None:
    add(store, log)
    other = copy.deepcopy(log)
    change(other)
    report = add(store, other)
    assert (report.added, report.duplicates) == (0, 1)
    [one] = report.related
    assert (one.duplicate.relation, one.duplicate.differences) == (Relation.SAME_MATCH, keys)
    assert one.duplicate.other_id == one.match_id
    assert texts(store) == [log]


ALIKE: dict[str, Callable[[Log], Any]] = {
    "one moment in another zone": lambda log: log.update(played_at="2026-05-02T18:30:00Z"),
    "a name in another Unicode form": lambda log: log["players"][0].update(name="E\u0301lodie"),
}


@pytest.mark.parametrize("change", ALIKE.values(), ids=ALIKE)
def test_what_people_read_alike_is_not_reported_as_a_difference(
    store: Store, log: Log, change: Callable[[Log], Any]
) -> None:
    log["players"][0]["name"] = "Élodie"
    add(store, log | {"played_at": "2026-05-02T20:30:00+02:00"})
    other = copy.deepcopy(log) | {"played_at": "2026-05-02T20:30:00+02:00"}
    change(other)
    [one] = add(store, other).related
    assert (one.duplicate.relation, one.duplicate.differences) == (Relation.SAME_MATCH, ())


def test_the_same_log_is_already_stored(store: Store, log: Log) -> None:
    add(store, log)
    report = add(store, log)
    assert (report.added, report.duplicates, report.related) == (0, 1, [])


def test_the_same_match_replaces_the_stored_one_where_it_is_to(store: Store, log: Log) -> None:
    add(store, log)
    other = log | {"event": {"name": "Tuesday"}}
    report = add(store, other, on_conflict=OnConflict.REPLACE)
    assert (report.added, report.replaced) == (1, 1)
    assert texts(store) == [other]
    [version] = match_versions.list_versions(store.cursor(), report.related[0].match_id)
    assert json.loads(version.text) == log


def test_the_same_match_is_stored_again_where_it_is_to_and_only_once(store: Store, log: Log) -> None:
    add(store, log)
    other = log | {"event": {"name": "Tuesday"}}
    assert add(store, other, on_conflict=OnConflict.BOTH).added == 1
    assert texts(store) == [log, other]
    again = add(store, log, other)
    assert (again.added, again.duplicates, again.related) == (0, 2, [])


def test_a_match_saved_after_each_deal_takes_the_place_of_its_beginning(store: Store, log: Log) -> None:
    saves = [first_deals(log, 1, 3), first_deals(log, 1), first_deals(log, 2), log]
    reports = [add(store, one) for one in saves]
    assert [report.relations for report in reports] == [{}, *[{Relation.CONTINUED: 1}] * 3]
    assert [report.replaced for report in reports] == [0, 1, 1, 1]
    assert texts(store) == [log]
    [(match_id,)] = store.cursor().execute("SELECT match_id FROM matches").fetchall()
    found = match_versions.list_versions(store.cursor(), match_id)
    assert [json.loads(one.text) for one in found] == saves[-2::-1]


def test_an_earlier_save_that_comes_later_is_already_there(store: Store, log: Log) -> None:
    add(store, log)
    report = add(store, first_deals(log, 2), first_deals(log, 1, 0))
    assert (report.added, report.duplicates) == (0, 2)
    assert report.relations == {Relation.BEGINNING: 2}
    assert texts(store) == [log]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_saves_in_one_file_are_one_match_in_any_order(store: Store, log: Log, order: tuple[int, ...]) -> None:
    saves = [first_deals(log, 1), first_deals(log, 2), log]
    report = add(store, *(saves[k] for k in order))
    assert (report.matches, report.added, report.duplicates, report.replaced) == (3, 1, 2, 0)
    assert report.relations == report.not_added == {Relation.BEGINNING: 2}
    assert {one.duplicate.other_id for one in report.related} == stored_ids(store)
    assert texts(store) == [log]


def stored_ids(store: Store) -> set[str]:
    return {match_id for (match_id,) in store.cursor().execute("SELECT match_id FROM matches").fetchall()}


def test_a_report_names_no_part_that_was_left_out_for_the_whole(store: Store, log: Log) -> None:
    parts = [last_deals(log, 1) | {"id": f"{deals} deals"} for deals in (1, 2)]
    parts = [first_deals(one, deals) for deals, one in enumerate(parts, 1)]
    add(store, parts[0])  # the second part takes its place, the whole that of both
    report = add(store, log, parts[0], parts[1], first_deals(log, 1))
    assert (report.added, report.duplicates, report.replaced) == (1, 3, 1)
    assert {one.duplicate.other_id for one in report.related} == stored_ids(store)
    assert texts(store) == [log]
    [match_id] = stored_ids(store)
    assert [json.loads(one.text) for one in match_versions.list_versions(store.cursor(), match_id)] == [
        parts[0]
    ]


def last_deals(log: Log, first: int) -> Log:
    """The log of another scorer who came later: the deals from one on, and the scores before it."""
    found, scores = copy.deepcopy(log), validate(json.dumps(log).encode()).scores
    found |= {"id": f"from {first}", "deals": found["deals"][first:], "start": {"score": scores[first - 1]}}
    return found


def test_the_last_deals_of_a_stored_match_are_already_there(store: Store, log: Log) -> None:
    add(store, log)
    before = [store.cursor().execute(f"FROM {table} ORDER BY ALL").fetchall() for table in ("seats", "trash")]
    for _ in range(2):
        report = add(store, last_deals(log, 1), last_deals(log, len(log["deals"]) - 1))
        assert (report.added, report.duplicates, +report.by_status) == (0, 2, {})
        assert report.relations == report.not_added == {Relation.PART: 2}
    now = [store.cursor().execute(f"FROM {table} ORDER BY ALL").fetchall() for table in ("seats", "trash")]
    assert (texts(store), now) == ([log], before)


def test_a_whole_match_takes_the_place_of_its_last_deals(store: Store, log: Log) -> None:
    part = last_deals(log, 1)
    assert add(store, part).relations == {}
    report = add(store, log)
    assert (report.added, report.replaced, report.relations) == (1, 1, {Relation.WHOLE: 1})
    [(match_id,)] = store.cursor().execute("SELECT match_id FROM matches").fetchall()
    assert [json.loads(one.text) for one in match_versions.list_versions(store.cursor(), match_id)] == [part]
    assert [one for step in verify_store(store) for one in step.inconsistencies] == []


def test_two_logs_that_have_some_same_deals_are_proposed(store: Store, log: Log) -> None:
    add(store, first_deals(log, 2))
    report = add(store, last_deals(log, 1))
    assert (report.added, report.relations) == (1, {Relation.OVERLAP: 1})
    assert [one.duplicate.relation for one in report.related] == [Relation.OVERLAP]
    report = add(store, log)
    assert (report.added, report.replaced, texts(store)) == (1, 2, [log])


def without_cards(log: Log) -> Log:
    """The log of a writer who noted the acts alone."""
    found = copy.deepcopy(log) | {"id": "acts"}
    for deal in found["deals"]:
        deal.pop("deck")
    return found


def test_stored_logs_that_may_be_one_match_are_listed_until_that_is_answered(store: Store, log: Log) -> None:
    named = first_deals(log, 1) | {"players": [{"id": "x"}, {"id": "y"}], "id": "other people"}
    reports = [add(store, one) for one in (log, without_cards(log), named)]
    assert [one.relations for one in reports[1:]] == [{Relation.OTHER_VIEW: 1}, {}]
    first, acts, people = (
        one for (one,) in store.cursor().execute("SELECT match_id FROM matches").fetchall()
    )

    def listed() -> list[tuple[Relation, str, str]]:
        return [(one, a.match_id, b.match_id) for one, a, b in proposed_matches(store.cursor())]

    assert listed() == [(Relation.OTHER_VIEW, first, acts), (Relation.OTHER_NAMES, first, people)]
    match_joins.declare_different(store, first, people)
    number = store.find_match(acts)
    assert number is not None
    match_joins.join_matches(store, number, acts, first)
    assert listed() == []


def from_the_other_seat(log: Log) -> Log:
    """The log of two players with the seats exchanged everywhere."""
    found = copy.deepcopy(log) | {"id": "turned", "players": log["players"][::-1]}
    for deal in found["deals"]:
        deal["dealer"] = 3 - deal["dealer"]
        deal["actions"] = [f"{3 - int(act[0])}{act[1:]}" for act in deal["actions"]]
        for key in ("points", "winner"):
            deal.pop(key, None)
    for key in ("result", "cuts"):
        found.pop(key, None)
    return found


def test_a_match_logged_from_the_other_seat_is_proposed(store: Store, log: Log) -> None:
    add(store, log)
    turned = from_the_other_seat(log)
    report = add(store, turned)
    assert (report.added, report.relations) == (1, {Relation.OVERLAP: 1})
    one, other = (read_play(json.dumps(some).encode()) for some in (log, turned))
    assert one is not None
    assert other is not None
    assert (one.is_turned(other), other.is_turned(one), one.is_turned(one)) == (True, True, False)


def test_another_play_under_one_id_is_a_conflict(store: Store, log: Log) -> None:
    add(store, log)
    other = copy.deepcopy(log)
    other["deals"] = other["deals"][1:]
    report = add(store, other)
    assert (report.added, report.duplicates, report.relations) == (0, 1, {Relation.CONFLICT: 1})
    assert texts(store) == [log]
    assert json.loads(report.related[0].text or b"") == other


@pytest.mark.parametrize(("on_conflict", "stored"), [(OnConflict.REPLACE, (1,)), (OnConflict.BOTH, (0, 1))])
def test_a_conflict_ends_as_it_is_decided(
    store: Store, log: Log, on_conflict: OnConflict, stored: tuple[int, ...]
) -> None:
    other = copy.deepcopy(log)
    other["deals"] = other["deals"][1:]
    add(store, log)
    report = add(store, other, on_conflict=on_conflict)
    assert (report.added, report.relations) == (1, {Relation.CONFLICT: 1})
    assert report.related[0].duplicate.decision is on_conflict
    assert texts(store) == [(log, other)[k] for k in stored]


def other_people(log: Log) -> Log:
    """Another play under the log's id, of people whom it does not have."""
    players = [{"id": f"{one['id']}-2", "name": "Stranger"} for one in log["players"]]
    return log | {"deals": log["deals"][1:], "players": players}


def people(store: Store) -> tuple[int, int]:
    """How many players and how many ids and names the store has, once it is found sound."""
    assert [one for step in verify_store(store) for one in step.inconsistencies] == []
    counts = "SELECT (SELECT count(*) FROM players), (SELECT count(*) FROM aliases)"
    [(players, aliases)] = store.cursor().execute(counts).fetchall()
    return players, aliases


def test_people_of_a_match_that_is_not_stored_become_no_players(store: Store, log: Log) -> None:
    add(store, log)
    assert add(store, other_people(log)).relations == {Relation.CONFLICT: 1}
    assert people(store) == (2, 2)
    spelled = copy.deepcopy(log)
    spelled["players"][0]["name"] = "Other name"
    assert add(store, spelled).relations == {Relation.SAME_MATCH: 1}
    assert people(store) == (2, 3)  # the new name finds the player too
    # who is in no match any more, since another has its place, is no player
    assert add(store, other_people(log), on_conflict=OnConflict.REPLACE).replaced == 1
    assert people(store) == (2, 2)
    assert add(store, log, on_conflict=OnConflict.REPLACE).replaced == 1
    # one file with a match of the same people that is stored
    report = add(store, other_people(log), other_people(log) | {"id": "another"})
    assert (report.added, people(store)) == (1, (4, 4))


def test_one_id_from_two_sources_or_of_other_players_is_no_conflict(store: Store, log: Log) -> None:
    other, bare, others = (log | {"deals": one["deals"]} for one in simulate_season("chouine", 3, 4))
    add(store, log)
    assert add(store, other | {"source": {"name": "another club"}}).added == 1
    for one in (bare, others):
        del one["source"]
    others["players"] = [{"id": f"{one['id']}-2"} for one in others["players"]]
    add(store, bare)
    report = add(store, others)
    assert (report.added, report.relations[Relation.CONFLICT]) == (1, 0)


def test_the_same_play_of_other_names_is_stored_and_proposed(store: Store, log: Log) -> None:
    add(store, log)
    other = copy.deepcopy(log) | {"id": "another"}
    other["players"] = [{"id": f"{one['id']}-2"} for one in other["players"]]
    report = add(store, other)
    assert (report.added, report.relations) == (1, {Relation.OTHER_NAMES: 1})


def test_a_replaced_id_leads_to_the_match_that_took_its_place(store: Store, log: Log) -> None:
    add(store, first_deals(log, 1) | {"id": "draft"})
    [(before,)] = store.cursor().execute("SELECT match_id FROM matches").fetchall()
    add(store, log)
    [(number, after)] = store.cursor().execute("SELECT match_no, match_id FROM matches").fetchall()
    assert before != after
    assert store.find_match(before) == store.find_match("draft") == store.find_match(after) == number
    assert store.find_match("dra") is None


def test_an_earlier_version_is_put_back_and_the_later_one_is_then_the_earlier(store: Store, log: Log) -> None:
    saves = [first_deals(log, 1), first_deals(log, 2), log]
    for one in saves:
        add(store, one)
    [(latest,)] = store.cursor().execute("SELECT match_id FROM matches").fetchall()
    first = match_versions.list_versions(store.cursor(), latest)[-1]
    assert restore_version(store, first.change, first.match_no) == [first.match_id]
    assert texts(store) == saves[:1]
    found = match_versions.list_versions(store.cursor(), first.match_id)
    assert [json.loads(one.text) for one in found] == [saves[2], saves[1]]
    assert [one for progress in verify_store(store) for one in progress.inconsistencies] == []


@pytest.mark.parametrize(
    ("deleted", "added"), [("start", "log"), ("log", "start"), ("end", "log"), ("log", "end")]
)
def test_a_deleted_match_that_comes_back_is_joined_to_what_was_stored_since(
    store: Store, log: Log, deleted: str, added: str
) -> None:
    logs = {"log": log, "start": first_deals(log, 2), "end": last_deals(log, 2)}
    add(store, logs[deleted])
    change = delete_matches(store, [0])
    assert change is not None
    add(store, logs[added])
    assert undelete_matches(store, change) == ((1, 0) if deleted == "log" else (0, 1))
    assert texts(store) == [log]
    [(whole,)] = store.cursor().execute("SELECT match_id FROM matches").fetchall()
    part = logs[deleted if added == "log" else added]
    assert [json.loads(one.text) for one in match_versions.list_versions(store.cursor(), whole)] == [part]
    assert [one for progress in verify_store(store) for one in progress.inconsistencies] == []


def test_a_version_that_is_put_back_is_joined_to_a_longer_log_stored_since(store: Store, log: Log) -> None:
    start, other = first_deals(log, 2), json.loads(json.dumps([*simulate_season("chouine", 2, 3)][1]))
    other |= {"id": log["id"], "source": log["source"]}
    add(store, start)
    add(store, other, on_conflict=OnConflict.REPLACE)
    add(store, log | {"id": "q", "source": {"name": "other"}})
    [(version,)] = store.cursor().execute("SELECT change FROM trash").fetchall()
    [(whole,)] = store.cursor().execute("SELECT match_id FROM matches WHERE log_id = 'q'").fetchall()
    assert restore_version(store, version) == [whole]
    assert len(texts(store)) == 1


def test_a_match_stored_again_is_sound(store: Store, log: Log) -> None:
    add(store, log)
    add(store, log | {"event": {"name": "Tuesday"}}, on_conflict=OnConflict.BOTH)
    assert [one for progress in verify_store(store) for one in progress.inconsistencies] == []


@pytest.mark.parametrize("how", ["comment", "correction", "longer", "saves"])
def test_an_upload_that_is_undone_gives_back_what_it_replaced(store: Store, log: Log, how: str) -> None:
    first = {
        "comment": log,
        "correction": json.loads(json.dumps([*simulate_season("chouine", 2, 3)][1]))
        | {"id": log["id"], "source": log["source"]},
        "longer": first_deals(log, 1),
        "saves": first_deals(log, 1),
    }[how]
    later = [first_deals(log, 2)] if how == "saves" else []
    add(store, first)
    for one in [*later, log | {"event": {"name": "Tuesday"}}]:
        add(store, one, on_conflict=OnConflict.REPLACE)
    after = texts(store)
    change = undo_upload(store, [1, 2])
    assert change is not None
    assert texts(store) == [first]
    assert undelete_matches(store, change) == (1, 0)
    assert texts(store) == after
    [(match_id,)] = store.cursor().execute("SELECT match_id FROM matches").fetchall()
    found = match_versions.list_versions(store.cursor(), match_id)
    assert [json.loads(one.text) for one in found][:1] == [first]
    assert [one for progress in verify_store(store) for one in progress.inconsistencies] == []
