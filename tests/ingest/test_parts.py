"""Parts cut out of many texts at once are those that would be cut out one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ingest.judge.parts import FEW, cut_out, plain_strings
from ingest.text.canonical import Places

PARTS = st.lists(st.none() | st.binary(max_size=3) | st.sampled_from([b"lavardin", b"lavard"]))


@given(parts=PARTS)
def test_each_part_is_cut_out_as_it_stands(parts: list[bytes | None]) -> None:
    raw, low, high = laid(parts)
    assert cut_out(raw, low, high) == parts


def test_parts_that_are_alike_are_one_object() -> None:
    several = [b"%d" % number for number in range(FEW)] * 3
    assert len({id(part) for part in cut_out(*laid([*several]))}) == FEW


@given(words=st.lists(st.none() | st.text(max_size=5)))
def test_strings_become_a_column(words: list[str | None]) -> None:
    told = [None if word is None else b'"%s"' % word.encode() for word in words]
    found = plain_strings(*laid([*told]))
    escaped = any(word and "\\" in word for word in words)
    assert (found is None) == escaped
    assert found is None or found.to_pylist() == words
    assert plain_strings(*laid([*told, b"null"])) is None


def laid(parts: list[bytes | None]) -> tuple[bytes, Places, Places]:
    """All parts in one text, and where each lies."""
    sizes = np.array([-1 if part is None else len(part) for part in parts], np.int64)
    ends = np.cumsum(np.maximum(sizes, 0))
    low = np.where(sizes < 0, -1, ends - sizes)
    return b"".join(part or b"" for part in parts) + b"\0", low, np.where(sizes < 0, -1, ends)
