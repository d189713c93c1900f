"""The canonical bytes of a match, rewritten without parsing: those of its content, or none."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.reader.canonical import END, KEY, MAX_KEYS, RAW, RAW_END, VALUE, canonicalize, identity_bytes
from ingest.reader.files import MatchText
from ingest.reader.json_text import MAX_LINE_BYTES, has_unique_keys
from ingest.validate.batch import run_fast_path
from ingest.validate.slow_path import validate
from schemas.content_hash import canonical_bytes
from tests.ingest.logs import documents

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.integers(-3, 300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(0, 200).map(lambda number: round(number, 2))
    | st.text(max_size=8)
)
KEYS = st.text(max_size=3) | st.sampled_from(["a", "ab", "a!", "_note", "deals", "times", "é", "\0", "game"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=8)
LAYOUTS: list[dict[str, Any]] = [
    {},
    {"separators": (",", ":"), "ensure_ascii": False},
    {"separators": (" ,\t", " :\r"), "ensure_ascii": False},
    {"indent": 2, "ensure_ascii": False},
]


def held(texts: list[bytes]) -> int:
    """How many texts are vouched for; each of them has the bytes of its content, and its parts."""
    read = canonicalize(texts)
    for place, (text, known) in enumerate(zip(texts, map(bytes, identity_bytes(read)), strict=True)):
        if not read.valid[place]:
            assert known == b""
            continue
        value = orjson.loads(text)
        assert known == canonical_bytes(value, text)
        assert has_unique_keys(value, text, known)
        remaining = sorted((key.encode(), key) for key in value if not key.startswith("_"))
        rows = read.members[read.first_members[place] : read.first_members[place + 1]]
        assert len(rows) == len(remaining)
        for row, (_, key) in zip(rows, remaining, strict=True):
            assert orjson.loads(read.data[row[KEY] : row[VALUE] - 1].tobytes()) == key
            part = orjson.dumps(value[key], option=orjson.OPT_SORT_KEYS)
            assert read.data[row[VALUE] : row[END]].tobytes() == part
            assert orjson.loads(read.raw[row[RAW] : row[RAW_END]]) == value[key]
    return int(read.valid.sum())


@pytest.mark.slow
@given(values=st.lists(OBJECTS, min_size=1, max_size=4), layout=st.sampled_from(LAYOUTS))
@settings(max_examples=150)
def test_what_is_vouched_for_is_known_by_its_content(
    values: list[dict[str, Any]], layout: dict[str, Any]
) -> None:
    held([json.dumps(value, **layout).encode() for value in values])


@pytest.mark.slow
@given(value=OBJECTS, data=st.data())
@settings(max_examples=200)
def test_a_text_that_is_spoilt_is_vouched_for_only_where_it_is_json(
    value: dict[str, Any], data: st.DataObject
) -> None:
    text = bytearray(json.dumps(value).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        sign = data.draw(st.sampled_from(b'{}[],:"\\ 019.eE+-utfn\0\xc3\xff\n'))
        text[at : at + data.draw(st.integers(0, 1))] = bytes([sign])
    held([b"{}", bytes(text), b"[]", b'{"a":1}'])


@pytest.mark.slow
@given(parts=st.lists(st.integers(0, 10**15 - 1), min_size=2, max_size=2), zeros=st.integers(0, 6))
@settings(max_examples=500)
def test_a_number_that_is_vouched_for_is_written_as_it_would_be(parts: list[int], zeros: int) -> None:
    whole, rest = parts
    number = f"{whole % 10**6}.{'0' * zeros}{rest % 10**8}"
    held([b'{"a":%s}' % sign.encode() for sign in (number, f"-{number}", str(whole), f"-{whole}")])


@pytest.mark.parametrize(
    "text",
    [
        b'{"id":"p1","deals":[{"winner":1,"dealer":2}],"_a":{"b":1},"times":[0,1.5,3.0]}',
        b' {"b" : "\xc3\xa9", "a": ["\\"", "\\\\", "\\n", "\\u0000"], "c": {}} \r\n',
        b"{}",
    ],
)
def test_other_orders_and_layouts_are_vouched_for(text: bytes) -> None:
    assert held([text]) == 1


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"[]", b"1", b'"a"', b"{", b'{"a":1}{', b"{'a':1}", b"\xef\xbb\xbf{}"),
        *(b'{"a":1,"a":1}', b'{"a":{"b":1,"c":2,"b":3}}', b'{"b":1,"a":2,"b":1}'),
        *(b'{"a":1,}', b'{"a":[1,]}', b'{,"a":1}', b'{"a" 1}', b'{"a":}', b"{1:2}"),
        *(b'{"a":01}', b'{"a":1.}', b'{"a":.5}', b'{"a":+1}', b'{"a":-}', b'{"a":NaN}'),
        *(
            b'{"a":-0}',
            b'{"a":-0.0}',
            b'{"a":1.50}',
            b'{"a":1e3}',
            b'{"a":0.00001}',
            b'{"a":1234567890123456}',
        ),
        *(b'{"a":"\\u00e9"}', b'{"a":"\\/"}', b'{"a":"\\x"}', b'{"a":"\n"}', b'{"a":"\xff"}'),
        *(b'{"\\"":1}', b'{"a":nul}', b'{"a":truest}', b"{" + b'"a":{' * 20 + b"}" * 21),
        b"{%s}" % b",".join(b'"%d":1' % key for key in range(MAX_KEYS + 1)),
    ],
)
def test_what_could_be_read_otherwise_is_not(text: bytes) -> None:
    assert held([b'{"a":1}', text, b'{"b":2}']) == 2


def again(value: Any, turned: bool) -> Any:
    """The same value with the keys of all objects the other way round, or as they are."""
    if isinstance(value, list):
        return [again(one, turned) for one in value]
    if not isinstance(value, dict):
        return value
    items = list(value.items())
    return {key: again(one, turned) for key, one in (items[::-1] if turned else items)}


def test_one_match_has_one_id_however_it_is_written() -> None:
    log = documents()[0]
    log = log | {"event": {"name": "Soirée", "table": "2", "fee": 2.5}, "_seen": {"by": ["me"]}}
    log["deals"][0]["times"] = [0.5 * k for k in range(len(log["deals"][0]["actions"]))]
    written = [
        json.dumps(again(log, turned), **layout).encode() for turned in (False, True) for layout in LAYOUTS
    ]
    spelt = [
        written[1].replace(b"2.5", b"2.50"),
        written[1].replace(b"2.5", b"25e-1"),
        written[1].replace(b",1.0,", b",1,"),
        written[1].replace(b",1.0,", b",10E-1,"),
        written[1].replace(b"[0.0,", b"[0,").replace(b"2.0,", b"2,"),
        written[1].replace(b'"table"', b'"\\u0074able"'),
        written[1].replace(b'"name"', b'"na\\u006de"'),
    ]
    assert len({*written, *spelt}) == len(written) + len(spelt)
    texts = [MatchText(1, text) for text in (*written, *spelt)]
    ids, groups = run_fast_path(texts)
    assert set(ids) == {validate(written[0]).content_id}
    assert sum(len(group.valid_indices) for group in groups) == len(texts)
    other = [
        written[1].replace(b"2.5", b"2.25"),
        written[1].replace("é".encode(), b"e"),
        written[1].replace(b'"table":"2"', b'"table":2'),
        *(written[1].replace(b'"table":"2"', b'"table":"%s"' % two) for two in (b",2.0,", b",2,")),
        written[1].replace(b'"dealer":1', b'"dealer":1.0'),  # which is refused, and no seat
    ]
    ids, _ = run_fast_path([MatchText(1, text) for text in (written[1], *other)])
    assert len(set(ids)) == 7
    assert ids == [validate(text).content_id for text in (written[1], *other)]


@given(number=(st.integers(-(2**53), 2**53) | st.floats(-1e20, 1e20)).map(int))
def test_a_moment_is_known_by_how_late_it_is(number: int) -> None:
    spelt = (f"{number}", f"{number}.0", f"{number}e0", f"{float(number)!r}", f"{number}.00")
    texts = [b'{"times":[%s]}' % one.encode() for one in (*spelt, "-0.0", "0", "-0")]
    ids, _ = run_fast_path([MatchText(1, text) for text in texts])
    assert ids == [validate(text).content_id for text in texts]
    assert len(set(ids[:-3])) == len(set(ids[-3:])) == 1
    assert (ids[0] == ids[-1]) == (number == 0)


def test_what_is_not_read_has_one_id_on_both_sides() -> None:
    too_long = b'{"a":"%s"}' % (b"x" * MAX_LINE_BYTES)
    texts = [too_long, b'{"a":1', b'\xff{"a":1}', b"\xff\xfe{\0", b"[1.0]", b' {"a":1', b"7"]
    ids, _ = run_fast_path([MatchText(1, text) for text in texts])
    assert ids == [validate(text).content_id for text in texts]
    assert len(set(ids)) == len(texts)


def test_nothing_else_is_known_by_how_large_it_is() -> None:
    """Only what stands in a list under that key: a seat 1.0 is none, and refused."""
    shapes = [b'{"a":%s}', b'{"a":[%s]}', b'{"times":%s}', b'{"times":{"a":[%s]}}']
    shapes += [b'{"times":[[%s]]}', b'{"a":["times",[%s]]}', b'{"timess":[%s]}', b'{"stimes":[%s]}']
    moments = (b'{"a":{"times":[0,%s]}}', b'{"times":[{"a":[1],"times":[%s,"]"]},7]}')
    for shape, same in (*((one, False) for one in shapes), *((one, True) for one in moments)):
        texts = [shape % one for one in (b"3", b"3.0")]
        ids, _ = run_fast_path([MatchText(1, text) for text in texts])
        assert ids == [validate(text).content_id for text in texts]
        assert (ids[0] == ids[1]) == same, shape
