"""Chouineurs as a referee would follow it: cards with two faces, one of them up."""

import json
from pathlib import Path
from typing import Any

DECKS = Path(__file__).parents[2] / "data" / "decks"
BIDS = {
    "0-1": {"0": 8, "1": 3},
    "0-1-2": {"0": 2, "1": 8, "2": 5},
    "1-2-3": {"1": 4, "2": 8, "3": 4},
    "2-3-4": {"2": 3, "3": 9, "4": 4},
    "3-4+": {"3": 5, "4+": 10},
}
"""CR-2."""


def deal(match: dict[str, Any], written: dict[str, Any], options: dict[str, Any]) -> "Manche | None":
    """The manche: each hand with the face that is up first (CR-1)."""
    deck = match["deck"]
    if isinstance(deck, str):
        deck = json.loads((DECKS / f"{deck}.json").read_bytes())["cards"]
    cards = {frozenset(card.split("/")) for card in deck}
    hands = [dict([card.split("/") for card in hand.split(" ")]) for hand in written["hands"]]
    held = [frozenset(card) for hand in hands for card in hand.items()]
    bids = match.get("bid_cards") or BIDS
    sizes = [len(hand.split(" ")) for hand in written["hands"]]
    good = (
        len(hands) == len(written["bids"]) == len(match["players"])
        and set(sizes) == {options["tricks"]}
        and len(set(held)) == sum(sizes)
        and set(held) <= cards
        and set(written["bids"]) <= set(bids)
    )
    if not good:
        return None
    chosen = [bids[bid] for bid in written["bids"]]
    return Manche(hands, written["leader"] - 1, chosen, len(cards) - sum(sizes))


class Manche:
    def __init__(
        self, hands: list[dict[str, str]], leader: int, bids: list[dict[str, int]], reserve: int
    ) -> None:
        self.hands = hands  # the face that is up → the one below
        self.turn, self.bids, self.reserve = leader, bids, reserve
        self.players = len(hands)
        self.table: list[tuple[int, str]] = []
        self.tricks, self.taken = [0] * self.players, [0] * self.players
        self.owed: set[int] = set()
        self.ended = self.resigned = False

    def do(self, action: str) -> bool:
        seat, word = int(action[0]) - 1, action[2:]
        if seat >= self.players or self.ended:
            return False
        if word == "resign":
            self.ended = self.resigned = True  # what is then in reach of a bid stands elsewhere
            return True
        if word == "point" or word.startswith("turn "):
            return self.bonus(seat, word)
        return self.play(seat, word)

    def play(self, seat: int, face: str) -> bool:
        """CR-3."""
        hand = self.hands[seat]
        if seat != self.turn or self.owed or face not in hand:
            return False
        if self.table and face[0] != "k":
            requested = self.table[0][1][0]
            if face[0] != requested and any(other[0] == requested for other in hand):
                return False
        del hand[face]
        self.table.append((seat, face))
        self.turn = (seat + 1) % self.players
        if len(self.table) == self.players:
            self.take()
        return True

    def take(self) -> None:
        """CR-4, CR-5."""
        requested = self.table[0][1][0]
        for colour in "k", "y", requested:
            played = [(seat, int(face[1:])) for seat, face in self.table if face[0] == colour]
            if played:
                trick_winner = max(played, key=lambda one: one[1])[0]  # the first of equals
                break
        lowest = min(int(face[1:]) for _, face in self.table)
        self.owed = {seat for seat, face in self.table if int(face[1:]) == lowest}
        self.tricks[trick_winner] += 1
        self.table, self.turn = [], trick_winner
        self.settle()

    def bonus(self, seat: int, word: str) -> bool:
        if seat not in self.owed:
            return False
        if word == "point":
            if not self.reserve:
                return False
            self.reserve -= 1
            self.taken[seat] += 1
        else:
            face = word[5:]
            if face not in self.hands[seat]:
                return False
            self.hands[seat][self.hands[seat].pop(face)] = face
        self.owed.remove(seat)
        self.settle()
        return True

    def settle(self) -> None:
        self.owed = {seat for seat in self.owed if self.hands[seat] or self.reserve}
        self.ended = not any(self.hands) and not self.owed

    def outcome(self) -> tuple[list[int], int] | None:
        """CR-7."""
        if self.resigned:
            return None
        points = []
        for seat, bid in enumerate(self.bids):
            won = self.tricks[seat]
            met = [
                worth
                for count, worth in bid.items()
                if (won >= int(count[:-1]) if count.endswith("+") else won == int(count))
            ]
            points.append(self.taken[seat] + max(met, default=0))
        best = [seat for seat, own in enumerate(points) if own == max(points)]
        return points, best[0] + 1 if len(best) == 1 else 0
