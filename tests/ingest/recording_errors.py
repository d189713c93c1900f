"""Legal matches with one realistic recording error each, of every kind: what edits are held to.

A recording error takes a log and a `Random` and gives the log as it was written then, or None where the match
has nothing of the kind. Each draws from what a scorer does, not from what the search looks for.
"""

import copy
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

from engine.games import game, game_names
from engine.options import game_presets
from ingest.validate.slow_path import validate
from schemas.notation import act_codes
from schemas.simulated import simulate_season

Log = dict[str, Any]
Typo = Callable[[Log, Random], Log | None]

CARD = re.compile(r"[6-9TJQKA][shdc]|[bryk]\d+")
RANKS, SUITS, COLOURS = "6789TJQKA", "shdc", "bryk"
TEXT = re.compile(r"(mariage|tierce|quarteron|chouine)-[shdc]|quinte|trente")
BID = re.compile(r"bid (\d+|match-|generale-)([shdc])")
HEIGHTS = [*(str(height) for height in range(60, 160, 10)), "match-", "generale-"]
BONUS = re.compile(r"turn \w+|point")


@cache
def matches(each: int, seed: int) -> tuple[tuple[Log, ...], ...]:
    """Simulated matches of every game, preset and number of players, `each` of them."""
    return tuple(
        tuple(simulate_season(name, each, seed, preset, players))
        for name in game_names()
        for preset in game_presets(name)
        for players in game(name).players
    )


def word_of(action: str) -> str:
    return action.partition(" ")[2]


def seat_of(action: str) -> str:
    return action.partition(" ")[0]


def places(log: Log, fits: Callable[[str], object]) -> list[tuple[int, int]]:
    """Where in a log there are actions with such a word: (deal, action)."""
    return [
        (d, a)
        for d, deal in enumerate(log["deals"])
        for a, action in enumerate(deal["actions"])
        if fits(word_of(action))
    ]


def one_of(log: Log, rng: Random, fits: Callable[[str], object]) -> tuple[list[str], int] | None:
    """An action with such a word, in a copy of its log's actions that may be changed."""
    found = places(log, fits)
    if not found:
        return None
    deal, at = rng.choice(found)
    return log["deals"][deal]["actions"], at


def reworded(fits: Callable[[str], object], change: Callable[[str, Log, Random], str]) -> Typo:
    """Another word for one that fits."""

    def typo(log: Log, rng: Random) -> Log | None:
        found = one_of(log, rng, fits)
        if found is None:
            return None
        actions, at = found
        word = change(word_of(actions[at]), log, rng)
        if word == word_of(actions[at]):
            return None
        actions[at] = f"{seat_of(actions[at])} {word}"
        return log

    return typo


def missing(fits: Callable[[str], object]) -> Typo:
    def typo(log: Log, rng: Random) -> Log | None:
        found = one_of(log, rng, fits)
        if found is None:
            return None
        actions, at = found
        del actions[at]
        return log

    return typo


def doubled(fits: Callable[[str], object]) -> Typo:
    def typo(log: Log, rng: Random) -> Log | None:
        found = one_of(log, rng, fits)
        if found is None:
            return None
        actions, at = found
        actions.insert(at, actions[at])
        return log

    return typo


# words


def other_rank(word: str, log: Log, rng: Random) -> str:
    if word[0] in COLOURS:
        return word[0] + str(rng.choice(_values(log, word[0])))
    pack = RANKS[1:] if log["game"] == "chouine" else RANKS
    return rng.choice(pack) + word[1]


def other_suit(word: str, log: Log, rng: Random) -> str:
    if word[0] in COLOURS:
        return rng.choice(COLOURS) + word[1:]
    return word[0] + rng.choice(SUITS)


def other_card(word: str, log: Log, rng: Random) -> str:
    """One that is played somewhere in the deal, which is what is on one's mind."""
    found = [word_of(action) for deal in log["deals"] for action in deal["actions"]]
    return rng.choice([card for card in found if CARD.fullmatch(card)])


def _values(log: Log, colour: str) -> list[int]:
    hands = " ".join(hand for deal in log["deals"] for hand in deal["hands"])
    return sorted({int(value) for value in re.findall(rf"{colour}(\d+)", hands)})


