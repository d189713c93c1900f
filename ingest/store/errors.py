"""What says that a store cannot be used, and where one is looked for: without DuckDB."""

from collections.abc import Callable
from typing import Any

from ingest.i18n import Translate

DEFAULT = "retourne.duckdb"


class StoreError(Exception):
    """The store cannot be used: why, and the way round it, in the user's language by `say`."""

    def __init__(self, text: str, **values: Any) -> None:
        super().__init__(text.format(**values))
        self.text, self.values = text, values

    def say(self, t: Translate) -> str:
        from ingest.finding.system import why

        said = {name: t(self.values[name]) for name in ("left", "reason") if name in self.values}
        if "reason" in said:
            said["reason"] = why(t, said["reason"])
        return t(self.text, **self.values | said)


listeners: list[Callable[[StoreError], None]] = []
"""Who hears what is to be said of a store that opens all the same."""
