"""A store that is served, asked by its HTTP API: at `--server URL`, or on this computer.

Of a store that is served here, the server's file beside it has the address and a key.
"""

import json
import sys
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields
from os.path import samefile
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory, TemporaryFile
from types import MappingProxyType
from typing import IO, Any
from urllib.parse import quote

import httpx

from engine import program_version
from ingest.cli.common import Advance, Stop, remark
from ingest.cli.params import name_of
from ingest.findings.finding import KEYS, Finding
from ingest.findings.os_errors import reason
from ingest.i18n import N_, Translate
from ingest.operations import Operation, Tell, Told, unheard
from ingest.operations import name_of as address_of
from ingest.operations.matches import NO_MATCH
from ingest.operations.whole_store import restore
from ingest.reader.escaping import as_json, json_lines, lines
from ingest.reader.files import Trouble
from ingest.reader.files import opened as opened_file
from ingest.reader.sources import Source
from ingest.store import server_hosts, wal
from ingest.store.backup import NO_BACKUP, SAME
from ingest.store.cancellation import go_on
from ingest.store.errors import DEFAULT, standing_for
from ingest.store.export import Kept
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import FileReport
from ingest.validate.report import MatchReport, trouble_report

BELOW = "/api/v1"
LINES = "application/x-ndjson"
"""An answer that says meanwhile how far it is."""
BLOCK = 1 << 18
PAGE = 500
Progress = Callable[[str, int], None]
STARTING = 30.0
"""Seconds that a server of this computer has to answer, from when it has taken its store."""
UNPROCESSABLE = 422
"""Of what is sent to be stored: nothing in it is a log, and the problem has the report."""
TRIES, LONGEST, TOLD = 10, 60, 3
"""How often what a server is too busy for is sent again, and seconds that are waited at most; from
how many on that is said."""
BUSY = N_("The server {url} is busy. Seconds until it is asked again: {n}")
PATIENCE = httpx.Timeout(30.0, read=None)
"""Seconds; how long a server checks a large file nobody knows."""
NO_ADDRESS = N_("{url} is no address of a server: it begins with http:// or https://.")
NOT_THERE = N_("The server {url} cannot be reached: {reason}.")
BROKE_OFF = N_("The server {url} broke off: {reason}.")
NOT_OURS = N_("At {url} there is no Retourne that answers programs.")
OTHER_VERSION = N_(
    "The store {path} is served by another version of Retourne. Close the dashboard and start it "
    "again."
)
ENDED = N_(
    "The dashboard that has the store {path} ended before it said that this was done: what was "
    "not finished was left out."
)
_FIELDS = {one.name for one in fields(Finding)} & set(KEYS)


@dataclass(slots=True)
class ToldFinding(Finding):
    """A finding as a server tells it: in its words, and with its edit as JSON Patch has it."""

    said: str = ""
    at: str = ""

    def message(self, t: Translate) -> str:
        return self.said

    def place(self, t: Translate) -> str:
        return self.at


def report_of(told: Mapping[str, Any], name: str) -> MatchReport:
    """An object of `check --format jsonl` as the report it was made of."""
    findings = list[Finding]()
    for one in told["findings"]:
        # what mends it follows its sentence
        edits = [one["edit"]] if one["edit"] else one["candidates"]
        said = " ".join([one["message"], *(f"→ {as_json(edit)}" for edit in edits)])
        kept = {key: one[key] for key in _FIELDS}
        findings.append(ToldFinding(**kept, said=said, at=one["place"], searched=one["searched"]))
    return MatchReport(name, told["line"], told["id"], "", told["status"], findings)


class Refused(Stop):
    """What a server does not do, and the problem it answered with."""

    def __init__(self, told: Mapping[str, Any], text: str, **values: Any) -> None:
        super().__init__(text, **values)
        self.told = told


