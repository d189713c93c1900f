"""The rows a store would have of a batch, to compare ways of validating it."""

from typing import Any

import numpy as np

from ingest.store.derived_rows import LocalPlayerNumbers, derive_rows
from ingest.validate.batch import CheckedBatch


def rows_of(checked: CheckedBatch) -> dict[str, list[Any]]:
    """Every row a store would derive, but the name a match is stored by."""
    rows: dict[str, list[Any]] = {}
    players = LocalPlayerNumbers()

    def names(places: Any) -> dict[str, Any]:
        return {"match_no": np.asarray(places, np.int64)}

    for table, found in derive_rows(checked, names, players):
        if found.num_rows:
            rows.setdefault(table, []).extend(found.to_pylist())
    for found in rows.values():
        for row in found:
            for name in {"player_no", "alias_no"} & row.keys():
                row[name] = players.declared[row[name]]
        found.sort(key=repr)
    return rows
