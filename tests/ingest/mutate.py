"""Legal logs of every table, and what a scorer, a bad program or a cheat makes of them.

A mutation changes a log in place, drawing from a `Random`; any number may follow each other, so
each must cope with what others left.
"""

import json
import pickle
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from engine.games import game, game_names
from engine.options import game_presets, resolve_options
from schemas.notation import act_codes
from schemas.simulated import simulate_season
from tests.reference import chouine

DATA = Path(__file__).parents[2] / "data"
Log = dict[str, Any]
Mutation = Callable[[Log, Random], None]

SHORT: dict[str, dict[str, Any]] = {
    "chouine": {"parties": 2, "manches": 1},
    "coinche": {"target": 500},
    "chouineurs": {"manches": 2},
    "belote": {"target": 500},
}
"""Rules that end a match after a few deals."""
OTHER_RULES: dict[str, list[dict[str, Any]]] = {
    "chouine": [
        {"overruff": True, "one_per_suit": False, "au_sept": "ignore"},
        {"preset": "mondoubleau", "trump_maker": "plain", "one_per_play": True},
        {"preset": "regles-completes", "overruff": True, "one_per_play": True},
        {"announce_with": "combination", "one_per_suit": False},
    ],
    "coinche": [{"coinche_score": "sum"}],
    "chouineurs": [{"tricks": 8}, {"tricks": 1, "manches": 5}],
    "belote": [
        {"undertrump": False, "declarer_leads": True, "dealing": "2-3", "second_round_any": True},
        {"preset": "coinchee", "sans_tout": True, "equal_first": True, "dealing": "2-3-3"},
    ],
}


@cache
def _simulated(name: str) -> tuple[Log, ...]:
    logs: list[Log] = []
    for rules in [{"preset": preset} for preset in game_presets(name)] + OTHER_RULES[name]:
        for players in game(name).players:
            played = simulate_season(name, 3, 5 + players, {**SHORT[name], **rules}, players)
            for log in played:
                log["deals"] = log["deals"][:3]
                logs += [log, explicit(log)] if name == "chouine" else [log]
    return tuple(logs)


@cache
def _shipped() -> tuple[Log, ...]:
    logs: list[Log] = []
    for path in sorted(DATA.glob("*.json")):
        log = json.loads(path.read_bytes())
        if "??" in json.dumps(log):
            continue  # a log with cards nobody wrote down is no proof of anything
        last = max(0, len(log["deals"]) - 3)
        for first in range(0, last + 1, 3):
            part = log | {"deals": log["deals"][first : first + 3]}
            if first and " won" in json.dumps(part):
                continue  # a stop is judged by all that came before it
            if first:  # the first dealer and the score are those of the whole
                part.pop("cuts", None)
                part.pop("result", None)
                for deal in part["deals"]:
                    deal.pop("manche", None)
            logs.append(part)
    return tuple(logs)


def copied(log: Any) -> Any:
    """What `copy.deepcopy` makes of a log, in a tenth of the time."""
    return pickle.loads(pickle.dumps(log))


def legal() -> tuple[Log, ...]:
    """Small legal logs of every game, preset and table, and parts of those that ship."""
    simulated = (log for name in game_names() for log in _simulated(name))
    return tuple(map(copied, (*simulated, *_shipped())))


def legal_of(name: str) -> tuple[Log, ...]:
    """Those of one game; no other is compiled."""
    shipped = (log for log in _shipped() if log.get("game", "chouine") == name)
    return tuple(map(copied, (*_simulated(name), *shipped)))


def explicit(log: Log) -> Log:
    """A match of Chouine with every draw recorded (CH-7)."""
    log = copied(log)
    options = settings_of(log)
    for deal in log["deals"]:
        play = chouine.deal(log, deal, options)
        assert play is not None
        items = []
        for action in deal["actions"]:
            before = len(play.drawn)
            play.do(action)
            items.append(action)
            items += [f"{seat + 1} draw {card}" for seat, card in play.drawn[before:]]
        deal["actions"] = items
    return log


def settings_of(log: Log) -> dict[str, Any]:
    """Every rule option of a log with its value. UnknownRule: rules the game does not have."""
    return resolve_options(log["game"], log.get("rules"), len(log["players"]))


