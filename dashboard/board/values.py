"""Matches solved beside the pages that show them: nobody waits longer than one hardly sees.

The solver of a game is compiled once for a machine, which takes seconds, and a long match takes a
while. Who asks meanwhile is told that it is not there yet, and asks again.
"""

import threading
from collections.abc import Sequence
from typing import Any

from dashboard.board.states import continued
from dashboard.games import definitions
from dashboard.store import Newest
from dashboard.text.numbers import short
from engine.games import Game, game, names
from engine.replay import Replay
from engine.solved import Chosen, Play, Solved
from engine.solving import line
from ingest.finding.words import speak_action, speak_word
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained
from ingest.judge.solved import SolvedDeal, prepare, solved_deals
from ingest.text.signs import plain

PATIENCE = 0.1
"""Seconds that who asks waits for it."""
MOST = 64
"""Matches that are kept solved."""


class _Match:
    """A match that is being solved, or is."""

    def __init__(self, log: Explained) -> None:
        self.deals: Sequence[SolvedDeal] | None = None
        self.done = threading.Event()
        threading.Thread(target=self._solve, args=(log,), daemon=True, name="solver").start()

    def _solve(self, log: Explained) -> None:
        try:
            assert log.table is not None
            _prepared(log.table.game)
            self.deals = tuple(solved_deals(log, "", 1))
        finally:
            self.done.set()


_kept: Newest[_Match] = Newest(MOST)
_preparing = threading.Lock()


def warm() -> None:
    """Have all solvers compiled, in the background."""
    threading.Thread(target=_warm, daemon=True, name="solver").start()


def _warm() -> None:
    for name in names():
        _prepared(game(name))


def _prepared(own: Game) -> None:
    with _preparing:
        prepare(own)


def solved(log: Explained, patience: float = PATIENCE) -> Sequence[SolvedDeal] | None:
    """Every deal of a match that was explained, solved; None: not yet."""
    if log.match is None or log.table is None:
        return ()
    key = log.match_id, log.table.rules.tobytes()
    match = _kept.get(key, lambda: _Match(log))
    match.done.wait(patience)
    return match.deals


DEAREST = 3
"""So many cards of a match are named first."""
LOST = N_("lost: {n}")
AS_GOOD = N_("as good: {cards}")
NOTHING_WITH = N_("nothing with {cards}")
ANNOUNCED = N_("by what was announced with it or not")
ALONE = N_("the only card that loses nothing")
WAITING = N_("What play was worth is being reckoned: it comes by itself in some seconds.")

Value = dict[str, Any]


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
    told |= {"about": _about(log, t), "term": _term(log)}
    if deals is None:
        return told | {"waiting": t(WAITING)}
    own, replay = deals[deal].solved, log.replays[deal]
    told["dearest"] = _dearest(log, deals, t)
    if isinstance(own, Chosen):
        return told | {"bids": " · ".join(deals[deal].bids(t, _called(log)))}
    if not isinstance(own, Solved) or replay is None:
        return told | {"reason": deals[deal].reason(t)}
    return told | {
        "from": own.start,
        "margins": _margins(own, replay),
        "turning": None if own.turning is None else own.turning + 1,
        "plays": {play.action + 1: _play(log, deal, play, t) for play in own.plays},
        "lines": [_line(log, replay, play, t) for play in own.plays if play.lost],
    }


def _term(log: Explained) -> str:
    assert log.table is not None
    return "bid-lost" if log.table.game.chosen else "points-lost"


def _about(log: Explained, t: Translate) -> str:
    return definitions()[_term(log)].told(t)


def _called(log: Explained) -> list[str]:
    assert log.match is not None
    return [short(plain(player.called)) for player in log.match.players]


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


def _play(log: Explained, deal: int, play: Play, t: Translate) -> Value:
    """What is said of a card; a forced one is said nothing of."""
    assert log.match is not None
    assert log.table is not None
    game, replay = log.table.game, log.replays[deal]
    assert replay is not None
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


def _line(log: Explained, replay: Replay, play: Play, t: Translate) -> Value:
    """What held it, from the turn of a card on."""
    assert log.match is not None
    assert log.table is not None
    start, best = line(replay, play.action)
    names = [plain(player.called) for player in log.match.players]
    return {"from": start, "at": play.action + 1, **continued(best, log.table, names, t, start)}


def _dearest(log: Explained, deals: Sequence[SolvedDeal], t: Translate) -> list[Value]:
    """The cards that lost the most, of equal ones the first."""
    found = [
        (play, one.deal)
        for one in deals
        if isinstance(one.solved, Solved)
        for play in one.solved.plays
        if play.lost
    ]
    found.sort(key=lambda one: -one[0].lost)
    return [
        {
            "deal": deal + 1,
            "ply": play.action + 1,
            "text": _acted(log, deal, play.action, t),
            "lost": t(LOST, n=play.lost),
        }
        for play, deal in found[:DEAREST]
    ]


def _acted(log: Explained, deal: int, action: int, t: Translate) -> str:
    """`Deal 3 · Jean R♦`."""
    assert log.match is not None
    told = log.match.deals[deal].actions[action]
    seat, _, _ = told.partition(" ")
    who = short(plain(log.match.players[int(seat) - 1].called))
    said = speak_action(t, told, log.match.game)
    return f"{t('Deal {n}', n=deal + 1)} · {who} {said}"
