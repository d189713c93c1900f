"""`retourne deck check`: whether the cards somebody typed in make a deck.

Which cards do is for the game to say whose matches have a deck of their own.
"""

from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.text import Text

from engine.games import floors, names
from ingest.cli.params import AsFormat, Format, write
from ingest.cli.terminal import FOUND, LEGAL, Lang, Stop, console, leave
from ingest.finding.system import reason
from ingest.games import DeckCheck, of
from ingest.i18n import N_, Translate
from ingest.text.signs import plain

CANNOT_READ = N_("{path} cannot be read: {reason}.")
NO_JSON = N_("it is no JSON")
NO_CARDS = N_("{path} holds no list of cards, neither by itself nor under the key cards.")
BAD = N_("Not a deck yet: {n} to fix.")


def check(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar=N_("FILE"), help=N_("The deck, as JSON."))],
    format: AsFormat = Format.TEXT,
    lang: Lang = None,
) -> None:
    """Check a deck's cards."""
    t: Translate = ctx.obj
    cards = read_cards(t, file)
    deck = deck_check()
    wrong = deck.wrong(t, cards)
    if format is Format.JSONL:
        write([{"file": str(file), "good": not wrong, "wrong": wrong}])
        leave(FOUND if wrong else LEGAL)
    out = console()
    for line in wrong:
        out.print(Text(plain(line)))
    if wrong:
        out.print(Text(t(BAD, n=len(wrong)), style="red"))
        leave(FOUND)
    good, *rest = deck.good(t, cards)
    out.print(Text(good, style="green"))
    for line in rest:
        out.print(Text(line))
    leave(LEGAL)


def deck_check() -> DeckCheck:
    """That of the first game whose matches bring a deck; without any there is no command."""
    found = next(of(name).DECK_CHECK for name in names() if floors(name).brings_deck)
    assert found is not None
    return found


def read_cards(t: Translate, file: Path) -> list[Any]:
    """The cards of a deck's file. Stop: it cannot be read, or holds none."""
    try:
        value = orjson.loads(file.read_bytes())
    except OSError as error:
        raise Stop(CANNOT_READ, path=file, reason=reason(t, error)) from None
    except ValueError:
        raise Stop(CANNOT_READ, path=file, reason=t(NO_JSON)) from None
    cards = value.get("cards") if isinstance(value, dict) else value
    if not isinstance(cards, list):
        raise Stop(NO_CARDS, path=file)
    return cards
