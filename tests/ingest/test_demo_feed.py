"""Files handed from one process to another: whole, in order, and their end is announced."""

import io
from pathlib import Path

import pytest

from ingest.store.demo_feed import FeedFile, receive_files, send_file, target_count_path, target_match_count

PIECES = [FeedFile("one.jsonl", b"{}\n{}\n", 2, 3), FeedFile("two.jsonl", b"", 2, 3)]


def sent() -> bytes:
    pipe = io.BytesIO()
    for piece in PIECES:
        send_file(pipe, piece)
    send_file(pipe, None)
    return pipe.getvalue()


def test_what_is_sent_arrives() -> None:
    assert list(receive_files(io.BytesIO(sent()))) == PIECES


def test_half_a_file_is_none_and_a_sender_who_leaves_is_noticed() -> None:
    whole = sent()
    for cut in (0, whole.index(b"{}") + 1, whole.index(b"two") - 15):
        with pytest.raises(EOFError):
            list(receive_files(io.BytesIO(whole[:cut])))


def test_a_store_without_a_note_wants_nothing_more(tmp_path: Path) -> None:
    store = tmp_path / "demo.duckdb"
    assert target_match_count(store) == 0
    target_count_path(store).write_text("300")
    assert target_match_count(store) == 300
    target_count_path(store).write_text("?")
    assert target_match_count(store) == 0
