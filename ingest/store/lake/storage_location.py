"""The location of a lake's files: a shared folder or object storage.

DuckDB reads and writes the files. To list, create and remove files, Retourne uses pyarrow, as for
logs.
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
"""Pattern of a lake's files in its folder."""
PROBE_FILE = ".retourne"
"""An empty file written to check that files can be written; on object storage it stays."""
UNSUPPORTED_LOCATION = N_(
    "The files of a lake must be in a folder that all programs share, or on object storage "
    "(s3://bucket/folder): {path}"
)


class StorageLocation:
    """A folder or an object storage prefix, from a lake's address.

    `path` names the lake in errors. StoreError: `data` is neither, or cannot be reached.
    """

    def __init__(self, data: str, path: str) -> None:
        self.data, self.path = data, path
        self.is_object_storage = object_storage.is_object_address(data)
        if "://" in data and not self.is_object_storage:
            raise StoreError(UNSUPPORTED_LOCATION, path=path)

    def configure_connection(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Give a database access to object storage, with credentials from the environment."""
        if not self.is_object_storage:
            return
        load_extension(connection, "httpfs")
        result = os.environ
        fields = {
            "REGION": next((result[name] for name in object_storage.REGION_VARIABLES if result.get(name)), "")
        }
        given = [result.get(name, "") for name in object_storage.CREDENTIAL_VARIABLES]
        if given[0] and given[1]:
            fields |= dict(zip(("KEY_ID", "SECRET", "SESSION_TOKEN"), given, strict=True))
        else:  # AWS's own library finds credentials, and renews them when they expire
            load_extension(connection, "aws")
            fields |= {"PROVIDER": "credential_chain", "VALIDATION": "none", "REFRESH": "auto"}
        endpoint = urlsplit(
            next((result[name] for name in object_storage.ENDPOINT_VARIABLES if result.get(name)), "")
        )
        if endpoint.netloc:
            fields |= {"ENDPOINT": endpoint.netloc, "URL_STYLE": "path"}
            fields |= {"USE_SSL": "false" if endpoint.scheme == "http" else "true"}
        words = "".join(f", {name} {sql_quote(value)}" for name, value in fields.items() if value)
        connection.execute(f"CREATE SECRET storage (TYPE s3{words})")

    def has_data_files(self) -> bool:
        with self._filesystem() as (fs, files, path):
            there = fs.FileSelector(path.rstrip("/"), allow_not_found=True, recursive=True)
            return any(PurePosixPath(one.path).match(DATA_FILE_GLOB) for one in files.get_file_info(there))

    def check_writable(self) -> None:
        """Check that files can be written to the location. StoreError: they cannot."""
        self.create_empty_file(PROBE_FILE)
        # on object storage, pyarrow would replace the emptied folder by an empty object, which
        # some servers treat as a file that cannot have others below it
        if not self.is_object_storage:
            self.remove_files([PROBE_FILE])

    def has_file(self, name: str) -> bool:
        with self._filesystem() as (fs, files, path):
            return bool(files.get_file_info(path + name).type is fs.FileType.File)

    def create_empty_file(self, name: str) -> None:
        with self._filesystem() as (_, files, path):
            if not self.is_object_storage:
                files.create_dir(path.rstrip("/"))
            files.open_output_stream(path + name).close()

    def remove_files(self, names: Iterable[str]) -> None:
        """Remove files, by names or whole addresses; files already deleted are skipped."""
        with self._filesystem() as (fs, files, path):
            for name in names:
                whole = path + name.removeprefix(self.data)
                try:
                    files.delete_file(whole)
                except OSError:
                    # some servers refuse the object that replaces an emptied folder
                    if files.get_file_info(whole).type is not fs.FileType.NotFound:
                        raise

    @contextmanager
    def _filesystem(self) -> Iterator[tuple[Any, Any, str]]:
        """Yield the module `pyarrow.fs`, a file system and the location's path in it."""
        from pyarrow import fs

        try:
            if not self.is_object_storage:
                yield fs, fs.LocalFileSystem(), self.data
                return
            with object_storage.storage_errors(self.data):
                yield fs, *object_storage.file_system_of(self.data)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(STORE_FAILED, path=self.path, reason=reason, left=NOTHING_CHANGED) from None
