"""Work of a thread that says meanwhile how far it is, an object a line."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from threading import Event
from typing import Any

from anyio import CapacityLimiter, to_thread

from dashboard.api.json_encoding import line
from dashboard.api.problems import problem_of
from ingest.i18n import Translate


class Telling:
    """What is done, until whoever asked is gone; `until` ends when it is over."""

    def __init__(self, t: Translate, limiter: CapacityLimiter) -> None:
        self._t, self._limiter = t, limiter
        self.gone, self.begun, self.until = Event(), False, AsyncExitStack()
        self.stays: Callable[[], bool] = lambda: not self.gone.is_set()
        self._lines: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    def result(self) -> Mapping[str, Any]:
        """What it came to, in this thread. Problem, StoreError: it is not done."""
        raise NotImplementedError

    def put(self, told: Mapping[str, Any]) -> None:
        """Say how far it is."""
        self._loop.call_soon_threadsafe(self._lines.put_nowait, told)

    def begin(self) -> None:
        """Have it done by a thread."""

        def work() -> None:
            try:
                self.put({"result": self.result()})
            except Exception as error:
                self.put({"problem": problem_of(error, self._t)})

        async def whole() -> None:
            async with self.until:
                await to_thread.run_sync(work, limiter=self._limiter)

        self.begun, self._working = True, asyncio.create_task(whole())

    async def lines(self) -> AsyncIterator[bytes]:
        """What it says meanwhile, and last what it came to."""
        if not self.begun:
            self.begin()
        try:
            told: Mapping[str, Any] = {}
            while not told.keys() & {"result", "problem"}:
                told = await self._lines.get()
                yield line(told)
            await self._working
        finally:
            self.gone.set()
