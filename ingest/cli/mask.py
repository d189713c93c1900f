"""`retourne mask`, `unmask` and `whois`: players under pseudonyms, and who they are."""

from typing import Annotated

import typer
from rich.text import Text

from ingest.cli import complete
from ingest.cli.open_store import store_at
from ingest.cli.params import AsFormat, Format, ServerUrl, Token, write
from ingest.cli.terminal import DEFAULT_STORE, Lang, StorePath, console
from ingest.i18n import N_
from ingest.operations import players as operations
from ingest.text.signs import plain

ABOUT = N_("A player’s id, or pseudonym.")
Shown = Annotated[
    list[str],
    typer.Argument(metavar=N_("PLAYER…"), autocompletion=complete.maskable, help=ABOUT),
]
Masked = Annotated[
    list[str],
    typer.Argument(metavar=N_("PLAYER…"), autocompletion=complete.pseudonyms, help=ABOUT),
]


def mask(
    ctx: typer.Context,
    players: Shown,
    store: StorePath = DEFAULT_STORE,
    format: AsFormat = Format.TEXT,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Show players under their pseudonyms."""
    with store_at(store, server, token, ctx.obj) as asked:
        _tell(asked.do(operations.mask, players=players)["players"], format)


def unmask(
    ctx: typer.Context,
    players: Masked,
    store: StorePath = DEFAULT_STORE,
    format: AsFormat = Format.TEXT,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Show players by name."""
    with store_at(store, server, token, ctx.obj) as asked:
        _tell(asked.do(operations.unmask, players=players)["players"], format)


def whois(
    ctx: typer.Context,
    pseudonym: Annotated[
        str,
        typer.Argument(
            metavar=N_("PSEUDONYM"),
            autocompletion=complete.pseudonyms,
            help=N_("As a page or an export shows it."),
        ),
    ],
    store: StorePath = DEFAULT_STORE,
    format: AsFormat = Format.TEXT,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """The id behind a pseudonym."""
    with store_at(store, server, token, ctx.obj) as asked:
        found = asked.do(operations.whois, pseudonym=pseudonym)
    if format is Format.JSONL:
        write([found])
    else:
        console().print(Text(plain(found["player"])))


def _tell(players: list[dict[str, str]], format: Format) -> None:
    """As what each player is shown now."""
    if format is Format.JSONL:
        return write(players)
    for one in players:
        player, shown = map(plain, one.values())
        console().print(Text(f"{player} → {shown}"))
