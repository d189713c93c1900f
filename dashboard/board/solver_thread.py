"""Matches solved beside the pages that show them: nobody waits longer than one hardly sees.

The solver of a game is compiled once for a machine, which takes seconds, and a long match takes a
while. Who asks meanwhile is told that it is not there yet, and asks again.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from dashboard.board.states import continued
from dashboard.games import definitions
from dashboard.store import Newest
from dashboard.text.numbers import short
from engine.games import Game, game, names
from engine.replay import Replay
from engine.solver import line
from engine.solver_results import Chosen, Play, Solved
from ingest.findings.spoken_notation import speak_action, speak_word
from ingest.i18n import N_, Translate
from ingest.reader.escaping import plain
from ingest.validate.slow_path import Explained
from ingest.validate.solver_report import SolvedDeal, prepare, solved_deals

T = TypeVar("T")

PATIENCE = 0.1
"""Seconds that who asks waits for it."""
MOST = 64
"""Matches that are kept solved."""
DEAREST = 3
"""So many cards of a match are named first."""
LOST = N_("lost: {n}")
AS_GOOD = N_("as good: {cards}")
NOTHING_WITH = N_("nothing with {cards}")
ANNOUNCED = N_("by what was announced with it or not")
ALONE = N_("the only card that loses nothing")
WAITING = N_("What play was worth is being reckoned: it comes by itself in some seconds.")


Value = dict[str, Any]
_kept: Newest[Future[Sequence[SolvedDeal]]] = Newest(MOST)
_preparing = threading.Lock()


def warm() -> None:
    """Have all solvers compiled, in the background."""

    def work() -> None:
        for name in names():
            _prepared(game(name))

    _begun(work)


def _begun(work: Callable[[], T]) -> Future[T]:
    """What work comes to, which a thread of its own does that no end of the process waits for."""
    found = Future[T]()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # who asks is told nothing, as before it is done
            found.set_exception(error)
            raise

    threading.Thread(target=run, daemon=True, name="solver").start()
    return found


def _prepared(own: Game) -> None:
    with _preparing:
        prepare(own)


def solved(log: Explained, patience: float = PATIENCE) -> Sequence[SolvedDeal] | None:
    """Every deal of a match that was explained, solved; None: not yet."""
    table = log.table
    if log.match is None or table is None:
        return ()

    def work() -> Sequence[SolvedDeal]:
        _prepared(table.game)
        return tuple(solved_deals(log, "", 1))

    match = _kept.get((log.match_id, table.rules.tobytes()), lambda: _begun(work))
    wait([match], patience)
    return match.result() if match.done() and match.exception() is None else None


def value(
    log: Explained, deal: int, t: Translate, deals: Sequence[SolvedDeal] | None = None
) -> Value | None:
    """`value` of a deal, from 0; None: the match has no deal that could be solved.

    `deals` are the match's, solved; without them they are solved in the background.
    """
    if log.match is None or log.table is None:
        return None
    deals = solved(log) if deals is None else deals
    nothing: Value = {"from": None, "margins": [], "turning": None, "plays": {}, "lines": []}
    told = nothing | {"waiting": "", "reason": "", "bids": "", "dearest": []}
    term = "bid-lost" if log.table.game.chosen else "points-lost"
    told |= {"about": definitions()[term].told(t), "term": term}
    if deals is None:
        return told | {"waiting": t(WAITING)}
    own, replay = deals[deal].solved, log.replays[deal]
    told["dearest"] = _dearest(log, deals, t)
    names = [plain(player.called) for player in log.match.players]
    if isinstance(own, Chosen):
        bids = deals[deal].bids(t, [short(name) for name in names])
        return told | {"bids": " · ".join(bids)}
    if not isinstance(own, Solved) or replay is None:
        return told | {"reason": deals[deal].reason(t)}
    return told | {
        "from": own.start,
        "margins": _margins(own, replay),
        "turning": None if own.turning is None else own.turning + 1,
        "plays": {play.action + 1: _play(replay, play, t) for play in own.plays},
        "lines": [
            # what held it, from the turn of a card on
            {"from": start, "at": play.action + 1, **continued(best, log.table, names, t, start)}
            for play in own.plays
            if play.lost
            for start, best in [line(replay, play.action)]
        ],
    }


def _margins(own: Solved, replay: Replay) -> list[int]:
    """With best play from each state on; a turn that loses has lost it with its card."""
    game, margin = replay.game, own.made + own.margin
    lost = {play.action + 1: play for play in own.plays}
    margins = []
    for ply in range(own.start, len(replay)):
        if play := lost.get(ply):
            side = play.seat % 2 if game.partners else play.seat
            margin -= play.lost * (1 - 2 * side)
        margins.append(margin)
    return margins


def _play(replay: Replay, play: Play, t: Translate) -> Value:
    """What is said of a card; a forced one is said nothing of."""
    game = replay.game
    done, before = replay[play.action + 1].action, replay[play.action]
    assert done is not None
    kinds = [game.acts.kind_of_act(one.act) for one in before.legal]
    if kinds.count("play") < 2 and not play.lost:
        return {"lost": 0, "said": ""}
    others = [card for card in play.best if card != done.act]
    cards = ", ".join(speak_word(t, game.pack.names[card], game.name) for card in others)
    if not play.lost:
        return {"lost": 0, "said": t(AS_GOOD, cards=cards) if cards else t(ALONE)}
    held = t(ANNOUNCED) if done.act in play.best else t(NOTHING_WITH, cards=cards)
    return {"lost": play.lost, "said": f"{t(LOST, n=play.lost)} – {held}"}


def _dearest(log: Explained, deals: Sequence[SolvedDeal], t: Translate) -> list[Value]:
    """The cards that lost the most, of equal ones the first: `Deal 3 · Jean R♦`."""
    assert log.match is not None
    found = [
        (play, one.deal)
        for one in deals
        if isinstance(one.solved, Solved)
        for play in one.solved.plays
        if play.lost
    ]
    found.sort(key=lambda one: -one[0].lost)
    dearest = []
    for play, deal in found[:DEAREST]:
        told = log.match.deals[deal].actions[play.action]
        who = short(plain(log.match.players[int(told.partition(" ")[0]) - 1].called))
        said = f"{t('Deal {n}', n=deal + 1)} · {who} {speak_action(t, told, log.match.game)}"
        at = {"deal": deal + 1, "ply": play.action + 1}
        dearest.append(at | {"text": said, "lost": t(LOST, n=play.lost)})
    return dearest