FRENCH = str.maketrans({"K": "R", "Q": "D", "J": "V"})
SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


def as_people_write(word: str, log: Log, rng: Random) -> str:
    """A card as people and printouts write it, which is none of the format's."""
    if word[0] in COLOURS:
        return rng.choice([word.upper(), f"{word[1:]}{word[0]}"])
    rank, suit = word[0], word[1]
    long = "10" if rank == "T" else rank
    ways = [
        *(f"{long}{SYMBOLS[suit]}", f"{rank.translate(FRENCH)}{SYMBOLS[suit]}"),
        *(f"{suit}{rank}", f"{rank}{suit.upper()}", f"{rank.lower()}{suit}"),
        *(f"{long}{suit}", f"{rank.translate(FRENCH)}{suit}"),
    ]
    return rng.choice([way for way in ways if way not in act_codes(log["game"])] or [word])


def misspelt(word: str, log: Log, rng: Random) -> str:
    """A letter too many, left out, another, or two exchanged."""
    at = rng.randrange(len(word))
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    ways = [
        *(word[:at] + word[at + 1 :], word[:at] + letter + word[at:]),
        *(word[:at] + letter + word[at + 1 :], word.upper(), word.capitalize()),
        word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
    ]
    known = act_codes(log["game"])
    return rng.choice([way for way in ways if way not in known] or [word])


def other_word(word: str, log: Log, rng: Random) -> str:
    words = [one for one in act_codes(log["game"]) if not CARD.fullmatch(one)]
    return rng.choice(words)


def spaced(log: Log, rng: Random) -> Log | None:
    found = one_of(log, rng, lambda word: True)
    assert found is not None
    actions, at = found
    seat, word = seat_of(actions[at]), word_of(actions[at])
    ways = [f"{seat}  {word}", f" {seat} {word}", f"{seat} {word} ", f"{seat}{word}"]
    actions[at] = rng.choice(ways)
    return log


def other_height(word: str, log: Log, rng: Random) -> str:
    bid = BID.fullmatch(word)
    assert bid is not None
    return f"bid {rng.choice(HEIGHTS)}{bid[2]}"


def other_bid_suit(word: str, log: Log, rng: Random) -> str:
    return word[:-1] + rng.choice(SUITS)


def other_announcement(word: str, log: Log, rng: Random) -> str:
    kinds = ["mariage", "tierce", "quarteron"] if len(log["players"]) == 2 else ["mariage"]
    return f"{rng.choice(kinds)}-{rng.choice(SUITS)}"


def other_bonus(word: str, log: Log, rng: Random) -> str:
    if word != "point" and rng.random() < 0.5:
        return "point"
    faces = [word_of(action) for deal in log["deals"] for action in deal["actions"]]
    return "turn " + rng.choice([face for face in faces if CARD.fullmatch(face)])


# whole actions


def other_seat(log: Log, rng: Random) -> Log | None:
    found = one_of(log, rng, lambda word: True)
    assert found is not None
    actions, at = found
    seats = [str(seat) for seat in range(1, len(log["players"]) + 1)]
    other = rng.choice([seat for seat in seats if seat != seat_of(actions[at])])
    actions[at] = f"{other} {word_of(actions[at])}"
    return log


def _neighbours(log: Log, rng: Random) -> tuple[list[str], int] | None:
    deal = rng.choice(log["deals"])["actions"]
    pairs = [at for at in range(len(deal) - 1) if deal[at] != deal[at + 1]]
    return (deal, rng.choice(pairs)) if pairs else None


def actions_exchanged(log: Log, rng: Random) -> Log | None:
    found = _neighbours(log, rng)
    if found is None:
        return None
    actions, at = found
    actions[at : at + 2] = actions[at + 1], actions[at]
    return log


