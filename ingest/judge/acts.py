"""The faults of a deal's acts as findings: what was found, and what was legal as it stood."""

from typing import Any

import numpy as np

from engine.acts import ACT_MASK, SEAT_SHIFT
from engine.cards import UNTOLD
from engine.faults import Fault
from engine.partial import PartialReplay
from engine.replay import Ply, Replay
from ingest.finding.finding import Finding
from ingest.judge import partial
from ingest.judge.case import Case
from ingest.text.json import pointer
from schemas.deal import Decoded
from schemas.games import of
from schemas.table import Table
from schemas.words import decode


def hand_of(laid: Table, state: np.void, seat: int, known: int = -1) -> list[str]:
    """A hand as it stood, as its player sorts it, `??` for each card that is not `known`."""
    held = int(state["hand"][seat])
    untold = [UNTOLD] * (held & ~known).bit_count()
    return of(laid.game.name).hand(laid, state, seat, known) + untold


def faults(case: Case, index: int, deal: Any, decoded: Decoded, replay: Replay) -> None:
    """Add every fault of a deal's acts, then what of them cannot be checked."""
    for at, fault in replay.faults:
        _fault(case, index, deal, decoded, replay, at, fault)
    if isinstance(replay, PartialReplay):
        for note in partial.notes(replay):
            assert note.action is not None
            finding = _fault(case, index, deal, decoded, replay, note.action, note.fault)
            finding.detail |= {"problem": note.problem, "values": note.values}


def _fault(
    case: Case, index: int, deal: Any, decoded: Decoded, replay: Replay, at: int, fault: Fault
) -> Finding:
    """One fault of the replay: what was found, what was legal then."""
    before = replay[at]  # the state the action met
    code, word = decoded.codes[at], deal.actions[at]
    seat = _seat(case, code, word)
    # of a wrong turn the hand that could have been played is that of whose turn it was
    turned = fault.code == "wrong-turn" and before.sure("turn")
    shown = before.turn + 1 if turned else seat
    hand = None
    if 0 < shown <= case.players:
        hand = hand_of(case.table, before.state, shown - 1, before.known(shown - 1))
    if at + 1 < len(replay) and replay[at + 1].legal == before.legal:
        case.idle.add(len(case.findings))
    auction = _bidding(before)
    playing = not auction and not before.over
    card = None
    if playing and case.game.acts.kind_of_act(code & ACT_MASK) == "play":
        card = int(before.state["on_table"]) + 1
    finding = case.add(
        fault,
        pointer("deals", index, "actions", at),
        deal=index,
        action=at,
        seat=seat or None,
        found=word,
        legal=_legal(case, before, code, fault),
        hand=hand,
        trick=before.trick + 1 if playing else None,
        card=card,
        detail={"auction": auction},
    )
    if turned:
        finding.detail["turn"] = before.turn + 1
    if card is not None and fault.code == "card-not-held":
        played = {one & ACT_MASK for one in decoded.codes[:at]}
        finding.detail["played"] = code & ACT_MASK in played
    return finding


def _seat(case: Case, code: int, word: str) -> int:
    """Who acted, from 1, by the word alone where nobody knows the act; 0 for no seat."""
    if code & ACT_MASK < case.game.acts.ACTS:
        return (code >> SEAT_SHIFT) + 1
    seats = {str(seat): seat for seat in range(1, case.players + 1)}
    return seats.get(word.split(" ", 1)[0], 0)


def _bidding(ply: Ply) -> bool:
    """Whether the auction is still on, in a game that has one."""
    return "bidding" in (ply.state.dtype.names or ()) and bool(ply.state["bidding"])


def _legal(case: Case, before: Ply, code: int, fault: Fault) -> list[str]:
    """The legal actions of the kind that was tried, or of the kind that was owed first."""
    acts = case.game.acts
    kind = acts.OWED.get(fault.code) or acts.kind_of_act(code & ACT_MASK)
    return [
        decode(case.game.name, action.code, case.table.faces)
        for action in before.legal
        if acts.kind_of_act(action.act) == kind
    ]
