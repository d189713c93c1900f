"""Dashboards and APIs on one lake: what one program writes, another that is open shows at once.

While its catalogue is away all of them say so, and go on by themselves.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

import duckdb
import psycopg
import pytest

from dashboard.authentication import authenticate
from dashboard.queries import matches
from dashboard.server.monitoring import StoreCollector
from dashboard.store import STORE_NOT_ANSWERING, cached_query, close_store, open_store, unavailable_reason
from ingest.i18n import translator
from ingest.store import tokens, trash
from ingest.store.errors import (
    LAKE_NOT_COPYABLE,
    STORE_TOO_NEW,
    CatalogUnavailable,
    StoreError,
    warning_listeners,
)
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.lake.catalogue import WAITING_FOR_CATALOG
from ingest.store.store_url import parse_lake_url
from ingest.store.tokens import Role
from tests.dashboard import api
from tests.dashboard.conftest import Open
from tests.ingest import postgres
from tests.ingest.logs import documents, texts
from tests.ingest.test_lake import writer
from tests.waiting import PATIENCE, comes

T = TypeVar("T")


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    with postgres.running() as running:
        yield running


@pytest.fixture
def lake(server: postgres.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A lake with four matches, which the dashboard of this process has open."""
    address = server.empty_lake(tmp_path / "lake")
    with Store(address) as opened:
        list(ingest(opened, [file(tmp_path, 0)]))
    monkeypatch.setenv("RETOURNE_STORE", address)
    yield address
    close_store()


