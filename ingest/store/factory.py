"""Opens a store by its URL: a file or a lake."""

from pathlib import Path

from ingest.store.base import LockMode as LockMode
from ingest.store.base import Store as Store
from ingest.store.base import store_changed_listeners as store_changed_listeners
from ingest.store.errors import DEFAULT_STORE_NAME as DEFAULT_STORE_NAME
from ingest.store.errors import DISK_FULL as DISK_FULL
from ingest.store.errors import LAKE_NOT_INSTALLED as LAKE_NOT_INSTALLED
from ingest.store.errors import NO_STORE as NO_STORE
from ingest.store.errors import NOTHING_STORED as NOTHING_STORED
from ingest.store.errors import PARTLY_REVALIDATED as PARTLY_REVALIDATED
from ingest.store.errors import STORE_FAILED as STORE_FAILED
from ingest.store.errors import STORE_IN_USE as STORE_IN_USE
from ingest.store.errors import STORE_REPLACED as STORE_REPLACED
from ingest.store.errors import StoreError as StoreError
from ingest.store.store_url import is_lake_url


def store_class(address: str | Path) -> type[Store]:
    """Return the store class for an address. StoreError: its packages are not installed."""
    if not is_lake_url(address):
        return Store
    try:  # imported only here: slow, and its packages are optional
        from ingest.store.lake.store import LakeStore
    except ModuleNotFoundError as error:
        raise StoreError(LAKE_NOT_INSTALLED, reason=str(error)) from None
    return LakeStore


Store.class_for = staticmethod(store_class)
