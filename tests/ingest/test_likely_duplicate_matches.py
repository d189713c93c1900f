"""Results and score sheets that two people typed are proposed as one match, never joined unasked."""

import json
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from ingest.store import match_joins
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import FileReport, ingest
from ingest.store.likely_duplicate_matches import LikelySame, likely_matches
from ingest.store.match_comparison import OnConflict, Relation
from ingest.store.match_versions import list_versions
from ingest.store.player_merges import declare_different, merge_players
from ingest.store.purge import purge_matches, purge_player
from ingest.store.trash import restore_version
from ingest.store.verify import verify_store
from schemas.simulated import simulate_season

Log = dict[str, Any]
PAIR = ("Martine Duval", "Gérard Petit")
FOUR = ("Lucie", "Gaston", "Odile", "Marcel")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "s.duckdb") as store:
        yield store


def result(players: Sequence[str], score: Sequence[int], game: str = "chouine", **keys: Any) -> Log:
    people = [{"id": one, "name": one} for one in players]
    at = "2026-04-12T20:00:00+02:00"
    log = {"format": "retourne/1", "game": game, "played_at": at, "players": people}
    return {**log, "result": {"score": [*score]}, **keys}


def add(store: Store, *logs: Log) -> FileReport:
    [report] = ingest(store, [("sheet.jsonl", BytesIO("\n".join(map(json.dumps, logs)).encode()))])
    assert report.added == len(logs)
    return report


def pairs(store: Store) -> list[tuple[int, int]]:
    return [(one.match_no, one.other_no) for one in likely_matches(store.cursor())]


def count(store: Store) -> int:
    return len(store.cursor().execute("SELECT 1 FROM matches").fetchall())


TYPED_AGAIN = {
    "other seats": (result(PAIR, (3, 1)), result(PAIR[::-1], (1, 3))),
    "initials": (result(PAIR, (3, 1)), result(("Gérard Petit", "M. Duval"), (1, 3))),
    "accents": (result(PAIR, (3, 1)), result(("MARTINE DUVAL", "Gerard Petit"), (3, 1))),
    "hour": (result(PAIR, (3, 1)), result(PAIR, (3, 1), played_at="2026-04-12T21:30:00+02:00")),
    "no difference but the event": (result(PAIR, (3, 1)), result(PAIR, (3, 1), event={"name": "Soirée"})),
    "sides and partners": (
        result(FOUR, (1480, 2010), "coinche"),
        result(("Marcel", "Odile", "Gaston", "Lucie"), (2010, 1480), "coinche"),
    ),
}


@pytest.mark.parametrize(("first", "again"), TYPED_AGAIN.values(), ids=TYPED_AGAIN)
def test_a_result_typed_by_two_people_is_proposed_as_one_match(store: Store, first: Log, again: Log) -> None:
    add(store, first)
    report = add(store, again)
    assert report.relations == {Relation.SAME_RESULT: 1}
    assert pairs(store) == [(0, 1)]


TWO_MATCHES = {
    "another score": result(PAIR, (3, 2)),
    "the other won": result(PAIR[::-1], (3, 1)),
    "another day": result(PAIR, (3, 1), played_at="2026-04-13T20:00:00+02:00"),
    "another player": result(("Martine Duval", "Gérard Grand"), (3, 1)),
    "another game": result(PAIR, (3, 1), "chouineurs"),
}


@pytest.mark.parametrize("other", TWO_MATCHES.values(), ids=TWO_MATCHES)
def test_other_results_are_not_proposed(store: Store, other: Log) -> None:
    add(store, result(PAIR, (3, 1)))
    assert add(store, other).relations == {}
    assert pairs(store) == []


def test_partners_who_changed_played_another_match(store: Store) -> None:
    add(store, result(FOUR, (1480, 2010), "coinche"))
    add(store, result(("Lucie", "Odile", "Gaston", "Marcel"), (1480, 2010), "coinche"))
    assert pairs(store) == []


def test_equal_results_of_one_file_are_several_matches(store: Store) -> None:
    same = [result(PAIR, (3, 1), event={"round": one}) for one in "12"]
    again = [result(PAIR[::-1], (1, 3), event={"round": one}) for one in "34"]
    assert add(store, *same).relations == {}
    assert add(store, *again).relations == {Relation.SAME_RESULT: 2}
    assert pairs(store) == [(0, 2), (1, 3)]


