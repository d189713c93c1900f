"""Runs another engine: one JSON object in a line to it, one back."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any

from ingest.cli.common import CommandError
from ingest.i18n import N_

LONGEST_ANSWER = 1 << 20
SHOWN = 80  # characters of an answer that is not understood
CANNOT_START = N_("Retourne cannot start {command}: {problem}")
ENDED = N_("The engine ended with exit code {code} instead of answering {id}.")
NO_ANSWER = N_("The engine has not answered {id} within {n} s. --timeout gives it more time.")
NOT_AN_OBJECT = N_("The engine’s answer to {id} is not a JSON object in one line: {found}")


class EngineProcess:
    """The engine that a command starts; it is ended on leaving the context."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._timeout, self._answers = timeout, SimpleQueue[bytes]()
        self._exchanging: Thread | None = None
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            problem = error.strerror or str(error)
            raise CommandError(CANNOT_START, command=command[0], problem=problem) from error

    def __enter__(self) -> "EngineProcess":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if hasattr(os, "killpg"):  # with whatever the engine started
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        if self._exchanging is not None:
            self._exchanging.join()  # the ended process has closed its side
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def ask(self, id: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request. CommandError: there is none, or it is not an object."""
        line = json.dumps(request, separators=(",", ":")).encode() + b"\n"
        self._exchanging = Thread(target=self._exchange, args=(line,), daemon=True)
        self._exchanging.start()
        try:
            answer = self._answers.get(timeout=self._timeout)
        except Empty:
            raise CommandError(NO_ANSWER, id=id, n=f"{self._timeout:g}") from None
        if not answer:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=self._timeout)
            raise CommandError(ENDED, id=id, code=self._process.returncode)
        try:
            response = json.loads(answer)
        except (ValueError, RecursionError):
            response = None
        if not isinstance(response, dict):
            found = answer[:SHOWN].decode(errors="replace").strip()
            raise CommandError(NOT_AN_OBJECT, id=id, found=found)
        return response

    def _exchange(self, line: bytes) -> None:
        """Write a request and read its answer; an empty one means that the engine has ended."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with suppress(OSError, ValueError):
            stdin.write(line)
            stdin.flush()
        answer = b""
        with suppress(OSError, ValueError):
            answer = stdout.readline(LONGEST_ANSWER)
        self._answers.put(answer)
