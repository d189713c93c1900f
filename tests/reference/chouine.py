"""Chouine, Mondoubleau and the second text's variant as a referee would follow them."""

import re
from typing import Any

RANKS = "789JQKTA"
PACK = {rank + suit for rank in RANKS for suit in "shdc"}
POINTS = {"J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}
TWO = {"mariage": "KQ", "tierce": "KQJ", "quarteron": "AKQJ", "chouine": "ATKQJ"}
MORE = {"mariage": "KQ", "chouine": "KQJ"}
WORTH = {"mariage": 20, "tierce": 30, "quarteron": 40, "chouine": 0}
ANNOUNCEMENT = re.compile(r"(?:(mariage|tierce|quarteron|chouine)-([shdc])|(quinte|trente))(~?)")


def deal(match: dict[str, Any], written: dict[str, Any], options: dict[str, Any]) -> "Partie | None":
    """The partie as dealt (CH-3), from the pack or from hands and talon."""
    players, dealer = len(match["players"]), written["dealer"]
    if written.get("deck") is None and written.get("hands") is None:
        return None
    if written.get("deck") is not None:
        pack = written["deck"].split(" ")
        size = 5 if players == 2 else 3
        hands: list[list[str]] = [[] for _ in range(players)]
        for place, card in enumerate(pack[: size * players]):
            hands[(dealer + place) % players].append(card)
        talon = pack[size * players :]
        if options["turn_up"]:
            talon = talon[1:] + talon[:1]
    else:
        hands = [hand.split(" ") for hand in written["hands"]]
        talon = written["talon"].split(" ")
    if sorted([card for hand in hands for card in hand] + talon) != sorted(PACK):
        return None
    explicit = any(action[1:6] == " draw" for action in written.get("actions", ()))
    return Partie([set(hand) for hand in hands], talon, dealer % players, options, explicit)


class Partie:
    def __init__(
        self, hands: list[set[str]], talon: list[str], leader: int, options: dict[str, Any], explicit: bool
    ) -> None:
        self.hands, self.talon, self.options, self.explicit = hands, talon, options, explicit
        self.players, self.turn = len(hands), leader
        self.trump = talon[-1][1] if options["turn_up"] else None
        self.draws = len(talon) // self.players  # each (CH-7)
        self.exchanged = False
        self.table: list[tuple[int, str]] = []
        self.tricks = 0
        self.cards, self.bonus = [0] * self.players, [0] * self.players
        self.counted: list[set[tuple[str, str]]] = [set() for _ in hands]  # (kind, suit)
        self.wording = 0  # announcements with the card to come
        self.bound: set[str] | None = None  # the cards they must be made with (CH-16)
        self.waiting: list[int] = []  # who has yet to draw
        self.drawn: list[tuple[int, str]] = []
        self.irregular = [0] * self.players
        self.offender: int | None = None
        self.leaders_chouine: int | None = None  # it may still be answered (CH-22)
        self.card_owed = self.over = self.replayed = False
        self.winner: int | None = None

    def do(self, action: str) -> bool:
        seat, word = int(action[0]) - 1, action[2:]
        if seat >= self.players or (self.over and not self.card_owed):
            return False
        if self.card_owed:
            self.card_owed = not self.may_play(seat, word)
            return not self.card_owed
        result = ANNOUNCEMENT.fullmatch(word)
        if word in PACK or result or word in ("sept", "au-sept"):
            if self.waiting or self.offender is not None:
                return False
            if result:
                return self.announce(seat, result[1] or result[3], result[2] or "", not result[4])
            if word == "sept":
                return self.exchange(seat)
            return word == "au-sept" or self.play(seat, word)
        if self.leaders_chouine is not None:
            return False
        if word == "resign":
            return self.finish(self.highest(set(range(self.players)) - {seat}))
        if word in ("accept", "replay"):
            return self.decide(seat, word)
        if word in ("fault draw", "fault peek", "fault double"):
            return self.fault(seat)
        return word.startswith("draw ") and self.draw(seat, word[5:])

    # playing

    def closed(self) -> bool:
        return len(self.drawn) == self.draws * self.players

    def best(self) -> tuple[int, str]:
        """The card that holds the trick and its seat (CH-12)."""
        trumps = [(seat, card) for seat, card in self.table if card[1] == self.trump]
        led = [(seat, card) for seat, card in self.table if card[1] == self.table[0][1][1]]
        return max(trumps or led, key=lambda arranged: RANKS.index(arranged[1][0]))

    def allowed(self, seat: int) -> set[str]:
        """CH-6 to CH-11."""
        hand = self.hands[seat]
        if not self.table or not self.closed():
            return hand
        led, best = self.table[0][1][1], self.best()[1]
        trumps = {card for card in hand if card[1] == self.trump}
        follow = {card for card in hand if card[1] == led}
        higher = {card for card in trumps if RANKS.index(card[0]) > RANKS.index(best[0])}
        if follow:
            return higher or follow if led == self.trump else follow
        if self.options["overruff"] and best[1] == self.trump:
            return higher or trumps or hand
        return trumps or hand

    def may_play(self, seat: int, card: str) -> bool:
        return seat == self.turn and card in self.allowed(seat) and (self.bound is None or card in self.bound)

    def play(self, seat: int, card: str) -> bool:
        if not self.may_play(seat, card):
            return False
        self.hands[seat].remove(card)
        self.table.append((seat, card))
        self.wording, self.bound = 0, None
        self.turn = (seat + 1) % self.players
        if len(self.table) == self.players:
            self.take()
        return True

    def take(self) -> None:
        trick_winner = self.best()[0]
        self.cards[trick_winner] += sum(POINTS.get(card[0], 0) for _, card in self.table)
        self.table, self.turn = [], trick_winner
        self.tricks += 1
        if self.leaders_chouine is not None:
            self.finish(self.leaders_chouine)
        elif not self.closed():
            self.waiting = [(trick_winner + i) % self.players for i in range(self.players)]
            while self.waiting and not self.explicit:
                self.draw(self.waiting[0], self.talon[len(self.drawn)])
        elif not any(self.hands):
            self.bonus[trick_winner] += 10
            self.finish(self.highest(set(range(self.players))))

    def draw(self, seat: int, card: str) -> bool:
        if not self.waiting or self.waiting[0] != seat or self.talon[len(self.drawn)] != card:
            return False
        self.hands[seat].add(card)
        self.waiting.pop(0)
        self.drawn.append((seat, card))
        return True

    def exchange(self, seat: int) -> bool:
        """CH-13: the retourne is in the talon as long as it is not drawn."""
        seven = f"7{self.trump}"
        if not self.options["turn_up"] or self.exchanged or self.talon[-1] == seven:
            return False
        if seat != self.turn or seven not in self.hands[seat] or len(self.drawn) == len(self.talon):
            return False
        self.hands[seat] ^= {seven, self.talon[-1]}
        self.talon[-1] = seven
        self.exchanged = True
        return True

    # announcing

    def announce(self, seat: int, kind: str, suit: str, shown: bool) -> bool:
        """CH-15 to CH-22, CH-28, CH-29."""
        two = self.players == 2
        shapes = TWO if two else MORE
        hand, own = self.hands[seat], self.counted[seat]
        if seat != self.turn:
            return False
        if suit:
            cards = {rank + suit for rank in shapes.get(kind, "")}
            if not cards or not cards <= hand:
                return False
        else:
            cards = {card for card in hand if card[0] in "AT"}
            if kind != ("quinte" if two else "trente") or len(cards) < (5 if two else 3):
                return False
        again = any(at == suit for _, at in own) if suit and self.options["one_per_suit"] else False
        if again or (kind, suit) in own or (self.options["one_per_play"] and self.wording):
            return False
        if self.options["announce_with"] == "combination":
            bound = cards if self.bound is None else cards & self.bound
            if not self.allowed(seat) & bound:
                return False
            self.bound = bound if shown else self.bound
        if not shown:
            return True
        own.add((kind, suit))
        self.wording += 1
        if not suit:
            self.bonus[seat] += self.options["quinte"] if two else 30
            return True
        trump = suit == self.trump
        if kind != "chouine" and self.trump is None and not self.table:
            self.trump = suit
            trump = self.options["trump_maker"] == "trump"
        self.bonus[seat] += WORTH[kind] * (2 if trump else 1)
        if kind == "chouine" and (trump or self.leaders_chouine is None):
            if trump or self.table or self.trump is None:
                self.leaders_chouine = None
                self.finish(seat)
                self.card_owed = True
            else:
                self.leaders_chouine = seat
        return True

    # at the table

    def fault(self, seat: int) -> bool:
        """CH-27: just after the draws of a trick."""
        after_draw = 0 < self.tricks <= self.draws and not self.table
        if not after_draw or self.offender is not None:
            return False
        self.irregular[seat] += 1
        if self.irregular[seat] > 1 and self.players == 2:
            return self.finish(1 - seat)
        self.offender = seat
        return True

    def decide(self, seat: int, word: str) -> bool:
        if self.offender is None or self.offender == seat:
            return False
        if self.irregular[self.offender] > 1:
            self.finish(seat)
        elif word == "replay":
            self.replayed = self.finish(None)
        self.offender = None
        return True

    def highest(self, seats: set[int]) -> int | None:
        totals = {seat: self.cards[seat] + self.bonus[seat] for seat in seats}
        best = [seat for seat in seats if totals[seat] == max(totals.values())]
        return best[0] if len(best) == 1 else None

    def finish(self, winner: int | None) -> bool:
        self.over, self.winner = True, winner
        return True

    @property
    def ended(self) -> bool:
        """Over, or won by a chouine that nobody has answered yet."""
        return self.over or self.leaders_chouine is not None

    def outcome(self) -> tuple[list[int], int] | None:
        if self.replayed:
            return None
        points = [cards + bonus for cards, bonus in zip(self.cards, self.bonus, strict=True)]
        winner = self.winner if self.over else self.leaders_chouine
        return points, 0 if winner is None else winner + 1
