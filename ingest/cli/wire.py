"""The private socket beside a store's file, and what goes over it: JSON, a message a line.

The first message comes with four open files: the caller's input, output, errors and folder.
"""

import hashlib
import json
import os
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

LONGEST = 64
"""Bytes of a socket's name: with the way to its folder an address may have 107."""
MOST = 1 << 24
"""Bytes of a request: a command line."""
PATIENCE = 10.0
"""Seconds a program has to say what it wants."""
FILES = 4
_LENGTH = struct.Struct("!I")
_PEER = struct.Struct("3i")  # process, user, group

POSSIBLE = hasattr(socket, "SO_PEERCRED") and os.path.isdir("/proc/self/fd")
"""Whether this system can say who is at the other end, and reach a socket by its folder."""


class NoSocket(Exception):
    """There is none, or none that may be trusted."""


def name_of(store: Path) -> str:
    """What the socket of a store is called, which lies in the same folder."""
    name = f"{store.name}.sock"
    if len(os.fsencode(name)) > LONGEST:
        name = hashlib.sha256(os.fsencode(store.name)).hexdigest()[:32] + ".sock"
    return name


@contextmanager
def _by_folder(store: Path) -> Iterator[tuple[int, str]]:
    """The open folder of a store, and a short address in it for a socket, however long its path."""
    folder = os.open(store.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield folder, f"/proc/self/fd/{folder}/{name_of(store)}"
    finally:
        os.close(folder)


def listen(store: Path) -> socket.socket:
    """A socket beside a store that this process has open, for its user alone.

    What another process has left there is removed: whoever has the store is the only one to listen.
    NoSocket: there is something else in its place, or no place for one.
    """
    if not POSSIBLE:
        raise NoSocket
    with _by_folder(store) as (folder, address):
        _clear(folder, name_of(store))
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            os.fchmod(listening.fileno(), 0o600)  # before it has a name
            listening.bind(address)
            listening.listen()
        except OSError as error:
            listening.close()
            raise NoSocket from error
    return listening


def remove(store: Path) -> None:
    """Take the socket of a store away."""
    with suppress(OSError, NoSocket), _by_folder(store) as (folder, _):
        _clear(folder, name_of(store))


def _clear(folder: int, name: str) -> None:
    """NoSocket: what lies there is no socket of ours."""
    with suppress(FileNotFoundError):
        if not _is_ours(os.stat(name, dir_fd=folder, follow_symlinks=False)):
            raise NoSocket
        os.unlink(name, dir_fd=folder)


def _is_ours(found: os.stat_result) -> bool:
    return stat.S_ISSOCK(found.st_mode) and found.st_uid == os.geteuid()


def connect(store: Path) -> socket.socket:
    """The server that has a store. NoSocket: there is none, or it is not of the same user."""
    if not POSSIBLE:
        raise NoSocket
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _by_folder(store) as (folder, address):
            if not _is_ours(os.stat(name_of(store), dir_fd=folder, follow_symlinks=False)):
                raise NoSocket
            connection.connect(address)
        check_peer(connection)
    except OSError as error:
        connection.close()
        raise NoSocket from error
    except NoSocket:
        connection.close()
        raise
    return connection


def check_peer(connection: socket.socket) -> None:
    """NoSocket: at the other end is another user."""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    if _PEER.unpack(found)[1] != os.geteuid():
        raise NoSocket


# messages


def request(connection: socket.socket, message: dict[str, Any], files: list[int]) -> None:
    """Send what is wanted, with open files."""
    data = json.dumps(message).encode()
    socket.send_fds(connection, [_LENGTH.pack(len(data))], files)
    connection.sendall(data)


def requested(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """What is wanted, and the open files, which are the caller's to close.

    NoSocket: it is nothing we know.
    """
    connection.settimeout(PATIENCE)
    head, files, _, _ = socket.recv_fds(connection, _LENGTH.size, FILES)
    try:
        for file in files:
            os.set_inheritable(file, False)
        if len(head) != _LENGTH.size or len(files) != FILES:
            raise NoSocket
        (size,) = _LENGTH.unpack(head)
        if size > MOST:
            raise NoSocket
        message = json.loads(_exactly(connection, size))
        if not isinstance(message, dict):
            raise NoSocket
    except BaseException as error:
        for file in files:
            os.close(file)
        raise error if isinstance(error, NoSocket) else NoSocket from error
    connection.settimeout(None)
    return message, files


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        block = connection.recv(min(size - len(data), 1 << 16))
        if not block:
            raise NoSocket
        data += block
    return bytes(data)


def say(connection: socket.socket, **message: Any) -> None:
    """Send a message. OSError: nobody is there any more."""
    connection.sendall(json.dumps(message).encode() + b"\n")


class Heard:
    """What the other end says, a message at a time; an interrupt loses none."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._data = connection, b""

    def next(self) -> dict[str, Any] | None:
        """The next message; None: the other end has left, or says what nobody understands."""
        while b"\n" not in self._data:
            try:
                block = self._connection.recv(1 << 16)
            except OSError:
                return None
            if not block or len(self._data) > MOST:
                return None
            self._data += block
        line, _, self._data = self._data.partition(b"\n")
        try:
            message = json.loads(line)
        except ValueError:
            return None
        return message if isinstance(message, dict) else None
