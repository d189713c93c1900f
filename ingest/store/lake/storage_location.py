"""Where a lake's files lie: a shared folder or object storage.

DuckDB reads and writes them there; what is looked for and removed besides is asked of pyarrow, as
logs are.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import duckdb

from ingest.i18n import N_
from ingest.reader import object_storage
from ingest.store.errors import NOTHING_CHANGED, STORE_FAILED, StoreError
from ingest.store.lake.attach import load_extension, sql_quote

DATA_FILE_GLOB = "*/*/ducklake-*.parquet"
"""The files of a lake in its place."""
PROBE_FILE = ".retourne"
"""An empty file that shows that others can be written; on object storage it stays."""
UNSUPPORTED_LOCATION = N_(
    "The files of a lake lie in a folder that all programs share, or on object storage "
    "(s3://bucket/folder): {path}"
)


class StorageLocation:
    """A folder or a place on object storage, as a lake's address has it.

    `path` is what the lake is called in a StoreError: it is neither, or cannot be asked.
    """

    def __init__(self, data: str, path: str) -> None:
        self.data, self.path = data, path
        self.is_object_storage = object_storage.is_object_address(data)
        if "://" in data and not self.is_object_storage:
            raise StoreError(UNSUPPORTED_LOCATION, path=path)

    def configure_connection(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Have a database read and write there, with what the environment says of who asks."""
        if not self.is_object_storage:
            return
        load_extension(connection, "httpfs")
        said = os.environ
        told = {
            "REGION": next(
                (said[name] for name in object_storage.REGION_VARIABLES if said.get(name)), ""
            )
        }
        given = [said.get(name, "") for name in object_storage.CREDENTIAL_VARIABLES]
        if given[0] and given[1]:
            told |= dict(zip(("KEY_ID", "SECRET", "SESSION_TOKEN"), given, strict=True))
        else:  # what AWS's own library finds, and finds again when it has ended
            load_extension(connection, "aws")
            told |= {"PROVIDER": "credential_chain", "VALIDATION": "none", "REFRESH": "auto"}
        endpoint = urlsplit(
            next((said[name] for name in object_storage.ENDPOINT_VARIABLES if said.get(name)), "")
        )
        if endpoint.netloc:
            told |= {"ENDPOINT": endpoint.netloc, "URL_STYLE": "path"}
            told |= {"USE_SSL": "false" if endpoint.scheme == "http" else "true"}
        words = "".join(f", {name} {sql_quote(value)}" for name, value in told.items() if value)
        connection.execute(f"CREATE SECRET storage (TYPE s3{words})")

    def has_data_files(self) -> bool:
        """Whether files of a lake lie there."""
        with self._filesystem() as (fs, files, path):
            there = fs.FileSelector(path.rstrip("/"), allow_not_found=True, recursive=True)
            return any(
                PurePosixPath(one.path).match(DATA_FILE_GLOB) for one in files.get_file_info(there)
            )

    def check_writable(self) -> None:
        """See that files can be written there, before anybody relies on it."""
        self.create_empty_file(PROBE_FILE)
        # on object storage an empty object would be put in the emptied folder's place, which some
        # servers keep as a file that no other may lie below
        if not self.is_object_storage:
            self.remove_files([PROBE_FILE])

    def has_file(self, name: str) -> bool:
        """Whether a file of this name lies there."""
        with self._filesystem() as (fs, files, path):
            return bool(files.get_file_info(path + name).type is fs.FileType.File)

    def create_empty_file(self, name: str) -> None:
        """An empty file of this name."""
        with self._filesystem() as (_, files, path):
            if not self.is_object_storage:
                files.create_dir(path.rstrip("/"))
            files.open_output_stream(path + name).close()

    def remove_files(self, names: Iterable[str]) -> None:
        """Files that may be gone already, by their names there or their whole addresses."""
        with self._filesystem() as (fs, files, path):
            for name in names:
                whole = path + name.removeprefix(self.data)
                try:
                    files.delete_file(whole)
                except OSError:
                    # what is put in an emptied folder's place is not taken by every server
                    if files.get_file_info(whole).type is not fs.FileType.NotFound:
                        raise

    @contextmanager
    def _filesystem(self) -> Iterator[tuple[Any, Any, str]]:
        """Pyarrow's words for it, whom to ask, and for what."""
        from pyarrow import fs

        try:
            if not self.is_object_storage:
                yield fs, fs.LocalFileSystem(), self.data
                return
            with object_storage.storage_errors(self.data):
                yield fs, *object_storage.file_system_of(self.data)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(
                STORE_FAILED, path=self.path, reason=reason, left=NOTHING_CHANGED
            ) from None
