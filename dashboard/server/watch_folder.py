"""Watches the folder of `--watch-folder`: stores new files, moves them, writes a report next to each.

For users who copy files instead of opening a page. Files move to `done`, or to `refused` if they
contain no match that could be stored; while the store fails, a file stays and is retried.

A file is read once no process writes to it; if one did during the read, it is moved back and read again.
"""

import errno
import logging
import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

from dashboard.server.background import POLL_SECONDS, BackgroundWorker
from ingest.cli.common import CommandError, print_notice
from ingest.cli.ingest import counts_line
from ingest.cli.report_text import finding_line, report_heading
from ingest.findings.os_errors import translate_reason
from ingest.i18n import N_, Translate
from ingest.reader.sources import LOG_SUFFIXES
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.unpurged_copies import watch_folders

STABLE_POLLS = {False: 1, None: 60, True: 600}
"""Polls without a change before a complete file is read, by whether a process may still write to
it: a stalled copy looks like a finished one."""
RETRY_SECONDS = 60.0
"""Seconds until a file that could not be stored is retried."""
DONE_FOLDER, REJECTED_FOLDER = "done", "rejected"
PARTIAL_SUFFIXES = (".part", ".tmp", ".crdownload")
"""Suffixes of files that are still being written."""
MAX_NAME_BYTES, MAX_SUFFIX_BYTES = 240, 10
"""Bytes of a name and of its suffix: a number and `.txt` are added, and 255 is the limit."""
CANNOT_WATCH = N_("The folder {path} cannot be watched: {file}: {reason}.")
UNKNOWN_SUFFIX = N_("Skipped: unsupported extension. Supported: {endings}.")
FileState = tuple[int, int, int]
"""Inode, size and modification time of a file."""


class SeenFile(NamedTuple):
    """A file's state at a poll, and the number of polls without a change."""

    state: FileState
    poll_count: int = 0


class WatchFolder(BackgroundWorker):
    """Watches one folder in a thread. CommandError: it cannot be watched."""

    join_timeout, ignored_errors = (
        RETRY_SECONDS,
        (KeyboardInterrupt, OSError),
    )  # a network folder may be unreachable for a while

    def __init__(self, path: Path, get_store: Callable[[], Store], t: Translate) -> None:
        super().__init__(get_store, self.take_all)
        if os.open not in os.supports_dir_fd:
            raise CommandError(N_("This system cannot watch a folder."))
        self.path, self._t = path.resolve(), t
        self._seen_files: dict[str, SeenFile] = {}
        self._moved_files: dict[tuple[str, str], SeenFile] = {}
        """(subfolder, name) → state of files that may have been written to while being moved."""
        self._reported: dict[str, tuple[FileState, int]] = {}
        """Name → state of a file that could not be stored, and the polls to wait before a retry."""
        try:
            self._folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            for name in (DONE_FOLDER, REJECTED_FOLDER):
                with self._subfolder(name):
                    pass  # report an unusable folder at the start
        except OSError as error:
            why = translate_reason(t, error)
            raise CommandError(CANNOT_WATCH, path=path, file=error.filename, reason=why) from None

    @contextmanager
    def _subfolder(self, name: str) -> Iterator[int]:
        """Open a subfolder, made if missing; symlinks are refused. OSError."""
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=self._folder)
        folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=self._folder)
        try:
            yield folder
        finally:
            os.close(folder)

    def __enter__(self) -> "WatchFolder":
        watch_folders.add(self.path)
        super().__enter__()
        return self

    def stop(self) -> None:
        """Stop; a file that is being stored stays in the folder, and nothing of it is stored."""
        watch_folders.discard(self.path)
        super().stop()
        self._check_moved()
        os.close(self._folder)

    def take_all(self) -> None:
        self._check_moved()
        seen = dict[str, SeenFile]()
        for name in os.listdir(self._folder):  # no symlinks, hidden or partial files
            if not name.startswith(".") and not name.lower().endswith(PARTIAL_SUFFIXES):
                with suppress(FileNotFoundError):
                    known = os.stat(name, dir_fd=self._folder, follow_symlinks=False)
                    if stat.S_ISREG(known.st_mode):
                        seen[name] = _seen_again(self._seen_files.get(name), _file_state(known))
        self._seen_files = seen
        for name, (now, looks) in sorted(self._seen_files.items()):
            state, left = self._reported.get(name, (None, 0))
            if state == now and left:
                self._reported[name] = now, left - 1
            elif looks and looks >= STABLE_POLLS[_is_file_open_for_writing(name, self._folder)]:
                self._take_file(name, now)

    def _check_moved(self) -> None:
        """Move back files that were written to while they were read: their rest is not stored."""
        for (where, name), seen in list(self._moved_files.items()):
            with suppress(OSError), self._subfolder(where) as folder:
                now = _file_state(os.stat(name, dir_fd=folder, follow_symlinks=False))
                if now[1:] != seen.state[1:]:
                    back = next(one for one in _free_names(name) if not _exists(one, self._folder))
                    os.rename(name, back, src_dir_fd=folder, dst_dir_fd=self._folder)
                    os.unlink(f"{name}.txt", dir_fd=folder)
                elif seen.poll_count < STABLE_POLLS[_is_file_open_for_writing(name, folder)]:
                    self._moved_files[where, name] = _seen_again(seen, now)
                    continue
            del self._moved_files[where, name]

    def _take_file(self, name: str, state: FileState) -> None:
        """Store and move a file; if it cannot be stored, it stays and one notice is printed."""
        try:
            if not name.lower().endswith(LOG_SUFFIXES):
                self._move_file(
                    name, state, REJECTED_FOLDER, self._t(UNKNOWN_SUFFIX, endings=", ".join(LOG_SUFFIXES))
                )
                return
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=self._folder)
            with os.fdopen(descriptor, "rb") as file:
                if _file_state(os.fstat(descriptor)) != state:
                    return
                (report,) = ingest(self._get_store(), [(name, file)])
            # rejected if nothing of it was stored or known
            where = DONE_FOLDER if report.added + report.duplicates else REJECTED_FOLDER
            # the report of `ingest`: counts, then the findings of each match
            lines = [counts_line(self._t, report)]
            for item in report.reports:
                if item.findings:
                    lines.append(report_heading(self._t, item))
                    lines += [finding_line(self._t, one) for one in item.findings]
            self._move_file(name, state, where, "\n".join(line.plain for line in lines))
            self._reported.pop(name, None)
            return
        except StoreError as error:
            why = error.message(self._t)
        except OSError as error:
            why = translate_reason(self._t, error)
        except Exception as error:
            logging.getLogger("retourne.server").error("fault", exc_info=error)
            why = type(error).__name__
        if name not in self._reported:
            print_notice(self._t(N_("{path} stays where it is: {reason}"), path=self.path / name, reason=why))
        self._reported[name] = state, round(RETRY_SECONDS / POLL_SECONDS)

    def _move_file(self, name: str, state: FileState, subfolder: str, report: str) -> None:
        """Write the report, then move the file next to it, under names that are not taken."""
        if _file_state(os.stat(name, dir_fd=self._folder, follow_symlinks=False)) != state:
            return  # replaced by another file meanwhile
        with self._subfolder(subfolder) as to:
            for free in _free_names(name):
                with suppress(FileExistsError), _new_file(f"{free}.txt", to) as result:
                    if _exists(free, to):
                        raise FileExistsError
                    os.write(result, f"{report}\n".encode(errors="backslashreplace"))
                    os.fsync(result)
                    os.rename(name, free, src_dir_fd=self._folder, dst_dir_fd=to)
                    self._moved_files[subfolder, free] = SeenFile(state)
                    return


