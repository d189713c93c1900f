"""The one place where tests wait: for a condition, however slow the machine is.

A test names what it waits for, and never a time: `tests/test_waiting.py` holds that no other file
sleeps. What only soaks does by design: it kills and stops processes at times drawn by lot.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

PATIENCE = 300.0
"""Seconds after which it does not come."""
PAUSE = 0.02


def comes(true: Callable[[], object], what: str = "it", page: "Page | None" = None) -> None:
    """Wait until something is so; a `page` goes on meanwhile, and hears what it is sent."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"{what} did not come"
        if page is None:
            time.sleep(PAUSE)
        else:
            page.wait_for_timeout(1000 * PAUSE)


def passes(seconds: float) -> None:
    """Let a time go by that the product itself measures; no test but a soak may take it."""
    time.sleep(seconds)


def until(page: "Page", holds: str) -> None:
    """Wait until a function of JavaScript says so.

    Playwright's own way has the page make a function of a text, which ours forbid.
    """
    comes(lambda: page.evaluate(holds), holds, page)


_STILL = """() => new Promise((done) => {
  const at = () => JSON.stringify([...document.querySelectorAll("body *")].map((one) => {
    const box = one.getBoundingClientRect();
    return [box.x, box.y, box.width, box.height];
  }));
  let [before, same] = [at(), 0];
  const look = () => {
    const now = at();
    [same, before] = [now === before ? same + 1 : 0, now];
    if (same < 8) requestAnimationFrame(look); else done(true);
  };
  requestAnimationFrame(look);
})"""


def still(page: "Page") -> None:
    """Wait until nothing on a page has moved for some frames."""
    until(page, _STILL)
