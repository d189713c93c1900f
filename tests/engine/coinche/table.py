"""Tables set up for a rule through the kernel, and the two deals most examples play."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.actions import Action, decode_action
from engine.coinche.faults import DEAL_FAULTS, MATCH_FAULTS
from engine.coinche.kernel import State as Record
from engine.coinche.kernel import check, legal, points, receiver, start, step, total
from engine.coinche.match import Match, check_declared, check_result, close_deal, open_deal
from engine.coinche.match import open_match as begin
from engine.games import NOT_DECLARED, game
from engine.options import encode_rules, resolve_options
from schemas.notation import action_codes, action_notation

PACK = game("coinche").pack
WORDS = action_codes("coinche")
PASS_OUT = ("1 pass", "2 pass", "3 pass", "4 pass")

SPADES = (
    "Js 9s As Ks Ah Kh Ad 6c 7c",
    "8s Ts Qs 8h 9h 8d 9d Ac Kc",
    "7s 6h 7h 6d 7d Td Jd 8c 9c",
    "6s Th Jh Qh Qd Kd Tc Jc Qc",
)
"""Seat 1 takes the first seven tricks with spades as trump, seat 2 the last two."""

TRICKS = (
    ("1 Js", "2 8s", "3 7s", "4 6s"),  # 20
    ("1 9s", "2 Ts", "3 6h", "4 Jc"),  # 26
    ("1 As", "2 Qs", "3 7h", "4 Jh"),  # 16
    ("1 Ks", "2 8h", "3 6d", "4 Qc"),  # 7
    ("1 Ah", "2 9h", "3 7d", "4 Qh"),  # 14
    ("1 Kh", "2 8d", "3 8c", "4 Th"),  # 14
    ("1 Ad", "2 9d", "3 Td", "4 Qd"),  # 24
    ("1 6c", "2 Ac", "3 9c", "4 Tc"),  # 21
    ("2 Kc", "3 Jd", "4 Kd", "1 7c"),  # 10, and 5
)
"""A play of `SPADES`: 121 points against 36."""

RICHER = {3: ("1 Ks", "2 8h", "3 6d", "4 Tc"), 7: ("1 6c", "2 Ac", "3 9c", "4 Qc")}
"""Two tricks played otherwise: 128 points against 29."""

SWEEP = (
    "Js 9s As Ks Qs Ts 8s 7s 6h",
    "7h 8h 9h Th 6d 7d 8d 9d Td",
    "6s Ah Jd Qd Kd Ad 6c 7c 8c",
    "Jh Qh Kh 9c Tc Jc Qc Kc Ac",
)
"""Seats 1 and 3 can take every trick in spades: one of them alone if 1 keeps the lead for 8."""


def played(swaps: Mapping[int, Sequence[str]] | None = None, tricks: int = 9) -> list[str]:
    """The first tricks of `SPADES`, some of them played otherwise."""
    swaps = swaps or {}
    return [word for i, trick in enumerate(TRICKS[:tricks]) for word in swaps.get(i, trick)]


def auction(bid: str, *words: str) -> list[str]:
    """Seat 1 bids, something is announced, and if nothing ended the auction the others pass."""
    return [f"1 bid {bid}", *(words or ("2 pass", "3 pass", "4 pass"))]


def deck_of(hands: Sequence[str], dealer: int) -> list[int]:
    """The pack in the order dealt; hands named in part are filled with what is left."""
    held = [hand.split() for hand in hands]
    named = {card for hand in held for card in hand}
    rest = iter(card for card in PACK.names if card not in named)
    full = [hand + [next(rest) for _ in range(9 - len(hand))] for hand in held]
    each = [iter(hand) for hand in full]
    return [PACK.code_entries[next(each[receiver(None, 4, dealer - 1, place)])] for place in range(36)]


class Table:
    """A deal in progress: `table("1 pass")` acts, legally unless asked for `faults`."""

    def __init__(
        self,
        hands: Sequence[str] = ("", "", "", ""),
        rules: str | Mapping[str, Any] = "tournoi-2018",
        dealer: int = 4,
    ) -> None:
        self.rules = encode_rules("coinche", resolve_options("coinche", rules, 4))
        self.state = np.zeros(1, Record)[0]
        deck = np.array(deck_of(hands, dealer), np.uint8)
        start(self.state, self.rules, 4, dealer - 1, deck, 0)

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
        return {action_notation("coinche", a.code) for a in self.legal()}

    def plays(self) -> set[str]:
        """The cards that may be played now."""
        return {PACK.names[a.act] for a in self.legal() if a.act < 36}

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
        """A side from 1, 0 for nobody yet, -1 for a null deal."""
        return int(self.state["winner"]) + 1

    def __getitem__(self, field: str) -> Any:
        return self.state[field]


class Race:
    """A match in progress, from a score it has come to."""

    def __init__(self, *marks: int, dealer: int = 4) -> None:
        self.match = np.zeros(1, Match)[0]
        rules = encode_rules("coinche", resolve_options("coinche", None, 4))
        begin(self.match, rules, 4, dealer - 1, -1, -1)
        if marks:
            self.match["score"] = marks
            self.match["partie"] = 1

    def add(self, table: Table, void: bool = False) -> list[str]:
        """Count a deal; the faults of its dealer."""
        found = open_deal(self.match, int(table["dealer"]))
        close_deal(self.match, table.rules, table.state, void)
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
    def marks(self) -> list[int]:
        return [int(marks) for marks in self.match["score"]]

    @property
    def dealer(self) -> int:
        return int(self.match["dealer"]) + 1

    @property
    def winner(self) -> int:
        """A side from 1, 0 while the race goes on."""
        return int(self.match["winner"]) + 1 if self.match["over"] else 0
