"""What `--help` writes and what is said of a mistyped line, in the reader's language.

The help Typer brings names types of Python, cuts long names on a narrow terminal and is in English;
so are its errors, whose classes it keeps to itself: they are told by their names.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from typer.core import TyperArgument, TyperCommand, TyperGroup

from ingest.cli.terminal import console
from ingest.i18n import N_, Translate
from ingest.text.did_you_mean import did_you_mean, meant

if TYPE_CHECKING:
    from rich.text import Text

USAGE = N_("Usage:")
OPTIONS = "[OPTIONS]"
"""The same in both languages."""
COMMAND = N_("COMMAND …")
OF_ARGUMENTS, OF_OPTIONS, OF_COMMANDS = N_("Arguments:"), N_("Options:"), N_("Commands:")
OF_EXAMPLES = N_("Examples:")
DEFAULT, VARIABLE = N_("[default: {value}]"), N_("[else ${name}]")
REQUIRED, RANGE = N_("[required]"), N_("[{low} to {high}]")
HINT = N_("{sentence} See {command} --help.")
WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""
INDENT = "  "
_QUOTED = re.compile(r"[^']*'(.*)' is not one of.*", re.DOTALL)
"""What Typer says of a word that is none of some."""


class HelpfulCommand(TyperCommand):
    """A command with such a help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        write_help(self, ctx)


class HelpfulGroup(TyperGroup):
    """Commands under a word, with such a help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        write_help(self, ctx)


def write_help(command: Any, ctx: Any) -> None:
    """Write the help of a command; its own texts are in the reader's language already."""
    from rich.text import Text

    from ingest.cli.console import folded, in_columns, one_line

    t: Translate = ctx.obj
    out = console()
    width = min(out.width, WIDEST)
    words = f" {ctx.command_path} {' '.join(_usage(command, t))}"
    for line in folded(Text.assemble((t(USAGE), "bold"), words), width, "", " " * 6):
        out.print(line)
    for paragraph in (command.help or "").split("\n\n"):
        out.print()
        for line in folded(_coded(one_line(paragraph)), width):
            out.print(line)
    for heading, entries in _sections(command, ctx, t):
        out.print()
        out.print(Text(heading, style="bold"))
        for line in in_columns(entries, width, INDENT):
            out.print(line)
    if command.epilog:
        out.print()
        out.print(Text(t(OF_EXAMPLES), style="bold"))
        for example in command.epilog.split("\n"):
            *lines, last = folded(Text(example), width - 2, INDENT, 3 * INDENT)
            for line in lines:
                out.print(line.append(" \\"))  # so that a shell takes all of them together
            out.print(last)


def _usage(command: Any, t: Translate) -> Iterator[str]:
    """`[OPTIONS] FILES… [PLAYER]`."""
    yield OPTIONS
    for one in command.params:
        if isinstance(one, TyperArgument):
            yield called(one) if one.required else f"[{called(one)}]"
    if isinstance(command, TyperGroup):
        yield t(COMMAND)


def called(parameter: Any) -> str:
    """What stands for the value of an argument or an option."""
    return str(parameter.metavar or parameter.name.upper())


def choices(parameter: Any) -> list[str]:
    """The words a parameter may be, if there are only some."""
    found = parameter.type_descriptor.choices or ()
    return [str(getattr(one, "value", one)) for one in found]


def _sections(command: Any, ctx: Any, t: Translate) -> Iterator[tuple[str, list[list["Text"]]]]:
    """The lists of a help, each with its heading: names, and what they are for; none is empty."""
    arguments = [one for one in command.params if isinstance(one, TyperArgument)]
    options = [one for one in command.get_params(ctx) if one not in arguments and not one.hidden]
    if arguments:
        yield t(OF_ARGUMENTS), [_entry(called(one), _about(one, t)) for one in arguments]
    panels = dict.fromkeys(one.rich_help_panel for one in options)
    for panel in sorted(panels, key=lambda panel: panel is None):  # the others stand last
        some = [one for one in options if one.rich_help_panel == panel]
        yield panel or t(OF_OPTIONS), [_entry(_name(one), _about(one, t)) for one in some]
    if isinstance(command, TyperGroup):
        found = command.commands.values()
        told = [_entry(str(one.name), _coded(one.short_help or one.help or "")) for one in found]
        yield t(OF_COMMANDS), told


