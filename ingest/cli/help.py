"""What `--help` writes and what is said of a mistyped line, in the reader's language.

The help Typer brings names types of Python, cuts long names on a narrow terminal and is in English;
so are its errors, whose classes it keeps to itself: they are told by their names.
"""

import re
from typing import Any

from rich.text import Text
from typer.core import TyperArgument, TyperCommand, TyperGroup

from ingest.cli.terminal import console, folded, in_columns, one_line
from ingest.i18n import N_, Translate
from ingest.text.did_you_mean import did_you_mean, meant
from ingest.text.signs import plain

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
    t: Translate = ctx.obj
    out = console()
    width = min(out.width, WIDEST)
    arguments = [one for one in command.params if isinstance(one, TyperArgument)]
    options = [one for one in command.get_params(ctx) if one not in arguments and not one.hidden]
    usage = [OPTIONS, *(_called(one) if one.required else f"[{_called(one)}]" for one in arguments)]
    # lists of names and what they are for, each with its heading; none is empty
    sections = [(t(OF_ARGUMENTS), [(_called(one), _about(one, t)) for one in arguments])]
    panels = dict.fromkeys(one.rich_help_panel for one in options)
    for panel in sorted(panels, key=lambda panel: panel is None):  # the others stand last
        some = [(_option(one), _about(one, t)) for one in options if one.rich_help_panel == panel]
        sections.append((panel or t(OF_OPTIONS), some))
    if isinstance(command, TyperGroup):
        usage.append(t(COMMAND))
        found = command.commands.values()
        told = [(str(one.name), _coded(one.short_help or one.help or "")) for one in found]
        sections.append((t(OF_COMMANDS), told))
    words = f" {ctx.command_path} {' '.join(usage)}"
    for line in folded(Text.assemble((t(USAGE), "bold"), words), width, "", " " * 6):
        out.print(line)
    for paragraph in (command.help or "").split("\n\n"):
        out.print()
        for line in folded(_coded(one_line(paragraph)), width):
            out.print(line)
    for heading, entries in sections if arguments else sections[1:]:
        out.print()
        out.print(Text(heading, style="bold"))
        rows = [(Text(name, style="cyan"), about) for name, about in entries]
        for line in in_columns(rows, width, INDENT):
            out.print(line)
    if command.epilog:
        out.print()
        out.print(Text(t("Examples:"), style="bold"))
        for example in command.epilog.split("\n"):
            *lines, last = folded(Text(example), width - 2, INDENT, 3 * INDENT)
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


def _option(option: Any) -> str:
    """`-o, --output FILE`, the long ones below each other."""
    short = [one for one in option.opts if not one.startswith("--")]
    long = [one for one in option.opts if one.startswith("--")]
    name = ", ".join([*short, *long]) if short else "    " + ", ".join(long)
    if option.is_flag:
        return name
    return f"{name} {option.metavar or '|'.join(_choices(option)) or _called(option)}"


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
        said = _bad_value(t, message, parameter, what)
    elif name == "UsageError" and "extra argument" in message:
        said = t("Unexpected argument: {word}.", word=message.rpartition("(")[2].rstrip(")"))
    elif name == "UsageError" and "No such command" in message:
        word = message.split("'")[1] if "'" in message else ""
        known = context.command.commands if context is not None else ()
        said = did_you_mean(t, t("No such command: {word}.", word=word), word, known)
    else:
        said = str(error.format_message())
    return t("{sentence} See {command} --help.", sentence=plain(said), command=command)


def _bad_value(t: Translate, message: str, parameter: Any, what: str) -> str:
    kind = getattr(parameter, "type_descriptor", None)
    if known := _choices(parameter):
        said = t("{what} must be one of {known}.", what=what, known=", ".join(known))
        word = re.sub(r"[^']*'(.*)' is not one of.*", r"\1", message, flags=re.DOTALL)
        return did_you_mean(t, said, word, known)
    told = getattr(kind, "parameter_info", None)
    low, high = getattr(told, "min", None), getattr(told, "max", None)
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
    return t(text, what=what, low=low, high=high, message=message)
