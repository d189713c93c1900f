"""Store errors and the default path, importable without DuckDB."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from errno import EDQUOT, EFBIG, ENOSPC
from functools import partial
from typing import Any

from ingest.i18n import N_, Translate, fill_text

DEFAULT_STORE_NAME = "retourne.duckdb"

STORE_IN_USE = N_(
    "The store {path} is in use by another program{pid}. Wait until it is done, or close it. If it "
    "serves pages, “Add matches” takes files there, and “Data” makes a backup, which can be read."
)
STORE_REPLACED = N_("Another process replaced the store {path}: look at its contents, then try again.")
STORE_FILE_REMOVED = N_(
    "The file of the store {path} was removed or replaced while it was open: nothing can be added or "
    "changed. Stop the program, put the file back, and start it again."
)
NO_STORE = N_("No store at {path}. Create one: retourne ingest FILES {path!w}")
STORE_OUTDATED = N_(
    "The store {path} was made by an older version of Retourne. "
    "Bring it up to date: retourne revalidate {path!w}"
)
PRERELEASE_STORE = N_(
    "The store {path} was made by an earlier development version of Retourne, and no version reads "
    "its tables. Put its logs into a new store: retourne ingest {path!q} --store {new!q}"
)
PRERELEASE_LAKE = N_(
    "The lake {path} was made by an earlier development version. Export its logs with that "
    "version, and ingest them into a new store: retourne export --logs {path!w} --output "
    "LOGS.jsonl"
)
STORE_TOO_NEW = N_("The store {path} was made by a newer version of Retourne: update this one.")
LAKE_NOT_INSTALLED = N_(
    "A lake needs more packages ({reason}). In the checkout: pip install '.[lake]' – with the "
    "wheel: pip install 'FILE.whl[lake]'"
)
LAKE_NOT_COPYABLE = N_(
    "A lake is not a file to copy or restore: back up its PostgreSQL database with pg_dump, "
    "then its folder of files."
)
DISK_FULL = N_("The disk is full. {left} Make room and try again.")
NO_HISTORY = N_("The store {path} is a file, without earlier states: only a lake has them.")
STORE_FAILED = N_("The store {path} failed: {reason}. {left}")
# what was stored of the work that failed
NOTHING_CHANGED = N_("Nothing was changed.")
NOTHING_STORED = N_("Nothing of this file was stored.")
PARTLY_REVALIDATED = N_("Matches checked so far are refreshed, the rest is unchanged.")


_names: ContextVar[Mapping[str, str]] = ContextVar("names", default={})  # noqa: B039


@contextmanager
def show_path_as(file: object, name: object) -> Iterator[None]:
    """Make errors about `file`, a temporary copy, show `name`, the file the user gave."""
    before = _names.set({**_names.get(), str(file): str(name_given(name))})
    try:
        yield
    finally:
        _names.reset(before)


def name_given(file: Any) -> Any:
    """Return the name under which the user knows a file."""
    return _names.get().get(str(file), file)


class StoreError(Exception):
    """The store cannot be used; `say` gives the reason and a way out in the user's language."""

    def __init__(self, text: str, **values: Any) -> None:
        values = {name: name_given(value) for name, value in values.items()}
        super().__init__(fill_text(text, **values))
        self.text, self.values = text, values

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), self.text, **self.values), ()

    def message(self, t: Translate) -> str:
        from ingest.findings.os_errors import translate_os_error

        fields = {name: t(self.values[name]) for name in ("left", "reason") if name in self.values}
        if "reason" in fields:
            fields["reason"] = translate_os_error(t, fields["reason"])
        return t(self.text, **self.values | fields)


def write_error(error: OSError, path: object, left: str) -> StoreError:
    """Return why a file next to a store could not be written; `left`: the part that was stored."""
    if error.errno in (ENOSPC, EDQUOT, EFBIG):
        return StoreError(DISK_FULL, left=left)
    return StoreError(STORE_FAILED, path=path, reason=str(error), left=left)


class CatalogUnavailable(StoreError):
    """The catalogue does not answer, or its connection broke: the work begun is not done."""


class FileMissing(StoreError):
    """A file in the lake's catalogue is missing: another program purged it, or it was deleted."""


warning_listeners: list[Callable[[StoreError], None]] = []
"""Called with warnings about a store that can be used all the same."""
