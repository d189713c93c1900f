"""Copies equal their source, for every kind of store and after any interruption."""

import io
import json
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ingest.cli.maintenance import INDEPENDENTLY_PRESENT
from ingest.store import drafts, match_joins, player_merges, pseudonyms, purge, tokens, trash, webhooks
from ingest.store.factory import Store
from ingest.store.grants import read_grants
from ingest.store.ingest_files import ingest
from ingest.store.likely_duplicate_matches import likely_matches
from ingest.store.solve_job import solve_missing
from ingest.store.transfer import copy as transfer
from ingest.store.transfer.compare import compare_stores
from ingest.store.transfer.copy import copy_store
from ingest.store.verify import verify_store
from tests.ingest import postgres
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import documents, lines, texts
from tests.ingest.test_likely_duplicate_matches import result
from tests.ingest.test_player_histories import add
from tests.ingest.test_players import add_tables

pytestmark = pytest.mark.slow

SEATED = [player["id"] for player in documents(1)[0]["players"]]
HIDDEN, SHOWN = SEATED[:2]


def rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    return store.cursor().execute(query).fetchall()


def number_of(store: Store, player: str) -> int:
    return next(no for no, (id, _) in pseudonyms.known_names(store).items() if id == player)


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which something was done of all that is copied."""
    folder = tmp_path_factory.mktemp("rich")
    faults = [path.read_bytes() for path in sorted(FAUTES.glob("chouine/*.json"))[:12]]
    (folder / "club.jsonl").write_bytes(lines(20))
    (folder / "late.jsonl").write_bytes(b"".join(text + b"\n" for text in texts(24)[18:]))
    (folder / "faults.jsonl").write_bytes(
        b"".join(json.dumps(json.loads(text)).encode() + b"\n" for text in faults)
    )
    path = folder / "rich.duckdb"
    with Store(path) as store:
        list(ingest(store, [folder / f"{name}.jsonl" for name in ("club", "late", "faults")]))
        list(solve_missing(store))
        thrown = [store.find_match(one["id"]) for one in documents(7)[4:]]
        trash.delete_matches(store, [one for one in thrown if one is not None])
        pseudonyms.mask_player(store, number_of(store, HIDDEN))
        tokens.add_token(store, "Odette", tokens.Role.ADMIN)
        tokens.set_access(store, True)
        webhooks.add_webhook(store, "https://club.example/matches")
        drafts.create_draft(store, {"game": "chouine"})
    return path


@pytest.fixture(params=["file", "lake"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store is made, of either kind."""
    if request.param == "file":
        return str(tmp_path / "target.duckdb")
    server: postgres.Server = request.getfixturevalue("server")
    return server.lake(tmp_path / "target")


def copied(source: Path | str, target: Path | str) -> Any:
    """What a copy came to that is the same afterwards."""
    with Store(source, read_only=True) as one, Store(target) as other:
        came = copy_store(one, other)
        found = compare_stores(one, other)
        assert found.is_same, (found.missing, found.differing)
        assert [wrong for batch in verify_store(other) for wrong in batch.inconsistencies] == []
    return came


