"""`retourne rules`: the presets of every game, and what each option of one means."""

from typing import Annotated

import typer
from rich.table import Table as Grid

from engine.games import names
from engine.options import Option, default_preset, options, presets
from ingest.cli.otherwise import check_preset
from ingest.cli.terminal import Lang, console
from ingest.i18n import N_, Translate

EXAMPLES = ("retourne rules", "retourne rules regles-completes")
MEANINGS = (
    N_("parties to win for a manche"),
    N_("manches to win for the match"),
    N_("a card is turned up and makes trump"),
    N_("points of a quinte"),
    N_("the card an announcement goes with"),
    N_("one announcement per player and suit"),
    N_("one announcement per card played"),
    N_("a ruff must beat an earlier ruff"),
    N_("worth of the announcement making trump"),
    N_("what leaving out au sept brings"),
    N_("marks to reach"),
    N_("what a coinche multiplies"),
    N_("manches in the match; five bid cards last for five"),
    N_("tricks in a manche, and cards in a hand"),
)
"""What the engine says of its options, marked here: it knows no catalogue."""
DEFAULT_MARK = N_("default of {game}")


def rules(
    ctx: typer.Context,
    preset: Annotated[
        str | None, typer.Argument(metavar="[PRESET]", help=N_("A preset, such as lavardin."))
    ] = None,
    lang: Lang = None,
) -> None:
    """List presets, or one preset's options."""
    t: Translate = ctx.obj
    check_preset(preset)
    grid = Grid(box=None, pad_edge=False)
    if preset is None:
        for column in (N_("preset"), N_("game"), ""):
            grid.add_column(t(column) if column else "")
        for game in names():
            for name in presets(game):
                mark = t(DEFAULT_MARK, game=game) if name == default_preset(game) else ""
                grid.add_row(name, game, mark)
    else:
        for column in (N_("option"), N_("value"), N_("may be"), N_("rule"), N_("meaning")):
            grid.add_column(t(column))
        game = next(game for game in names() if preset in presets(game))
        for option in options(game):
            value = presets(game)[preset][option.name]
            grid.add_row(option.name, _word(value), _may(option), option.rule, t(option.doc))
    console().print(grid)


def _word(value: object) -> str:
    """A value as a log writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _may(option: Option) -> str:
    """What an option may be."""
    if option.values is None:
        return f"{option.low}–{option.high}"
    return ", ".join(map(_word, option.values))