def cards_exchanged(log: Log, rng: Random) -> Log | None:
    """The cards of two plays that follow each other, the seats as they were."""
    deal = rng.choice(log["deals"])["actions"]
    plays = [at for at, action in enumerate(deal) if CARD.fullmatch(word_of(action))]
    if len(plays) < 2:
        return None
    n = rng.randrange(len(plays) - 1)
    one, other = plays[n], plays[n + 1]
    if seat_of(deal[one]) == seat_of(deal[other]) and other == one + 1:
        return None  # the same as two actions exchanged
    cards = word_of(deal[one]), word_of(deal[other])
    deal[one] = f"{seat_of(deal[one])} {cards[1]}"
    deal[other] = f"{seat_of(deal[other])} {cards[0]}"
    return log


# the deal as written, and what is declared


def bid_card(log: Log, rng: Random) -> Log | None:
    deal = rng.choice(log["deals"])
    if "bids" not in deal:
        return None
    seat = rng.randrange(len(deal["bids"]))
    every = ["0-1", "0-1-2", "1-2-3", "2-3-4", "3-4+"]
    deal["bids"][seat] = rng.choice([bid for bid in every if bid != deal["bids"][seat]])
    return log


def dealt_card(log: Log, rng: Random) -> Log | None:
    """One card of the deal written as another, so that it is there twice, or is no card."""
    deal = rng.choice(log["deals"])
    if "hands" in deal:
        seat = rng.randrange(len(deal["hands"]))
        cards = deal["hands"][seat].split(" ")
        at = rng.randrange(len(cards))
        front, back = cards[at].split("/")
        if rng.random() < 0.5:
            cards[at] = f"{front[0]}{rng.choice(_values(log, front[0]))}/{back}"
        else:
            every = [card for hand in deal["hands"] for card in hand.split(" ")]
            cards[at] = rng.choice([card for card in every if card != cards[at]])
        deal["hands"][seat] = " ".join(cards)
        return log
    cards = deal["deck"].split(" ")
    at = rng.randrange(len(cards))
    change = other_rank if rng.random() < 0.5 else other_suit
    cards[at] = change(cards[at], log, rng)
    deal["deck"] = " ".join(cards)
    return log


def dealt_exchanged(log: Log, rng: Random) -> Log | None:
    """Two cards of the deal in each other's place."""
    deal = rng.choice(log["deals"])
    if "hands" in deal:
        hands = [hand.split(" ") for hand in deal["hands"]]
        one, other = rng.sample(range(len(hands)), 2)
        at, there = rng.randrange(len(hands[one])), rng.randrange(len(hands[other]))
        hands[one][at], hands[other][there] = hands[other][there], hands[one][at]
        deal["hands"] = [" ".join(hand) for hand in hands]
        return log
    cards = deal["deck"].split(" ")
    at = rng.randrange(len(cards) - 1)
    there = at + 1 if rng.random() < 0.5 else rng.randrange(len(cards))
    cards[at], cards[there] = cards[there], cards[at]
    deal["deck"] = " ".join(cards)
    return log


def first_seat(log: Log, rng: Random) -> Log | None:
    deal = rng.choice(log["deals"])
    key = "leader" if "leader" in deal else "dealer"
    seats = [*range(1, len(log["players"]) + 1)]
    deal[key] = rng.choice([seat for seat in seats if seat != deal[key]])
    return log


def number(reported: int, rng: Random) -> int:
    """Another number: two digits exchanged, one of them another, or a tenth more or less."""
    digits = str(reported)
    at = rng.randrange(len(digits))
    ways = [
        int(digits[:at] + rng.choice("0123456789") + digits[at + 1 :]),
        int(digits[::-1]) if len(digits) < 3 else int(digits[0] + digits[1:][::-1]),
        reported + rng.choice([-10, -1, 1, 10]),
    ]
    return abs(rng.choice(ways))


def points(log: Log, rng: Random) -> Log | None:
    items = [deal for deal in log["deals"] if deal.get("points")]
    if not items:
        return None
    row = rng.choice(items)["points"]
    at = rng.randrange(len(row))
    row[at] = number(row[at], rng)
    return log


def winner(log: Log, rng: Random) -> Log | None:
    items = [deal for deal in log["deals"] if "winner" in deal]
    if not items:
        return None
    deal = rng.choice(items)
    seats = [*range(1, len(deal["points"]) + 1)]
    deal["winner"] = rng.choice([seat for seat in seats if seat != deal["winner"]])
    return log


