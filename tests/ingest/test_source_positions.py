"""Positions of values in a JSON text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.reader.json_text import SourcePosition, WordIndex, json_pointer, source_positions
from ingest.validate.slow_path import validate

TEXT = b"""{"a": [1, {"b/c": "x"}],
 "d": "caf\xc3\xa9", "e": [ ],
 "f": true}"""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("", (1, 1, 2)),
        ("/a", (1, 7, 8)),
        ("/a/0", (1, 8, 9)),
        ("/a/1/b~1c", (1, 19, 22)),
        ("/d", (2, 7, 13)),  # characters, not bytes
        ("/e", (2, 20, 21)),
        ("/f", (3, 7, 11)),
    ],
)
def test_value_is_found_where_it_stands(path: str, place: tuple[int, int, int]) -> None:
    assert source_positions(TEXT, [path]) == {path: place}


def test_what_is_missing_is_shown_at_the_part_it_is_missing_from() -> None:
    found = source_positions(TEXT, ["/a/1/zz", "/e/0", "/nothing/at/all"])
    assert found == {"/a/1/zz": (1, 11, 12), "/e/0": (2, 20, 21), "/nothing/at/all": (1, 1, 2)}


def test_of_a_repeated_key_the_value_that_is_read_is_shown() -> None:
    assert source_positions(b'{"a": 1, "a": 2}', ["/a"]) == {"/a": (1, 15, 16)}


@pytest.mark.parametrize(
    ("word", "nth", "column"),
    [("As", 0, 8), ("As", 1, 14), ("As", -1, 14), ("Kd", 0, 11), ("", 0, 17), ("é", 0, 18)],
)
def test_a_word_of_a_string_has_a_place_of_its_own(word: str, nth: int, column: int) -> None:
    text = '{"à":\n  {"é": "As Kd As  é"}}'.encode()
    whole = source_positions(text, ["/à/é"])["/à/é"]
    assert whole == (2, 9, 22)
    assert WordIndex(text).position(whole, word, nth) == (2, column + 2, column + 2 + max(1, len(word)))


@pytest.mark.parametrize(
    ("text", "word", "nth"),
    [
        (b'{"a": "As Kd"}', "Qd", 0),
        (b'{"a": "As Kd"}', "Qd", -1),
        (b'{"a": "As Kd"}', "As", 1),
        (b'{"a": "\\u0041s Kd"}', "Kd", 0),  # as it is written it is longer than it reads
        (b'{"a": 12}', "1", 0),
    ],
)
def test_a_word_that_is_not_there_letter_for_letter_has_its_string_s(
    text: bytes, word: str, nth: int
) -> None:
    whole = source_positions(text, ["/a"])["/a"]
    assert isinstance(whole, SourcePosition)
    assert WordIndex(text).position(whole, word, nth) == whole


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
)


def pointers(value: Any, path: str = "") -> dict[str, Any]:
    """Every pointer into a value, with what is there."""
    parts: dict[Any, Any] = {}
    if isinstance(value, dict | list):
        parts = value if isinstance(value, dict) else dict(enumerate(value))
    found = {path: value}
    for key, part in parts.items():
        found |= pointers(part, path + json_pointer(key))
    return found


@pytest.mark.slow
@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_every_pointer_is_found_and_holds_its_value(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    lines = text.split("\n")
    wanted = pointers(value)
    found = source_positions(text.encode(), list(wanted))
    assert set(found) == set(wanted)
    for path, place in found.items():
        result = lines[place.line - 1][place.column - 1 : place.end - 1]
        if isinstance(wanted[path], dict | list):
            assert result in "[{"
        else:
            assert json.loads(result) == wanted[path]


def test_text_that_is_no_json_is_shown_where_it_breaks_off() -> None:
    (finding,) = validate(b'{"format": "retourne/1",\n  "game" "chouine"}').findings
    assert (finding.code, finding.line, finding.column) == ("not-json", 2, 10)


def test_byte_that_is_not_utf_8_has_its_place() -> None:
    (finding,) = validate(b'{"format": "retourne/1",\n  "id": "\xff"}').findings
    assert (finding.code, finding.line, finding.column) == ("not-utf8", 2, 10)
