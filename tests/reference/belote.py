"""Belote as a referee would follow it: the taking or the bids, the cards, the words, the score."""

from fractions import Fraction
from math import floor
from typing import Any

RANKS = "789TJQKA"
SUITS = "shdc"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
PLAIN_ORDER, TRUMP_ORDER = "789JQKTA", "78QKTA9J"
PLAIN = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
TRUMP = PLAIN | {"J": 20, "9": 14}
SANS_ATOUT = PLAIN | {"A": 19}
TOUT_ATOUT = {"J": 13, "9": 9, "A": 6, "T": 5, "K": 3, "Q": 2}
SEQUENCES = {"tierce": (3, 20), "cinquante": (4, 50), "cent": (5, 100)}
CARRES = {"J": 200, "9": 150, "A": 100, "T": 100, "K": 100, "Q": 100}
CARRE_ORDER = "QKTA9J"


def deal(match: dict[str, Any], written: dict[str, Any], options: dict[str, Any]) -> "Deal | None":
    """The deal, by packets from the dealer's next on; hands are believed as they stand (BE-4)."""
    following = [(written["dealer"] + step) % 4 for step in range(4)]
    if written.get("deck") is not None:
        pack = written["deck"].split(" ")
        if sorted(pack) != sorted(PACK):
            return None
        packets = [int(size) for size in options["dealing"].split("-")]
        if options["auction"] == "take":
            packets = packets[:2] if sum(packets[:2]) == 5 else [3, 2]
        elif len(packets) == 2:
            packets = [*packets, 3]
        hands: list[list[str]] = [[], [], [], []]
        at = 0
        for size in packets:
            for seat in following:
                hands[seat] += pack[at : at + size]
                at += size
        return Deal(hands, following, options, pack[at:])
    if written.get("hands") is not None:
        hands = [hand.split(" ") for hand in written["hands"]]
        if sorted(card for hand in hands for card in hand) != sorted(PACK):
            return None
        return Deal(hands, following, options, [])
    return None