def result(log: Log, rng: Random) -> Log | None:
    value = log["result"]
    if rng.random() < 0.5:
        at = rng.randrange(len(value["score"]))
        value["score"][at] = number(value["score"][at], rng)
    else:
        seats = [*range(1, len(value["score"]) + 1)]
        value["winner"] = rng.choice([seat for seat in seats if seat != value["winner"]])
    return log


card, wording, a_bid = CARD.fullmatch, TEXT.fullmatch, BID.fullmatch
not_card: Callable[[str], object] = lambda word: word and not CARD.fullmatch(word)  # noqa: E731
TYPOS: dict[str, Typo] = {
    "another card": reworded(card, other_card),
    "another rank": reworded(card, other_rank),
    "another suit": reworded(card, other_suit),
    "a card as people write it": reworded(card, as_people_write),
    "a word misspelt": reworded(not_card, misspelt),
    "another word": reworded(not_card, other_word),
    "a space": spaced,
    "another seat": other_seat,
    "two actions exchanged": actions_exchanged,
    "two cards exchanged": cards_exchanged,
    "an action missing": missing(lambda word: True),
    "an action doubled": doubled(lambda word: True),
    "a card missing": missing(card),
    "an announcement missing": missing(wording),
    "another announcement": reworded(wording, other_announcement),
    "the 7 missing": missing(lambda word: word == "sept"),
    "a coinche missing": missing(lambda word: word.endswith("coinche")),
    "a bid missing": missing(a_bid),
    "a pass missing": missing(lambda word: word == "pass"),
    "a pass doubled": doubled(lambda word: word == "pass"),
    "another height": reworded(a_bid, other_height),
    "another suit of a bid": reworded(a_bid, other_bid_suit),
    "a claim missing": missing(lambda word: word in ("claim", "won")),
    "a bonus missing": missing(BONUS.fullmatch),
    "another bonus": reworded(BONUS.fullmatch, other_bonus),
    "another bid card": bid_card,
    "a card of the deal": dealt_card,
    "two cards of the deal exchanged": dealt_exchanged,
    "the dealer or leader": first_seat,
    "points": points,
    "a winner": winner,
    "the result": result,
}


def coinched(log: Log, rng: Random) -> Log | None:
    """A match up to a deal whose last bid an opponent coinches, which no simulated player does."""
    log = copy.deepcopy(log)
    bids = places(log, lambda word: word == "pass")
    if not bids:
        return None
    number, _ = rng.choice(bids)
    log["deals"] = log["deals"][: number + 1]
    log.pop("result")
    deal = log["deals"][number]
    actions = deal["actions"]
    last = max((at for at, one in enumerate(actions) if BID.fullmatch(word_of(one))), default=None)
    if last is None or actions[last + 1 : last + 2] == []:
        return None
    seat = (int(seat_of(actions[last])) + rng.choice([0, 0, 2])) % 4 + 1
    passes = sum(word_of(one) == "pass" for one in actions[last + 1 :])
    before = passes - 1 if rng.random() < 0.3 and seat % 4 + 1 == int(seat_of(actions[last])) else 0
    actions[last + 1 : last + 1 + passes] = [*actions[last + 1 :][:before], f"{seat} coinche"]
    fields = {one.code: one.legal for one in validate(json.dumps(log).encode()).findings}
    deal["points"] = fields.pop("points-differ", deal["points"])
    deal["winner"] = fields.pop("winner-differs", deal["winner"])
    return None if validate(json.dumps(log).encode()).findings else log


MADE: dict[str, Typo] = {"a coinche missing": coinched}
"""What simulated players never do, and how a match comes to have it."""


def mistyped(kind: str, rng: Random, each: int, seed: int) -> Iterator[tuple[Log, Log]]:
    """(a legal match, the same with an error of a kind), without end; a table as often as another."""
    every = matches(each, seed)
    while True:
        right = rng.choice(rng.choice(every))
        if kind in MADE:
            made = MADE[kind](right, rng)
            if made is None:
                continue
            right = made
        wrong = TYPOS[kind](copy.deepcopy(right), rng)
        if wrong is not None and wrong != right:
            yield right, wrong
