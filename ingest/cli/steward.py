"""Commands of other programs done by the process that has the store, each in a thread of its own.

Whoever may write the store's file is its steward: a command that finds the store taken asks here
over a socket beside the file (`ingest.cli.hand_over`). Pages go on meanwhile, and nothing a command
does ends the server.
"""

import ctypes
import io
import os
import select
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TextIO

from ingest.cli import fault, wire
from ingest.cli.app import answered
from ingest.cli.caller import Caller, caller, streams_of_callers
from ingest.cli.terminal import CANNOT, Stop, complain, program_version, remark
from ingest.i18n import N_, Translate, translator
from ingest.store import asked
from ingest.store.store import REPLACED, Store, StoreError
from ingest.text.storage import environment

PATIENCE = 5.0
"""Seconds a command waits for the others to be done, before it puts another file in its place, and
the end of the server for all."""
AGAIN = 0.1
OTHERS_AT_WORK = N_(
    "Other commands are at work on the store {path}: wait for them, or end them, and try again."
)
ELSEWHERE = N_("This system lets a command be done by the dashboard only from its folder: {folder}")
WENT_WRONG = N_("It cannot be done: {reason}.")
CLONE_FS = 0x200
"""Of Linux: a folder and a mask for new files of the thread's own, and of threads it starts."""

Lend = Callable[[], Store]
Rewriting = Callable[[], AbstractContextManager[Store]]


class Steward:
    """Listens beside the store, and does what it is asked to."""

    def __init__(self, lend: Lend, rewriting: Rewriting, address: str = "") -> None:
        self._lend, self._rewriting, self.address = lend, rewriting, address
        self.path = Path(lend().path).resolve()
        self._changed = threading.Condition()
        self._users, self._alone, self._ended = 0, False, False
        self._sessions = set[_Session]()
        self._listening = wire.listen(self.path)
        threading.Thread(target=self._accept, daemon=True, name="steward").start()

    def stop(self) -> None:
        """Take no more commands, and interrupt those at work."""
        with self._changed:
            self._ended = True
        wire.remove(self.path)
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        with self._changed:
            for session in self._sessions:
                session.interrupt()
            self._changed.wait_for(lambda: not self._sessions, PATIENCE)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                if self._ended:
                    return
                time.sleep(AGAIN)  # too many files are open
                continue
            work = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            work.name = "command"
            work.start()

    def _serve(self, connection: socket.socket) -> None:
        """Do one command, from its first byte to its exit code."""
        with connection, suppress(OSError, wire.NoSocket, LookupError, TypeError, ValueError):
            wire.check_peer(connection)
            message, files = wire.requested(connection)
            try:
                if message.get("version") != program_version():
                    wire.say(connection, other=program_version())
                    return
                session = _Session(self, connection, message, files)
            finally:
                for file in files:
                    os.close(file)
            with self._changed:
                if self._ended:
                    return
                self._sessions.add(session)
            try:
                code = session.run()
            finally:
                with self._changed:
                    self._sessions.discard(session)
                    self._changed.notify_all()
                os.close(session.bell)
            wire.say(connection, exit=code)

    def has(self, path: Path) -> bool:
        """Whether a path leads to the store."""
        return path.resolve() == self.path

    @contextmanager
    def lend(self) -> Iterator[Store]:
        """The store, for a command that uses it beside others."""
        with self._changed:
            while self._alone:
                self._changed.wait(PATIENCE)
                asked.go_on()
            self._users += 1
        try:
            yield self._lend()
        finally:
            with self._changed:
                self._users -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[Store]:
        """The store, for who replaces it and uses it already.

        StoreError: others use it, or have replaced it, so that its numbers are of something else.
        """
        before = self._lend().opened
        with self._changed:
            self._users -= 1  # whoever waits here asks nothing meanwhile
            try:
                if not self._changed.wait_for(self._is_free, PATIENCE):
                    raise StoreError(OTHERS_AT_WORK, path=self.path)
                if self._lend().opened != before:
                    raise StoreError(REPLACED, path=self.path)
                self._alone = True
            finally:
                self._users += 1
        try:
            with self._rewriting() as store:
                yield store
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()

    @contextmanager
    def taken(self) -> Iterator[Store]:
        """The same for who is no command: a page. StoreError: commands use it."""
        with self.lend(), self.alone() as store:
            yield store

    def _is_free(self) -> bool:
        return not self._users and not self._alone


NO_SOCKET = N_(
    "Beside the store {path} there can be no socket: commands cannot use it while it is served."
)


@contextmanager
def serving(
    lend: Lend, rewriting: Rewriting, t: Translate, address: str = ""
) -> Iterator[Rewriting]:
    """Within, the store that is lent is taken, and commands of other programs are done.

    What it yields is `rewriting` once those are done. StoreError: it cannot be opened.
    """
    if not lend().in_a_file:  # commands open it themselves
        yield rewriting
        return
    with streams_of_callers(), ExitStack() as until:
        try:
            steward = Steward(lend, rewriting, address)
        except wire.NoSocket:
            remark(t(NO_SOCKET, path=lend().path))
            yield rewriting
            return
        until.callback(steward.stop)
        yield steward.taken


