"""Streams progress and the result of long work as NDJSON lines."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from threading import Event
from typing import Any

from anyio import CapacityLimiter, to_thread

from dashboard.api.json_encoding import json_line
from dashboard.api.problems import problem_json
from ingest.i18n import Translate


class ProgressStream:
    """A long task that stops when the client disconnects; `until` is closed at its end."""

    def __init__(self, t: Translate, limiter: CapacityLimiter) -> None:
        self._t, self._limiter = t, limiter
        self.client_left, self.has_started, self.until = Event(), False, AsyncExitStack()
        self.is_client_waiting: Callable[[], bool] = lambda: not self.client_left.is_set()
        self._lines: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    def run(self) -> Mapping[str, Any]:
        """Return the result, in the calling thread. Problem, StoreError: the task was not done."""
        raise NotImplementedError

    def put(self, event: Mapping[str, Any]) -> None:
        self._loop.call_soon_threadsafe(self._lines.put_nowait, event)

    def begin(self) -> None:
        def work() -> None:
            try:
                self.put({"result": self.run()})
            except Exception as error:
                self.put({"problem": problem_json(error, self._t)})

        async def whole() -> None:
            async with self.until:
                await to_thread.run_sync(work, limiter=self._limiter)

        self.has_started, self._working = True, asyncio.create_task(whole())

    async def stream_lines(self) -> AsyncIterator[bytes]:
        """Yield the progress records, then the result or the problem."""
        if not self.has_started:
            self.begin()
        try:
            fields: Mapping[str, Any] = {}
            while not fields.keys() & {"result", "problem"}:
                fields = await self._lines.get()
                yield json_line(fields)
            await self._working
        finally:
            self.client_left.set()