@pytest.fixture(scope="module")
def standing(server: postgres.Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Another one, for tests that leave it as it is."""
    folder = tmp_path_factory.mktemp("standing")
    address = server.empty_lake(folder / "lake")
    with Store(address) as opened:
        list(ingest(opened, [file(folder, 0)]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RETOURNE_STORE", address)
        yield address
        close_store()


def file(folder: Path, number: int) -> Path:
    """A file of four matches that no other one has."""
    found = folder / f"{number}.jsonl"
    found.write_bytes(b"".join(one + b"\n" for one in texts(20)[4 * number :][:4]))
    return found


def test_a_dashboard_shows_what_another_program_adds_and_deletes(lake: str, tmp_path: Path) -> None:
    def shown() -> int:
        return cached_query(matches.count_matches)

    with api.clients({}) as clients:
        requested = clients["nobody"]

        def listed() -> int:
            return len(requested.get("/matches").json()["matches"])

        def played() -> int:
            return sum(row["matches"] for row in requested.get("/players").json()["rows"])

        assert (shown(), listed(), played()) == (4, 4, 8)
        process = writer(lake, file(tmp_path, 1))
        _, result = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, result.decode()
        comes(lambda: shown() == 8)
        comes(lambda: listed() == 8)
        comes(lambda: played() == 16)
        with Store(lake) as other:
            number = other.find_match(documents()[0]["id"])
            assert number is not None
            trash.delete_matches(other, [number])
        comes(lambda: shown() == 7)
        comes(lambda: played() == 14)


@pytest.mark.soak
def test_files_that_come_in_another_order_than_their_numbers_are_seen(
    lake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(lake) as one, Store(lake) as other:
        first, second = one.next_file_number(), other.next_file_number()
        assert first < second
        for opened, number in ((other, second), (one, first)):
            before = cached_query(matches.count_matches)
            monkeypatch.setattr(opened, "next_file_number", partial(int, number))
            list(ingest(opened, [file(tmp_path, number)]))
            comes(lambda: cached_query(matches.count_matches) == before + 4)  # noqa: B023  (it is over at once)


@pytest.mark.soak
def test_a_token_that_another_program_revokes_opens_nothing(lake: str) -> None:
    secret = tokens.add_token(open_store(), "Lucie", Role.CONTRIBUTOR)
    assert authenticate(secret, None).role is Role.CONTRIBUTOR
    with Store(lake) as other:
        tokens.revoke_token(other, 1)
    comes(lambda: authenticate(secret, None).token_no is None)


FRENCH = translator("fr", "dashboard")
PAGE = {"Accept": "text/html", "Accept-Language": "fr"}


@contextmanager
def away(server: postgres.Server) -> Iterator[None]:
    """PostgreSQL is switched off while this lasts."""
    server.stop()
    try:
        with patch(
            "ingest.store.lake.store.VERSION_CACHE_SECONDS", 0.0
        ):  # what others wrote is asked each time
            yield
    finally:
        server.start()


@pytest.mark.soak
def test_while_the_catalogue_is_away_pages_and_programs_are_asked_to_come_again(
    lake: str, server: postgres.Server
) -> None:
    heard: list[StoreError] = []
    warning_listeners.append(heard.append)
    try:
        with api.clients({}) as clients:
            requested = clients["nobody"]
            assert requested.get("/matches").status_code == 200
            with away(server):
                for _ in range(3):
                    page = requested.ask("GET", "//rencontres", headers=PAGE)
                    assert page.status_code == 503
                    assert FRENCH(STORE_NOT_ANSWERING) in page.text
                    assert '<html lang="fr">' in page.text
                    assert int(page.headers["refresh"]) == int(page.headers["retry-after"]) > 0
                    result = requested.get("/matches")
                    assert api.is_problem(result, 503)
                    assert int(result.headers["retry-after"]) > 0
                    for item in (page.text, result.text):  # where it lies is not everybody's to know
                        assert "dbname" not in item
                        assert str(server.port) not in item
            assert [one.text for one in heard] == [WAITING_FOR_CATALOG]  # one line, however many ask
            comes(lambda: requested.get("/matches").status_code == 200)
            assert requested.ask("GET", "//rencontres", headers=PAGE).status_code == 200
    finally:
        warning_listeners.remove(heard.append)


@pytest.mark.soak
def test_a_question_just_as_the_catalogue_goes_is_answered_the_same(
    lake: str, server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with api.clients({}) as clients:
        requested = clients["nobody"]
        assert requested.get("/matches").status_code == 200
        # who may ask was asked before it went
        monkeypatch.setattr("ingest.store.lake.store.VERSION_CACHE_SECONDS", 1e9)
        with away(server):
            result = requested.get("/matches")
            assert api.is_problem(result, 503)
            assert int(result.headers["retry-after"]) > 0
            with pytest.raises(CatalogUnavailable):
                cached_query(matches.count_by_status)


def test_a_question_that_is_wrong_is_no_store_that_is_away(standing: str) -> None:
    def wrong(cursor: duckdb.DuckDBPyConnection) -> None:
        cursor.execute("FROM nothing_of_that_name")

    with pytest.raises(duckdb.CatalogException):
        cached_query(wrong)


def test_a_connection_that_was_cut_while_nobody_asked_is_made_anew(
    lake: str, server: postgres.Server
) -> None:
    assert open_store().version >= 0
    with psycopg.connect(parse_lake_url(lake).catalog, autocommit=True) as session:
        session.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'retourne' AND datname = current_database()"
        )
    with patch("ingest.store.lake.store.VERSION_CACHE_SECONDS", 0.0):
        assert open_store().version >= 0
        assert open_store().catalog_error is None


@pytest.mark.page
@pytest.mark.soak
def test_an_open_page_says_that_the_catalogue_is_away_and_comes_back(
    lake: str, server: postgres.Server, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETOURNE_STORE", lake)
    app = open_page("rencontres", lang="fr")
    assert not app.warning
    with away(server):
        app.run()
        assert not app.exception
        assert [one.value for one in app.warning] == [FRENCH(STORE_NOT_ANSWERING)]
        assert not app.info  # nobody has to show a token
    comes(lambda: not app.run().warning)
    assert not app.exception


def test_readers_learn_why_it_fails_and_not_where_it_lies(standing: str) -> None:
    error = StoreError(STORE_TOO_NEW, path=standing)
    assert "dbname" in str(error)
    result = unavailable_reason(error, FRENCH)
    assert result.startswith("La base ducklake:… ")
    assert "dbname" not in result


@pytest.mark.page
@pytest.mark.soak
def test_a_file_of_the_lake_that_is_gone_is_named(
    lake: str, tmp_path: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETOURNE_STORE", lake)
    (tmp_path / "many.jsonl").write_bytes(b"\n".join(texts(20)))  # fewer are no file
    with Store(lake) as opened:
        list(ingest(opened, [tmp_path / "many.jsonl"]))
    [lost] = (tmp_path / "lake").glob("main/matches/*.parquet")
    lost.unlink()
    name = lost.relative_to(tmp_path / "lake").as_posix()
    app = open_page("rencontres", lang="fr")
    assert not app.exception
    assert [one.value for one in app.error] == [FRENCH("The store cannot be read.")]
    assert [one.value for one in app.text if name in one.value]
    with api.clients({}) as clients:
        result = clients["nobody"].get("/matches")
        assert api.is_problem(result, 503)
        assert name in result.json()["detail"]
        assert str(tmp_path) not in result.text


@pytest.mark.page
def test_data_of_a_lake_offers_no_backup_that_a_lake_refuses(
    standing: str, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETOURNE_STORE", standing)
    app = open_page("donnees", lang="fr")
    assert FRENCH(LAKE_NOT_COPYABLE) in [one.value for one in app.info]
    assert "backup" not in [one.key for one in app.button]
    assert not [one for one in app.text if "restore" in one.value]
    assert not [one for one in app.caption if "Pour la remettre" in one.value]


def test_metrics_of_a_lake_say_that_it_answers_and_no_size_of_a_file(standing: str) -> None:
    fields = {family.name: family for family in StoreCollector().collect()}
    assert [sample.value for sample in fields["retourne_store_up"].samples] == [1]
    assert sum(sample.value for sample in fields["retourne_matches"].samples) == 4
    assert "retourne_store_bytes" not in fields
