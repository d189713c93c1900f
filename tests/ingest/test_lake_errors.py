"""An unopened lake is answered with what to do, in one language and without a password."""

import shlex
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from ingest.i18n import translator
from ingest.store.errors import CatalogUnavailable
from ingest.store.factory import Store, StoreError
from ingest.store.lake.catalogue import (
    CATALOG_UNREACHABLE,
    LOGIN_REFUSED,
    NO_DATABASE,
    PERMISSION_DENIED,
    POSTGRES_NOT_LISTENING,
    UNKNOWN_HOST,
    CatalogConnection,
    LoginRefused,
)
from ingest.store.lake.store import WRONG_DATA_PATH
from ingest.store.store_url import parse_lake_url
from tests.ingest import postgres
from tests.ingest.conftest import Command
from tests.ingest.test_lake import files as files
from tests.waiting import comes


def refusal(address: str) -> StoreError:
    with pytest.raises(StoreError) as result:
        Store(address)
    return result.value


def test_a_printed_command_can_be_pasted_as_it_stands(
    server: postgres.Server, tmp_path: Path, retourne: Command
) -> None:
    for address in (server.lake(tmp_path / "lake"), str(tmp_path / "a club.duckdb")):
        result = retourne("stats", "--store", address).err
        words = shlex.split(result.partition("Create one: ")[2])
        assert words == ["retourne", "ingest", "FILES", "--store", address]
    assert retourne("stats", "--store", "club.duckdb").err.endswith("--store club.duckdb\n")


@pytest.mark.soak
def test_a_file_that_is_gone_is_named_by_each_command_that_needs_it(
    lake: str, tmp_path: Path, files: list[Path], retourne: Command
) -> None:
    assert retourne("ingest", *files[:2], "--store", lake).code == 0
    lost = min((tmp_path / "lake").glob("main/raw/*.parquet"))
    lost.unlink()
    name = lost.relative_to(tmp_path / "lake").as_posix()
    named = ["--store", lake]
    for words in (["verify", *named], ["revalidate", "--all", *named], ["copy", lake, "file"]):
        done = retourne(*words)
        assert done.code == 2
        assert f"Error: A file of the lake is missing: {name}. " in done.err


def test_another_folder_is_answered_with_the_one_where_the_files_are(lake: str, tmp_path: Path) -> None:
    Store(lake).close()
    error = refusal(lake.replace(str(tmp_path / "lake"), str(tmp_path / "other")))
    assert error.text == WRONG_DATA_PATH
    message = error.message(translator("fr"))
    assert f"sont dans {tmp_path}/lake/, et non dans {tmp_path}/other/" in message
    assert "DATA_PATH" not in message


def test_a_database_that_is_not_there_is_named(server: postgres.Server, tmp_path: Path) -> None:
    error = refusal(f"ducklake:postgres:{server.conninfo('la-belote')}?data={tmp_path}")
    assert error.text == NO_DATABASE
    assert str(error).endswith("createdb la-belote")


