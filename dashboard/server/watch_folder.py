"""A watched folder: what is copied there is stored, then moved, with a report beside it.

For people who copy files and open no page. What was taken lies in `done`, what nothing of could be
stored in `refused`; a file that cannot be stored now stays where it is until it can.

One is taken when nobody writes to it any more; where somebody did, it is put back and read again.
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

from dashboard.server.background import LOOK, Background
from ingest.cli.common import Stop, remark
from ingest.cli.ingest import counts_line
from ingest.cli.report_text import finding_line, head
from ingest.findings.os_errors import reason
from ingest.i18n import N_, Translate
from ingest.reader.sources import LOGS
from ingest.store import cancellation
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.other_copies import watched

UNCHANGED = {False: 1, None: 60, True: 600}
"""For how many looks a file has not changed that is there to its end, by whether somebody may still
write to it: a copy that has stalled looks like one that is done."""
AGAIN = 60.0
"""Seconds until what the store did not take is tried again."""
DONE, REFUSED = "done", "refused"
COMING = (".part", ".tmp", ".crdownload")
"""Endings of files that are still being written."""
LONGEST, ENDING = 240, 10
"""Bytes of a name and of its ending: of the 255 there are, a number and a report take some."""
NOT_WATCHED = N_("The folder {path} cannot be watched: {file}: {reason}.")
NO_LOG = N_("This is not read. Its name ends in none of {endings}.")
STAYS = N_("{path} stays where it is: {reason}")
State = tuple[int, int, int]
"""Which file it is, how long, and when it was last written to."""


class Seen(NamedTuple):
    """A file as it was at a look, and how many looks it has been like that."""

    state: State
    looks: int = 0


class Inbox(Background):
    """One folder, watched on a thread of its own. Stop: it cannot be."""

    wait, quiet = AGAIN, (KeyboardInterrupt, OSError)  # the folder may be out of reach a while

    def __init__(self, path: Path, lend: Callable[[], Store], t: Translate) -> None:
        super().__init__(lend, self.look)
        if os.open not in os.supports_dir_fd:
            raise Stop(N_("This system cannot watch a folder."))
        self.path, self._t = path.resolve(), t
        self._seen: dict[str, Seen] = {}
        self._moved: dict[tuple[str, str], Seen] = {}
        """By folder and name, what was read and moved while somebody may still have had it open."""
        self._waiting: dict[str, tuple[State, int]] = {}
        """What could not be stored as it was, and how many looks it is left alone."""
        try:
            self._folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            for name in (DONE, REFUSED):
                with self._inner(name):
                    pass  # so that what is wrong with it is said at once
        except OSError as error:
            why = reason(t, error)
            raise Stop(NOT_WATCHED, path=path, file=error.filename, reason=why) from None

    @contextmanager
    def _inner(self, name: str) -> Iterator[int]:
        """A folder in it, made where there is none; a link to one is none. OSError."""
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=self._folder)
        how = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        folder = os.open(name, how, dir_fd=self._folder)
        try:
            yield folder
        finally:
            os.close(folder)

    def __enter__(self) -> "Inbox":
        watched.add(self.path)
        super().__enter__()
        return self

    def stop(self) -> None:
        """Take no more; a file that is being stored stays where it is, and nothing of it is."""
        watched.discard(self.path)
        super().stop()
        self._look_after()
        os.close(self._folder)

    def _work(self, look: Callable[[], None]) -> None:
        cancellation.left.set(self._ended.is_set)
        super()._work(look)

    def look(self) -> None:
        """Take what is there to its end."""
        self._look_after()
        seen = dict[str, Seen]()
        for name in os.listdir(self._folder):  # no links, nothing hidden, nothing unfinished
            if not name.startswith(".") and not name.lower().endswith(COMING):
                with suppress(FileNotFoundError):
                    known = os.stat(name, dir_fd=self._folder, follow_symlinks=False)
                    if stat.S_ISREG(known.st_mode):
                        seen[name] = _again(self._seen.get(name), _state(known))
        self._seen = seen
        for name, (now, looks) in sorted(self._seen.items()):
            state, left = self._waiting.get(name, (None, 0))
            if state == now and left:
                self._waiting[name] = now, left - 1
            elif looks and looks >= UNCHANGED[_is_written(name, self._folder)]:
                self._take(name, now)

    def _look_after(self) -> None:
        """Put back what was written to while it was read or moved: the rest of it is not stored."""
        for (where, name), seen in list(self._moved.items()):
            with suppress(OSError), self._inner(where) as folder:
                now = _state(os.stat(name, dir_fd=folder, follow_symlinks=False))
                if now[1:] != seen.state[1:]:
                    back = next(one for one in _names(name) if not _is_there(one, self._folder))
                    os.rename(name, back, src_dir_fd=folder, dst_dir_fd=self._folder)
                    os.unlink(f"{name}.txt", dir_fd=folder)
                elif seen.looks < UNCHANGED[_is_written(name, folder)]:
                    self._moved[where, name] = _again(seen, now)
                    continue
            del self._moved[where, name]

    def _take(self, name: str, state: State) -> None:
        """Store a file and move it; where it cannot be stored it stays, and that is said once."""
        try:
            if not name.lower().endswith(LOGS):
                self._move(name, state, REFUSED, self._t(NO_LOG, endings=", ".join(LOGS)))
                return
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=self._folder)
            with os.fdopen(descriptor, "rb") as file:
                if _state(os.fstat(descriptor)) != state:
                    return
                (report,) = ingest(self._lend(), [(name, file)])
            # among those refused when the store has nothing of it
            where = DONE if report.added + report.duplicates else REFUSED
            # what `ingest` says of a file, and of each match in it what was found
            lines = [counts_line(self._t, report)]
            for told in report.reports:
                if told.findings:
                    lines.append(head(self._t, told))
                    lines += [finding_line(self._t, one) for one in told.findings]
            self._move(name, state, where, "\n".join(line.plain for line in lines))
            self._waiting.pop(name, None)
            return
        except StoreError as error:
            why = error.say(self._t)
        except OSError as error:
            why = reason(self._t, error)
        except Exception as error:
            logging.getLogger("retourne.server").error("fault", exc_info=error)
            why = type(error).__name__
        if name not in self._waiting:
            remark(self._t(STAYS, path=self.path / name, reason=why))
        self._waiting[name] = state, round(AGAIN / LOOK)

    def _move(self, name: str, state: State, where: str, report: str) -> None:
        """Write the report, then move the file beside it; under names that nothing has."""
        if _state(os.stat(name, dir_fd=self._folder, follow_symlinks=False)) != state:
            return  # another file of that name has come meanwhile
        with self._inner(where) as to:
            for free in _names(name):
                with suppress(FileExistsError), _new(f"{free}.txt", to) as told:
                    if _is_there(free, to):
                        raise FileExistsError
                    os.write(told, f"{report}\n".encode(errors="backslashreplace"))
                    os.fsync(told)
                    os.rename(name, free, src_dir_fd=self._folder, dst_dir_fd=to)
                    self._moved[where, free] = Seen(state)
                    return


def _state(known: os.stat_result) -> State:
    return known.st_ino, known.st_size, known.st_mtime_ns


def _again(before: Seen | None, now: State) -> Seen:
    """A file at another look."""
    return Seen(now, before.looks + 1 if before is not None and before.state == now else 0)


def _is_written(name: str, folder: int) -> bool | None:
    """As `is_written`; what cannot be opened is found to be so when it is taken."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return False
    try:
        return is_written(descriptor)
    finally:
        os.close(descriptor)


