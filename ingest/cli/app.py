"""The commands together: help in the user's language, and how every run ends.

The help Typer brings names types of Python, cuts long names on a narrow terminal and is in English;
so are its errors, whose classes it keeps to itself: they are told by their names.
"""

import gc
import inspect
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import typer
from rich.text import Text
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.main import get_command
from typer.models import OptionInfo

from engine import program_version
from engine.games import floors, title
from engine.games import names as games
from ingest.cli import common as cli
from ingest.cli import shell_completion
from ingest.cli.commands import COMMANDS, GROUPS, function_of, plugins
from ingest.cli.params import NOT_WITH
from ingest.i18n import LANGUAGES, N_, Translate, games_of, terminal_language, translator
from ingest.reader.did_you_mean import did_you_mean, meant
from ingest.reader.escaping import plain
from ingest.store.errors import StoreError, listeners

USAGE = N_("Usage:")
OPTIONS = "[OPTIONS]"
"""The same in both languages."""
COMMAND = N_("COMMAND …")
OF_ARGUMENTS, OF_OPTIONS, OF_COMMANDS = N_("Arguments:"), N_("Options:"), N_("Commands:")
DEFAULT, VARIABLE = N_("[default: {value}]"), N_("[else ${name}]")
REQUIRED, RANGE = N_("[required]"), N_("[{low} to {high}]")
WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""
INDENT = "  "
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


class _Helpful:
    """What has such a help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        write_help(self, ctx)


class HelpfulCommand(_Helpful, TyperCommand):
    """A command with such a help."""


class HelpfulGroup(_Helpful, TyperGroup):
    """Commands under a word, with such a help."""


def write_help(command: Any, ctx: Any) -> None:
    """Write the help of a command; its own texts are in the reader's language already."""
    t: Translate = ctx.obj
    out = cli.console()
    width = min(out.width, WIDEST)
    arguments = [one for one in command.params if isinstance(one, TyperArgument)]
    options = [one for one in command.get_params(ctx) if one not in arguments and not one.hidden]
    usage = [OPTIONS, *(_called(one) if one.required else f"[{_called(one)}]" for one in arguments)]
    # lists of names and what they are for, each with its heading; none is empty
    sections = [(t(OF_ARGUMENTS), [(_called(one), _about(one, t)) for one in arguments])]
    panels = dict.fromkeys(one.rich_help_panel for one in options)
    for panel in sorted(panels, key=lambda panel: panel is None):  # the others stand last
        some = list[tuple[str, Text]]()
        for one in options:
            if one.rich_help_panel != panel:
                continue
            # `-o, --output FILE`, the long ones below each other
            short = [name for name in one.opts if not name.startswith("--")]
            long = [name for name in one.opts if name.startswith("--")]
            name = ", ".join([*short, *long]) if short else "    " + ", ".join(long)
            if not one.is_flag:
                name += f" {one.metavar or '|'.join(_choices(one)) or _called(one)}"
            some.append((name, _about(one, t)))
        sections.append((panel or t(OF_OPTIONS), some))
    if isinstance(command, TyperGroup):
        usage.append(t(COMMAND))
        found = command.commands.values()
        told = [(str(one.name), _coded(one.short_help or one.help or "")) for one in found]
        sections.append((t(OF_COMMANDS), told))
    words = f" {ctx.command_path} {' '.join(usage)}"
    for line in cli.folded(Text.assemble((t(USAGE), "bold"), words), width, "", " " * 6):
        out.print(line)
    for paragraph in (command.help or "").split("\n\n"):
        out.print()
        for line in cli.folded(_coded(cli.one_line(paragraph)), width):
            out.print(line)
    for heading, entries in sections if arguments else sections[1:]:
        out.print()
        out.print(Text(heading, style="bold"))
        rows = [(Text(name, style="cyan"), about) for name, about in entries]
        for line in cli.in_columns(rows, width, INDENT):
            out.print(line)
    if command.epilog:
        out.print()
        out.print(Text(t("Examples:"), style="bold"))
        for example in command.epilog.split("\n"):
            *lines, last = cli.folded(Text(example), width - 2, INDENT, 3 * INDENT)
            for line in lines:
                out.print(line.append(" \\"))  # so that a shell takes all of them together
            out.print(last)


def _called(parameter: Any) -> str:
    """What stands for the value of an argument or an option."""
    return str(parameter.metavar or parameter.name.upper())


def _choices(parameter: Any) -> list[str]:
    """The words a parameter may be, if there are only some."""
    found = parameter.type_descriptor.choices or ()
    return [str(getattr(one, "value", one)) for one in found]


def _about(parameter: Any, t: Translate) -> Text:
    """What a parameter is for, what it may be, and what it is where nobody says it."""
    notes = list[str]()
    if None not in (parameter.min, parameter.max):
        notes.append(t(RANGE, low=parameter.min, high=parameter.max))
    if getattr(parameter, "envvar", None):
        notes.append(t(VARIABLE, name=parameter.envvar))
    value = parameter.default
    if value not in (None, False, [], ()) and not callable(value) and parameter.show_default:
        notes.append(t(DEFAULT, value=getattr(value, "value", value)))
    if parameter.required and not isinstance(parameter, TyperArgument):
        notes.append(t(REQUIRED))
    about = _coded(parameter.help or "")
    if parameter.metavar and (known := _choices(parameter)):
        about.append(f" [{', '.join(known)}]", style="dim")
    for note in notes:
        about.append(" " + note.replace(" ", "\u00a0"), style="dim")
    return about


