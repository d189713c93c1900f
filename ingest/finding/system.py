"""What libraries and the system say in their English → texts of the catalogue."""

import re
from typing import Any

from ingest.i18n import N_, Translate

REASONS = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        # the system
        ("No such file", N_("there is no such file")),
        ("Permission denied|Operation not permitted", N_("permission denied")),
        ("Is a directory", N_("it is a folder")),
        ("No space left|Disk quota", N_("the disk is full")),
        ("Read-only file system", N_("the disk may only be read")),
        ("Input/output error", N_("the disk or the network fails")),
        ("File name too long", N_("the name is too long")),
        ("symbolic links", N_("its links lead round in a circle")),
        # archives
        ("not a zip file", N_("it is no zip, or its end is missing")),
        ("ended before|end is missing|unexpected end|EOFError", N_("its end is missing")),
        ("CRC|checksum", N_("its checksum is wrong")),
        ("encrypted|password", N_("it needs a password")),
        (
            "compression (method|type)|zip file version",
            N_("it is packed in a way this program does not read"),
        ),
        (
            "decompress|[Cc]orrupt|[Bb]ad |negative seek|out of range|Errno 22|codec|"
            "File name in directory|Truncated|Invalid (data|or unsupported)|Incorrect length|"
            "patched|MemoryError|Overlapped",
            N_("it cannot be unpacked"),
        ),
    )
)


def reason(t: Translate, said: Any) -> str:
    """Why something could not be read, in the user's language where that is known."""
    for pattern, text in REASONS:
        if pattern.search(str(said)):
            return t(text)
    return str(said)