@pytest.fixture(scope="module")
def once_copied(rich: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("copied") / "twin.duckdb"
    copied(rich, path)
    return path


@pytest.fixture
def twin(once_copied: Path, tmp_path: Path) -> Path:
    """A copy of `rich` in a file of its own."""
    return Path(shutil.copy(once_copied, tmp_path / "twin.duckdb"))


@pytest.mark.sample("file")
def test_a_copy_has_all_and_a_copy_of_it_too(rich: Path, target: str, tmp_path: Path) -> None:
    first = copied(rich, target)
    back = copied(target, tmp_path / "back.duckdb")
    assert first == back
    assert (first.added, first.deleted, first.masked, first.drafts) == (33, 3, 1, 1)
    with Store(rich) as one, Store(tmp_path / "back.duckdb") as other:
        for table in ("matches", "deals", "seats", "findings", "endgame_seat_values", "files"):
            count = f"SELECT count(*) FROM {table}"
            assert rows(one, count) == rows(other, count) != [(0,)], table
        every = "SELECT match_no FROM matches ORDER BY match_id"
        assert [one.read_match_text(no) for (no,) in rows(one, every)] == [
            other.read_match_text(no) for (no,) in rows(other, every)
        ]
        deletion = trash.list_deletions(other.cursor())[0]
        assert (deletion.matches, deletion.files) == (3, ["club.jsonl", "late.jsonl"][:1])
        assert trash.undelete_matches(other, deletion.number) == (3, 0)


@pytest.mark.sample("file")
def test_the_same_copy_again_adds_nothing(rich: Path, target: str) -> None:
    copied(rich, target)
    with Store(target) as store:
        before = [rows(store, f"SELECT count(*) FROM {table}") for table in _TABLES]
    again = copied(rich, target)
    assert (again.added, again.already_stored, again.deleted, again.drafts) == (0, 33, 0, 0)
    with Store(target) as store:
        assert [rows(store, f"SELECT count(*) FROM {table}") for table in _TABLES] == before


_TABLES = ("matches", "raw", "files", "trash", "players", "masked", "drafts", "tokens", "audit")

_COPYING = """
import sys
from ingest.store.transfer import copy as run
from ingest.store.factory import Store
run.MATCHES_PER_BLOCK = 4
def said(done):
    print(done, flush=True)
    if done >= 12:
        sys.stdin.read()  # until it is killed
with Store(sys.argv[1], read_only=True) as one, Store(sys.stdin.readline().strip()) as other:
    run.copy_store(one, other, said)
"""


@pytest.mark.soak
def test_a_copy_that_was_killed_goes_on_where_it_was(rich: Path, target: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _COPYING, str(rich)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{target}\n")
    process.stdin.flush()
    while int(process.stdout.readline()) < 12:
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with Store(target) as store:
        [(there,)] = rows(store, "SELECT count(*) FROM matches")
    assert 12 <= there < 33
    came = copied(rich, target)
    assert (came.added, came.already_stored) == (33 - there, there)


@pytest.mark.sample("file")
def test_what_is_there_stays_and_is_counted_apart(
    rich: Path, target: str, tmp_path: Path, retourne: Command
) -> None:
    (tmp_path / "own.jsonl").write_bytes(b"".join(text + b"\n" for text in texts(30)[16:]))
    with Store(target) as store:
        list(ingest(store, [tmp_path / "own.jsonl"]))
        secret = tokens.add_token(store, "Marcel", tokens.Role.ADMIN)
        pseudonyms.mask_player(store, number_of(store, SHOWN))
        assert store.find_match(documents(1)[0]["id"]) is None
    done = retourne("copy", rich, target)
    assert (done.code, done.err) == (0, "")
    assert "Matches added: 25 · there already: 8" in done.out
    assert INDEPENDENTLY_PRESENT.format(n=8) in done.out
    assert "Tokens and who may read stay" in done.out
    assert "Pseudonyms stay" in done.out
    with Store(target) as store:
        granted = read_grants(store)
        assert granted.by_token(secret) is not None
        assert ([one.name for one in granted.tokens], granted.private) == (["Marcel"], False)
        for player in (HIDDEN, SHOWN):
            assert pseudonyms.is_masked(store.cursor(), number_of(store, player))
        assert rows(store, "SELECT count(*) FROM matches") == [(25 + 14,)]


@pytest.mark.sample("file")
def test_nobody_is_let_in_or_seen_while_a_copy_is_under_way(
    rich: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "MATCHES_PER_BLOCK", 4)
    seen = list[Any]()
    with Store(rich, read_only=True) as one, Store(target) as other:

        def look(done: int) -> None:
            names = [name for (name,) in rows(other, "SELECT player_id FROM players")]
            seen.append((tokens.is_private(other), HIDDEN in names, SHOWN in names))

        copy_store(one, other, look)
        assert seen[0] == (True, False, True)
        assert set(seen) == {(True, False, True)}
        assert len(seen) > 5
        assert [token.name for token in tokens.read_tokens(other)] == ["Odette"]
        assert webhooks.webhooks(other.cursor()) == []
        assert rows(other, "FROM sessions") == []


def test_what_was_purged_does_not_come_back(rich: Path, twin: Path) -> None:
    match = documents(1)[0]["id"]
    with Store(twin) as store:
        purge.purge_player(store, number_of(store, SHOWN), with_matches=True)
    with Store(twin) as store:
        number = store.find_match(match) or next(no for (no,) in rows(store, "SELECT match_no FROM matches"))
        purge.purge_matches(store, [number])
    with Store(twin) as store:
        [(left,)] = rows(store, "SELECT count(*) FROM matches")
    came = copied(rich, twin)
    assert came.added == 0 < came.purged
    with Store(twin) as store:
        assert rows(store, "SELECT count(*) FROM matches") == [(left,)]
    assert SHOWN.encode() not in twin.read_bytes()


@pytest.mark.sample("file")
def test_a_player_who_was_added_again_after_a_purge_is_copied(
    rich: Path, target: str, tmp_path: Path
) -> None:
    """Where the copy begins anew, nobody has purged anybody: the source has them on purpose."""
    source = tmp_path / "source.duckdb"
    copied(rich, source)
    again = next(one for one in documents(20)[7:] if SHOWN in [id["id"] for id in one["players"]])
    (tmp_path / "again.jsonl").write_bytes(json.dumps(again).encode())
    with Store(source) as store:
        purge.purge_player(store, number_of(store, SHOWN), with_matches=True)
    with Store(source) as store:
        list(ingest(store, [tmp_path / "again.jsonl"]))
        [(there,)] = rows(store, "SELECT count(*) FROM matches")
    came = copied(source, target)
    assert (came.added, came.purged) == (there, 0)
    # and who is purged there stays away from then on
    with Store(target) as store:
        purge.purge_player(store, number_of(store, SHOWN), with_matches=True)
    assert copied(source, target).purged == 1


def damaged(path: Path, statement: str) -> None:
    with Store(path) as store, store.transaction():
        store.connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE deal_seats SET points = points + 1 WHERE match_no = 3 AND deal_index = 0",
        "UPDATE seats SET player_no = 0 WHERE match_no = 7 AND seat = 2",
        "UPDATE matches SET preset = 'x' WHERE match_no = 2",
        "DELETE FROM findings WHERE match_no = (SELECT max(match_no) FROM findings)",
        "DELETE FROM raw WHERE match_no = 5",
    ],
)
@pytest.mark.sample(
    "UPDATE matches SET preset = 'x' WHERE match_no = 2", "DELETE FROM raw WHERE match_no = 5"
)
def test_a_difference_is_reported_and_is_an_error(
    rich: Path, twin: Path, retourne: Command, statement: str
) -> None:
    damaged(twin, statement)
    done = retourne("copy", rich, twin, "--quiet")
    assert (done.code, done.err) == (1, "")
    assert "The copy differs from the original. Matches: " in done.out
    [result] = retourne("copy", rich, twin, "--format", "jsonl").objects
    assert (result["same"], len(result["differing"]), result["missing"]) == (False, 1, {})
    assert [one["table"] for one in result["tables"] if not one["same"]] == [
        statement.split()[1 if statement[0] == "U" else 2]
    ]


