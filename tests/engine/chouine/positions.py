"""Tables set up for a rule: deals from cards one names, and deals played down to last hands.

Everything goes through the kernel, so that a position is one that play can reach.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.actions import SEAT_SHIFT, Action, decode_action
from engine.chouine.faults import DEAL_FAULTS
from engine.chouine.kernel import State as Record
from engine.chouine.kernel import check, legal, start, step, total
from engine.games import game
from engine.options import encode_rules, resolve_options
from schemas.notation import action_codes, action_notation

PACK = game("chouine").pack
WORDS = action_codes("chouine")


def deck_of(dealt: str) -> list[int]:
    """A whole pack that begins with the named cards, in the order dealt."""
    first = [PACK.code_entries[card] for card in dealt.split()]
    return first + [card for card in range(32) if card not in first]


def deal(hands: Sequence[str], talon: str = "", dealer: int | None = None) -> str:
    """The order in which these hands and this talon are dealt; the talon's first is turned up.

    The last seat deals unless told otherwise, so that seat 1 leads.
    """
    players = len(hands)
    first = 0 if dealer is None else dealer % players
    split = [hand.split() for hand in hands]
    order = [split[(first + i) % players][k] for k in range(len(split[0])) for i in range(players)]
    return " ".join([*order, *talon.split()])


class Table:
    """A deal in progress: `table("1 Kd", "2 7d")` acts, legally unless `faults` is asked for."""

    def __init__(
        self,
        dealt: str | Sequence[int],
        players: int = 2,
        rules: str | Mapping[str, Any] = "lavardin",
        dealer: int | None = None,
        explicit: bool = False,
    ) -> None:
        self.rules = encode_rules("chouine", resolve_options("chouine", rules, players))
        self.state = np.zeros(1, Record)[0]
        deck = deck_of(dealt) if isinstance(dealt, str) else list(dealt)
        seat = players if dealer is None else dealer
        start(self.state, self.rules, players, seat - 1, np.array(deck, np.uint8), int(explicit))

    def __call__(self, *words: str) -> "Table":
        for word in words:
            assert self.faults(word) == [], word
        return self

    def faults(self, word: str) -> list[str]:
        """Act, whatever comes of it; the codes of the faults."""
        return [fault.code for fault in DEAL_FAULTS.in_mask(int(step(self.state, self.rules, WORDS[word])))]

    def would(self, word: str) -> list[str]:
        """The faults an act would have; nothing changes."""
        return [fault.code for fault in DEAL_FAULTS.in_mask(int(check(self.state, self.rules, WORDS[word])))]

    def legal(self) -> list[Action]:
        out = np.zeros(1024, np.uint16)
        return [decode_action(code) for code in out[: legal(self.state, self.rules, out)]]

    def plays(self) -> set[str]:
        """The cards that may be played now, as words of the player's whose turn it is."""
        return {
            action_notation("chouine", a.code).split()[1]
            for a in self.legal()
            if a.act < 32 and a.seat == self.state["turn"]
        }

    def hand(self, seat: int) -> set[str]:
        return set(PACK.names_in(self.state["hand"][seat - 1]))

    def pile(self, seat: int) -> set[str]:
        return set(PACK.names_in(self.state["pile"][seat - 1]))

    @property
    def points(self) -> list[int]:
        return [int(total(self.state, seat)) for seat in range(self.state["players"])]

    @property
    def turn(self) -> int:
        return int(self.state["turn"]) + 1

    @property
    def winner(self) -> int:
        """A seat from 1, 0 for nobody yet, -1 for a null partie."""
        return int(self.state["winner"]) + 1

    def __getitem__(self, field: str) -> Any:
        return self.state[field]


def played_down(
    last: Sequence[str], trump: str = "s", leader: int = 1, turn_up: bool = True
) -> tuple[str, list[str]]:
    """A deal, and the actions of its open phase, after which each seat holds its `last` hand.

    `leader` wins every trick of the open phase with the highest cards the last hands leave,
    trumps first, so that seat leads. With a retourne at two or four, the seat that draws last
    needs a trump in its last hand: it draws the retourne.
    """
    players = len(last)
    order = [(leader - 1 + i) % players for i in range(players)]
    final = [hand.split() for hand in last]
    size = len(final[0])
    draws = (32 - size * players) // players
    rest = [card for card in PACK.names if not any(card in hand for hand in final)]
    undrawn: list[str] = []
    if players == 3:
        low = next((card for card in rest if card[1] == trump), rest[0])
        undrawn = [next(card for card in rest if card != low), low]
        rest = [card for card in rest if card not in undrawn]
    strength = {card: (card[1] == trump, "789JQKTA".index(card[0])) for card in rest}
    rest.sort(key=lambda card: strength[card], reverse=True)
    fill = {order[0]: rest[:draws]}
    for i, seat in enumerate(order[1:]):
        fill[seat] = rest[draws + i :: players - 1][:draws]
    finish = {seat: final[seat][-1] for seat in order}
    if turn_up and players != 3:
        trumps = [card for card in final[order[-1]] if card[1] == trump]
        assert trumps, "the last to draw needs a trump to draw"
        finish[order[-1]] = trumps[0]
    hands = [
        " ".join([card for card in final[seat] if card != finish[seat]] + fill[seat][:1])
        for seat in range(players)
    ]
    drawn = [fill[seat][k] for k in range(1, draws) for seat in order]
    drawn += [finish[seat] for seat in order] + undrawn
    talon = [drawn[-1], *drawn[:-1]] if turn_up else drawn
    actions = []
    left = len(talon)
    for k in range(draws):
        if turn_up and left == 2 and talon[0][0] != "7":
            actions.append(f"{leader} au-sept")
        actions += [f"{seat + 1} {fill[seat][k]}" for seat in order]
        left -= players
    if turn_up and left == 2 and talon[0][0] != "7":
        actions.append(f"{leader} au-sept")
    return deal(hands, " ".join(talon), leader - 1), actions


def closed(
    last: Sequence[str],
    trump: str = "s",
    rules: str | Mapping[str, Any] = "lavardin",
    leader: int = 1,
    turn_up: bool = True,
) -> Table:
    """A table in the closed phase, each seat with its `last` hand, `leader` to play."""
    dealt, actions = played_down(last, trump, leader, turn_up)
    players = len(last)
    table = Table(dealt, players, rules, (leader - 2) % players + 1)
    table(*actions)
    assert [table.hand(seat + 1) for seat in range(players)] == [set(h.split()) for h in last]
    assert table.turn == leader
    return table


def card(name: str) -> int:
    return PACK.code_entries[name]


def code(word: str) -> int:
    return WORDS[word]


def seat_bits(value: int) -> int:
    return value >> SEAT_SHIFT
