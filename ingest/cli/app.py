"""The commands together: help in the user's language, and how every run ends."""

import gc
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import typer
from typer.main import get_command
from typer.models import OptionInfo

from engine.games import floors, names, title
from ingest import program_version
from ingest.cli import complete
from ingest.cli import terminal as cli
from ingest.cli.commands import COMMANDS, GROUPS, function_of, plugins
from ingest.cli.help import HelpfulCommand, HelpfulGroup, usage_sentence
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


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(program_version())
        cli.leave(0)


def _root(
    version: bool = typer.Option(
        *(False, "--version", "-V"),
        help=N_("Show the version of the program and of its rules."),
        callback=_show_version,
        is_eager=True,
    ),
    lang: cli.Lang = None,
) -> None:
    """Options before the command; `--lang` is read from the whole line by `language_in`."""


def _under(lang: cli.Lang = None) -> None:
    """A group of one command stays a group; it takes `--lang` as all do."""


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
    groups, values = {"": app}, {"": dict[str, str]()}
    for name, group in GROUPS.items():
        game = next((title(one) for one in names() if group.about(floors(one))), None)
        if game is not None:  # else it is about a kind of game there is none of
            values[name] = {"game": game}
            groups[name] = typer.Typer(name=name, help=t(group.help, game=game), cls=HelpfulGroup)
            groups[name].callback()(_under)
            app.add_typer(groups[name])
    commands = {name: (t, one) for name, one in COMMANDS.items()}
    others = {}
    if not words or words[0] not in {name.partition(" ")[0] for name in COMMANDS}:
        others = {
            name: (translator(t.language, package), one)
            for name, (package, one) in plugins().items()
        }
    for name, (texts, command) in (commands | others).items():
        group_name, _, own = name.rpartition(" ")
        if group_name not in groups:
            continue
        said = texts(command.help, **values[group_name])
        add = groups[group_name].command(
            name=own,
            cls=HelpfulCommand,
            help=said,
            short_help=said.partition("\n")[0],
            epilog="\n".join(command.examples),
        )
        if words is None or own in words:
            function = getattr(import_module(command.module), function_of(name))
            add(_with_shared_options(function, texts))
        else:  # it is only listed
            add(lambda: None)
    tree: Any = get_command(app)
    _translate(tree, t)
    for name, (texts, _) in others.items():
        _translate(tree.commands[name], texts)
    return tree


def _with_shared_options(function: Callable[..., None], t: Translate) -> Callable[..., None]:
    """A command as Typer takes it: for the `Run` it is called with stand the options of that.

    An option of its own is called as its parameter is.
    """
    parameters = inspect.signature(function, eval_str=True).parameters
    taking, run = next(iter(parameters.items()))
    if not (inspect.isclass(run.annotation) and issubclass(run.annotation, cli.Run)):
        return function
    shared = [*inspect.signature(run.annotation).parameters.values()][1:]
    shared.sort(key=lambda one: one.name == "lang")
    own = [one for name, one in parameters.items() if name != taking]
    for one in own:
        if isinstance(one.default, OptionInfo):
            named = one.default.param_decls or ()
            if not any(name.startswith("--") for name in named):
                long = f"--{one.name.strip('_').replace('_', '-')}"
                one.default.param_decls = (long, *named)

    def call(**given: Any) -> None:
        options = {one.name: given.pop(one.name) for one in shared}
        try:
            function(run.annotation(t, **options), **given)
        except cli.Stop as stop:  # in the words of the package it is from
            raise cli.Stop("{sentence}", sentence=stop.say(t)) from None

    keyword = inspect.Parameter.KEYWORD_ONLY
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one.replace(kind=keyword) for one in (*own, *shared)]
    )
    return call


def _translate(command: Any, t: Translate) -> None:
    """Say the options of a command, and of those under it, in the language of `t`."""
    helping = command.get_help_option(typer.Context(command, help_option_names=HELP_OPTION))
    for parameter in (*command.params, helping):
        for name in ("help", "metavar", "rich_help_panel"):  # what of it people read
            if told := getattr(parameter, name, None):
                setattr(parameter, name, t(told))
    for inner in getattr(command, "commands", {}).values():
        _translate(inner, t)


def run(args: Sequence[str]) -> int:
    """Run one command line of this process; its exit code."""
    words = [word for word in args if not word.startswith("-") and word not in LANGUAGES]
    if words[:1] == ["help"]:  # another way to ask for it
        args = [*(word for word in args if word != "help"), "--help"]
    elif not args or (len(words) == 1 and words[0] in GROUPS):
        args = [*args, "--help"]
    t = cli.language_in(args)
    listeners[:] = [lambda said: cli.remark(said.say(t))]
    return answered(args, t)


def answered(args: Sequence[str], t: Translate) -> int:
    """Do what a command line says; its exit code. Whatever goes wrong is one sentence."""
    try:
        tree = build(t, args)
        try:  # not Typer's own `main`, which ends the process in its own ways
            with tree.make_context("retourne", list(args), obj=t) as context:
                tree.invoke(context)
            code = 0
        except typer.Exit as ended:
            code = ended.exit_code
        sys.stdout.flush()
        return code
    except (cli.Stop, StoreError) as stop:
        cli.complain(t, "{sentence}", sentence=stop.say(t))
    except KeyboardInterrupt:
        return cli.interrupted(t)
    except BrokenPipeError:
        # what is still buffered has nowhere to go when Python closes its streams
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return cli.BROKEN_PIPE
    except OSError as error:
        from ingest.finding.system import reason

        said = reason(t, error)
        sentence = N_("{path}: {reason}.") if error.filename else N_("It cannot be done: {reason}.")
        cli.complain(t, sentence, reason=said, path=error.filename)
    except typer.TyperException as error:
        cli.complain(t, "{sentence}", sentence=usage_sentence(t, error))
    return cli.CANNOT


def offer() -> None:
    """Typer's own answer to a shell, about the line it has in its environment."""
    t = translator(terminal_language())
    typed = (os.environ.get(name, "") for name in ("COMP_WORDS", "_TYPER_COMPLETE_ARGS"))
    words = " ".join(typed).split()[1:]
    build(t, words).main([], prog_name="retourne", obj=t)


def main() -> None:
    """Run the command line of this process."""
    gc.set_threshold(100_000)  # what is imported stays: looking for garbage in it is a tenth
    cli.forgiving()
    if complete.VARIABLE in os.environ:
        sys.exit(complete.answered(offer))
    sys.exit(run(sys.argv[1:]))
