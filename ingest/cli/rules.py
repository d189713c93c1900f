"""`retourne rules`: the presets of every game, and what each option of one means."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from engine.games import names
from engine.options import Option, default_preset, options, presets
from ingest.cli import complete
from ingest.cli.objects import AsFormat, Format, write
from ingest.cli.otherwise import check_preset
from ingest.cli.terminal import Lang, console
from ingest.games import every
from ingest.i18n import N_, Translate

EXAMPLES = ("retourne rules", "retourne rules regles-completes")
DEFAULT_MARK = N_("default of {game}")


def meanings() -> list[str]:
    """What the options of all games mean, marked for the catalogue: the engine knows none."""
    return [meaning for own in every().values() for meaning in own.MEANINGS]


def rules(
    ctx: typer.Context,
    preset: Annotated[
        str | None,
        typer.Argument(
            metavar=N_("PRESET"),
            autocompletion=complete.presets,
            help=N_("A preset, such as lavardin."),
        ),
    ] = None,
    format: AsFormat = Format.TEXT,
    lang: Lang = None,
) -> None:
    """List presets, or one preset's options."""
    t: Translate = ctx.obj
    check_preset(preset)
    if format is Format.JSONL:
        return write(_presets() if preset is None else _options(t, preset))
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
        game = _game_of(preset)
        for option in options(game):
            value = presets(game)[preset][option.name]
            grid.add_row(option.name, _word(value), _may(option), option.rule, t(option.doc))
    console().print(grid)


def _presets() -> Iterator[dict[str, Any]]:
    """Every preset as an object."""
    for game in names():
        for name in presets(game):
            yield {"preset": name, "game": game, "default": name == default_preset(game)}


def _options(t: Translate, preset: str) -> Iterator[dict[str, Any]]:
    """A preset’s options as objects; `values` is null where all from low to high will do."""
    game = _game_of(preset)
    for option in options(game):
        yield {
            "option": option.name,
            "game": game,
            "preset": preset,
            "value": presets(game)[preset][option.name],
            "values": option.values,
            "low": option.low if option.values is None else None,
            "high": option.high if option.values is None else None,
            "rule": option.rule,
            "meaning": t(option.doc),
        }


def _game_of(preset: str) -> str:
    return next(game for game in names() if preset in presets(game))


def _word(value: object) -> str:
    """A value as a log writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _may(option: Option) -> str:
    """What an option may be."""
    if option.values is None:
        return f"{option.low}–{option.high}"
    return ", ".join(map(_word, option.values))
