"""Attaches a lake to DuckDB and gives it the tables of a file store.

Queries read views in a database in memory, which has the schema of a file store: an ENUM column is
stored as text in the lake, and the view casts it back. Writes name the lake's tables.
"""

from importlib import resources
from typing import Any, NamedTuple

import duckdb

from ingest.store.errors import LAKE_NOT_INSTALLED, StoreError
from ingest.store.store_url import LakeUrl
from schemas.migrations import connect, migrate

EXTENSIONS = ("ducklake", "postgres_scanner")
LAKE_CATALOG, TODAY_SCHEMA = "lake", "today"
"""Names in DuckDB of the lake, and of its current state where an earlier one is attached."""
_MASKING_TABLES = ("masked", "secret", "aliases")
"""Read from the current state, so that an earlier one shows no name that is masked now."""
_PLAYERS_VIEW = f"""SELECT o.player_no, coalesce(now.player_id, o.player_id) AS player_id,
    coalesce(now.name, o.name) AS name
FROM {LAKE_CATALOG}.main.players o LEFT JOIN (
    SELECT past.player_no AS was, arg_max(later.player_no, masked.player_no IS NOT NULL) AS player_no
    FROM {LAKE_CATALOG}.main.aliases past JOIN {TODAY_SCHEMA}.main.aliases later USING (alias_no)
        LEFT JOIN {TODAY_SCHEMA}.main.masked ON masked.player_no = later.player_no
    GROUP BY 1
) follows ON follows.was = o.player_no
LEFT JOIN {TODAY_SCHEMA}.main.players now ON now.player_no = coalesce(follows.player_no, o.player_no)"""
"""Earlier players under their name of today; one who was merged since, under that of the other."""
_SETTINGS: dict[str, Any] = dict.fromkeys(
    ("autoinstall_known_extensions", "autoload_known_extensions"), False
)
_RETRY_SETTINGS = {"max_retry_count": 50, "retry_wait_ms": 10, "retry_backoff": 1.1}
"""How DuckLake retries a commit that conflicts with another: at once, and for seconds."""

RAW_ROW_GROUP_ROWS = 4096
"""Rows per row group of `raw`: reading one text reads a group; DuckLake's 122,880 are 80 MB."""


class Column(NamedTuple):
    """A column of a file store's schema."""

    name: str
    type: str
    """Its SQL type in the lake."""
    required: bool
    enum: str | None
    """Its ENUM type in a file store, if any."""
    default: str | None
    """Its default, as an SQL literal."""


LakeTables = dict[tuple[str, str], list[Column]]
"""Schema and table → its columns, in order."""


def load_extension(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Load an extension from its Python package. StoreError: there is none for this DuckDB."""
    try:
        folder = resources.files(f"duckdb_extension_{name}")
    except ModuleNotFoundError as error:
        raise StoreError(LAKE_NOT_INSTALLED, reason=str(error)) from None
    file = folder / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
    if not file.is_file():
        raise StoreError(LAKE_NOT_INSTALLED, reason=f"{name}, DuckDB {duckdb.__version__}")
    connection.execute(f"LOAD {sql_quote(str(file))}")


def sql_quote(text: str) -> str:
    """Return a text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def create_template_database() -> tuple[duckdb.DuckDBPyConnection, LakeTables]:
    """Return an empty database with a store's schema, and its tables as a lake defines them."""
    connection = connect(config=_SETTINGS)
    connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
    migrate(connection)
    rows = connection.execute(
        """SELECT schema_name, table_name, column_name, data_type, is_nullable,
               CASE WHEN starts_with(data_type, 'ENUM') THEN 'verdict' END, column_default
           FROM duckdb_columns() JOIN duckdb_tables() USING (schema_name, table_name)
           WHERE NOT temporary ORDER BY schema_name, table_name, column_index"""
    ).fetchall()
    # in a lake, a default is a value, not an expression
    text = ", ".join(default or "NULL" for *_, default in rows)
    values = connection.execute(f"SELECT {text}").fetchall()[0]
    found: LakeTables = {}
    for (schema, table, name, kind, nullable, enum, _), value in zip(rows, values, strict=True):
        result = None if value is None else str(value).lower()
        column = Column(name, "VARCHAR" if enum else kind, not nullable, enum, result)
        found.setdefault((schema, table), []).append(column)
    return connection, found


def attach_lake(
    connection: duckdb.DuckDBPyConnection,
    lake: LakeUrl,
    read_only: bool = False,
    snapshot_id: int | None = None,
    create: bool = False,
) -> None:
    """Attach a lake as LAKE_CATALOG, at a snapshot if one is given.

    With a snapshot, the current lake is attached as TODAY_SCHEMA too, for players' names.
    duckdb.Error: the lake cannot be attached.
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
    """Create the tables and columns that a lake lacks; call within a transaction."""
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
            text = ", ".join(
                f'"{one.name}" {one.type}{" NOT NULL" if one.required else ""}'
                f"{f' DEFAULT {one.default}' if one.default else ''}"
                for one in columns
            )
            connection.execute(f"CREATE TABLE {LAKE_CATALOG}.{schema}.{table} ({text})")
            continue
        for one in columns:
            if one.name not in there[schema, table]:
                added = f'ADD COLUMN "{one.name}" {one.type}'
                connection.execute(f"ALTER TABLE {LAKE_CATALOG}.{schema}.{table} {added}")


def create_views(
    connection: duckdb.DuckDBPyConnection, tables: LakeTables, is_historical: bool = False
) -> None:
    """Replace the tables in memory by views of the lake; `is_historical`: it is at a snapshot.

    Call within a transaction: otherwise each view queries the catalogue for the lake's state.
    """
    for (schema, table), columns in tables.items():
        text = ", ".join(
            f'"{one.name}"{f"::memory.main.{one.enum}" if one.enum else ""} AS "{one.name}"'
            for one in columns
        )
        where = (
            TODAY_SCHEMA if is_historical and schema == "main" and table in _MASKING_TABLES else LAKE_CATALOG
        )
        found = f"SELECT {text} FROM {where}.{schema}.{table}"
        if is_historical and (schema, table) == ("main", "players"):
            found = _PLAYERS_VIEW
        connection.execute(
            f"DROP TABLE memory.{schema}.{table};CREATE VIEW memory.{schema}.{table} AS {found}"
        )
