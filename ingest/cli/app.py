"""Builds the command tree, prints help, maps outcomes to exit codes.

Typer's own help names Python types, cuts long names on narrow terminals and is in English only; so
are its errors, whose classes are private: Retourne recognizes them by class name.
"""

import gc
import inspect
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import reduce
from importlib import import_module
from typing import Any

import typer
from rich.text import Text
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.main import get_command
from typer.models import OptionInfo

from engine import RULES_VERSION, installed_version
from engine.games import game_modules, game_title
from engine.games import game_names as games
from ingest.cli import common as cli
from ingest.cli import shell_completion
from ingest.cli.commands import COMMANDS, GROUPS, PANELS, function_name, panel_of, plugin_commands
from ingest.cli.terminal_tables import console, format_columns, to_one_line, wrap_text
from ingest.escaping import escape_line
from ingest.i18n import LANGUAGES, N_, Translate, join_game_titles, terminal_language, translator
from ingest.reader.did_you_mean import did_you_mean, with_suggestions
from ingest.store.errors import StoreError, warning_listeners

OPTIONS_METAVAR = "[OPTIONS]"
"""Not translated: the same in both languages."""
ARGUMENTS_HEADING, OPTIONS_HEADING, COMMANDS_HEADING = (N_("Arguments:"), N_("Options:"), N_("Commands:"))
DEFAULT_NOTE, ENVIRONMENT_NOTE = N_("[default: {value}]"), N_("[else ${name}]")
REQUIRED_NOTE, RANGE_NOTE = N_("[required]"), N_("[{low} to {high}]")
MAX_HELP_CELLS = 100
"""Longer lines are hard to read, however wide the terminal is."""
INDENT = "  "
PROGRAM_HELP = N_(
    "Check, store and replay recorded matches of {games}.\n\n`retourne COMMAND --help` shows a "
    "command’s examples."
)
EXIT_CODES_HELP = N_(
    "Exit codes: 0 all well, 1 faulty, incomplete or unreadable matches, 2 the command failed."
)
HELP_OPTION = ["-h", "--help"]
TYPER_OPTION_TEXTS = (
    N_("Install completion for the current shell."),
    N_("Show completion for the current shell, to copy it or customize the installation."),
    N_("Show this message and exit."),
)


class _HelpMixin:
    """Replaces Typer's help by `write_help`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        write_help(self, ctx)


class HelpfulCommand(_HelpMixin, TyperCommand):
    """A command with Retourne's help."""


class HelpfulGroup(_HelpMixin, TyperGroup):
    """A group of commands with Retourne's help."""


def write_help(command: Any, ctx: Any) -> None:
    """Write the help of a command, whose own texts are translated already."""
    t: Translate = ctx.obj
    out = console()
    width = min(out.width, MAX_HELP_CELLS)
    arguments = [one for one in command.params if isinstance(one, TyperArgument)]
    options = [one for one in command.get_params(ctx) if one not in arguments and not one.hidden]
    usage = [
        OPTIONS_METAVAR,
        *(_metavar_of(one) if one.required else f"[{_metavar_of(one)}]" for one in arguments),
    ]
    # (heading, [(name, description)]); no list is empty
    sections = [(t(ARGUMENTS_HEADING), [(_metavar_of(one), _parameter_help(one, t)) for one in arguments])]
    panels = dict.fromkeys(one.rich_help_panel for one in options)
    for panel in sorted(panels, key=lambda panel: panel is None):  # the others come last
        some = list[tuple[str, Text]]()
        for one in options:
            if one.rich_help_panel != panel:
                continue
            # `-o, --output FILE`: short names first, long ones aligned
            short = [name for name in one.opts if not name.startswith("--")]
            long = [name for name in one.opts if name.startswith("--")]
            name = ", ".join([*short, *long]) if short else "    " + ", ".join(long)
            if not one.is_flag:
                name += f" {one.metavar or '|'.join(_choices(one)) or _metavar_of(one)}"
            some.append((name, _parameter_help(one, t)))
        sections.append((panel or t(OPTIONS_HEADING), some))
    if isinstance(command, TyperGroup):
        usage.append(t("COMMAND …"))
        every: list[Any] = [*command.commands.values()]
        for panel in (COMMANDS_HEADING, *PANELS):
            found = [one for one in every if one.rich_help_panel == panel]
            items = [(str(one.name), _highlight_code(one.short_help or one.help or "")) for one in found]
            if items:
                sections.append((t(panel), items))
    words = f" {ctx.command_path} {' '.join(usage)}"
    for line in wrap_text(Text.assemble((t("Usage:"), "bold"), words), width, "", " " * 6):
        out.print(line)
    for paragraph in (command.help or "").split("\n\n"):
        out.print()
        for line in wrap_text(_highlight_code(to_one_line(paragraph)), width):
            out.print(line)
    for heading, entries in sections if arguments else sections[1:]:
        out.print()
        out.print(Text(heading, style="bold"))
        rows = [(Text(name, style="cyan"), about) for name, about in entries]
        for line in format_columns(rows, width, INDENT):
            out.print(line)
    if command.epilog and isinstance(command, TyperGroup):
        out.print()
        for line in wrap_text(Text(command.epilog), width):
            out.print(line)
    elif command.epilog:
        out.print()
        out.print(Text(t("Examples:"), style="bold"))
        for example in command.epilog.split("\n"):
            *lines, last = wrap_text(Text(example), width - 2, INDENT, 3 * INDENT)
            for line in lines:
                out.print(line.append(" \\"))  # so that a shell joins the lines
            out.print(last)


