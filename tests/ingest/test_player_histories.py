"""Whatever was merged, added, undone, split, deleted and renamed: figures follow from what stands."""

import json
import random
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from ingest.store import aliases, player_merges, trash
from ingest.store.factory import Store
from ingest.store.ingest_files import FileReport, ingest
from ingest.store.pseudonyms import mask_player
from ingest.store.revalidate import revalidate_matches
from tests.ingest.logs import documents
from tests.ingest.test_players import inconsistencies, rows

Alias = tuple[str, str]
ANA, BEA, PAUL, ANNE, OPPONENT = (
    *(("ana", "Ana"), ("bea", "Bea"), ("guest", "Paul"), ("guest", "Anne")),
    ("opponent", "Opponent"),
)
FIRST = (ANA, BEA, PAUL, ANNE, ("dan", "Dan"), ("zed", "Zed"))
LATER = (*FIRST, ("ANA", "Ana"), ("Guest", "PAUL"), ("bea ", "B."), ("Zed", "Zed"), ("dan", "Daniel"))
PEOPLE = """SELECT player_no, list_sort(list(DISTINCT a.player_id || ' ' || a.name)) AS person
    FROM aliases a SEMI JOIN seats USING (alias_no) GROUP BY player_no"""
STEPS = ("split", "delete", "rename", "undelete")
LOGS = documents(40)


def add(store: Store, number: int, *table: Alias) -> FileReport:
    """Add a match between players by (id, name)."""
    log = LOGS[number] | {"id": f"m{number}", "played_at": f"2026-03-{number % 28 + 1:02}T20:00:00+01:00"}
    log["players"] = [{"id": player, "name": name} for player, name in table]
    [report] = ingest(store, [(f"{number}.json", BytesIO(json.dumps(log).encode()))])
    assert report.added == 1
    return report


def figures(store: Store) -> list[Any]:
    """Return what every figure is counted from, by people and matches instead of their numbers."""
    found = rows(store, f"SELECT name, person FROM ({PEOPLE}) JOIN players USING (player_no) ORDER BY ALL")
    for table in aliases.PLAYED_TABLES:
        own = "player_no, alias_no" if table == "seats" else "player_no"
        found += rows(
            store,
            f"""SELECT log_id, person, t.* EXCLUDE (match_no, {own})
                FROM {table} t JOIN matches USING (match_no) JOIN ({PEOPLE}) USING (player_no)
                ORDER BY ALL""",
        )
    return found


def player(store: Store, alias: Alias) -> int:
    query = "SELECT player_no FROM aliases WHERE (player_id, name) = (?, ?)"
    [(number,)] = store.cursor().execute(query, alias).fetchall()
    return int(number)


def merge(store: Store, one: Alias, other: Alias) -> int | None:
    first, second = player(store, one), player(store, other)
    if first == second or player_merges.matches_together(store.cursor(), [first, second]):
        return None
    return player_merges.merge_players(store, first, [second])


def split(store: Store, one: Alias) -> int | None:
    done = player_merges.split_player(store, player(store, one), [one[1]])
    return done and done[0]


def rename(store: Store, one: Alias, name: str) -> int:
    return player_merges.rename_player(store, player(store, one), name)


