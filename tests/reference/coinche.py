"""Coinche as a referee would follow it: the auction, the cards, the marks."""

from typing import Any

RANKS = "6789TJQKA"
PACK = {rank + suit for rank in RANKS for suit in "shdc"}
PLAIN_ORDER, TRUMP_ORDER = "6789TJQKA", "678TQKA9J"
PLAIN = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
TRUMP = PLAIN | {"J": 20, "9": 14}
BIDS = [*map(str, range(60, 160, 10)), "match-", "generale-"]
VALUES = dict(zip(BIDS, [*range(60, 160, 10), 250, 500], strict=True))


def deal(match: dict[str, Any], written: dict[str, Any], options: dict[str, Any]) -> "Deal | None":
    """The deal: three by three, the dealer's next first (CO-1)."""
    if written.get("deck") is not None:
        pack = written["deck"].split(" ")
        hands: list[list[str]] = [[], [], [], []]
        for place, card in enumerate(pack):
            hands[(written["dealer"] + place // 3) % 4].append(card)
    elif written.get("hands") is not None:
        hands = [hand.split(" ") for hand in written["hands"]]
    else:
        return None
    if sorted(card for hand in hands for card in hand) != sorted(PACK):
        return None
    return Deal([set(hand) for hand in hands], written["dealer"] % 4, options)


class Deal:
    def __init__(self, hands: list[set[str]], leader: int, options: dict[str, Any]) -> None:
        self.hands, self.leader, self.options = hands, leader, options
        self.turn = leader
        self.bidding = True
        self.bid: tuple[str, str, int] | None = None  # level, suit, declarer
        self.passes = 0
        self.times = 1  # 2 coinched, 4 surcoinched
        self.table: list[tuple[int, str]] = []
        self.trick_winners: list[int] = []  # of every trick; None for a side at large
        self.cards = [0, 0]
        self.ended = False
        self.marks: list[int] | None = None

    @property
    def trump(self) -> str:
        return self.bid[1] if self.bid else ""

    def do(self, action: str) -> bool:
        seat, word = int(action[0]) - 1, action[2:]
        if seat > 3 or self.ended:
            return False
        if word in PACK:
            return self.play(seat, word)
        if word.startswith("bid ") and word[4:-1] in BIDS and word[-1] in "shdc":
            return self.make_bid(seat, word[4:-1], word[-1])
        if word == "pass":
            return self.pass_on(seat)
        if word in ("coinche", "surcoinche"):
            return self.coinche(seat, word)
        if word == "claim":
            return self.claim(seat)
        if word in ("won", "resign"):
            self.ended = True  # the marks of both depend on the match
            return True
        return False

    # the auction (CO-3 to CO-5)

    def make_bid(self, seat: int, level: str, suit: str) -> bool:
        if not self.bidding or seat != self.turn:
            return False
        if self.bid and BIDS.index(level) <= BIDS.index(self.bid[0]):
            return False
        self.bid, self.passes = (level, suit, seat), 0
        self.turn = (seat + 1) % 4
        if level == "generale-":
            self.close()
        return True

    def pass_on(self, seat: int) -> bool:
        if not self.bidding or seat != self.turn:
            return False
        self.passes += 1
        self.turn = (seat + 1) % 4
        if self.bid is None and self.passes == 4:
            self.ended, self.marks = True, [0, 0]
        elif self.bid and self.passes == 3:
            self.close()
        return True

    def coinche(self, seat: int, word: str) -> bool:
        if self.bid is None or self.table or self.trick_winners:
            return False
        level, _, declarer = self.bid
        own = seat % 2 == declarer % 2
        if word == "coinche":
            allowed = self.times == 1 and not own and level != "generale-"
        else:
            allowed = self.times == 2 and own
        if allowed:
            self.times *= 2
            self.close()
        return allowed

    def close(self) -> None:
        self.bidding, self.turn = False, self.leader

    # the cards (CO-6 to CO-8)

    def rank(self, card: str) -> int:
        return (TRUMP_ORDER if card[1] == self.trump else PLAIN_ORDER).index(card[0])

    def best(self) -> tuple[int, str]:
        trumps = [played for played in self.table if played[1][1] == self.trump]
        led = [played for played in self.table if played[1][1] == self.table[0][1][1]]
        return max(trumps or led, key=lambda arranged: self.rank(arranged[1]))

    def allowed(self, seat: int) -> set[str]:
        hand = self.hands[seat]
        if not self.table:
            return hand
        led, best = self.table[0][1][1], self.best()[1]
        trumps = {card for card in hand if card[1] == self.trump}
        if led == self.trump:
            return hand if trumps <= {"J" + self.trump} else trumps
        if trumps == hand:
            return hand
        ruffs = {card for card in trumps if best[1] != self.trump or self.rank(card) > self.rank(best)}
        follow = {card for card in hand if card[1] == led}
        return (follow or hand - trumps) | ruffs

    def play(self, seat: int, card: str) -> bool:
        if self.bidding or seat != self.turn or card not in self.allowed(seat):
            return False
        self.hands[seat].remove(card)
        self.table.append((seat, card))
        self.turn = (seat + 1) % 4
        if len(self.table) == 4:
            trick_winner = self.best()[0]
            self.gain(trick_winner % 2, [card for _, card in self.table])
            self.table, self.turn = [], trick_winner
            self.trick_winners.append(trick_winner)
            if len(self.trick_winners) == 9:
                self.score()
        return True

    def gain(self, side: int, cards: list[str]) -> None:
        for card in cards:
            self.cards[side] += (TRUMP if card[1] == self.trump else PLAIN).get(card[0], 0)

    def claim(self, seat: int) -> bool:
        """CO-9."""
        if self.bidding or self.table or seat != self.turn:
            return False
        mine = self.hands[seat]
        others = set().union(*self.hands) - mine
        good = not any(
            theirs[1] == self.trump
            or any(own[1] == theirs[1] and self.rank(own) < self.rank(theirs) for own in mine)
            for theirs in others
        )
        side = seat % 2 if good else 1 - seat % 2
        # tricks nobody in particular took: seats 4 and 5 are the two sides at large
        trick_winner = seat if good else 4 + side
        if self.bid and self.bid[0] == "generale-" and self.bid[2] % 2 == side and not good:
            trick_winner = self.bid[2]
        self.gain(side, list(mine | others))
        self.trick_winners += [trick_winner] * (9 - len(self.trick_winners))
        self.score()
        return True

    # the marks (CO-10 to CO-13)

    def score(self) -> None:
        assert self.bid is not None
        level, _, declarer = self.bid
        side, value = declarer % 2, VALUES[level]
        sides = {trick_winner % 2 for trick_winner in self.trick_winners}
        points = list(self.cards)
        points[self.trick_winners[-1] % 2] += 5
        if len(sides) == 1:
            points = [0, 0]
            points[self.trick_winners[0] % 2] = 500 if len(set(self.trick_winners)) == 1 else 250
            if self.trick_winners[0] > 3:
                points[self.trick_winners[0] % 2] = 250
        if level == "generale-":
            made = set(self.trick_winners) == {declarer}
        elif level == "match-":
            made = sides == {side}
        else:
            made = points[side] >= value
        tens = [(number + 5) // 10 * 10 for number in points]
        marks = [0, 0]
        if self.times > 1:
            contract = self.options["coinche_score"] == "contract"
            stake = self.times * value + 160 if contract else self.times * (value + 160)
            marks[side if made else 1 - side] = stake
        elif made:
            marks[side], marks[1 - side] = value + tens[side], tens[1 - side]
        else:
            marks[1 - side] = value + 160
        self.ended, self.marks = True, marks

    def outcome(self) -> tuple[list[int], int] | None:
        if self.marks is None:
            return None
        first, second = self.marks
        return self.marks, 0 if first == second else 1 + (second > first)
