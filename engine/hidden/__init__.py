"""Partially recorded deals: finds the facts that hold in every deal consistent with the log.

A *possible deal* is a complete deal that agrees with every recorded card and in which every recorded act
is possible. A fault is certain if it occurs in every possible deal, absent if it occurs in none, and
cannot be checked otherwise. The same holds for points, winners, trump and the place of each card.

This package contains no rules of a game. `DependencyFinder` queries the kernel for the cards that an
act's faults depend on, `ScenarioGroup` records which seat received which place of the pack, and
`engine.matching` decides whether some possible deal has a given hand. The answers are therefore exact.
`HiddenReplay` reports certain facts only.
"""

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.actions import Action
from engine.faults import Fault
from engine.hidden.solve import HiddenDeal
from engine.replay import ImpossibleAction, Ply, Replay

__all__ = ["HiddenDeal", "HiddenReplay"]


class HiddenPly(Ply):
    """A state that is only partly known."""

    _replay: "HiddenReplay"

    @property
    def points(self) -> tuple[int | str, ...]:
        replay = self._replay
        states = replay.hidden_deal.states_at(self.index)
        totals = zip(*(replay.game.points(one, replay.players) for one in states), strict=True)
        return tuple(side[0] if len({*side}) == 1 else "?" for side in totals)

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """All actions the rules allow now in every possible deal."""
        solved = self._replay.hidden_deal
        return tuple(act for act in super().legal if solved.is_always_legal(self.index, act.code))

    @cached_property
    def possible(self) -> tuple[Action, ...]:
        """All actions the rules allow now in some possible deal."""
        return self._replay.hidden_deal.possible_actions(self.index)

    def known_hand(self, seat: int) -> int:
        return self._replay.hidden_deal.known_hand(self.index, seat) & int(self.state["hand"][seat])

    def is_known(self, field: str) -> bool:
        return field in self._replay.hidden_deal.known_fields(self.index)


class HiddenReplay(Replay):
    """A deal with hidden cards; arguments as for `HiddenDeal`.

    `deck`, `codes` and the states are those of one of its possible deals; `Ply.known_hand` and
    `Ply.is_known` report which parts of a state are certain.
    """

    PLY_CLASS = HiddenPly

    def __init__(self, *dealt: Any, **arguments: Any) -> None:
        self._replay_one(HiddenDeal(*dealt, **arguments))

    def _replay_one(self, solved: HiddenDeal) -> None:
        """Replay one possible deal of a solved deal."""
        self.hidden_deal = solved
        self.deck, self.codes = solved.deck.tolist(), solved.codes
        recorded = self.codes if solved.overflow_action is None else self.codes[: solved.possible_count]
        dealt = (solved.dealer, self.deck, recorded, solved.explicit)
        super().__init__(solved.game, solved.rules, solved.players, *dealt)
        self.is_too_ambiguous = solved.overflow_action is not None
        if self.stop is not None:
            self.stop = ImpossibleAction(self.stop.action_index, self.stop.action, solved.stop_faults)

    def with_action(self, code: int) -> "HiddenReplay":
        """Return the deal with one more action, reusing the solved part."""
        after = copy(self)
        after._replay_one(self.hidden_deal.with_action(code))
        return after

    def is_same_deal(
        self, dealer: int, deck: Sequence[int] | NDArray[np.uint8], codes: Sequence[int], explicit: bool
    ) -> bool:
        """Return whether this deal was created from these arguments."""
        own = self.hidden_deal
        known = own.dealer, own.recorded_codes, own.explicit, own.positions.deck.tolist()
        return known == (dealer, list(codes), explicit, list(deck))

    def _faults_at(self, at: int) -> tuple[Fault, ...]:
        return (
            self.hidden_deal.stop_faults
            if at == self.hidden_deal.possible_count
            else self.hidden_deal.certain_faults(at)
        )

    @property
    def final_states(self) -> list[np.void]:
        return self.hidden_deal.final_states

    @property
    def faults(self) -> list[tuple[int, Fault]]:
        ends = len(self) - 1 + (self.stop is not None)
        return [(at, fault) for at in range(ends) for fault in self._faults_at(at)]

    @property
    def uncheckable_faults(self) -> list[tuple[Fault, int, int]]:
        """The faults that occur in some possible deals only, one entry per rule.

        An entry is a fault, the first action that may have it, and how many actions may.
        """
        found: dict[str, tuple[Fault, int, int]] = {}
        for at in range(self.hidden_deal.possible_count):
            for rule, fault in {
                fault.rule: fault for fault in self.hidden_deal.uncheckable_faults(at)
            }.items():
                first, since, acts = found.get(rule, (fault, at, 0))
                found[rule] = (first, since, acts + 1)
        return list(found.values())
