"""Shared by all commands: options and environment variables, progress bars, errors, exit codes."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from io import FileIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.text import Text

from ingest.cli.terminal_tables import console
from ingest.escaping import escape_line
from ingest.i18n import LANGUAGES, N_, Translate, terminal_language, translator
from ingest.reader.did_you_mean import did_you_mean
from ingest.store.errors import DEFAULT_STORE_NAME
from ingest.store.store_url import parse_store_url

if TYPE_CHECKING:
    from engine.games import Game

EXIT_OK, EXIT_FINDINGS, EXIT_ERROR = 0, 1, 2
"""Exit codes: nothing wrong; something against the rules; the command failed."""
EXIT_INTERRUPTED, EXIT_BROKEN_PIPE, EXIT_TERMINATED = 130, 141, 143
Language = StrEnum("Language", {one.upper(): one for one in LANGUAGES})  # type: ignore[misc]
NOT_WITH_SERVER = N_("{option} cannot be combined with --server.")
COMPILING_READER = N_("Compiling (first run on this machine only, about 10 seconds)…")
COMPILING_SOLVER = N_("Compiling the solver (first run on this machine only, about 10 seconds)…")
COMPILING_SAMPLER = N_("Compiling (first run on this machine only, a few seconds)…")
COMPILING_PLAYERS = N_("Compiling the simulation (first run on this machine only, a few seconds)…")
YES_ANSWERS, NO_ANSWERS = {"y", "yes", "o", "oui"}, {"", "n", "no", "non"}
"""Answers in either language; an empty one means no."""
Advance = Callable[[int], None]


def shared_option(help: str, metavar: str | None, *names: str, **more: Any) -> Any:
    """Define an option that several commands share."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


# Every command takes `--lang`, so that it may stand anywhere. `language_from_args` reads it before
# the help is built; the texts are passed as the context's `obj`.
Lang = Annotated[
    Language | None, shared_option(N_("Language of the texts (default: the terminal’s)."), None, "--lang")
]


def _store_option(help: str) -> Any:
    return shared_option(help, N_("PATH"), "--store", envvar="RETOURNE_STORE", parser=parse_store_url)


StorePath = Annotated[Path, _store_option(N_("The store: the database file, or the address of a lake."))]
FilePath = Annotated[
    Path, _store_option(N_("The store: the database file. A lake is backed up by other means."))
]
Quiet = Annotated[bool, shared_option(N_("Print only the findings, not the summary."), None, "--quiet", "-q")]
QUIET_AND_VERBOSE = N_("--quiet and --verbose are the contrary of each other: give one of them.")
DEFAULT_STORE = Path(DEFAULT_STORE_NAME)


NOT_A_RETOURNE_SERVER = N_(
    "No Retourne server answers at {url}. Check the address, or start one: retourne serve"
)
foreign_servers = list[str]()
"""URLs given with --server that this run of a command has called."""


class CommandError(Exception):
    """The command cannot continue. `text` is in the catalogue, or translated already."""

    def __init__(self, text: str, **values: Any) -> None:
        super().__init__(text)
        self.text, self.values = text, values

    def message(self, t: Translate) -> str:
        return t(self.text, **self.values)


class UnknownWordError(CommandError):
    """A word of the command line is unknown; the message suggests a similar one."""

    def __init__(self, text: str, word: str, known_words: Iterable[str], /, **values: Any) -> None:
        super().__init__(text, **values)
        self.word, self.known_words = word, sorted(known_words)

    def message(self, t: Translate) -> str:
        return did_you_mean(t, super().message(t), self.word, self.known_words)


def language_from_args(args: Sequence[str]) -> Translate:
    """Return the texts in the language of `--lang`, before the command line is parsed."""
    chosen = None
    for place, word in enumerate(args):
        if word == "--lang" and place + 1 < len(args):
            chosen = args[place + 1]
        elif word.startswith("--lang="):
            chosen = word.removeprefix("--lang=")
    return translator(chosen if chosen in LANGUAGES else terminal_language())


def print_error(t: Translate, text: str, **values: Any) -> None:
    """Print an error as one sentence on standard error."""
    line = Text(t("Error: "), style="bold red")
    console(stderr=True).print(line.append(escape_line(t(text, **values)), style="not bold default"))


def print_notice(sentence: str) -> None:
    """Print a translated sentence on standard error; the command continues."""
    console(stderr=True).print(Text(escape_line(sentence), style="yellow"))


@dataclass
class Run:
    """One run of a command: each field after the first is an option of the command."""

    t: Translate
    lang: Lang = None

    def print(self, text: str, **values: Any) -> None:
        console().print(escape_line(self.t(text, **values)))


@dataclass
class StoreRun(Run):
    """One run of a command that uses a store."""

    store: StorePath = DEFAULT_STORE


def option(
    help: str,
    metavar: str | None = None,
    *names: str,
    default: Any = None,
    complete: Any = None,
    panel: str | None = None,
    **more: Any,
) -> Any:
    """Define an option of one command; its parameter names it if `names` has no long name."""
    more |= {"help": help, "metavar": metavar, "autocompletion": complete}
    return typer.Option(default, *names, rich_help_panel=panel, **more)