def test_two_ids_of_one_source_may_be_one_match(store: Store) -> None:
    add(store, result(PAIR, (3, 1), id="1", source={"name": "site"}))
    add(store, result(PAIR, (3, 1), id="2", source={"name": "site"}))
    assert pairs(store) == [(0, 1)]


def sheet(name: str) -> Log:
    return json.loads(Path("data/feuilles", f"{name}.json").read_bytes())


@pytest.mark.parametrize("game", ["chouine", "coinche", "chouineurs"])
def test_a_score_sheet_under_other_names_is_proposed_as_one_match(store: Store, game: str) -> None:
    log = sheet(game)
    add(store, log)
    people = [one | {"id": one["id"].upper() + " ", "name": one["name"].upper()} for one in log["players"]]
    report = add(store, log | {"id": "again", "source": {"name": "paper"}, "players": people})
    assert report.relations == {Relation.SAME_RESULT: 1}


@pytest.mark.parametrize("deal", [0, -1])
def test_a_sheet_of_which_one_deal_was_put_right_is_proposed(store: Store, deal: int) -> None:
    log = sheet("chouine")
    add(store, log)
    corrected = json.loads(json.dumps(log)) | {"id": "again", "source": {"name": "paper"}}
    points = corrected["deals"][deal]["points"]
    corrected["deals"][deal]["points"] = [points[0] + 1, points[1] - 1]
    report = add(store, corrected)
    assert report.relations == {Relation.SAME_RESULT: 1}


def test_sheets_with_other_deals_are_two_matches(store: Store) -> None:
    log = sheet("chouineurs")
    add(store, log)
    deals = [log["deals"][1], log["deals"][0], *log["deals"][2:]]
    add(store, log | {"id": "other", "source": {"name": "paper"}, "deals": deals})
    assert pairs(store) == []


def test_the_result_of_a_score_sheet_is_proposed_as_its_match(store: Store) -> None:
    log = sheet("coinche")
    add(store, log)
    keys = ("format", "game", "played_at", "players", "rules")
    add(store, {key: log[key] for key in keys if key in log} | {"result": {"score": [2030, 830]}})
    assert pairs(store) == [(0, 1)]


def test_matches_of_players_that_were_merged_are_proposed(store: Store) -> None:
    add(store, result(PAIR, (3, 1)))
    add(store, result(("Tina", "Gérard Petit"), (3, 1)))
    assert pairs(store) == []
    merge_players(store, 0, [2])
    assert pairs(store) == [(0, 1)]


def test_near_names_of_two_people_are_not_proposed(store: Store) -> None:
    add(store, result(PAIR, (3, 1)))
    add(store, result(("M. Duval", "Gérard Petit"), (3, 1)))
    assert pairs(store) == [(0, 1)]
    declare_different(store, 0, 2)
    assert pairs(store) == []


def proposed(store: Store) -> LikelySame:
    add(store, result(PAIR, (3, 1)))
    add(store, result(PAIR[::-1], (1, 3)))
    [one] = likely_matches(store.cursor())
    return one


def test_the_answer_that_two_matches_are_two_is_remembered_and_undone(store: Store) -> None:
    one = proposed(store)
    match_joins.declare_different(store, one.match_id, one.other_id)
    assert pairs(store) == []
    assert add(store, result(PAIR, (3, 1), event={"name": "again"})).relations == {Relation.SAME_RESULT: 1}
    [answer] = match_joins.list_answers(store.cursor())
    match_joins.undo_answer(store, answer)
    assert (pairs(store), match_joins.list_answers(store.cursor())) == ([(0, 1)], [])


@pytest.mark.parametrize("joined", [0, 1])
def test_matches_answered_to_be_one_count_once_until_it_is_undone(store: Store, joined: int) -> None:
    one = proposed(store)
    ids = (one.match_id, one.other_id)
    match_joins.join_matches(store, joined, ids[joined], ids[1 - joined])
    assert (count(store), pairs(store)) == (1, [])
    assert not [batch for batch in verify_store(store) if batch.inconsistencies]
    [answer] = match_joins.list_answers(store.cursor())
    match_joins.undo_answer(store, answer)
    assert (count(store), pairs(store), match_joins.list_answers(store.cursor())) == (2, [(0, 1)], [])


def test_a_match_joined_to_another_is_already_there(store: Store) -> None:
    one = proposed(store)
    match_joins.join_matches(store, one.other_no, one.other_id, one.match_id)
    again = BytesIO(json.dumps(result(PAIR[::-1], (1, 3))).encode())
    [report] = ingest(store, [("sheet.json", again)])
    assert (report.added, count(store)) == (0, 1)


