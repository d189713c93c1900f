"""Compressed blocks of texts: what is packed can be read, what is removed is in no block."""

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from ingest.store import raw_texts
from ingest.store.factory import Store
from schemas.compressed_blocks import BLOCK_BYTES, compress_texts, decompress, raw_rows
from schemas.text_encoding import decode_words, encode_words
from tests.ingest.raw_texts import blocks, raw

MANY = {3 * place: f"match {place} ".encode() * 2000 for place in range(100)}
"""Numbers with gaps, as deletions leave them, and texts of some 20 kB."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "club.duckdb") as opened:
        with opened.transaction():
            opened.insert_rows("raw", raw_rows([*MANY], [*MANY.values()]))
        yield opened


def test_blocks_hold_all_texts_in_order_and_are_full_from_a_size_on() -> None:
    packed = compress_texts([*MANY.values()])
    assert b"".join(decompress(one.compressed) for one in packed) == b"".join(MANY.values())
    assert sum(one.text_count for one in packed) == len(MANY)
    assert all(BLOCK_BYTES <= len(decompress(one.compressed)) < BLOCK_BYTES + 21_000 for one in packed[:-1])
    assert compress_texts([]) == []


@pytest.mark.slow
def test_texts_come_out_as_they_went_in_whatever_their_bytes(store: Store) -> None:
    odd = {1000: b"", 1001: b"\xff\0", 1002: "é王".encode()}
    with store.transaction():
        store.insert_rows("raw", raw_rows([*odd], [*odd.values()]))
    assert raw(store) == MANY | odd
    assert raw_texts.read_text_list(store.cursor(), [1002, 6, 1001, 7]) == [MANY[6], b"\xff\0", odd[1002]]


PIECES = st.sampled_from([b"Kh", b"Kh ", b'","3 ', b'", "4 ', b'","5 ', b"pass", b'"],"points":[', b"\xff"])


@given(st.lists(PIECES | st.binary(max_size=3)).map(b"".join))
def test_words_of_logs_are_written_as_bytes_and_read_back(text: bytes) -> None:
    assert decode_words(encode_words(text)) == text
    assert len(encode_words(text)) <= 2 * len(text) + 1


def test_a_card_with_its_seat_takes_two_bytes_and_a_text_without_words_stays() -> None:
    played = b'","1 Kh","2 7s","3 Td","4 pass'
    assert len(encode_words(played)) == 1 + 4 * 2
    assert encode_words(b"a remark without cards") == b"a remark without cards"


def test_a_block_without_codes_is_read_whatever_it_begins_with() -> None:
    text = b'\xff{"actions":["1 Kh","2 7s"]}'
    assert decompress(zstandard.compress(text), has_codes=False) == text


@pytest.mark.slow
def test_a_text_taken_out_is_in_no_block_and_all_others_stay(store: Store) -> None:
    removed = {0, 30, 33, 297}
    with store.transaction():
        raw_texts.remove_texts(store.connection, removed)
    left = {number: text for number, text in MANY.items() if number not in removed}
    assert raw(store) == left
    assert not [block for block in blocks(store) for one in removed if MANY[one] in block]
    with store.transaction():
        raw_texts.remove_texts(store.connection, [*MANY])
    assert store.cursor().execute("FROM raw").fetchall() == []


@pytest.mark.slow
def test_blocks_nobody_takes_from_are_left_as_they_are(store: Store) -> None:
    def written() -> dict[int, str]:
        found = store.cursor().execute("SELECT block, zstd FROM raw WHERE match_no = block")
        return {block: hashlib.sha256(packed).hexdigest() for block, packed in found.fetchall()}

    before = written()
    with store.transaction():
        raw_texts.remove_texts(store.connection, [3])
    after = written()
    assert before.keys() == after.keys()
    assert [block for block in after if after[block] != before[block]] == [0]


def test_a_damaged_block_has_no_texts_and_is_no_end_of_the_reading(store: Store) -> None:
    with store.transaction():
        store.connection.execute("UPDATE raw SET zstd = 'no zstd'::BLOB WHERE match_no = 0")
    found = raw(store)
    assert found.keys() == MANY.keys()
    assert found[0] == b""
    assert found[297] == MANY[297]


@pytest.mark.slow
def test_many_texts_are_read_in_the_memory_of_a_few_blocks(tmp_path: Path) -> None:
    many = [random.Random(number).randbytes(2000) for number in range(3000)]
    path = tmp_path / "many.duckdb"
    with Store(path) as store, store.transaction():
        store.insert_rows("raw", raw_rows(range(len(many)), many))
    with duckdb.connect(path, config={"memory_limit": "60MB"}) as cursor:
        assert raw_texts.read_text_list(cursor, range(len(many))) == many
