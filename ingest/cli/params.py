"""Arguments and options shared by several commands."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from enum import EnumType, StrEnum
from itertools import chain
from os.path import exists, isdir, isfile
from pathlib import Path
from typing import IO, Annotated, Any, NamedTuple

import typer

from engine.games import game_names
from engine.options import UnknownRule, game_options, game_presets
from ingest.cli import common, terminal_tables
from ingest.distributed.cluster import Cluster, connect
from ingest.escaping import to_escaped_json
from ingest.i18n import N_, Translate, format_count
from ingest.reader.file_type import SPREADSHEET_SUFFIXES, is_duckdb
from ingest.reader.object_storage import S3Object, is_object_address, list_objects
from ingest.reader.sources import LOG_SUFFIXES, Source, files_in_folder, logs_in_folder, sources_named
from ingest.reader.sources import source_name as source_name
from ingest.store.match_comparison import OnConflict
from ingest.store.outputs import Kind, check, is_open_already
from ingest.store.temporary_files import output_mode, temporary_sibling

STDIN = "-"
NO_SUCH_DEAL = N_("The match has no deal number {n}; it has {count}.")
Settings = Annotated[
    list[str] | None,
    common.shared_option(N_("Check with one option changed; may be repeated."), N_("OPTION=VALUE"), "--set"),
]
CronQuiet = Annotated[
    bool, common.shared_option(N_("Print nothing on success (for cron)."), None, "--quiet", "-q")
]
Files = Annotated[
    list[str],
    typer.Argument(
        metavar=N_("FILES…"),
        help=N_(
            "Files (.json, .jsonl, .gz, .zst, .zip), folders, addresses (s3://…), or - for standard input."
        ),
        show_default=False,
    ),
]
SHEETS_SKIPPED = N_("Spreadsheets in the folder, not read here: {n}. `retourne import` reads them.")
NO_FILE_IN_FOLDER = N_("The folder {path} has no file whose name ends in {endings}.")
Output = Annotated[
    Path | None,
    common.shared_option(N_("Write to this file instead of the terminal."), N_("FILE"), "--output", "-o"),
]
Force = Annotated[
    bool,
    common.shared_option(
        N_("Replace the output file even if it has another format (never a store)."), None, "--force"
    ),
]
NO_FOLDER = N_("No folder {path} to write to.")
Format = StrEnum("Format", {"TEXT": "text", "JSONL": "jsonl"})
"""Output format of findings."""
FormatOption = Annotated[
    Format, common.shared_option(N_("text for people; jsonl: one JSON object a line."), None, "--format")
]
INVALID_TIME = N_("{at} is neither a day nor a time. Write a day as 2026-11-23, a time as 2026-11-23T18:30.")
AT_IS_READ_ONLY = N_("{option} writes to the store, but earlier states are read-only: remove --at.")
AsOfOption = Annotated[
    str | None,
    common.shared_option(
        N_("For a lake: its state at the end of that day, or at that time."), N_("DAY|TIME"), "--at"
    ),
]
UNKNOWN_OPTION = N_("No such option: {found}. Known: {known}.")
INVALID_VALUE = N_("{what} cannot be {found}. Possible: {known}.")
OPTION_NOT_OF_RULES = N_("These rules have no option {found}. Known: {known}.")
UNKNOWN_PRESET = N_("No such preset: {found}. Known: {known}.")
ServerUrl = Annotated[
    str | None, common.shared_option(N_("Ask the store that is served there, by HTTP."), "URL", "--server")
]
Token = Annotated[
    str | None,
    common.shared_option(
        N_("For a server: the token from its administrator."), "TOKEN", "--token", envvar="RETOURNE_TOKEN"
    ),
]
Scheduler = Annotated[
    str | None,
    common.shared_option(
        N_("Have it done by Dask: local:8 for processes of this machine, or tcp://HOST:PORT."),
        N_("ADDRESS"),
        "--scheduler",
    ),
]


OnConflictOption = Annotated[
    OnConflict | None,
    common.shared_option(
        N_(
            "If the store has the match, but not quite the same: keep the stored one, "
            "replace it, or store both. Default: keep. If the plays differ, Retourne asks in a terminal."
        ),
        None,
        "--on-conflict",
    ),
]


def parse_sources(words: Sequence[str], suffixes: Sequence[str] = LOG_SUFFIXES) -> list[Source]:
    """Return the sources that words name, in order; a missing one is reported when it is read.

    Folders are read for files with one of the suffixes. CommandError: none exists, a lone folder has
    no such file, or standard input is closed. StorageError: a lone address has no object.
    """
    found: list[Source] = []
    for word in words:
        if word == STDIN:
            if sys.stdin is None:
                raise common.CommandError(N_("Standard input is closed."))
            found.append((STDIN, sys.stdin.buffer))
        elif is_object_address(word):
            found += list_objects(word) if len(words) == 1 else sources_named(word)
        elif isdir(word):
            is_of_logs = suffixes == LOG_SUFFIXES
            files = logs_in_folder(Path(word)) if is_of_logs else files_in_folder(Path(word), suffixes)
            if not files and len(words) == 1:
                raise common.CommandError(NO_FILE_IN_FOLDER, path=word, endings=", ".join(suffixes))
            found += files or [Path(word, "*" + suffixes[0])]  # reported as missing when read
        else:
            earlier: list[Source] = []
            if is_duckdb(word):  # may be a store of a prerelease
                from ingest.store.export import prerelease_logs  # imported only if needed

                earlier = [*prerelease_logs(word)]
            found += earlier or [Path(word)]
    if not any(word == STDIN or is_object_address(word) or exists(word) for word in words):
        raise common.CommandError(N_("No such file: {path}"), path=words[0])
    return found


def print_sheets_skipped(t: Translate, words: Sequence[str]) -> None:
    """Print how many spreadsheets are in folders among `words`: only their logs are read."""
    files = chain.from_iterable(Path(word).rglob("*") for word in words if isdir(word))
    if n := sum(path.suffix.lower() in SPREADSHEET_SUFFIXES for path in files):
        common.print_notice(t(SHEETS_SKIPPED, n=format_count(n, t)))


def source_sizes(sources: Sequence[Source]) -> dict[str, int]:
    """Return the size in bytes of each file on disk or object, by the name in reports."""
    files = [path for path in sources if isinstance(path, Path) and isfile(path)]
    there = {str(one): one.size for one in sources if isinstance(one, S3Object)}
    return there | {str(path): path.stat().st_size for path in files}


@contextmanager
def reading_progress(
    t: Translate, label: str, sources: Sequence[Source], quiet: bool
) -> Iterator[Callable[[str, int], None]]:
    """Show a bar of the bytes read; yields a callback that takes a file's name and bytes read."""
    size, done = source_sizes(sources), dict[str, int]()
    with common.progress_bar(t, label, sum(size.values()), is_bytes=True, quiet=quiet) as advance:

        def on_progress(name: str, count: int) -> None:
            done[name] = min(count, size.get(name, count))
            advance(sum(done.values()))

        yield on_progress