def test_the_rest_of_a_sheet_joined_to_a_match_is_not_that_match(store: Store) -> None:
    add(store, result(PAIR, (3, 1)))
    add(store, *(result(PAIR[::-1], (1, 3), event={"round": one}) for one in "12"))
    [one] = likely_matches(store.cursor())
    match_joins.join_matches(store, one.other_no, one.other_id, one.match_id)
    assert pairs(store) == []


@pytest.mark.parametrize("player", [None, "Martine Duval"])
def test_answers_about_purged_matches_are_purged(tmp_path: Path, player: str | None) -> None:
    path = tmp_path / "p.duckdb"
    with Store(path) as store:
        one = proposed(store)
        match_joins.declare_different(store, one.match_id, one.other_id)
        add(store, result(("Lucie", "Marcel"), (3, 1)))
        add(store, result(("Marcel", "Lucie"), (1, 3)))
        [second] = likely_matches(store.cursor())
        match_joins.declare_different(store, second.match_id, second.other_id)
        assert len(match_joins.list_answers(store.cursor())) == 2
        if player is None:
            purge_matches(store, [one.match_no])
        else:
            purge_player(store, 0)
    with Store(path) as store:
        [left] = match_joins.list_answers(store.cursor())
    assert (left.match_id, left.other_id) == (second.match_id, second.other_id)


def three(store: Store) -> list[tuple[int, str]]:
    """Add one result three times; return number and id of each."""
    for players, score in ((PAIR, (3, 1)), (PAIR[::-1], (1, 3))):
        add(store, result(players, score))
    add(store, result(PAIR, (3, 1), event={"name": "Soirée"}))
    return store.cursor().execute("SELECT match_no, match_id FROM matches ORDER BY 1").fetchall()


def join(store: Store, one: tuple[int, str], other: tuple[int, str]) -> None:
    match_joins.join_matches(store, *one, other[1])


def version_ids(store: Store, one: tuple[int, str]) -> set[str]:
    return {version.match_id for version in list_versions(store.cursor(), one[1])}


def undo_last(store: Store) -> None:
    match_joins.undo_answer(store, match_joins.list_answers(store.cursor())[0])


def test_a_match_joined_to_one_that_was_joined_in_turn_is_already_there(store: Store) -> None:
    first, second, third = three(store)
    join(store, second, first)
    join(store, first, third)
    for players, score in ((PAIR, (3, 1)), (PAIR[::-1], (1, 3))):
        log = json.dumps(result(players, score)).encode()
        [report] = ingest(store, [("again.json", BytesIO(log))])
        assert (report.added, count(store)) == (0, 1)
    assert version_ids(store, third) == {first[1], second[1]}


def test_undoing_that_two_results_are_one_gives_back_own_earlier_versions(store: Store) -> None:
    first, second, third = three(store)
    join(store, second, first)
    join(store, first, third)
    undo_last(store)
    assert (version_ids(store, first), version_ids(store, third)) == ({second[1]}, set())
    undo_last(store)
    assert (count(store), version_ids(store, first)) == (3, set())


@pytest.mark.parametrize("joined", [0, 1])
def test_two_matches_stay_two_when_one_is_joined_to_a_third(store: Store, joined: int) -> None:
    every = three(store)
    third = every.pop()
    match_joins.declare_different(store, every[0][1], every[1][1])
    join(store, every[joined], third)
    assert pairs(store) == []
    undo_last(store)
    assert len(pairs(store)) == 1


def test_a_version_that_is_a_match_of_its_own_is_not_put_back(store: Store) -> None:
    logs = [result(PAIR, (3, 1), id="m", source={"name": "site"})]
    logs.append(logs[0] | {"result": {"score": [3, 2]}})
    for log, policy in zip(
        [*logs, logs[0]], (OnConflict.KEEP, OnConflict.REPLACE, OnConflict.BOTH), strict=True
    ):
        file = BytesIO(json.dumps(log).encode())
        [_] = ingest(store, [("site.json", file)], on_conflict=policy)
    was = store.cursor().execute("SELECT match_no, match_id FROM matches ORDER BY 1").fetchall()
    [version] = store.cursor().execute("SELECT change, match_no FROM trash").fetchall()
    with pytest.raises(StoreError, match="a match of its own"):
        restore_version(store, *version)
    assert was == store.cursor().execute("SELECT match_no, match_id FROM matches ORDER BY 1").fetchall()


