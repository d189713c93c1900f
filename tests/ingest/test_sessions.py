"""Sessions of signed-in browsers: when they end, who sees them, and who ends them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest

from ingest.store import sessions, tokens
from ingest.store.factory import Store
from ingest.store.grants import read_grants
from ingest.store.tokens import Role
from tests.ingest.conftest import Command

START = datetime(2026, 11, 29, 20, tzinfo=UTC)
AfterHours = Callable[[float], None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "club.duckdb"


@pytest.fixture
def after(monkeypatch: pytest.MonkeyPatch) -> AfterHours:
    """`after(11.5)`: the time is so many hours after the start."""

    def at(hours: float) -> None:
        monkeypatch.setattr(tokens, "now", lambda: START + timedelta(hours=hours))

    at(0)
    return at


def signed_in(store: Store, name: str = "zoe", role: Role = Role.READER) -> str:
    """Sign a browser in by a new token; return its session."""
    opened = sessions.sign_in(store, tokens.add_token(store, name, role))
    assert opened is not None
    return opened[0]


def is_open(store: Store, session: str) -> bool:
    """Have a session used, if it is open."""
    known = read_grants(store)
    known.record_use(session)
    return known.by_session(session) is not None


def test_a_session_ends_after_twelve_hours_without_use(path: Path, after: AfterHours) -> None:
    with Store(path) as store:
        used, unused = signed_in(store), signed_in(store, "odette")
        after(11.9)
        assert is_open(store, used)
        after(12)
        assert not is_open(store, unused)
        assert [token.name for _, token in sessions.open_sessions(store)] == ["zoe"]
        after(23.8)
        assert is_open(store, used)
        after(35.8)
        assert not is_open(store, used)


def test_a_session_and_its_last_use_outlive_the_server(
    path: Path, after: AfterHours, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(path) as store:
        session = signed_in(store)
        for hours in (0.1, 11):  # the first is too early to be written
            after(hours)
            assert is_open(store, session)
            sessions.record_uses(store)
        monkeypatch.setattr(sessions, "_last_uses", {})  # as in a new process
        [(found, _)] = sessions.open_sessions(store)
        assert found.used_at == START + timedelta(hours=11)
    with Store(path) as store:
        after(22.9)
        assert is_open(store, session)


def test_a_use_is_written_once_it_is_ten_minutes_later_than_the_stored_one(
    path: Path, after: AfterHours
) -> None:
    def recorded() -> float:
        [session] = sessions.read_sessions(store).values()
        return (session.recorded_use - START) / timedelta(minutes=1)

    with Store(path) as store:
        session = signed_in(store)
        seen = []
        for minutes in (9, 11, 20, 22):
            after(minutes / 60)
            assert is_open(store, session)
            sessions.record_uses(store)
            seen.append(recorded())
        assert seen == [0, 11, 11, 22]


def test_rows_of_ended_sessions_go_with_the_next_sign_in(path: Path, after: AfterHours) -> None:
    with Store(path) as store:
        signed_in(store)
        after(13)
        signed_in(store, "odette")
        assert len(sessions.read_sessions(store)) == 1


def test_one_session_too_many_of_a_token_ends_the_one_unused_for_the_longest(
    path: Path, after: AfterHours, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MAX_SESSIONS", 3)
    with Store(path) as store:
        secret, other = tokens.add_token(store, "zoe", Role.READER), signed_in(store, "odette")

        def again(old_session: str = "") -> str:
            opened = sessions.sign_in(store, secret, old_session)
            assert opened is not None
            return opened[0]

        found = []
        for hour in (1, 2, 3):
            after(hour)
            found.append(again())
        after(4)
        assert is_open(store, found[0])  # the second is now unused for the longest
        after(5)
        found.append(again())
        found.append(again(found.pop()))  # a browser that signs in anew has one session
        assert [is_open(store, one) for one in (*found, other)] == [True, False, True, True, True]


def test_a_session_ends_with_its_token(path: Path, after: AfterHours) -> None:
    with Store(path) as store:
        session, other = signed_in(store), signed_in(store, "odette")
        tokens.revoke_token(store, 1)
        assert (is_open(store, session), is_open(store, other)) == (False, True)
        assert [token.name for _, token in sessions.open_sessions(store)] == ["odette"]


def test_one_of_several_sessions_of_a_token_is_ended(path: Path, after: AfterHours) -> None:
    with Store(path) as store:
        secret = tokens.add_token(store, "zoe", Role.READER)
        first, second = (sessions.sign_in(store, secret) for _ in range(2))
        assert first is not None
        assert second is not None
        after(1)
        assert is_open(store, second[0])
        [_, (older, _)] = sessions.open_sessions(store)
        sessions.end_session(store, older.id, lambda token: True)
        assert (is_open(store, first[0]), is_open(store, second[0])) == (False, True)
        with pytest.raises(KeyError):
            sessions.end_session(store, older.id, lambda token: True)
        audit = store.cursor().execute("SELECT about FROM audit WHERE action = 'end-session'").fetchall()
        assert audit == [(1,)]


def test_commands_list_sessions_and_end_one(path: Path, retourne: Command) -> None:
    with Store(path) as store:
        session = signed_in(store, "zoe of the club", Role.ADMIN)
    listed = retourne("session", "list", "--store", path, "--lang", "fr")
    number, name, role, *times = listed.out.rstrip("\n").split("\t")
    assert (name, role, len(times)) == ("zoe of the club", "administrateur", 2)
    [row] = map(
        orjson.loads, retourne("session", "list", "--store", path, "--format", "jsonl").out.splitlines()
    )
    assert {key: row[key] for key in ("id", "token", "role")} == {
        "id": number,
        "token": "zoe of the club",
        "role": "admin",
    }
    ended = retourne("session", "end", number, "--store", path)
    assert (ended.code, ended.out) == (0, "Signed out: a browser of zoe of the club.\n")
    with Store(path) as store:
        assert not is_open(store, session)
    assert retourne("session", "list", "--store", path).err == "No browser is signed in.\n"
    again = retourne("session", "end", number, "--store", path)
    assert (again.code, f"or it has ended: {number}" in again.err) == (2, True)
