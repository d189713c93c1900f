"""What the store holds has a version; an answer stays right as long as it does."""

import duckdb


def version(cursor: duckdb.DuckDBPyConnection) -> tuple[int, int, int]:
    """(the newest file, the newest change, deals whose values were reckoned).

    It is another one when games come, go, or change their names.
    """
    row = cursor.execute(
        "SELECT (SELECT coalesce(max(file_no), -1) FROM files),"
        " (SELECT coalesce(max(change), -1) FROM changes),"
        " (SELECT count(*) FROM deal_values)"
    ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1]), int(row[2])
