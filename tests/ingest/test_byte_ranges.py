"""A file of lines in ranges: each read alone, and together what the whole file is."""

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.reader.byte_ranges import ByteRange, RangeReader, byte_ranges, count_lines
from ingest.reader.files import MatchText, ReadError, batches
from tests.ingest.logs import FORMS, lines, texts

FIRST, SECOND = (json.dumps(json.loads(text)).encode() for text in texts(2))
PLACED_OUT = json.dumps(json.loads(FIRST), indent=1).encode()
LINES = (
    *(FIRST, SECOND, FIRST + SECOND, b" " + FIRST, b"\xef\xbb\xbf" + SECOND),
    *(PLACED_OUT, PLACED_OUT[:200], FIRST[:300], b'{"format"', b"{"),
    *(b"", b"   ", b"no match", b'"text"', b"\xff\xfe", FIRST + b"\r", b"}", b"\0"),
)
"""Lines of a file, and matches laid out over many: whole, cut off, and nothing of the kind."""

Read = tuple[list[MatchText], list[ReadError]]


def whole(path: Path) -> Read:
    found = list(batches(path))
    return [one for some in found for one in some.texts], [one for some in found for one in some.troubles]


def in_ranges(path: Path, most: int) -> Read:
    """The same, range by range, each with the lines of those before it."""
    found: Read = ([], [])
    before = 0
    for part in byte_ranges(path, most):
        reading = RangeReader(path, part)
        for batch in reading.batches():
            found[0].extend(one._replace(line=one.line + before) for one in batch.texts)
            found[1].extend(one._replace(line=one.line + before) for one in batch.troubles)
        assert part.end is None or reading.line_count == count_lines(path, part)
        before += reading.line_count
    return found


@pytest.mark.slow
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=30), st.integers(1, 4000))
def test_the_texts_of_ranges_are_those_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, some: list[bytes], most: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "ranged.jsonl"
    path.write_bytes(b"\n".join(some))
    assert in_ranges(path, most) == whole(path)


def test_ranges_are_about_as_long_as_is_asked_and_cover_the_file(tmp_path: Path) -> None:
    path = tmp_path / "club.jsonl"
    path.write_bytes(lines(60))
    longest = max(map(len, texts(60)))
    found = byte_ranges(path, 20_000)
    assert len(found) > 5
    assert found[0].start == 0
    assert found[-1].end == path.stat().st_size
    assert all(one.end == other.start for one, other in pairwise(found))
    assert all(one.end is not None and one.end - one.start < 40_000 + longest for one in found)


@pytest.mark.parametrize("name", [name for name in FORMS if name != "club.jsonl"])
def test_what_is_no_file_of_lines_is_one_range(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FORMS[name]())
    assert byte_ranges(path, 100) == [ByteRange()]


def test_a_file_whose_lines_end_in_a_carriage_return_alone_is_one_range(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_bytes(lines().replace(b"\n", b"\r"))
    assert byte_ranges(path, 100) == [ByteRange()]
    assert in_ranges(path, 100) == whole(path)


def test_a_file_is_not_cut_within_a_text_that_is_laid_out(tmp_path: Path) -> None:
    path = tmp_path / "laid.jsonl"
    path.write_bytes(b"\n".join([PLACED_OUT] * 5))
    starts = {one.start for one in byte_ranges(path, 50)}
    assert starts == {place * (len(PLACED_OUT) + 1) for place in range(5)}


def test_a_file_of_a_single_text_is_read_once_and_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "noise.jsonl"
    path.write_bytes(random.Random(1).randbytes(200_000).hex().encode())
    assert byte_ranges(path, 1000) == [ByteRange()]
