"""`retourne simulate`: a club's season that was never played, as logs."""

import json
from itertools import chain

from engine.compiled import is_compiled
from engine.games import game
from engine.options import UnknownRule
from ingest.cli import complete, params
from ingest.cli import terminal as cli
from ingest.i18n import N_
from schemas.simulated import season

NO_RULES = N_("No such preset for {game}: {rules}. Known: {known}.")
NO_SEATS = N_("{game} takes {known} players, not {players}.")


def simulate(
    run: cli.Run,
    game_name: params.GameName = cli.option(
        N_("Game to simulate."), N_("GAME"), "--game", "-g", default=...
    ),
    matches: int = cli.option(N_("Number of matches."), "N", "-n", default=1, min=1),
    seed: int = cli.option(N_("Random seed."), "N", "-s", default=1, min=0),
    players: int | None = cli.option(N_("Seats at the table."), "N", "-p", min=2, max=5),
    rules: str | None = cli.option(
        N_("A preset; the game’s own if absent."), N_("PRESET"), complete=complete.presets
    ),
    output: params.Output = None,
) -> None:
    """Write simulated matches."""
    t = run.t
    name = str(game_name)
    known = game(name).players
    if players is not None and players not in known:
        raise cli.Stop(NO_SEATS, game=name, known=", ".join(map(str, known)), players=players)
    params.check_output(output)
    cli.compiling(t, cli.COMPILING_PLAYERS, lambda: is_compiled(game(name).bots.play_match))
    documents = season(name, matches, seed, rules, players)
    try:
        first = next(documents)
    except UnknownRule as error:
        raise cli.Stop(NO_RULES, rules=rules, game=name, known=", ".join(error.known)) from None
    with cli.progress(t, N_("Simulating"), matches) as advance, params.written(output) as file:
        for number, document in enumerate(chain([first], documents), 1):
            file.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
            advance(number)