def mutated(log: Log, rng: Random, count: int) -> tuple[Log, list[str]]:
    """A log changed `count` times, and by what."""
    log = copied(log)
    names = [rng.choice(list(MUTATIONS)) for _ in range(count)]
    for name in names:
        MUTATIONS[name](log, rng)
    return log, names


# what is done


def a_deal(log: Log, rng: Random) -> Log:
    return rng.choice(log["deals"]) if log["deals"] else {}


def the_actions(log: Log, rng: Random) -> list[str]:
    """The actions of a deal that has some, when there is one."""
    deals = [deal["actions"] for deal in log["deals"] if deal.get("actions")]
    return rng.choice(deals) if deals else []


@cache
def words(name: str) -> list[list[str]]:
    """A game's words that are no cards, kind by kind; of Chouineurs those that name no face."""
    kinds: dict[str, list[str]] = {}
    for word in act_codes(name):
        if len(word) > 2 and "??" not in word:
            kinds.setdefault(re.split("[ -]", word)[0], []).append(word)
    return list(kinds.values())


def a_word(log: Log, rng: Random, cards: bool) -> str:
    """A card someone plays somewhere in the log, or any other word of its game."""
    items = [action[2:] for deal in log["deals"] for action in deal.get("actions", ())]
    if not cards and rng.random() < 0.7:
        return rng.choice(rng.choice(words(log["game"])))
    played = [word for word in items if re.fullmatch(r"[AKQJT6-9][shdc]|[bryk]\d+", word)]
    return rng.choice(played or ["As"])


def any_two(words: list[str], rng: Random) -> None:
    if len(words) > 1:
        one, other = rng.randrange(len(words)), rng.randrange(len(words))
        words[one], words[other] = words[other], words[one]


def swap_neighbours(log: Log, rng: Random) -> None:
    words = the_actions(log, rng)
    if len(words) > 1:
        at = rng.randrange(len(words) - 1)
        words[at : at + 2] = words[at + 1], words[at]


def swap_cards_played(log: Log, rng: Random) -> None:
    """Two plays of one seat in the wrong order: what a memory does."""
    words = the_actions(log, rng)
    if words:
        seat = rng.choice(words)[:1]
        own = [at for at, word in enumerate(words) if word[:1] == seat and len(word) < 6]
        if len(own) > 1:
            one, other = rng.choice(own), rng.choice(own)
            words[one], words[other] = words[other], words[one]


def drop_action(log: Log, rng: Random) -> None:
    if words := the_actions(log, rng):
        del words[rng.randrange(len(words))]


def repeat_action(log: Log, rng: Random) -> None:
    if words := the_actions(log, rng):
        at = rng.randrange(len(words))
        words.insert(rng.choice([at, rng.randrange(len(words) + 1)]), words[at])


def move_seat(log: Log, rng: Random) -> None:
    if words := the_actions(log, rng):
        at = rng.randrange(len(words))
        words[at] = f"{rng.randint(1, len(log['players']) + 1)}{words[at][1:]}"


def change_card(log: Log, rng: Random) -> None:
    if words := the_actions(log, rng):
        at = rng.randrange(len(words))
        words[at] = f"{words[at][:1]} {a_word(log, rng, True)}"


def change_word(log: Log, rng: Random) -> None:
    if words := the_actions(log, rng):
        at = rng.randrange(len(words))
        words[at] = f"{words[at][:1]} {a_word(log, rng, False)}"


def insert_word(log: Log, rng: Random) -> None:
    if words := the_actions(log, rng):
        # as often among the first acts as anywhere: there auctions are, and nobody has drawn
        at = rng.randrange(rng.choice([min(8, len(words)), len(words)]) + 1)
        near = words[min(at, len(words) - 1)][:1]
        seat = rng.choice([near, str(rng.randint(1, len(log["players"])))])
        words.insert(at, f"{seat} {a_word(log, rng, False)}")


def hide_announcement(log: Log, rng: Random) -> None:
    words = the_actions(log, rng)
    items = [at for at, word in enumerate(words) if re.search(r"-[shdc]$|quinte|trente", word)]
    if items:
        words[rng.choice(items)] += "~"


