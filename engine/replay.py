"""A deal as a sequence of states, with the legal actions at each.

`replay[0]` is the deal before the first action, `replay[i]` the state after action i - 1.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from engine.actions import Action, decode_action
from engine.faults import Fault
from engine.games import Game


@dataclass(eq=False, repr=False)
class Ply:
    """One state of a deal, and the action that led to it."""

    index: int
    state: np.void
    action: Action | None
    faults: tuple[Fault, ...]
    _replay: "Replay"

    @property
    def seat(self) -> int | None:
        """The seat that acted, from 0; None before the first action."""
        return None if self.action is None else self.action.seat

    @property
    def turn(self) -> int:
        """The seat whose turn it is now."""
        return int(self.state["turn"])

    @property
    def trick(self) -> int:
        """Number of complete tricks."""
        return int(self.state["trick"])

    @property
    def points(self) -> tuple[int | str, ...]:
        """Points so far, one per seat, or per side where partners play (`Game.side_count`).

        `?` where a partially recorded deal leaves them open.
        """
        return tuple(self._replay.game.points(self.state, self._replay.players))

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """All actions the rules allow now, by any seat."""
        kernel = self._replay.game.kernel
        codes = np.zeros(2048, np.uint16)
        count = kernel.legal(self.state, self._replay.rules, codes)
        return tuple(decode_action(code) for code in codes[:count])

    @property
    def possible(self) -> tuple[Action, ...]:
        """All actions the rules may allow now: equal to `legal` in a fully recorded deal."""
        return self.legal

    def known_hand(self, seat: int) -> int:
        """Return the mask of the cards a seat is known to hold: all, in a fully recorded deal."""
        return int(self.state["hand"][seat])

    def is_known(self, field: str) -> bool:
        return True

    @property
    def is_over(self) -> bool:
        """Whether the deal accepts no further action."""
        return bool(self.state["over"] == self._replay.game.kernel.OVER)


class ImpossibleAction(NamedTuple):
    """An action that cannot have happened: the replay ends before it."""

    action_index: int
    action: Action
    faults: tuple[Fault, ...]


class Replay(Sequence[Ply]):
    """A deal replayed to its end, or to the first action that cannot have happened.

    `rules` is the kernel's rules record, `deck` the card codes in the order dealt, `codes` the
    actions; `explicit`: the log records the draws.
    """

    PLY_CLASS: ClassVar[type[Ply]] = Ply

    def __init__(
        self,
        game: Game,
        rules: np.void,
        players: int,
        dealer: int,
        deck: Sequence[int] | np.ndarray,
        codes: Sequence[int] | np.ndarray,
        explicit: bool = False,
    ) -> None:
        self.game, self.rules, self.players = game, rules, players
        start, cards = np.zeros(1, game.kernel.State)[0], np.asarray(deck, np.uint8)
        game.kernel.start(start, rules, players, dealer, cards, int(explicit))
        self._apply_actions(start, np.asarray(codes, np.uint16))

    def _apply_actions(self, start: np.void, codes: NDArray[np.uint16]) -> None:
        """Replay all actions from `start`, or up to the first impossible one."""
        self._codes = codes
        self._states = np.zeros(len(codes) + 1, self.game.kernel.State)
        self._states[0] = start
        self._found = np.zeros(len(codes), np.int64)
        applied = self.game.kernel.trace(self._states, self._found, self.rules, codes)
        self.is_too_ambiguous = False
        """Whether too many scenarios remain after the last state to evaluate what follows."""
        self._plies: list[Ply | None] = [None] * (applied + 1)  # created on first access
        self.stop: ImpossibleAction | None = None
        if applied < len(codes):
            self.stop = ImpossibleAction(applied, decode_action(codes[applied]), self._faults_at(applied))

    def branch(self, index: int, codes: Sequence[int]) -> "Replay":
        """Return the deal with the actions from `index` on replaced by `codes`."""
        other = copy(self)
        other._apply_actions(self._states[0], np.array([*self._codes[:index], *codes], np.uint16))
        return other

    def _faults_at(self, at: int) -> tuple[Fault, ...]:
        found = self._found[at]
        return tuple(self.game.faults.in_mask(found)) if found else ()

    def _ply(self, index: int) -> Ply:
        ply = self._plies[index]
        if ply is None:
            done = decode_action(self._codes[index - 1]) if index else None
            faults = self._faults_at(index - 1) if index else ()
            ply = self._plies[index] = self.PLY_CLASS(index, self._states[index], done, faults, self)
        return ply

    def __len__(self) -> int:
        return len(self._plies)

    @overload
    def __getitem__(self, index: int) -> Ply: ...
    @overload
    def __getitem__(self, index: slice) -> list[Ply]: ...
    def __getitem__(self, index: int | slice) -> Ply | list[Ply]:
        places = range(len(self._plies))[index]
        return self._ply(places) if isinstance(places, int) else [self._ply(i) for i in places]

    @property
    def states(self) -> NDArray[np.void]:
        """The state before each applied action, and the final one."""
        return self._states[: len(self)]

    @property
    def applied_codes(self) -> NDArray[np.uint16]:
        """The codes of the actions that were applied."""
        return self._codes[: len(self) - 1]

    @property
    def fault_bits(self) -> NDArray[np.int64]:
        """The faults of each action as a bit set; 0 for the actions after a stop."""
        return self._found

    @property
    def last(self) -> Ply:
        return self[-1]

    @property
    def final_states(self) -> list[np.void]:
        """The possible final states: one, in a fully recorded deal."""
        return [self.last.state]

    @property
    def faults(self) -> list[tuple[int, Fault]]:
        """All faults, warnings included, each with the index of its action."""
        faulty = map(int, np.flatnonzero(self._found))
        return [(at, fault) for at in faulty for fault in self._faults_at(at)]

    def at_trick(self, number: int) -> Ply:
        """Return the first state with `number` complete tricks. IndexError: there are fewer."""
        reached = np.flatnonzero(self._states["trick"][: len(self)] >= number)
        if len(reached):
            return self[int(reached[0])]
        raise IndexError(f"the deal has {self.last.trick} tricks, not {number}")
