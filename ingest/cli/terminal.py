"""What every command shares: the language, plain text from logs, progress, how a command ends."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from io import FileIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from engine import RULES_VERSION
from ingest.i18n import LANGUAGES, N_, Translate, terminal_language, translator
from ingest.store.address import address
from ingest.store.errors import DEFAULT
from ingest.text.did_you_mean import did_you_mean

if TYPE_CHECKING:
    from engine.games import Game
    from ingest.cli.console import Screen

LEGAL, FOUND, CANNOT = 0, 1, 2
"""Exit codes: nothing wrong; something against the rules; the command cannot do its work."""
INTERRUPTED, BROKEN_PIPE = 130, 141


class Language(StrEnum):
    """The languages texts are said in."""

    FR = "fr"
    EN = "en"


# Every command takes it so that it may stand anywhere; `language_in` is who reads it, before
# the help is built, and the texts travel as the context's `obj`.
Lang = Annotated[
    Language | None,
    typer.Option("--lang", help=N_("Language of the texts; the terminal’s if absent.")),
]


def _store(help: str) -> Any:
    return typer.Option(
        "--store", envvar="RETOURNE_STORE", metavar=N_("PATH"), help=help, parser=address
    )


StorePath = Annotated[Path, _store(N_("The store: the database file, or the address of a lake."))]
FilePath = Annotated[
    Path, _store(N_("The store: the database file. A lake is backed up by other means."))
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help=N_("Say only what was found, not how it went."))
]
NOT_BOTH = N_("--quiet and --verbose are the contrary of each other: give one of them.")
DEFAULT_STORE = Path(DEFAULT)


class Stop(Exception):
    """The command cannot go on: a text of the catalogue, or a sentence already said."""

    def __init__(self, text: str, **values: Any) -> None:
        super().__init__(text)
        self.text, self.values = text, values

    def say(self, t: Translate) -> str:
        return t(self.text, **self.values)


class Mistyped(Stop):
    """A word of a command line that is none of those known."""

    def __init__(self, text: str, word: str, among: Iterable[str], /, **values: Any) -> None:
        super().__init__(text, **values)
        self.word, self.among = word, sorted(among)

    def say(self, t: Translate) -> str:
        return did_you_mean(t, super().say(t), self.word, self.among)


def one_of(quiet: bool, verbose: bool) -> None:
    """Stop where both are asked for."""
    if quiet and verbose:
        raise Stop(NOT_BOTH)


def language_in(args: Sequence[str]) -> Translate:
    """The texts in the language a command line asks for, before it is parsed."""
    chosen = None
    for place, word in enumerate(args):
        if word == "--lang" and place + 1 < len(args):
            chosen = args[place + 1]
        elif word.startswith("--lang="):
            chosen = word.removeprefix("--lang=")
    return translator(chosen if chosen in LANGUAGES else terminal_language())


def console(stderr: bool = False) -> "Screen":
    """A console on today's standard streams, which reads no markup and paints no numbers."""
    from ingest.cli.console import Screen

    made = Screen(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)
    made.on_broken_pipe = _told  # type: ignore[method-assign]  # Rich would end the process
    return made


def _told() -> None:
    """BrokenPipeError: the one being handled, for who ends the command."""
    raise


def complain(t: Translate, text: str, **values: Any) -> None:
    """One sentence on standard error."""
    from rich.text import Text

    from ingest.text.signs import plain

    line = Text(t("Error: "), style="bold red").append(
        plain(t(text, **values)), style="not bold default"
    )
    console(stderr=True).print(line)


def remark(sentence: str) -> None:
    """One sentence on standard error, said already, of what does not stop the command."""
    from rich.text import Text

    from ingest.text.signs import plain

    console(stderr=True).print(Text(plain(sentence), style="yellow"))


COMPILING_READER = N_(
    "Files are read by compiled code, made now, once for this machine: some 10 seconds."
)
COMPILING_SOLVER = N_(
    "Deals are solved by compiled code, made now, once for this machine: some 10 seconds."
)
COMPILING_SAMPLER = N_(
    "Deals are played on by compiled code, made now, once for this machine: some seconds."
)
COMPILING_PLAYERS = N_(
    "Matches are played by compiled code, made now, once for this machine: some seconds."
)


def _compiling(t: Translate, sentence: str, is_ready: Callable[[], bool]) -> None:
    """Say on a terminal that code is compiled first, where that is still to be done."""
    if console(stderr=True).is_terminal and not is_ready():
        remark(t(sentence))


