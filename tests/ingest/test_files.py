"""Files become texts of matches: every kind alike, none beyond its bounds, nothing in silence."""

import bz2
import gzip
import io
import json
import lzma
import os
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from ingest import check
from ingest.reader import archives, files
from ingest.reader.files import Batch, ReadError, batches, stream_batches
from ingest.reader.json_text import MAX_LINE_BYTES
from ingest.validate.report import MatchReport
from tests.ingest.logs import FORMS, array, lines, texts, zipped


def read(data: bytes, name: str = "club.jsonl") -> tuple[list[bytes], list[ReadError]]:
    return flat(list(stream_batches(name, io.BytesIO(data))))


def flat(found: list[Batch]) -> tuple[list[bytes], list[ReadError]]:
    return (
        [one.text for batch in found for one in batch.texts],
        [trouble for batch in found for trouble in batch.troubles],
    )


def codes(data: bytes, name: str = "club.jsonl") -> list[str]:
    return [trouble.code for trouble in read(data, name)[1]]


def reports(data: bytes, name: str = "club.jsonl") -> list[MatchReport]:
    return list(check((name, io.BytesIO(data))))


@pytest.mark.parametrize(("name", "data"), FORMS.items(), ids=FORMS)
def test_every_kind_of_file_is_read_alike(name: str, data: Callable[[], bytes]) -> None:
    found, troubles = read(data(), name)
    assert [json.loads(text) for text in found] == [json.loads(text) for text in texts()]
    assert troubles == []


@pytest.mark.parametrize("name", ["club", "club.txt", "club.JSONL", "club.json"])
def test_lines_are_recognised_by_what_is_in_them(name: str) -> None:
    assert read(lines(), name)[0] == list(texts())


def test_a_match_over_many_lines_is_one_match() -> None:
    whole = json.dumps(json.loads(texts()[0]), indent=2).encode()
    for name in ("match.json", "match"):
        assert read(whole, name) == ([whole], [])


def test_each_match_of_an_array_is_cut_out_as_it_is_written() -> None:
    pieces = [b'{"a": "],[{\\"", "b": [1, {"c": 2}]}', b"{}", b'[1, "x"]', b"3", b'"}"']
    data = b"\n [ " + b" ,\n".join(pieces) + b"\n]\n"
    (batch,) = stream_batches("a.json", io.BytesIO(data))
    assert [one.text for one in batch.texts] == pieces
    assert [(one.line, one.column) for one in batch.texts] == [(2, 4), (3, 1), (4, 1), (5, 1), (6, 1)]


