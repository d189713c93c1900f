"""What is wrong with a command line, in the user's language.

Typer keeps the classes of these errors to itself, so they are told by their names; an error
of another name is told in the words it came with.
"""

import re
from typing import Any

from ingest.cli.help import called, choices
from ingest.cli.terminal import did_you_mean, meant
from ingest.i18n import N_, Translate
from ingest.text.signs import plain

_QUOTED = re.compile(r"[^']*'(.*)' is not one of.*", re.DOTALL)
"""What Typer says of a word that is none of some."""
HINT = N_("{sentence} See {command} --help.")


def usage_sentence(t: Translate, error: Any) -> str:
    """One sentence for an error of the command line, with where to read more."""
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
