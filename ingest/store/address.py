"""Where a store is: a file, or a lake, whose address may have secrets that are never shown."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ingest.i18n import N_
from ingest.store.errors import DEFAULT, StoreError

_BEGIN = "ducklake:"
_MEANT = re.compile(rf"{_BEGIN}|postgres(ql)?:|s3:")
"""What begins as a lake's address, or as a part of one, is none of a file."""
_KIND = re.compile(r"postgres:(?!//)|(?=postgres(?:ql)?://)")
_SECRET = re.compile(r"\b(\w*password)(\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)", re.IGNORECASE)
_IN_URL = re.compile(r"(://[^/:@?\s]*):([^/@?\s]*)@")
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


def shown(text: str) -> str:
    """The same address, or anything said of it, without passwords."""
    return _IN_URL.sub(r"\1@", _SECRET.sub(r"\1\2…", text))


def parsed(text: str) -> Lake:
    """What the address of a lake says. StoreError: it is not written as one is."""
    begin, sign, rest = text.partition(_BEGIN)
    kind = _KIND.match(rest) if sign and not begin else None
    catalogue, sign, data = _cut(rest[kind.end() :]) if kind else ("", "", "")
    if not catalogue.strip() or not sign or not data.strip():
        raise StoreError(NO_LAKE, path=shown(text), example=EXAMPLE)
    if "://" not in data:
        data = str(Path(data.removeprefix("file:")).resolve())
    return Lake(catalogue, data.rstrip("/") + "/")


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
