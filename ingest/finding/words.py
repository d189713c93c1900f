"""Words of a log as people say them: cards, acts, seats, winners, lists of them."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from engine.cards import JASS, SYMBOLS, pretty
from ingest.i18n import N_, Translate

NULL_PARTIE = N_("nobody (null partie)")
NOBODY = N_("nobody")
SEAT = N_("{name} (seat {seat})")
NO_SEAT = N_("seat {seat}, which there is not")
KINDS = {
    "mariage": N_("mariage"),
    "tierce": N_("tierce"),
    "quarteron": N_("quarteron"),
    "chouine": N_("chouine"),
    "quinte": N_("quinte"),
    "trente": N_("trente"),
}
ACTS = {
    "sept": N_("exchanges the 7"),
    "au-sept": N_("says “au sept”"),
    "accept": N_("lets play go on"),
    "replay": N_("has the partie replayed"),
    "resign": N_("resigns"),
    "fault draw": N_("draws another’s card"),
    "fault peek": N_("sees another’s card"),
    "fault double": N_("draws two cards"),
}
COINCHE_ACTS = {
    "pass": N_("passes"),
    "coinche": N_("coinches"),
    "surcoinche": N_("surcoinches"),
    "claim": N_("lays down the hand"),
    "won": N_("says “we have won”"),
    "point": N_("takes a point"),
}
DRAWS = N_("draws {card}")
BIDS = N_("bids {bid} {suit}")
MATCH_BID = N_("match")
GENERALE_BID = N_("générale")
TURNS = N_("turns {face}")
COLOURS = {
    "b": N_("blue {value}"),
    "r": N_("red {value}"),
    "y": N_("yellow {value}"),
    "k": N_("black {value}"),
}
_FACES = re.compile(r"[bryk][0-9]{1,3}(/[bryk][0-9]{1,3})?")
UNSHOWN = N_("{announcement}, not shown")


def speak_word(t: Translate, word: str) -> str:
    """An action's word (without its seat) as a player says it; a stranger's word as it is."""
    if word in JASS.codes:
        return pretty(word, t.language)
    if _FACES.fullmatch(word):
        return "/".join(t(COLOURS[face[0]], value=face[1:]) for face in word.split("/"))
    if word in ACTS:
        return t(ACTS[word])
    if word in COINCHE_ACTS:
        return t(COINCHE_ACTS[word])
    if word.startswith("turn "):
        return t(TURNS, face=speak_word(t, word[5:]))
    if word.startswith("bid ") and word[-1] in SYMBOLS:
        height = word[4:-1].rstrip("-")
        special = {"match": MATCH_BID, "generale": GENERALE_BID}.get(height)
        return t(BIDS, bid=t(special) if special else height, suit=SYMBOLS[word[-1]])
    if word.startswith("draw "):
        return t(DRAWS, card=pretty(word[5:], t.language))
    kind, _, suit = word.removesuffix("~").partition("-")
    if kind in KINDS and (suit in SYMBOLS or not suit):
        said = t(KINDS[kind]) + (f" {SYMBOLS[suit]}" if suit else "")
        return t(UNSHOWN, announcement=said) if word.endswith("~") else said
    return word


def speak_action(t: Translate, action: str) -> str:
    """An action without its seat, spoken; what is no action stays as it is."""
    seat, _, word = action.partition(" ")
    if seat.isdigit() and word:
        spoken = speak_word(t, word)
        return spoken if spoken != word or word in KINDS else action
    cards = action.split(" ")
    if all(len(card) == 2 for card in cards):  # an attempt of a cut
        return " ".join(speak_word(t, card) for card in cards)
    return speak_word(t, action)


_BID = re.compile(r"\d+ bid (match|generale|\d+)-?([shdc])")


def _fewer_bids(t: Translate, words: Sequence[Any]) -> list[Any]:
    """Actions with their bids in a few words, `bids 90–150 ♠♥♦♣`, for there may be forty."""
    suits: dict[str, str] = {}
    others = []
    for word in words:
        if found := _BID.fullmatch(str(word)):
            suits[found[1]] = suits.get(found[1], "") + SYMBOLS[found[2]]
        else:
            others.append(word)
    spoken: list[Any] = []
    for same, run in groupby(suits, key=lambda height: (suits[height], height.isdigit())):
        heights = list(run)
        if same[1] and len(heights) > 1:
            heights = [f"{heights[0]}–{heights[-1]}"]
        named = {"match": t(MATCH_BID), "generale": t(GENERALE_BID)}
        spoken += [t(BIDS, bid=named.get(height, height), suit=same[0]) for height in heights]
    return spoken + others


MOST_TOLD, LONGEST = 60, 100
"""Items of a list, and characters of a text or a name, that a sentence tells."""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def speak_value(t: Translate, value: Any, spoken: bool) -> str:
    """A value of a finding in a sentence; `spoken` where it may be cards and actions."""
    if isinstance(value, list | tuple):
        value = _fewer_bids(t, value) if spoken else value
        told = [speak_value(t, item, spoken) for item in value[:MOST_TOLD]]
        return ", ".join(told + ["…"] * (len(value) > MOST_TOLD)) or "–"
    if isinstance(value, str):
        return _cut(speak_action(t, value) if spoken else value)
    return "–" if value is None else str(value)


def speak_seat(t: Translate, seat: Any, names: list[str]) -> str:
    """A seat from 1 with its player's name; 0 and None are nobody."""
    if isinstance(seat, list):
        return ", ".join(speak_seat(t, one, names) for one in seat)
    if not seat:
        return t(NULL_PARTIE) if seat == 0 else t(NOBODY)
    known = isinstance(seat, int) and 0 < seat <= len(names)
    return t(SEAT, name=_cut(names[seat - 1]), seat=seat) if known else t(NO_SEAT, seat=seat)


def speak_winner(t: Translate, winner: Any, detail: dict[str, Any]) -> str:
    """Who wins, a seat or a side from 1: partners go by their names, with no seat of their own."""
    names, sides = detail.get("names", []), detail.get("sides", [])
    if winner == "?":  # not this one, and which other depends on cards nobody wrote down
        return "?"
    if len(sides) == len(names) or not (isinstance(winner, int) and 0 < winner <= len(sides)):
        return speak_seat(t, winner, sides)
    return _cut(str(sides[winner - 1]))
