"""`retourne mask`, `unmask` and `whois`: players under pseudonyms, and who they are."""

from typing import Annotated

import typer
from rich.text import Text

from ingest.cli import complete
from ingest.cli.opening import there
from ingest.cli.params import AsFormat, Format, write
from ingest.cli.player import number, unknown
from ingest.cli.terminal import DEFAULT_STORE, Lang, Stop, StorePath, console
from ingest.i18n import N_, Translate
from ingest.store import pseudonyms
from ingest.store.store import Store
from ingest.text.signs import plain

NOBODY = N_("The store has no player {id}.")
NO_PLAYER = N_("The store has no player {id}. See: retourne export --table players")
NO_PSEUDONYM = N_("{name} is no pseudonym of this store.")
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
    lang: Lang = None,
) -> None:
    """Show players under their pseudonyms."""
    with there(store) as opened:
        numbers = [_number(opened, player, ctx.obj) for player in players]
        for player, number in zip(players, numbers, strict=True):
            _tell(format, player, "pseudonym", pseudonyms.mask(opened, number))


def unmask(
    ctx: typer.Context,
    players: Masked,
    store: StorePath = DEFAULT_STORE,
    format: AsFormat = Format.TEXT,
    lang: Lang = None,
) -> None:
    """Show players by name."""
    with there(store) as opened:
        numbers = [_number(opened, player, ctx.obj) for player in players]
        for player, number in zip(players, numbers, strict=True):
            _tell(format, player, "name", pseudonyms.unmask(opened, number))


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
    lang: Lang = None,
) -> None:
    """The id behind a pseudonym."""
    with there(store) as opened:
        found = pseudonyms.owner(opened, pseudonym)
        if found is None:
            raise Stop(NO_PSEUDONYM, name=pseudonym)
        if format is Format.JSONL:
            write([{"pseudonym": pseudonym, "player": found}])
        else:
            console().print(Text(plain(found)))


def _tell(format: Format, player: str, what: str, told: str) -> None:
    """As what a player is shown now; `what` is the key of it."""
    if format is Format.JSONL:
        write([{"player": player, what: told}])
    else:
        console().print(Text(f"{plain(player)} → {plain(told)}"))


def _number(store: Store, player: str, t: Translate) -> int:
    """A player's number by id or pseudonym. Stop: there is none."""
    found = number(store, player)
    if found is None:
        raise Stop("{sentence}", sentence=unknown(store, player, t, NOBODY, NO_PLAYER))
    return found