def test_a_refused_user_or_password_is_answered_with_how_to_give_one(
    server: postgres.Server, lake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    rules = server.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    with psycopg.connect(server.conninfo(postgres.USER), autocommit=True) as session:
        session.execute("CREATE ROLE zoe LOGIN SUPERUSER PASSWORD 'true'")
        rules.write_text(f"host all zoe 127.0.0.1/32 scram-sha-256\n{before}")
        session.execute("SELECT pg_reload_conf()")
        try:
            theirs = lake.replace(f"user={postgres.USER}", "user=zoe")
            nobodys = lake.replace(f"user={postgres.USER}", "user=nobody")

            def refused() -> bool:
                with suppress(CatalogUnavailable):
                    CatalogConnection(parse_lake_url(theirs).catalog, "").connect().close()
                    return False
                return True

            comes(refused, "the new rules")  # the server reads them a moment later
            for address, password in ((theirs, ""), (theirs, "geheim"), (nobodys, "")):
                if password:
                    monkeypatch.setenv("PGPASSWORD", password)
                error = refusal(address)
                assert error.text == LOGIN_REFUSED
                for item in map(error.message, map(translator, ("fr", "en"))):
                    assert "PGPASSWORD" in item
                    assert "~/.pgpass" in item
                    assert "geheim" not in item
                    assert "failed" not in item
            monkeypatch.setenv("PGPASSWORD", "true")
            Store(theirs).close()
        finally:
            rules.write_text(before)
            session.execute("SELECT pg_reload_conf()")


@pytest.mark.parametrize(
    ("code", "wording", "text"),
    [
        ("28P01", "Passwort-Authentifizierung für Benutzer »zoe« fehlgeschlagen", LOGIN_REFUSED),
        ("28000", "Rolle »zoe« existiert nicht", LOGIN_REFUSED),
        ("42501", "keine Berechtigung für Datenbank »club«", LOGIN_REFUSED),
        ("3D000", "Datenbank »club« existiert nicht", NO_DATABASE),
        ("53300", "tut mir leid, schon zu viele Verbindungen", CATALOG_UNREACHABLE),
    ],
)
def test_a_server_that_speaks_german_is_understood(code: str, wording: str, text: str) -> None:
    with postgres.refusing(code, wording) as port, pytest.raises(CatalogUnavailable) as result:
        CatalogConnection(f"{postgres.PLAIN} port={port} user=zoe dbname=club", "x").connect()
    assert result.value.text == text
    assert isinstance(result.value, LoginRefused) == (text != CATALOG_UNREACHABLE)


def test_a_password_that_is_a_word_of_a_name_is_not_printed(tmp_path: Path) -> None:
    with postgres.refusing("3D000", "Datenbank existiert nicht") as port:
        info = f"{postgres.PLAIN} port={port} user=zoe password=existe dbname='il existe'"
        error = refusal(f"ducklake:postgres:{info}?data={tmp_path}")
    assert error.text == NO_DATABASE
    assert "existe" not in error.values["name"]


def test_a_machine_that_nobody_knows_is_named(tmp_path: Path) -> None:
    address = f"ducklake:postgres:host=nowhere.invalid dbname=club?data={tmp_path}"
    error = refusal(address)
    assert error.text == UNKNOWN_HOST
    message = error.message(translator("fr"))
    assert message.startswith("Hôte inconnu\N{NO-BREAK SPACE}: nowhere.invalid")
    assert "resolve" not in message


def test_a_user_whose_database_it_is_not_reads_so(server: postgres.Server, lake: str, tmp_path: Path) -> None:
    empty, made = server.lake(tmp_path / "empty"), lake
    with psycopg.connect(parse_lake_url(empty).catalog, autocommit=True) as session:
        session.execute("CREATE ROLE guest LOGIN")
        session.execute("REVOKE ALL ON SCHEMA public FROM public")
    Store(made).close()
    for address, name in ((empty, "public"), (made, "retourne")):
        error = refusal(address.replace(f"user={postgres.USER}", "user=guest"))
        assert error.text == PERMISSION_DENIED
        for item in map(error.message, map(translator, ("fr", "en"))):
            assert name in item
            assert "denied" not in item


def test_where_nobody_listens_it_is_not_the_network(tmp_path: Path) -> None:
    for host, where in (("127.0.0.1", "127.0.0.1:1"), (tmp_path, f"{tmp_path}/.s.PGSQL.1")):
        error = refusal(f"ducklake:postgres:host={host} port=1 dbname=x?data={tmp_path}/lake")
        assert error.text == POSTGRES_NOT_LISTENING
        message = error.message(translator("fr"))
        assert f"Connexion refusée à {where}," in message
        assert "réseau" not in message


def test_a_refusal_is_not_waited_for(server: postgres.Server) -> None:
    catalogue = CatalogConnection(server.conninfo("nowhere"), "x")
    with pytest.raises(LoginRefused):
        catalogue.wait_until_available()