class Server:
    """A server, asked in the user's language; a context manager.

    `store` is the one it serves on this computer: of that its words are told as a command's own.
    """

    def __init__(
        self,
        url: str,
        token: str | None,
        t: Translate,
        store: Path | None = None,
        patience: float | None = None,
    ) -> None:
        address = httpx.URL()
        with suppress(httpx.InvalidURL, ValueError):
            address = httpx.URL(url)
        if address.scheme not in ("http", "https") or not address.host:
            raise Stop(NO_ADDRESS, url=url)
        self.url, self._t, self._store = url, t, store
        self.unanswered: str | None = None
        """The file that was sent whole, and of which the server has not said what became of it."""
        headers = {"Accept-Language": t.language, "User-Agent": program_version()}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        path = address.path.rstrip("/").removesuffix(BELOW)
        base = address.copy_with(path=f"{path}{BELOW}", query=None, fragment=None)
        proxied = store is None  # no proxy leads to this computer
        how: dict[str, Any] = {"headers": headers, "trust_env": proxied}
        self._client = httpx.Client(base_url=base, timeout=patience or PATIENCE, **how)

    @classmethod
    def beside(cls, store: Path, t: Translate) -> "Server | None":
        """The server that has a store open here for this user, if any. Stop: of another version."""
        until = time.monotonic() + STARTING
        while (file := server_hosts.found(store)) is not None:
            with ExitStack() as closing:
                server = closing.enter_context(cls(file.url, file.key, t, store))
                try:
                    found = server._client.get("/commands")
                except httpx.HTTPError:  # it is starting, or was killed
                    if time.monotonic() > until or not file.is_alive:
                        return None
                    time.sleep(0.1)
                    continue
                if not found.is_success:  # another program listens there now
                    return None
                if file.version != program_version():
                    raise Stop(OTHER_VERSION, path=store)
                closing.pop_all()
                return server
        return None

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def do(self, operation: Operation, tell: Tell = unheard, /, **given: Any) -> Told:
        """What an operation of the store came to. Stop: it is not done."""
        body, kind = json.dumps(given).encode(), {"Content-Type": "application/json"}
        return self._ask(operation, tell, content=lambda: body, headers=kind)

    def _ask(self, operation: Operation, tell: Tell, **how: Any) -> Told:
        """What an operation answers: the last line, before which is told how far it is."""
        with self.answer("POST", f"/commands/{address_of(operation)}", **how) as answer:
            if not answer.headers["content-type"].startswith(LINES):
                return dict(json.loads(b"".join(self._blocks(answer))))
            for told in self._lines(answer):
                if "problem" in told:
                    raise self._refused(told["problem"])
                if "result" in told:
                    return dict(told["result"])
                tell(told)
        raise self._broke_off(N_("nothing more came"))

    def called(self) -> Path:
        """What the file of its store is called there; by a name that leads nowhere else."""
        name = Path(str(self.get("/commands").get("store", ""))).name
        return Path(name if name.isprintable() and name.strip(".") else DEFAULT)

    def backup(self, tell: Tell, part: Path) -> bytes:
        """Write a backup to a file as it comes; the SHA-256 of what was sent."""
        plain = {"Accept-Encoding": "identity"}
        with self.answer("POST", "/commands/backup", headers=plain) as answer:
            total, done = int(answer.headers["content-length"]), 0
            with part.open("wb") as file:
                for block in self._blocks(answer):
                    done += file.write(block)
                    tell({"done": done, "total": total})
            return b64decode(answer.headers["repr-digest"].split(":")[1])

    def restore(self, file: Path, tell: Tell) -> Told:
        """Have a backup put in the place of the store. Stop, StoreError: it is not."""
        if not file.is_file():
            raise StoreError(NO_BACKUP, path=file)
        if self._store is not None and samefile(self._store, file):
            raise StoreError(SAME, path=file)
        with ExitStack() as until:
            part = file
            if not wal.is_empty(file):  # what is in it belongs to the file
                part = Path(until.enter_context(TemporaryDirectory()), file.name)
                for one, other in ((file, part), (wal.beside(file), wal.beside(part))):
                    copyfile(one, other)
                with standing_for(part, file):
                    Store(part).close()
            return self.send_store(restore, part, tell, name=str(file))

    def send_store(self, operation: Operation, file: Path, tell: Tell, **query: str) -> Told:
        """What an operation came to that is given the file of a store."""
        with file.open("rb") as opened:
            return self._ask(operation, tell, params=query, **_body(opened))

    def get(self, path: str, /, **query: Any) -> Any:
        """What an operation answers, as JSON."""
        with self.answer("GET", path, params=query) as answer:
            try:
                return json.loads(answer.read())
            except (ValueError, httpx.HTTPError) as error:
                raise self._broke_off(self._reason(error)) from None

    def log(self, name: str) -> bytes:
        """A match exactly as it came. Stop: there is none of that id."""
        try:
            with self.answer("GET", f"/matches/{quote(name, safe='')}/log") as answer:
                return b"".join(self._blocks(answer))
        except Refused as refused:
            if refused.told.get("status") not in (404, 410):
                raise
            # what has a slash stands in no address
            found = self.get("/matches", log_id=name)["matches"] if "/" in name else []
            if len(found) != 1:
                raise self._refused(
                    {**refused.told, "detail": self._t(NO_MATCH, id=name)}
                ) from None
            return self.log(found[0]["id"])

    def export(self, name: str, file: IO[bytes], anonymous: bool, keep: Collection[Kept]) -> None:
        """A table, or the logs, as it comes; on a terminal no sign of a text steers it."""
        query = {"anonymous": anonymous or None, "keep": [*map(str, keep)]}
        with self.answer("GET", f"/exports/{name}", params=query) as answer:
            blocks = self._blocks(answer)
            if file is not sys.stdout.buffer or not sys.stdout.isatty():
                file.writelines(blocks)
                return
            safe = lines if name.endswith(".csv") else json_lines
            file.write(safe(b"".join(blocks).decode()).encode())

    def listed(self) -> list[list[Any]]:
        """What `export --list` has of every match, in the order they were added."""
        found: list[list[Any]] = []
        told: dict[str, Any] = {"next": ""}
        while told["next"] is not None:
            told = self.get("/matches", sort="added", limit=PAGE, cursor=told["next"])
            for one in told["matches"]:
                about = [one[key] for key in ("id", "log_id", "played_at", "status", "game")]
                found.append([*about, [player["name"] for player in one["players"]] or None])
        return found[::-1]

    def add(self, found: Sequence[Source], hear: Progress) -> Iterator[FileReport]:
        """Send files to be stored, a report each as it is done. Stop: the server refuses."""
        for source in found:
            name = name_of(source)
            try:
                told = self._stored(name, source, hear)
            except Refused as refused:
                if refused.told.get("status") != UNPROCESSABLE:
                    raise
                told = refused.told["report"]
            except OSError as error:
                yield FileReport(name, refused=1, reports=[unread(error, name)])
                continue
            self.unanswered = None
            for one in told["files"]:  # as it is said of one that is stored here
                yield FileReport(
                    name,
                    added=one["added"] + sum(one["kept"].values()),
                    duplicates=one["known"],
                    twice=one["twice"],
                    refused=one["refused"],
                    sheets=one["sheets"],
                    by_status=Counter({"legal": one["added"], **one["kept"]}),
                    reports=[report_of(match, name) for match in one["unstored"]],
                )

    def _stored(self, name: str, source: Source, hear: Progress) -> Any:
        """What became of a file: half of what is heard is sent, the other half stored."""
        sent = told = 0

        def half(name: str, done: int) -> None:
            nonlocal sent
            sent = done
            hear(name, (sent + told) // 2)

        answered: dict[str, Any] = {}
        for answered in self._sent("/logs", name, source, half, {"Accept": LINES}):
            if "problem" in answered:
                raise self._refused(answered["problem"])
            if "done" in answered:
                told = answered["done"]
                hear(name, (sent + told) // 2)
        return answered.get("result", answered)

    def check(
        self, found: Sequence[Source], hear: Progress
    ) -> Iterator[tuple[MatchReport, dict[str, Any] | None]]:
        """Send files to be checked: a report a match, and the object it was made of."""
        for source in found:
            name = name_of(source)
            try:
                for told in self._sent("/check", name, source, hear):
                    yield report_of(told, told["file"]), told
            except OSError as error:
                yield unread(error, name), None

    def _sent(
        self,
        path: str,
        name: str,
        source: Source,
        hear: Progress,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> Iterator[Any]:
        """Send a file; the objects of the answer, one a line. OSError: it cannot be read."""
        with opened(source) as file:
            size = file.seek(0, 2)

            def sent(done: int) -> None:
                self.unanswered = name if done == size else None
                hear(name, done)

            body = _body(file, sent)
            body["headers"] |= headers
            with self.answer("POST", path, params={"name": name}, **body) as answer:
                yield from self._lines(answer)

    def _lines(self, answer: httpx.Response) -> Iterator[Any]:
        """The objects of an answer, one a line."""
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
            raise self._broke_off(self._reason(error)) from None

    def _broke_off(self, why: str, text: str = BROKE_OFF) -> Stop:
        if self._store is not None:
            return Stop(ENDED, path=self._store)
        return Stop(text, url=self.url, reason=why)

    @contextmanager
    def answer(
        self,
        method: str,
        path: str,
        content: Callable[[], Any] = lambda: None,
        params: Mapping[str, Any] = MappingProxyType({}),
        headers: Mapping[str, str] | None = None,
    ) -> Iterator[httpx.Response]:
        """An answer while it is read. Stop: the server refuses, or is not there."""
        said = {name: value for name, value in params.items() if value not in (None, "", [], ())}
        how: dict[str, Any] = {"params": said, "headers": headers}
        with ExitStack() as until:
            for left in reversed(range(TRIES)):
                go_on()
                try:
                    asking = self._client.stream(method, path, content=content(), **how)
                    found = until.enter_context(asking)
                    if found.is_success:
                        break
                    busy = found.status_code == 429 and "www-authenticate" not in found.headers
                    if not busy or not left:  # or too many wrong tokens came
                        raise self._refused(json.loads(found.read()))
                    self.unanswered = None
                except httpx.HTTPError as error:
                    raise self._broke_off(self._reason(error), NOT_THERE) from None
                except ValueError:
                    raise self._refused({}) from None
                # as long as the server asks for
                asked = found.headers.get("Retry-After", "")
                until.close()
                pause = min(int(asked) if asked.isdigit() else 1, LONGEST)
                if pause >= TOLD:
                    remark(self._t(BUSY, url=self.url, n=pause))
                again = time.monotonic() + pause
                while (wait := again - time.monotonic()) > 0:
                    go_on()
                    time.sleep(min(wait, 0.2))
            yield found

    def _reason(self, error: Exception) -> str:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        said = getattr(cause, "strerror", None) or str(cause) or type(error).__name__
        return reason(self._t, str(said)).rstrip(".")

    def _refused(self, told: Any) -> "Refused":
        """A problem in the words of the server."""
        if not isinstance(told, dict) or "title" not in told:
            return Refused({}, NOT_OURS, url=self.url)
        if told.get("status") != 503 or "report" in told:  # else it ended while it was at work
            self.unanswered = None
        said = str(told.get("detail") or told["title"])
        if told.get("errors"):
            said += " " + " ".join(f"{one['where']}: {one['detail']}" for one in told["errors"])
        if self._store is not None:
            return Refused(told, "{said}", said=said)
        return Refused(told, N_("The server {url} says: {said}"), url=self.url, said=said)


def _body(file: IO[bytes], advance: Advance = lambda done: None) -> dict[str, Any]:
    """A file as what is sent, from its beginning each time it is."""

    def blocks() -> Iterator[bytes]:
        done = file.seek(0)
        while block := file.read(BLOCK):
            go_on()
            done += len(block)
            advance(done)  # before it is sent: who is interrupted then does not know either
            yield block

    size = str(file.seek(0, 2))
    headers = {"Content-Type": "application/octet-stream", "Content-Length": size}
    return {"content": blocks, "headers": headers}


@contextmanager
def opened(source: Source) -> Iterator[IO[bytes]]:
    """A source to send from its beginning, again if need be. OSError: it cannot be read."""
    with ExitStack() as until:
        came = source[1] if isinstance(source, tuple) else until.enter_context(opened_file(source))
        file: IO[bytes] = came
        if isinstance(source, tuple) or not came.seekable():
            file = until.enter_context(TemporaryFile())
            while block := came.read(BLOCK):
                file.write(block)
        yield file


def unread(error: OSError, name: str) -> MatchReport:
    """A file that cannot be read, as the road of every log tells it."""
    return trouble_report(Trouble(name, 1, "cannot-read", error.strerror or str(error)))
