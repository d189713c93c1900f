"""Packs texts into compressed blocks and cuts them out again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import zstandard

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

BLOCK_BYTES = 1 << 18
"""Text bytes that fill a block: larger blocks compress hardly better and are slower to read."""
COMPRESSION_LEVEL = 3  # zstd: saves 5 bytes per deal over level 1, for 0.2 µs


class Block(NamedTuple):
    """Consecutive texts, compressed together."""

    text_count: int
    compressed: bytes


def compress_texts(texts: Sequence[bytes]) -> list[Block]:
    """Compress texts into blocks, in order."""
    from schemas.text_encoding import encode_words

    compress = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_checksum=True).compress
    found, first, size = list[Block](), 0, 0
    for place, text in enumerate(texts):
        size += len(text)
        if size >= BLOCK_BYTES or place == len(texts) - 1:
            found.append(Block(place + 1 - first, compress(encode_words(b"".join(texts[first : place + 1])))))
            first, size = place + 1, 0
    return found


def decompress(compressed: bytes, has_codes: bool = True) -> bytes:
    """Return the concatenated texts of a block; empty if the block is damaged.

    `has_codes`: frequent words may be written as codes, as `compress_texts` does.
    """
    from schemas.text_encoding import decode_words

    try:
        texts = zstandard.decompress(compressed)
        return decode_words(texts) if has_codes else texts
    except zstandard.ZstdError:
        return b""


def raw_rows(
    match_numbers: "Sequence[int] | NDArray[np.int64]",
    texts: Sequence[bytes],
    blocks: Sequence[Block] | None = None,
) -> "pa.Table":
    """Return rows of table `raw` for the texts of matches; `blocks` if already compressed."""
    import numpy as np
    import pyarrow as pa

    made = compress_texts(texts) if blocks is None else blocks
    number, sizes = np.asarray(match_numbers, np.int64), np.fromiter(map(len, texts), np.int64)
    each = np.fromiter((one.text_count for one in made), np.int64, len(made))
    ends, first = np.cumsum(sizes), np.cumsum(each) - each
    # empty, not NULL: DuckDB re-reads the preceding large value for each NULL that follows it
    offsets = np.zeros(len(sizes) + 1, np.int32)
    offsets[first + 1] = [len(one.compressed) for one in made]
    whole = b"".join(one.compressed for one in made)
    buffers = [None, pa.py_buffer(np.cumsum(offsets, dtype=np.int32)), pa.py_buffer(whole)]
    return pa.table(
        {
            "match_no": number,
            "block": np.repeat(number[first], each),
            "start": (ends - sizes - np.repeat((ends - sizes)[first], each)).astype(np.uint32),
            "size": sizes.astype(np.uint32),
            "zstd": pa.Array.from_buffers(pa.binary(), len(sizes), buffers),
        }
    )
