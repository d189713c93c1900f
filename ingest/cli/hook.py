"""`retourne hook`: programs that are told of new matches while the store is served."""

import sys
from typing import Annotated

import typer
from rich.text import Text

from ingest.cli.open_store import store_at
from ingest.cli.params import ServerUrl, Token
from ingest.cli.terminal import DEFAULT_STORE, Lang, StorePath, console
from ingest.i18n import N_, Translate
from ingest.operations import access
from ingest.text.signs import plain

MADE = N_("Told of new matches from now on: {url}. What they are signed with is said this once:")
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
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Have a program told; the secret stands alone on the last line."""
    t: Translate = ctx.obj
    with store_at(store, server, token, t) as asked:
        made = asked.do(access.add_hook, url=url, allow_private=allow_private)
    console(stderr=True).print(Text(t(MADE, url=plain(url))))
    sys.stdout.write(made["secret"] + "\n")


def list(
    ctx: typer.Context,
    store: StorePath = DEFAULT_STORE,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Say who is told, a line each: number and address."""
    with store_at(store, server, token, ctx.obj) as asked:
        for one in asked.do(access.hooks)["hooks"]:
            sys.stdout.write(f"{one['number']}\t{plain(one['url'])}\n")


def remove(
    ctx: typer.Context,
    number: Annotated[int, typer.Argument(metavar="NUMBER", help=N_("As `hook list` has it."))],
    store: StorePath = DEFAULT_STORE,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Tell a program no more."""
    t: Translate = ctx.obj
    with store_at(store, server, token, t) as asked:
        asked.do(access.remove_hook, number=number)
    console().print(Text(t(REMOVED, number=number)))