def _metavar_of(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _choices(parameter: Any) -> list[str]:
    """Return the values that a parameter may have, if they are listed."""
    found = parameter.type_descriptor.choices or ()
    return [str(getattr(one, "value", one)) for one in found]


def _parameter_help(parameter: Any, t: Translate) -> Text:
    """Return a parameter's description with its range, variable and default."""
    notes = list[str]()
    if None not in (parameter.min, parameter.max):
        notes.append(t(RANGE_NOTE, low=parameter.min, high=parameter.max))
    if getattr(parameter, "envvar", None):
        notes.append(t(ENVIRONMENT_NOTE, name=parameter.envvar))
    value = parameter.default
    if value not in (None, False, [], ()) and not callable(value) and parameter.show_default:
        notes.append(t(DEFAULT_NOTE, value=getattr(value, "value", value)))
    if parameter.required and not isinstance(parameter, TyperArgument):
        notes.append(t(REQUIRED_NOTE))
    about = _highlight_code(parameter.help or "")
    if parameter.metavar and (known := _choices(parameter)):
        about.append(f" [{', '.join(known)}]", style="dim")
    for note in notes:
        about.append(" " + note.replace(" ", "\u00a0"), style="dim")
    return about


def _highlight_code(text: str) -> Text:
    parts = enumerate(text.split("`"))
    return Text.assemble(*((part, "bold" if place % 2 else "") for place, part in parts))


def usage_error_text(t: Translate, error: Any) -> str:
    """Return a command-line error as one sentence, with a pointer to the help."""
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    command = context.command_path if context is not None else "retourne"
    name, message = type(error).__name__, str(getattr(error, "message", ""))
    what = ""
    if parameter is not None:  # an option by its long name, an argument as in the help
        options = [option for option in parameter.opts if option.startswith("-")]
        what = max(options, key=len) if options else _metavar_of(parameter).rstrip("….")
    if name == "NoSuchOption":
        words = t("No such option: {option}.", option=error.option_name)
        words = with_suggestions(t, words, error.possibilities or ())
    elif name == "MissingParameter" and what:
        missing = N_("Missing option: {what}."), N_("Missing argument: {what}.")
        words = t(missing[not what.startswith("-")], what=what)
    elif name == "BadOptionUsage":
        unwanted = N_("The option {option} takes no value.")
        needed = N_("The option {option} needs one value.")
        words = t(unwanted if "not take" in message else needed, option=error.option_name)
    elif name == "BadParameter" and what:
        kind = getattr(parameter, "type_descriptor", None)
        result = getattr(kind, "parameter_info", None)
        low, high = getattr(result, "min", None), getattr(result, "max", None)
        if known := _choices(parameter):
            words = t("{what} must be one of {known}.", what=what, known=", ".join(known))
            word = re.sub(r"[^']*'(.*)' is not one of.*", r"\1", message, flags=re.DOTALL)
            words = did_you_mean(t, words, word, known)
        else:
            if low is not None and high is not None:
                text = N_("{what} must be a whole number from {low} to {high}.")
            elif low is not None:
                text = N_("{what} must be a whole number of {low} or more.")
            elif getattr(result, "formats", None):
                text = N_("{what} must be a day written as year, month and day, 2027-06-30.")
            elif getattr(kind, "annotation", None) is int:
                text = N_("{what} must be a whole number.")
            else:
                text = N_("{what}: {message}")
            words = t(text, what=what, low=low, high=high, message=message)
    elif name == "UsageError" and "extra argument" in message:
        words = t("Unexpected argument: {word}.", word=message.rpartition("(")[2].rstrip(")"))
    elif name == "UsageError" and "No such command" in message:
        word = message.split("'")[1] if "'" in message else ""
        names = context.command.commands if context is not None else ()
        words = did_you_mean(t, t("No such command: {word}.", word=word), word, names)
    else:
        words = str(error.format_message())
    return t("{sentence} See {command} --help.", sentence=escape_line(words), command=command)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"retourne {installed_version() or '(not installed)'} (rules version {RULES_VERSION})")
        cli.exit_with(0)