def flag(help: str, *names: str, panel: str | None = None) -> Any:
    """Define an option without a value."""
    return typer.Option(False, *names, help=help, rich_help_panel=panel)


def argument(help: str, metavar: str, default: Any = ..., complete: Any = None, **more: Any) -> Any:
    """Define an argument of one command, required unless there is a default."""
    return typer.Argument(default, help=help, metavar=metavar, autocompletion=complete, **more)


def announce_jit(t: Translate, sentence: str, is_ready: Callable[[], bool]) -> None:
    """Print on a terminal that code is compiled first, unless it is compiled already."""
    if console(stderr=True).is_terminal and not is_ready():
        print_notice(t(sentence))


def announce_reader_jit(t: Translate) -> None:
    """Announce compilation before the first file that is read in bulk."""

    def is_ready() -> bool:
        from engine.jit import is_compiled
        from ingest.validate.fast_path.scan import scan_deals

        return is_compiled(scan_deals)

    announce_jit(t, COMPILING_READER, is_ready)


def announce_solver_jit(t: Translate, games: "Iterable[Game]") -> None:
    """Announce compilation before deals of these games are solved."""
    solvers = [one.solver for one in games if one.solver is not None]
    announce_jit(t, COMPILING_SOLVER, lambda: all(one.is_jit_cached() for one in solvers))


def announce_sampler_jit(t: Translate, game: "Game") -> None:
    """Announce compilation before deals of a game are sampled, which uses its solver too."""
    parts = [one for one in (game.sampler, game.solver) if one is not None]
    if game.sampler is not None:
        announce_jit(t, COMPILING_SAMPLER, lambda: all(one.is_jit_cached() for one in parts))


def confirm(question: str, t: Translate) -> bool:
    """Return whether the user answers yes; ask on standard error until the answer is valid."""
    while True:
        print(question, t("[y/N]:"), end=" ", file=sys.stderr, flush=True)
        answer = sys.stdin.readline().strip().casefold()
        if answer in YES_ANSWERS | NO_ANSWERS:
            return answer in YES_ANSWERS


def report_interrupt(t: Translate, stop: BaseException | None = None) -> int:
    """Print that a signal ended the command, and the work done until then, if known; return the exit code."""
    result = stop.args if isinstance(stop, KeyboardInterrupt) else ()
    print(
        *(result or [t("Interrupted. Unfinished files were not stored: run the command again.")]),
        file=sys.stderr,
    )
    return EXIT_INTERRUPTED


def exit_with(code: int) -> NoReturn:
    """Exit the command with a code."""
    raise typer.Exit(code)


@contextmanager
def progress_bar(
    t: Translate, label: str, total: int, is_bytes: bool = False, quiet: bool = False
) -> Iterator[Advance]:
    """Show a progress bar on standard error if it is a terminal; yields its update function."""
    shown = console(stderr=True)
    if quiet or not shown.is_read or shown.is_dumb_terminal:
        yield lambda done: None
        return
    from rich import progress as rich

    columns = [rich.TextColumn("{task.description}", markup=False), rich.BarColumn()]
    columns += [rich.TaskProgressColumn()] if is_bytes else []
    columns += [rich.MofNCompleteColumn()] if total and not is_bytes else []
    columns.append(rich.TimeRemainingColumn())
    above = sys.stdout.isatty()
    with rich.Progress(*columns, console=shown, transient=True, redirect_stdout=above) as bar:
        task = bar.add_task(escape_line(t(label)), total=total or None)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def operation_progress_bar(
    t: Translate, label: str = "", quiet: bool = False, is_bytes: bool = False
) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Show the progress of an operation; yields a callback that takes `done` and `total`."""
    drawn: tuple[str, Advance] | None = None
    with ExitStack() as until:

        def on_progress(event: Mapping[str, Any]) -> None:
            nonlocal drawn
            now = event.get("label", label)
            if drawn is None or drawn[0] != now:
                until.close()
                drawn = now, until.enter_context(progress_bar(t, now, event["total"], is_bytes, quiet))
            drawn[1](event["done"])

        yield on_progress


def escape_unencodable_output() -> None:
    """Make the output escape characters that its encoding lacks, such as ♠, instead of failing.

    If the shell closed standard output, writing fails, and no other file gets its descriptor.
    """
    if sys.stdout is None:
        # unbuffered, so that closing it does not fail a second time
        refusing = FileIO(os.open(os.devnull, os.O_RDONLY), "w")
        sys.stdout = TextIOWrapper(refusing, "utf-8", write_through=True)
    for stream in (sys.stdout, sys.stderr):
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="backslashreplace")


PACKAGES_FOLDER = Path(__file__).parents[2]
"""Folder of the packages, in a checkout and in a wheel."""
# -P ignores a folder named `dashboard` in the working directory. PACKAGES_FOLDER comes last in the
# path, so that nothing in it hides a module of the standard library.
RUN_MODULE_SCRIPT = (
    "import runpy, sys; sys.path.append(sys.argv.pop(1)); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


def module_command(module: str, *words: str) -> list[str]:
    """Return the command line that runs a module of Retourne in a new process."""
    return [sys.executable, "-P", "-c", RUN_MODULE_SCRIPT, str(PACKAGES_FOLDER), module, *words]
