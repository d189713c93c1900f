"""The words on each page of a PDF that Chromium has printed."""

import re
import zlib


def page_texts(pdf: bytes) -> list[str]:
    """The text of each page, without its spaces: a browser places words one by one."""
    objects = {
        int(number): body for number, body in re.findall(rb"(?s)(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj", pdf)
    }
    pages = [body for body in objects.values() if re.search(rb"/Type /Page\b(?!s)", body)]
    return [_page_text(body, objects) for body in pages]


def _page_text(page: bytes, objects: dict[int, bytes]) -> str:
    fonts = {}
    for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", page):
        [to_unicode] = re.findall(rb"/ToUnicode (\d+) 0 R", objects[int(number)])
        fonts[name] = _characters(_stream(objects[int(to_unicode)]))
    [content] = re.findall(rb"/Contents (\d+) 0 R", page)
    text, font = "", dict[int, str]()
    for name, shown in re.findall(rb"/(F\d+) [\d.]+ Tf|<([0-9A-F]+)>", _stream(objects[int(content)])):
        font = fonts[name] if name else font
        codes = [int(shown[at : at + 4], 16) for at in range(0, len(shown), 4)]
        text += "".join(font.get(code, "") for code in codes)
    return re.sub(r"\s", "", text)


def _stream(body: bytes) -> bytes:
    content = body.partition(b"stream\n")[2].removesuffix(b"endstream")
    return zlib.decompressobj().decompress(content)


def _characters(cmap: bytes) -> dict[int, str]:
    """The character of each glyph."""
    found = dict[int, str]()
    for part in re.findall(rb"(?s)beginbfchar(.*?)endbfchar", cmap):
        for glyph, text in re.findall(rb"<(\w+)> <(\w+)>", part):
            found[int(glyph, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be")
    for part in re.findall(rb"(?s)beginbfrange(.*?)endbfrange", cmap):
        for first, last, text in re.findall(rb"<(\w+)> <(\w+)> <(\w+)>", part):
            for step in range(int(last, 16) - int(first, 16) + 1):
                found[int(first, 16) + step] = chr(int(text, 16) + step)
    return found
