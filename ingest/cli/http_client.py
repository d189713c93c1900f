"""Runs operations on a served store through its HTTP API.

If the server runs on this computer, a file next to the store contains its address and a key.
"""

import json
import sys
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields
from os.path import lexists
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import IO, Any
from urllib.parse import quote

import httpx

from engine import program_version
from ingest.cancellation import check_cancelled
from ingest.cli.common import NOT_A_RETOURNE_SERVER, Advance, CommandError, foreign_servers, print_notice
from ingest.cli.params import source_name
from ingest.escaping import escape_json_lines, escape_lines, to_escaped_json
from ingest.findings.finding import JSON_KEYS, Finding
from ingest.findings.os_errors import translate_reason
from ingest.i18n import N_, Translate
from ingest.operations import Operation, OperationResult, ProgressCallback, ignore_progress
from ingest.operations import url_name as address_of
from ingest.operations.maintenance import restore
from ingest.operations.matches import UNKNOWN_MATCH
from ingest.reader.files import ReadError
from ingest.reader.files import open_source as opened_file
from ingest.reader.sources import Source
from ingest.store import server_hosts, wal
from ingest.store.backup import check_backup_path
from ingest.store.errors import DEFAULT_STORE_NAME, show_path_as
from ingest.store.export import KeepField
from ingest.store.factory import Store
from ingest.store.ingest_files import FileReport, RelatedMatch
from ingest.store.match_comparison import Duplicate, OnConflict, Relation
from ingest.store.temporary_files import temporary_folder
from ingest.validate.report import MatchReport, report_of_trouble

API_PATH = "/api/v1"
PROBLEM_TYPE = "application/problem+json"
LINES = "application/x-ndjson"
"""Media type of answers that report progress before the result."""
CHUNK_BYTES = 1 << 18
MATCHES_PER_PAGE = 500
Progress = Callable[[str, int], None]
SERVER_START_SECONDS = 30.0
"""Seconds that a server on this computer may take to answer, once it has opened its store."""
UNPROCESSABLE = 422
"""Status of an upload that contains no log; the problem has the report."""
MAX_TRIES, MAX_RETRY_SECONDS, ANNOUNCED_PAUSE = 10, 60, 3
"""Tries if the server is busy, longest pause in seconds, and pause that is announced."""
BUSY = N_("The server {url} is busy. Trying again in {n} seconds.")
REQUEST_TIMEOUT = httpx.Timeout(30.0, read=None)
"""Seconds; reading has no limit, since a server may check a large file for long."""
INVALID_URL = N_("{url} is not the address of a server: it must begin with http:// or https://.")
SERVER_UNREACHABLE = N_("The server {url} cannot be reached: {reason}.")
CONNECTION_LOST = N_("The server {url} broke off: {reason}.")
INVALID_TOKEN = N_("The token has a character that no token has: copy it again, and nothing else.")
SERVER_VERSION_DIFFERS = N_(
    "The store {path} is served by another version of Retourne. Close the dashboard and start it again."
)
SERVER_NOT_ANSWERING = N_(
    "The store {path} is in use, and its server does not answer: it is stopping, or was "
    "killed. Try again in a moment. If it lasts, close the program that uses the store."
)
KEY_FILE_NOT_PRIVATE = N_(
    "The store {path} is in use, and the file {other} is not a private file of your server. "
    "Run the command as the user who serves the store; if others can read the file, restart "
    "the server."
)
SERVER_ENDED = N_(
    "The dashboard of the store {path} stopped before it answered. Unfinished work was not "
    "stored: run the command again."
)
_FINDING_FIELDS = {one.name for one in fields(Finding)} & set(JSON_KEYS)


@dataclass(slots=True)
class ServerFinding(Finding):
    """A finding with the message and the place that a server sent; its edit is JSON Patch."""

    text: str = ""
    at: str = ""

    def message(self, t: Translate) -> str:
        return self.text

    def place(self, t: Translate) -> str:
        return self.at


def parse_report(data: Mapping[str, Any], name: str) -> MatchReport:
    """Return the report of an object of `check --format jsonl`."""
    findings = list[Finding]()
    for one in data["findings"]:
        # edits follow the message
        edits = [one["edit"]] if one["edit"] else one["candidates"]
        message = " ".join([one["message"], *(f"→ {to_escaped_json(edit)}" for edit in edits)])
        remaining = {key: one[key] for key in _FINDING_FIELDS}
        findings.append(ServerFinding(**remaining, text=message, at=one["place"], searched=one["searched"]))
    return MatchReport(name, data["line"], data["log_id"], "", data["status"], findings)


