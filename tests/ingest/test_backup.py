"""Backups: made while the store is open, read again before they count, put back with undo."""

import errno
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.i18n import translator
from ingest.store import backup as copies
from ingest.store import pseudonyms, tokens, trash, wal
from ingest.store import server_hosts as server_file
from ingest.store.backup import backup, restore_backup, table_checksums
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.purge import purge_matches
from ingest.store.restore_policy import RestoreCarryOver
from ingest.store.tokens import Role
from schemas import migrations as tables
from tests.ingest.conftest import Command, held_elsewhere
from tests.ingest.logs import lines, texts
from tests.shared import another

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "club.duckdb"
    with Store(path) as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
        trash.delete_matches(store, [5])
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    """A store of five matches, and one in the trash."""
    return Path(shutil.copy(made, tmp_path / "club.duckdb"))


def held(path: Path) -> dict[str, tuple[int, int]]:
    with Store(path, read_only=True) as store:
        return table_checksums(store.cursor())


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def message_of(error: StoreError) -> str:
    return error.message(translator("en"))


# backup


def test_a_backup_is_the_store_and_what_comes_later_is_not_in_it(path: Path) -> None:
    target = path.with_name("backup.duckdb")
    heard = list[float]()
    with Store(path) as store:
        assert backup(store, target, heard.append) == 5
        before = table_checksums(store.cursor())
        list(ingest(store, [("one.json", BytesIO(texts(7)[6]))]))
    assert heard == sorted(heard)
    assert (heard[0] > 0, heard[-1]) == (True, 1)
    assert held(target) == before != held(path)
    assert names(path.parent) == ["backup.duckdb", "club.duckdb"]
    with Store(path) as store:  # the next one takes its place
        assert backup(store, target) == 6
    assert held(target) == held(path)


def test_a_backup_has_what_a_reader_keeps_out_of_the_file(path: Path) -> None:
    with Store(path) as store:
        reader = store.cursor()
        reader.execute("SELECT p.name FROM players p, range(100000)").fetchone()
        pseudonyms.mask_player(store, 0)
        assert wal.wal_path(path).exists()
        backup(store, path.with_name("backup.duckdb"))
        reader.close()
    assert held(path.with_name("backup.duckdb")) == held(path)


def test_the_owner_still_owns_the_store_after_a_backup(path: Path) -> None:
    """A process that closes a file it has locked has it no longer, by the rules of POSIX."""
    steal = "import sys, duckdb; duckdb.connect(sys.argv[1])"
    with Store(path) as store:
        backup(store, path.with_name("backup.duckdb"))
        other = subprocess.run(
            [sys.executable, "-c", steal, str(path)], capture_output=True, text=True, check=False
        )
    assert "Could not set lock" in other.stderr


def test_what_is_there_already_is_replaced_only_by_its_like(path: Path) -> None:
    letter = path.with_name("letter.txt")
    letter.write_text("Dear members, …")
    with Store(path) as store:
        for target, result in ((letter, "another kind of file"), (path, "the store itself")):
            before = target.read_bytes()
            with pytest.raises(StoreError) as caught:
                backup(store, target)
            assert result in message_of(caught.value)
            assert target.read_bytes() == before
    assert names(path.parent) == ["club.duckdb", "letter.txt"]


def test_an_earlier_backup_is_replaced_unasked_and_another_store_on_request(
    path: Path, retourne: Command
) -> None:
    earlier, ahead, other, letter = (path.with_name(name) for name in ("a", "b", "c", "letter"))
    for copy in (earlier, ahead):
        shutil.copy(path, copy)
    with Store(ahead) as store:  # a copy that was worked with
        trash.delete_matches(store, [0])
    another(other)
    letter.write_text("Dear members, …", encoding="utf-8")
    with Store(path) as store:
        pseudonyms.mask_player(store, 0)
    assert retourne("backup", earlier, "--store", path).code == 0
    assert held(earlier) == held(path)
    for target, result in (
        (ahead, "is not an earlier backup of this store, or has data that this store lacks"),
        (other, "is not an earlier backup of this store"),
        (letter, "is another kind of file"),
    ):
        before = target.read_bytes()
        done = retourne("backup", target, "--store", path)
        assert (done.code, result in done.err) == (2, True)
        assert target.read_bytes() == before
        assert retourne("backup", target, "--store", path, "--force").code == 0
        assert held(target) == held(path)


