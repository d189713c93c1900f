"""Translates messages of the operating system and libraries."""

import errno
import os
import re
from typing import Any

from ingest.i18n import N_, Translate
from ingest.reader import object_storage

SET_ASIDE_TEXT = N_("every process that checked the part that begins here crashed; Retourne skipped it")
"""Reason for skipping a part of a file on which a cluster's workers die."""
REASON_PATTERNS = (
    # object storage, whose messages are already ours
    *((re.escape(text), text) for text in (*object_storage.REASONS, SET_ASIDE_TEXT)),
    # the system
    ("No such file", N_("file not found")),
    ("Permission denied|Operation not permitted", N_("permission denied")),
    ("Is a directory", N_("it is a folder")),
    ("No space left|Disk quota", N_("the disk is full")),
    ("Read-only file system", N_("the disk may only be read")),
    ("Input/output error", N_("the disk or the network fails")),
    ("File name too long", N_("the name is too long")),
    ("symbolic links", N_("its links lead round in a circle")),
    ("File exists", N_("there is something of that name already")),
    ("Not a directory", N_("a part of its path is not a folder")),
    ("Directory not empty", N_("the folder is not empty")),
    ("resource busy|Text file busy|temporarily unavailable", N_("something else is using it")),
    ("Too many open files", N_("too many files are open")),
    ("File too large", N_("the disk takes no file so large")),
    ("No such device|not a socket|Illegal seek", N_("it is not a file")),
    ("Cannot allocate memory", N_("there is too little memory")),
    ("Stale file handle|Transport endpoint", N_("the network drive is gone")),
    ("Connection (refused|reset)|timed out|unreachable", N_("the network does not answer")),
    ("Bad file descriptor", N_("its output is closed")),
    ("Broken pipe", N_("the reader closed it")),
    # archives
    ("not a zip file", N_("it is not a zip, or its end is missing")),
    ("ended before|end is missing|unexpected end|EOFError", N_("its end is missing")),
    ("CRC|checksum", N_("its checksum is wrong")),
    ("encrypted|password", N_("it needs a password")),
    ("compression (method|type)|zip file version", N_("it is packed in a way this program does not read")),
    (
        "decompress|[Cc]orrupt|[Bb]ad |negative seek|out of range|Errno 22|codec|"
        "File name in directory|Truncated|Invalid (data|or unsupported)|Incorrect length|"
        "patched|MemoryError|Overlapped",
        N_("it cannot be unpacked"),
    ),
)
# errno lacks some of the system's codes
_ERRNO_NAMES = {os.strerror(code): errno.errorcode.get(code, str(code)) for code in range(1, 200)}


def translate_reason(t: Translate, message: Any) -> str:
    """Translate a reason for failure; an unknown message stays unchanged."""
    # a system error without a text here gets its errno name, which users can look up
    if isinstance(message, OSError):
        message = message.strerror or message
    for pattern, text in REASON_PATTERNS:
        if re.search(pattern, str(message)):
            return t(text)
    code = _ERRNO_NAMES.get(str(message))
    return str(message) if code is None else t("the system refuses it ({code})", code=code)


def translate_os_error(t: Translate, message: str) -> str:
    """Translate the system error that ends a library's message; else return the message."""
    last = message.rpartition(": ")[2].rstrip(".")
    return translate_reason(t, last) if last in _ERRNO_NAMES else message