@pytest.fixture
def log() -> Log:
    """A match with cards."""
    return json.loads(json.dumps(next(iter(simulate_season("chouine", 1, 3)))))


def result_of(store: Store, log: Log, unit: str = "score", **keys: Any) -> Log:
    """The result of a stored match, the first of the store, with other ids; `unit`: score or manches."""
    found = f"SELECT list({unit} ORDER BY seat) FROM seats WHERE match_no = 0"
    [(score,)] = store.cursor().execute(found).fetchall()
    players = [{"id": f"{one['id']}-2", "name": one.get("name", one["id"]).upper()} for one in log["players"]]
    head = {key: log[key] for key in ("format", "game", "rules", "played_at")}
    return head | {"players": players, "result": {"score": score}} | keys


@pytest.mark.parametrize(("log_first", "unit"), [(True, "score"), (False, "manches")])
def test_a_result_and_the_log_of_one_evening_are_proposed_as_one_match(
    store: Store, log: Log, log_first: bool, unit: str, tmp_path: Path
) -> None:
    with Store(tmp_path / "other.duckdb") as other:
        add(other, log)
        typed = result_of(other, log, unit)
    first, second = (log, typed) if log_first else (typed, log)
    assert add(store, first).relations == {}
    assert add(store, second).relations == {Relation.SAME_RESULT: 1}
    [one] = likely_matches(store.cursor())
    with_cards, without = (one.match_id, one.other_id) if log_first else (one.other_id, one.match_id)
    number = one.other_no if log_first else one.match_no
    change = match_joins.join_matches(store, number, without, with_cards)
    assert count(store) == 1
    [report] = ingest(store, [("again.json", BytesIO(json.dumps(typed).encode()))])
    assert (report.added, report.duplicates) == (0, 1)
    [answer] = match_joins.list_answers(store.cursor())
    assert answer.change == change
    match_joins.undo_answer(store, answer)
    assert pairs(store) == [(0, 1)]


def test_another_result_of_an_evening_with_a_log_is_another_match(store: Store, log: Log) -> None:
    add(store, log)
    typed = result_of(store, log)
    score = typed["result"]["score"]
    assert add(store, typed | {"result": {"score": score[::-1]}}).relations == {}
    assert pairs(store) == []


def test_a_log_joined_to_a_sheet_is_known_when_it_comes_again(store: Store, log: Log) -> None:
    add(store, log)
    add(store, result_of(store, log))
    [one] = likely_matches(store.cursor())
    match_joins.join_matches(store, one.match_no, one.match_id, one.other_id)
    [report] = ingest(store, [("again.json", BytesIO(json.dumps(log).encode()))])
    assert (report.added, report.duplicates) == (0, 1)
    assert count(store) == 1


@pytest.mark.parametrize("game", ["chouine", "coinche", "chouineurs"])
@pytest.mark.parametrize("names", [str, str.upper])
def test_a_sheet_that_is_stored_again_after_each_deal_is_proposed_and_not_joined(
    store: Store, game: str, names: Callable[[str], str]
) -> None:
    log = sheet(game)
    people = [one | {key: names(one[key]) for key in ("id", "name")} for one in log["players"]]
    parts = [
        {key: value for key, value in log.items() if key != "winner"}
        | {"id": f"{k}", "deals": log["deals"][:k]}
        for k in (2, 3)
    ]
    add(store, parts[0])
    report = add(store, parts[1] | {"players": people, "source": {"name": "paper"}})
    assert report.relations == {Relation.SAME_RESULT: 1}
    assert pairs(store) == [(0, 1)]
    add(store, log)  # the whole match goes on with both
    assert pairs(store) == [(1, 2)]


def test_a_sheet_that_is_the_beginning_of_a_match_with_cards_is_proposed(store: Store, log: Log) -> None:
    add(store, log)
    query = (
        "SELECT list(points ORDER BY seat) FROM deal_seats GROUP BY deal_index ORDER BY deal_index LIMIT 2"
    )
    first = [points for (points,) in store.cursor().execute(query).fetchall()]
    keys = ("format", "game", "played_at", "players", "rules")
    beginning = {key: log[key] for key in keys if key in log}
    add(store, beginning | {"deals": [{"points": points} for points in first]})
    assert pairs(store) == [(0, 1)]
    other = [{"points": points} for points in (first[0], first[1][::-1])]
    report = add(store, beginning | {"event": {"name": "other"}, "deals": other})
    assert report.relations == {}
