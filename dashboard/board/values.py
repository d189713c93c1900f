"""What the board is told of what play was worth in a deal that is solved.

`value` of the board's data is

    waiting  why nothing is said yet, and one is to ask again; empty once it is solved
    reason   why the deal is not solved; empty where it is
    bids     what was chosen before play, and the best that could have been; empty where nothing is
    about    what is measured, in words
    from     the ply with which what is solved begins, null where it is not
    margins  from there on, one a ply: what side or seat 1 will have made more than 2 with best play
    turning  the ply after which the winner was another, or null
    plays    per ply at which a card was laid: `lost` in points, and what is `said` of it
    lines    per card that lost: from which ply on best play held it, and that as `plies`, `tricks`,
             `marks` and `jumps` of `board.states`, which go on from that ply
    dearest  the cards of the match that lost the most, the dearest first: `deal`, `ply`, `text`,
             `lost`

All of it tells of every hand, so the board shows it to those alone who see them.
"""

from collections.abc import Sequence
from typing import Any

from dashboard.board.solver import solved
from dashboard.board.states import continued
from dashboard.games import definitions
from dashboard.text.numbers import short
from engine.replay import Replay
from engine.solved import Chosen, Play, Solved
from engine.solving import line
from ingest.finding.words import speak_action, speak_word
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained
from ingest.judge.solved import SolvedDeal
from ingest.text.signs import plain

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
    told["about"] = _about(log, t)
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


def _about(log: Explained, t: Translate) -> str:
    assert log.table is not None
    return definitions()["bid-lost" if log.table.game.chosen else "points-lost"].told(t)


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
