"""The address of a store: a file or a lake, and what of it is shown."""

import pickle
from pathlib import Path

import pytest

from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.store_url import (
    LakePath,
    parse_lake_url,
    parse_store_url,
    redact_secrets,
    url_with_secrets,
    without_password,
)

SECRET = "ducklake:postgres:host=db dbname=club user=u password='a b'?data=s3://bucket/club"


@pytest.mark.parametrize(
    ("text", "catalogue", "data"),
    [
        ("ducklake:postgres:host=db dbname=x?data=/data/x", "host=db dbname=x", "/data/x/"),
        ("ducklake:postgres:dbname=x?data=s3://b/x/", "dbname=x", "s3://b/x/"),
        (
            "ducklake:postgresql://u@db:5433/x?sslmode=require&data=s3://b/x",
            "postgresql://u@db:5433/x?sslmode=require",
            "s3://b/x/",
        ),
        ("ducklake:postgres://db/x?data=/x", "postgres://db/x", "/x/"),
    ],
)
def test_an_address_says_where_catalogue_and_files_are(text: str, catalogue: str, data: str) -> None:
    assert parse_lake_url(text) == (catalogue, data)


@pytest.mark.parametrize(
    "text",
    [
        "ducklake:",
        "ducklake:club.ducklake",
        "ducklake:postgres:host=db",
        "ducklake:postgres:?data=/x",
        "ducklake:postgres:dbname=x?data=",
        "postgres://club@127.0.0.1:5432/club",
        "postgresql://club@127.0.0.1/club?data=/x",
        "postgres:dbname=x?data=/x",
        "s3://bucket/club",
    ],
)
def test_what_is_no_address_of_a_lake_is_reported_with_how_one_is_written(text: str) -> None:
    for read in (parse_lake_url, Store):
        with pytest.raises(StoreError, match="not the address of a lake") as result:
            read(text)
        assert str(result.value).startswith(text)


@pytest.mark.parametrize("text", [SECRET, "ducklake:postgres://u:s3cret@db/x?data=/x"])
def test_a_password_is_never_shown(text: str) -> None:
    lake = parse_store_url(text)
    for item in (str(lake), f"{lake}", repr(lake), without_password(text), str(lake.resolve())):
        assert "a b" not in item
        assert "s3cret" not in item
    assert url_with_secrets(lake) == text


SECRETS = {
    "host=db password=geheim&mehr dbname=x": ("geheim", "mehr"),
    r"host=db password=geheim\ mehr": ("geheim", "mehr"),
    "password='geheim mehr": ("geheim", "mehr"),
    "password=geheim mehr host=db": ("geheim", "mehr"),
    "host=db pasword=geheim": ("geheim",),
    "host=db PASSWORD = geheim": ("geheim",),
    "//lake:gehe?im@db/x": ("gehe", "im@"),
    "//lake:geh eim@db/x": ("geh", "eim"),
    "//lake:gehe@im@db/x": ("gehe", "im@"),
    "//lake@db/x?password=geheim&sslmode=disable": ("geheim",),
    "//lake:geh%40eim@db/x": ("geh%40eim", "geh@eim"),
}


@pytest.mark.parametrize("catalogue", SECRETS)
def test_however_a_password_is_written_it_is_not_printed(catalogue: str) -> None:
    kind = "postgres:"
    result = without_password(f"ducklake:{kind}{catalogue}?data=/srv/club")
    assert result.endswith("?data=/srv/club")
    assert any(word in result for word in ("db", "…"))
    for secret in SECRETS[catalogue]:
        assert secret not in result
        assert secret not in redact_secrets(f'what libpq says: "{secret}" at db')
        assert secret not in refusal(f"ducklake:{kind}{catalogue}?data=/srv/club")


def refusal(text: str) -> str:
    """Why an address is none; nothing where it is one."""
    try:
        parse_lake_url(text)
    except StoreError as error:
        return str(error)
    return ""


def test_an_address_goes_where_paths_go() -> None:
    lake = parse_store_url(SECRET)
    assert isinstance(lake, LakePath)
    assert lake.exists()
    assert url_with_secrets(pickle.loads(pickle.dumps(lake))) == SECRET
    assert parse_store_url(lake) == lake != parse_store_url(SECRET + "2")
    assert parse_store_url("club.duckdb") == Path("club.duckdb")


def test_a_folder_is_the_same_wherever_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here = url_with_secrets(parse_store_url("ducklake:postgres:dbname=x?data=files").resolve())
    monkeypatch.chdir("/")
    assert parse_lake_url(here).data == f"{tmp_path}/files/"


def test_a_lake_lies_in_a_folder_or_on_s3_and_nowhere_else() -> None:
    with pytest.raises(StoreError, match="or on object storage"):
        Store("ducklake:postgres:host=nowhere.invalid dbname=x?data=https://b/x")