class History:
    """A random sequence of what is done to players and matches."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store, self.draw = store, random.Random(seed)
        self.done: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = []
        for number, one in enumerate(FIRST):
            self.do(add, number, one, OPPONENT)

    def do(self, act: Callable[..., Any], *what: Any) -> None:
        """Do something, and remember what it returned."""
        self.done.append((act, what, act(self.store, *what)))

    def own(self, one: Alias) -> Alias:
        """Return the alias by whose id the player of another is shown, who is renamed."""
        query = """SELECT a.player_id, a.name FROM aliases a JOIN players p USING (player_no)
            WHERE player_no = ? ORDER BY a.player_id <> p.player_id, alias_no LIMIT 1"""
        [found] = self.store.cursor().execute(query, [player(self.store, one)]).fetchall()
        return found

    def step(self) -> None:
        """Do one thing, drawn by lot."""
        one, other = self.draw.sample(FIRST, 2)
        match self.draw.choice(("merge", "merge", "add", "add", "undo", *STEPS)):
            case "merge":
                self.do(merge, one, other)
            case "split":
                self.do(split, one)
            case "rename":
                self.do(rename, self.own(one), f"{one[1]} {len(self.done)}")
            case "add":
                first, second = self.draw.sample(LATER, 2)
                if first[0] != second[0]:
                    self.do(add, len(self.done), first, second)
            case "delete":
                added = "SELECT match_no FROM matches WHERE match_no >= ? ORDER BY 1"
                if found := self.store.cursor().execute(added, [len(FIRST)]).fetchall():
                    trash.delete_matches(self.store, self.draw.choice(found))
            case "undelete":
                if deletions := trash.list_deletions(self.store.cursor()):
                    trash.undelete_matches(self.store, deletions[0].number)
            case "undo":
                if changes := player_merges.list_changes(self.store.cursor()):
                    player_merges.undo_change(self.store, changes[0].number)

    def replay(self, store: Store) -> None:
        """Do again what still stands, in a new store."""
        standing = {change.number for change in player_merges.list_changes(self.store.cursor())}
        there = {log_id for (log_id,) in rows(self.store, "SELECT log_id FROM matches")}
        for act, what, result in self.done:
            if f"m{what[0]}" in there if act is add else result in standing:
                act(store, *what)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sample("1")
def test_figures_are_those_of_a_store_where_only_what_stands_was_done(tmp_path: Path, seed: int) -> None:
    with Store(tmp_path / "s.duckdb") as store, Store(tmp_path / "afresh.duckdb") as afresh:
        history = History(store, seed)
        for _ in range(12):
            history.step()
        at_two_seats = "SELECT match_no FROM seats GROUP BY match_no, player_no HAVING count(*) > 1"
        assert rows(store, at_two_seats) == []
        assert inconsistencies(store) == []
        history.replay(afresh)
        assert figures(store) == figures(afresh)


def test_a_match_of_two_merged_players_undoes_their_merge_and_says_so(tmp_path: Path) -> None:
    with Store(tmp_path / "s.duckdb") as store:
        for number, one in enumerate((ANA, BEA)):
            add(store, number, one, OPPONENT)
        assert merge(store, ANA, BEA) is not None
        report = add(store, 2, ANA, BEA)
        assert report.merges_undone == [["Ana", "Bea"]]
        assert player_merges.list_changes(store.cursor()) == []
        assert rows(store, "SELECT action FROM change_log ORDER BY change DESC LIMIT 1") == [("player-part",)]
        assert inconsistencies(store) == []


def test_a_merge_ends_when_a_deleted_match_of_both_comes_back(tmp_path: Path) -> None:
    with Store(tmp_path / "s.duckdb") as store:
        for number, table in enumerate(((ANA, OPPONENT), (BEA, OPPONENT), (ANA, BEA))):
            add(store, number, *table)
        deletion = trash.delete_matches(store, [2])
        assert deletion is not None
        assert merge(store, ANA, BEA) is not None
        trash.undelete_matches(store, deletion)
        assert player(store, ANA) != player(store, BEA)
        assert inconsistencies(store) == []


@pytest.mark.parametrize("change", ["merge", "split"])
def test_spellings_that_came_since_a_change_follow_its_undo(tmp_path: Path, change: str) -> None:
    with Store(tmp_path / "s.duckdb") as store:
        for number, one in enumerate((ANA, PAUL, ANNE)):
            add(store, number, one, OPPONENT)
        done = merge(store, ANA, PAUL) if change == "merge" else split(store, PAUL)
        add(store, 3, ("Guest", "PAUL"), OPPONENT)
        assert done is not None
        player_merges.undo_change(store, done)
        assert player(store, ("Guest", "PAUL")) == player(store, PAUL) == player(store, ANNE)
        assert inconsistencies(store) == []


def test_players_parted_from_a_masked_one_stay_masked(tmp_path: Path) -> None:
    with Store(tmp_path / "s.duckdb") as store:
        for number, one in enumerate((ANA, BEA)):
            add(store, number, one, OPPONENT)
        assert merge(store, ANA, BEA) is not None
        mask_player(store, player(store, ANA))
        [pair] = add(store, 2, ANA, BEA).merges_undone
        assert [name[:7] for name in pair] == ["Joueur "] * 2


def test_players_whose_ids_read_alike_are_two_at_a_table_and_the_same_elsewhere(tmp_path: Path) -> None:
    upper, lower = ("Zed", "Zed"), ("zed", "zed")
    with Store(tmp_path / "s.duckdb") as store:
        add(store, 0, upper, lower)
        people = [{"id": one[0], "name": one[1]} for one in (lower, upper)]
        swapped = json.dumps(LOGS[0] | {"id": "swapped", "players": people}).encode()
        [report] = ingest(store, [("swapped.json", BytesIO(swapped))])
        assert report.added == 1  # in each other's seat: another match
        add(store, 1, ("ZED", "Zed"), OPPONENT)
        seats = rows(store, "SELECT match_no, player_no FROM seats ORDER BY match_no, seat")
        assert seats == [(0, 0), (0, 1), (1, 1), (1, 0), (2, 0), (2, 2)]
        assert inconsistencies(store) == []


def test_a_merge_ends_when_new_rules_read_a_match_of_both(tmp_path: Path) -> None:
    with Store(tmp_path / "s.duckdb") as store:
        for number, table in enumerate(((ANA, OPPONENT), (BEA, OPPONENT), (ANA, BEA))):
            add(store, number, *table)
        with store.transaction():  # as rules store it that cannot read the match
            for of_seats in ("seats", "deal_seats", "match_seats"):
                store.connection.execute(f"DELETE FROM {of_seats} WHERE match_no = 2")
        assert merge(store, ANA, BEA) is not None
        for _ in revalidate_matches(store, all_matches=True):
            pass
        assert player(store, ANA) != player(store, BEA)
        assert rows(store, "SELECT count(DISTINCT player_no) FROM seats WHERE match_no = 2") == [(2,)]
        assert inconsistencies(store) == []
