"""What cannot be checked of a deal told in part, as findings: what, and why not."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from engine.faults import NOTE, Fault
from engine.games import Game
from engine.match import winner_word
from engine.partial import PartialReplay
from engine.partial.solve import APART as HANDS
from engine.partial.solve import shown
from engine.replay import Replay
from ingest.i18n import N_
from schemas.deal import Decoded

NOT_CHECKABLE = "not-checkable"

HAND = N_(
    "{who}: {found}. It depends on cards of the hand that nobody wrote "
    "down ({hidden} of {size}); such actions in this deal: {acts}."
)
CARDS = N_(
    "{who}: {found}. It depends on cards that nobody wrote down; such actions in this deal: {acts}."
)
SAID = N_("the sheet says {found}, and the deal comes to that or not by cards nobody wrote down.")
END = N_("whether the deal is at its end depends on cards that nobody wrote down.")
MADE = N_("how the deal came out depends on cards that nobody wrote down.")
RESULT = N_("the sheet says {found}, and a deal before came out by cards that nobody wrote down.")
TOO_MANY = N_("from {found} on, the deal may have gone in too many ways to follow.")


class Note(NamedTuple):
    """One thing that cannot be checked: `problem` is its sentence, `values` what that needs."""

    rule: str
    problem: str
    action: int | None = None
    values: Mapping[str, Any] = MappingProxyType({})

    @property
    def fault(self) -> Fault:
        """What it is a finding of."""
        return Fault(0, NOT_CHECKABLE, self.rule, NOTE)


def read(decoded: Decoded, replay: PartialReplay) -> Decoded:
    """A deal told in part, with the cards and draws of the world its replay shows."""
    return decoded._replace(
        deck=replay.deck, codes=replay.codes, written=decoded.codes, settled=_settled(replay)
    )


def _settled(replay: PartialReplay) -> bool:
    """Whether a deal came out one way in all that everybody saw, but for the card turned up."""
    fields = set(replay.last.state.dtype.names or ()) - {*HANDS, "retourne"}
    return not replay.unread and fields <= replay.solved.same(replay.last.index)


def notes(replay: PartialReplay) -> Iterator[Note]:
    """What of the acts of a deal cannot be checked: one note a rule."""
    for fault, at, acts in replay.doubts:
        ply = replay[at]
        act = replay.solved.told[at]
        seat = act >> 8
        held = int(ply.state["hand"][seat])
        values = {
            "hidden": (held & ~ply.known(seat)).bit_count(),
            "size": held.bit_count(),
            "acts": acts,
        }
        yield Note(fault.rule, HAND if values["hidden"] else CARDS, at, values)
    if replay.unread:
        yield Note("format", TOO_MANY, replay.solved.end)


class Counted(NamedTuple):
    """What all the ways a deal may have come out have in common, held against its sheet."""

    certain: int
    """Match faults found in every one,"""
    doubtful: int
    """and in some only."""
    flow: np.void | None
    """The match after the deal, None where that depends on hidden cards."""


def count(
    game: Game, rules: np.void, flow: np.void, replay: Replay, told: tuple[Any, ...]
) -> Counted:
    """Count a deal in each way it may have come out; `told` is what `check_declared` takes.

    `flow` stays as it was.
    """
    counted = count_ends(game, rules, flow, replay.lasts, told)
    return counted._replace(flow=None) if replay.unread else counted


def count_ends(
    game: Game, rules: np.void, flow: np.void, ends: Sequence[np.void], told: tuple[Any, ...]
) -> Counted:
    """The same of some states that a deal may have ended in."""
    found, flows = [], {}
    for state in ends:
        left, after = state.copy(), flow.copy()
        found.append(int(game.match.check_declared(after, left, *told)))
        game.match.close_deal(after, rules, left, told[0])
        flows[shown(after)] = after
    every, some = np.bitwise_and.reduce(found), np.bitwise_or.reduce(found)
    same = next(iter(flows.values())) if len(flows) == 1 else None
    return Counted(int(every), int(some & ~every), same)


def winner(game: Game, replay: Replay) -> int | str | None:
    """The winner of a deal as a log writes it, `?` where that depends on hidden cards."""
    found = {winner_word(state) for state in replay.lasts}
    return found.pop() if len(found) == 1 else "?"
