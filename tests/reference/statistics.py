"""Statistics a second time: plain counts over documents, from what the rules and the terms say.

Slow on purpose: every deal is followed act by act with the second reading of the rules beside this
module, and what happens is written down in lists. Nothing here knows the engine or the store.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from tests.reference import GAMES, belote, chouine, chouineurs, coinche

SUITS = "shdc"
KINDS = ("mariage", "tierce", "quarteron", "chouine")
"""From the least to the best of one suit."""


@dataclass(slots=True)
class Text:
    """One combination that a player held or announced in one deal."""

    kind: str
    suit: str  # "" for a quinte or a trente
    held: bool = False
    announced: bool = False
    shown: bool = False
    counted: bool = False
    missed: bool = False
    trump: bool = False
    closed: bool | None = None
    lead: bool | None = None
    trick: int | None = None
    points: int = 0
    worth: int = 0


@dataclass(slots=True)
class Hand:
    """One player in one deal; in Coinche points, cards and the last trick are the side's."""

    seat: int  # from 1
    player: str
    dealt: bool
    points: int = 0
    card_points: int | None = None
    bonus: int | None = None
    tricks: int = 0
    brisques: int | None = None
    der: bool = False
    sept: int | None = None
    won: bool | None = None
    received: int | None = None
    received_cards: int | None = None
    given: int | None = None
    """Card points of the hand as it was dealt."""
    fortune: tuple[int, int] | None = None
    """Suits of that hand with an announcement, a quinte or a trente as one more; and its points."""
    bid: int | None = None
    met: bool | None = None
    wording: dict[tuple[str, str], Text] = field(default_factory=dict)


@dataclass(slots=True)
class Deal:
    """One deal: the winner as a sheet writes it, None when there is none."""

    number: int  # from 1
    hands: list[Hand]
    void: str | None = None
    winner: int | None = None
    trump: str | None = None
    contract: int | None = None
    declarer: int | None = None
    coinched: int = 0
    made: bool | None = None
    stopper: int | None = None
    """The side, from 1, that claimed to have won the match (CO-15)."""
    status: str = "legal"


@dataclass(slots=True)
class Match:
    """A document and what its deals make of it."""

    id: str
    game: str
    players: int
    preset: str
    ids: list[str]
    names: list[str]
    played_at: datetime | None
    played_on: date | None
    event: str | None
    source: str | None
    deals: list[Deal] = field(default_factory=list)
    winner: int | None = None
    score: list[int] = field(default_factory=list)
    manches: list[int] = field(default_factory=list)
    under: list[int] = field(default_factory=list)
    status: str = "legal"

    @property
    def sides(self) -> int:
        return 2 if self.game in ("coinche", "belote") else self.players

    def side(self, seat: int) -> int:
        """The side of a seat, from 1 like the winner of a sheet."""
        return (seat - 1) % self.sides + 1


def read(document: dict[str, Any], options: dict[str, Any]) -> Match:
    """Follow a match to its end; `options` are the values of its rule options."""
    rules, result = document["rules"], document.get("played_at")
    match = Match(
        id=document["id"],
        game=document["game"],
        players=len(document["players"]),
        preset=rules if isinstance(rules, str) else rules["preset"],
        ids=[player["id"] for player in document["players"]],
        names=[player["name"] for player in document["players"]],
        played_at=datetime.fromisoformat(result).astimezone(UTC) if result else None,
        played_on=date.fromisoformat(result[:10]) if result else None,
        event=document.get("event", {}).get("name"),
        source=document.get("source", {}).get("name"),
    )
    watch = {"chouine": _chouine, "coinche": _coinche, "chouineurs": _chouineurs, "belote": _belote}[
        match.game
    ]
    marks = [0] * match.sides  # before the deal
    if match.game == "belote":
        marks.append(0)  # what waits for the next contract (BE-20)
    for number, sheet in enumerate(document["deals"], start=1):
        first = sheet["leader" if match.game == "chouineurs" else "dealer"]
        hands = [Hand(k + 1, match.ids[k], k + 1 == first) for k in range(match.players)]
        deal = Deal(number, hands, sheet.get("void"))
        play = GAMES[match.game](document, sheet, options)
        assert play is not None
        watch(deal, play, sheet, options, marks)
        for hand in hands:
            hand.won = match.side(hand.seat) == deal.winner if deal.winner else None
        if not deal.void:
            for side in range(match.sides):
                marks[side] += hands[side].points
        match.deals.append(deal)
    ends = {"chouine": _manches, "coinche": _race, "chouineurs": _total, "belote": _first_past}
    ends[match.game](match, options)
    return match


