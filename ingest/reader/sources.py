"""Reads files, folders, object storage and streams as batches of texts."""

from collections.abc import Iterable, Iterator
from os.path import isdir
from pathlib import Path
from typing import IO

from ingest.reader.files import Batch, Progress, batches, stream_batches
from ingest.reader.object_storage import LOG_SUFFIXES as LOG_SUFFIXES
from ingest.reader.object_storage import S3Object, StorageError, is_object_address, list_objects

Source = Path | S3Object | tuple[str, IO[bytes]]
"""A file on disk or an object, or an open stream with the name to call it by."""


def source_name(source: Source) -> str:
    """The name a source is reported under."""
    return source[0] if isinstance(source, tuple) else str(source)


def sources_named(word: str | Path) -> list[Source]:
    """A path, or all objects of an address; where none is, one that is told as it is read."""
    if not isinstance(word, str) or not is_object_address(word):
        return [Path(word)]
    try:
        return [*list_objects(word)]
    except StorageError:
        return [S3Object(word)]


def source_batches(
    sources: Iterable[Source], progress: Progress = lambda count: None
) -> Iterator[Batch]:
    """Every batch of some sources; folders are walked."""
    for source in sources:
        if isinstance(source, tuple):
            yield from stream_batches(*source, progress)
        elif isinstance(source, Path) and isdir(source):  # False, too, of what can be no name
            for path in logs_in_folder(source):
                yield from batches(path, progress)
        else:
            yield from batches(source, progress)


def logs_in_folder(folder: Path) -> list[Path]:
    """The files of a folder, and of those in it, that look like logs by their name."""
    # a link that leads nowhere is one, to be told; a pipe, which may wait for ever, is not
    named = (path for path in folder.rglob("*") if path.suffix.lower() in LOG_SUFFIXES)
    return sorted(path for path in named if path.is_file() or not path.exists())
