"""Limits and environment variables in documents are those of the code."""

import re
import tomllib
from pathlib import Path

import pytest

from dashboard.api import rate_limits
from dashboard.api.commands import MAX_BODY_BYTES
from dashboard.api.uploads import MAX_CHECK_BYTES
from dashboard.server import visitor_limits
from dashboard.server.visitor_limits import MESSAGE_BURST, MESSAGES_PER_SECOND
from dashboard.web.sign_in import FAILURE_WINDOW_SECONDS, MAX_FAILURES
from ingest.i18n import terminal_language
from ingest.reader.archives import MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO
from ingest.reader.files import MAX_ARRAY_MATCHES, MAX_DOCUMENT_BYTES
from ingest.reader.json_text import MAX_LINE_BYTES
from ingest.reader.sources import LOG_SUFFIXES
from ingest.store.tokens import Role
from ingest.validate.parse_document import MAX_DEALS, MAX_ENTRIES
from tests.ingest.conftest import Command, retourne

__all__ = ["retourne"]  # the fixture

ROOT = Path(__file__).parents[1]
FORMAT = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")
SERVING = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next one."""
    return re.split(r"\n##+ ", text.partition(f" {heading}\n")[2])[0]


def rows(text: str) -> dict[str, str]:
    """The items of a list, each a name, a colon and what it says."""
    items = [line[2:].split(": ", 1) for line in text.splitlines() if line[:2] == "- "]
    return {item[0]: item[1] for item in items}


def mebibytes(size: int) -> str:
    assert size % (1 << 20) == 0
    return f"{size >> 20} MiB"


def test_the_limits_of_files_are_those_of_the_reader() -> None:
    [match, entries, document, lines, packed, page] = list(rows(section(FORMAT, "Limits")).values())
    assert match == f"{mebibytes(MAX_LINE_BYTES)}, {MAX_DEALS:,} deals"
    assert entries == f"{MAX_ENTRIES:,} entries"
    assert document == f"{mebibytes(MAX_DOCUMENT_BYTES)}, {MAX_ARRAY_MATCHES:,} matches"
    assert lines == "any number"
    assert packed.startswith(f"{mebibytes(MAX_UNPACKED_BYTES)}, or {MAX_UNPACKED_RATIO} times")
    config = tomllib.loads((ROOT / "dashboard" / ".streamlit" / "config.toml").read_text("utf-8"))
    upload = config["server"]["maxUploadSize"]
    assert page.startswith(f"{upload} MiB; {mebibytes(MAX_CHECK_BYTES)} if the user has only")


def test_the_limits_of_a_visitor_are_those_of_the_server() -> None:
    table = rows(section(SERVING, "Limits per visitor"))
    found = {name: limit.partition(" (")[0] for name, limit in table.items()}
    under_way = f"and {rate_limits.MAX_UNDER_WAY} of all visitors"
    pages = f"{MESSAGES_PER_SECOND:g} per second, {MESSAGE_BURST:g} at once"
    reader, contributor = (MAX_BODY_BYTES[role] >> 10 for role in (Role.READER, Role.CONTRIBUTOR))
    admin = mebibytes(MAX_BODY_BYTES[Role.ADMIN])
    assert found["uploads under way"] == f"{rate_limits.MAX_UPLOADS_PER_CLIENT}, {under_way}"
    assert found["checks accepted, running or waiting"] == f"{rate_limits.MAX_CHECKS_WAITING}, {under_way}"
    assert found["checks running"] == (
        f"{rate_limits.MAX_CHECKS_PER_CLIENT}, and {rate_limits.MAX_CONCURRENT} of all visitors"
    )
    assert found["open pages"] == str(visitor_limits.MAX_PAGES)
    together = visitor_limits.BUSY_PAGES * MESSAGES_PER_SECOND
    large = f"one of n × {visitor_limits.BYTES_PER_MESSAGE >> 10} KiB counts as n"
    assert found["messages of an open page"] == f"{pages}; {large}"
    assert found["messages of all pages together"] == f"{together:g} per second"
    assert found["a message"] == mebibytes(visitor_limits.MAX_MESSAGE_BYTES)
    files = "files uploaded to open pages, without the role contributor"
    assert found[files] == f"{mebibytes(visitor_limits.MAX_HELD_BYTES)}, {mebibytes(MAX_CHECK_BYTES)} each"
    arguments = f"{reader} KiB; of a contributor {contributor} KiB, of an admin {admin}"
    assert found["arguments of a command"] == arguments
    assert found["invalid tokens"] == f"{MAX_FAILURES} in five minutes"
    assert FAILURE_WINDOW_SECONDS == 300


def test_the_names_of_files_are_those_that_are_looked_for_in_a_folder() -> None:
    items = re.findall(r"`(\.\w+)`", section(FORMAT, "Files"))
    assert set(items) == set(LOG_SUFFIXES)


def test_the_language_is_that_of_the_first_variable_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    table = rows(section(CLI, "The environment"))
    names = next(re.findall(r"`(\w+)`", cell) for cell in table if "LANGUAGE" in cell)
    for name in names:
        monkeypatch.setenv(name, "en_GB.UTF-8")
    for name in names:
        assert terminal_language() == "en"
        monkeypatch.setenv(name, "fr_FR.UTF-8")  # the first that is set
        assert terminal_language() == "fr"
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("LANGUAGE", "en:fr")
    assert terminal_language() == "en"
    monkeypatch.setenv("LANGUAGE", "C.UTF-8")
    assert terminal_language() == "fr"


COLOUR, STYLE = "\x1b[1;33m", "\x1b["
FAULTY = ROOT / "data" / "fautes" / "chouine" / "must-follow.json"


@pytest.mark.parametrize(
    ("set_to", "coloured", "styled"),
    [
        ({}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, True, True),
        ({"FORCE_COLOR": ""}, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False, False),
    ],
)
def test_colours_are_as_the_environment_asks(
    retourne: Command, monkeypatch: pytest.MonkeyPatch, set_to: dict[str, str], coloured: bool, styled: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", **set_to}.items():
        monkeypatch.setenv(name, value)
    done = retourne("check", FAULTY)
    assert (COLOUR in done.out, STYLE in done.out) == (coloured, styled)
