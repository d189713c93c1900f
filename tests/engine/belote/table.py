"""Tables set up for a rule through the kernel: whole deals, and ends of deals to score."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.actions import Action, decode_action
from engine.belote.faults import DEAL_FAULTS, MATCH_FAULTS
from engine.belote.kernel import State as Record
from engine.belote.kernel import check, legal, points, receiver, start, step, total
from engine.belote.match import Match, check_declared, check_result, close_deal, open_deal
from engine.belote.match import open_match as begin
from engine.games import NOT_DECLARED, game
from engine.options import encode_rules, resolve_options
from schemas.notation import action_codes, action_notation

PACK = game("belote").pack
WORDS = action_codes("belote")
Rules = str | Mapping[str, Any]


def auction(bid: str, *words: str) -> list[str]:
    """Seat 1 bids, others call, and if nothing ended the auction they pass."""
    return [f"1 bid {bid}", *(words or ("2 pass", "3 pass", "4 pass"))]


def deck_of(hands: Sequence[str], dealer: int, rules: Any) -> list[int]:
    """The pack in the order dealt at once; hands named in part are filled with what is left."""
    held = [hand.split() for hand in hands]
    named = {card for hand in held for card in hand}
    rest = iter(card for card in PACK.names if card not in named)
    full = [hand + [next(rest) for _ in range(8 - len(hand))] for hand in held]
    each = [iter(hand) for hand in full]
    return [PACK.code_entries[next(each[receiver(rules, 4, dealer - 1, place)])] for place in range(32)]


class Table:
    """A deal in progress: `table("1 pass")` acts, and must be legal; `faults` need not.

    `pack` names the cards in the order dealt, those it leaves out following.
    """

    def __init__(
        self,
        hands: Sequence[str] = ("", "", "", ""),
        rules: Rules = "contree",
        dealer: int = 4,
        pack: str = "",
    ) -> None:
        self.rules = encode_rules("belote", resolve_options("belote", rules, 4))
        self.state = np.zeros(1, Record)[0]
        if pack:
            named = pack.split()
            order = [*named, *(card for card in PACK.names if card not in named)]
            deck = [PACK.code_entries[card] for card in order]
        else:
            deck = deck_of(hands, dealer, self.rules)
        start(self.state, self.rules, 4, dealer - 1, np.array(deck, np.uint8), 0)

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

    def words(self) -> set[str]:
        return {action_notation("belote", a.code) for a in self.legal()}

    def plays(self) -> set[str]:
        """The cards that may be played now."""
        return {PACK.names[a.act] for a in self.legal() if a.act < 32}

    def hand(self, seat: int) -> set[str]:
        return set(PACK.names_in(self.state["hand"][seat - 1]))

    @property
    def points(self) -> list[int]:
        return [int(points(self.state, side)) for side in range(2)]

    @property
    def marks(self) -> list[int]:
        return [int(total(self.state, side)) for side in range(2)]

    @property
    def turn(self) -> int:
        return int(self.state["turn"]) + 1

    @property
    def over(self) -> bool:
        return bool(self.state["over"])

    @property
    def winner(self) -> int:
        """A side from 1, 0 while it is open, -1 where neither won the contract."""
        return int(self.state["winner"]) + 1

    def __getitem__(self, field: str) -> Any:
        return self.state[field]


LAST_TRICK = ("7s", "7h", "7d", "7c")
"""A card without points for each seat, so that the last trick brings the dix de der alone."""


def scored(
    bid: str,
    cards: tuple[int, int],
    der: int,
    *,
    rules: Rules = "contree",
    times: int = 0,
    belotes: tuple[int, int] = (0, 0),
    announced: tuple[int, int] = (0, 0),
    forfeited: tuple[int, int] = (0, 0),
    sweep: bool = False,
) -> Table:
    """A deal of seat 1's contract, played but for a last trick that takes no card points.

    `cards`: the points of the tricks before, by side; `der`: the side, from 1, that takes the last
    one; `announced`: of each side, of which the better one counts; `forfeited`: what it did not hold;
    `sweep`: that side took them all.
    """
    table = Table(rules=rules, pack="7s")
    if bid.startswith("take") and bid[-1] in "shdc":
        table.state["retourne"] = 8 * "shdc".index(bid[-1])
    table(f"1 {bid}")
    if not bid.startswith("take"):
        table(*(("2 contre", "3 surcontre")[:times] if times else ()))
        for seat in {0: (2, 3, 4), 1: (3, 4, 1), 2: ()}[times]:
            table(f"{seat} pass")
    state = table.state
    state["cards"], state["trick"] = cards, 7
    state["taken"] = (7, 0, 0, 0) if sweep and der == 1 else (0, 7, 0, 0) if sweep else (4, 3, 0, 0)
    state["belotes"][:2] = [(1 << count) - 1 for count in belotes]
    state["announced"], state["forfeited"] = announced, forfeited
    state["best_side"] = -1 if announced[0] == announced[1] else int(announced[1] > announced[0])
    leader = der - 1
    state["leader"] = state["turn"] = leader
    trump = int(state["strain"])
    order = [LAST_TRICK[(trump if trump < 4 else 0) - k] for k in range(4)]
    for step_ in range(4):
        state["hand"][(leader + step_) % 4] = PACK.mask([order[step_]])
    for step_ in range(4):
        table(f"{(leader + step_) % 4 + 1} {order[step_]}")
    assert table.over
    return table


class Race:
    """A match in progress, from a score it has come to."""

    def __init__(self, *score: int, rules: Rules = "contree", dealer: int = 4, waiting: int = 0) -> None:
        self.match = np.zeros(1, Match)[0]
        self.rules = encode_rules("belote", resolve_options("belote", rules, 4))
        begin(self.match, self.rules, 4, dealer - 1, -1, -1)
        if score:
            self.match["score"] = score
            self.match["partie"] = 1
        self.match["waiting"] = waiting

    def add(self, table: Table, void: bool = False) -> list[str]:
        """Count a deal; the faults of its dealer."""
        found = open_deal(self.match, int(table["dealer"]))
        close_deal(self.match, self.rules, table.state, void)
        return [fault.code for fault in MATCH_FAULTS.in_mask(found)]

    def declared(self, table: Table, *marks: int, winner: int = NOT_DECLARED) -> list[str]:
        """The faults of a deal's sheet."""
        values = np.zeros(8, np.int64)
        values[: len(marks)] = marks
        found = check_declared(self.match, table.state, False, values, len(marks), winner, NOT_DECLARED)
        return [fault.code for fault in MATCH_FAULTS.in_mask(found)]

    def result(self, *score: int, winner: int | None = None) -> list[str]:
        """The faults of a declared result."""
        values = np.zeros(8, np.int64)
        values[: len(score)] = score
        found = check_result(self.match, values, len(score), winner or 0, winner is not None)
        return [fault.code for fault in MATCH_FAULTS.in_mask(found)]

    @property
    def score(self) -> list[int]:
        return [int(one) for one in self.match["score"]]

    @property
    def waiting(self) -> int:
        return int(self.match["waiting"])

    @property
    def dealer(self) -> int:
        return int(self.match["dealer"]) + 1

    @property
    def winner(self) -> int:
        """A side from 1, 0 while the race goes on."""
        return int(self.match["winner"]) + 1 if self.match["over"] else 0