def in_use(other: Path, until: ExitStack) -> str:
    until.enter_context(held_elsewhere(other))
    return "is a store that another program has open"


def left(other: Path, until: ExitStack) -> str:
    wal.wal_path(other).write_bytes(b"what was written last")
    return "or left before its end"


def served(other: Path, until: ExitStack) -> str:
    server_file.server_file_path(other).write_text("{}", encoding="utf-8")
    return f"If the server has stopped, remove {server_file.server_file_path(other)}"


@pytest.mark.parametrize("how", [in_use, left, served])
def test_a_store_in_use_is_never_replaced_by_a_backup(
    path: Path, retourne: Command, how: Callable[[Path, ExitStack], str]
) -> None:
    """A copy of the store would be replaced unasked, as any earlier backup."""
    other = Path(shutil.copy(path, path.with_name("other.duckdb")))
    before = other.read_bytes()
    with ExitStack() as until:
        result = how(other, until)
        for more in ((), ("--force",)):
            done = retourne("backup", other, "--store", path, *more)
            assert (done.code, result in done.err) == (2, True), done.err
    assert other.read_bytes() == before


def test_nothing_lies_where_a_store_has_its_journal(path: Path, retourne: Command) -> None:
    done = retourne("backup", wal.wal_path(path), "--store", path, "--force")
    assert (done.code, "belongs to one" in done.err) == (2, True)
    assert names(path.parent) == ["club.duckdb", "here"]


def test_backups_of_another_store_of_the_same_name_are_not_thinned(
    path: Path, tmp_path: Path, retourne: Command
) -> None:
    other = tmp_path / "other" / path.name
    other.parent.mkdir()
    with Store(another(other)) as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
    folder = tmp_path / "backups"
    folder.mkdir()
    theirs, ours = dated(folder, "2020-01-01", "2020-01-02")
    shutil.copy(other, theirs)
    shutil.copy(path, ours)
    done = retourne("backup", f"{folder}/", "--keep-last", 1, "--store", path)
    assert "Older backups removed: 1" in done.out
    assert (theirs.exists(), ours.exists()) == (True, False)


def test_a_store_keeps_its_backups_after_a_purge(path: Path, retourne: Command) -> None:
    """It is written anew then, and is the same store."""
    with Store(path) as store:
        backup(store, path.with_name("a.duckdb"))
        purge_matches(store, [0])
    assert retourne("backup", path.with_name("a.duckdb"), "--store", path).code == 0
    assert held(path.with_name("a.duckdb")) == held(path)


