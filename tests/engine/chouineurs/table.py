"""A manche in progress, dealt from named cards of our own deck; the kernel does the rest."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.actions import Action, decode_action
from engine.chouineurs.deck import BidCards, Deck, add_equipment, read_row, sorted_hand
from engine.chouineurs.faults import DEAL_FAULTS
from engine.chouineurs.kernel import State, check, legal, start, step, total
from engine.options import encode_rules, resolve_options
from schemas.notation import action_codes, action_notation

FILE = Path(__file__).parents[3] / "data/decks/retourne.json"
DECK = Deck(json.loads(FILE.read_text(encoding="utf-8"))["cards"])
WORDS = action_codes("chouineurs", DECK.names)


def rules(chosen: str | Mapping[str, Any] = "blam", bids: BidCards | None = None) -> np.void:
    """The record of a match with our deck."""
    return add_equipment(encode_rules("chouineurs", resolve_options("chouineurs", chosen, 3)), DECK, bids)


def word(code: int) -> str:
    return action_notation("chouineurs", code, DECK.names)


def whole(faces: str) -> str:
    """`b11 r13` as the cards that show them, `b11/k34 r13/k29`."""
    return " ".join(DECK.card_with_face_up(DECK.code_entries[face]) for face in faces.split())


class Table:
    """`table("1 b11", "2 b29")` acts, legally unless `faults` is asked for; seat 1 leads."""

    def __init__(
        self, *hands: str, bids: Sequence[str] = (), leader: int = 1, cards: BidCards | None = None
    ) -> None:
        cards = cards or BidCards()
        players = len(hands)
        tricks = len(hands[0].split())
        self.rules = rules({"tricks": tricks}, cards)
        shown = [whole(hand) for hand in hands]
        bids = bids or ["2-3-4"] * players
        row, problems = read_row(shown, bids, DECK, cards, players, tricks)
        assert row is not None, problems
        self.state = np.zeros(1, State)[0]
        start(self.state, self.rules, players, leader - 1, row, 0)

    def __call__(self, *words: str) -> "Table":
        for item in words:
            assert self.faults(item) == [], item
        return self

    def faults(self, text: str) -> list[str]:
        """Act, whatever comes of it; the codes of the faults."""
        found = int(step(self.state, self.rules, WORDS[text]))
        return [fault.code for fault in DEAL_FAULTS.in_mask(found)]

    def would(self, text: str) -> list[str]:
        """The faults an act would have; nothing changes."""
        found = int(check(self.state, self.rules, WORDS[text]))
        return [fault.code for fault in DEAL_FAULTS.in_mask(found)]

    def actions(self) -> list[Action]:
        out = np.zeros(1024, np.uint16)
        return [decode_action(code) for code in out[: legal(self.state, self.rules, out)]]

    def legal(self, seat: int) -> set[str]:
        """The words a seat may say now, giving up aside."""
        items = [word(act.code).split(" ", 1) for act in self.actions() if act.seat == seat - 1]
        return {rest for _, rest in items if rest != "resign"}

    def hand(self, seat: int) -> set[str]:
        """The faces up in a hand."""
        return {card.split("/")[0] for card in sorted_hand(self.state, DECK, seat - 1)}

    def owed(self) -> list[int]:
        return [seat + 1 for seat in range(5) if int(self.state["owed"]) >> seat & 1]

    @property
    def points(self) -> list[int]:
        return [int(total(self.state, seat)) for seat in range(self.state["players"])]

    def __getitem__(self, field: str) -> Any:
        return self.state[field]