def _entry(name: str, about: "Text") -> list["Text"]:
    from rich.text import Text

    return [Text(name, style="cyan"), about]


def _name(option: Any) -> str:
    """`-o, --output FILE`, the long ones below each other."""
    short = [one for one in option.opts if not one.startswith("--")]
    long = [one for one in option.opts if one.startswith("--")]
    name = ", ".join([*short, *long]) if short else "    " + ", ".join(long)
    if option.is_flag:
        return name
    return f"{name} {option.metavar or '|'.join(choices(option)) or called(option)}"


def _about(parameter: Any, t: Translate) -> "Text":
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
    if parameter.metavar and (known := choices(parameter)):
        about.append(f" [{', '.join(known)}]", style="dim")
    for note in notes:
        about.append(" " + note.replace(" ", "\u00a0"), style="dim")
    return about


def _coded(text: str) -> "Text":
    """A text with what stands between backquotes set off."""
    from rich.text import Text

    return Text.assemble(
        *((part, "bold" if place % 2 else "") for place, part in enumerate(text.split("`")))
    )


def usage_sentence(t: Translate, error: Any) -> str:
    """One sentence for an error of the command line, with where to read more."""
    from ingest.text.signs import plain

    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "retourne"
    return t(HINT, sentence=plain(_sentence(t, error)), command=command)


def _sentence(t: Translate, error: Any) -> str:
    name = type(error).__name__
    parameter = getattr(error, "param", None)
    if name == "NoSuchOption":
        return meant(
            t, t("No such option: {option}.", option=error.option_name), error.possibilities or ()
        )
    if name == "MissingParameter" and parameter is not None:
        what = _called(parameter).rstrip("….")
        if what.startswith("-"):
            return t("Missing option: {what}.", what=what)
        return t("Missing argument: {what}.", what=what)
    if name == "BadOptionUsage" and "not take" in error.message:
        return t("The option {option} takes no value.", option=error.option_name)
    if name == "BadOptionUsage":
        return t("The option {option} needs one value.", option=error.option_name)
    if name == "BadParameter" and parameter is not None:
        return _bad_value(t, error, parameter)
    if name == "UsageError" and "extra argument" in error.message:
        extra = error.message.rpartition("(")[2].rstrip(")")
        return t("Unexpected argument: {word}.", word=extra)
    if name == "UsageError" and "No such command" in error.message:
        word = error.message.split("'")[1] if "'" in error.message else ""
        known = error.ctx.command.commands if error.ctx is not None else ()
        return did_you_mean(t, t("No such command: {word}.", word=word), word, known)
    return str(error.format_message())


def _bad_value(t: Translate, error: Any, parameter: Any) -> str:
    what = _called(parameter)
    kind = getattr(parameter, "type_descriptor", None)
    if known := choices(parameter):
        said = t("{what} must be one of {known}.", what=what, known=", ".join(known))
        return did_you_mean(t, said, _QUOTED.sub(r"\1", error.message), known)
    told = getattr(kind, "parameter_info", None)
    low, high = getattr(told, "min", None), getattr(told, "max", None)
    if low is not None and high is not None:
        return t(
            "{what} must be a whole number from {low} to {high}.", what=what, low=low, high=high
        )
    if low is not None:
        return t("{what} must be a whole number of {low} or more.", what=what, low=low)
    if getattr(told, "formats", None):
        return t("{what} must be a day written as year, month and day, 2027-06-30.", what=what)
    if getattr(kind, "annotation", None) is int:
        return t("{what} must be a whole number.", what=what)
    return t("{what}: {message}", what=what, message=error.message)


def _called(parameter: Any) -> str:
    """An option by its long name, an argument by what stands for it in the help."""
    options = [option for option in parameter.opts if option.startswith("-")]
    if options:
        return str(max(options, key=len))
    return called(parameter).rstrip("…")