def _parse_file_report(data: Mapping[str, Any], name: str) -> FileReport:
    """Return the report of an object of `ingest --format jsonl`, for a file of this computer."""
    related = [
        RelatedMatch(
            *(one["line"], one["log_id"], one["match_id"]),
            Duplicate(
                *(Relation(one["relation"]), one["other_id"], tuple(one["differences"])),
                decision=OnConflict(one["decision"]),
                deals=tuple(one["deals"]),
                log_counts=one["log_counts"],
            ),
            None,
        )
        for one in data["related"]
    ]
    sheets = Counter[str](data["score_sheets"])
    return FileReport(
        name,
        added=data["added"] + sum(data["stored_with_findings"].values()),
        duplicates=data["already_stored"],
        repeated=data["repeated"],
        relations=Counter({Relation(one): n for one, n in data["relations"].items()}),
        not_added=Counter(one.duplicate.relation for one in related if not one.duplicate.is_added),
        related=related,
        replaced=data["replaced"],
        merges_undone=data["merges_undone"],
        rejected=data["rejected"],
        sheets=sheets,
        number=-1 if data["file_no"] is None else data["file_no"],
        by_status=sheets + Counter({"legal": data["added"] - sheets.total(), **data["stored_with_findings"]}),
        reports=[parse_report(match, name) for match in data["rejected_texts"]],
    )


class ServerRefused(CommandError):
    """A server refused a request; `problem` is its answer."""

    def __init__(self, problem: Mapping[str, Any], text: str, **values: Any) -> None:
        super().__init__(text, **values)
        self.problem = problem


