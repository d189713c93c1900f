"""What a store would keep of a batch, to hold one way of judging it to another."""

from typing import Any

import numpy as np

from ingest.store.derived_rows import derive_rows
from ingest.validate.batch import CheckedBatch


def rows_of(checked: CheckedBatch) -> dict[str, list[Any]]:
    """Every row a store would derive, but the name a match is stored by."""
    rows: dict[str, list[Any]] = {}
    numbers: dict[tuple[str, str], int] = {}

    def names(places: Any) -> dict[str, Any]:
        return {"match_no": np.asarray(places, np.int64)}

    def players(ids: list[str], called: list[str]) -> Any:
        pairs = zip(ids, called, strict=True)
        return np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], np.int64)

    for table, found in derive_rows(checked, names, players):
        if found.num_rows:
            rows.setdefault(table, []).extend(found.to_pylist())
    back = {number: pair for pair, number in numbers.items()}
    for found in rows.values():
        for row in found:
            if "player_no" in row:
                row["player_no"] = back[row["player_no"]]
        found.sort(key=repr)
    return rows