def _coded(text: str) -> Text:
    """A text with what stands between backquotes set off."""
    parts = enumerate(text.split("`"))
    return Text.assemble(*((part, "bold" if place % 2 else "") for place, part in parts))


def usage_sentence(t: Translate, error: Any) -> str:
    """One sentence for an error of the command line, with where to read more."""
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    command = context.command_path if context is not None else "retourne"
    name, message = type(error).__name__, str(getattr(error, "message", ""))
    what = ""
    if parameter is not None:  # an option by its long name, an argument as in the help
        options = [option for option in parameter.opts if option.startswith("-")]
        what = max(options, key=len) if options else _called(parameter).rstrip("….")
    if name == "NoSuchOption":
        said = t("No such option: {option}.", option=error.option_name)
        said = meant(t, said, error.possibilities or ())
    elif name == "MissingParameter" and what:
        missing = N_("Missing option: {what}."), N_("Missing argument: {what}.")
        said = t(missing[not what.startswith("-")], what=what)
    elif name == "BadOptionUsage":
        unwanted = N_("The option {option} takes no value.")
        needed = N_("The option {option} needs one value.")
        said = t(unwanted if "not take" in message else needed, option=error.option_name)
    elif name == "BadParameter" and what:
        kind = getattr(parameter, "type_descriptor", None)
        told = getattr(kind, "parameter_info", None)
        low, high = getattr(told, "min", None), getattr(told, "max", None)
        if known := _choices(parameter):
            said = t("{what} must be one of {known}.", what=what, known=", ".join(known))
            word = re.sub(r"[^']*'(.*)' is not one of.*", r"\1", message, flags=re.DOTALL)
            said = did_you_mean(t, said, word, known)
        else:
            if low is not None and high is not None:
                text = N_("{what} must be a whole number from {low} to {high}.")
            elif low is not None:
                text = N_("{what} must be a whole number of {low} or more.")
            elif getattr(told, "formats", None):
                text = N_("{what} must be a day written as year, month and day, 2027-06-30.")
            elif getattr(kind, "annotation", None) is int:
                text = N_("{what} must be a whole number.")
            else:
                text = N_("{what}: {message}")
            said = t(text, what=what, low=low, high=high, message=message)
    elif name == "UsageError" and "extra argument" in message:
        said = t("Unexpected argument: {word}.", word=message.rpartition("(")[2].rstrip(")"))
    elif name == "UsageError" and "No such command" in message:
        word = message.split("'")[1] if "'" in message else ""
        names = context.command.commands if context is not None else ()
        said = did_you_mean(t, t("No such command: {word}.", word=word), word, names)
    else:
        said = str(error.format_message())
    return t("{sentence} See {command} --help.", sentence=plain(said), command=command)


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
        help=t(ABOUT, games=games_of([title(name) for name in games()], t)),
        cls=HelpfulGroup,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": HELP_OPTION},
    )
    app.callback()(_root)
    groups, values = {"": app}, {"": dict[str, str]()}
    for name, group in GROUPS.items():
        game = next((title(one) for one in games() if group.about(floors(one))), None)
        if game is not None:  # else it is about a kind of game there is none of
            values[name] = {"game": game}
            groups[name] = typer.Typer(name=name, help=t(group.help, game=game), cls=HelpfulGroup)
            groups[name].callback()(_under)
            app.add_typer(groups[name])
    commands = {name: (t, one) for name, one in COMMANDS.items()}
    ours = words and words[0] in {name.partition(" ")[0] for name in COMMANDS}
    found = () if ours else plugins().items()
    others = {name: (translator(t.language, package), one) for name, (package, one) in found}
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

    def call(typer_context: typer.Context, **given: Any) -> None:
        typed = typer_context.get_parameter_source("store")
        if given.get("server") is not None and typed is not None and typed.name == "COMMANDLINE":
            raise cli.Stop(NOT_WITH, option="--store")
        options = {one.name: given.pop(one.name) for one in shared}
        try:
            function(run.annotation(t, **options), **given)
        except (cli.Stop, StoreError) as stop:  # in the words of the package it is from
            raise cli.Stop("{sentence}", sentence=stop.say(t)) from None

    keyword = inspect.Parameter.KEYWORD_ONLY
    context = inspect.Parameter("typer_context", keyword, annotation=typer.Context)
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one.replace(kind=keyword) for one in (context, *own, *shared)]
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
    except KeyboardInterrupt as stop:
        return cli.interrupted(t, stop)
    except BrokenPipeError:
        # what is still buffered has nowhere to go when Python closes its streams
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return cli.BROKEN_PIPE
    except OSError as error:
        from ingest.findings.os_errors import reason

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
    if shell_completion.VARIABLE in os.environ:
        sys.exit(shell_completion.answered(offer))
    sys.exit(run(sys.argv[1:]))