class ServerClient:
    """A client of a Retourne server, in the user's language; a context manager.

    `store`: the path that a server on this computer serves; its messages then name no server.
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
            raise CommandError(INVALID_URL, url=url)
        self.url, self._t, self._store = url, t, store
        if store is None:
            foreign_servers.append(url)
        self.unanswered: str | None = None
        """Name of a file sent whole, while the server has not answered whether it is stored."""
        headers = {"Accept-Language": t.language, "User-Agent": program_version()}
        if token and not (token.isascii() and token.isprintable() and token == token.strip()):
            raise CommandError(INVALID_TOKEN)  # httpx's own error would print it
        self._unsent = {"Authorization": f"Bearer {token}"} if token else {}
        self._is_recognized = False
        path = address.path.rstrip("/").removesuffix(API_PATH)
        base = address.copy_with(path=f"{path}{API_PATH}", query=None, fragment=None)
        proxied = store is None  # no proxy leads to this computer
        how: dict[str, Any] = {"headers": headers, "trust_env": proxied}
        self._client = httpx.Client(base_url=base, timeout=patience or REQUEST_TIMEOUT, **how)

    @classmethod
    def running_for(cls, store: Path, t: Translate) -> "ServerClient | None":
        """Return the client of this user's server that has a store open, or None if there is none.

        CommandError: it does not answer, has another version, or its file cannot be trusted.
        """
        until = time.monotonic() + SERVER_START_SECONDS
        other, file = server_hosts.server_file_path(store), None
        while (there := server_hosts.read_server_file(store)) is not None:
            file = there
            with ExitStack() as closing:
                server = closing.enter_context(cls(file.url, file.key, t, store))
                server._accept()
                try:
                    found = server._client.get("/commands")
                except httpx.HTTPError:  # it is starting, or was killed
                    if time.monotonic() > until or not file.is_alive:
                        break
                    time.sleep(0.1)
                    continue
                if not found.is_success:  # another program listens there now
                    break
                if file.version != program_version():
                    raise CommandError(SERVER_VERSION_DIFFERS, path=store)
                closing.pop_all()
                return server
        if file is not None:
            raise CommandError(SERVER_NOT_ANSWERING, path=store)
        if lexists(other):
            raise CommandError(KEY_FILE_NOT_PRIVATE, path=store, other=other)
        return None

    def _accept(self) -> None:
        """Send the token from now on."""
        self._client.headers.update(self._unsent)
        self._is_recognized = True

    def _recognize(self) -> None:
        """Check without the token that this is a Retourne API. CommandError: it is not.

        A server that requires a token is recognized by the problem that it answers.
        """
        try:
            found = self._client.get("/commands")
            values = found.json()
        except httpx.HTTPError as error:
            raise self._connection_error(self._error_reason(error), SERVER_UNREACHABLE) from None
        except ValueError:
            raise self._not_a_retourne() from None
        kind = found.headers.get("content-type", "")
        member = "version" if found.is_success else "title" if kind == PROBLEM_TYPE else ""
        if not isinstance(values, dict) or member not in values:
            raise self._not_a_retourne()
        if found.status_code in (404, 421):
            raise self._refusal_from(values)
        self._accept()

    def _not_a_retourne(self) -> CommandError:
        return CommandError(NOT_A_RETOURNE_SERVER, url=self.url)

    @contextmanager
    def _expecting(self) -> Iterator[None]:
        """Read an answer within. CommandError: it is not shaped as Retourne's are."""
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise self._not_a_retourne() from error

    def __enter__(self) -> "ServerClient":
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def run_operation(
        self, operation: Operation, progress: ProgressCallback = ignore_progress, /, **given: Any
    ) -> OperationResult:
        """Return the result of an operation of the store. CommandError: it failed."""
        body, kind = json.dumps(given).encode(), {"Content-Type": "application/json"}
        return self._post_operation(operation, progress, content=lambda: body, headers=kind)

    def _post_operation(
        self, operation: Operation, progress: ProgressCallback, **how: Any
    ) -> OperationResult:
        """Return an operation's result, the last line; the lines before report progress."""
        address = f"/commands/{address_of(operation)}"
        with self._expecting(), self.request("POST", address, **how) as answer:
            if not answer.headers["content-type"].startswith(LINES):
                return self._json_object(b"".join(self._iter_body(answer)))
            for item in self._json_lines(answer):
                if "problem" in item:
                    raise self._refusal_from(item["problem"])
                if "result" in item:
                    return dict(item["result"])
                progress(item)
        raise self._connection_error(N_("nothing more came"))

    def called(self) -> Path:
        """Return the name of the served store's file; without folders, safe as a local name."""
        name = Path(str(self.get_json("/commands").get("store", ""))).name
        return Path(name if name.isprintable() and name.strip(".") else DEFAULT_STORE_NAME)

    def download_backup(self, progress: ProgressCallback, target: Path) -> bytes:
        """Write a backup to `target`, and return the SHA-256 that the server sent."""
        plain = {"Accept-Encoding": "identity"}
        with self._expecting(), self.request("POST", "/commands/backup", headers=plain) as answer:
            total, done = int(answer.headers["content-length"]), 0
            with target.open("wb") as file:
                for block in self._iter_body(answer):
                    done += file.write(block)
                    progress({"done": done, "total": total})
            return b64decode(answer.headers["repr-digest"].split(":")[1])

    def upload_backup(self, file: Path, progress: ProgressCallback) -> OperationResult:
        """Replace the served store with a backup. CommandError, StoreError: it failed."""
        check_backup_path(file, self._store)
        with ExitStack() as until:
            part = file
            if not wal.is_wal_empty(file):  # its content belongs to the backup
                part = until.enter_context(temporary_folder()) / file.name
                for one, other in ((file, part), (wal.wal_path(file), wal.wal_path(part))):
                    copyfile(one, other)
                with show_path_as(part, file):
                    Store(part).close()
            return self.upload_store(restore, part, progress, name=str(file))

    def upload_store(
        self, operation: Operation, file: Path, progress: ProgressCallback, **query: str
    ) -> OperationResult:
        """Return the result of an operation that takes a store's file."""
        with file.open("rb") as opened:
            return self._post_operation(operation, progress, params=query, **_upload_body(opened))

    def get_json(self, path: str, /, **query: Any) -> dict[str, Any]:
        """Return the JSON object at a path. CommandError: it is none."""
        with self.request("GET", path, params=query) as answer:
            return self._json_object(b"".join(self._iter_body(answer)))

    def read_log(self, match_ref: str) -> bytes:
        """Return a match exactly as it was stored. CommandError: the store has no such id."""
        try:
            with self.request("GET", f"/matches/{quote(match_ref, safe='')}/log") as answer:
                return b"".join(self._iter_body(answer))
        except ServerRefused as error:
            if error.problem.get("status") not in (404, 410):
                raise
            # an id with a slash does not fit in a path: search for it
            found = self.get_json("/matches", log_id=match_ref)["matches"] if "/" in match_ref else []
            if len(found) != 1:
                raise self._refusal_from(
                    {**error.problem, "detail": self._t(UNKNOWN_MATCH, id=match_ref)}
                ) from None
            return self.read_log(found[0]["match_id"])

    def write_export(
        self, name: str, file: IO[bytes], anonymous: bool, keep_fields: Collection[KeepField]
    ) -> None:
        """Write a table, or the logs, to `file`; on a terminal, control characters are escaped."""
        query = {"anonymous": anonymous or None, "keep_fields": [*map(str, keep_fields)]}
        with self.request("GET", f"/exports/{name}", params=query) as answer:
            blocks = self._iter_body(answer)
            if file is not sys.stdout.buffer or not sys.stdout.isatty():
                file.writelines(blocks)
                return
            safe = escape_lines if name.endswith(".csv") else escape_json_lines
            file.write(safe(b"".join(blocks).decode()).encode())

    def list_matches(self) -> list[list[Any]]:
        """Return the rows of `export --list`, in the order in which the matches were added."""
        found: list[list[Any]] = []
        values: dict[str, Any] = {"next": ""}
        while values["next"] is not None:
            query = {"sort": "added", "limit": MATCHES_PER_PAGE, "cursor": values["next"]}
            with self._expecting():
                values = {"matches": None, "next": None, **self.get_json("/matches", **query)}
                for one in values["matches"]:
                    about = [one[key] for key in ("match_id", "log_id", "played_on", "status", "game")]
                    found.append([*about, [player["name"] for player in one["players"]] or None])
        return found[::-1]

    def ingest_files(
        self, sources: Sequence[Source], progress: Progress, on_conflict: OnConflict = OnConflict.KEEP
    ) -> Iterator[FileReport]:
        """Send files to be stored; yield a report each. CommandError: the server refuses.

        The server gets one file at a time, so that duplicates across files are counted here.
        """
        seen = set[str]()
        for source in sources:
            name, ids = source_name(source), set[str]() if len(sources) > 1 else None
            try:
                result = self._stored(name, source, progress, ids, on_conflict)
            except ServerRefused as error:
                if error.problem.get("status") != UNPROCESSABLE:
                    raise
                result = error.problem.get("report")
            except OSError as error:
                yield FileReport(name, rejected=1, reports=[unreadable_report(error, name)])
                continue
            self.unanswered = None
            with self._expecting():
                [report] = [_parse_file_report(one, name) for one in result["files"]]
            if ids is not None:
                report.repeated += len(ids & seen)
                seen |= ids
            yield report

    def _stored(
        self, name: str, source: Source, on_progress: Progress, ids: set[str] | None, on_conflict: OnConflict
    ) -> Any:
        """Send a file to be stored, and return the answer; the upload is half of the progress.

        `ids` gets the ids of all its matches.
        """
        sent = count = 0

        def half(name: str, done: int) -> None:
            nonlocal sent
            sent = done
            on_progress(name, (sent + count) // 2)

        answered: dict[str, Any] = {}
        query = {"on_conflict": str(on_conflict)} | ({} if ids is None else {"ids": "true"})
        for answered in self._upload_file("/logs", name, source, half, {"Accept": LINES}, query):
            if "problem" in answered:
                raise self._refusal_from(answered["problem"])
            with self._expecting():
                count = int(answered.get("done", count))
                if ids is not None:
                    ids.update(answered.get("ids", ()))
            on_progress(name, (sent + count) // 2)
        return answered.get("result", answered)

    def check_files(
        self, sources: Sequence[Source], progress: Progress
    ) -> Iterator[tuple[MatchReport, dict[str, Any] | None]]:
        """Send files to be checked; yield each match's report and the object it was parsed from."""
        for source in sources:
            name = source_name(source)
            try:
                for item in self._upload_file("/check", name, source, progress):
                    with self._expecting():
                        report = parse_report(item, item["file"])
                    yield report, item
            except OSError as error:
                yield unreadable_report(error, name), None

    def _upload_file(
        self,
        path: str,
        name: str,
        source: Source,
        progress: Progress,
        headers: Mapping[str, str] = MappingProxyType({}),
        query: Mapping[str, str] = MappingProxyType({}),
    ) -> Iterator[Any]:
        """Send a file; yield the objects of the answer. OSError: it cannot be read."""
        with open_rewindable(source) as file:
            size = file.seek(0, 2)

            def sent(done: int) -> None:
                self.unanswered = name if done == size else None
                progress(name, done)

            body = _upload_body(file, sent)
            body["headers"] |= headers
            with self.request("POST", path, params={"name": name, **query}, **body) as answer:
                yield from self._json_lines(answer)

    def _json_lines(self, answer: httpx.Response) -> Iterator[dict[str, Any]]:
        """Yield the JSON objects of an answer, one per line. CommandError: a line is not an object."""
        left = b""
        for block in self._iter_body(answer):
            *lines, left = (left + block).split(b"\n")
            yield from map(self._json_object, lines)
        if left:
            yield self._json_object(left)

    def _json_object(self, line: bytes) -> dict[str, Any]:
        values = None
        with suppress(ValueError):
            values = json.loads(line)
        if not isinstance(values, dict):
            raise self._not_a_retourne()
        return values

    def _iter_body(self, answer: httpx.Response) -> Iterator[bytes]:
        try:
            for block in answer.iter_bytes():
                check_cancelled()
                yield block
        except httpx.HTTPError as error:
            raise self._connection_error(self._error_reason(error)) from None

    def _connection_error(self, reason: str, text: str = CONNECTION_LOST) -> CommandError:
        if self._store is not None:
            return CommandError(SERVER_ENDED, path=self._store)
        return CommandError(text, url=self.url, reason=reason)

    @contextmanager
    def request(
        self,
        method: str,
        path: str,
        content: Callable[[], Any] = lambda: None,
        params: Mapping[str, Any] = MappingProxyType({}),
        headers: Mapping[str, str] | None = None,
    ) -> Iterator[httpx.Response]:
        """Send a request; yields the open response. CommandError: refused, or no connection."""
        values = {name: value for name, value in params.items() if value not in (None, "", [], ())}
        how: dict[str, Any] = {"params": values, "headers": headers}
        if not self._is_recognized:
            self._recognize()
        with ExitStack() as until:
            for left in reversed(range(MAX_TRIES)):
                check_cancelled()
                try:
                    stream = self._client.stream(method, path, content=content(), **how)
                    found = until.enter_context(stream)
                    if found.is_success:
                        break
                    busy = found.status_code == 429 and "www-authenticate" not in found.headers
                    if not busy or not left:  # with www-authenticate: too many wrong tokens
                        raise self._refusal_from(json.loads(found.read()))
                    self.unanswered = None
                except httpx.HTTPError as error:
                    raise self._connection_error(self._error_reason(error), SERVER_UNREACHABLE) from None
                except ValueError:
                    raise self._refusal_from({}) from None
                # the pause that the server requests
                requested = found.headers.get("Retry-After", "")
                until.close()
                pause = min(int(requested) if requested.isdigit() else 1, MAX_RETRY_SECONDS)
                if pause >= ANNOUNCED_PAUSE:
                    print_notice(self._t(BUSY, url=self.url, n=pause))
                again = time.monotonic() + pause
                while (wait := again - time.monotonic()) > 0:
                    check_cancelled()
                    time.sleep(min(wait, 0.2))
            yield found

    def _error_reason(self, error: Exception) -> str:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        result = getattr(cause, "strerror", None) or str(cause) or type(error).__name__
        return translate_reason(self._t, str(result)).rstrip(".")

    def _refusal_from(self, problem: Any) -> "ServerRefused":
        """Return the error for a problem that the server answered."""
        if not isinstance(problem, dict) or "title" not in problem:
            return ServerRefused({}, NOT_A_RETOURNE_SERVER, url=self.url)
        self.unanswered = None
        message = str(problem.get("detail") or problem["title"])
        if problem.get("errors"):
            message += " " + " ".join(f"{one['where']}: {one['detail']}" for one in problem["errors"])
        if self._store is not None:
            return ServerRefused(problem, "{message}", message=message)
        return ServerRefused(
            problem, N_("The server {url} answered: {message}"), url=self.url, message=message
        )


def _upload_body(file: IO[bytes], advance: Advance = lambda done: None) -> dict[str, Any]:
    """Return the request arguments that send a file; a retry starts from its beginning."""

    def blocks() -> Iterator[bytes]:
        done = file.seek(0)
        while block := file.read(CHUNK_BYTES):
            check_cancelled()
            done += len(block)
            advance(done)  # before it is sent: if interrupted now, whether it arrived is unknown
            yield block

    size = str(file.seek(0, 2))
    headers = {"Content-Type": "application/octet-stream", "Content-Length": size}
    return {"content": blocks, "headers": headers}


@contextmanager
def open_rewindable(source: Source) -> Iterator[IO[bytes]]:
    """Open a source so that it can be sent again. OSError: it cannot be read."""
    with ExitStack() as until:
        came = source[1] if isinstance(source, tuple) else until.enter_context(opened_file(source))
        file: IO[bytes] = came
        if isinstance(source, tuple) or not came.seekable():
            file = until.enter_context(TemporaryFile())
            while block := came.read(CHUNK_BYTES):
                file.write(block)
        yield file


def unreadable_report(error: OSError, name: str) -> MatchReport:
    """Return the report of a file that cannot be read, as local checks report it."""
    return report_of_trouble(ReadError(name, 1, "cannot-read", error.strerror or str(error)))