def _root_callback(
    version: bool = typer.Option(
        *(False, "--version", "-V"),
        help=N_("Show the version of the program and of its rules."),
        callback=_show_version,
        is_eager=True,
    ),
    lang: cli.Lang = None,
) -> None:
    """Take the options before a command; `language_from_args` has read `--lang`."""


def _group_callback(lang: cli.Lang = None) -> None:
    """Make Typer treat one command as a group; it takes `--lang` as all do."""


def build_app(t: Translate, command_words: Sequence[str] | None = None) -> Any:
    """Build the command tree, with help in the language of `t`.

    Commands that `command_words` do not name get only the line of the list of commands, and their
    modules are not imported; without `command_words` all are complete.
    """
    app = typer.Typer(
        name="retourne",
        help=t(PROGRAM_HELP, games=join_game_titles([game_title(name) for name in games()], t)),
        epilog=t(EXIT_CODES_HELP),
        cls=HelpfulGroup,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": HELP_OPTION},
    )
    app.callback()(_root_callback)
    groups, values = {"": app}, {"": dict[str, str]()}
    for name, group in GROUPS.items():
        game = next((game_title(one) for one in games() if group.is_about_game(game_modules(one))), None)
        if game is not None:  # else no installed game is of this kind
            values[name] = {"game": game}
            groups[name] = typer.Typer(name=name, help=t(group.help, game=game), cls=HelpfulGroup)
            groups[name].callback()(_group_callback)
            app.add_typer(groups[name], rich_help_panel=panel_of(name))
    commands = {name: (t, one) for name, one in COMMANDS.items()}
    ours = command_words and command_words[0] in {name.partition(" ")[0] for name in COMMANDS}
    found = () if ours else plugin_commands().items()
    others = {name: (translator(t.language, package), one) for name, (package, one) in found}
    for name, (texts, command) in (commands | others).items():
        group_name, _, own = name.rpartition(" ")
        if group_name not in groups:
            continue
        result = texts(command.help, **values[group_name])
        add = groups[group_name].command(
            name=own,
            cls=HelpfulCommand,
            help=result,
            short_help=result.partition("\n")[0],
            epilog="\n".join(command.examples),
            rich_help_panel=COMMANDS_HEADING if group_name else panel_of(own),
        )
        if command_words is None or own in command_words:
            function = getattr(import_module(command.module), function_name(name))
            add(_with_shared_options(function, texts))
        else:  # only its line in the list is needed
            add(lambda: None)
    tree: Any = get_command(app)
    _translate_options(tree, t)
    for name, (texts, _) in others.items():
        _translate_options(reduce(lambda node, word: node.commands[word], name.split(), tree), texts)
    return tree


