"""A small store of every earlier schema, `old/schema-N.duckdb.zst`, as the code of its day left it.

All have the same texts: legal matches of every game, an irregular one, a broken one and a text that
is none; from schema 3 on two matches in the trash, a masked player and a ladder, from 6 on a run of
simulated deals. They were made by `fill`, with the code of the commits 7b4d168 (schema 1), c0526ff
(2), f3cf4b0 (3), a6fd6f4 (4), ca194cc (6) and bfc21c5 (7); no commit had 5 without 6.

A change that adds a migration first keeps a store of the schema it leaves: `python -m
tests.schemas.stores` writes one of today's, with the texts of the last.
"""

import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import duckdb
import pyarrow as pa
import zstandard

from ingest.store import baseline, pseudonyms, ratings, trash
from ingest.store.add import ingest
from ingest.store.store import Store
from ingest.store.texts import read
from schemas.store import migrations

FOLDER = Path(__file__).parent / "old"
KEPT = sorted(int(path.name.split(".")[0].removeprefix("schema-")) for path in FOLDER.glob("*.zst"))


def unpack(schema: int, path: Path) -> Path:
    """The store of a schema, written to a path."""
    packed = (FOLDER / f"schema-{schema}.duckdb.zst").read_bytes()
    path.write_bytes(zstandard.decompress(packed))
    return path


def texts(path: Path) -> Iterator[tuple[str, bytes]]:
    """Each file of a store of any schema, its deleted matches too: the name, and its lines."""
    with duckdb.connect(str(path), read_only=True) as store:
        tables = store.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        numbers = [row[0] for row in store.execute("SELECT match_no FROM matches").fetchall()]
        if _in_blocks(store):
            kept = dict(read(store, numbers))
            logs = pa.table({"match_no": [*kept], "bytes": [*kept.values()]})  # noqa: F841
            both = "SELECT file_no, line, NULL AS text, bytes FROM matches"
            both += " JOIN logs USING (match_no)"
        else:
            both = "SELECT file_no, line, text, bytes FROM matches JOIN raw USING (match_no)"
        if ("trash",) in tables:
            both += " UNION ALL SELECT file_no, line, text, bytes FROM trash"
        found = store.execute(
            f"""SELECT f.name, list(coalesce(bytes, encode(text)) ORDER BY line)
                FROM files f JOIN ({both}) USING (file_no) GROUP BY f.file_no, f.name
                ORDER BY f.file_no"""
        ).fetchall()
        yield from ((name, b"\n".join(lines)) for name, lines in found)


def _in_blocks(store: duckdb.DuckDBPyConnection) -> bool:
    columns = store.execute("SELECT column_name FROM duckdb_columns() WHERE table_name = 'raw'")
    return ("packed",) in columns.fetchall()


def fill(store: Store, files: list[tuple[str, bytes]], everything: bool = True) -> None:
    """What was done to each of them; schemas 1 and 2 had nothing but files."""
    list(ingest(store, [(name, BytesIO(data)) for name, data in files]))
    if everything:
        trash.delete(store, [1])
        trash.delete(store, [7])
        pseudonyms.mask(store, 0)
    ratings.refresh(store)
    baseline.simulate(store, baseline.Run("chouine", "lavardin", 2, deals=10))


def main() -> None:
    """Keep a store of today's schema."""
    with tempfile.TemporaryDirectory() as folder:
        files = list(texts(unpack(KEPT[-1], Path(folder) / "last.duckdb")))
        with Store(made := Path(folder) / "made.duckdb") as store:
            fill(store, files)
        packed = zstandard.ZstdCompressor(level=19).compress(made.read_bytes())
        (FOLDER / f"schema-{migrations()[-1][0]}.duckdb.zst").write_bytes(packed)


if __name__ == "__main__":
    main()
