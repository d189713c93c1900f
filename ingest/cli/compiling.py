"""That players, solvers and samplers are compiled, said on a terminal while it takes its time."""

from collections.abc import Iterable

from engine.games import Game, Sampler, Solver
from ingest.cli.terminal import console, remark
from ingest.i18n import N_, Translate
from ingest.judge.beside import is_kept

SOLVING = N_("Deals are solved by compiled code, made now, once for this machine: some 10 seconds.")
SAMPLING = N_(
    "Deals are played on by compiled code, made now, once for this machine: some seconds."
)

PLAYING = N_("Matches are played by compiled code, made now, once for this machine: some seconds.")


def compiling_players(t: Translate, game: Game) -> None:
    """Say so where what plays whole matches of a game is not compiled yet."""
    if console(stderr=True).is_terminal and not is_kept(game.bots.play_match):
        remark(t(PLAYING))


def compiling(t: Translate, games: Iterable[Game]) -> None:
    """Say so where the solver of one of these games is not compiled yet."""
    _say(t, SOLVING, (one.solver for one in games))


def compiling_sampler(t: Translate, game: Game) -> None:
    """Say so where what plays deals of a game on is not compiled yet: the solver is part of it."""
    _say(t, SAMPLING, (game.sampler, game.sampler and game.solver))


def _say(t: Translate, sentence: str, compiled: Iterable[Solver | Sampler | None]) -> None:
    if console(stderr=True).is_terminal and any(one and not one.ready() for one in compiled):
        remark(t(sentence))
