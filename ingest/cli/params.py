"""Arguments and options of commands: those that several take, and what each of them comes to."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from enum import EnumType, StrEnum
from os.path import exists, isdir, isfile
from pathlib import Path
from typing import IO, Annotated, Any, NamedTuple

import typer

from engine.games import names
from engine.options import UnknownRule, options, presets
from ingest.cli.common import Mistyped, Stop, console, progress, remark, shared
from ingest.distributed.cluster import Cluster, joined
from ingest.i18n import N_, Translate
from ingest.reader.escaping import as_json
from ingest.reader.file_type import is_duckdb
from ingest.reader.object_storage import S3Object, is_object, objects
from ingest.reader.sources import LOGS, Source, logs_in, named
from ingest.reader.sources import name_of as name_of
from ingest.store.outputs import Kind, check

STDIN = "-"
NO_SUCH_DEAL = N_("The match has no deal number {n}; it has {count}.")
Settings = Annotated[
    list[str] | None,
    shared(N_("Check with one option changed; may be repeated."), N_("OPTION=VALUE"), "--set"),
]
CronQuiet = Annotated[
    bool, shared(N_("Say nothing when it is done, as cron likes it."), None, "--quiet", "-q")
]
Files = Annotated[
    list[str],
    typer.Argument(
        metavar=N_("FILES…"),
        help=N_(
            "Files (.json, .jsonl, .gz, .zst, .zip), folders, addresses (s3://…), or - for "
            "standard input."
        ),
        show_default=False,
    ),
]
NO_LOGS = N_("The folder {path} has no file whose name ends in {endings}.")
Output = Annotated[
    Path | None,
    shared(N_("Write to this file instead of the terminal."), N_("FILE"), "--output", "-o"),
]
Force = Annotated[
    bool, shared(N_("Write over a file of another kind; over a store never."), None, "--force")
]
NO_FOLDER = N_("There is no folder {path} to write to.")
Format = StrEnum("Format", {"TEXT": "text", "JSONL": "jsonl"})
"""How a command writes what it found."""
AsFormat = Annotated[
    Format, shared(N_("text for people; jsonl: one JSON object a line."), None, "--format")
]
NO_MOMENT = N_("{at} is no day and no time: a day is written 2026-11-23, a time 2026-11-23T18:30.")
AS_IT_IS = N_("{option} writes to the store, and what it was is only read: leave out --at.")
At = Annotated[
    str | None,
    shared(
        N_("Of a lake: what it was at the end of that day, or at that time."),
        N_("DAY|TIME"),
        "--at",
    ),
]
NO_OPTION = N_("No such option: {found}. Known: {known}.")
NO_VALUE = N_("{what} cannot be {found}. Possible: {known}.")
NOT_THESE_RULES = N_("These rules have no option {found}. Known: {known}.")
NO_PRESET = N_("No such preset: {found}. Known: {known}.")
ServerUrl = Annotated[
    str | None, shared(N_("Ask the store that is served there, by HTTP."), "URL", "--server")
]
Token = Annotated[
    str | None,
    shared(
        N_("With --server: what the admin of that store gave you."),
        "TOKEN",
        "--token",
        envvar="RETOURNE_TOKEN",
    ),
]
NOT_WITH = N_("{option} does not go with --server.")
Scheduler = Annotated[
    str | None,
    shared(
        N_("Have it done by Dask: local:8 for processes of this machine, or tcp://HOST:PORT."),
        N_("ADDRESS"),
        "--scheduler",
    ),
]


def sources(words: Sequence[str]) -> list[Source]:
    """What the words of a command line name, in their order; one that is not there is told as read.

    Stop: none of them is there, the only one has no log, or standard input is closed. StorageError:
    the only one is an address where nothing is.
    """
    found: list[Source] = []
    for word in words:
        if word == STDIN:
            if sys.stdin is None:
                raise Stop(N_("Standard input is closed."))
            found.append((STDIN, sys.stdin.buffer))
        elif is_object(word):
            found += objects(word) if len(words) == 1 else named(word)
        elif isdir(word):
            logs = logs_in(Path(word))
            if not logs and len(words) == 1:
                raise Stop(NO_LOGS, path=word, endings=", ".join(LOGS))
            found += logs or [Path(word, "*" + LOGS[0])]  # told as what is not there
        else:
            earlier: list[Source] = []
            if is_duckdb(word):  # perhaps a store that an earlier development version made
                from ingest.store.export import earlier_logs  # loaded where it is needed

                earlier = [*earlier_logs(word)]
            found += earlier or [Path(word)]
    if not any(word == STDIN or is_object(word) or exists(word) for word in words):
        raise Stop(N_("There is no file {path}."), path=words[0])
    return found


def sizes(found: Sequence[Source]) -> dict[str, int]:
    """Bytes of each file on disk or object, by the name it is reported under."""
    files = [path for path in found if isinstance(path, Path) and isfile(path)]
    there = {str(one): one.size for one in found if isinstance(one, S3Object)}
    return there | {str(path): path.stat().st_size for path in files}


@contextmanager
def reading(
    t: Translate, label: str, found: Sequence[Source], quiet: bool
) -> Iterator[Callable[[str, int], None]]:
    """A bar of how far some files have been read, from the bytes of the one being read."""
    size, done = sizes(found), dict[str, int]()
    with progress(t, label, sum(size.values()), octets=True, quiet=quiet) as advance:

        def hear(name: str, count: int) -> None:
            done[name] = min(count, size.get(name, count))
            advance(sum(done.values()))

        yield hear


class Place(NamedTuple):
    """Where a command writes, once `place` has seen that it may; None: on the terminal."""

    path: Path | None


def place(output: Path | None, kind: Kind, force: bool, store: Path | None = None) -> Place:
    """Fail before any work is done. Stop, StoreError: there is no such place, or it is taken."""
    if output is not None:
        if output.is_dir():
            raise Stop(N_("{path} is a folder: name a file."), path=output)
        if not output.parent.is_dir():
            raise Stop(NO_FOLDER, path=output.parent)
        check(output, kind, force, store)
    return Place(output)


@contextmanager
def written(place: Place, kept: bool = False) -> Iterator[IO[bytes]]:
    """A stream to write to. A file appears when all of it is written, and replaces the old one.

    `kept`: where nothing is written the old one stays as it is.
    """
    if (output := place.path) is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if output.exists() and not output.is_file():  # a device or a pipe
        with output.open("wb") as file:
            yield file
        return
    part = output.with_name(f"{output.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        if not kept or part.stat().st_size or not output.exists():
            os.replace(part, output)
    finally:
        part.unlink(missing_ok=True)


def write(objects: Iterable[Mapping[str, Any]]) -> None:
    """Write objects to standard output; no text in them steers the terminal."""
    for one in objects:
        sys.stdout.write(as_json(one) + "\n")


def moment(text: str | None) -> datetime | None:
    """A time, or the last moment of a day: here, unless it names another place. Stop: no such."""
    if text is None:
        return None
    try:
        if len(text) <= len("2026-11-23"):
            after = datetime.combine(date.fromisoformat(text) + timedelta(days=1), time.min)
            return after.astimezone(UTC) - timedelta(microseconds=1)
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Stop(NO_MOMENT, at=text) from None


def check_read(at: str | None, server: str | None, **writing: bool) -> None:
    """Stop: `--at` with what asks a server, or with an option that writes."""
    if at is None:
        return
    if server is not None:
        raise Stop(N_("--at goes with the address of a lake, and not with --server."))
    for option, asked in writing.items():
        if asked:
            raise Stop(AS_IT_IS, option=f"--{option}")


class _Registered(EnumType):
    """An enumeration whose members are asked for anew, so that none is left out or kept."""

    def __iter__(cls) -> Iterator[Any]:
        return iter(names())


class GameName(StrEnum, metaclass=_Registered):
    """A game's name on the command line; what a command is given is the plain word."""


