"""The commands together: help in the user's language, and how every run ends."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer
from typer.main import get_command

from engine import RULES_VERSION
from ingest.cli import (
    check,
    deck,
    delete,
    demo,
    explain,
    export,
    mask,
    replay,
    revalidate,
    rules,
    schema,
    serve,
    simulate,
)
from ingest.cli import ingest as ingesting
from ingest.cli.plugins import plugins
from ingest.cli.terminal import (
    BROKEN_PIPE,
    CANNOT,
    INTERRUPTED,
    Lang,
    Stop,
    complain,
    console,
    forgiving,
    language_in,
    leave,
)
from ingest.cli.usage import usage_sentence
from ingest.finding.system import reason
from ingest.i18n import N_, Translate, translator
from ingest.store.store import StoreError

ABOUT = N_(
    "Check, store and replay recorded games of Chouine, Coinche and Chouineurs.\n\n"
    "`retourne COMMAND --help` shows a command’s examples. "
    "Exit codes: 0 all well, 1 something against the rules, 2 the command could not be done."
)
EXAMPLES_OF = N_("Examples:")
HELP_OPTION = ["-h", "--help"]
OF_TYPER = {
    "ARGUMENTS_PANEL_TITLE": N_("Arguments"),
    "COMMANDS_PANEL_TITLE": N_("Commands"),
    "DEFAULT_STRING": N_("[default: {}]"),
    "ENVVAR_STRING": N_("[env var: {}]"),
    "REQUIRED_LONG_STRING": N_("[required]"),
}
"""Words of `typer.rich_utils`, which has no language but the system's gettext."""
OPTIONS_OF_TYPER = (
    N_("Install completion for the current shell."),
    N_("Show completion for the current shell, to copy it or customize the installation."),
    N_("Show this message and exit."),
)

COMMANDS: tuple[tuple[Callable[..., None], str, tuple[str, ...]], ...] = (
    (check.check, check.HELP, check.EXAMPLES),
    (ingesting.ingest, ingesting.HELP, ingesting.EXAMPLES),
    (replay.replay, replay.HELP, replay.EXAMPLES),
    (simulate.simulate, simulate.HELP, simulate.EXAMPLES),
    (export.export, export.HELP, export.EXAMPLES),
    (delete.delete, delete.HELP, delete.EXAMPLES),
    (delete.undelete, delete.UNDELETE_HELP, delete.UNDELETE_EXAMPLES),
    (mask.mask, mask.HELP, mask.EXAMPLES),
    (mask.unmask, mask.UNMASK_HELP, mask.UNMASK_EXAMPLES),
    (mask.whois, mask.WHOIS_HELP, mask.WHOIS_EXAMPLES),
    (revalidate.revalidate, revalidate.HELP, revalidate.EXAMPLES),
    (rules.rules, rules.HELP, rules.EXAMPLES),
    (explain.explain, explain.HELP, explain.EXAMPLES),
    (schema.schema, schema.HELP, schema.EXAMPLES),
    (serve.serve, serve.HELP, serve.EXAMPLES),
    (demo.demo, demo.HELP, demo.EXAMPLES),
)


DECK = N_("Decks of Chouineurs.")
DECK_COMMANDS = ((deck.check, deck.HELP, deck.EXAMPLES),)


def program_version() -> str:
    """The version that is installed, and the version of the rules it checks by."""
    try:
        installed = version("retourne")
    except PackageNotFoundError:
        installed = "(not installed)"
    return f"retourne {installed}, rules {RULES_VERSION}"


def _show_version(wanted: bool) -> None:
    if wanted:
        console().print(program_version())
        leave(0)


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help=N_("Show the version of the program and of its rules."),
        ),
    ] = False,
    lang: Lang = None,
) -> None:
    """Options before the command; `--lang` is read from the whole line by `language_in`."""


def build(t: Translate, words: Sequence[str] = ()) -> Any:
    """The command tree with its help in the language of `t`.

    Other packages' commands are left out where a line begins with one of our own: nothing is
    loaded that it has no use for.
    """
    app = typer.Typer(
        name="retourne",
        help=t(ABOUT),
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": HELP_OPTION},
    )
    app.callback()(_root)
    _add(app, t, COMMANDS)
    own = {function.__name__ for function, *_ in COMMANDS} | {"deck"}
    others = () if words and words[0] in own else plugins()
    for other in others:
        _add(app, translator(t.language, other.package), [other.row])
    decks = typer.Typer(name="deck", help=t(DECK), rich_markup_mode="markdown")
    decks.callback()(_nothing)
    _add(decks, t, DECK_COMMANDS)
    app.add_typer(decks)
    tree: Any = get_command(app)
    _translate(tree, t)
    if not words or set(HELP_OPTION) & set(words):
        for name, text in OF_TYPER.items():
            setattr(import_module("typer.rich_utils"), name, t(text))
    for other in others:
        _translate(tree.commands[other.name], translator(t.language, other.package))
    return tree


def _nothing() -> None:
    """A group of one command stays a group."""


def _add(app: typer.Typer, t: Translate, commands: Sequence[Any]) -> None:
    """Give an app its commands, each with its help and examples."""
    for function, text, examples in commands:
        lines = "\n\n".join(f"`{example}`" for example in examples)
        told = f"{t(text)}\n\n{t(EXAMPLES_OF)}\n\n{lines}"
        app.command(help=told, short_help=_first(t(text)))(function)


def _translate(command: Any, t: Translate) -> None:
    """Say the options of a command, and of those under it, in the language of `t`."""
    helping = command.get_help_option(typer.Context(command, help_option_names=HELP_OPTION))
    for parameter in (*command.params, helping):
        told = getattr(parameter, "help", None)
        if told:
            parameter.help = t(told)
    for inner in getattr(command, "commands", {}).values():
        _translate(inner, t)


def _first(text: str) -> str:
    return text.split("\n", 1)[0]


def _call(tree: Any, words: list[str], t: Translate) -> int:
    """Parse and do; not by Typer's own `main`, which ends the process in its own ways."""
    if "_RETOURNE_COMPLETE" in os.environ:
        tree.main(words, prog_name="retourne")
    try:
        with tree.make_context("retourne", words, obj=t) as context:
            tree.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    return 0


def run(args: Sequence[str]) -> int:
    """Run one command line; its exit code. Whatever goes wrong is one sentence."""
    t = language_in(args)
    try:
        code = _call(build(t, args), list(args) or ["--help"], t)
        sys.stdout.flush()
        return code
    except Stop as stop:
        complain(t, "{sentence}", sentence=stop.say(t))
    except StoreError as error:
        complain(t, "{sentence}", sentence=error.say(t))
    except KeyboardInterrupt:
        console(stderr=True).print(t("Interrupted: what was not finished was left out."))
        return INTERRUPTED
    except BrokenPipeError:
        # what is still buffered has nowhere to go when Python closes its streams
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        said = reason(t, error.strerror or error)
        sentence = N_("{path}: {reason}.") if error.filename else N_("It cannot be done: {reason}.")
        complain(t, sentence, reason=said, path=error.filename)
    except typer.TyperException as error:
        complain(t, "{sentence}", sentence=usage_sentence(t, error))
    return CANNOT


def main() -> None:
    """Run the command line of this process."""
    forgiving()
    sys.exit(run(sys.argv[1:]))
