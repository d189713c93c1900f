"""What may be read: files, folders and open streams → batches of texts."""

from collections.abc import Iterable, Iterator
from os.path import isdir
from pathlib import Path
from typing import IO

from ingest.text.files import Batch, Progress, batches, stream_batches

Source = Path | tuple[str, IO[bytes]]
"""A file on disk, or an open stream with the name to call it by."""


def source_batches(
    sources: Iterable[Source], progress: Progress = lambda count: None
) -> Iterator[Batch]:
    """Every batch of some sources; folders are walked."""
    for source in sources:
        if isinstance(source, tuple):
            yield from stream_batches(*source, progress)
        elif isdir(source):  # False, too, of what can be no name
            for path in logs_in(source):
                yield from batches(path, progress)
        else:
            yield from batches(source, progress)


LOGS = (".json", ".jsonl", ".ndjson", ".gz", ".zst", ".zip")


def logs_in(folder: Path) -> list[Path]:
    """The files of a folder, and of those in it, that look like logs by their name.

    A link that leads nowhere is one of them, to be told; a pipe, which may wait for ever, is not.
    """
    named = (path for path in folder.rglob("*") if path.suffix.lower() in LOGS)
    return sorted(path for path in named if path.is_file() or not path.exists())
