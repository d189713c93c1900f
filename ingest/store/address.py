"""Where a store is: a file, or a lake, whose address may have secrets that are never shown."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from ingest.i18n import N_
from ingest.store.errors import DEFAULT, StoreError

_BEGIN = "ducklake:"
_MEANT = re.compile(rf"{_BEGIN}|postgres(ql)?:|s3:")
"""What begins as a lake's address, or as a part of one, is none of a file."""
_KIND = re.compile(r"postgres:(?!//)|(?=postgres(?:ql)?://)")
_HEAD = re.compile(r"(?:ducklake:)?(?:postgres(?:ql)?:)?")
_QUOTED, _BARE = r"'(?:[^'\\]|\\.)*(?:'|$)", r"(?:\\.|[^\s'\\])(?:\\.|[^\s\\])*"
_PAIR = re.compile(rf"(\w+)(\s*=\s*)({_QUOTED}|{_BARE}|)", re.DOTALL)
"""A key, and its value as libpq reads it; a quote that is not closed goes to the end."""
_WORD = re.compile(r"\S+")
_IN_QUERY = re.compile(r"(?<=[?&])(\w+)=([^&]*)")
_TOLD = frozenset(
    (
        *("host", "hostaddr", "port", "dbname", "user", "service", "options", "sslmode"),
        *("connect_timeout", "application_name", "target_session_attrs", "sslrootcert"),
    )
)
"""What is shown of how a database is reached. Another key may be the word password, misspelt."""
_SAID = re.compile(r"\b(\w*password)(\s*=\s*)('(?:[^'\\]|\\.)*'|(?:\\.|[^\s\\])+)", re.IGNORECASE)
_IN_URL = re.compile(r"(://[^/:@?\s]*):([^/@?\s]*)@")
_SHORT = 3
"""Shorter pieces of a secret would be found in any word."""
_hidden = set[str]()
"""What was not shown of an address, so that nothing that is said of it has it."""
NO_LAKE = N_("{path} is no address of a lake, which is written like this one: {example}")
EXAMPLE = "ducklake:postgres:host=db.club.example dbname=club?data=/srv/club"


class Lake(NamedTuple):
    """What the address of a lake says."""

    catalogue: str
    """The PostgreSQL database, as libpq takes it."""
    data: str
    """Where the files lie: a folder, or a place in an object storage."""


def is_lake(text: str | os.PathLike[str]) -> bool:
    """Whether an address is one of a lake, or was meant to be."""
    return isinstance(text, LakePath) or _MEANT.match(str(text)) is not None


def shown(address: str) -> str:
    """An address without its passwords, however it is written."""
    before, sign, data = _cut(address)
    begin, url, rest = before.partition("://")
    told = begin + url + _of_url(rest) if url else _of_pairs(before)
    return told + sign + data


def _of_url(rest: str) -> str:
    who, at, where = rest.rpartition("@")
    if at:
        user, colon, secret = who.partition(":")
        if colon:
            _hide(secret)
        rest = f"{user}@{where}"
    return _IN_QUERY.sub(lambda one: f"{one[1]}={_value(one[1], one[2])}", rest)


def _of_pairs(text: str) -> str:
    head = _HEAD.match(text)
    place = head.end() if head else 0
    told, hidden = [text[:place]], False
    while place < len(text):
        if one := _PAIR.match(text, place):
            value = _value(one[1], one[3])
            hidden = value != one[3]
            told.append(f"{one[1]}{one[2]}{value}")
        elif one := _WORD.match(text, place):
            if hidden:  # a secret with a blank that was not quoted
                _hide(one[0])
            else:
                told.append(one[0])
        else:
            told.append(text[place])
        place = one.end() if one else place + 1
    return "".join(told).rstrip() if hidden else "".join(told)


def _value(key: str, value: str) -> str:
    """What is shown for the value of a key."""
    if key.lower() in _TOLD or not value:
        return value
    _hide(value)
    return "…"


def _hide(secret: str) -> None:
    """Know a secret in all ways in which it might be said."""
    plain = re.sub(r"\\(.)", r"\1", secret.strip("'"))
    for one in (secret, plain, unquote(secret)):
        pieces = [one, *re.split(r"[\s@?&/]+", one)]
        _hidden.update(piece for piece in pieces if len(piece) >= _SHORT)
        _hidden.update(f"{piece}@" for piece in pieces if piece)


def unsaid(text: str) -> str:
    """What is said of a lake, by whoever, without its passwords."""
    for secret in sorted(_hidden, key=len, reverse=True):
        text = text.replace(secret, "…")
    return _IN_URL.sub(r"\1@", _SAID.sub(r"\1\2…", text))


def parsed(text: str) -> Lake:
    """What the address of a lake says. StoreError: it is not written as one is."""
    begin, sign, rest = text.partition(_BEGIN)
    kind = _KIND.match(rest) if sign and not begin else None
    catalogue, sign, data = _cut(rest[kind.end() :]) if kind else ("", "", "")
    if not catalogue.strip() or not sign or not data.strip() or not _is_read(catalogue):
        raise StoreError(NO_LAKE, path=shown(text), example=EXAMPLE)
    if "://" not in data:
        data = str(Path(data.removeprefix("file:")).resolve())
    return Lake(catalogue, data.rstrip("/") + "/")


def _is_read(catalogue: str) -> bool:
    """Whether libpq reads it; what it says of what it does not read may have the password."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:  # who opens it is told so
        return True
    try:
        return "@" not in str(conninfo_to_dict(catalogue).get("host", ""))
    except ProgrammingError:
        return False


def _cut(text: str) -> tuple[str, str, str]:
    """The catalogue, and where the data lie, which ends the address."""
    found = list(re.finditer(r"[?&]data=", text))
    if not found:
        return text, "", ""
    last = found[-1]
    return text[: last.start()], last[0], text[last.end() :]


if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())


class LakePath(_Path):
    """The address of a lake where paths go; as text, and as a path, it is without secrets."""

    whole = ""
    """With them; of what is made of such an address there is none."""

    def __new__(cls, text: str) -> "LakePath":
        """One of a text."""
        made = super().__new__(cls, shown(text))
        made.whole = text
        return made

    def __init__(self, text: str) -> None:
        if _Path.__init__ is not object.__init__:  # from Python 3.12 on
            super().__init__(shown(text))  # type: ignore[call-arg]

    def __reduce__(self) -> tuple[type["LakePath"], tuple[str]]:
        return LakePath, (self.whole,)

    def __str__(self) -> str:
        return shown(self.whole) or super().__str__()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LakePath) and other.whole == self.whole

    def __hash__(self) -> int:
        return hash(self.whole)

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is there is seen when it is opened."""
        return True

    def resolve(self, strict: bool = False) -> "LakePath":
        """The same lake, whatever folder one stands in."""
        before, sign, data = _cut(self.whole)
        folder = bool(sign) and "://" not in data
        return LakePath(f"{before}{sign}{Path(data).resolve()}") if folder else self


def address(text: str | os.PathLike[str]) -> Path:
    """The address of a store, as it was written."""
    if isinstance(text, LakePath):
        return text
    return LakePath(str(text)) if is_lake(text) else Path(text)


def written(path: Path) -> str:
    """An address for another process, secrets included: never on a command line, never shown."""
    return path.whole if isinstance(path, LakePath) else str(path)


def from_environment() -> Path:
    """The store that the environment names, or the one that is meant where none is named."""
    return address(os.environ.get("RETOURNE_STORE", DEFAULT)).resolve()
