"""Work that ends its process, for the tests of what becomes of it; workers find it by its name."""

import os
import signal
import time
from pathlib import Path

from ingest.distributed.check_files import Done, Part, checked_part, checked_texts
from ingest.distributed.ingest_files import stored
from ingest.reader.files import Batch, opened
from ingest.store.lake_part import Order
from ingest.store.store_url import parsed

POISON = b"a text that ends its process"


def deadly_part(part: Part) -> Done | None:
    """A part checked, unless it has the poison."""
    with opened(part.path) as file:
        file.seek(part.part.start)
        end = part.part.end
        if POISON in file.read(-1 if end is None else end - part.part.start):
            os.kill(os.getpid(), signal.SIGKILL)
    return checked_part(part)


def deadly_texts(batch: Batch) -> Done:
    """The same of texts."""
    if any(POISON in one.text for one in batch.texts):
        os.kill(os.getpid(), signal.SIGKILL)
    return checked_texts(batch)


def slow_part(part: Part) -> Done | None:
    """A part checked with time to end its process meanwhile."""
    time.sleep(0.2)
    return checked_part(part)


def stored_and_ended(done: Done | None, order: Order) -> bytes | None:
    """A part stored, whose process ends before it has said so; the next one says so."""
    found = stored(done, order)
    _end_once(order.lake, order.part)
    return found


def not_this_folder(done: Done | None, order: Order) -> bytes | None:
    """A part stored by who does not see the folder of the lake that the others see."""
    return stored(done, order._replace(mark=order.mark + "-elsewhere"))


def slowly_stored(done: Done | None, order: Order) -> bytes | None:
    """A part stored with time to end its process before and after."""
    time.sleep(0.1)
    found = stored(done, order)
    time.sleep(0.1)
    return found


def _end_once(lake: str, what: object) -> None:
    """End this process, unless one has ended at the same already."""
    died = Path(parsed(lake).data) / f"died-{what}"
    if not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
