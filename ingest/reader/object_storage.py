"""Reads logs from object storage, `s3://bucket/path`.

Environment variables name the endpoint and the credentials, as for other S3 clients. Messages never
contain them.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EIO
from fnmatch import fnmatchcase
from functools import lru_cache
from io import BufferedReader, RawIOBase
from itertools import takewhile
from pathlib import PurePosixPath
from typing import IO, Any
from urllib.parse import urlsplit

from ingest.i18n import N_

S3_SCHEME = "s3://"
CREDENTIAL_VARIABLES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")
ENDPOINT_VARIABLES = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
ALL_VARIABLES = (*CREDENTIAL_VARIABLES, *REGION_VARIABLES, *ENDPOINT_VARIABLES)
"""Variables read here; without a key, the library searches the places AWS defines."""
REQUEST_BYTES = 8 << 20
"""Bytes of an object per request: each request costs a round trip."""
TIMEOUT_SECONDS, MAX_ATTEMPTS = 10.0, 4
"""Seconds before a request to a storage that does not answer is retried, and attempts in all."""
LOG_SUFFIXES = (".json", ".jsonl", ".ndjson", ".gz", ".zst", ".bz2", ".xz", ".zip", ".tar", ".tgz")
"""Suffixes of logs, in folders and on object storage."""

NO_OBJECT = N_("no such object")
NO_BUCKET = N_("no such bucket")
NO_LOGS = N_("no log found there")
ACCESS_REFUSED = N_("the storage refuses access: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
NO_ANSWER = N_("the storage does not answer: check AWS_ENDPOINT_URL and AWS_REGION")
STORAGE_FAILED = N_("the storage fails")
BAD_ADDRESS = N_("it is not an address on object storage, such as s3://bucket/path/*.jsonl")
REASONS = (NO_OBJECT, NO_BUCKET, NO_LOGS, ACCESS_REFUSED, NO_ANSWER, STORAGE_FAILED, BAD_ADDRESS)

_WILDCARDS = "*?["
_REASON_PATTERNS = {
    "NO_SUCH_BUCKET|NoSuchBucket|bucket.* does not exist": NO_BUCKET,
    "NO_SUCH_KEY|NoSuchKey|RESOURCE_NOT_FOUND|Path does not exist|HTTP (status )?404": NO_OBJECT,
    "ACCESS_DENIED|Forbidden|ACCESS_KEY|SIGNATURE|TOKEN|CREDENTIAL|status 40[13]": ACCESS_REFUSED,
    "NETWORK_CONNECTION|curlCode|resolve|timed? ?out|PermanentRedirect|HTTP 301": NO_ANSWER,
    "Could not connect": NO_ANSWER,
}


class StorageError(OSError):
    """A failed read from object storage; `filename` is the address, `strerror` one of REASONS."""


@dataclass(frozen=True)
class S3Object:
    """An object by its address; `size` is in bytes, as listed, 0 if it was not listed."""

    address: str
    size: int = 0

    def __str__(self) -> str:
        return self.address

    def open(self, request_bytes: int = REQUEST_BYTES) -> IO[bytes]:
        """Open the object as a seekable binary stream. StorageError: it cannot be opened."""
        with storage_errors(self.address):
            file = _file_system().open_input_file(_bucket_and_key(self.address))
        return BufferedReader(_ObjectReader(self.address, file), request_bytes)


class _ObjectReader(RawIOBase):
    """A stream of an object's bytes that raises StorageError."""

    def __init__(self, address: str, file: Any) -> None:
        self.address, self.file = address, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with storage_errors(self.address):
            return int(self.file.readinto(buffer))

    def seek(self, offset: int, whence: int = 0) -> int:
        self.file.seek(offset, whence)
        return self.tell()

    def tell(self) -> int:
        return int(self.file.tell())

    def close(self) -> None:
        self.file.close()
        super().close()


@contextmanager
def storage_errors(address: str) -> Iterator[None]:
    """Convert the library's errors to a StorageError, without their messages."""
    try:
        yield
    except StorageError:
        raise
    except (OSError, ValueError) as error:
        raise StorageError(EIO, failure_reason(str(error)), address) from None