def compiling_reader(t: Translate) -> None:
    """Say so before the first file that is read in bulk."""

    def is_ready() -> bool:
        from engine.compiled import is_compiled
        from ingest.judge.scan import scan_deals

        return is_compiled(scan_deals)

    _compiling(t, COMPILING_READER, is_ready)


def compiling_solvers(t: Translate, games: "Iterable[Game]") -> None:
    """Say so before deals of these games are solved."""
    solvers = [one.solver for one in games if one.solver is not None]
    _compiling(t, COMPILING_SOLVER, lambda: all(one.ready() for one in solvers))


def compiling_sampler(t: Translate, game: "Game") -> None:
    """Say so before deals of a game are played on: its solver is part of it."""
    sampler, solver = game.sampler, game.solver
    if sampler is not None:
        _compiling(
            t, COMPILING_SAMPLER, lambda: sampler.ready() and (solver is None or solver.ready())
        )


def compiling_players(t: Translate, game: "Game") -> None:
    """Say so before whole matches of a game are played."""
    from engine.compiled import is_compiled

    _compiling(t, COMPILING_PLAYERS, lambda: is_compiled(game.bots.play_match))


YES, NO = {"y", "yes", "o", "oui"}, {"", "n", "no", "non"}
"""Answers in either language; nothing is no."""


def confirm(question: str, t: Translate) -> bool:
    """Whether whoever sits there says yes; asked on standard error until it is an answer."""
    while True:
        print(question, t("[y/N]:"), end=" ", file=sys.stderr, flush=True)
        word = sys.stdin.readline()
        answer = word.strip().casefold()
        if answer in YES:
            return True
        if answer in NO:
            return False


def interrupted(t: Translate) -> int:
    """Say that Ctrl-C ended the command; its exit code."""
    print(t("Interrupted: what was not finished was left out."), file=sys.stderr)
    return INTERRUPTED


def leave(code: int) -> NoReturn:
    """End the command with an exit code."""
    raise typer.Exit(code)


Advance = Callable[[int], None]


@contextmanager
def progress(
    t: Translate, label: str, total: int, octets: bool = False, quiet: bool = False
) -> Iterator[Advance]:
    """A bar on standard error, only where it is a terminal; the context hears how much is done."""
    shown = console(stderr=True)
    if quiet or not shown.is_read or shown.is_dumb_terminal:
        yield lambda done: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    from ingest.text.signs import plain

    columns = [TextColumn("{task.description}", markup=False), BarColumn()]
    columns += [TaskProgressColumn()] if octets else [MofNCompleteColumn()] if total else []
    bar = Progress(
        *columns,
        TimeRemainingColumn(),
        console=shown,
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    )
    with bar:
        task = bar.add_task(plain(t(label)), total=total or None)
        yield lambda done: bar.update(task, completed=done)


class Bar:
    """A bar for what an operation tells of itself; it is drawn once that says how much there is."""

    label = ""

    def __init__(self, t: Translate, quiet: bool = False, octets: bool = False) -> None:
        self._t, self._quiet, self._octets = t, quiet, octets
        self._until = ExitStack()
        self._drawn: tuple[str, Advance] | None = None

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *error: Any) -> None:
        self._until.close()

    def __call__(self, told: Mapping[str, Any]) -> None:
        """Hear how much is `done` of a `total`."""
        label = told.get("label", self.label)
        if self._drawn is None or self._drawn[0] != label:
            self._until.close()
            drawn = progress(self._t, label, told["total"], self._octets, self._quiet)
            self._drawn = label, self._until.enter_context(drawn)
        self._drawn[1](told["done"])


class Reading:
    """How far some files have been read, from the bytes of the one being read."""

    def __init__(self, sizes: Mapping[str, int], advance: Advance) -> None:
        self.sizes, self.advance = sizes, advance
        self.done: dict[str, int] = {}

    def __call__(self, name: str, count: int) -> None:
        self.done[name] = min(count, self.sizes.get(name, count))
        self.advance(sum(self.done.values()))


def forgiving() -> None:
    """Let an output that cannot write ♠ write an escape instead of failing.

    One that the shell has closed fails when it is written to, and its number is no other file's.
    """
    if sys.stdout is None:
        # nothing waits in it to be written, so its end is no second failure
        refusing = FileIO(os.open(os.devnull, os.O_RDONLY), "w")
        sys.stdout = TextIOWrapper(refusing, "utf-8", write_through=True)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def installed_version() -> str | None:
    """The version that is installed, if any is."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("retourne")
    except PackageNotFoundError:
        return None


def program_version() -> str:
    """The version that is installed, and the version of the rules it checks by."""
    return f"retourne {installed_version() or '(not installed)'}, rules {RULES_VERSION}"
