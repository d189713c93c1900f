"""Sets up the logging of the server: the format of its lines, text or JSON; `access_log` logs requests.

Lines contain nothing of logs, addresses or persons: a request is named by its route's pattern, an
error by its type and code location. Messages of libraries are named by their location; their text
is included only if it is separate from its values.
"""

import json
import logging
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LOG_FORMATS = ("text", "json")
LOGGER_NAME = "retourne.server"
MAX_FRAMES = 6
"""Code locations logged per error, innermost first."""
PACKAGES_FOLDER = Path(__file__).parents[2]


class LineFormatter(logging.Formatter):
    """Formats a record as one line."""

    def __init__(self, log_format: str) -> None:
        super().__init__()
        self._log_format = log_format

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        level, error = record.levelname.lower(), record.exc_info and record.exc_info[1]
        fields: dict[str, Any] = dict(getattr(record, "fields", {}))
        if not fields and record.name == LOGGER_NAME:
            fields = {"event": "fault"}
        elif not fields:
            at = f"{_short_path(record.pathname)}:{record.lineno}"
            fields = {"event": "library", "logger": record.name, "at": at}
            if (record.args or error) and isinstance(record.msg, str):
                fields["message"] = record.msg  # without the values
        if error:  # its type and the last locations of its traceback
            trace, places = error.__traceback__, list[str]()
            while trace is not None:
                places.append(f"{_short_path(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}")
                trace = trace.tb_next
            fields |= {"type": type(error).__qualname__, "places": places[: -MAX_FRAMES - 1 : -1]}
        if self._log_format == "json":
            return json.dumps({"time": when, "level": level, **fields})
        values = {
            name: " < ".join(map(str, value)) if isinstance(value, list) else str(value)
            for name, value in fields.items()
        }
        return " ".join([when, level, *(f"{name}={value}" for name, value in values.items())])


def _short_path(file: str) -> str:
    """Shorten a path to be relative to the project, or to the library's package."""
    path = Path(file)
    if "site-packages" in path.parts:
        return "/".join(path.parts[path.parts.index("site-packages") + 1 :])
    return str(path.relative_to(PACKAGES_FOLDER)) if path.is_relative_to(PACKAGES_FOLDER) else path.name


class _LibraryLogger(logging.Logger):
    """Logger whose own handlers are ignored: all its records go to the root handler."""

    def callHandlers(self, record: logging.LogRecord) -> None:  # noqa: N802
        logging.getLogger().callHandlers(record)


def configure_logging(log_format: str) -> None:
    """Log to standard error; call it before libraries that create loggers are imported."""

    def thread_failed(failure: threading.ExceptHookArgs) -> None:
        if failure.exc_value is not None:
            log_error(failure.exc_value)

    handler = logging.StreamHandler(sys.__stderr__)
    handler.setFormatter(LineFormatter(log_format))
    handler.addFilter(lambda one: one.name == LOGGER_NAME or one.levelno >= logging.WARNING)
    logging.getLogger().handlers = [handler]
    logging.setLoggerClass(_LibraryLogger)
    logging.getLogger(LOGGER_NAME).setLevel(logging.INFO)
    threading.excepthook = thread_failed


def is_logging() -> bool:
    """Return whether log lines are written; otherwise Python prints errors itself."""
    return any(isinstance(one.formatter, LineFormatter) for one in logging.getLogger().handlers)


def log_event(event: str, **fields: Any) -> None:
    """Log an event, if log lines are written."""
    logging.getLogger(LOGGER_NAME).info(event, extra={"fields": {"event": event, **fields}})


def log_error(error: BaseException, **fields: Any) -> None:
    """Log an unexpected error."""
    fields = {"event": "fault", **fields}
    logging.getLogger(LOGGER_NAME).error("fault", exc_info=error, extra={"fields": fields})
