"""`retourne simulate`: a club's season that was never played, as logs."""

import json
from itertools import chain
from typing import Annotated

import typer

from engine.games import game
from engine.options import UnknownRule
from ingest.cli import complete
from ingest.cli.params import GameName, Output, check_output, written
from ingest.cli.terminal import Lang, Stop, compiling_players, progress
from ingest.i18n import N_, Translate
from schemas.simulated import season

NO_RULES = N_("No such preset for {game}: {rules}. Known: {known}.")
NO_SEATS = N_("{game} takes {known} players, not {players}.")


def simulate(
    ctx: typer.Context,
    game_name: Annotated[
        GameName, typer.Option("--game", "-g", metavar=N_("GAME"), help=N_("Game to simulate."))
    ],
    matches: Annotated[
        int,
        typer.Option("--matches", "-n", min=1, metavar="N", help=N_("Number of matches.")),
    ] = 1,
    seed: Annotated[
        int,
        typer.Option("--seed", "-s", min=0, metavar="N", help=N_("Random seed.")),
    ] = 1,
    players: Annotated[
        int | None,
        typer.Option("--players", "-p", min=2, max=5, metavar="N", help=N_("Seats at the table.")),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules",
            metavar=N_("PRESET"),
            autocompletion=complete.presets,
            help=N_("A preset; the game’s own if absent."),
        ),
    ] = None,
    output: Output = None,
    lang: Lang = None,
) -> None:
    """Write simulated matches."""
    t: Translate = ctx.obj
    name = str(game_name)
    known = game(name).players
    if players is not None and players not in known:
        raise Stop(NO_SEATS, game=name, known=", ".join(map(str, known)), players=players)
    check_output(output)
    compiling_players(t, game(name))
    documents = season(name, matches, seed, rules, players)
    try:
        first = next(documents)
    except UnknownRule as error:
        raise Stop(NO_RULES, rules=rules, game=name, known=", ".join(error.known)) from None
    with progress(t, N_("Simulating"), matches) as advance, written(output) as file:
        for number, document in enumerate(chain([first], documents), 1):
            file.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
            advance(number)
