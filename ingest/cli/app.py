"""The commands together: help in the user's language, and how every run ends."""

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

from engine.games import floors, names, title
from ingest.cli import complete
from ingest.cli.commands import COMMANDS, GROUPS, Command, Group, Plugin, function_of, plugins
from ingest.cli.help import HelpfulCommand, HelpfulGroup, usage_sentence
from ingest.cli.terminal import (
    BROKEN_PIPE,
    CANNOT,
    Lang,
    Stop,
    complain,
    forgiving,
    interrupted,
    language_in,
    leave,
    program_version,
    remark,
)
from ingest.i18n import (
    LANGUAGES,
    N_,
    Translate,
    games_of,
    terminal_language,
    translator,
)
from ingest.store.errors import StoreError, listeners

ABOUT = N_(
    "Check, store and replay recorded games of {games}.\n\n"
    "`retourne COMMAND --help` shows a command’s examples. "
    "Exit codes: 0 all well, 1 something against the rules, 2 the command could not be done."
)
HELP_OPTION = ["-h", "--help"]
OPTIONS_OF_TYPER = (
    N_("Install completion for the current shell."),
    N_("Show completion for the current shell, to copy it or customize the installation."),
    N_("Show this message and exit."),
)

SAID = ("help", "metavar", "rich_help_panel")
"""What of a parameter people read."""
TYPED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""Where a shell says what has been typed when it asks how that may go on."""


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(program_version())
        leave(0)


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            callback=_show_version,
            is_eager=True,
            help=N_("Show the version of the program and of its rules."),
        ),
    ] = False,
    lang: Lang = None,
) -> None:
    """Options before the command; `--lang` is read from the whole line by `language_in`."""


def build(t: Translate, words: Sequence[str] | None = None) -> Any:
    """The command tree with its help in the language of `t`.

    Of a command no word names, only what the list of commands says is there, and its module is
    not imported; without words all are whole.
    """
    app = typer.Typer(
        name="retourne",
        help=t(ABOUT, games=games_of([title(name) for name in names()], t)),
        cls=HelpfulGroup,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": HELP_OPTION},
    )
    app.callback()(_root)
    for name, command in COMMANDS.items():
        _add(app, t, name, command, words)
    others = plugins() if _others_asked(words) else ()
    for other in others:
        _add(app, _texts_of(other, t), other.name, other.command, words)
    for name, group in GROUPS.items():
        if (inner := _group(t, name, group, words)) is not None:
            app.add_typer(inner)
    tree: Any = get_command(app)
    _translate(tree, t)
    for other in others:
        _translate(tree.commands[other.name], _texts_of(other, t))
    return tree


def _group(
    t: Translate, name: str, group: Group, words: Sequence[str] | None
) -> typer.Typer | None:
    """The commands under a word; None: they are about a kind of game there is none of."""
    values = dict[str, str]()
    if group.about is not None:
        game = next((title(one) for one in names() if group.about(floors(one))), None)
        if game is None:
            return None
        values["game"] = game
    inner = typer.Typer(name=name, help=t(group.help, **values), cls=HelpfulGroup)
    inner.callback()(_under)
    for inner_name, command in group.commands.items():
        _add(inner, t, inner_name, command, words, **values)
    return inner


def _others_asked(words: Sequence[str] | None) -> bool:
    """Whether a line may mean a command of another package: it begins with none of our own."""
    return not words or not (words[0] in COMMANDS or words[0] in GROUPS)


def _texts_of(other: Plugin, t: Translate) -> Translate:
    return translator(t.language, other.package)


def _nothing() -> None:
    """A command that is only listed does nothing."""


def _under(lang: Lang = None) -> None:
    """A group of one command stays a group; it takes `--lang` as all do."""


def _add(
    app: typer.Typer,
    t: Translate,
    name: str,
    command: Command,
    words: Sequence[str] | None,
    **values: str,
) -> None:
    """Give an app a command, whole if a word names it, else for the list alone.

    `values` fill the holes of its help.
    """
    told = t(command.help, **values)
    first = told.split("\n", 1)[0]
    if words is not None and name not in words:
        app.command(name=name, cls=HelpfulCommand, help=told, short_help=first)(_nothing)
        return
    examples = "\n".join(command.examples)
    add = app.command(name=name, cls=HelpfulCommand, help=told, short_help=first, epilog=examples)
    add(getattr(import_module(command.module), function_of(name)))


def _translate(command: Any, t: Translate) -> None:
    """Say the options of a command, and of those under it, in the language of `t`."""
    helping = command.get_help_option(typer.Context(command, help_option_names=HELP_OPTION))
    for parameter in (*command.params, helping):
        for name in SAID:
            if told := getattr(parameter, name, None):
                setattr(parameter, name, t(told))
    for inner in getattr(command, "commands", {}).values():
        _translate(inner, t)


def _call(tree: Any, words: list[str], t: Translate) -> int:
    """Parse and do; not by Typer's own `main`, which ends the process in its own ways."""
    try:
        with tree.make_context("retourne", words, obj=t) as context:
            tree.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    return 0


def _asked(args: Sequence[str]) -> list[str]:
    """A line that asks for help in another way, or a group alone, as it is asked with --help."""
    words = [word for word in args if not word.startswith("-") and word not in LANGUAGES]
    if words[:1] == ["help"]:
        return [*(word for word in args if word != "help"), "--help"]
    alone = not args or (len(words) == 1 and words[0] in GROUPS)
    return [*args, "--help"] if alone else list(args)


def run(args: Sequence[str]) -> int:
    """Run one command line of this process; its exit code."""
    args = _asked(args)
    t = language_in(args)
    listeners[:] = [lambda said: remark(said.say(t))]
    return answered(args, t)


def answered(args: Sequence[str], t: Translate) -> int:
    """Do what a command line says; its exit code. Whatever goes wrong is one sentence."""
    try:
        code = _call(build(t, args), list(args), t)
        sys.stdout.flush()
        return code
    except Stop as stop:
        complain(t, "{sentence}", sentence=stop.say(t))
    except StoreError as error:
        complain(t, "{sentence}", sentence=error.say(t))
    except KeyboardInterrupt:
        return interrupted(t)
    except BrokenPipeError:
        # what is still buffered has nowhere to go when Python closes its streams
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        from ingest.finding.system import reason

        said = reason(t, error)
        sentence = N_("{path}: {reason}.") if error.filename else N_("It cannot be done: {reason}.")
        complain(t, sentence, reason=said, path=error.filename)
    except typer.TyperException as error:
        complain(t, "{sentence}", sentence=usage_sentence(t, error))
    return CANNOT


def offer() -> None:
    """Typer's own answer to a shell, about the line it has in its environment."""
    t = translator(terminal_language())
    build(t, _typed()[1:]).main([], prog_name="retourne", obj=t)


def _typed() -> list[str]:
    """The words of a line that a shell wants completed."""
    return [word for name in TYPED for word in os.environ.get(name, "").split()]


def main() -> None:
    """Run the command line of this process."""
    gc.set_threshold(100_000)  # what is imported stays: looking for garbage in it is a tenth
    forgiving()
    if complete.VARIABLE in os.environ:
        sys.exit(complete.answered(offer))
    sys.exit(run(sys.argv[1:]))