class Deal:
    def __init__(
        self, hands: list[list[str]], following: list[int], options: dict[str, Any], rest: list[str]
    ) -> None:
        self.hands = [set(hand) for hand in hands]
        self.following, self.options, self.rest = following, options, rest
        self.taking = options["auction"] == "take"
        self.leader = self.turn = following[0]
        self.bidding = True
        self.bid: tuple[str, str, int] | None = None  # level, strain, declarer
        self.passes = 0
        self.times = 1
        self.table: list[tuple[int, str]] = []
        self.trick_winners: list[int] = []
        self.piles: list[list[str]] = [[], []]
        self.word = ""
        self.begun: set[tuple[int, str]] = set()  # belotes: seat, suit
        self.whole: set[tuple[int, str]] = set()
        self.announced: list[tuple[int, str, set[str]]] = []  # seat, word, cards
        self.ended = False
        self.marks: list[int] | None = None
        self.winner = 0
        self.waiting = 0

    @property
    def strain(self) -> str:
        return self.bid[1] if self.bid else ""

    def do(self, action: str) -> bool:
        seat, word = int(action[0]) - 1, action[2:]
        if seat > 3 or self.ended:
            return False
        if word in PACK:
            return self.play(seat, word)
        if word.startswith("take "):
            return self.take(seat, word[5:])
        if word.startswith("bid "):
            level, _, strain = word[4:].partition("-")
            if level != "capot":
                level = "".join(letter for letter in word[4:] if letter.isdigit())
                strain = word[4 + len(level) :]
            return self.make_bid(seat, level, strain)
        if word == "pass":
            return self.pass_on(seat)
        if word in ("contre", "surcontre"):
            return self.contre(seat, word)
        if word in ("belote", "rebelote"):
            return self.speak(seat, word)
        kind, _, top = word.partition("-")
        if kind in SEQUENCES or kind == "carre":
            return self.announce(seat, word, kind, top)
        return False

    # the auction (BE-5 to BE-7)

    def take(self, seat: int, strain: str) -> bool:
        if not self.taking or not self.bidding or seat != self.turn:
            return False
        turned = self.rest[0][1] if self.rest else ""
        if strain in ("sa", "ta"):
            allowed = self.options["sans_tout"]
        elif not turned:
            allowed = True  # hands were written without the card turned up
        elif self.passes < 4:
            allowed = strain == turned
        else:
            allowed = strain != turned or self.options["second_round_any"]
        if not allowed:
            return False
        self.bid = ("take", strain, seat)
        if self.rest:
            rest = list(self.rest)
            self.hands[seat].add(rest.pop(0))
            for other in self.following:
                for _ in range(2 if other == seat else 3):
                    self.hands[other].add(rest.pop(0))
        self.close()
        return True

    def make_bid(self, seat: int, level: str, strain: str) -> bool:
        if self.taking or not self.bidding or seat != self.turn or self.times > 1:
            return False
        if strain in ("sa", "ta") and not self.options["sans_tout"]:
            return False
        if level != "capot" and not (80 <= int(level) <= self.options["highest"] and int(level) % 10 == 0):
            return False
        if self.bid:
            last = self.bid[0]
            if last == "capot" or (level != "capot" and int(level) <= int(last)):
                return False
        self.bid, self.passes = (level, strain, seat), 0
        self.turn = (seat + 1) % 4
        return True

    def pass_on(self, seat: int) -> bool:
        if not self.bidding or seat != self.turn:
            return False
        self.passes += 1
        self.turn = (seat + 1) % 4
        if self.bid is None and self.passes == (8 if self.taking else 4):
            self.ended, self.marks = True, [0, 0]
        elif self.bid and self.passes == 3:
            self.close()
        return True

    def contre(self, seat: int, word: str) -> bool:
        if self.taking or not self.bidding or self.bid is None:
            return False
        if seat != self.turn and not self.options["contre_any_time"]:
            return False
        own = seat % 2 == self.bid[2] % 2
        if word == "contre":
            if own or self.times != 1:
                return False
        elif not own or self.times != 2:
            return False
        self.times *= 2
        self.passes, self.turn = 0, (seat + 1) % 4
        if word == "surcontre":
            self.close()
        return True

    def close(self) -> None:
        assert self.bid is not None
        self.bidding = False
        if self.options["declarer_leads"]:
            self.leader = self.bid[2]
        self.turn = self.leader

    # the cards (BE-8 to BE-14)

    def trump(self, suit: str) -> bool:
        return self.strain in (suit, "ta")

    def rank(self, card: str) -> int:
        return (TRUMP_ORDER if self.trump(card[1]) else PLAIN_ORDER).index(card[0])

    def best(self) -> tuple[int, str]:
        trumps = [played for played in self.table if played[1][1] == self.strain]
        led = [played for played in self.table if played[1][1] == self.table[0][1][1]]
        return max(trumps or led, key=lambda played: self.rank(played[1]))

    def allowed(self, seat: int) -> set[str]:
        hand = self.hands[seat]
        if not self.table:
            return hand
        led = self.table[0][1][1]
        holder, best = self.best()
        follow = {card for card in hand if card[1] == led}
        if follow:
            if self.trump(led):
                higher = {card for card in follow if self.rank(card) > self.rank(best)}
                return higher or follow
            return follow
        trumps = {card for card in hand if card[1] == self.strain}
        if not trumps or led == self.strain:
            return hand
        ruffed = best[1] == self.strain
        higher = {card for card in trumps if not ruffed or self.rank(card) > self.rank(best)}
        if holder == (seat + 2) % 4:
            if not ruffed or self.options["undertrump_partner"] or trumps == hand:
                return hand
            return hand - (trumps - higher)
        if higher:
            return higher
        return trumps if self.options["undertrump"] else hand

    def play(self, seat: int, card: str) -> bool:
        if self.bidding or seat != self.turn or card not in self.allowed(seat):
            return False
        if self.word:
            if not self.fits(seat, card):
                return False
            (self.begun if self.word == "belote" else self.whole).add((seat, card[1]))
            self.word = ""
        self.hands[seat].remove(card)
        self.table.append((seat, card))
        self.turn = (seat + 1) % 4
        if len(self.table) == 4:
            trick_winner = self.best()[0]
            self.piles[trick_winner % 2] += [played for _, played in self.table]
            self.table, self.turn, self.leader = [], trick_winner, trick_winner
            self.trick_winners.append(trick_winner)
            if len(self.trick_winners) == 8:
                self.score()
        return True

    # the words (BE-15, BE-16)

    def pairs(self, seat: int) -> set[str]:
        """Suits whose king and queen of trump are in a hand."""
        return {suit for suit in SUITS if self.trump(suit) and {"K" + suit, "Q" + suit} <= self.hands[seat]}

    def fits(self, seat: int, card: str) -> bool:
        if card[0] not in "KQ":
            return False
        if self.word == "belote":
            return card[1] in self.pairs(seat)
        return (seat, card[1]) in self.begun - self.whole

    def speak(self, seat: int, word: str) -> bool:
        if self.bidding or seat != self.turn or self.word:
            return False
        if word == "belote":
            good = bool(self.pairs(seat))
        else:
            good = any(one == seat for one, _ in self.begun - self.whole)
        if good:
            self.word = word
        return good

    def announce(self, seat: int, word: str, kind: str, top: str) -> bool:
        if not self.options["announcements"] or self.bidding or self.trick_winners or seat != self.turn:
            return False
        if kind == "carre":
            cards = {top + suit for suit in SUITS}
        else:
            last = RANKS.index(top[0]) + 1
            cards = {rank + top[1] for rank in RANKS[last - SEQUENCES[kind][0] : last]}
        used: set[str] = set().union(*(own for one, _, own in self.announced if one == seat))
        if not cards <= self.hands[seat] - used:
            return False
        self.announced.append((seat, word, cards))
        return True

    def height(self, word: str) -> tuple[int, ...]:
        kind, _, top = word.partition("-")
        if kind == "carre":
            return (9, CARRE_ORDER.index(top), 0)
        return (SEQUENCES[kind][0], RANKS.index(top[0]), int(top[1] == self.strain))

    def announcements(self) -> list[int]:
        """What each side's announcements count."""
        found = [0, 0]
        best: list[tuple[int, ...]] = [(), ()]
        first: dict[tuple[int, tuple[int, ...]], int] = {}
        for at, (seat, word, _) in enumerate(self.announced):
            height = self.height(word)
            kind, _, top = word.partition("-")
            found[seat % 2] += CARRES[top] if kind == "carre" else SEQUENCES[kind][1]
            best[seat % 2] = max(best[seat % 2], height)
            first.setdefault((seat % 2, height), at)
        if best[0] == best[1]:
            if not best[0] or not self.options["equal_first"]:
                return [0, 0]
            ahead = 0 if first[0, best[0]] < first[1, best[1]] else 1
        else:
            ahead = 0 if best[0] > best[1] else 1
        found[1 - ahead] = 0
        return found

    # the score (BE-14, BE-17 to BE-21, BE-23, BE-25)

    def values(self) -> dict[str, dict[str, int]]:
        if self.strain == "sa":
            return dict.fromkeys(SUITS, SANS_ATOUT)
        if self.strain == "ta":
            return dict.fromkeys(SUITS, TRUMP if self.taking else TOUT_ATOUT)
        return {suit: TRUMP if suit == self.strain else PLAIN for suit in SUITS}

    def card_points(self) -> list[int]:
        assert self.bid is not None
        sides = {trick_winner % 2 for trick_winner in self.trick_winners}
        if len(sides) == 1:
            return [252 if side in sides else 0 for side in range(2)]
        values = self.values()
        points = [sum(values[card[1]].get(card[0], 0) for card in pile) for pile in self.piles]
        points[self.trick_winners[-1] % 2] += 10
        if self.strain == "ta" and self.taking:
            own = self.bid[2] % 2
            points[own] = floor(Fraction(points[own] * 162, 258) + Fraction(1, 2))
            points[1 - own] = 162 - points[own]
        return points

    def belotes(self) -> list[int]:
        return [20 * sum(seat % 2 == side for seat, _ in self.whole) for side in range(2)]

    def tens(self, number: int) -> int:
        return (number + 5) // 10 * 10 if self.options["round"] else number

    def finish(self, marks: list[int], winner: int | None) -> None:
        self.ended, self.marks = True, [self.tens(one) for one in marks]
        self.winner = 0 if winner is None else winner + 1

    def alone(self, winner: int, base: int, announced: int, worth: int) -> None:
        """Only the winner scores, except for belotes."""
        belotes = self.belotes()
        marks = list(belotes)
        marks[winner] = (base + announced + worth) * self.times
        marks[winner] += belotes[winner] * (self.times if self.options["belote_doubled"] else 1)
        self.finish(marks, winner)

    def score(self) -> None:
        assert self.bid is not None
        level, _, declarer = self.bid
        own, other = declarer % 2, 1 - declarer % 2
        worth = {"take": 0, "capot": 250}.get(level) if not level.isdigit() else int(level)
        assert worth is not None
        announced = self.announcements()
        swept = {trick_winner % 2 for trick_winner in self.trick_winners}
        if swept == {own}:
            announced[own], announced[other] = sum(announced), 0
        points, belotes = self.card_points(), self.belotes()
        whole = [points[side] + belotes[side] + announced[side] for side in range(2)]
        reached = swept == {own} if level == "capot" else whole[own] >= worth
        equal = reached and whole[own] == whole[other]
        if equal and self.options["litige"] == "next":
            marks = list(whole)
            marks[own] = belotes[own]
            self.waiting = self.tens(whole[own] - belotes[own] + worth)
            if self.times > 1:
                marks = list(belotes)
                self.waiting = self.tens((160 + announced[own] + worth) * self.times)
            self.finish(marks, None)
            return
        made = reached and (whole[own] > whole[other] or (equal and self.options["litige"] == "made"))
        winner = own if made else other
        base = 162 if self.taking else 160
        if self.times > 1:
            base = 250 if swept == {winner} else base
            self.alone(winner, base, announced[own] if made else sum(announced), worth)
        elif made:
            whole[own] += worth
            self.finish(whole, winner)
        else:
            base = 252 if self.taking and swept == {winner} else base
            self.alone(winner, base, sum(announced), worth)

    def outcome(self) -> tuple[list[int], int] | None:
        return None if self.marks is None else (self.marks, self.winner)
