"""Work that kills its process, which worker processes find by its name."""

import os
import signal
import time
from pathlib import Path

from ingest.distributed.check_files import CheckedPart, FilePart, check_part, check_text_batch
from ingest.distributed.ingest_files import store_checked_part
from ingest.reader.files import Batch, open_source
from ingest.store.lake_part import PartOrder
from ingest.store.store_url import parse_lake_url

POISON = b"a text that ends its process"


def deadly_part(part: FilePart) -> CheckedPart | None:
    """A part checked, unless it has the poison."""
    with open_source(part.path) as file:
        file.seek(part.byte_range.start)
        end = part.byte_range.end
        if POISON in file.read(-1 if end is None else end - part.byte_range.start):
            os.kill(os.getpid(), signal.SIGKILL)
    return check_part(part)


def deadly_texts(batch: Batch) -> CheckedPart:
    """The same of texts."""
    if any(POISON in one.text for one in batch.texts):
        os.kill(os.getpid(), signal.SIGKILL)
    return check_text_batch(batch)


def slow_part(part: FilePart) -> CheckedPart | None:
    """A part checked with time to end its process meanwhile."""
    time.sleep(0.2)
    return check_part(part)


def stored_and_ended(done: CheckedPart | None, order: PartOrder) -> bytes | None:
    """A part stored, whose process ends before it has said so; the next one says so."""
    found = store_checked_part(done, order)
    _end_once(order.lake_url, order.part_id)
    return found


def not_this_folder(done: CheckedPart | None, order: PartOrder) -> bytes | None:
    """A part stored by who does not see the folder of the lake that the others see."""
    return store_checked_part(done, order._replace(marker_file=order.marker_file + "-elsewhere"))


def slowly_stored(done: CheckedPart | None, order: PartOrder) -> bytes | None:
    """A part stored with time to end its process before and after."""
    time.sleep(0.1)
    found = store_checked_part(done, order)
    time.sleep(0.1)
    return found


def _end_once(lake: str, what: object) -> None:
    """End this process, unless one has ended at the same already."""
    died = Path(parse_lake_url(lake).data) / f"died-{what}"
    if not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
