"""Files and archives with bytes changed anywhere: each is reported in words, the next one is read."""

import gzip
import io
import json
import zipfile
from collections import Counter
from functools import cache
from random import Random
from traceback import format_exc
from typing import IO

import zstandard

from ingest import check
from ingest.i18n import translator
from tests.fuzz import Fallen
from tests.fuzz.documents import bytes_changed
from tests.ingest.mutate import legal

AT_ONCE = 50
"""Archives of a round."""
LANGUAGES = [translator(language) for language in ("fr", "en")]


class Pipe(io.RawIOBase):
    """A stream that can only be read on."""

    def __init__(self, data: bytes) -> None:
        self.data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def read(self, size: int = -1) -> bytes:
        return self.data.read(size)


@cache
def _whole() -> list[tuple[str, bytes]]:
    """(name, bytes) of a few matches in each kind of file."""
    texts = [json.dumps(log | {"deals": log["deals"][:1]}).encode() for log in legal()[::40]]
    lines, array = b"\n".join(texts[:3]) + b"\n", b"[" + b",".join(texts[:3]) + b"]"
    found = [("a.jsonl", lines), ("a.json", array), ("a.json", texts[0])]
    found += [("a.jsonl.gz", gzip.compress(lines, mtime=0))]
    found += [("a.json.zst", zstandard.compress(array)), ("a.jsonl.zst", zstandard.compress(lines))]
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", method) as archive:
            archive.writestr("a.jsonl", lines)
            archive.writestr("b/c.json.gz", gzip.compress(array, mtime=0))
        found += [("a.zip", packed.getvalue())]
    return found


def one_round(seed: int) -> Counter[str]:
    """Spoil archives from a seed; what was found in them, counted. Fallen."""
    rng, seen = Random(seed), Counter[str]()
    good = _whole()[2]
    for number in range(AT_ONCE):
        name, data = rng.choice(_whole())
        data = bytes_changed(data, rng)
        stream: IO[bytes] = Pipe(data) if rng.random() < 0.3 else io.BytesIO(data)  # type: ignore[assignment]
        try:
            *spoilt, last = check((name, stream), ("good.json", io.BytesIO(good[1])))
            assert (last.file, last.status) == ("good.json", "legal")
            for report in spoilt:
                seen[report.findings[0].code if report.findings else "legal"] += 1
                for finding in report.findings:
                    assert all(finding.message(t) for t in LANGUAGES)
        except Exception:
            raise Fallen(seed, "archives", number, format_exc(), data) from None
    return seen