class _Session:
    """One command, and the program that asked for it."""

    def __init__(
        self, steward: Steward, connection: socket.socket, message: dict[str, Any], files: list[int]
    ) -> None:
        self._steward, self._connection = steward, connection
        self._words = [str(word) for word in message["words"]]
        self._t = translator(str(message["language"]))
        self._environ = {str(name): str(value) for name, value in message["environ"].items()}
        self._umask = int(message["umask"])
        self._answers = SimpleQueue[bool | None]()
        self.interrupted = self.gone = False
        self.bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        """Can be read once it was interrupted, so that nobody waits for anything else."""
        encoding = str(message["encoding"])
        *streams, self._folder = map(os.dup, files)
        self._stdin = _text(_Stream(self, streams[0], reading=True), encoding)
        self._stdout = _text(_Stream(self, streams[1]), encoding)
        self._stderr = _text(_Stream(self, streams[2]), encoding, by_line=True)

    def interrupt(self) -> None:
        """Have the command end as soon as it can be ended, as Ctrl-C does."""
        self.interrupted = True
        os.eventfd_write(self.bell, 1)
        self._answers.put(None)

    def run(self) -> int:
        """Do the command; its exit code."""
        listening = threading.Thread(target=self._listen, daemon=True, name="caller")
        listening.start()
        try:
            return self._work()
        finally:
            for stream in (self._stdout, self._stderr, self._stdin):
                with suppress(OSError, ValueError, KeyboardInterrupt):
                    stream.close()
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_RD)  # it listens no longer
            listening.join()

    def _listen(self) -> None:
        """What the other program says while its command is done."""
        heard = wire.Heard(self._connection)
        while (message := heard.next()) is not None:
            if "yes" in message:
                self._answers.put(bool(message["yes"]))
            if "interrupt" in message:
                self.interrupt()
        self.gone = True
        self.interrupt()

    def _work(self) -> int:
        other = Caller(
            stdin=self._stdin,
            stdout=self._stdout,
            stderr=self._stderr,
            environ=self._environ,
            confirm=self._confirm,
            has=self._steward.has,
            address=self._steward.address,
            lend=self._steward.lend,
            alone=self._steward.alone,
        )
        caller.set(other)  # of this thread, which ends with the command
        environment.set(self._environ)
        asked.left.set(lambda: self.interrupted)
        try:
            with _standing_in(self._folder, self._umask):
                return answered(self._words, self._t)
        except Stop as stop:
            complain(self._t, "{sentence}", sentence=stop.say(self._t))
            return CANNOT
        except (KeyboardInterrupt, OSError):  # it is gone, and hears nothing any more
            return CANNOT
        except BaseException as error:  # one that would end a program ends this command alone
            fault.tell(error)
            with suppress(Exception, KeyboardInterrupt):
                complain(self._t, WENT_WRONG, reason=type(error).__name__)
            return CANNOT

    def _confirm(self, question: str) -> bool:
        """Have the other program ask."""
        wire.say(self._connection, ask=question)
        if (answer := self._answers.get()) is None:
            raise KeyboardInterrupt
        return answer


@contextmanager
def _standing_in(folder: int, umask: int) -> Iterator[None]:
    """Have this thread stand in another's folder, and make files as that one does.

    Stop: this system does not allow it.
    """
    try:
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_FS):
            # where that is forbidden, as in some containers, all threads stand in one folder
            if not os.path.samestat(os.stat("."), os.fstat(folder)):
                raise Stop(ELSEWHERE, folder=Path.cwd())
            yield
            return
        os.fchdir(folder)
        os.umask(umask)
        try:
            yield
        finally:
            os.chdir("/")  # DuckDB's threads that began meanwhile stand where this one does
    finally:
        os.close(folder)


class _Stream(io.RawIOBase):
    """An open file of another program, at which nobody waits once that was interrupted."""

    def __init__(self, session: _Session, descriptor: int, reading: bool = False) -> None:
        self._session, self._descriptor, self._reading = session, descriptor, reading
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        self._most = None if regular else select.PIPE_BUF
        """Bytes that can be written at once wherever anything can."""

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def readable(self) -> bool:
        return self._reading

    def writable(self) -> bool:
        return not self._reading

    def readinto(self, buffer: Any) -> int:
        self._wait(select.POLLIN)
        if self._session.interrupted:
            raise KeyboardInterrupt
        return os.readv(self._descriptor, [buffer])

    def write(self, data: Any) -> int:
        if self._session.gone:
            raise BrokenPipeError
        self._wait(select.POLLOUT)
        return os.write(self._descriptor, memoryview(data)[: self._most])

    def _wait(self, event: int) -> None:
        """KeyboardInterrupt: it was interrupted before anything could be read or written."""
        waiting = select.poll()
        waiting.register(self._descriptor, event)
        waiting.register(self._session.bell, select.POLLIN)
        ready = {descriptor for descriptor, _ in waiting.poll()}
        if self._descriptor not in ready:
            raise KeyboardInterrupt

    def close(self) -> None:
        if not self.closed:
            super().close()
            os.close(self._descriptor)


def _text(raw: _Stream, encoding: str, by_line: bool = False) -> TextIO:
    """A file as Python has its standard streams."""
    if raw.readable():
        return io.TextIOWrapper(io.BufferedReader(raw), encoding, "surrogateescape")
    by_line = by_line or raw.isatty()
    writer = io.BufferedWriter(raw)
    return io.TextIOWrapper(writer, encoding, "backslashreplace", line_buffering=by_line)