def _with_shared_options(function: Callable[..., None], t: Translate) -> Callable[..., None]:
    """Return a command for Typer: the fields of its `Run` class replace its `run` parameter.

    Options without a long name get one from their parameter's name.
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
            raise cli.CommandError(cli.NOT_WITH_SERVER, option="--store")
        options = {one.name: given.pop(one.name) for one in shared}
        try:
            function(run.annotation(t, **options), **given)
        except (cli.CommandError, StoreError) as stop:  # translated by its package's texts
            raise cli.CommandError("{sentence}", sentence=stop.message(t)) from None

    keyword = inspect.Parameter.KEYWORD_ONLY
    context = inspect.Parameter("typer_context", keyword, annotation=typer.Context)
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one.replace(kind=keyword) for one in (context, *own, *shared)]
    )
    return call


def _translate_options(command: Any, t: Translate) -> None:
    """Translate the options of a command and of its subcommands to the language of `t`."""
    helping = command.get_help_option(typer.Context(command, help_option_names=HELP_OPTION))
    for parameter in (*command.params, helping):
        for name in ("help", "metavar", "rich_help_panel"):  # attributes with text
            if result := getattr(parameter, name, None):
                setattr(parameter, name, t(result))
    for inner in getattr(command, "commands", {}).values():
        _translate_options(inner, t)


def run(args: Sequence[str]) -> int:
    """Run one command line in this process, and return its exit code."""
    words = [word for word in args if not word.startswith("-") and word not in LANGUAGES]
    if words[:1] == ["help"]:  # `retourne help` is `--help`
        args = [*(word for word in args if word != "help"), "--help"]
    elif not args or (len(words) == 1 and words[0] in GROUPS):
        args = [*args, "--help"]
    t = cli.language_from_args(args)
    warning_listeners[:] = [lambda warning: cli.print_notice(warning.message(t))]
    return run_to_exit_code(args, t)


def run_to_exit_code(args: Sequence[str], t: Translate) -> int:
    """Run a command line, and return its exit code. Every error is printed as one sentence."""
    cli.foreign_servers.clear()
    try:
        tree = build_app(t, args)
        try:  # Typer's `main` would exit in ways of its own
            with tree.make_context("retourne", list(args), obj=t) as context:
                tree.invoke(context)
            code = 0
        except typer.Exit as ended:
            code = ended.exit_code
        sys.stdout.flush()
        return code
    except (cli.CommandError, StoreError) as stop:
        cli.print_error(t, "{sentence}", sentence=stop.message(t))
    except KeyboardInterrupt as stop:
        return cli.report_interrupt(t, stop)
    except BrokenPipeError:
        # else Python fails when it flushes the buffer at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return cli.EXIT_BROKEN_PIPE
    except OSError as error:
        from ingest.findings.os_errors import translate_reason

        result = translate_reason(t, error)
        sentence = N_("{path}: {reason}.") if error.filename else N_("Not possible: {reason}.")
        cli.print_error(t, sentence, reason=result, path=error.filename)
    except typer.TyperException as error:
        cli.print_error(t, "{sentence}", sentence=usage_error_text(t, error))
    except Exception:
        if not cli.foreign_servers:
            raise
        # an answer that is not shaped as Retourne's are, and commands read answers as if they were
        cli.print_error(t, cli.NOT_A_RETOURNE_SERVER, url=cli.foreign_servers[-1])
    return cli.EXIT_ERROR


def complete_shell_word() -> None:
    """Answer a shell's completion request, which Typer reads from the environment."""
    t = translator(terminal_language())
    typed = (os.environ.get(name, "") for name in ("COMP_WORDS", "_TYPER_COMPLETE_ARGS"))
    words = " ".join(typed).split()[1:]
    build_app(t, words).main([], prog_name="retourne", obj=t)


def main() -> None:
    """Run the command line of this process."""
    gc.set_threshold(100_000)  # imports stay: scanning them for garbage takes a tenth of the time
    cli.escape_unencodable_output()
    if shell_completion.COMPLETE_VARIABLE in os.environ:
        sys.exit(shell_completion.print_completions(complete_shell_word))
    sys.exit(run(sys.argv[1:]))