def check_preset(name: str | None) -> None:
    """Stop: no game has such a preset."""
    known = [preset for game in names() for preset in presets(game)]
    if name is not None and name not in known:
        raise Mistyped(NO_PRESET, name, known, found=name, known=", ".join(known))


def rules_asked(preset: str | None, words: Sequence[str]) -> dict[str, Any]:
    """The options of `--set` beside a preset. Stop: no game has such rules, or such a value."""
    from ingest.validate.what_if import games_of, option_value

    check_preset(preset)
    every = sorted({option.name for game in names() for option in options(game)})
    chosen = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise Stop(N_("--set takes OPTION=VALUE, such as quinte=100, not {found}."), found=word)
        if name not in every:
            raise Mistyped(NO_OPTION, name, every, found=name, known=", ".join(every))
        chosen[name] = option_value(value)
    try:
        games_of(preset, chosen)
    except UnknownRule as error:
        known, found = ", ".join(error.known), str(error.found)
        if error.what == "option":
            raise Stop(NOT_THESE_RULES, found=found, known=known) from None
        raise Stop(NO_VALUE, what=error.what, found=found, known=known) from None
    return chosen


def refuse(**options: object) -> None:
    """Stop where an option is set that would be passed over in silence."""
    for option, is_set in options.items():
        if is_set:
            raise Stop(NOT_WITH, option=f"--{option.strip('_').replace('_', '-')}")


@contextmanager
def cluster_of(t: Translate, address: str, quiet: bool) -> Iterator[Cluster]:
    """The cluster of an address while this lasts. ClusterError: it cannot be asked, or is gone."""
    with joined(address) as cluster:
        if not quiet and console(stderr=True).is_terminal:
            remark(t("Dask’s dashboard: {address}", address=cluster.dashboard))
        yield cluster


def tell_set_aside(t: Translate, parts: Sequence[str]) -> None:
    """Name on standard error what no worker survived."""
    for part in parts:
        remark(t("Set aside: {part}", part=part))
