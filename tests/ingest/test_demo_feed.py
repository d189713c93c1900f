"""Files handed from one process to another: whole, in order, and the end of them is said."""

import io
from pathlib import Path

import pytest

from ingest.store.demo_feed import Piece, note, received, send, wanted

PIECES = [Piece("one.jsonl", b"{}\n{}\n", 2, 3), Piece("two.jsonl", b"", 2, 3)]


def sent() -> bytes:
    pipe = io.BytesIO()
    for piece in PIECES:
        send(pipe, piece)
    send(pipe, None)
    return pipe.getvalue()


def test_what_is_sent_arrives() -> None:
    assert list(received(io.BytesIO(sent()))) == PIECES


def test_half_a_file_is_none_and_a_sender_who_leaves_is_noticed() -> None:
    whole = sent()
    for cut in (0, whole.index(b"{}") + 1, whole.index(b"two") - 15):
        with pytest.raises(EOFError):
            list(received(io.BytesIO(whole[:cut])))


def test_a_store_without_a_note_wants_nothing_more(tmp_path: Path) -> None:
    store = tmp_path / "demo.duckdb"
    assert wanted(store) == 0
    note(store).write_text("300")
    assert wanted(store) == 300
    note(store).write_text("?")
    assert wanted(store) == 0
