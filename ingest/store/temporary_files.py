"""Temporary files and folders: private, and removed after the process that made them was killed.

A file that is written to take the place of another is next to it, with the number of its process
in its name. Everything else that needs a name is in a folder that its process locks.
"""

import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO, TypeVar

from ingest.store import wal
from ingest.store.server_hosts import is_running

T = TypeVar("T")

PART_SUFFIX_PATTERN = r"\.\d{1,9}-\d+\.part"
"""The suffix that `temporary_sibling` adds to a name: the id of its process, and a number."""
FOLDER_PREFIX, NEW_FOLDER_PREFIX = "retourne-temporary-", "retourne-new-"
OPEN_FILES = Path("/dev/fd")
"""Folder in which the open files of a process have names; Windows has none."""
PRIVATE_UMASK = 0o077
_part_numbers = count(1)
_user_umask: int | None = None
"""The user's umask, while that of this process is another."""


@contextmanager
def private_files() -> Iterator[None]:
    """Make all new files of this process readable only by its user; outputs have `output_mode`."""
    global _user_umask
    before, user_umask = os.umask(PRIVATE_UMASK), _user_umask
    _user_umask = before if user_umask is None else user_umask
    try:
        yield
    finally:
        os.umask(before)
        _user_umask = user_umask


def output_mode() -> int:
    """Return the rights of a file that the user names, by the user's umask."""
    if _user_umask is not None:
        return 0o666 & ~_user_umask
    os.umask(umask := os.umask(PRIVATE_UMASK))
    return 0o666 & ~umask


# next to other files


@contextmanager
def temporary_sibling(target: Path) -> Iterator[Path]:
    """Yield a temporary path next to a file that is to be replaced, and clean it up afterwards.

    The name is unique, as other processes may be replacing the same file.
    """
    with suppress(OSError):  # they do no harm, and a folder may not be listed
        remove_stale_parts(target.parent, re.escape(target.name))
    part = target.with_name(f"{target.name}.{os.getpid()}-{next(_part_numbers)}.part")
    try:
        yield part
    finally:
        _remove_part(part)


def remove_stale_parts(folder: Path, name_pattern: str) -> None:
    """Remove the temporary files with which killed processes were replacing files of such names."""
    ours = re.compile(rf"(?P<part>(?:{name_pattern})(?:{PART_SUFFIX_PATTERN})+)(\.wal|\.tmp)?")
    for one in folder.iterdir():
        if found := ours.fullmatch(one.name):
            *_, process = re.findall(r"\.(\d+)-", found["part"])
            if os.name == "posix" and not is_running(int(process)):  # others cannot check it
                _remove_part(one.with_name(found["part"]))


def _remove_part(part: Path) -> None:
    part.unlink(missing_ok=True)
    wal.wal_path(part).unlink(missing_ok=True)
    remove_spill_files(part)


def remove_spill_files(store: Path) -> None:
    """Remove the files that DuckDB spilled next to a store in a process that was killed."""
    folder = store.with_name(store.name + ".tmp")
    for left in folder.glob("duckdb_temp_*"):
        left.unlink()
    with suppress(OSError):  # there is no folder, or it contains other files
        folder.rmdir()


def remove_leftovers(store: Path) -> None:
    """Remove what killed processes left: call it once only this process has the store open, to write."""
    with suppress(OSError):  # leftovers do no harm
        remove_stale_parts(store.parent, re.escape(store.name))
        remove_spill_files(store)
    remove_abandoned_folders()


# folders and files without a name


def write_unlinked(write: Callable[[Path], T], needs_name: bool = False) -> tuple[IO[bytes], T]:
    """Have a file written at a path; return it open and without a name, and what `write` returned.

    It has no name from the start, so that nothing is left of it even if this process is killed.
    `needs_name`: `write` also makes files next to it; then it has a name in a temporary folder until
    `write` is done.
    """
    if needs_name or not OPEN_FILES.is_dir():
        with temporary_folder() as folder:
            result = write(folder / "file")
            return (folder / "file").open("rb"), result
    with ExitStack() as until:
        file = until.enter_context(tempfile.TemporaryFile())
        result = write(OPEN_FILES / str(file.fileno()))
        file.seek(0)
        until.pop_all()
        return file, result


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a new private folder, which ends with the block, or else with the next process of its user."""
    remove_abandoned_folders()
    made = Path(tempfile.mkdtemp(prefix=NEW_FOLDER_PREFIX))
    lock = _lock_folder(made)
    # renamed once it is locked: no process finds it by this name and without its lock
    folder = made.rename(made.with_name(FOLDER_PREFIX + made.name.removeprefix(NEW_FOLDER_PREFIX)))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def remove_abandoned_folders() -> None:
    """Remove the folders of killed processes of this user."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        with suppress(OSError):  # another user's folder, or already removed
            status = folder.lstat()
            if stat.S_IMODE(status.st_mode) == 0o700 and (lock := _lock_folder(folder)) is not None:
                try:
                    shutil.rmtree(folder)
                finally:
                    os.close(lock)


def _lock_folder(folder: str | Path) -> int | None:
    """Lock a folder for the life of this process; None: it is locked or cannot be."""
    if sys.platform == "win32":
        return None
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