class Place(NamedTuple):
    """The file that a command writes, checked by `place`; None: standard output."""

    path: Path | None


def place(output: Path | None, kind: Kind, force: bool, store: Path | None = None) -> Place:
    """Check an output path before any work. CommandError, StoreError: it cannot be written."""
    if output is not None:
        if output.is_dir():
            raise common.CommandError(N_("{path} is a folder: name a file."), path=output)
        if not output.parent.is_dir():
            raise common.CommandError(NO_FOLDER, path=output.parent)
        check(output, kind, force, store)
    return Place(output)


@contextmanager
def open_output(place: Place, is_binary: bool = False) -> Iterator[IO[bytes]]:
    """Open an output for writing. A file is replaced as a whole, once all is written.

    `is_binary`: if nothing is written, an existing file stays.
    """
    if (output := place.path) is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if is_open_already(output) or (output.exists() and not output.is_file()):  # or a device or a pipe
        with output.open("ab") as file:
            yield file
        return
    output = output.resolve()  # a link stays one
    with temporary_sibling(output) as part:
        with part.open("wb") as file:
            yield file
        if not is_binary or part.stat().st_size or not output.exists():
            part.chmod(output_mode())
            os.replace(part, output)


def write_json_lines(objects: Iterable[Mapping[str, Any]]) -> None:
    """Write objects to standard output as JSON lines; control characters are escaped."""
    for one in objects:
        sys.stdout.write(to_escaped_json(one) + "\n")