def truncate(log: Log, rng: Random) -> None:
    words = the_actions(log, rng)
    if words:
        del words[rng.randrange(len(words)) :]


@cache
def words_of_all() -> list[str]:
    """Every word of every game, and two of none; a hidden draw is for `hide_cards`."""
    items = {word for name in game_names() for word in act_codes(name) if "??" not in word}
    return sorted(items | {"draw", "??"})


def foreign_word(log: Log, rng: Random) -> None:
    """A word of any game, this one or another."""
    if words := the_actions(log, rng):
        at = rng.randrange(len(words) + 1)
        seat = rng.choice([words[at - 1][:1], str(rng.randint(1, 5))])
        words[at : at + rng.randint(0, 1)] = [f"{seat} {rng.choice(words_of_all())}"]


def unknown_word(log: Log, rng: Random) -> None:
    if words := the_actions(log, rng):
        strange = ["1 As\n", "0 As", "9 resign", "1  As", "", "1 10s", "1 as", "²", "1 pass ", "As"]
        words[rng.randrange(len(words))] = rng.choice(strange)


# what is declared


def a_number(reported: Any, rng: Random) -> Any:
    wild = [0, 1, -1, 10_000, 2**63, -(2**31)]
    near = reported + rng.choice([-10, -1, 1, 10]) if isinstance(reported, int) else 1
    return rng.choice([near, near, near, rng.choice(wild)])


def alter_total(log: Log, rng: Random) -> None:
    points = a_deal(log, rng).setdefault("points", [0, 0])
    at = rng.randrange(len(points) + 1)
    points[at : at + 1] = [a_number(points[at] if at < len(points) else None, rng)]


def alter_winner(log: Log, rng: Random) -> None:
    a_deal(log, rng)["winner"] = rng.randint(0, len(log["players"]))


def alter_dealer(log: Log, rng: Random) -> None:
    key = "leader" if log["game"] == "chouineurs" else "dealer"
    a_deal(log, rng)[key] = rng.randint(0, len(log["players"]) + 1)


def alter_manche(log: Log, rng: Random) -> None:
    a_deal(log, rng)["manche"] = rng.randint(0, 3)


def alter_score(log: Log, rng: Random) -> None:
    score = log.setdefault("result", {}).setdefault("score", [0, 0])
    at = rng.randrange(len(score) + 1)
    score[at : at + 1] = [a_number(score[at] if at < len(score) else None, rng)]


def alter_result(log: Log, rng: Random) -> None:
    log.setdefault("result", {})["winner"] = rng.choice([None, 0, 1, 2, 3])


def alter_times(log: Log, rng: Random) -> None:
    deal = a_deal(log, rng)
    times = [float(i) for i in range(len(deal.get("actions", ())))]
    if times and rng.random() < 0.8:
        times[rng.randrange(len(times))] = rng.choice([0.0, -1.0, 3.5, 1e6])
    deal["times"] = times[: len(times) - rng.randint(0, 1)]


def comment(log: Log, rng: Random) -> None:
    """Somebody says something of a deal, mostly where it has an action."""
    deal = a_deal(log, rng)
    end = len(deal.get("actions", ()))
    after = rng.choice([rng.randint(0, end)] * 4 + [-1, end + 1])
    result: Log = {"after": after, "text": rng.choice(["Ah\xa0!", "<b>ruff</b>\n", "\u2028"])}
    if rng.random() < 0.5:
        result["by"] = rng.choice([log["players"][0]["id"], "", None])
    if rng.random() < 0.1:
        result |= rng.choice([{"text": ""}, {"after": 0.5}, {"by": 7}, {"to": "x"}, {"_to": "x"}])
    result = result if rng.random() < 0.95 else {"text": "nowhere"}
    deal["comments"] = [*(deal.get("comments") or []), result]