def test_an_array_cut_off_gives_what_is_whole_and_tells_the_rest_where_it_begins() -> None:
    data = b"[\n" + b",\n".join(texts()[:3])[:-40]
    found = reports(data, "a.json")
    assert [(report.line, report.status) for report in found] == [
        (2, "legal"),
        (3, "legal"),
        (4, "unreadable"),
    ]
    assert [finding.code for finding in found[2].findings] == ["not-json"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n\n\n", b"\n \t\n"])
def test_line_ends_and_empty_lines_do_not_matter_and_lines_are_counted(end: bytes) -> None:
    found = reports(end.join(texts()))
    assert [report.status for report in found] == ["legal"] * 6
    step = end.count(b"\n")
    assert [report.line for report in found] == [1 + step * i for i in range(6)]


def test_a_byte_order_mark_is_no_content() -> None:
    for data, name in ((lines(), "a.jsonl"), (array(), "a.json")):
        assert read(b"\xef\xbb\xbf" + data, name) == read(data, name)


def test_a_byte_order_mark_is_no_content_at_the_beginning_of_a_line_either() -> None:
    """As where files that each begin with one are put one behind another."""
    marked = b"".join(b"\xef\xbb\xbf" + text + b"\n" for text in texts())
    assert read(marked) == (list(texts()), [])
    played = b"".join(b"\xef\xbb\xbf" + placed_out(text) + b"\n" for text in texts())
    for name in ("a.jsonl", "a.json"):
        assert [json.loads(text) for text in read(played, name)[0]] == list(map(json.loads, texts()))


@pytest.mark.parametrize("end", [b"", b"\n", b"\r", b"\r\n"], ids=repr)
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a"])
def test_lines_that_end_in_a_carriage_return_are_lines(name: str, end: bytes) -> None:
    assert [report.status for report in reports(b"\r".join(texts()) + end, name)] == ["legal"] * 6


@pytest.mark.parametrize("place", [b', "', b'"game"', b"1 ", b"}"], ids=["word", "key", "in", "end"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a"])
def test_a_carriage_return_within_a_match_is_reported_alone_as_among_others(name: str, place: bytes) -> None:
    """Of JSON it is white space between words, and no sign of a string."""
    text = texts()[0].replace(place, b"\r" + place, 1)
    assert text.count(b"\r") == 1

    def findings_at(data: bytes, line: int) -> list[tuple[str, list[tuple[object, ...]]]]:
        return [
            (one.status, [(f.code, f.column, f.end, (f.line or line) - line) for f in one.findings])
            for one in reports(data, name)
            if one.line == line
        ]

    alone = findings_at(text, 1)
    assert len(reports(text + b"\n", name)) == len(alone) == 1
    assert findings_at(text + b"\n", 1) == alone == findings_at(lines() + text + b"\n", 7)


def test_the_first_of_lines_that_end_in_a_carriage_return_may_be_spoilt() -> None:
    data = b"\r".join([texts()[0][:-50], *texts()[1:]])
    assert [one.status for one in reports(data)] == ["unreadable", *["legal"] * 5]


@pytest.mark.parametrize("between", [b"", b" "], ids=["close", "space"])
def test_whole_matches_behind_one_another_on_a_line_are_each_read(between: bytes) -> None:
    one, two, three, four = texts()[:4]
    (batch,) = stream_batches("a.jsonl", io.BytesIO(between.join([one, two, three]) + b"\n" + four))
    assert [text.text for text in batch.texts] == [one, two, three, four]
    second = len((one + between).decode()) + 1
    assert [(text.line, text.column) for text in batch.texts][:2] == [(1, 1), (1, second)]
    assert batch.texts[3].line == 2
    cut = reports(one + between + two[:-9] + b"\n" + three)
    assert [report.status for report in cut] == ["legal", "unreadable", "legal"]


def test_braces_in_what_somebody_says_part_no_match() -> None:
    log = json.loads(texts()[0]) | {"event": {"name": "}{"}}
    assert read(json.dumps(log).encode())[0] == [json.dumps(log).encode()]


@pytest.mark.parametrize("name", ["a.jsonl", "a"])
@pytest.mark.parametrize(
    ("before", "after"),
    [(b"X", b""), (b"> ", b""), (b"2. ", b""), (b"\xc2\xa0", b""), (b"'", b"'"), (b"[", b"")],
    ids=["letter", "quoted", "numbered", "space", "quotes", "bracket"],
)
def test_lines_with_something_before_their_match_are_each_reported(
    name: str, before: bytes, after: bytes
) -> None:
    one, *spoilt, last = texts()[:5]
    data = [one, *(before + text + after for text in spoilt), last]
    assert [(report.line, report.status) for report in reports(b"\n".join(data), name)] == [
        (1, "legal"),
        *((line, "unreadable") for line in (2, 3, 4)),
        (5, "legal"),
    ]


def test_a_match_cut_off_hides_no_line_that_has_a_match_after_it() -> None:
    one, two, three = texts()[:3]
    found = reports(one[:-40] + b"\n  " + two + b"\nX" + three + b"\n")
    assert [(report.line, report.status) for report in found] == [
        (1, "unreadable"),
        (2, "legal"),
        (3, "unreadable"),
    ]


def test_a_match_that_keeps_another_one_is_one_match() -> None:
    log = json.loads(texts()[0])
    for copy in (log, [log]):
        whole = json.dumps(log | {"_before": copy}).replace("[{", "[\n {").encode()
        assert read(whole) == ([whole], [])


def test_each_line_of_a_jsonl_that_is_no_match_is_reported_by_itself() -> None:
    found = reports(texts()[0] + b"\n# round 2\n# table 3\n" + texts()[1])
    assert [report.status for report in found] == ["legal", "unreadable", "unreadable", "legal"]


@pytest.mark.parametrize("data", [b"", b"\n", b" \n\t\r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a"])
def test_an_empty_file_is_reported(data: bytes, name: str) -> None:
    assert codes(data, name) == ["empty-file"]
    assert codes(gzip.compress(data), name + ".gz") == ["empty-file"]
    assert codes(zipped(), "a.zip") == ["empty-file"]


@pytest.mark.slow
def test_a_line_of_50_mb_is_left_unread_and_its_neighbours_are_read() -> None:
    first, last = texts()[:2]
    data = b"\n".join([first, b'{"a": "' + b"x" * (50 << 20) + b'"}', last])
    found, (trouble,) = read(data)
    assert found == [first, last]
    assert trouble == ReadError("club.jsonl", 2, "too-long", None, MAX_LINE_BYTES >> 20)
    assert [report.line for report in reports(data)] == [1, 2, 3]


def test_a_document_too_large_to_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_DOCUMENT_BYTES", 1 << 22)
    data = b"[\n" + b" " * (9 << 20) + b"]"
    assert codes(data, "a.json") == ["too-large"]


@pytest.mark.parametrize("depth", [260, 1000, 10_000])
def test_nesting_without_end_is_reported_and_raises_nothing(depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    good = texts()[0][:-1]
    data = b"\n".join(
        [deep, good + b', "event": ' + deep + b"}", good + b', "x": ' + deep + b"}", b"[" * depth]
    )
    first, event, unknown, open_end = reports(data)
    assert [found.code for found in first.findings] == ["not-json" if depth > 1000 else "schema"]
    assert [found.code for found in event.findings] == ["not-json" if depth > 1000 else "schema"]
    assert unknown.status == ("unreadable" if depth > 1000 else "legal")
    assert open_end.status == "unreadable"


# archives


def test_a_zip_inside_a_zip_is_not_opened_and_its_neighbours_are() -> None:
    data = zipped(inner__zip=zipped(a__jsonl=lines()), b__jsonl=lines(2))
    found, (trouble,) = read(data, "club.zip")
    assert found == list(texts()[:2])
    assert (trouble.file, trouble.code) == ("club.zip/inner.zip", "nested-archive")


def test_notes_and_sheets_of_a_zip_are_named_as_such_and_are_no_texts_of_matches() -> None:
    found, troubles = read(zipped(a__csv=b"Jeu;Date", b__txt=b"Chouine", c__xlsx=zipped(d=b"")), "club.zip")
    assert not found
    assert [(one.code, one.found) for one in troubles] == [
        ("no-log", kind) for kind in ("CSV", "TXT", "Excel")
    ]


@pytest.mark.parametrize(
    "own",
    ["__MACOSX/._a.json", "soir/._a.json", ".DS_Store", "soir/Thumbs.db", "desktop.ini", "LISEZMOI.txt"],
)
def test_what_no_log_is_named_like_is_passed_over_in_a_zip_as_in_a_folder(own: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(own, b"\0\5\x16\7 Lisez-moi")
        archive.writestr("soir/a.json", lines(1))
    assert read(packed.getvalue(), "mac.zip") == ([texts()[0]], [])


def test_a_zip_of_files_without_suffix_is_read() -> None:
    assert read(zipped(soir=lines(2)), "club.zip") == (list(texts()[:2]), [])


def tarred(**members: bytes) -> bytes:
    """A tar; `a__jsonl` is the member `a.jsonl`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name.replace("__", "."))
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


@pytest.mark.parametrize("suffix", PACKERS)
def test_every_match_of_a_tar_is_read_however_it_is_compressed(suffix: str) -> None:
    data = tarred(a__jsonl=lines(2), b__json=lines(1), photo__jpg=b"\xff\xd8\xff")
    found, troubles = read(PACKERS[suffix](data), f"logs.tar{suffix}")
    assert (found, troubles) == ([*texts()[:2], texts()[0]], [])


@pytest.mark.parametrize("suffix", [".bz2", ".xz"])
def test_lines_are_read_however_they_are_compressed(suffix: str) -> None:
    data = PACKERS[suffix](lines(1)) + PACKERS[suffix](lines(2))  # two streams, as appending makes them
    assert read(data, f"club.jsonl{suffix}")[0] == [texts()[0], *texts()[:2]]


def test_padding_between_and_after_the_streams_of_an_xz_file_is_no_damage() -> None:
    data = lzma.compress(lines(1)) + b"\0" * 8 + lzma.compress(lines(2)) + b"\0" * 4
    assert read(data, "club.jsonl.xz") == ([texts()[0], *texts()[:2]], [])


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_tar_cut_short_is_reported_and_what_came_before_is_read(suffix: str) -> None:
    packed = PACKERS[suffix](tarred(a__jsonl=lines(2), b__jsonl=lines(6) * 40))
    found, troubles = read(packed[: len(packed) - len(packed) // 4], f"logs.tar{suffix}")
    assert [trouble.code for trouble in troubles] == ["bad-archive"]
    assert suffix in (".bz2", ".zst") or found[:2] == list(texts()[:2])  # those lose a whole block


def test_an_archive_in_a_tar_is_not_opened_and_its_neighbours_are() -> None:
    data = tarred(inner__tar=tarred(a__jsonl=lines()), inner__zip=zipped(a__jsonl=lines()), b__jsonl=lines(2))
    found, troubles = read(data, "club.tar")
    assert found == list(texts()[:2])
    assert [(one.file, one.code) for one in troubles] == [
        ("club.tar/inner.tar", "nested-archive"),
        ("club.tar/inner.zip", "nested-archive"),
    ]


def test_folders_in_a_zip_hold_no_match() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("club/", b"")
        archive.writestr("club/a.jsonl", lines())
    (batch,) = stream_batches("club.zip", io.BytesIO(packed.getvalue()))
    assert batch.file == "club.zip/club/a.jsonl"
    assert len(batch.texts) == 6


SIZE = 1 << 24
SPACE = 2 * SIZE


@pytest.fixture
def small_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bombs of 32 MB instead of the gigabytes they have outside."""
    assert archives.MAX_UNPACKED_BYTES > SIZE
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", SIZE)


def zip_bomb() -> bytes:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.jsonl", "w", force_zip64=True) as member,
    ):
        for _ in range(SPACE >> 20):
            member.write(b" " * (1 << 20))
    return packed.getvalue()


def zip_of_bombs() -> bytes:
    """No member is one, all together they are."""
    size = SIZE // 2
    member = zlib.compressobj(wbits=-15)
    data = member.compress(b" " * size) + member.flush()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name in "abcd":
            archive.writestr(f"{name}.jsonl", data)
        for info in archive.infolist():
            info.compress_type, info.file_size = zipfile.ZIP_DEFLATED, size
    return packed.getvalue()


def gzip_bomb() -> bytes:
    packed = zlib.compressobj(9, wbits=31)
    block = b" " * (1 << 20)
    return b"".join(packed.compress(block) for _ in range(SPACE >> 20)) + packed.flush()


def zstd_bomb() -> bytes:
    return zstandard.compress(b" " * SPACE)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("a.zip", zip_bomb),
        ("a.zip", zip_of_bombs),
        ("a.jsonl.gz", gzip_bomb),
        ("a.jsonl.zst", zstd_bomb),
        ("a.zip", lambda: zipped(a__gz=gzip_bomb())),
    ],
)
@pytest.mark.usefixtures("small_bombs")
def test_a_bomb_is_left_closed(name: str, make: Callable[[], bytes]) -> None:
    data = make()
    assert len(data) < SPACE // 200
    assert codes(data, name) == ["zip-bomb"]


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.usefixtures("small_bombs")
def test_an_archive_ends_where_its_members_are_a_bomb_together(pack: Callable[..., bytes]) -> None:
    below = bz2.compress(b" " * (SIZE - 1))
    data = pack(**{f"m{number}": below for number in range(9)})
    assert codes(data, "a") == ["empty-file", "empty-file", "zip-bomb"]


@pytest.mark.parametrize(("size", "expected"), [(len(lines()), []), (9, ["bad-archive"])])
def test_a_member_of_bzip2_has_the_size_of_its_header(size: int, expected: list[str]) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("club.jsonl", lines())
    data = bytearray(packed.getvalue())
    at = data.rindex(b"PK\x01\x02") + 24
    data[at : at + 4] = size.to_bytes(4, "little")
    assert codes(bytes(data), "a.zip") == expected


@pytest.mark.slow
def test_much_text_that_packs_well_is_no_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 1 << 16)
    for data in (gzip.compress(lines() * 20), zstandard.compress(lines() * 20)):
        assert len(read(data)[0]) == 120


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_an_archive_cut_off_gives_what_came_before_and_says_so(pack: Callable[[bytes], bytes]) -> None:
    whole = pack(lines(60))
    found, troubles = read(whole[: len(whole) * 2 // 3])
    assert 10 < len(found) < 60
    assert found == list(texts(60)[: len(found)])
    assert [trouble.code for trouble in troubles] == ["bad-archive"]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_archives_one_after_the_other_are_one_file(pack: Callable[[bytes], bytes]) -> None:
    assert read(pack(lines(2)) + pack(lines(3)))[0] == [*texts()[:2], *texts()[:3]]


@pytest.mark.parametrize(
    ("module", "name", "empty"),
    [(bz2, "BZ2Decompressor", bz2.compress(b"")), (lzma, "LZMADecompressor", lzma.compress(b""))],
    ids=["bzip2", "xz"],
)
def test_many_streams_one_after_the_other_are_unpacked_once(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, empty: bytes
) -> None:
    """What follows a stream is not copied whole for each: the bytes given grow as the streams do."""
    real, given = getattr(module, name), [0]

    class Counting:
        def __init__(self, *how: Any) -> None:
            self._own = real(*how)

        def decompress(self, data: bytes, most: int) -> bytes:
            given[0] += len(data)
            return bytes(self._own.decompress(data, most))

        def __getattr__(self, attribute: str) -> Any:
            return getattr(self._own, attribute)

    monkeypatch.setattr(module, name, Counting)
    counts = []
    for times in (2000, 8000):
        given[0] = 0
        assert read(empty * times + module.compress(lines(1)))[0] == [*texts(1)]
        counts.append(given[0])
    assert counts[1] < 4.5 * counts[0]


def test_a_damaged_member_does_not_hide_the_others() -> None:
    data = bytearray(zipped(a__jsonl=lines(), b__jsonl=lines(2)))
    data[300] ^= 0xFF
    data[301] ^= 0xFF
    found, troubles = read(bytes(data), "club.zip")
    assert found[-2:] == list(texts()[:2])
    assert [(trouble.file, trouble.code) for trouble in troubles] == [("club.zip/a.jsonl", "bad-archive")]


def test_a_member_with_a_password_or_an_unknown_method_is_reported() -> None:
    data = bytearray(zipped(a__jsonl=lines(), b__jsonl=lines(2)))
    entry = data.rindex(b"PK\x01\x02", 0, data.rindex(b"PK\x01\x02"))
    locked = bytearray(data)
    locked[entry + 8] |= 1
    strange = bytearray(data)
    strange[entry + 10] = 77
    for archive in (locked, strange):
        found, troubles = read(bytes(archive), "club.zip")
        assert found == list(texts()[:2])
        assert [trouble.code for trouble in troubles] == ["bad-archive"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods_of_zip_are_read_and_their_damage_is_reported(method: int) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("a.jsonl", lines())
    assert read(packed.getvalue())[0] == list(texts())
    spoilt = bytearray(packed.getvalue())
    spoilt[200:260] = bytes(60)
    assert codes(bytes(spoilt)) == ["bad-archive"]


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04", b"\x1f\x8b", b"\x1f\x8b\x08\0\0", b"\x28\xb5\x2f\xfd", b"PK\x05\x06 "]
)
def test_a_head_without_an_archive_is_a_damaged_one(data: bytes) -> None:
    assert codes(data) == ["bad-archive"]


# where the bytes come from


@pytest.mark.parametrize(("name", "data"), FORMS.items(), ids=FORMS)
def test_a_pipe_is_read_like_a_file(name: str, data: Callable[[], bytes]) -> None:
    reading, writing = os.pipe()
    content = data()

    def write() -> None:
        with os.fdopen(writing, "wb", buffering=0) as pipe:
            pipe.write(content[:1])  # a head that comes in pieces
            pipe.write(content[1:])

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(reading, "rb") as pipe:
        found, troubles = flat(list(stream_batches(name, pipe)))
    writer.join()
    assert [json.loads(text) for text in found] == [json.loads(text) for text in texts()]
    assert troubles == []


def test_progress_ends_at_the_size_of_the_file(tmp_path: Path) -> None:
    for name, data in FORMS.items():
        path = tmp_path / name
        path.write_bytes(data())
        heard: list[int] = []
        list(batches(path, heard.append))
        assert heard == sorted(heard)
        packed = zipfile.ZipFile(path).infolist()[0:] if name.endswith(".zip") else []
        size = sum(member.compress_size for member in packed) or path.stat().st_size
        assert heard[-1] == size


def test_what_cannot_be_opened_is_reported(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing.jsonl"):
        assert [t.code for batch in batches(path) for t in batch.troubles] == ["cannot-read"]


def test_a_large_file_comes_in_batches_of_whole_lines() -> None:
    many = lines() * 400
    found = list(stream_batches("a.jsonl", io.BytesIO(many)))
    assert len(found) > 1
    assert flat(found) == (list(texts()) * 400, [])
    assert [one.line for batch in found for one in batch.texts] == list(range(1, 2401))


# what somebody laid out by hand, or by another program


def placed_out(text: bytes) -> bytes:
    return json.dumps(json.loads(text), indent=1).encode()


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a"])
def test_matches_over_many_lines_one_after_another_are_each_read(name: str) -> None:
    first, second, third = map(placed_out, texts()[:3])
    found = reports(b"\n".join([first, b"", second, third, b""]), name)
    assert [report.status for report in found] == ["legal"] * 3
    below = first.count(b"\n") + 3
    assert [report.line for report in found] == [1, below, below + second.count(b"\n") + 1]


def test_a_match_over_many_lines_among_matches_of_one_line_has_its_places() -> None:
    one, two = texts()[:2]
    spoilt = placed_out(two).replace(b'"actions"', b'"acts"', 1)
    first, second, last = reports(b"\n".join([one, spoilt, one]))
    assert (first.status, last.status) == ("legal", "legal")
    line = spoilt[: spoilt.index(b'"acts"')].count(b"\n") + 2
    (unknown,) = [finding for finding in second.findings if finding.code == "unknown-key"]
    assert (second.line, unknown.line) == (2, line)


@pytest.mark.parametrize("after", [b"Jean 87, Charles 103", b'{"a": 1}\nJean', b"]", b"[3]", b"}"], ids=str)
@pytest.mark.parametrize("before", [b"[%s]", b"%s"], ids=["array", "match"])
def test_what_stands_after_a_match_or_an_array_is_reported(before: bytes, after: bytes) -> None:
    """An array's end is no end of the file: nothing behind it is dropped in silence."""
    found = reports(before % placed_out(texts()[0]) + b"\n" + after + b"\n", "a.json")
    assert found[0].status == "legal"
    assert {report.status for report in found[1:]} == {"unreadable"}
    assert found[1:]


@pytest.mark.parametrize(
    "page",
    [
        b"partie;donneur;points\n1;1;87-43\n2;2;112-38",
        b"<html>\n<body>\n404\n</body>\n</html>",
        b"\x89PNG\r\n\x1a\n\x00\x00\n\xff\x00\n",
        b"// the sheet of March 16\n// of table 12",
    ],
    ids=["csv", "html", "png", "remark"],
)
def test_a_page_of_something_else_is_reported_once_and_hides_no_match(page: bytes) -> None:
    """Unless the file's name says that each line is one."""
    match = texts()[0]
    found = reports(match + b"\n" + page + b"\n" + match, "a")
    assert [(report.line, report.status) for report in found] == [
        (1, "legal"),
        (2, "unreadable"),
        (page.count(b"\n") + 3, "legal"),
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_a_file_in_another_encoding_is_reported_once_with_its_name(encoding: str, name: str) -> None:
    data = placed_out(texts()[0]).decode().encode(encoding)
    (trouble,) = read(data, name)[1]
    assert (trouble.code, trouble.found) == ("not-utf8", encoding[:6].upper())


def test_lines_without_end_that_begin_no_match_are_cut_at_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 1 << 16)
    data = b'"x",\n' * (1 << 15) + texts()[0]
    *others, last = read(data, "a")[0]
    assert last == texts()[0]
    assert len(others) == 2
    assert max(map(len, others)) < 1 << 17


class OnlyRead(io.RawIOBase):
    """A stream of which nothing is written but `read`, as programs make them."""

    def __init__(self, data: bytes) -> None:
        self.data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self.data.read(size)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda data: zipped(a__jsonl=data)])
def test_a_stream_that_can_only_be_read_is_read(pack: Callable[[bytes], bytes]) -> None:
    stream: Any = OnlyRead(pack(lines(9)))
    reports = list(check(("club", stream)))
    assert [one.status for one in reports] == ["legal"] * 9