def _acts(sheet: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Each action as (seat from 0, word)."""
    for action in sheet["actions"]:
        yield int(action[0]) - 1, action[2:]


# one deal of Chouine


def _chouine(deal: Deal, play: Any, sheet: dict[str, Any], options: dict[str, Any], marks: list[int]) -> None:
    talon, came = list(play.talon), [sorted(hand) for hand in play.hands]
    up = play.trump  # as long as nobody has played: the suit of the card turned up, where one is
    for seat, hand in enumerate(deal.hands):
        hand.given = sum(chouine.POINTS.get(card[0], 0) for card in came[seat])
        hand.fortune = fortune(set(came[seat]), up, play.players, options["quinte"])
    piles: list[list[str]] = [[] for _ in deal.hands]
    der = [0] * play.players
    for seat, word in _acts(sheet):
        hand, table = deal.hands[seat], list(play.table)
        bonus, tricks, owed = list(play.bonus), play.tricks, play.card_owed
        announcement = chouine.ANNOUNCEMENT.fullmatch(word)
        if word in chouine.PACK or announcement:
            for one in _held(play.hands[seat], play.players):
                hand.wording.setdefault(one, Text(*one)).held = True
        if word == "sept":
            hand.sept = play.tricks + 1
        closed = play.closed()
        assert play.do(f"{seat + 1} {word}"), word
        if announcement:
            kind, suit = announcement[1] or announcement[3], announcement[2] or ""
            result = hand.wording.setdefault((kind, suit), Text(kind, suit))
            result.announced = True
            counts = not announcement[4]
            if result.trick is None or counts:
                result.trick, result.lead, result.closed = tricks + 1, not table, closed
            if counts:
                result.shown = result.counted = True
                result.points = play.bonus[seat] - bonus[seat]
        elif word in chouine.PACK and play.tricks > tricks and not owed:
            trick_winner = play.turn
            piles[trick_winner] += [card for _, card in table] + [word]
            deal.hands[trick_winner].tricks += 1
            der[trick_winner] = play.bonus[trick_winner] - bonus[trick_winner]
            deal.hands[trick_winner].der = der[trick_winner] > 0
    for place, (seat, _) in enumerate(play.drawn):
        came[seat].append(talon[place])
    outcome = play.outcome() if play.ended else None
    deal.winner = outcome[1] if outcome else None
    deal.trump = play.trump
    for seat, hand in enumerate(deal.hands):
        hand.card_points = play.cards[seat]
        hand.bonus = play.bonus[seat] - der[seat]
        hand.points = play.cards[seat] + play.bonus[seat]
        hand.brisques = sum(card[0] in "AT" for card in piles[seat])
        hand.received_cards = len(came[seat])
        hand.received = sum(chouine.POINTS.get(card[0], 0) for card in came[seat])
        _judge(hand, play.trump, options)


COMBINATIONS = {
    two: {
        (kind, suit): {rank + suit for rank in ranks}
        for kind, ranks in (chouine.TWO if two else chouine.MORE).items()
        for suit in SUITS
    }
    for two in (True, False)
}
"""At a table of two or of more: what can be held in a suit, and its cards."""
BY_SUIT = {
    two: [
        (set.intersection(*one.values()), one)
        for suit in SUITS
        for one in [{key: cards for key, cards in found.items() if key[1] == suit}]
    ]
    for two, found in COMBINATIONS.items()
}
"""The same suit by suit, with the cards that all of them have."""
BRISQUES = {rank + suit for rank in "AT" for suit in SUITS}


def _held(cards: set[str], players: int) -> Iterator[tuple[str, str]]:
    """Every combination that is whole in these cards (CH-18, CH-19)."""
    for always, of_suit in BY_SUIT[players == 2]:
        if always <= cards:
            yield from (one for one, needed in of_suit.items() if needed <= cards)
    if len(BRISQUES & cards) >= (5 if players == 2 else 3):
        yield ("quinte" if players == 2 else "trente"), ""


def fortune(cards: set[str], up: str | None, players: int, quinte: int) -> tuple[int, int]:
    """How many suits of a hand have an announcement, and what the best of each is worth together.

    A quinte or a trente is one more; a chouine has no points, and counts as the best within it.
    """
    best: dict[str, int] = {}
    for kind, suit in _held(cards, players):
        points = {"quinte": quinte, "trente": 30}.get(kind, chouine.WORTH.get(kind, 0))
        best[suit] = max(best.get(suit, 0), points * (2 if suit and suit == up else 1))
    return len(best), sum(best.values())


def _judge(hand: Hand, trump: str | None, options: dict[str, Any]) -> None:
    """What is known of a combination only once the deal is over."""
    for item in hand.wording.values():
        alike = [other for other in hand.wording.values() if other.suit == item.suit]
        item.trump = bool(item.suit) and item.suit == trump
        if item.counted:
            item.worth = item.points
        elif item.suit:
            item.worth = chouine.WORTH[item.kind] * (2 if item.trump else 1)
        else:
            item.worth = options["quinte"] if item.kind == "quinte" else 30
        item.missed = (
            item.held
            and not any(other.announced for other in alike)
            and not any(
                other.held and KINDS.index(other.kind) > KINDS.index(item.kind)
                for other in alike
                if item.suit
            )
        )


def _manches(match: Match, options: dict[str, Any]) -> None:
    """CH-24, CH-25, CH-30."""
    match.score, match.manches, match.under = ([0] * match.players for _ in range(3))
    parties = [0] * match.players
    for deal in match.deals:
        if deal.void or not deal.winner or match.winner is not None:
            continue
        seat = deal.winner - 1
        match.score[seat] += 1
        parties[seat] += 1
        if parties[seat] == options["parties"]:
            match.manches[seat] += 1
            match.under[seat] += sum(parties) == options["parties"]
            parties = [0] * match.players
            if match.manches[seat] == options["manches"]:
                match.winner = seat + 1


# one deal of Coinche


def _coinche(deal: Deal, play: Any, sheet: dict[str, Any], options: dict[str, Any], marks: list[int]) -> None:
    for seat, hand in enumerate(deal.hands):
        hand.received_cards = len(play.hands[seat])
        hand.received = sum(coinche.PLAIN.get(card[0], 0) for card in play.hands[seat])
        hand.given = hand.received
    points = None
    for seat, word in _acts(sheet):
        assert play.do(f"{seat + 1} {word}"), word
        if word == "resign":
            points = _resign(play, 1 - seat % 2)
        elif word == "won":
            points = _stop(deal, play, seat % 2, marks, options)
    if play.bid is not None:
        level, suit, declarer = play.bid
        deal.contract, deal.trump, deal.declarer = coinche.BIDS.index(level), suit, declarer + 1
        deal.coinched = {1: 0, 2: 1, 4: 2}[play.times]
        if play.marks is not None or word == "resign":
            deal.made = (points or play.marks)[declarer % 2] > 0
    points = points or play.marks
    if points is not None:
        deal.winner = 0 if points[0] == points[1] else 1 + (points[1] > points[0])
    for seat, hand in enumerate(deal.hands):
        hand.points = points[seat % 2] if points is not None else 0
        hand.card_points = play.cards[seat % 2]
        hand.tricks = play.trick_winners.count(seat)
        over = len(play.trick_winners) == 9
        hand.der = over and play.trick_winners[-1] % 2 == seat % 2


def _resign(play: Any, side: int) -> list[int]:
    """The rest is the other side's, and with it the contract, made or failed."""
    if play.bid is None:
        return [160 * (own == side) for own in range(2)]
    level, _, declarer = play.bid
    rest = [card for hand in play.hands for card in hand] + [card for _, card in play.table]
    play.gain(side, rest)
    trick_winner = declarer if level == "generale-" and declarer % 2 == side else 4 + side
    play.trick_winners += [trick_winner] * (9 - len(play.trick_winners))
    if declarer % 2 == side:
        # made, whatever the points
        sides = {trick_winner % 2 for trick_winner in play.trick_winners}
        alone = len(set(play.trick_winners)) == 1 and trick_winner < 4
        own = play.cards[side] + 5 if len(sides) == 2 else 500 if alone else 250
        other = play.cards[1 - side] if len(sides) == 2 else 0
        return _made(play, side, [own, other])
    return _failed(play, side)


def _made(play: Any, side: int, points: list[int]) -> list[int]:
    """The marks of a contract made: `points` of its side and of the other one (CO-12, CO-13)."""
    value = coinche.VALUES[play.bid[0]]
    own, other = ((number + 5) // 10 * 10 for number in points)
    marks = [0, 0]
    marks[side], marks[1 - side] = value + own, other
    if play.times > 1:
        marks[side], marks[1 - side] = _stake(play), 0
    return marks


def _failed(play: Any, defence: int) -> list[int]:
    """The marks of a contract failed."""
    marks = [0, 0]
    marks[defence] = _stake(play)
    return marks


def _stake(play: Any) -> int:
    value: int = coinche.VALUES[play.bid[0]]
    once = play.options["coinche_score"] == "sum"
    return int(play.times * (value + 160) if once else play.times * value + 160)


def _stop(deal: Deal, play: Any, stopper: int, marks: list[int], options: dict[str, Any]) -> list[int]:
    """CO-15: what a side has when it stops the game, nothing when that is too little."""
    deal.stopper, now = stopper + 1, [0, 0]
    if play.bid is not None:
        level, _, declarer = play.bid
        side, value = declarer % 2, coinche.VALUES[level]
        sides = {trick_winner % 2 for trick_winner in play.trick_winners}
        if level in ("match-", "generale-"):
            lost = 1 - side in sides or (level == "generale-" and (declarer + 2) % 4 in play.trick_winners)
            deal.made = False if lost else None
        elif play.cards[side] >= value:
            deal.made = True
        elif 157 - play.cards[1 - side] < value:
            deal.made = False
        tens = [(number + 5) // 10 * 10 for number in play.cards]
        if play.times > 1:
            if deal.made is not None:
                winner = side if deal.made else 1 - side
                now[winner] = _stake(play)
        else:
            now[1 - side] = tens[1 - side]
            now[side] = value + tens[side] if deal.made else 0
    if marks[stopper] + now[stopper] < options["target"]:
        now[stopper] = 0
    return now


def _race(match: Match, options: dict[str, Any]) -> None:
    """CO-14, CO-15."""
    marks = [0, 0]
    for deal in match.deals:
        if deal.void:
            continue
        for side in range(2):
            marks[side] += deal.hands[side].points
        reached = [side + 1 for side in range(2) if marks[side] >= options["target"]]
        if len(reached) == 2 and deal.declarer:
            match.winner = match.side(deal.declarer)
        elif reached:
            match.winner = reached[0]
        if deal.stopper:
            match.winner = deal.stopper if deal.stopper in reached else 3 - deal.stopper
    match.score = marks * 2


# one deal of Belote


LEVELS = ("take", *map(str, range(80, 490, 10)), "capot")
STRAINS = (*SUITS, "sa", "ta")


def _belote(deal: Deal, play: Any, sheet: dict[str, Any], options: dict[str, Any], marks: list[int]) -> None:
    for seat, hand in enumerate(deal.hands):
        hand.received_cards = len(play.hands[seat])
        hand.received = hand.given = sum(belote.PLAIN.get(card[0], 0) for card in play.hands[seat])
    pairs: set[tuple[int, str]] = set()
    for seat, word in _acts(sheet):
        bidding = play.bidding
        assert play.do(f"{seat + 1} {word}"), word
        if bidding and not play.bidding:
            pairs = {(one, suit) for one in range(4) for suit in play.pairs(one)}
    if play.bid is not None:
        level, strain, declarer = play.bid
        deal.contract, deal.trump, deal.declarer = LEVELS.index(level), strain, declarer + 1
        deal.coinched = {1: 0, 2: 1, 4: 2}[play.times]
    points, counts = play.marks, play.announcements()
    if points is not None:
        deal.winner = play.winner
        if play.winner:
            points = list(points)
            points[play.winner - 1] += marks[2]
            deal.made = play.winner - 1 == play.bid[2] % 2
        if play.bid is not None:
            marks[2] = 0 if play.winner else marks[2] + play.waiting
    values = play.values() if play.bid is not None and not play.bidding else {}
    for seat, hand in enumerate(deal.hands):
        side = seat % 2
        hand.points = points[side] if points is not None else 0
        hand.card_points = sum(values[card[1]].get(card[0], 0) for card in play.piles[side])
        hand.bonus = play.belotes()[side] + counts[side]
        hand.tricks = play.trick_winners.count(seat)
        hand.der = len(play.trick_winners) == 8 and play.trick_winners[-1] % 2 == side
        for one, suit in sorted(pairs):
            if one == seat:
                one_pair = _announced(hand, "belote", suit, 20, (seat, suit) in play.whole)
                one_pair.announced, one_pair.missed = one_pair.counted, not one_pair.counted
                one_pair.trump = suit == play.strain
        for one, word, _ in play.announced:
            if one == seat:
                kind, _, top = word.partition("-")
                worth = belote.CARRES[top] if kind == "carre" else belote.SEQUENCES[kind][1]
                _announced(hand, kind, top, worth, counts[side] > 0).trump = top[1:] == play.strain


def _announced(hand: Hand, kind: str, top: str, worth: int, counts: bool) -> Text:
    """What a hand announced: a sequence up to `top`, a carré of it, a belote of this suit."""
    one = hand.wording[kind, top] = Text(kind, top[-1] if kind != "carre" else "", held=True, announced=True)
    one.shown = one.counted = counts
    one.worth, one.points = worth, worth * counts
    return one


def _first_past(match: Match, options: dict[str, Any]) -> None:
    """BE-22."""
    score, played = [0, 0], 0
    for deal in match.deals:
        if deal.void or deal.winner is None or deal.declarer is None:
            continue
        played += 1
        reached = [False, False]
        for side in range(2):
            score[side] += deal.hands[side].points
            own = score[side]
            taken = deal.hands[side].tricks + deal.hands[side + 2].tricks
            if deal.winner != side + 1 and not (deal.winner == 0 and taken):
                belotes = sum(
                    one.points
                    for hand in deal.hands[side::2]
                    for one in hand.wording.values()
                    if one.kind == "belote"
                )
                own -= (belotes + 5) // 10 * 10 if options["round"] else belotes
            reached[side] = score[side] >= options["target"] and own >= options["target"]
        if options["deals"] and played >= options["deals"]:
            reached = [True, True]
        if any(reached) and score[0] != score[1]:
            best = 1 if score[0] > score[1] else 2
            match.winner = best if all(reached) else 1 + reached.index(True)
    match.score = score * 2


# one manche of Chouineurs


def _chouineurs(
    deal: Deal, play: Any, sheet: dict[str, Any], options: dict[str, Any], marks: list[int]
) -> None:
    last = None
    for seat, word in _acts(sheet):
        before = list(play.tricks)
        assert play.do(f"{seat + 1} {word}"), word
        if play.tricks != before:
            last = play.turn
    outcome = play.outcome() if play.ended else None
    if outcome:
        deal.winner = outcome[1]
    for seat, hand in enumerate(deal.hands):
        hand.bonus = play.taken[seat]
        hand.points = outcome[0][seat] if outcome else 0
        hand.met = hand.points > hand.bonus
        hand.bid = list(chouineurs.BIDS).index(sheet["bids"][seat])
        hand.tricks = play.tricks[seat]
        hand.der = seat == last


def _total(match: Match, options: dict[str, Any]) -> None:
    """CR-9."""
    played = [deal for deal in match.deals if not deal.void]
    columns = [[deal.hands[seat].points for deal in played] for seat in range(match.players)]
    match.score = [sum(column) for column in columns]
    if len(played) == options["manches"] and all(deal.winner is not None for deal in played):
        rank = [(sum(column), column[-1]) for column in columns]
        best = [seat for seat, own in enumerate(rank) if own == max(rank)]
        match.winner = best[0] + 1 if len(best) == 1 else 0


# counting


Row = tuple[Match, Deal, Hand]
Chosen = Callable[[Match, Deal, Hand], bool]


def rows(matches: list[Match], chosen: Chosen) -> list[Row]:
    """Every hand played that is chosen."""
    return [
        (match, deal, hand)
        for match in matches
        for deal in match.deals
        for hand in deal.hands
        if chosen(match, deal, hand)
    ]


def by(counted: list[Row], key: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    """The rows in groups."""
    groups: dict[Any, list[Row]] = {}
    for row in counted:
        groups.setdefault(key(row), []).append(row)
    return groups


def mean(values: list[int]) -> float | None:
    """Their average; None of nothing."""
    return sum(values) / len(values) if values else None


def deviation(values: list[int]) -> float | None:
    """The sample's standard deviation; None below two."""
    if len(values) < 2:
        return None
    middle = sum(values) / len(values)
    return float((sum((value - middle) ** 2 for value in values) / (len(values) - 1)) ** 0.5)


def runs(won: list[bool]) -> tuple[int, int]:
    """(length, beginning) of the longest series won; the first of equals."""
    best, length = (0, 0), 0
    for place, one in enumerate(won):
        length = length + 1 if one else 0
        if length > best[0]:
            best = length, place - length + 1
    return best