def alter_start(log: Log, rng: Random) -> None:
    """What the match stood at before; the log may be the tail that makes it one."""
    sides = 2 if log["game"] == "coinche" else len(log["players"])
    most = {"chouine": 2, "coinche": 600}.get(log["game"], 40)
    start: Log = {"score": [rng.randint(0, most) for _ in range(sides)]}
    if log["game"] != "coinche" and rng.random() < 0.8:
        start["manche"] = rng.choice([1, 1, 2, 2, 3, 0, 9])
    if log["game"] == "chouine" and rng.random() < 0.8:
        start["parties"] = [rng.randint(0, one) for one in start["score"]]
    if rng.random() < 0.2:
        start["score"][0] = a_number(start["score"][0], rng)
    log["start"] = start


def void_a_deal(log: Log, rng: Random) -> None:
    a_deal(log, rng)["void"] = rng.choice(["maldonne", "replay", "abandoned"])


# the cards, the deals, the document


def swap_in_deck(log: Log, rng: Random) -> None:
    deal = a_deal(log, rng)
    if deal.get("deck"):
        cards = deal["deck"].split(" ")
        any_two(cards, rng)
        deal["deck"] = " ".join(cards)
    elif deal.get("hands"):
        swap_between_hands(deal, rng)


def swap_between_hands(deal: Log, rng: Random) -> None:
    hands = [hand.split(" ") for hand in deal["hands"]]
    one, other = rng.choice(hands), rng.choice(hands)
    at, there = rng.randrange(len(one)), rng.randrange(len(other))
    one[at], other[there] = other[there], one[at]
    deal["hands"] = [" ".join(hand) for hand in hands]


def spoil_deck(log: Log, rng: Random) -> None:
    """A card is missing, there twice, or none at all."""
    deal = a_deal(log, rng)
    key = "deck" if deal.get("deck") else "talon"
    if isinstance(deal.get(key), str):
        cards = deal[key].split(" ")
        cards[rng.randrange(len(cards))] = rng.choice(["As", "Zz", "7h 7h"])
        deal[key] = " ".join(cards)


def turn_a_card(log: Log, rng: Random) -> None:
    """Another face up, where cards have two; elsewhere a bid or nothing."""
    deal = a_deal(log, rng)
    hands = deal.get("hands") or []
    if log["game"] == "chouineurs" and hands:
        seat = rng.randrange(len(hands))
        cards = hands[seat].split(" ")
        at = rng.randrange(len(cards))
        cards[at] = "/".join(reversed(cards[at].split("/")))
        hands[seat] = " ".join(cards)
        deal["bids"][rng.randrange(len(deal["bids"]))] = rng.choice(["0-1", "1-2-3", "3-4+", "9"])


def hide_cards(log: Log, rng: Random) -> None:
    """Cards nobody wrote down: one, a whole hand, a talon, the deck, the card of a draw."""
    deal = a_deal(log, rng)
    items = [key for key in ("deck", "talon") if isinstance(deal.get(key), str)]
    hands = deal.get("hands") or []
    if items and rng.random() < 0.5:
        key = rng.choice(items)
        deal[key] = _hidden(deal[key], rng)
    elif hands:
        at = rng.randrange(len(hands))
        hands[at] = _hidden(hands[at], rng)
    else:
        deal["actions"] = [
            f"{word[:6]} ??" if word[2:6] == "draw" and rng.random() < 0.5 else word
            for word in deal.get("actions", ())
        ]


def _hidden(cards: str, rng: Random) -> str:
    if rng.random() < 0.2:
        return "??"
    share = rng.choice([0.05, 0.3, 1])
    return " ".join("??" if rng.random() < share else card for card in cards.split(" "))


def drop_deal(log: Log, rng: Random) -> None:
    if log["deals"]:
        del log["deals"][rng.randrange(len(log["deals"]))]


def repeat_deal(log: Log, rng: Random) -> None:
    if log["deals"]:
        at = rng.randrange(len(log["deals"]))
        log["deals"].insert(rng.randrange(len(log["deals"]) + 1), copied(log["deals"][at]))


def swap_deals(log: Log, rng: Random) -> None:
    any_two(log["deals"], rng)