def failure_reason(message: str) -> str:
    """Map an S3 client's error message to one of REASONS."""
    return next(
        (text for one, text in _REASON_PATTERNS.items() if re.search(one, message, re.IGNORECASE)),
        STORAGE_FAILED,
    )


def file_system_of(address: str) -> tuple[Any, str]:
    """Return the pyarrow file system and path of an address. StorageError: it is invalid."""
    return _file_system(), _bucket_and_key(address)


def is_object_address(word: object) -> bool:
    """Return whether a word is an `s3://` address."""
    return isinstance(word, str) and word.startswith(S3_SCHEME)


def list_objects(address: str) -> list[S3Object]:
    """List an object, those of a pattern, or a folder's logs, sorted. StorageError: none found."""
    from pyarrow.fs import FileSelector, FileType

    path, files = _bucket_and_key(address), _file_system()
    with storage_errors(address):
        found: list[Any] = []
        if any(sign in path for sign in _WILDCARDS):
            parts = path.split("/")
            plain = list(takewhile(lambda part: not any(sign in part for sign in _WILDCARDS), parts))
            base, wanted = "/".join(plain), parts[len(plain) :]
            deep = len(wanted) > 1 or "**" in wanted
            below = files.get_file_info(FileSelector(base, allow_not_found=True, recursive=deep))
            inside = len(base) + 1
            listed = (one for one in below if one.type is FileType.File)
            found = [one for one in listed if _path_matches(one.path[inside:].split("/"), wanted)]
        # no match: the name itself may contain wildcard characters
        whole = path.rstrip("/")
        if not found:
            info = files.get_file_info(whole)
            if info.type is FileType.File:
                return [S3Object(address, info.size)]
            if info.type is FileType.NotFound:
                bucket = whole.partition("/")[0]
                there = bucket != whole and files.get_file_info(bucket).type != FileType.NotFound
                raise StorageError(EIO, NO_OBJECT if there else NO_BUCKET, address)
            below = files.get_file_info(FileSelector(whole, recursive=True))
            found = [one for one in below if PurePosixPath(one.path).suffix.lower() in LOG_SUFFIXES]
        logs = (one for one in found if one.type is FileType.File)
        made = [S3Object(S3_SCHEME + one.path, one.size) for one in logs]
        if not made:
            raise StorageError(EIO, NO_LOGS, address)
        return sorted(made, key=lambda one: one.address)


def _bucket_and_key(address: str) -> str:
    """Return `bucket/key` of an address. StorageError: it is invalid."""
    path = address.removeprefix(S3_SCHEME)
    bucket = path.partition("/")[0]
    if not bucket or any(sign in bucket for sign in _WILDCARDS) or "//" in path:
        raise StorageError(EIO, BAD_ADDRESS, address)
    return path


def _path_matches(parts: list[str], wanted: list[str]) -> bool:
    if not wanted:
        return not parts
    if wanted[0] == "**":
        return any(_path_matches(parts[skipped:], wanted[1:]) for skipped in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], wanted[0]) and _path_matches(parts[1:], wanted[1:])


def _file_system() -> Any:
    """Return the S3 file system that the environment configures."""
    return _connect(tuple(os.environ.get(name, "") for name in ALL_VARIABLES))


@lru_cache(maxsize=4)
def _connect(environment: tuple[str, ...]) -> Any:
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

    given = dict(zip(ALL_VARIABLES, environment, strict=True))
    access, secret, session = (given[name] or None for name in CREDENTIAL_VARIABLES)
    endpoint = urlsplit(next((given[name] for name in ENDPOINT_VARIABLES if given[name]), ""))
    more: dict[str, Any] = {}
    if endpoint.netloc:
        more = {"endpoint_override": endpoint.netloc, "scheme": endpoint.scheme}
    region = next((given[name] for name in REGION_VARIABLES if given[name]), None)
    if access and secret:
        more |= {"access_key": access, "secret_key": secret, "session_token": session}
    return S3FileSystem(
        region=region or ("us-east-1" if endpoint.netloc else None),
        connect_timeout=TIMEOUT_SECONDS,
        request_timeout=6 * TIMEOUT_SECONDS,
        # else even empty objects are uploaded in parts without a length, which some servers refuse
        allow_delayed_open=True,
        retry_strategy=AwsStandardS3RetryStrategy(max_attempts=MAX_ATTEMPTS),
        **more,
    )
