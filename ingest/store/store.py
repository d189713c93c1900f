"""The store of games, of whichever kind its address says: a file, or a lake many write to."""

from ingest.store.base import Store as Store
from ingest.store.base import changed as changed
from ingest.store.embedded import Embedded
from ingest.store.errors import BUSY as BUSY
from ingest.store.errors import DEFAULT as DEFAULT
from ingest.store.errors import FAILED as FAILED
from ingest.store.errors import FULL as FULL
from ingest.store.errors import NO_STORE as NO_STORE
from ingest.store.errors import NOTHING_OF_FILE as NOTHING_OF_FILE
from ingest.store.errors import PART as PART
from ingest.store.errors import REPLACED as REPLACED
from ingest.store.errors import StoreError as StoreError

Store.kinds[:] = [Embedded]
