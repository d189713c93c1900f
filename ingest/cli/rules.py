"""`retourne rules`: the presets of every game, and what each option of one means."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from engine.games import names
from engine.options import Option, default_preset, options, presets
from ingest.cli import complete
from ingest.cli.grid import show
from ingest.cli.otherwise import check_preset
from ingest.cli.params import AsFormat, Format, write
from ingest.cli.terminal import Lang, console
from ingest.games import every
from ingest.i18n import N_, Translate

EXAMPLES = ("retourne rules", "retourne rules regles-completes")
MEANING = N_("meaning")
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
    if preset is None:
        heads = [t(N_("preset")), t(N_("game")), ""]
        rows = [
            (
                one["preset"],
                one["game"],
                t(DEFAULT_MARK, game=one["game"]) if one["default"] else "",
            )
            for one in _presets()
        ]
        return show(console(), heads, rows)
    heads = [t(head) for head in (N_("option"), N_("value"), N_("may be"), N_("rule"), MEANING)]
    game = _game_of(preset)
    show(
        console(),
        heads,
        [
            (one.name, _word(presets(game)[preset][one.name]), _may(one), one.rule, t(one.doc))
            for one in options(game)
        ],
    )


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