def change_rules(log: Log, rng: Random) -> None:
    options: dict[str, list[Any]] = {
        "chouine": [
            *(("overruff", True), ("quinte", 100), ("announce_with", "combination")),
            *(("one_per_suit", False), ("one_per_play", True), ("turn_up", False)),
            *(("parties", 1), ("manches", 1), ("au_sept", "ignore"), ("trump_maker", "plain")),
        ],
        "coinche": [("target", 10), ("coinche_score", "sum"), ("target", 10_000)],
        "chouineurs": [("manches", 1), ("manches", 5), ("tricks", 6)],
        "belote": [("target", 10), ("undertrump", False), ("auction", "bid"), ("sans_tout", True)],
    }
    rules = log.get("rules") or {}
    rules = {"preset": rules} if isinstance(rules, str) else dict(rules)
    known = rng.choice(options[log["game"]])
    option, value = rng.choice([known] * 9 + [("overruf", True)])
    log["rules"] = rules | {option: value}


def change_cuts(log: Log, rng: Random) -> None:
    attempts = rng.choice(["7h 8s", "7h 7s", "Ah 7h Kd", "7h Zz", "7h 8h 9h Th"])
    log["cuts"] = [[attempts]] * rng.randint(1, 3)


def unknown_key(log: Log, rng: Random) -> None:
    rng.choice([log, a_deal(log, rng), log["players"][0]])[rng.choice(["x", "_x", "a/b~c"])] = 1


def wrong_type(log: Log, rng: Random) -> None:
    holder = rng.choice([log, a_deal(log, rng)])
    if holder:
        holder[rng.choice(list(holder))] = rng.choice([None, 7, "x", [], {}, [None], True])
        log["deals"] = log["deals"] if isinstance(log["deals"], list) else []


WILD: list[Any] = [
    None, True, 0, 1, -1, 5, 9, 300, 2**31, 2**63 - 1, 2**64, -(2**63), 10**400, 0.5, 1e308,
    "", " ", "1", "As", "²", "\0", "1 pass", "🂡", "{found}", [], [None], [[]], [1, None], ["", ""],
    [0] * 30, {}, {"a": None}, {"": ""},
]  # fmt: skip
"""Values that belong nowhere, or somewhere else."""


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value of a document."""
    found = [at] if at else []
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        found += [place for key in keys for place in places(value[key], (*at, key))]
    return found


def holder(log: Any, place: tuple[Any, ...]) -> Any:
    for key in place[:-1]:
        log = log[key]
    return log


def wild_value(log: Log, rng: Random) -> None:
    """A value that belongs nowhere at any depth of the document, or one gone."""
    ways = places(log)
    depth = rng.choice(sorted({len(way) for way in ways}))
    way = rng.choice([way for way in ways if len(way) == depth])
    if rng.random() < 0.3:
        del holder(log, way)[way[-1]]
    else:
        holder(log, way)[way[-1]] = copied(rng.choice(WILD))


MUTATIONS: dict[str, Mutation] = {
    "swap two actions": lambda log, rng: any_two(the_actions(log, rng), rng),
    "swap neighbours": swap_neighbours,
    "swap two cards of a seat": swap_cards_played,
    "drop an action": drop_action,
    "repeat an action": repeat_action,
    "move a seat": move_seat,
    "change a card": change_card,
    "change a word": change_word,
    "insert a word": insert_word,
    "hide an announcement": hide_announcement,
    "truncate": truncate,
    "an unknown word": unknown_word,
    "a word of any game": foreign_word,
    "alter a total": alter_total,
    "alter a winner": alter_winner,
    "alter a dealer": alter_dealer,
    "alter a manche": alter_manche,
    "alter the score": alter_score,
    "alter the result": alter_result,
    "alter times": alter_times,
    "comment": comment,
    "alter the start": alter_start,
    "void a deal": void_a_deal,
    "swap two cards of the deck": swap_in_deck,
    "spoil the deck": spoil_deck,
    "turn a card": turn_a_card,
    "drop a deal": drop_deal,
    "repeat a deal": repeat_deal,
    "swap deals": swap_deals,
    "change the rules": change_rules,
    "change the cuts": change_cuts,
    "an unknown key": unknown_key,
}
"""What leaves a log readable, mostly; `wrong_type` is for the tests of what does not."""