def _file_state(known: os.stat_result) -> FileState:
    return known.st_ino, known.st_size, known.st_mtime_ns


def _seen_again(previous: SeenFile | None, now: FileState) -> SeenFile:
    """Return a file's record after another poll."""
    return SeenFile(now, previous.poll_count + 1 if previous is not None and previous.state == now else 0)


def _is_file_open_for_writing(name: str, folder: int) -> bool | None:
    """As `is_open_for_writing`; False if the file cannot be opened, which `_take_file` reports."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return False
    try:
        return is_open_for_writing(descriptor)
    finally:
        os.close(descriptor)


def is_open_for_writing(descriptor: int) -> bool | None:
    """Return whether a process may still write to an open file; None if it cannot be determined.

    Linux grants a read lease only if no process has the file open for writing, and only to the
    file's owner. Some network folders always report a writer.
    """
    if sys.platform != "linux":
        return None
    import fcntl

    try:
        # on a conflict, the kernel signals the lease holder: choose a signal ignored by default
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    with suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


def _free_names(name: str) -> Iterator[str]:
    """Yield the name, then `club-2.jsonl`, `club-3.jsonl` and so on; long names are cut."""
    first, dot, rest = name.partition(".")
    if len(os.fsencode(name)) > MAX_NAME_BYTES:
        first, dot = (os.fsencode(name)[: MAX_NAME_BYTES - MAX_SUFFIX_BYTES].decode(errors="ignore"), "")
        rest = next((end for end in LOG_SUFFIXES if name.lower().endswith(end)), "")
    yield f"{first}{dot}{rest}"
    for number in count(2):
        yield f"{first}-{number}{dot}{rest}"


def _exists(name: str, folder: int) -> bool:
    return os.access(name, os.F_OK, dir_fd=folder, follow_symlinks=False)


@contextmanager
def _new_file(name: str, folder: int) -> Iterator[int]:
    """Create a file; delete it if the block raises. FileExistsError."""
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666, dir_fd=folder)
    try:
        yield descriptor
    except BaseException:
        os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)
