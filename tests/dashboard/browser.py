"""A real server and a real browser, for the tests and for the screenshots."""

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, expect, sync_playwright

from tests.waiting import PATIENCE, comes, until

SHOWS, LOOKED = "the next page shows ", "looked at the names of "
"""What `tests.dashboard.serve` says, and then which store."""
ROOT = Path(__file__).parents[2]
BROWSERS = (
    "chromium-headless-shell",  # knows no window: two thirds of the processor time of the others
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HURRIED = "--js-flags=--no-opt --no-maglev"
"""A page of the tests is looked at for a second: what its script is optimized for never comes."""


@contextmanager
def serving(store: Path, log: Path) -> Iterator[str]:
    """The dashboard on a free port, as `retourne serve` starts it; yields its address."""
    with started("dashboard", store, log) as (_, address):
        yield address


class Server:
    """A dashboard that shows one store after another, for all browser tests of a process."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.running = ExitStack()
        self.process: subprocess.Popen[bytes] | None = None
        self.address = ""

    def close(self) -> None:
        self.running.close()
        self.process = None

    @contextmanager
    def showing(self, store: Path) -> Iterator[str]:
        """The address, where pages now show this store; no page may have raised in between."""
        if self.process is None:
            running = started("tests.dashboard.serve", store, self.log)
            self.process, self.address = self.running.enter_context(running)
        before = len(self.log.read_text())
        self._show(store, before)
        yield self.address
        result = self.log.read_text()[before:]
        assert "(most recent call last)" not in result, result[-4000:]  # a warning's stack neither

    def knows_names(self, store: Path) -> None:
        """Wait until the server knows the names of the store that is shown; a page has to be open.

        Then it draws open pages again once a player is masked.
        """
        line = f"{LOOKED}{store}\n"
        comes(lambda: line in self.log.read_text().rpartition(f"{SHOWS}{store}\n")[2], line)

    def _show(self, store: Path, before: int) -> None:
        """Wait until it is shown anew: a store may be shown again."""
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(f"{store}\n".encode())
        self.process.stdin.flush()
        comes(lambda: f"{SHOWS}{store}\n" in self.log.read_text()[before:], "what is shown")


@contextmanager
def started(
    module: str, store: Path, log: Path, port: int = 0, more: Sequence[str] = ()
) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """A module that serves the dashboard, once it answers: its process and its address.

    `more` are further arguments.
    """
    port = port or _free()
    command = [sys.executable, "-m", module, "--store", str(store), "--port", str(port)]
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with log.open("w") as output:
        server = subprocess.Popen(
            [*command, "--no-browser", *more],
            cwd=log.parent,  # it stays as long as the server does, where a store may go
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    address = f"http://localhost:{port}"
    try:
        _await(f"{address}/_stcore/health", server, log)
        yield server, address
    finally:
        server.terminate()
        server.communicate(timeout=PATIENCE)


def _free() -> int:
    """A port nobody listens on."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return int(free.getsockname()[1])


def _await(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    def answers() -> bool:
        assert server.poll() is None, f"the dashboard did not start:\n{log.read_text()}"
        try:
            with urllib.request.urlopen(url, timeout=30):
                return True
        except OSError:
            return False

    comes(answers, f"the dashboard at {url}")


@contextmanager
def chromium(*more: str) -> Iterator[Browser]:
    """The browser named by CHROMIUM, or the first that PATH has; `more` are flags."""
    names = (os.environ.get("CHROMIUM") or "", *BROWSERS)
    found = next(filter(None, (shutil.which(name) for name in names if name)), None)
    assert found, "no Chromium: install it, or leave these tests out with -m 'not browser'"
    with sync_playwright() as playwright:
        expect.set_options(timeout=60_000)  # a slow machine is not a fault
        browser = playwright.chromium.launch(executable_path=found, args=[*FLAGS, *more])
        try:
            yield browser
        finally:
            browser.close()


class Watch:
    """What a page should never do: ask another host, raise, write an error to the console."""

    def __init__(self, page: Page, address: str) -> None:
        self.address = address
        self.strangers: list[str] = []
        self.errors: list[str] = []
        self.page = page
        self.listens = {"request": self._request, "pageerror": self._error, "console": self._console}
        for event, listener in self.listens.items():
            page.on(event, listener)  # type: ignore[call-overload]

    def close(self) -> None:
        for event, listener in self.listens.items():
            self.page.remove_listener(event, listener)

    def _error(self, error: Error) -> None:
        self.errors.append(str(error))

    def _request(self, request: Request) -> None:
        ours = (self.address, self.address.replace("http", "ws"), "data:", "blob:")
        if not request.url.startswith(ours):
            self.strangers.append(request.url)

    def _console(self, message: ConsoleMessage) -> None:
        # Streamlit looks for its server below the page's own address first: not an error of ours
        looking = "/_stcore/" in message.location["url"] and "404" in message.text
        if message.type == "error" and not looking:
            self.errors.append(f"{message.text} ({message.location['url']})")


_left: WeakKeyDictionary[Browser, dict[str, list[Page]]] = WeakKeyDictionary()
"""Pages that tests have left, by the options of their contexts: what the process that draws a page
has compiled is still there, which halves the time of the next load."""


@contextmanager
def reading(browser: Browser, address: str, **context: Any) -> Iterator[Page]:
    """A French reader's page, or as `context` says, that must not do what `Watch` sees."""
    options = {"locale": "fr-FR", "viewport": {"width": 1280, "height": 900}} | context
    left = _left.setdefault(browser, {}).setdefault(repr(sorted(options.items())), [])
    page = left.pop() if left else browser.new_context(**options).new_page()
    page.set_default_timeout(60_000)  # as above
    watch = Watch(page, address)
    try:
        yield page
        _leave(page, address, options)
    except BaseException:
        page.context.close()
        raise
    watch.close()
    left.append(page)
    assert watch.strangers == [], watch.strangers
    assert watch.errors == [], watch.errors


def _leave(page: Page, address: str, options: dict[str, Any]) -> None:
    """A page as if it were new, but for what came before it in its history."""
    page.goto(f"{address}/_stcore/health")
    page.evaluate("localStorage.clear(), sessionStorage.clear()")
    page.context.clear_cookies()
    page.mouse.move(0, 0)
    page.set_viewport_size(options["viewport"])
    page.emulate_media(color_scheme=options.get("color_scheme", "light"))


def drawn(page: Page) -> None:
    """Wait until nothing of a page is still to come."""
    page.wait_for_selector("h1")
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    # what a run has not drawn again yet is pale; what comes in a file of its own is a skeleton
    until(page, "() => !document.querySelector('.opening, [data-stale=true], [data-testid=stSkeleton]')")
    # the style sheet too comes in a file of its own, and nothing stands in its place until then
    page.wait_for_selector("[data-testid=stEvent] style", state="attached")
