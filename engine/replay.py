"""One deal as a sequence of states, which keeps what is legal before a fault, and the fault.

`replay[0]` is the deal before anybody acted, `replay[i]` the state after action i - 1;
going back is `i - 1`.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from engine.acts import Action, action
from engine.faults import Fault
from engine.games import Game


class Ply:
    """One state of a deal, and the action that led to it."""

    def __init__(
        self,
        index: int,
        state: np.void,
        done: Action | None,
        faults: tuple[Fault, ...],
        replay: "Replay",
    ) -> None:
        self.index = index
        self.state = state
        self.action = done
        self.faults = faults
        self._replay = replay

    @property
    def seat(self) -> int | None:
        """Who acted, from 0; None before the first action."""
        return None if self.action is None else self.action.seat

    @property
    def turn(self) -> int:
        """Whose turn it is now."""
        return int(self.state["turn"])

    @property
    def trick(self) -> int:
        """Complete tricks so far."""
        return int(self.state["trick"])

    @property
    def points(self) -> tuple[int, ...]:
        """Running points, one a seat, or one a side where partners play (`Game.sides`)."""
        game = self._replay.game
        sides = game.sides(self._replay.players)
        return tuple(int(game.kernel.total(self.state, side)) for side in range(sides))

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """Every action the rules allow now, by any seat."""
        kernel = self._replay.game.kernel
        codes = np.zeros(2048, np.uint16)
        count = kernel.legal(self.state, self._replay.rules, codes)
        return tuple(action(code) for code in codes[:count])

    @property
    def over(self) -> bool:
        """Nothing may follow."""
        return bool(self.state["over"] == self._replay.game.kernel.OVER)


class Stop(NamedTuple):
    """An action that cannot have happened: the replay ends before it."""

    at: int
    action: Action
    faults: tuple[Fault, ...]


class Replay(Sequence[Ply]):
    """A deal replayed to its end, or to the first action that cannot have happened.

    `rules` is the kernel's record, `deck` the card codes in the order dealt, `codes` the
    actions; `explicit` when the log tells the draws.
    """

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
        kernel = game.kernel
        codes = np.asarray(codes, np.uint16)
        states = np.zeros(len(codes) + 1, kernel.State)
        found = np.zeros(len(codes), np.int64)
        deck = np.asarray(deck, np.uint8)
        kernel.start(states[0], rules, players, dealer, deck, int(explicit))
        applied = kernel.trace(states, found, rules, codes)
        self.stop: Stop | None = None
        self._plies = [Ply(0, states[0], None, (), self)]
        for at in range(applied):
            faults = tuple(game.faults.of(found[at])) if found[at] else ()
            self._plies.append(Ply(at + 1, states[at + 1], action(codes[at]), faults, self))
        if applied < len(codes):
            faults = tuple(game.faults.of(found[applied]))
            self.stop = Stop(applied, action(codes[applied]), faults)

    def __len__(self) -> int:
        return len(self._plies)

    @overload
    def __getitem__(self, index: int) -> Ply: ...
    @overload
    def __getitem__(self, index: slice) -> list[Ply]: ...
    def __getitem__(self, index: int | slice) -> Ply | list[Ply]:
        return self._plies[index]

    def __iter__(self) -> Iterator[Ply]:
        return iter(self._plies)

    @property
    def last(self) -> Ply:
        """The state the deal was left in."""
        return self._plies[-1]

    @property
    def faults(self) -> list[tuple[int, Fault]]:
        """Every fault with its action, counted from 0; warnings too."""
        found = [(ply.index - 1, fault) for ply in self._plies for fault in ply.faults]
        if self.stop:
            found += [(self.stop.at, fault) for fault in self.stop.faults]
        return found

    @property
    def legal_prefix(self) -> list[Ply]:
        """The states up to the first action with a fault, the whole deal if it has none."""
        for ply in self._plies:
            if any(fault.severity == "error" for fault in ply.faults):
                return self._plies[: ply.index]
        return list(self._plies)

    def at_trick(self, number: int) -> Ply:
        """The first state in which `number` tricks are complete. IndexError: never so many."""
        for ply in self._plies:
            if ply.trick >= number:
                return ply
        raise IndexError(f"the deal has {self.last.trick} tricks, not {number}")
