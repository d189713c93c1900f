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
from typing import Any

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
        level, error = record.levelname.lower(), record.exc_info and record.exc_info[1]
        told: dict[str, Any] = dict(getattr(record, "told", {}))
        if not told and record.name == NAME:
            told = {"event": "fault"}
        elif not told:
            at = f"{_place(record.pathname)}:{record.lineno}"
            told = {"event": "library", "logger": record.name, "at": at}
            if (record.args or error) and isinstance(record.msg, str):
                told["message"] = record.msg  # its words stand apart from what varies
        if error:  # its type, and the last places it went through, the innermost first
            trace, places = error.__traceback__, list[str]()
            while trace is not None:
                places.append(f"{_place(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}")
                trace = trace.tb_next
            told |= {"type": type(error).__qualname__, "places": places[: -DEEP - 1 : -1]}
        if self._form == "json":
            return json.dumps({"time": when, "level": level, **told})
        values = {
            name: " < ".join(map(str, value)) if isinstance(value, list) else str(value)
            for name, value in told.items()
        }
        return " ".join([when, level, *(f"{name}={value}" for name, value in values.items())])


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

    def thread_failed(told: threading.ExceptHookArgs) -> None:
        if told.exc_value is not None:
            failed(told.exc_value)

    handler = logging.StreamHandler(sys.__stderr__)
    handler.setFormatter(Lines(form))
    handler.addFilter(lambda one: one.name == NAME or one.levelno >= logging.WARNING)
    logging.getLogger().handlers = [handler]
    logging.setLoggerClass(_Library)
    logging.getLogger(NAME).setLevel(logging.INFO)
    threading.excepthook = thread_failed


def is_written() -> bool:
    """Whether lines are written: else faults are told as Python tells them."""
    return any(isinstance(one.formatter, Lines) for one in logging.getLogger().handlers)


def say(event: str, **told: Any) -> None:
    """One line, where lines are written."""
    logging.getLogger(NAME).info(event, extra={"told": {"event": event, **told}})


def failed(error: BaseException, **told: Any) -> None:
    """One line about a fault nobody expected."""
    told = {"event": "fault", **told}
    logging.getLogger(NAME).error("fault", exc_info=error, extra={"told": told})
