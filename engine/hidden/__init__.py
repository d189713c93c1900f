"""Deals told in part: what is so in every deal that agrees with the sheet, and what in some only.

A *world* is a whole deal that agrees with every card written down and in which every act told
can have happened. A fault is certain when it is there in every world, absent when it is in
none, and cannot be checked otherwise; so with points, winners, trump and whose card is where.

No rule of a game is here: what an act's faults depend on, the kernel is asked (`Asker`), who
got which place of the pack is seen in what it does (`Course`), and whether there is a world
with such a hand is a matching of cards and places (`engine.matching`). So both answers are exact.
`PartialReplay` says what is certain of such a deal and nothing else.
"""

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.actions import Action
from engine.faults import Fault
from engine.hidden.solve import Partial
from engine.replay import Ply, Replay, Stop

__all__ = ["Partial", "PartialReplay"]


class PartialPly(Ply):
    """A state of which only some is known."""

    _replay: "PartialReplay"

    @property
    def points(self) -> tuple[int | str, ...]:
        replay = self._replay
        states = replay.solved.states(self.index)
        totals = zip(*(replay.game.points(one, replay.players) for one in states), strict=True)
        return tuple(side[0] if len({*side}) == 1 else "?" for side in totals)

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """Every action the rules allow now in every world."""
        solved = self._replay.solved
        return tuple(act for act in super().legal if solved.legal(self.index, act.code))

    @cached_property
    def may(self) -> tuple[Action, ...]:
        """Every action the rules allow now in some world."""
        return self._replay.solved.may(self.index)

    def known(self, seat: int) -> int:
        return self._replay.solved.known(self.index, seat) & int(self.state["hand"][seat])

    def sure(self, field: str) -> bool:
        return field in self._replay.solved.same(self.index)


class PartialReplay(Replay):
    """A deal with hidden cards; `deck` and `codes` are those of one of its worlds.

    It is told as `Partial` takes it. The states are that world's: `Ply.known` and `Ply.sure` say
    what of them is certain.
    """

    PLY = PartialPly

    def __init__(self, *dealt: Any, **told: Any) -> None:
        self._show(Partial(*dealt, **told))

    def _show(self, solved: Partial) -> None:
        """Replay one of the worlds of a solved deal."""
        self.solved = solved
        self.deck, self.codes = solved.deck.tolist(), solved.codes
        told = self.codes if solved.overflow is None else self.codes[: solved.end]
        dealt = (solved.dealer, self.deck, told, solved.explicit)
        super().__init__(solved.game, solved.rules, solved.players, *dealt)
        self.unread = solved.overflow is not None
        if self.stop is not None:
            self.stop = Stop(self.stop.at, self.stop.action, solved.stop)

    def then(self, code: int) -> "PartialReplay":
        """The deal with one action more, without solving it anew."""
        after = copy(self)
        after._show(self.solved.then(code))
        return after

    def tells(
        self,
        dealer: int,
        deck: Sequence[int] | NDArray[np.uint8],
        codes: Sequence[int],
        explicit: bool,
    ) -> bool:
        """Whether this is the deal told so."""
        own = self.solved
        known = own.dealer, own.told, own.explicit, own.layout.deck.tolist()
        return known == (dealer, list(codes), explicit, list(deck))

    def _faults_of(self, at: int) -> tuple[Fault, ...]:
        return self.solved.stop if at == self.solved.end else self.solved.certain(at)

    @property
    def lasts(self) -> list[np.void]:
        return self.solved.lasts

    @property
    def faults(self) -> list[tuple[int, Fault]]:
        ends = len(self) - 1 + (self.stop is not None)
        return [(at, fault) for at in range(ends) for fault in self._faults_of(at)]

    @property
    def doubts(self) -> list[tuple[Fault, int, int]]:
        """What cannot be checked, one entry a rule: a fault some acts have in some worlds and not
        in others, the first of these acts, and how many there are.
        """
        found: dict[str, tuple[Fault, int, int]] = {}
        for at in range(self.solved.end):
            for rule, fault in {fault.rule: fault for fault in self.solved.doubtful(at)}.items():
                first, since, acts = found.get(rule, (fault, at, 0))
                found[rule] = (first, since, acts + 1)
        return list(found.values())
