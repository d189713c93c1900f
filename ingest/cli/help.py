"""What `--help` writes: usage, arguments, options and examples, in the reader's language.

The help Typer brings names types of Python, cuts long names on a narrow terminal and is in English.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from typer.core import TyperArgument, TyperCommand, TyperGroup

from ingest.cli.console import folded, one_line
from ingest.cli.terminal import console
from ingest.i18n import N_, Translate

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
WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""
INDENT, BETWEEN = 2, 2
COLUMN = 28
"""Where a name is longer, what it is for stands below it."""
LEAST = 32
"""With less room beside the names, all of that stands below them."""


class Entry(NamedTuple):
    """A name and what it is for."""

    name: str
    about: "Text"


class HelpfulCommand(TyperCommand):
    """A command with such a help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        tell(self, ctx)


class HelpfulGroup(TyperGroup):
    """Commands under a word, with such a help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        tell(self, ctx)


def tell(command: Any, ctx: Any) -> None:
    """Write the help of a command; its own texts are in the reader's language already."""
    from rich.text import Text

    t: Translate = ctx.obj
    out = console()
    width = min(out.width, WIDEST)
    usage = Text.assemble((t(USAGE), "bold"), f" {ctx.command_path} ", *_usage(command, t))
    for line in folded(usage, width, "", " " * 6):
        out.print(line)
    for paragraph in (command.help or "").split("\n\n"):
        out.print()
        for line in folded(_coded(one_line(paragraph)), width):
            out.print(line)
    for heading, entries in _sections(command, ctx, t):
        out.print()
        out.print(Text(heading, style="bold"))
        for line in _listed(entries, width):
            out.print(line)
    if command.epilog:
        out.print()
        out.print(Text(t(OF_EXAMPLES), style="bold"))
        for example in command.epilog.split("\n"):
            *lines, last = folded(Text(example), width - 2, " " * INDENT, " " * 3 * INDENT)
            for line in lines:
                out.print(line.append(" \\"))  # so that a shell takes all of them together
            out.print(last)


def _usage(command: Any, t: Translate) -> Iterator[str]:
    """`[OPTIONS] FILES… [PLAYER]`."""
    words = [OPTIONS]
    for one in command.params:
        if isinstance(one, TyperArgument):
            words.append(called(one) if one.required else f"[{called(one)}]")
    if isinstance(command, TyperGroup):
        words.append(t(COMMAND))
    yield " ".join(words)


def called(parameter: Any) -> str:
    """What stands for the value of an argument or an option."""
    return str(parameter.metavar or parameter.name.upper())


def choices(parameter: Any) -> list[str]:
    """The words a parameter may be, if there are only some."""
    found = parameter.type_descriptor.choices or ()
    return [str(getattr(one, "value", one)) for one in found]


def _sections(command: Any, ctx: Any, t: Translate) -> Iterator[tuple[str, list[Entry]]]:
    """The lists of a help, each with its heading; none is empty."""
    arguments = [one for one in command.params if isinstance(one, TyperArgument)]
    options = [one for one in command.get_params(ctx) if one not in arguments and not one.hidden]
    if arguments:
        yield t(OF_ARGUMENTS), [Entry(called(one), _about(one, t)) for one in arguments]
    panels = dict.fromkeys(one.rich_help_panel for one in options)
    for panel in sorted(panels, key=lambda panel: panel is None):  # the others stand last
        some = [one for one in options if one.rich_help_panel == panel]
        yield panel or t(OF_OPTIONS), [Entry(_name(one), _about(one, t)) for one in some]
    if isinstance(command, TyperGroup):
        found = [command.get_command(ctx, name) for name in command.list_commands(ctx)]
        yield (
            t(OF_COMMANDS),
            [
                Entry(str(one.name), _coded(one.short_help or one.help or ""))
                for one in found
                if one
            ],
        )


def _name(option: Any) -> str:
    """`-o, --output FILE`, the long ones below each other."""
    short = [one for one in option.opts if not one.startswith("--")]
    long = [one for one in option.opts if one.startswith("--")]
    name = ", ".join([*short, *long]) if short else "    " + ", ".join(long)
    if option.is_flag:
        return name
    values = "|".join(choices(option))
    return f"{name} {option.metavar or values or called(option)}"


def _about(parameter: Any, t: Translate) -> "Text":
    """What a parameter is for, what it may be, and what it is where nobody says it."""
    told = _coded(parameter.help or "")
    known = choices(parameter)
    if known and parameter.metavar:
        told.append(f" [{', '.join(known)}]", style="dim")
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
    for note in notes:
        told.append(" " + note.replace(" ", "\u00a0"), style="dim")
    return told


def _coded(text: str) -> "Text":
    """A text with what stands between backquotes set off."""
    from rich.text import Text

    return Text.assemble(
        *((part, "bold" if place % 2 else "") for place, part in enumerate(text.split("`")))
    )


def _listed(entries: Sequence[Entry], width: int) -> Iterator["Text"]:
    """The entries of a list, what they are for in a column of its own or below the names."""
    from rich.text import Text

    column = max((len(one.name) for one in entries if len(one.name) <= COLUMN), default=0)
    if width - column - INDENT - BETWEEN < LEAST:
        column = 0
    indent = " " * (INDENT + column + BETWEEN if column else 3 * INDENT)
    for name, about in entries:
        first = Text(" " * INDENT).append(name if column else name.strip(), style="cyan")
        lines = list(folded(about, width, indent))
        if lines and column and len(name) <= column:
            yield first.append(lines[0][first.cell_len :])
            del lines[0]
        else:
            yield first
        yield from lines
