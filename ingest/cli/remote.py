"""A store that another computer serves, asked by its HTTP API: `--server URL`."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from tempfile import TemporaryFile
from typing import IO, Any

import httpx

from ingest.cli.terminal import Advance, Stop, program_version
from ingest.finding.finding import KEYS, Finding
from ingest.finding.system import reason
from ingest.i18n import N_, Translate
from ingest.judge.report import MatchReport, trouble_report
from ingest.store.asked import go_on
from ingest.text.files import Trouble
from ingest.text.files import opened as opened_file
from ingest.text.signs import as_json
from ingest.text.sources import Source

BELOW = "/api/v1"
BLOCK = 1 << 18
TRIES, LONGEST = 10, 60.0
"""How often what a server is too busy for is sent again, and seconds it is waited at most."""
PATIENCE = httpx.Timeout(30.0, read=None)
"""Seconds; how long a server checks a large file nobody knows."""

NO_ADDRESS = N_("{url} is no address of a server: it begins with http:// or https://.")
NOT_THERE = N_("The server {url} cannot be reached: {reason}.")
SAYS = N_("The server {url} says: {said}")
NOT_OURS = N_("At {url} there is no Retourne that answers programs.")
BROKE_OFF = N_("The server {url} broke off: {reason}.")


@dataclass(slots=True)
class Told(Finding):
    """A finding as a server tells it: in its words, and with its edit as JSON Patch has it."""

    said: str = ""
    at: str = ""

    def message(self, t: Translate) -> str:
        return self.said

    def place(self, t: Translate) -> str:
        return self.at


def report_of(told: Mapping[str, Any], name: str) -> MatchReport:
    """An object of `check --format jsonl` as the report it was made of."""
    findings = [_finding(one) for one in told["findings"]]
    return MatchReport(name, told["line"], told["id"], "", told["status"], list(findings))


_FIELDS = {one.name for one in fields(Finding)} & set(KEYS)


def _finding(told: Mapping[str, Any]) -> Told:
    """A finding; what mends it follows its sentence."""
    edits = [told["edit"]] if told["edit"] else told["candidates"]
    said = " ".join([told["message"], *(f"→ {as_json(one)}" for one in edits)])
    kept = {name: told[name] for name in _FIELDS}
    return Told(**kept, said=said, at=told["place"], searched=told["searched"])


class Refused(Stop):
    """What a server does not do, and the problem it answered with."""

    def __init__(self, told: Mapping[str, Any], text: str, **values: Any) -> None:
        super().__init__(text, **values)
        self.told = told


class Server:
    """A server, asked in the user's language; a context manager."""

    def __init__(self, url: str, token: str | None, t: Translate) -> None:
        try:
            address = httpx.URL(url)
        except (httpx.InvalidURL, ValueError):
            raise Stop(NO_ADDRESS, url=url) from None
        if address.scheme not in ("http", "https") or not address.host:
            raise Stop(NO_ADDRESS, url=url)
        self.url, self._t = url, t
        headers = {
            "Accept-Language": t.language,
            "User-Agent": program_version(),
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        path = address.path.rstrip("/").removesuffix(BELOW)
        base = address.copy_with(path=f"{path}{BELOW}", query=None, fragment=None)
        self._client = httpx.Client(base_url=base, headers=headers, timeout=PATIENCE)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def get(self, path: str, /, **query: Any) -> Any:
        """What an operation answers, as JSON."""
        with self.answer("GET", path, params=_said(query)) as answer:
            try:
                return json.loads(answer.read())
            except (ValueError, httpx.HTTPError) as error:
                raise Stop(BROKE_OFF, url=self.url, reason=self._reason(error)) from None

    def save(self, path: str, file: IO[bytes], /, **query: Any) -> None:
        """Write what an operation answers to a file as it comes."""
        with self.answer("GET", path, params=_said(query)) as answer:
            for block in self._blocks(answer):
                file.write(block)

    def send(
        self, path: str, name: str, file: IO[bytes], size: int, advance: Advance
    ) -> Iterator[Any]:
        """Send a file; the objects of the answer, one a line."""

        def blocks() -> Iterator[bytes]:
            file.seek(0)
            done = 0
            while block := file.read(BLOCK):
                yield block
                done += len(block)
                advance(done)

        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        how = {"params": {"name": name}, "headers": headers}
        with self.answer("POST", path, blocks, **how) as answer:
            left = b""
            for block in self._blocks(answer):
                *lines, left = (left + block).split(b"\n")
                yield from map(json.loads, lines)
            if left:
                yield json.loads(left)

    def _blocks(self, answer: httpx.Response) -> Iterator[bytes]:
        try:
            for block in answer.iter_bytes():
                go_on()
                yield block
        except httpx.HTTPError as error:
            raise Stop(BROKE_OFF, url=self.url, reason=self._reason(error)) from None

    @contextmanager
    def answer(
        self, method: str, path: str, content: Any = None, **how: Any
    ) -> Iterator[httpx.Response]:
        """An answer while it is read. Stop: the server refuses, or is not there."""
        with ExitStack() as until:
            for tried in range(TRIES):
                go_on()
                body = content() if callable(content) else None
                try:
                    found = until.enter_context(
                        self._client.stream(method, path, content=body, **how)
                    )
                    if found.is_success:
                        break
                    if found.status_code == 429 and tried + 1 < TRIES:
                        _wait(found.headers.get("Retry-After", ""))
                        until.close()
                        continue
                    found.read()
                except httpx.HTTPError as error:
                    raise Stop(NOT_THERE, url=self.url, reason=self._reason(error)) from None
                raise self._refused(found)
            yield found

    def _reason(self, error: Exception) -> str:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        said = getattr(cause, "strerror", None) or str(cause) or type(error).__name__
        return reason(self._t, str(said)).rstrip(".")

    def _refused(self, answer: httpx.Response) -> "Refused":
        """A problem in the words of the server."""
        try:
            told = json.loads(answer.content)
            said = str(told.get("detail") or told["title"])
        except (ValueError, KeyError, AttributeError):
            return Refused({}, NOT_OURS, url=self.url)
        if told.get("errors"):
            said += " " + " ".join(f"{one['where']}: {one['detail']}" for one in told["errors"])
        return Refused(told, SAYS, url=self.url, said=said)


def _said(query: Mapping[str, Any]) -> dict[str, Any]:
    """Without what nobody asked for."""
    return {name: value for name, value in query.items() if value not in (None, "", [], ())}


def _wait(seconds: str) -> None:
    """As long as a server asks for."""
    until = time.monotonic() + min(float(seconds) if seconds.isdigit() else 1.0, LONGEST)
    while (left := until - time.monotonic()) > 0:
        go_on()
        time.sleep(min(left, 0.2))


@contextmanager
def opened(source: Source) -> Iterator[tuple[IO[bytes], int]]:
    """A source to send from its beginning, again if need be, and its size.

    OSError: it cannot be read.
    """
    with ExitStack() as until:
        if not isinstance(source, tuple):
            file: IO[bytes] = until.enter_context(opened_file(source))
        else:
            file = until.enter_context(TemporaryFile())
            while block := source[1].read(BLOCK):
                go_on()
                file.write(block)
        size = file.seek(0, 2)
        yield file, size


def unread(error: OSError, name: str) -> MatchReport:
    """A file that cannot be read, as the road of every log tells it."""
    return trouble_report(Trouble(name, 1, "cannot-read", error.strerror or str(error)))
