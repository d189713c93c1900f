"""Reads files, folders, object storage and streams as batches of texts."""

from collections.abc import Iterable, Iterator, Sequence
from os.path import isdir
from pathlib import Path
from typing import IO

from ingest.reader.archives import Progress
from ingest.reader.files import Batch, batches, stream_batches
from ingest.reader.object_storage import LOG_SUFFIXES as LOG_SUFFIXES
from ingest.reader.object_storage import S3Object, StorageError, is_object_address, list_objects

Source = Path | S3Object | tuple[str, IO[bytes]]
"""A file, a folder, an S3 object, or a name with an open binary stream."""


def source_name(source: Source) -> str:
    """Return the name under which a source is reported."""
    return source[0] if isinstance(source, tuple) else str(source)


def sources_named(word: str | Path) -> list[Source]:
    """Resolve a path or `s3://` address; one without objects stays, so that reading reports it."""
    if not isinstance(word, str) or not is_object_address(word):
        return [Path(word)]
    try:
        return [*list_objects(word)]
    except StorageError:
        return [S3Object(word)]


def source_batches(sources: Iterable[Source], progress: Progress = lambda count: None) -> Iterator[Batch]:
    """Read sources in batches; folders are searched recursively."""
    for source in sources:
        if isinstance(source, tuple):
            yield from stream_batches(*source, progress)
        elif isinstance(source, Path) and isdir(source):  # False for invalid names too
            for path in logs_in_folder(source):
                yield from batches(path, progress)
        else:
            yield from batches(source, progress)


def join_batches(batches: Iterable[Batch], max_bytes: int) -> Iterator[Batch]:
    """Join small batches up to `max_bytes`, as of many files in a zip: each has a fixed cost.

    Those with texts and read errors are not joined, so that the order of reports stays the same.
    """
    some, size = list[Batch](), 0
    for batch in batches:
        more = sum(len(one.text) for one in batch.texts)
        if some and (size + more > max_bytes or not _are_joinable(some[-1], batch)):
            yield _joined(some)
            some, size = [], 0
        some.append(batch)
        size += more
    if some:
        yield _joined(some)


def _are_joinable(batch: Batch, following: Batch) -> bool:
    """Return whether both have only texts, or only read errors of whole files."""
    troubles = *batch.troubles, *following.troubles
    return not troubles or not (batch.texts or following.texts or any(one.line > 1 for one in troubles))


def _joined(batches: list[Batch]) -> Batch:
    if len(batches) == 1:
        return batches[0]
    texts = [one._replace(file=batch.file) for batch in batches for one in batch.texts]
    return Batch(batches[0].file, texts, [one for batch in batches for one in batch.troubles])


def files_in_folder(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    """Return the files below a folder with one of some suffixes, sorted."""
    # a dangling link is included, to be reported; a pipe is not: reading it may block forever
    named = (path for path in folder.rglob("*") if path.suffix.lower() in suffixes)
    return sorted(path for path in named if path.is_file() or not path.exists())


def logs_in_folder(folder: Path) -> list[Path]:
    """Return the files below a folder with a suffix of logs, sorted, without a log's expected findings."""
    logs = files_in_folder(folder, LOG_SUFFIXES)
    expected = {path.with_suffix(".expected.json") for path in logs}
    return [path for path in logs if path not in expected]
