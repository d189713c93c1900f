"""`retourne deck check`: whether 44 two-faced cards typed in make a deck of Chouineurs."""

from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.text import Text

from engine.chouineurs.deck import CARDS, COLOURS, Problem, face, problems
from ingest.cli.terminal import FOUND, LEGAL, Lang, Stop, console, leave
from ingest.i18n import N_, Translate
from ingest.text.signs import plain

EXAMPLES = ("retourne deck check my-deck.json",)
CANNOT_READ = N_("{path} cannot be read: {reason}.")
NO_CARDS = N_("{path} holds no list of cards, neither by itself nor under the key cards.")
SAID = {
    "deck-size": N_("there are {found} cards, {legal} belong in a deck"),
    "card-syntax": N_("{found} is not written like {legal}"),
    "face-twice": N_("the face {found} is already on card {legal}"),
}
COLOUR_NAMES = {"b": N_("blue"), "r": N_("red"), "y": N_("yellow"), "k": N_("black")}
GOOD = N_("A good deck: {cards} cards, {faces} different faces.")
BAD = N_("Not a deck yet: {n} to mend.")


def check(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=N_("The deck, as JSON."))],
    lang: Lang = None,
) -> None:
    """Check a deck's cards."""
    t: Translate = ctx.obj
    cards = read_cards(file)
    found = problems(cards)
    out = console()
    for problem in found:
        out.print(Text(plain(_line(t, problem))))
    if found:
        out.print(Text(t(BAD, n=len(found)), style="red"))
        leave(FOUND)
    out.print(Text(t(GOOD, cards=len(cards), faces=2 * CARDS), style="green"))
    for line in _colours(t, cards):
        out.print(Text(line))
    leave(LEGAL)


def read_cards(file: Path) -> list[Any]:
    """The cards of a deck's file. Stop: it cannot be read, or holds none."""
    try:
        value = orjson.loads(file.read_bytes())
    except OSError as error:
        raise Stop(CANNOT_READ, path=file, reason=error.strerror or error) from None
    except ValueError as error:
        raise Stop(CANNOT_READ, path=file, reason=error) from None
    cards = value.get("cards") if isinstance(value, dict) else value
    if not isinstance(cards, list):
        raise Stop(NO_CARDS, path=file)
    return cards


def _line(t: Translate, problem: Problem) -> str:
    where = problem.path.lstrip("/")
    legal = ", ".join(problem.legal)
    said = t(SAID[problem.code], found=problem.found, legal=legal)
    return t("card {number}: {said}", number=int(where) + 1, said=said) if where else said


def _colours(t: Translate, cards: list[Any]) -> list[str]:
    """The faces of each colour, lowest first, to compare with the reminder card of the box."""
    faces = [face(name) for card in cards for name in card.split("/")]
    lines = []
    for place, colour in enumerate(COLOURS):
        values = sorted(value for known in faces if known for c, value in [known] if c == place)
        lines.append(f"  {t(COLOUR_NAMES[colour])}: {' '.join(map(str, values))}")
    return lines