@pytest.mark.parametrize("table", ["trash", "masked", "drafts"])
@pytest.mark.sample("masked")
def test_what_is_missing_is_reported_and_comes_with_the_next_copy(rich: Path, twin: Path, table: str) -> None:
    if table == "masked":
        with Store(twin) as store:
            pseudonyms.unmask_player(store, number_of(store, HIDDEN))
    else:
        damaged(twin, f"DELETE FROM {table}")
    with Store(rich, read_only=True) as one, Store(twin) as other:
        found = compare_stores(one, other)
        assert (found.is_same, [*found.missing]) == (False, [table])
    copied(rich, twin)


def test_matches_that_did_not_come_are_missing(rich: Path, twin: Path) -> None:
    with Store(twin) as store:
        trash.delete_matches(store, [1, 2])
        trash.empty_trash(store)
    with Store(rich, read_only=True) as one, Store(twin) as other:
        assert compare_stores(one, other).missing == {"matches": 2, "trash": 3}


@pytest.mark.soak
def test_two_copies_at_once_add_each_thing_once(
    rich: Path, lake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "MATCHES_PER_BLOCK", 8)
    with Store(rich, read_only=True) as one, Store(lake), Store(lake) as other, Store(lake) as last:
        both = [threading.Thread(target=copy_store, args=(one, store)) for store in (other, last)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        for table in ("matches", "raw", "files", "trash", "players", "masked", "drafts", "tokens"):
            count = f"SELECT count(*) FROM {table}"
            if table != "players":
                assert rows(one, count) == rows(last, count), table
        assert compare_stores(one, last).is_same


def test_a_store_is_not_copied_into_itself_nor_from_nowhere(
    rich: Path, retourne: Command, tmp_path: Path
) -> None:
    (tmp_path / "link.duckdb").symlink_to(rich)
    done = retourne("copy", rich, tmp_path / "link.duckdb")
    assert (done.code, "is both stores" in done.err) == (2, True)
    done = retourne("copy", tmp_path / "nothing.duckdb", tmp_path / "target.duckdb")
    assert (done.code, "No store at" in done.err) == (2, True)
    assert not (tmp_path / "target.duckdb").exists()


def test_a_store_that_is_not_whole_is_not_copied_as_if_it_were(
    twin: Path, tmp_path: Path, retourne: Command
) -> None:
    damaged(twin, "DELETE FROM raw WHERE match_no = 5")
    done = retourne("copy", twin, tmp_path / "target.duckdb")
    assert (done.code, "is not whole" in done.err) == (2, True)


@pytest.mark.parametrize("whole", ["source", "target"])
def test_a_match_that_goes_on_takes_the_place_of_its_beginning(tmp_path: Path, whole: str) -> None:
    [log] = documents(1)
    beginning = {key: value for key, value in log.items() if key != "result"} | {"deals": log["deals"][:1]}
    paths = {name: tmp_path / f"{name}.duckdb" for name in ("source", "target")}
    for name, path in paths.items():
        text = json.dumps(log if name == whole else beginning).encode()
        with Store(path) as store:
            list(ingest(store, [("one.json", io.BytesIO(text))]))
    with Store(paths["source"]) as source, Store(paths["target"]) as target:
        copy_store(source, target)
        assert rows(target, "SELECT deals FROM matches") == [(len(log["deals"]),)]
        assert rows(target, "SELECT count(*) FROM trash WHERE replaced_by IS NOT NULL") == [(1,)]
        assert compare_stores(source, target).is_same
        assert copy_store(source, target).added == 0
        assert [one for step in verify_store(target) for one in step.inconsistencies] == []


def test_what_was_answered_of_players_and_matches_goes_along(tmp_path: Path) -> None:
    with Store(tmp_path / "one.duckdb") as one, Store(tmp_path / "other.duckdb") as other:
        tables = (
            [("e1", "Élodie"), ("z", "Zoé")],
            [("e2", "Elodie"), ("z", "Zoé")],
            [("m", "Max"), ("n", "Maxime")],
        )
        add_tables(one, *tables)
        stored, merged = (number_of(one, player) for player in ("e1", "e2"))
        player_merges.merge_players(one, stored, [merged])
        player_merges.rename_player(one, number_of(one, "z"), "Zoé Petit")
        player_merges.declare_different(one, number_of(one, "z"), stored)
        for log in (result(("Martine", "Paul"), (3, 1)), result(("Paul", "Martine"), (1, 3))):
            list(ingest(one, [("sheet.json", io.BytesIO(json.dumps(log).encode()))]))
        [pair] = likely_matches(one.cursor())
        match_joins.declare_different(one, pair.match_id, pair.other_id)

        first, again = copy_store(one, other), copy_store(one, other)
        assert (first.answers, again.answers) == (6, 0)
        assert compare_stores(one, other).is_same
        shown = "SELECT name FROM players ORDER BY name"
        assert rows(other, shown) == rows(one, shown)
        assert likely_matches(other.cursor()) == []
        assert len(match_joins.list_answers(other.cursor())) == 1

        for store in (one, other):
            for change in player_merges.list_changes(store.cursor()):
                player_merges.undo_change(store, change.number)
        assert (
            rows(other, shown)
            == rows(one, shown)
            == [(name,) for name in ("Elodie", "Martine", "Max", "Maxime", "Paul", "Zoé", "Élodie")]
        )


def test_missing_answers_are_counted(tmp_path: Path) -> None:
    with Store(tmp_path / "one.duckdb") as one, Store(tmp_path / "other.duckdb") as other:
        add_tables(one, [("a", "Anne"), ("b", "Bob")])
        player_merges.declare_different(one, 0, 1)
        for log in (result(("Martine", "Paul"), (3, 1)), result(("Paul", "Martine"), (1, 3))):
            list(ingest(one, [("sheet.json", io.BytesIO(json.dumps(log).encode()))]))
        [pair] = likely_matches(one.cursor())
        match_joins.declare_different(one, pair.match_id, pair.other_id)
        copy_store(one, other)
        assert compare_stores(one, other).is_same
        missing = dict[str, int]()
        for table in ("different_players", "player_changes", "match_answers"):
            other.connection.execute(f"DELETE FROM {table}")
            missing[table] = 1
            assert compare_stores(one, other).missing == missing


def seats_of_one_player(store: Store) -> list[Any]:
    return rows(store, "SELECT match_no FROM seats GROUP BY match_no, player_no HAVING count(*) > 1")


ZOE, ZP, MARC = ("zoe", "Zoé"), ("zp", "ZP"), ("marc", "Marc")


@pytest.mark.parametrize("together", [True, False])
def test_a_merge_is_copied_unless_both_sit_at_one_table_of_the_target(tmp_path: Path, together: bool) -> None:
    with Store(tmp_path / "one.duckdb") as one, Store(tmp_path / "other.duckdb") as other:
        add(one, 0, ZOE, MARC)
        add(one, 1, ZP, MARC)
        player_merges.merge_players(one, number_of(one, "zoe"), [number_of(one, "zp")])
        add(other, 2, *((ZOE, ZP) if together else (ZP, MARC)))
        add(other, 3, ZOE, MARC)
        copied = copy_store(one, other)
        assert (copied.added, copied.answers) == (2, int(not together))
        people = {*rows(other, "SELECT player_no FROM aliases WHERE player_id IN ('zoe', 'zp')")}
        assert (len(people), seats_of_one_player(other)) == (1 + together, [])
        assert [found for step in verify_store(other) for found in step.inconsistencies] == []
        assert compare_stores(one, other).is_same


def test_a_copied_match_of_two_players_whom_the_target_merged_undoes_that(tmp_path: Path) -> None:
    with Store(tmp_path / "one.duckdb") as one, Store(tmp_path / "other.duckdb") as other:
        add(one, 0, ZOE, ZP)
        add(other, 1, ZOE, MARC)
        add(other, 2, ZP, MARC)
        player_merges.merge_players(other, number_of(other, "zoe"), [number_of(other, "zp")])
        assert copy_store(one, other).added == 1
        assert seats_of_one_player(other) == []
        assert [found for step in verify_store(other) for found in step.inconsistencies] == []


@pytest.mark.parametrize("known", [(0, 1), (1,), ()])
def test_that_two_results_are_one_match_is_so_in_the_target_too(
    tmp_path: Path, known: tuple[int, ...]
) -> None:
    logs = [result(("Martine", "Paul"), (3, 1)), result(("Paul", "Martine"), (1, 3))]
    with Store(tmp_path / "one.duckdb") as one, Store(tmp_path / "other.duckdb") as other:
        for store, some in ((one, (0, 1)), (other, known)):
            for place in some:
                list(ingest(store, [("sheet.json", io.BytesIO(json.dumps(logs[place]).encode()))]))
        [pair] = likely_matches(one.cursor())
        match_joins.join_matches(one, pair.other_no, pair.other_id, pair.match_id)
        assert copy_store(one, other).answers == 1
        assert rows(other, "SELECT match_id FROM matches") == [(pair.match_id,)]
        assert compare_stores(one, other).is_same
        match_joins.undo_answer(other, match_joins.list_answers(other.cursor())[0])
        assert len(rows(other, "SELECT match_id FROM matches")) == 2
