"""Attaches a lake to DuckDB and gives it the tables of a file store.

Queries ask views of the database in memory, which has the store's own schema: a column that is an
ENUM there is text in the lake, and is turned back by the view. What writes names the lake's tables.
"""

from importlib import resources
from typing import Any, NamedTuple

import duckdb

from ingest.store.errors import LAKE_NOT_INSTALLED, StoreError
from ingest.store.store_url import LakeUrl
from schemas.migrations import connect, migrate

EXTENSIONS = ("ducklake", "postgres_scanner")
LAKE_CATALOG, TODAY_SCHEMA = "lake", "today"
"""What the lake is called in DuckDB, and as it is now where that is another one."""
_MASKING_TABLES = ("masked", "secret")
"""Who is hidden is so at any time: the past has no name in it that is masked now."""
_PLAYERS_VIEW = f"""SELECT player_no, coalesce(now.player_id, o.player_id) AS player_id,
    coalesce(now.name, o.name) AS name
FROM {LAKE_CATALOG}.main.players o LEFT JOIN {TODAY_SCHEMA}.main.players now USING (player_no)"""
_SETTINGS: dict[str, Any] = dict.fromkeys(
    ("autoinstall_known_extensions", "autoload_known_extensions"), False
)
_RETRY_SETTINGS = {"max_retry_count": 50, "retry_wait_ms": 10, "retry_backoff": 1.1}
"""How DuckLake tries a commit again that was begun before another's: soon, and for seconds."""

RAW_ROW_GROUP_ROWS = 4096
"""Texts that lie together: who reads one reads as many. DuckLake's usual 122,880 are 80 MB."""


class Column(NamedTuple):
    """A column of the store's own schema."""

    name: str
    type: str
    """As the lake has it."""
    required: bool
    enum: str | None
    """The ENUM it is in a file, where it is one."""
    default: str | None
    """What it is where nothing is said, as SQL has it."""


LakeTables = dict[tuple[str, str], list[Column]]
"""Schema and table → its columns, in order."""


def load_extension(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Have an extension, out of its package. StoreError: there is none for this DuckDB."""
    try:
        folder = resources.files(f"duckdb_extension_{name}")
    except ModuleNotFoundError as error:
        raise StoreError(LAKE_NOT_INSTALLED, reason=str(error)) from None
    file = folder / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
    if not file.is_file():
        raise StoreError(LAKE_NOT_INSTALLED, reason=f"{name}, DuckDB {duckdb.__version__}")
    connection.execute(f"LOAD {sql_quote(str(file))}")


def sql_quote(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def create_template_database() -> tuple[duckdb.DuckDBPyConnection, LakeTables]:
    """A database with the store's schema and nothing in it, and its tables as a lake has them."""
    connection = connect(config=_SETTINGS)
    connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
    migrate(connection)
    rows = connection.execute(
        """SELECT schema_name, table_name, column_name, data_type, is_nullable,
               CASE WHEN starts_with(data_type, 'ENUM') THEN 'verdict' END, column_default
           FROM duckdb_columns() JOIN duckdb_tables() USING (schema_name, table_name)
           WHERE NOT temporary ORDER BY schema_name, table_name, column_index"""
    ).fetchall()
    # a lake knows values, and no expression that gives them
    told = ", ".join(default or "NULL" for *_, default in rows)
    values = connection.execute(f"SELECT {told}").fetchall()[0]
    found: LakeTables = {}
    for (schema, table, name, kind, nullable, enum, _), value in zip(rows, values, strict=True):
        said = None if value is None else str(value).lower()
        column = Column(name, "VARCHAR" if enum else kind, not nullable, enum, said)
        found.setdefault((schema, table), []).append(column)
    return connection, found


def attach_lake(
    connection: duckdb.DuckDBPyConnection,
    lake: LakeUrl,
    read_only: bool = False,
    snapshot_id: int | None = None,
    create: bool = False,
) -> None:
    """Have a lake beside what is in memory, as it was at a snapshot of it if one is named.

    Then who is called what is read from the lake as it is, by the name TODAY. duckdb.Error: it
    cannot be.
    """
    for name in EXTENSIONS:
        load_extension(connection, name)
    for name, value in _RETRY_SETTINGS.items():
        connection.execute(f"SET ducklake_{name} = {value}")
    options = [f"DATA_PATH {sql_quote(lake.data)}"]
    if read_only:
        options.append("READ_ONLY")
    if not create:
        options.append("CREATE_IF_NOT_EXISTS false")
    address = sql_quote(f"ducklake:postgres:{lake.catalog}")
    if snapshot_id is not None:
        connection.execute(f"ATTACH {address} AS {TODAY_SCHEMA} ({', '.join(options)})")
        options.append(f"SNAPSHOT_VERSION {snapshot_id}")
    connection.execute(f"ATTACH {address} AS {LAKE_CATALOG} ({', '.join(options)})")


def create_tables(connection: duckdb.DuckDBPyConnection, tables: LakeTables) -> None:
    """Make the tables in a lake that lacks them, and the columns; within a transaction."""
    found = connection.execute(
        "SELECT schema_name, table_name, list(column_name) FROM duckdb_columns()"
        " WHERE database_name = ? GROUP BY ALL",
        [LAKE_CATALOG],
    ).fetchall()
    there = {(schema, table): names for schema, table, names in found}
    for schema in {schema for schema, _ in tables} - {"main"} - {one for one, _ in there}:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {LAKE_CATALOG}.{schema}")
    for (schema, table), columns in tables.items():
        if (schema, table) not in there:
            told = ", ".join(
                f'"{one.name}" {one.type}{" NOT NULL" if one.required else ""}'
                f"{f' DEFAULT {one.default}' if one.default else ''}"
                for one in columns
            )
            connection.execute(f"CREATE TABLE {LAKE_CATALOG}.{schema}.{table} ({told})")
            continue
        for one in columns:
            if one.name not in there[schema, table]:
                added = f'ADD COLUMN "{one.name}" {one.type}'
                connection.execute(f"ALTER TABLE {LAKE_CATALOG}.{schema}.{table} {added}")


def create_views(
    connection: duckdb.DuckDBPyConnection, tables: LakeTables, is_historical: bool = False
) -> None:
    """Put views of the lake in the place of the tables in memory; `is_historical`: it was attached
    so.

    Within a transaction: each one asks the catalogue anew what the lake is.
    """
    for (schema, table), columns in tables.items():
        told = ", ".join(
            f'"{one.name}"{f"::memory.main.{one.enum}" if one.enum else ""} AS "{one.name}"'
            for one in columns
        )
        where = (
            TODAY_SCHEMA
            if is_historical and schema == "main" and table in _MASKING_TABLES
            else LAKE_CATALOG
        )
        found = f"SELECT {told} FROM {where}.{schema}.{table}"
        if is_historical and (schema, table) == ("main", "players"):
            found = _PLAYERS_VIEW
        connection.execute(
            f"DROP TABLE memory.{schema}.{table};CREATE VIEW memory.{schema}.{table} AS {found}"
        )
