"""Parses store URLs and redacts their secrets."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from ingest.i18n import N_
from ingest.store.errors import DEFAULT_STORE_NAME, StoreError

_LAKE_PREFIX = "ducklake:"
_LAKE_LIKE = re.compile(rf"{_LAKE_PREFIX}|postgres(ql)?:|s3:")
"""The start of a lake's address or a part of one; such text is not a file name."""
_CATALOG_PREFIX = re.compile(r"postgres:(?!//)|(?=postgres(?:ql)?://)")
_URL_PREFIX = re.compile(rf"(?:{_LAKE_PREFIX})?(?:postgres:(?!//))?")
_PUBLIC_OPTIONS = frozenset(
    (
        *("host", "hostaddr", "port", "dbname", "user", "service", "options", "sslmode"),
        *("connect_timeout", "application_name", "target_session_attrs", "sslrootcert"),
    )
)
"""Database options that may be shown."""
_NOT_SECRET = _PUBLIC_OPTIONS | {"postgres", "postgresql", "password"}
"""Words of an address that are never secret."""
_PASSWORD_OPTION = re.compile(r"\b(\w*password)(\s*=\s*)('(?:[^'\\]|\\.)*'|(?:\\.|[^\s\\])+)", re.IGNORECASE)
_PASSWORD_IN_URL = re.compile(r"(://[^/:@?\s]*):([^/@?\s]*)@")
_MIN_REDACTED_CHARS = 3
"""Shorter pieces of a secret would match inside ordinary words."""
_known_secrets = set[str]()
"""Secrets seen in addresses, removed from every message about them."""
INVALID_LAKE_URL = N_("{path} is not the address of a lake. Example: {example}")
EXAMPLE_LAKE_URL = "ducklake:postgres:host=db.club.example dbname=club?data=/srv/club"


class LakeUrl(NamedTuple):
    """The parts of a lake's address."""

    catalog: str
    """The PostgreSQL database, as libpq takes it."""
    data: str
    """The location of the files: a folder or object storage."""


def is_lake_url(text: str | os.PathLike[str]) -> bool:
    """Return whether a text is the address of a lake, or was meant to be."""
    return isinstance(text, LakePath) or _LAKE_LIKE.match(str(text)) is not None


def without_password(address: str) -> str:
    """Return an address without passwords; without its catalogue if libpq cannot parse that."""
    before, sign, data = _split_lake_url(address)
    head = _URL_PREFIX.match(before)
    catalogue = before[head.end() :] if head else before
    result = _parse_conninfo(catalogue)
    if result is None:
        if not re.search("[=@]", catalogue):
            return address
        secrets, without = [catalogue], "…"
    else:
        from psycopg.conninfo import make_conninfo

        secrets = [value for key, value in result.items() if value and key not in _PUBLIC_OPTIONS]
        if not secrets:
            return address
        named = {key: value if key in _PUBLIC_OPTIONS else "…" for key, value in result.items() if value}
        without = make_conninfo("", **named)
    for secret in secrets:
        for one in (secret, quote(secret, safe="")):
            pieces = {one, *re.split(r"[\s@?&/:='\\]+", one)} - _NOT_SECRET
            _known_secrets.update(piece for piece in pieces if len(piece) >= _MIN_REDACTED_CHARS)
            _known_secrets.update(f"{piece}@" for piece in pieces if piece)
    return before[: len(before) - len(catalogue)] + without + sign + data


def _parse_conninfo(catalog: str) -> dict[str, str] | None:
    """Parse a catalogue as libpq does; None: it is not valid, or psycopg is not installed."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:  # opening the lake reports this
        return None
    try:
        fields = {key: str(value) for key, value in conninfo_to_dict(catalog).items()}
    except ProgrammingError:  # its message may contain the password
        return None
    return None if "@" in fields.get("host", "") else fields


def redact_secrets(text: str) -> str:
    """Return text about a lake without its passwords."""
    for secret in sorted(_known_secrets, key=len, reverse=True):
        text = text.replace(secret, "…")
    return _PASSWORD_IN_URL.sub(r"\1@", _PASSWORD_OPTION.sub(r"\1\2…", text))


def parse_lake_url(text: str) -> LakeUrl:
    """Parse the address of a lake. StoreError: it is not valid."""
    begin, sign, rest = text.partition(_LAKE_PREFIX)
    kind = _CATALOG_PREFIX.match(rest) if sign and not begin else None
    catalogue, sign, data = _split_lake_url(rest[kind.end() :]) if kind else ("", "", "")
    if not catalogue.strip() or not sign or not data.strip() or _parse_conninfo(catalogue) is None:
        raise StoreError(INVALID_LAKE_URL, path=without_password(text), example=EXAMPLE_LAKE_URL)
    if "://" not in data:
        data = str(Path(data.removeprefix("file:")).resolve())
    return LakeUrl(catalogue, data.rstrip("/") + "/")


def _split_lake_url(text: str) -> tuple[str, str, str]:
    """Split off the data location, which ends the address."""
    found = re.fullmatch(r"(.*)([?&]data=)(.*)", text, re.DOTALL)
    return (found[1], found[2], found[3]) if found else (text, "", "")


if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())


class LakePath(_Path):
    """The address of a lake, usable as a path; its text contains no secrets."""

    secret_url = ""
    """The full address; empty for paths derived from this one."""

    def __new__(cls, text: str) -> "LakePath":
        """Create the path from an address with secrets."""
        made = super().__new__(cls, without_password(text))
        made.secret_url = text
        return made

    def __init__(self, text: str) -> None:
        if _Path.__init__ is not object.__init__:  # from Python 3.12 on
            super().__init__(without_password(text))  # type: ignore[call-arg]

    def __reduce__(self) -> tuple[type["LakePath"], tuple[str]]:
        return LakePath, (self.secret_url,)

    def __str__(self) -> str:
        return without_password(self.secret_url) or super().__str__()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LakePath) and other.secret_url == self.secret_url

    def __hash__(self) -> int:
        return hash(self.secret_url)

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """Return True: only opening the lake shows whether it exists."""
        return True

    def resolve(self, strict: bool = False) -> "LakePath":
        """Return the same lake with an absolute data folder."""
        before, sign, data = _split_lake_url(self.secret_url)
        folder = bool(sign) and "://" not in data
        return LakePath(f"{before}{sign}{Path(data).resolve()}") if folder else self


def parse_store_url(text: str | os.PathLike[str]) -> Path:
    """Return the path or lake address that a text names."""
    if isinstance(text, LakePath):
        return text
    return LakePath(str(text)) if is_lake_url(text) else Path(text)


def url_with_secrets(path: Path) -> str:
    """Return an address with its secrets for another process: not for command lines or display."""
    return path.secret_url if isinstance(path, LakePath) else str(path)


def store_from_environment() -> Path:
    """Return the store that the environment names, or the default one."""
    return parse_store_url(os.environ.get("RETOURNE_STORE", DEFAULT_STORE_NAME)).resolve()
