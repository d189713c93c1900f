"""Lines of the server about itself, one a request and event, for people or programs to read.

No line has anything of a log, of an address or of a person in it: a request is told by the pattern
of its route, a fault by its type and place. What libraries say is told by where they say it; their
words only where those stand apart from what varies.
"""

import json
import logging
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from ingest.cli import fault

FORMS = ("text", "json")
NAME = "retourne.server"
DEEP = 6
"""Places told of a fault, the last first."""
ROOT = Path(__file__).parents[2]


class Lines(logging.Formatter):
    """A record as one line."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """The line, whatever is in the record."""
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        level = record.levelname.lower()
        told = _told(record)
        if self._form == "json":
            return json.dumps({"time": when, "level": level, **told})
        said = " ".join(f"{name}={_plain(value)}" for name, value in told.items())
        return f"{when} {level} {said}"


def _plain(value: object) -> str:
    return " < ".join(map(str, value)) if isinstance(value, list) else str(value)


def _told(record: logging.LogRecord) -> dict[str, Any]:
    """What a record says."""
    told: dict[str, Any] = getattr(record, "told", {})
    if not told:
        told = {"event": "library", "logger": record.name, "at": _place(record.pathname)}
        told["at"] += f":{record.lineno}"
        apart = bool(record.args) or bool(record.exc_info)
        if apart and isinstance(record.msg, str):
            told["message"] = record.msg
    error = record.exc_info[1] if record.exc_info else None
    return told if error is None else told | described(error)


def described(error: BaseException) -> dict[str, Any]:
    """A fault: its type, and the places it went through."""
    return {"type": type(error).__qualname__, "places": _places(error.__traceback__)}


def _places(trace: TracebackType | None) -> list[str]:
    """The last places, the innermost first."""
    found = list[str]()
    while trace is not None:
        found.append(f"{_place(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}")
        trace = trace.tb_next
    return found[: -DEEP - 1 : -1]


def _place(file: str) -> str:
    """A file by its name within ours, or within the library it is of."""
    path = Path(file)
    if "site-packages" in path.parts:
        return "/".join(path.parts[path.parts.index("site-packages") + 1 :])
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


class _Library(logging.Logger):
    """A logger whose own handlers are not asked: what it says goes the way of every line."""

    def callHandlers(self, record: logging.LogRecord) -> None:  # noqa: N802
        logging.getLogger().callHandlers(record)


def begin(form: str) -> None:
    """Write lines to standard error from now on, before what has loggers of its own is imported."""
    handler = logging.StreamHandler(sys.__stderr__)
    handler.setFormatter(Lines(form))
    handler.addFilter(lambda one: one.name == NAME or one.levelno >= logging.WARNING)
    logging.getLogger().handlers = [handler]
    logging.setLoggerClass(_Library)
    logging.getLogger(NAME).setLevel(logging.INFO)
    threading.excepthook = _thread_failed
    fault.hear[:] = [failed]


def _thread_failed(told: threading.ExceptHookArgs) -> None:
    if told.exc_value is not None:
        failed(told.exc_value)


def say(event: str, **told: Any) -> None:
    """One line, where lines are written."""
    logging.getLogger(NAME).info(event, extra={"told": {"event": event, **told}})


def failed(error: BaseException, **told: Any) -> None:
    """One line about a fault nobody expected."""
    told = {"event": "fault", **told, **described(error)}
    logging.getLogger(NAME).error("fault", extra={"told": told})


def is_written() -> bool:
    """Whether lines are written: else faults are told as Python tells them."""
    return fault.hear == [failed]