def test_a_copy_that_is_not_the_store_is_no_backup(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that were lost on their way, and a disk that gives others than it took."""
    target = path.with_name("backup.duckdb")
    copy: Any = copies._copy_store_file

    def cut(source: int, path: Path, part: Path, progress: Any) -> None:
        copy(source, path, part, progress)
        os.truncate(part, part.stat().st_size // 2)

    def stale(source: int, path: Path, part: Path, progress: Any) -> None:
        shutil.copy(old, part)

    with Store(path) as store:
        backup(store, target)
        whole, old = target.read_bytes(), path.with_name("old.duckdb")
        shutil.copy(target, old)
        list(ingest(store, [("one.json", BytesIO(texts(7)[6]))]))
        for spoil in (cut, stale):
            monkeypatch.setattr(copies, "_copy_store_file", spoil)
            with pytest.raises(StoreError) as caught:
                backup(store, target)
            assert "differs from the store" in message_of(caught.value)
    assert target.read_bytes() == whole
    assert names(path.parent) == ["backup.duckdb", "club.duckdb", "old.duckdb"]


def test_a_nightly_backup_keeps_the_last_ones_of_its_own(
    retourne: Command, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nights = iter(range(1, 9))

    class Nights(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> "Nights":
            return cls(2026, 11, next(nights), 3, 15)

    monkeypatch.setattr("ingest.cli.maintenance.datetime", Nights)
    folder = path.with_name("backups")
    other = folder / "club-2026-11-01.duckdb"
    for night in range(4):
        done = retourne("backup", f"{folder}/", "--keep-last", "2", "--store", path)
        assert done.code == 0, done.err
        assert "Matches: 5" in done.out
        assert ("removed: 1" in done.out) == (night > 1)
        other.write_text("of somebody else")
    remaining = ["club-2026-11-03-031500.duckdb", "club-2026-11-04-031500.duckdb"]
    assert names(folder) == [other.name, *remaining]
    done = retourne("backup", path.with_name("one.duckdb"), "--keep-last", "2", "--store", path)
    assert (done.code, "--keep-last needs a folder" in done.err) == (2, True)


@pytest.mark.parametrize("word", ["backup", "restore"])
def test_a_store_that_somebody_has_is_reported_with_the_page_that_makes_backups(
    retourne: Command, path: Path, word: str
) -> None:
    backup_of = shutil.copy(path, path.with_name("other.duckdb"))
    before = path.read_bytes()
    with held_elsewhere(path):
        done = retourne(word, backup_of, "--store", path)
    assert done.code == 2
    assert "“Data” makes a backup" in done.err
    assert path.read_bytes() == before


# restore


def test_a_backup_comes_back_and_what_stood_there_is_kept(retourne: Command, path: Path) -> None:
    saved = path.with_name("saved.duckdb")
    assert retourne("backup", saved, "--store", path).code == 0
    before = held(path)
    with Store(path) as store:
        trash.delete_matches(store, [0, 1, 2])
    later = held(path)
    done = retourne("restore", saved, "--store", path)
    assert done.code == 0, done.err
    assert held(path) == before == held(saved)
    (remaining,) = (one for one in path.parent.iterdir() if "-before-" in one.name)
    assert held(remaining) == later
    undo = done.out.splitlines()[-1].partition("retourne ")[2].split()
    assert undo == ["restore", str(remaining), "--store", str(path)]
    assert retourne(*undo).code == 0
    assert held(path) == later


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.sample("False")
def test_two_in_a_second_keep_what_stood_there_each(
    path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """At no moment is there nothing at the store's place, on whatever file system."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    def move(part: Path, target: Path) -> None:
        assert target.exists()
        os.replace(part, target)

    class Noon(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> "Noon":
            return cls(2026, 11, 22, 12)

    if not links:
        monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(copies, "datetime", Noon)
    monkeypatch.setattr(copies, "replace_durably", move)
    saved = Path(shutil.copy(path, path.with_name("saved.duckdb")))
    before = list[dict[str, tuple[int, int]]]()
    remaining = list[Path | None]()
    for number in (0, 1):
        with Store(path) as store:
            trash.delete_matches(store, [number])
        before.append(held(path))
        remaining.append(restore_backup(path, saved).old_store)
    assert [one and one.name for one in remaining] == [
        "club-before-2026-11-22-120000.duckdb",
        "club-before-2026-11-22-120000-2.duckdb",
    ]
    assert [held(one) for one in remaining if one] == before


def test_a_backup_is_as_private_as_its_store(path: Path) -> None:
    saved, link = path.with_name("saved.duckdb"), path.with_name("link.duckdb")
    path.chmod(0o600)
    link.symlink_to(path)
    with Store(path) as store:
        backup(store, saved)
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    saved.chmod(0o644)
    restore_backup(link, saved)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert link.is_symlink()
    assert held(path) == held(saved)


def test_a_store_closed_without_a_token_stays_closed_when_a_backup_comes_back(
    retourne: Command, path: Path
) -> None:
    saved = path.with_name("saved.duckdb")
    assert retourne("backup", saved, "--store", path).code == 0
    with Store(path) as store:
        tokens.set_access(store, True)
    assert retourne("restore", saved, "--store", path).code == 0
    with Store(path) as store:
        assert tokens.is_private(store)


def test_who_was_shown_out_or_hidden_stays_so_when_a_backup_comes_back(retourne: Command, path: Path) -> None:
    saved = path.with_name("saved.duckdb")
    with Store(path) as store:
        secret = tokens.add_token(store, "Odile", Role.ADMIN)
        [(hidden, _), (purged, _), *_] = pseudonyms.known_names(store).values()
    assert retourne("backup", saved, "--store", path).code == 0
    with Store(path) as store:
        tokens.revoke_token(store, 1)
        tokens.set_access(store, True)
    assert retourne("mask", hidden, "--store", path).code == 0
    assert retourne("purge", purged, "--yes", "--store", path).code == 0
    done = retourne("restore", saved, "--store", path)
    assert done.code == 0, done.err
    with Store(path) as store:
        assert tokens.valid_token(tokens.read_tokens(store), secret) is None
        assert tokens.is_private(store)
        names = store.cursor().execute("SELECT player_id FROM players").fetchall()
    assert (hidden,) not in names
    assert (purged,) in names
    items = done.out.splitlines()
    assert "Tokens, sign-ins and read access are those of the replaced store." in items
    assert "Players who were masked there are masked again: 1" in items
    assert any(f"players {purged}." in one for one in items), items


def test_ending_the_command_at_its_very_end_reports_that_the_backup_is_there(
    retourne: Command, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved, put = path.with_name("saved.duckdb"), copies.replace_durably

    def interrupted(part: Path, target: Path) -> None:
        put(part, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(copies, "replace_durably", interrupted)
    done = retourne("backup", saved, "--store", path)
    assert done.code == 130
    assert done.err == f"Interrupted. The backup is whole and in its place: {saved}\n"
    assert held(saved) == held(path)


@pytest.mark.slow
def test_a_player_who_was_added_again_after_a_purge_is_no_news_in_a_backup(
    retourne: Command, path: Path
) -> None:
    saved, logs = path.with_name("saved.duckdb"), path.with_name("again.jsonl")
    logs.write_bytes(lines())
    with Store(path) as store:
        [(player, _), *_] = pseudonyms.known_names(store).values()
    assert retourne("backup", saved, "--store", path).code == 0
    assert retourne("purge", player, "--with-matches", "--yes", "--store", path).code == 0
    assert "players" in retourne("restore", saved, "--store", path).out
    assert retourne("purge", player, "--with-matches", "--yes", "--store", path).code == 0
    assert retourne("ingest", logs, "--store", path).code == 0
    assert "The backup brings back deleted data" not in retourne("restore", saved, "--store", path).out


def test_a_store_in_which_nothing_was_decided_takes_the_tokens_of_a_backup(path: Path) -> None:
    new = path.with_name("new.duckdb")
    with Store(path) as store:
        secret = tokens.add_token(store, "Odile", Role.ADMIN)
    Store(new).close()
    done = restore_backup(new, path)
    assert done.carry_over == RestoreCarryOver()
    with Store(new) as store:
        assert tokens.valid_token(tokens.read_tokens(store), secret) is not None


def test_a_backup_comes_back_where_nothing_is_any_more(path: Path) -> None:
    new = path.with_name("new.duckdb")
    assert restore_backup(new, path) == (None, None)
    assert held(new) == held(path)
    assert names(path.parent) == ["club.duckdb", "new.duckdb"]


@pytest.mark.parametrize("damage", ["cut", "journal"])
def test_a_backup_takes_the_place_of_a_store_that_does_not_open(path: Path, damage: str) -> None:
    saved = Path(shutil.copy(path, path.with_name("saved.duckdb")))
    if damage == "cut":
        os.truncate(path, 5000)
    else:
        with duckdb.connect(str(path)) as left:
            left.execute("PRAGMA disable_checkpoint_on_shutdown")
            left.execute("SET checkpoint_threshold = '1GB'; CREATE TABLE other (a INTEGER)")
        damaged = bytearray(wal.wal_path(path).read_bytes())
        damaged[len(damaged) // 2] ^= 0xFF
        wal.wal_path(path).write_bytes(damaged)
    with pytest.raises(StoreError):
        Store(path)
    remaining = restore_backup(path, saved).old_store
    assert held(path) == held(saved)
    assert remaining is not None
    assert remaining.exists()
    assert wal.wal_path(remaining).exists() == (damage == "journal")


def foreign(path: Path) -> None:
    with duckdb.connect(str(path)) as other:
        other.execute("CREATE TABLE matches (a INTEGER)")


def newer(path: Path) -> None:
    Store(path).close()
    with duckdb.connect(str(path)) as store:
        store.execute("INSERT INTO migrations VALUES (999, 'later', '', now())")


@pytest.fixture
def refused(request: pytest.FixtureRequest, path: Path) -> tuple[Path, str]:
    """A file that is none to put back, and what is reported of it."""
    chosen = path.with_name("chosen")
    whole = path.read_bytes()
    make, result = {
        "empty": (lambda: chosen.write_bytes(b""), "it is empty"),
        "a letter": (lambda: chosen.write_bytes(b"Dear members"), "not a Retourne store"),
        "a log": (lambda: chosen.write_bytes(lines()), "not a Retourne store"),
        "another kind of file": (lambda: foreign(chosen), "a database of something else"),
        "newer": (lambda: newer(chosen), "newer version"),
        "cut": (lambda: chosen.write_bytes(whole[: len(whole) // 2]), "its end is missing"),
        "cut a little": (lambda: chosen.write_bytes(whole[:-300_000]), "its end is missing"),
        "missing": (lambda: None, "No backup"),
        "a folder": (chosen.mkdir, "chosen is a folder: name the backup in it."),
    }[request.param]
    make()
    return chosen, result


@pytest.mark.parametrize(
    "refused",
    [
        *("empty", "a letter", "a log", "another kind of file", "newer", "cut", "cut a little"),
        *("missing", "a folder"),
    ],
    indirect=True,
)
def test_what_is_no_backup_leaves_the_store_as_it_is(path: Path, refused: tuple[Path, str]) -> None:
    chosen, result = refused
    before, there = path.read_bytes(), names(path.parent)
    with pytest.raises(StoreError) as caught:
        restore_backup(path, chosen)
    assert result in message_of(caught.value)
    assert str(chosen) in message_of(caught.value)
    assert path.read_bytes() == before
    assert names(path.parent) == there


def test_a_backup_of_an_older_schema_is_brought_up_to_date(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = Path(shutil.copy(path, path.with_name("saved.duckdb")))
    old = saved.read_bytes()
    known = tables.all_migrations()
    later = (*known, (len(known) + 1, "later", "CREATE TABLE later (a INTEGER)"))
    monkeypatch.setattr(tables, "all_migrations", lambda: list(later))
    restore_backup(path, saved)
    assert "main.later" in held(path)
    assert saved.read_bytes() == old


# a night after the other


def dated(folder: Path, *days: str) -> list[Path]:
    return [folder / f"club-{day}-031500.duckdb" for day in days]


def test_the_backup_just_made_is_kept_whatever_the_others_are_called(path: Path, retourne: Command) -> None:
    """A computer whose clock was wrong has left some that seem to be of a later day."""
    folder = path.with_name("backups")
    folder.mkdir()
    old, *later = dated(folder, "2020-01-01", "2999-01-01", "2999-01-02")
    for one in (old, *later):
        shutil.copy(path, one)
    done = retourne("backup", f"{folder}/", "--keep-last", 2, "--store", path)
    made = Path(done.out.splitlines()[0].split(": ")[1].removesuffix(". Matches"))
    assert "Older backups removed: 2" in done.out
    assert sorted(folder.iterdir()) == sorted([made, later[1]])


def test_what_is_no_whole_backup_takes_no_ones_place_and_stays(path: Path, retourne: Command) -> None:
    folder = path.with_name("backups")
    folder.mkdir()
    good, empty, cut = dated(folder, "2020-01-01", "2020-01-02", "2020-01-03")
    shutil.copy(path, good)
    empty.touch()
    cut.write_bytes(path.read_bytes()[:20_000])
    done = retourne("backup", f"{folder}/", "--keep-last", 2, "--store", path)
    assert {good, empty, cut} <= set(folder.iterdir())
    for one in (empty, cut):
        assert f"Not counted and left there, since it cannot be read: {one}" in done.err


def test_two_backups_of_the_same_second_are_two_files(path: Path, tmp_path: Path, retourne: Command) -> None:
    now = datetime(2026, 11, 22, 12, 0, 0)
    with (
        copies.reserve_dated_path(tmp_path, path, now) as first,
        copies.reserve_dated_path(tmp_path, path, now) as two,
    ):
        assert (first.name, two.name) == ("club-2026-11-22-120000.duckdb", "club-2026-11-22-120000-2.duckdb")
    shutil.copy(path, first)
    shutil.copy(path, two)
    assert copies.prune_backups(two, path, 1).removed == [first]


def test_a_quiet_backup_says_nothing_and_none_goes_to_standard_output(path: Path, retourne: Command) -> None:
    done = retourne("backup", "night/", "--keep-last", 2, "--quiet", "--store", path)
    assert (done.code, done.out, done.err) == (0, "", "")
    refused = retourne("backup", "-", "--store", path)
    assert refused.code == 2
    assert "not written to standard output" in refused.err
    assert names(Path()) == ["night"]


def test_a_new_store_and_every_backup_are_for_their_user_alone(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have names behind pseudonyms; one that is there already keeps its rights."""
    new, copy = tmp_path / "new.duckdb", tmp_path / "copy.duckdb"
    with Store(new):
        pass
    path.chmod(0o644)
    with Store(path) as store:
        backup(store, copy)
    rights = [stat.S_IMODE(one.stat().st_mode) for one in (new, copy, path)]
    assert rights == [0o600, 0o600, 0o644]
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.R_OK)
    with pytest.raises(StoreError) as caught:
        Store(new, read_only=True)
    assert "belongs to another user, and only they can read it" in message_of(caught.value)


def test_the_database_of_another_program_is_not_replaced(tmp_path: Path, retourne: Command) -> None:
    with Store(tmp_path / "bk.duckdb"):
        pass
    other = tmp_path / "other.duckdb"
    with duckdb.connect(str(other)) as made:
        made.execute("CREATE TABLE theirs AS SELECT 1 AS one")
    before = other.read_bytes()
    done = retourne("restore", tmp_path / "bk.duckdb", "--store", other)
    assert done.code == 2
    assert "is the database of another program" in done.err
    assert other.read_bytes() == before
    assert sorted(one.name for one in tmp_path.glob("*other*")) == ["other.duckdb"]
    with sqlite3.connect(other.with_name("lite.db")) as lite:
        lite.execute("CREATE TABLE theirs (one)")
    done = retourne("restore", tmp_path / "bk.duckdb", "--store", tmp_path / "lite.db")
    assert (done.code, "it is a SQLite database" in done.err) == (2, True)


def test_help_says_that_a_backup_is_of_a_file_alone(retourne: Command) -> None:
    for command in ("backup", "restore"):
        result = retourne(command, "--help").out
        assert "address of a lake" not in result
        assert "A lake is backed up by other means" in " ".join(result.replace("│", " ").split())