def is_written(descriptor: int) -> bool | None:
    """Whether somebody may still write to an open file; None: that cannot be known here.

    Linux lends a file to a reader only while nobody has it open for writing, and only to its owner.
    Some shared folders say that somebody writes where they do not know.
    """
    if sys.platform != "linux":
        return None
    import fcntl

    try:
        # this process would be told by a signal whom the loan is in the way of: one it ignores
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    with suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


def _names(name: str) -> Iterator[str]:
    """The name itself, then `club-2.jsonl`, `club-3.jsonl` and so on; one too long is cut."""
    first, dot, rest = name.partition(".")
    if len(os.fsencode(name)) > LONGEST:
        first, dot = os.fsencode(name)[: LONGEST - ENDING].decode(errors="ignore"), ""
        rest = next((end for end in LOGS if name.lower().endswith(end)), "")
    yield f"{first}{dot}{rest}"
    for number in count(2):
        yield f"{first}-{number}{dot}{rest}"


def _is_there(name: str, folder: int) -> bool:
    return os.access(name, os.F_OK, dir_fd=folder, follow_symlinks=False)


@contextmanager
def _new(name: str, folder: int) -> Iterator[int]:
    """A new file; it goes again where what it tells of is not done. FileExistsError."""
    how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(name, how, 0o666, dir_fd=folder)
    try:
        yield descriptor
    except BaseException:
        os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)
