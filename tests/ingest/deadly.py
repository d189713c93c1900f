"""Work that ends its process, for the tests of what becomes of it; workers find it by its name."""

import os
import signal
import time

from ingest.spread.work import Done, Part, checked_part, checked_texts
from ingest.text.files import Batch, opened

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
