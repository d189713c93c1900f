"""`retourne hook`: programs that are told of new matches while the store is served."""

import sys
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.text import Text

from ingest.cli.opening import there
from ingest.cli.telling import Private, address
from ingest.cli.terminal import DEFAULT_STORE, Lang, Stop, StorePath, console
from ingest.i18n import N_, Translate
from ingest.store import hooks
from ingest.text.signs import plain

NO_ADDRESS = N_("{url} is no address of a server: it begins with http:// or https://.")
PRIVATE = N_(
    "{host} is an address of this computer or its network, or of nobody. To tell it all the same: "
    "--allow-private"
)
MADE = N_("Told of new matches from now on: {url}. What they are signed with is said this once:")
NO_HOOK = N_("There is no hook {number}. See: retourne hook list")
REMOVED = N_("Told no more: {number}")


def add(
    ctx: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help=N_("Where a program listens."))],
    allow_private: Annotated[
        bool,
        typer.Option(
            "--allow-private", help=N_("Allow an address of this computer, or of its network.")
        ),
    ] = False,
    store: StorePath = DEFAULT_STORE,
    lang: Lang = None,
) -> None:
    """Have a program told; the secret stands alone on the last line."""
    t: Translate = ctx.obj
    try:
        told = urlsplit(url)
        host, port = told.hostname or "", told.port or 443
    except ValueError:
        host, port = "", 0
    if not host or told.scheme not in ("http", "https"):
        raise Stop(NO_ADDRESS, url=url)
    try:
        address(host, port, allow_private)
    except Private:
        raise Stop(PRIVATE, host=host) from None
    with there(store) as opened:
        made = hooks.add(opened, url, allow_private)
    console(stderr=True).print(Text(t(MADE, url=plain(url))))
    sys.stdout.write(made.secret + "\n")


def list(ctx: typer.Context, store: StorePath = DEFAULT_STORE, lang: Lang = None) -> None:
    """Say who is told, a line each: number and address."""
    with there(store) as opened:
        for one in hooks.hooks(opened.cursor()):
            sys.stdout.write(f"{one.number}\t{plain(one.url)}\n")


def remove(
    ctx: typer.Context,
    number: Annotated[int, typer.Argument(metavar="NUMBER", help=N_("As `hook list` has it."))],
    store: StorePath = DEFAULT_STORE,
    lang: Lang = None,
) -> None:
    """Tell a program no more."""
    t: Translate = ctx.obj
    with there(store) as opened:
        try:
            hooks.remove(opened, number)
        except KeyError:
            raise Stop(NO_HOOK, number=number) from None
    console().print(Text(t(REMOVED, number=number)))
