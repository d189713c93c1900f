"""The store of games, of whichever kind its address says: a file, or a lake many write to."""

from pathlib import Path

from ingest.store.base import Among as Among
from ingest.store.base import Store as Store
from ingest.store.base import changed as changed
from ingest.store.errors import BUSY as BUSY
from ingest.store.errors import DEFAULT as DEFAULT
from ingest.store.errors import FAILED as FAILED
from ingest.store.errors import FULL as FULL
from ingest.store.errors import NO_STORE as NO_STORE
from ingest.store.errors import NOT_INSTALLED as NOT_INSTALLED
from ingest.store.errors import NOTHING_OF_FILE as NOTHING_OF_FILE
from ingest.store.errors import PART as PART
from ingest.store.errors import REPLACED as REPLACED
from ingest.store.errors import StoreError as StoreError
from ingest.store.store_url import is_lake


def kind(address: str | Path) -> type[Store]:
    """The kind of store an address is of. StoreError: one that is not installed."""
    if not is_lake(address):
        return Store
    try:  # it takes a while, and packages that not everybody has
        from ingest.store.lake.store import LakeStore
    except ModuleNotFoundError as error:
        raise StoreError(NOT_INSTALLED, reason=str(error)) from None
    return LakeStore


Store.kind = staticmethod(kind)