def parse_time(text: str | None) -> datetime | None:
    """Parse a time, or a day as its last moment, local by default. CommandError: invalid."""
    if text is None:
        return None
    try:
        if len(text) <= len("2026-11-23"):
            after = datetime.combine(date.fromisoformat(text) + timedelta(days=1), time.min)
            return after.astimezone(UTC) - timedelta(microseconds=1)
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise common.CommandError(INVALID_TIME, at=text) from None


def check_as_of(as_of: str | None, server: str | None, **writing: bool) -> None:
    """Raise CommandError if `--at` is combined with a server or an option that writes."""
    if as_of is None:
        return
    if server is not None:
        raise common.CommandError(
            N_("--at needs the address of a lake, and cannot be combined with --server.")
        )
    for option, requested in writing.items():
        if requested:
            raise common.CommandError(AT_IS_READ_ONLY, option=f"--{option}")


class _RegistryEnum(EnumType):
    """An enumeration whose members are the installed games, read again at each iteration."""

    def __iter__(cls) -> Iterator[Any]:
        return iter(game_names())


class GameName(StrEnum, metaclass=_RegistryEnum):
    """A game's name on the command line; commands get a plain string."""


def check_preset(name: str | None) -> None:
    """Check that a game has such a preset. CommandError: none has."""
    known = [preset for game in game_names() for preset in game_presets(game)]
    if name is not None and name not in known:
        raise common.UnknownWordError(UNKNOWN_PRESET, name, known, found=name, known=", ".join(known))


def parse_rule_options(preset: str | None, words: Sequence[str]) -> dict[str, Any]:
    """Return the options of `--set` with a preset. CommandError: unknown option or value."""
    from ingest.validate.what_if import games_with, parse_option

    check_preset(preset)
    every = sorted({option.name for game in game_names() for option in game_options(game)})
    chosen = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise common.CommandError(
                N_("--set takes OPTION=VALUE, such as quinte=100, not {found}."), found=word
            )
        if name not in every:
            raise common.UnknownWordError(UNKNOWN_OPTION, name, every, found=name, known=", ".join(every))
        chosen[name] = parse_option(value)
    try:
        games_with(preset, chosen)
    except UnknownRule as error:
        known, found = ", ".join(error.known), str(error.found)
        if error.subject == "option":
            raise common.CommandError(OPTION_NOT_OF_RULES, found=found, known=known) from None
        raise common.CommandError(INVALID_VALUE, what=error.subject, found=found, known=known) from None
    return chosen


def reject_options(**options: object) -> None:
    """Raise CommandError if an option is set that a server would ignore."""
    for option, is_set in options.items():
        if is_set:
            named = option.strip("_").replace("_", "-")
            raise common.CommandError(common.NOT_WITH_SERVER, option=f"--{named}")


@contextmanager
def connect_cluster(t: Translate, address: str, quiet: bool) -> Iterator[Cluster]:
    """Connect to the cluster at an address. ClusterError: no connection, or it was lost."""
    with connect(address) as cluster:
        if not quiet and terminal_tables.console(stderr=True).is_terminal:
            common.print_notice(t("Dask’s dashboard: {address}", address=cluster.dashboard))
        yield cluster


def print_set_aside(t: Translate, parts: Sequence[str]) -> None:
    """Print on standard error the parts that no worker survived."""
    for part in parts:
        common.print_notice(t("Set aside: {part}", part=part))
