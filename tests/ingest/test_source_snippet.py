"""The snippet of a line in a report, however long the line and whatever it contains."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ingest.cli.report_text import SourceSnippets, truncate_around
from ingest.escaping import escape_line
from ingest.findings.finding import Finding
from ingest.reader.files import MatchText


@given(st.text(max_size=300), st.integers(0, 320), st.integers(1, 60), st.integers(20, 120))
def test_any_line_fits_and_the_place_is_what_is_marked(line: str, start: int, length: int, room: int) -> None:
    before, itself, after = truncate_around(line, start, start + length, room)
    assert cell_len(before + itself + after) <= room
    marked = escape_line(line[start : start + length])
    assert itself == marked or (itself.endswith("…") and marked.startswith(itself[:-1]))
    assert escape_line(line[:start]).endswith(before.removeprefix("…"))
    assert escape_line(line[start + length :]).startswith(after.removesuffix("…"))


def test_a_long_line_is_cut_between_actions() -> None:
    line = ", ".join(f'"{1 + i % 2} 7h"' for i in range(1000))
    before, itself, after = truncate_around(line, 800, 806, 50)
    assert (before, itself) == ('… "2 7h", "1 7h", "2 7h", ', '"1 7h"')
    assert after == ', "2 7h", …'


def test_signs_that_steer_the_terminal_are_written_out_and_counted() -> None:
    before, itself, after = truncate_around("\x1b[2Jab \u202e", 4, 6, 40)
    assert (before, itself, after) == ("\\x1b[2J", "ab", " \\u202e")


def test_the_match_that_begins_within_a_line_is_shown_from_there() -> None:
    log = MatchText(3, b'{"id": 7,\n  "x": 1}', column=5)
    first = Finding("schema", "format", "error", "/id", line=3, column=12, end=13)
    source, mark = SourceSnippets(log).snippet(first, 40)
    assert source.plain == '3 │ {"id": 7,'
    assert mark.plain == "  │        ^"
    second = Finding("unknown-key", "format", "warning", "/x", line=4, column=8, end=9)
    source, mark = SourceSnippets(log).snippet(second, 40)
    assert (source.plain, mark.plain) == ('4 │ "x": 1}', "  │      ^")


def test_what_has_no_place_in_the_text_has_no_excerpt() -> None:
    log = MatchText(1, b"{}")
    assert SourceSnippets(log).snippet(Finding("empty-file", "format", "error", ""), 40) == []
    elsewhere = Finding("schema", "format", "error", "", line=9, column=1)
    assert SourceSnippets(log).snippet(elsewhere, 40) == []
